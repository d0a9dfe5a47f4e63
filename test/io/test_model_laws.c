/* Forces as expressions of inputs, from model files. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

/* Outputs at t = 1. */
static void run(double *y, dal_ctx *ctx, const char *members)
{
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    dal_tangent_report tangent;
    dal_options opt = dal_options_init();
    opt.h = 1e-3;
    check_ok(ctx, text_body(&doc, ctx, members));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    const dal_state s = dal_sim_state(sim);
    const dal_point at = {s.t, s.q, s.v, s.vd, s.la};
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), y, &at));
    check_ok(ctx, dal_system_check(ctx, sys, &tangent, &at, 1e-6));
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
}

#define DISK                                                                                                         \
    "'bodies': [{'name': 'disk', 'mass': 2, 'inertia': [0.1, 0.1, 0.2], 'velocity': [3, 0, 0], 'angular_velocity': " \
    "[0, 0, 8]}]"
#define HEARS(input, output) \
    LAW("'value': 'v', 'inputs': {'v': '" input "'}") ", 'outputs': [{'name': 'tip', " output "}]"
#define SEEN ", 'outputs': ['disk.velocity', 'disk.angular_velocity']"

#define LAW(more) \
    DISK ", 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'disk', 'coordinate': 'translation_x', " more "}]"

static void a_law_of_velocity_is_drag(void **state)
{
    dal_ctx *ctx = check_ctx();
    double drag[6], law[6];
    run(drag, ctx,
        DISK ", 'forces': [{'name': 'air', 'type': 'drag', 'body': 'disk', 'damping': 0.1, 'quadratic': 0.4}]" SEEN);
    run(law, ctx,
        "'variables': {'c': 0.4}, " DISK ", 'forces': [{'name': 'air', 'type': 'law', 'body_b': 'disk', 'coordinate': "
        "'translation_x', 'value': '-c*v*abs(v) - 0.1*v', 'inputs': {'v': 'disk.velocity.x'}}]" SEEN);
    assert_all_near(law, drag, 6, 1e-9);
    // m v' = -0.1 v - 0.4 v^2
    assert_near(law[0], 1.0 / ((1.0 / 3.0 + 4.0) * exp(0.05) - 4.0), 1e-6);
    check_ctx_free(ctx);
}

static void numbers_are_laws(void **state)
{
    dal_ctx *ctx = check_ctx();
    double text[6], number[6];
    run(text, ctx, LAW("'value': '-2.5e-1'") SEEN);
    run(number, ctx, LAW("'value': -0.25") SEEN);
    assert_all_near(number, text, 6, 0.0);
    check_ctx_free(ctx);
}

/* An angle of one body, a distance of another, time, and an angular velocity drive the disk. */
static void inputs_come_from_anywhere(void **state)
{
    dal_ctx *ctx = check_ctx();
    double y[7];
    run(y, ctx,
        "'gravity': [0, -9.81, 0], 'bodies': [{'name': 'disk', 'mass': 2, 'inertia': 0.2}, {'name': 'rod', 'mass': 1, "
        "'inertia': 0.1, 'position': [0.5, 0, 0]}], 'joints': [{'name': 'axle', 'type': 'revolute', 'body_b': 'disk', "
        "'axis': [0, 0, 1]}, {'name': 'pin', 'type': 'revolute', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 0, "
        "1]}], 'forces': [{'name': 'motor', 'type': 'law', 'joint': 'axle', 'value': '3*sin(a) - 0.2*w*abs(w) + "
        "0.1*d*t + 0.05*(b - y)', 'inputs': {'a': 'pin.coordinate', 'b': 'pin.coordinate_velocity', 'w': "
        "'disk.angular_velocity.z', 'y': 'rod.position.y', 'd': {'body_a': 'disk', 'body_b': 'rod', 'coordinate': "
        "'length', 'rate': true}}}], 'outputs': ['motor.force_value', 'pin.coordinate', 'pin.coordinate_velocity', "
        "'axle.coordinate_velocity', 'rod.position']");
    // the rod turns about the centre of the disk, so d = 0 up to the residual of its joint
    assert_near(y[0], 3.0 * sin(y[1]) - 0.2 * y[3] * fabs(y[3]) + 0.05 * (y[2] - y[5]), 1e-7);
    assert_true(fabs(y[3]) > 0.1);
    check_ctx_free(ctx);
}

/* A rod on a hinge whose law hears the place and the speed of its tip, its angle, its spin and the force in the hinge; in the model or in a
 * part of it, with what the law hears as named outputs or as inputs of its own. */
#define ROD(inputs, names)                                                                                         \
    "'variables': {'L': 0.7}, 'bodies': [{'name': 'rod', 'mass': 2, 'inertia': 0.1, 'position': ['L/2', 0, 0], "   \
    "'velocity': [0, '1.5*L', 0], 'angular_velocity': [0, 0, 3]}],"                                                \
    " 'joints': [{'name': 'hinge', 'type': 'revolute', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 0, 1]}],"  \
    " 'forces': [{'name': 'f', 'type': 'law', 'joint': 'hinge', 'value': '-3*x - y - 0.2*v - a - 0.3*w - 0.01*N'," \
    "   'inputs': {" inputs "}}], 'outputs': ['hinge.coordinate', 'rod.velocity'" names "]"
#define NAMES                                                                                                         \
    ", {'repeat': 'i', 'to': 2, 'items': [{'name': 'tip{i}', 'quantity': 'position', 'body': 'rod', 'frame': ['(i - " \
    "1.5)*L', 0, 0]}]}, {'name': 'rise', 'quantity': 'position', 'body': 'rod', 'point': ['L', 0, 0], 'component': "  \
    "'y'},"                                                                                                           \
    " {'name': 'speed', 'quantity': 'velocity', 'body': 'rod', 'frame': ['L/2', 0, 0]}, {'name': 'turn', "            \
    "'quantity': 'coordinate', 'joint': 'hinge'}, {'name': 'spin', 'quantity': 'angular_velocity', 'body': 'rod'}, "  \
    "{'name': 'pull', 'quantity': 'force', 'joint': 'hinge', 'component': 'x'}"
#define BY_NAME "'x': 'tip2.x', 'y': 'rise', 'v': 'speed.y', 'a': 'turn', 'w': 'spin.z', 'N': 'pull'"
#define BY_OBJECT                                                                                                   \
    "'x': {'body_b': 'rod', 'coordinate': 'translation_x', 'frame_a': [0, 0, 0], 'frame_b': ['L/2', 0, 0]},"        \
    "'y': {'body_b': 'rod', 'coordinate': 'translation_y', 'frame_a': [0, 0, 0], 'frame_b': ['L/2', 0, 0]},"        \
    "'v': {'body_b': 'rod', 'coordinate': 'translation_y', 'rate': true, 'frame_a': [0, 0, 0], 'frame_b': ['L/2', " \
    "0, 0]},"                                                                                                       \
    "'a': 'hinge.coordinate', 'w': 'rod.angular_velocity.z', 'N': 'hinge.force.x'"

static void named_outputs_are_inputs(void **state)
{
    dal_ctx *ctx = check_ctx();
    double named[32], own[4], part[32];
    (void)state;
    run(own, ctx, ROD(BY_OBJECT, ""));
    run(named, ctx, ROD(BY_NAME, NAMES));
    run(part, ctx, "'parts': [{'name': 'p', 'model': {'dalembert': 1, " ROD(BY_NAME, NAMES) "}}]");
    assert_all_near(named, own, 4, 1e-13);
    assert_all_near(part, own, 4, 1e-13);
    assert_true(fabs(own[0]) > 0.1);
    check_ctx_free(ctx);
}

/* What the place of an output follows from can be set. */
static void named_outputs_follow_variables(void **state)
{
    static const char *const set[] = {"L=0.5"};
    const char *text = "{'dalembert': 1, " ROD(BY_NAME, NAMES) "}";
    const double L = 0.5;
    const char *const names[] = {"L"};
    text_sim opened, bound;
    (void)state;
    text_sim_open(&opened, text, set, 1);
    text_sim_open(&bound, text, NULL, 0);
    dal_binding *binding;
    check_ok(bound.ctx, dal_binding_create(&binding, bound.ctx, bound.doc, names, 1));
    check_ok(bound.ctx, dal_binding_start(binding, bound.sim, NULL, &L));
    assert_near(text_sim_output(&bound, "hinge.coordinate", 0.5), text_sim_output(&opened, "hinge.coordinate", 0.5),
                1e-13);
    dal_binding_destroy(binding);
    text_sim_close(&bound);
    text_sim_close(&opened);
}

/* Numbers of outputs by their addresses reach the laws that hear these; names may have points in them. */
static void numbers_of_outputs_reach_laws(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'rod', 'mass': 2, 'inertia': 1, 'position': [1, 0, 0]}], 'forces': "
        "[{'name': 'f', 'type': 'law', 'body_b': 'rod', 'coordinate': 'translation_y', 'value': 'x + y', 'inputs': "
        "{'x': 'tip.x', 'y': 'up.x'}}], 'outputs': ['rod.velocity', {'name': 'tip', 'quantity': 'position', 'body': "
        "'rod', 'frame': [0.5, 0, 0]}, {'name': 'up.x', 'quantity': 'position', 'body': 'rod', 'component': 'x', "
        "'frame': "
        "[3, 0, 0]}], 'simulation': {'h': 0.01}}";
    static const char *const names[] = {"outputs.tip.frame.0", "outputs.up.x.frame.0"};
    const double x[2] = {1.5, -0.5};
    dal_binding *binding;
    text_sim o;
    (void)state;
    text_sim_open(&o, text, NULL, 0);
    assert_near(text_sim_output(&o, "rod.velocity", 1.0), 0.0, 1e-14); // along x nothing acts
    check_ok(o.ctx, dal_binding_create(&binding, o.ctx, o.doc, names, 2));
    check_ok(o.ctx, dal_binding_start(binding, o.sim, NULL, x));
    check_ok(o.ctx, dal_sim_run(o.sim, NULL, 1.0));
    assert_near(dal_sim_state(o.sim).v[1], (1.0 + x[0] + 1.0 + x[1]) / 2.0, 1e-12);
    dal_binding_destroy(binding);
    text_sim_close(&o);
}

static void mistakes_are_explained(void **state)
{
    static const char *const cases[][2] = {
        {LAW("'inputs': {}"), "/forces/0: 'value' is missing"},
        {LAW("'value': [3]"), "/forces/0/value: expected an expression"},
        {LAW("'value': '2*v'"), "/forces/0/value: \"2*v\", column 3: no variable 'v'"},
        {LAW("'value': '2*t', 'inputs': {'v': 'disk.velocity.x'}"), "input 'v' is not used in the value"},
        {LAW("'value': 'v', 'inputs': {'v': 'disk.velocity'}"), "write \"body.velocity.x\", y or z"},
        {LAW("'value': 'v', 'inputs': {'v': 'dsik.velocity.x'}"), "/inputs/v: no moving body 'dsik' (did you"},
        {LAW("'value': 'v', 'inputs': {'v': 'disk.velocty.x'}"), "cannot be 'velocty' (did you mean 'velocity'?)"},
        {LAW("'value': 'v', 'inputs': {'v': 'disk.acceleration.x'}"), "an input cannot be 'acceleration'"},
        {LAW("'value': 'v', 'inputs': {'v': 'hinge.coordinate'}"), "no joint 'hinge'"},
        {LAW("'value': 'v', 'inputs': {'v': 'coordinate'}"), "write \"joint.coordinate\""},
        {LAW("'value': 'v', 'inputs': {'t': 'disk.velocity.x'}"), "'t' cannot be the name of an input"},
        {"'variables': {'v': 1}, " LAW("'value': 'v', 'inputs': {'v': 'disk.velocity.x'}"), "'v' is a variable"},
        {LAW("'value': 'v', 'inputs': {'v': {'body_b': 'disk'}}"), "say which coordinate input 1 is"},
        {LAW("'value': 'v', 'inputs': ['disk.velocity.x']"), "/inputs: expected an object"},
        {"'forces': [{'name': 's', 'type': 'force', 'body': 'disk', 'vector': [1, 0, 0]}, {'name': 'f', 'type': 'law', "
         "'body_b': 'disk', 'coordinate': 'translation_x', 'value': 'v', 'inputs': {'v': 's.force_value'}}], " DISK,
         "'s' is a force: reactions of joints are inputs"},
        {HEARS("tip.x", "'quantity': 'acceleration', 'body': 'disk'"), "the output 'tip' cannot be an input"},
        {HEARS("tip.x", "'quantity': 'position', 'body': 'disk', 'axes': 'body'"), "the output 'tip' cannot be an"},
        {HEARS("tip", "'quantity': 'position', 'body': 'disk'"), "/inputs/v: write \"tip.x\", y or z"},
        {HEARS("tip.y", "'quantity': 'position', 'body': 'disk', 'component': 'x'"), "leave the last letter off"},
        {HEARS("tip.x", "'quantity': 'position', 'body': 'disk', 'component': 'norm'"), "the output 'tip' is a norm"},
        {HEARS("top.x", "'quantity': 'position', 'body': 'disk'"), "an input cannot be 'top'"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_body(&doc, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
    }
    check_ctx_free(ctx);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    dal_document *doc;
    const dal_status st = text_body(&doc, ctx, LAW("'value': 'v*t', 'inputs': {'v': 'disk.velocity.x'}"));
    dal_document_destroy(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    assert_true(check_every_allocation(scenario, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_of_velocity_is_drag),      cmocka_unit_test(numbers_are_laws),
        cmocka_unit_test(inputs_come_from_anywhere),      cmocka_unit_test(named_outputs_are_inputs),
        cmocka_unit_test(named_outputs_follow_variables), cmocka_unit_test(numbers_of_outputs_reach_laws),
        cmocka_unit_test(mistakes_are_explained),         cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
