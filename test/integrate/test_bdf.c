/* Backward differences: orders on mechanisms, the published sum of increments, damping, adaptive steps. */
#include <math.h>
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

static void order_is_that_of_the_option_on_mechanisms(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int which = 0; which < 2; ++which) {
        problem p;
        check_ok(ctx, which ? problem_spatial_slider_crank(&p, ctx, 1) : problem_slider_crank(&p, ctx));
        exact e = exact_grid(&p, which ? 0.2 : 0.02, 800);
        for (int order = 1; order <= 4; ++order) {
            char options[96];
            snprintf(options, sizeof options, "integrator=bdf order=%d formulation=ggl rtol=1e-12", order);
            const study st = run_study(&p, &e, 200, 3, 0, options);
            check_study(&st, ORDER_Q | ORDER_V, order, 0.25, p.name);
        }
        exact_free(&e);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Without brackets the sum of increments is of order 2 from k = 3 on. */
static void the_published_sum_of_increments_stays_at_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    exact e = exact_grid(&p, 0.1, 800);
    const study two = run_study(&p, &e, 200, 3, 0, "integrator=bdf order=2 formulation=ggl kinematics=printed");
    check_study(&two, ORDER_ALL, 2.0, 0.1, "k = 2, printed");
    for (int k = 3; k <= 5; ++k) {
        char options[96];
        snprintf(options, sizeof options, "integrator=bdf order=%d formulation=ggl kinematics=printed", k);
        const study st = run_study(&p, &e, 200, 3, 0, options);
        check_study(&st, ORDER_ALL, 2.0, 0.2, options);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A tighter tolerance gives a better result, with few more steps where the order may rise. */
static void adaptive_steps_follow_the_tolerance(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    double last = INFINITY;
    for (int k = 4; k <= 8; k += 2) {
        char options[160];
        snprintf(options, sizeof options, "integrator=bdf order=5 step=adaptive formulation=ggl step_rtol=1e-%d", k);
        run r = run_good(&p, 0.2, options);
        const run_error m = run_errors(&r, &p, NULL, 0.0, 1.0, 0);
        print_message("step_rtol 1e-%d: %ld steps, v %.2e of 150\n", k, r.stats.steps, m.max[ERROR_V]);
        assert_true(m.max[ERROR_V] < 150.0 * pow(10.0, -k) * 10.0 && m.max[ERROR_V] < 0.1 * last);
        assert_true(r.stats.steps < (k == 8 ? 1500 : 700) && r.position < 1e-12);
        last = m.max[ERROR_V];
        run_free(&r);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_the_option_on_mechanisms),
        cmocka_unit_test(the_published_sum_of_increments_stays_at_order_two),
        cmocka_unit_test(adaptive_steps_follow_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
