/* dalembert models, methods, schema. */
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static void every_listed_model_runs(void **state)
{
    json_t *list = tool_json("models --json", 0);
    size_t i;
    json_t *model;
    assert_true(json_array_size(json_object_get(list, "models")) >= 10);
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        char arguments[200];
        tool_keys(model, "name title");
        snprintf(arguments, sizeof arguments, "run %s -q --set redundant=drop --set max_steps=20",
                 json_string_value(json_object_get(model, "name")));
        tool_result r = tool(arguments);
        assert_int_equal(r.code, 4); // max_steps, and nothing else
        assert_non_null(strstr(r.err, "max_steps"));
        tool_free(&r);
    }
    json_decref(list);
}

static void a_shown_model_is_a_model_file(void **state)
{
    tool_result r = tool("models --show heavy_top");
    assert_int_equal(r.code, 0);
    tool_write("mine.json", r.out);
    tool_free(&r);
    json_t *a = tool_json("run mine.json --json --t-end 0.05", 0),
           *b = tool_json("run heavy_top --json --t-end 0.05", 0);
    assert_true(json_equal(json_object_get(a, "final"), json_object_get(b, "final")));
    json_decref(a);
    json_decref(b);
}

static void every_method_can_be_studied(void **state)
{
    json_t *list = tool_json("methods --json", 0);
    tool_keys(list, "methods options");
    char arguments[1000] = "study heavy_top --t-end 0.1 --h 5e-3 --json --methods ";
    size_t i;
    json_t *method;
    json_array_foreach(json_object_get(list, "methods"), i, method)
    {
        tool_keys(method, "name set order text");
        strncat(arguments, i > 0 ? "," : "", 2);
        strncat(arguments, json_string_value(json_object_get(method, "name")), 50);
    }
    json_t *d = tool_json(arguments, 0);
    json_decref(d);
    json_decref(list);
}

static void the_schema_is_json(void **state)
{
    json_t *schema = tool_json("schema", 0);
    assert_non_null(json_object_get(schema, "$schema"));
    json_decref(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_model_runs),
        cmocka_unit_test(a_shown_model_is_a_model_file),
        cmocka_unit_test(every_method_can_be_studied),
        cmocka_unit_test(the_schema_is_json),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
