#include "runs.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

dal_options runs_options(dal_ctx *ctx, const char *text)
{
    dal_options opt = dal_options_init();
    opt.integrator = DAL_INTEGRATOR_GENALPHA; // tests name what is different
    opt.formulation = DAL_FORMULATION_INDEX3;
    char copy[512];
    assert_true(strlen(text) < sizeof copy);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        check_ok(ctx, dal_options_parse(ctx, dal_options_table(), &opt, word));
    }
    return opt;
}

dal_sim *runs_start(dal_ctx *ctx, const problem *p, const char *options)
{
    const dal_options opt = runs_options(ctx, options);
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, p->sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    return sim;
}

static dal_status ball_M(double *M, double t, const double *q, void *user)
{
    M[0] = 1.0;
    return DAL_OK;
}

static dal_status ball_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = ((const runs_ball *)user)->weight;
    return DAL_OK;
}

void runs_ball_create(runs_ball *ball, dal_ctx *ctx, double weight)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 1};
    ball->weight = weight;
    check_ok(ctx, dal_group_create(&ball->group, ctx, &spec, 1));
    const dal_dense d = {.group = ball->group, .user = ball, .M = ball_M, .g = ball_g};
    check_ok(ctx, dal_dense_create(&ball->sys, ctx, &d));
}

void runs_ball_free(runs_ball *ball)
{
    dal_dense_destroy(ball->sys);
    dal_group_destroy(ball->group);
}

static dal_status unit_M(double *M, double t, const double *q, void *user)
{
    const int nv = ((const dal_group *)user)->nv;
    memset(M, 0, (size_t)(nv * nv) * sizeof *M);
    for (int i = 0; i < nv; ++i) {
        M[i + i * nv] = 1.0;
    }
    return DAL_OK;
}

static dal_status no_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    memset(g, 0, (size_t)((const dal_group *)user)->nv * sizeof *g);
    return DAL_OK;
}

void runs_free_motion(dal_system **sys, dal_ctx *ctx, const dal_group *group)
{
    const dal_dense d = {.group = group, .user = (void *)group, .M = unit_M, .g = no_g};
    check_ok(ctx, dal_dense_create(sys, ctx, &d));
}
