/* What a simulation needs of a time integration method: a table of operations. A method keeps the current
 * state, the one before it (for interpolation) and a trial state; an attempt never touches the current one. */
#ifndef DAL_INTEGRATE_INTEGRATOR_H
#define DAL_INTEGRATE_INTEGRATOR_H

#include <math.h>

#include "dalembert/integrate.h"
#include "init/initial.h"
#include "integrate/speeds.h"
#include "newton/newton.h"

typedef struct dal_integrator dal_integrator;

/* A state with its storage; the arrays belong to the integrator. */
typedef struct dal_state_buffer {
    double t, h; /* h: step size that v and a are tuned for (IN.2), (SC.3) */
    double *q, *v, *vd, *a, *la, *eta;
    double *theta; /* increment that led here: q = q_before o exp(theta) */
    /* generalized-alpha, for error estimate and changes of the step size (SC.3): v on the constraints, v' that belongs
     * to q and vc by (IN.4), its difference quotient over the step that led here. known: 0 none of them, 1 vc and vdc,
     * 2 all three */
    double *vc, *vdc, *jerk;
    int known;
} dal_state_buffer;

/* Residuals of the equations of motion count so many times against atol: with that a heavy top takes the
 * published number of iterations (SX.3). */
#define DAL_FORCE_WEIGHT 12.0

typedef struct dal_integrator_type {
    const char *name;
    int nodes; /* of the Gauss rule that integrates rates over a step, on the dense output: 2 or 5 */
    dal_status (*create)(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt);
    void (*destroy)(dal_integrator *self);
    /* Take over consistent q and v at t; compute v', lambda and starting values for steps of size h. DAL_MOMENT_STEP: the
     * same motion goes on, only the forces jump or have a kink; what has been learnt of it is kept, such as its speeds. */
    dal_status (*start)(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment);
    /* After a start in the midst of a motion, v' of which was `before`: vibrations that steps of that size do not resolve do
     * not enter the starting values (IN.7). NULL: none are used that could grow by them. */
    dal_status (*ease)(dal_integrator *self, const double *before);
    /* Try a step of size h that ends at t1 (= t + h up to rounding). */
    dal_status (*attempt)(dal_integrator *self, double h, double t1);
    /* Local error of the attempt in units of the tolerance. */
    double (*error)(dal_integrator *self);
    void (*accept)(dal_integrator *self);
    /* Retune the current state for steps of size h. (SC.3) */
    dal_status (*retune)(dal_integrator *self, double h);
    dal_status (*project)(dal_integrator *self, dal_projection mode, int position);
    /* State at t within the last accepted step, previous to end; any output may be NULL. */
    void (*interpolate)(dal_integrator *self, double *q, double *v, double *vd, double *la, double t);
    /* Energy dissipated and fed in during the last step, as accurate as the step; NULL: no better than by the powers
     * at its ends. */
    dal_status (*exchange)(dal_integrator *self, double W[2]);
    /* The velocity or the constraint row to which an equation of the iteration matrix belongs, for messages. */
    void (*equation_name)(const dal_integrator *self, char *buffer, size_t size, int equation);
    void (*pass)(dal_integrator *self, dal_cursor *k); /* all that decides later steps */
} dal_integrator_type;

struct dal_integrator {
    const dal_integrator_type *type;
    dal_state_buffer *current, *previous;
    const dal_state_buffer *end;    /* of the last step: current, or what was current when `start` was called again, as
                                    at an event; then it lasts until the next attempt or projection */
    dal_newton_stats *newton_stats; /* since the last start */
    const double *newton_residual;  /* of the last attempt */
    double jacobian_cost;           /* of a Jacobian with its factors, in iterations, by counts (NW.7); 0: not known */
    dal_linsol *matrix;             /* of the iteration */
    dal_linsol *mass;               /* M alone, or NULL: lobatto */
    /* lambda, times the reach of its rows: its error by rounding times h^2, 0: not known; the largest so far; the size of those that
     * would bend the motion */
    double la_noise, la_max, la_motion;
    double error_order;  /* `error` behaves like h to this power (SC.2) */
    double growth_limit; /* of successive adaptive steps that the method allows; 0: any */
    int explicit_steps;  /* an explicit method: step sizes may change at will (RK.9) */
    double exchanged
        [2]; /* of the last attempt if ev->watched, explicit methods and Lobatto: energy dissipated and fed in [J] */
    double stability_rate; /* stability limits adaptive steps: fastest rate of the motion [rad/s]; else 0 */
    char limit[256];       /* what is known to limit the size of fixed steps, and what helps; "" */
    double missed;         /* error that rounding has left in a step, in tolerances, if above 1; else 0 */
};

/* What all methods keep of a state, in a snapshot. */
static inline void dal_state_pass(dal_state_buffer *s, dal_cursor *k, const dal_eval *ev)
{
    dal_pass(k, &s->t, 1);
    dal_pass(k, &s->h, 1);
    dal_pass(k, s->q, ev->nq);
    dal_pass(k, s->v, ev->nv);
    dal_pass(k, s->vd, ev->nv);
    dal_pass(k, s->la, ev->nc);
    dal_pass(k, s->theta, ev->nv);
}

extern const dal_integrator_type dal_genalpha_type, dal_lobatto_type, dal_rk_type, dal_auto_type, dal_bdf_type,
    dal_rattlie_type;

/* Substeps of RATTLie of that order (RT.7), in parts of a step; how many, 0: there is no such order. */
enum { DAL_RATTLIE_SUBSTEPS = 17 };
int dal_rattlie_substeps(double gamma[DAL_RATTLIE_SUBSTEPS], int order);

/* step_atol of velocity k. In a model smaller than a millimetre a number meant for metres would be coarse: at most that many
 * thousands of its unit a second. (SX.1) */
static inline double dal_step_atol(const dal_options *opt, const dal_eval *ev, int k)
{
    return opt->step_atol * fmin(1.0, 1e3 * ev->unit[k]);
}

/* Are the rows of a block held at the levels of positions and velocities, with multipliers eta? (GA.5), (EP.3) */
static inline int dal_ga_both_levels(int formulation, const dal_constraint *c)
{
    return dal_holds_positions(c) && (formulation == DAL_FORMULATION_GGL ||
                                      (formulation == DAL_FORMULATION_INDEX3 && c->kind == DAL_ROWS_COORDINATES));
}

#endif
