/* Reactions of joints as inputs of laws and states: exact through the multipliers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

/* A pendulum whose bearing force pulls a car, drives a state, and brakes the pendulum itself; the torque of a drive lifts the car. */
#define READING                                                                                                     \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'variables': {'k': 0.3},"                                           \
    " 'bodies': [{'name': 'bob', 'mass': 2, 'inertia': 0.1, 'position': [1, 0, 0]},"                                \
    "  {'name': 'car', 'type': 'point', 'mass': 3}, {'name': 'arm', 'mass': 1, 'inertia': 0.2, 'position': [0, 1, " \
    "0]}],"                                                                                                         \
    " 'joints': [{'name': 'hinge', 'type': 'revolute', 'body_b': 'bob', 'point': [0, 0, 0], 'axis': [0, 1, 0]},"    \
    "  {'name': 'pin', 'type': 'revolute', 'body_b': 'arm', 'point': [0, 0.5, 0], 'axis': [0, 0, 1]},"              \
    "  {'name': 'drive', 'type': 'motion', 'joint': 'pin', 'function': '0.5*t^2'}],"                                \
    " 'forces': [{'name': 'pull', 'type': 'law', 'body_b': 'car', 'coordinate': 'translation_x', 'value': 'k*N + "  \
    "0.1*s',"                                                                                                       \
    "   'inputs': {'N': 'hinge.force.z', 's': 'slow.state'}},"                                                      \
    "  {'name': 'up', 'type': 'law', 'body_b': 'car', 'coordinate': 'translation_z', 'value': '3*9.81 + M',"        \
    "   'inputs': {'M': 'drive.force_value'}},"                                                                     \
    "  {'name': 'brake', 'type': 'law', 'joint': 'hinge', 'value': '-0.05*N*tanh(w)',"                              \
    "   'inputs': {'N': 'hinge.force.z', 'w': 'hinge.coordinate_velocity'}},"                                       \
    "  {'name': 'slow', 'type': 'state', 'value': '(N - s)/0.05', 'inputs': {'N': 'hinge.force.z', 's': "           \
    "'slow.state'}}],"                                                                                              \
    " 'outputs': ['hinge.force.z', 'pull.force_value', 'slow.state', 'drive.force_value', 'drive.torque.z',"        \
    "  'up.force_value', {'name': 'ax', 'quantity': 'acceleration', 'body': 'car', 'component': 'x'},"              \
    "  {'name': 'vx', 'quantity': 'velocity', 'body': 'car', 'component': 'x'}, 'hinge.coordinate'],"               \
    " 'simulation': {'h': 0.001}}"

/* What is read is the reaction of the same instant, and all methods find the same motion. */
static void reactions_enter_exactly(void **state)
{
    static const char *const set[][2] = {{"integrator=lobatto", "h=0.002"},
                                         {"integrator=rk", "step_rtol=1e-9"},
                                         {"integrator=genalpha", "h=0.0005"},
                                         {"integrator=rattlie", "h=0.0005"},
                                         {"integrator=bdf", "h=0.0005"}};
    double first[3] = {0.0};
    (void)state;
    for (size_t k = 0; k < LEN(set); ++k) {
        text_sim o;
        text_sim_open(&o, READING, set[k], 2);
        const double N = text_sim_output(&o, "hinge.force.z", 0.4), s = text_sim_output(&o, "slow.state", 0.0);
        assert_near(text_sim_output(&o, "pull.force_value", 0.0), 0.3 * N + 0.1 * s, 1e-12 * N);
        assert_near(text_sim_output(&o, "ax", 0.0), (0.3 * N + 0.1 * s) / 3.0, 1e-6 * N);
        assert_near(text_sim_output(&o, "drive.force_value", 0.0), 0.2 + 0.25, 1e-5); // (J + m l^2) phi''
        assert_near(text_sim_output(&o, "drive.torque.z", 0.0), 0.45, 1e-5);
        assert_near(text_sim_output(&o, "up.force_value", 0.0), 3.0 * 9.81 + 0.45, 1e-5);
        const double end[3] = {text_sim_output(&o, "vx", 0.0), s, text_sim_output(&o, "hinge.coordinate", 0.0)};
        for (int i = 0; i < 3; ++i) {
            first[i] = k == 0 ? end[i] : first[i];
            assert_near(end[i], first[i], 3e-5 * fabs(first[i]));
        }
        text_sim_close(&o);
    }
    assert_true(fabs(first[2]) > 0.5 && first[1] > 10.0);
}

/* A mass that hangs from a point: its law reads the tension, m g, and halves what the hinge carries: T + T/2 = m g. */
static void statics_and_snapshots(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'load', 'mass': 3, 'inertia': 1}],"
        " 'joints': [{'name': 'hook', 'type': 'spherical', 'body_b': 'load', 'point': [0, 0, 1]}],"
        " 'forces': [{'name': 'half', 'type': 'law', 'body_b': 'load', 'coordinate': 'translation_z', 'value': '0.5*T',"
        "  'inputs': {'T': 'hook.force.z'}}], 'outputs': ['hook.force.z', 'half.force_value'], 'simulation': {'h': "
        "0.01}}";
    (void)state;
    text_sim o, other;
    text_sim_open(&o, text, NULL, 0);
    text_sim_open(&other, text, NULL, 0);
    assert_near(text_sim_output(&o, "hook.force.z", 0.05), 2.0 * 9.81, 1e-9);
    assert_near(text_sim_output(&o, "half.force_value", 0.0), 9.81, 1e-9);
    const size_t size = dal_sim_snapshot_size(o.sim);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(o.ctx, dal_sim_save(o.sim, buffer, size));
    check_ok(other.ctx, dal_sim_restore(other.sim, buffer, size));
    const double a = text_sim_output(&o, "hook.force.z", 0.1), b = text_sim_output(&other, "hook.force.z", 0.1);
    assert_memory_equal(&a, &b, sizeof a);
    free(buffer);
    text_sim_close(&o);
    text_sim_close(&other);
}

/* Two bodies in free fall but for a hinge and the joint of the test; a law reads its force and torque, a state their sum. */
#define ANY_JOINT                                                                                                    \
    "{'dalembert': 1, 'gravity': [1, 2, -9.81], 'bodies': ["                                                         \
    "  {'name': 'arm', 'mass': 2, 'inertia': [0.1, 0.2, 0.3], 'position': [0.5, 0.1, 0.2]},"                         \
    "  {'name': 's', 'mass': 1, 'inertia': [0.03, 0.02, 0.04], 'position': [0.7, 0.1, 0.3], 'com': [0.02, 0.1, 0]}," \
    "  {'name': 'car', 'type': 'point', 'mass': 3}],"                                                                \
    " 'functions': {'drive': '0.2*sin(3*t)', 'far': '0.3 + 0.1*t'},"                                                 \
    " 'joints': [{'name': 'hinge', 'type': 'revolute', 'body_b': 'arm', 'point': [0, 0, 0], 'axis': [0.3, 0.2, 1]}," \
    "  {'name': 'J', %s}],"                                                                                          \
    " 'forces': [{'name': 'pull', 'type': 'law', 'body_a': 's', 'body_b': 'arm', 'coordinate': 'length',"            \
    "   'value': '%s', 'inputs': {%s}},"                                                                             \
    "  {'name': 'sum', 'type': 'state', 'value': '%s - s', 'inputs': {'s': 'sum.state', %s}}],"                      \
    " 'outputs': ['pull.force_value', 'J.force.x', 'J.force.y', 'J.force.z', 'J.torque.x', 'J.torque.y', "           \
    "'J.torque.z'],"                                                                                                 \
    " 'simulation': {'h': 0.002}}"

static const struct {
    const char *joint;
    unsigned reads; /* which of the six are not always zero */
} joints[] = {
    {"'type': 'spherical', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2]", 7},
    {"'type': 'revolute', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 63},
    {"'type': 'universal', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 63},
    {"'type': 'fixed', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2]", 63},
    {"'type': 'prismatic', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 63},
    {"'type': 'cylindrical', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 63},
    {"'type': 'screw', 'pitch': 0.3, 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 63},
    {"'type': 'planar', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 63},
    {"'type': 'generic', 'locked': ['x', 'rz', 'ry'], 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2]", 63},
    {"'type': 'generic', 'locked': ['z', 'rx'], 'body_b': 's', 'point': [0.6, 0.1, 0.2]", 63},
    {"'type': 'distance', 'body_a': 'arm', 'body_b': 's'", 7},
    {"'type': 'point_on_line', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 7},
    {"'type': 'point_on_plane', 'body_a': 'arm', 'body_b': 's', 'point': [0.6, 0.1, 0.2], 'axis': [1, 2, 3]", 7},
    {"'type': 'orientation', 'body_a': 'arm', 'body_b': 's'", 56},
    {"'type': 'parallel_axes', 'body_a': 'arm', 'body_b': 's', 'axis': [1, 2, 3]", 56},
    {"'type': 'motion', 'joint': 'hinge', 'function': 'drive'", 56},
    {"'type': 'motion', 'body_a': 'arm', 'body_b': 's', 'coordinate': 'translation_y', 'function': 'drive'", 7},
    {"'type': 'rolling_disk', 'radius': 0.3, 'body_b': 's', 'frame_b': {'axis': [0.1, 1, 0.3]}", 63},
    {"'type': 'rolling_sphere', 'radius': 0.3, 'body_b': 's'", 63},
    {"'type': 'wheel', 'radius': 0.3, 'body_b': 's', 'frame_b': {'axis': [0.1, 1, 0.3]}", 63},
    {"'type': 'knife_edge', 'body_b': 's'", 7}};

/* Every type of joint whose rows are between two frames: what a law reads is the output of the same instant, and the tangents are
 * the derivatives. */
static void every_type_of_joint_is_read(void **state)
{
    static const char *const input[6] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
    (void)state;
    for (size_t k = 0; k < LEN(joints); ++k) {
        char text[4096], value[400] = "0", inputs[400] = "";
        text_sim o;
        dal_tangent_report report;
        for (int i = 0; i < 6; ++i) {
            if (joints[k].reads >> i & 1U) {
                const size_t n = strlen(inputs), v = strlen(value);
                snprintf(inputs + n, sizeof inputs - n, "%s'r%d': 'J.%s'", n > 0 ? ", " : "", i, input[i]);
                snprintf(value + v, sizeof value - v, " + 0.0%d*r%d", i + 1, i);
            }
        }
        snprintf(text, sizeof text, ANY_JOINT, joints[k].joint, value, inputs, value, inputs);
        text_sim_open(&o, text, NULL, 0);
        const double got = text_sim_output(&o, "pull.force_value", 0.05);
        double F = 0.0;
        for (int i = 0; i < 6; ++i) {
            char name[20];
            snprintf(name, sizeof name, "J.%s", input[i]);
            F += joints[k].reads >> i & 1U ? 0.01 * (i + 1) * text_sim_output(&o, name, 0.0) : 0.0;
        }
        assert_true(fabs(F) > 1e-5);
        assert_near(got, F, 1e-10 * fabs(F));
        const dal_state s = dal_sim_state(o.sim);
        const dal_point at = {s.t, s.q, s.v, s.vd, s.la};
        check_ok(o.ctx, dal_system_check(o.ctx, o.sys, &report, &at, 1e-6));
        text_sim_close(&o);
    }
}

/* A bead on an arm that turns at w: it presses on the arm with N = 2 m w r', so with friction mu N r'' = w^2 r - 2 mu w r'. */
static void a_bead_is_braked_by_what_presses_it(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'w': 3, 'mu': 0.4},"
        " 'bodies': [{'name': 'arm', 'mass': 2, 'inertia': 0.5, 'angular_velocity': [0, 0, 'w']},"
        "  {'name': 'bead', 'mass': 0.7, 'inertia': 0.01, 'position': [0.2, 0, 0], 'velocity': [0.5, '0.2*w', 0],"
        "   'angular_velocity': [0, 0, 'w']}],"
        " 'joints': [{'name': 'axle', 'type': 'revolute', 'body_b': 'arm', 'axis': [0, 0, 1]},"
        "  {'name': 'slide', 'type': 'prismatic', 'body_a': 'arm', 'body_b': 'bead', 'point': [0, 0, 0], 'axis': [1, "
        "0, 0]},"
        "  {'name': 'drive', 'type': 'motion', 'joint': 'axle', 'function': 'w*t'}],"
        " 'forces': [{'name': 'friction', 'type': 'law', 'joint': 'slide', 'value': '-mu*sqrt(X^2 + Y^2)',"
        "   'inputs': {'X': 'slide.force.x', 'Y': 'slide.force.y'}}],"
        " 'outputs': ['slide.coordinate', 'slide.torque.z', 'drive.force_value'],"
        " 'simulation': {'integrator': 'lobatto', 'h': 0.005}}";
    (void)state;
    text_sim o;
    text_sim_open(&o, text, NULL, 0);
    const double w = 3.0, mu = 0.4, t = 0.6, m = 0.7, root = sqrt(1.0 + mu * mu),
                 s[2] = {w * (root - mu), -w * (root + mu)};
    const double c1 = (0.5 - s[1] * 0.2) / (s[0] - s[1]), c2 = 0.2 - c1;
    const double r = c1 * exp(s[0] * t) + c2 * exp(s[1] * t),
                 rate = s[0] * c1 * exp(s[0] * t) + s[1] * c2 * exp(s[1] * t);
    assert_near(text_sim_output(&o, "slide.coordinate", t), r - 0.2, 1e-7);
    assert_near(text_sim_output(&o, "drive.force_value", t), 2.0 * m * w * rate * r, 1e-5); // N r
    text_sim_close(&o);
}

/* A beam that is clamped: a law reads the moment of the clamp, m g l, and drives a wheel with it. */
static void the_moment_of_a_clamp_drives_a_wheel(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'beam', 'mass': 2, 'inertia': 0.1, 'position': "
        "[0.5, 0, 0]}, {'name': 'wheel', 'mass': 1, 'inertia': 0.25}],"
        " 'joints': [{'name': 'clamp', 'type': 'fixed', 'body_b': 'beam', 'point': [0, 0, 0]},"
        "  {'name': 'axle', 'type': 'revolute', 'body_b': 'wheel', 'axis': [0, 0, 1]}],"
        " 'forces': [{'name': 'motor', 'type': 'law', 'joint': 'axle', 'value': '-0.5*M', 'inputs': {'M': "
        "'moment.y'}}],"
        " 'outputs': [{'name': 'moment', 'quantity': 'torque', 'joint': 'clamp'}, 'axle.coordinate_velocity'],"
        " 'simulation': {'h': 0.01}}";
    (void)state;
    text_sim o;
    text_sim_open(&o, text, NULL, 0);
    // the clamp turns the beam up: about -y
    assert_near(text_sim_output(&o, "axle.coordinate_velocity", 0.5), 0.5 * (2.0 * 9.81 * 0.5) / 0.25 * 0.5, 1e-9);
    text_sim_close(&o);
}

static void what_cannot_be_read_is_named(void **state)
{
    static const char *const text =
        "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 1}, {'name': 'c', 'mass': 1, "
        "'inertia': 1}], 'joints': [{'name': 'slide', "
        "'type': 'prismatic', 'body_b': 'b',"
        " 'axis': [1, 0, 0]},"
        " {'name': 'stop', 'type': 'limit', 'joint': 'slide', 'limits': [-1, 1]},"
        " {'name': 'line', 'type': 'point_on_line', 'body_b': 'c', 'axis': [1, 0, 0]},"
        " {'name': 'pair', 'type': 'gear', 'joint_1': 'slide', 'joint_2': 'line', 'ratio': "
        "[1, 1], 'torques_only': true}],"
        " 'outputs': [{'name': 'swift', 'quantity': 'acceleration', 'body': 'b', "
        "'component': 'x'}, 'energy'], 'forces': [{'name': 'f', 'type': 'law', 'joint': 'slide', "
        "'value': 'N', 'inputs': {'N': '%s'}}]";
    static const struct {
        const char *input, *message;
    } wrong[] = {{"slide.force_value", "joint 'slide' of type prismatic has several rows"},
                 {"slid.force.x", "no joint 'slid'"},
                 {"slide.force", "joint.force.x"},
                 {"stop.force.x", "what joint 'stop' of type limit exerts cannot be an input"},
                 {"line.torque.x", "joint 'line' of type point_on_line exerts no torque about x"},
                 {"pair.force.x", "joint 'pair' of type gear has no frames"},
                 {"b.acceleration.x", "accelerations follow from the forces"},
                 {"slide.coordinate_acceleration", "'coordinate_acceleration': accelerations"},
                 {"swift", "'swift' cannot be an input: accelerations"},
                 {"energy", "'energy': it is a sum over the whole model"}};
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(wrong); ++k) {
        char members[2048];
        dal_document *doc = NULL;
        const dal_system *sys;
        snprintf(members, sizeof members, text, wrong[k].input);
        dal_status st = text_body(&doc, ctx, members);
        st = st == DAL_OK ? dal_model_compile(dal_document_model(doc), &sys) : st;
        check_fails(ctx, st, DAL_EINVAL, wrong[k].message);
        dal_document_destroy(doc);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_enter_exactly),
        cmocka_unit_test(statics_and_snapshots),
        cmocka_unit_test(every_type_of_joint_is_read),
        cmocka_unit_test(a_bead_is_braked_by_what_presses_it),
        cmocka_unit_test(the_moment_of_a_clamp_drives_a_wheel),
        cmocka_unit_test(what_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
