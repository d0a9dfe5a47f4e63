/* A simulation, shared by its files:
 *     sim.c       creation, start, queries
 *     run.c       steps, step size control, projection, the loop
 *     events.c    zero crossings
 *     snapshot.c  save and restore */
#ifndef DAL_SIM_SIM_IMPL_H
#define DAL_SIM_SIM_IMPL_H

#include "dalembert/sim.h"
#include "integrate/integrator.h"

enum { MAX_OBSERVERS = 16, MAX_EVENTS = 16 };

typedef struct sim_event {
    dal_event event;
    double last; /* value at the current state */
    int armed;   /* 0 if that value is zero: the next step only takes the value */
} sim_event;

struct dal_sim {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_options opt;
    dal_eval *ev;
    dal_saddle *saddle;
    dal_integrator *method;
    int started;

    /* fixed steps end at t_anchor + k h, so that rounding does not add up */
    double t_anchor;
    double k;
    /* adaptive steps */
    double h_next, last_error;

    int nobservers;
    struct {
        dal_observer call;
        void *user;
    } observer[MAX_OBSERVERS];
    int nevents, fired;
    sim_event event[MAX_EVENTS];

    int output;          /* the last step can be interpolated */
    int next_projection; /* index in opt.projection_times */
    dal_stats stats;
    double *q, *v, *w; /* scratch: nq, nv, max(nv, nc) */
    dal_arena arena;
};

/* run.c */
void dal_sim_claim_scratch(dal_sim *sim); /* before an attempt or a projection: see `end` in integrator.h */
void dal_sim_reset_grid(dal_sim *sim);
dal_status dal_sim_notify(dal_sim *sim, int *stop) DAL_NODISCARD;
/* sim.c */
dal_status dal_sim_make_consistent(dal_sim *sim, double t, double *q, double *v,
                                   dal_initial_report *report) DAL_NODISCARD;
/* events.c */
void dal_sim_arm_event(dal_sim *sim, int e);
/* Look for the first event within the last step and act on it. *stop tells whether the run ends. */
dal_status dal_sim_handle_events(dal_sim *sim, int *stop) DAL_NODISCARD;

#endif
