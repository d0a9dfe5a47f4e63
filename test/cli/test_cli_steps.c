/* Step sizes as users see them: adaptive runs that must not go astray, cut steps, output at given times, warnings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"

/* With 8 stages the estimate of the local error divides by 16383: large differences must not pass for small errors. */
static void adaptive_lobatto_with_many_stages_keeps_the_energy(void **state)
{
    static const char *const options[] = {"--set stages=8", "--set stages=6 --set step_rtol=1e-3"};
    for (size_t i = 0; i < LEN(options); ++i) {
        char line[256];
        snprintf(
            line, sizeof line,
            "run flexible_slider_crank --json -q --set integrator=lobatto --set step=adaptive --t-end 0.02 --h 0.01 %s",
            options[i]);
        json_t *doc = tool_json(line, 0);
        assert_near(tool_number(json_object_get(doc, "energy"), "final"), 6.579, 0.001);
        json_decref(doc);
    }
}

static const char *const kicked = "{\"dalembert\":1,\"bodies\":[{\"name\":\"p\",\"type\":\"point\",\"mass\":1}],"
                                  "\"forces\":[{\"name\":\"f\",\"type\":\"force\",\"body\":\"p\",\"vector\":[100,0,0],"
                                  "\"function\":{\"type\":\"ramp\",\"from\":1,\"to\":0,\"start\":0.1,\"end\":0.11}}],"
                                  "\"simulation\":{\"t_end\":3,\"h\":0.001,\"step\":\"adaptive\"}}";

static void a_mass_is_left_alone_after_a_ramped_force(void **state)
{
    static const double rtol[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    tool_write("kick.json", kicked);
    for (size_t i = 0; i < LEN(rtol); ++i) {
        char line[128];
        snprintf(line, sizeof line, "run kick.json --json -q --set step_rtol=%g", rtol[i]);
        json_t *doc = tool_json(line, 0);
        const json_t *p = json_object_get(json_object_get(doc, "bodies"), "p");
        const double v = json_number_value(json_array_get(json_object_get(p, "v"), 0));
        assert_near(v, 10.5, 2.0 * rtol[i] * 10.5);
        json_decref(doc);
    }
}

/* First numbers of the rows of a table. */
static int times_of(const char *path, double *t, int most)
{
    char *text = tool_read(path);
    assert_non_null(text);
    int n = 0;
    for (char *line = strchr(text, '\n'); line != NULL && line[1] != '\0' && n < most; line = strchr(line + 1, '\n')) {
        t[n++] = strtod(line + 1, NULL);
    }
    free(text);
    return n;
}

static void rows_come_at_the_times_asked_for(void **state)
{
    double t[64] = {0.0};
    tool_expect("run heavy_top -q -o every --t-end 0.1 --output-every 0.005 --set step=adaptive", 0, NULL);
    assert_int_equal(times_of("every/state.csv", t, 64), 21);
    assert_near(t[13], 13 * 0.005, 1e-15);
    tool_write("times.txt", "0.0, 0.0123 # first\n0.05\t0.0999\n");
    tool_expect("run heavy_top -q -o at --t-end 0.1 --output-at times.txt --set integrator=lobatto", 0, NULL);
    assert_int_equal(times_of("at/outputs.csv", t, 64), 4);
    assert_near(t[1], 0.0123, 0.0);
    tool_write("times.txt", "0.1\n0.05\n");
    tool_expect("run heavy_top -q --output-at times.txt", 2, "line 2: the times must increase");
    tool_expect("run heavy_top -q --output-at missing.txt", 5, "missing.txt");
    tool_expect("run heavy_top -q --output-every 0", 2, "positive number of seconds");
    tool_expect("run heavy_top -q --output-every 0.1 --every 2", 2, "exclude each other");
}

static void a_long_chain_gets_past_a_step_that_fails(void **state)
{
    json_t *doc =
        tool_json("run chain --json -q --set N=60 --t-end 1.3 --set formulation=index3 --set step=fixed_or_cut", 0);
    assert_true(tool_number(doc, "rejected") > 0.0);
    assert_near(tool_number(json_object_get(doc, "final"), "t"), 1.3, 0.0);
    json_decref(doc);
}

static void steps_too_small_for_double_precision_are_told(void **state)
{
    json_t *doc = tool_json("run heavy_top --json -q --h 1e-5 --t-end 0.002 --set formulation=index3", 0);
    assert_int_equal(json_array_size(json_object_get(doc, "warnings")), 1);
    assert_true(tool_number(doc, "lambda_rounding") > 1e-7);
    json_decref(doc);
    doc = tool_json("run heavy_top --json -q --t-end 0.01", 0);
    assert_int_equal(json_array_size(json_object_get(doc, "warnings")), 0);
    json_decref(doc);
    tool_result r = tool("run heavy_top --h 1e-5 --t-end 0.002 --set formulation=index3");
    assert_non_null(strstr(r.out, "  warning       steps are below what double precision allows"));
    tool_free(&r);
}

/* A length driven to zero has no direction: perturbed starting values must not make 9e13 J of that. */
static void a_singular_start_is_not_blown_up(void **state)
{
    tool_write(
        "length.json",
        "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 0.1, "
        "\"position\": [0.137, 0.21, 0.39], \"rotation\": {\"vector\": [0.3, 0.7, -0.2]}, \"velocity\": [1, 2, 0.5], "
        "\"angular_velocity\": [1, 2, 3]}], \"joints\": [{\"name\": \"m\", \"type\": \"motion\", \"body_b\": \"b\", "
        "\"coordinate\": \"length\", \"frame_a\": [0.2, 0.1, 0.3], \"frame_b\": [0.11, 0.23, 0.37], \"function\": 0}], "
        "\"simulation\": {\"t_end\": 0.01, \"h\": 0.001}}");
    tool_result r = tool("run length.json --json -q --set step=adaptive");
    json_t *doc = json_loads(r.out, 0, NULL);
    assert_true(r.code != 0);
    if (doc != NULL) {
        assert_true(tool_number(json_object_get(doc, "energy"), "initial") < 10.0);
    }
    json_decref(doc);
    tool_free(&r);
}

/* Springs of 8e5 N/m at h = 2 ms are beyond Lobatto's limit of stability: cutting steps where they fail does not help. */
static void lobatto_with_stiff_springs_is_not_sent_to_cut_steps(void **state)
{
    tool_result r = tool("run flyball_governor -q --set integrator=lobatto --t-end 2");
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "step = adaptive"));
    assert_non_null(strstr(r.err, "integrator = genalpha"));
    assert_null(strstr(r.err, "fixed_or_cut"));
    tool_free(&r);
}

/* Such a run goes on with any energy: it must say so. */
static void cut_steps_of_lobatto_are_a_warning(void **state)
{
    json_t *doc =
        tool_json("run flyball_governor --json -q --set integrator=lobatto --set step=fixed_or_cut --t-end 0.1", 4);
    const char *text = json_string_value(json_array_get(json_object_get(doc, "warnings"), 0));
    assert_true(tool_number(doc, "rejected") > 0.0);
    assert_non_null(text);
    assert_non_null(strstr(text, "beyond the limit of stability"));
    json_decref(doc);
    doc = tool_json("run chain --json -q --set N=60 --t-end 1.3 --set formulation=index3 --set step=fixed_or_cut", 0);
    assert_true(tool_number(doc, "rejected") > 0.0);
    assert_int_equal(json_array_size(json_object_get(doc, "warnings")), 0);
    json_decref(doc);
}

/* The governor is stiff, the top is not. */
static void the_automatic_choice_says_whose_steps_were_taken(void **state)
{
    tool_result r = tool("run flyball_governor --set integrator=auto --t-end 0.2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "auto: explicit Runge-Kutta, order 8; generalized-alpha in "));
    tool_free(&r);
    r = tool("run heavy_top --set integrator=auto --t-end 0.2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "auto: explicit Runge-Kutta, order 8\n"));
    tool_free(&r);
    json_t *doc = tool_json("run flyball_governor --json -q --set integrator=auto --t-end 0.2", 0);
    const double all = tool_number(doc, "steps"), own = tool_number(doc, "explicit_steps");
    assert_true(own >= 15.0 && own < all);
    assert_int_equal(json_array_size(json_object_get(doc, "warnings")), 0);
    json_decref(doc);
    tool_expect("run heavy_top --set integrator=auto --set step=fixed", 2, "set step = adaptive");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_lobatto_with_many_stages_keeps_the_energy),
        cmocka_unit_test(a_mass_is_left_alone_after_a_ramped_force),
        cmocka_unit_test(rows_come_at_the_times_asked_for),
        cmocka_unit_test(a_long_chain_gets_past_a_step_that_fails),
        cmocka_unit_test(steps_too_small_for_double_precision_are_told),
        cmocka_unit_test(a_singular_start_is_not_blown_up),
        cmocka_unit_test(lobatto_with_stiff_springs_is_not_sent_to_cut_steps),
        cmocka_unit_test(cut_steps_of_lobatto_are_a_warning),
        cmocka_unit_test(the_automatic_choice_says_whose_steps_were_taken),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
