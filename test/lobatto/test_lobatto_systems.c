/* Orders 2s-2 in q, v and lambda on nonholonomic systems, mechanisms and systems with massless parts. */
#include <math.h>

#include "problems/ends.h"
#include "support/check.h"

static void nonholonomic_particle_has_the_errors_of_the_plain_form(void **state)
{
    // h = .2, .1, .05, .025
    const double three[] = {9.035e-06, 5.579e-07, 3.477e-08, 2.171e-09};
    const double four[] = {4.158e-08, 6.362e-10, 9.889e-12, 1.533e-13};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    for (int i = 0; i < 4; ++i) {
        const ends a = ends_run(&p, 1.0, 0.2 / (1 << i), "stages=3 lambda=carried");
        const ends b = ends_run(&p, 1.0, 0.2 / (1 << i), "stages=4 lambda=carried");
        print_message("h %-6g s 3: q %.3e  v %.3e  lambda %.2e   s 4: q %.3e  v %.3e  lambda %.2e\n", 0.2 / (1 << i),
                      a.q, a.v, a.la, b.q, b.v, b.la);
        assert_near(a.q, three[i], 0.02 * three[i]);
        assert_near(b.q, four[i], 0.02 * four[i] + 3e-15);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

static void nonholonomic_systems_reach_their_orders(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    ends_order(&p, 1.0, 0.1, 3, "stages=2", 2.0, 0.1);
    ends_order(&p, 3.0, 0.1, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 5.0, 0.2, 3, "stages=4", 6.0, 0.15);
    ends_order(&p, 5.0, 0.4, 3, "stages=5", 8.0, 0.15);
    problem_free(&p);
    check_ok(ctx, problem_knife_edge(&p, ctx));
    ends_order(&p, 2.0, 0.1, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 2.0, 0.1, 3, "stages=4", 6.0, 0.15);
    problem_free(&p);
    check_ok(ctx, problem_chaplygin_sleigh(&p, ctx));
    ends_order(&p, 2.0, 0.1, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 2.0, 0.2, 3, "stages=4", 6.0, 0.15);
    problem_free(&p);
    for (int holonomic = 0; holonomic < 2; ++holonomic) {
        check_ok(ctx, problem_rolling_disk(&p, ctx, holonomic));
        ends_order(&p, 0.2, 5e-3, 3, "stages=3", 4.0, 0.1);
        ends_order(&p, 0.2, 1e-2, 3, "stages=4", 6.0, 0.1);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* The mass matrix is singular: the first stage takes its acceleration from the saddle system. */
static void massless_parts_reach_their_orders(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_massless_frame(&p, ctx));
    ends_order(&p, 1.0, 0.05, 3, "stages=2", 2.0, 0.1);
    ends_order(&p, 1.5, 0.025, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 1.5, 0.05, 3, "stages=4", 6.0, 0.1);
    ends_order(&p, 1.5, 0.1, 3, "stages=5", 8.0, 0.15);
    problem_free(&p);
    check_ok(ctx, problem_massless_spring(&p, ctx));
    ends_order(&p, 1.5, 0.025, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 0.32, 0.04, 3, "stages=4", 6.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void driven_and_free_systems_reach_their_orders(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    // the drive t^3 is a polynomial that every method with three stages has exactly
    check_ok(ctx, problem_cubic_drive(&p, ctx));
    const ends e = ends_run(&p, 1.0, 0.1, "stages=3");
    assert_true(e.q < 1e-15 && e.v < 1e-15 && e.la < 1e-14);
    problem_free(&p);
    check_ok(ctx, problem_free_top(&p, ctx));
    ends_order(&p, 1.0, 0.1, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 1.0, 0.2, 3, "stages=4", 6.0, 0.15);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void mechanisms_reach_their_orders(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_slider_crank(&p, ctx));
    ends_order(&p, 0.5, 5e-3, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 0.5, 1e-2, 3, "stages=4", 6.0, 0.1);
    problem_free(&p);
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 1));
    ends_order(&p, 0.25, 2.5e-3, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 0.3, 5e-3, 3, "stages=4", 6.0, 0.15);
    problem_free(&p);
    check_ok(ctx, problem_andrews_angles(&p, ctx));
    ends_order(&p, 0.01, 4e-4, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 0.01, 4e-4, 3, "stages=4", 6.0, 0.15);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A bead on a ring, (x^2 + y^2 - 1)/2 = 0, under gravity, with a resistance 0.3 lambda^2 v/(1 + |lambda|): friction that
 * depends on the reaction. dg/dlambda by differences. */
static dal_status bead_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status bead_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const double friction = 0.3 * la[0] * la[0] / (1.0 + fabs(la[0]));
    g[0] = friction * v[0];
    g[1] = 9.81 + friction * v[1];
    return DAL_OK;
}

static dal_status bead_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return DAL_OK;
}

static dal_status bead_B(double *B, double t, const double *q, void *user)
{
    B[0] = q[0];
    B[1] = q[1];
    return DAL_OK;
}

/* State (x, y, lambda) at t = T. */
static void bead_run(double result[3], dal_ctx *ctx, const dal_system *sys, double T, double h, const char *options)
{
    const double q[2] = {0.6, -0.8}, v[2] = {1.6, 1.2};
    dal_options opt = ends_options(ctx, options);
    opt.h = h;
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    check_ok(ctx, dal_sim_run(sim, NULL, T));
    const dal_state s = dal_sim_state(sim);
    result[0] = s.q[0];
    result[1] = s.q[1];
    result[2] = s.la[0];
    dal_sim_destroy(sim);
}

/* Against eight stages. At these times no component of the leading error term is near a zero. */
static void friction_that_depends_on_reactions_keeps_the_order(void **state)
{
    const struct {
        const char *options;
        double T, h, order;
    } list[] = {{"stages=3", 1.0, 0.05, 4.0}, {"stages=4", 0.2, 0.1, 6.0}};
    dal_ctx *ctx = check_ctx();
    dal_group *G;
    dal_system *sys;
    double want[3], got[3][3];
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {
        .group = G, .nc = 1, .lambda_in_g = 1, .M = bead_M, .g = bead_g, .Phi = bead_Phi, .B = bead_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    for (size_t k = 0; k < LEN(list); ++k) {
        bead_run(want, ctx, sys, list[k].T, 0.01, "stages=8");
        for (int level = 0; level < 3; ++level) {
            bead_run(got[level], ctx, sys, list[k].T, list[k].h / (1 << level), list[k].options);
        }
        for (int i = 0; i < 3; ++i) {
            double h[3], err[3];
            for (int level = 0; level < 3; ++level) {
                h[level] = list[k].h / (1 << level);
                err[level] = fabs(got[level][i] - want[i]);
            }
            print_message("bead, %s, component %d: %.2e %.2e %.2e (%.2f)\n", list[k].options, i, err[0], err[1], err[2],
                          check_slope(err, 3));
            check_slopes(h, err, 3, list[k].order, 0.1);
        }
    }
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

/* 31 coordinates, 30 rows, M of rank 21: the iteration with the matrix of one stage. */
static void andrews_mechanism_of_bodies_reaches_its_orders(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_andrews(&p, ctx));
    ends_order(&p, 0.01, 2e-4, 3, "stages=3", 4.0, 0.1);
    ends_order(&p, 0.01, 4e-4, 3, "stages=4", 6.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Mean error of lambda over nine step sizes: in one of them rounding may be three times as large as in the next. */
static double mean_error_of_multipliers(const problem *p, const char *options)
{
    double sum = 0.0;
    for (int n = 196; n <= 204; ++n) {
        sum += ends_run(p, 1.0, 1.0 / n, options).la;
    }
    return sum / 9.0;
}

/* What Newton's method leaves behind does not show in lambda, whatever the tolerances are. */
static void multipliers_of_the_slider_cranks_are_exact_to_rounding(void **state)
{
    static const char *const options[] = {"stages=8", "stages=8 rtol=1e-6 atol=1e-8", "stages=6",
                                          "stages=6 newton=modified"};
    dal_ctx *ctx = check_ctx();
    problem planar, spatial;
    check_ok(ctx, problem_slider_crank(&planar, ctx));
    check_ok(ctx, problem_spatial_slider_crank(&spatial, ctx, 0));
    for (size_t i = 0; i < LEN(options); ++i) {
        const ends a = ends_run(&planar, 1.0, 5e-3, options[i]), b = ends_run(&spatial, 0.5, 2.5e-3, options[i]);
        print_message(
            "%s: planar q %.1e v %.1e lambda %.1e, %.2f iterations; spatial q %.1e v %.1e lambda %.1e, %.2f\n",
            options[i], a.q, a.v, a.la, (double)a.stats.newton_iterations / (double)a.stats.steps, b.q, b.v, b.la,
            (double)b.stats.newton_iterations / (double)b.stats.steps);
        assert_true(i > 1 || mean_error_of_multipliers(&planar, options[i]) < 1.5e-12);
        assert_true(a.la < 3e-11 && b.la < 3e-11);
    }
    problem_free(&planar);
    problem_free(&spatial);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonholonomic_particle_has_the_errors_of_the_plain_form),
        cmocka_unit_test(nonholonomic_systems_reach_their_orders),
        cmocka_unit_test(massless_parts_reach_their_orders),
        cmocka_unit_test(driven_and_free_systems_reach_their_orders),
        cmocka_unit_test(mechanisms_reach_their_orders),
        cmocka_unit_test(friction_that_depends_on_reactions_keeps_the_order),
        cmocka_unit_test(andrews_mechanism_of_bodies_reaches_its_orders),
        cmocka_unit_test(multipliers_of_the_slider_cranks_are_exact_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
