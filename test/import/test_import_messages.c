/* What is wrong with a description, with file and line. */
#include <stdio.h>
#include <string.h>

#include "robot.h"

static const struct {
    const char *text, *message;
} cases[] = {
    {"", "robot.urdf:1: column 1: this is no XML"},
    {"<robot name='r'>\n<link name='a'></robot>", "robot.urdf:2: column 18: this is no XML: mismatched tag"},
    {"<html/>", "robot.urdf:1: <html> is the root of no description"},
    {"<robot name='r'/>", "robot.urdf:1: the robot has no links"},
    {"<robot name='r'><link/></robot>", "<link> needs the attribute 'name'"},
    {"<robot name='r'><link name='a'/>\n<link name='a'/></robot>", "robot.urdf:2: two links are called 'a'"},
    {"<robot name='r'><link name='a'/>\n<link name='b'/></robot>",
     "robot.urdf:2: link 'b' has no parent, nor has 'a': a robot has one root"},
    {"<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
     "link='c'/></joint></robot>",
     "robot.urdf:2: joint 'j': there is no link 'c'"},
    {"<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><child link='a'/></joint></robot>",
     "robot.urdf:2: joint 'j' has no <parent>"},
    {"<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='bendy'><parent link='a'/><child "
     "link='b'/></joint></robot>",
     "robot.urdf:2: joint 'j' has the type 'bendy'; there are revolute"},
    {"<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/><child "
     "link='b'/>"
     "<axis xyz='0 0 0'/></joint></robot>",
     "robot.urdf:2: the axis of joint 'j' is zero"},
    {"<robot name='r'><link name='z'/><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent "
     "link='a'/><child link='b'/></joint>"
     "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
     "link 'a' is its own ancestor: the joints form a cycle"},
    {"<robot name='r'><link name='a'><inertial>\n<mass value='heavy'/></inertial></link></robot>",
     "robot.urdf:2: <mass>: 'heavy' of 'value' is not a number"},
    {"<robot name='r'><link name='a'><inertial><mass value='1e200'/></inertial></link></robot>", "is not a number"},
    {"<robot name='r'><link name='a'><inertial><mass value='nan'/></inertial></link></robot>",
     "'nan' of 'value' is not a number"},
    {"<robot name='r'><link name='a'><inertial><mass value='-1'/></inertial></link></robot>",
     "link 'a' has the mass -1"},
    {"<robot name='r'><link name='a'><inertial><mass value='${m}'/></inertial></link></robot>", "looks like xacro"},
    {"<robot name='r'><xacro:include/></robot>", "xacro file"},
    {"<robot name='r'><link name='a'><inertial><origin xyz='1 2'/><mass value='1'/></inertial></link></robot>",
     "'xyz' needs 3 numbers, it has 2"},
    {"<!DOCTYPE robot [\n<!ENTITY lol 'lol'>]><robot name='&lol;'/>", "robot.urdf:2: declares an entity"},
    {"<!DOCTYPE robot [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='r'>&x;</robot>", "declares an entity"},
};

static void every_fault_is_named_with_its_line(void **state)
{
    for (size_t k = 0; k < LEN(cases); ++k) {
        robot_fails(cases[k].text, NULL, cases[k].message);
    }
}

static void elements_within_elements_have_an_end(void **state)
{
    char text[8000] = "<robot name='r'>";
    size_t n = strlen(text);
    for (int k = 0; k < 1000; ++k) {
        n += (size_t)snprintf(text + n, sizeof text - n, "<a>");
    }
    robot_fails(text, NULL, "nested too deeply");
}

static void wrong_initial_values_are_named(void **state)
{
    static const char robot[] =
        "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/></inertial></link>"
        "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/></joint></robot>";
    static const struct {
        const char *value, *message;
    } wrong[] = {{"k=1", "there is no joint 'k'"},
                 {"j=x", "joint 'j' takes 1 number"},
                 {"j=1,2", "joint 'j' takes 1 number"},
                 {"j", "expected JOINT=NUMBER"}};
    for (size_t k = 0; k < LEN(wrong); ++k) {
        const dal_import_options options = {.values = &wrong[k].value, .nvalues = 1};
        robot_fails(robot, &options, wrong[k].message);
    }
}

static void strict_refuses_what_is_lost(void **state)
{
    static const char robot[] =
        "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/></inertial></link><wing/>"
        "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/></joint></robot>";
    const dal_import_options strict = {.strict = 1};
    robot_fails(robot, &strict, "cannot be kept: unknown elements of a robot (wing)");
    static const char *const kinds[] = {"floating", "planar"};
    for (int k = 0; k < 2; ++k) {
        char damped[400];
        snprintf(damped, sizeof damped,
                 "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/></inertial></link>"
                 "<joint name='j' type='%s'><parent link='a'/><child link='b'/><dynamics damping='2'/></joint></robot>",
                 kinds[k]);
        robot_fails(damped, &strict, "damping or stiffness of a free or planar joint (j)");
    }
}

#define SLIDE(inside)                                                                              \
    "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/></inertial></link>" \
    "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>" inside "</joint></robot>"
#define MODEL(link, joint)                                                                                           \
    "<sdf version='1.7'><model name='m'><link name='a'>" link "</link><joint name='j' type='revolute'><parent>world" \
    "</parent><child>a</child><axis><xyz>0 1 0</xyz>" joint "</axis></joint></model></sdf>"

/* Mechanics that is not kept, each by name; a strict import refuses it. */
static void no_mechanics_is_dropped_without_a_line(void **state)
{
    static const struct {
        const char *text, *what, *names;
    } lost[] = {
        {"<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/></inertial></link><joint name='j' "
         "type='planar'><parent link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint></robot>",
         "limits of joints that move along several coordinates", "j"},
        {SLIDE("<spring k='3'/>"), "unknown elements of a joint", "spring"},
        {MODEL("<velocity_decay><linear>0.1</linear></velocity_decay>", ""), "velocity_decay", "a"},
        {MODEL("<enable_wind>true</enable_wind>", ""), "wind", "a"},
        {MODEL("<kinematic>1</kinematic>", ""), "kinematic", "a"},
        {MODEL("<inertial auto='true'/>", ""), "shapes for collisions", "a"},
        {MODEL("<inertial><fluid_added_mass/></inertial>", ""), "added mass", "a"},
        {MODEL("", "<initial_position>0.3</initial_position>"), "initial_position", "j"},
    };
    dal_ctx *ctx = check_ctx();
    const dal_import_options strict = {.strict = 1};
    for (size_t k = 0; k < LEN(lost); ++k) {
        dal_import *import = robot_import(ctx, lost[k].text, NULL);
        assert_string_equal(robot_note(import, lost[k].what), lost[k].names);
        dal_import_destroy(import);
        robot_fails(lost[k].text, &strict, lost[k].what);
    }
    check_ctx_free(ctx);
}

/* What is no mechanics has a line for each kind, and is not refused. */
static void what_is_set_aside_is_counted(void **state)
{
    static const char mjcf[] =
        "<mujoco><option timestep='0.01'/><visual><map znear='0.1'/></visual><asset><texture "
        "name='t'/></asset><worldbody>"
        "<light pos='0 0 3'/><light/><camera name='c'/><body name='b'><joint solreflimit='0.1 1'/><geom size='1' "
        "contype='1' condim='4'/><geom size='1' condim='3'/></body></worldbody><sensor><gyro site='s'/><gyro site='s'/>"
        "<touch/></sensor><contact><exclude/></contact><custom><numeric/><text/></custom></mujoco>";
    static const char *const told[] = {"sensor (3)", "contact", "custom (2)", "light (2)",
                                       "camera",     "visual",  "texture"};
    dal_ctx *ctx = check_ctx();
    const dal_import_options strict = {.strict = 1};
    dal_import *import = robot_import(ctx, mjcf, &strict);
    for (size_t k = 0; k < LEN(told); ++k) {
        assert_non_null(strstr(robot_note(import, "elements that are no mechanics"), told[k]));
    }
    assert_string_equal(robot_note(import, "attributes for the solver"), "timestep, solreflimit, contype, condim (2)");
    dal_import_destroy(import);
    import = robot_import(ctx, SLIDE("<calibration rising='0'/><safety_controller k_velocity='1'/>"), &strict);
    assert_string_equal(robot_note(import, "other programs"), "calibration, safety_controller");
    dal_import_destroy(import);
    import = robot_import(ctx, MODEL("<sensor name='s'/><velocity_decay/>", ""), &strict);
    assert_string_equal(robot_note(import, "other programs"), "sensor");
    dal_import_destroy(import);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_named_with_its_line),
        cmocka_unit_test(elements_within_elements_have_an_end),
        cmocka_unit_test(wrong_initial_values_are_named),
        cmocka_unit_test(strict_refuses_what_is_lost),
        cmocka_unit_test(no_mechanics_is_dropped_without_a_line),
        cmocka_unit_test(what_is_set_aside_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
