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
        cmocka_unit_test(a_law_of_velocity_is_drag),
        cmocka_unit_test(numbers_are_laws),
        cmocka_unit_test(inputs_come_from_anywhere),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
