/* Delays: the method of steps, orders, histories in snapshots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

/* x' = -x(t - T), x = 1 before the start: polynomials from one multiple of T to the next. */
#define DELAYED                                                                                              \
    "{'dalembert': 1, 'variables': {'T': 0.5}, 'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}],"       \
    " 'forces': [{'name': 'x', 'type': 'state', 'initial': 1, 'value': '-y', 'inputs': {'y': 'old.state'}}," \
    "  {'name': 'old', 'type': 'delay', 'time': 'T', 'value': 'x', 'inputs': {'x': 'x.state'}}],"            \
    " 'outputs': ['x.state', 'old.state', 'old.force_value'], 'simulation': {'h': 0.05}}"

static double exact(double t, double T)
{
    double sum = 1.0, factorial = 1.0;
    for (int n = 1; t > (n - 1) * T; ++n) {
        factorial *= -n;
        sum += pow(t - (n - 1) * T, n) / factorial;
    }
    return sum;
}

static void the_method_of_steps(void **state)
{
    static const struct {
        const char *set[2];
        double tol;
    } method[] = {{{"integrator=lobatto", "step=fixed"}, 5e-7},
                  {{"integrator=rk", "step_rtol=1e-10"}, 2e-6},
                  {{"integrator=genalpha", "h=0.002"}, 2e-6},
                  {{"integrator=genalpha", "step=adaptive"}, 3e-4},
                  {{"integrator=bdf", "h=0.002"}, 2e-5}};
    (void)state;
    for (size_t k = 0; k < LEN(method); ++k) {
        text_sim o;
        text_sim_open(&o, DELAYED, method[k].set, 2);
        assert_near(text_sim_output(&o, "old.state", 0.0), 1.0, 0.0);
        assert_near(text_sim_output(&o, "x.state", 0.4), exact(0.4, 0.5), method[k].tol);
        assert_near(text_sim_output(&o, "x.state", 2.0), exact(2.0, 0.5), method[k].tol);
        assert_near(text_sim_output(&o, "old.state", 2.3), exact(1.8, 0.5), method[k].tol);
        assert_near(text_sim_output(&o, "old.force_value", 0.0), exact(2.3, 0.5), method[k].tol);
        text_sim_close(&o);
    }
}

/* A given signal: the error is that of the cubic between points, of order four. */
static void histories_are_cubic(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}],"
        " 'forces': [{'name': 'd', 'type': 'delay', 'time': '1/3', 'value': 'sin(5*t)'}], 'outputs': ['d.state'],"
        " 'simulation': {'h': 0.1}}";
    static const char *const h[] = {"h=0.04", "h=0.02", "h=0.01"};
    double error[LEN(h)];
    (void)state;
    for (size_t k = 0; k < LEN(h); ++k) {
        text_sim o;
        text_sim_open(&o, text, &h[k], 1);
        error[k] = 0.0;
        for (int i = 1; i < 40; ++i) {
            const double t = 0.7 + 0.04 * i;
            error[k] = fmax(error[k], fabs(text_sim_output(&o, "d.state", t) - sin(5.0 * (t - 1.0 / 3.0))));
        }
        text_sim_close(&o);
    }
    for (size_t k = 1; k < LEN(h); ++k) {
        const double order = log2(error[k - 1] / error[k]);
        assert_true(order > 3.5 && order < 4.6);
    }
    assert_true(error[2] < 1e-6);
}

/* Steps far below the grain of the history: it stays as accurate, and forgets what is too old. */
static void tiny_steps_do_not_fill_it(void **state)
{
    static const char *const set[] = {"h=0.00005", "T=0.1"};
    (void)state;
    text_sim o;
    text_sim_open(&o, DELAYED, set, 2);
    assert_near(text_sim_output(&o, "x.state", 1.0), exact(1.0, 0.1), 1e-8);
    text_sim_close(&o);
}

static void snapshots_have_the_history(void **state)
{
    (void)state;
    text_sim o, other;
    text_sim_open(&o, DELAYED, NULL, 0);
    text_sim_open(&other, DELAYED, NULL, 0);
    (void)text_sim_output(&o, "x.state", 1.3);
    const size_t size = dal_sim_snapshot_size(o.sim);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(o.ctx, dal_sim_save(o.sim, buffer, size));
    check_ok(other.ctx, dal_sim_restore(other.sim, buffer, size));
    const double a = text_sim_output(&o, "x.state", 3.0), b = text_sim_output(&other, "x.state", 3.0);
    assert_memory_equal(&a, &b, sizeof a);
    free(buffer);
    text_sim_start(&o); // a new start has forgotten it
    assert_near(text_sim_output(&o, "x.state", 2.0), exact(2.0, 0.5), 1e-3);
    text_sim_close(&o);
    text_sim_close(&other);
}

/* A rotor with feedback of its angle of some turns ago. */
static void angles_are_counted(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'rotor', 'mass': 1, 'inertia': 2, 'angular_velocity': [0, 0, 30]}],"
        " 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rotor', 'axis': [0, 0, 1]}],"
        " 'forces': [{'name': 'd', 'type': 'delay', 'time': 0.5, 'value': 'a', 'inputs': {'a': 'A.coordinate'}}],"
        " 'outputs': ['d.state', 'A.coordinate'], 'simulation': {'h': 0.01}}";
    (void)state;
    text_sim o;
    text_sim_open(&o, text, NULL, 0);
    assert_near(text_sim_output(&o, "d.state", 3.0), 75.0, 1e-9);
    text_sim_close(&o);
}

/* What is delayed does not change with the state: tangents have nothing of it, and those of other forces are checked beside it. */
static void tangents_are_those_of_a_run(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'rod', 'mass': 1, 'inertia': 0.1, 'position': "
        "[0.3, 0, 0]}],"
        " 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 1, 0]}],"
        " 'forces': [{'name': 'old', 'type': 'delay', 'time': 0.1, 'value': 'a', 'inputs': {'a': 'A.coordinate'}},"
        "  {'name': 'm', 'type': 'law', 'joint': 'A', 'value': '-40*y^3 - 7*y - 5*a - w', 'inputs': {'y': 'old.state',"
        "   'a': 'A.coordinate', 'w': 'A.coordinate_velocity'}}], 'outputs': ['A.coordinate']}";
    const double v[6] = {0.1, 0.0, -0.9, 0.2, 3.0, -0.1}, vd[6] = {1.0, 0.5, 0.2, -0.4, 2.0, 0.3},
                 la[5] = {1.0, 2.0, 3.0, -1.0, 0.5};
    (void)state;
    text_sim o;
    text_sim_open(&o, text, NULL, 0);
    const dal_point at = {0.2, dal_sim_state(o.sim).q, v, vd, la};
    dal_tangent_report report;
    check_ok(o.ctx, dal_system_check(o.ctx, o.sys, &report, &at, 1e-6));
    text_sim_close(&o);
}

static void what_cannot_be_is_named(void **state)
{
    static const char *const set[] = {"h=0.6"}, *const zero[] = {"T=0"};
    (void)state;
    text_sim o;
    text_sim_open(&o, DELAYED, set, 1);
    check_fails(o.ctx, dal_sim_run(o.sim, NULL, 3.0), DAL_RETRY, "its delay of 0.5 s is shorter than the step");
    dal_document *doc = NULL;
    check_fails(o.ctx, text_load_set(&doc, o.ctx, DELAYED, zero, 1), DAL_EINVAL, "time = 0 must be positive");
    text_sim_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_method_of_steps),       cmocka_unit_test(histories_are_cubic),
        cmocka_unit_test(tiny_steps_do_not_fill_it), cmocka_unit_test(snapshots_have_the_history),
        cmocka_unit_test(angles_are_counted),        cmocka_unit_test(tangents_are_those_of_a_run),
        cmocka_unit_test(what_cannot_be_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
