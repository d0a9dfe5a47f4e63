/* A context and the heavy top for all tests of a file. */
#ifndef TEST_SIM_SET_UP_H
#define TEST_SIM_SET_UP_H

#include "runs.h"
#include "support/check.h"

static dal_ctx *ctx;
static problem top;

static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&top);
    check_ctx_free(ctx);
    return 0;
}

#endif
