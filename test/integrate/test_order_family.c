/* RATTLie, its compositions and backward differences have their orders in q, v and lambda on the heavy top, a pendulum, the
 * rolling disk, the spatial slider crank and a chain; Lobatto's forms on the chain, on the others in test_lobatto_symmetric. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"
#include "support/check_model.h"

typedef struct row {
    const char *options;
    double order, h, tol;
} row;

static void check_rows(problem *p, double T, const row *rows, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        ends_order(p, T, rows[k].h, 2, rows[k].options, rows[k].order, rows[k].tol);
    }
    problem_free(p);
}

static void orders_on_the_heavy_top(void **state)
{
    static const row rows[] = {
        {"integrator=rattlie", 2.0, 1e-3, 0.05},
        {"integrator=rattlie order=4", 4.0, 5e-3, 0.1},
        {"integrator=rattlie order=6", 6.0, 1e-2, 0.3},
        {"integrator=rattlie order=8", 8.0, 1e-2, 0.5},
        {"integrator=bdf order=1 formulation=ggl", 1.0, 1e-4, 0.1},
        {"integrator=bdf order=2 formulation=ggl", 2.0, 2.5e-4, 0.1},
        {"integrator=bdf order=3 formulation=ggl", 3.0, 2.5e-4, 0.1},
        {"integrator=bdf order=4 formulation=ggl", 4.0, 5e-4, 0.2},
        {"integrator=bdf order=5 formulation=ggl", 5.0, 5e-4, 0.2},
    };
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    check_rows(&p, 0.1, rows, LEN(rows));
    check_ctx_free(ctx);
}

static void orders_on_a_pendulum(void **state)
{
    static const row rows[] = {
        {"integrator=rattlie", 2.0, 0.02, 0.05},
        {"integrator=rattlie order=4", 4.0, 0.05, 0.1},
        {"integrator=rattlie order=6", 6.0, 0.1, 0.3},
        {"integrator=rattlie order=8", 8.0, 0.1, 0.5},
        {"integrator=bdf order=1 formulation=ggl", 1.0, 1e-3, 0.1},
        {"integrator=bdf order=2 formulation=ggl", 2.0, 5e-3, 0.1},
        {"integrator=bdf order=3 formulation=ggl", 3.0, 5e-3, 0.1},
        {"integrator=bdf order=4 formulation=ggl", 4.0, 1e-2, 0.2},
        {"integrator=bdf order=5 formulation=ggl", 5.0, 5e-3, 0.2},
    };
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    check_rows(&p, 1.0, rows, LEN(rows));
    check_ctx_free(ctx);
}

static void orders_on_the_rolling_disk(void **state)
{
    static const row rows[] = {
        {"integrator=rattlie", 2.0, 2e-3, 0.05},
        {"integrator=rattlie order=4", 4.0, 1e-2, 0.1},
        {"integrator=rattlie order=6", 6.0, 2e-2, 0.3},
        {"integrator=rattlie order=8", 8.0, 2e-2, 0.5},
        {"integrator=bdf order=1 formulation=ggl", 1.0, 5e-4, 0.1},
        {"integrator=bdf order=2 formulation=ggl", 2.0, 1e-3, 0.1},
        {"integrator=bdf order=3 formulation=ggl", 3.0, 1e-3, 0.25},
        {"integrator=bdf order=4 formulation=ggl", 4.0, 2e-3, 0.2},
        {"integrator=bdf order=5 formulation=ggl", 5.0, 1e-3, 0.35},
    };
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
    check_rows(&p, 0.2, rows, LEN(rows));
    check_ctx_free(ctx);
}

/* Order 8 comes to rounding before its leading error shows. */
static void orders_on_the_slider_crank(void **state)
{
    static const row rows[] = {
        {"integrator=rattlie", 2.0, 1e-3, 0.05},
        {"integrator=rattlie order=4", 4.0, 5e-3, 0.1},
        {"integrator=rattlie order=6", 6.0, 1e-2, 0.3},
        {"integrator=bdf order=1 formulation=ggl", 1.0, 5e-4, 0.1},
        {"integrator=bdf order=2 formulation=ggl", 2.0, 1e-3, 0.1},
        {"integrator=bdf order=3 formulation=ggl", 3.0, 1e-3, 0.2},
        {"integrator=bdf order=4 formulation=ggl", 4.0, 2e-3, 0.2},
        {"integrator=bdf order=5 formulation=ggl", 5.0, 1e-3, 0.35},
    };
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 0));
    check_rows(&p, 0.2, rows, LEN(rows));
    check_ctx_free(ctx);
}

/* ---- a chain ----------------------------------------------------------------------------------- */

enum { MOST = 128 };

typedef struct chain_end {
    double q[MOST], v[MOST], la[MOST];
    int nv, nc;
    const dal_group *G;
} chain_end;

static check_model chain_run(chain_end *e, const char *options, double h)
{
    char words[4][32], step[32];
    const char *set[6] = {"N=5", step};
    snprintf(step, sizeof step, "h=%.17g", h);
    const int n = sscanf(options, "%31s %31s %31s %31s", words[0], words[1], words[2], words[3]);
    for (int i = 0; i < n; ++i) {
        set[2 + i] = words[i];
    }
    check_model m = check_model_start("chain", set, 2 + n);
    check_model_run(&m, 0.2);
    const dal_state s = dal_sim_state(m.sim);
    e->G = m.sys->group;
    e->nv = e->G->nv;
    e->nc = dal_system_rows(m.sys);
    assert_true(e->G->nq <= MOST && e->nc <= MOST);
    memcpy(e->q, s.q, (size_t)e->G->nq * sizeof(double));
    memcpy(e->v, s.v, (size_t)e->nv * sizeof(double));
    memcpy(e->la, s.la, (size_t)e->nc * sizeof(double));
    return m;
}

static double off(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static void orders_on_a_chain(void **state)
{
    static const row rows[] = {
        {"integrator=rattlie", 2.0, 1e-3, 0.05},
        {"integrator=rattlie order=4", 4.0, 5e-3, 0.1},
        {"integrator=rattlie order=6", 6.0, 1e-2, 0.3},
        {"integrator=rattlie order=8", 8.0, 1e-2, 0.5},
        {"integrator=bdf order=1 formulation=ggl", 1.0, 5e-4, 0.1},
        {"integrator=bdf order=2 formulation=ggl", 2.0, 1e-3, 0.1},
        {"integrator=bdf order=3 formulation=ggl", 3.0, 1e-3, 0.1},
        {"integrator=bdf order=4 formulation=ggl", 4.0, 5e-4, 0.2},
        {"integrator=bdf order=5 formulation=ggl", 5.0, 1e-3, 0.25},
        {"integrator=lobatto stages=3 lambda=symmetric", 4.0, 5e-3, 0.1},
        {"integrator=lobatto stages=4 lambda=symmetric", 6.0, 1e-2, 0.2},
        {"integrator=lobatto stages=3 lambda=variational", 4.0, 5e-3, 0.1},
    };
    static chain_end ref, e;
    check_model good = chain_run(&ref, "integrator=lobatto stages=8", 5e-3);
    for (size_t k = 0; k < LEN(rows); ++k) {
        double err[3][2];
        for (int j = 0; j < 2; ++j) {
            check_model m = chain_run(&e, rows[k].options, rows[k].h / (1 << j));
            err[0][j] = dal_distance(e.G, ref.q, e.q);
            err[1][j] = off(ref.v, e.v, e.nv);
            err[2][j] = off(ref.la, e.la, e.nc);
            check_model_free(&m);
        }
        print_message("%s: q %.2e %.2f, v %.2e %.2f, lambda %.2e %.2f\n", rows[k].options, err[0][1],
                      log2(err[0][0] / err[0][1]), err[1][1], log2(err[1][0] / err[1][1]), err[2][1],
                      log2(err[2][0] / err[2][1]));
        for (int i = 0; i < 3; ++i) {
            assert_near(log2(err[i][0] / err[i][1]), rows[k].order, rows[k].tol);
        }
    }
    check_model_free(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_on_the_heavy_top),    cmocka_unit_test(orders_on_a_pendulum),
        cmocka_unit_test(orders_on_the_rolling_disk), cmocka_unit_test(orders_on_the_slider_crank),
        cmocka_unit_test(orders_on_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
