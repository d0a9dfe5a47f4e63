#define _XOPEN_SOURCE 700

#include "results/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const angle_column[] = {"phi"}, *const angle_unit[] = {"rad"};
static const char *const force_column[] = {"B.Fx", "B, \"Fy\""}, *const force_unit[] = {"N", ""};
static const dal_table table[] = {{"angle", 1, angle_column, angle_unit}, {"force", 2, force_column, force_unit}};
static const dal_note note[] = {{"model.json", "{\"name\": \"tables\"}"}, {"options", "h = 0.1"}};

dal_results_spec tables_spec(dal_results_format format, const char *path)
{
    return (dal_results_spec){
        .format = format, .path = path, .ntables = 2, .table = table, .nnotes = 2, .note = note, .flush_seconds = 1e9};
}

double tables_time(int k)
{
    return 0.1 * k;
}

void tables_values(double x[TABLES_WIDTH], int k)
{
    x[0] = sin(k);
    x[1] = 1e-300 * cos(3.0 * k);
    x[2] = -1e200 / (k + 3.0);
}

void tables_check(dal_ctx *ctx, const char *path, int rows)
{
    dal_table_data data;
    check_ok(ctx, dal_table_read(&data, ctx, path, "force"));
    assert_int_equal(data.rows, rows);
    assert_int_equal(data.n, 3);
    assert_string_equal(data.column[0], "time");
    assert_int_equal(dal_table_column(&data, "B.Fx"), 1);
    assert_int_equal(dal_table_column(&data, "B_ _Fy_"), 2);
    assert_int_equal(dal_table_column(&data, "Fz"), -1);
    for (int k = 0; k < rows; ++k) {
        double x[TABLES_WIDTH];
        tables_values(x, k);
        assert_true(data.x[k] == tables_time(k));
        assert_true(data.x[k + rows] == x[1]);
        assert_true(data.x[k + 2 * rows] == x[2]);
    }
    dal_table_release(&data);
}

void tables_folder(char *name)
{
    snprintf(name, 256, "results.XXXXXX");
    assert_non_null(mkdtemp(name));
}

void tables_remove(const char *name)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", name);
    assert_int_equal(system(command), 0);
}
