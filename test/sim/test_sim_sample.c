/* States at requested times, and fixed steps that are cut where they fail. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "set_up.h"
#include "support/check.h"

enum { MOST = 400 };

typedef struct samples {
    int n, nq, nv, nc, fail_at, stops;
    double t[MOST], q[MOST][8], v[MOST][8], vd[MOST][8], la[MOST][8];
} samples;

static dal_status keep(dal_sim *sim, const dal_point *at, void *user)
{
    samples *s = user;
    assert_true(s->n < MOST);
    s->t[s->n] = at->t;
    memcpy(s->q[s->n], at->q, (size_t)s->nq * sizeof(double));
    memcpy(s->v[s->n], at->v, (size_t)s->nv * sizeof(double));
    memcpy(s->vd[s->n], at->vd, (size_t)s->nv * sizeof(double));
    memcpy(s->la[s->n], at->la, (size_t)s->nc * sizeof(double));
    s->n++;
    return s->n == s->fail_at ? DAL_EINVAL : s->stops ? DAL_RETRY : DAL_OK;
}

static samples of_the_top(void)
{
    return (samples){.nq = top.nq, .nv = top.nv, .nc = top.nc};
}

/* Largest errors of q, v, v', lambda at the samples after the first. */
static void errors(const samples *s, double e[4])
{
    memset(e, 0, 4 * sizeof(double));
    for (int i = 1; i < s->n; ++i) {
        double q[8], v[8], vd[8], la[8];
        problem_exact(&top, q, v, vd, la, &s->t[i], 1);
        e[0] = fmax(e[0], dal_distance(top.group, s->q[i], q));
        e[1] = fmax(e[1], check_max_abs_diff(s->v[i], v, top.nv));
        e[2] = fmax(e[2], check_max_abs_diff(s->vd[i], vd, top.nv));
        e[3] = fmax(e[3], check_max_abs_diff(s->la[i], la, top.nc));
    }
}

static void samples_come_at_the_times_asked_for(void **state)
{
    static const char *const options[] = {"h=0.001",
                                          "h=0.0007",
                                          "step=adaptive",
                                          "integrator=lobatto h=0.005",
                                          "integrator=lobatto step=adaptive",
                                          "integrator=rk order=5",
                                          "integrator=bdf h=0.0007",
                                          "integrator=rattlie h=0.0007",
                                          "integrator=rattlie order=6 h=0.007",
                                          "integrator=lobatto lambda=symmetric h=0.005",
                                          "integrator=bdf order=4 step=adaptive",
                                          "integrator=rk order=8 step=fixed h=0.007"};
    for (size_t k = 0; k < LEN(options); ++k) {
        samples s = of_the_top();
        dal_sim *sim = runs_start(ctx, &top, options[k]);
        check_ok(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.01}, keep, &s));
        assert_int_equal(s.n, 1);
        check_ok(ctx, dal_sim_run(sim, NULL, 0.2));
        assert_int_equal(s.n, 21);
        for (int i = 0; i < s.n; ++i) {
            assert_true(s.t[i] == i * 0.01);
        }
        assert_all_near(s.q[20], dal_sim_state(sim).q, 7, 1e-15);
        dal_sim_destroy(sim);
    }
}

/* genalpha: order 2 in everything; lobatto with four stages: 6; rk of order 5: 5, dense output is
 * of that order within a step. */
static void samples_between_steps_have_the_order_of_the_method(void **state)
{
    static const char *const options[] = {"h=%g", "integrator=lobatto h=%g", "integrator=rk order=5 step=fixed h=%g"};
    static const double h[] = {1e-3, 1e-2, 2e-3}, order[] = {2.0, 6.0, 5.0};
    for (size_t k = 0; k < LEN(options); ++k) {
        double e[2][4];
        for (int level = 0; level < 2; ++level) {
            char text[64];
            snprintf(text, sizeof text, options[k], h[k] / (1 << level));
            samples s = of_the_top();
            dal_sim *sim = runs_start(ctx, &top, text);
            check_ok(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.0123, .from = 0.011}, keep, &s));
            check_ok(ctx, dal_sim_run(sim, NULL, 0.3));
            errors(&s, e[level]);
            dal_sim_destroy(sim);
        }
        print_message("%s: orders q %.2f, v %.2f, v' %.2f, lambda %.2f\n", options[k], log2(e[0][0] / e[1][0]),
                      log2(e[0][1] / e[1][1]), log2(e[0][2] / e[1][2]), log2(e[0][3] / e[1][3]));
        for (int i = 0; i < 4; ++i) {
            assert_near(log2(e[0][i] / e[1][i]), order[k], 0.3);
        }
    }
}

static void a_list_of_times_goes_on_after_a_restore(void **state)
{
    static const double times[] = {0.001, 0.0123, 0.05, 0.0501, 0.077, 0.09};
    const dal_sampling when = {.times = times, .n = 6};
    samples whole = of_the_top(), first = of_the_top(), second = of_the_top();
    dal_sim *a = runs_start(ctx, &top, "step=adaptive"), *b = runs_start(ctx, &top, "step=adaptive"), *c;
    check_ok(ctx, dal_sim_sample(a, &when, keep, &whole));
    check_ok(ctx, dal_sim_run(a, NULL, 0.1));
    assert_int_equal(whole.n, 6);
    check_ok(ctx, dal_sim_sample(b, &when, keep, &first));
    for (int i = 0; i < 30; ++i) {
        check_ok(ctx, dal_sim_step(b));
    }
    const size_t size = dal_sim_snapshot_size(b);
    void *snapshot = malloc(size);
    check_ok(ctx, dal_sim_save(b, snapshot, size));
    c = runs_start(ctx, &top, "step=adaptive");
    check_ok(ctx, dal_sim_restore(c, snapshot, size));
    check_ok(ctx, dal_sim_sample(c, &when, keep, &second));
    check_ok(ctx, dal_sim_run(c, NULL, 0.1));
    assert_int_equal(first.n + second.n, 6);
    assert_true(first.n > 0 && second.n > 0);
    for (int i = 0; i < second.n; ++i) {
        assert_memory_equal(second.q[i], whole.q[first.n + i], 7 * sizeof(double));
    }
    free(snapshot);
    dal_sim_destroy(a);
    dal_sim_destroy(b);
    dal_sim_destroy(c);
}

static void bad_times_and_failing_samplers_are_told(void **state)
{
    static const double times[] = {0.1, 0.1};
    samples s = of_the_top();
    dal_sim *sim = runs_start(ctx, &top, "h=0.001");
    check_fails(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.0}, keep, &s), DAL_EINVAL, "positive interval");
    check_fails(ctx, dal_sim_sample(sim, &(dal_sampling){.times = times, .n = 2}, keep, &s), DAL_EINVAL, "increase");
    check_fails(ctx, dal_sim_sample(sim, NULL, keep, &s), DAL_EINVAL, "when");
    s.fail_at = 3;
    check_ok(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.01}, keep, &s));
    check_fails(ctx, dal_sim_run(sim, NULL, 0.1), DAL_EINVAL, "the sampler failed at t = 0.02");
    dal_sim_destroy(sim);
}

/* Ten samples a step, each of which ends the run: it goes on with the next sample, in runs or in steps. */
static void a_sampler_that_ends_the_run_loses_nothing(void **state)
{
    static const char *const options[] = {"h=0.01", "integrator=lobatto h=0.01", "integrator=rk order=5"};
    for (size_t k = 0; k < LEN(options); ++k) {
        samples whole = of_the_top(), parts = of_the_top();
        dal_sim *a = runs_start(ctx, &top, options[k]), *b = runs_start(ctx, &top, options[k]);
        check_ok(ctx, dal_sim_sample(a, &(dal_sampling){.every = 1e-3}, keep, &whole));
        check_ok(ctx, dal_sim_run(a, NULL, 0.1));
        parts.stops = 1;
        check_ok(ctx, dal_sim_sample(b, &(dal_sampling){.every = 1e-3}, keep, &parts));
        int runs = 0;
        for (dal_stop reason = DAL_STOP_OBSERVER; reason != DAL_STOP_TIME; ++runs) {
            const int before = parts.n;
            check_ok(ctx, dal_sim_run(b, &reason, 0.1));
            assert_true(parts.n <= before + 1);
        }
        assert_true(runs > 90);
        assert_int_equal(parts.n, whole.n);
        assert_memory_equal(parts.q, whole.q, sizeof whole.q);
        assert_memory_equal(parts.la, whole.la, sizeof whole.la);
        check_ok(ctx, dal_sim_step(a));
        check_ok(ctx, dal_sim_step(b));
        check_ok(ctx, dal_sim_step(b)); // with what is left of the samples
        assert_true(parts.n >= whole.n);
        dal_sim_destroy(a);
        dal_sim_destroy(b);
    }
}

/* Full steps of 0.05 s fail with three iterations; cut ones reach the same grid. */
static void a_fixed_step_that_fails_is_cut(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.05 max_iterations=3 line_search=no");
    check_fails(ctx, dal_sim_run(sim, NULL, 0.2), DAL_NOCONV, "fixed_or_cut");
    dal_sim_destroy(sim);
    samples s = of_the_top();
    sim = runs_start(ctx, &top, "h=0.05 max_iterations=3 line_search=no step=fixed_or_cut");
    check_ok(ctx, dal_sim_sample(sim, &(dal_sampling){.every = 0.05}, keep, &s));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.2));
    assert_true(dal_sim_state(sim).t == 0.2 && s.n == 5);
    const dal_stats st = dal_sim_stats(sim);
    assert_true(st.rejected > 0 && st.h_smallest < 0.03 && st.h_smallest >= 0.05 / 1024.0);
    dal_sim_destroy(sim);
    // where nothing fails it is the fixed run
    dal_sim *a = runs_start(ctx, &top, "h=0.001"), *b = runs_start(ctx, &top, "h=0.001 step=fixed_or_cut");
    check_ok(ctx, dal_sim_run(a, NULL, 0.1));
    check_ok(ctx, dal_sim_run(b, NULL, 0.1));
    assert_memory_equal(dal_sim_state(a).q, dal_sim_state(b).q, 7 * sizeof(double));
    dal_sim_destroy(a);
    dal_sim_destroy(b);
}

/* Rounding in lambda against the estimate, index 3: of the right size and growing like 1/h^2. */
static void rounding_of_multipliers_is_estimated(void **state)
{
    static const double h[] = {1e-3, 1e-5, 1e-6};
    double before = 0.0;
    for (size_t k = 0; k < LEN(h); ++k) {
        char text[64];
        snprintf(text, sizeof text, "h=%g", h[k]);
        dal_sim *sim = runs_start(ctx, &top, text);
        check_ok(ctx, dal_sim_run(sim, NULL, 200.0 * h[k]));
        const dal_state s = dal_sim_state(sim);
        const double estimate = dal_sim_stats(sim).lambda_rounding;
        double la[3], scale = 0.0;
        problem_exact(&top, NULL, NULL, NULL, la, &s.t, 1);
        for (int i = 0; i < 3; ++i) {
            scale = fmax(scale, fabs(la[i]));
        }
        const double error = check_max_abs_diff(s.la, la, 3) / scale;
        print_message("h = %g: lambda off by %.1e, rounding estimated as %.1e\n", h[k], error, estimate);
        assert_true(k == 0 ? estimate < DAL_ROUNDING_WARNING : estimate > DAL_ROUNDING_WARNING);
        assert_true(k < 2 || (error < 10.0 * estimate && error > 0.01 * estimate));
        assert_true(k == 0 || estimate > 50.0 * before);
        before = estimate;
        dal_sim_destroy(sim);
    }
    dal_sim *sim = runs_start(ctx, &top, "h=1e-6 formulation=ggl");
    check_ok(ctx, dal_sim_step(sim));
    assert_true(dal_sim_stats(sim).lambda_rounding == 0.0);
    dal_sim_destroy(sim);
}

static dal_status unit_matrix(double *x, double t, const double *q, void *user)
{
    *x = 1.0;
    return DAL_OK;
}

static dal_status no_force(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    *g = 0.0;
    return DAL_OK;
}

static dal_status on_its_way(double *Phi, double t, const double *q, void *user)
{
    *Phi = q[0] - 5.0 - 3.0 * t;
    return DAL_OK;
}

static dal_status against_speed(double *b, double t, const double *q, void *user)
{
    *b = -3.0;
    return DAL_OK;
}

/* A drive at constant speed has no reaction but rounding, and nothing to be relative to: no reason to warn. */
static void a_drive_without_reactions_is_not_warned_of(void **state)
{
    const dal_options opt = runs_options(ctx, "h=1e-3 formulation=index3");
    const double q = 5.0, v = 3.0;
    dal_group *group;
    dal_system *sys;
    dal_sim *sim;
    check_ok(ctx, dal_group_create(&group, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 1}, 1));
    const dal_dense drive = {.group = group,
                             .nc = 1,
                             .time_dependent = 1,
                             .M = unit_matrix,
                             .g = no_force,
                             .Phi = on_its_way,
                             .B = unit_matrix,
                             .b = against_speed};
    check_ok(ctx, dal_dense_create(&sys, ctx, &drive));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.2));
    assert_true(dal_sim_stats(sim).lambda_rounding < DAL_ROUNDING_WARNING);
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_at_the_times_asked_for),
        cmocka_unit_test(a_drive_without_reactions_is_not_warned_of),
        cmocka_unit_test(samples_between_steps_have_the_order_of_the_method),
        cmocka_unit_test(a_list_of_times_goes_on_after_a_restore),
        cmocka_unit_test(a_sampler_that_ends_the_run_loses_nothing),
        cmocka_unit_test(bad_times_and_failing_samplers_are_told),
        cmocka_unit_test(a_fixed_step_that_fails_is_cut),
        cmocka_unit_test(rounding_of_multipliers_is_estimated),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
