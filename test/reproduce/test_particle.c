/* The scheme of [SM21] as published, on the nonholonomic particle in a harmonic potential: H = (p.p + x^2 + y^2)/2, phi = pz -
 * y px. An oracle for the integrator, which shares nothing with it but the coefficients. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "dalembert/sim.h"
#include "problems/problems.h"
#include "reproduce/particle.h"
#include "support/check.h"

/* h = .2, .1, .05, .025, .0125; what is below 1e-12 is rounding in part */
static const struct {
    int s;
    double q[5], p[5], la[5];
} published[] = {
    {2,
     {6.920e-03, 1.718e-03, 4.287e-04, 1.071e-04, 2.678e-05},
     {6.803e-03, 1.690e-03, 4.217e-04, 1.054e-04, 2.634e-05},
     {6.153e-04, 1.711e-04, 4.428e-05, 1.116e-05, 2.796e-06}},
    {3,
     {9.035e-06, 5.579e-07, 3.477e-08, 2.171e-09, 1.357e-10},
     {3.767e-06, 2.277e-07, 1.411e-08, 8.804e-10, 5.500e-11},
     {1.485e-03, 3.710e-04, 9.275e-05, 2.319e-05, 5.797e-06}},
    {4,
     {4.158e-08, 6.362e-10, 9.889e-12, 1.533e-13, 1.6e-15},
     {1.447e-08, 2.190e-10, 3.396e-12, 5.218e-14, 1.0e-15},
     {6.572e-06, 6.436e-07, 3.991e-08, 2.489e-09, 1.552e-10}},
    {5,
     {1.048e-10, 4.073e-13, 3.1e-15, 1.8e-15, 1.8e-15},
     {5.468e-12, 2.9e-14, 2.1e-15, 2.1e-15, 1.9e-15},
     {1.186e-07, 6.195e-09, 3.672e-10, 2.271e-11, 1.141e-12}},
};

/* What rounding may leave of phi = pz - y px. The stages are iterated to changes of 1e-15 + 2e-15 |p| in q and p, and
 * phi = 0 has to hold for their sums up to 1 + |px| + |y| times that; L_s is a sum of s + 1 terms, which leaves
 * (s + 1) eps/2 of the terms pz and y px. With H = 1: |p| <= sqrt 2, |px| + |y| <= 2, |y px| <= 1. It does not grow with
 * the number of steps. */
static double rounding_of_phi(int s)
{
    return 3.0 * (1e-15 + 2e-15 * sqrt(2.0)) + (s + 1) * 0.5 * DBL_EPSILON * (sqrt(2.0) + 1.0);
}

static void errors_are_those_of_the_independent_implementation(void **state)
{
    dal_ctx *ctx = check_ctx();
    lab L = {.ctx = ctx};
    for (size_t k = 0; k < LEN(published); ++k) {
        for (int i = 0; i < 5; ++i) {
            const particle_run r = particle_errors(&L, published[k].s, 1.0, 5 << i);
            print_message("s %d  h %-7g q %.3e  p %.3e  lambda %.3e  phi %.1e\n", published[k].s, 0.2 / (1 << i), r.q,
                          r.p, r.la, r.phi);
            assert_near(r.q, published[k].q[i], 0.02 * published[k].q[i] + 1e-14);
            assert_near(r.p, published[k].p[i], 0.02 * published[k].p[i] + 1e-14);
            assert_near(r.la, published[k].la[i], 0.02 * published[k].la[i] + 2e-12);
            assert_true(r.phi <= rounding_of_phi(published[k].s));
        }
    }
    lab_close(&L);
    check_ctx_free(ctx);
}

/* |R(infinity)| = 1: an error of lambda_0 never dies out and costs order: 2, 2, 4, 4 in q and p are left. */
static void an_inconsistent_multiplier_costs_order(void **state)
{
    static const double q1[3] = {0.6244307619653204, 0.8414709848078966, -0.21556528623656895};
    static const int left[] = {2, 2, 4, 4};
    dal_ctx *ctx = check_ctx();
    for (int s = 2; s <= 5; ++s) {
        double err[2];
        particle_method m;
        check_ok(ctx, particle_method_init(&m, ctx, s));
        for (int k = 0; k < 2; ++k) {
            double y[7] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1}; // consistent: lambda = 0
            for (int i = 0; i < 20 << k; ++i) {
                check_ok(ctx, particle_step(y, &m, 0.05 / (1 << k)));
            }
            err[k] = distance(y, q1, 3);
        }
        print_message("s %d  q %.2e -> %.2e (%.2f)\n", s, err[0], err[1], log2(err[0] / err[1]));
        assert_near(log2(err[0] / err[1]), left[s - 2], 0.05);
    }
    check_ctx_free(ctx);
}

static void many_stages_reach_rounding_with_two_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    lab L = {.ctx = ctx};
    const int stages[] = {8, 10, 12, 16};
    for (size_t k = 0; k < LEN(stages); ++k) {
        const particle_run r = particle_errors(&L, stages[k], 1.0, 2);
        print_message("s %d  h 0.5  q %.2e  p %.2e  lambda %.2e\n", stages[k], r.q, r.p, r.la);
        assert_true(stages[k] == 8 ? r.q < 1e-12 : r.q < 2e-14 && r.p < 2e-14);
    }
    lab_close(&L);
    check_ctx_free(ctx);
}

static void the_constraint_stays_at_rounding_over_100000_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    double y[7] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0}, phi = 0.0, energy = 0.0;
    particle_method m;
    check_ok(ctx, particle_method_init(&m, ctx, 3));
    for (int i = 0; i < 100000; ++i) {
        check_ok(ctx, particle_step(y, &m, 0.05));
        phi = fmax(phi, fabs(particle_phi(y)));
        energy = fmax(energy, fabs(0.5 * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[0] * y[0] + y[1] * y[1]) - 1.0));
    }
    print_message("t = 5000: |phi| <= %.2e, |H - 1| <= %.2e\n", phi, energy);
    assert_true(phi <= rounding_of_phi(3) && energy < 1e-6);
    check_ctx_free(ctx);
}

/* With lambda = carried the integrator takes the steps of the paper. */
static void the_integrator_takes_the_published_steps(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    for (int s = 2; s <= 8; ++s) {
        dal_options opt = dal_options_init();
        dal_sim *sim;
        particle_method m;
        double y[7] = {p.q0[0], p.q0[1], p.q0[2], p.v0[0], p.v0[1], p.v0[2], 0.0};
        opt.integrator = DAL_INTEGRATOR_LOBATTO;
        opt.lambda = DAL_LAMBDA_CARRIED;
        opt.stages = s;
        opt.h = 0.1;
        check_ok(ctx, particle_method_init(&m, ctx, s));
        y[6] = particle_multiplier(y);
        check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        for (int i = 0; i < 50; ++i) {
            check_ok(ctx, dal_sim_step(sim));
            check_ok(ctx, particle_step(y, &m, 0.1));
            const dal_state now = dal_sim_state(sim);
            assert_true(distance(now.q, y, 3) < 1e-13 && distance(now.v, y + 3, 3) < 1e-13);
            assert_near(now.la[0], y[6], 1e-11);
        }
        dal_sim_destroy(sim);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_of_the_independent_implementation),
        cmocka_unit_test(an_inconsistent_multiplier_costs_order),
        cmocka_unit_test(many_stages_reach_rounding_with_two_steps),
        cmocka_unit_test(the_constraint_stays_at_rounding_over_100000_steps),
        cmocka_unit_test(the_integrator_takes_the_published_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
