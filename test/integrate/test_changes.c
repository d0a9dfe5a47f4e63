/* What may happen during a run without costing an order: velocity projection and changes of the step size. */
#include <math.h>
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

/* ---- velocity projection ---------------------------------------------------------------------- */

/* Largest errors of lambda on (0.7, 1] for h = 5e-4, 2.5e-4, 1.25e-4 with a projection at t = 0.7. */
static void after_projection(double err[3], const problem *p, const exact *e, const char *options)
{
    for (int k = 0; k < 3; ++k) {
        char text[256];
        snprintf(text, sizeof text, "%s projection_times=0.7 h=%.17g", options, 5e-4 / (1 << k));
        run r = run_good(p, 1.0, text);
        assert_int_equal(r.stats.projections, 1);
        err[k] = run_errors(&r, p, e, 0.7, 1.0, 0).max[ERROR_LA];
        run_free(&r);
    }
    print_message("%s: %.3e %.3e %.3e, orders %.2f %.2f\n", options, err[0], err[1], err[2], log2(err[0] / err[1]),
                  log2(err[1] / err[2]));
}

static void plain_projection_costs_an_order_in_lambda_and_compensated_does_not(void **state)
{
    static const char *const sigma[] = {"0", "1", "opt"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    exact e = exact_grid(&p, 1.0, 8000);
    for (size_t s = 0; s < LEN(sigma); ++s) {
        char options[128];
        double plain[3], compensated[3];
        snprintf(options, sizeof options, "rho_inf=0.9 sigma=%s projection=plain", sigma[s]);
        after_projection(plain, &p, &e, options);
        snprintf(options, sizeof options, "rho_inf=0.9 sigma=%s projection=compensated", sigma[s]);
        after_projection(compensated, &p, &e, options);
        assert_near(log2(plain[1] / plain[2]), 1.0, 0.1);
        assert_near(log2(compensated[1] / compensated[2]), 2.0, 0.1);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ggl and index 2 satisfy B v = 0 anyway: nothing to compensate, no order lost. */
static void projection_does_not_disturb_the_other_formulations(void **state)
{
    static const char *const options[] = {"formulation=index2 projection=plain", "formulation=ggl projection=plain",
                                          "formulation=index2 projection=plain project_position=yes"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    exact e = exact_grid(&p, 1.0, 8000);
    for (size_t i = 0; i < LEN(options); ++i) {
        double err[3];
        after_projection(err, &p, &e, options[i]);
        assert_near(log2(err[1] / err[2]), 2.0, 0.1);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- changes of the step size ----------------------------------------------------------------- */

/* Errors for h = 5e-4, 2.5e-4, 1.25e-4. */
typedef struct errors {
    double x[3], la[3];
} errors;

/* Steps h, h/2, h, 0.8 h from t = 0, 0.3, 0.5, 0.7 on; largest errors on [0, 1] with each of the options. */
static void with_changes(errors *err, const problem *p, const char *const *options, int n)
{
    for (int k = 0; k < 3; ++k) {
        const double h = 5e-4 / (1 << k), t[4] = {0.3, 0.5, 0.7, 1.0}, step[4] = {h, 0.5 * h, h, 0.8 * h};
        exact e = {0};
        for (int i = 0; i < n; ++i) {
            run r = run_steps(p, t, step, 4, options[i]);
            check_ok(p->ctx, r.status);
            assert_int_equal(r.n - 1, lround((0.3 + 0.4 + 0.2 + 0.375) / h));
            if (i == 0) {
                e = exact_at(p, r.t, r.n - 1);
            }
            const run_error m = run_errors(&r, p, &e, 0.0, 2.0, 0);
            err[i].x[k] = m.max[ERROR_X];
            err[i].la[k] = m.max[ERROR_LA];
            run_free(&r);
        }
        exact_free(&e);
    }
    for (int i = 0; i < n; ++i) {
        const double *la = err[i].la, *x = err[i].x;
        print_message("%s: lambda %.3e %.3e %.3e, orders %.2f %.2f; x order %.2f\n", options[i], la[0], la[1], la[2],
                      log2(la[0] / la[1]), log2(la[1] / la[2]), log2(x[1] / x[2]));
    }
}

static void step_changes_keep_second_order_with_full_transfer_only(void **state)
{
    static const char *const options[] = {
        "sigma=0 transfer=full",         "sigma=1 transfer=full",         "sigma=opt transfer=full",
        "sigma=0 transfer=acceleration", "sigma=1 transfer=acceleration", "sigma=opt transfer=acceleration",
        "sigma=0 transfer=none",         "sigma=1 transfer=none",         "sigma=opt transfer=none",
    };
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    errors err[LEN(options)];
    with_changes(err, &p, options, (int)LEN(options));
    for (size_t i = 0; i < LEN(options); ++i) {
        assert_near(log2(err[i].la[1] / err[i].la[2]), i < 3 ? 2.0 : 1.0, 0.1);
        assert_near(log2(err[i].x[1] / err[i].x[2]), 2.0, 0.1);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The other formulations only need the acceleration transferred. */
static void step_changes_keep_second_order_in_every_formulation(void **state)
{
    static const char *const options[] = {"formulation=ggl", "formulation=index2", "formulation=ggl rho_inf=0.6"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    errors err[LEN(options)];
    with_changes(err, &p, options, (int)LEN(options));
    for (size_t i = 0; i < LEN(options); ++i) {
        assert_near(log2(err[i].la[1] / err[i].la[2]), 2.0, 0.1);
        assert_near(log2(err[i].x[1] / err[i].x[2]), 2.0, 0.1);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A wave of steps, each of another size, is where rules for a and v may grow: second order, whatever the damping. */
static void steps_that_change_each_time_keep_second_order(void **state)
{
    enum { MOST = 1280 };
    static double t[MOST], h[MOST];
    static const double rho[] = {0.9, 0.6};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    for (size_t k = 0; k < LEN(rho); ++k) {
        double la[4], v[4];
        for (int level = 0; level < 4; ++level) {
            const int n = 160 << level;
            char options[64];
            double sum = 0.0, now = 0.0;
            for (int i = 0; i < n; ++i) {
                h[i] = 1.0 + 0.8 * sin(2.0 * 3.14159265358979323846 * i / 20.0);
                sum += h[i];
            }
            for (int i = 0; i < n; ++i) {
                h[i] /= sum;
                now = i == n - 1 ? 1.0 : now + h[i];
                t[i] = now;
            }
            snprintf(options, sizeof options, "formulation=index3 rho_inf=%g", rho[k]);
            run r = run_steps(&p, t, h, n, options);
            check_ok(ctx, r.status);
            exact e = exact_at(&p, r.t, r.n - 1);
            const run_error m = run_errors(&r, &p, &e, 0.0, 2.0, 0);
            la[level] = m.max[ERROR_LA];
            v[level] = m.max[ERROR_V];
            exact_free(&e);
            run_free(&r);
        }
        print_message("rho %g: lambda %.3e %.3e %.3e %.3e\n", rho[k], la[0], la[1], la[2], la[3]);
        assert_near(log2(la[0] / la[3]) / 3.0, 2.0, 0.2); // the maxima of single levels vary
        assert_near(log2(v[0] / v[3]) / 3.0, 2.0, 0.1);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_projection_costs_an_order_in_lambda_and_compensated_does_not),
        cmocka_unit_test(projection_does_not_disturb_the_other_formulations),
        cmocka_unit_test(step_changes_keep_second_order_with_full_transfer_only),
        cmocka_unit_test(step_changes_keep_second_order_in_every_formulation),
        cmocka_unit_test(steps_that_change_each_time_keep_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
