/* dalembert campbell: modes over a parameter, tracked, with critical speeds and limits of stability. */
#include <math.h>
#include <string.h>

#include "cli/tool.h"

static double entry(const json_t *list, size_t k, const char *key)
{
    return tool_number(json_array_get(list, k), key);
}

/* Translations: sqrt(2 k/m); tilting: (Jt w^2 - Ky)(Jt w^2 - Kz) = Jp^2 w^4 where the speed is the frequency. */
static void critical_speeds_of_the_rotor_are_those_of_the_closed_form(void **state)
{
    json_t *d = tool_json("campbell rotor --set spin=0:500:51 --json --plot c.svg -o c.csv", 0);
    tool_keys(d, "model parameter values modes critical stability");
    const double a = 0.16 - 0.01, b = -0.4 * 62500, c = 25000.0 * 37500.0, r = sqrt(b * b - 4.0 * a * c);
    const double want[] = {200.0, sqrt((-b - r) / (2 * a)), sqrt(6e4), sqrt(8e4), sqrt((-b + r) / (2 * a))};
    const json_t *critical = json_object_get(d, "critical");
    assert_int_equal(json_array_size(critical), LEN(want));
    for (size_t k = 0; k < LEN(want); ++k) {
        assert_near_rel(entry(critical, k, "value"), want[k], 1e-10);
        assert_near_rel(entry(critical, k, "frequency"), want[k] / 6.283185307179586, 1e-10);
    }
    assert_int_equal(json_array_size(json_object_get(d, "stability")), 0);
    assert_true(tool_exists("c.svg") && tool_exists("c.csv"));
    json_decref(d);
    tool_expect("campbell rotor --set spin=0:500:3 -o c.h5", 0, NULL);
    assert_true(tool_exists("c.h5"));
}

/* Moving along z stays at 38.98 Hz; the backward whirl falls through it at 150 rad/s. */
static void modes_are_tracked_through_a_crossing(void **state)
{
    json_t *d = tool_json("campbell rotor --set spin=0:500:11 --json", 0), *mode;
    size_t i;
    int straight = 0, falling = 0;
    assert_int_equal(json_array_size(json_object_get(d, "modes")), 5);
    json_array_foreach(json_object_get(d, "modes"), i, mode)
    {
        const json_t *f = json_object_get(mode, "frequency");
        const double first = json_number_value(json_array_get(f, 0)), last = json_number_value(json_array_get(f, 10));
        straight += fabs(first - 38.984840061683812) < 1e-9 && fabs(last - first) < 1e-9;
        falling += fabs(first - 39.788735772973836) < 1e-9 && last < 35.0;
    }
    assert_int_equal(straight, 1);
    assert_int_equal(falling, 1);
    json_decref(d);
}

static void weave_and_capsize_speeds_are_limits_of_stability(void **state)
{
    json_t *d = tool_json("campbell bicycle --set v=3:7:9 --orders 0 --json", 0);
    const json_t *limits = json_object_get(d, "stability");
    assert_int_equal(json_array_size(limits), 2);
    assert_near(entry(limits, 0, "value"), 4.29238253634111, 1e-11);
    assert_near(entry(limits, 1, "value"), 6.02426201538837, 1e-10);
    assert_int_equal(json_array_size(json_object_get(d, "critical")), 0);
    json_decref(d);
}

static void units_and_orders_move_the_lines(void **state)
{
    json_t *d = tool_json("campbell rotor --set spin=0:500:26 --orders 2 --json", 0);
    assert_near_rel(entry(json_object_get(d, "critical"), 0, "value"), 100.0, 1e-10);
    json_decref(d);
}

static void what_is_wrong_is_told(void **state)
{
    tool_expect("campbell rotor", 2, "must be a range");
    tool_expect("campbell rotor --set spin=0:500", 2, "FROM:TO:N");
    tool_expect("campbell rotor --set spin=0:500:1", 2, "FROM:TO:N");
    tool_expect("campbell rotor --set spin=0:1:3 --set m=1:2:3", 2, "only one");
    tool_expect("campbell rotor --set spin=0:1:3 --unit mph", 2, "rpm");
    tool_expect("campbell rotor --set spn=0:1:3", 2, "spn");
    tool_expect("campbell rotor --set spin=0:1:3 --orders x", 2, "--orders");
    tool_expect("campbell rotor --set spin=0:1:3 -o /dev/null/y.csv", 5, "cannot write");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_speeds_of_the_rotor_are_those_of_the_closed_form),
        cmocka_unit_test(modes_are_tracked_through_a_crossing),
        cmocka_unit_test(weave_and_capsize_speeds_are_limits_of_stability),
        cmocka_unit_test(units_and_orders_move_the_lines),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
