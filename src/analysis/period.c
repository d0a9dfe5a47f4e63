/* The period of a motion: the first time after which velocities and accelerations are what they were, and the configuration, too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/modes.h"
#include "dalembert/sim.h"
#include "integrate/options.h"

enum { SHORTEST = 8, TRIALS = 40 }; /* steps of a period at least; runs that refine one at most */
/* A return closer than this part of the changes within the motion is worth a closer look; one closer than that is one. */
static const double near = 0.05, close = 1e-7;

typedef struct search {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_data *data;
    const dal_point *at; /* the start */
    dal_modal_options options;
    dal_modal **modal; /* the answer */
    dal_sim *sim;
    double V, A;    /* largest velocity and acceleration so far */
    double refused; /* the first return that is no period; 0: none so far */
} search;

/* How far velocities and accelerations are from those of the start, as parts of the largest ones. */
static double apart(search *s)
{
    const dal_state now = dal_sim_state(s->sim);
    const int nv = s->sys->group->nv;
    double sum = 0.0;
    for (int i = 0; i < nv; ++i) {
        s->V = fmax(s->V, fabs(now.v[i]));
        s->A = fmax(s->A, fabs(now.vd[i]));
    }
    for (int i = 0; i < nv; ++i) {
        const double dv = (now.v[i] - s->at->v[i]) / (s->V > 0.0 ? s->V : 1.0);
        const double da = (now.vd[i] - s->at->vd[i]) / (s->A > 0.0 ? s->A : 1.0);
        sum += dv * dv + da * da;
    }
    return sqrt(sum);
}

static dal_status again(search *s)
{
    return dal_sim_start(s->sim, NULL, s->at->t, s->at->q, s->at->v);
}

/* The same after a run that begins anew and takes the time T. */
static dal_status apart_after(search *s, double T, double *e)
{
    DAL_TRY(again(s));
    DAL_TRY(dal_sim_run(s->sim, NULL, s->at->t + T));
    *e = apart(s);
    return DAL_OK;
}

/* Golden section between a and b, within which e has a minimum. */
static dal_status refine(search *s, double a, double b, double *T, double *e)
{
    const double g = 0.6180339887498949;
    double x = b - g * (b - a), y = a + g * (b - a), ex, ey;
    DAL_TRY(apart_after(s, x, &ex));
    DAL_TRY(apart_after(s, y, &ey));
    for (int k = 0; k < TRIALS && b - a > 1e-12 * b; ++k) {
        if (ex < ey) {
            b = y;
            y = x;
            ey = ex;
            x = b - g * (b - a);
            DAL_TRY(apart_after(s, x, &ex));
        } else {
            a = x;
            x = y;
            ex = ey;
            y = a + g * (b - a);
            DAL_TRY(apart_after(s, y, &ey));
        }
    }
    *T = ex < ey ? x : y;
    *e = fmin(ex, ey);
    return DAL_OK;
}

/* A return between a and b, where the search stands: is it a period? Velocities and accelerations may be back while the
 * configuration is not, which the exponents show. If it is none, the search goes on from b. */
static dal_status examine(search *s, double a, double b, double most)
{
    double found, left;
    DAL_TRY(refine(s, a, b, &found, &left));
    if (left < close * most) {
        s->options.period = found;
        const dal_status st = dal_modal_create(s->modal, s->ctx, s->sys, s->data, s->at, &s->options);
        if (st != DAL_ECHECK) {
            return st;
        }
        s->refused = s->refused > 0.0 ? s->refused : found;
    }
    return apart_after(s, b, &left);
}

/* Steps to the end; returns that are close enough are refined. */
static dal_status look(search *s, double t_end)
{
    const double h = dal_sim_options(s->sim)->h;
    double before = 0.0, last = 0.0, most = 0.0;
    for (int k = 1; k * h <= t_end && *s->modal == NULL; ++k) {
        DAL_TRY(dal_sim_run(s->sim, NULL, s->at->t + k * h));
        const double e = apart(s);
        most = fmax(most, e);
        if (k > SHORTEST && last < before && last <= e && last < near * most) {
            DAL_TRY(examine(s, (k - 2) * h, k * h, most));
        }
        before = last;
        last = e;
    }
    return DAL_OK;
}

static dal_status found_none(const search *s, double t_end)
{
    char returns[128] = "";
    if (s->refused > 0.0) {
        snprintf(returns, sizeof returns, " (velocities are back after %g s, the configuration is not)", s->refused);
    }
    return dal_fail(s->ctx, DAL_ECHECK, "the motion does not repeat itself within t_end = %g s%s", t_end, returns);
}

dal_status dal_modal_create_periodic_(dal_modal **modal, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                      const dal_point *at, const dal_modal_options *options, const dal_options *run,
                                      double t_end, size_t size)
{
    DAL_NEED(ctx, modal);
    *modal = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, at);
    DAL_NEED(ctx, run);
    DAL_OWN(ctx, dal_modal_options, options);
    search s = {.ctx = ctx, .sys = sys, .data = data, .at = at, .modal = modal};
    s.options = options != NULL ? *options : (dal_modal_options){0};
    dal_options opt;
    DAL_TRY(dal_options_take(&opt, ctx, run));
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.formulation = DAL_FORMULATION_DEFAULT;
    opt.step = DAL_STEP_FIXED;
    opt.initial = DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP;
    dal_message before;
    dal_message_keep(&before, ctx);
    dal_status st = dal_sim_create(&s.sim, ctx, sys, &opt);
    st = st == DAL_OK ? again(&s) : st;
    st = st == DAL_OK ? look(&s, t_end) : st;
    dal_sim_destroy(s.sim);
    st = st == DAL_OK && *modal == NULL ? found_none(&s, t_end) : st;
    return dal_message_settle(&before, ctx, st);
}
