/* Steps allocate nothing, repeat to the bit, and running out of memory loses nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static const char *const options[] = {
    "",
    "formulation=index2",
    "formulation=index1",
    "formulation=ggl",
    "newton=modified",
    "step=adaptive",
    "step=adaptive formulation=ggl newton=modified",
    "projection=plain projection_every=3",
    "projection=compensated projection_every=2",
    "formulation=index1 projection=plain projection_every=2 project_position=yes",
    "kinematics=printed",
    "sigma=0 jacobian=simplified predictor=zero",
    "linear_solver=dense",
    "integrator=lobatto",
    "integrator=lobatto stages=3 newton=modified lambda=carried",
    "integrator=lobatto step=adaptive",
    "integrator=lobatto stages=5 linear_solver=dense",
    "integrator=rk order=5 step=fixed",
    "integrator=rk order=8 step=fixed",
    "integrator=rk order=5",
    "integrator=rk order=8",
    "integrator=rk linear_solver=dense",
    "integrator=auto",
    "integrator=auto formulation=ggl linear_solver=block",
    "integrator=bdf order=3",
    "integrator=rattlie",
    "integrator=rattlie order=4",
    "integrator=lobatto lambda=symmetric",
    "integrator=bdf order=5 step=adaptive step_rtol=1e-2",
};

static double height(double t, const double *q, const double *v, void *user)
{
    return q[2] - 0.3 * sin(300.0 * t);
}

static dal_status nudge(double t, double *q, double *v, void *user)
{
    v[3] += 0.01;
    return DAL_OK;
}

static const dal_event event = {height, nudge, 0, DAL_EVENT_RESTART, NULL};

static void a_step_allocates_nothing(void **state)
{
    for (size_t k = 0; k < LEN(options); ++k) {
        for (int with_event = 0; with_event < 2; ++with_event) {
            check_alloc alloc = {0};
            dal_ctx *ctx = check_ctx_with(&alloc);
            problem p;
            int fired = 0;
            check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
            dal_sim *sim = runs_start(ctx, &p, options[k]);
            if (with_event) {
                check_ok(ctx, dal_sim_event(sim, &event));
            }
            const long before = alloc.total;
            for (int i = 0; i < 100; ++i) {
                double q[7], v[6], la[3], force[6];
                check_ok(ctx, dal_sim_step(sim));
                fired += dal_sim_event_index(sim) >= 0;
                // what an observer asks for costs none either
                check_ok(ctx, dal_sim_interpolate(sim, q, v, la, dal_sim_state(sim).t - 1e-9));
                check_ok(ctx, dal_sim_reaction(sim, force));
                check_ok(ctx, dal_sim_residuals(sim, q, v));
            }
            check_ok(ctx, dal_sim_run(sim, NULL, dal_sim_state(sim).t + 0.01234));
            check_ok(ctx, dal_sim_set_step(sim, 5e-4));
            check_ok(ctx, dal_sim_project(sim, DAL_PROJECTION_PLAIN));
            check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
            assert_int_equal(alloc.total, before);
            assert_true(!with_event || fired > 3);
            dal_sim_destroy(sim);
            problem_free(&p);
            check_ctx_free(ctx);
            assert_int_equal(alloc.live, 0);
        }
    }
}

static void differences_allocate_nothing_either(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    problem p;
    dal_system *sys;
    dal_sim *sim;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_dense d = p.dense;
    d.C = NULL;
    d.K = NULL;
    d.Z = NULL;
    d.acc = NULL;
    check_ok(ctx, dal_dense_create(&sys, ctx, &d));
    for (int formulation = DAL_FORMULATION_INDEX3; formulation <= DAL_FORMULATION_GGL; ++formulation) {
        dal_options opt = dal_options_init();
        opt.formulation = formulation;
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        const long before = alloc.total;
        check_ok(ctx, dal_sim_run(sim, NULL, 0.02));
        assert_int_equal(alloc.total, before);
        dal_sim_destroy(sim);
    }
    dal_dense_destroy(sys);
    problem_free(&p);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

static void repeated_and_interleaved_runs_give_the_same_bits(void **state)
{
    dal_ctx *ctx = check_ctx(), *other = check_ctx();
    for (size_t k = 0; k < LEN(options); ++k) {
        problem p, r;
        check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
        check_ok(other, problem_heavy_top(&r, other, HEAVY_TOP_R3SO3));
        double once[7], la[3];
        dal_sim *a = runs_start(ctx, &p, options[k]);
        for (int i = 0; i < 40; ++i) {
            check_ok(ctx, dal_sim_step(a));
        }
        memcpy(once, dal_sim_state(a).q, sizeof once);
        memcpy(la, dal_sim_state(a).la, sizeof la);
        dal_sim_destroy(a);
        // two at a time, in contexts of their own
        a = runs_start(ctx, &p, options[k]);
        dal_sim *b = runs_start(other, &r, options[k]);
        for (int i = 0; i < 40; ++i) {
            check_ok(ctx, dal_sim_step(a));
            check_ok(other, dal_sim_step(b));
        }
        assert_memory_equal(dal_sim_state(a).q, once, sizeof once);
        assert_memory_equal(dal_sim_state(b).q, once, sizeof once);
        assert_memory_equal(dal_sim_state(a).la, la, sizeof la);
        assert_memory_equal(dal_sim_state(b).la, la, sizeof la);
        dal_sim_destroy(a);
        dal_sim_destroy(b);
        problem_free(&p);
        problem_free(&r);
    }
    check_ctx_free(ctx);
    check_ctx_free(other);
}

/* ---- running out ------------------------------------------------------------------------------ */

static dal_status ten_steps(dal_ctx *ctx, void *user)
{
    dal_options opt = dal_options_init();
    const char *const *text = user;
    problem p;
    dal_sim *sim = NULL;
    char copy[128];
    snprintf(copy, sizeof copy, "%s", *text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        DAL_TRY(dal_options_parse(ctx, dal_options_table(), &opt, word));
    }
    DAL_TRY(problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_status st = dal_sim_create(&sim, ctx, p.sys, &opt);
    if (st == DAL_OK) {
        st = dal_sim_start(sim, NULL, 0.0, p.q0, p.v0);
    }
    for (int i = 0; st == DAL_OK && i < 10; ++i) {
        st = dal_sim_step(sim);
    }
    dal_sim_destroy(sim);
    problem_free(&p);
    return st;
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state)
{
    for (size_t k = 0; k < LEN(options); ++k) {
        const char *text = options[k];
        assert_true(check_every_allocation(ten_steps, &text) > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(differences_allocate_nothing_either),
        cmocka_unit_test(repeated_and_interleaved_runs_give_the_same_bits),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
