/* What symmetric and variational methods keep: energy without drift, momenta of symmetries, the way back, both levels of
 * the constraints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/run.h"
#include "support/check.h"

static dal_ctx *ctx;
static problem top;

/* The same maxima at the beginning and in the end, of the size that an independent program has found. */
static void energy_does_not_drift(void **state)
{
    static const struct {
        const char *options;
        int n;
        double size;
    } list[] = {
        {"integrator=rattlie h=1e-3", 20000, 1.4047e-2},
        {"integrator=rattlie order=4 h=5e-3", 5000, 4.492e-4},
        {"integrator=lobatto stages=3 lambda=symmetric h=5e-3", 4000, 1.1204e-3},
        {"integrator=lobatto stages=3 lambda=variational h=5e-3", 2000, 5.844e-4},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        double most[2], position, velocity;
        run_energies(most, &position, &velocity, &top, list[k].n, list[k].options);
        assert_near(most[0], list[k].size, 2e-3 * list[k].size);
        assert_near(most[1], most[0], 1e-3 * most[0]);
        assert_true(position < 1e-13 && velocity < 1e-11);
    }
}

/* To 1e-12 of positions of about 1 and of velocities of about 150. */
static void the_way_back_leads_to_the_start(void **state)
{
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    run_reversed(&p, 1000, "integrator=rattlie h=0.01", 1e-12, 1e-12);
    run_reversed(&p, 1000, "integrator=lobatto stages=3 lambda=symmetric h=0.02", 1e-12, 1e-12);
    problem_free(&p);
    run_reversed(&top, 1000, "integrator=rattlie h=1e-3", 1e-12, 1e-11);
    run_reversed(&top, 1000, "integrator=lobatto stages=3 lambda=symmetric h=1e-3", 1e-12, 1e-11);
    run_reversed(&top, 50, "integrator=rattlie order=4 h=5e-3", 1e-12, 1e-10);
    run_reversed(&top, 50, "integrator=lobatto stages=4 lambda=symmetric h=5e-3", 1e-12, 1e-10);
    run_reversed(&top, 50, "integrator=lobatto stages=3 lambda=variational h=5e-3", 1e-12, 1e-10);
}

/* Nonholonomic rows that hold the way of a step (RT.9): symmetric, so the energy of the rolling disk oscillates and stays. */
static void a_rolling_disk_keeps_its_energy(void **state)
{
    problem p;
    check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
    double most[2], position, velocity;
    run_energies(most, &position, &velocity, &p, 2000, "integrator=rattlie order=6 h=1e-2");
    assert_near(most[1], most[0], 0.02 * most[0]);
    assert_true(most[0] < 1e-4 && position < 1e-13 && velocity < 1e-11);
    run_reversed(&p, 50, "integrator=rattlie order=6 h=1e-2", 1e-11, 1e-9);
    problem_free(&p);
}

/* Turning about the vertical is a symmetry of the top, and so is spin about its axis. */
static void momenta_stay(const char *options, int n)
{
    dal_options opt = run_options(ctx, options);
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, top.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, top.q0, top.v0));
    static const double J[3] = {0.234375, 0.46875, 0.234375};
    double first = 0.0, worst = 0.0, spin = 0.0;
    for (int i = 0; i <= n; ++i) {
        const dal_state s = dal_sim_state(sim);
        double R[9], L = 15.0 * (s.q[0] * s.v[1] - s.q[1] * s.v[0]);
        dal_quat_to_matrix(R, s.q + 3);
        for (int k = 0; k < 3; ++k) {
            L += R[2 + 3 * k] * J[k] * s.v[3 + k];
        }
        first = i == 0 ? L : first;
        worst = fmax(worst, fabs(L - first));
        spin = fmax(spin, fabs(s.v[4] - 150.0));
        check_ok(ctx, dal_sim_step(sim));
    }
    print_message("Lz %.6g, off by %.1e; spin off by %.1e\n", first, worst, spin);
    assert_true(worst < 1e-10 && spin < 1e-10);
    dal_sim_destroy(sim);
}

static void momenta_of_symmetries_stay(void **state)
{
    momenta_stay("integrator=rattlie h=1e-3", 5000);
    momenta_stay("integrator=lobatto stages=3 lambda=variational h=2.5e-3", 1000);
}

/* x'' = -w^2 x is stable below h w = 2 and not above; a warning says so before. */
static dal_status spring_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1.0;
    return DAL_OK;
}

static dal_status spring_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)v, (void)la, (void)user;
    g[0] = 1e4 * q[0];
    return DAL_OK;
}

static void stiff_springs_are_told(void **state)
{
    dal_group *G;
    dal_system *sys;
    const dal_factor_spec spec = {DAL_FACTOR_RN, 1};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .M = spring_M, .g = spring_g};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    static const double h[] = {0.0199, 0.0201};
    for (int k = 0; k < 2; ++k) {
        dal_options opt = run_options(ctx, "integrator=rattlie");
        dal_sim *sim;
        opt.h = h[k];
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
        const double q = 1.0, v = 0.0;
        double most = 0.0;
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
        for (int i = 0; i < 300; ++i) {
            check_ok(ctx, dal_sim_step(sim));
            most = fmax(most, fabs(dal_sim_state(sim).q[0]));
        }
        print_message("h omega = %.3f: |x| up to %.3g\n", 100.0 * h[k], most);
        assert_true(k == 0 ? most <= 1.0 + 1e-9 : most > 1e3);
        dal_sim_destroy(sim);
    }
    dal_dense_destroy(sys);
    dal_group_destroy(G);
}

static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&top);
    check_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_does_not_drift),           cmocka_unit_test(the_way_back_leads_to_the_start),
        cmocka_unit_test(a_rolling_disk_keeps_its_energy), cmocka_unit_test(momenta_of_symmetries_stay),
        cmocka_unit_test(stiff_springs_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
