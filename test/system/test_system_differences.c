/* Tangents and time derivatives that the user leaves out are replaced by differences. */
#include <math.h>

#include "dalembert/sim.h"
#include "gather.h"
#include "problems/problems.h"
#include "support/check.h"
#include "support/check_system.h"
#include "two_bodies.h"

static void missing_tangents_by_differences_agree_with_analytic_ones(void **state)
{
    dal_ctx *ctx = check_ctx();
    two_bodies two;
    static gather given, differenced;
    check_rng rng = check_rng_seed(5);
    two_bodies_create(&two, ctx);
    dal_dense d = two.dense;
    d.C = NULL;
    d.K = NULL;
    d.Z = NULL;
    d.acc = NULL;
    dal_system *dense;
    check_ok(ctx, dal_dense_create(&dense, ctx, &d));
    for (int k = 0; k < 10; ++k) {
        double q[TWO_NQ], v[TWO_NV], vd[TWO_NV], la[TWO_NC];
        check_quaternion(&rng, q);
        check_normals(&rng, q + 4, 3);
        check_normals(&rng, v, TWO_NV);
        check_normals(&rng, vd, TWO_NV);
        check_normals(&rng, la, TWO_NC);
        const dal_point at = {0.0, q, v, vd, la};
        gather_tangents(&given, ctx, &two.block, &at);
        gather_tangents(&differenced, ctx, dense, &at);
        assert_all_near(differenced.C, given.C, 36, 1e-8);
        assert_all_near(differenced.K, given.K, 36, 1e-7);
        assert_all_near(differenced.Z, given.Z, 30, 1e-8);
        // acc itself is a difference of B v here: its derivatives are second differences
        assert_all_near(differenced.Aq, given.Aq, 30, 1e-3);
        assert_all_near(differenced.Av, given.Av, 30, 1e-3);
    }
    dal_dense_destroy(dense);
    two_bodies_free(&two);
    check_ctx_free(ctx);
}

static void every_problem_without_analytic_tangents_gives_the_same_ones(void **state)
{
    dal_ctx *ctx = check_ctx();
    static gather given, differenced;
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        double vd[PROBLEM_MAX], la[PROBLEM_MAX];
        check_rng rng = check_rng_seed(11);
        check_ok(ctx, problem_nth(&p, ctx, k));
        if (p.nv <= GATHER_MAX) {
            dal_system *sys;
            dal_dense d = p.dense;
            d.C = NULL;
            d.K = NULL;
            d.Z = NULL;
            check_ok(ctx, dal_dense_create(&sys, ctx, &d));
            check_normals(&rng, vd, p.nv);
            check_normals(&rng, la, p.nc);
            const dal_point at = {0.0, p.q0, p.v0, vd, la};
            gather_tangents(&given, ctx, p.sys, &at);
            gather_tangents(&differenced, ctx, sys, &at);
            const double C = check_max_abs(given.C, p.nv * p.nv), K = check_max_abs(given.K, p.nv * p.nv);
            const double Z = check_max_abs(given.Z, p.nc * p.nv);
            assert_all_near(differenced.C, given.C, p.nv * p.nv, 1e-7 * (1.0 + C));
            assert_all_near(differenced.K, given.K, p.nv * p.nv, 1e-7 * (1.0 + K));
            assert_all_near(differenced.Z, given.Z, p.nc * p.nv, 1e-7 * (1.0 + Z));
            dal_dense_destroy(sys);
        }
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* ---- friction: G by differences --------------------------------------------------------------- */

/* R^2 x R^1 with two rows, g = (la_0^2 v_0, sin la_1, la_0 la_1). */
static dal_status unit_M(double *M, double t, const double *q, void *user)
{
    for (int i = 0; i < 9; ++i) {
        M[i] = i % 4 == 0;
    }
    return DAL_OK;
}

static dal_status friction_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = la[0] * la[0] * v[0];
    g[1] = sin(la[1]);
    g[2] = la[0] * la[1];
    return DAL_OK;
}

static dal_status friction_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = q[0] + 0.5 * q[1] * q[1];
    Phi[1] = q[2] - q[0] * q[1];
    return DAL_OK;
}

static dal_status friction_B(double *B, double t, const double *q, void *user)
{
    B[0] = 1.0;
    B[2] = q[1];
    B[4] = 0.0;
    B[1] = -q[1];
    B[3] = -q[0];
    B[5] = 1.0;
    return DAL_OK;
}

static dal_status friction_G(double *G, double t, const double *q, const double *v, const double *la, void *user)
{
    G[0] = 2.0 * la[0] * v[0];
    G[1] = 0.0;
    G[2] = la[1];
    G[3] = 0.0;
    G[4] = cos(la[1]);
    G[5] = la[0];
    return DAL_OK;
}

static void missing_G_by_differences_agrees_with_the_analytic_one(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_factor_spec spec[] = {{DAL_FACTOR_RN, 2}, {DAL_FACTOR_RN, 1}};
    static gather given, differenced;
    dal_group *group;
    dal_system *with, *without;
    check_ok(ctx, dal_group_create(&group, ctx, spec, 2));
    dal_dense d = {.group = group,
                   .nc = 2,
                   .lambda_in_g = 1,
                   .M = unit_M,
                   .g = friction_g,
                   .Phi = friction_Phi,
                   .B = friction_B,
                   .G = friction_G};
    check_ok(ctx, dal_dense_create(&with, ctx, &d));
    d.G = NULL;
    check_ok(ctx, dal_dense_create(&without, ctx, &d));
    const double q[3] = {0.3, -0.4, 0.9}, v[3] = {1.0, 2.0, -1.0}, vd[3] = {0.1, 0.2, 0.3}, la[2] = {1.7, 0.6};
    const dal_point at = {0.0, q, v, vd, la};
    gather_tangents(&given, ctx, with, &at);
    gather_tangents(&differenced, ctx, without, &at);
    assert_all_near(differenced.G, given.G, 6, 1e-9);
    assert_all_near(differenced.B, given.B, 6, 0.0);
    assert_true(check_max_abs(given.G, 6) > 1.0);
    dal_dense_destroy(with);
    dal_dense_destroy(without);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

/* ---- constraints that depend on time ---------------------------------------------------------- */

/* R^2, particle on a circle whose radius changes: Phi = (x.x - rho^2)/2, rho = 1 + 0.3 sin 2t. */
static double radius(double t)
{
    return 1.0 + 0.3 * sin(2.0 * t);
}

static dal_status circle_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status circle_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = 0.0;
    g[1] = 9.81;
    return DAL_OK;
}

static dal_status circle_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - radius(t) * radius(t));
    return DAL_OK;
}

static dal_status circle_B(double *B, double t, const double *q, void *user)
{
    B[0] = q[0];
    B[1] = q[1];
    return DAL_OK;
}

static dal_status circle_b(double *b, double t, const double *q, void *user)
{
    b[0] = -radius(t) * 0.6 * cos(2.0 * t);
    return DAL_OK;
}

static dal_status circle_acc(double *w, double t, const double *q, const double *v, void *user)
{
    const double rate = 0.6 * cos(2.0 * t);
    w[0] = v[0] * v[0] + v[1] * v[1] - rate * rate + radius(t) * 1.2 * sin(2.0 * t);
    return DAL_OK;
}

static void time_derivatives_of_constraints_may_be_left_out(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    dal_group *group;
    dal_system *full, *bare;
    check_rng rng = check_rng_seed(9);
    check_ok(ctx, dal_group_create(&group, ctx, &spec, 1));
    dal_dense d = {.group = group,
                   .nc = 1,
                   .time_dependent = 1,
                   .M = circle_M,
                   .g = circle_g,
                   .Phi = circle_Phi,
                   .B = circle_B,
                   .b = circle_b,
                   .acc = circle_acc};
    check_ok(ctx, dal_dense_create(&full, ctx, &d));
    d.b = NULL;
    d.acc = NULL;
    check_ok(ctx, dal_dense_create(&bare, ctx, &d));
    for (int k = 0; k < 20; ++k) {
        double q[2], v[2], vd[2], la[1], vel[2], acc[2];
        check_normals(&rng, q, 2);
        check_normals(&rng, v, 2);
        check_normals(&rng, vd, 2);
        check_normals(&rng, la, 1);
        const dal_point at = {check_uniform(&rng, -3.0, 3.0), q, v, vd, la};
        check_ok(ctx, check_residual(ctx, full, &(dal_residual){.vel = vel, .acc = acc}, &at));
        check_ok(ctx, check_residual(ctx, bare, &(dal_residual){.vel = vel + 1, .acc = acc + 1}, &at));
        assert_near(vel[1], vel[0], 1e-9);
        assert_near(acc[1], acc[0], 1e-4); // a difference of differences
        check_ok(ctx, dal_system_check(ctx, full, NULL, &at, 1e-7));
    }
    dal_dense_destroy(full);
    dal_dense_destroy(bare);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

static double final_lambda(dal_ctx *ctx, const dal_dense *d, int formulation, double x[2])
{
    dal_system *sys;
    dal_sim *sim;
    dal_options opt = dal_options_init();
    opt.h = 0.01;
    opt.formulation = formulation;
    const double q[2] = {0.0, -1.0}, v[2] = {1.0, -0.6};
    check_ok(ctx, dal_dense_create(&sys, ctx, d));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
    const dal_state s = dal_sim_state(sim);
    const double la = s.la[0];
    x[0] = s.q[0];
    x[1] = s.q[1];
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    return la;
}

static void a_run_without_b_and_acc_follows_the_one_with_them(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    dal_group *group;
    check_ok(ctx, dal_group_create(&group, ctx, &spec, 1));
    const dal_dense d = {.group = group,
                         .nc = 1,
                         .time_dependent = 1,
                         .M = circle_M,
                         .g = circle_g,
                         .Phi = circle_Phi,
                         .B = circle_B,
                         .b = circle_b,
                         .acc = circle_acc};
    dal_dense bare = d;
    bare.b = NULL;
    bare.acc = NULL;
    for (int formulation = DAL_FORMULATION_INDEX3; formulation <= DAL_FORMULATION_GGL; ++formulation) {
        double x[2], y[2];
        const double la = final_lambda(ctx, &d, formulation, x), mu = final_lambda(ctx, &bare, formulation, y);
        assert_all_near(y, x, 2, 1e-6);
        assert_near(mu, la, 1e-3);
        assert_near(hypot(x[0], x[1]), radius(0.5),
                    formulation == DAL_FORMULATION_INDEX3 || formulation == DAL_FORMULATION_GGL ? 1e-9 : 1e-3);
    }
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_tangents_by_differences_agree_with_analytic_ones),
        cmocka_unit_test(every_problem_without_analytic_tangents_gives_the_same_ones),
        cmocka_unit_test(missing_G_by_differences_agrees_with_the_analytic_one),
        cmocka_unit_test(time_derivatives_of_constraints_may_be_left_out),
        cmocka_unit_test(a_run_without_b_and_acc_follows_the_one_with_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
