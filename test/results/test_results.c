/* Result files are written and read back to the last bit, can be gone on with, and keep notes. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problems/problems.h"
#include "results/tables.h"

static const dal_results_format formats[] = {DAL_RESULTS_CSV, DAL_RESULTS_HDF5};
static const char *const places[] = {"%s/a/b", "%s/a/results.h5"};

static void add_rows(dal_ctx *ctx, dal_results *r, int from, int to)
{
    for (int k = from; k < to; ++k) {
        double x[TABLES_WIDTH];
        tables_values(x, k);
        check_ok(ctx, dal_results_row(r, tables_time(k), x));
    }
}

static void rows_read_back_to_the_last_bit(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        dal_results *r;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        const dal_results_spec spec = tables_spec(formats[f], path);
        check_ok(ctx, dal_results_create(&r, ctx, &spec));
        add_rows(ctx, r, 0, 30000);
        check_ok(ctx, dal_results_close(r, NULL, 0));
        double x[TABLES_WIDTH] = {0};
        check_fails(ctx, dal_results_row(r, 0.0, x), DAL_EINVAL, "is closed");
        dal_results_destroy(r);
        tables_check(ctx, path, 30000);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

static int exists(const char *folder, const char *name)
{
    char path[600];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0;
}

static void names_are_final_only_after_closing(void **state)
{
    dal_ctx *ctx = check_ctx();
    char folder[256], path[300];
    dal_results *r;
    tables_folder(folder);
    dal_results_spec spec = tables_spec(DAL_RESULTS_CSV, folder);
    check_ok(ctx, dal_results_create(&r, ctx, &spec));
    add_rows(ctx, r, 0, 10);
    check_ok(ctx, dal_results_flush(r));
    assert_true(exists(folder, "force.csv.part") && !exists(folder, "force.csv"));
    tables_check(ctx, folder, 10); // readable meanwhile
    check_ok(ctx, dal_results_close(r, NULL, 0));
    dal_results_destroy(r);
    assert_true(!exists(folder, "force.csv.part") && exists(folder, "force.csv") && exists(folder, "angle.csv"));

    snprintf(path, sizeof path, "%s/r.h5", folder);
    spec = tables_spec(DAL_RESULTS_HDF5, path);
    check_ok(ctx, dal_results_create(&r, ctx, &spec));
    add_rows(ctx, r, 0, 10);
    check_ok(ctx, dal_results_flush(r));
    assert_true(exists(folder, "r.h5.part") && !exists(folder, "r.h5"));
    check_ok(ctx, dal_results_close(r, NULL, 0));
    dal_results_destroy(r);
    assert_true(!exists(folder, "r.h5.part") && exists(folder, "r.h5"));
    tables_remove(folder);
    check_ctx_free(ctx);
}

/* A run that was interrupted after row 70, whose last saved state is that of row 40. */
static void a_run_goes_on_where_it_was_saved(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        for (int closed = 0; closed < 2; ++closed) {
            char folder[256], path[300];
            dal_results *r;
            tables_folder(folder);
            snprintf(path, sizeof path, places[f], folder);
            dal_results_spec spec = tables_spec(formats[f], path);
            check_ok(ctx, dal_results_create(&r, ctx, &spec));
            add_rows(ctx, r, 0, 71);
            if (closed) {
                check_ok(ctx, dal_results_close(r, NULL, 0));
            }
            dal_results_destroy(r);
            tables_check(ctx, path, 71);
            spec.append = 1;
            spec.append_after = tables_time(40);
            check_ok(ctx, dal_results_create(&r, ctx, &spec));
            add_rows(ctx, r, 41, 100);
            check_ok(ctx, dal_results_close(r, NULL, 0));
            dal_results_destroy(r);
            tables_check(ctx, path, 100);
            tables_remove(folder);
        }
    }
    check_ctx_free(ctx);
}

static void header_has_names_and_units(void **state)
{
    dal_ctx *ctx = check_ctx();
    char folder[256], path[300], line[200] = "";
    dal_results *r;
    tables_folder(folder);
    const dal_results_spec spec = tables_spec(DAL_RESULTS_CSV, folder);
    check_ok(ctx, dal_results_create(&r, ctx, &spec));
    const dal_note last = {"statistics", "steps = 3"};
    check_ok(ctx, dal_results_close(r, &last, 1));
    dal_results_destroy(r);
    snprintf(path, sizeof path, "%s/force.csv", folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    fclose(in);
    assert_string_equal(line, "time [s],B.Fx [N],B_ _Fy_\n");
    assert_true(exists(folder, "model.json") && exists(folder, "options.txt") && exists(folder, "statistics.txt"));
    tables_remove(folder);
    check_ctx_free(ctx);
}

static void values_that_are_no_numbers_survive(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        dal_results *r;
        dal_table_data data;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        const dal_results_spec spec = tables_spec(formats[f], path);
        const double x[TABLES_WIDTH] = {-INFINITY, NAN, INFINITY};
        check_ok(ctx, dal_results_create(&r, ctx, &spec));
        check_ok(ctx, dal_results_row(r, 0.0, x));
        check_ok(ctx, dal_results_close(r, NULL, 0));
        dal_results_destroy(r);
        check_ok(ctx, dal_table_read(&data, ctx, path, "force"));
        assert_true(isnan(data.x[1]) && data.x[2] == INFINITY);
        dal_table_release(&data);
        tables_remove(folder);
    }
    check_ctx_free(ctx);
}

static void a_table_wider_than_the_buffer_is_written(void **state)
{
    enum { N = 70000 };
    dal_ctx *ctx = check_ctx();
    const char **column = malloc(N * sizeof *column);
    double *x = calloc(N, sizeof *x);
    for (int j = 0; j < N; ++j) {
        column[j] = "c";
    }
    const dal_table wide = {"wide", N, column, NULL};
    for (int f = 0; f < 2; ++f) {
        char folder[256], path[300];
        dal_results *r;
        dal_table_data data;
        tables_folder(folder);
        snprintf(path, sizeof path, places[f], folder);
        const dal_results_spec spec = {.format = formats[f], .path = path, .ntables = 1, .table = &wide};
        check_ok(ctx, dal_results_create(&r, ctx, &spec));
        for (int k = 0; k < 3; ++k) {
            x[N - 1] = k;
            check_ok(ctx, dal_results_row(r, k, x));
        }
        check_ok(ctx, dal_results_close(r, NULL, 0));
        dal_results_destroy(r);
        check_ok(ctx, dal_table_read(&data, ctx, path, "wide"));
        assert_int_equal(data.rows, 3);
        assert_int_equal(data.n, N + 1);
        assert_true(data.x[2 + 3 * N] == 2.0);
        dal_table_release(&data);
        tables_remove(folder);
    }
    free(column);
    free(x);
    check_ctx_free(ctx);
}

static void a_simulation_is_recorded_step_by_step(void **state)
{
    static const char *const q[] = {"x", "y"}, *const v[] = {"vx", "vy"}, *const la[] = {"tension"};
    static const dal_table tables[] = {{"q", 2, q, NULL}, {"v", 2, v, NULL}, {"lambda", 1, la, NULL}};
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_sim *sim;
    dal_results *r, *wrong;
    dal_table_data data;
    char folder[256];
    tables_folder(folder);
    check_ok(ctx, problem_pendulum(&p, ctx, 0.2));
    dal_options opt = dal_options_init();
    opt.h = 0.01;
    check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
    dal_results_spec spec = {.format = DAL_RESULTS_CSV, .path = folder, .ntables = 2, .table = tables};
    check_ok(ctx, dal_results_create(&wrong, ctx, &spec));
    check_fails(ctx, dal_results_observe(wrong, sim, p.sys, NULL, NULL), DAL_EINVAL, "5 numbers");
    dal_results_destroy(wrong);
    spec.ntables = 3;
    check_ok(ctx, dal_results_create(&r, ctx, &spec));
    check_ok(ctx, dal_results_observe(r, sim, p.sys, NULL, NULL));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    check_ok(ctx, dal_results_close(r, NULL, 0));
    check_ok(ctx, dal_table_read(&data, ctx, folder, "lambda"));
    assert_int_equal(data.rows, 101);
    assert_true(data.x[100 + 101] == dal_sim_state(sim).la[0]);
    dal_table_release(&data);
    dal_sim_destroy(sim);
    dal_results_destroy(r);
    problem_free(&p);
    tables_remove(folder);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_read_back_to_the_last_bit),
        cmocka_unit_test(names_are_final_only_after_closing),
        cmocka_unit_test(a_run_goes_on_where_it_was_saved),
        cmocka_unit_test(header_has_names_and_units),
        cmocka_unit_test(values_that_are_no_numbers_survive),
        cmocka_unit_test(a_table_wider_than_the_buffer_is_written),
        cmocka_unit_test(a_simulation_is_recorded_step_by_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
