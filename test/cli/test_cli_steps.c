/* Step sizes as users see them: adaptive runs that must not go astray, cut steps, output at given times, warnings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"

/* With 8 stages the estimate of the local error divides by 16383: large differences must not pass for small errors. */
static void adaptive_lobatto_with_many_stages_keeps_the_energy(void **state)
{
    static const char *const options[] = {"--set stages=8 --set step_rtol=1e-3", "--set stages=8",
                                          "--set stages=6 --set step_rtol=1e-3", "--set stages=6"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adaptive_lobatto_with_many_stages_keeps_the_energy),
        cmocka_unit_test(a_mass_is_left_alone_after_a_ramped_force),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
