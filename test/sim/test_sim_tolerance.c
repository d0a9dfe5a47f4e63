/* Adaptive steps of methods of high order: the error at the end is proportional to the tolerance. (Generalized-alpha:
 * test_adaptive.) */
#include <math.h>
#include <stdio.h>

#include "problems/ends.h"
#include "support/check.h"

/* A method, the decades 10^-first .. 10^-last of the tolerance, and what is asked of it there. */
typedef struct method {
    const char *options;
    int first, last;
    double most, band; /* error of q in units of the tolerance: largest, and largest over smallest */
    int rejected;      /* at most one step in so many */
} method;

static const method methods[] = {
    {"integrator=rk order=5", 3, 11, 100.0, 300.0, 8},
    {"integrator=rk order=8", 3, 11, 100.0, 300.0, 8},
    {"integrator=lobatto stages=4 step=adaptive h=1e-3", 4, 10, 100.0, 300.0, 2},
};

static void follows(const problem *p, double T, const method *m)
{
    const ends_state exact = ends_exact(p, T);
    double smallest = INFINITY, largest = 0.0;
    for (int k = m->first; k <= m->last; ++k) {
        char options[160];
        snprintf(options, sizeof options, "%s step_atol=1e-16 step_rtol=1e-%d", m->options, k);
        const ends e = ends_run_to(p, &exact, 0.0, options);
        const double part = e.q * pow(10.0, k);
        print_message("%-20s %s, tolerance 1e-%-2d: x %.2e q %.2e v %.2e lambda %.2e, error/tolerance %.3g, %ld steps, "
                      "%ld rejected\n",
                      p->name, m->options, k, e.x, e.q, e.v, e.la, part, e.stats.steps, e.stats.rejected);
        smallest = fmin(smallest, part);
        largest = fmax(largest, part);
        assert_true(e.stats.rejected <= e.stats.steps / m->rejected);
    }
    print_message("%-20s %s: error/tolerance %.3g .. %.3g\n", p->name, m->options, smallest, largest);
    assert_true(largest < m->most && largest < m->band * smallest);
}

static void errors_follow_the_tolerance_over_eight_decades(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    for (size_t k = 0; k < LEN(methods); ++k) {
        check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
        follows(&p, 1.0, &methods[k]);
        problem_free(&p);
        check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
        follows(&p, 1.0, &methods[k]);
        problem_free(&p);
        check_ok(ctx, problem_slider_crank(&p, ctx));
        follows(&p, 1.0, &methods[k]);
        problem_free(&p);
        check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
        follows(&p, 5.0, &methods[k]);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Lobatto's methods take few steps for it. */
static void tight_tolerances_are_met_with_few_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int k = 4; k <= 10; k += 2) {
        char options[96];
        snprintf(options, sizeof options, "stages=4 step=adaptive h=1e-3 step_atol=1e-14 step_rtol=1e-%d", k);
        const ends e = ends_run(&p, 1.0, 0.0, options);
        assert_true(e.x < 20.0 * pow(10.0, -k) && e.stats.rejected <= e.stats.steps / 10);
    }
    problem_free(&p);
    check_ok(ctx, problem_andrews_angles(&p, ctx));
    const ends e = ends_run(&p, 0.03, 0.0, "stages=4 step=adaptive h=1e-5 step_rtol=1e-8");
    print_message("squeezing mechanism, tolerance 1e-8: q %.2e, %ld steps, %ld rejected\n", e.q, e.stats.steps,
                  e.stats.rejected);
    assert_true(e.q < 2e-6 && e.stats.steps < 150);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance_over_eight_decades),
        cmocka_unit_test(tight_tolerances_are_met_with_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
