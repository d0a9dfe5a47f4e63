/* What settings of descriptions do to numbers, each against a closed form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"

#define ACC(joint) "{'quantity': 'coordinate_acceleration', 'joint': '" joint "'}"

static const double g = 9.81;

/* ---- URDF ------------------------------------------------------------------------------------- */

#define TWO_LINKS(joint)                                                                                   \
    "<robot name='r'><link name='base'/><link name='b'><inertial><origin xyz='0.1 0 0'/><mass value='2'/>" \
    "<inertia ixx='0.1' iyy='0.2' izz='0.3' ixy='0' ixz='0' iyz='0'/></inertial></link>" joint "</robot>"

/* Along an inclined axis: s'' = tau/m - g.axis; the place is origin + q axis. */
static void prismatic_joints_slide_along_their_axis(void **state)
{
    static const char text[] =
        TWO_LINKS("<joint name='j' type='prismatic'><origin xyz='1 2 3'/><parent link='base'/><child link='b'/>"
                  "<axis xyz='3 0 4'/><limit lower='-1' upper='1' effort='100' velocity='1'/></joint>");
    static const char *const values[] = {"j=0.5", "j'=-0.2"}, *const set[] = {"tau_j=5"};
    const dal_import_options options = {.values = values, .nvalues = 2};
    check_model r = robot_start(text, &options, ACC("j") ", 'j.coordinate_velocity', 'b.position'", set, 1);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], 5.0 / 2.0 - g * 0.8, 1e-12);
    assert_near(r.y[1], -0.2, 1e-14);
    assert_near(r.y[2], 1.0 + 0.5 * 0.6, 1e-14);
    assert_near(r.y[3], 2.0, 1e-14);
    assert_near(r.y[4], 3.0 + 0.5 * 0.8, 1e-14);
    check_model_free(&r);
}

/* In a plane that stands upright: the centre of mass falls with g, and the link turns freely about y. */
static void planar_joints_move_in_their_plane(void **state)
{
    static const char text[] = TWO_LINKS("<joint name='j' type='planar'><parent link='base'/><child link='b'/>"
                                         "<axis xyz='0 1 0'/></joint>");
    const double v0 = 0.0, w = 0.7;
    static const char *const values[] = {"j'=0,0,0.7"};
    const dal_import_options options = {.values = values, .nvalues = 1};
    check_model r = robot_start(
        text, &options, "'b.acceleration', 'b.angular_acceleration', 'b.angular_velocity', 'b.position'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near(r.y[0], v0 + w * w * 0.1, 1e-12); // of the origin: the centre at 0.1 goes straight down
    assert_near(r.y[1], 0.0, 1e-12);
    assert_near(r.y[2], -g, 1e-12);
    assert_near(r.y[4], 0.0, 1e-12);
    assert_near(r.y[7], w, 1e-14);
    check_model_run(&r, 0.3);
    // centre of mass: that of a free fall; the origin is 0.1 behind it, turned by w t about y
    const double t = 0.3, cz = -0.1 * w * t - 0.5 * g * t * t, turn = w * t;
    assert_near(r.y[9], 0.1 - 0.1 * cos(turn), 1e-5);
    assert_near(r.y[10], 0.0, 1e-12);
    assert_near(r.y[11], cz + 0.1 * sin(turn), 1e-5);
    check_model_free(&r);
}

/* A floating joint has place and quaternion; its origin accelerates with g - w x (w x c). */
static void floating_joints_are_free(void **state)
{
    static const char text[] = TWO_LINKS("<joint name='j' type='floating'><origin xyz='0 0 1'/><parent link='base'/>"
                                         "<child link='b'/></joint>");
    static const char *const values[] = {"j=0.1,0.2,0.3,0.5,0.5,0.5,0.5", "j'=0,0,0,0,0,2"};
    const dal_import_options options = {.values = values, .nvalues = 2};
    check_model r = robot_start(text, &options, "'b.position', 'b.acceleration', 'b.matrix'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near(r.y[0], 0.1, 1e-14);
    assert_near(r.y[1], 0.2, 1e-14);
    assert_near(r.y[2], 1.3, 1e-14);
    // x goes to y, y to z: the centre of mass is at 0.1 along y, w along x: w^2 c back to the axis
    assert_near(r.y[3], 0.0, 1e-12);
    assert_near(r.y[4], 4.0 * 0.1, 1e-12);
    assert_near(r.y[5], -g, 1e-12);
    assert_near(r.y[6 + 3], 1.0, 1e-14);
    check_model_free(&r);
}

/* ---- MJCF: mass ------------------------------------------------------------------------------- */

#define INERTIAL "<inertial pos='0.3 0 0' mass='3' diaginertia='0.2 0.25 0.3'/>"
#define SLENDER "<inertial pos='0.3 0 0' mass='3' diaginertia='0.1 0.2 0.9'/>"
#define TURNED "<inertial pos='0.3 0 0' mass='3' fullinertia='0.2 0.2 0.3 0.1 0 0'/>" /* 0.1 and 0.3 at 45 degrees */
#define BALL "<geom type='sphere' size='0.1' pos='0.5 0 0' mass='2'/>"
#define BOX "<geom type='box' size='0.1 0.2 0.3' pos='-0.2 0 0' density='50' group='2'/>"

/* A body on a hinge about y: its acceleration is g sum(m x)/J. */
static const struct {
    const char *compiler, *body;
    double m, mx, J;
} weights[] = {
    {"", INERTIAL BALL BOX, 3.0, 0.9, 0.25 + 3.0 * 0.09},
    {"inertiafromgeom='false'", INERTIAL BALL BOX, 3.0, 0.9, 0.25 + 3.0 * 0.09},
    {"inertiafromgeom='auto'", BALL, 2.0, 1.0, 0.4 * 2.0 * 0.01 + 2.0 * 0.25},
    {"inertiafromgeom='true'", INERTIAL BALL BOX, 4.4, 1.0 - 0.2 * 2.4,
     0.4 * 2.0 * 0.01 + 2.0 * 0.25 + 2.4 * (0.04 + 0.36) / 12.0 + 2.4 * 0.04},
    {"inertiafromgeom='true' inertiagrouprange='0 1'", INERTIAL BALL BOX, 2.0, 1.0, 0.4 * 2.0 * 0.01 + 2.0 * 0.25},
    {"inertiafromgeom='true' inertiagrouprange='2 2'", INERTIAL BALL BOX, 2.4, -0.48,
     2.4 * (0.04 + 0.36) / 12.0 + 2.4 * 0.04},
    {"boundmass='10'", INERTIAL, 10.0, 3.0, 0.25 + 10.0 * 0.09},
    {"boundmass='1'", INERTIAL, 3.0, 0.9, 0.25 + 3.0 * 0.09},
    {"boundinertia='0.28'", INERTIAL, 3.0, 0.9, 0.28 + 3.0 * 0.09},
    {"boundinertia='0.2'", TURNED, 3.0, 0.9, 0.25 + 3.0 * 0.09}, // of the principal moments, which become 0.2, 0.3, 0.3
    {"balanceinertia='true'", SLENDER, 3.0, 0.9, 0.4 + 3.0 * 0.09},
    {"balanceinertia='true'", INERTIAL, 3.0, 0.9, 0.25 + 3.0 * 0.09},
    {"balanceinertia='true' boundinertia='0.5'", SLENDER, 3.0, 0.9, 0.5 + 3.0 * 0.09}, // 0.5, 0.5, 0.9: a body
    {"settotalmass='6'", INERTIAL, 6.0, 1.8, 2.0 * (0.25 + 3.0 * 0.09)},
};

static void settings_of_the_compiler_weigh_bodies(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(weights); ++k) {
        char text[2000];
        snprintf(text, sizeof text,
                 "<mujoco><compiler %s/><worldbody><body name='b'><joint name='j' axis='0 1 "
                 "0'/>%s</body></worldbody></mujoco>",
                 weights[k].compiler, weights[k].body);
        dal_import *import = robot_import(ctx, text, NULL);
        assert_near_rel(dal_import_report(import).mass, weights[k].m, 1e-12);
        dal_import_destroy(import);
        check_model r = robot_start(text, NULL, ACC("j"), NULL, 0);
        check_model_run(&r, 0.0);
        assert_near_rel(r.y[0], g * weights[k].mx / weights[k].J, 1e-11);
        check_model_free(&r);
    }
    robot_fails("<mujoco><compiler inertiafromgeom='false'/><worldbody><body name='b'><joint/>" BALL
                "</body></worldbody></mujoco>",
                NULL, "nothing of it moves");
    check_ctx_free(ctx);
}

/* ---- MJCF: limits, included files, rotations -------------------------------------------------- */

static void limits_are_there_where_the_compiler_says_so(void **state)
{
    static const struct {
        const char *compiler, *joint;
        int stops;
    } cases[] = {{"", "range='-10 10'", 1},
                 {"", "range='-10 10' limited='false'", 0},
                 {"", "", 0},
                 {"autolimits='false'", "range='-10 10'", 0},
                 {"autolimits='false'", "range='-10 10' limited='true'", 1}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<mujoco><compiler %s/><worldbody><body name='b'><joint name='j' axis='0 1 0' %s/>" BALL
                 "</body></worldbody></mujoco>",
                 cases[k].compiler, cases[k].joint);
        dal_import *import = robot_import(ctx, text, NULL);
        const char *stop = strstr(dal_import_text(import), "j_stop"),
                   *limits = stop != NULL ? strstr(stop, "limits") : NULL;
        assert_int_equal(stop != NULL, cases[k].stops);
        if (limits != NULL) { // of 10 degrees
            assert_near(strtod(strchr(limits, '[') + 1, NULL), -0.17453292519943295, 1e-15);
        }
        dal_import_destroy(import);
    }
    check_ctx_free(ctx);
}

/* Axis 0, 1, 2 by an angle in degrees. */
static void turn(double x[3], int axis, double degrees)
{
    const double a = degrees * 3.14159265358979323846 / 180.0, c = cos(a), s = sin(a);
    double *y = &x[(axis + 1) % 3], *z = &x[(axis + 2) % 3];
    const double y0 = *y, z0 = *z;
    *y = c * y0 - s * z0;
    *z = s * y0 + c * z0;
}

/* Small letters turn with the body, so the last angle acts first on a vector; capitals do not. */
static void euler_angles_have_any_sequence(void **state)
{
    static const char *const sequences[] = {"xyz", "XYZ", "zyx", "ZXZ", "yzy", "YXZ"};
    static const double angle[] = {30.0, 40.0, -50.0};
    for (size_t k = 0; k < LEN(sequences); ++k) {
        char text[1000];
        double x[3] = {0.3, 0.2, 0.1};
        snprintf(text, sizeof text,
                 "<mujoco><compiler eulerseq='%s'/><worldbody><body name='a' euler='30 40 -50'>" BALL "<joint/>"
                 "<body name='b' pos='0.3 0.2 0.1'>" BALL "<joint/></body></body></worldbody></mujoco>",
                 sequences[k]);
        const int small = sequences[k][0] >= 'x';
        for (int i = 0; i < 3; ++i) {
            const int at = small ? 2 - i : i;
            turn(x, sequences[k][at] - (small ? 'x' : 'X'), angle[at]);
        }
        check_model r = robot_start(text, NULL, "'b.position'", NULL, 0);
        check_model_run(&r, 0.0);
        for (int i = 0; i < 3; ++i) {
            assert_near(r.y[i], x[i], 1e-15);
        }
        check_model_free(&r);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (; *text != '\0'; ++text) {
        fputc(*text == '\'' ? '"' : *text, f);
    }
    fclose(f);
}

/* What is included stands where the element was, with its defaults, and includes others. */
static void included_files_stand_in_their_place(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_import *import;
    write_file(VALUES_FOLDER "/whole.xml", "<mujoco><include file='inner/classes.xml'/><worldbody><include "
                                           "file='inner/arm.xml'/></worldbody></mujoco>");
    write_file(VALUES_FOLDER "/inner/classes.xml",
               "<mujocoinclude><default><geom density='250'/></default></mujocoinclude>");
    write_file(
        VALUES_FOLDER "/inner/arm.xml",
        "<mujocoinclude><body name='b'><joint/><geom type='box' size='0.1 0.1 0.1'/><include file='inner/tip.xml'/>"
        "</body></mujocoinclude>");
    write_file(VALUES_FOLDER "/inner/tip.xml",
               "<mujocoinclude><geom type='box' size='0.1 0.1 0.1' pos='0.4 0 0' density='500'/></mujocoinclude>");
    check_ok(ctx, dal_import_create(&import, ctx, VALUES_FOLDER "/whole.xml", NULL));
    const dal_import_summary s = dal_import_report(import);
    assert_near_rel(s.mass, 0.008 * 750.0, 1e-14);
    assert_near_rel(s.com[0], 0.4 * 500.0 / 750.0, 1e-14);
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prismatic_joints_slide_along_their_axis),
        cmocka_unit_test(planar_joints_move_in_their_plane),
        cmocka_unit_test(floating_joints_are_free),
        cmocka_unit_test(settings_of_the_compiler_weigh_bodies),
        cmocka_unit_test(limits_are_there_where_the_compiler_says_so),
        cmocka_unit_test(euler_angles_have_any_sequence),
        cmocka_unit_test(included_files_stand_in_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
