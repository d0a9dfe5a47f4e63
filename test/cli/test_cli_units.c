/* The same mechanism in other units of length and mass is the same motion. */
#include <math.h>
#include <string.h>

#include "tool.h"

/* L and M: units of length and mass in a metre and a kilogram. */
static const char model[] = "{\"dalembert\": 1, \"name\": \"units\", \"variables\": {\"L\": 1, \"M\": 1}, \"gravity\": "
                            "[0, \"-3*L\", \"-9.81*L\"],\n"
                            " \"bodies\": [{\"name\": \"a\", \"type\": \"se3\", \"mass\": \"2*M\", \"inertia\": "
                            "[\"0.02*M*L^2\", \"0.03*M*L^2\", \"0.04*M*L^2\"],\n"
                            "   \"position\": [\"0.3*L\", 0, 0], \"angular_velocity\": [0, 0, 2]},\n"
                            "  {\"name\": \"b\", \"type\": \"cardan\", \"mass\": \"0.5*M\", \"inertia\": "
                            "\"0.004*M*L^2\", \"position\": [\"0.7*L\", \"0.1*L\", 0]},\n"
                            "  {\"name\": \"c\", \"type\": \"euler_parameters\", \"mass\": \"M\", \"inertia\": "
                            "\"0.01*M*L^2\", \"position\": [\"0.9*L\", \"0.1*L\", "
                            "\"0.2*L\"]}],\n"
                            " \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"body_b\": \"a\", \"point\": [0, "
                            "0, 0], \"axis\": [0, 0.6, 0.8]},\n"
                            "  {\"name\": \"k\", \"type\": \"universal\", \"body_a\": \"a\", \"body_b\": \"b\", "
                            "\"point\": [\"0.5*L\", 0, 0]},\n"
                            "  {\"name\": \"d\", \"type\": \"distance\", \"body_a\": \"b\", \"body_b\": \"c\"}],\n"
                            " \"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_a\": \"ground\", \"body_b\": "
                            "\"c\", \"stiffness\": \"80*M\", \"damping\": "
                            "\"0.5*M\"}],\n"
                            " \"outputs\": [\"energy\"], \"simulation\": {\"t_end\": 0.02, \"h\": 0.001}}\n";

/* Energy and places at the end of a run, in metres and kilograms. */
static void run(double x[10], const char *options, double length, double mass)
{
    char line[400];
    snprintf(line, sizeof line, "run units.json --json -q --set L=%.17g --set M=%.17g %s", length, mass, options);
    json_t *doc = tool_json(line, 0);
    x[0] = tool_number(json_object_get(doc, "energy"), "final") / (mass * length * length);
    const char *name;
    json_t *body;
    int n = 1;
    json_object_foreach(json_object_get(doc, "bodies"), name, body)
    {
        const json_t *place = json_object_get(body, "x");
        for (size_t k = 0; k < 3; ++k) {
            x[n++] = json_number_value(json_array_get(place, k)) / length;
        }
    }
    assert_int_equal(n, 10);
    json_decref(doc);
}

static void units_do_not_show_in_the_motion(void **state)
{
    static const double unit[][2] = {{1e3, 1e3}, {1e6, 1e6}, {1e-6, 1e-9}};
    static const char *const options[] = {"--set formulation=index3", "--set formulation=ggl",
                                          "--set formulation=index2", "--set integrator=lobatto",
                                          "--set integrator=rk --set step_rtol=1e-9"};
    tool_write("units.json", model);
    for (size_t k = 0; k < LEN(options); ++k) {
        double want[10], x[10];
        run(want, options[k], 1.0, 1.0);
        for (size_t u = 0; u < LEN(unit); ++u) {
            run(x, options[k], unit[u][0], unit[u][1]);
            for (int i = 0; i < 10; ++i) {
                assert_near(x[i], want[i], 1e-8);
            }
        }
    }
}

/* Two bodies on a spring that slide together: a steady motion with one frequency, stable, and tangents are right. */
static void analyses_do_not_depend_on_units(void **state)
{
    static const double unit[][2] = {{1.0, 1.0}, {1e3, 1e3}, {1e-3, 1e-3}, {1e6, 1e6}, {1e-6, 1e-15}};
    tool_write(
        "sled.json",
        "{\"dalembert\": 1, \"variables\": {\"L\": 1, \"M\": 1}, \"gravity\": [0, 0, \"-9.81*L\"], \"bodies\": "
        "[{\"name\": \"a\", \"mass\": \"2*M\", \"inertia\": \"0.1*M*L^2\", \"velocity\": [\"1e-3*L\", 0, 0]}, "
        "{\"name\": \"b\", \"mass\": \"M\", \"inertia\": \"0.1*M*L^2\", \"position\": [\"0.4*L\", 0, 0], "
        "\"velocity\": [\"1e-3*L\", 0, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"prismatic\", \"body_b\": "
        "\"a\", \"axis\": [1, 0, 0]}, {\"name\": \"B\", \"type\": \"prismatic\", \"body_a\": \"a\", \"body_b\": "
        "\"b\", \"axis\": [1, 0, 0]}], \"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"joint\": \"B\", "
        "\"stiffness\": \"50*M\"}], \"simulation\": {\"t_end\": 1}}");
    for (size_t k = 0; k < LEN(unit); ++k) {
        char line[200];
        snprintf(line, sizeof line, "check sled.json --set L=%g --set M=%g", unit[k][0], unit[k][1]);
        tool_expect(line, 0, NULL);
        snprintf(line, sizeof line, "static sled.json --json --set L=%g --set M=%g", unit[k][0], unit[k][1]);
        json_t *doc = tool_json(line, 0);
        assert_true(json_is_true(json_object_get(doc, "stable")));
        json_decref(doc);
        snprintf(line, sizeof line, "modes sled.json --json --set L=%g --set M=%g", unit[k][0], unit[k][1]);
        doc = tool_json(line, 0);
        assert_string_equal(json_string_value(json_object_get(doc, "steady")), "steady");
        assert_near(6.283185307179586 * tool_number(doc, "highest_frequency"), sqrt(75.0), 1e-8);
        json_decref(doc);
    }
}

/* Two bodies on a rod, the velocity of one given: the least kinetic energy does not depend on coordinates and units. */
static void completed_velocities_do_not_depend_on_coordinates_or_units(void **state)
{
    static const char *const type[] = {"r3so3", "se3", "euler_parameters", "cardan"};
    double want = 0.0;
    for (int k = 0; k < 8; ++k) {
        char text[1200];
        const double L = k % 2 ? 1000.0 : 1.0;
        snprintf(
            text, sizeof text,
            "{\"dalembert\": 1, \"variables\": {\"L\": %g}, \"bodies\": [{\"name\": \"a\", \"type\": \"%s\", \"mass\": "
            "1, "
            "\"inertia\": \"0.01*L^2\", \"velocity\": [0, \"L\", 0]}, {\"name\": \"b\", \"type\": \"%s\", \"mass\": 1, "
            "\"inertia\": \"0.01*L^2\", \"position\": [0, \"L\", 0]}], \"joints\": [{\"name\": \"d\", \"type\": "
            "\"distance\", "
            "\"body_a\": \"a\", \"body_b\": \"b\", \"point_b\": [\"0.3*L\", \"L\", 0]}], \"outputs\": [\"energy\"], "
            "\"simulation\": {\"t_end\": 1e-6, \"h\": 1e-6}}",
            L, type[k / 2], type[k / 2]);
        tool_write("rod.json", text);
        json_t *doc = tool_json("run rod.json --json -q", 0);
        const double energy = tool_number(json_object_get(doc, "energy"), "initial") / (L * L);
        want = k == 0 ? energy : want;
        assert_near_rel(energy, want, 1e-9);
        json_decref(doc);
    }
    assert_near(want, 0.549554, 1e-6);
}

/* A velocity of zero that is given stays zero; given ones that contradict the joint are projected, and that is told. */
static void a_given_zero_is_given(void **state)
{
    static const char rod[] = "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1, "
                              "\"velocity\": [2, 0, 0]}, {\"name\": "
                              "\"b\", \"type\": \"point\", \"mass\": 1, \"position\": [1, 0, 0]%s}], \"joints\": "
                              "[{\"name\": \"d\", \"type\": \"distance\", "
                              "\"body_a\": \"a\", \"body_b\": \"b\"}], \"outputs\": [\"energy\"], \"simulation\": "
                              "{\"t_end\": 1e-3, \"h\": 1e-3}}";
    char text[600];
    snprintf(text, sizeof text, rod, "");
    tool_write("free.json", text);
    json_t *doc = tool_json("run free.json --json -q", 0);
    assert_near(tool_number(json_object_get(doc, "energy"), "initial"), 4.0, 1e-8); // b follows
    json_decref(doc);
    snprintf(text, sizeof text, rod, ", \"velocity\": [0, 0, 0]");
    tool_write("held.json", text);
    doc = tool_json("run held.json --json -q", 0);
    assert_near(tool_number(json_object_get(doc, "energy"), "initial"), 1.0, 1e-8); // both share
    json_decref(doc);
    tool_result r = tool("run held.json");
    assert_non_null(strstr(r.out, "initial       projected"));
    tool_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_do_not_show_in_the_motion),
        cmocka_unit_test(analyses_do_not_depend_on_units),
        cmocka_unit_test(completed_velocities_do_not_depend_on_coordinates_or_units),
        cmocka_unit_test(a_given_zero_is_given),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
