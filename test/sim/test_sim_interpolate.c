/* Dense output: cubic Hermite on the group between the ends of the last step. */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "set_up.h"
#include "support/check.h"

/* Largest errors of q and v at eight points within the first step, which starts from exact values. */
static void first_step_error(double h, const char *options, double *error_q, double *error_v)
{
    dal_sim *sim = runs_start(ctx, &top, options);
    double t[7], q[7], v[6], qe[7 * 7], ve[6 * 7];
    check_ok(ctx, dal_sim_set_step(sim, h));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, top.q0, top.v0));
    check_ok(ctx, dal_sim_step(sim));
    for (int i = 0; i < 7; ++i) {
        t[i] = (i + 1) * h / 8.0;
    }
    problem_exact(&top, qe, ve, NULL, NULL, t, 7);
    *error_q = *error_v = 0.0;
    for (int i = 0; i < 7; ++i) {
        check_ok(ctx, dal_sim_interpolate(sim, q, v, NULL, t[i]));
        *error_q = fmax(*error_q, dal_distance(top.group, q, qe + 7 * i));
        *error_v = fmax(*error_v, check_max_abs_diff(v, ve + 6 * i, 6));
    }
    dal_sim_destroy(sim);
}

static void third_order_in_q_and_second_in_v_within_a_step(void **state)
{
    static const char *const options[] = {"", "sigma=0", "formulation=ggl", "formulation=index2"};
    for (size_t k = 0; k < LEN(options); ++k) {
        double h[4], eq[4], ev[4];
        for (int i = 0; i < 4; ++i) {
            h[i] = 4e-3 / (1 << i);
            first_step_error(h[i], options[k], &eq[i], &ev[i]);
        }
        assert_true(check_slope(eq, 4) > 2.9);
        assert_true(check_slope(ev, 4) > 1.9);
    }
}

static void a_run_keeps_second_order_between_its_steps(void **state)
{
    enum { N = 23 };
    double h[3], error[3] = {0}, t[N], qe[7 * N];
    for (int i = 0; i < N; ++i) {
        t[i] = 0.1 * (i + 0.37) / N;
    }
    problem_exact(&top, qe, NULL, NULL, NULL, t, N);
    for (int k = 0; k < 3; ++k) {
        h[k] = 2e-3 / (1 << k);
        dal_sim *sim = runs_start(ctx, &top, "");
        check_ok(ctx, dal_sim_set_step(sim, h[k]));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, top.q0, top.v0));
        for (int i = 0; i < N; ++i) {
            double q[7];
            while (dal_sim_state(sim).t < t[i]) {
                check_ok(ctx, dal_sim_step(sim));
            }
            check_ok(ctx, dal_sim_interpolate(sim, q, NULL, NULL, t[i]));
            error[k] = fmax(error[k], dal_distance(top.group, q, qe + 7 * i));
        }
        dal_sim_destroy(sim);
    }
    check_slopes(h, error, 3, 2.0, 0.1);
}

static void the_ends_are_the_states(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.002");
    for (int n = 0; n < 10; ++n) {
        const double t0 = dal_sim_state(sim).t;
        double q0[7], v0[6], la0[3], q[7], v[6], la[3];
        memcpy(q0, dal_sim_state(sim).q, sizeof q0);
        memcpy(v0, dal_sim_state(sim).v, sizeof v0);
        memcpy(la0, dal_sim_state(sim).la, sizeof la0);
        check_ok(ctx, dal_sim_step(sim));
        const dal_state s = dal_sim_state(sim);
        check_ok(ctx, dal_sim_interpolate(sim, q, v, la, s.t));
        assert_memory_equal(q, s.q, sizeof q);
        assert_memory_equal(v, s.v, sizeof v);
        assert_memory_equal(la, s.la, sizeof la);
        check_ok(ctx, dal_sim_interpolate(sim, q, v, la, t0));
        assert_all_near(q, q0, 7, 1e-15);
        assert_all_near(v, v0, 6, 1e-12 * check_max_abs(v0, 6));
        assert_all_near(la, la0, 3, 0.0);
        // and it runs into them
        check_ok(ctx, dal_sim_interpolate(sim, q, v, la, s.t - 1e-12));
        assert_all_near(q, s.q, 7, 1e-9);
        assert_all_near(v, s.v, 6, 1e-7);
        assert_all_near(la, s.la, 3, 1e-5);
    }
    dal_sim_destroy(sim);
}

static void v_is_the_velocity_of_the_interpolated_q(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.004 sigma=0");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.02));
    const double eps = 1e-6;
    for (int i = 1; i < 8; ++i) {
        const double t = 0.016 + i * 0.0005;
        double qa[7], qb[7], d[6], v[6];
        check_ok(ctx, dal_sim_interpolate(sim, qa, NULL, NULL, t - eps));
        check_ok(ctx, dal_sim_interpolate(sim, qb, NULL, NULL, t + eps));
        check_ok(ctx, dal_sim_interpolate(sim, NULL, v, NULL, t));
        dal_difference(top.group, d, qa, qb);
        for (int k = 0; k < 6; ++k) {
            assert_near(d[k] / (2.0 * eps), v[k], 1e-6);
        }
    }
    dal_sim_destroy(sim);
}

static void lambda_is_linear(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.002");
    check_ok(ctx, dal_sim_step(sim));
    double la0[3], la1[3], la[3];
    memcpy(la0, dal_sim_state(sim).la, sizeof la0);
    check_ok(ctx, dal_sim_step(sim));
    memcpy(la1, dal_sim_state(sim).la, sizeof la1);
    check_ok(ctx, dal_sim_interpolate(sim, NULL, NULL, la, 0.0025));
    for (int i = 0; i < 3; ++i) {
        assert_near(la[i], 0.75 * la0[i] + 0.25 * la1[i], 1e-10);
    }
    dal_sim_destroy(sim);
}

static void times_outside_the_last_step_are_refused(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.002");
    double q[7];
    check_ok(ctx, dal_sim_interpolate(sim, q, NULL, NULL, 0.0));
    check_fails(ctx, dal_sim_interpolate(sim, q, NULL, NULL, 1e-9), DAL_EINVAL, "not within the last step [0, 0]");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.006));
    check_fails(ctx, dal_sim_interpolate(sim, q, NULL, NULL, 0.0039), DAL_EINVAL, "last step [0.004, 0.006]");
    check_fails(ctx, dal_sim_interpolate(sim, q, NULL, NULL, 0.0061), DAL_EINVAL, "last step [0.004, 0.006]");
    check_fails(ctx, dal_sim_interpolate(sim, q, NULL, NULL, NAN), DAL_EINVAL, "t = nan");
    check_ok(ctx, dal_sim_interpolate(sim, NULL, NULL, NULL, 0.005));
    // a new start begins anew
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, top.q0, top.v0));
    check_fails(ctx, dal_sim_interpolate(sim, q, NULL, NULL, 0.005), DAL_EINVAL, "[0, 0]");
    dal_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(third_order_in_q_and_second_in_v_within_a_step),
        cmocka_unit_test(a_run_keeps_second_order_between_its_steps),
        cmocka_unit_test(the_ends_are_the_states),
        cmocka_unit_test(v_is_the_velocity_of_the_interpolated_q),
        cmocka_unit_test(lambda_is_linear),
        cmocka_unit_test(times_outside_the_last_step_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
