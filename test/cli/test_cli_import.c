/* dalembert import, and descriptions in place of models. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/tool.h"

static const char robot[] =
    "<robot name=\"crane\"><link name=\"base\"/>\n"
    "<link name=\"jib\"><inertial><origin xyz=\"1 0 0\"/><mass value=\"3\"/>"
    "<inertia ixx=\"0.1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n"
    "<visual><geometry><mesh filename=\"package://crane/jib.stl\"/></geometry></visual></link>\n"
    "<joint name=\"luff\" type=\"revolute\"><parent link=\"base\"/><child link=\"jib\"/><axis xyz=\"0 -1 0\"/>"
    "<limit lower=\"-1\" upper=\"1.5\" effort=\"500\" velocity=\"1\"/></joint>\n"
    "</robot>\n";

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

static void a_robot_becomes_a_model(void **state)
{
    tool_write("crane.urdf", robot);
    json_t *d = tool_json("import crane.urdf -o crane.json --json", 0);
    tool_keys(d, "model format links joints fixed loops inputs mass com bodies freedoms not_kept changed");
    assert_string_equal(json_string_value(json_object_get(d, "format")), "URDF");
    assert_int_equal((int)tool_number(d, "links"), 2);
    assert_int_equal((int)tool_number(d, "freedoms"), 1);
    assert_near(tool_number(d, "mass"), 3.0, 0.0);
    json_decref(d);
    tool_expect("check crane.json", 0, NULL);
    // the description itself is as good as the model
    json_t *a = tool_json("run crane.urdf --t-end 0.1 --set tau_luff=5 --json --quiet", 0);
    json_t *b = tool_json("run crane.json --t-end 0.1 --set tau_luff=5 --json --quiet", 0);
    assert_true(json_equal(json_object_get(a, "final"), json_object_get(b, "final")));
    json_decref(a);
    json_decref(b);
    tool_expect("static crane.urdf --set tau_luff=1", 0, NULL);
}

static void initial_values_move_it(void **state)
{
    tool_write("crane.urdf", robot);
    json_t *d = tool_json("import crane.urdf --at luff=0.5 --json", 0);
    assert_near(json_real_value(json_array_get(json_object_get(d, "com"), 0)), 0.87758256189037276, 1e-15);
    assert_near(json_real_value(json_array_get(json_object_get(d, "com"), 2)), 0.47942553860420301, 1e-15);
    json_decref(d);
    tool_expect("import crane.urdf --at luf=0.5", 2, "there is no joint 'luf'");
}

/* What is held against its weight does not move but for rounding, of which nothing is said. */
static void a_robot_that_is_held_rests(void **state)
{
    tool_write("held.xml",
               "<mujoco model='held'><compiler angle='radian'/><worldbody><body name='a' gravcomp='1'>"
               "<joint name='j1' axis='0 1 0'/><inertial pos='.2 .01 .05' mass='2.3' diaginertia='.01 .02 .03'/>"
               "<body name='b' pos='.4 0 .1' gravcomp='1'><joint name='j2' axis='0 1 .2'/>"
               "<inertial pos='.17 .01 .05' mass='1.7' diaginertia='.01 .02 .03'/>"
               "<body name='c' pos='.3 .1 0' gravcomp='1'><joint name='j3' axis='1 0 .2' damping='.1'/>"
               "<inertial pos='.17 .11 .05' mass='1.1' diaginertia='.001 .002 .002'/></body></body></body>"
               "</worldbody></mujoco>");
    json_t *d = tool_json("run held.xml --t-end 3 --json --quiet", 0);
    assert_int_equal((int)json_array_size(json_object_get(d, "warnings")), 0);
    json_decref(d);
}

/* J a + d w + m g r cos(q) + 0.5 sign(w); at rest friction is not known, and not counted. */
static void inverse_dynamics_has_the_friction_of_joints(void **state)
{
    tool_write("rubs.urdf",
               "<robot name='arm'><link name='base'/><link name='a'><inertial><origin xyz='0.2 0 0'/><mass value='2'/>"
               "<inertia ixx='0.01' iyy='0.03' izz='0.03' ixy='0' ixz='0' iyz='0'/></inertial></link>"
               "<joint name='j' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 -1 0'/>"
               "<limit lower='-2' upper='2' effort='40' velocity='5'/><dynamics damping='0.2' friction='0.5'/></joint>"
               "</robot>");
    for (int turned = 0; turned < 2; ++turned) {
        const double sign = turned ? -1.0 : 1.0;
        json_t *d = tool_json(turned ? "inverse rubs.urdf --motion j=-0.3*t^2 --times 0:1:3 --json"
                                     : "inverse rubs.urdf --motion j=0.3*t^2 --times 0:1:3 --json",
                              0);
        const json_t *force = json_object_get(json_object_get(d, "drives"), "j");
        for (int i = 0; i < 3; ++i) {
            const double t = 0.5 * i, q = 0.3 * t * t, w = 0.6 * t;
            const double want = sign * (0.11 * 0.6 + 0.2 * w + (i > 0 ? 0.5 : 0.0)) + 2.0 * 9.81 * 0.2 * cos(q);
            assert_near(json_number_value(json_array_get(force, (size_t)i)), want, 1e-9);
        }
        json_decref(d);
    }
    tool_result r = tool("view rubs.urdf -o rubs.html"); // what is open holds nothing, and is not redundant
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "depend on others"));
    assert_null(strstr(r.out, "depend on others"));
    tool_free(&r);
    tool_write("follows.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 1}], \"joints\": ["
               "{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"b\", \"axis\": [0, 0, 1]},"
               "{\"name\": \"rub\", \"type\": \"brake\", \"joint\": \"A\", \"mu\": 0.2}]}");
    tool_expect("inverse follows.json --motion A=t --times 0:1:3", 3, "the friction of 'rub' follows the reactions");
    tool_expect("inverse follows.json --without rub --motion A=t --times 0:1:3", 0, NULL);
}

/* The mesh of another folder is read only where that is allowed. */
static void files_elsewhere_are_not_read_unasked(void **state)
{
    char *text;
    assert_int_equal(mkdir("there", 0777) | mkdir("there/crane", 0777) | mkdir("here", 0777), 0);
    tool_write("there/crane/jib.obj", tetrahedron);
    char obj[2000];
    snprintf(obj, sizeof obj, "%s", robot);
    char *ending = strstr(obj, ".stl");
    ending[1] = 'o';
    ending[2] = 'b';
    ending[3] = 'j';
    tool_write("here/crane.urdf", obj);
    tool_result r = tool("import here/crane.urdf -o here/a.json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "package://crane/jib.obj"));
    tool_free(&r);
    text = tool_read("here/a.json");
    assert_null(strstr(text, "\"mesh\""));
    free(text);
    tool_expect("import here/crane.urdf --packages there -o here/b.json", 0, NULL);
    text = tool_read("here/b.json");
    assert_non_null(strstr(text, "there/crane/jib.obj"));
    free(text);
    tool_expect("check here/b.json", 3, "outside the folder of the model");
    tool_expect("check here/b.json --allow-files-outside", 0, NULL);
}

static void faults_have_their_exit_codes(void **state)
{
    tool_write("crane.urdf", robot);
    tool_write("broken.urdf", "<robot>\n<link name=\"a\">\n</robot>");
    tool_write("page.xml", "<html/>");
    tool_expect("import broken.urdf", 3, "broken.urdf:3: column 3: this is no XML");
    tool_expect("run broken.urdf", 3, "broken.urdf:3: column 3: this is no XML");
    tool_expect("import page.xml", 3, "page.xml:1: <html> is the root of no description");
    tool_expect("import nowhere.urdf", 5, "cannot open 'nowhere.urdf'");
    tool_expect("import crane.urdf --base loose", 2, "base");
    tool_expect("import crane.urdf -o no/such/folder.json", 5, "no/such/folder.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_becomes_a_model),
        cmocka_unit_test(initial_values_move_it),
        cmocka_unit_test(a_robot_that_is_held_rests),
        cmocka_unit_test(inverse_dynamics_has_the_friction_of_joints),
        cmocka_unit_test(files_elsewhere_are_not_read_unasked),
        cmocka_unit_test(faults_have_their_exit_codes),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
