/* Adaptive steps and loads that the model itself dates: none is passed over, wherever the time stands in the model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

static const char *const methods[] = {
    "integrator=rk",
    "integrator=rk order=5",
    "integrator=auto",
    "integrator=lobatto step=adaptive",
    "integrator=lobatto stages=8 step=adaptive",
    "integrator=genalpha step=adaptive",
    "integrator=bdf order=5 step=adaptive",
    "integrator=genalpha step=adaptive formulation=ggl rho_inf=0.6",
};

static check_model start(const char *source, const char *options)
{
    char copy[200];
    const char *set[8] = {NULL};
    int n = 0;
    snprintf(copy, sizeof copy, "%s", options);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) {
        set[n++] = at;
    }
    return check_model_start(source, set, n);
}

/* 2 kg at rest, on which a force along x acts. */
static const char *mass_with(const char *force)
{
    static char text[2000];
    snprintf(text, sizeof text,
             "{'dalembert': 1, 'bodies': [{'name': 'p', 'type': 'point', 'mass': 2}], 'forces': [%s],"
             "'outputs': ['p.velocity.x'], 'simulation': {'t_end': 10, 'h': 1e-3}}",
             force);
    return text;
}

/* Impulses of 10 N s, of which most would be missed: v = 5 m/s. */
static void impulses_after_rest_are_found(void **state)
{
#define VECTOR "{'name': 'f', 'type': 'force', 'body': 'p', 'vector': [1, 0, 0], 'function': "
#define LAW "{'name': 'f', 'type': 'law', 'body_b': 'p', 'coordinate': 'translation_x', 'value': "
    static const char *const list[] = {
        VECTOR "{'type': 'table', 'x': [0, 5, 5.01, 5.02, 10], 'y': [0, 0, 1000, 0, 0], 'interpolation': 'linear'}}",
        VECTOR "{'type': 'sum', 'functions': [{'type': 'step', 'from': 0, 'to': 1000, 'start': 5, 'end': 5.002},"
               "{'type': 'step', 'from': 0, 'to': -1000, 'start': 5.01, 'end': 5.012}]}}",
        VECTOR "{'type': 'product', 'functions': [{'type': 'ramp', 'from': 0, 'to': 1000, 'start': 5, 'end': 5.01},"
               "{'type': 'ramp', 'from': 1, 'to': 0, 'start': 5.014, 'end': 5.016}]}}",
        VECTOR "'1000*max(0, 1 - abs(t - 5)/0.01)'}",
        VECTOR "'5000*(sign(t - 7) - sign(t - 7.001))'}",
        VECTOR "'1e4*(floor((t + 1)/7) - floor((t + 0.999)/7))'}",
        LAW "'1000*max(0, 1 - abs(t - 5)/0.01) + 0*v', 'inputs': {'v': 'p.velocity.x'}}",
        LAW "'x', 'inputs': {'x': 's.state'}},"
            "{'name': 's', 'type': 'state', 'value': '2.5e3*(sign(t - 6) - 2*sign(t - 6.001) + sign(t - 6.002))*20'}",
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        for (size_t i = 0; i < LEN(methods); ++i) {
            check_model m = start(mass_with(list[k]), methods[i]);
            check_model_run(&m, 10.0);
            print_message("%zu, %s: v = %.9f m/s, %ld steps\n", k, methods[i], m.y[0], dal_sim_stats(m.sim).steps);
            assert_near(m.y[0], k == 7 ? 0.05 : 5.0, k == 7 ? 5e-4 : 2e-3);
            assert_true(dal_sim_stats(m.sim).steps < 6000);
            check_model_free(&m);
        }
    }
}

/* A load that changes smoothly but briefly has no break; the steps before it are short enough to feel it. */
static void a_brief_smooth_load_after_rest_is_felt(void **state)
{
    for (size_t i = 0; i < 5; ++i) {
        check_model m = start(mass_with(VECTOR "'10/(0.03*sqrt(pi))*exp(-((t - 5.03)/0.03)^2)'}"), methods[i]);
        check_model_run(&m, 10.0);
        assert_near(m.y[0], 5.0, 2e-3);
        check_model_free(&m);
    }
}

/* x'' = 2 sign(sin 7t), y' = 1, x0 away from the origin. Between jumps the motion is a parabola: nothing is lost at them, nor by
 * the distance. */
static void jumps_cost_no_accuracy_wherever_the_body_is(void **state)
{
    const double jump = 3.14159265358979323846 / 7.0, rest = 3.0 - 6.0 * jump;
    for (size_t i = 0; i < LEN(methods); ++i) {
        for (double x0 = 0.0; x0<1e5; x0 = x0> 0.0 ? 100.0 * x0 : 1.0) {
            char text[800];
            snprintf(text, sizeof text,
                     "{'dalembert': 1, 'bodies': [{'name': 'p', 'type': 'point', 'mass': 1.5, 'position': [%g, 0, 0],"
                     "'velocity': [0, 1, 0]}], 'forces': [" VECTOR "'3*sign(sin(7*t))'}],"
                     "'outputs': ['p.position.x', 'p.velocity.x'], 'simulation': {'t_end': 3, 'h': 1e-3}}",
                     x0);
            check_model m = start(text, methods[i]);
            check_model_run(&m, 3.0);
            assert_near(m.y[0] - x0, 6.0 * jump * jump + rest * rest, 1e-13 + 4e-14 * x0);
            assert_near(m.y[1], 2.0 * rest, 1e-13);
            check_model_free(&m);
        }
    }
}

/* A mass that flies into a one-sided spring: nobody knows when, the controller finds it. Half an oscillation later it is back
 * with the opposite speed. */
static void a_stop_that_the_motion_reaches_is_found(void **state)
{
    for (int d = 4; d <= 8; d += 2) {
        for (size_t i = 0; i < LEN(methods); ++i) {
            char options[160];
            snprintf(options, sizeof options, "%s step_rtol=1e-%d", methods[i], d);
            check_model m = start("{'dalembert': 1, 'bodies': [{'name': 'p', 'type': 'point', 'mass': 2, 'position': "
                                  "[1e3, 0, 0], 'velocity': [1, 0, 0]}], 'forces': [{'name': 'f', 'type': 'law', "
                                  "'body_b': 'p', 'coordinate': 'translation_x', "
                                  "'value': '-2e4*max(0, x - 1005)', 'inputs': {'x': 'p.position.x'}}],"
                                  "'outputs': ['p.velocity.x'], 'simulation': {'t_end': 8, 'h': 1e-3}}",
                                  options);
            check_model_run(&m, 8.0);
            print_message("%s: v off by %.1f tolerances, %ld steps\n", options, (m.y[0] + 1.0) * pow(10.0, d),
                          dal_sim_stats(m.sim).steps);
            assert_near(m.y[0], -1.0, 50.0 * pow(10.0, -d));
            check_model_free(&m);
        }
    }
}

/* Saved between breaks and at one, a run goes on bit for bit; fixed steps do not know of breaks. */
static void runs_go_on_and_fixed_steps_are_as_they_were(void **state)
{
    const char *text = mass_with(VECTOR "'1000*max(0, 1 - abs(t - 5)/0.01)'}");
    for (size_t i = 0; i < LEN(methods); ++i) {
        check_model m = start(text, methods[i]);
        while (dal_sim_state(m.sim).t < 5.0) {
            check_ok(m.ctx, dal_sim_step(m.sim));
        }
        const size_t size = dal_sim_snapshot_size(m.sim);
        void *snapshot = malloc(size);
        check_ok(m.ctx, dal_sim_save(m.sim, snapshot, size));
        check_model_run(&m, 10.0);
        const double v = m.y[0];
        check_ok(m.ctx, dal_sim_restore(m.sim, snapshot, size));
        check_model_run(&m, 10.0);
        assert_true(m.y[0] == v);
        free(snapshot);
        check_model_free(&m);
    }
    check_model m = start(text, "h=0.003");
    check_ok(m.ctx, dal_sim_run(m.sim, NULL, 6.0));
    assert_int_equal(dal_sim_stats(m.sim).steps, 2000);
    check_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_after_rest_are_found),
        cmocka_unit_test(a_brief_smooth_load_after_rest_is_felt),
        cmocka_unit_test(jumps_cost_no_accuracy_wherever_the_body_is),
        cmocka_unit_test(a_stop_that_the_motion_reaches_is_found),
        cmocka_unit_test(runs_go_on_and_fixed_steps_are_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
