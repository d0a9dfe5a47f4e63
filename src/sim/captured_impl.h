/* Contacts whose impacts are captured (docs/theory/contact.md, CT.30): no rows in the structure, impulses at the ends of steps.
 *     captured.c        what happens at the end of a step
 *     captured_net.c    the contacts there, in rows of bodies and clusters of bodies */
#ifndef DAL_SIM_CAPTURED_IMPL_H
#define DAL_SIM_CAPTURED_IMPL_H

#include "contact/net.h"
#include "sim/contact_impl.h"

/* A contact of the net. */
typedef struct captured_contact {
    int number;                 /* of the contact; n + pair: of a touch */
    int touch;                  /* its place in the list of touches, -1: one with rows */
    int pushed;                 /* in the last step, too */
    double rate[DAL_NET_ROWS];  /* of its rows, the gap first if there is one, where the step began */
    double speed[DAL_NET_ROWS]; /* of its rows before the impulse */
} captured_contact;

struct sim_captured {
    dal_net net;
    captured_contact *of; /* of the contacts of the net */
    double *work;         /* scratch, of islands */
    int contact_room, of_room, store_room, work_room, used;
    double from; /* time at which the step began */
    int stale;   /* clusters are to be found */
    /* velocities: cluster, place in it; clusters: 1: its accelerations need the saddle matrix; where its mass is */
    int *cluster, *place, *saddled, *mass;
    double *M; /* Cholesky factors of the masses of clusters without joints */
    int nmass;
    /* state and rows: q, moved q, velocities at start, increments (nv); Phi, two rates, extra multipliers (rows of the system) */
    double *q, *q_work, *v, *dv, *Phi, *vel, *vel0, *extra;
    double *columns; /* (nv + nc) x BATCH */
    int *block_of;   /* blocks of the system: contact, -1: none; then n places in the net */
    int *joined;     /* blocks: a factor that they move */
    contact_rows *rows;
    int n; /* contacts with rows */
    const dal_touch *touch;
    int ntouches;
    dal_arena arena;
};

/* contact.c: rows of contact k of a system */
contact_rows dal_contact_rows_of(const dal_system *sys, int k);

enum { CAPTURED_BATCH = 16 };
typedef enum captured_level { CAPTURED_POSITIONS, CAPTURED_VELOCITIES } captured_level;

/* captured_net.c */
dal_status dal_captured_clusters(dal_sim *sim) DAL_NODISCARD;
/* The contacts with gaps below the margin at q; velocities: with their friction, rates at v, and at v0 where the step began. */
dal_status dal_captured_collect(dal_sim *sim, captured_level level, double t, const double *q, const double *v,
                                const double *v0, double margin) DAL_NODISCARD;
/* Masses at q, and Y of all contacts. */
dal_status dal_captured_masses(dal_sim *sim, double t, const double *q) DAL_NODISCARD;
/* y (nv) = x of the net */
void dal_captured_scatter(const dal_sim *sim, double *y);

#endif
