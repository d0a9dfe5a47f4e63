/* Unilateral conditions of a simulation (docs/theory/contact.md). A contact is open, slides or sticks; in each of these modes
 * the system is smooth, with the rows of closed contacts among its constraints. Steps are watched for the first moment at which
 * a mode ends (contact_watch.c); there impacts and the next modes are found by small contact problems (contact_problem.c), and the
 * run goes on as after any event. */
#ifndef DAL_SIM_CONTACT_IMPL_H
#define DAL_SIM_CONTACT_IMPL_H

#include <math.h>

#include "contact/problem.h"
#include "projection/reduce.h"
#include "sim/sim_impl.h"

/* A contact in its rows. */
typedef struct contact_rows {
    int normal;    /* row of the whole system, -1: none */
    int tangent;   /* the first of n tangential ones */
    int n;         /* 0, 1, 2, 3 */
    int velocity;  /* the normal row is one of velocities */
    int column[2]; /* of the normal and of the first tangential row in B of the contacts */
} contact_rows;

/* How many times a step is halved to find where a value that begins at zero is positive. */
enum { DAL_CONTACT_HALVES = 40 };

struct sim_contacts {
    sim_captured *captured; /* NULL: impacts are located; else nothing of the below but totals is used, n = 0 */
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
    double *scratch;              /* 2 nrows */
    double *B;                    /* nv x ncolumns */
    double *approach;             /* n: normal accelerations before an impact */
    double *watch
        [3]; /* 2 n values watched, n rates of gaps, n reaches of features: at the start of a step, its end, within it */
    /* DAL_CONTACT_HALVES x 2 n: values watched, with forces, where the last step has been halved so many times; nhalves of
     * them are known */
    double *halves;
    int nhalves;
    int *mode;         /* n: to be */
    double *direction; /* 3 n */
    /* what ended the step: contact and which of its two values, 2: its features; -1: nothing */
    int ended, which;
    double fastest;    /* rate of a gap at the ends of the step */
    int goes_on;       /* no mode ended within the step: la are the multipliers at its end */
    double at_once_at; /* where modes ended as steps began, and how often there */
    int at_once;
    double relieved_at; /* the last time at which shares of least norm were changed */
    int tamed;          /* an impact with less restitution than asked for was told of */
    int overlapped;     /* a gap below zero at the end of a step was told of */
    double ahead;       /* drives count as they are so much later: see dal_sim_contacts_retreat */
    int *lifts;         /* n: its force is zero there */
    int *slips;         /* n: its friction is at its limit there */
    int *stops;         /* n: what slides nearly stops there */
    int *built;         /* n: modes the simulation was built for */
    int *before;        /* n: scratch */
    /* problem */
    int m;               /* contacts that take part */
    int *part;           /* m */
    int *first, *normal; /* m + 1, m */
    double *mu, *D, *d, *p, *w, *X;
    int *state;
    dal_contact_totals totals;
    dal_arena arena;
};

/* contact_problem.c */
/* Gap, rate and acceleration rows of all contacts; vd NULL: at zero. */
dal_status dal_sim_contact_values(dal_sim *sim, double t, const double *q, const double *v,
                                  int acceleration) DAL_NODISCARD;
/* What touches at sim->q, sim->v: impacts, then the modes that follow, in mode and direction. */
dal_status dal_sim_contact_decide(dal_sim *sim, double t, double h) DAL_NODISCARD;
/* c->B at sim->q and sim->v. */
dal_status dal_sim_contact_rows(dal_sim *sim, double t) DAL_NODISCARD;
/* Contact takes part in the next problem, with so many tangents. */
void dal_contact_join(sim_contacts *c, int contact, int tangents, double mu);
/* D and d of the participants: c->X has room for the columns. x0: what moves without contact forces, in the last column; level:
 * the rows there without it. Friction of contacts that slide in a known direction is part of the column of p_n. */
void dal_contact_matrix(const dal_sim *sim, const double *level);
/* Solve from zero. *solved: 0 if there is no solution. */
dal_status dal_contact_find(dal_sim *sim, int *solved) DAL_NODISCARD;
/* x (nv) = what the last problem gives. */
void dal_contact_motion(const sim_contacts *c, double *x);
dal_status dal_contact_no_solution(dal_sim *sim, const char *what, double t) DAL_NODISCARD;
/* The reach (SX.1) of the normal row of a contact. */
dal_status dal_sim_contact_reach(dal_sim *sim, double *reach, int contact, double t, const double *q,
                                 const double *v) DAL_NODISCARD;
/* The saddle system of the joints alone, for an impulse at sim->q. */
dal_status dal_sim_contact_joints(dal_sim *sim, dal_saddle **saddle, double t) DAL_NODISCARD;

/* contact_locate.c */
/* A time and the value that is watched. */
typedef struct contact_moment {
    double t, value;
} contact_moment;
/* Two values of each contact that are positive as long as its mode goes on: gap or normal force; what friction has in reserve
 * where it sticks, speed along the direction of sliding where it slides. NaN: nothing to watch. Then the rates of the gaps of
 * open contacts, and how long the features of closed ones are those that touch. */
dal_status dal_contact_watch(dal_sim *sim, double *value, const dal_point *at) DAL_NODISCARD;
/* Is value i (of all 4 n) a force, which takes the multipliers at that time, not only positions and velocities? */
int dal_contact_is_force(const dal_sim *sim, int i);
/* The values at a time within the last step. Without forces those are of no use that is_force tells. */
dal_status dal_contact_watch_at(dal_sim *sim, double *value, double t, int forces) DAL_NODISCARD;
/* Where value i changes its sign between lo, where it is positive, and hi, to rounding. */
dal_status dal_contact_locate(dal_sim *sim, double *t, int i, contact_moment lo, contact_moment hi) DAL_NODISCARD;
/* A value that begins at zero, as the gap of a contact just left, and is below at hi: it was positive on the way, or never. Then
 * *t is that of hi. */
dal_status dal_contact_locate_return(dal_sim *sim, double *t, int i, double t0, contact_moment hi) DAL_NODISCARD;
/* An open gap that is positive at both ends of the step: does it close on the way? *t stays if not. */
dal_status dal_contact_locate_dip(dal_sim *sim, double *t, int k, double t0, double t1) DAL_NODISCARD;
/* An open gap that begins at zero, without approach, and is below at the time sunk: another one that took its place, or where the step begins
 * again. */
dal_status dal_contact_locate_sinking(dal_sim *sim, double *t, int k, double t0, double sunk) DAL_NODISCARD;
/* The forces open a contact, but the step, by its error, does not: where it begins again. */
double dal_contact_shorter(dal_sim *sim, int k, double t0, double t1);

/* contact_impact.c */
/* v after the impact of everything that touches. jams: impact without collision (section 8 of the theory). */
dal_status dal_contact_impact(dal_sim *sim, double t, double h, int jams) DAL_NODISCARD;

/* contact_hold.c */
void dal_contact_count(const dal_sim *sim, int contact, double t, double h); /* an impact */
/* It was found not to open after this time, whatever its velocity says. */
int dal_contact_held(const dal_sim *sim, int contact, double t);
/* After an impact: what is held, or bounces too often, neither approaches nor departs. The rates of the gaps are in c->vel. */
void dal_contact_hold(dal_sim *sim, double t, double h);
/* Open contacts below zero, by what events leave over, begin there, and closed ones stay: the least change of sim->q (CT.35). */
dal_status dal_contact_lift(dal_sim *sim, double t) DAL_NODISCARD;
/* What came to rest is at rest, whatever the error of the step left across its direction. modes: those of all contacts (n). */
dal_status dal_contact_halt(dal_sim *sim, double t, const int *modes) DAL_NODISCARD;

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
/* Steps of fixed size and low order, which do not follow what is much shorter than they are. */
static inline int dal_contact_coarse(const dal_sim *sim)
{
    return sim->opt.step != DAL_STEP_ADAPTIVE && sim->method->error_order <= 2.0;
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

/* The length of the tangential rows of a contact. */
static inline double dal_contact_length(const contact_rows *r, const double *rows)
{
    const double *u = rows + r->tangent;
    return r->n == 0 ? 0.0 : r->n == 1 ? fabs(u[0]) : r->n == 2 ? hypot(u[0], u[1]) : hypot(hypot(u[0], u[1]), u[2]);
}

/* Did what slides come to rest where the step ended? */
static inline int dal_contact_stops(const dal_sim *sim, int k)
{
    const sim_contacts *c = sim->contacts;
    return c->stops[k] || (c->ended == k && c->which == 1 && dal_contact_now(sim, k) == DAL_CONTACT_SLIDING);
}

#endif
