/* Runs that are killed or meet a full disk leave whole rows and no final name. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"
#include "dalembert/results.h"

/* Takes seconds if nobody interrupts it. */
static const char endless[] = "run chain --set N=5 --t-end 10000";

static int rows(const char *path, const char *table)
{
    dal_ctx *ctx = check_ctx();
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, path, table));
    const int n = data.rows;
    for (int i = 1; i < n; ++i) {
        assert_true(data.x[i] > data.x[i - 1]);
    }
    dal_table_release(&data);
    check_ctx_free(ctx);
    return n;
}

static void a_killed_run_leaves_whole_rows(void **state)
{
    static const char *const part[] = {"killed/state.csv.part", "killed.h5.part"};
    static const long least = 5000000; // more than the first bunch of rows
    static const char *const place[] = {"-o killed", "-o killed.h5"}, *const path[] = {"killed", "killed.h5"};
    for (int f = 0; f < 2; ++f) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "%s %s", endless, place[f]);
        tool_result r = tool_disturbed(arguments, part[f], least, 20, SIGKILL);
        assert_int_equal(r.code, 128 + SIGKILL);
        tool_free(&r);
        assert_true(rows(path[f], "monitor") > 0);
        assert_true(tool_exists(f == 0 ? "killed/state.csv.part" : "killed.h5.part"));
        assert_false(tool_exists(f == 0 ? "killed/state.csv" : "killed.h5"));
    }
}

static void a_full_disk_ends_the_run_with_code_5(void **state)
{
    static const char *const place[] = {"-o full", "-o full.h5"}, *const path[] = {"full", "full.h5"};
    for (int f = 0; f < 2; ++f) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "%s %s", endless, place[f]);
        tool_result r = tool_limited(arguments, 3000000);
        assert_int_equal(r.code, 5);
        assert_non_null(strstr(r.err, "File too large"));
        assert_non_null(strstr(r.err, ".part"));
        tool_free(&r);
        assert_true(rows(path[f], "monitor") > 0);
        assert_false(tool_exists(f == 0 ? "full/state.csv" : "full.h5"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_leaves_whole_rows),
        cmocka_unit_test(a_full_disk_ends_the_run_with_code_5),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
