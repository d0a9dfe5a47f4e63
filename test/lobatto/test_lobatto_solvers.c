/* The iterations for the stage equations: whichever solver is taken, the solution is the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"

/* Coupled matrix dense or sparse, renewed or kept, and the matrix of one stage: one solution. */
static void all_iterations_find_the_same_solution(void **state)
{
    const char *const options[] = {"linear_solver=small", "linear_solver=dense", "linear_solver=sparse",
                                   "newton=modified", "predictor=hold"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 1));
    const char *const stages[] = {"stages=3", "stages=5"}; // 105 unknowns: coupled; 175: one stage at a time
    for (size_t s = 0; s < LEN(stages); ++s) {
        const ends want = ends_run(&p, 0.1, 5e-3, stages[s]);
        for (size_t k = 0; k < LEN(options); ++k) {
            char text[96];
            snprintf(text, sizeof text, "%s %s", stages[s], options[k]);
            const ends e = ends_run(&p, 0.1, 5e-3, text);
            print_message("%-36s q %.6e  iterations %ld  jacobians %ld\n", text, e.q, e.stats.newton_iterations,
                          e.stats.jacobians);
            assert_near(e.q, want.q, 1e-11);
            assert_near(e.v, want.v, 1e-10);
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A matrix that is slightly wrong costs iterations, or brings in the other one with further Jacobians, and shows in nothing
 * else. The spatial slider crank has unknowns enough for the matrix of one stage, the others take the coupled one: forces
 * that depend on place, speed and time, rotations, velocity rows, a mass matrix that is singular; the squeezing mechanism
 * of bodies has one, too, and takes the matrix of one stage. */
static void the_matrices_of_both_iterations_are_right(void **state)
{
    static const struct {
        int problem;
        double h, most[2]; // iterations per step with 3 and 5 stages, one in twenty steps more than needed
    } list[] = {
        {0, 0.02, {1.56, 1.16}},  {2, 0.02, {1.06, 1.06}},   {3, 0.02, {1.36, 1.16}},   {4, 0.02, {2.16, 1.51}},
        {8, 0.02, {3.56, 2.76}},  {9, 0.02, {1.21, 1.16}},   {12, 0.02, {3.86, 10.66}}, {16, 0.02, {1.06, 1.06}},
        {17, 0.02, {1.21, 1.11}}, {18, 0.02, {4.01, 3.21}},  {5, 0.005, {4.16, 3.51}},  {6, 0.005, {4.01, 3.16}},
        {7, 0.005, {3.86, 2.51}}, {20, 0.005, {4.71, 3.96}}, {21, 0.005, {4.71, 4.01}}, {14, 2e-4, {4.66, 3.46}},
        {14, 4e-4, {6.61, 6.11}},
    };
    static const char *const stages[2] = {"stages=3", "stages=5"};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < 2 * LEN(list); ++k) {
        const double h = list[k / 2].h, most = list[k / 2].most[k % 2];
        problem p;
        check_ok(ctx, problem_nth(&p, ctx, list[k / 2].problem));
        dal_options opt = ends_options(ctx, stages[k % 2]);
        opt.h = h;
        dal_sim *sim;
        check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        check_ok(ctx, dal_sim_run(sim, NULL, 20.0 * h));
        const dal_stats s = dal_sim_stats(sim);
        const double iterations = (double)s.newton_iterations / (double)s.steps;
        print_message("%s, %s: %.3f iterations per step, at most %.3f\n", p.name, stages[k % 2], iterations, most);
        assert_true(iterations <= most);
        assert_int_equal(s.jacobians, s.steps);
        dal_sim_destroy(sim);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Springs of h sqrt(k/m) = 5 keep the iteration with M and B alone from converging. */
static dal_status stiff_M(double *M, double t, const double *q, void *user)
{
    memset(M, 0, 30 * 30 * sizeof(double));
    for (int i = 0; i < 30; ++i) {
        M[i + 30 * i] = 1.0;
    }
    return DAL_OK;
}

static dal_status stiff_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    for (int i = 0; i < 30; ++i) {
        g[i] = 2.5e5 * (q[i] - cos(t)) + cos(t);
    }
    return DAL_OK;
}

static dal_status stiff_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    memset(K, 0, 30 * 30 * sizeof(double));
    for (int i = 0; i < 30; ++i) {
        K[i + 30 * i] = 2.5e5;
    }
    return DAL_OK;
}

static void stiff_springs_are_left_to_the_coupled_matrix(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_group *G;
    dal_system *sys;
    dal_sim *sim;
    const dal_factor_spec spec = {DAL_FACTOR_RN, 30};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .M = stiff_M, .g = stiff_g, .K = stiff_K};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    dal_options opt = ends_options(ctx, "stages=5 h=0.01");
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    double q[30], v[30] = {0};
    for (int i = 0; i < 30; ++i) {
        q[i] = 1.0;
    }
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    assert_near(dal_sim_state(sim).q[29], cos(1.0), 1e-12);
    assert_true(dal_sim_stats(sim).jacobians >= 90);
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_iterations_find_the_same_solution),
        cmocka_unit_test(the_matrices_of_both_iterations_are_right),
        cmocka_unit_test(stiff_springs_are_left_to_the_coupled_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
