/* dalembert study: orders, references, failures that are marked. */
#include <math.h>
#include <string.h>

#include "cli/tool.h"

static const json_t *row(const json_t *d, size_t i)
{
    return json_array_get(json_object_get(d, "rows"), i);
}

static double order(const json_t *d, size_t i, const char *of)
{
    return tool_number(json_object_get(row(d, i), "order"), of);
}

static void the_document_has_its_members_and_shows_the_orders(void **state)
{
    json_t *d = tool_json("study heavy_top --h 2e-3,1e-3,5e-4 --t-end 0.2 --methods index3,ggl,lobatto3 --json", 0);
    tool_keys(d, "model reference rows");
    assert_int_equal(json_array_size(json_object_get(d, "rows")), 9);
    for (size_t i = 0; i < 9; ++i) {
        tool_keys(row(d, i), "method h steps failed error order newton_per_step jacobians us_per_step");
        tool_keys(json_object_get(row(d, i), "error"), "q v lambda");
        tool_keys(json_object_get(row(d, i), "order"), "q v lambda");
        assert_true(json_is_false(json_object_get(row(d, i), "failed")));
        assert_int_equal((int)tool_number(row(d, i), "steps"), (int)lround(0.2 / tool_number(row(d, i), "h")));
    }
    assert_true(json_is_null(json_object_get(json_object_get(row(d, 0), "order"), "q")));
    assert_near(order(d, 2, "q"), 2.0, 0.1);
    assert_near(order(d, 2, "v"), 2.0, 0.1);
    assert_near(order(d, 2, "lambda"), 2.0, 0.3);
    assert_near(order(d, 5, "q"), 2.0, 0.1);
    assert_near(order(d, 8, "q"), 4.0, 0.3);
    json_decref(d);
}

/* Three references for one study: they agree where they should. */
static void references_agree(void **state)
{
    tool_expect("run pendulum -q --h 1e-3 -o ref --set integrator=lobatto", 0, NULL);
    json_t *exact = tool_json("study pendulum --h 2e-2,1e-2 --json", 0);
    json_t *self = tool_json("study pendulum --h 2e-2,1e-2 --reference self --json", 0);
    json_t *file = tool_json("study pendulum --h 2e-2,1e-2 --reference ref --json", 0);
    const double e = tool_number(json_object_get(row(exact, 1), "error"), "q");
    assert_near_rel(tool_number(json_object_get(row(file, 1), "error"), "q"), e, 1e-6);
    assert_near_rel(tool_number(json_object_get(row(self, 1), "error"), "q"), e, 0.02);
    json_decref(exact);
    json_decref(self);
    json_decref(file);
    tool_expect("study double_pendulum --reference ref", 2, "is it of this model");
    tool_expect("study pendulum --h 3e-2,1e-2 --t-end 50 --reference ref", 2, "no state");
}

/* Not those between the times where errors are measured. */
static void adaptive_methods_take_the_steps_of_a_run(void **state)
{
    json_t *d = tool_json("study spatial_slider_crank --t-end 1 --h 1e-2 --json --methods "
                          "rk8:step=adaptive:step_rtol=1e-3,rk8:step=adaptive:step_rtol=1e-7",
                          0);
    json_t *run = tool_json("run spatial_slider_crank -q --json --t-end 1 --h 1e-2 --set integrator=rk --set order=8 "
                            "--set step=adaptive --set step_rtol=1e-3",
                            0);
    const double loose = tool_number(json_object_get(row(d, 0), "error"), "q");
    assert_int_equal((int)tool_number(row(d, 0), "steps"), (int)tool_number(run, "steps"));
    assert_in_range((int)tool_number(row(d, 0), "steps"), 5, 60);
    assert_true(tool_number(json_object_get(row(d, 1), "error"), "q") < 1e-2 * loose);
    assert_true(loose > 1e-4 && loose < 0.1);
    json_decref(run);
    json_decref(d);
}

static void failed_runs_are_marked(void **state)
{
    json_t *d = tool_json("study heavy_top --h 2e-3,1e-3 --t-end 0.1 --methods index3,index3:max_steps=60 --json", 1);
    assert_true(json_is_false(json_object_get(row(d, 1), "failed")));
    assert_true(json_is_false(json_object_get(row(d, 2), "failed")));
    assert_true(json_is_true(json_object_get(row(d, 3), "failed")));
    assert_true(json_is_null(json_object_get(json_object_get(row(d, 3), "error"), "q")));
    json_decref(d);
    tool_result r = tool("study heavy_top --h 2e-3,1e-3 --t-end 0.1 --methods index3:max_steps=60");
    assert_non_null(strstr(r.out, "failed:"));
    assert_non_null(strstr(r.err, "1 of 2 runs failed"));
    tool_free(&r);
}

static void the_number_of_workers_changes_nothing(void **state)
{
    json_t *a = tool_json("study pendulum --h 2e-2,1e-2,5e-3 --json --jobs 1", 0);
    json_t *b = tool_json("study pendulum --h 2e-2,1e-2,5e-3 --json --jobs 3", 0);
    for (size_t i = 0; i < 3; ++i) {
        assert_true(json_equal(json_object_get(row(a, i), "error"), json_object_get(row(b, i), "error")));
    }
    json_decref(a);
    json_decref(b);
}

static void a_picture_of_the_orders_is_written(void **state)
{
    tool_expect("study pendulum --h 2e-2,1e-2,5e-3 --methods index3,lobatto3 --plot s.svg", 0, NULL);
    char *svg = tool_read("s.svg");
    assert_non_null(svg);
    assert_non_null(strstr(svg, "lobatto3"));
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_has_its_members_and_shows_the_orders),
        cmocka_unit_test(references_agree),
        cmocka_unit_test(adaptive_methods_take_the_steps_of_a_run),
        cmocka_unit_test(failed_runs_are_marked),
        cmocka_unit_test(the_number_of_workers_changes_nothing),
        cmocka_unit_test(a_picture_of_the_orders_is_written),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
