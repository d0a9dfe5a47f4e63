/* What a model says is what the builder gets. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

#define ONE_BODY "'bodies': [{'name': 'a', 'type': 'point', 'mass': 1}]"

/* A compiled model. */
typedef struct loaded {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
} loaded;

static loaded load_set(const char *members, const char *const *set, int nset)
{
    char text[8192];
    loaded l = {.ctx = check_ctx()};
    snprintf(text, sizeof(text), "{'dalembert': 1, %s}", members);
    check_ok(l.ctx, text_load_set(&l.doc, l.ctx, text, set, nset));
    l.model = dal_document_model(l.doc);
    check_ok(l.ctx, dal_model_compile(l.model, &l.sys));
    return l;
}

static loaded load(const char *members)
{
    return load_set(members, NULL, 0);
}

static void unload(loaded *l)
{
    dal_document_destroy(l->doc);
    check_ctx_free(l->ctx);
}

/* All outputs at the initial values, with v' and lambda zero. */
static void outputs_at_start(const loaded *l, double *values)
{
    static const double zeros[512];
    const dal_point at = {.q = dal_model_q0(l->model), .v = dal_model_v0(l->model), .vd = zeros, .la = zeros};
    check_ok(l->ctx, dal_model_outputs(l->model, NULL, values, &at));
}

static void rotations_may_be_written_in_seven_ways(void **state)
{
    static const char *const ways[] = {
        "{'axis': [0, 0, 2], 'angle': 'deg(30)'}",
        "'pi/6'",
        "['cos(pi/12)', 0, 0, 'sin(pi/12)']",
        "{'quaternion': ['cos(pi/12)', 0, 0, 'sin(pi/12)']}",
        "{'matrix': [['cos(pi/6)', '-sin(pi/6)', 0], ['sin(pi/6)', 'cos(pi/6)', 0], [0, 0, 1]]}",
        "{'vector': [0, 0, 'pi/6']}",
        "{'euler': 'zxz', 'angles': ['pi/3', 0, '-pi/6']}",
    };
    for (size_t k = 0; k < LEN(ways); ++k) {
        char text[512];
        snprintf(text, sizeof(text),
                 "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'rotation': %s}], 'outputs': ['a.rotation_vector']",
                 ways[k]);
        loaded l = load(text);
        const double want[3] = {0.0, 0.0, acos(-1.0) / 6.0};
        double w[3];
        outputs_at_start(&l, w);
        assert_all_near(w, want, 3, 1e-15);
        unload(&l);
    }
}

static void euler_sequences_turn_about_body_axes(void **state)
{
    loaded l = load("'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'rotation': "
                    "{'euler': 'xyz', 'angles': [0.3, -0.4, 0.5]}}], "
                    "'outputs': [{'quantity': 'euler_angles', 'body': 'a', 'sequence': 'xyz'}]");
    const double want[3] = {0.3, -0.4, 0.5};
    double w[3];
    outputs_at_start(&l, w);
    assert_all_near(w, want, 3, 1e-15);
    unload(&l);
}

static void shapes_give_their_moments_of_inertia(void **state)
{
    static const struct {
        const char *text;
        double J[3];
    } cases[] = {
        {"{'box': [1, 2, 3]}", {13.0 / 6, 10.0 / 6, 5.0 / 6}},
        {"{'rod': 3}", {0.0, 1.5, 1.5}},
        {"{'rod': 3, 'axis': 'z'}", {1.5, 1.5, 0.0}},
        {"{'cylinder': [1, 3]}", {2.0, 2.0, 1.0}},
        {"{'cylinder': [1, 3], 'axis': 'x'}", {1.0, 2.0, 2.0}},
        {"{'disk': 2}", {2.0, 2.0, 4.0}},
        {"{'sphere': 2}", {3.2, 3.2, 3.2}},
        {"0.5", {0.5, 0.5, 0.5}},
        {"[1, 2, 3]", {1.0, 2.0, 3.0}},
        {"[1, 2, 3, 0.1, 0.2, 0.3]", {1.0, 2.0, 3.0}},
    };
    for (size_t k = 0; k < LEN(cases); ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            char text[512];
            double T;
            snprintf(text, sizeof(text),
                     "'bodies': [{'name': 'a', 'mass': 2, 'inertia': %s, 'angular_velocity': [%d, %d, %d]}], "
                     "'outputs': ['kinetic_energy']",
                     cases[k].text, axis == 0, axis == 1, axis == 2);
            loaded l = load(text);
            outputs_at_start(&l, &T);
            assert_near(T, 0.5 * cases[k].J[axis], 1e-15);
            unload(&l);
        }
    }
}

static void variables_drive_numbers_in_any_order(void **state)
{
    const char *text = "'variables': {'a': 'b + 1', 'b': '2*c', 'c': 3}, 'gravity': [0, 0, '-a'], "
                       "'bodies': [{'name': 'p', 'type': 'point', 'mass': 'a', 'position': ['a', 'b', 'c']}]";
    loaded l = load(text);
    const double want[3] = {7.0, 6.0, 3.0};
    assert_all_near(dal_model_q0(l.model), want, 3, 0.0);
    assert_int_equal(dal_document_variable_count(l.doc), 3);
    assert_string_equal(dal_document_variable(l.doc, 0).name, "a");
    assert_near(dal_document_variable(l.doc, 0).value, 7.0, 0.0);
    unload(&l);

    static const char *const set[] = {" c = 2*5", "h=1/128", "t_end=pi", "sigma=opt", "formulation=ggl", "scaling=no"};
    l = load_set(text, set, LEN(set));
    const double moved[3] = {21.0, 20.0, 10.0};
    assert_all_near(dal_model_q0(l.model), moved, 3, 0.0);
    const dal_options *options = dal_document_options(l.doc);
    assert_near(options->h, 1.0 / 128.0, 0.0);
    assert_near(dal_document_t_end(l.doc), acos(-1.0), 0.0);
    assert_int_equal(options->sigma_rule, DAL_SIGMA_OPT);
    assert_int_equal(options->formulation, DAL_FORMULATION_GGL);
    assert_int_equal(options->scaling, 0);
    unload(&l);
}

static void options_are_read_by_name(void **state)
{
    loaded l = load(
        ONE_BODY ", 'name': 'n', 'title': 't', 'variables': {'steps': 200}, 'simulation': {'t_end': 2, 'h': '2/steps', "
                 "'rho_inf': 0.6, 'sigma': 'spin', 'formulation': 'index2', 'line_search': false, "
                 "'max_iterations': 7, 'projection_times': [0.5, 'steps/100'], 'note': 'why'}");
    const dal_options *o = dal_document_options(l.doc);
    assert_near(o->h, 0.01, 0.0);
    assert_near(o->rho_inf, 0.6, 0.0);
    assert_int_equal(o->sigma_rule, DAL_SIGMA_SPIN);
    assert_int_equal(o->formulation, DAL_FORMULATION_INDEX2);
    assert_int_equal(o->line_search, 0);
    assert_int_equal(o->max_iterations, 7);
    assert_int_equal(o->projection_times.n, 2);
    assert_near(o->projection_times.x[1], 2.0, 0.0);
    assert_near(dal_document_t_end(l.doc), 2.0, 0.0);
    assert_string_equal(dal_document_name(l.doc), "n");
    assert_string_equal(dal_document_title(l.doc), "t");
    unload(&l);
}

static void words_and_indices_are_put_into_texts(void **state)
{
    static const char *const set[] = {"kind=se3"};
    const char *text =
        "'variables': {'N': 3}, 'words': {'kind': 'planar', 'base': 'b'}, 'bodies': ["
        "{'repeat': 'i', 'from': 0, 'to': 'N - 1', 'items': ["
        "{'repeat': 'j', 'to': 2, 'items': [{'name': '{base}{i}_{j + 10*i}', 'type': '{kind}', 'mass': 1, "
        "'inertia': 1, 'position': ['i', 'j']}]}]}]";
    loaded l = load(text);
    assert_int_equal(dal_model_report(l.model).bodies, 6);
    assert_int_equal(dal_model_report(l.model).velocities, 18);
    assert_int_equal(dal_model_find_body(l.model, "b2_21"), 5);
    assert_near(dal_model_q0(l.model)[3 * 4], 2.0, 0.0);
    // without outputs: position and quaternion of every body, and the energy
    assert_int_equal(dal_model_output_size(l.model), 6 * 7 + 1);
    unload(&l);
    l = load_set(text, set, 1);
    assert_int_equal(dal_model_report(l.model).velocities, 36);
    unload(&l);
}

static void an_empty_repetition_adds_nothing(void **state)
{
    loaded l =
        load("'bodies': [{'name': 'a', 'type': 'point', 'mass': 1}, {'repeat': 'i', 'from': 2, 'to': 1, 'items': "
             "[{'name': 'b{i}', 'type': 'point', 'mass': 1}]}]");
    assert_int_equal(dal_model_report(l.model).bodies, 1);
    unload(&l);
}

/* A joint between two turned bodies, its place said in the world or in the bodies: the same residuals. */
static void places_in_the_world_and_in_bodies_agree(void **state)
{
    const char *bodies = "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': [1, 2, 3], 'rotation': "
                         "{'axis': [1, 0, 0], 'angle': 'pi/2'}}, {'name': 'b', 'mass': 1, 'inertia': 1, "
                         "'position': [0, 0, 1], 'rotation': {'axis': [0, 0, 1], 'angle': 'pi/2'}}]";
    static const char *const places[] = {
        "'point': [1, 1, 1], 'axis': [0, 1, 0], 'x_axis': [1, 0, 0]",
        "'point': [1, 1, 1], 'y_axis': [0, 0, -1], 'x_axis': [1, 0, 0]",
        "'point': [1, 1, 1], 'axis': [0, 3, 0], 'y_axis': [0, 1, -1]",
        "'frame_a': {'position': [0, -2, 1], 'axis': [0, 0, -1], 'x_axis': [1, 0, 0]}, "
        "'frame_b': {'position': [1, -1, 0], 'axis': [1, 0, 0], 'x_axis': [0, -1, 0]}",
        "'frame_a': {'position': [0, -2, 1], 'rotation': [0, 1, 0, 0]}, "
        "'frame_b': {'position': [1, -1, 0], 'rotation': {'matrix': [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]}}",
    };
    for (size_t k = 0; k < LEN(places); ++k) {
        char text[2048];
        double values[8];
        snprintf(text, sizeof(text),
                 "%s, 'joints': [{'name': 'j', 'type': 'fixed', 'body_a': 'a', 'body_b': 'b', %s}], "
                 "'outputs': ['j.residual']",
                 bodies, places[k]);
        loaded l = load(text);
        outputs_at_start(&l, values);
        for (int i = 0; i < 6; ++i) {
            assert_near(values[i], 0.0, 1e-15);
        }
        unload(&l);
    }
}

/* A body, and a point of it, in the frame A of a joint, however that is said; in the model or in a part that is turned. */
static void places_in_frames_of_joints_agree(void **state)
{
    static const struct {
        const char *joint;
        double at[3], x[3]; // place of the body, direction of its x axis
    } c[] = {
        {"'type': 'fixed', 'point': [1, 1, 1], 'axis': [0, 1, 0], 'x_axis': [1, 0, 0]",
         {1.1, 1.3, 0.8},
         {0.8, 0, -0.6}},
        {"'type': 'fixed', 'in': 'a', 'point': [0, -2, 1], 'axis': [0, 0, -1], 'x_axis': [1, 0, 0]",
         {1.1, 1.3, 0.8},
         {0.8, 0, -0.6}},
        {"'type': 'fixed', 'frame_a': {'position': [0, -2, 1], 'axis': [0, 0, -1], 'x_axis': [1, 0, 0]}, 'frame_b': "
         "[1, "
         "-1, 0]",
         {1.1, 1.3, 0.8},
         {0.8, 0, -0.6}},
        {"'type': 'fixed', 'axis': [0, 1, 0], 'x_axis': [1, 0, 0]", {0.1, 0.3, 0.8}, {0.8, 0, -0.6}}, // origin of b
        {"'type': 'fixed'", {0.1, 0.2, 1.3}, {0.8, 0.6, 0}},
        {"'type': 'fixed', 'frame_b': [0, 0, 0]", {1.1, 1.7, 3.2}, {0.8, 0, 0.6}}, // frame of a
        {"'type': 'distance', 'point_a': [2, 0, 0]", {2.1, 0.2, 0.3}, {0.8, 0.6, 0}},
        {"'type': 'distance'", {1.1, 1.7, 3.2}, {0.8, 0, 0.6}}, // origin of a
    };
    (void)state;
    for (size_t k = 0; k < 2 * LEN(c); ++k) {
        char text[2048], model[1600];
        double y[9];
        const int part = k >= LEN(c);
        snprintf(
            model, sizeof model,
            "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': [1, 2, 3], 'rotation': {'axis': [1, 0, "
            "0], 'angle': 'pi/2'}}, {'name': 'b', 'mass': 1, 'inertia': 1, 'position': [0, 0, 1], 'rotation': "
            "{'axis': [0, 0, 1], 'angle': 'pi/2'}}, {'repeat': 'i', 'to': 1, 'items': [{'name': 'c', 'in': 'j{i}', "
            "'mass': 1, 'inertia': 1, 'position': [0.1, 0.2, 0.3], 'rotation': 'asin(0.6)'}]}], "
            "'joints': [{'repeat': 'n', 'to': 2, 'items': [{'name': 'j{n}', 'body_a': 'a', 'body_b': 'b', %s}]}], "
            "'outputs': ['c.position', {'name': 'x', 'quantity': 'position', 'body': 'c', 'frame': [1, 0, 0]}, "
            "{'name': 'same', 'quantity': 'position', 'body': 'c', 'in': 'j2', 'point': [0.1, 0.2, 0.3]}]",
            c[k % LEN(c)].joint);
        snprintf(
            text, sizeof text,
            part ? "'parts': [{'name': 'p', 'at': {'position': [0, 0, 5], 'rotation': 'pi/2'}, 'model': {'dalembert': "
                   "1, %s}}]"
                 : "%s",
            model);
        loaded l = load(text);
        outputs_at_start(&l, y);
        for (int i = 0; i < 3; ++i) {
            const double *at = c[k % LEN(c)].at, *x = c[k % LEN(c)].x;
            const double turned[3] = {-at[1], at[0], at[2] + 5.0}, direction[3] = {-x[1], x[0], x[2]};
            assert_near(y[i], part ? turned[i] : at[i], 1e-14);
            assert_near(y[3 + i] - y[i], part ? direction[i] : x[i], 1e-14);
            assert_near(y[6 + i], y[i], 1e-14);
        }
        unload(&l);
    }
}

/* What the frame of the joint follows from can be set. */
static void places_in_frames_of_joints_follow_values(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'L': 0.5}, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': ['L', "
        "0, "
        "0]}, {'name': 'b', 'in': 'j', 'mass': 1, 'inertia': 1, 'position': [0.2, 0, 0]}], 'joints': [{'name': 'j', "
        "'type': 'revolute', 'body_a': 'a', 'body_b': 'b', 'frame_a': ['2*L', 0, 0], 'frame_b': [-0.2, 0, 0]}], "
        "'outputs': ['b.position'], 'simulation': {'h': "
        "0.01}}";
    // a variable, and numbers of the joint by their addresses
    static const char *const names[] = {"L", "joints.j.frame_a.0"};
    const double L = 0.7, x[2] = {L, 2.1};
    dal_binding *binding;
    text_sim o;
    (void)state;
    text_sim_open(&o, text, NULL, 0);
    check_ok(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, names, 1));
    check_ok(o.ctx, dal_binding_start(binding, o.sim, NULL, &L));
    assert_near(text_sim_output(&o, "b.position", 0.0), 3.0 * L + 0.2, 1e-14);
    dal_binding_destroy(binding);
    check_ok(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, names, 2));
    check_ok(o.ctx, dal_binding_start(binding, o.sim, NULL, x));
    assert_near(text_sim_output(&o, "b.position", 0.0), x[0] + x[1] + 0.2, 1e-14);
    dal_binding_destroy(binding);
    text_sim_close(&o);
}

static void bad_frames_of_joints_are_named(void **state)
{
#define AB "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}, {'name': 'b', 'mass': 1, 'inertia': 1}], "
    static const char *const cases[][2] = {
        {AB "'joints': [{'name': 'i', 'type': 'revolute', 'body_b': 'a', 'in': 'j', 'point': [0, 0, 0]}, {'name': 'j', "
            "'type': 'revolute', 'body_b': 'b', 'in': 'i', 'point': [0, 0, 0]}]",
         "/joints/0/in: joint 'j' is in axes that are its own"},
        {AB
         "'joints': [{'name': 'i', 'type': 'revolute', 'body_b': 'a'}, {'name': 'm', 'type': 'motion', 'joint': 'i', "
         "'function': 0}, {'name': 'j', 'type': 'revolute', 'body_b': 'b', 'in': 'm', 'point': [0, 0, 0]}]",
         "joint 'm' has no frames of its own"},
        {AB "'joints': [{'name': 'i', 'type': 'revolute', 'body_b': 'a'}, {'name': 'k', 'type': 'revolute', 'body_b': "
            "'b', 'point': [1, 0, 0]}, {'name': 'g', 'type': 'gear', 'joint_1': 'i', 'joint_2': 'k', 'ratio': [1, 1]}, "
            "{'name': 'j', 'type': 'fixed', 'body_b': 'b', 'in': 'g', 'point': [0, 0, 0]}]",
         "joint 'g' has no frames of its own"},
        {"'bodies': [{'name': 'a', 'in': 'b', 'mass': 1, 'inertia': 1}, {'name': 'b', 'mass': 1, 'inertia': 1}], "
         "'joints': [{'name': 'b', 'type': 'revolute', 'body_b': 'b', 'point': [1, 0, 0]}]",
         "'b' is a body and a joint"},
        {"'bodies': [{'name': 'a', 'in': 'a', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'a', 'type': 'revolute', "
         "'body_b': 'a', 'point': [1, 0, 0]}]",
         "'a' is a body and a joint"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'h', 'type': 'revolute', 'body_b': "
         "'a'}], "
         "'parts': [{'name': 'p', 'model': {'dalembert': 1, 'bodies': [{'name': 'c', 'in': 'h', 'mass': 1, 'inertia': "
         "1}]}}]",
         "no body 'p.h', and no joint"},
        {AB "'joints': [{'name': 'j0', 'type': 'fixed', 'body_b': 'a', 'point': [0, 0, 0]}, {'repeat': 'i', 'to': 80, "
            "'items': [{'name': 'j{i}', 'type': 'fixed', 'body_b': 'b', 'in': 'j{i-1}', 'point': [0, 0, 0]}]}]",
         "more than 50 joints, each in the frame of the next"},
        {AB "'joints': [{'name': 'j', 'type': 'revolute', 'body_b': 'b', 'in': 'x', 'point': [0, 0, 0]}]",
         "/joints/0/in: no body 'x'"},
        {"'bodies': [{'name': 'a', 'in': 'j', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'j', 'type': 'revolute', "
         "'body_b': 'a'}]",
         "no body 'a'"},
    };
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_body(&doc, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
    }
    check_ctx_free(ctx);
}

static void a_joint_without_place_holds_what_is(void **state)
{
    loaded l = load("'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': [1, 2, 3], 'rotation': 0.3}, "
                    "{'name': 'b', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'j', 'type': 'fixed', 'body_a': 'a', "
                    "'body_b': 'b'}, {'name': 'k', 'type': 'fixed', 'body_a': 'a'}, {'name': 'd', 'type': 'distance', "
                    "'body_a': 'a', 'body_b': 'b'}], "
                    "'outputs': ['j.residual', 'k.residual', 'd.residual', 'd.coordinate']");
    double values[14];
    outputs_at_start(&l, values);
    for (int i = 0; i < 13; ++i) {
        assert_near(values[i], 0.0, 1e-15);
    }
    assert_near(values[13], sqrt(14.0), 1e-15);
    unload(&l);
}

static void functions_have_names_places_or_are_numbers(void **state)
{
    loaded l = load(
        ONE_BODY ", 'functions': {'c': {'type': 'constant', 'value': 2}, "
                 "'s': {'type': 'harmonic', 'amplitude': 3, 'omega': 2, 'offset': 1}, "
                 "'p': {'type': 'polynomial', 'coefficients': [1, 2, 3]}, "
                 "'t': {'type': 'table', 'x': [0, 1, 2], 'y': [1, 2, 3]}, "
                 "'r': {'type': 'ramp', 'from': 1, 'to': 3, 'start': 0, 'end': 2}, "
                 "'step': {'type': 'step', 'from': 1, 'to': 3, 'start': 0, 'end': 2}, "
                 "'all': {'type': 'sum', 'functions': ['c', 's', {'type': 'product', 'functions': ['c', 'p', 4]}]}}");
    static const struct {
        const char *name;
        double want;
    } cases[] = {{"c", 2.0}, {"p", 6.0}, {"t", 2.0}, {"r", 2.0}, {"step", 2.0}};
    double y[3];
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_model_function_value(l.model, y, dal_model_find_function(l.model, cases[k].name), 1.0);
        assert_near(y[0], cases[k].want, 1e-14);
    }
    dal_model_function_value(l.model, y, dal_model_find_function(l.model, "all"), 1.0);
    assert_near(y[0], 2.0 + 1.0 + 3.0 * sin(2.0) + 2.0 * 6.0 * 4.0, 1e-13);
    unload(&l);
}

static void every_type_of_joint_and_force_can_be_loaded(void **state)
{
    loaded l = load(
        "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}, {'name': 'b', 'mass': 1, 'inertia': 1, 'position': [1, 0, "
        "0]}], "
        "'joints': [{'name': 'j1', 'type': 'revolute', 'body_b': 'a', 'axis': [0, 0, 1]}, "
        "{'name': 'j2', 'type': 'revolute', 'body_a': 'a', 'body_b': 'b', 'axis': [0, 0, 1]}, "
        "{'name': 'gear', 'type': 'gear', 'joint_1': 'j1', 'joint_2': 'j2', 'ratio': [1, -2]}, "
        "{'name': 'motion', 'type': 'motion', 'joint': 'j1', 'function': {'type': 'polynomial', 'coefficients': [0, "
        "1]}}, "
        "{'name': 'screw', 'type': 'screw', 'body_b': 'b', 'axis': [1, 0, 0], 'pitch': 0.1}, "
        "{'name': 'lock', 'type': 'generic', 'body_b': 'b', 'locked': ['x', 'rz']}, "
        "{'name': 'edge', 'type': 'knife_edge', 'body_b': 'b'}, "
        "{'name': 'ball', 'type': 'rolling_sphere', 'body_b': 'b', 'frame_a': [0, 0, -1], 'radius': 1}, "
        "{'name': 'row', 'type': 'pfaffian', 'bodies': ['a', 'b'], 'rows': "
        "[[1, 0, 0, 0, 0, 0, 'x2*t', 'y1', 0, 0, 0, 0, 'sin(t)']]}], "
        "'forces': [{'name': 'f1', 'type': 'force', 'body': 'a', 'vector': [1, 2, 3], 'follower': true, 'function': "
        "2}, "
        "{'name': 'f2', 'type': 'torque', 'body': 'a', 'vector': [1, 2, 3], 'point': [1, 1, 1]}, "
        "{'name': 'f3', 'type': 'spring', 'body_a': 'a', 'body_b': 'b', 'stiffness': 10, 'cubic': 1, 'damping': 1, "
        "'reference': 0.5}, "
        "{'name': 'f4', 'type': 'spring', 'joint': 'j1', 'stiffness': 3}, "
        "{'name': 'f5', 'type': 'bushing', 'body_a': 'a', 'body_b': 'b', 'stiffness': [1, 2, 3, 4, 5, 6]}, "
        "{'name': 'f6', 'type': 'actuator', 'joint': 'j2', 'function': 1.5}, "
        "{'name': 'f7', 'type': 'pd', 'joint': 'j2', 'stiffness': 2, 'damping': 1, 'function': 0.5}, "
        "{'name': 'f10', 'type': 'pid', 'joint': 'j2', 'stiffness': 2, 'integral': 1, 'function': 0.5}, "
        "{'name': 'f8', 'type': 'drag', 'body': 'b', 'damping': 1, 'quadratic': 2}, "
        "{'name': 'f9', 'type': 'friction', 'joint': 'j1', 'mu': 0.1, 'radius': 0.02, 'slip': 0.01}], "
        "'outputs': ['f3.force_value', 'f6.force_value', 'j1.coordinate', {'quantity': 'force', 'joint': 'j1', "
        "'axes': 'body'}, {'name': 'p', 'quantity': 'velocity', 'body': 'b', 'point': [2, 0, 0]}, 'j1.work', "
        "'f3.power', "
        "{'quantity': 'work', 'joint': 'j2'}, {'quantity': 'work', 'force': 'f7'}, 'dissipated_energy', "
        "'drive_work']");
    const dal_model_summary report = dal_model_report(l.model);
    assert_int_equal(report.bodies, 2);
    assert_int_equal(report.joints, 9);
    assert_int_equal(report.forces, 10);
    double values[15];
    assert_int_equal(dal_model_output_size(l.model), 15);
    outputs_at_start(&l, values);
    assert_near(values[1], 1.5, 1e-15);
    assert_string_equal(dal_model_output_info(l.model, 3).name, "j1.force");
    assert_string_equal(dal_model_output_info(l.model, 4).name, "p");
    assert_string_equal(dal_model_output_info(l.model, 8).name, "f7.work");
    unload(&l);
}

static void rows_from_expressions_hold_along_the_motion(void **state)
{
    // z' = y x' + sin(t) for a particle
    loaded l =
        load("'bodies': [{'name': 'p', 'type': 'point', 'mass': 1, 'velocity': [1, 0.5, 0]}], 'joints': [{'name': "
             "'row', 'type': 'pfaffian', 'bodies': ['p'], 'rows': [['-y1', 0, 1, 0, 0, 0, '-sin(t)']]}], "
             "'outputs': ['p.position', 'p.velocity']");
    dal_sim *sim;
    double y[6];
    check_ok(l.ctx, dal_sim_create(&sim, l.ctx, l.sys, dal_document_options(l.doc)));
    check_ok(l.ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(l.model), dal_model_v0(l.model)));
    check_ok(l.ctx, dal_sim_run(sim, NULL, 1.0));
    const dal_state s = dal_sim_state(sim);
    const dal_point at = {s.t, s.q, s.v, s.vd, s.la};
    check_ok(l.ctx, dal_model_outputs(l.model, dal_sim_data(sim), y, &at));
    assert_near(y[1], 0.5, 1e-12);
    assert_near(y[5] - y[1] * y[3] - sin(1.0), 0.0, 1e-10);
    dal_sim_destroy(sim);
    unload(&l);
}

/* By differences in the library these were known to 1e-6. */
static void derivatives_of_rows_are_exact(void **state)
{
    loaded l =
        load("'bodies': [{'name': 'p', 'type': 'point', 'mass': 1, 'velocity': [1, 0.5, 0]}, {'name': 'q', 'mass': 1, "
             "'inertia': 1, 'position': [0.3, 0.4, 0.5], 'velocity': [0.2, 0.1, 0.4], 'angular_velocity': [1, 2, "
             "3]}], 'joints': [{'name': 'row', 'type': 'pfaffian', 'bodies': ['p', 'q'], 'rows': [['-y1*x2', "
             "'sin(x1*z2)', 1, 0, 0, 0, 'x2*t', 'y1^2', 0, 'z2', 0, 1, '-sin(t)*x1'], [0, 'exp(x1)', 0, 0, 0, 0, "
             "1, 0, 't*z2', 0, 0, 0]]}]");
    const double vd[9] = {0.3, -0.2, 0.5, 1.0, 0.4, -0.7, 0.2, 0.1, 0.6}, la[2] = {2.0, -3.0};
    dal_tangent_report report;
    check_ok(l.ctx, dal_system_check(l.ctx, l.sys, &report,
                                     &(dal_point){0.7, dal_model_q0(l.model), dal_model_v0(l.model), vd, la}, 1e-9));
    unload(&l);
}

static void outputs_may_be_single_components(void **state)
{
    loaded l =
        load("'bodies': [{'name': 'a.position', 'mass': 2, 'inertia': 1, 'position': [1, 2, 3], 'velocity': [4, 5, "
             "6]}], 'joints': [{'name': 'row', 'type': 'pfaffian', 'bodies': ['a.position'], 'rows': [[1, 0, 0, 0, "
             "0, 0, -4]]}], 'outputs': ['a.position.position.y', 'a.position.velocity', 'momentum.z', "
             "{'quantity': 'matrix', 'body': 'a.position', 'component': '22'}, {'quantity': 'force', 'joint': "
             "'row', 'body': 'a.position', 'component': 'x', 'name': 'pull'}, 'row.multipliers']");
    static const char *const names[] = {
        "a.position.position.y", "a.position.velocity", "momentum.z", "a.position.matrix.22", "pull",
        "row.multipliers"};
    double y[8];
    assert_int_equal(dal_model_output_size(l.model), 8);
    for (int k = 0; k < (int)LEN(names); ++k) {
        assert_string_equal(dal_model_output_info(l.model, k).name, names[k]);
    }
    outputs_at_start(&l, y);
    assert_near(y[0], 2.0, 0.0);
    assert_near(y[2], 5.0, 0.0);
    assert_near(y[4], 12.0, 1e-14);
    assert_near(y[5], 1.0, 1e-15);
    assert_near(y[6], -y[7], 0.0);
    unload(&l);
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    check_fails(ctx, text_body(&doc, ctx, ONE_BODY ", 'outputs': ['a.velocity.w']"), DAL_EINVAL,
                "/outputs/0: output 'a.velocity.w': velocity has no component 'w'; it has x to z");
    check_fails(ctx, text_body(&doc, ctx, ONE_BODY ", 'outputs': ['a.velocty.x']"), DAL_EINVAL,
                "no quantity 'velocty' (did you mean 'velocity'?)");
    check_fails(ctx, text_body(&doc, ctx, ONE_BODY ", 'outputs': ['energy.x']"), DAL_EINVAL,
                "energy has no components");
    check_ctx_free(ctx);
}

/* A free body with everything there is, at zero, falls as without it; the joint that is open from the start holds nothing. */
static void zero_is_a_number(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    check_ok(
        ctx,
        text_body(&doc, ctx,
                  "'variables': {'c': 0}, 'gravity': [0, 0, -10], 'bodies': [{'name': 'b', 'mass': 1, 'inertia': "
                  "[1, 1, 1]}], 'joints': [{'name': 'j', 'type': 'fixed', 'body_b': 'b', 'release': 'c'}], "
                  "'forces': [{'name': 'f1', 'type': 'spring', 'body_b': 'b', 'point_a': [1, 0, 0], 'stiffness': 0, "
                  "'damping': 'c'},"
                  "{'name': 'f2', 'type': 'pd', 'body_b': 'b', 'coordinate': 'translation_z', 'stiffness': 'c', "
                  "'function': 't'},"
                  "{'name': 'f3', 'type': 'pid', 'body_b': 'b', 'coordinate': 'translation_z', 'integral': 'c', "
                  "'function': 't'},"
                  "{'name': 'f4', 'type': 'drag', 'body': 'b', 'damping': 'c', 'quadratic': 0},"
                  "{'name': 'f5', 'type': 'bushing', 'body_b': 'b', 'stiffness': [0, 0, 0, 0, 0, 'c']},"
                  "{'name': 'f6', 'type': 'cartesian', 'body_b': 'b', 'stiffness': [0, 0, 'c']},"
                  "{'name': 'f7', 'type': 'force', 'body': 'b', 'vector': [0, 0, 'c']},"
                  "{'name': 'f8', 'type': 'torque', 'body': 'b', 'vector': [0, 0, 0]},"
                  "{'name': 'f9', 'type': 'friction', 'joint': 'j', 'coordinate': 'rotation_z', 'mu': 'c', "
                  "'slip': 1, 'radius': 0}]"));
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    const dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
    assert_near(dal_sim_state(sim).q[2], -1.25, 1e-9);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_may_be_written_in_seven_ways),
        cmocka_unit_test(euler_sequences_turn_about_body_axes),
        cmocka_unit_test(shapes_give_their_moments_of_inertia),
        cmocka_unit_test(variables_drive_numbers_in_any_order),
        cmocka_unit_test(options_are_read_by_name),
        cmocka_unit_test(words_and_indices_are_put_into_texts),
        cmocka_unit_test(an_empty_repetition_adds_nothing),
        cmocka_unit_test(places_in_the_world_and_in_bodies_agree),
        cmocka_unit_test(places_in_frames_of_joints_agree),
        cmocka_unit_test(places_in_frames_of_joints_follow_values),
        cmocka_unit_test(bad_frames_of_joints_are_named),
        cmocka_unit_test(a_joint_without_place_holds_what_is),
        cmocka_unit_test(functions_have_names_places_or_are_numbers),
        cmocka_unit_test(every_type_of_joint_and_force_can_be_loaded),
        cmocka_unit_test(rows_from_expressions_hold_along_the_motion),
        cmocka_unit_test(derivatives_of_rows_are_exact),
        cmocka_unit_test(outputs_may_be_single_components),
        cmocka_unit_test(zero_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
