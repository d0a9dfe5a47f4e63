/* Derivatives of steps, for methods that have them: what a run does to small changes of its state and of numbers of the system,
 * and what it does to weights of results, backwards (docs/theory/gradient.md).
 *
 * A change of a state, or its weights, is y = (q, v, a, v', lambda), 4 nv + nc numbers, q left-trivialised; several of them lie one
 * after the other. */
#ifndef DAL_INTEGRATE_DERIVATIVE_H
#define DAL_INTEGRATE_DERIVATIVE_H

#include "init/variation.h"
#include "integrate/integrator.h"

typedef struct dal_derivative dal_derivative;

typedef struct dal_derivative_type {
    /* Numbers of a record of the current state, and the record; `end`: of the state in which the last step ended, where a start
     * followed. */
    int (*size)(const dal_integrator *method);
    void (*record)(const dal_integrator *method, double *record, int end);
    dal_status (*create)(dal_derivative **d, dal_ctx *ctx, dal_integrator *method, dal_dependence *p, int room);
    void (*destroy)(dal_derivative *d);
    /* The start of a run, or after a break, from q and v at t; moment: what is made consistent before. */
    dal_status (*start)(dal_derivative *d, double t, const double *q, const double *v, double h);
    dal_status (*start_forward)(dal_derivative *d, double *Y, const double *dp, int count);
    dal_status (*start_adjoint)(dal_derivative *d, double *Y, double *pbar, int count);
    /* The step between two records. The simulation cannot go on afterwards. */
    dal_status (*step)(dal_derivative *d, const double *from, const double *to);
    dal_status (*step_forward)(dal_derivative *d, double *Y, const double *dp, int count);
    /* *error += what Newton's method left over in the results, for each column (GR.9); NULL: not asked for */
    dal_status (*step_adjoint)(dal_derivative *d, double *Y, double *pbar, double *error, int count);
    /* t, q, v, v', lambda of a record. */
    dal_point (*point)(const dal_integrator *method, const double *record);
    /* What has the place of a in changes of the state, and how many numbers: of a record, or, NULL, of the current state. */
    double *(*extra)(const dal_integrator *method, double *record, int *n);
} dal_derivative_type;

extern const dal_derivative_type dal_ga_derivative, dal_rk_derivative, dal_lb_derivative;

#endif
