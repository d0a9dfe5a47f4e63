/* How the stage equations are solved: the matrix of one stage, the first iterate, and what is kept from step to step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"

/* ---- eight points in a plane, each with one row: 72 unknowns, so that the matrix of one stage is used ------------ */

enum { POINTS = 8, NV = 2 * POINTS };

static dal_status unit_M(double *M, double t, const double *q, void *user)
{
    memset(M, 0, NV * NV * sizeof(double));
    for (int i = 0; i < NV; ++i) {
        M[i + NV * i] = 1.0;
    }
    return DAL_OK;
}

static dal_status weight(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    for (int i = 0; i < POINTS; ++i) {
        g[2 * i] = 0.0;
        g[2 * i + 1] = 9.81;
    }
    return DAL_OK;
}

static dal_status no_force(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    memset(g, 0, NV * sizeof(double));
    return DAL_OK;
}

static dal_status circle_Phi(double *Phi, double t, const double *q, void *user)
{
    for (int i = 0; i < POINTS; ++i) {
        Phi[i] = 0.5 * (q[2 * i] * q[2 * i] + q[2 * i + 1] * q[2 * i + 1] - 1.0);
    }
    return DAL_OK;
}

static dal_status circle_B(double *B, double t, const double *q, void *user)
{
    memset(B, 0, POINTS * NV * sizeof(double));
    for (int i = 0; i < POINTS; ++i) {
        B[i + POINTS * (2 * i)] = q[2 * i];
        B[i + POINTS * (2 * i + 1)] = q[2 * i + 1];
    }
    return DAL_OK;
}

static double line_energy(double t, const double *q, const double *v, void *user)
{
    double E = 0.0;
    for (int i = 0; i < POINTS; ++i) {
        E += 0.5 * (v[2 * i] * v[2 * i] + v[2 * i + 1] * v[2 * i + 1]) + 9.81 * q[2 * i + 1];
    }
    return E;
}

/* Angle of a line that turns faster and faster, with its rate. */
static double angle(double t)
{
    return 2.0 * t + 30.0 * t * t;
}

static double rate(double t)
{
    return 2.0 + 60.0 * t;
}

/* -x sin(a) + y cos(a) = 0 */
static dal_status line_Phi(double *Phi, double t, const double *q, void *user)
{
    for (int i = 0; i < POINTS; ++i) {
        Phi[i] = -q[2 * i] * sin(angle(t)) + q[2 * i + 1] * cos(angle(t));
    }
    return DAL_OK;
}

static dal_status line_B(double *B, double t, const double *q, void *user)
{
    memset(B, 0, POINTS * NV * sizeof(double));
    for (int i = 0; i < POINTS; ++i) {
        B[i + POINTS * (2 * i)] = -sin(angle(t));
        B[i + POINTS * (2 * i + 1)] = cos(angle(t));
    }
    return DAL_OK;
}

static dal_status line_b(double *b, double t, const double *q, void *user)
{
    for (int i = 0; i < POINTS; ++i) {
        b[i] = -rate(t) * (q[2 * i] * cos(angle(t)) + q[2 * i + 1] * sin(angle(t)));
    }
    return DAL_OK;
}

/* Iterations of `steps` steps of size h; the end in q and v. */
static double iterations(dal_ctx *ctx, const dal_dense *dense, const char *options, double h, int steps, double *q,
                         double *v)
{
    dal_system *sys;
    dal_sim *sim;
    check_ok(ctx, dal_dense_create(&sys, ctx, dense));
    dal_options opt = ends_options(ctx, options);
    opt.h = h;
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    for (int i = 0; i < steps; ++i) {
        check_ok(ctx, dal_sim_step(sim));
    }
    const dal_stats s = dal_sim_stats(sim);
    memcpy(q, dal_sim_state(sim).q, NV * sizeof(double));
    memcpy(v, dal_sim_state(sim).v, NV * sizeof(double));
    assert_int_equal(s.jacobians, steps); // the coupled matrix would be another
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    return (double)s.newton_iterations / steps;
}

/* B turns with time alone. Its value in the middle of the step brings the iteration about as far as can be; that of another
 * time is further off than the direction turns in the step. Without friction a bead on the line obeys r'' = a'^2 r, which
 * a Taylor expansion from the start solves. */
static void the_matrix_of_one_stage_belongs_to_the_middle_of_the_step_in_time(void **state)
{
    const double h = 0.02;
    double q[NV], v[NV];
    dal_ctx *ctx = check_ctx();
    dal_group *G;
    const dal_factor_spec spec = {DAL_FACTOR_RN, NV};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G,
                             .nc = POINTS,
                             .time_dependent = 1,
                             .M = unit_M,
                             .g = no_force,
                             .Phi = line_Phi,
                             .B = line_B,
                             .b = line_b};
    for (int i = 0; i < POINTS; ++i) {
        q[2 * i] = 0.1 * (i + 1);
        v[2 * i + 1] = rate(0.0) * q[2 * i];
        q[2 * i + 1] = v[2 * i] = 0.0;
    }
    const double count = iterations(ctx, &dense, "stages=4", h, 1, q, v);
    print_message("lines that turn by %.2f in the first step: %.0f iterations\n", angle(h), count);
    assert_true(count <= 10.0);
    // r = sum r_k t^k with (k+2)(k+1) r_(k+2) = 4 r_k + 240 r_(k-1) + 3600 r_(k-2)
    double r[40] = {1.0, 0.0}, sum = 0.0;
    for (int k = 0; k < 38; ++k) {
        r[k + 2] = (4.0 * r[k] + (k > 0 ? 240.0 * r[k - 1] : 0.0) + (k > 1 ? 3600.0 * r[k - 2] : 0.0)) /
                   ((k + 2.0) * (k + 1.0));
    }
    for (int k = 39; k >= 0; --k) {
        sum = sum * h + r[k];
    }
    for (int i = 0; i < POINTS; ++i) {
        assert_near(hypot(q[2 * i], q[2 * i + 1]), 0.1 * (i + 1) * sum, 1e-8);
    }
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

/* Bobs let go at the height of their pivots: all of the first step's turn comes from the acceleration. */
static void the_matrix_of_one_stage_belongs_to_the_middle_of_the_step_in_place(void **state)
{
    const double h = 0.1;
    double q[NV], v[NV] = {0.0};
    dal_ctx *ctx = check_ctx();
    dal_group *G;
    const dal_factor_spec spec = {DAL_FACTOR_RN, NV};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {
        .group = G, .nc = POINTS, .M = unit_M, .g = weight, .Phi = circle_Phi, .B = circle_B, .energy = line_energy};
    for (int i = 0; i < POINTS; ++i) {
        q[2 * i] = i % 2 ? 1.0 : -1.0;
        q[2 * i + 1] = 0.0;
    }
    const double count = iterations(ctx, &dense, "stages=4", h, 1, q, v);
    print_message("bobs that fall by %.2f rad in the first step: %.0f iterations\n", fabs(asin(q[1])), count);
    assert_true(count <= 10.0);
    assert_near(line_energy(h, q, v, NULL), 0.0, 1e-4);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

/* ---- from step to step ------------------------------------------------------------------------ */

/* The errors of the extrapolation repeat from step to step; with them the first iterate is as good for few stages as for
 * many, so that few cost less. */
static void smooth_motion_takes_two_iterations_whatever_the_stages(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 0));
    for (int s = 3; s <= 5; ++s) {
        char options[32];
        snprintf(options, sizeof options, "stages=%d", s);
        const ends e = ends_run(&p, 0.2, 1e-3, options);
        const double count = (double)e.stats.newton_iterations / (double)e.stats.steps;
        print_message("%s: %.3f iterations per step, Phi %.1e, B v %.1e\n", options, count, e.Phi, e.vel);
        assert_true(count <= 2.15 && e.Phi < 5e-16 && e.vel < 2e-15);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The top turns by 0.15 rad in a step; the errors of the last steps tell most of what the polynomials miss only if many of
 * them are used. */
static void fast_motion_is_foreseen_from_many_steps(void **state)
{
    static const double most[] = {2.2, 1.9, 1.6};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int s = 2; s <= 4; ++s) {
        char options[32];
        snprintf(options, sizeof options, "stages=%d", s);
        const ends e = ends_run(&p, 0.2, 1e-3, options);
        const double count = (double)e.stats.newton_iterations / (double)e.stats.steps;
        print_message("%s: %.3f iterations per step, Phi %.1e, B v %.1e\n", options, count, e.Phi, e.vel);
        assert_true(count <= most[s - 2]);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Fewer iterations leave no more behind: without any extrapolation there are twice as many. */
static void a_better_start_leads_to_the_same_end(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 0));
    for (int s = 3; s <= 5; ++s) {
        double q[2][PROBLEM_MAX], v[2][PROBLEM_MAX], la[2][PROBLEM_MAX];
        long count[2];
        for (int k = 0; k < 2; ++k) {
            char options[64];
            snprintf(options, sizeof options, "stages=%d predictor=%s", s, k ? "hold" : "extrapolate");
            dal_options opt = ends_options(ctx, options);
            opt.h = 1e-3;
            dal_sim *sim;
            check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
            check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
            check_ok(ctx, dal_sim_run(sim, NULL, 0.3));
            const dal_state end = dal_sim_state(sim);
            memcpy(q[k], end.q, (size_t)p.nq * sizeof(double));
            memcpy(v[k], end.v, (size_t)p.nv * sizeof(double));
            memcpy(la[k], end.la, (size_t)p.nc * sizeof(double));
            count[k] = dal_sim_stats(sim).newton_iterations;
            dal_sim_destroy(sim);
        }
        assert_true(dal_distance(p.group, q[0], q[1]) < 1e-13);
        for (int i = 0; i < p.nv; ++i) {
            assert_near(v[0][i], v[1][i], 1e-12);
        }
        for (int i = 0; i < p.nc; ++i) {
            assert_near(la[0][i], la[1][i], 2e-11);
        }
        print_message("stages=%d: %ld and %ld iterations\n", s, count[0], count[1]);
        assert_true(5 * count[0] < 3 * count[1]);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

static void assert_same_state(const problem *p, const dal_sim *a, const dal_sim *b)
{
    const dal_state x = dal_sim_state(a), y = dal_sim_state(b);
    assert_true(x.t == y.t);
    assert_memory_equal(x.q, y.q, (size_t)p->nq * sizeof(double));
    assert_memory_equal(x.v, y.v, (size_t)p->nv * sizeof(double));
    assert_memory_equal(x.la, y.la, (size_t)p->nc * sizeof(double));
    assert_int_equal(dal_sim_stats(a).newton_iterations, dal_sim_stats(b).newton_iterations);
}

/* The matrix of the end of a step serves the next one. Interpolation uses its place for other matrices, and a snapshot does
 * not contain it: neither shows in the results. */
static void the_kept_matrix_is_the_same_whoever_looks_on(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 0));
    const char *const options[] = {"stages=4 h=0.001", "stages=3 h=0.001 linear_solver=sparse",
                                   "stages=4 h=0.001 step=adaptive step_rtol=1e-9"};
    for (size_t k = 0; k < LEN(options); ++k) {
        const dal_options opt = ends_options(ctx, options[k]);
        dal_sim *sim[3];
        for (int i = 0; i < 3; ++i) {
            check_ok(ctx, dal_sim_create(&sim[i], ctx, p.sys, &opt));
            check_ok(ctx, dal_sim_start(sim[i], NULL, 0.0, p.q0, p.v0));
        }
        const size_t size = dal_sim_snapshot_size(sim[0]);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        for (int i = 0; i < 30; ++i) {
            double q[PROBLEM_MAX], v[PROBLEM_MAX], la[PROBLEM_MAX];
            check_ok(ctx, dal_sim_step(sim[0]));
            check_ok(ctx, dal_sim_step(sim[1]));
            assert_same_state(&p, sim[0], sim[1]);
            const dal_state s = dal_sim_state(sim[1]);
            check_ok(ctx, dal_sim_interpolate(sim[1], q, v, la, s.t - 0.4 * s.h));
            check_ok(ctx, dal_sim_save(sim[0], buffer, size));
            check_ok(ctx, dal_sim_restore(sim[2], buffer, size));
            check_ok(ctx, dal_sim_save(sim[2], buffer, size));
            check_ok(ctx, dal_sim_restore(sim[0], buffer, size));
        }
        free(buffer);
        for (int i = 0; i < 3; ++i) {
            dal_sim_destroy(sim[i]);
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_of_one_stage_belongs_to_the_middle_of_the_step_in_time),
        cmocka_unit_test(the_matrix_of_one_stage_belongs_to_the_middle_of_the_step_in_place),
        cmocka_unit_test(smooth_motion_takes_two_iterations_whatever_the_stages),
        cmocka_unit_test(fast_motion_is_foreseen_from_many_steps),
        cmocka_unit_test(a_better_start_leads_to_the_same_end),
        cmocka_unit_test(the_kept_matrix_is_the_same_whoever_looks_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
