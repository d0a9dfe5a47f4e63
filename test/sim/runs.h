/* Short ways to set up simulations, shared by the tests of this folder. */
#ifndef TEST_RUNS_H
#define TEST_RUNS_H

#include "dalembert/sim.h"
#include "problems/problems.h"

/* Options from text: "formulation=ggl h=0.01". */
dal_options runs_options(dal_ctx *ctx, const char *text);

/* A simulation of the problem, created with these options and started from its initial values. */
dal_sim *runs_start(dal_ctx *ctx, const problem *p, const char *options);

/* A particle in R^1 of mass 1 that falls with acceleration `weight`, as a dense system without constraints. */
typedef struct runs_ball {
    dal_group *group;
    dal_system *sys;
    double weight;
} runs_ball;

void runs_ball_create(runs_ball *ball, dal_ctx *ctx, double weight);
void runs_ball_free(runs_ball *ball);

/* A dense system on any group with M = I and no forces; free it with dal_dense_destroy. */
void runs_free_motion(dal_system **sys, dal_ctx *ctx, const dal_group *group);

#endif
