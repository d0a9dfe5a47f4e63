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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_named_with_its_line),
        cmocka_unit_test(elements_within_elements_have_an_end),
        cmocka_unit_test(wrong_initial_values_are_named),
        cmocka_unit_test(strict_refuses_what_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
