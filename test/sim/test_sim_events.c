/* Events: located on the interpolant, in order, with a change of state where asked for. */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static dal_ctx *ctx;
static runs_ball ball;

static int set_up(void **state)
{
    ctx = check_ctx();
    runs_ball_create(&ball, ctx, 10.0);
    return 0;
}

static int tear_down(void **state)
{
    runs_ball_free(&ball);
    check_ctx_free(ctx);
    return 0;
}

static const double top_q = 1.0, top_v = 0.0;

static dal_sim *start_ball(const char *options)
{
    const dal_options opt = runs_options(ctx, options);
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, ball.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &top_q, &top_v));
    return sim;
}

/* Height above the level that `user` points to. */
static double height(double t, const double *q, const double *v, void *user)
{
    return q[0] - *(const double *)user;
}

/* ---- impacts ---------------------------------------------------------------------------------- */

typedef struct impacts {
    double floor; /* first: the level of `height` */
    int n;
    double t[16], speed[16];
} impacts;

static dal_status bounce(double t, double *q, double *v, void *user)
{
    impacts *im = user;
    im->t[im->n] = t;
    im->speed[im->n++] = -v[0];
    v[0] *= -0.8;
    return DAL_OK;
}

static void a_bouncing_particle_lands_at_the_analytic_times(void **state)
{
    static const char *const options[] = {"h=0.01", "h=0.0137 newton=modified", "h=0.01 step=adaptive h_max=0.1",
                                          "h=0.02 rho_inf=0.5 starting=naive"};
    for (size_t k = 0; k < LEN(options); ++k) {
        impacts im = {0};
        dal_sim *sim = start_ball(options[k]);
        const dal_event event = {height, bounce, -1, DAL_EVENT_RESTART, &im};
        dal_stop reason;
        check_ok(ctx, dal_sim_event(sim, &event));
        check_ok(ctx, dal_sim_run(sim, &reason, 3.0));
        assert_int_equal(reason, DAL_STOP_TIME);
        assert_true(dal_sim_state(sim).t == 3.0);
        // t_1 = sqrt(2/g), then flights of 2 v/g with v falling by 0.8 each time
        double t = sqrt(0.2), v = 10.0 * t;
        assert_in_range(im.n, 5, 9);
        for (int i = 0; i < im.n; ++i) {
            assert_near(im.t[i], t, 1e-11);
            assert_near(im.speed[i], v, 1e-10);
            v *= 0.8;
            t += 2.0 * v / 10.0;
        }
        assert_true(t > 3.0);
        dal_sim_destroy(sim);
    }
}

static void the_direction_selects_crossings(void **state)
{
    for (int direction = -1; direction <= 1; ++direction) {
        // thrown upwards from 0, it passes 0.5 upwards and downwards
        double level = 0.5;
        const double q = 0.0, v = 4.0;
        dal_sim *sim = start_ball("h=0.03");
        const dal_event event = {height, NULL, direction, DAL_EVENT_STOP, &level};
        dal_stop reason;
        check_ok(ctx, dal_sim_event(sim, &event));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
        check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
        assert_int_equal(reason, DAL_STOP_EVENT);
        assert_int_equal(dal_sim_event_index(sim), 0);
        const double up = 0.4 - sqrt(0.06), down = 0.4 + sqrt(0.06);
        assert_near(dal_sim_state(sim).t, direction >= 0 ? up : down, 1e-12);
        assert_near(dal_sim_state(sim).q[0], 0.5, 1e-12);
        // going on from there: the other crossing, if it counts
        check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
        assert_int_equal(reason, direction == 0 ? DAL_STOP_EVENT : DAL_STOP_TIME);
        assert_int_equal(dal_sim_event_index(sim), direction == 0 ? 0 : -1);
        assert_near(dal_sim_state(sim).t, direction == 0 ? down : 1.0, 1e-12);
        dal_sim_destroy(sim);
    }
}

/* ---- location --------------------------------------------------------------------------------- */

static double first_coordinate(double t, const double *q, const double *v, void *user)
{
    return q[0];
}

/* Time at which the pendulum from x0 = 0.2 comes back to its lowest point. */
static double exact_crossing(const problem *p)
{
    double lo = 0.2, hi = 0.8;
    for (int it = 0; it < 60; ++it) {
        const double mid = 0.5 * (lo + hi);
        double q[2];
        problem_exact(p, q, NULL, NULL, NULL, &mid, 1);
        *(q[0] > 0.0 ? &lo : &hi) = mid;
    }
    return lo;
}

/* The interpolant adds no error of its own order: the time is as good as the integration, h^2. */
static void a_stop_at_the_lowest_point_is_located_with_second_order(void **state)
{
    problem p;
    double h[4], error[4];
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    const double want = exact_crossing(&p);
    for (int k = 0; k < 4; ++k) {
        dal_sim *sim = runs_start(ctx, &p, "");
        dal_stop reason;
        h[k] = 0.02 / (1 << k);
        check_ok(ctx, dal_sim_set_step(sim, h[k]));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        check_ok(ctx, dal_sim_event(sim, &(dal_event){first_coordinate, NULL, -1, DAL_EVENT_STOP, NULL}));
        check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
        assert_int_equal(reason, DAL_STOP_EVENT);
        error[k] = fabs(dal_sim_state(sim).t - want);
        // the state is on the constraint and on the event
        double position;
        check_ok(ctx, dal_sim_residuals(sim, &position, NULL));
        assert_true(position <= 1e-14);
        assert_near(dal_sim_state(sim).q[0], 0.0, 1e-7);
        dal_sim_destroy(sim);
    }
    check_slopes(h, error, 4, 2.0, 0.3);
    assert_near(error[3], 0.0, 5e-6);
    problem_free(&p);
}

static void the_earliest_of_several_events_in_a_step_wins(void **state)
{
    // falls from 1; h = 0.4 passes all three levels in the first step
    double level[3] = {0.5, 0.9, 0.7};
    static const int order[3] = {1, 2, 0};
    dal_sim *sim = start_ball("h=0.4");
    for (int i = 0; i < 3; ++i) {
        check_ok(ctx, dal_sim_event(sim, &(dal_event){height, NULL, 0, DAL_EVENT_STOP, &level[i]}));
    }
    for (int i = 0; i < 3; ++i) {
        dal_stop reason;
        check_ok(ctx, dal_sim_run(sim, &reason, 2.0));
        assert_int_equal(reason, DAL_STOP_EVENT);
        assert_int_equal(dal_sim_event_index(sim), order[i]);
        assert_near(dal_sim_state(sim).t, sqrt(0.2 * (1.0 - level[order[i]])), 1e-12);
    }
    check_ok(ctx, dal_sim_run(sim, NULL, 2.0));
    assert_int_equal(dal_sim_event_index(sim), -1);
    dal_sim_destroy(sim);
}

static dal_status count_up(double t, double *q, double *v, void *user)
{
    ++*(int *)user;
    return DAL_OK;
}

static double landed(double t, const double *q, const double *v, void *user)
{
    return q[0];
}

static void events_at_the_same_time_happen_together(void **state)
{
    int first = 0, second = 0;
    dal_sim *sim = start_ball("h=0.01");
    const dal_event a = {landed, count_up, -1, DAL_EVENT_RESTART, &first};
    const dal_event b = {landed, count_up, -1, DAL_EVENT_STOP, &second};
    dal_stop reason;
    check_ok(ctx, dal_sim_event(sim, &a));
    check_ok(ctx, dal_sim_event(sim, &b));
    check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
    assert_int_equal(reason, DAL_STOP_EVENT);
    assert_int_equal(dal_sim_event_index(sim), 1); // the one that ended the run
    assert_int_equal(first, 1);
    assert_int_equal(second, 1);
    dal_sim_destroy(sim);
}

/* Hops get shorter than the steps are apart: an impact within the step after an impact is seen. */
static void an_impact_right_after_an_impact_is_seen(void **state)
{
    impacts im = {0};
    const double q = 0.0005, v = 0.0; // falls for 0.01, flies for 0.016, 0.0128, ... at h = 0.01
    dal_sim *sim = start_ball("h=0.015");
    const dal_event event = {height, bounce, -1, DAL_EVENT_RESTART, &im};
    check_ok(ctx, dal_sim_event(sim, &event));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
    double t = 0.01, speed = 0.1;
    assert_in_range(im.n, 4, 16);
    for (int i = 0; i < 4; ++i) {
        assert_near(im.t[i], t, 1e-10);
        speed *= 0.8;
        t += 2.0 * speed / 10.0;
    }
    dal_sim_destroy(sim);
}

static dal_status stick(double t, double *q, double *v, void *user)
{
    ((impacts *)user)->n++;
    v[0] = 0.0;
    return DAL_OK;
}

static double speed(double t, const double *q, const double *v, void *user)
{
    return v[0] + 2.0;
}

static dal_status count(double t, double *q, double *v, void *user)
{
    impacts *im = user;
    im->t[im->n++ % (int)LEN(im->t)] = t;
    return DAL_OK;
}

/* After an event at which it comes to rest, only the acceleration tells to which side a value goes: the particle falls
 * through the level it was stopped at, and that is no crossing. Nor is a speed that passes a value crossing it twice. */
static void an_event_that_leaves_by_its_acceleration_happens_once(void **state)
{
    static const int direction[] = {-1, 0};
    for (size_t k = 0; k < LEN(direction); ++k) {
        impacts im = {0};
        dal_sim *sim = start_ball("h=0.05");
        check_ok(ctx, dal_sim_event(sim, &(dal_event){height, stick, direction[k], DAL_EVENT_RESTART, &im}));
        check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
        assert_int_equal(im.n, 1);
        assert_near(dal_sim_state(sim).q[0], -5.0 * (1.0 - sqrt(0.2)) * (1.0 - sqrt(0.2)), 1e-9);
        dal_sim_destroy(sim);
        im = (impacts){0};
        sim = start_ball("h=0.05");
        check_ok(ctx, dal_sim_event(sim, &(dal_event){speed, count, direction[k], DAL_EVENT_RESTART, &im}));
        check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
        assert_int_equal(im.n, 1);
        assert_near(im.t[0], 0.2, 1e-12);
        dal_sim_destroy(sim);
    }
}

static void an_event_that_is_zero_at_the_start_has_to_be_left_first(void **state)
{
    double level = 1.0; // where the ball starts
    const double q = 1.0, v = 5.0;
    dal_sim *sim = start_ball("h=0.03");
    check_ok(ctx, dal_sim_event(sim, &(dal_event){height, NULL, 0, DAL_EVENT_STOP, &level}));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
    check_ok(ctx, dal_sim_run(sim, NULL, 2.0));
    assert_near(dal_sim_state(sim).t, 1.0, 1e-12); // up and down again
    dal_sim_destroy(sim);
}

static void a_crossing_exactly_at_the_end_of_a_step_counts_once(void **state)
{
    // v = 10 t: the level is the height after exactly 4 steps
    double level = 1.0 - 5.0 * 0.25 * 0.25;
    int count = 0;
    dal_sim *sim = start_ball("h=0.0625");
    check_ok(ctx, dal_sim_event(sim, &(dal_event){height, NULL, 0, DAL_EVENT_STOP, &level}));
    for (int i = 0; i < 3; ++i) {
        dal_stop reason;
        check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
        count += reason == DAL_STOP_EVENT;
        if (reason == DAL_STOP_EVENT) {
            assert_near(dal_sim_state(sim).t, 0.25, 1e-12);
        }
    }
    assert_int_equal(count, 1);
    dal_sim_destroy(sim);
}

/* ---- restarts --------------------------------------------------------------------------------- */

static dal_status kick(double t, double *q, double *v, void *user)
{
    q[1] -= 0.05; // off the circle
    v[0] += 1.0;
    v[1] += 2.0; // not along it
    return DAL_OK;
}

static void a_changed_state_is_made_consistent(void **state)
{
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    dal_sim *sim = runs_start(ctx, &p, "h=0.01 starting=naive");
    check_ok(ctx, dal_sim_event(sim, &(dal_event){first_coordinate, kick, -1, DAL_EVENT_RESTART, NULL}));
    while (dal_sim_event_index(sim) < 0) {
        check_ok(ctx, dal_sim_step(sim));
    }
    double position, velocity, force[2];
    check_ok(ctx, dal_sim_residuals(sim, &position, &velocity));
    assert_true(position <= 1e-14 && velocity <= 1e-14);
    // equilibrium holds with the new multiplier: lambda = v^2 + g cos at the lowest point
    const dal_state s = dal_sim_state(sim);
    assert_near(s.la[0], s.v[0] * s.v[0] + s.v[1] * s.v[1] - 9.81 * s.q[1], 1e-12);
    check_ok(ctx, dal_sim_reaction(sim, force));
    assert_near(s.vd[1], force[1] - 9.81, 1e-12);
    dal_sim_destroy(sim);
    problem_free(&p);
}

static dal_status refuse(double t, double *q, double *v, void *user)
{
    return DAL_RETRY;
}

static dal_status give_reason(double t, double *q, double *v, void *user)
{
    return dal_fail(user, DAL_EINVAL, "the floor is gone");
}

static double level_zero(double t, const double *q, const double *v, void *user)
{
    return q[0];
}

static void a_change_that_fails_is_reported_with_event_and_time(void **state)
{
    dal_sim *sim = start_ball("h=0.01");
    check_ok(ctx, dal_sim_event(sim, &(dal_event){level_zero, refuse, 0, DAL_EVENT_RESTART, NULL}));
    check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_ECALLBACK, "event 0, change at t = 0.447213595");
    dal_sim_destroy(sim);
    sim = start_ball("h=0.01");
    check_ok(ctx, dal_sim_event(sim, &(dal_event){level_zero, give_reason, 0, DAL_EVENT_STOP, ctx}));
    check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_EINVAL, "the floor is gone");
    dal_sim_destroy(sim);
}

/* The part of the step before the event is still there, also when the event changed v. */
static void the_step_before_an_event_can_be_interpolated(void **state)
{
    for (int stop = 0; stop < 2; ++stop) {
        impacts im = {0};
        dal_sim *sim = start_ball("h=0.1");
        check_ok(ctx,
                 dal_sim_event(sim, &(dal_event){height, bounce, -1, stop ? DAL_EVENT_STOP : DAL_EVENT_RESTART, &im}));
        while (dal_sim_event_index(sim) < 0) {
            check_ok(ctx, dal_sim_step(sim));
        }
        for (int i = 0; i < 5; ++i) {
            const double t = 0.4 + 0.009 * i;
            double q, v;
            check_ok(ctx, dal_sim_interpolate(sim, &q, &v, NULL, t));
            assert_near(q, 1.0 - 5.0 * t * t, 1e-12);
            assert_near(v, -10.0 * t, 1e-11);
        }
        double q;
        check_fails(ctx, dal_sim_interpolate(sim, &q, NULL, NULL, 0.46), DAL_EINVAL, "not within the last step");
        dal_sim_destroy(sim);
    }
}

/* ---- events that fail ------------------------------------------------------------------------- */

typedef struct faulty_floor {
    double level; /* first: of `height` */
    int in_value; /* the value is not a number the first time below the floor; else the change fails the first time */
    int failed, samples;
} faulty_floor;

static double faulty_height(double t, const double *q, const double *v, void *user)
{
    faulty_floor *f = user;
    const int fails = f->in_value && q[0] < 0.0 && !f->failed;
    f->failed |= fails;
    return fails ? (double)NAN : q[0];
}

static dal_status faulty_bounce(double t, double *q, double *v, void *user)
{
    faulty_floor *f = user;
    if (!f->in_value && !f->failed) {
        f->failed = 1;
        v[0] = 77.0; // must not show
        return DAL_ECALLBACK;
    }
    v[0] = -v[0];
    return DAL_OK;
}

static dal_status count_sample(dal_sim *sim, const dal_point *at, void *user)
{
    faulty_floor *f = user;
    assert_near(at->t, 0.05 * f->samples, 1e-12);
    f->samples++;
    return DAL_OK;
}

/* The ball falls from 1 with g = 10 and bounces at sqrt(0.2). A callback that fails there leaves the state before; the run that
 * follows meets the same event and comes to the same end, and no requested time is lost or told twice. */
static void a_step_with_an_event_that_fails_is_taken_back(void **state)
{
    static const char *const methods[] = {"h=0.01",
                                          "h=0.01 integrator=lobatto",
                                          "h=0.01 integrator=rk step=fixed",
                                          "step=adaptive h_max=0.02",
                                          "integrator=auto h_max=0.02",
                                          "integrator=bdf h=0.01",
                                          "integrator=rattlie h=0.01",
                                          "integrator=lobatto lambda=symmetric h=0.01",
                                          "integrator=rk step=adaptive h_max=0.02"};
    const double tb = sqrt(0.2), after = 1.0 - tb, z = 10.0 * tb * after - 5.0 * after * after;
    for (size_t m = 0; m < LEN(methods); ++m) {
        for (int in_value = 0; in_value < 2; ++in_value) {
            faulty_floor f = {.in_value = in_value};
            dal_sim *sim = start_ball(methods[m]);
            check_ok(ctx, dal_sim_event(sim, &(dal_event){faulty_height, faulty_bounce, -1, DAL_EVENT_RESTART, &f}));
            check_ok(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.05}, count_sample, &f));
            f.samples = 1; // the start lies behind
            check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_ECALLBACK, "event 0");
            const dal_state s = dal_sim_state(sim);
            assert_true(s.t < tb && s.t > tb - 0.021);
            assert_near(s.q[0], 1.0 - 5.0 * s.t * s.t, 1e-9);
            assert_near(s.v[0], -10.0 * s.t, 1e-9);
            check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
            assert_near(dal_sim_state(sim).q[0], z, 1e-9);
            assert_int_equal(f.samples, 21);
            dal_sim_destroy(sim);
        }
    }
}

/* Changes of a state that do not leave one. */
enum { NAN_PLACE, NAN_TURN, ZERO_TURN, LONG_TURN, INF_SPEED, NAN_SPEED, SPOILS };

static dal_status spoil(double t, double *q, double *v, void *user)
{
    const int how = *(const int *)user;
    q[0] = how == NAN_PLACE ? (double)NAN : q[0];
    q[3] = how == NAN_TURN ? (double)NAN : q[3];
    for (int i = 3; i < 7; ++i) {
        q[i] *= how == ZERO_TURN ? 0.0 : how == LONG_TURN ? 2.0 : 1.0;
    }
    v[0] = how == INF_SPEED ? (double)INFINITY : v[0];
    v[3] = how == NAN_SPEED ? (double)NAN : v[3];
    return DAL_OK;
}

static double late(double t, const double *q, const double *v, void *user)
{
    return t - 0.0503;
}

static void a_change_has_to_leave_a_state(void **state)
{
    static const char *const methods[] = {"h=0.01", "h=0.01 integrator=lobatto", "h=0.01 integrator=rk"};
    static const char *const said[] = {
        "changed q[0]", "changed q[3]", "not an element of its group", "not an element of its group",
        "changed v[0]", "changed v[3]"};
    problem top;
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    for (int m = 0; m < 3; ++m) {
        for (int how = 0; how < SPOILS; ++how) {
            dal_sim *sim = runs_start(ctx, &top, methods[m]);
            check_ok(ctx, dal_sim_event(sim, &(dal_event){late, spoil, 0, DAL_EVENT_RESTART, &how}));
            check_fails(ctx, dal_sim_run(sim, NULL, 0.1), DAL_ECALLBACK, said[how]);
            const dal_state s = dal_sim_state(sim);
            double position;
            assert_true(s.t < 0.0503 && s.t > 0.03);
            check_ok(ctx, dal_sim_residuals(sim, &position, NULL));
            assert_true(position < 1e-9);
            check_ok(ctx, dal_sim_remove_event(sim, 0)); // the run can go on without it
            check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
            dal_sim_destroy(sim);
        }
    }
    problem_free(&top);
}

/* ---- refusals --------------------------------------------------------------------------------- */

static double not_a_number(double t, const double *q, const double *v, void *user)
{
    return t > 0.045 ? NAN : 1.0;
}

static void an_event_that_is_not_a_number_is_reported(void **state)
{
    double level = -1.0;
    dal_sim *sim = start_ball("h=0.01");
    check_ok(ctx, dal_sim_event(sim, &(dal_event){height, NULL, 0, DAL_EVENT_STOP, &level}));
    check_ok(ctx, dal_sim_event(sim, &(dal_event){not_a_number, NULL, 0, DAL_EVENT_STOP, NULL}));
    check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_ECALLBACK, "event 1 returned");
    check_fails(ctx, dal_ctx_status(ctx), DAL_ECALLBACK, "at t = 0.05");
    // nor is one taken that cannot be evaluated now
    check_ok(ctx, dal_sim_remove_event(sim, 1));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
    check_fails(ctx, dal_sim_event(sim, &(dal_event){not_a_number, NULL, 0, DAL_EVENT_STOP, NULL}), DAL_ECALLBACK,
                "event 1 returned");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.2));
    dal_sim_destroy(sim);
}

/* Levels that the ball passes one after the other on its way down; the last of many ends the run. */
static void events_need_a_value_and_may_be_many(void **state)
{
    enum { MANY = 40 };
    double level[MANY];
    dal_stop reason;
    dal_sim *sim = start_ball("h=0.01");
    check_fails(ctx, dal_sim_event(sim, NULL), DAL_EINVAL, "event is NULL");
    check_fails(ctx, dal_sim_event(sim, &(dal_event){.direction = 1}), DAL_EINVAL, "event->value is NULL");
    for (int i = 0; i < MANY; ++i) {
        level[i] = 0.9 - 0.02 * i;
        const dal_event_action action = i == MANY - 1 ? DAL_EVENT_STOP : DAL_EVENT_RESTART;
        check_ok(ctx, dal_sim_event(sim, &(dal_event){height, NULL, -1, action, &level[i]}));
    }
    check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
    assert_int_equal(reason, DAL_STOP_EVENT);
    assert_int_equal(dal_sim_event_index(sim), MANY - 1);
    assert_near(dal_sim_state(sim).t, sqrt(0.2 * (1.0 - level[MANY - 1])), 1e-11);
    dal_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_particle_lands_at_the_analytic_times),
        cmocka_unit_test(the_direction_selects_crossings),
        cmocka_unit_test(a_stop_at_the_lowest_point_is_located_with_second_order),
        cmocka_unit_test(the_earliest_of_several_events_in_a_step_wins),
        cmocka_unit_test(events_at_the_same_time_happen_together),
        cmocka_unit_test(an_impact_right_after_an_impact_is_seen),
        cmocka_unit_test(an_event_that_leaves_by_its_acceleration_happens_once),
        cmocka_unit_test(an_event_that_is_zero_at_the_start_has_to_be_left_first),
        cmocka_unit_test(a_crossing_exactly_at_the_end_of_a_step_counts_once),
        cmocka_unit_test(a_changed_state_is_made_consistent),
        cmocka_unit_test(a_change_that_fails_is_reported_with_event_and_time),
        cmocka_unit_test(the_step_before_an_event_can_be_interpolated),
        cmocka_unit_test(a_step_with_an_event_that_fails_is_taken_back),
        cmocka_unit_test(a_change_has_to_leave_a_state),
        cmocka_unit_test(an_event_that_is_not_a_number_is_reported),
        cmocka_unit_test(events_need_a_value_and_may_be_many),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
