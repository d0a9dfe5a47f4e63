/* Usage errors: exit code 2, nothing on stdout, the nearest word. Help: exit code 0, examples. */
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static const struct {
    const char *arguments;
    int code;
    const char *message;
} wrong[] = {
    {"rnu", 2, "did you mean 'run'?"},
    {"completely-else", 2, "unknown command"},
    {"", 2, "usage"},
    {"help stdy", 2, "did you mean 'study'?"},
    {"run", 2, "MODEL is missing"},
    {"run pendulum extra", 2, "one argument too many"},
    {"run pendulum --sett x=1", 2, "did you mean '--set'?"},
    {"run pendulum --qiet", 2, "did you mean '--quiet'?"},
    {"run pendulum --zzzzzzzz", 2, "unknown option"},
    {"run pendulum --set", 2, "needs a value"},
    {"run pendulum --set h", 2, "key=value"},
    {"run pendulum --set rho_in=0.8", 2, "did you mean 'rho_inf'?"},
    {"run pendulum --set formulation=index4", 2, "index3"},
    {"run pendulum --set rho_inf=7", 2, "rho_inf"},
    {"run pendulum --set redundant=drp", 2, "did you mean 'drop'?"},
    {"run pendulum --h 0", 2, "positive"},
    {"run pendulum --h nan", 2, "positive"},
    {"run pendulum --t-end -1", 2, "positive"},
    {"run pendulum --quiet=yes", 2, "takes no value"},
    {"run pendulum --format xml -o r", 2, "csv or hdf5"},
    {"run pendulum --format hdf5", 2, "-o PATH"},
    {"run pendulum --format csv -o r.h5", 2, "does not fit"},
    {"run pendulum --format hdf5 -o r.csv", 2, "does not fit"},
    {"run pendulum --tables monitor", 2, "-o PATH"},
    {"run pendulum -o r.csv --tables state,monitor", 2, "one table"},
    {"run pendulum --every 0", 2, "whole number"},
    {"run pendulum --every 1e10", 2, "at most 1000000000"},
    {"run pendulum --output-every 0", 2, "a positive number of seconds is expected"},
    {"run pendulum --checkpoint-every -1", 2, "a number >= 0 is expected"},
    {"run pendulum --format hdf -o r", 2, "did you mean 'hdf5'?"},
    {"generate pendulum --h x", 2, "--h x: a positive number is expected"},
    {"generate pendulum --lanes 5", 2, "--lanes is 4 or 8, not '5'"},
    {"modes pendulum --period 0", 2, "a time in seconds, or auto, is expected"},
    {"modes pendulum --about never", 2, "initial, static, steady or a time is expected"},
    {"static pendulum --time x", 2, "--time x: a number is expected"},
    {"kinematics pendulum --rate 0", 2, "a positive number is expected"},
    {"reproduce --jobs 65", 2, "at most 64"},
    {"run pendulum --tables stat -o r", 2, "did you mean 'state'?"},
    {"run pendulum --plot x.gif", 2, "must end in .svg"},
    {"run pendulum --plot x.png", 2, "rsvg-convert"},
    {"run pendulum --plot-outputs energy", 2, "--plot FILE"},
    {"run pendulum --plot x.svg --plot-outputs enrgy", 2, "did you mean 'energy'?"},
    {"run pendulm", 3, "did you mean 'pendulum'?"},
    {"run no/such/file.json", 3, "no file and no built-in model"},
    {"run .", 3, "is a folder"},
    {"run pendulum --resume nothing", 5, "No such file"},
    {"study pendulum --h 1e-2,x", 2, "not a positive number"},
    {"study pendulum --methods indx3", 2, "did you mean 'index3'?"},
    {"study pendulum --methods index3:sigm=0", 2, "did you mean 'sigma'?"},
    {"study pendulum --jobs many", 2, "whole number"},
    {"study pendulum --reference no.such", 5, "no.such"},
    {"check", 2, "MODEL is missing"},
    {"models heavy_top", 2, "no argument is expected"},
    {"models --show heavy_tpo", 2, "did you mean 'heavy_top'?"},
};

static void wrong_words_are_told_with_the_nearest_one(void **state)
{
    for (size_t i = 0; i < LEN(wrong); ++i) {
        tool_result r = tool(wrong[i].arguments);
        if (r.code != wrong[i].code || strstr(r.err, wrong[i].message) == NULL || r.out[0] != '\0') {
            print_error("dalembert %s: exit code %d, stderr: %s\n", wrong[i].arguments, r.code, r.err);
            fail();
        }
        tool_free(&r);
    }
}

/* What a program would not heed is refused, not left out. */
static void generate_refuses_what_has_no_effect(void **state)
{
    tool_expect("generate heavy_top --lanes 4 --cuda", 2, "exclude each other");
    tool_expect("generate heavy_top --sample 3", 2, "--parameters");
    tool_expect("generate heavy_top -s t_end=3", 2, "a program has no end");
    tool_expect("generate heavy_top -s max_steps=3", 3, "max_steps is not for generated code");
    tool_expect("generate heavy_top -s linear_solver=klu", 3, "linear_solver = auto");
}

static void every_command_has_help_with_examples(void **state)
{
    static const char *const command[] = {"run", "study", "check", "models", "methods", "schema"};
    for (size_t i = 0; i < LEN(command); ++i) {
        char arguments[64], usage[64];
        snprintf(arguments, sizeof arguments, "%s --help", command[i]);
        snprintf(usage, sizeof usage, "usage: dalembert %s", command[i]);
        tool_result r = tool(arguments);
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.out, usage));
        assert_non_null(strstr(r.out, "Examples:"));
        assert_string_equal(r.err, "");
        tool_free(&r);
    }
}

static void version_is_that_of_the_library(void **state)
{
    char line[64];
    snprintf(line, sizeof line, "dalembert %s\n", dal_version_string());
    tool_result r = tool("--version");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.out, line);
    tool_free(&r);
}

/* Models that are none: exit code 3, with a place in the file. */
static void garbage_is_refused_with_the_place(void **state)
{
    static const struct {
        const char *text, *message;
    } garbage[] = {
        {"", "m.json"},
        {"not json", "m.json:1"},
        {"{\n  \"bodies\": [\n    {]\n}", "m.json:3"},
        {"[1, 2, 3]", "m.json"},
        {"{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": -1}]}", "/bodies/0"},
        {"{\"dalembert\": 1, \"bodis\": []}", "bodies"},
        {"{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": "
         "[{\"name\": \"j\", \"type\": \"sphericl\", "
         "\"body_b\": \"a\"}]}",
         "spherical"},
        {"\xff\xfe\x01", "m.json"},
    };
    for (size_t i = 0; i < LEN(garbage); ++i) {
        tool_write("m.json", garbage[i].text);
        tool_expect("run m.json", 3, garbage[i].message);
        tool_expect("check m.json --json", 3, garbage[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_words_are_told_with_the_nearest_one),
        cmocka_unit_test(generate_refuses_what_has_no_effect),
        cmocka_unit_test(every_command_has_help_with_examples),
        cmocka_unit_test(version_is_that_of_the_library),
        cmocka_unit_test(garbage_is_refused_with_the_place),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
