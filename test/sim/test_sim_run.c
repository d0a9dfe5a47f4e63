/* The loop: end times, observers, step sizes, limits, and what can be asked of a state. */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static dal_ctx *ctx;
static problem pendulum, top;

static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_pendulum(&pendulum, ctx, 0.2));
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&pendulum);
    problem_free(&top);
    check_ctx_free(ctx);
    return 0;
}

/* ---- end times -------------------------------------------------------------------------------- */

static void a_run_ends_exactly_at_t_end(void **state)
{
    static const struct {
        const char *options;
        double t_end;
        long steps;
    } list[] = {
        {"h=0.01", 1.0, 100}, // 100 x 0.01 in floating point is not 1
        {"h=0.1", 0.3, 3},
        {"h=0.001", 0.7, 700},
        {"h=0.03", 0.1, 4}, // three full steps and a short one
        {"h=0.07", 0.02, 1},
        {"h=0.1", 0.1 + 1e-9, 1}, // within rounding of the grid
        {"h=0.01 formulation=ggl", 0.355, 36},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_sim *sim = runs_start(ctx, &pendulum, list[k].options);
        dal_stop reason = DAL_STOP_EVENT;
        check_ok(ctx, dal_sim_run(sim, &reason, list[k].t_end));
        assert_true(dal_sim_state(sim).t == list[k].t_end);
        assert_int_equal(reason, DAL_STOP_TIME);
        assert_int_equal(dal_sim_stats(sim).steps, list[k].steps);
        // once more to the same time: nothing happens
        check_ok(ctx, dal_sim_run(sim, &reason, list[k].t_end));
        assert_int_equal(dal_sim_stats(sim).steps, list[k].steps);
        dal_sim_destroy(sim);
    }
}

static void a_run_in_parts_on_the_grid_is_the_same_run(void **state)
{
    dal_sim *whole = runs_start(ctx, &top, "h=0.001"), *parts = runs_start(ctx, &top, "h=0.001");
    check_ok(ctx, dal_sim_run(whole, NULL, 0.1));
    for (int i = 0; i < 40; ++i) {
        check_ok(ctx, dal_sim_step(parts));
    }
    check_ok(ctx, dal_sim_run(parts, NULL, 0.06));
    check_ok(ctx, dal_sim_run(parts, NULL, 0.1));
    assert_all_near(dal_sim_state(parts).q, dal_sim_state(whole).q, 7, 1e-14);
    assert_int_equal(dal_sim_stats(parts).steps, 100);
    dal_sim_destroy(whole);
    dal_sim_destroy(parts);
}

static void end_times_that_are_not_finite_are_refused(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "");
    check_fails(ctx, dal_sim_run(sim, NULL, NAN), DAL_EINVAL, "t_end = nan");
    check_fails(ctx, dal_sim_run(sim, NULL, INFINITY), DAL_EINVAL, "t_end = inf");
    dal_sim_destroy(sim);
}

/* Stopping off the grid and going on keeps second order, in lambda too. */
static void off_grid_stops_keep_second_order(void **state)
{
    double h[3], eq[3], el[3], qe[7], le[3];
    const double t_end = 0.1;
    problem_exact(&top, qe, NULL, NULL, le, &t_end, 1);
    for (int k = 0; k < 3; ++k) {
        dal_sim *sim = runs_start(ctx, &top, "");
        h[k] = 2e-3 / (1 << k);
        check_ok(ctx, dal_sim_set_step(sim, h[k]));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, top.q0, top.v0));
        check_ok(ctx, dal_sim_run(sim, NULL, 0.02 + 0.4 * h[k]));
        check_ok(ctx, dal_sim_run(sim, NULL, 0.07 + 0.8 * h[k]));
        check_ok(ctx, dal_sim_run(sim, NULL, t_end));
        eq[k] = dal_distance(top.group, dal_sim_state(sim).q, qe);
        el[k] = check_max_abs_diff(dal_sim_state(sim).la, le, 3);
        dal_sim_destroy(sim);
    }
    assert_true(check_slope(eq, 3) > 1.8 && check_slope(el, 3) > 1.7);
}

/* ---- observers -------------------------------------------------------------------------------- */

typedef struct journal {
    int n, stop_at, fail_at, number;
    int *sequence; /* shared: which observer was called last */
    double t[256];
    dal_ctx *explain;
} journal;

static dal_status observe(dal_sim *sim, const dal_state *s, void *user)
{
    journal *j = user;
    assert_true(s->t == dal_sim_state(sim).t);
    j->t[j->n++] = s->t;
    if (j->sequence) {
        assert_int_equal(*j->sequence, j->number);
        *j->sequence = 1 - j->number;
    }
    if (j->fail_at && j->n == j->fail_at) {
        return j->explain ? dal_fail(j->explain, DAL_EINVAL, "disk full") : DAL_EINVAL;
    }
    return j->stop_at && j->n == j->stop_at ? DAL_RETRY : DAL_OK;
}

static void observers_see_every_state_in_the_order_they_were_added(void **state)
{
    int sequence = 0;
    journal first = {.sequence = &sequence, .number = 0}, second = {.sequence = &sequence, .number = 1};
    const dal_options opt = runs_options(ctx, "h=0.02");
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, pendulum.sys, &opt));
    check_ok(ctx, dal_sim_observe(sim, observe, &first));
    check_ok(ctx, dal_sim_observe(sim, observe, &second));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, pendulum.q0, pendulum.v0));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
    check_ok(ctx, dal_sim_step(sim));
    assert_int_equal(first.n, 7);
    assert_int_equal(second.n, 7);
    for (int i = 0; i < 7; ++i) {
        assert_near(first.t[i], 0.02 * i, 1e-15);
    }
    dal_sim_destroy(sim);
}

static void an_observer_can_stop_the_run_and_it_can_go_on(void **state)
{
    journal j = {.stop_at = 3};
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.02");
    dal_stop reason;
    check_ok(ctx, dal_sim_observe(sim, observe, &j));
    check_ok(ctx, dal_sim_run(sim, &reason, 0.1));
    assert_int_equal(reason, DAL_STOP_OBSERVER);
    assert_near(dal_sim_state(sim).t, 0.06, 1e-15);
    check_ok(ctx, dal_sim_run(sim, &reason, 0.1));
    assert_int_equal(reason, DAL_STOP_TIME);
    assert_true(dal_sim_state(sim).t == 0.1);
    dal_sim_destroy(sim);
}

static void an_observer_that_fails_ends_the_run_with_its_status(void **state)
{
    for (int explained = 0; explained < 2; ++explained) {
        journal j = {.fail_at = 2, .explain = explained ? ctx : NULL};
        dal_sim *sim = runs_start(ctx, &pendulum, "h=0.02");
        check_ok(ctx, dal_sim_observe(sim, observe, &j));
        dal_ctx_clear(ctx);
        check_fails(ctx, dal_sim_run(sim, NULL, 0.1), DAL_EINVAL,
                    explained ? "disk full" : "observer 0 failed at t = 0.04");
        dal_sim_destroy(sim);
    }
}

static dal_status count_point(dal_sim *sim, const dal_point *at, void *user)
{
    ++*(int *)user;
    return DAL_OK;
}

static void observers_and_samplers_are_not_limited(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.02");
    journal j = {0};
    int samples = 0;
    check_fails(ctx, dal_sim_observe(sim, NULL, NULL), DAL_EINVAL, "observer is NULL");
    for (int i = 0; i < 50; ++i) {
        check_ok(ctx, dal_sim_observe(sim, observe, &j));
        check_ok(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.02, .from = 0.02}, count_point, &samples));
    }
    check_ok(ctx, dal_sim_run(sim, NULL, 0.08));
    assert_int_equal(j.n, 4 * 50);
    assert_int_equal(samples, 4 * 50);
    dal_sim_destroy(sim);
}

/* ---- step size and limits --------------------------------------------------------------------- */

static void the_step_size_can_be_changed(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.002");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.02));
    check_ok(ctx, dal_sim_set_step(sim, 0.0005));
    check_ok(ctx, dal_sim_step(sim));
    assert_near(dal_sim_state(sim).t, 0.0205, 1e-16);
    assert_true(dal_sim_state(sim).h == 0.0005);
    check_ok(ctx, dal_sim_run(sim, NULL, 0.03));
    assert_int_equal(dal_sim_stats(sim).steps, 10 + 20);
    assert_true(dal_sim_stats(sim).h_smallest == 0.0005 && dal_sim_stats(sim).h_largest == 0.002);
    check_fails(ctx, dal_sim_set_step(sim, 0.0), DAL_EINVAL, "h = 0 is not a positive");
    check_fails(ctx, dal_sim_set_step(sim, -1.0), DAL_EINVAL, "h = -1");
    check_fails(ctx, dal_sim_set_step(sim, NAN), DAL_EINVAL, "nan");
    check_fails(ctx, dal_sim_set_step(sim, INFINITY), DAL_EINVAL, "inf");
    dal_sim_destroy(sim);
}

static void max_steps_ends_a_run(void **state)
{
    static const char *const options[] = {"h=0.01 max_steps=7",
                                          "h=0.01 max_steps=7 step=adaptive step_rtol=1e-3 h_max=0.01"};
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = runs_start(ctx, &pendulum, options[k]);
        check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_ESTEP, "max_steps = 7 reached at t = ");
        assert_int_equal(dal_sim_stats(sim).steps, 7);
        check_fails(ctx, dal_sim_step(sim), DAL_ESTEP, "max_steps = 7");
        dal_sim_destroy(sim);
        sim = runs_start(ctx, &pendulum, options[k]);
        check_ok(ctx, dal_sim_run(sim, NULL, 0.03));
        dal_sim_destroy(sim);
    }
}

/* ---- queries ---------------------------------------------------------------------------------- */

static void the_reaction_is_minus_B_transposed_lambda(void **state)
{
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        double force[PROBLEM_MAX], B[PROBLEM_MAX * PROBLEM_MAX];
        check_ok(ctx, problem_nth(&p, ctx, k));
        dal_sim *sim = runs_start(ctx, &p, "h=1e-4");
        for (int i = 0; i < 3; ++i) {
            check_ok(ctx, dal_sim_step(sim));
        }
        const dal_state s = dal_sim_state(sim);
        check_ok(ctx, dal_sim_reaction(sim, force));
        if (p.nc > 0) {
            check_ok(ctx, p.dense.B(B, s.t, s.q, p.dense.user));
        }
        for (int j = 0; j < p.nv; ++j) {
            double want = 0.0, size = 0.0;
            for (int i = 0; i < p.nc; ++i) {
                want -= B[i + j * p.nc] * s.la[i];
                size += fabs(B[i + j * p.nc] * s.la[i]);
            }
            assert_near(force[j], want, 1e-14 * size);
        }
        dal_sim_destroy(sim);
        problem_free(&p);
    }
}

static void the_energy_is_that_of_the_system(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.001");
    double energy;
    check_ok(ctx, dal_sim_energy(sim, &energy));
    assert_near(energy, -9.31, 1e-5); // perturbed starting velocity
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    check_ok(ctx, dal_sim_energy(sim, &energy));
    const dal_state s = dal_sim_state(sim);
    assert_near(energy, 0.5 * (s.v[0] * s.v[0] + s.v[1] * s.v[1]) + 9.81 * s.q[1], 1e-15);
    assert_near(energy, -9.31, 1e-4);
    dal_sim_destroy(sim);
    runs_ball ball;
    const double q = 0.0, v = 0.0;
    runs_ball_create(&ball, ctx, 1.0);
    check_ok(ctx, dal_sim_create(&sim, ctx, ball.sys, NULL));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
    check_fails(ctx, dal_sim_energy(sim, &energy), DAL_EINVAL, "no energy callback");
    dal_sim_destroy(sim);
    runs_ball_free(&ball);
}

static void the_residuals_are_those_of_the_formulation(void **state)
{
    double position, velocity;
    dal_sim *sim = runs_start(ctx, &top, "formulation=ggl");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
    check_ok(ctx, dal_sim_residuals(sim, &position, &velocity));
    assert_true(position < 1e-9 && velocity < 1e-6);
    dal_sim_destroy(sim);
    sim = runs_start(ctx, &top, "formulation=index3");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
    check_ok(ctx, dal_sim_residuals(sim, &position, NULL));
    check_ok(ctx, dal_sim_residuals(sim, NULL, &velocity));
    assert_true(position < 1e-9 && velocity > 1e-6); // of order h^2
    check_ok(ctx, dal_sim_project(sim, DAL_PROJECTION_PLAIN));
    check_ok(ctx, dal_sim_residuals(sim, NULL, &velocity));
    assert_true(velocity < 1e-12);
    assert_int_equal(dal_sim_stats(sim).projections, 1);
    dal_sim_destroy(sim);
}

static void the_counters_count(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.001");
    assert_int_equal(dal_sim_stats(sim).steps, 0);
    const long residuals = dal_sim_stats(sim).residuals;
    check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
    const dal_stats s = dal_sim_stats(sim);
    assert_int_equal(s.steps, 100);
    assert_int_equal(s.rejected, 0);
    assert_in_range(s.newton_iterations, 100, 400);
    assert_in_range(s.jacobians, 100, s.newton_iterations);
    assert_int_equal(s.jacobians, s.factorisations);
    assert_in_range(s.residuals - residuals, s.newton_iterations - 100, s.newton_iterations + 100);
    assert_true(s.max_newton_residual > 0.0 && s.max_newton_residual < 1e-10);
    assert_true(s.h_smallest == 0.001 && s.h_largest == 0.001);
    const double condition = dal_sim_condition(sim);
    assert_true(condition >= 1.0 && isfinite(condition) && dal_sim_stats(sim).condition == condition);
    dal_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_ends_exactly_at_t_end),
        cmocka_unit_test(a_run_in_parts_on_the_grid_is_the_same_run),
        cmocka_unit_test(end_times_that_are_not_finite_are_refused),
        cmocka_unit_test(off_grid_stops_keep_second_order),
        cmocka_unit_test(observers_see_every_state_in_the_order_they_were_added),
        cmocka_unit_test(an_observer_can_stop_the_run_and_it_can_go_on),
        cmocka_unit_test(an_observer_that_fails_ends_the_run_with_its_status),
        cmocka_unit_test(observers_and_samplers_are_not_limited),
        cmocka_unit_test(the_step_size_can_be_changed),
        cmocka_unit_test(max_steps_ends_a_run),
        cmocka_unit_test(the_reaction_is_minus_B_transposed_lambda),
        cmocka_unit_test(the_energy_is_that_of_the_system),
        cmocka_unit_test(the_residuals_are_those_of_the_formulation),
        cmocka_unit_test(the_counters_count),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
