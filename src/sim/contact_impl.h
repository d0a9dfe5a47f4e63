/* Unilateral conditions of a simulation (docs/theory/contact.md). A contact is open, slides or sticks; in each of these modes
 * the system is smooth, with the rows of closed contacts among its constraints. Steps are watched for the first moment at which
 * a mode ends (contact.c); there impacts and the next modes are found by small contact problems (contact_problem.c), and the
 * run goes on as after any event. */
#ifndef DAL_SIM_CONTACT_IMPL_H
#define DAL_SIM_CONTACT_IMPL_H

#include "contact/problem.h"
#include "projection/reduce.h"
#include "sim/sim_impl.h"

/* A contact in its rows. */
typedef struct contact_rows {
    int normal;    /* row of the whole system, -1: none */
    int tangent;   /* the first of n tangential ones */
    int n;         /* 0, 1, 2 */
    int velocity;  /* the normal row is one of velocities */
    int column[2]; /* of the normal and of the first tangential row in B of the contacts */
} contact_rows;

struct sim_contacts {
    int n, nrows, ncolumns; /* contacts; rows of the whole system, of contacts */
    contact_rows *rows;     /* n */
    int *column_of;         /* nrows: -1: of no contact */
    /* the system with joints alone */
    int *gone; /* nrows */
    dal_reduction *joints, *kept;
    dal_eval *ev;
    dal_saddle *saddle;
    /* at the state that is looked at */
    double *Phi, *vel, *acc, *la; /* nrows */
    double *B;                    /* nv x ncolumns */
    double *approach;             /* n: normal accelerations before an impact */
    double *watch[3];  /* 2 n values watched, then n rates of gaps: at the start of a step, its end, and within it */
    int *mode;         /* n: to be */
    double *direction; /* 2 n */
    /* what ended the step: contact and which of its two values, -1: nothing; the acceleration level decides if it is 2 */
    int ended, which;
    double ahead; /* drives count as they are so much later: see dal_sim_contacts_retreat */
    int *lifts;   /* n: its force is zero there */
    int *built;   /* n: modes the simulation was built for */
    /* problem */
    int m;               /* contacts that take part */
    int *part;           /* m */
    int *first, *normal; /* m + 1, m */
    double *mu, *D, *d, *p, *w, *X;
    int *state;
    dal_contact_event *log;
    int nlog, log_room;
    dal_contact_totals totals;
    dal_arena arena;
};

/* contact_problem.c */
/* Gap, rate and acceleration rows of all contacts; vd NULL: at zero. */
dal_status dal_sim_contact_values(dal_sim *sim, double t, const double *q, const double *v,
                                  int acceleration) DAL_NODISCARD;
/* What touches at sim->q, sim->v: impacts, then the modes that follow, in mode and direction. */
dal_status dal_sim_contact_decide(dal_sim *sim, double t, double h) DAL_NODISCARD;

static inline double *dal_contact_memory(const dal_sim *sim, int contact)
{
    return sim->data->memory + sim->sys->contacts.memory + (ptrdiff_t)DAL_CONTACT_MEMORY * contact;
}
static inline int dal_contact_now(const dal_sim *sim, int contact)
{
    return (int)dal_contact_memory(sim, contact)[DAL_CONTACT_MODE];
}
static inline dal_contact_law dal_contact_law_of(const dal_sim *sim, int contact)
{
    dal_contact_law law = {0};
    sim->sys->contacts.law(&law, contact, sim->sys->user, sim->data->work);
    law.mu_s = law.mu_s > law.mu ? law.mu_s : law.mu;
    return law;
}
/* A gap and a speed that count as none. */
static inline double dal_contact_gap(const dal_sim *sim)
{
    return 1e-10 * sim->ev->length;
}
static inline double dal_contact_speed(const dal_sim *sim)
{
    return 1e-9 * dal_contact_memory(sim, 0)[DAL_CONTACT_SPEED];
}

#endif
