/* Derivatives where forces have kinks: the mean of those on both sides, and said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* A mass on a rail with a spring of 100 N/m at x = 0, and one more force. */
static void write_rail(const char *force)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"dalembert\": 1, \"functions\": {\"bump\": {\"type\": \"table\", \"x\": [-1, 0, 1], \"y\": [-10, 0, 40], "
        "\"interpolation\": \"linear\"}, \"late\": {\"type\": \"ramp\", \"from\": 0, \"to\": 60, \"start\": 0, "
        "\"end\": 1}}, \"bodies\": [{\"name\": \"m\", \"type\": \"point\", \"mass\": 1}], \"joints\": [{\"name\": "
        "\"rail\", \"type\": \"generic\", \"body_b\": \"m\", \"locked\": [\"y\", \"z\"]}], \"forces\": [{\"name\": "
        "\"spring\", \"type\": \"spring\", \"body_b\": \"m\", \"coordinate\": \"translation_x\", \"stiffness\": "
        "100}, {\"name\": \"extra\", \"body_b\": \"m\", \"coordinate\": \"translation_x\", %s}]}",
        force);
    tool_write("rail.json", text);
}

#define LAW(value, inputs) "\"type\": \"law\", \"value\": \"" value "\", \"inputs\": {" inputs "}"
#define V "\"v\": \"m.velocity.x\""
#define X "\"x\": \"m.position.x\""

/* m s^2 + c s + k = 0, with the mean slopes c and k */
static void slopes_are_means(void **state)
{
    static const struct {
        const char *force;
        double c, k;
        int kink;
    } list[] = {
        {LAW("-2*min(0, v) - 2*max(0, v)", V), 2.0, 100.0, 1},
        {LAW("-4*max(0, v)", V), 2.0, 100.0, 1},
        {LAW("-3*max(v, 2*v) - 3*min(v, 2*v)", V), 9.0, 100.0, 1},
        {LAW("-4*max(0, max(0, v))", V), 2.0, 100.0, 1}, // kinks of kinks
        {LAW("-4*abs(max(0, v))", V), 2.0, 100.0, 1},
        {LAW("-(3 + sign(v))*v", V), 3.0, 100.0, 1},
        {LAW("-abs(x)*10", X), 0.0, 100.0, 1},
        {LAW("-80*max(0, x) - 3*max(0, x)*v", X ", " V), 0.0, 140.0, 1},
        {LAW("-5*v*abs(v) - 7*v", V), 7.0, 100.0, 0}, // smooth enough
        {LAW("-5*v*sqrt(abs(v)) - 7*v", V), 7.0, 100.0, 0},
        {LAW("-20*x - 1e6*x^3", X), 0.0, 120.0, 0},
        {LAW("-v*floor(3.5 + v)", V), 3.0, 100.0, 0}, // its jumps are elsewhere
        {"\"type\": \"spring\", \"characteristic\": \"bump\"", 0.0, 125.0, 1},
        {"\"type\": \"spring\", \"characteristic\": \"late\"", 0.0, 130.0, 1},
        {"\"type\": \"spring\", \"characteristic\": \"50*max(0, x)\"", 0.0, 125.0, 1},
        {"\"type\": \"spring\", \"characteristic\": \"50*x + 9*x*abs(x)\"", 0.0, 150.0, 0},
    };
    for (size_t i = 0; i < LEN(list); ++i) {
        write_rail(list[i].force);
        json_t *d = tool_json("modes rail.json --json", 0);
        const json_t *e = json_array_get(json_object_get(d, "eigenvalues"), 0), *w = json_object_get(d, "warnings");
        const double re = -0.5 * list[i].c, im = sqrt(list[i].k - 0.25 * list[i].c * list[i].c);
        assert_near(tool_number(e, "re"), re, 1e-9);
        assert_near(tool_number(e, "im"), im, 1e-9);
        assert_int_equal(json_array_size(w), list[i].kink);
        assert_true(!list[i].kink || strstr(json_string_value(json_array_get(w, 0)), "force 'extra' has a kink"));
        json_decref(d);
    }
}

/* A stop that the weight rests on: the equilibrium is where it begins, up to rounding. */
static void an_equilibrium_at_a_kink_is_told(void **state)
{
    write_rail("\"type\": \"law\", \"value\": \"60 + 80*min(0, 0.6 - x)\", \"inputs\": {" X "}");
    json_t *d = tool_json("static rail.json --json", 0);
    assert_int_equal(json_array_size(json_object_get(d, "warnings")), 1);
    const json_t *softest = json_array_get(json_object_get(d, "softest"), 0);
    assert_near(tool_number(softest, "stiffness"), 140.0, 1e-9);
    json_decref(d);
    d = tool_json("modes rail.json --about static --json", 0);
    assert_near(tool_number(json_array_get(json_object_get(d, "eigenvalues"), 0), "im"), sqrt(140.0), 1e-9);
    json_decref(d);
    d = tool_json("linearize rail.json --about static --json", 0);
    assert_int_equal(json_array_size(json_object_get(d, "warnings")), 1);
    json_decref(d);
}

static void a_jump_is_told(void **state)
{
    write_rail(LAW("-4*sign(v) - 2*v", V));
    tool_expect("modes rail.json", 0, "warning: force 'extra' jumps at this state");
    write_rail(LAW("-4*floor(x) - 2*v", X ", " V));
    tool_expect("linearize rail.json", 0, "warning: force 'extra' jumps at this state");
    tool_write("state.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"m\", \"type\": \"point\", \"mass\": 1}], \"forces\": "
               "[{\"name\": \"s\", \"type\": \"state\", \"value\": \"-2*s - abs(s)\", \"inputs\": {\"s\": "
               "\"s.state\"}}]}");
    tool_expect("modes state.json", 0, "warning: force 's' has a kink at this state");
}

/* A sampled controller of stiffness 300 on a mass with a spring of 100 N/m: modes are those of the spring, and it is said. */
static void sampled_inputs_are_said_to_be_held(void **state)
{
    static const char *const commands[] = {"modes sampled.json --json",
                                           "linearize sampled.json --inputs u --outputs b.position.x --json"};
    tool_write(
        "sampled.json",
        "{\"dalembert\": 1, \"inputs\": {\"u\": 0}, \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": 1}],"
        " \"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_b\": \"b\", \"coordinate\": \"translation_x\","
        " \"stiffness\": 100}, {\"name\": \"p\", \"type\": \"law\", \"body_b\": \"b\", \"coordinate\":"
        " \"translation_x\", \"value\": \"u\"}], \"outputs\": [\"b.position.x\"],"
        " \"events\": [{\"name\": \"servo\", \"every\": 0.01, \"set\": {\"u\": \"-300*b.position.x\"}}]}");
    for (size_t k = 0; k < LEN(commands); ++k) {
        json_t *d = tool_json(commands[k], 0);
        const json_t *w = json_object_get(d, "warnings");
        assert_int_equal(json_array_size(w), 1);
        assert_non_null(strstr(json_string_value(json_array_get(w, 0)), "event 'servo' samples every 0.01 s"));
        json_decref(d);
    }
    tool_expect("modes sampled.json", 0, "held as constants");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_means),
        cmocka_unit_test(an_equilibrium_at_a_kink_is_told),
        cmocka_unit_test(a_jump_is_told),
        cmocka_unit_test(sampled_inputs_are_said_to_be_held),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
