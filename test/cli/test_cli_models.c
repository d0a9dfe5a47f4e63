/* What model files may be, as the tool meets them: files they name, bytes they begin with, expressions, outputs. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/tool.h"

static void files_outside_the_folder_need_the_option(void **state)
{
    static const char *const commands[] = {"run inner/model.json -q", "check inner/model.json",
                                           "study inner/model.json --h 1e-2,5e-3"};
    mkdir("inner", 0700);
    tool_write("push.csv", "t,F\n0,0\n1,2\n");
    tool_write(
        "inner/model.json",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1}], \"forces\": [{\"name\": "
        "\"f\", \"type\": \"force\", \"body\": \"a\", \"vector\": [1, 0], \"function\": {\"type\": \"table\", "
        "\"file\": "
        "\"../push.csv\"}}], \"simulation\": {\"t_end\": 0.1, \"h\": 0.01}}");
    for (size_t k = 0; k < LEN(commands); ++k) {
        char arguments[200];
        tool_expect(commands[k], 3, "'../push.csv' is outside the folder of the model");
        tool_expect(commands[k], 3, "--allow-files-outside");
        snprintf(arguments, sizeof arguments, "%s --allow-files-outside", commands[k]);
        tool_expect(arguments, 0, NULL);
    }
}

static void a_byte_order_mark_does_no_harm(void **state)
{
    tool_write("marked.json",
               "\xEF\xBB\xBF{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1}], "
               "\"simulation\": {\"t_end\": 0.1, \"h\": 0.01}}");
    tool_expect("run marked.json -q", 0, NULL);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    tool_write("loud.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\\u001b[31m\", \"type\": \"point\", \"mass\": 1}]}");
    tool_result r = tool("run loud.json");
    assert_int_equal(r.code, 3);
    assert_null(strchr(r.err, '\x1b'));
    tool_free(&r);
}

/* 64^10 evaluations for one value. */
static void functions_that_never_end_are_refused(void **state)
{
    char text[16384];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"dalembert\": 1, \"functions\": {\"f0\": \"t\"");
    for (int k = 1; k <= 10; ++k) {
        n += (size_t)snprintf(text + n, sizeof text - n, ", \"f%d\": {\"type\": \"sum\", \"functions\": [", k);
        for (int i = 0; i < 64; ++i) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s\"f%d\"", i > 0 ? ", " : "", k - 1);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "]}");
    }
    snprintf(text + n, sizeof text - n, "}}");
    tool_write("bomb.json", text);
    tool_expect("run bomb.json -q", 3, "functions within functions");
}

static void laws_are_sound_and_components_have_columns(void **state)
{
    tool_write(
        "law.json",
        "{\"dalembert\": 1, \"variables\": {\"c\": 0.4}, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1, "
        "\"velocity\": [3, 0, 0], \"angular_velocity\": [0, 0, 1]}], \"forces\": [{\"name\": \"air\", \"type\": "
        "\"law\", "
        "\"body_b\": \"a\", \"coordinate\": \"translation_x\", \"value\": \"-c*v*abs(v)\", \"inputs\": {\"v\": "
        "\"a.velocity.x\"}}], \"outputs\": [\"a.velocity.x\", \"a.matrix\", \"air.force_value\"], \"simulation\": "
        "{\"t_end\": 0.1, \"h\": 0.01}}");
    tool_expect("check law.json", 0, NULL);
    tool_expect("run law.json -q -o law", 0, NULL);
    char *table = tool_read("law/outputs.csv");
    assert_non_null(table);
    const char head[] = "time [s],a.velocity.x [m/s],a.matrix.11 [1],a.matrix.12 [1],a.matrix.13 [1],a.matrix.21 [1],";
    assert_memory_equal(table, head, sizeof head - 1);
    free(table);
}

#define POINT \
    "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1, \"velocity\": [1, 0]}], "
#define FORCE(members) "\"forces\": [{\"name\": \"f\", " members "}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}"
#define JOINT(members) "\"joints\": [{\"name\": \"j\", " members "}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}"

/* Not the mechanism is to blame, but an expression that has no value there. */
static void values_that_are_not_finite_name_who_gave_them(void **state)
{
    static const char *const cases[][2] = {
        {POINT FORCE("\"type\": \"force\", \"body\": \"a\", \"vector\": [1, 0], \"function\": \"sqrt(0.5 - t)\""),
         "the function of force 'f' gives nan at 0.5"},
        {POINT FORCE("\"type\": \"spring\", \"body_b\": \"a\", \"coordinate\": \"translation_x\", "
                     "\"characteristic\": \"log(0.5 - x)\""),
         "the function of force 'f' gives nan at 0."},
        {POINT FORCE(
             "\"type\": \"law\", \"body_b\": \"a\", \"coordinate\": \"translation_x\", \"value\": \"-sqrt(0.5 - "
             "x)\", \"inputs\": {\"x\": \"a.position.x\"}"),
         "the value of force 'f' is nan"},
        {POINT JOINT(
             "\"type\": \"motion\", \"body_b\": \"a\", \"coordinate\": \"translation_x\", \"function\": \"1/(0.555 - "
             "t)^0.5\""),
         "the function of joint 'j' gives nan at 0.5"},
        {POINT JOINT(
             "\"type\": \"pfaffian\", \"bodies\": [\"a\"], \"rows\": [[0, \"1 + sqrt(0.295 - t)\", 0, 0, 0, 0]]"),
         "the coefficients of the rows of joint 'j' are not finite"},
    };
    static const char *const commands[] = {"run bad.json -q", "run bad.json -q --set formulation=ggl",
                                           "run bad.json -q --set integrator=lobatto"};
    for (size_t k = 0; k < LEN(cases); ++k) {
        tool_write("bad.json", cases[k][0]);
        for (size_t c = 0; c < LEN(commands); ++c) {
            tool_expect(commands[c], 4, cases[k][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_outside_the_folder_need_the_option),
        cmocka_unit_test(a_byte_order_mark_does_no_harm),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(functions_that_never_end_are_refused),
        cmocka_unit_test(values_that_are_not_finite_name_who_gave_them),
        cmocka_unit_test(laws_are_sound_and_components_have_columns),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
