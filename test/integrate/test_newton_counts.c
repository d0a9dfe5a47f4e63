/* What Newton's method costs: little more than one iteration per step with the exact Jacobian, more with approximations. */
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

static double iterations(const problem *p, double T, const char *options)
{
    run r = run_good(p, T, options);
    const double per_step = (double)r.stats.newton_iterations / (double)r.stats.steps;
    print_message("%s, %s: %.3f iterations per step, %ld Jacobians in %ld steps\n", p->name, options, per_step,
                  r.stats.jacobians, r.stats.steps);
    assert_int_equal(r.stats.rejected, 0);
    run_free(&r);
    return per_step;
}

/* Two where eta is unknown, too: it is not extrapolated. */
static void exact_jacobian_needs_one_iteration(void **state)
{
    static const char *const formulation[] = {"index3", "index2", "ggl"};
    static const double most[] = {1.15, 1.1, 2.0};
    static const char *const sigma[] = {"0", "1", "opt"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (size_t f = 0; f < LEN(formulation); ++f) {
        for (size_t s = 0; s < LEN(sigma); ++s) {
            char options[128];
            snprintf(options, sizeof options, "h=1e-3 formulation=%s sigma=%s", formulation[f], sigma[s]);
            assert_true(iterations(&p, 1.0, options) <= most[f]);
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The other methods that iterate with factors of their own: RATTLie and all its substeps, backward differences. */
static void other_methods_need_one_iteration(void **state)
{
    static const struct {
        const char *options;
        double most;
    } list[] = {
        {"h=1e-3 integrator=rattlie", 1.02},
        {"h=1e-3 integrator=rattlie order=4", 5.05},
        {"h=1e-3 integrator=bdf formulation=index3", 1.1},
        {"h=1e-3 integrator=bdf formulation=index2", 1.1},
    };
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (size_t k = 0; k < LEN(list); ++k) {
        assert_true(iterations(&p, 1.0, list[k].options) <= list[k].most);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* `paper` drops dT, which is exact for sigma = 0 because T(theta) theta = theta; `simplified` takes T = I. */
/* What one iteration leaves does not show: the errors of a run with tolerances at rounding are the same to four digits. */
static void one_iteration_gives_the_errors_of_many(void **state)
{
    static const char *const formulation[] = {"index3", "index2"};
    dal_ctx *ctx = check_ctx();
    problem p[2];
    check_ok(ctx, problem_heavy_top(&p[0], ctx, HEAVY_TOP_R3SO3));
    check_ok(ctx, problem_spatial_slider_crank(&p[1], ctx, 0));
    for (int k = 0; k < 4; ++k) {
        const problem *used = &p[k / 2];
        char options[128];
        snprintf(options, sizeof options, "h=1e-3 formulation=%s", formulation[k % 2]);
        run fast = run_good(used, 0.5, options);
        snprintf(options, sizeof options, "h=1e-3 formulation=%s atol=1e-15 rtol=1e-13", formulation[k % 2]);
        run tight = run_good(used, 0.5, options);
        const run_error a = run_errors(&fast, used, NULL, 0.0, 0.5, 0), b = run_errors(&tight, used, NULL, 0.0, 0.5, 0);
        print_message("%s, %s: %.6e %.6e in q, %.6e %.6e in lambda\n", used->name, formulation[k % 2], a.max[ERROR_Q],
                      b.max[ERROR_Q], a.max[ERROR_LA], b.max[ERROR_LA]);
        assert_true(fast.stats.newton_iterations < tight.stats.newton_iterations);
        assert_near_rel(a.max[ERROR_Q], b.max[ERROR_Q], 1e-4);
        assert_near_rel(a.max[ERROR_V], b.max[ERROR_V], 1e-4);
        assert_near_rel(a.max[ERROR_LA], b.max[ERROR_LA], 1e-4);
        run_free(&fast);
        run_free(&tight);
    }
    problem_free(&p[0]);
    problem_free(&p[1]);
    check_ctx_free(ctx);
}

static void approximate_jacobians_need_more(void **state)
{
    static const char *const formulation[] = {"index3", "ggl"};
    static const char *const sigma[] = {"0", "1", "opt"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (size_t f = 0; f < LEN(formulation); ++f) {
        for (size_t s = 0; s < LEN(sigma); ++s) {
            char options[128];
            snprintf(options, sizeof options, "h=1e-3 formulation=%s sigma=%s jacobian=paper", formulation[f],
                     sigma[s]);
            const double paper = iterations(&p, 1.0, options);
            assert_true(s == 0 ? paper >= 1.95 : paper >= 2.9);
            snprintf(options, sizeof options, "h=1e-3 formulation=%s sigma=%s jacobian=simplified", formulation[f],
                     sigma[s]);
            assert_true(iterations(&p, 1.0, options) >= 3.9);
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* At high spin dT is not small: the rotor turns by two radians in a step of 1e-4. */
static void fast_spin_needs_the_exact_jacobian(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_rotor(&p, ctx, 0));
    assert_near(iterations(&p, 0.02, "h=1e-4 jacobian=exact"), 1.0, 0.05);
    assert_true(iterations(&p, 0.02, "h=1e-4 jacobian=paper") > 4.0);
    assert_true(iterations(&p, 0.02, "h=1e-4 jacobian=simplified") > 2.3);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The heavy top changes too fast for a kept Jacobian, but fewer of them are computed. */
static void modified_newton_trades_jacobians_for_iterations(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    run full = run_good(&p, 1.0, "h=1e-3"), modified = run_good(&p, 1.0, "h=1e-3 newton=modified");
    assert_true(2 * modified.stats.jacobians <= full.stats.jacobians);
    assert_true(modified.stats.newton_iterations > full.stats.newton_iterations);
    const run_error a = run_errors(&full, &p, NULL, 0.0, 1.0, 0), b = run_errors(&modified, &p, NULL, 0.0, 1.0, 0);
    assert_near_rel(b.max[ERROR_Q], a.max[ERROR_Q], 1e-3);
    run_free(&full);
    run_free(&modified);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Predictors decide where the iteration starts, not where it ends. */
static void predictor_changes_the_cost_only(void **state)
{
    static const char *const predictor[] = {"extrapolate", "hold", "zero"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    run r[3];
    for (int k = 0; k < 3; ++k) {
        char options[128];
        snprintf(options, sizeof options, "h=1e-3 atol=1e-14 rtol=1e-12 predictor=%s", predictor[k]);
        r[k] = run_good(&p, 0.2, options);
        print_message("%s: %.3f iterations per step\n", predictor[k],
                      (double)r[k].stats.newton_iterations / (double)r[k].stats.steps);
        assert_all_near(r[k].q, r[0].q, p.nq * r[0].n, 1e-9);
        assert_true(r[k].stats.newton_iterations >= r[0].stats.newton_iterations);
    }
    for (int k = 0; k < 3; ++k) {
        run_free(&r[k]);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_jacobian_needs_one_iteration),
        cmocka_unit_test(other_methods_need_one_iteration),
        cmocka_unit_test(one_iteration_gives_the_errors_of_many),
        cmocka_unit_test(approximate_jacobians_need_more),
        cmocka_unit_test(fast_spin_needs_the_exact_jacobian),
        cmocka_unit_test(modified_newton_trades_jacobians_for_iterations),
        cmocka_unit_test(predictor_changes_the_cost_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
