/* Second order of every formulation and sigma on spinning tops: in q, v and lambda, largest error over all steps of the
 * whole interval, the first ones included. */
#include <math.h>
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

static const char *const formulation[] = {"index3", "index2", "ggl"};
static const char *const sigma[] = {"0", "1", "opt"};

static void top_is_of_order_two(heavy_top_chart chart)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, chart));
    exact e = exact_grid(&p, 1.0, 4000);
    for (size_t f = 0; f < LEN(formulation); ++f) {
        for (size_t s = 0; s < LEN(sigma); ++s) {
            char options[128], what[192];
            snprintf(options, sizeof options, "formulation=%s sigma=%s", formulation[f], sigma[s]);
            snprintf(what, sizeof what, "%s %s", p.name, options);
            const study st = run_study(&p, &e, 1000, 3, 0, options);
            check_study(&st, ORDER_ALL, 2.0, 0.1, what);
        }
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void heavy_top_in_r3so3_is_of_order_two(void **state)
{
    top_is_of_order_two(HEAVY_TOP_R3SO3);
}

static void heavy_top_in_se3_is_of_order_two(void **state)
{
    top_is_of_order_two(HEAVY_TOP_SE3);
}

/* Index 1: the errors include the drift of the constraints, which is of second order as well. */
static void index1_is_of_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    exact e = exact_grid(&p, 0.5, 2000);
    for (size_t s = 0; s < LEN(sigma); ++s) {
        char options[128];
        snprintf(options, sizeof options, "formulation=index1 sigma=%s", sigma[s]);
        const study st = run_study(&p, &e, 500, 3, 0, options);
        check_study(&st, ORDER_ALL, 2.0, 0.1, options);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Linear coordinates for the rotation. With Euler parameters and rho_inf = 0.9 index 3 is unstable for steps above 1 ms
 * (five degrees of spin per step). */
static void parametrised_tops_are_of_order_two(void **state)
{
    static const heavy_top_chart chart[] = {HEAVY_TOP_EULER, HEAVY_TOP_CARDAN};
    dal_ctx *ctx = check_ctx();
    for (size_t c = 0; c < LEN(chart); ++c) {
        problem p;
        check_ok(ctx, problem_heavy_top(&p, ctx, chart[c]));
        exact e = exact_grid(&p, 1.0, 4000);
        for (size_t f = 0; f < LEN(formulation); ++f) {
            char options[128], what[192];
            snprintf(options, sizeof options, "formulation=%s", formulation[f]);
            snprintf(what, sizeof what, "%s %s", p.name, options);
            const study st = run_study(&p, &e, 1000, 3, 3, options);
            check_study(&st, ORDER_ALL | 1U << ERROR_X, 2.0, 0.1, what);
        }
        exact_free(&e);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Until it flips for the first time; later its sensitivity hides the order. */
static void free_top_is_of_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_free_top(&p, ctx));
    exact e = exact_grid(&p, 2.0, 1600);
    for (size_t s = 0; s < LEN(sigma); ++s) {
        char options[128];
        snprintf(options, sizeof options, "sigma=%s", sigma[s]);
        const study st = run_study(&p, &e, 400, 3, 0, options);
        check_study(&st, ORDER_Q | ORDER_V | 1U << ERROR_R, 2.0, 0.1, options);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* World components R J Omega of the angular momentum of the free top, J = diag(1, 2, 3). */
static void angular_momentum(double L[3], const double *p, const double *Omega)
{
    const double body[3] = {Omega[0], 2.0 * Omega[1], 3.0 * Omega[2]};
    dal_quat_rotate(L, p, body);
}

/* Nothing turns the top; what its momentum changes is an error of the method, of second order. */
static void momentum_of_the_free_top_changes_by_order_two_only(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_free_top(&p, ctx));
    double err[3];
    for (int k = 0; k < 3; ++k) {
        char options[64];
        snprintf(options, sizeof options, "h=%.17g", 0.005 / (1 << k));
        run r = run_good(&p, 2.0, options);
        double L0[3], L[3];
        err[k] = 0.0;
        angular_momentum(L0, r.q, r.v);
        for (int i = 1; i < r.n; ++i) {
            angular_momentum(L, r.q + (ptrdiff_t)4 * i, r.v + (ptrdiff_t)3 * i);
            err[k] = fmax(err[k], check_max_abs_diff(L, L0, 3));
        }
        run_free(&r);
    }
    print_message("momentum %.3e %.3e %.3e, order %.3f\n", err[0], err[1], err[2], check_slope(err, 3));
    assert_near(log2(err[1] / err[2]), 2.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_in_r3so3_is_of_order_two),
        cmocka_unit_test(heavy_top_in_se3_is_of_order_two),
        cmocka_unit_test(index1_is_of_order_two),
        cmocka_unit_test(parametrised_tops_are_of_order_two),
        cmocka_unit_test(free_top_is_of_order_two),
        cmocka_unit_test(momentum_of_the_free_top_changes_by_order_two_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
