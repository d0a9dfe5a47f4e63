/* dalembert check: sound models and others. */
#include <string.h>

#include "cli/tool.h"

static void the_document_has_its_members(void **state)
{
    json_t *d = tool_json("check heavy_top --json", 0);
    tool_keys(d, "model bodies coordinates constraints dof redundant residual tangent_error ok");
    assert_int_equal((int)tool_number(d, "bodies"), 1);
    assert_int_equal((int)tool_number(d, "coordinates"), 6);
    assert_int_equal((int)tool_number(d, "constraints"), 3);
    assert_int_equal((int)tool_number(d, "dof"), 3);
    assert_int_equal(json_array_size(json_object_get(d, "redundant")), 0);
    assert_near(tool_number(d, "residual"), 0.0, 1e-9);
    assert_near(tool_number(d, "tangent_error"), 0.0, 1e-6);
    assert_true(json_is_true(json_object_get(d, "ok")));
    json_decref(d);
}

static void every_built_in_model_is_sound_but_for_redundancy(void **state)
{
    json_t *list = tool_json("models --json", 0);
    size_t i;
    json_t *model;
    json_array_foreach(json_object_get(list, "models"), i, model)
    {
        char arguments[200] = "check --json --set redundant=drop ";
        strncat(arguments, json_string_value(json_object_get(model, "name")), 100);
        json_t *d = tool_json(arguments, 0);
        json_decref(d);
    }
    json_decref(list);
}

static void redundant_rows_are_named(void **state)
{
    json_t *d = tool_json("check bricard --json --set redundant=error", 1);
    const json_t *redundant = json_object_get(d, "redundant");
    assert_int_equal(json_array_size(redundant), 1);
    assert_non_null(strstr(json_string_value(json_array_get(redundant, 0)), "joint '"));
    assert_int_equal((int)tool_number(d, "dof"), 1);
    assert_true(json_is_false(json_object_get(d, "ok")));
    json_decref(d);
    tool_expect("check bricard --set redundant=error", 1, "redundant");
}

static void an_inconsistent_initial_state_is_told(void **state)
{
    tool_write("off.json",
               "{\"dalembert\": 1, \"name\": \"off\", \"simulation\": {\"t_end\": 1}, \"gravity\": [0, 0, -9.81],\n"
               " \"bodies\": [{\"name\": \"ball\", \"type\": \"point\", \"mass\": 1, \"position\": [1, 0, 0],"
               " \"velocity\": [0.5, 0, 0]}],\n"
               " \"joints\": [{\"name\": \"rod\", \"type\": \"distance\", \"body_b\": \"ball\", \"length\": 1}]}\n");
    tool_expect("check off.json", 1, "violates the constraints");
    tool_expect("run off.json -o off", 0, "was moved by");
}

/* A pendulum drawn 0.1 beside its hinge. */
static void assembly_is_told(void **state)
{
    tool_write("rough.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"rod\", \"mass\": 1, \"inertia\": 1, "
               "\"position\": [0.1, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", "
               "\"body_b\": \"rod\", \"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0]}], \"assembly\": {}}");
    static const char *const commands[] = {"check rough.json", "run rough.json --t-end 0.01"};
    for (size_t k = 0; k < LEN(commands); ++k) {
        tool_result r = tool(commands[k]);
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.out, "assembly      moved by 0.1; largest gap 1.0e-01 before"));
        tool_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_has_its_members),
        cmocka_unit_test(every_built_in_model_is_sound_but_for_redundancy),
        cmocka_unit_test(redundant_rows_are_named),
        cmocka_unit_test(an_inconsistent_initial_state_is_told),
        cmocka_unit_test(assembly_is_told),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
