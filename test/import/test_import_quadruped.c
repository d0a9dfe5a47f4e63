/* A quadruped from MJCF that stands on four feet: ground reactions and torques of its servos against statics by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot.h"

/* A thigh and a shank, each 0.2 m long, with hinges about y; masses in the middle of both. */
#define LEG(name, at)                                                                       \
    "<body name='" name "_thigh' pos='" at "'><joint name='" name "_hip' class='hip'/>"     \
    "<inertial pos='0 0 -0.1' mass='0.8' diaginertia='0.003 0.003 0.0005'/>"                \
    "<body name='" name "_shank' pos='0 0 -0.2'><joint name='" name "_knee' class='knee'/>" \
    "<inertial pos='0 0 -0.1' mass='0.3' diaginertia='0.001 0.001 0.0002'/></body></body>"
#define SERVO(name)                                                         \
    "<position name='" name "_hip' joint='" name "_hip' kp='600' kv='12'/>" \
    "<position name='" name "_knee' joint='" name "_knee' kp='600' kv='12'/>"
static const char dog[] =
    "<mujoco model='dog'><compiler angle='radian'/><option gravity='0 0 -9.81'/>"
    "<default><joint axis='0 1 0' armature='0.02' damping='0.1'/><default class='hip'><joint range='-2 2'/></default>"
    "<default class='knee'><joint range='-2.6 0'/></default></default>"
    "<worldbody><body name='trunk' pos='0 0 0.4'><freejoint name='float'/>"
    "<inertial pos='0.03 0 0' mass='9' diaginertia='0.05 0.2 0.2'/>" LEG("fl", "0.2 0.1 0") LEG("fr", "0.2 -0.1 0")
        LEG("rl", "-0.2 0.1 0") LEG("rr", "-0.2 -0.1 0") "</body></worldbody><actuator>" SERVO("fl") SERVO("fr")
            SERVO("rl") SERVO("rr") "</actuator>"
                                    "<keyframe><key name='stand' qpos='0 0 0.36 1 0 0 0 0.6 -1.2 0.6 -1.2 0.6 -1.2 0.6 "
                                    "-1.2' ctrl='0.6 -1.2 0.6 "
                                    "-1.2 0.6 -1.2 0.6 -1.2'/></keyframe></mujoco>";

/* Feet of 20 mm radius on a floor with friction. */
#define FOOT(name)                                                                                              \
    "{'name': '" name "', 'type': 'contact', 'body_b': '" name "_shank', 'frame_a': [0, 0, 0], 'frame_b': [0, " \
    "0, -0.2], 'shape': 'sphere', 'radius': 0.02, 'mu': 0.8}"
#define SIDE(name)                                                                                         \
    "'" name ".force', '" name "_hip.coordinate', '" name "_knee.coordinate', '" name "_thigh.position', " \
    "'" name "_shank.position'"
/* The model of the description with the contacts, and outputs of our own. */
static check_model stand(void)
{
    static const char feet[] = FOOT("fl") ", " FOOT("fr") ", " FOOT("rl") ", " FOOT("rr"),
                      outputs[] = SIDE("fl") ", " SIDE("rl") ", 'fr.force', 'rr.force'";
    static const char *const set[] = {"h=0.001"};
    char model[20000];
    const dal_import_options options = {.keyframe = "stand"};
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, dog, &options);
    const char *json = dal_import_text(import), *joints = strstr(json, "\"joints\": ["),
               *from = strstr(json, "\"outputs\": ["), *to = strstr(json, "\"view\"");
    assert_true(joints != NULL && from > joints && to > from);
    joints += strlen("\"joints\": [");
    const int n = snprintf(model, sizeof model, "%.*s%s, %.*s\"outputs\": [%s], %s", (int)(joints - json), json, feet,
                           (int)(from - joints), joints, outputs, to);
    assert_in_range(n, 1, sizeof model - 1);
    const check_model m = check_model_start(model, set, 1);
    dal_import_destroy(import);
    check_ctx_free(ctx);
    return m;
}

/* What a hinge about y at h has to hold against a force at r: the virtual work of a turn. */
static double held(const double h[3], const double r[3], double fx, double fz)
{
    return -(r[2] - h[2]) * fx + (r[0] - h[0]) * fz;
}

/* Torques of hip and knee from the force on the foot and the weights of thigh and shank. y: as SIDE has it. */
static void torques(double tau[2], const double *y)
{
    const double *F = y, *hip = y + 5, *knee = y + 8, *upper[2] = {hip, knee}, W = -9.81;
    const double angle = atan2(hip[0] - knee[0], hip[2] - knee[2]) + y[4];
    const double shank[3] = {-0.2 * sin(angle), 0.0, -0.2 * cos(angle)};
    double middle[2][3], foot[3];
    for (int i = 0; i < 3; ++i) {
        middle[0][i] = 0.5 * (hip[i] + knee[i]);
        middle[1][i] = knee[i] + 0.5 * shank[i];
        foot[i] = knee[i] + shank[i] - (i == 2 ? 0.02 : 0.0);
    }
    assert_near(foot[2], 0.0, 1e-8);
    for (int k = 0; k < 2; ++k) {
        tau[k] = held(upper[k], foot, F[0], F[2]) + held(upper[k], middle[1], 0.0, 0.3 * W) +
                 (k == 0 ? held(hip, middle[0], 0.0, 0.8 * W) : 0.0);
    }
}

static void a_quadruped_stands(void **state)
{
    const double weight = (9.0 + 4.0 * 1.1) * 9.81;
    check_model r = stand();
    check_model_run(&r, 3.0);
    const double *front = r.y, *rear = r.y + 11, *right = r.y + 22;
    assert_near(front[2] + rear[2] + right[2] + right[5], weight, 1e-6 * weight);
    assert_near(front[0] + rear[0] + right[0] + right[3], 0.0, 1e-6 * weight);
    assert_near(front[2], right[2], 1e-6 * weight); // left as right
    for (int k = 0; k < 2; ++k) {
        const double *side = k == 0 ? front : rear;
        double tau[2];
        torques(tau, side);
        assert_near(600.0 * (0.6 - side[3]), tau[0], 1e-4);
        assert_near(600.0 * (-1.2 - side[4]), tau[1], 1e-4);
        assert_true(fabs(tau[1]) > 1.0);
    }
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_quadruped_stands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
