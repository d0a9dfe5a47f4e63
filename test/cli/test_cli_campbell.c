/* dalembert campbell: modes over a parameter, tracked, with critical speeds and limits of stability. */
#include <math.h>
#include <stdlib.h>
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
    tool_keys(d, "model parameter values steady growth modes critical stability");
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

/* The diagram of the blade that the manual names: the table of its page, bending over the speed, and where orders meet it. */
static void the_blade_of_the_manual_has_its_diagram(void **state)
{
    static const double bending[3][3] = {{1.49, 9.19, 13.55}, {9.32, 23.84, 34.0}, {26.1, 44.55, 59.49}};
    static const size_t at[3] = {0, 10, 15};
    (void)state;
    json_t *d = tool_json("campbell rotating_blade --set rpm=0:750:16 --unit rpm --orders 1,2,3,4 --about steady -n 8 "
                          "--html blade.html "
                          "--plot blade.svg --json",
                          0),
           *mode;
    size_t i;
    int found = 0, begin = 0, end = 0;
    json_array_foreach(json_object_get(d, "modes"), i, mode)
    {
        const json_t *f = json_object_get(mode, "frequency");
        // bending leaves the eight lowest ones at 148 Hz, where a mode in the plane comes in: another line
        begin += json_is_null(json_array_get(f, 0)) && json_is_number(json_array_get(f, 15));
        end += json_is_number(json_array_get(f, 0)) && json_is_null(json_array_get(f, 15));
        for (int b = 0; b < 3; ++b) { // one line of the diagram for each
            int hits = 0;
            for (int k = 0; k < 3; ++k) {
                hits += fabs(json_number_value(json_array_get(f, at[k])) - bending[b][k]) < 0.006;
            }
            found += hits == 3;
        }
    }
    assert_int_equal(found, 3);
    assert_true(begin == 1 && end == 1);
    const json_t *critical = json_object_get(d, "critical");
    assert_int_equal(json_array_size(critical), 8);
    for (size_t k = 0; k < json_array_size(critical); ++k) {
        assert_near_rel(60.0 * entry(critical, k, "frequency"),
                        entry(critical, k, "order") * entry(critical, k, "value"), 1e-7);
    }
    json_decref(d);
    char *page = tool_read("blade.html");
    assert_non_null(page);
    assert_non_null(strstr(page, "rotating_blade"));
    assert_true(tool_exists("blade.svg"));
    free(page);
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

/* Models with known limits of stability. */
static const char osc[] =
    "{\"dalembert\": 1, \"name\": \"osc\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"m\", \"type\": "
    "\"point\", \"mass\": 2}], \"joints\": [{\"name\": \"rail\", \"type\": \"generic\", \"body_b\": \"m\", \"locked\": "
    "[\"x\", \"y\"]}], \"forces\": [{\"name\": \"s\", \"type\": \"cartesian\", \"body_b\": \"m\", \"stiffness\": [0, "
    "0, 800], \"damping\": [0, 0, \"c\"]}], \"variables\": {\"c\": 8}, \"outputs\": [\"m.position\", \"rail.force\"]}";
static const char crit[] =
    "{\"dalembert\": 1, \"name\": \"crit\", \"bodies\": [{\"name\": \"m\", \"type\": \"point\", \"mass\": 1}], "
    "\"joints\": [{\"name\": \"r\", \"type\": \"generic\", \"body_b\": \"m\", \"locked\": [\"x\", \"y\"]}], "
    "\"forces\": [{\"name\": \"k\", \"type\": \"cartesian\", \"body_b\": \"m\", \"stiffness\": [0, 0, \"k\"], "
    "\"damping\": [0, 0, 1]}], \"variables\": {\"k\": 1}}";
static const char invd[] =
    "{\"dalembert\": 1, \"name\": \"invd\", \"gravity\": [0, 0, -9.81], \"variables\": {\"k\": 3}, \"bodies\": "
    "[{\"name\": \"rod\", \"mass\": 1, \"inertia\": {\"rod\": 1, \"axis\": \"z\"}, \"position\": [0, 0, 0.5]}], "
    "\"joints\": [{\"name\": \"h\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": [0, "
    "1, 0]}], \"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"joint\": \"h\", \"stiffness\": \"k\", "
    "\"damping\": 0.05}], \"outputs\": [\"h.coordinate\"]}";
static const char inv[] =
    "{\"dalembert\": 1, \"name\": \"inv\", \"gravity\": [0, 0, -9.81], \"variables\": {\"k\": 3}, \"bodies\": "
    "[{\"name\": \"rod\", \"mass\": 1, \"inertia\": {\"rod\": 1, \"axis\": \"z\"}, \"position\": [0, 0, 0.5]}], "
    "\"joints\": [{\"name\": \"h\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": [0, "
    "1, 0]}], \"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"joint\": \"h\", \"stiffness\": \"k\"}, {\"name\": "
    "\"mot\", \"type\": \"actuator\", \"joint\": \"h\", \"function\": 0}], \"outputs\": [\"h.coordinate\"]}";
static const char hoop[] =
    "{\"dalembert\": 1, \"name\": \"hoop\", \"gravity\": [0, 0, -9.81], \"variables\": {\"Om\": 2}, \"bodies\": "
    "[{\"name\": \"hub\", \"mass\": 1, \"inertia\": [1, 1, 1], \"angular_velocity\": [0, 0, \"Om\"]}, {\"name\": "
    "\"bead\", \"type\": \"r3so3\", \"mass\": 1, \"inertia\": [1e-09, 1e-09, 1e-09], \"position\": [0, 0, -1], "
    "\"angular_velocity\": [0, 0, \"Om\"]}], \"joints\": [{\"name\": \"sp\", \"type\": \"revolute\", \"body_b\": "
    "\"hub\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"dr\", \"type\": \"motion\", \"joint\": \"sp\", "
    "\"function\": \"Om*t\"}, {\"name\": \"h\", \"type\": \"revolute\", \"body_a\": \"hub\", \"body_b\": \"bead\", "
    "\"point\": [0, 0, 0], \"axis\": [0, 1, 0]}]}";
static const char zieg[] =
    "{\"dalembert\": 1, \"name\": \"zieg\", \"variables\": {\"P\": 1, \"c\": 0.0}, \"bodies\": [{\"name\": \"a\", "
    "\"mass\": 2, \"inertia\": [1e-06, 1e-06, 1e-06], \"position\": [0, 0, 1]}, {\"name\": \"b\", \"mass\": 1, "
    "\"inertia\": [1e-06, 1e-06, 1e-06], \"position\": [0, 0, 2]}], \"joints\": [{\"name\": \"h1\", \"type\": "
    "\"revolute\", \"body_b\": \"a\", \"point\": [0, 0, 0], \"axis\": [0, 1, 0]}, {\"name\": \"h2\", \"type\": "
    "\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [0, 0, 1], \"axis\": [0, 1, 0]}], \"forces\": "
    "[{\"name\": \"k1\", \"type\": \"spring\", \"joint\": \"h1\", \"stiffness\": 1, \"damping\": \"c\"}, {\"name\": "
    "\"k2\", \"type\": \"spring\", \"joint\": \"h2\", \"stiffness\": 1, \"damping\": \"c\"}, {\"name\": \"F\", "
    "\"type\": \"force\", \"body\": \"b\", \"vector\": [0, 0, \"-P\"], \"follower\": true}]}";
static const char jeff[] =
    "{\"dalembert\": 1, \"name\": \"jeff\", \"variables\": {\"Om\": 50}, \"bodies\": [{\"name\": \"sh\", \"mass\": 1, "
    "\"inertia\": [1, 1, 1], \"angular_velocity\": [0, 0, \"Om\"]}, {\"name\": \"d\", \"mass\": 1, \"inertia\": [1, 1, "
    "1], \"angular_velocity\": [0, 0, \"Om\"]}], \"joints\": [{\"name\": \"r\", \"type\": \"revolute\", \"body_b\": "
    "\"sh\", \"point\": [0, 0, 0], \"axis\": [0, 0, 1]}, {\"name\": \"mo\", \"type\": \"motion\", \"joint\": \"r\", "
    "\"function\": \"Om*t\"}, {\"name\": \"l\", \"type\": \"generic\", \"body_a\": \"sh\", \"body_b\": \"d\", "
    "\"locked\": [\"z\", \"rx\", \"ry\", \"rz\"]}], \"forces\": [{\"name\": \"b\", \"type\": \"bushing\", \"body_a\": "
    "\"sh\", \"body_b\": \"d\", \"stiffness\": [10000.0, 10000.0, 0, 0, 0, 0], \"damping\": [2, 2, 0, 0, 0, 0]}, "
    "{\"name\": \"e\", \"type\": \"cartesian\", \"body_b\": \"d\", \"stiffness\": [0, 0, 0], \"damping\": [1, 1, 0]}]}";
static const char pid[] =
    "{\"dalembert\": 1, \"name\": \"pid\", \"variables\": {\"ki\": 1}, \"bodies\": [{\"name\": \"m\", \"type\": "
    "\"point\", \"mass\": 1}], \"joints\": [{\"name\": \"r\", \"type\": \"generic\", \"body_b\": \"m\", \"locked\": "
    "[\"x\", \"y\"]}], \"forces\": [{\"name\": \"c\", \"type\": \"pid\", \"body_b\": \"m\", \"coordinate\": "
    "\"translation_z\", \"stiffness\": 4, \"damping\": 1, \"integral\": \"ki\", \"function\": 0}]}";

/* A body that falls has no equilibrium. */
static const char falling[] =
    "{\"dalembert\": 1, \"name\": \"falling\", \"gravity\": [0, 0, -9.81], \"variables\": {\"m\": 1}, \"bodies\": "
    "[{\"name\": \"ball\", \"mass\": \"m\", \"inertia\": 1}]}";

/* The only limit of a model over a range. */
static void only_limit(const char *model, const char *range, double value, double frequency, double tolerance)
{
    char line[160];
    tool_write("limit.json", model);
    snprintf(line, sizeof line, "campbell limit.json --set %s --orders 0 --json", range);
    json_t *d = tool_json(line, 0);
    const json_t *limits = json_object_get(d, "stability");
    assert_int_equal(json_array_size(limits), 1);
    assert_near(entry(limits, 0, "value"), value, tolerance);
    assert_near(entry(limits, 0, "frequency"), frequency, 1e-4);
    json_decref(d);
}

/* c = 0; internal damping of a shaft: (1 + ce/ci) sqrt(k/m); Routh: ki = kp kd. */
static void a_limit_at_a_value_of_the_grid_is_found(void **state)
{
    only_limit(osc, "c=-8:8:9", 0.0, 3.18309886, 1e-12);
    only_limit(osc, "c=-8:8:8", 0.0, 3.18309886, 1e-12);
    only_limit(osc, "c=8:-8:9", 0.0, 3.18309886, 1e-12);
    only_limit(jeff, "Om=0:200:9", 150.0, 15.9154943, 1e-9);
    only_limit(pid, "ki=1:7:5", 4.0, 0.31830989, 1e-11);
    only_limit(crit, "k=-4:4:9", 0.0, 0.0, 1e-12);
}

/* Real roots meet and become a pair between two values; the limit is where one of them is zero: k = m g L/2. */
static void divergence_is_found_where_real_roots_meet(void **state)
{
    only_limit(crit, "k=-4:4:8", 0.0, 0.0, 1e-8);
    only_limit(invd, "k=1:9:9", 4.905, 0.0, 1e-8);
    only_limit(invd, "k=4:5.5:16", 4.905, 0.0, 1e-8);
    only_limit(invd, "k=9:1:9", 4.905, 0.0, 1e-8);
}

/* Bead on a turning hoop: sqrt(g/R); rod on a spring; follower force on a double pendulum: 7/2 - sqrt 2. */
static void stability_lost_without_damping_is_found(void **state)
{
    only_limit(hoop, "Om=1:5:10", sqrt(9.81), 0.0, 1e-7);
    only_limit(inv, "k=1:9:9", 4.905, 0.0, 1e-8);
    only_limit(zieg, "P=0.1:4:40", 3.5 - sqrt(2.0), 0.133833, 1e-5); // bodies have a little inertia of their own
}

static void growth_and_states_that_are_not_steady_are_told(void **state)
{
    tool_write("limit.json", osc);
    tool_result r = tool("campbell limit.json --set c=-8:8:2 --orders 0");
    const char *mark = strstr(r.out, "UNSTABLE");
    assert_non_null(strstr(r.out, "largest growth/(1/s)"));
    assert_non_null(mark);
    assert_null(strstr(mark + 1, "UNSTABLE"));
    assert_non_null(strstr(mark, " 2 decay\n"));
    assert_non_null(strstr(r.out, "neither an equilibrium nor a steady motion")); // the weight is not held
    tool_free(&r);
    json_t *d = tool_json("campbell limit.json --set c=-8:8:2 --about static --json", 0);
    assert_near(json_number_value(json_array_get(json_object_get(d, "growth"), 0)), 2.0, 1e-9);
    assert_near(json_number_value(json_array_get(json_object_get(d, "growth"), 1)), -2.0, 1e-9);
    assert_string_equal(json_string_value(json_array_get(json_object_get(d, "steady"), 0)), "rest");
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

/* Conical modes of a rotor: the frequency of the forward whirl rises with the speed, that of the backward whirl falls. Against the
 * spin it is the same. */
static void whirl_is_named(void **state)
{
    static const char *const range[] = {"spin=0:500:6", "spin=0:-500:6"};
    for (size_t k = 0; k < LEN(range); ++k) {
        char line[100];
        int seen = 0;
        snprintf(line, sizeof line, "campbell rotor --set %s --json", range[k]);
        json_t *d = tool_json(line, 0), *mode;
        size_t i;
        json_array_foreach(json_object_get(d, "modes"), i, mode)
        {
            const char *word = json_string_value(json_object_get(mode, "whirl"));
            const json_t *f = json_object_get(mode, "frequency");
            const double rise = json_number_value(json_array_get(f, 5)) - json_number_value(json_array_get(f, 1));
            const char *expected = rise > 1.0 ? "forward" : rise < -1.0 ? "backward" : "";
            assert_string_equal(word, expected);
            seen += word[0] != '\0';
        }
        assert_int_equal(seen, 2);
        json_decref(d);
    }
    tool_result r = tool("modes rotor --set spin=100");
    assert_non_null(strstr(r.out, "turning about z, backward whirl"));
    tool_free(&r);
}

static void a_page_has_the_diagram(void **state)
{
    tool_expect("campbell rotor --set spin=0:500:6 --html deep/c.html", 0, NULL);
    char *text = tool_read("deep/c.html");
    assert_non_null(text);
    assert_non_null(strstr(text, "\"charts\":[{\"title\":\"frequency\",\"x\":\"spin\""));
    assert_non_null(strstr(text, "\"labels\":[\"spin = 200: mode 1 at 31.830989 Hz meets order 1\""));
    free(text);
    tool_expect("campbell rotor --set spin=0:500:6 --html c.txt", 2, "must end in .html");
    tool_expect("campbell rotor --set spin=0:500:6 --html /dev/null/c.html", 5, "c.html");
}

static void a_failure_is_a_document_with_the_error(void **state)
{
    tool_write("falling.json", falling);
    json_t *d = tool_json("campbell falling.json --set m=1:2:2 --about static --json", 4);
    tool_keys(d, "model error");
    assert_non_null(strstr(json_string_value(json_object_get(d, "error")), "no equilibrium"));
    json_decref(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blade_of_the_manual_has_its_diagram),
        cmocka_unit_test(whirl_is_named),
        cmocka_unit_test(a_page_has_the_diagram),
        cmocka_unit_test(a_failure_is_a_document_with_the_error),
        cmocka_unit_test(critical_speeds_of_the_rotor_are_those_of_the_closed_form),
        cmocka_unit_test(modes_are_tracked_through_a_crossing),
        cmocka_unit_test(weave_and_capsize_speeds_are_limits_of_stability),
        cmocka_unit_test(a_limit_at_a_value_of_the_grid_is_found),
        cmocka_unit_test(divergence_is_found_where_real_roots_meet),
        cmocka_unit_test(stability_lost_without_damping_is_found),
        cmocka_unit_test(growth_and_states_that_are_not_steady_are_told),
        cmocka_unit_test(units_and_orders_move_the_lines),
        cmocka_unit_test(what_is_wrong_is_told),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
