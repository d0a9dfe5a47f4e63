/* Sampled events: discrete controllers whose outputs and states are inputs, held in between. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/events.h"
#include "io/text.h"
#include "support/check.h"

/* A mass under a force that a controller with a sum holds constant between samples: exact by a recursion. */
#define CONTROLLED                                                                                                 \
    "{'dalembert': 1, 'inputs': {'u': 0, 'sum': 0, 'n': 0}, 'variables': {'T': 0.1, 'K': 3, 'D': 0.8, 'I': 0.1},"  \
    " 'functions': {'limited': 'max(-2, min(2, x))'},"                                                             \
    " 'bodies': [{'name': 'car', 'type': 'point', 'mass': 2, 'position': [1, 0, 0]}],"                             \
    " 'joints': [{'name': 'rail', 'type': 'generic', 'body_b': 'car', 'locked': ['y', 'z'], 'frame_a': [0, 0, 0]," \
    "  'frame_b': [0, 0, 0]}],"                                                                                    \
    " 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'car', 'coordinate': 'translation_x', 'value': 'u'}],"     \
    " 'events': [{'name': 'control', 'every': 'T', 'set': {'sum': 'sum + T*car.position.x', 'n': 'n + 1',"         \
    "  'u': 'limited(-K*car.position.x - D*car.velocity.x - I*sum)'}}],"                                           \
    " 'outputs': ['car.position.x', 'f.force_value', {'name': 'v', 'quantity': 'velocity', 'body': 'car',"         \
    "  'component': 'x'}], 'simulation': {'h': 0.03}}"

static double limited(double x)
{
    return fmax(-2.0, fmin(2.0, x));
}

/* Place after n periods of T. */
static double recursion(int n, double T)
{
    double x = 1.0, v = 0.0, sum = 0.0;
    for (int k = 0; k < n; ++k) {
        const double u = limited(-3.0 * x - 0.8 * v - 0.1 * sum);
        sum += T * x;
        x += T * v + 0.25 * u * T * T;
        v += 0.5 * u * T;
    }
    return x;
}

static void a_controller_is_its_recursion(void **state)
{
    static const char *const set[][2] = {
        {"integrator=genalpha", "step=fixed"}, {"integrator=genalpha", "step=adaptive"},
        {"integrator=lobatto", "step=fixed"},  {"integrator=rk", "step=adaptive"},
        {"integrator=rattlie", "step=fixed"},  {"integrator=bdf", "step=fixed"},
        {"integrator=genalpha", "h=0.1"},      {"integrator=genalpha", "h=0.2"}};
    (void)state;
    for (size_t k = 0; k < LEN(set); ++k) {
        text_sim o;
        text_sim_open(&o, CONTROLLED, set[k], 2);
        assert_near(text_sim_output(&o, "f.force_value", 0.0), -2.0, 1e-14); // the first sample is at the start
        assert_near(text_sim_output(&o, "car.position.x", 0.5), recursion(5, 0.1), 1e-12);
        assert_near(text_sim_output(&o, "car.position.x", 3.0), recursion(30, 0.1), 1e-12);
        assert_near(dal_data_input(dal_sim_data(o.sim), 2).value, 31.0, 0.0); // and one at the end
        int n;
        (void)dal_sim_contact_events(o.sim, &n);
        assert_int_equal(n, 0); // samples are not in the table
        text_sim_start(&o);     // a new start is the first one again
        assert_near(text_sim_output(&o, "car.position.x", 3.0), recursion(30, 0.1), 1e-12);
        text_sim_close(&o);
    }
}

/* Samples at 0.25, 0.25 + T, ...: none before; the period may be anything. */
static void samples_begin_where_they_are_told(void **state)
{
    static const char *const set[] = {"from=0.25", "T=0.07"};
    static const char text[] =
        "{'dalembert': 1, 'inputs': {'n': 0}, 'variables': {'T': 1, 'from': 0},"
        " 'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}], 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'b',"
        "  'coordinate': 'translation_x', 'value': 'n'}],"
        " 'events': [{'name': 'count', 'every': 'T', 'from': 'from', 'set': {'n': 'n + 1'}}], 'outputs': "
        "['f.force_value'],"
        " 'simulation': {'h': 0.01}}";
    (void)state;
    text_sim o;
    text_sim_open(&o, text, set, 2);
    assert_near(text_sim_output(&o, "f.force_value", 0.24), 0.0, 0.0);
    assert_near(text_sim_output(&o, "f.force_value", 0.25), 1.0, 0.0);
    for (int k = 1; k < 40; ++k) {
        assert_near(text_sim_output(&o, "f.force_value", 0.25 + 0.07 * (k + 0.5)), k + 1.0, 0.0);
    }
    text_sim_close(&o);
}

/* Between and at samples. */
static void snapshots_go_on_bit_for_bit(void **state)
{
    static const double times[] = {0.05, 0.1, 0.47};
    (void)state;
    for (size_t k = 0; k < LEN(times); ++k) {
        text_sim o, other;
        text_sim_open(&o, CONTROLLED, NULL, 0);
        text_sim_open(&other, CONTROLLED, NULL, 0);
        (void)text_sim_output(&o, "v", times[k]);
        const size_t size = dal_sim_snapshot_size(o.sim);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        check_ok(o.ctx, dal_sim_save(o.sim, buffer, size));
        check_ok(other.ctx, dal_sim_restore(other.sim, buffer, size));
        const double a = text_sim_output(&o, "v", 2.0), b = text_sim_output(&other, "v", 2.0);
        assert_memory_equal(&a, &b, sizeof a);
        free(buffer);
        text_sim_close(&o);
        text_sim_close(&other);
    }
}

/* Two rates: what both read at the same time is what was before. */
static void two_rates(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'inputs': {'a': 1, 'b': 0}, 'bodies': [{'name': 'p', 'type': 'point', 'mass': 1}],"
        " 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'p', 'coordinate': 'translation_x', 'value': '100*a + b'}],"
        " 'events': [{'name': 'fast', 'every': 0.1, 'set': {'a': 'a + 1'}}, {'name': 'slow', 'every': 0.2, 'set': "
        "{'b': 'a'}}],"
        " 'outputs': ['f.force_value'], 'simulation': {'h': 0.05}}";
    (void)state;
    text_sim o;
    text_sim_open(&o, text, NULL, 0);
    assert_near(text_sim_output(&o, "f.force_value", 0.0), 201.0, 0.0);
    assert_near(text_sim_output(&o, "f.force_value", 0.1), 301.0, 0.0);
    assert_near(text_sim_output(&o, "f.force_value", 0.2), 403.0, 0.0);
    assert_near(text_sim_output(&o, "f.force_value", 0.35), 503.0, 0.0);
    text_sim_close(&o);
}

/* In C the controller is a callback. */
static dal_status feedback(double *y, double t, const double *x, void *user)
{
    (void)t;
    (void)user;
    y[1] = -3.0 * x[0] - 0.8 * x[1];
    return DAL_OK;
}

static dal_status push(dal_data *data, const double *u, void *user)
{
    dal_force f;
    (void)user;
    DAL_TRY(dal_data_get_force(data, &f, 0));
    f.vector[0] = u[0];
    return dal_data_set_force(data, 0, &f);
}

static void a_callback_is_a_controller(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    const dal_system *sys;
    dal_sim *sim;
    int car;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx,
             dal_model_add_body(m, &car, &(dal_body){.name = "car", .type = "point", .mass = 2.0, .position = {1.0}}));
    check_ok(ctx, dal_model_add_force(m, NULL, &(dal_force){.name = "f", .type = "force", .body_b = car}));
    check_ok(ctx, dal_model_set_inputs(m, &(dal_system_input){.name = "u", .unit = "N", .min = -9.0, .max = 9.0}, 1,
                                       push, NULL));
    const dal_output read[] = {{.name = "x", .quantity = "position", .body = car, .component = "x"},
                               {.name = "v", .quantity = "velocity", .body = car, .component = "x"}};
    const dal_action set = {DAL_DO_SET, "u"};
    dal_model_event event = {.name = "control",
                             .values = feedback,
                             .inputs = read,
                             .ninputs = 2,
                             .actions = &set,
                             .nactions = 1,
                             .every = -0.1};
    check_fails(ctx, dal_model_add_event(m, NULL, &event), DAL_EINVAL, "must be a time above zero");
    event.every = 0.1;
    check_ok(ctx, dal_model_add_event(m, NULL, &event));
    check_ok(ctx, dal_model_compile(m, &sys));
    const dal_options opt = dal_options_init();
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_sim_run(sim, NULL, 2.0));
    double x = 1.0, v = 0.0;
    for (int k = 0; k < 20; ++k) {
        const double u = -3.0 * x - 0.8 * v;
        x += 0.1 * v + 0.25 * u * 0.01;
        v += 0.5 * u * 0.1;
    }
    assert_near(dal_sim_state(sim).q[0], x, 1e-12);
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void mistakes_are_named(void **state)
{
    static const char *const body =
        "'inputs': {'n': 0}, 'bodies': [{'name': 'b', 'type': 'point', 'mass': 1}], 'events': [{'name': 'e', ";
    static const struct {
        const char *event, *message;
    } wrong[] = {{"'set': {'n': 1}", "or 'every', a period"},
                 {"'every': 1, 'when': 't > 1', 'set': {'n': 1}", "not both"},
                 {"'every': 0, 'set': {'n': 1}", "above zero"},
                 {"'when': 't > 1', 'from': 1, 'stop': true", "'from' goes with 'every'"}};
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(wrong); ++k) {
        char text[512];
        dal_document *doc;
        snprintf(text, sizeof text, "%s%s}]", body, wrong[k].event);
        check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, wrong[k].message);
    }
    check_ctx_free(ctx);
}

static void what_an_input_cannot_be_is_named_with_its_event(void **state)
{
    text_sim o;
    dal_stop reason;
    (void)state;
    text_sim_open(&o,
                  "{'dalembert': 1, 'inputs': {'u': {'value': 0, 'max': 1}}, 'bodies': [{'name': 'b', 'type': 'point', "
                  "'mass': 1}], 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'b', 'coordinate': 'translation_x', "
                  "'value': 'u'}], 'events': [{'name': 'servo', 'every': 0.1, 'set': {'u': '6*t'}}]}",
                  NULL, 0);
    const dal_status st = dal_sim_run(o.sim, &reason, 1.0);
    check_fails(o.ctx, st, DAL_EINVAL, "event 'servo' at t = 0.2: input 'u' = 1.2 is outside of its limits");
    text_sim_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_controller_is_its_recursion),
        cmocka_unit_test(samples_begin_where_they_are_told),
        cmocka_unit_test(snapshots_go_on_bit_for_bit),
        cmocka_unit_test(two_rates),
        cmocka_unit_test(a_callback_is_a_controller),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(what_an_input_cannot_be_is_named_with_its_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
