/* The Lobatto integrator within a simulation: dense output, error control, solvers, snapshots, memory, messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lobatto/ends.h"
#include "support/check.h"

static dal_sim *started(const problem *p, const dal_options *opt)
{
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, opt));
    check_ok(p->ctx, dal_sim_start(sim, 0.0, p->q0, p->v0, NULL));
    return sim;
}

/* ---- dense output ----------------------------------------------------------------------------- */

typedef struct between {
    double q, v, la; /* largest errors between the steps */
} between;

/* Errors inside the steps that end in [T/2, T]: the first steps of a run have fewer states to interpolate. */
static between dense_errors(const problem *p, double T, double h, const char *options)
{
    between e = {0};
    dal_options opt = ends_options(p->ctx, options);
    opt.h = h;
    dal_sim *sim = started(p, &opt);
    while (dal_sim_state(sim).t < T - 0.5 * h) {
        check_ok(p->ctx, dal_sim_step(sim));
        const dal_state s = dal_sim_state(sim);
        for (int k = 1; k < 4 && s.t >= 0.5 * T; ++k) {
            double q[PROBLEM_MAX], v[PROBLEM_MAX], la[PROBLEM_MAX];
            double qe[PROBLEM_MAX], ve[PROBLEM_MAX], vde[PROBLEM_MAX], lae[PROBLEM_MAX];
            const double t = s.t - 0.25 * k * s.h;
            check_ok(p->ctx, dal_sim_interpolate(sim, t, q, v, la));
            problem_exact(p, qe, ve, vde, lae, &t, 1);
            e.q = fmax(e.q, dal_distance(p->group, q, qe));
            e.v = fmax(e.v, check_max_abs_diff(v, ve, p->nv));
            e.la = fmax(e.la, check_max_abs_diff(la, lae, p->nc));
        }
    }
    dal_sim_destroy(sim);
    return e;
}

static void dense_output_has_the_order_of_the_method(void **state)
{
    const struct {
        const char *options;
        double T, h, order;
    } list[] = {{"stages=3", 0.05, 2.5e-3, 4.0}, {"stages=4", 0.1, 5e-3, 6.0}, {"stages=5", 0.1, 5e-3, 8.0}};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (size_t k = 0; k < LEN(list); ++k) {
        const between a = dense_errors(&p, list[k].T, list[k].h, list[k].options);
        const between b = dense_errors(&p, list[k].T, 0.5 * list[k].h, list[k].options);
        print_message("%s between steps: q %.2e (%.2f)  v %.2e (%.2f)  lambda %.2e (%.2f)\n", list[k].options, b.q,
                      log2(a.q / b.q), b.v, log2(a.v / b.v), b.la, log2(a.la / b.la));
        assert_true(log2(a.q / b.q) > list[k].order - 0.3);
        assert_true(log2(a.v / b.v) > list[k].order - 0.3);
        assert_true(log2(a.la / b.la) > list[k].order - 0.3);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

static double east(double t, const double *q, const double *v, void *user)
{
    return q[0];
}

/* x changes its sign: the event is found to the accuracy of the method. */
static void events_are_located_on_the_dense_output(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    double t[2] = {0};
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    for (int k = 0; k < 2; ++k) {
        dal_options opt = ends_options(ctx, "stages=4");
        opt.h = k == 0 ? 0.1 : 0.002;
        dal_sim *sim = started(&p, &opt);
        dal_stop reason;
        const dal_event event = {.value = east, .direction = -1};
        check_ok(ctx, dal_sim_event(sim, &event));
        check_ok(ctx, dal_sim_run(sim, 10.0, &reason));
        assert_int_equal(reason, DAL_STOP_EVENT);
        t[k] = dal_sim_state(sim).t;
        dal_sim_destroy(sim);
    }
    print_message("event at %.12f, with h/50 %.12f\n", t[0], t[1]);
    assert_near(t[0], t[1], 1e-8);
    problem_free(&p);
    check_ctx_free(ctx);
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
            check_ok(ctx, dal_sim_run(sim, 0.01 * (i + 1), NULL));
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
    const dal_factor_spec spec = {DAL_RN, 30};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .M = stiff_M, .g = stiff_g, .K = stiff_K};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    dal_options opt = ends_options(ctx, "stages=5 h=0.01");
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    double q[30], v[30] = {0};
    for (int i = 0; i < 30; ++i) {
        q[i] = 1.0;
    }
    check_ok(ctx, dal_sim_start(sim, 0.0, q, v, NULL));
    check_ok(ctx, dal_sim_run(sim, 1.0, NULL));
    assert_near(dal_sim_state(sim).q[29], cos(1.0), 1e-12);
    assert_true(dal_sim_stats(sim).jacobians >= 90);
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

/* ---- snapshots and memory --------------------------------------------------------------------- */

static void continued_bit_for_bit(problem *p, const char *options)
{
    dal_ctx *ctx = p->ctx;
    const dal_options opt = ends_options(ctx, options);
    dal_sim *a = started(p, &opt), *b;
    check_ok(ctx, dal_sim_create(&b, ctx, p->sys, &opt));
    for (int i = 0; i < 7; ++i) {
        check_ok(ctx, dal_sim_step(a));
    }
    const size_t size = dal_sim_snapshot_size(a);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(ctx, dal_sim_save(a, buffer, size));
    check_ok(ctx, dal_sim_restore(b, buffer, size));
    double qa[PROBLEM_MAX], qb[PROBLEM_MAX], laa[PROBLEM_MAX], lab[PROBLEM_MAX];
    const dal_state s = dal_sim_state(a);
    check_ok(ctx, dal_sim_interpolate(a, s.t - 0.3 * s.h, qa, NULL, laa));
    check_ok(ctx, dal_sim_interpolate(b, s.t - 0.3 * s.h, qb, NULL, lab));
    assert_memory_equal(qa, qb, (size_t)p->nq * sizeof(double));
    assert_memory_equal(laa, lab, (size_t)p->nc * sizeof(double));
    for (int i = 0; i < 7; ++i) {
        check_ok(ctx, dal_sim_step(a));
    }
    for (int i = 0; i < 7; ++i) {
        check_ok(ctx, dal_sim_step(b));
    }
    const dal_state sa = dal_sim_state(a), sb = dal_sim_state(b);
    assert_memory_equal(sa.q, sb.q, (size_t)p->nq * sizeof(double));
    assert_memory_equal(sa.v, sb.v, (size_t)p->nv * sizeof(double));
    assert_memory_equal(sa.la, sb.la, (size_t)p->nc * sizeof(double));
    free(buffer);
    dal_sim_destroy(a);
    dal_sim_destroy(b);
}

static void a_restored_run_goes_on_bit_for_bit(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    continued_bit_for_bit(&p, "stages=4 h=0.005");
    continued_bit_for_bit(&p, "stages=3 h=0.001 newton=modified lambda=carried");
    continued_bit_for_bit(&p, "stages=4 h=0.005 lambda=symmetric step=adaptive step_rtol=1e-7");
    problem_free(&p);
    check_ok(ctx, problem_andrews(&p, ctx));
    continued_bit_for_bit(&p, "stages=3 h=0.0001");
    problem_free(&p);
    check_ctx_free(ctx);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    problem p;
    dal_sim *sim = NULL;
    DAL_TRY(problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_options opt = dal_options_init();
    opt.integrator = DAL_LOBATTO;
    opt.step = DAL_STEP_ADAPTIVE;
    opt.h = 1e-3;
    dal_status st = dal_sim_create(&sim, ctx, p.sys, &opt);
    if (st == DAL_OK) {
        st = dal_sim_start(sim, 0.0, p.q0, p.v0, NULL);
    }
    const long before = user ? ((check_alloc *)user)->total : 0;
    for (int i = 0; i < 5 && st == DAL_OK; ++i) {
        double q[7], v[6], la[3];
        st = dal_sim_step(sim);
        if (st == DAL_OK) {
            st = dal_sim_interpolate(sim, dal_sim_state(sim).t - 1e-4, q, v, la);
        }
    }
    assert_true(!user || ((check_alloc *)user)->total == before);
    dal_sim_destroy(sim);
    problem_free(&p);
    return st;
}

static void steps_allocate_nothing_and_all_memory_is_given_back(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    check_ok(ctx, scenario(ctx, &alloc));
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
    assert_true(check_every_allocation(scenario, NULL) > 5);
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
    const dal_factor_spec spec = {DAL_RN, 2};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .nc = 2, .M = twice_M, .g = twice_g, .Phi = twice_Phi, .B = twice_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    const dal_options opt = ends_options(ctx, "stages=3");
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    const double q[2] = {1.0, -1.0}, v[2] = {0.5, -0.5};
    check_fails(ctx, dal_sim_start(sim, 0.0, q, v, NULL), DAL_EREDUNDANT, "row");
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_output_has_the_order_of_the_method),
        cmocka_unit_test(events_are_located_on_the_dense_output),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(step_changes_keep_the_order),
        cmocka_unit_test(all_iterations_find_the_same_solution),
        cmocka_unit_test(stiff_springs_are_left_to_the_coupled_matrix),
        cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
        cmocka_unit_test(steps_allocate_nothing_and_all_memory_is_given_back),
        cmocka_unit_test(misuse_is_explained),
        cmocka_unit_test(redundant_constraints_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
