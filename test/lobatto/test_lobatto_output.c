/* Between the steps of the Lobatto integrator: dense output, events located on it, observers that use it. */
#include <math.h>
#include <stdio.h>

#include "problems/ends.h"
#include "support/check.h"

static dal_sim *started(const problem *p, double h, const char *options)
{
    dal_options opt = ends_options(p->ctx, options);
    dal_sim *sim;
    opt.h = h > 0.0 ? h : opt.h;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    return sim;
}

/* ---- dense output ----------------------------------------------------------------------------- */

typedef struct between {
    double q, v, la; /* largest errors between the steps */
} between;

enum { POINTS = 7 };

/* Errors at POINTS times in (t0, t1) within the last step. */
static void note_errors(between *e, const problem *p, dal_sim *sim, double t0, double t1)
{
    double t[POINTS], qe[POINTS][PROBLEM_MAX], ve[POINTS][PROBLEM_MAX], lae[POINTS][PROBLEM_MAX];
    for (int k = 0; k < POINTS; ++k) {
        t[k] = t0 + (k + 1.0) / (POINTS + 1.0) * (t1 - t0);
    }
    problem_exact(p, qe[0], ve[0], NULL, lae[0], t, POINTS);
    for (int k = 0; k < POINTS; ++k) {
        double q[PROBLEM_MAX], v[PROBLEM_MAX], la[PROBLEM_MAX];
        check_ok(p->ctx, dal_sim_interpolate(sim, q, v, la, t[k]));
        e->q = fmax(e->q, dal_distance(p->group, q, qe[0] + k * p->nq));
        e->v = fmax(e->v, check_max_abs_diff(v, ve[0] + k * p->nv, p->nv));
        e->la = fmax(e->la, check_max_abs_diff(la, lae[0] + k * p->nc, p->nc));
    }
}

/* Errors inside the last step. */
static void note_step(between *e, const problem *p, dal_sim *sim)
{
    const dal_state s = dal_sim_state(sim);
    note_errors(e, p, sim, s.t - s.h, s.t);
}

/* Errors inside the steps that end in [T/2, T]: the first steps of a run have fewer states to interpolate. */
static between dense_errors(const problem *p, double T, double h, const char *options)
{
    between e = {0};
    dal_sim *sim = started(p, h, options);
    while (dal_sim_state(sim).t < T - 0.5 * h) {
        check_ok(p->ctx, dal_sim_step(sim));
        if (dal_sim_state(sim).t >= 0.5 * T) {
            note_step(&e, p, sim);
        }
    }
    dal_sim_destroy(sim);
    return e;
}

/* Three errors each of q, v and lambda with h, h/2, h/4 fall with the order. */
static void check_dense_order(const problem *p, double T, double h0, const char *options, double order, double tol)
{
    double h[3], q[3], v[3], la[3];
    for (int k = 0; k < 3; ++k) {
        h[k] = h0 / (1 << k);
        const between e = dense_errors(p, T, h[k], options);
        q[k] = e.q;
        v[k] = e.v;
        la[k] = e.la;
    }
    print_message("%s between steps: q %.2e (%.2f %.2f)  v %.2e (%.2f %.2f)  lambda %.2e (%.2f %.2f)\n", options, q[2],
                  log2(q[0] / q[1]), log2(q[1] / q[2]), v[2], log2(v[0] / v[1]), log2(v[1] / v[2]), la[2],
                  log2(la[0] / la[1]), log2(la[1] / la[2]));
    check_slopes(h, q, 3, order, tol);
    check_slopes(h, v, 3, order, tol);
    check_slopes(h, la, 3, order, tol);
}

static void dense_output_has_the_order_of_the_method(void **state)
{
    const heavy_top_chart chart[] = {HEAVY_TOP_R3SO3, HEAVY_TOP_SE3};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(chart); ++k) {
        problem p;
        check_ok(ctx, problem_heavy_top(&p, ctx, chart[k]));
        check_dense_order(&p, 0.05, 1.25e-3, "stages=3", 4.0, 0.15);
        check_dense_order(&p, 0.1, 5e-3, "stages=4", 6.0, 0.15);
        check_dense_order(&p, 0.1, 1e-2, "stages=5", 8.0, 0.15);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Steps of 2.1, 3 and 3.75 rad: beyond pi the logarithm between the ends wraps, the increments of the steps do not.
 * The states are exact to 1e-8; what remains is the error of the polynomials, which for a motion like cos(Omega t) and
 * nodes -1, 0, 1 of three values each is (h Omega)^9/9! max |u (1 - u^2)|^3 = 0.057 (h Omega)^9/9!, that of the
 * velocity max |d/du (u (1 - u^2))^3|/h = 0.23/h times the same power; a change of v changes m Omega x v in lambda. */
static void steps_that_turn_a_body_by_more_than_pi_are_interpolated(void **state)
{
    const double step[] = {0.014, 0.02, 0.025}, Omega = 150.0, m = 15.0;
    const heavy_top_chart chart[] = {HEAVY_TOP_R3SO3, HEAVY_TOP_SE3};
    dal_ctx *ctx = check_ctx();
    for (size_t c = 0; c < LEN(chart); ++c) {
        problem p;
        check_ok(ctx, problem_heavy_top(&p, ctx, chart[c]));
        for (size_t k = 0; k < LEN(step); ++k) {
            const double h = step[k], power = pow(h * Omega, 9) / 362880.0;
            const between e = dense_errors(&p, 0.2, h, "stages=8");
            print_message("%s, %.2f rad per step: q %.1e  v %.1e  lambda %.1e\n", p.name, Omega * h, e.q, e.v, e.la);
            assert_true(e.q <= 0.057 * power);
            assert_true(e.v <= 0.23 * power / h);
            assert_true(e.la <= m * Omega * 0.23 * power / h);
        }
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Loose tolerances: the steps are as long as the limit on their rotation allows; lambda is of the size of 1e3. */
static void adaptive_steps_of_two_radians_are_interpolated(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int s = 4; s <= 8; s += 2) {
        between e = {0};
        char options[64];
        snprintf(options, sizeof options, "stages=%d step=adaptive step_rtol=1e-2", s);
        dal_sim *sim = started(&p, 0.0, options);
        while (dal_sim_state(sim).t < 0.3) {
            check_ok(ctx, dal_sim_step(sim));
            note_step(&e, &p, sim);
        }
        print_message("adaptive, steps up to %.2f rad: q %.1e  v %.1e  lambda %.1e\n",
                      150.0 * dal_sim_stats(sim).h_largest, e.q, e.v, e.la);
        assert_true(dal_sim_stats(sim).h_largest > 0.013);
        assert_true(e.q < 1e-4 && e.v < 1e-3 && e.la < 0.05);
        dal_sim_destroy(sim);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The interpolant goes through the states at both ends of a step. */
static void dense_output_meets_the_states(void **state)
{
    const char *const options[] = {"stages=4 h=0.01", "stages=8 h=0.025", "stages=4 step=adaptive h=0.01"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_SE3));
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = started(&p, 0.0, options[k]);
        for (int i = 0; i < 6; ++i) {
            double q0[PROBLEM_MAX], v0[PROBLEM_MAX], q[PROBLEM_MAX], v[PROBLEM_MAX], la[PROBLEM_MAX];
            const dal_state before = dal_sim_state(sim);
            for (int j = 0; j < p.nq; ++j) {
                q0[j] = before.q[j];
            }
            for (int j = 0; j < p.nv; ++j) {
                v0[j] = before.v[j];
            }
            check_ok(ctx, dal_sim_step(sim));
            const dal_state s = dal_sim_state(sim);
            check_ok(ctx, dal_sim_interpolate(sim, q, v, NULL, before.t));
            assert_near(dal_distance(p.group, q, q0), 0.0, 1e-14);
            assert_all_near(v, v0, p.nv, 1e-11);
            const double t = nextafter(s.t, 0.0);
            check_ok(ctx, dal_sim_interpolate(sim, q, v, la, t));
            // 1e-17 s at 150 rad/s and 3e4 rad/s^2
            assert_near(dal_distance(p.group, q, s.q), 0.0, 1e-13);
            assert_all_near(v, s.v, p.nv, 2e-11);
            assert_all_near(la, s.la, p.nc, 2e-9);
        }
        dal_sim_destroy(sim);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A step shortened to end at a given time is too close to the next one to be of use to it: that has two states to
 * interpolate then, as after a start. */
static void a_tiny_step_does_not_spoil_the_next_one(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int k = 1; k <= 5; ++k) {
        between e = {0}, anew = {0};
        dal_sim *sim = started(&p, 0.004, "stages=6"), *other = started(&p, 0.004, "stages=6");
        check_ok(ctx, dal_sim_run(sim, NULL, 0.02 + 0.004 * pow(0.1, k)));
        const dal_state s = dal_sim_state(sim);
        check_ok(ctx, dal_sim_start(other, NULL, s.t, s.q, s.v));
        check_ok(ctx, dal_sim_step(sim));
        check_ok(ctx, dal_sim_step(other));
        note_step(&e, &p, sim);
        note_step(&anew, &p, other);
        print_message("after a step of %.1e h: q %.1e  v %.1e  lambda %.1e, anew %.1e %.1e %.1e\n", pow(0.1, k), e.q,
                      e.v, e.la, anew.q, anew.v, anew.la);
        assert_true(e.q <= 1.01 * anew.q && e.v <= 1.01 * anew.v && e.la <= 1.01 * anew.la);
        dal_sim_destroy(sim);
        dal_sim_destroy(other);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- events ----------------------------------------------------------------------------------- */

static double first_coordinate(double t, const double *q, const double *v, void *user)
{
    return q[0];
}

static const dal_event lowest_point = {first_coordinate, NULL, -1, DAL_EVENT_STOP, NULL};

/* Time at which the first coordinate of the exact motion changes its sign in [lo, hi], from + to -. */
static double exact_crossing(const problem *p, double lo, double hi)
{
    for (int it = 0; it < 60; ++it) {
        const double mid = 0.5 * (lo + hi);
        double q[PROBLEM_MAX];
        problem_exact(p, q, NULL, NULL, NULL, &mid, 1);
        *(q[0] > 0.0 ? &lo : &hi) = mid;
    }
    return lo;
}

/* The time and the state of an event have the order of the method. */
static void events_are_located_with_the_order_of_the_method(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    const double want = exact_crossing(&p, 0.2, 0.8);
    for (int s = 3; s <= 4; ++s) {
        double h[3], error[3];
        for (int k = 0; k < 3; ++k) {
            dal_stop reason;
            h[k] = (s == 3 ? 0.02 : 0.04) / (1 << k);
            dal_sim *sim = started(&p, h[k], s == 3 ? "stages=3" : "stages=4");
            check_ok(ctx, dal_sim_event(sim, &lowest_point));
            check_ok(ctx, dal_sim_run(sim, &reason, 1.0));
            assert_int_equal(reason, DAL_STOP_EVENT);
            const dal_state now = dal_sim_state(sim);
            double position, velocity;
            check_ok(ctx, dal_sim_residuals(sim, &position, &velocity));
            assert_true(position <= 1e-15 && velocity <= 1e-15);
            assert_near(now.q[0], 0.0, 1e-9);
            error[k] = fabs(now.t - want);
            dal_sim_destroy(sim);
        }
        print_message("s %d, event at %.12f, error %.2e %.2e %.2e (%.2f %.2f)\n", s, want, error[0], error[1], error[2],
                      log2(error[0] / error[1]), log2(error[1] / error[2]));
        check_slopes(h, error, 3, 2.0 * s - 2.0, 0.15);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* An event that changes nothing: the motion goes on as if there were none. Before and after it the dense output is
 * exact, and the part of its step that comes after it is not offered. */
static void a_restart_keeps_the_dense_output_on_both_sides(void **state)
{
    const char *const options[] = {"stages=5 h=0.02", "stages=5 h=0.02 step=adaptive step_rtol=1e-9 h_max=0.02",
                                   "stages=5 h=0.02 lambda=symmetric"};
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    dal_event event = lowest_point;
    event.action = DAL_EVENT_RESTART;
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = started(&p, 0.0, options[k]);
        check_ok(ctx, dal_sim_event(sim, &event));
        double t0 = 0.0;
        while (dal_sim_event_index(sim) < 0) {
            t0 = dal_sim_state(sim).t;
            check_ok(ctx, dal_sim_step(sim));
        }
        const double t1 = dal_sim_state(sim).t;
        between before = {0}, after = {0};
        double q[2];
        note_errors(&before, &p, sim, t0, t1);
        check_fails(ctx, dal_sim_interpolate(sim, q, NULL, NULL, t1 + 1e-6), DAL_EINVAL, "not within the last step");
        for (int i = 0; i < 4; ++i) {
            check_ok(ctx, dal_sim_step(sim));
            note_step(&after, &p, sim);
        }
        print_message("%s: before the event q %.1e v %.1e lambda %.1e, after %.1e %.1e %.1e\n", options[k], before.q,
                      before.v, before.la, after.q, after.v, after.la);
        assert_true(before.q < 1e-9 && before.v < 1e-8 && before.la < 1e-7);
        assert_true(after.q < 1e-9 && after.v < 1e-7 && after.la < 1e-6); // degree 5 in the first step
        dal_sim_destroy(sim);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- observers -------------------------------------------------------------------------------- */

typedef struct watcher {
    const problem *p;
    int calls;
    between e;
} watcher;

/* Looks back into the step; asks to stop at the tenth. */
static dal_status watch(dal_sim *sim, const dal_state *state, void *user)
{
    watcher *w = user;
    if (w->calls > 0) {
        note_step(&w->e, w->p, sim);
    }
    return w->calls++ == 10 ? DAL_RETRY : DAL_OK;
}

static void observers_see_every_step_with_its_dense_output(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_sim *sim;
    dal_stop reason;
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    const dal_options opt = ends_options(ctx, "stages=5 h=0.1");
    watcher w = {.p = &p};
    check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
    check_ok(ctx, dal_sim_observe(sim, watch, &w));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
    check_ok(ctx, dal_sim_run(sim, &reason, 5.0));
    assert_int_equal(reason, DAL_STOP_OBSERVER);
    assert_int_equal(w.calls, 11);
    assert_near(dal_sim_state(sim).t, 1.0, 1e-15);
    print_message("observer: q %.1e  v %.1e  lambda %.1e\n", w.e.q, w.e.v, w.e.la);
    assert_true(w.e.q < 1e-8 && w.e.v < 1e-7 && w.e.la < 1e-7);
    dal_sim_destroy(sim);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_output_has_the_order_of_the_method),
        cmocka_unit_test(steps_that_turn_a_body_by_more_than_pi_are_interpolated),
        cmocka_unit_test(adaptive_steps_of_two_radians_are_interpolated),
        cmocka_unit_test(dense_output_meets_the_states),
        cmocka_unit_test(a_tiny_step_does_not_spoil_the_next_one),
        cmocka_unit_test(events_are_located_with_the_order_of_the_method),
        cmocka_unit_test(a_restart_keeps_the_dense_output_on_both_sides),
        cmocka_unit_test(observers_see_every_step_with_its_dense_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
