/* Functions of model files that are expressions. */
#include <math.h>

#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

static dal_document *load(dal_ctx *ctx, const char *members)
{
    dal_document *doc;
    check_ok(ctx, text_body(&doc, ctx, members));
    return doc;
}

static void an_expression_is_a_function_with_two_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc = load(
        ctx, "'variables': {'A': 3, 'w': 2}, 'functions': {'h': {'type': 'harmonic', 'amplitude': 'A', 'omega': 'w', "
             "'offset': 1, 'phase': 0.5}, 'e': '1 + A*sin(w*t + 0.5)', 'of_x': 'x^3 - A*x', 'two': 2}");
    const dal_model *m = dal_document_model(doc);
    for (double t = -1.0; t < 2.0; t += 0.37) {
        double h[3], e[3], x[3], two[3];
        dal_model_function_value(m, h, dal_model_find_function(m, "h"), t);
        dal_model_function_value(m, e, dal_model_find_function(m, "e"), t);
        dal_model_function_value(m, x, dal_model_find_function(m, "of_x"), t);
        dal_model_function_value(m, two, dal_model_find_function(m, "two"), t);
        assert_all_near(two, ((double[]){2.0, 0.0, 0.0}), 3, 0.0);
        assert_all_near(e, h, 3, 1e-14);
        assert_near(x[0], t * t * t - 3.0 * t, 1e-14);
        assert_near(x[1], 3.0 * t * t - 3.0, 1e-14);
        assert_near(x[2], 6.0 * t, 1e-14);
    }
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

#define BODY "'bodies': [{'name': 'a', 'type': 'point', 'mass': 2}]"

/* A point of 2 kg that moves by x = t^2 - t^3/3 and is pushed along y by 4 t. */
static void expressions_in_place_drive_and_push(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc =
        load(ctx, "'variables': {'c': 4}, " BODY ", 'joints': [{'name': 'drive', 'type': 'motion', 'body_b': 'a', "
                  "'coordinate': 'translation_x', 'function': 't^2 - t^3/3'}], 'forces': [{'name': 'push', 'type': "
                  "'force', 'body': 'a', 'vector': [0, 1, 0], 'function': 'c*t'}], 'outputs': ['a.position', "
                  "'a.velocity', 'drive.force']");
    dal_model *m = dal_document_model(doc);
    const dal_system *sys;
    dal_sim *sim;
    double y[9];
    dal_options opt = dal_options_init();
    opt.h = 1e-3;
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.9));
    const dal_state s = dal_sim_state(sim);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), y, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
    assert_near(y[0], 0.81 - 0.243, 1e-9);
    assert_near(y[1], 0.729 / 3.0, 1e-5);
    assert_near(y[4], 0.81, 1e-5);
    assert_near(y[6], 2.0 * (2.0 - 2.0 * 0.9), 1e-4);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

#define PUSH(function) \
    BODY ", 'forces': [{'name': 'f', 'type': 'force', 'body': 'a', 'vector': [1, 0], 'function': " function "}]"

static void names_come_before_expressions(void **state)
{
    static const char *const good[] = {
        "'functions': {'ramp up': '2*t'}, " PUSH("'ramp up'"),
        "'functions': {'t': '2*x'}, " PUSH("'t'"),
        "'variables': {'F': 3}, " PUSH("'F'"),
        "'variables': {'F': 3}, " PUSH("'F*exp(-t)'"),
        PUSH("'t'"),
        ("'bodies': [{'name': 'a', 'type': 'point', 'mass': 2}], 'forces': [{'repeat': 'i', 'to': 3, 'items': "
         "[{'name': "
         "'f{i}', 'type': 'force', 'body': 'a', 'vector': [1, 0], 'function': 'sin(i*t)'}]}]"),
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(good); ++k) {
        dal_document_destroy(load(ctx, good[k]));
    }
    check_ctx_free(ctx);
}

static void mistakes_are_explained(void **state)
{
    static const char *const cases[][2] = {
        {"'functions': {'sine': '2*t'}, " PUSH("'sin'"), "/forces/0/function: \"sin\", column 1: no variable 'sin'"},
        {"'functions': {'drive': '2*t'}, " PUSH("'driev'"),
         "/forces/0/function: no function 'driev' (did you mean 'drive'?)"},
        {PUSH("'2*q'"), "/forces/0/function: \"2*q\", column 3: no variable 'q'"},
        {PUSH("'2*'"), "column 3: a value is missing at the end"},
        {"'functions': {'f': 'sin(t'}", "/functions/f: \"sin(t\", column 6: expected ')'"},
        {"'variables': {'t': 1}, " PUSH("'2*t'"), "'t' is the argument of the function here, and a variable"},
        {"'functions': {'f': [1]}", "expected a function: an object, an expression"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_body(&doc, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expression_is_a_function_with_two_derivatives),
        cmocka_unit_test(expressions_in_place_drive_and_push),
        cmocka_unit_test(names_come_before_expressions),
        cmocka_unit_test(mistakes_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
