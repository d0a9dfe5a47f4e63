/* Reference solutions by a method of high order with halved steps. */
#include <math.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/analysis.h"

enum { STAGES = 6, HALVINGS = 14 };

/* Where the runs start from. */
typedef struct start {
    dal_ctx *ctx;
    const dal_system *sys;
    const dal_options *like;
    double t;
    const double *q, *v;
} start;

/* One run with a fixed step. */
static dal_status run(dal_samples *s, const start *from, double h)
{
    dal_options opt = dal_options_init();
    opt.redundant = from->like != NULL ? from->like->redundant : opt.redundant;
    opt.initial = from->like != NULL ? from->like->initial : opt.initial;
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.stages = STAGES;
    opt.h = h;
    opt.atol = 1e-14;
    opt.rtol = 1e-13;
    dal_sim *sim;
    DAL_TRY(dal_sim_create(&sim, from->ctx, from->sys, &opt));
    dal_status st = dal_sim_start(sim, NULL, from->t, from->q, from->v);
    if (st == DAL_OK) {
        st = dal_samples_run(s, sim, NULL);
    }
    dal_sim_destroy(sim);
    return st;
}

static int agree(dal_error e, dal_error size, double tol)
{
    return e.q <= tol * (size.q + 1e-3) && e.v <= tol * (size.v + 1e-3) && e.lambda <= tol * (size.lambda + 1e-3);
}

/* Largest of the three, relative to their sizes. */
static double relative(dal_error e, dal_error size)
{
    const double q = e.q / (size.q + 1e-3), v = e.v / (size.v + 1e-3), la = e.lambda / (size.lambda + 1e-3);
    return isnan(q) || isnan(v) || isnan(la) ? INFINITY : fmax(q, fmax(v, la));
}

/* Halve until two runs agree. The best pair so far is kept: *samples, *error. */
static dal_status halve(dal_samples *best, dal_samples *next, const start *from, double h, double tol, dal_error *error)
{
    const dal_group *group = from->sys->group;
    double smallest = INFINITY;
    int have = 0;
    dal_status st = DAL_OK;
    for (int k = 0; k < HALVINGS; ++k, h *= 0.5) {
        st = run(next, from, h);
        if (st == DAL_ENOMEM || st == DAL_EINVAL || st == DAL_EREDUNDANT || st == DAL_EINITIAL) {
            return st; // smaller steps do not help
        }
        if (st != DAL_OK) {
            continue;
        }
        const dal_samples swap = *best;
        *best = *next;
        *next = swap;
        if (have) {
            const dal_error e = dal_samples_error(group, best, next, best->n);
            const dal_error size = dal_samples_size(group, best);
            const double now = relative(e, size);
            *error = now < smallest ? e : *error;
            // order 10 shrinks the difference a thousandfold; where it no longer does, rounding shows
            if (agree(e, size, tol) || (now < 1e-6 && now > 0.25 * smallest)) {
                return DAL_OK;
            }
            smallest = fmin(now, smallest);
        }
        have = 1;
    }
    if (st != DAL_OK) {
        return dal_fail_in(from->ctx, st, "reference solution");
    }
    return have && smallest < 1e-3 ? DAL_OK
                                   : dal_fail(from->ctx, DAL_ESTEP,
                                              "no reference solution: two runs of order 10 still differ by %.1e "
                                              "(relative) with h = %.1e",
                                              smallest, 2.0 * h);
}

dal_status dal_reference(dal_samples *samples, dal_error *error, dal_ctx *ctx, const dal_system *sys, double t0,
                         const double *q0, const double *v0, const dal_options *like, double tol)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, samples);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, q0);
    DAL_NEED(ctx, error);
    const start from = {ctx, sys, like, t0, q0, v0};
    if (samples->n < 1 || samples->t[samples->n - 1] <= t0) {
        return dal_fail(ctx, DAL_EINVAL, "a reference solution needs a time after t0");
    }
    dal_samples other;
    dal_status st = dal_samples_init(&other, ctx, sys, samples->t, samples->n);
    // the first step: from sample to sample
    const double h = (samples->t[samples->n - 1] - t0) / samples->n;
    *error = (dal_error){NAN, NAN, NAN};
    if (st == DAL_OK) {
        st = halve(samples, &other, &from, h, tol, error);
    }
    dal_samples_release(&other);
    return st;
}
