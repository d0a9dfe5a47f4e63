/* dalembert sweep: where parameters come from, what is refused, and what an interruption leaves. */
#define _DEFAULT_SOURCE

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* Thrown up or down from the level against gravity g = 10: back after 2 v/g = 0.4 s. */
static void crossings_are_the_same_from_above_and_from_below(void **state)
{
    tool_write("thrown.json",
               "{\"dalembert\": 1, \"variables\": {\"s\": 1}, \"gravity\": [0, 0, \"-10*s\"],"
               " \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"velocity\": [0, 0, \"2*s\"]}],"
               " \"outputs\": [\"b.position\"], \"simulation\": {\"t_end\": 0.5, \"h\": 0.003}}");
    json_t *j =
        tool_json("sweep thrown.json --vary s=list:-1,1 --collect crossings(b.position.z,0),time_of(b.position.z,0)"
                  ",log(s) --json",
                  0);
    const json_t *list = json_object_get(j, "collected"), *count = json_array_get(list, 0),
                 *time = json_array_get(list, 1);
    assert_near(tool_number(count, "min"), 1.0, 0.0);
    assert_near(tool_number(count, "max"), 1.0, 0.0);
    assert_near(tool_number(time, "min"), 0.4, 1e-4);
    assert_near(tool_number(time, "max"), 0.4, 1e-4);
    json_decref(j);
    tool_expect("sweep thrown.json --vary s=list:-1,1 --collect foo(b.position.z)", 2, "unknown function 'foo'");
    tool_expect("sweep thrown.json --vary s=list:-1,1 --collect maxi(b.position.z)", 2, "did you mean 'max'");
    tool_result r = tool("sweep thrown.json --vary s=list:-1,1 --collect final(t)*log(s)");
    assert_non_null(strstr(r.out, "(1 of 2: the others are not finite)"));
    tool_free(&r);
}

static void a_model_can_say_the_sweep_itself(void **state)
{
    tool_write(
        "own.json",
        "{\"dalembert\": 1, \"variables\": {\"w\": 3, \"b\": 1},"
        " \"bodies\": [{\"name\": \"ball\", \"mass\": \"b\", \"inertia\": [1, 1, 1], \"velocity\": [0, 0, \"w\"]}],"
        " \"simulation\": {\"t_end\": 0.1, \"h\": 0.01},"
        " \"sweep\": {\"vary\": {\"w\": [1, 2, 3], \"b\": \"1:2:2\"}, \"collect\": [\"final(ball.position.z)\"]}}");
    json_t *j = tool_json("sweep own.json --json", 0);
    assert_int_equal((int)tool_number(j, "members"), 6);
    assert_near(tool_number(json_array_get(json_object_get(j, "collected"), 0), "max"), 0.3, 1e-9);
    json_decref(j);
    // the command line comes first
    j = tool_json("sweep own.json --vary w=5:6:2 --collect final(ball.position.z) --json", 0);
    assert_int_equal((int)tool_number(j, "members"), 4);
    assert_near(tool_number(json_array_get(json_object_get(j, "collected"), 0), "max"), 0.6, 1e-9);
    json_decref(j);
    tool_expect("check own.json", 0, NULL);
}

/* N masses that fall for 0.1 s have N 0.5 J. N changes the structure; u is an input beside one that an event sets. */
static void variables_of_parts_open_the_model_anew(void **state)
{
    tool_write(
        "heap.json",
        "{\"dalembert\": 1, \"gravity\": [0, 0, -10], \"parts\": [{\"name\": \"heap\", \"model\": {\"dalembert\": 1,"
        " \"variables\": {\"N\": 1}, \"inputs\": {\"u\": 0, \"w\": 0}, \"bodies\": [{\"repeat\": \"i\", \"to\": \"N\","
        " \"items\": [{\"name\": \"b{i}\", \"type\": \"point\", \"mass\": 1}]}], \"forces\": [{\"name\": \"f\","
        " \"type\": \"law\", \"body_b\": \"b1\", \"coordinate\": \"translation_x\", \"value\": \"u + w\"}],"
        " \"outputs\": [\"b1.velocity\"]}}], \"outputs\": [\"heap.b1.velocity\", \"kinetic_energy\"],"
        " \"events\": [{\"name\": \"push\", \"every\": 0.05, \"from\": 0.05, \"set\": {\"heap.w\": 2}}],"
        " \"simulation\": {\"t_end\": 0.1, \"h\": 0.01}}");
    json_t *j = tool_json("sweep heap.json --vary heap.N=2,5 --collect final(kinetic_energy) --json", 0);
    const json_t *energy = json_array_get(json_object_get(j, "collected"), 0);
    assert_near(tool_number(energy, "min"), 1.005, 1e-9); // and 0.1 m/s along x
    assert_near(tool_number(energy, "max"), 2.505, 1e-9);
    json_decref(j);
    j = tool_json("sweep heap.json --vary heap.u=1,3 --collect final(heap.b1.velocity.x) --json", 0);
    const json_t *speed = json_array_get(json_object_get(j, "collected"), 0);
    assert_near(tool_number(speed, "min"), 0.2, 1e-9);
    assert_near(tool_number(speed, "max"), 0.4, 1e-9);
    json_decref(j);
    tool_expect("sweep heap.json --vary heap.M=1,3 --collect final(energy)", 2, "heap.M");
}

/* Inputs are swept like variables: 2 kg are pushed with 4 u + w for 0.5 s. Their limits hold. */
static void inputs_are_swept(void **state)
{
    tool_write(
        "push.json",
        "{\"dalembert\": 1, \"inputs\": {\"u\": 0, \"w\": {\"value\": 1, \"unit\": \"N\", \"min\": -5, \"max\": 5}},"
        " \"variables\": {\"m\": 2}, \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": \"m\"}], "
        "\"forces\": [{\"name\": \"f\","
        " \"type\": \"law\", \"body_b\": \"b\", \"coordinate\": \"translation_x\", \"value\": \"4*u + w\"}],"
        " \"outputs\": [\"b.velocity\"], \"simulation\": {\"t_end\": 0.5, \"h\": 0.01}}");
    static const char *const sweeps[] = {"--vary u=-1:3:5", "--vary u=-1:3:5 --vary m=2,4",
                                         "--vary w=-5,5 --vary u=list:-1,3"};
    static const double least[] = {-0.75, -0.75, -2.25}, most[] = {3.25, 3.25, 4.25};
    for (size_t k = 0; k < LEN(sweeps); ++k) {
        char command[200];
        snprintf(command, sizeof command, "sweep push.json %s --collect final(b.velocity.x) --json", sweeps[k]);
        json_t *j = tool_json(command, 0);
        const json_t *speed = json_array_get(json_object_get(j, "collected"), 0);
        assert_near(tool_number(speed, "min"), least[k], 1e-10);
        assert_near(tool_number(speed, "max"), most[k], 1e-10);
        json_decref(j);
    }
    tool_expect("sweep push.json --vary w=0,6 --collect final(b.velocity.x) -q -o far.csv", 1, "1 of 2 members failed");
    char *text = tool_read("far.csv");
    assert_non_null(strstr(text, "input 'w' = 6 N is outside of its limits, -5 to 5"));
    free(text);
}

static void parameters_come_from_a_table(void **state)
{
    tool_write("rows.csv", "spin, m\n150, 15\n160, 14\n# a remark\n170, 13\n");
    tool_expect("sweep heavy_top --rows rows.csv --t-end 0.01 --collect final(energy) -q -o r.csv", 0, NULL);
    char *text = tool_read("r.csv");
    assert_non_null(strstr(text, "\n2,170,13,"));
    free(text);
    // results are such a table themselves
    tool_expect("sweep heavy_top --rows rows.csv --t-end 0.01 --collect final(energy) -q -o s.csv", 0, NULL);
    tool_same_files("r.csv", "s.csv");
    tool_write("bad.csv", "spin\n150\nfast\n");
    tool_expect("sweep heavy_top --rows bad.csv --collect final(energy)", 2, "bad.csv:3: not a number");
    tool_expect("sweep heavy_top --rows none.csv --collect final(energy)", 5, "none.csv");
}

static void wrong_arguments_are_refused_by_name(void **state)
{
    tool_expect("sweep", 2, "MODEL is missing");
    tool_expect("sweep heavy_top", 2, "nothing is collected");
    tool_expect("sweep heavy_top --vary spin=normal(1,2) --collect final(energy)", 2, "--random");
    tool_expect("sweep heavy_top --random spin=1:2:3 --collect final(energy)", 2, "--vary");
    tool_expect("sweep heavy_top --vary spni=1:2:3 --collect final(energy)", 2, "did you mean 'spin'");
    tool_expect("sweep heavy_top --vary spin=1:2:3 --collect final(enery)", 2, "did you mean 'energy'");
    tool_expect("sweep heavy_top --design cube --collect final(energy)", 2, "lhs");
    tool_expect("sweep heavy_top --shard 4/3 --collect final(energy) -o x.h5", 2, "I/N");
    tool_expect("sweep heavy_top --shard 1/3 --collect final(energy)", 2, "-o FILE");
    tool_expect("sweep heavy_top --seed -1 --collect final(energy)", 2, "--seed");
    tool_expect("sweep no_such_model --collect final(energy)", 3, "no_such_model");
    tool_expect("sweep heavy_top --trajectory energy --times 0:1:3 -o x.csv --t-end 0.01", 2, ".h5");
    tool_expect("sweep heavy_top --collect final(energy) -o /proc/none/x.h5 --t-end 0.01", 5, "/proc/none");
}

/* Ctrl-C keeps what is done, and the sweep that goes on has the bytes of one that was not stopped. */
static void ctrl_c_keeps_what_is_done(void **state)
{
    static const char arguments[] =
        "sweep heavy_top --t-end 0.05 --random spin=uniform(100,200) --samples 4000 --collect final(energy) -q -j 2";
    char text[300];
    snprintf(text, sizeof text, "%s -o stopped.h5", arguments);
    tool_result r = tool_disturbed(text, "stopped.h5.journal", 4000, 1, SIGINT);
    assert_int_equal(r.code, 130);
    assert_non_null(strstr(r.err, "--resume"));
    tool_free(&r);
    assert_false(tool_exists("stopped.h5"));
    tool_expect(text, 5, "--resume");
    snprintf(text, sizeof text, "%s -o stopped.h5 --resume", arguments);
    tool_expect(text, 0, NULL);
    snprintf(text, sizeof text, "%s -o whole.h5", arguments);
    tool_expect(text, 0, NULL);
    tool_same_files("stopped.h5", "whole.h5");
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossings_are_the_same_from_above_and_from_below),
        cmocka_unit_test(a_model_can_say_the_sweep_itself),
        cmocka_unit_test(variables_of_parts_open_the_model_anew),
        cmocka_unit_test(inputs_are_swept),
        cmocka_unit_test(parameters_come_from_a_table),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
        cmocka_unit_test(ctrl_c_keeps_what_is_done),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
