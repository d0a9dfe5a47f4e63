/* States of first order in analyses: one state, one eigenvalue, no freedom. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* A mass on a spring whose force comes through a filter: tau s^3 + s^2 + k/m = 0. `idle` has no part in it; the third state is in
 * other units, by 1e12. */
static void write_models(void)
{
    static const char *const head =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"m\", \"type\": \"point\", \"mass\": 1}], \"joints\": [{\"name\": "
        "\"rail\", \"type\": \"generic\", \"body_b\": \"m\", \"locked\": [\"y\", \"z\"]}], \"forces\": [";
    char text[2000];
    snprintf(
        text, sizeof text,
        "%s{\"name\": \"k\", \"type\": \"law\", \"body_b\": \"m\", \"coordinate\": \"translation_x\", \"value\": "
        "\"-100*s\", \"inputs\": {\"s\": \"filter.state\"}}, {\"name\": \"filter\", \"type\": \"state\", \"value\": "
        "\"(x - s)/0.1\", \"inputs\": {\"x\": \"m.position.x\", \"s\": \"filter.state\"}}], "
        "\"outputs\": [\"filter.state\"]}",
        head);
    tool_write("filter.json", text);
    snprintf(text, sizeof text,
             "%s{\"name\": \"k\", \"type\": \"law\", \"body_b\": \"m\", \"coordinate\": \"translation_x\", \"value\": "
             "\"-100*x + 1e-9*p\", \"inputs\": {\"x\": \"m.position.x\", \"p\": \"oil.state\"}}, {\"name\": \"idle\", "
             "\"type\": \"state\", \"initial\": 3, \"value\": \"30 - 10*s\", \"inputs\": {\"s\": \"idle.state\"}}, "
             "{\"name\": \"oil\", \"type\": \"state\", \"value\": \"-p - 1e12*v\", \"inputs\": {\"p\": \"oil.state\", "
             "\"v\": \"m.velocity.x\"}}]}",
             head);
    tool_write("oil.json", text);
}

/* |p(s)| of p = s^3 + a s^2 + b s + c, relative to its terms */
static double root_error(const json_t *e, double a, double b, double c)
{
    const double x = tool_number(e, "re"), y = tool_number(e, "im"), x2 = x * x - y * y, y2 = 2.0 * x * y;
    const double x3 = x2 * x - y2 * y, y3 = x2 * y + y2 * x;
    return hypot(x3 + a * x2 + b * x + c, y3 + a * y2 + b * y) / (fabs(c) + fabs(b) * hypot(x, y) + hypot(x3, y3));
}

static double shares(const json_t *e)
{
    const char *key;
    json_t *x;
    double sum = tool_number(json_object_get(json_object_get(e, "bodies"), "m"), "share");
    json_object_foreach(json_object_get(e, "states"), key, x)
    {
        sum += json_number_value(x);
    }
    return sum;
}

static void a_state_has_one_eigenvalue_and_is_no_freedom(void **state)
{
    write_models();
    json_t *d = tool_json("modes filter.json --json", 0);
    const json_t *list = json_object_get(d, "eigenvalues");
    assert_int_equal((int)tool_number(d, "freedoms"), 1);
    assert_int_equal((int)tool_number(d, "velocity_freedoms"), 1);
    assert_int_equal((int)tool_number(d, "states"), 1);
    assert_int_equal((int)tool_number(d, "rigid"), 0);
    assert_int_equal(json_array_size(list), 2); // a pair and a real one
    for (size_t k = 0; k < 2; ++k) {
        assert_near(root_error(json_array_get(list, k), 10.0, 0.0, 1000.0), 0.0, 1e-13);
        assert_near(shares(json_array_get(list, k)), 1.0, 1e-13);
    }
    json_decref(d);
}

static void units_of_a_state_do_not_matter(void **state)
{
    write_models();
    json_t *d = tool_json("modes oil.json --json", 0);
    const json_t *list = json_object_get(d, "eigenvalues");
    assert_string_equal(json_string_value(json_object_get(d, "steady")), "rest"); // its value is 3, and stays
    assert_int_equal((int)tool_number(d, "rigid"), 0);
    assert_int_equal(json_array_size(list), 3);
    for (size_t k = 0; k < 3; ++k) { // (s + 1)(s^2 + 100) + 1000 s = 0, and s = -10
        const json_t *e = json_array_get(list, k);
        const double idle = tool_number(json_object_get(e, "states"), "idle.state");
        assert_near(idle == 1.0 ? tool_number(e, "re") + 10.0 : root_error(e, 1.0, 1100.0, 100.0), 0.0, 1e-12);
        assert_near(shares(e), 1.0, 1e-13);
        assert_true((strstr(json_string_value(json_object_get(e, "shape")), "idle.state") != NULL) == (idle == 1.0));
    }
    json_decref(d);
}

static void the_linear_model_has_it_once(void **state)
{
    write_models();
    json_t *d = tool_json("linearize filter.json --outputs filter.state --json", 0);
    const json_t *A = json_object_get(d, "A"), *E = json_object_get(json_object_get(d, "descriptor"), "E");
    assert_int_equal((int)tool_number(d, "states"), 3);
    assert_int_equal((int)tool_number(d, "positions"), 1);
    double trace = 0.0;
    for (size_t i = 0; i < 3; ++i) {
        trace += json_number_value(json_array_get(json_array_get(A, i), i));
    }
    assert_near(trace, -10.0, 1e-12);
    assert_int_equal(json_array_size(json_object_get(E, "value")), 7); // 3 + 4 velocities: none for the coordinate
    json_decref(d);
    tool_result r = tool("linearize filter.json");
    assert_non_null(strstr(r.out, "3 states, 1 of positions and 1 of velocities and 1 of first order"));
    tool_free(&r);
}

static void check_counts_it_apart(void **state)
{
    write_models();
    json_t *d = tool_json("check oil.json --json", 0);
    assert_int_equal((int)tool_number(d, "dof"), 1);
    assert_int_equal((int)tool_number(d, "states"), 2);
    json_decref(d);
    tool_result r = tool("check oil.json");
    assert_non_null(strstr(r.out, "states        2 of first order"));
    tool_free(&r);
}

static void a_driven_motion_does_not_ask_for_a_drive_on_it(void **state)
{
    write_models();
    tool_expect("inverse filter.json --motion m.x=sin(t) --times 0:1:3", 3, "states of first order (filter.state)");
    tool_expect("kinematics filter.json --drive m.x=0:1:3", 3, "which only a run follows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_has_one_eigenvalue_and_is_no_freedom),
        cmocka_unit_test(units_of_a_state_do_not_matter),
        cmocka_unit_test(the_linear_model_has_it_once),
        cmocka_unit_test(check_counts_it_apart),
        cmocka_unit_test(a_driven_motion_does_not_ask_for_a_drive_on_it),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
