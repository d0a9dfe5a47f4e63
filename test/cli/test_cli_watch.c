/* Runs watch themselves, and what is not said is chosen so that the answer is right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* A monorail held upright by a gyroscope at 300 rad/s: 0.3 rad a step. */
static void write_monorail(void)
{
    tool_write(
        "monorail.json",
        "{\"dalembert\": 1, \"name\": \"monorail\", \"gravity\": [0, 0, -9.81], \"variables\": {\"a\": 0.01}, "
        "\"bodies\": ["
        "{\"name\": \"car\", \"mass\": 1000, \"inertia\": [400, 3000, 3000], \"position\": [0, \"-0.8*sin(a)\", "
        "\"0.8*cos(a)\"],"
        " \"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"a\"}},"
        "{\"name\": \"gimbal\", \"mass\": 10, \"inertia\": 5, \"position\": [0, \"-sin(a)\", \"cos(a)\"],"
        " \"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"a\"}},"
        "{\"name\": \"rotor\", \"mass\": 100, \"inertia\": [12, 12, 20], \"position\": [0, \"-sin(a)\", \"cos(a)\"],"
        " \"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"a\"}, \"angular_velocity\": [0, 0, 300]}],"
        "\"joints\": [{\"name\": \"rail\", \"type\": \"revolute\", \"body_b\": \"car\", \"point\": [0, 0, 0], "
        "\"axis\": [1, 0, 0]},"
        "{\"name\": \"precession\", \"type\": \"revolute\", \"body_a\": \"car\", \"body_b\": \"gimbal\","
        " \"axis\": [0, \"cos(a)\", \"sin(a)\"]},"
        "{\"name\": \"spin\", \"type\": \"revolute\", \"body_a\": \"gimbal\", \"body_b\": \"rotor\","
        " \"axis\": [0, \"-sin(a)\", \"cos(a)\"]}], \"simulation\": {\"t_end\": 1}}");
}

static double off(const json_t *d)
{
    const json_t *b = json_object_get(d, "balance");
    return tool_number(b, "residual") / tool_number(b, "turned_over");
}

static const char *option(const json_t *d, const char *name)
{
    return json_string_value(json_object_get(json_object_get(d, "options"), name));
}

static void a_gyroscope_keeps_its_energy_without_a_method(void **state)
{
    write_monorail();
    json_t *d = tool_json("run monorail.json --json -q", 0);
    assert_string_equal(option(d, "integrator"), "auto");
    assert_near(tool_number(json_object_get(d, "options"), "step_rtol"), 1e-6, 0.0);
    assert_true(off(d) < 1e-5);
    json_decref(d);
    d = tool_json("run monorail.json --json -q --h 1e-3", 0);
    assert_string_equal(option(d, "integrator"), "genalpha");
    assert_string_equal(option(d, "formulation"), "ggl");
    assert_string_equal(option(d, "step"), "fixed");
    assert_true(off(d) < 1e-6);
    assert_int_equal(json_array_size(json_object_get(d, "warnings")), 0);
    json_decref(d);
    // each of these names a method
    d = tool_json("run monorail.json --json -q --t-end 0.01 --set formulation=index2", 0);
    assert_string_equal(option(d, "integrator"), "genalpha");
    assert_string_equal(option(d, "step"), "fixed");
    json_decref(d);
    d = tool_json("run monorail.json --json -q --t-end 0.01 --set step=adaptive", 0);
    assert_string_equal(option(d, "integrator"), "genalpha");
    json_decref(d);
    d = tool_json("run monorail.json --json -q --t-end 0.01 --set step_rtol=1e-4", 0);
    assert_string_equal(option(d, "integrator"), "auto");
    assert_near(tool_number(json_object_get(d, "options"), "step_rtol"), 1e-4, 0.0);
    json_decref(d);
}

/* Runge-Kutta beyond its limit of stability: no equation is solved that could fail. */
static void a_motion_that_the_method_makes_fails_and_is_kept(void **state)
{
    tool_write("stiff.json",
               "{\"dalembert\": 1, \"name\": \"stiff\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 1, "
               "\"velocity\": [1, 0, 0]}], \"forces\": [{\"name\": \"s\", \"type\": \"cartesian\", \"body_b\": \"b\", "
               "\"stiffness\": [1e6, 0, 0]}], \"simulation\": {\"t_end\": 1}}");
    const char *const run = "run stiff.json --set integrator=rk --set step=fixed --h 0.01";
    char arguments[200];
    snprintf(arguments, sizeof arguments, "%s -q -o lost", run);
    tool_expect(arguments, 4, "the motion is no longer that of the model");
    assert_true(tool_exists("lost/outputs.csv"));
    tool_result r = tool(run);
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.out, "  warning       the energy balance is off by"));
    assert_non_null(strstr(r.out, "use a smaller h"));
    tool_free(&r);
    json_t *d = tool_json("run stiff.json --json -q", 0);
    assert_true(off(d) < 1e-4);
    json_decref(d);
}

/* An unsymmetric body tumbles close to the singular position of its three angles. */
static void a_coarse_motion_is_told(void **state)
{
    tool_write(
        "spin.json",
        "{\"dalembert\": 1, \"name\": \"spin\", \"bodies\": [{\"name\": \"b\", \"type\": \"cardan\", \"mass\": 1, "
        "\"inertia\": [0.1, 0.2, 0.15], \"angular_velocity\": [1, 2, 100]}], \"joints\": [{\"name\": \"j\", "
        "\"type\": \"spherical\", \"body_b\": \"b\", \"point\": [0, 0, 0]}], \"simulation\": {\"t_end\": 1}}");
    json_t *d = tool_json("run spin.json --json -q --h 1e-3", 0);
    const char *text = json_string_value(json_array_get(json_object_get(d, "warnings"), 0));
    assert_true(off(d) > 0.1);
    assert_non_null(text);
    assert_non_null(strstr(text, "the energy balance is off by 124 J"));
    assert_non_null(strstr(text, "a tolerance controls the steps"));
    json_decref(d);
    tool_result r = tool("run spin.json --h 1e-3");
    assert_non_null(
        strstr(r.out, "  balance       energy + dissipated - fed in is off by 1.2e+02 J of 750 J turned over"));
    tool_free(&r);
    d = tool_json("run spin.json --json -q", 0);
    assert_true(off(d) < 1e-4);
    json_decref(d);
}

/* Switched, driven and released: what they do is work, not an error. */
static void work_of_all_kinds_is_counted(void **state)
{
    static const struct {
        const char *options;
        double bound;
    } run[] = {{"", 1e-5},
               {"--h 1e-3", 2e-3},
               {"--h 1e-3 --set formulation=index3", 2e-3},
               {"--set integrator=lobatto --h 5e-3", 1e-5},
               {"--set integrator=rk --set order=5", 1e-3}};
    tool_write("work.json",
               "{\"dalembert\": 1, \"name\": \"work\", \"gravity\": [0, 0, -9.81], \"bodies\": ["
               "{\"name\": \"arm\", \"mass\": 2, \"inertia\": 0.1, \"position\": [0.5, 0, 0]},"
               "{\"name\": \"tip\", \"mass\": 1, \"inertia\": 0.05, \"position\": [1, 0, 0.2]},"
               "{\"name\": \"sled\", \"mass\": 3, \"inertia\": 0.1, \"position\": [0, 2, 0]}],"
               "\"functions\": {\"wave\": {\"type\": \"harmonic\", \"amplitude\": 0.2, \"omega\": 7}},"
               "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"arm\", \"point\": [0, 0, 0], "
               "\"axis\": [0, 1, 0]},"
               "{\"name\": \"B\", \"type\": \"spherical\", \"body_a\": \"arm\", \"body_b\": \"tip\", \"point\": [1, 0, "
               "0], \"release\": 0.6},"
               "{\"name\": \"S\", \"type\": \"prismatic\", \"body_b\": \"sled\", \"axis\": [1, 0, 0]},"
               "{\"name\": \"drive\", \"type\": \"motion\", \"joint\": \"S\", \"function\": \"wave\"}],"
               "\"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"tip\", \"vector\": [0, 5, 0], "
               "\"active\": {\"from\": 0.2, \"to\": 0.4}},"
               "{\"name\": \"air\", \"type\": \"drag\", \"body\": \"tip\", \"damping\": 0.8}],"
               "\"simulation\": {\"t_end\": 1}}");
    for (size_t k = 0; k < sizeof run / sizeof run[0]; ++k) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "run work.json --json -q %s", run[k].options);
        json_t *d = tool_json(arguments, 0);
        print_message("%-40s off by %.1e\n", run[k].options, off(d));
        assert_true(off(d) < run[k].bound);
        assert_int_equal(json_array_size(json_object_get(d, "warnings")), 0);
        json_decref(d);
    }
}

/* Runs are looked at every few steps: work within fewer is found all the same. A ball falls on a floor that takes its energy. */
static void impacts_between_looks_are_counted(void **state)
{
    static const char *const option[] = {"--h 2e-4", "--h 1e-4 --set formulation=index3",
                                         "--h 2e-4 --set integrator=lobatto", "--set step=adaptive",
                                         "--h 1e-4 --set integrator=rk --set step=fixed"};
    tool_write(
        "bounce.json",
        "{\"dalembert\": 1, \"name\": \"bounce\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\", "
        "\"mass\": 1, \"inertia\": 0.1, \"position\": [0, 0, 0.3]}], \"forces\": [{\"name\": \"floor\", \"type\": "
        "\"law\", \"body_b\": \"ball\", \"coordinate\": \"translation_z\", \"value\": \"max(0, -1e6*z)*max(0, 1 - "
        "0.6*v)\", \"inputs\": {\"z\": \"ball.position.z\", \"v\": \"ball.velocity.z\"}}], \"simulation\": {\"t_end\": "
        "1}}");
    for (size_t k = 0; k < sizeof option / sizeof option[0]; ++k) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "run bounce.json --json -q %s", option[k]);
        json_t *d = tool_json(arguments, 0);
        print_message("%-50s off by %.1e\n", option[k], off(d));
        assert_true(tool_number(json_object_get(d, "energy"), "final") < 1.5); // of 2.9 J
        assert_true(off(d) < 6e-3);
        assert_int_equal(json_array_size(json_object_get(d, "warnings")), 0);
        json_decref(d);
    }
}

/* A stiff damped spring: steps are longer than its motion lasts, the stages know its work all the same. */
static void stiff_dampers_are_counted_at_stages(void **state)
{
    json_t *d = tool_json(
        "run flyball_governor --json -q --t-end 0.2 --set integrator=lobatto --set stages=7 --set step=adaptive", 0);
    assert_true(off(d) < 1e-6); // on the dense output 6e-5
    json_decref(d);
}

/* The sums go on where a run is continued. */
static void a_continued_run_has_the_balance_of_one(void **state)
{
    write_monorail();
    json_t *one = tool_json("run monorail.json --json -q --h 1e-3 --t-end 0.2", 0);
    tool_expect("run monorail.json -q --h 1e-3 --t-end 0.1 --checkpoint half", 0, NULL);
    json_t *two = tool_json("run monorail.json --json -q --t-end 0.2 --resume half", 0);
    assert_near(off(two), off(one), 0.0);
    json_decref(one);
    json_decref(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gyroscope_keeps_its_energy_without_a_method),
        cmocka_unit_test(a_motion_that_the_method_makes_fails_and_is_kept),
        cmocka_unit_test(a_coarse_motion_is_told),
        cmocka_unit_test(work_of_all_kinds_is_counted),
        cmocka_unit_test(impacts_between_looks_are_counted),
        cmocka_unit_test(stiff_dampers_are_counted_at_stages),
        cmocka_unit_test(a_continued_run_has_the_balance_of_one),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
