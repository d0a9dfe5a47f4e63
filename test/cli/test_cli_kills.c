/* Killed at every operation on a file, in the midst of a write, again while it goes on, and again: the run then ends with
 * the tables of one that was never interrupted. And a disk that is full. */
#define _XOPEN_SOURCE 700

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/tool.h"
#include "dalembert/results.h"

static const char *const table[] = {"outputs", "bodies", "state", "monitor"};
static const char *const place[] = {"out", "out.h5"}, *const whole[] = {"whole", "whole.h5"};
static const char *model = "damped.json", *rows = "--every 2";
static int kills;

/* Run with the kill at an operation (0: none); the exit code. */
static int run(const char *arguments, long at)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", at);
    setenv("DAL_KILL_AT", text, 1);
    setenv("LD_PRELOAD", DAL_FAULTS, 1);
    tool_result r = tool(arguments);
    unsetenv("LD_PRELOAD");
    const int code = r.code;
    if (code != 0 && code != 128 + SIGKILL) {
        print_error("dalembert %s, killed at %ld: exit code %d\n%s\n", arguments, at, code, r.err);
    }
    kills += code == 128 + SIGKILL;
    tool_free(&r);
    return code;
}

/* Start, or go on if there is something to go on from. */
static int proceed(int f, long at)
{
    char arguments[300];
    snprintf(arguments, sizeof arguments, "run %s -q %s --checkpoint run.cp --checkpoint-every 0 %s -o %s", model,
             tool_exists("run.cp") ? "--resume run.cp" : "", rows, place[f]);
    return run(arguments, at);
}

static void same_tables(int f, long at)
{
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(table); ++i) {
        dal_table_data a, b;
        check_ok(ctx, dal_table_read(&a, ctx, place[f], table[i]));
        check_ok(ctx, dal_table_read(&b, ctx, whole[f], table[i]));
        if (a.rows != b.rows || a.n != b.n || memcmp(a.x, b.x, (size_t)a.rows * (size_t)a.n * sizeof *a.x) != 0) {
            print_error("killed at %ld: table %s has %d rows, %d are right, or numbers differ\n", at, table[i], a.rows,
                        b.rows);
            fail();
        }
        dal_table_release(&a);
        dal_table_release(&b);
    }
    check_ctx_free(ctx);
}

/* Nothing is left that the uninterrupted run does not leave. */
static void no_litter(int f)
{
    static const char *const name[][4] = {
        {"out/state.csv.part", "out/state.csv.part.new", "out/model.json.part", "run.cp.part"},
        {"out.h5.part", "out.h5.part.new", "out.h5.lock", "run.cp.part"}};
    for (int i = 0; i < 4; ++i) {
        assert_false(tool_exists(name[f][i]));
    }
}

static long count_operations(int f)
{
    char arguments[300];
    long operations = 0;
    snprintf(arguments, sizeof arguments, "run %s -q --checkpoint whole.cp --checkpoint-every 0 %s -o %s", model, rows,
             whole[f]);
    setenv("DAL_COUNT", "count", 1);
    assert_int_equal(run(arguments, 0), 0);
    unsetenv("DAL_COUNT");
    char *text = tool_read("count");
    assert_int_equal(sscanf(text, "%ld", &operations), 1);
    free(text);
    assert_true(operations > 100);
    return operations;
}

static void write_model(void)
{
    tool_write(
        "damped.json",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": 1, \"velocity\": [2, 0]}],"
        "\"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_b\": \"b\", \"stiffness\": 4, \"damping\": 0.4, "
        "\"coordinate\": \"translation_x\"}], \"simulation\": {\"h\": 0.01, \"t_end\": 0.15}, "
        "\"outputs\": [\"b.position\", \"s.work\", \"dissipated_energy\", \"energy\"]}");
}

/* At every stride-th operation. */
static void survives(int f, int stride)
{
    assert_int_equal(system("rm -rf whole whole.h5* whole.cp*"), 0);
    const long operations = count_operations(f);
    const int before = kills;
    for (long at = 1; at <= operations; at += stride) {
        assert_int_equal(system("rm -rf out out.h5* run.cp*"), 0);
        assert_int_equal(proceed(f, at), 128 + SIGKILL);
        proceed(f, 1 + 7 * at % 61); // while it opens the files, as a rule
        proceed(f, 1 + 13 * at % 97);
        assert_int_equal(proceed(f, 0), 0);
        same_tables(f, at);
        no_litter(f);
    }
    print_message("%s %s: %d kills\n", place[f], rows, kills - before);
}

static void a_run_survives_kills_at_every_moment(void **state)
{
    write_model();
    rows = "--every 2";
    survives(0, 3);
    survives(1, 4);
    assert_true(kills >= 200);
}

/* Rows between the steps. */
static void so_does_output_at_requested_times(void **state)
{
    write_model();
    rows = "--output-every 0.007";
    survives(0, 5);
    survives(1, 10);
}

/* Rows that were left out stay out. */
static void so_does_a_run_with_redundant_constraints(void **state)
{
    model = "bricard --t-end 0.1";
    rows = "--every 2";
    survives(0, 41);
    survives(1, 41);
}

static int rows_of(dal_ctx *ctx, const char *path, const char *name)
{
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, path, name));
    const int n = data.rows;
    dal_table_release(&data);
    return n;
}

/* Tables share the room: the first must not take that of the others. A whole run has 1001 rows in 1060 kB. */
static void a_full_disk_keeps_the_rows_that_found_room_in_all_tables(void **state)
{
    dal_ctx *ctx = check_ctx();
    setenv("DAL_DISK", "400000", 1);
    setenv("LD_PRELOAD", DAL_FAULTS, 1);
    tool_result r = tool("run heavy_top -o full");
    unsetenv("LD_PRELOAD");
    unsetenv("DAL_DISK");
    assert_int_equal(r.code, 5);
    assert_non_null(strstr(r.err, "No space left on device"));
    assert_null(strstr(r.out, "outputs.csv"));
    assert_non_null(strstr(r.out, "NOT complete"));
    tool_free(&r);
    const int n = rows_of(ctx, "full", "outputs");
    assert_in_range(n, 360, 400);
    for (size_t i = 0; i < LEN(table); ++i) {
        assert_int_equal(rows_of(ctx, "full", table[i]), n);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_survives_kills_at_every_moment),
        cmocka_unit_test(so_does_output_at_requested_times),
        cmocka_unit_test(so_does_a_run_with_redundant_constraints),
        cmocka_unit_test(a_full_disk_keeps_the_rows_that_found_room_in_all_tables),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
