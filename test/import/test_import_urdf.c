/* URDF: dynamics against equations by hand, what is merged, what is told. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot.h"

#define LINK(name, mass, x, i)                                                          \
    "<link name='" name "'><inertial><origin xyz='" x " 0 0'/><mass value='" mass "'/>" \
    "<inertia ixx='" i "' iyy='" i "' izz='" i "' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define HINGE(name, parent, child, more)                                                      \
    "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child \
    "'/><axis xyz='0 -1 0'/>" more "</joint>"

/* An arm of two links in a vertical plane. The frames are turned this way and that; the second link has its mass in two pieces. */
static const char arm[] =
    "<robot name='arm'><link name='base'/>"
    "<link name='upper'><inertial><origin xyz='0.3 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
    "<inertia ixx='0.07' iyy='0.05' izz='0.06' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='lower'><inertial><origin xyz='0.2 0 0'/><mass value='1.5'/>"
    "<inertia ixx='0.01' iyy='0.02' izz='0.015' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='tool'><inertial><origin xyz='0 0.1 0'/><mass value='0.5'/>"
    "<inertia ixx='0.001' iyy='0.002' izz='0.0015' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='shoulder' type='revolute'><origin rpy='0 0 0.7' xyz='0.1 0.2 0.3'/><parent link='base'/><child "
    "link='upper'/>"
    "<axis xyz='0 -2 0'/><limit lower='-3' upper='3' effort='100' velocity='2'/><dynamics damping='0.4'/></joint>"
    "<joint name='elbow' type='continuous'><origin xyz='0.8 0 0' rpy='3.141592653589793 0 0'/><parent link='upper'/>"
    "<child link='lower'/><axis xyz='0 1 0'/></joint>"
    // the tool is turned by a quarter about the axis z of the lower arm: its y axis points back along x
    "<joint name='flange' type='fixed'><origin xyz='0.6 0 0' rpy='0 0 1.5707963267948966'/><parent "
    "link='lower'/><child link='tool'/></joint>"
    "</robot>";

/* M(q) q'' + bias = tau - damping, by hand */
static void arm_acceleration(double a[2], const double q[2], const double v[2], const double tau[2])
{
    const double g = 9.81, m1 = 2.0, c1 = 0.3, I1 = 0.07, l = 0.8;
    const double ma = 1.5, ca = 0.2, mb = 0.5, cb = 0.5, m2 = ma + mb, c2 = (ma * ca + mb * cb) / m2;
    // about the axis of the elbow: of the tool, turned by a quarter, ixx is the one that counts
    const double I2 = 0.02 + 0.001 + ma * (ca - c2) * (ca - c2) + mb * (cb - c2) * (cb - c2);
    const double k = m2 * l * c2, C = k * cos(q[1]), h = k * sin(q[1]);
    const double M11 = I1 + m1 * c1 * c1 + I2 + m2 * (l * l + c2 * c2) + 2.0 * C, M12 = I2 + m2 * c2 * c2 + C;
    const double M22 = I2 + m2 * c2 * c2, w = g * m2 * c2 * cos(q[0] + q[1]);
    const double r1 =
        tau[0] - 0.4 * v[0] + h * (2.0 * v[0] * v[1] + v[1] * v[1]) - g * (m1 * c1 + m2 * l) * cos(q[0]) - w;
    const double r2 = tau[1] - h * v[0] * v[0] - w, det = M11 * M22 - M12 * M12;
    a[0] = (M22 * r1 - M12 * r2) / det;
    a[1] = (M11 * r2 - M12 * r1) / det;
}

static void an_arm_accelerates_as_its_equations_say(void **state)
{
    static const char *const values[] = {"shoulder=0.4", "elbow=-0.9", "shoulder'=1.1", "elbow'=-2.3"};
    static const char *const set[] = {"tau_shoulder=3", "tau_elbow=-1.5"};
    const dal_import_options options = {.values = values, .nvalues = 4};
    double want[2];
    check_model m = robot_start(
        arm, &options,
        "{'quantity': 'coordinate_acceleration', 'joint': 'shoulder'},"
        "{'quantity': 'coordinate_acceleration', 'joint': 'elbow'}, 'elbow.coordinate', 'elbow.coordinate_velocity'",
        set, 2);
    check_model_run(&m, 0.0);
    arm_acceleration(want, (const double[2]){0.4, -0.9}, (const double[2]){1.1, -2.3}, (const double[2]){3.0, -1.5});
    assert_near_rel(m.y[0], want[0], 1e-12);
    assert_near_rel(m.y[1], want[1], 1e-12);
    assert_near(m.y[2], -0.9, 1e-14);
    assert_near(m.y[3], -2.3, 1e-14);
    check_model_free(&m);
}

static void links_of_fixed_joints_are_merged_and_counted(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, arm, NULL);
    const dal_import_summary s = dal_import_report(import);
    assert_int_equal(s.links, 4);
    assert_int_equal(s.joints, 2);
    assert_int_equal(s.fixed, 1);
    assert_int_equal(s.bodies, 2);
    assert_int_equal(s.inputs, 2);
    assert_near(s.mass, 4.0, 1e-15);
    // at zero: along the arm, which points along x turned by 0.7
    const double along = (2.0 * 0.3 + 1.5 * 1.0 + 0.5 * 1.3) / 4.0;
    assert_near(s.com[0], 0.1 + along * cos(0.7), 1e-15);
    assert_near(s.com[1], 0.2 + along * sin(0.7), 1e-15);
    assert_near(s.com[2], 0.3, 1e-15);
    assert_non_null(strstr(dal_import_text(import), "tool_position"));
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

static void motor_torque_is_geared_and_limited(void **state)
{
    static const char robot[] = "<robot name='r'><link name='base'/>" LINK("wheel", "1", "0", "0.5") HINGE(
        "axle", "base", "wheel",
        "<limit effort='40'/>") "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint "
                                "name='axle'/>"
                                "<actuator "
                                "name='motor'><mechanicalReduction>30</mechanicalReduction></actuator></transmission></"
                                "robot>";
    static const char *const set[] = {"tau_motor=1", "tau_motor=-2"};
    static const double want[] = {30.0 / 0.5, -40.0 / 0.5};
    for (int k = 0; k < 2; ++k) {
        check_model m =
            robot_start(robot, NULL, "{'quantity': 'coordinate_acceleration', 'joint': 'axle'}", set + k, 1);
        check_model_run(&m, 0.0);
        assert_near_rel(m.y[0], want[k], 1e-13);
        check_model_free(&m);
    }
}

static void a_free_base_falls_and_keeps_its_momentum(void **state)
{
    static const char *const values[] = {"root=1,2,3,0.8,0,0.6,0", "root'=0.1,0.2,0.3,1,2,3", "hip'=4"};
    static const char robot[] = "<robot name='r'>" LINK("trunk", "3", "0.1", "0.2") LINK("leg", "1", "0.2", "0.05")
        HINGE("hip", "trunk", "leg", "<origin xyz='0.3 0 0'/>") "</robot>";
    const dal_import_options options = {.free_base = 1, .values = values, .nvalues = 3};
    check_model m = robot_start(
        robot, &options,
        "'momentum', 'trunk.position', 'trunk.velocity', {'quantity': 'coordinate_velocity', 'joint': 'hip'}", NULL, 0);
    check_model_run(&m, 0.0);
    const double p[3] = {m.y[0], m.y[1], m.y[2]};
    assert_near(m.y[3], 1.0, 1e-15);
    assert_near(m.y[5], 3.0, 1e-15);
    assert_near(m.y[7], 0.2, 1e-15);
    assert_near(m.y[9], 4.0, 1e-13);
    check_model_run(&m, 0.2);
    assert_near(m.y[0], p[0], 1e-7);
    assert_near(m.y[1], p[1], 1e-7);
    assert_near(m.y[2], p[2] - 4.0 * 9.81 * 0.2, 1e-7);
    check_model_free(&m);
}

static void joints_stop_at_their_limits(void **state)
{
    static const char robot[] = "<robot name='r'><link name='base'/>" LINK(
        "a", "1", "0.2", "0.02") "<joint name='A' type='revolute'>"
                                 "<parent link='base'/><child link='a'/><axis xyz='0 -1 0'/><limit lower='-0.3' "
                                 "upper='1' effort='0' velocity='0'/></joint></robot>";
    static const char *const values[] = {"A=1.5"};
    const dal_import_options beyond = {.values = values, .nvalues = 1};
    check_model m = robot_start(robot, NULL, "'A.coordinate', 'A.coordinate_velocity'", NULL, 0);
    check_model_run(&m, 1.0); // it falls on the lower stop and stays there
    assert_near(m.y[0], -0.3, 1e-9);
    assert_near(m.y[1], 0.0, 1e-9);
    check_model_free(&m);
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, robot, &beyond);
    assert_string_equal(robot_note(import, "initial pose is beyond"), "A");
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

static void joints_that_follow_others_do(void **state)
{
    static const char robot[] = "<robot name='r'><link name='base'/>" LINK("a", "1", "0.2", "0.02")
        LINK("b", "1", "0.2", "0.02") HINGE("A", "base", "a", "")
            HINGE("B", "base", "b", "<mimic joint='A' multiplier='-2' offset='0.1'/>") "</robot>";
    static const char *const values[] = {"A=0.3"};
    const dal_import_options options = {.values = values, .nvalues = 1};
    check_model m = robot_start(robot, &options, "'A.coordinate', 'B.coordinate'", NULL, 0);
    for (int k = 0; k < 3; ++k) {
        check_model_run(&m, 0.1 * k);
        assert_near(m.y[1], 0.1 - 2.0 * m.y[0], 1e-9);
    }
    assert_true(fabs(m.y[0] - 0.3) > 1e-3); // it moves
    check_model_free(&m);
}

static void links_without_mass_are_carried_or_held(void **state)
{
    // "nothing" is a link without mass between two hinges; "flag" moves no mass at all
    static const char robot[] =
        "<robot name='r'><link name='base'/><link name='nothing'/><link name='flag'/>" LINK("bob", "1", "0.5", "0.03")
            HINGE("A", "base", "nothing", "") "<joint name='B' type='continuous'><parent link='nothing'/><child "
                                              "link='bob'/><axis xyz='0 0 1'/></joint>" HINGE("C", "base", "flag",
                                                                                              "") "</robot>";
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, robot, NULL);
    assert_string_equal(robot_note(import, "moves no mass"), "C");
    assert_int_equal(dal_import_report(import).bodies, 2);
    dal_import_destroy(import);
    check_ctx_free(ctx);
    check_model m = robot_start(robot, NULL, "{'quantity': 'coordinate_acceleration', 'joint': 'A'}", NULL, 0);
    check_model_run(&m, 0.0);
    assert_near_rel(m.y[0], -9.81 * 0.5 / (0.03 + 0.25), 1e-12);
    check_model_free(&m);
}

static void inertias_that_no_body_has_follow_the_policy(void **state)
{
    static const char robot[] =
        "<robot name='r'><link name='base'/><link name='odd'><inertial><mass value='1'/>"
        "<inertia ixx='0.125' iyy='0.125' izz='0.5' ixy='0' ixz='0' iyz='0'/></inertial></link>" HINGE(
            "A", "base", "odd", "") "</robot>";
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, robot, NULL);
    assert_string_equal(robot_note(import, "(kept)"), "odd");
    assert_non_null(strstr(dal_import_text(import), "[0.125, 0.125, 0.5, 0, 0, 0]"));
    dal_import_destroy(import);
    const dal_import_options mend = {.inertia = DAL_INERTIA_MEND}, refuse = {.inertia = DAL_INERTIA_REFUSE};
    import = robot_import(ctx, robot, &mend);
    assert_string_equal(robot_note(import, "are raised"), "odd");
    assert_non_null(strstr(dal_import_text(import), "[0.25, 0.25, 0.5, 0, 0, 0]")); // second moments 0.25, 0.25, 0
    dal_import_destroy(import);
    check_ctx_free(ctx);
    robot_fails(robot, &refuse, "robot.urdf:1: no body has the inertia of link 'odd'");
}

#define ACC(joint) "{'quantity': 'coordinate_acceleration', 'joint': '" joint "'}"

/* A head that is a point m at (0.0185, 0, 0.11) from where two axes of the neck meet, 9.5 mm before the third: it can be turned about
 * the line between. Accelerations from rest with what is added to the forces, or the status of the start. */
static dal_status nod(dal_ctx *ctx, double y[3], const char *inertia, const char *more)
{
#define TURN(name, parent, child, x, axis)                                                                             \
    "<joint name='" name "' type='continuous'><origin xyz='" x " 0 0'/><parent link='" parent "'/><child link='" child \
    "'/><axis xyz='" axis "'/><dynamics damping='0.5'/></joint>"
    char robot[4000], model[8000];
    snprintf(robot, sizeof robot,
             "<robot name='r'><link name='base'/><link name='nod'/>" LINK(
                 "neck", "0.1", "0", "0") "<link name='head'><inertial><origin xyz='0.0185 0 0.11'/><mass "
                                          "value='1.3'/><inertia ixx='%s' iyy='%s' izz='%s' "
                                          "ixy='0' ixz='0' iyz='0'/></inertial></link>" TURN("pitch", "base", "nod",
                                                                                             "0", "0 1 0")
                                              TURN("roll", "nod", "neck", "0.0095", "1 0 0")
                                                  TURN("yaw", "neck", "head", "0", "0 0 1") "</robot>",
             inertia, inertia, inertia);
    dal_import *import = robot_import(ctx, robot, NULL);
    const char *json = dal_import_text(import), *forces = strstr(json, "\"forces\": ["),
               *from = strstr(json, "\"outputs\": ["), *to = strstr(json, "\"view\"");
    assert_true(forces != NULL && from > forces && to > from);
    forces += strlen("\"forces\": [");
    const int n =
        snprintf(model, sizeof model, "%.*s%s%.*s\"outputs\": [" ACC("pitch") ", " ACC("roll") ", " ACC("yaw") "], %s",
                 (int)(forces - json), json, more, (int)(from - forces), forces, to);
    assert_in_range(n, 1, sizeof model - 1);
    for (char *c = model; *c != '\0'; ++c) {
        *c = (char)(*c == '\'' ? '"' : *c);
    }
    dal_document *doc;
    dal_sim *sim;
    const dal_system *sys;
    check_ok(ctx, dal_document_parse(&doc, ctx, model, strlen(model), "nod", NULL, 0));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    const dal_status st = dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m));
    if (st == DAL_OK) {
        const dal_point at = dal_sim_point(sim);
        check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), y, &at));
    }
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    dal_import_destroy(import);
    return st;
}

static void a_head_without_inertia_is_told_from_one_that_has_some(void **state)
{
    static const char rotor[] = "{'name': 'rotor', 'type': 'armature', 'joint': 'yaw', 'inertia': 0.001}, ";
    const double x = 0.0095, r[2] = {0.0185, 0.11}, m = 1.3,
                 want = 9.81 * (m * (x + r[0]) + 0.1 * x) / (m * ((x + r[0]) * (x + r[0]) + r[1] * r[1]) + 0.1 * x * x);
    double y[3] = {0.0};
    dal_ctx *ctx = check_ctx();
    // pivots are zero, or rounding: both are told with what helps
    check_fails(ctx, nod(ctx, y, "0", ""), DAL_EREDUNDANT, "head.Om_");
    check_fails(ctx, nod(ctx, y, "0", ""), DAL_EREDUNDANT, "that of a rotor (a force of type armature)");
    for (int k = 0; k < 2; ++k) {
        check_ok(ctx, nod(ctx, y, k == 0 ? "0" : "1e-11", k == 0 ? rotor : ""));
        assert_near_rel(y[0], want, 1e-7);
        assert_near(y[1], 0.0, 1e-4);
        assert_near(y[2], 0.0, 1e-4);
    }
    check_ctx_free(ctx);
}

static void a_second_parent_closes_a_loop(void **state)
{
    // a parallelogram: the coupler hangs on two cranks
    static const char robot[] = "<robot name='r'><link name='base'/>" LINK("left", "1", "0.1", "0.01")
        LINK("right", "1", "0.1", "0.01") LINK("coupler", "2", "0.2", "0.05") HINGE("A", "base", "left", "")
            HINGE("B", "base", "right", "<origin xyz='0.4 0 0'/>")
                HINGE("C", "left", "coupler",
                      "<origin xyz='0.2 0 0'/>") "<joint name='D' type='continuous'><parent link='right'/><child "
                                                 "link='coupler'/><origin xyz='0.2 0 0'/><axis xyz='0 1 0'/></joint>"
                                                 "<loop_joint name='E' type='spherical'><link1 link='right' xyz='0.2 0 "
                                                 "0'/><link2 link='coupler' xyz='0.4 0 0'/></loop_joint></robot>";
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, robot, NULL);
    assert_int_equal(dal_import_report(import).loops, 2);
    assert_string_equal(robot_note(import, "closes a loop"), "D");
    assert_non_null(strstr(dal_import_text(import), "\"assembly\""));
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_accelerates_as_its_equations_say),
        cmocka_unit_test(links_of_fixed_joints_are_merged_and_counted),
        cmocka_unit_test(motor_torque_is_geared_and_limited),
        cmocka_unit_test(a_free_base_falls_and_keeps_its_momentum),
        cmocka_unit_test(joints_stop_at_their_limits),
        cmocka_unit_test(joints_that_follow_others_do),
        cmocka_unit_test(links_without_mass_are_carried_or_held),
        cmocka_unit_test(inertias_that_no_body_has_follow_the_policy),
        cmocka_unit_test(a_head_without_inertia_is_told_from_one_that_has_some),
        cmocka_unit_test(a_second_parent_closes_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
