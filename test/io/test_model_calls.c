/* Laws and states that call functions and tables of the model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/events.h"
#include "dalembert/sim.h"
#include "dalembert/static.h"
#include "io/text.h"
#include "support/check.h"

typedef struct opened {
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} opened;

static void start(opened *o, dal_ctx *ctx, const char *text, const char *set)
{
    check_ok(ctx, text_load_set(&o->doc, ctx, text, &set, set != NULL));
    dal_model *m = dal_document_model(o->doc);
    check_ok(ctx, dal_model_compile(m, &o->sys));
    check_ok(ctx, dal_sim_create(&o->sim, ctx, o->sys, dal_document_options(o->doc)));
    check_ok(ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
}

static void finish(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
}

/* Outputs at t1; tangents are compared with differences there. */
static void outputs_at(double *y, dal_ctx *ctx, opened *o, double t1)
{
    dal_tangent_report tangent;
    check_ok(ctx, dal_sim_run(o->sim, NULL, t1));
    const dal_point at = dal_sim_point(o->sim);
    check_ok(ctx, dal_model_outputs(dal_document_model(o->doc), dal_sim_data(o->sim), y, &at));
    check_ok(ctx, dal_system_check(ctx, o->sys, &tangent, &at, 1e-6));
}

static long run(double *y, dal_ctx *ctx, const char *text, const char *set, double t1)
{
    opened o;
    start(&o, ctx, text, set);
    outputs_at(y, ctx, &o, t1);
    const long steps = dal_sim_stats(o.sim).steps;
    finish(&o);
    return steps;
}

#define HEAD(functions)                                                                                         \
    "{'dalembert': 1, 'variables': {'k': 40, 'c': 2}, 'gravity': [-9.81, 0, 0], 'functions': {" functions       \
    "}, 'bodies': [{'name': 'load', 'mass': 2, 'inertia': 0.1, 'velocity': [1.5, 0, 0]}], 'joints': [{'name': " \
    "'rail', 'type': 'prismatic', 'body_b': 'load', 'axis': [1, 0, 0], 'point': [0, 0, 0]}], 'outputs': "       \
    "['load.position.x', 'load.velocity.x'], 'forces': ["
#define TABLE(how)                                                                                                   \
    "'bump': {'type': 'table', 'x': [-1, -0.2, 0.1, 0.5, 1.5], 'y': ['-k', -4, '0.05*k', 30, 90], 'interpolation': " \
    "'" how "'}"
#define SPRING                                                                                          \
    "{'name': 's', 'type': 'spring', 'body_b': 'load', 'coordinate': 'translation_x', 'reference': 0, " \
    "'characteristic': 'bump', "                                                                        \
    "'damping': 2}"
#define LAW(value)                                                                                         \
    "{'name': 's', 'type': 'law', 'body_b': 'load', 'coordinate': 'translation_x', 'value': '" value "', " \
    "'inputs': {'x': 'load.position.x', 'v': 'load.velocity.x'}}"
#define END(how) "], 'simulation': {'t_end': 1, 'h': 0.002" how "}}"

static void a_called_table_is_the_characteristic_of_a_spring(void **state)
{
#define PAIR(how, options)                                                                        \
    {                                                                                             \
        HEAD(TABLE(how)) SPRING END(options), HEAD(TABLE(how)) LAW("-bump(x) - c*v") END(options) \
    }
    static const char *const cases[][2] = {
        PAIR("cubic", ""),
        PAIR("linear", ""),
        PAIR("cubic", ", 'integrator': 'rk'"),
        PAIR("cubic", ", 'integrator': 'rk', 'step_rtol': 1e-8"),
        PAIR("cubic", ", 'integrator': 'bdf', 'step_rtol': 1e-8"),
        PAIR("cubic", ", 'integrator': 'lobatto'"),
        PAIR("linear", ", 'integrator': 'rattlie'"),
        PAIR("cubic", ", 'integrator': 'rattlie'"),
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        double spring[2], law[2];
        run(spring, ctx, cases[k][0], NULL, 1.0);
        run(law, ctx, cases[k][1], NULL, 1.0);
        assert_all_near(law, spring, 2, 1e-14);
    }
    check_ctx_free(ctx);
}

/* The place of rest is where the table carries the weight. */
static void statics_follow_the_table(void **state)
{
    dal_ctx *ctx = check_ctx();
    opened o;
    double q[16], y[3];
    start(&o, ctx, HEAD(TABLE("cubic")) LAW("-2*bump(x/2) - c*v") END(""), NULL);
    const dal_model *m = dal_document_model(o.doc);
    memcpy(q, dal_model_q0(m), (size_t)o.sys->group->nq * sizeof(double));
    check_ok(ctx, dal_static_solve(ctx, o.sys, NULL, q, NULL, NULL, NULL, 0.0, NULL));
    const double none[16] = {0.0};
    const dal_point at = {.q = q, .v = none, .vd = none, .la = none};
    double out[2];
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(o.sim), out, &at));
    check_ok(ctx, dal_model_function_value(m, y, dal_model_find_function(m, "bump"), 0.5 * out[0]));
    assert_near(-2.0 * y[0], 2.0 * 9.81, 1e-8);
    finish(&o);
    check_ctx_free(ctx);
}

/* Steps with error control end where a table of time has its points, be it called with another scale of time. */
static void breaks_in_time_are_known(void **state)
{
    static const char ramp[] = HEAD("'p': {'type': 'table', 'x': [0, 0.2, 0.31, 0.77], 'y': [0, 30, -5, 20], "
                                    "'interpolation': 'linear'}") "{'name': 's', 'type': 'actuator', 'body_b': 'load', "
                                                                  "'coordinate': 'translation_x', 'function': 'p'}" END(
                                                                      ", 'integrator': 'rk', 'step_rtol': 1e-9");
    static const char law[] =
        HEAD("'p': {'type': 'table', 'x': [1, 1.4, 1.62, 2.54], 'y': [0, 30, -5, 20], 'interpolation': "
             "'linear'}") "{"
                          "'name': 's', 'type': 'law', 'body_b': 'load', 'coordinate': 'translation_x', "
                          "'value': 'p(1 + 2*t)'}" END(", 'integrator': 'rk', 'step_rtol': 1e-9");
    dal_ctx *ctx = check_ctx();
    double a[2], b[2];
    const long steps = run(a, ctx, ramp, NULL, 1.0), own = run(b, ctx, law, NULL, 1.0);
    assert_all_near(a, b, 2, 1e-12);
    assert_int_equal(steps, own);
    check_ctx_free(ctx);
}

/* A table whose numbers follow from variables, in a law that has variables, too: bit for bit as opened with the value. */
static void bindings_reach_called_functions(void **state)
{
    static const char text[] =
        HEAD(TABLE("cubic") ", 'soft': 'c*x/(1 + x^2)'") LAW("-bump(x + k/1000) - c*soft(v)") END("");
    static const char *const names[] = {"k", "c"};
    static const double values[] = {55.0, 2.75};
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < 2; ++i) {
        opened o;
        dal_binding *b;
        char set[64];
        double own[2], bound[2], anew[2];
        snprintf(set, sizeof set, "%s=%.17g", names[i], values[i]);
        run(anew, ctx, text, set, 0.5);
        run(own, ctx, text, NULL, 0.5);
        start(&o, ctx, text, NULL);
        check_ok(ctx, dal_binding_create(&b, ctx, o.doc, &names[i], 1));
        check_ok(ctx, dal_binding_start(b, o.sim, NULL, &values[i]));
        check_ok(ctx, dal_sim_run(o.sim, NULL, 0.5));
        const dal_point at = dal_sim_point(o.sim);
        check_ok(ctx, dal_model_outputs(dal_document_model(o.doc), dal_sim_data(o.sim), bound, &at));
        assert_true(bound[0] == anew[0] && bound[1] == anew[1]);
        assert_true(fabs(bound[0] - own[0]) > 1e-6);
        dal_binding_destroy(b);
        finish(&o);
    }
    check_ctx_free(ctx);
}

/* x' = -f(x) with f(x) = 3 x as a table: x = exp(-3 t). */
static void states_call_functions(void **state)
{
    dal_ctx *ctx = check_ctx();
    double y[3];
    run(y, ctx,
        "{'dalembert': 1, 'functions': {'f': {'type': 'table', 'x': [0, 1], 'y': [0, 3]}}, 'bodies': [{'name': 'b', "
        "'type': 'point', 'mass': 1}], 'forces': [{'name': 'x', 'type': 'state', 'initial': 1, 'value': '-f(x)', "
        "'inputs': {'x': 'x.state'}}], 'outputs': ['x.state'], 'simulation': {'integrator': 'rk', 'step_rtol': "
        "1e-11}}",
        NULL, 1.0);
    assert_near(y[0], exp(-3.0), 1e-9);
    check_ctx_free(ctx);
}

static void mistakes_are_explained(void **state)
{
#define BUMP "'bump': {'type': 'table', 'x': [0, 1], 'y': [0, 3]}"
    static const char *const cases[][2] = {
        {HEAD(BUMP) LAW("-bmp(x) - v") END(""), "column 2: no function 'bmp' (did you mean 'bump'?)"},
        {HEAD(BUMP) LAW("-bump(x, v)") END(""), "column 2: bump takes one argument"},
        {HEAD(BUMP) LAW("-bump([x, v])") END(""), "functions of the model take a number, not a vector"},
        {HEAD(BUMP) LAW("-bump*x - v") END(""), "'bump' is a function of the model: write its argument, as in bump(t)"},
        {HEAD(BUMP) LAW("-sinn(x) - v") END(""), "no function 'sinn' (did you mean 'sin'?)"},
        {HEAD("'other': '2*bump(x)', " BUMP) LAW("-x - v") END(""),
         "/functions/other: it calls 'bump', which stands behind it: functions call those before them"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_load(&doc, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
    }
    check_ctx_free(ctx);
}

static dal_status no_value(double y[3], double x, void *user)
{
    y[0] = y[1] = y[2] = x;
    return DAL_ECALLBACK;
}

static dal_status twice(double *F, double *g, double t, const double *x, const dal_functions *functions, void *user)
{
    double y[3] = {0.0};
    const dal_status st = dal_functions_value(functions, y, *(const int *)user, t);
    *F = y[0];
    return st;
}

/* Callbacks of programs call functions, too; the status of a function is that of the law. */
static void callbacks_call_functions(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    int number;
    check_ok(ctx, text_body(&doc, ctx, "'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}]"));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx,
             dal_model_add_function(m, &number, &(dal_function){.name = "none", .type = "user", .call = no_value}));
    check_ok(ctx, dal_model_add_force(m, NULL,
                                      &(dal_force){.name = "f",
                                                   .type = "law",
                                                   .body_b = 1,
                                                   .coordinate = DAL_COORDINATE_TRANSLATION,
                                                   .calling_law = twice,
                                                   .user = &number}));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, NULL));
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)), DAL_ECALLBACK,
                "the law of force 'f' failed");
    number = 2;
    check_fails(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)), DAL_EINVAL,
                "the law of force 'f' failed");
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* A motion by a function of a function of a table: y = 2 (k p(2 t) + sin(t)/10), p = 1 + 3 x - x^2, and its derivatives. */
static void functions_call_functions(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'k': 3}, 'functions': {'p': {'type': 'polynomial', 'coefficients': [1, 3, -1]},"
        " 'drive': 'k*p(2*t) + 0.1*sin(t)', 'twice': '2*drive(x)'}, 'bodies': [{'name': 'b', 'type': 'point', 'mass': "
        "1}],"
        " 'joints': [{'name': 'm', 'type': 'motion', 'body_b': 'b', 'coordinate': 'translation_x', 'function': "
        "'twice'}]}";
    static const char *const name[] = {"k"};
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    dal_binding *binding;
    dal_data *data;
    dal_function f;
    check_ok(ctx, text_load(&doc, ctx, text));
    const dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
    const int number = dal_model_find_function(m, "twice");
    for (double t = -1.0; t < 2.0; t += 0.37) {
        double y[3];
        check_ok(ctx, dal_model_function_value(m, y, number, t));
        assert_near(y[0], 2.0 * (3.0 * (1.0 + 6.0 * t - 4.0 * t * t) + 0.1 * sin(t)), 1e-13);
        assert_near(y[1], 2.0 * (3.0 * (6.0 - 8.0 * t) + 0.1 * cos(t)), 1e-13);
        assert_near(y[2], 2.0 * (-24.0 - 0.1 * sin(t)), 1e-13);
    }
    // with another k in one simulation: the row at the start is 2 k p(0)
    const double k = 5.0, zero[3] = {0.0};
    double Phi;
    check_ok(ctx, dal_binding_create(&binding, ctx, doc, name, 1));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    check_ok(ctx, dal_binding_set(binding, data, &k));
    check_ok(ctx, dal_data_residual(data, &(dal_residual){.Phi = &Phi}, &(dal_point){0.0, zero, zero, zero, zero}));
    assert_near(Phi, -10.0, 1e-13);
    check_ok(ctx, dal_data_get_function(data, &f, number));
    check_ok(ctx, dal_data_set_function(data, number, &f)); // what was got can be set
    dal_data_destroy(data);
    dal_binding_destroy(binding);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* Variables, vectors and numbers of elements call functions when the file is read: tables, maps, and functions that use such variables. */
#define NUMBERS                                                                                                        \
    "{'dalembert': 1, 'variables': {'A': 0.3, 'x0': 'hill(s)', 's': 0.5, 'p': ['s', 'hill(2*s)', 0], 'm': 'grid(0.5, " \
    "1)'}, 'functions': {'hill': {'type': 'table', 'x': [0, 1, 3], 'y': [0, 'A', 1], 'interpolation': "                \
    "'linear'}, 'twice': '2*hill(x) + x0', 'grid': {'type': 'map', 'x': [0, 1], 'y': [0, 2], 'z': [[1, 2], [3, 4]], "  \
    "'interpolation': 'linear'}}, 'bodies': [{'repeat': 'i', 'to': 'hill(3)', 'items': [{'name': 'b{i}', 'type': "     \
    "'point', 'mass': 'm', 'position': 'p + [0, 0, hill(2)]', 'velocity': ['twice(1)', 0, 0]}]}], 'outputs': "         \
    "['b1.position.x', 'b1.position.y', 'b1.position.z', 'b1.velocity.x']}"

static void numbers_call_functions(void **state)
{
    static const char *const other[] = {"s=0.25", "A=0.6"};
    static const char *const by[] = {"A", "s", "m"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const double A = k == 0 ? 0.3 : 0.6, s = k == 0 ? 0.5 : 0.25;
        text_sim o;
        dal_body b;
        text_sim_open(&o, NUMBERS, other, k == 0 ? 0 : 2);
        check_ok(o.ctx, dal_model_body_info(dal_document_model(o.doc), &b, 1));
        assert_near(b.mass, 2.5, 1e-15);
        assert_near(text_sim_output(&o, "b1.position.x", 0.0), s, 1e-15);
        assert_near(text_sim_output(&o, "b1.position.y", 0.0), 2.0 * s * A, 1e-15);
        assert_near(text_sim_output(&o, "b1.position.z", 0.0), 0.5 * (A + 1.0), 1e-15);
        assert_near(text_sim_output(&o, "b1.velocity.x", 0.0), 2.0 * A + s * A, 1e-15);
        // computed once: a binding that would change them is refused, and one that does not is not
        dal_binding *binding;
        check_fails(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, by, 1), DAL_EINVAL, "changes function 'hill'");
        check_fails(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, by + 1, 1), DAL_EINVAL,
                    "the argument of hill follows from a value that is bound");
        check_ok(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, by + 2, 1));
        dal_binding_destroy(binding);
        text_sim_close(&o);
    }
}

/* A point on y' = f'(x) x' from f(x_0) on stays on y = f(x); the table is switched by a function of time, where steps with error control end. */
#define TRACK                                                                                                         \
    "{'dalembert': 1, 'gravity': [0, -9.81, 0], 'variables': {'k': 0.4}, 'functions': {'slope': {'type': "            \
    "'polynomial', 'coefficients': [0.1, 'k', -0.6]}, 'lift': {'type': 'ramp', 'from': 0, 'to': 0.05, 'start': 0.2, " \
    "'end': 0.3}}, 'bodies': [{'name': 'b', 'type': 'point', 'mass': 1, 'velocity': [1, 0.1, 0]}], 'joints': "        \
    "[{'name': "                                                                                                      \
    "'track', 'type': 'pfaffian', 'bodies': ['b'], 'rows': [['-slope(x1)', 1, 0, 0, 0, 0, '-lift(t)'], [0, 0, 1, 0, " \
    "0, "                                                                                                             \
    "0]]}], 'outputs': ['b.position.x', 'b.position.y', 'energy', 'drive_work'], 'simulation': {'integrator': 'rk', " \
    "'step_rtol': 1e-10}}"

static void rows_call_functions(void **state)
{
    static const char *const by[] = {"k"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const double c = k == 0 ? 0.4 : 0.9;
        dal_binding *binding;
        text_sim o;
        text_sim_open(&o, TRACK, NULL, 0);
        check_ok(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, by, 1));
        if (k == 1) {
            check_ok(o.ctx, dal_binding_start(binding, o.sim, NULL, &c));
        }
        const double before = text_sim_output(&o, "energy", 0.0);
        dal_tangent_report report;
        const double y = text_sim_output(&o, "b.position.y", 0.6), x = text_sim_output(&o, "b.position.x", 0.0);
        const dal_point at = dal_sim_point(o.sim);
        check_ok(o.ctx, dal_system_check(o.ctx, o.sys, &report, &at, 1e-6));
        // lift is a ramp of the speed b: its integral is 0.05 0.05 + 0.05 0.3
        assert_near(y, 0.1 * x + c * x * x / 2.0 - 0.2 * x * x * x + 0.0025 + 0.015, 1e-9);
        assert_near(text_sim_output(&o, "energy", 0.0) - text_sim_output(&o, "drive_work", 0.0), before, 1e-8);
        dal_binding_destroy(binding);
        text_sim_close(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_called_table_is_the_characteristic_of_a_spring),
        cmocka_unit_test(statics_follow_the_table),
        cmocka_unit_test(breaks_in_time_are_known),
        cmocka_unit_test(bindings_reach_called_functions),
        cmocka_unit_test(states_call_functions),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(callbacks_call_functions),
        cmocka_unit_test(functions_call_functions),
        cmocka_unit_test(numbers_call_functions),
        cmocka_unit_test(rows_call_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
