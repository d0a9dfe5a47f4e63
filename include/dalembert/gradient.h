/* dalembert/gradient.h - exact gradients of a simulation (docs/theory/gradient.md, labels GR.*).
 *
 *     dal_gradient_create -> dal_gradient_run -> dal_gradient_value, dal_gradient_row -> dal_gradient_destroy
 *
 * What a run gives is differentiated with respect to numbers of the model: the derivative of the run as it is computed, with the
 * steps that it takes, not of the exact motion, from which it differs by the order of the method. Starts, projections and
 * constraints are included. Forward mode costs a share of a run for each number, the adjoint a run for each result, whatever the
 * count of numbers. */
#ifndef DALEMBERT_GRADIENT_H
#define DALEMBERT_GRADIENT_H

#include "dalembert/integrate.h"
#include "dalembert/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dal_gradient_mode {
    DAL_GRADIENT_AUTO, /* whichever costs less, by counts; forward where an event has no derivative in some directions */
    DAL_GRADIENT_FORWARD,
    DAL_GRADIENT_ADJOINT,
    DAL_GRADIENT_VALUES /* no derivatives */
} dal_gradient_mode;

/* Measured data: an expression of outputs should have these values at these times. */
typedef struct dal_gradient_data {
    const char *expression;
    const double *t, *y;  /* n each, t increasing */
    const double *weight; /* n; NULL: all are 1 */
    int n;
} dal_gradient_data;

/* Equations of your own in place of a model. Pointers are kept: they must outlive the gradient. Initial values are projected as those of a
 * model. */
typedef struct dal_gradient_own {
    const dal_system *system;
    const dal_options *options;
    double t_end;         /* from 0 */
    const double *number; /* values of `by` */
    dal_status (*set)(const double *number,
                      void *user); /* the equations have these numbers from now on; called often */
    dal_status (*initial)(double *q, double *v, void *user);
    const char *const *output; /* names, for `of` and data */
    int noutputs;
    dal_status (*outputs)(double *y, const dal_point *at, void *user);
    /* optional: derivatives of all members of `out`, which are zero when it is called, with respect to number k. NULL: differences of
     * six values, 1e-12 where the equations are smooth; dal_gradient_info says so */
    dal_status (*derivative)(const dal_residual *out, const dal_point *at, int k, void *user);
    void *user;
} dal_gradient_own;

/* of: expressions of reductions over the run and of the numbers, as sweeps collect them (dalembert/sweep.h): "final(tip.position.x)",
 * "integral(A.force^2)", "2*max(energy) - m". Reductions: final initial integral mean rms min max, smooth_max(E,K) =
 * log(mean(exp(K E)))/K. Integrals are sums over the ends of steps (trapezoidal rule), minima and maxima
 * those of the parabola through the ends of three steps.
 *
 * by: variables of the model, or numbers of elements by address ("bodies.rod.mass", "bodies.rod.position.0"), as
 * dal_binding_create takes them. Times and step sizes must not depend on them. */
typedef struct dal_gradient_spec {
    const char *source;     /* file or name of a built-in model */
    const char *text;       /* the model; source only stands for it in messages. NULL: it is read */
    const char *const *set; /* nset assignments, see dal_document_open */
    int nset;
    int files_outside;
    const char *const *of;
    int nof;
    const char *const *by;
    int nby;
    const dal_gradient_data *data; /* residuals of ndata curves */
    int ndata;
    size_t memory; /* bytes for states of the run; of longer runs parts are computed twice. 0: 512 MiB */
    int jobs; /* threads over the results of an adjoint, two results each at least; every bit is as with one. 0: one for each core */
    const dal_gradient_own *own; /* NULL: source is a model; else it only stands for the equations in messages */
} dal_gradient_spec;

typedef struct dal_gradient dal_gradient;

/* Everything is copied. A message says what has no derivative: integrators and options for which there is none. */
DAL_API dal_status dal_gradient_create_(dal_gradient **gradient, dal_ctx *ctx, const dal_gradient_spec *spec,
                                        size_t size) DAL_NODISCARD;
DAL_API void dal_gradient_destroy(dal_gradient *gradient); /* NULL is fine */

/* The numbers as they are in the model. */
DAL_API int dal_gradient_count(const dal_gradient *gradient);
DAL_API const char *dal_gradient_name(const dal_gradient *gradient, int k);
DAL_API double dal_gradient_number(const dal_gradient *gradient, int k);

/* Run with these numbers (NULL: those of the model) and differentiate. */
DAL_API dal_status dal_gradient_run(dal_gradient *gradient, const double *numbers,
                                    dal_gradient_mode mode) DAL_NODISCARD;

/* Error control chooses the steps of a run, and derivatives are those of these steps. on: later runs take the steps of the last one,
 * as differences of runs must. */
DAL_API void dal_gradient_freeze(dal_gradient *gradient, int on);

/* The transition matrix of the last run with derivatives: what it makes of small changes of q (left-trivialised) and v at its start, of those at
 * its end; 2 nv x 2 nv, column-major. Changes that contradict the constraints are projected first, as initial values are. */
DAL_API int dal_gradient_velocities(const dal_gradient *gradient); /* nv */
DAL_API dal_status dal_gradient_transition(dal_gradient *gradient, double *Phi) DAL_NODISCARD;

/* Of the last run. Row: the derivatives of value i with respect to all numbers; NULL: there is none of that number, or no
 * derivatives were asked for. Values are those of `of` in its order, then the residuals weight (E(t) - y) of all data, one after the other;
 * their rows exist in forward mode only. */
DAL_API int dal_gradient_values(const dal_gradient *gradient);
DAL_API double dal_gradient_value(const dal_gradient *gradient, int i);
DAL_API const double *dal_gradient_row(const dal_gradient *gradient, int i);
/* The sum of squares of the residuals, and its gradient (NULL without data). */
DAL_API double dal_gradient_squares(const dal_gradient *gradient);
DAL_API const double *dal_gradient_of_squares(const dal_gradient *gradient);

/* Impacts, changes of contacts and events of the last run, in the order of time: when, and the derivatives of that time with respect to
 * all numbers (NULL: it was not in forward mode). What happens at the same time counts once. */
DAL_API int dal_gradient_events(const dal_gradient *gradient);
DAL_API double dal_gradient_event_time(const dal_gradient *gradient, int k);
DAL_API const double *dal_gradient_event_row(const dal_gradient *gradient, int k);

typedef struct dal_gradient_info {
    dal_gradient_mode mode; /* forward or adjoint */
    long steps;
    int segments;        /* 1: the states of the run were kept; more: parts of it were computed twice (checkpoints) */
    double newton_error; /* what Newton's method has left over in value 0, by the adjoint (GR.9); NaN: not known */
    double
        growth; /* largest weight of a state beside that of the last: adjoints of unstable motions grow; NaN: not known */
    int differences; /* numbers by which the equations are differentiated by differences: of dal_gradient_own without `derivative` */
} dal_gradient_info;
DAL_API dal_gradient_info dal_gradient_about(const dal_gradient *gradient);

#ifdef __cplusplus
}
#endif
#endif
