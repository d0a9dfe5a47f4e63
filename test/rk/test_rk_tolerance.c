/* Adaptive steps of the Runge-Kutta methods: the error at the end is proportional to the tolerance. */
#include <math.h>
#include <stdio.h>

#include "problems/ends.h"
#include "support/check.h"

/* Errors over the decades 10^-first .. 10^-last of the tolerance, in units of it, lie within a band. */
static void follows(const problem *p, double T, int order, int first, int last, double most)
{
    double smallest = INFINITY, largest = 0.0;
    for (int k = first; k <= last; ++k) {
        char options[128];
        snprintf(options, sizeof options, "integrator=rk order=%d step_atol=1e-16 step_rtol=1e-%d", order, k);
        const ends e = ends_run(p, T, 0.0, options);
        const double part = e.q * pow(10.0, k);
        print_message("%-20s order %d, tolerance 1e-%-2d: q %.2e v %.2e lambda %.2e, error/tolerance %.3g, %ld steps, "
                      "%ld rejected\n",
                      p->name, order, k, e.q, e.v, e.la, part, e.stats.steps, e.stats.rejected);
        smallest = fmin(smallest, part);
        largest = fmax(largest, part);
        assert_true(e.stats.rejected <= e.stats.steps / 2);
    }
    print_message("%-20s order %d: error/tolerance %.3g .. %.3g\n", p->name, order, smallest, largest);
    assert_true(largest < most && largest < 300.0 * smallest);
}

static void errors_follow_the_tolerance_over_eight_decades(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    for (int order = 5; order <= 8; order += 3) {
        check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
        follows(&p, 1.0, order, 3, 11, 100.0);
        problem_free(&p);
        check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
        follows(&p, 1.0, order, 3, 11, 100.0);
        problem_free(&p);
        check_ok(ctx, problem_slider_crank(&p, ctx));
        follows(&p, 1.0, order, 3, 11, 100.0);
        problem_free(&p);
        check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
        follows(&p, 5.0, order, 3, 11, 100.0);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* A first step of 15 rad makes numbers of every kind: it is refused, not fatal. */
static void a_first_step_that_is_much_too_long_is_shortened(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int order = 5; order <= 8; order += 3) {
        char options[96];
        snprintf(options, sizeof options, "integrator=rk order=%d h=0.1 h_max=0.1 step_rtol=1e-2", order);
        const ends e = ends_run(&p, 0.1, 0.0, options);
        assert_true(e.stats.rejected > 0 && e.x < 0.1);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* step = auto: adaptive for rk, fixed for the others; what is set explicitly counts. */
static void steps_are_adaptive_unless_they_are_set(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    assert_true(ends_run(&p, 0.1, 1e-3, "integrator=rk").stats.steps < 50);
    assert_int_equal(ends_run(&p, 0.1, 1e-3, "integrator=rk step=fixed").stats.steps, 100);
    assert_int_equal(ends_run(&p, 0.1, 1e-3, "integrator=rk step=fixed_or_cut").stats.steps, 100);
    assert_int_equal(ends_run(&p, 0.1, 1e-3, "integrator=lobatto").stats.steps, 100);
    assert_int_equal(ends_run(&p, 0.1, 1e-3, "integrator=genalpha").stats.steps, 100);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance_over_eight_decades),
        cmocka_unit_test(a_first_step_that_is_much_too_long_is_shortened),
        cmocka_unit_test(steps_are_adaptive_unless_they_are_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
