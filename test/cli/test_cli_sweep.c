/* dalembert sweep as users run it. */
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

#define TOPS \
    "sweep heavy_top --t-end 0.05 --random spin=uniform(100,200) --random m=normal(15,1) --samples 60 --seed 3 "
#define COLLECT "--collect max(tip.force),final(top.position.z) "

static void results_do_not_depend_on_threads_or_shards(void **state)
{
    tool_expect(TOPS COLLECT "-j 1 -q -o one.h5", 0, NULL);
    tool_expect(TOPS COLLECT "-j 2 -q -o two.h5", 0, NULL);
    tool_same_files("one.h5", "two.h5");
    tool_expect(TOPS COLLECT "-j 4 -q -o four.csv", 0, NULL);
    tool_expect(TOPS COLLECT "-q -o part.h5 --shard 1/3", 0, NULL);
    tool_expect(TOPS COLLECT "-q -o part.h5 --shard 3/3 -j 1", 0, NULL);
    tool_expect("sweep --merge -o part.h5", 1, "20 of 60 members are missing");
    tool_expect("sweep --merge -o some.csv --partial -q part.h5.shard-1-of-3", 0, NULL);
    tool_expect(TOPS COLLECT "-q -o part.h5 --shard 2/3 -j 2", 0, NULL);
    tool_expect("sweep --merge -o part.h5 -q", 0, NULL);
    tool_same_files("one.h5", "part.h5");
    assert_false(tool_exists("part.h5.shard-1-of-3"));
    assert_false(tool_exists("one.h5.journal"));
}

/* Twice as many samples take those that are there. */
static void a_finished_sweep_can_be_extended(void **state)
{
    static const char few[] =
        "sweep heavy_top --t-end 0.02 --random spin=uniform(100,200) --vary m=list:-1,15 --design random "
        "--collect final(energy) -q --samples ";
    char text[300];
    snprintf(text, sizeof text, "%s 30 -o e.h5", few);
    tool_expect(text, 1, NULL);
    snprintf(text, sizeof text, "%s 60 -o e.h5 --resume", few);
    tool_expect(text, 1, NULL);
    snprintf(text, sizeof text, "%s 60 -o f.h5", few);
    tool_expect(text, 1, NULL);
    tool_same_files("e.h5", "f.h5");
    snprintf(text, sizeof text, "%s 60 -o e.h5 --resume --seed 9", few);
    tool_expect(text, 2, "another sweep");
    snprintf(text, sizeof text, "%s 40 -o e.h5 --resume", few); // fewer than there are
    tool_expect(text, 2, "another sweep");
    tool_expect(TOPS COLLECT "--design lhs -q -o l.h5", 0, NULL);
    tool_expect(TOPS COLLECT "--design lhs -q -o l.h5 --resume --samples 120", 2, "depends on the number of samples");
}

/* The row of a member has what 'dalembert run' gives with its parameters. */
static void a_member_is_what_run_gives(void **state)
{
    json_t *sweep =
        tool_json("sweep heavy_top --vary spin=120:180:4 --t-end 0.05 --collect final(energy) --json -o e.csv", 0);
    const json_t *one = json_array_get(json_object_get(sweep, "collected"), 0);
    const char *command = json_string_value(json_object_get(one, "max_command"));
    assert_non_null(command);
    assert_true(strncmp(command, "dalembert run heavy_top ", 24) == 0);
    char arguments[300];
    snprintf(arguments, sizeof arguments, "%s --tables outputs -q -o again.csv", command + 10);
    tool_expect(arguments, 0, NULL);
    char *text = tool_read("again.csv");
    char *last = text + strlen(text) - 1;
    while (last > text && last[-1] != '\n') {
        --last;
    }
    // energy is the 15th column
    for (int k = 0; k < 14; ++k) {
        last = strchr(last, ',') + 1;
    }
    assert_near(strtod(last, NULL), tool_number(one, "max"), 0.0);
    free(text);
    json_decref(sweep);
}

static void the_document_has_its_keys(void **state)
{
    json_t *j = tool_json(TOPS COLLECT "--json --design lhs", 0);
    tool_keys(
        j,
        "model design members ok failed missing backend backend_note handed_over compile_seconds parameters collected "
        "causes seconds output");
    tool_keys(json_array_get(json_object_get(j, "collected"), 1),
              "name n mean deviation min max quantiles min_member max_member sensitivity max_command");
    assert_int_equal((int)tool_number(j, "members"), 60);
    assert_int_equal((int)tool_number(j, "ok"), 60);
    json_decref(j);
}

/* A mass below zero is refused; the rest runs; the causes are told once. */
static void failing_members_are_told_with_their_causes(void **state)
{
    json_t *j = tool_json("sweep heavy_top --vary m=-2:4:7 --t-end 0.01 --collect final(energy) -o f.csv --json", 1);
    assert_int_equal((int)tool_number(j, "failed"), 2);
    const json_t *cause = json_array_get(json_object_get(j, "causes"), 0);
    assert_non_null(strstr(json_string_value(json_object_get(cause, "message")), "mass"));
    assert_non_null(strstr(json_string_value(json_object_get(cause, "command")), "m="));
    json_decref(j);
    char *text = tool_read("f.csv");
    assert_non_null(strstr(text, "\n0,-2,nan,EINVAL,"));
    assert_non_null(strstr(text, "\n6,4,"));
    free(text);
    tool_expect("sweep heavy_top --vary m=-2:4:7 --t-end 0.01 --collect final(energy) --fail-fast -j 1 -q", 4,
                "first member that failed");
}

/* Files without their first line. */
static void same_rows(const char *a, const char *b)
{
    char x[500], y[500];
    FILE *f = fopen(a, "r"), *g = fopen(b, "r");
    assert_non_null(f);
    assert_non_null(g);
    for (int line = 0; line < 9; ++line) {
        assert_non_null(fgets(x, sizeof x, f));
        assert_non_null(fgets(y, sizeof y, g));
        assert_true(line == 0 || strcmp(x, y) == 0);
    }
    fclose(f);
    fclose(g);
}

/* The mass of the top is the variable m: the same bits by either name, beside an option and the end time. */
static void numbers_of_elements_go_with_options_and_the_end_time(void **state)
{
    static const char others[] = "--vary rho_inf=0.6:0.9:2 --vary t_end=0.02:0.04:2 --collect max(tip.force),final(t)";
    char text[400];
    snprintf(text, sizeof text, "sweep heavy_top --vary bodies.top.mass=14:16:2 %s -q -o element.csv", others);
    tool_expect(text, 0, NULL);
    snprintf(text, sizeof text, "sweep heavy_top --vary m=14:16:2 %s -q -o variable.csv", others);
    tool_expect(text, 0, NULL);
    same_rows("element.csv", "variable.csv");
    snprintf(text, sizeof text, "sweep heavy_top --vary bodies.top.mss=14:16:2 %s", others);
    tool_expect(text, 2, "bodies.top.mass");
}

static void a_merged_sweep_tells_the_whole_command(void **state)
{
    tool_write("line.json", "{\"dalembert\": 1, \"name\": \"line\", \"variables\": {\"v\": 1, \"w\": 1},"
                            " \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1],"
                            "   \"velocity\": [\"v\", \"w\", 0]}],"
                            " \"outputs\": [\"b.position\"], \"simulation\": {\"t_end\": 1, \"h\": 0.1}}");
    static const char line[] =
        "sweep line.json --vary v=0:1:3 --set w=3 --t-end 2 --collect final(b.position.x) -q -o line.csv --shard";
    char text[300];
    for (int k = 1; k <= 2; ++k) {
        snprintf(text, sizeof text, "%s %d/2", line, k);
        tool_expect(text, 0, NULL);
    }
    tool_result r = tool("sweep --merge -o line.csv");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "dalembert run line.json --set w=3 --set t_end=2 --set v=1\n"));
    tool_free(&r);
}

static void a_complete_table_of_another_sweep_is_not_overwritten(void **state)
{
    static const char same[] = "sweep heavy_top --t-end 0.01 --vary m=14:16:3 --collect final(t) -q -o kept.csv";
    char text[300];
    tool_expect(same, 0, NULL);
    snprintf(text, sizeof text, "%s --resume", same);
    tool_expect(text, 0, NULL);
    tool_expect(same, 0, NULL);
    rename("kept.csv", "copy.csv");
    tool_expect(same, 0, NULL);
    static const char *const other[] = {
        "--t-end 0.01 --vary m=14:16:4 --collect final(t)", "--t-end 0.01 --vary m=14:17:3 --collect final(t)",
        "--t-end 0.01 --vary m=14:16:3 --collect max(t)", "--t-end 0.02 --vary m=14:16:3 --collect final(t)"};
    for (size_t k = 0; k < 4; ++k) {
        snprintf(text, sizeof text, "sweep heavy_top %s -q -o kept.csv --resume", other[k]);
        tool_expect(text, 2, "another sweep");
        tool_same_files("kept.csv", "copy.csv");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_threads_or_shards),
        cmocka_unit_test(a_finished_sweep_can_be_extended),
        cmocka_unit_test(a_member_is_what_run_gives),
        cmocka_unit_test(the_document_has_its_keys),
        cmocka_unit_test(failing_members_are_told_with_their_causes),
        cmocka_unit_test(numbers_of_elements_go_with_options_and_the_end_time),
        cmocka_unit_test(a_merged_sweep_tells_the_whole_command),
        cmocka_unit_test(a_complete_table_of_another_sweep_is_not_overwritten),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
