/* Inputs: a value that jumps during a run is a start anew, exact where the method is; limits hold; snapshots have them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/linear.h"
#include "io/text.h"
#include "support/check.h"

/* A carriage on rails under a force, and one pendulum that hangs from it where asked for. */
#define CARRIAGE                                                                                                  \
    "{'dalembert': 1, 'variables': {'m': 2, 'half': 'u/2'},"                                                      \
    " 'inputs': {'u': {'value': 0, 'unit': 'N', 'min': -5, 'max': 5}, 'tilt': 0},"                                \
    " 'bodies': [{'name': 'car', 'mass': 'm', 'inertia': 1}],"                                                    \
    " 'joints': [{'name': 'rail', 'type': 'prismatic', 'body_b': 'car', 'point': [0, 0, 0], 'axis': [1, 0, 0]}]," \
    " 'forces': [{'name': 'f', 'type': 'law', 'joint': 'rail', 'value': '2*half'}],"                              \
    " 'simulation': {'h': 0.01}}"

typedef struct opened {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} opened;

static void start(opened *o)
{
    const dal_model *m = dal_document_model(o->doc);
    check_ok(o->ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
}

static opened open_text(const char *text, const char *const *set, int nset)
{
    opened o = {.ctx = check_ctx()};
    check_ok(o.ctx, text_load_set(&o.doc, o.ctx, text, set, nset));
    check_ok(o.ctx, dal_model_compile(dal_document_model(o.doc), &o.sys));
    check_ok(o.ctx, dal_sim_create(&o.sim, o.ctx, o.sys, dal_document_options(o.doc)));
    start(&o);
    return o;
}

static void release(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
    check_ctx_free(o->ctx);
}

static void steps(opened *o, int n)
{
    for (int k = 0; k < n; ++k) {
        check_ok(o->ctx, dal_sim_step(o->sim));
    }
}

static double place(const opened *o)
{
    return dal_sim_state(o->sim).q[0];
}

/* Between jumps the acceleration is constant, which every method integrates exactly: the end is that of parabolas. Were the
 * integrator not told, it would go on with the old acceleration. */
static void a_jump_is_exact(void **state)
{
    static const char *const methods[][2] = {{"integrator=genalpha"},
                                             {"integrator=lobatto"},
                                             {"integrator=lobatto", "lambda=symmetric"},
                                             {"integrator=lobatto", "lambda=variational"},
                                             {"integrator=rk"},
                                             {"integrator=rattlie"},
                                             {"integrator=rattlie", "order=4"},
                                             {"integrator=bdf"},
                                             {"integrator=bdf", "order=5"},
                                             {"formulation=index3"},
                                             {"formulation=index2"}};
    static const double u[] = {1.5, -4.0, 0.0, 5.0, 5.0, -0.25};
    (void)state;
    for (size_t i = 0; i < LEN(methods); ++i) {
        const char *const set[] = {methods[i][0], "step=fixed", methods[i][1]};
        opened o = open_text(CARRIAGE, set, methods[i][1] ? 3 : 2);
        double x = 0.0, v = 0.0;
        for (size_t k = 0; k < LEN(u); ++k) {
            check_ok(o.ctx, dal_sim_set_input(o.sim, 0, u[k]));
            steps(&o, 7);
            x += 0.07 * v + 0.5 * u[k] / 2.0 * 0.07 * 0.07;
            v += 0.07 * u[k] / 2.0;
            assert_near(place(&o), x, 1e-14);
            assert_near(dal_sim_state(o.sim).v[0], v, 1e-13);
            assert_near(dal_sim_state(o.sim).vd[0], u[k] / 2.0, 1e-11);
        }
        release(&o);
    }
}

static void limits_hold(void **state)
{
    (void)state;
    opened o = open_text(CARRIAGE, NULL, 0), other = open_text(CARRIAGE, NULL, 0);
    const dal_system_input u = dal_data_input(dal_sim_data(o.sim), 0);
    assert_string_equal(u.name, "u");
    assert_string_equal(u.unit, "N");
    assert_true(u.value == 0.0 && u.min == -5.0 && u.max == 5.0);
    assert_null(dal_data_input(dal_sim_data(o.sim), 2).name);
    assert_true(isinf(dal_model_input(dal_document_model(o.doc), 1).max));
    for (int k = 0; k < 2; ++k) {
        check_ok(o.ctx, dal_sim_set_input(k == 0 ? o.sim : other.sim, 0, 3.0));
        steps(k == 0 ? &o : &other, 5);
    }
    check_fails(o.ctx, dal_sim_set_input(o.sim, 0, 5.1), DAL_EINVAL,
                "input 'u' = 5.1 N is outside of its limits, -5 to 5");
    check_fails(o.ctx, dal_sim_set_input(o.sim, 1, (double)NAN), DAL_EINVAL, "input 'tilt' = nan");
    check_fails(o.ctx, dal_sim_set_input(o.sim, 2, 0.0), DAL_EINVAL, "the system has 2 inputs");
    check_ok(o.ctx, dal_sim_set_input(o.sim, 0, 3.0)); // the same value is no jump
    steps(&o, 5);
    steps(&other, 5);
    assert_memory_equal(dal_sim_state(o.sim).q, dal_sim_state(other.sim).q, 7 * sizeof(double));
    release(&o);
    release(&other);
}

static void starts_and_snapshots_have_them(void **state)
{
    static const char *const set[] = {"u=2.5"};
    (void)state;
    opened o = open_text(CARRIAGE, NULL, 0), given = open_text(CARRIAGE, set, 1), other = open_text(CARRIAGE, NULL, 0);
    check_ok(o.ctx, dal_sim_set_input(o.sim, 0, 2.5));
    start(&o);
    steps(&o, 10);
    steps(&given, 10);
    assert_memory_equal(dal_sim_state(o.sim).q, dal_sim_state(given.sim).q, 7 * sizeof(double));
    const size_t size = dal_sim_snapshot_size(o.sim);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(o.ctx, dal_sim_save(o.sim, buffer, size));
    check_ok(other.ctx, dal_sim_restore(other.sim, buffer, size));
    assert_true(dal_data_input(dal_sim_data(other.sim), 0).value == 2.5);
    steps(&o, 10);
    steps(&other, 10);
    assert_memory_equal(dal_sim_state(o.sim).q, dal_sim_state(other.sim).q, 7 * sizeof(double));
    free(buffer);
    release(&o);
    release(&given);
    release(&other);
}

/* A start with other numbers leaves as many numbers as there were: back from after a jump of an input to before it. */
static void a_binding_leaves_them_their_numbers(void **state)
{
    static const char *const mass[] = {"m"};
    double q[7];
    (void)state;
    opened o = open_text(CARRIAGE, NULL, 0);
    dal_binding *b;
    check_ok(o.ctx, dal_binding_create(&b, o.ctx, o.doc, mass, 1));
    check_ok(o.ctx, dal_binding_start(b, o.sim, NULL, (double[]){4.0}));
    steps(&o, 5);
    const size_t size = dal_sim_snapshot_size(o.sim);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(o.ctx, dal_sim_save(o.sim, buffer, size));
    for (int k = 0; k < 2; ++k) {
        check_ok(o.ctx, dal_sim_set_input(o.sim, 0, 2.0));
        steps(&o, 10);
        assert_near(dal_sim_state(o.sim).q[0], 0.5 * 2.0 / 4.0 * 0.01, 1e-15); // for 0.1 s
        assert_all_near(dal_sim_state(o.sim).q, k == 0 ? dal_sim_state(o.sim).q : q, 7, 0.0);
        memcpy(q, dal_sim_state(o.sim).q, sizeof q);
        check_ok(o.ctx, dal_sim_restore(o.sim, buffer, size));
    }
    free(buffer);
    dal_sim_destroy(o.sim);
    o.sim = NULL;
    dal_binding_destroy(b);
    release(&o);
}

/* One element cannot follow inputs and the values of a binding that does not know them. */
static void other_values_beside_inputs(void **state)
{
    static const char *const mass[] = {"m"}, *const force[] = {"half"}, *const all[] = {"u", "m"};
    (void)state;
    opened o = open_text(CARRIAGE, NULL, 0);
    dal_binding *b[3];
    check_ok(o.ctx, dal_binding_create(&b[0], o.ctx, o.doc, mass, 1));
    check_ok(o.ctx, dal_binding_create(&b[1], o.ctx, o.doc, force, 1));
    check_ok(o.ctx, dal_binding_create(&b[2], o.ctx, o.doc, all, 2));
    check_ok(o.ctx, dal_sim_set_input(o.sim, 0, 4.0));
    check_ok(o.ctx, dal_binding_change(b[0], o.sim, (double[]){4.0})); // another element
    assert_near(dal_sim_state(o.sim).vd[0], 1.0, 1e-12);
    check_fails(o.ctx, dal_binding_change(b[1], o.sim, (double[]){1.0}), DAL_EINVAL, "name the inputs in that binding");
    assert_near(dal_sim_state(o.sim).vd[0], 1.0, 1e-12);
    check_fails(o.ctx, dal_binding_change(b[2], o.sim, (double[]){6.0, 1.0}), DAL_EINVAL, "outside of its limits");
    check_ok(o.ctx, dal_binding_change(b[2], o.sim, (double[]){-3.0, 1.0}));
    assert_near(dal_sim_state(o.sim).vd[0], -3.0, 1e-12);
    assert_true(dal_data_input(dal_sim_data(o.sim), 0).value == -3.0);
    check_fails(o.ctx, dal_sim_set_input(o.sim, 0, 1.0), DAL_EINVAL, "name the inputs in that binding");
    dal_sim_destroy(o.sim);
    o.sim = NULL;
    for (int k = 0; k < 3; ++k) {
        dal_binding_destroy(b[k]);
    }
    release(&o);
}

static void nothing_is_allocated(void **state)
{
    check_alloc memory = {0};
    (void)state;
    dal_ctx *ctx = check_ctx_with(&memory);
    opened o = {.ctx = ctx};
    check_ok(ctx, text_load(&o.doc, ctx, CARRIAGE));
    check_ok(ctx, dal_model_compile(dal_document_model(o.doc), &o.sys));
    check_ok(ctx, dal_sim_create(&o.sim, ctx, o.sys, dal_document_options(o.doc)));
    start(&o);
    const long before = memory.total;
    for (int k = 0; k < 20; ++k) {
        check_ok(ctx, dal_sim_set_input(o.sim, 0, sin(k)));
        steps(&o, 1);
    }
    assert_int_equal(memory.total, before);
    release(&o);
}

/* The linear model has the inputs of the model, as if the force were one. */
static void a_linear_model_has_them(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_ports *ports;
    dal_linear *linear;
    dal_linear_spec spec;
    dal_sim *sim;
    const dal_system *sys;
    double G[4];
    (void)state;
    check_ok(ctx, text_load(&doc, ctx, CARRIAGE));
    dal_model *m = dal_document_model(doc);
    check_fails(ctx, dal_ports_create(&ports, ctx, m, "uu", NULL), DAL_EOPTION, "name an input, a force");
    check_ok(ctx, dal_ports_create(&ports, ctx, m, NULL, "rail.coordinate"));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_ports_bind(ports, &spec, dal_sim_data(sim)));
    assert_int_equal(spec.ninputs, 2);
    assert_string_equal(dal_ports_input(ports, 0).name, "u");
    assert_string_equal(dal_ports_input(ports, 0).unit, "N");
    const dal_point at = dal_sim_point(sim);
    check_ok(ctx, dal_linear_create(&linear, ctx, sys, dal_sim_data(sim), &at, &spec));
    check_ok(ctx, dal_linear_transfer(linear, G, 0.0, 3.0)); // 1/(m s^2), and nothing of the tilt
    assert_near(G[0], -1.0 / 18.0, 1e-9);
    assert_near(G[1], 0.0, 1e-12);
    dal_linear_destroy(linear);
    dal_sim_destroy(sim);
    dal_ports_destroy(ports);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void what_makes_no_inputs_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } c[] = {
        {"{'dalembert': 1, 'inputs': {'u': {'min': 2, 'max': 1, 'value': 1.5}}}",
         "/inputs/u: min = 2 is above max = 1"},
        {"{'dalembert': 1, 'inputs': {'u': {'min': 2}}}", "/inputs/u: 0 is outside of its limits, 2 to inf"},
        {"{'dalembert': 1, 'inputs': {'u': {'minimum': 2}}}", "minimum"},
        {"{'dalembert': 1, 'inputs': {'u': {'value': 'w'}}}", "w"},
        {"{'dalembert': 1, 'inputs': {'t_end': 1}}", "'t_end' is the end of the simulation"},
        {"{'dalembert': 1, 'inputs': {'u': [1, 2]}}", "input 'u' is a vector"},
        {"{'dalembert': 1, 'variables': {'u': 1}, 'inputs': {'u': 1}}", "there is a variable of this name"},
        {"{'dalembert': 1, 'inputs': [1]}", "/inputs: expected an object"},
        {"{'dalembert': 1, 'inputs': {'u': [1]}}", "expected 2 to 3 elements"},
        {"{'dalembert': 1, 'inputs': {'n': 2}, 'bodies': [{'repeat': 'i', 'to': 'n', 'items': [{'name': 'b{i}', "
         "'mass': "
         "1, 'inertia': 1}]}]}",
         "n"},
    };
    (void)state;
    for (size_t k = 0; k < LEN(c); ++k) {
        dal_ctx *ctx = check_ctx();
        dal_document *doc;
        check_fails(ctx, text_load(&doc, ctx, c[k].text), DAL_EINVAL, c[k].message);
        check_ctx_free(ctx);
    }
}

/* A long chain of a robot description has one for each joint; what depends on none of them does not count against the limit. */
static void there_may_be_hundreds(void **state)
{
    enum { MANY = 900 };
    char text[MANY * 16 + 300], *at = text;
    at += sprintf(at, "{'dalembert': 1, 'variables': {'a': 'u0 + 1', 'b': 2, 'c': 3}, 'inputs': {'u0': 1");
    for (int k = 1; k < MANY; ++k) {
        at += sprintf(at, ", 'u%d': 0", k);
    }
    sprintf(at, "}, 'bodies': [{'name': 'car', 'type': 'point', 'mass': 2}], 'forces': [{'name': 'f', 'type': 'law', "
                "'body_b': 'car', 'coordinate': 'translation_x', 'value': 'a + u899'}], 'simulation': {'h': 0.01}}");
    (void)state;
    opened o = open_text(text, NULL, 0);
    check_ok(o.ctx, dal_sim_set_input(o.sim, MANY - 1, 4.0));
    steps(&o, 10);
    assert_near(place(&o), 0.5 * (2.0 + 4.0) / 2.0 * 0.1 * 0.1, 1e-12);
    release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_is_exact),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(starts_and_snapshots_have_them),
        cmocka_unit_test(a_binding_leaves_them_their_numbers),
        cmocka_unit_test(other_values_beside_inputs),
        cmocka_unit_test(nothing_is_allocated),
        cmocka_unit_test(there_may_be_hundreds),
        cmocka_unit_test(a_linear_model_has_them),
        cmocka_unit_test(what_makes_no_inputs_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
