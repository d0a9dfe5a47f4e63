/* Nonholonomic rows in every formulation: alone (knife edge) and beside holonomic ones (rolling disk). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static const char *const formulations[] = {"formulation=index3", "formulation=index2", "formulation=index1",
                                           "formulation=ggl"};

typedef struct outcome {
    double q[7], v[6], la[3], velocity;
} outcome;

static outcome run(const problem *p, const char *options, double h, double t_end)
{
    char text[128];
    outcome out = {.velocity = 0.0};
    snprintf(text, sizeof text, "%s h=%.17g", options, h);
    dal_sim *sim = runs_start(p->ctx, p, text);
    check_ok(p->ctx, dal_sim_run(sim, NULL, t_end));
    const dal_state s = dal_sim_state(sim);
    memcpy(out.q, s.q, (size_t)p->nq * sizeof(double));
    memcpy(out.v, s.v, (size_t)p->nv * sizeof(double));
    memcpy(out.la, s.la, (size_t)p->nc * sizeof(double));
    check_ok(p->ctx, dal_sim_residuals(sim, NULL, &out.velocity));
    dal_sim_destroy(sim);
    return out;
}

/* Without holonomic rows, index3, index2 and ggl are the same equations. */
static void all_formulations_agree_on_the_knife_edge(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_knife_edge(&p, ctx));
    const outcome a = run(&p, formulations[0], 0.005, 1.0);
    assert_true(a.velocity < 1e-9);
    for (int k = 1; k < 4; ++k) {
        const outcome b = run(&p, formulations[k], 0.005, 1.0);
        const double tol = k == 2 ? 1e-4 : 1e-10; // index1 has its own error, of order h^2
        assert_all_near(b.q, a.q, 3, tol);
        assert_all_near(b.v, a.v, 3, 10.0 * tol);
        assert_all_near(b.la, a.la, 1, 100.0 * tol);
        assert_true(b.velocity < (k == 2 ? 1e-3 : 1e-9));
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

static void converges_with_order_two(const problem *p, double h0, double t_end)
{
    double q[7], v[6], la[3];
    problem_exact(p, q, v, NULL, la, &t_end, 1);
    for (size_t k = 0; k < LEN(formulations); ++k) {
        double h[3], eq[3], ev[3], el[3];
        for (int i = 0; i < 3; ++i) {
            h[i] = h0 / (1 << i);
            const outcome x = run(p, formulations[k], h[i], t_end);
            eq[i] = dal_distance(p->group, x.q, q);
            ev[i] = check_max_abs_diff(x.v, v, p->nv);
            el[i] = check_max_abs_diff(x.la, la, p->nc);
        }
        check_slopes(h, eq, 3, 2.0, 0.05);
        check_slopes(h, ev, 3, 2.0, 0.1);
        assert_true(check_slope(el, 3) > 1.95); // 3 on the knife edge, but for index1
    }
}

static void the_knife_edge_converges_with_order_two_in_every_formulation(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_knife_edge(&p, ctx));
    converges_with_order_two(&p, 0.01, 1.0);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void holonomic_and_nonholonomic_rows_go_together_in_every_formulation(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
    converges_with_order_two(&p, 0.005, 0.5);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Nonholonomic rows have no position to drift from: only the velocity level is held, by all but index1. */
static void rolling_is_kept_to_the_tolerance(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_rolling_disk(&p, ctx, 0));
    for (size_t k = 0; k < LEN(formulations); ++k) {
        const outcome x = run(&p, formulations[k], 0.005, 0.5);
        assert_true(x.velocity < (k == 2 ? 0.1 : 1e-10));
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formulations_agree_on_the_knife_edge),
        cmocka_unit_test(the_knife_edge_converges_with_order_two_in_every_formulation),
        cmocka_unit_test(holonomic_and_nonholonomic_rows_go_together_in_every_formulation),
        cmocka_unit_test(rolling_is_kept_to_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
