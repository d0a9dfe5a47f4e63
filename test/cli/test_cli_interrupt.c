/* Runs that are interrupted go on; checkpoints that do not belong are refused. */
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

/* Every table, to the bit. */
static void assert_same_tables(const char *one, const char *other)
{
    static const char *const table[] = {"outputs", "bodies", "state", "monitor"};
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(table); ++i) {
        dal_table_data a, b;
        check_ok(ctx, dal_table_read(&a, ctx, one, table[i]));
        check_ok(ctx, dal_table_read(&b, ctx, other, table[i]));
        assert_int_equal(a.rows, b.rows);
        assert_int_equal(a.n, b.n);
        assert_memory_equal(a.x, b.x, (size_t)a.rows * (size_t)a.n * sizeof *a.x);
        dal_table_release(&a);
        dal_table_release(&b);
    }
    check_ctx_free(ctx);
}

static void an_interrupted_run_goes_on_bit_for_bit(void **state)
{
    static const char *const part[] = {"int/state.csv.part", "int.h5.part"};
    static const char *const place[] = {"-o int", "-o int.h5"}, *const path[] = {"int", "int.h5"};
    static const char *const whole[] = {"-o whole", "-o whole.h5"}, *const checkpoint[] = {"int/checkpoint",
                                                                                           "int.h5.checkpoint"};
    for (int f = 0; f < 2; ++f) {
        char arguments[300], hint[300];
        snprintf(arguments, sizeof arguments, "%s %s", endless, place[f]);
        tool_result r = tool_disturbed(arguments, part[f], 1, 40, SIGINT);
        assert_int_equal(r.code, 130);
        snprintf(hint, sizeof hint, "dalembert run chain --resume %s --output %s", checkpoint[f], path[f]);
        assert_non_null(strstr(r.err, hint));
        tool_free(&r);
        const int before = rows(path[f], "state");
        assert_true(before > 1);
        // go on for some time, stop again, and compare with a run that was never stopped
        snprintf(arguments, sizeof arguments, "run chain --resume %s %s", checkpoint[f], place[f]);
        r = tool_disturbed(arguments, part[f], 1, 100, SIGTERM);
        assert_int_equal(r.code, 143);
        tool_free(&r);
        const int n = rows(path[f], "state");
        assert_true(n > before);
        snprintf(arguments, sizeof arguments, "run chain -q --set N=5 --t-end %.17g %s", 1e-3 * (n - 1), whole[f]);
        tool_expect(arguments, 0, NULL);
        assert_same_tables(path[f], whole[f] + 3);
    }
}

/* Rows that were left out at the start stay out, with the same multipliers, without another start. */
static void so_does_a_run_with_redundant_constraints(void **state)
{
    static const char *const policy[] = {"drop", "least_norm"}, *const path[] = {"red", "red.h5"},
                             *const part[] = {"red/state.csv.part", "red.h5.part"},
                             *const checkpoint[] = {"red/checkpoint", "red.h5.checkpoint"},
                             *const whole[] = {"red_whole", "red_whole.h5"};
    for (int f = 0; f < 2; ++f) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "run bricard --set redundant=%s --t-end 10000 -o %s", policy[f], path[f]);
        tool_result r = tool_disturbed(arguments, part[f], 1, 40, SIGINT);
        assert_int_equal(r.code, 130);
        tool_free(&r);
        const int n = rows(path[f], "state") + 100;
        snprintf(arguments, sizeof arguments, "run bricard -q --resume %s --t-end %.17g -o %s", checkpoint[f],
                 0.005 * (n - 1), path[f]);
        tool_expect(arguments, 0, NULL);
        assert_int_equal(rows(path[f], "state"), n);
        snprintf(arguments, sizeof arguments, "run bricard -q --set redundant=%s --t-end %.17g -o %s", policy[f],
                 0.005 * (n - 1), whole[f]);
        tool_expect(arguments, 0, NULL);
        assert_same_tables(path[f], whole[f]);
    }
}

static void integrals_go_on_from_a_checkpoint(void **state)
{
    tool_write(
        "damped.json",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"point\", \"mass\": 1, \"velocity\": [2, 0]}],"
        "\"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_b\": \"b\", \"stiffness\": 4, \"damping\": 0.4, "
        "\"coordinate\": \"translation_x\"}], \"simulation\": {\"h\": 0.01}, "
        "\"outputs\": [\"b.position\", \"s.work\", \"dissipated_energy\", \"energy\"]}");
    tool_expect("run damped.json -q --t-end 0.5 --checkpoint damped.cp", 0, NULL);
    json_t *parts = tool_json("run damped.json --json --t-end 1 --resume damped.cp", 0);
    json_t *whole = tool_json("run damped.json --json --t-end 1", 0);
    const json_t *y = json_object_get(whole, "outputs");
    assert_true(json_equal(json_object_get(parts, "outputs"), y));
    const double D = json_number_value(json_array_get(json_object_get(y, "dissipated_energy"), 0));
    const double E = json_number_value(json_array_get(json_object_get(y, "energy"), 0));
    assert_true(D > 0.1);
    assert_near(D + E, 2.0, 1e-4);
    json_decref(parts);
    json_decref(whole);
}

static void checkpoints_are_refused_where_they_do_not_belong(void **state)
{
    tool_expect("run pendulum -q --t-end 0.5 --checkpoint p.cp", 0, NULL);
    tool_expect("run pendulum -q --t-end 1 --resume p.cp", 0, NULL);
    tool_expect("run double_pendulum -q --resume p.cp", 2, "another model");
    tool_expect("run pendulum -q --resume p.cp --set rho_inf=0.3", 2, "rho_inf");
    char *text = tool_read("p.cp");
    tool_write("cut.cp", text); // text only: the numbers are missing
    free(text);
    tool_expect("run pendulum -q --resume cut.cp", 5, "not a checkpoint");
    tool_expect("run pendulum -q --t-end 0.5 --checkpoint no/such/folder/p.cp", 5, "No such file");
}

/* Every byte of a checkpoint is under its checksum. */
static void a_damaged_checkpoint_is_refused(void **state)
{
    tool_expect("run heavy_top --set m=14 -q --t-end 0.1 --checkpoint sound.cp", 0, NULL);
    FILE *in = fopen("sound.cp", "rb");
    static char bytes[1 << 20];
    const size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    char *set = strstr(bytes, "m=14");
    assert_non_null(set);
    const size_t at[] = {3, 24, 60, (size_t)(set - bytes) + 3, n / 2, n - 1};
    for (size_t i = 0; i < LEN(at); ++i) {
        bytes[at[i]] ^= 1;
        FILE *out = fopen("damaged.cp", "wb");
        fwrite(bytes, 1, n, out);
        fclose(out);
        bytes[at[i]] ^= 1;
        tool_expect("run heavy_top -q --resume damaged.cp", 5, "checkpoint");
    }
}

static void values_of_a_checkpoint_cannot_be_changed(void **state)
{
    tool_expect("run heavy_top --set m=14 --h 1e-3 -q --t-end 0.1 --checkpoint kept.cp", 0, NULL);
    tool_expect("run heavy_top -q --resume kept.cp --t-end 0.2 --set m=15", 2, "m=15");
    tool_expect("run heavy_top -q --resume kept.cp --t-end 0.2 --h 1e-4", 2, "h=1e-4");
    tool_expect("run heavy_top -q --resume kept.cp --t-end 0.2 --set rho_inf=0.5", 2, "rho_inf=0.5");
    tool_expect("run heavy_top -q --resume kept.cp --t-end 0.2 --set m=14.0 --h 0.001", 0, NULL);
}

/* Rows that another run left cannot stand in for those before the checkpoint. */
static void results_of_another_run_are_not_continued(void **state)
{
    static const char *const place[] = {"-o other", "-o other.h5"};
    for (int f = 0; f < 2; ++f) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "run heavy_top -q --t-end 0.1 --checkpoint first.cp %s", place[f]);
        tool_expect(arguments, 0, NULL);
        snprintf(arguments, sizeof arguments, "run heavy_top -q --set m=14 --t-end 0.2 %s", place[f]);
        tool_expect(arguments, 0, NULL);
        snprintf(arguments, sizeof arguments, "run heavy_top -q --resume first.cp --t-end 0.2 %s", place[f]);
        tool_expect(arguments, 5, "another run");
    }
    tool_expect("run heavy_top -q --resume first.cp --t-end 0.2 -o fresh", 0, "its tables begin at t = 0.1");
}

/* A step has 1e6 rows here. */
static void a_run_stops_between_the_rows_of_a_step(void **state)
{
    static const int number[] = {SIGINT, SIGTERM};
    for (size_t k = 0; k < LEN(number); ++k) {
        tool_result r =
            tool_disturbed("run heavy_top --output-every 1e-9 --allow-many-rows --tables outputs -o rows -q",
                           "rows/outputs.csv.part", 1, 40, number[k]);
        assert_int_equal(r.code, 128 + number[k]);
        assert_non_null(strstr(r.err, "Stopped at t = 0.001 s of 1 s"));
        assert_non_null(strstr(r.err, "a run that goes on writes none between these times"));
        tool_free(&r);
        const int n = rows("rows", "outputs");
        assert_true(n > 1 && n < 1000000);
    }
}

static void absurd_numbers_of_rows_are_refused_with_their_size(void **state)
{
    tool_expect("run heavy_top --output-every 1e-9 -o absurd", 2, "1e+09 rows, about ");
    tool_expect("run heavy_top --output-every 1e-9 -o absurd", 2, " GB: take a larger --output-every");
    tool_expect("run heavy_top --output-every 1e-9 -o absurd", 2, "--allow-many-rows");
    tool_expect("run heavy_top --h 1e-10 -o absurd.h5", 2, "1e+10 rows");
    tool_expect("run heavy_top --output-every 1e-9 --plot absurd.svg", 2, "1e+09 rows:");
    assert_false(tool_exists("absurd") || tool_exists("absurd.h5"));
    tool_expect("run heavy_top --output-every 1e-9 --t-end 1e-3 -q", 0, NULL); // nobody takes them
    tool_expect("run heavy_top --h 1e-10 --t-end 1e-7 -q --every 100 -o few", 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_run_goes_on_bit_for_bit),
        cmocka_unit_test(so_does_a_run_with_redundant_constraints),
        cmocka_unit_test(integrals_go_on_from_a_checkpoint),
        cmocka_unit_test(checkpoints_are_refused_where_they_do_not_belong),
        cmocka_unit_test(a_damaged_checkpoint_is_refused),
        cmocka_unit_test(values_of_a_checkpoint_cannot_be_changed),
        cmocka_unit_test(results_of_another_run_are_not_continued),
        cmocka_unit_test(a_run_stops_between_the_rows_of_a_step),
        cmocka_unit_test(absurd_numbers_of_rows_are_refused_with_their_size),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
