/* Sampled trajectories and their distances. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/analysis.h"

dal_status dal_samples_init(dal_samples *s, dal_ctx *ctx, const dal_system *sys, const double *t, int n)
{
    DAL_NEED_AS(ctx, s, "samples");
    *s = (dal_samples){0};
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    if (n > 0) {
        DAL_NEED(ctx, t);
    }
    *s = (dal_samples){.ctx = ctx, .n = n, .nq = sys->group->nq, .nv = sys->group->nv, .nc = dal_system_rows(sys)};
    for (int i = 0; i < n; ++i) {
        if (!isfinite(t[i]) || (i > 0 && !(t[i] > t[i - 1]))) {
            return dal_fail(ctx, DAL_EINVAL, "sample %d: times must be finite and increase", i);
        }
    }
    const size_t rows = 1 + (size_t)s->nq + (size_t)s->nv + (size_t)s->nc, m = n > 0 ? (size_t)n : 0;
    s->t = dal_alloc_zero(ctx, rows * m * sizeof *s->t);
    if (s->t == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for %d samples", n);
    }
    s->q = s->t + m;
    s->v = s->q + m * (size_t)s->nq;
    s->la = s->v + m * (size_t)s->nv;
    if (m > 0) {
        memcpy(s->t, t, m * sizeof *t);
    }
    return DAL_OK;
}

void dal_samples_release(dal_samples *s)
{
    if (s == NULL) {
        return;
    }
    if (s->t != NULL) {
        dal_free(s->ctx, s->t);
    }
    *s = (dal_samples){0};
}

dal_status dal_samples_run(dal_samples *s, dal_sim *sim, int *done)
{
    DAL_NEED_AS(NULL, s, "samples");
    DAL_NEED(s->ctx, sim);
    int i = 0;
    dal_status st = DAL_OK;
    for (; i < s->n; ++i) {
        if (s->t[i] < dal_sim_state(sim).t) {
            st = dal_fail(s->ctx, DAL_EINVAL, "sample %d at t = %g lies before the state at t = %g", i, s->t[i],
                          dal_sim_state(sim).t);
            break;
        }
        if (s->t[i] > dal_sim_state(sim).t) {
            st = dal_sim_run(sim, NULL, s->t[i]);
        }
        if (st != DAL_OK) {
            break;
        }
        const dal_state x = dal_sim_state(sim);
        memcpy(s->q + (size_t)i * (size_t)s->nq, x.q, (size_t)s->nq * sizeof(double));
        memcpy(s->v + (size_t)i * (size_t)s->nv, x.v, (size_t)s->nv * sizeof(double));
        if (s->nc > 0) {
            memcpy(s->la + (size_t)i * (size_t)s->nc, x.la, (size_t)s->nc * sizeof(double));
        }
    }
    if (done) {
        *done = i;
    }
    return st;
}

/* Euclidean distance; b NULL: of a from zero. */
static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double d = b != NULL ? a[i] - b[i] : a[i];
        sum += d * d;
    }
    return sqrt(sum);
}

static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

dal_error dal_samples_error(const dal_group *group, const dal_samples *a, const dal_samples *b, int n)
{
    dal_error e = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        const size_t k = (size_t)i, nq = (size_t)a->nq, nv = (size_t)a->nv, nc = (size_t)a->nc;
        e.q = larger(e.q, dal_distance(group, a->q + k * nq, b->q + k * nq));
        e.v = larger(e.v, distance(a->v + k * nv, b->v + k * nv, a->nv));
        e.lambda = larger(e.lambda, distance(a->la + k * nc, b->la + k * nc, a->nc));
    }
    return e;
}

dal_error dal_samples_size(const dal_group *group, const dal_samples *a)
{
    dal_error e = {0.0, 0.0, 0.0};
    for (int i = 0; i < a->n; ++i) {
        const size_t k = (size_t)i, nq = (size_t)a->nq, nv = (size_t)a->nv, nc = (size_t)a->nc;
        e.q = larger(e.q, dal_distance(group, a->q, a->q + k * nq));
        e.v = larger(e.v, distance(a->v + k * nv, NULL, a->nv));
        e.lambda = larger(e.lambda, distance(a->la + k * nc, NULL, a->nc));
    }
    return e;
}

double dal_observed_order(double h0, double e0, double h1, double e1)
{
    if (!(e0 > 0.0) || !(e1 > 0.0) || !(h0 > 0.0) || !(h1 > 0.0) || h0 == h1 || !isfinite(e0) || !isfinite(e1)) {
        return NAN;
    }
    return log(e0 / e1) / log(h0 / h1);
}
