/* The period of a motion: the first time after which velocities and accelerations are what they were. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/about.h"

enum { SHORTEST = 8, TRIALS = 40 }; /* steps of a period at least; runs that refine one at most */
/* A return closer than this part of the changes within the motion is worth a closer look; one closer than that is one. */
static const double near = 0.05, close = 1e-7;

typedef struct search {
    dal_sim *sim;
    int nv;
    double t0, V, A;       /* the start; largest velocity and acceleration so far */
    double *q0, *v0, *vd0; /* of the start */
    about_try trial;       /* returns are put to it */
    void *user;
    double refused; /* the first one that did not pass; 0: none so far */
} search;

/* How far velocities and accelerations are from those of the start, as parts of the largest ones. */
static double apart(search *s)
{
    const dal_state now = dal_sim_state(s->sim);
    double sum = 0.0;
    for (int i = 0; i < s->nv; ++i) {
        s->V = fmax(s->V, fabs(now.v[i]));
        s->A = fmax(s->A, fabs(now.vd[i]));
    }
    for (int i = 0; i < s->nv; ++i) {
        const double dv = (now.v[i] - s->v0[i]) / (s->V > 0.0 ? s->V : 1.0);
        const double da = (now.vd[i] - s->vd0[i]) / (s->A > 0.0 ? s->A : 1.0);
        sum += dv * dv + da * da;
    }
    return sqrt(sum);
}

static dal_status again(search *s)
{
    return dal_sim_start(s->sim, NULL, s->t0, s->q0, s->v0);
}

/* The same after a run to t0 + T. */
static dal_status apart_at(search *s, double T, double *e)
{
    DAL_TRY(again(s));
    DAL_TRY(dal_sim_run(s->sim, NULL, s->t0 + T));
    *e = apart(s);
    return DAL_OK;
}

/* Golden section between a and b, within which e has a minimum. */
static dal_status refine(search *s, double a, double b, double *T, double *e)
{
    const double g = 0.6180339887498949;
    double x = b - g * (b - a), y = a + g * (b - a), ex, ey;
    DAL_TRY(apart_at(s, x, &ex));
    DAL_TRY(apart_at(s, y, &ey));
    for (int k = 0; k < TRIALS && b - a > 1e-12 * b; ++k) {
        if (ex < ey) {
            b = y;
            y = x;
            ey = ex;
            x = b - g * (b - a);
            DAL_TRY(apart_at(s, x, &ex));
        } else {
            a = x;
            x = y;
            ex = ey;
            y = a + g * (b - a);
            DAL_TRY(apart_at(s, y, &ey));
        }
    }
    *T = ex < ey ? x : y;
    *e = fmin(ex, ey);
    return DAL_OK;
}

/* A return between a and b, where the search stands: is it a period? Velocities and accelerations may be back while the
 * configuration is not, which the trial shows. If it is none, the search goes on from b. */
static dal_status examine(search *s, double a, double b, double most, int *done)
{
    double found, left;
    DAL_TRY(refine(s, a, b, &found, &left));
    if (left < close * most) {
        const dal_status st = s->trial(found, s->user);
        *done = st == DAL_OK;
        if (st != DAL_ECHECK) {
            return st;
        }
        s->refused = s->refused > 0.0 ? s->refused : found;
    }
    return apart_at(s, b, &left);
}

/* Steps to the end; returns that are close enough are refined. */
static dal_status look(search *s, double h, double T_most, int *done)
{
    double before = 0.0, last = 0.0, most = 0.0;
    for (int k = 1; k * h <= T_most && !*done; ++k) {
        DAL_TRY(dal_sim_run(s->sim, NULL, s->t0 + k * h));
        const double e = apart(s);
        most = fmax(most, e);
        if (k > SHORTEST && last < before && last <= e && last < near * most) {
            DAL_TRY(examine(s, (k - 2) * h, k * h, most, done));
        }
        before = last;
        last = e;
    }
    return DAL_OK;
}

static int found_none(const search *s, double t_end)
{
    char returns[128] = "";
    if (s->refused > 0.0) {
        snprintf(returns, sizeof returns, " (velocities are back after %g s, the configuration is not)", s->refused);
    }
    return cli_error(
        CLI_INTEGRATION,
        "--period auto found none: the motion does not repeat itself within t_end = %g s%s; simulate longer "
        "(--set t_end=...), or give --period T",
        t_end, returns);
}

int about_period(const cli_model *m, const dal_point *at, about_try trial, void *user)
{
    const int nq = m->sys->group->nq, nv = m->sys->group->nv;
    double *room = cli_alloc((size_t)nq + 2 * (size_t)nv, sizeof *room);
    search s = {.nv = nv, .t0 = at->t, .q0 = room, .v0 = room + nq, .vd0 = room + nq + nv};
    int done = 0;
    s.trial = trial;
    s.user = user;
    dal_options opt = m->opt;
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.formulation = DAL_FORMULATION_DEFAULT;
    opt.step = DAL_STEP_FIXED;
    opt.initial = DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP;
    memcpy(s.q0, at->q, (size_t)nq * sizeof *room);
    memcpy(s.v0, at->v, (size_t)nv * sizeof *room);
    memcpy(s.vd0, at->vd, (size_t)nv * sizeof *room);
    dal_status st = dal_sim_create(&s.sim, m->ctx, m->sys, &opt);
    st = st != DAL_OK ? st : again(&s);
    st = st != DAL_OK ? st : look(&s, dal_sim_options(s.sim)->h, m->t_end, &done);
    dal_sim_destroy(s.sim);
    free(room);
    if (st != DAL_OK) {
        return cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
    }
    return done ? CLI_OK : found_none(&s, m->t_end);
}
