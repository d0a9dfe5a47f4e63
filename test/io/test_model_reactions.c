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

static void what_cannot_be_read_is_named(void **state)
{
    static const char *const text = "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 1}], 'joints': [{'name': 'slide', "
                                    "'type': 'prismatic', 'body_b': 'b',"
                                    " 'axis': [1, 0, 0]}], 'forces': [{'name': 'f', 'type': 'law', 'joint': 'slide', "
                                    "'value': 'N', 'inputs': {'N': '%s'}}]";
    static const struct {
        const char *input, *message;
    } wrong[] = {{"slide.force.x", "of joint 'slide' of type prismatic cannot be an input"},
                 {"slide.force_value", "the force_value of joint 'slide' of type prismatic cannot"},
                 {"slid.force.x", "no joint 'slid'"},
                 {"slide.force", "joint.force.x"}};
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(wrong); ++k) {
        char members[1024];
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
        cmocka_unit_test(what_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
