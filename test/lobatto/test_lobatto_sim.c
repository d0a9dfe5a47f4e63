/* The Lobatto integrator within a simulation: error control, solvers, snapshots, memory, messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"

static dal_sim *started(const problem *p, const dal_options *opt)
{
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    return sim;
}

/* ---- step size -------------------------------------------------------------------------------- */

static void errors_follow_the_tolerance(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int k = 4; k <= 10; k += 2) {
        char options[96];
        snprintf(options, sizeof options, "stages=4 step=adaptive h=1e-3 step_atol=1e-14 step_rtol=1e-%d", k);
        const ends e = ends_run(&p, 1.0, 0.0, options);
        print_message("heavy top, tolerance 1e-%d: x %.2e, %ld steps, %ld rejected, h %.1e to %.1e\n", k, e.x,
                      e.stats.steps, e.stats.rejected, e.stats.h_smallest, e.stats.h_largest);
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

/* A first step of 15 rad makes numbers of every kind: it is refused, not fatal. */
static void a_first_step_that_is_much_too_long_is_shortened(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int s = 2; s <= 8; s += 2) {
        char options[96];
        snprintf(options, sizeof options, "stages=%d step=adaptive h=0.1 h_max=0.1 step_rtol=1e-2", s);
        const ends e = ends_run(&p, 0.1, 0.0, options);
        assert_true(e.stats.rejected > 0 && e.x < 0.1);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

static void step_changes_keep_the_order(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    double err[2];
    for (int k = 0; k < 2; ++k) {
        const double h = 2.5e-3 / (1 << k);
        dal_options opt = ends_options(ctx, "stages=3");
        opt.h = h;
        dal_sim *sim = started(&p, &opt);
        for (int i = 0; i < 10; ++i) {
            check_ok(ctx, dal_sim_set_step(sim, i % 2 ? h : 0.5 * h));
            check_ok(ctx, dal_sim_run(sim, NULL, 0.01 * (i + 1)));
        }
        double q[PROBLEM_MAX];
        const double T = 0.1;
        problem_exact(&p, q, NULL, NULL, NULL, &T, 1);
        err[k] = dal_distance(p.group, q, dal_sim_state(sim).q);
        dal_sim_destroy(sim);
    }
    assert_near(log2(err[0] / err[1]), 4.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- solvers ---------------------------------------------------------------------------------- */

/* Coupled matrix dense or sparse, renewed or kept, and the matrix of one stage: one solution. */
static void all_iterations_find_the_same_solution(void **state)
{
    const char *const options[] = {"linear_solver=small", "linear_solver=lapack", "linear_solver=klu",
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

/* ---- snapshots and memory --------------------------------------------------------------------- */

static void assert_same_bits(const problem *p, const dal_sim *a, const dal_sim *b)
{
    const dal_state sa = dal_sim_state(a), sb = dal_sim_state(b);
    const dal_stats ta = dal_sim_stats(a), tb = dal_sim_stats(b);
    assert_true(sa.t == sb.t && sa.h == sb.h);
    assert_memory_equal(sa.q, sb.q, (size_t)p->nq * sizeof(double));
    assert_memory_equal(sa.v, sb.v, (size_t)p->nv * sizeof(double));
    assert_memory_equal(sa.vd, sb.vd, (size_t)p->nv * sizeof(double));
    assert_memory_equal(sa.la, sb.la, (size_t)p->nc * sizeof(double));
    assert_int_equal(ta.newton_iterations, tb.newton_iterations);
    assert_int_equal(ta.jacobians, tb.jacobians);
    assert_int_equal(ta.rejected, tb.rejected);
    assert_int_equal(dal_sim_event_index(a), dal_sim_event_index(b));
}

/* Crosses zero every few steps of the runs below. */
static double now_and_then(double t, const double *q, const double *v, void *user)
{
    return sin(130.0 * t + 0.1 * q[0] + 0.5);
}

static dal_status nudge(double t, double *q, double *v, void *user)
{
    v[0] += 0.01;
    return DAL_OK;
}

static const dal_event event = {now_and_then, nudge, 0, DAL_EVENT_RESTART, NULL};

/* Saved after the first steps; some of all these end at the event. */
static void continued_bit_for_bit(problem *p, const char *options, int with_event)
{
    dal_ctx *ctx = p->ctx;
    const dal_options opt = ends_options(ctx, options);
    for (int steps = 2; steps < 10; steps += 5) {
        dal_sim *a = started(p, &opt), *b;
        check_ok(ctx, dal_sim_create(&b, ctx, p->sys, &opt));
        if (with_event) {
            check_ok(ctx, dal_sim_event(a, &event));
            check_ok(ctx, dal_sim_event(b, &event));
        }
        for (int i = 0; i < steps; ++i) {
            check_ok(ctx, dal_sim_step(a));
        }
        const size_t size = dal_sim_snapshot_size(a);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        check_ok(ctx, dal_sim_save(a, buffer, size));
        check_ok(ctx, dal_sim_restore(b, buffer, size));
        for (int i = 0; i < 8; ++i) {
            const dal_state s = dal_sim_state(a);
            if (dal_sim_event_index(a) < 0) { // else the part of a step before the event is not saved
                double x[3][PROBLEM_MAX], y[3][PROBLEM_MAX];
                check_ok(ctx, dal_sim_interpolate(a, x[0], x[1], x[2], s.t - 0.3 * s.h));
                check_ok(ctx, dal_sim_interpolate(b, y[0], y[1], y[2], s.t - 0.3 * s.h));
                assert_memory_equal(x[0], y[0], (size_t)p->nq * sizeof(double));
                assert_memory_equal(x[1], y[1], (size_t)p->nv * sizeof(double));
                assert_memory_equal(x[2], y[2], (size_t)p->nc * sizeof(double));
            }
            assert_same_bits(p, a, b);
            check_ok(ctx, dal_sim_step(a));
            check_ok(ctx, dal_sim_step(b));
        }
        free(buffer);
        dal_sim_destroy(a);
        dal_sim_destroy(b);
    }
}

static void a_restored_run_goes_on_bit_for_bit(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int with_event = 0; with_event < 2; ++with_event) {
        continued_bit_for_bit(&p, "stages=4 h=0.005", with_event);
        continued_bit_for_bit(&p, "stages=3 h=0.004 newton=modified lambda=carried", with_event);
        continued_bit_for_bit(&p, "stages=4 h=0.005 lambda=symmetric step=adaptive step_rtol=1e-7", with_event);
    }
    problem_free(&p);
    check_ok(ctx, problem_andrews(&p, ctx));
    continued_bit_for_bit(&p, "stages=3 h=0.0001", 0);
    problem_free(&p);
    check_ctx_free(ctx);
}

static dal_status look(dal_sim *sim, const dal_state *state, void *user)
{
    double q[7], v[6], la[3], position, velocity;
    DAL_TRY(dal_sim_residuals(sim, &position, &velocity));
    return state->h > 0.0 && dal_sim_event_index(sim) < 0 ? dal_sim_interpolate(sim, q, v, la, state->t - 1e-4)
                                                          : DAL_OK;
}

typedef struct scenario_data {
    const char *options;
    check_alloc *alloc; /* counts that steps take nothing, if not NULL */
    int fired;
} scenario_data;

/* Steps with an event, an observer and interpolation. */
static dal_status scenario(dal_ctx *ctx, void *user)
{
    scenario_data *d = user;
    problem p;
    dal_sim *sim = NULL;
    DAL_TRY(problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    const dal_options opt = ends_options(ctx, d->options);
    dal_status st = dal_sim_create(&sim, ctx, p.sys, &opt);
    if (st == DAL_OK) {
        st = dal_sim_observe(sim, look, NULL);
    }
    if (st == DAL_OK) {
        st = dal_sim_event(sim, &event);
    }
    if (st == DAL_OK) {
        st = dal_sim_start(sim, NULL, 0.0, p.q0, p.v0);
    }
    const long before = d->alloc ? d->alloc->total : 0;
    for (int i = 0; i < 10 && st == DAL_OK; ++i) {
        st = dal_sim_step(sim);
        d->fired += dal_sim_event_index(sim) >= 0;
    }
    assert_true(!d->alloc || d->alloc->total == before);
    dal_sim_destroy(sim);
    problem_free(&p);
    return st;
}

static void steps_allocate_nothing_and_all_memory_is_given_back(void **state)
{
    const char *const options[] = {"stages=4 h=0.005", "stages=3 h=0.005 newton=modified lambda=carried",
                                   "stages=4 h=0.005 step=adaptive", "stages=5 h=0.005 linear_solver=lapack"};
    for (size_t k = 0; k < LEN(options); ++k) {
        check_alloc alloc = {0};
        dal_ctx *ctx = check_ctx_with(&alloc);
        scenario_data data = {options[k], &alloc, 0};
        check_ok(ctx, scenario(ctx, &data));
        assert_true(data.fired > 0);
        check_ctx_free(ctx);
        assert_int_equal(alloc.live, 0);
    }
    scenario_data data = {options[2], NULL, 0};
    assert_true(check_every_allocation(scenario, &data) > 5);
}

/* ---- messages --------------------------------------------------------------------------------- */

static void misuse_is_explained(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_sim *sim;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_options opt = ends_options(ctx, "");
    check_fails(ctx, dal_options_parse(ctx, dal_options_table(), &opt, "stages=1"), DAL_EOPTION, "2");
    opt.stages = 1;
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "stages");
    opt = ends_options(ctx, "formulation=index1");
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "integrator = genalpha");
    opt = ends_options(ctx, "formulation=ggl");
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "leave formulation");
    // a step that turns the top too far
    opt = ends_options(ctx, "h=0.2");
    sim = started(&p, &opt);
    check_fails(ctx, dal_sim_step(sim), DAL_NOCONV, "smaller h");
    dal_sim_destroy(sim);
    problem_free(&p);
    check_ctx_free(ctx);
}

static dal_status twice_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status twice_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = g[1] = 0.0;
    return DAL_OK;
}

static dal_status twice_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = q[0] + q[1];
    Phi[1] = 2.0 * (q[0] + q[1]);
    return DAL_OK;
}

static dal_status twice_B(double *B, double t, const double *q, void *user)
{
    B[0] = B[2] = 1.0;
    B[1] = B[3] = 2.0;
    return DAL_OK;
}

static void redundant_constraints_are_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_group *G;
    dal_system *sys;
    dal_sim *sim;
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .nc = 2, .M = twice_M, .g = twice_g, .Phi = twice_Phi, .B = twice_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    const dal_options opt = ends_options(ctx, "stages=3");
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    const double q[2] = {1.0, -1.0}, v[2] = {0.5, -0.5};
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, q, v), DAL_EREDUNDANT, "row");
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(a_first_step_that_is_much_too_long_is_shortened),
        cmocka_unit_test(step_changes_keep_the_order),
        cmocka_unit_test(all_iterations_find_the_same_solution),
        cmocka_unit_test(the_matrices_of_both_iterations_are_right),
        cmocka_unit_test(stiff_springs_are_left_to_the_coupled_matrix),
        cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
        cmocka_unit_test(steps_allocate_nothing_and_all_memory_is_given_back),
        cmocka_unit_test(misuse_is_explained),
        cmocka_unit_test(redundant_constraints_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
