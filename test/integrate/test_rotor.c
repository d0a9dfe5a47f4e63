/* The rotor at 200 000 rpm: what sigma is worth at high spin, and what Newton's method costs there. */
#include <math.h>
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

/* Error of the right bearing at t = 0.02, 0.04, ... 0.1: largest distance. */
static double bearing_error(const problem *p, const run *r)
{
    double t[5], want[15], worst = 0.0;
    const int stride = (r->n - 1) / 5;
    for (int k = 0; k < 5; ++k) {
        t[k] = 0.02 * (k + 1);
    }
    rotor_bearings_exact(p, NULL, want, t, 5);
    for (int k = 0; k < 5; ++k) {
        double p1[3], p2[3];
        const int at = stride * (k + 1);
        assert_near(r->t[at], t[k], 1e-12);
        rotor_bearings(p1, p2, r->q + (ptrdiff_t)at * r->nq);
        const double *w = want + (ptrdiff_t)3 * k;
        worst = fmax(worst, hypot(hypot(p2[0] - w[0], p2[1] - w[1]), p2[2] - w[2]));
    }
    return worst;
}

static void sigma_spin_is_best_for_the_rotor(void **state)
{
    static const struct {
        const char *sigma;
        double want;
    } known[] = {{"0", 3.41e-7}, {"opt", 2.08e-7}, {"1", 1.40e-7}, {"spin", 7.4e-8}};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_rotor(&p, ctx, 0));
    for (size_t k = 0; k < LEN(known); ++k) {
        char options[128];
        snprintf(options, sizeof options, "rho_inf=0.9 h=1e-5 starting=naive atol=1e-18 sigma=%s", known[k].sigma);
        run r = run_good(&p, 0.1, options);
        const double err = bearing_error(&p, &r);
        print_message("sigma = %s: %.3e, known %.3e\n", known[k].sigma, err, known[k].want);
        assert_near_rel(err, known[k].want, 0.05);
        run_free(&r);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The spin angle does not enter the equations: the exact Jacobian stays good, two iterations are enough for ever. */
static void modified_newton_keeps_one_jacobian(void **state)
{
    static const char *const sigma[] = {"0", "1", "opt", "spin"};
    static const double h[] = {1e-4, 2e-5, 1e-5};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_rotor(&p, ctx, 0));
    for (size_t s = 0; s < LEN(sigma); ++s) {
        for (size_t k = 0; k < LEN(h); ++k) {
            char options[128];
            snprintf(options, sizeof options, "newton=modified h=%g sigma=%s", h[k], sigma[s]);
            run r = run_good(&p, 0.02, options);
            const double iterations = (double)r.stats.newton_iterations / (double)r.stats.steps;
            print_message("%s: %.2f iterations per step, %ld Jacobians\n", options, iterations, r.stats.jacobians);
            assert_int_equal(r.stats.jacobians, 1);
            assert_true(iterations <= 2.6);
            run_free(&r);
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigma_spin_is_best_for_the_rotor),
        cmocka_unit_test(modified_newton_keeps_one_jacobian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
