/* Results of runs that end well: tables in both formats, and where they cannot be written. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tool.h"
#include "dalembert/io.h"
#include "dalembert/results.h"

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

static void tables_hold_every_step_in_both_formats(void **state)
{
    tool_expect("run pendulum -q -o csv --t-end 1", 0, NULL);
    tool_expect("run pendulum -q -o r/p.h5 --t-end 1", 0, NULL);
    tool_expect("run pendulum -q -o h5 --format hdf5 --t-end 1", 0, NULL);
    static const char *const table[] = {"outputs", "bodies", "state", "monitor"};
    for (size_t i = 0; i < LEN(table); ++i) {
        assert_int_equal(rows("csv", table[i]), 101);
        assert_int_equal(rows("r/p.h5", table[i]), 101);
        assert_int_equal(rows("h5", table[i]), 101);
    }
    assert_true(tool_exists("csv/model.json") && tool_exists("csv/statistics.json"));
    char *text = tool_read("csv/bodies.csv");
    assert_non_null(strstr(text, "time [s],mass.x.x [m],"));
    free(text);
    tool_expect("run pendulum -q -o thin --t-end 1 --every 30 --tables state", 0, NULL);
    assert_int_equal(rows("thin", "state"), 5); // 0, 30, 60, 90 and the end
    assert_false(tool_exists("thin/bodies.csv"));
}

static void the_document_and_the_files_agree(void **state)
{
    json_t *d = tool_json("run pendulum --json -o agree", 0);
    dal_ctx *ctx = check_ctx();
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, "agree", "state"));
    const json_t *q = json_object_get(json_object_get(d, "final"), "q");
    for (size_t i = 0; i < json_array_size(q); ++i) {
        assert_true(json_number_value(json_array_get(q, i)) == data.x[(i + 2) * (size_t)data.rows - 1]);
    }
    dal_table_release(&data);
    check_ctx_free(ctx);
    json_decref(d);
}

/* What lies in a folder is of one run: the tables of an earlier one go when a new one ends. */
static void tables_of_an_earlier_run_do_not_stay(void **state)
{
    tool_expect("run heavy_top -q --t-end 0.1 -o mix", 0, NULL);
    assert_true(tool_exists("mix/bodies.csv"));
    tool_write("mix/mine.csv", "not one of ours\n");
    tool_expect("run pendulum -q --t-end 0.1 -o mix --tables monitor", 0, NULL);
    assert_true(tool_exists("mix/monitor.csv") && tool_exists("mix/mine.csv"));
    assert_false(tool_exists("mix/outputs.csv") || tool_exists("mix/bodies.csv") || tool_exists("mix/state.csv"));
}

/* The interface node of a flexible body has a number among the bodies, but is none. */
static void the_table_of_bodies_lists_the_bodies(void **state)
{
    tool_write("flexible.json",
               "{\"dalembert\": 1, \"bodies\": [{\"name\": \"leaf\", \"type\": \"flexible\", \"modes_file\": "
               "\"leaf.h5\"}, {\"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": "
               "[{\"name\": \"wall\", \"type\": \"fixed\", \"body_b\": \"leaf/1\"}], \"simulation\": "
               "{\"t_end\": 0.01, \"h\": 0.001}}");
    assert_int_equal(system("cp '" DAL_SOURCE "/test/data/modes_leaf.h5' leaf.h5"), 0);
    tool_expect("run flexible.json -q -o flexible", 0, NULL);
    char *text = tool_read("flexible/bodies.csv");
    assert_non_null(strstr(text, "leaf.x.x"));
    assert_non_null(strstr(text, "ball.omega.z"));
    assert_null(strstr(text, "leaf/1"));
    free(text);
}

/* Generalized-alpha starts from perturbed velocities; what was given is what is shown. */
static void tables_begin_with_the_consistent_initial_state(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_table_data a, b, m;
    tool_expect("run heavy_top -q --h 1e-2 --t-end 0.05 -o coarse", 0, NULL);
    tool_expect("run heavy_top -q --set integrator=lobatto --t-end 0.05 -o lobatto", 0, NULL);
    check_ok(ctx, dal_table_read(&a, ctx, "coarse", "state"));
    check_ok(ctx, dal_table_read(&b, ctx, "lobatto", "state"));
    check_ok(ctx, dal_table_read(&m, ctx, "coarse", "monitor"));
    assert_int_equal(a.n, b.n);
    for (int j = 0; j < a.n; ++j) { // q, v, lambda; Lobatto starts from the state as it is
        assert_near(a.x[j * a.rows], b.x[j * b.rows], 1e-9 * (1.0 + fabs(b.x[j * b.rows])));
    }
    assert_true(m.x[dal_table_column(&m, "velocity_residual") * m.rows] < 1e-12);
    dal_table_release(&a);
    dal_table_release(&b);
    dal_table_release(&m);
    check_ctx_free(ctx);
}

/* "pendulum" is the built-in model even where a file of that name lies about; what is kept is what was run. */
static void the_text_kept_is_that_of_the_model_that_was_run(void **state)
{
    tool_write("pendulum", "{\"dalembert\": 1, \"title\": \"another\"}");
    tool_expect("run pendulum -q --t-end 0.1 -o named", 0, NULL);
    char *text = tool_read("named/model.json");
    assert_null(strstr(text, "another"));
    for (int i = 0; i < dal_builtin_count(); ++i) {
        if (strcmp(dal_builtin_model(i).name, "pendulum") == 0) {
            assert_string_equal(text, dal_builtin_model(i).text);
        }
    }
    free(text);
    remove("pendulum");
}

/* The library alone reads them as well; in the tool another function of the same name was called instead. */
static void shapes_in_hdf5_files_work_in_the_tool(void **state)
{
    char model[1024];
    snprintf(model, sizeof model,
             "{\"dalembert\": 1, \"bodies\": [{\"name\": \"leaf\", \"type\": \"flexible\", \"modes_file\": "
             "\"leaf.h5\"}], \"joints\": [{\"name\": \"wall\", \"type\": \"fixed\", \"body_b\": "
             "\"leaf/1\"}], \"simulation\": {\"t_end\": 0.01, \"h\": 0.001}}");
    tool_write("leaf.json", model);
    assert_int_equal(system("cp '" DAL_SOURCE "/test/data/modes_leaf.h5' leaf.h5"), 0);
    tool_expect("run leaf.json -q", 0, NULL);
}

static void forbidden_places_are_told(void **state)
{
    tool_write("file", "x");
    tool_expect("run pendulum -o file/below", 5, "Not a directory");
    tool_expect("run pendulum -o file", 5, "Not a directory");
    tool_expect("run pendulum -o /proc/dalembert", 5, "/proc/dalembert");
    tool_expect("run pendulum -o /proc/dalembert.h5", 5, "/proc/dalembert.h5");
    if (getuid() != 0) { // root may write anywhere
        assert_int_equal(mkdir("locked", 0500), 0);
        tool_expect("run pendulum -o locked/r", 5, "Permission denied");
    }
}

/* Names with which a spreadsheet would begin a formula. */
static void headers_of_csv_files_are_no_formulas(void **state)
{
    static const char model[] =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"%cx\", \"type\": \"point\", \"mass\": 1, "
        "\"velocity\": [1, 0, 0]}], \"outputs\": [\"%cx.position\"], \"simulation\": {\"t_end\": "
        "0.1, \"h\": 0.01}}";
    for (const char *c = "=+-@"; *c != '\0'; ++c) {
        char text[400], bad[8];
        snprintf(text, sizeof text, model, *c, *c);
        snprintf(bad, sizeof bad, ",%cx", *c);
        tool_write("formula.json", text);
        tool_expect("run formula.json -q -o formula", 0, NULL);
        char *table = tool_read("formula/outputs.csv");
        assert_null(strstr(table, bad));
        assert_non_null(strstr(table, ",_x.position"));
        free(table);
    }
    tool_expect("sweep pendulum --t-end 0.1 --collect -final(energy) -q -o formula.csv", 0, NULL);
    char *table = tool_read("formula.csv");
    assert_non_null(strstr(table, ",'-final(energy),"));
    free(table);
}

static void one_csv_file_holds_one_table(void **state)
{
    tool_expect("run pendulum -q -o several", 0, NULL);
    tool_expect("run pendulum -q -o new/one.csv", 0, NULL);
    tool_expect("run pendulum -q -o state.csv --tables state", 0, NULL);
    static const char *const pair[2][2] = {{"several/outputs.csv", "new/one.csv"}, {"several/state.csv", "state.csv"}};
    for (size_t i = 0; i < 2; ++i) {
        char *a = tool_read(pair[i][0]), *b = tool_read(pair[i][1]);
        assert_non_null(a);
        assert_non_null(b);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    assert_false(tool_exists("new/one.csv.part") || tool_exists("new/one.csv.lock") || tool_exists("new/model.json"));
    // the file is gone on with, and is a reference
    tool_expect("run pendulum -q -o part.csv --t-end 1 --checkpoint c", 0, NULL);
    tool_expect("run pendulum -q -o part.csv --t-end 2 --resume c", 0, NULL);
    char *a = tool_read("part.csv"), *b = tool_read("new/one.csv");
    assert_string_equal(a, b);
    free(a);
    free(b);
    tool_expect("study pendulum --h 1e-2,5e-3 --reference state.csv", 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_hold_every_step_in_both_formats),
        cmocka_unit_test(the_document_and_the_files_agree),
        cmocka_unit_test(tables_of_an_earlier_run_do_not_stay),
        cmocka_unit_test(the_table_of_bodies_lists_the_bodies),
        cmocka_unit_test(tables_begin_with_the_consistent_initial_state),
        cmocka_unit_test(the_text_kept_is_that_of_the_model_that_was_run),
        cmocka_unit_test(shapes_in_hdf5_files_work_in_the_tool),
        cmocka_unit_test(forbidden_places_are_told),
        cmocka_unit_test(headers_of_csv_files_are_no_formulas),
        cmocka_unit_test(one_csv_file_holds_one_table),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
