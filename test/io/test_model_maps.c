/* Tables of two variables that laws, states, events and functions call. */
#include <math.h>
#include <string.h>

#include "dalembert/events.h"
#include "dalembert/sim.h"
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

static void outputs(double *y, dal_ctx *ctx, const opened *o)
{
    const dal_point at = dal_sim_point(o->sim);
    check_ok(ctx, dal_model_outputs(dal_document_model(o->doc), dal_sim_data(o->sim), y, &at));
}

static void finish(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
}

/* Outputs at t1, where tangents are compared with differences. */
static long run(double *y, dal_ctx *ctx, const char *text, const char *set, double t1)
{
    opened o;
    dal_tangent_report tangent;
    start(&o, ctx, text, set);
    check_ok(ctx, dal_sim_run(o.sim, NULL, t1));
    const dal_point at = dal_sim_point(o.sim);
    check_ok(ctx, dal_system_check(ctx, o.sys, &tangent, &at, 1e-6));
    outputs(y, ctx, &o);
    const long steps = dal_sim_stats(o.sim).steps;
    finish(&o);
    return steps;
}

/* A load on a rail whose outputs are place and velocity. */
#define HEAD(functions)                                                                                         \
    "{'dalembert': 1, 'variables': {'k': 40, 'c': 2}, 'functions': {" functions                                 \
    "}, 'bodies': [{'name': 'load', 'mass': 2, 'inertia': 0.1, 'velocity': [1.5, 0, 0]}], 'joints': [{'name': " \
    "'rail', 'type': 'prismatic', 'body_b': 'load', 'axis': [1, 0, 0], 'point': [0, 0, 0]}], 'outputs': "       \
    "['load.position.x', 'load.velocity.x'], 'forces': [{'name': 's', 'type': 'law', 'body_b': 'load', "        \
    "'coordinate': 'translation_x', 'inputs': {'x': 'load.position.x', 'v': 'load.velocity.x'}, 'value': "
#define END(how) "}], 'simulation': {'t_end': 1, 'h': 0.002" how "}}"

/* ---- values ----------------------------------------------------------------------------------- */

typedef struct probe {
    int map, across[4]; /* the map; its columns as tables of one variable */
    double x, y, z[6];
} probe;

static dal_status ask(double *F, double *g, double t, const double *x, const dal_functions *functions, void *user)
{
    probe *p = user;
    (void)g, (void)t, (void)x;
    *F = 0.0;
    return dal_functions_value2(functions, p->z, p->map, p->x, p->y);
}

static const double X[5] = {-1.0, -0.3, 0.2, 0.5, 1.5}, Y[4] = {-3.0, -1.0, 0.5, 2.0};

/* A model with the map z_ij = sin(x_i) + x_i y_j + cos(2 y_j), and a law that asks for its values. */
static void make(opened *o, dal_ctx *ctx, probe *p, dal_interpolation how)
{
    double c[5 + 4 + 20];
    memcpy(c, X, sizeof X);
    memcpy(c + 5, Y, sizeof Y);
    for (int k = 0; k < 20; ++k) {
        c[9 + k] = sin(X[k / 4]) + X[k / 4] * Y[k % 4] + cos(2.0 * Y[k % 4]);
    }
    check_ok(ctx, text_body(&o->doc, ctx, "'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}]"));
    dal_model *m = dal_document_model(o->doc);
    check_ok(ctx, dal_model_add_function(
                      m, &p->map,
                      &(dal_function){
                          .name = "map", .type = "map", .c = c, .n = 29, .nx = 5, .ny = 4, .interpolation = how}));
    for (int j = 0; j < 4; ++j) {
        const char *const names[] = {"a0", "a1", "a2", "a3"};
        double z[5];
        for (int i = 0; i < 5; ++i) {
            z[i] = c[9 + 4 * i + j];
        }
        check_ok(ctx,
                 dal_model_add_function(
                     m, &p->across[j],
                     &(dal_function){.name = names[j], .type = "table", .x = X, .y = z, .n = 5, .interpolation = how}));
    }
    check_ok(ctx, dal_model_add_force(m, NULL,
                                      &(dal_force){.name = "f",
                                                   .type = "law",
                                                   .body_b = 1,
                                                   .coordinate = DAL_COORDINATE_TRANSLATION,
                                                   .calling_law = ask,
                                                   .user = p}));
    check_ok(ctx, dal_model_compile(m, &o->sys));
    check_ok(ctx, dal_sim_create(&o->sim, ctx, o->sys, NULL));
}

static void value_at(double z[6], dal_ctx *ctx, opened *o, probe *p, double x, double y)
{
    const dal_model *m = dal_document_model(o->doc);
    p->x = x;
    p->y = y;
    check_ok(ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    memcpy(z, p->z, sizeof p->z);
}

/* Along x on a line of points it is the table of one variable; everywhere it is a table over y of such tables. */
static void a_map_is_a_table_of_tables(void **state)
{
    static const dal_interpolation hows[] = {DAL_INTERPOLATION_CUBIC, DAL_INTERPOLATION_LINEAR};
    dal_ctx *ctx = check_ctx();
    for (size_t h = 0; h < LEN(hows); ++h) {
        opened o;
        probe p = {0};
        make(&o, ctx, &p, hows[h]);
        dal_model *m = dal_document_model(o.doc);
        for (double x = -1.7; x < 2.3; x += 0.23) {
            double row[4], z[6], y[3];
            for (int j = 0; j < 4; ++j) {
                check_ok(ctx, dal_model_function_value(m, y, p.across[j], x));
                value_at(z, ctx, &o, &p, x, Y[j]);
                assert_near(z[0], y[0], 1e-12);
                assert_near(z[1], y[1], 1e-12);
                assert_near(z[3], y[2], 1e-12);
                row[j] = y[0];
            }
            dal_document *other;
            int number;
            check_ok(ctx, text_body(&other, ctx, "'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}]"));
            check_ok(ctx, dal_model_add_function(
                              dal_document_model(other), &number,
                              &(dal_function){
                                  .name = "row", .type = "table", .x = Y, .y = row, .n = 4, .interpolation = hows[h]}));
            for (double at = -4.1; at < 3.0; at += 0.37) {
                check_ok(ctx, dal_model_function_value(dal_document_model(other), y, number, at));
                value_at(z, ctx, &o, &p, x, at);
                assert_near(z[0], y[0], 1e-12);
                assert_near(z[2], y[1], 1e-12);
                assert_near(z[5], y[2], 1e-12);
            }
            dal_document_destroy(other);
        }
        finish(&o);
    }
    check_ctx_free(ctx);
}

/* All five derivatives against differences of the value and of the slopes. */
static void derivatives_are_exact(void **state)
{
    const double d = 1e-5;
    dal_ctx *ctx = check_ctx();
    for (int how = 0; how < 2; ++how) {
        opened o;
        probe p = {0};
        make(&o, ctx, &p, how == 0 ? DAL_INTERPOLATION_CUBIC : DAL_INTERPOLATION_LINEAR);
        for (double x = -1.71; x < 2.3; x += 0.33) {
            for (double y = -3.87; y < 3.0; y += 0.61) {
                double z[6], a[6], b[6];
                value_at(z, ctx, &o, &p, x, y);
                value_at(a, ctx, &o, &p, x - d, y);
                value_at(b, ctx, &o, &p, x + d, y);
                assert_near(z[1], (b[0] - a[0]) / (2.0 * d), 1e-8);
                assert_near(z[3], (b[1] - a[1]) / (2.0 * d), 1e-8);
                assert_near(z[4], (b[2] - a[2]) / (2.0 * d), 1e-8);
                value_at(a, ctx, &o, &p, x, y - d);
                value_at(b, ctx, &o, &p, x, y + d);
                assert_near(z[2], (b[0] - a[0]) / (2.0 * d), 1e-8);
                assert_near(z[4], (b[1] - a[1]) / (2.0 * d), 1e-8);
                assert_near(z[5], (b[2] - a[2]) / (2.0 * d), 1e-8);
            }
        }
        finish(&o);
    }
    check_ctx_free(ctx);
}

/* ---- models ----------------------------------------------------------------------------------- */

/* -k x + 1.5 x y - 2 y, which both interpolations have everywhere. */
#define MAP(how)                                                                                              \
    "'m': {'type': 'map', 'x': [-1, 0.1, 2], 'y': [-2, 1], 'interpolation': '" how "', 'z': [['k + 7', 'k - " \
    "3.5'], ['3.7 - 0.1*k', '-0.1*k - 1.85'], ['-2*k - 2', '1 - 2*k']]}"

static void a_law_calls_it(void **state)
{
#define PAIR(how, options)                                                                      \
    {                                                                                           \
        HEAD(MAP(how)) "'m(x, v)'" END(options), HEAD("") "'-k*x + 1.5*x*v - 2*v'" END(options) \
    }
    static const char *const cases[][2] = {
        PAIR("cubic", ""),
        PAIR("linear", ""),
        PAIR("cubic", ", 'integrator': 'rk', 'step_rtol': 1e-8"),
        PAIR("cubic", ", 'integrator': 'bdf', 'step_rtol': 1e-8"),
        PAIR("linear", ", 'integrator': 'lobatto'"),
        PAIR("cubic", ", 'integrator': 'rattlie'"),
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        double y[2], z[2];
        run(y, ctx, cases[k][0], NULL, 1.0);
        run(z, ctx, cases[k][1], NULL, 1.0);
        assert_all_near(y, z, 2, 1e-11);
    }
    check_ctx_free(ctx);
}

/* Along one line a map of the time is a table of the time: steps end at the same points. */
static void breaks_in_time_are_known(void **state)
{
#define TIMES "'x': [1, 1.4, 1.62, 2.54], 'interpolation': 'linear', "
    static const char map[] = HEAD("'p': {'type': 'map', " TIMES "'y': [0, 100], 'z': [[0, 1], [30, 1], [-5, 1], [20, "
                                   "1]]}") "'p(1 + 2*t, 0*v*x)'" END(", 'integrator': 'rk', 'step_rtol': 1e-9");
    static const char table[] =
        HEAD("'p': {'type': 'table', " TIMES
             "'y': [0, 30, -5, 20]}") "'p(1 + 2*t) + 0*v*x'" END(", 'integrator': 'rk', 'step_rtol': 1e-9");
    dal_ctx *ctx = check_ctx();
    double y[2], z[2];
    const long steps = run(y, ctx, map, NULL, 1.0), other = run(z, ctx, table, NULL, 1.0);
    assert_all_near(y, z, 2, 1e-12);
    assert_int_equal(steps, other);
    check_ctx_free(ctx);
}

/* Another value in a simulation is the value that the model is opened with, bit for bit. */
static void bindings_reach_maps(void **state)
{
    static const char text[] = HEAD(MAP("cubic")) "'m(x, v)'" END("");
    static const char *const name = "k";
    const double k = 55.0;
    dal_ctx *ctx = check_ctx();
    opened o;
    dal_binding *b;
    double own[2], bound[2], anew[2];
    run(anew, ctx, text, "k=55", 0.5);
    run(own, ctx, text, NULL, 0.5);
    start(&o, ctx, text, NULL);
    check_ok(ctx, dal_binding_create(&b, ctx, o.doc, &name, 1));
    check_ok(ctx, dal_binding_start(b, o.sim, NULL, &k));
    check_ok(ctx, dal_sim_run(o.sim, NULL, 0.5));
    outputs(bound, ctx, &o);
    assert_true(bound[0] == anew[0] && bound[1] == anew[1]);
    assert_true(fabs(bound[0] - own[0]) > 1e-6);
    dal_binding_destroy(b);
    finish(&o);
    check_ctx_free(ctx);
}

/* Functions call it: d = m(2 t, t^2) with both derivatives; so do states (x' = m(x, 1) = -k x + 1.5 x - 2) and conditions of events. */
static void functions_states_and_events_call_it(void **state)
{
    static const char text[] = "{'dalembert': 1, 'variables': {'k': 3}, 'functions': {" MAP(
        "cubic") ", 'd': 'm(2*t, t^2)'}, 'bodies': [{'name': "
                 "'b', 'type': 'point', 'mass': 1, 'velocity': [1, 0]}], 'forces': [{'name': 'x', 'type': 'state', "
                 "'initial': 1, "
                 "'value': 'm(x, 1)', 'inputs': {'x': 'x.state'}}], 'outputs': ['x.state', 'b.position.x'], 'events': "
                 "[{'name': "
                 "'there', 'when': 'm(p, 1) < -2.375', 'inputs': {'p': 'b.position.x'}, 'stop': true}], "
                 "'simulation': "
                 "{'integrator': 'rk', 'step_rtol': 1e-11}}";
    dal_ctx *ctx = check_ctx();
    opened o;
    double y[3], out[2];
    start(&o, ctx, text, NULL);
    const dal_model *m = dal_document_model(o.doc);
    const int d = dal_model_find_function(m, "d");
    assert_int_equal(dal_model_function_arguments(m, d), 1);
    assert_int_equal(dal_model_function_arguments(m, dal_model_find_function(m, "m")), 2);
    for (double t = -0.4; t < 1.2; t += 0.13) { // -6 t + 3 t^3 - 2 t^2
        check_ok(ctx, dal_model_function_value(m, y, d, t));
        assert_near(y[0], -6.0 * t + 3.0 * t * t * t - 2.0 * t * t, 1e-12);
        assert_near(y[1], -6.0 + 9.0 * t * t - 4.0 * t, 1e-12);
        assert_near(y[2], 18.0 * t - 4.0, 1e-12);
    }
    check_fails(ctx, dal_model_function_value(m, y, dal_model_find_function(m, "m"), 0.0), DAL_EINVAL,
                "function 'm' takes two arguments");
    // -1.5 p - 2 + 2.375 = 0 where p = 1/4, which is t; x = 7/3 exp(-1.5 t) - 4/3
    check_ok(ctx, dal_sim_run(o.sim, NULL, 1.0));
    outputs(out, ctx, &o);
    assert_near(out[1], 0.25, 1e-9);
    assert_near(out[0], 7.0 / 3.0 * exp(-1.5 * 0.25) - 4.0 / 3.0, 1e-9);
    finish(&o);
    check_ctx_free(ctx);
}

static void mistakes_are_explained(void **state)
{
#define GRID(x, y, z) "'m': {'type': 'map', 'x': " x ", 'y': " y ", 'z': " z "}"
#define GOOD GRID("[0, 1]", "[0, 1]", "[[0, 1], [2, 3]]")
    static const char *const cases[][2] = {
        {HEAD(GOOD) "'-m(x) - v'" END(""), "column 2: m takes two arguments"},
        {HEAD(GOOD) "'-m(x, [v, v])'" END(""), "functions of the model take a number, not a vector"},
        {HEAD(GRID("[0, 1]", "[0, 1]", "[[0, 1], [2]]")) "'-m(x, v)'" END(""), "y has 2 numbers, this list has 1"},
        {HEAD(GRID("[0, 1]", "[0, 1]", "[[0, 1]]")) "'-m(x, v)'" END(""), "x has 2 numbers, z has 1 lists"},
        {HEAD(GRID("[0, 0]", "[0, 1]", "[[0, 1], [2, 3]]")) "'-m(x, v)'" END(""), "x must increase, but x[1] = 0"},
        {HEAD(GRID("[0, 1]", "[2, 1]", "[[0, 1], [2, 3]]")) "'-m(x, v)'" END(""), "y must increase, but y[1] = 1"},
        {HEAD(GRID("[0]", "[0, 1]", "[[0, 1]]")) "'-m(x, v)'" END(""), "a map needs at least two x"},
        {HEAD(GOOD ", 's': {'type': 'sum', 'functions': ['m']}") "'-x - v'" END(""),
         "'m' is a function of two variables"},
        {HEAD(GOOD) "'-x - v'}, {'name': 'a', 'type': 'actuator', 'body_b': 'load', 'coordinate': 'translation_x', "
                    "'function': 'm'" END(""),
         "'m' is a function of two variables: laws, states and events call it, as in m(x, y)"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_load(&doc, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
    }
    check_ctx_free(ctx);
}

/* By numbers of functions, too. */
static void descriptions_are_checked(void **state)
{
    dal_ctx *ctx = check_ctx();
    opened o;
    probe p = {0};
    dal_function f;
    dal_document *doc;
    const double c[29] = {0.0};
    const dal_function map = {.name = "map",
                              .type = "map",
                              .c = (double[]){0, 1, 0, 1, 2, 3, 4, 5},
                              .n = 8,
                              .nx = 2,
                              .ny = 2},
                       sum = {.name = "s", .type = "sum", .f = (int[]){1}, .nf = 1},
                       few = {.name = "n", .type = "map", .c = c, .n = 28, .nx = 5, .ny = 4};
    const dal_force pull = {
        .name = "a", .type = "actuator", .body_b = 1, .coordinate = DAL_COORDINATE_TRANSLATION, .function = 1};
    const dal_joint drive = {
        .name = "d", .type = "motion", .body_b = 1, .coordinate = DAL_COORDINATE_TRANSLATION, .function = 1};
    check_ok(ctx, text_body(&doc, ctx, "'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}]"));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_add_function(m, NULL, &map));
    check_fails(ctx, dal_model_add_function(m, NULL, &sum), DAL_EINVAL, "function 's': 'map' takes two arguments");
    check_fails(ctx, dal_model_add_function(m, NULL, &few), DAL_EINVAL, "a value for each pair");
    check_fails(ctx, dal_model_add_force(m, NULL, &pull), DAL_EINVAL, "no function number 1 of one variable");
    check_fails(ctx, dal_model_add_joint(m, NULL, &drive), DAL_EINVAL, "no function number 1 of one variable");
    dal_document_destroy(doc);
    make(&o, ctx, &p, DAL_INTERPOLATION_CUBIC);
    check_ok(ctx, dal_data_get_function(dal_sim_data(o.sim), &f, p.map));
    check_ok(ctx, dal_data_set_function(dal_sim_data(o.sim), p.map, &f)); // what was got can be set
    f.interpolation = DAL_INTERPOLATION_PERIODIC;
    check_fails(ctx, dal_data_set_function(dal_sim_data(o.sim), p.map, &f), DAL_EINVAL, "cubic or linear");
    finish(&o);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_is_a_table_of_tables),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(a_law_calls_it),
        cmocka_unit_test(breaks_in_time_are_known),
        cmocka_unit_test(bindings_reach_maps),
        cmocka_unit_test(functions_states_and_events_call_it),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(descriptions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
