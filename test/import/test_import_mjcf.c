/* MJCF: dynamics against equations by hand, default classes, loops, tendons, actuators, keyframes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot.h"

#define ACC(joint) "{'quantity': 'coordinate_acceleration', 'joint': '" joint "'}"

static const double g = 9.81;

/* A rod on a hinge: angles in degrees, reference, classes within classes, frame between, inertia from its geom. */
static void a_rod_with_all_that_a_joint_has(void **state)
{
    static const char rod[] =
        "<mujoco model='rod'><compiler eulerseq='XYZ'/><option gravity='0 0 -9.81'/>"
        "<default><geom density='500'/><default class='a'><joint axis='0 -1 0' damping='9' armature='0.2'/>"
        "<default class='b'><joint damping='0.3' stiffness='2' springref='-20'/></default></default></default>"
        "<worldbody><frame pos='0 0 1' euler='0 0 40'><body name='rod' pos='0.1 0 0' childclass='b'>"
        "<joint name='hinge' ref='30' range='-90 90'/><geom type='box' size='0.3 0.01 0.02' pos='0.3 0 "
        "0'/></body></frame></worldbody></mujoco>";
    static const char *const values[] = {"hinge=0.9", "hinge'=-0.7"};
    const dal_import_options options = {.values = values, .nvalues = 2};
    const double deg = 3.14159265358979323846 / 180.0;
    const double m = 500.0 * 0.6 * 0.02 * 0.04, J = m * (0.36 + 0.0016) / 12.0 + m * 0.09;
    // at its reference of 30 degrees it lies level
    const double torque = -m * g * 0.3 * cos(0.9 - 30.0 * deg) + 0.3 * 0.7 - 2.0 * (0.9 + 20.0 * deg);
    check_model r = robot_start(rod, &options, ACC("hinge") ", 'hinge.coordinate'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], torque / (J + 0.2), 1e-12);
    assert_near(r.y[1], 0.9, 1e-14);
    check_model_free(&r);
}

/* Two joints of one body: a slide and, on it, a hinge. */
static void several_joints_move_one_body(void **state)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='b'>"
        "<inertial pos='0 0 -0.5' mass='2' diaginertia='0.1 0.2 0.3'/>"
        "<joint name='x' type='slide' axis='1 0 0'/><joint name='turn' axis='0 1 0'/></body></worldbody>"
        "<actuator><motor name='push' joint='x' gear='3'/></actuator></mujoco>";
    static const char *const values[] = {"turn=0.4", "turn'=1.5", "x'=0.3"}, *const set[] = {"ctrl_push=2"};
    const dal_import_options options = {.values = values, .nvalues = 3};
    const double m = 2.0, l = 0.5, J = 0.2 + m * l * l, c = cos(0.4), s = sin(0.4);
    // centre of mass at x - l sin(turn), -l cos(turn)
    const double M12 = -m * l * c, r1 = 6.0 - m * l * s * 1.5 * 1.5, r2 = -m * g * l * s, det = m * J - M12 * M12;
    check_model r = robot_start(text, &options, ACC("x") ", " ACC("turn"), set, 1);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], (J * r1 - M12 * r2) / det, 1e-12);
    assert_near_rel(r.y[1], (m * r2 - M12 * r1) / det, 1e-12);
    check_model_free(&r);
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, text, NULL);
    assert_int_equal(dal_import_report(import).links, 1);
    assert_int_equal(dal_import_report(import).joints, 2);
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

static void balls_turn_about_three_axes(void **state)
{
    static const char text[] = "<mujoco><option gravity='0 0 0'/><worldbody><body name='b'><inertial pos='0 0 0' "
                               "mass='1' diaginertia='2 2 2'/>"
                               "<joint name='socket' type='ball' damping='0.5'/></body></worldbody></mujoco>";
    static const char *const values[] = {"socket'=0.2,-0.1,0.4"};
    const dal_import_options options = {.values = values, .nvalues = 1};
    check_model r = robot_start(text, &options, "'b.angular_acceleration'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near(r.y[0], -0.5 * 0.2 / 2.0, 1e-13);
    assert_near(r.y[1], 0.5 * 0.1 / 2.0, 1e-13);
    assert_near(r.y[2], -0.5 * 0.4 / 2.0, 1e-13);
    check_model_free(&r);
}

#define ROD(name, pos, length, inner)                        \
    "<body name='" name "' pos='" pos "'><joint name='" name \
    "_joint' axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 " length "'/>" inner "</body>"

/* A four-bar linkage whose last hinge is a <connect>. */
static void connect_closes_a_loop_for_good(void **state)
{
    static const char text[] = "<mujoco><option gravity='4 0 -9'/><worldbody>" ROD(
        "crank", "0 0 0", "0 0 0.3", ROD("coupler", "0 0 0.3", "0.5 0 0.2", ""))
        ROD("rocker", "0.5 0 0", "0 0 0.5", "") "</worldbody><equality><connect name='close' body1='coupler' "
                                                "body2='rocker' anchor='0.5 0 0.2'/></equality>"
                                                "</mujoco>";
    check_model r = robot_start(text, NULL, "'close.residual', 'crank_joint.coordinate'", NULL, 0);
    for (int k = 0; k <= 4; ++k) {
        check_model_run(&r, 0.1 * k);
        assert_near(r.y[0], 0.0, 1e-9);
        assert_near(r.y[1], 0.0, 1e-9);
        assert_near(r.y[2], 0.0, 1e-9);
    }
    assert_true(fabs(r.y[3]) > 0.05);
    check_model_free(&r);
}

static void welds_hold_and_equal_joints_follow(void **state)
{
    static const char text[] = "<mujoco><compiler angle='radian'/><worldbody>" ROD("a", "0 0 0", "0.4 0 0", "")
        ROD("b", "1 0 0", "0.4 0 0", "") ROD("c", "2 0 0", "0.4 0 0", "")
            ROD("d", "3 0 0", "0.4 0 0", "") "</worldbody><equality><joint joint1='b_joint' joint2='a_joint' "
                                             "polycoef='0.1 -0.5 0 0 0'/><weld body1='c'/>"
                                             "<joint joint1='d_joint' polycoef='0.2'/></equality></mujoco>";
    check_model r = robot_start(
        text, NULL, "'a_joint.coordinate', 'b_joint.coordinate', 'c.position', 'c_joint.coordinate'", NULL, 0);
    check_model_run(&r, 0.2);
    assert_true(fabs(r.y[0]) > 0.05);
    assert_near(r.y[1], 0.1 - 0.5 * r.y[0], 1e-9);
    assert_near(r.y[2], 2.0, 1e-12);
    assert_near(r.y[5], 0.0, 1e-12);
    check_model_free(&r);
}

/* Tendons add coordinates up; actuators of all kinds. */
static void tendons_and_actuators_act_on_their_joints(void **state)
{
    static const char text[] = "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body "
                               "name='a'><joint name='A' axis='1 0 0'/>"
                               "<inertial pos='0 0 0' mass='1' diaginertia='0.5 1 1'/></body><body name='b'><joint "
                               "name='B' type='slide' axis='1 0 0'/>"
                               "<inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/></body></worldbody>"
                               "<tendon><fixed name='t' stiffness='3' damping='0.2' springlength='0.1'><joint "
                               "joint='A' coef='2'/><joint joint='B' coef='-1'/></fixed></tendon>"
                               "<actuator><position name='servo' joint='A' kp='10' kv='1' forcerange='-4 4'/><velocity "
                               "name='speed' joint='B' kv='5' gear='2'/>"
                               "<general name='pull' tendon='t' gainprm='6' biastype='affine' biasprm='0.5 -1 -0.3' "
                               "ctrlrange='0 1'/></actuator></mujoco>";
    static const char *const values[] = {"A=0.3", "A'=0.4", "B=-0.2", "B'=0.7"};
    static const char *const set[] = {"ctrl_servo=0.5", "ctrl_speed=0.6", "ctrl_pull=3"};
    const dal_import_options options = {.values = values, .nvalues = 4};
    const double x = 2.0 * 0.3 + 0.2, v = 2.0 * 0.4 - 0.7;
    const double pull = 6.0 * 1.0 + 0.5 - x - 0.3 * v - 3.0 * (x - 0.1) - 0.2 * v; // the command is limited to 1
    const double servo = 10.0 * (0.5 - 0.3) - 0.4, speed = 2.0 * (5.0 * (0.6 - 2.0 * 0.7));
    check_model r = robot_start(text, &options, ACC("A") ", " ACC("B"), set, 3);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], (2.0 * pull + servo) / 0.5, 1e-12);
    assert_near_rel(r.y[1], (-pull + speed) / 4.0, 1e-12);
    check_model_free(&r);
}

/* Rigid: A torque below the loss moves nothing, what moves stops at T = J w/(loss - torque) and stays. Smooth: the same beyond slow motion. */
static void friction_sticks(void **state)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><joint name='A' frictionloss='0.3'/>"
        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 0.5'/></body></worldbody><actuator><motor name='u' joint='A'/>"
        "</actuator></mujoco>";
    static const char *const values[] = {"A'=-0.5"}, *const set[] = {"ctrl_u=0.2"}, *const less[] = {"ctrl_u=-0.1"};
    const dal_import_options options = {.values = values, .nvalues = 1},
                             smooth = {.values = values, .nvalues = 1, .friction = DAL_FRICTION_SMOOTH};
    check_model r = robot_start(text, NULL, "'A.coordinate', 'A.coordinate_velocity'", set, 1);
    check_model_run(&r, 2.0);
    assert_near(r.y[0], 0.0, 1e-12);
    assert_near(r.y[1], 0.0, 1e-12);
    check_model_free(&r);
    r = robot_start(text, &options, "'A.coordinate', 'A.coordinate_velocity'", less, 1);
    check_model_run(&r, 3.0);
    const double stop = 0.5 * 0.5 / (0.3 - 0.1);
    assert_near(r.y[0], -0.5 * 0.5 * stop, 1e-9);
    assert_near(r.y[1], 0.0, 1e-12);
    check_model_free(&r);
    for (int k = 0; k < 2; ++k) {
        r = robot_start(text, k == 0 ? &options : &smooth, ACC("A"), NULL, 0);
        check_model_run(&r, 0.0);
        assert_near_rel(r.y[0], 0.3 / 0.5, 1e-12);
        check_model_free(&r);
    }
}

/* Two fingers that an equality couples: the friction of both is felt by the one that leads. */
static void friction_of_joints_that_follow(void **state)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><default><joint type='slide' frictionloss='1'/></default><worldbody>"
        "<body name='l'><joint name='L' axis='1 0 0'/><inertial pos='0 0 0' mass='0.1' diaginertia='1 1 1'/></body>"
        "<body name='r'><joint name='R' axis='1 0 0'/><inertial pos='0 0 0' mass='0.2' diaginertia='1 1 1'/></body>"
        "</worldbody><equality><joint joint1='R' joint2='L' polycoef='0 -2 0 0 0'/></equality>"
        "<actuator><motor name='u' joint='L'/></actuator></mujoco>";
    static const char *const hold[] = {"ctrl_u=2.99"}, *const push[] = {"ctrl_u=4"};
    check_model r = robot_start(text, NULL, "'L.coordinate', " ACC("L"), hold, 1);
    check_model_run(&r, 0.5);
    assert_near(r.y[0], 0.0, 1e-12);
    check_model_free(&r);
    r = robot_start(text, NULL, "'L.coordinate', " ACC("L"), push, 1);
    check_model_run(&r, 0.1);
    assert_near_rel(r.y[1], (4.0 - 3.0) / (0.1 + 4.0 * 0.2), 1e-9);
    check_model_free(&r);
}

/* Ranges that come from the joint: of the command (inheritrange) and of the force (actuatorfrcrange); damping as a ratio of the critical one,
 * by the inertia that the joint moves at its reference: m l^2 + J + armature. */
static void actuators_take_bounds_and_damping_from_joints(void **state)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body name='a'>"
        "<joint name='A' axis='0 0 1' range='-1 2' armature='0.1' actuatorfrcrange='-30 6'/>"
        "<inertial pos='0.5 0 0' mass='2' diaginertia='1 1 0.2'/><body name='b' pos='1 0 0'>"
        "<joint name='B' axis='0 0 1' range='-1 1'/><inertial pos='0.5 0 0' mass='1' diaginertia='1 1 "
        "0.3'/></body></body>"
        "</worldbody><actuator><position name='s' joint='A' kp='10' dampratio='0.8' inheritrange='0.5' gear='2'/>"
        "<motor name='m' joint='B'/></actuator><keyframe><key name='k' qpos='0 1'/></keyframe></mujoco>";
    static const char *const values[] = {"A'=0.25"};
    const dal_import_options options = {.values = values, .nvalues = 1, .keyframe = "k"};
    // at the reference pose the arms are in line; x = 2 q, so its inertia is a quarter
    const double M = 2.0 * 0.25 + 0.2 + 1.0 * 2.25 + 0.3 + 0.1, kv = 2.0 * 0.8 * sqrt(10.0 * M / 4.0);
    for (int k = 0; k < 2; ++k) {
        const char *const set[] = {k == 0 ? "ctrl_s=0.2" : "ctrl_s=100"};
        check_model r = robot_start(text, &options, "'s.force_value'", set, 1);
        check_model_run(&r, 0.0);
        // the command ends at 0.5 + 0.75
        const double free = 2.0 * (10.0 * (k == 0 ? 0.2 : 1.25) - kv * 2.0 * 0.25);
        assert_near_rel(r.y[0], k == 0 ? free : 6.0, 1e-12);
        assert_true(k == 0 || free > 6.0);
        check_model_free(&r);
    }
}

/* The damping of a tendon: each of its joints moves its own mass, M = sum m_i/c_i^2. */
static void tendons_may_be_damped_by_a_ratio(void **state)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><default><joint type='slide' axis='1 0 0'/></default><worldbody>"
        "<body name='a'><joint name='A'/><inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/></body>"
        "<body name='b'><joint name='B'/><inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/></body></worldbody>"
        "<tendon><fixed name='t'><joint joint='A' coef='2'/><joint joint='B' coef='-1'/></fixed></tendon>"
        "<actuator><position name='s' tendon='t' kp='40' dampratio='1'/></actuator></mujoco>";
    static const char *const values[] = {"A'=0.5"};
    const dal_import_options options = {.values = values, .nvalues = 1};
    check_model r = robot_start(text, &options, ACC("A") ", " ACC("B"), NULL, 0);
    check_model_run(&r, 0.0);
    const double pull = 2.0 * sqrt(40.0 * (3.0 / 4.0 + 0.5)) * (2.0 * 0.5);
    assert_near_rel(r.y[0], -2.0 * pull / 3.0, 1e-12);
    assert_near_rel(r.y[1], pull / 0.5, 1e-12);
    check_model_free(&r);
}

/* Slides without forces, until the tendon over the first of them meets its stop: a plastic impact along its factors, and its length stays. */
static void tendons_stop(void **state)
{
    static const double m[3] = {2.0, 0.5, 1.5}, f[3] = {1.5, -1.0, 0.4}, v[3] = {0.3, -0.2, 0.25}, stop = 0.2;
    static const char *const values[] = {"A'=0.3", "B'=-0.2", "C'=0.25"}, *const beyond[] = {"A=-1"};
    const dal_import_options options = {.values = values, .nvalues = 3}, far = {.values = beyond, .nvalues = 1};
    (void)state;
    for (int n = 1; n <= 3; ++n) {
        static const char *const term[] = {"<joint joint='A' coef='1.5'/>", "<joint joint='B' coef='-1'/>",
                                           "<joint joint='C' coef='0.4'/>"};
        char text[1024];
        double rate = 0.0, weight = 0.0;
        snprintf(
            text, sizeof text,
            "<mujoco><option gravity='0 0 0'/><default><joint type='slide' axis='1 0 0'/></default><worldbody>"
            "<body name='a'><joint name='A'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"
            "<body name='b'><joint name='B'/><inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/></body>"
            "<body name='c'><joint name='C'/><inertial pos='0 0 0' mass='1.5' diaginertia='1 1 1'/></body></worldbody>"
            "<tendon><fixed name='t' range='-1 0.2' limited='true'>%s%s%s</fixed></tendon></mujoco>",
            term[0], n > 1 ? term[1] : "", n > 2 ? term[2] : "");
        for (int k = 0; k < n; ++k) {
            rate += f[k] * v[k];
            weight += f[k] * f[k] / m[k];
        }
        check_model r = robot_start(text, &options, "'A.coordinate', 'B.coordinate', 'C.coordinate'", NULL, 0);
        check_model_run(&r, 1.0);
        for (int k = 0; k < 3; ++k) {
            const double after = v[k] - (k < n ? f[k] / m[k] * rate / weight : 0.0);
            assert_near(r.y[k], v[k] * stop / rate + after * (1.0 - stop / rate), 1e-12);
        }
        assert_near(check_model_happens(&r, DAL_CONTACT_IMPACT, 0), stop / rate, 1e-12);
        check_model_free(&r);
        dal_ctx *ctx = check_ctx();
        dal_import *import = robot_import(ctx, text, &far);
        assert_string_equal(robot_note(import, "stops that the initial pose is beyond"), "t");
        dal_import_destroy(import);
        check_ctx_free(ctx);
    }
}

/* No force within its rest range, that of a spring beyond it, to both sides. */
static void tendons_may_be_slack(void **state)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><default><joint type='slide' axis='1 0 0'/></default><worldbody>"
        "<body name='a'><joint name='A'/><inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/></body>"
        "<body name='b'><joint name='B'/><inertial pos='0 0 0' mass='0.5' diaginertia='1 1 1'/></body></worldbody>"
        "<tendon><fixed name='t' stiffness='40' springlength='-0.1 0.3'><joint joint='A' coef='2'/>"
        "<joint joint='B' coef='-1'/></fixed></tendon></mujoco>";
    static const char *const at[] = {"A=0.1", "A=0.2", "A=-0.2"};
    static const double pull[] = {0.0, 40.0 * (0.4 - 0.3), 40.0 * (-0.4 + 0.1)};
    (void)state;
    for (size_t k = 0; k < LEN(at); ++k) {
        const dal_import_options options = {.values = &at[k], .nvalues = 1};
        check_model r = robot_start(text, &options, ACC("A") ", " ACC("B"), NULL, 0);
        check_model_run(&r, 0.0);
        assert_near(r.y[0], -2.0 * pull[k] / 3.0, 1e-12);
        assert_near(r.y[1], pull[k] / 0.5, 1e-12);
        check_model_free(&r);
    }
}

/* A drone: thrust along z of a site that stands aside and leans, and the torque of its rotor. */
static void actuators_push_at_sites(void **state)
{
    static const char text[] =
        "<mujoco><option gravity='0 0 0'/><compiler angle='radian'/><worldbody><body name='a' euler='0 0 0.3'>"
        "<freejoint/><inertial pos='0 0 0' mass='2' diaginertia='0.1 0.2 0.3'/><site name='s' pos='0.5 0 0' "
        "euler='0.4 0 0'/></body></worldbody><actuator><motor name='u' site='s' gear='0 0 3 0 0 -0.2' ctrlrange='0 "
        "4'/></actuator><keyframe><key name='k' qpos='0 0 0 0.9887710779360422 0 0 0.14943813247359922' "
        "ctrl='5'/></keyframe></mujoco>";
    const dal_import_options options = {.keyframe = "k"};
    check_model r = robot_start(text, &options, "'a.acceleration', 'a.angular_acceleration'", NULL, 0);
    check_model_run(&r, 0.0);
    const double F = 12.0, T = -0.8, f[3] = {0.0, -F * sin(0.4), F * cos(0.4)}, c = cos(0.3), s = sin(0.3);
    const double M[3] = {0.0, -T * sin(0.4) - 0.5 * f[2], T * cos(0.4) + 0.5 * f[1]};
    const double al[3] = {0.0, M[1] / 0.2, M[2] / 0.3};
    assert_near(r.y[0], -s * f[1] / 2.0, 1e-12);
    assert_near(r.y[1], c * f[1] / 2.0, 1e-12);
    assert_near(r.y[2], f[2] / 2.0, 1e-12);
    assert_near(r.y[3], -s * al[1], 1e-12);
    assert_near(r.y[4], c * al[1], 1e-12);
    assert_near(r.y[5], al[2], 1e-12);
    check_model_free(&r);
    robot_fails("<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody><actuator>"
                "<motor site='none'/></actuator></mujoco>",
                NULL, "there is no site 'none'");
}

static void weight_may_be_held_from_outside(void **state)
{
    static const char text[] = "<mujoco><worldbody><body name='a' gravcomp='0.75'><freejoint/><inertial pos='0.1 0 0' "
                               "mass='2' diaginertia='1 1 1'/></body>"
                               "</worldbody></mujoco>";
    check_model r = robot_start(text, NULL, "'a.acceleration', 'a.angular_acceleration'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[2], -0.25 * g, 1e-13);
    assert_near(r.y[4], 0.0, 1e-13);
    check_model_free(&r);
}

static void keyframes_are_initial_poses(void **state)
{
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='base' pos='1 2 3'><freejoint name='float'/>"
        "<geom size='0.1' mass='2'/><body name='arm'><joint name='A' axis='0 1 0'/><geom size='0.1' pos='0.5 0 0' "
        "mass='1'/></body></body></worldbody>"
        "<actuator><motor name='u' joint='A'/></actuator>"
        "<keyframe><key name='home' qpos='0 0 5 1 0 0 0 0.7' ctrl='0.4'/></keyframe></mujoco>";
    const dal_import_options home = {.keyframe = "home"}, away = {.keyframe = "away"};
    check_model r = robot_start(text, &home, "'base.position', 'A.coordinate'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near(r.y[2], 5.0, 0.0);
    assert_near(r.y[3], 0.7, 1e-15);
    assert_near(dal_document_variable(r.doc, 0).value, 0.4, 0.0);
    check_model_free(&r);
    robot_fails(text, &away, "there is no keyframe 'away'");
    r = robot_start(text, NULL, "'base.position', 'A.coordinate'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near(r.y[0], 1.0, 0.0);
    assert_near(r.y[2], 3.0, 0.0);
    check_model_free(&r);
}

/* Mass of primitive shapes by density and by mass; settotalmass. */
static void shapes_weigh_what_they_should(void **state)
{
    static const char text[] =
        "<mujoco><compiler settotalmass='7'/><worldbody><body name='b'><joint/><geom type='cylinder' size='0.1 0.2'/>"
        "<geom type='ellipsoid' size='0.1 0.2 0.3' mass='3' pos='1 0 0'/><geom type='sphere' size='1' group='4' "
        "mass='0'/></body></worldbody></mujoco>";
    const double cylinder = 1000.0 * 3.14159265358979323846 * 0.01 * 0.4;
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, text, NULL);
    assert_near_rel(dal_import_report(import).mass, 7.0, 1e-14);
    assert_near_rel(dal_import_report(import).com[0], 3.0 / (3.0 + cylinder), 1e-13);
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

static void what_is_not_read_is_told(void **state)
{
    static const char text[] = "<mujoco><worldbody><body name='b' mocap='false'><joint name='j' springdamper='1 "
                               "1'/><geom size='0.1'/><site name='s'/></body></worldbody>"
                               "<tendon><spatial name='rope'><site site='s'/></spatial></tendon>"
                               "<actuator><muscle name='biceps' joint='j'/></actuator></mujoco>";
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, text, NULL);
    assert_string_equal(robot_note(import, "attribute 'mocap'"), "body 'b'");
    assert_string_equal(robot_note(import, "attribute 'springdamper'"), "joint 'j'");
    assert_string_equal(robot_note(import, "element <spatial>"), "rope");
    assert_string_equal(robot_note(import, "element <muscle>"), "biceps");
    dal_import_destroy(import);
    check_ctx_free(ctx);
    const dal_import_options strict = {.strict = 1};
    robot_fails(text, &strict, "cannot be kept: attribute 'mocap' (body 'b')");
}

static void faults_have_their_line(void **state)
{
    robot_fails("<mujoco/>", NULL, "robot.urdf:1: the model has no bodies");
    robot_fails("<mujoco><worldbody>\n<body><joint class='x'/></body></worldbody></mujoco>", NULL,
                "robot.urdf:2: there is no default class 'x'");
    robot_fails("<mujoco><worldbody>\n<body><joint type='x'/></body></worldbody></mujoco>", NULL,
                "robot.urdf:2: a joint has the type 'x'");
    robot_fails("<mujoco><worldbody><body/></worldbody><equality>\n<connect body1='q'/></equality></mujoco>", NULL,
                "robot.urdf:2: there is no body 'q'");
    robot_fails("<mujoco>\n<compiler angle='grad'/></mujoco>", NULL,
                "robot.urdf:2: <compiler>: 'angle' is radian or degree");
    robot_fails("<mujoco>\n<include file='nowhere.xml'/></mujoco>", NULL,
                "robot.urdf:2: the file 'nowhere.xml' is not found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_with_all_that_a_joint_has),
        cmocka_unit_test(several_joints_move_one_body),
        cmocka_unit_test(balls_turn_about_three_axes),
        cmocka_unit_test(connect_closes_a_loop_for_good),
        cmocka_unit_test(welds_hold_and_equal_joints_follow),
        cmocka_unit_test(tendons_and_actuators_act_on_their_joints),
        cmocka_unit_test(friction_sticks),
        cmocka_unit_test(friction_of_joints_that_follow),
        cmocka_unit_test(actuators_take_bounds_and_damping_from_joints),
        cmocka_unit_test(tendons_may_be_damped_by_a_ratio),
        cmocka_unit_test(tendons_stop),
        cmocka_unit_test(tendons_may_be_slack),
        cmocka_unit_test(actuators_push_at_sites),
        cmocka_unit_test(weight_may_be_held_from_outside),
        cmocka_unit_test(keyframes_are_initial_poses),
        cmocka_unit_test(shapes_weigh_what_they_should),
        cmocka_unit_test(what_is_not_read_is_told),
        cmocka_unit_test(faults_have_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
