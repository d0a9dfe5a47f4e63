/* SDF: places in frames, axes in frames, gearboxes, loops. */
#include <math.h>
#include <string.h>

#include "robot.h"

#define LINK(name, pose, com, mass, i)                                                           \
    "<link name='" name "'><pose " pose "</pose><inertial><pose>" com " 0 0 0</pose><mass>" mass \
    "</mass><inertia><ixx>" i "</ixx><iyy>" i "</iyy><izz>" i "</izz></inertia></inertial></link>"
#define ACC(joint) "{'quantity': 'coordinate_acceleration', 'joint': '" joint "'}"

/* A pendulum whose frames are turned; the axis is given in the model. */
static void a_pendulum_swings_about_its_axis(void **state)
{
    static const char text[] =
        "<sdf version='1.9'><model name='m'><pose>1 2 3 0 0 0.5</pose><frame name='f'><pose>0 0 1 0 0 "
        "0</pose></frame>" LINK(
            "bob", "relative_to='f'>0 0 0 0.3 0 0", "0.4 0 0", "2",
            "0.05") "<joint name='pin' type='revolute'><parent>world</parent><child>bob</child>"
                    "<axis><xyz expressed_in='__model__'>0 -1 "
                    "0</xyz><dynamics><damping>0.3</damping><spring_stiffness>2</spring_stiffness>"
                    "<spring_reference>0.1</spring_reference></dynamics></axis></joint></model></sdf>";
    static const char *const values[] = {"pin=0.6", "pin'=0.9"}, *const set[] = {"tau_pin=1.5"};
    const dal_import_options options = {.values = values, .nvalues = 2};
    const double J = 0.05 + 2.0 * 0.16, torque = 1.5 - 2.0 * 9.81 * 0.4 * cos(0.6) - 0.3 * 0.9 - 2.0 * 0.5;
    check_model r = robot_start(text, &options, ACC("pin") ", 'bob.position'", set, 1);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], torque / J, 1e-12);
    assert_near(r.y[1], 1.0, 1e-14);
    assert_near(r.y[3], 4.0, 1e-14);
    check_model_free(&r);
}

/* A rotor drives a wheel through a gearbox: its inertia counts with the square of the ratio. */
static void gearboxes_couple_angles(void **state)
{
    static const char text[] = "<sdf version='1.6'><model name='m'>" LINK("base", ">0 0 0 0 0 0", "0 0 0", "1", "1")
        LINK("wheel", ">0 0 0 0 0 0", "0 0 0", "1", "2")
            LINK("rotor", ">0 0 0.1 0 0 0", "0 0 0", "1",
                 "0.01") "<joint name='hold' type='fixed'><parent>world</parent><child>base</child></joint>"
                         "<joint name='out' type='revolute'><parent>base</parent><child>wheel</child><axis><xyz>0 0 "
                         "1</xyz></axis></joint>"
                         "<joint name='in' type='revolute'><parent>base</parent><child>rotor</child><axis><xyz>0 0 "
                         "-1</xyz></axis></joint>"
                         "<joint name='box' "
                         "type='gearbox'><parent>rotor</parent><child>wheel</child><gearbox_reference_body>base</"
                         "gearbox_reference_body>"
                         "<gearbox_ratio>0.05</gearbox_ratio><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 "
                         "1</xyz></axis2></joint></model></sdf>";
    static const char *const set[] = {"tau_in=1"};
    check_model r = robot_start(text, NULL, ACC("out") ", " ACC("in"), set, 1);
    check_model_run(&r, 0.0);
    // about z: wheel = -0.05 rotor, and the angle of the joint of the rotor is minus that about z
    const double a = 0.05 * 1.0 / (2.0 * 0.05 * 0.05 + 0.01);
    assert_near_rel(r.y[0], a, 1e-12);
    assert_near_rel(r.y[1], a / 0.05, 1e-12);
    check_model_free(&r);
}

static void joints_follow_others(void **state)
{
    static const char text[] = "<sdf version='1.11'><model name='m'>" LINK("a", ">0 0 0 0 0 0", "0.1 0 0", "1", "0.1")
        LINK("b", ">1 0 0 0 0 0", "0.1 0 0", "1",
             "0.1") "<joint name='A' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 "
                    "0</xyz></axis></joint>"
                    "<joint name='B' type='revolute'><parent>world</parent><child>b</child><axis><xyz>0 1 0</xyz>"
                    "<mimic "
                    "joint='A'><multiplier>-2</multiplier><offset>0.3</offset><reference>0.1</reference></mimic></"
                    "axis></joint></model></sdf>";
    check_model r = robot_start(text, NULL, "'A.coordinate', 'B.coordinate'", NULL, 0);
    check_model_run(&r, 0.3);
    assert_true(fabs(r.y[0]) > 1e-3);
    assert_near(r.y[1], 0.3 - 2.0 * (r.y[0] - 0.1), 1e-9);
    check_model_free(&r);
}

static void universal_joints_have_two_axes(void **state)
{
    static const char text[] = "<sdf version='1.6'><model name='m'>" LINK(
        "b", ">0 0 1 0 0 0", "0 0 -0.5", "2",
        "0.1") "<joint name='u' type='universal'><parent>world</parent><child>b</child><axis><xyz>1 0 "
               "0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
               "</model></sdf>";
    static const char *const values[] = {"u=0.3"};
    const dal_import_options options = {.values = values, .nvalues = 1};
    check_model r = robot_start(text, &options, ACC("u") ", " ACC("u_2"), NULL, 0);
    check_model_run(&r, 0.0);
    assert_near_rel(r.y[0], -2.0 * 9.81 * 0.5 * sin(0.3) / (0.1 + 0.5), 1e-12);
    assert_near(r.y[1], 0.0, 1e-12);
    check_model_free(&r);
}

static void models_without_joints_are_free(void **state)
{
    static const char text[] =
        "<sdf version='1.6'><world name='w'><gravity>0 0 -2</gravity><model name='m'><pose>0 0 1 0 0 0</pose>" LINK(
            "b", ">0 0 1 0 0 0", "0 0 0", "2",
            "0.1") "</model><model name='floor'><static>true</static>" LINK("slab", ">0 0 0 0 0 0", "0 0 0", "2",
                                                                            "0.1") "</model></world></sdf>";
    check_model r = robot_start(text, NULL, "'b.position', 'b.acceleration'", NULL, 0);
    check_model_run(&r, 0.0);
    assert_near(r.y[2], 2.0, 0.0);
    assert_near_rel(r.y[5], -2.0, 1e-14);
    check_model_free(&r);
}

static void faults_have_their_line(void **state)
{
    robot_fails("<sdf version='1.6'/>", NULL, "robot.urdf:1: the description has no links");
    robot_fails("<sdf version='1.6'><model name='m'><link name='a'/>\n<joint name='j' "
                "type='fixed'><parent>a</parent><child>b</child></joint></model></sdf>",
                NULL, "robot.urdf:2: joint 'j': there is no link 'b'");
    robot_fails("<sdf version='1.6'><model name='m'>\n<link name='a'><pose relative_to='a'>0 0 0 0 0 "
                "0</pose></link></model></sdf>",
                NULL, "robot.urdf:2: frame 'a' is given in itself");
    robot_fails("<sdf version='1.6'><model name='m'><link name='a'>\n<pose>0 0 x 0 0 0</pose></link></model></sdf>",
                NULL, "robot.urdf:2: <pose>: 'x' of 'pose' is not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_swings_about_its_axis), cmocka_unit_test(gearboxes_couple_angles),
        cmocka_unit_test(universal_joints_have_two_axes),   cmocka_unit_test(joints_follow_others),
        cmocka_unit_test(models_without_joints_are_free),   cmocka_unit_test(faults_have_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
