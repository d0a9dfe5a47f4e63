/* Initial values: made consistent with a report, refused, or taken as they are. */
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

static dal_sim *create(const problem *p, const char *options)
{
    const dal_options opt = runs_options(ctx, options);
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, p->sys, &opt));
    return sim;
}

/* Off the circle and not along it. */
static const double off_q[2] = {0.1, -0.9}, off_v[2] = {1.0, 0.5};

static void inconsistent_values_are_projected_with_a_report(void **state)
{
    dal_sim *sim = create(&pendulum, "starting=naive");
    dal_initial_report report;
    double position, velocity;
    check_ok(ctx, dal_sim_start(sim, &report, 0.0, off_q, off_v));
    assert_near(report.position_residual, 0.09, 1e-15);
    assert_near(report.velocity_residual, 0.35, 1e-15);
    // unit masses: straight to the nearest point of the circle, then the radial velocity goes
    const double r = hypot(off_q[0], off_q[1]);
    const dal_state s = dal_sim_state(sim);
    assert_near(s.q[0], off_q[0] / r, 2e-3);
    assert_near(report.position_moved, hypot(s.q[0] - off_q[0], s.q[1] - off_q[1]), 1e-15);
    assert_near(report.position_moved, 1.0 - r, 1e-4);
    assert_near(report.velocity_moved, fabs(s.q[0] * off_v[0] + s.q[1] * off_v[1]), 1e-14);
    check_ok(ctx, dal_sim_residuals(sim, &position, &velocity));
    assert_true(position <= 1e-15 && velocity <= 1e-15);
    dal_sim_destroy(sim);
}

static void consistent_values_stay(void **state)
{
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        dal_initial_report report;
        check_ok(ctx, problem_nth(&p, ctx, k));
        dal_sim *sim = create(&p, "starting=naive");
        check_ok(ctx, dal_sim_start(sim, &report, 0.0, p.q0, p.v0));
        const dal_state s = dal_sim_state(sim);
        const double speed = 1.0 + check_max_abs(p.v0, p.nv);
        assert_all_near(s.q, p.q0, p.nq, 1e-12);
        assert_all_near(s.v, p.v0, p.nv, 1e-12 * speed);
        assert_true(report.position_residual <= 1e-12 && report.velocity_residual <= 1e-12 * speed);
        assert_true(report.position_moved <= 1e-12 && report.velocity_moved <= 1e-12 * speed);
        dal_sim_destroy(sim);
        problem_free(&p);
    }
}

static void initial_accelerations_and_multipliers_are_those_of_the_motion(void **state)
{
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        const double zero = 0.0;
        double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX];
        check_ok(ctx, problem_nth(&p, ctx, k));
        dal_sim *sim = runs_start(ctx, &p, "");
        problem_exact(&p, q, v, vd, la, &zero, 1);
        const dal_state s = dal_sim_state(sim);
        assert_true(s.t == 0.0 && s.h == 0.0);
        assert_all_near(s.vd, vd, p.nv, 1e-9 * (1.0 + check_max_abs(vd, p.nv)));
        assert_all_near(s.la, la, p.nc, 1e-9 * (1.0 + check_max_abs(la, p.nc)));
        dal_sim_destroy(sim);
        problem_free(&p);
    }
}

static void strict_refuses_inconsistent_values(void **state)
{
    dal_sim *sim = create(&pendulum, "initial=strict");
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, off_q, off_v), DAL_EINITIAL, "|Phi| = 9.000e-02");
    check_fails(ctx, dal_ctx_status(ctx), DAL_EINITIAL, "|B v + Phi_t| = 3.500e-01");
    check_fails(ctx, dal_ctx_status(ctx), DAL_EINITIAL, "initial = project");
    check_fails(ctx, dal_sim_step(sim), DAL_EINVAL, "call dal_sim_start first");
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, pendulum.q0, pendulum.v0));
    dal_sim_destroy(sim);
    sim = create(&pendulum, "initial=strict initial_tol=1");
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, off_q, off_v));
    dal_sim_destroy(sim);
}

static void accept_takes_values_as_they_are(void **state)
{
    dal_sim *sim = create(&pendulum, "initial=accept starting=naive");
    dal_initial_report report;
    check_ok(ctx, dal_sim_start(sim, &report, 0.0, off_q, off_v));
    const dal_state s = dal_sim_state(sim);
    assert_memory_equal(s.q, off_q, sizeof off_q);
    assert_memory_equal(s.v, off_v, sizeof off_v);
    assert_near(report.position_residual, 0.09, 1e-15);
    assert_true(report.position_moved == 0.0 && report.velocity_moved == 0.0);
    dal_sim_destroy(sim);
}

static void a_quaternion_far_from_unit_length_is_refused(void **state)
{
    dal_sim *sim = create(&top, "");
    double q[7];
    memcpy(q, top.q0, sizeof q);
    for (int i = 3; i < 7; ++i) {
        q[i] *= 1.001;
    }
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, q, top.v0), DAL_EINITIAL, "off unit length by 1.00e-03");
    check_fails(ctx, dal_ctx_status(ctx), DAL_EINITIAL, "factor 0 (R^3 x SO(3))");
    dal_sim_destroy(sim);
}

static void a_quaternion_close_to_unit_length_is_normalised(void **state)
{
    dal_sim *sim = create(&top, "initial=accept starting=naive");
    double q[7];
    memcpy(q, top.q0, sizeof q);
    for (int i = 3; i < 7; ++i) {
        q[i] *= 1.0 + 1e-8;
    }
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, top.v0));
    assert_true(dal_defect(top.group, dal_sim_state(sim).q) <= 2.3e-16);
    dal_sim_destroy(sim);
}

static void values_that_are_not_finite_are_named(void **state)
{
    dal_sim *sim = create(&pendulum, "");
    const double bad_q[2] = {0.0, NAN}, bad_v[2] = {INFINITY, 0.0};
    check_fails(ctx, dal_sim_start(sim, NULL, NAN, pendulum.q0, pendulum.v0), DAL_EINITIAL, "initial time");
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, bad_q, pendulum.v0), DAL_EINITIAL, "q[1] = nan");
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, pendulum.q0, bad_v), DAL_EINITIAL, "v[0] = inf");
    dal_sim_destroy(sim);
}

static void a_new_start_forgets_everything(void **state)
{
    static const char *const options[] = {"", "newton=modified", "formulation=ggl", "step=adaptive"};
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *once = runs_start(ctx, &top, options[k]);
        check_ok(ctx, dal_sim_run(once, NULL, 0.05));
        dal_sim *twice = runs_start(ctx, &top, options[k]);
        check_ok(ctx, dal_sim_run(twice, NULL, 0.03));
        check_ok(ctx, dal_sim_start(twice, NULL, 0.0, top.q0, top.v0));
        assert_int_equal(dal_sim_stats(twice).steps, 0);
        check_ok(ctx, dal_sim_run(twice, NULL, 0.05));
        assert_memory_equal(dal_sim_state(once).q, dal_sim_state(twice).q, 7 * sizeof(double));
        assert_memory_equal(dal_sim_state(once).v, dal_sim_state(twice).v, 6 * sizeof(double));
        assert_memory_equal(dal_sim_state(once).la, dal_sim_state(twice).la, 3 * sizeof(double));
        dal_sim_destroy(once);
        dal_sim_destroy(twice);
    }
}

static void a_start_that_fails_keeps_the_state_before(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "initial=strict");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.01));
    double q[2];
    memcpy(q, dal_sim_state(sim).q, sizeof q);
    check_fails(ctx, dal_sim_start(sim, NULL, 5.0, off_q, off_v), DAL_EINITIAL, "start at t = 5");
    assert_true(dal_sim_state(sim).t == 0.01);
    assert_memory_equal(dal_sim_state(sim).q, q, sizeof q);
    check_ok(ctx, dal_sim_step(sim));
    dal_sim_destroy(sim);
}

static void before_the_start_there_is_nothing_to_ask(void **state)
{
    dal_sim *sim = create(&pendulum, "");
    double x[8];
    check_fails(ctx, dal_sim_step(sim), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_reaction(sim, x), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_residuals(sim, x, x), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_energy(sim, x), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_interpolate(sim, x, x, x, 0.0), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_project(sim, DAL_PROJECTION_PLAIN), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_set_step(sim, 0.1), DAL_EINVAL, "dal_sim_start first");
    check_fails(ctx, dal_sim_save(sim, x, sizeof x), DAL_EINVAL, "dal_sim_start first");
    dal_sim_destroy(sim);
    dal_sim_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inconsistent_values_are_projected_with_a_report),
        cmocka_unit_test(consistent_values_stay),
        cmocka_unit_test(initial_accelerations_and_multipliers_are_those_of_the_motion),
        cmocka_unit_test(strict_refuses_inconsistent_values),
        cmocka_unit_test(accept_takes_values_as_they_are),
        cmocka_unit_test(a_quaternion_far_from_unit_length_is_refused),
        cmocka_unit_test(a_quaternion_close_to_unit_length_is_normalised),
        cmocka_unit_test(values_that_are_not_finite_are_named),
        cmocka_unit_test(a_new_start_forgets_everything),
        cmocka_unit_test(a_start_that_fails_keeps_the_state_before),
        cmocka_unit_test(before_the_start_there_is_nothing_to_ask),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
