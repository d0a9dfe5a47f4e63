/* Error-controlled steps: errors in proportion to the tolerance, and fewer steps than with a fixed size. */
#include <math.h>
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

enum { FIRST = 3, LAST = 8, COUNT = LAST - FIRST + 1 };

/* Largest errors with step_rtol = 1e-3 ... 1e-8. */
typedef struct sweep {
    double err[ERROR_KINDS][COUNT];
    long steps[COUNT];
} sweep;

static run_error errors(const problem *p, double T, run *r)
{
    run_thin(r, 600);
    const run_error m = run_errors(r, p, NULL, 0.0, 2.0 * T, 0);
    run_free(r);
    return m;
}

static sweep tolerances(const problem *p, double T, const char *options)
{
    sweep s;
    for (int k = 0; k < COUNT; ++k) {
        char text[192];
        snprintf(text, sizeof text, "step=adaptive step_rtol=1e-%d %s", FIRST + k, options);
        run r = run_good(p, T, text);
        s.steps[k] = r.stats.steps;
        const long rejected = r.stats.rejected;
        const double smallest = r.stats.h_smallest, largest = r.stats.h_largest;
        const run_error m = errors(p, T, &r);
        for (int a = 0; a < ERROR_KINDS; ++a) {
            s.err[a][k] = m.max[a];
        }
        print_message("%s %s: %ld steps (%ld rejected, h %.1e to %.1e), q %.3e, v %.3e, lambda %.3e\n", p->name, text,
                      s.steps[k], rejected, smallest, largest, m.max[ERROR_Q], m.max[ERROR_V], m.max[ERROR_LA]);
    }
    return s;
}

/* Slope of the straight line through log10 err over log10 rtol, n tolerances from the loosest on. */
static double slope(const double *err, int n)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int k = 0; k < n; ++k) {
        const double x = -(FIRST + k), y = log10(err[k]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void check_proportional(const sweep *s, int n_lambda)
{
    print_message("    slopes: q %.3f, v %.3f, lambda %.3f\n", slope(s->err[ERROR_Q], COUNT),
                  slope(s->err[ERROR_V], COUNT), slope(s->err[ERROR_LA], n_lambda));
    assert_near(slope(s->err[ERROR_Q], COUNT), 1.0, 0.15);
    assert_near(slope(s->err[ERROR_V], COUNT), 1.0, 0.15);
    assert_near(slope(s->err[ERROR_LA], n_lambda), 1.0, 0.15);
}

/* lambda of index 3 has an error of about |q| eps/h^2 by rounding, which shows from 1e-7 on. */
static void errors_of_the_heavy_top_are_proportional_to_the_tolerance(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    sweep s = tolerances(&p, 1.0, "formulation=index3");
    check_proportional(&s, 4);
    s = tolerances(&p, 1.0, "formulation=ggl");
    check_proportional(&s, COUNT);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void errors_of_andrews_are_proportional_to_the_tolerance_and_smaller_than_with_fixed_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_andrews(&p, ctx));
    const sweep s = tolerances(&p, 0.03, "rho_inf=0.7");
    for (int k = 0; k < 4; ++k) {
        char text[128];
        snprintf(text, sizeof text, "rho_inf=0.7 h=%.17g", 0.03 / (double)s.steps[k]);
        run r = run_good(&p, 0.03, text);
        assert_int_equal(r.stats.steps, s.steps[k]);
        const run_error m = errors(&p, 0.03, &r);
        print_message("fixed, %ld steps: q %.3e, v %.3e, lambda %.3e\n", s.steps[k], m.max[ERROR_Q], m.max[ERROR_V],
                      m.max[ERROR_LA]);
        assert_true(m.max[ERROR_Q] > s.err[ERROR_Q][k]);
    }
    check_proportional(&s, 4);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_the_heavy_top_are_proportional_to_the_tolerance),
        cmocka_unit_test(errors_of_andrews_are_proportional_to_the_tolerance_and_smaller_than_with_fixed_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
