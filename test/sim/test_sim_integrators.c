/* What all integrators promise in the same words, and where they differ: changed steps, steps that are too long, which steps
 * they choose, options that are not theirs, dependent rows. (Snapshots, memory: test_sim_snapshot, test_sim_memory.) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "runs.h"
#include "set_up.h"
#include "support/check.h"

/* ---- step size -------------------------------------------------------------------------------- */

/* Steps of h/2 and h in turn, ten changes in a tenth of a second: the error is that of the order of the method. */
static void step_changes_keep_the_order(void **state)
{
    static const struct {
        const char *options;
        double h, order, tol;
    } list[] = {
        {"formulation=index3", 6.25e-4, 2.0, 0.1},
        {"formulation=ggl", 6.25e-4, 2.0, 0.1},
        {"formulation=index2", 6.25e-4, 2.0, 0.1},
        {"integrator=rattlie", 6.25e-4, 2.0, 0.1},
        {"integrator=rattlie order=4", 2.5e-3, 4.0, 0.1},
        {"integrator=lobatto stages=3 lambda=symmetric", 2.5e-3, 4.0, 0.1},
        {"integrator=bdf formulation=ggl", 6.25e-4, 2.0, 0.1},
        {"integrator=bdf order=3 formulation=ggl", 6.25e-4, 3.0, 0.15},
        {"integrator=lobatto stages=2", 6.25e-4, 2.0, 0.1},
        {"integrator=lobatto stages=3", 2.5e-3, 4.0, 0.1},
        {"integrator=lobatto stages=4", 2.5e-3, 6.0, 0.1},
        {"integrator=rk order=5 step=fixed", 6.25e-4, 5.0, 0.1},
        {"integrator=rk order=8 step=fixed", 5e-3, 8.0, 0.1},
    };
    double q[PROBLEM_MAX];
    const double T = 0.1;
    problem_exact(&top, q, NULL, NULL, NULL, &T, 1);
    for (size_t k = 0; k < LEN(list); ++k) {
        double err[2];
        for (int j = 0; j < 2; ++j) {
            const double h = list[k].h / (1 << j);
            dal_sim *sim = runs_start(ctx, &top, list[k].options);
            for (int i = 0; i < 10; ++i) {
                check_ok(ctx, dal_sim_set_step(sim, i % 2 ? h : 0.5 * h));
                check_ok(ctx, dal_sim_run(sim, NULL, 0.01 * (i + 1)));
            }
            err[j] = dal_distance(top.group, q, dal_sim_state(sim).q);
            dal_sim_destroy(sim);
        }
        print_message("%s: errors %.3e, %.3e, order %.3f\n", list[k].options, err[0], err[1], log2(err[0] / err[1]));
        assert_near(log2(err[0] / err[1]), list[k].order, list[k].tol);
    }
}

/* A first step of 15 rad makes numbers of every kind: it is refused, not fatal. */
static void a_first_step_that_is_much_too_long_is_shortened(void **state)
{
    static const char *const options[] = {"integrator=genalpha",
                                          "integrator=genalpha formulation=ggl",
                                          "integrator=lobatto stages=2",
                                          "integrator=lobatto stages=4",
                                          "integrator=lobatto stages=6",
                                          "integrator=lobatto stages=8",
                                          "integrator=rk order=5",
                                          "integrator=rk order=8",
                                          "integrator=bdf order=5 formulation=ggl",
                                          "integrator=rattlie",
                                          "integrator=auto"};
    for (size_t k = 0; k < LEN(options); ++k) {
        char text[128];
        snprintf(text, sizeof text, "%s step=adaptive h=0.1 h_max=0.1 step_rtol=1e-2", options[k]);
        const ends e = ends_run(&top, 0.1, 0.0, text);
        assert_true(e.stats.rejected > 0 && e.x < 0.1);
    }
}

/* A fixed step that turns the top by 30 rad has no solution; whoever sees it, the remedy is named, the state is kept. */
static void a_fixed_step_that_is_much_too_long_names_the_remedy(void **state)
{
    static const struct {
        const char *options;
        dal_status says;
    } list[] = {{"integrator=lobatto h=0.2", DAL_NOCONV},
                {"integrator=rk step=fixed h=0.2", DAL_RETRY},
                {"integrator=rk order=5 step=fixed h=0.2", DAL_RETRY}};
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_sim *sim = runs_start(ctx, &top, list[k].options);
        check_fails(ctx, dal_sim_step(sim), list[k].says, "smaller h");
        assert_true(dal_sim_state(sim).t == 0.0);
        assert_memory_equal(dal_sim_state(sim).q, top.q0, (size_t)top.nq * sizeof(double));
        dal_sim_destroy(sim);
    }
}

/* step = auto: adaptive for rk, fixed for the others; what is set explicitly counts. */
static void steps_are_adaptive_unless_they_are_set(void **state)
{
    assert_true(ends_run(&top, 0.1, 1e-3, "integrator=rk").stats.steps < 50);
    assert_true(ends_run(&top, 0.1, 1e-3, "integrator=auto").stats.steps < 50);
    assert_int_equal(ends_run(&top, 0.1, 1e-3, "integrator=rk step=fixed").stats.steps, 100);
    assert_int_equal(ends_run(&top, 0.1, 1e-3, "integrator=rk step=fixed_or_cut").stats.steps, 100);
    assert_int_equal(ends_run(&top, 0.1, 1e-3, "integrator=lobatto").stats.steps, 100);
    assert_int_equal(ends_run(&top, 0.1, 1e-3, "integrator=genalpha").stats.steps, 100);
}

/* ---- what is refused -------------------------------------------------------------------------- */

static void options_of_other_integrators_are_refused(void **state)
{
    static const char *const list[][2] = {
        {"integrator=lobatto formulation=index1", "integrator = genalpha"},
        {"integrator=lobatto formulation=ggl", "leave formulation"},
        {"integrator=rk formulation=ggl", "leave formulation"},
        {"integrator=rk linear_solver=block", "genalpha and bdf only"},
        {"integrator=rk order=6", "order 5, 8"},
        {"integrator=auto order=6", "order 5, 8"},
        {"integrator=bdf order=6", "order 1 to 5"},
        {"integrator=rattlie order=3", "order 2, 4, 6 and 8"},
        {"integrator=rattlie order=4 step=adaptive", "fixed steps"},
        {"integrator=rattlie formulation=ggl", "leave formulation"},
        {"integrator=bdf formulation=index1", "not index1"},
        {"integrator=bdf kinematics=printed_half", "integrator = genalpha"},
        {"integrator=auto step=fixed", "set step = adaptive"},
        {"integrator=auto step=fixed_or_cut", "chooses by a tolerance"},
    };
    dal_sim *sim;
    for (size_t k = 0; k < LEN(list); ++k) {
        const dal_options opt = runs_options(ctx, list[k][0]);
        check_fails(ctx, dal_sim_create(&sim, ctx, top.sys, &opt), DAL_EOPTION, list[k][1]);
    }
    dal_options opt = runs_options(ctx, "integrator=lobatto");
    check_fails(ctx, dal_options_parse(ctx, dal_options_table(), &opt, "stages=1"), DAL_EOPTION, "2");
    opt.stages = 1;
    check_fails(ctx, dal_sim_create(&sim, ctx, top.sys, &opt), DAL_EOPTION, "stages");
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
    static const char *const options[] = {"formulation=index3", "formulation=ggl",
                                          "formulation=index2", "formulation=index1",
                                          "integrator=lobatto", "integrator=lobatto stages=3",
                                          "integrator=rk",      "integrator=rk order=5 step=fixed",
                                          "integrator=auto",    "integrator=bdf order=3",
                                          "integrator=rattlie", "integrator=lobatto lambda=symmetric"};
    dal_group *G;
    dal_system *sys;
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .nc = 2, .M = twice_M, .g = twice_g, .Phi = twice_Phi, .B = twice_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    for (size_t k = 0; k < LEN(options); ++k) {
        const dal_options opt = runs_options(ctx, options[k]);
        dal_sim *sim;
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
        const double q[2] = {1.0, -1.0}, v[2] = {0.5, -0.5};
        check_fails(ctx, dal_sim_start(sim, NULL, 0.0, q, v), DAL_EREDUNDANT, "row");
        dal_sim_destroy(sim);
    }
    dal_dense_destroy(sys);
    dal_group_destroy(G);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_changes_keep_the_order),
        cmocka_unit_test(a_first_step_that_is_much_too_long_is_shortened),
        cmocka_unit_test(a_fixed_step_that_is_much_too_long_names_the_remedy),
        cmocka_unit_test(steps_are_adaptive_unless_they_are_set),
        cmocka_unit_test(options_of_other_integrators_are_refused),
        cmocka_unit_test(redundant_constraints_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
