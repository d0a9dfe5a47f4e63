/* Step size control: retries, limits, and steps where the forces ask for them. */
#include <math.h>
#include <string.h>

#include "faulty.h"
#include "set_up.h"
#include "support/check.h"

/* ---- a particle on a line with a force of one's choice ----------------------------------------- */

typedef struct particle {
    dal_group *group;
    dal_system *sys;
    double (*force)(double t, double t_accepted);
    double t_accepted; /* end of the last accepted step */
    double longest;    /* steps beyond this are refused with DAL_RETRY */
} particle;

static dal_status particle_M(double *M, double t, const double *q, void *user)
{
    M[0] = 1.0;
    return DAL_OK;
}

static dal_status particle_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const particle *p = user;
    if (t - p->t_accepted > p->longest) {
        return DAL_RETRY;
    }
    g[0] = -p->force(t, p->t_accepted);
    return DAL_OK;
}

static dal_status note_time(dal_sim *sim, const dal_state *s, void *user)
{
    ((particle *)user)->t_accepted = s->t;
    return DAL_OK;
}

static dal_sim *particle_start(particle *p, const char *options)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 1};
    const dal_options opt = runs_options(ctx, options);
    const double q = 0.0, v = 1.0;
    dal_sim *sim;
    check_ok(ctx, dal_group_create(&p->group, ctx, &spec, 1));
    const dal_dense d = {.group = p->group, .user = p, .M = particle_M, .g = particle_g};
    check_ok(ctx, dal_dense_create(&p->sys, ctx, &d));
    check_ok(ctx, dal_sim_create(&sim, ctx, p->sys, &opt));
    check_ok(ctx, dal_sim_observe(sim, note_time, p));
    const double longest = p->longest;
    p->longest = INFINITY; // the starting values look ahead
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
    p->longest = longest;
    return sim;
}

static void particle_free(particle *p, dal_sim *sim)
{
    dal_sim_destroy(sim);
    dal_dense_destroy(p->sys);
    dal_group_destroy(p->group);
}

static double no_force(double t, double t_accepted)
{
    return 0.0;
}

static double sudden(double t, double t_accepted)
{
    return t > 0.5 ? 100.0 : 0.0;
}

/* ---- retries ---------------------------------------------------------------------------------- */

static void a_callback_that_asks_for_smaller_steps_gets_them(void **state)
{
    particle p = {.force = no_force, .longest = 0.021};
    dal_sim *sim = particle_start(&p, "step=adaptive h=0.4");
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    const dal_stats s = dal_sim_stats(sim);
    assert_true(dal_sim_state(sim).t == 1.0);
    assert_near(dal_sim_state(sim).q[0], 1.0, 1e-12);
    assert_true(s.rejected >= 3 && s.h_largest <= 0.021 * (1.0 + 1e-12));
    particle_free(&p, sim);
}

static void newton_that_does_not_converge_is_retried_with_smaller_steps(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "step=adaptive h=0.05 max_iterations=3 step_rtol=1 line_search=no");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.2));
    assert_true(dal_sim_stats(sim).rejected > 0);
    assert_true(dal_sim_stats(sim).h_smallest < 0.02);
    dal_sim_destroy(sim);
}

static void failures_that_no_step_size_can_help_end_the_run_at_once(void **state)
{
    faulty f;
    faulty_create(&f, ctx);
    const dal_options opt = runs_options(ctx, "step=adaptive h=0.01");
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, f.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, f.p.q0, f.p.v0));
    f.which = FAULTY_G;
    f.from = 0.0;
    f.status = DAL_EINVAL;
    check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_EINVAL, "a smaller step will not help");
    assert_int_equal(dal_sim_stats(sim).rejected, 0);
    dal_sim_destroy(sim);
    faulty_free(&f);
}

/* ---- limits ----------------------------------------------------------------------------------- */

/* Also at t = 0, where rounding of t gives no smallest step. */
static void retries_end_at_the_smallest_step(void **state)
{
    static const char *const options[] = {"step=adaptive h=0.01 h_min=1e-4", "step=adaptive h=0.01"};
    static const double from[] = {0.0, 0.25};
    for (size_t k = 0; k < LEN(options); ++k) {
        for (size_t i = 0; i < LEN(from); ++i) {
            faulty f;
            faulty_create(&f, ctx);
            const dal_options opt = runs_options(ctx, options[k]);
            dal_sim *sim;
            check_ok(ctx, dal_sim_create(&sim, ctx, f.sys, &opt));
            check_ok(ctx, dal_sim_start(sim, NULL, 0.0, f.p.q0, f.p.v0));
            f.which = FAULTY_G;
            f.from = from[i];
            f.status = DAL_RETRY;
            check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_RETRY, "h fell below h_min");
            check_fails(ctx, dal_ctx_status(ctx), DAL_RETRY, "callback g");
            assert_true(dal_sim_state(sim).t <= from[i] && dal_sim_state(sim).t >= from[i] - 1e-3);
            assert_in_range(dal_sim_stats(sim).rejected, 3, 60);
            dal_sim_destroy(sim);
            faulty_free(&f);
        }
    }
}

static void a_tolerance_that_needs_steps_below_h_min_says_so(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "step=adaptive h=0.001 h_min=5e-4 step_rtol=1e-9 step_atol=1e-12");
    check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_ESTEP, "the error tolerance needs h < 5.000e-04 (h_min)");
    check_fails(ctx, dal_ctx_status(ctx), DAL_ESTEP, "Loosen step_rtol");
    check_fails(ctx, dal_ctx_status(ctx), DAL_ESTEP, "step 1 from t = 0");
    assert_true(dal_sim_state(sim).t == 0.0);
    dal_sim_destroy(sim);
}

static double blowing_up(double t, double t_accepted)
{
    return 1.0 / ((0.1 - t) * (0.1 - t));
}

/* Each step towards a force without bound is accepted and asks for a smaller one. */
static void steps_that_shrink_without_end_stop_before_rounding_does(void **state)
{
    particle p = {.force = blowing_up, .longest = INFINITY};
    dal_sim *sim = particle_start(&p, "step=adaptive h=0.01 step_rtol=1e-3");
    check_fails(ctx, dal_sim_run(sim, NULL, 0.2), DAL_ESTEP, "the error tolerance needs h <");
    assert_near(dal_sim_state(sim).t, 0.1, 1e-12);
    assert_true(dal_sim_stats(sim).h_smallest >= 8.0 * 2.2e-16 * 0.0999);
    particle_free(&p, sim);
    // and no accepted step is shorter than what was asked for
    sim = particle_start(&p, "step=adaptive h=0.01 step_rtol=1e-3 h_min=1e-6");
    check_fails(ctx, dal_sim_run(sim, NULL, 0.2), DAL_ESTEP, "the error tolerance needs h < 1.000e-06 (h_min)");
    assert_true(dal_sim_stats(sim).h_smallest >= 1e-6);
    particle_free(&p, sim);
}

static void no_step_is_longer_than_h_max(void **state)
{
    particle p = {.force = no_force, .longest = INFINITY};
    dal_sim *sim = particle_start(&p, "step=adaptive h=0.5 h_max=0.03");
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    assert_true(dal_sim_stats(sim).h_largest <= 0.03);
    for (int i = 0; i < 5; ++i) {
        check_ok(ctx, dal_sim_step(sim));
    }
    check_ok(ctx, dal_sim_set_step(sim, 0.2));
    check_ok(ctx, dal_sim_step(sim));
    assert_true(dal_sim_stats(sim).h_largest <= 0.03);
    particle_free(&p, sim);
}

static void a_run_ends_exactly_at_t_end_without_a_tiny_last_step(void **state)
{
    static const double t_end[] = {0.1, 0.123456789, 0.5, 0.500001};
    for (size_t k = 0; k < LEN(t_end); ++k) {
        dal_sim *sim = runs_start(ctx, &top, "step=adaptive");
        check_ok(ctx, dal_sim_run(sim, NULL, t_end[k]));
        assert_true(dal_sim_state(sim).t == t_end[k]);
        assert_true(dal_sim_state(sim).h > 1e-5);
        dal_sim_destroy(sim);
    }
}

/* ---- error control ---------------------------------------------------------------------------- */

static void a_sudden_force_is_met_with_small_steps(void **state)
{
    particle p = {.force = sudden, .longest = INFINITY};
    dal_sim *sim = particle_start(&p, "step=adaptive h=0.05 h_max=0.05 step_rtol=1e-4");
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    const dal_stats s = dal_sim_stats(sim);
    assert_true(s.rejected > 0 && s.h_smallest < 0.01);
    // v = 1 + 100 (t - 0.5), q = t + 50 (t - 0.5)^2
    assert_near(dal_sim_state(sim).v[0], 51.0, 0.05);
    assert_near(dal_sim_state(sim).q[0], 13.5, 0.05);
    particle_free(&p, sim);
    // a fixed step of the longest size does not see it
    sim = particle_start(&p, "h=0.05");
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    assert_true(fabs(dal_sim_state(sim).v[0] - 51.0) > 0.5);
    particle_free(&p, sim);
}

static void tighter_tolerances_give_smaller_errors(void **state)
{
    const double t_end = 0.5;
    double qe[7], error[4], before = INFINITY;
    static const char *const options[] = {"step=adaptive step_rtol=1e-3", "step=adaptive step_rtol=1e-4",
                                          "step=adaptive step_rtol=1e-5", "step=adaptive step_rtol=1e-6"};
    problem_exact(&top, qe, NULL, NULL, NULL, &t_end, 1);
    long steps = 0;
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = runs_start(ctx, &top, options[k]);
        check_ok(ctx, dal_sim_run(sim, NULL, t_end));
        error[k] = dal_distance(top.group, dal_sim_state(sim).q, qe);
        assert_true(error[k] < 0.3 * before);
        assert_true(dal_sim_stats(sim).steps > 2 * steps);
        before = error[k];
        steps = dal_sim_stats(sim).steps;
        dal_sim_destroy(sim);
    }
}

static void a_first_step_that_is_far_too_long_is_shortened(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "step=adaptive h=0.1");
    check_ok(ctx, dal_sim_step(sim));
    assert_true(dal_sim_stats(sim).rejected > 0);
    assert_true(dal_sim_state(sim).t < 0.02);
    dal_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_that_asks_for_smaller_steps_gets_them),
        cmocka_unit_test(newton_that_does_not_converge_is_retried_with_smaller_steps),
        cmocka_unit_test(failures_that_no_step_size_can_help_end_the_run_at_once),
        cmocka_unit_test(retries_end_at_the_smallest_step),
        cmocka_unit_test(a_tolerance_that_needs_steps_below_h_min_says_so),
        cmocka_unit_test(steps_that_shrink_without_end_stop_before_rounding_does),
        cmocka_unit_test(no_step_is_longer_than_h_max),
        cmocka_unit_test(a_run_ends_exactly_at_t_end_without_a_tiny_last_step),
        cmocka_unit_test(a_sudden_force_is_met_with_small_steps),
        cmocka_unit_test(tighter_tolerances_give_smaller_errors),
        cmocka_unit_test(a_first_step_that_is_far_too_long_is_shortened),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
