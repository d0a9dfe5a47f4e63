/* dalembert run: documents, summary, numbers, failures of the integration. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* The document is the one that docs/format/json.md describes. */
static void the_document_has_its_members_and_no_others(void **state)
{
    json_t *d = tool_json("run heavy_top --json --t-end 0.1", 0);
    tool_keys(
        d,
        "model options t_end steps rejected explicit_steps newton_iterations jacobians newton_modified linear_solver "
        "solver_fallbacks wall_s lambda_rounding warnings final bodies max_residual energy balance "
        "outputs");
    assert_string_equal(json_string_value(json_object_get(d, "model")), "heavy_top");
    tool_keys(json_object_get(d, "final"), "t q v lambda");
    tool_keys(json_object_get(d, "max_residual"), "position velocity");
    tool_keys(json_object_get(d, "energy"), "initial final max_drift");
    tool_keys(json_object_get(d, "balance"), "residual turned_over");
    assert_int_equal(json_array_size(json_object_get(json_object_get(d, "final"), "q")), 7);
    assert_int_equal(json_array_size(json_object_get(json_object_get(d, "final"), "v")), 6);
    assert_int_equal(json_array_size(json_object_get(json_object_get(d, "final"), "lambda")), 3);
    const char *name;
    json_t *body;
    json_object_foreach(json_object_get(d, "bodies"), name, body)
    {
        tool_keys(body, "x quat v omega");
        assert_int_equal(json_array_size(json_object_get(body, "x")), 3);
        assert_int_equal(json_array_size(json_object_get(body, "quat")), 4);
        assert_int_equal(json_array_size(json_object_get(body, "v")), 3);
        assert_int_equal(json_array_size(json_object_get(body, "omega")), 3);
    }
    const json_t *options = json_object_get(d, "options");
    assert_string_equal(json_string_value(json_object_get(options, "formulation")), "ggl");
    assert_true(json_is_boolean(json_object_get(options, "scaling")));
    assert_true(json_is_array(json_object_get(options, "projection_times")));
    assert_near(tool_number(d, "t_end"), 0.1, 0.0);
    assert_int_equal((int)tool_number(d, "steps"), 100);
    json_decref(d);
}

/* Position of the top at t = 1 and the force of its joint, from the reference solution of the benchmark. */
static void the_heavy_top_ends_where_it_should(void **state)
{
    static const double x[3] = {0.1730, 0.6382, -0.7502};
    json_t *d = tool_json("run heavy_top --json --h 5e-4", 0);
    const json_t *position = json_object_get(json_object_get(json_object_get(d, "bodies"), "top"), "x");
    for (size_t i = 0; i < 3; ++i) {
        assert_near(json_number_value(json_array_get(position, i)), x[i], 2e-3);
    }
    assert_near(tool_number(json_object_get(d, "max_residual"), "position"), 0.0, 1e-12);
    json_decref(d);
}

static void assignments_reach_options_and_the_end(void **state)
{
    json_t *d =
        tool_json("run pendulum --json --set rho_inf=0.5 --set sigma=opt --h 2e-3 --t-end 0.5 --set t_end=0.4", 0);
    const json_t *options = json_object_get(d, "options");
    assert_near(tool_number(options, "rho_inf"), 0.5, 0.0);
    assert_near(tool_number(options, "h"), 2e-3, 0.0);
    assert_string_equal(json_string_value(json_object_get(options, "sigma")), "opt");
    json_decref(d);
}

static void the_summary_is_on_stdout_and_quiet_is_quiet(void **state)
{
    tool_result r = tool("run pendulum");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "Newton"));
    assert_non_null(strstr(r.out, "times real time"));
    assert_non_null(strstr(r.out, "largest change"));
    assert_string_equal(r.err, "");
    tool_free(&r);
    r = tool("run pendulum --quiet");
    assert_string_equal(r.out, "");
    assert_string_equal(r.err, "");
    tool_free(&r);
}

/* Far too large a step for the spinning top: time, step, cause and remedy; what was computed stays. */
static void a_failed_integration_keeps_its_trajectory(void **state)
{
    tool_result r = tool("run heavy_top --set max_steps=10 -o failed");
    assert_int_equal(r.code, 4);
    assert_non_null(strstr(r.err, "integration failed at t = 0.01 s"));
    assert_non_null(strstr(r.err, "max_steps"));
    tool_free(&r);
    char *rows = tool_read("failed/state.csv");
    assert_non_null(rows);
    int lines = 0;
    for (const char *s = rows; *s; ++s) {
        lines += *s == '\n';
    }
    assert_int_equal(lines, 12); // header, start, 10 steps
    free(rows);
    json_t *d = tool_json("run heavy_top --set max_steps=10 --json", 4);
    assert_true(json_is_string(json_object_get(d, "error")));
    json_decref(d);
}

static void redundant_rows_are_named_with_the_remedy(void **state)
{
    tool_expect("run bricard --set redundant=error", 3, "drop or least_norm");
    json_t *a = tool_json("run bricard --set redundant=drop --json --t-end 0.5", 0);
    json_t *b = tool_json("run bricard --set redundant=least_norm --json --t-end 0.5", 0);
    const json_t *qa = json_object_get(json_object_get(a, "final"), "q");
    const json_t *qb = json_object_get(json_object_get(b, "final"), "q");
    assert_true(json_equal(qa, qb)); // one motion, other reactions
    json_decref(a);
    json_decref(b);
}

static void pictures_are_written(void **state)
{
    tool_expect("run pendulum -q --plot p.svg --plot-outputs energy,mass.x", 0, NULL);
    char *svg = tool_read("p.svg");
    assert_non_null(svg);
    assert_non_null(strstr(svg, "<svg"));
    assert_non_null(strstr(svg, "energy"));
    free(svg);
    assert_false(tool_exists("p.svg.part"));
    tool_expect("run pendulum -q --plot no/such/folder/p.svg", 5, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_has_its_members_and_no_others),
        cmocka_unit_test(the_heavy_top_ends_where_it_should),
        cmocka_unit_test(assignments_reach_options_and_the_end),
        cmocka_unit_test(the_summary_is_on_stdout_and_quiet_is_quiet),
        cmocka_unit_test(a_failed_integration_keeps_its_trajectory),
        cmocka_unit_test(redundant_rows_are_named_with_the_remedy),
        cmocka_unit_test(pictures_are_written),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
