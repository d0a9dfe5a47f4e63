/* Constraints that depend on each other: always, only where the run starts, or in contradiction. */
#include <stdio.h>
#include <string.h>

#include "tool.h"

static const char *const policies[] = {"drop", "least_norm"};

static void expect(const char *arguments, int code, const char *err)
{
    for (size_t k = 0; k < LEN(policies); ++k) {
        char line[256];
        snprintf(line, sizeof line, "run %s -q --set redundant=%s", arguments, policies[k]);
        tool_expect(line, code, err);
    }
}

/* A four-bar linkage that starts stretched out: joint C depends on the others there and nowhere else. */
static void a_row_that_depends_on_others_only_at_the_start_ends_the_run(void **state)
{
    tool_write(
        "flat.json",
        "{\"dalembert\": 1, \"name\": \"flat\", \"gravity\": [0, -9.81], \"bodies\": ["
        "{\"name\": \"crank\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.02, \"position\": [0.25, 0], "
        "\"velocity\": [0, 0.5], \"angular_velocity\": 2}, "
        "{\"name\": \"coupler\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.08, \"position\": [1, 0], "
        "\"velocity\": [0, 1]}, "
        "{\"name\": \"rocker\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.02, \"position\": [1.25, 0], "
        "\"velocity\": [0, 0.5], \"angular_velocity\": 2}], \"joints\": ["
        "{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"crank\", \"point\": [0, 0]}, "
        "{\"name\": \"B\", \"type\": \"planar_revolute\", \"body_a\": \"crank\", \"body_b\": \"coupler\", \"point\": "
        "[0.5, 0]}, "
        "{\"name\": \"C\", \"type\": \"planar_revolute\", \"body_a\": \"coupler\", \"body_b\": \"rocker\", \"point\": "
        "[1.5, 0]}, "
        "{\"name\": \"D\", \"type\": \"planar_revolute\", \"body_b\": \"rocker\", \"point\": [1, 0]}], "
        "\"simulation\": {\"t_end\": 0.5, \"h\": 0.001}}");
    expect("flat.json", 4, "joint 'C': point x was left out because it depended on others, but only in a singular");
    expect("flat.json --set integrator=lobatto", 4, "start beside it");
    expect("flat.json --set redundant_tol=0", 4, "at t = 0.004 it is off by");
}

/* Points on a line that is pinned at both ends and taut: as it sags, the gap at the end grows like the square of the sag.
 * The run goes on with a warning, and the summary has the gap; with a smaller tolerance it ends. */
static void a_line_that_starts_taut_is_told_and_goes_on(void **state)
{
    tool_write(
        "taut.json",
        "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"repeat\": \"i\", \"to\": 4, \"items\": "
        "[{\"name\": "
        "\"p{i}\", \"type\": \"point\", \"mass\": 0.01, \"position\": [\"0.1*i\", 0, 0]}]}], \"joints\": [{\"repeat\": "
        "\"i\", \"to\": 3, \"items\": [{\"name\": \"rod{i}\", \"type\": \"distance\", \"body_a\": \"p{i}\", "
        "\"body_b\": "
        "\"p{i + 1}\"}]}, {\"name\": \"left\", \"type\": \"spherical\", \"body_b\": \"p1\"}, {\"name\": \"right\", "
        "\"type\": \"spherical\", \"body_b\": \"p4\"}], \"simulation\": {\"t_end\": 0.05, \"h\": 0.001}}");
    json_t *d = tool_json("run taut.json -q --json --set redundant=drop", 0);
    const double gap = tool_number(json_object_get(d, "max_residual"), "position");
    // two rods turn by g t^2/2 over their length: the end moves by the square of it, times the length
    const double sag = 0.5 * 9.81 * 0.05 * 0.05;
    assert_near_rel(gap, sag * sag / 0.1, 0.05);
    const json_t *told = json_array_get(json_object_get(d, "warnings"), 0);
    assert_true(json_is_string(told) && strstr(json_string_value(told), "was left out") != NULL);
    json_decref(d);
    tool_result r = tool("run taut.json --set redundant=drop");
    assert_non_null(strstr(r.out, "  warning       joint "));
    tool_free(&r);
    tool_expect("run taut.json -q --set redundant=drop", 0, "until it is off by redundant_tol = 0.01");
    expect("taut.json --set redundant_tol=1e-4", 4, "start beside it");
}

/* Rows of velocities whose dependence ends as time goes on. */
static void a_rank_that_grows_with_time_is_seen_at_the_start(void **state)
{
    tool_write("rank.json", "{\"dalembert\": 1, \"name\": \"rank\", \"gravity\": [-1.6, -0.5, -2.5], \"bodies\": ["
                            "{\"name\": \"b\", \"type\": \"point\", \"mass\": 1, \"position\": [0.14, -0.44, 0.8], "
                            "\"velocity\": [-1.2, -4.8, 1.8]}], \"joints\": [{\"name\": \"j\", \"type\": \"pfaffian\", "
                            "\"bodies\": [\"b\"], \"rows\": [[\"sin(t)\", \"sin(t)\", 0.5, 0, 0, 0], [0, 0, 1, 0, 0, "
                            "0]]}], \"simulation\": {\"t_end\": 1, \"h\": 0.001, \"formulation\": \"index2\"}}");
    expect("rank.json", 3, "joint 'j': row 1 was left out");
}

/* A rod on a hinge with two motions, each a polynomial of time. */
static void write_motions(const char *first, const char *second)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"dalembert\": 1, \"name\": \"motions\", \"gravity\": [0, -9.81], \"bodies\": [{\"name\": \"rod\", "
             "\"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0.5, 0]}], \"joints\": ["
             "{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"rod\", \"point\": [0, 0]}, "
             "{\"name\": \"m1\", \"type\": \"motion\", \"joint\": \"A\", \"coordinate\": \"rotation_z\", "
             "\"function\": {\"type\": \"polynomial\", \"coefficients\": [%s]}}, "
             "{\"name\": \"m2\", \"type\": \"motion\", \"joint\": \"A\", \"coordinate\": \"rotation_z\", "
             "\"function\": {\"type\": \"polynomial\", \"coefficients\": [%s]}}], "
             "\"simulation\": {\"t_end\": 0.5, \"h\": 0.001}}",
             first, second);
    tool_write("motions.json", text);
}

static void motions_that_contradict_each_other_are_refused_by_name(void **state)
{
    write_motions("0, 1", "0, 2");
    expect(
        "motions.json", 3,
        "joint 'm2': angle z contradicts the constraints it depends on (joint 'm1': angle z): at t = 0 it is off by 1 "
        "in velocity");
    write_motions("0, 1, 1", "0, 1, 3");
    expect("motions.json", 3, "it is off by 4 in acceleration");
    write_motions("0.2, 1", "0, 1");
    expect("motions.json", 3, "cannot be closed");
}

static void a_contradiction_that_comes_later_ends_the_run_there(void **state)
{
    write_motions("0, 1, 1", "0, 1, 1, 0, 0, 0.5");
    expect("motions.json", 4, "contradicts the constraints it depends on (joint 'm1': angle z): at t = 0.0");
    expect("motions.json --set formulation=index2", 4, "contradicts the constraints");
    expect("motions.json --set formulation=ggl", 4, "contradicts the constraints");
    expect("motions.json --set integrator=lobatto", 4, "contradicts the constraints");
}

/* Differences too small to matter are reported all the same. */
static void the_residual_is_that_of_all_rows(void **state)
{
    write_motions("0, 1, 1", "0, 1, 1, 1e-10");
    for (size_t k = 0; k < LEN(policies); ++k) {
        char line[160];
        snprintf(line, sizeof line, "run motions.json -q --json --set redundant=%s", policies[k]);
        json_t *out = tool_json(line, 0);
        assert_near(tool_number(json_object_get(out, "max_residual"), "position"), 1.25e-11, 1e-15);
        json_decref(out);
    }
    write_motions("0, 1, 1", "0, 1, 1");
    json_t *out = tool_json("run motions.json -q --json --set redundant=drop", 0);
    assert_true(tool_number(json_object_get(out, "max_residual"), "position") < 1e-15);
    json_decref(out);
}

/* Redundancy proper passes: Bricard's mechanism to its end, with every integrator. */
static void rows_that_always_depend_on_others_do_no_harm(void **state)
{
    expect("bricard -t 2", 0, NULL);
    expect("bricard -t 2 --set formulation=ggl", 0, NULL);
    expect("bricard -t 2 --set formulation=index2 --set projection=plain --set projection_every=1 --set "
           "project_position=yes",
           0, NULL);
    expect("bricard -t 1 --set integrator=lobatto", 0, NULL);
    expect("bricard -t 2 --set step=adaptive --set newton=modified", 0, NULL);
}

/* Off its constraints Bricard's mechanism is no mechanism: the row left out shows how far the others have drifted. */
static void drift_is_told_from_contradiction(void **state)
{
    expect("bricard -t 2 --set formulation=index2", 4, "their drift has opened it by");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_depends_on_others_only_at_the_start_ends_the_run),
        cmocka_unit_test(a_line_that_starts_taut_is_told_and_goes_on),
        cmocka_unit_test(a_rank_that_grows_with_time_is_seen_at_the_start),
        cmocka_unit_test(motions_that_contradict_each_other_are_refused_by_name),
        cmocka_unit_test(a_contradiction_that_comes_later_ends_the_run_there),
        cmocka_unit_test(the_residual_is_that_of_all_rows),
        cmocka_unit_test(rows_that_always_depend_on_others_do_no_harm),
        cmocka_unit_test(drift_is_told_from_contradiction),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
