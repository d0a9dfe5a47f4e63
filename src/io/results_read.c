/* Reading tables and notes back: from a folder of CSV files, from one CSV file, or from an HDF5 file. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "base/number.h"
#include "io/hdf5.h"
#include "io/results_impl.h"

void dal_table_release(dal_table_data *data)
{
    if (data == NULL) {
        return;
    }
    for (int j = 0; data->column != NULL && j < data->n; ++j) {
        dal_free(data->ctx, data->column[j]);
    }
    dal_free(data->ctx, data->column);
    dal_free(data->ctx, data->x);
    *data = (dal_table_data){0};
}

int dal_table_column(const dal_table_data *data, const char *name)
{
    for (int j = 0; data != NULL && name != NULL && j < data->n; ++j) {
        if (strcmp(data->column[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

/* The cell that a line of n characters begins with, its length to *cell; the line moves on behind the comma. 0: it was the
 * last one. */
static int next_cell(const char **line, size_t *n, const char **text, size_t *cell)
{
    const char *comma = memchr(*line, ',', *n);
    *text = *line;
    *cell = comma != NULL ? (size_t)(comma - *line) : *n;
    *line += *cell + (comma != NULL);
    *n -= *cell + (comma != NULL);
    return comma != NULL;
}

/* "name [unit]" to "name". */
static char *column_name(dal_ctx *ctx, const char *text, size_t n)
{
    const char *bracket = NULL;
    if (n > 0 && text[n - 1] == ']') {
        for (size_t i = 0; i + 1 < n; ++i) {
            bracket = text[i] == ' ' && text[i + 1] == '[' ? text + i : bracket;
        }
    }
    return dal_results_copy_text(ctx, text, bracket != NULL ? (size_t)(bracket - text) : n);
}

static dal_status parse_header(dal_table_data *data, dal_ctx *ctx, const char *line, size_t n)
{
    int columns = 1;
    for (size_t i = 0; i < n && columns < RESULTS_COLUMNS_MAX; ++i) {
        columns += line[i] == ',';
    }
    data->column = dal_alloc_zero(ctx, (size_t)columns * sizeof *data->column);
    data->n = columns;
    int done = 0;
    for (; data->column != NULL && done < columns; ++done) {
        const char *text;
        size_t cell;
        (void)next_cell(&line, &n, &text, &cell);
        data->column[done] = column_name(ctx, text, cell);
        if (data->column[done] == NULL) {
            break;
        }
    }
    return done == columns ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "out of memory for %d columns", columns);
}

int dal_results_cell(double *x, const char *text, size_t n)
{
    static const struct {
        const char *word;
        double value;
    } special[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i) {
        if (strlen(special[i].word) == n && memcmp(text, special[i].word, n) == 0) {
            *x = special[i].value;
            return 1;
        }
    }
    return dal_number_parse(x, text, n);
}

static dal_status parse_row(dal_table_data *data, dal_ctx *ctx, const char *line, size_t n, int row, const char *path)
{
    for (int j = 0; j < data->n; ++j) {
        const char *text;
        size_t cell;
        double *x = &data->x[(size_t)row + (size_t)j * (size_t)data->rows];
        if (next_cell(&line, &n, &text, &cell) != (j + 1 < data->n) || !dal_results_cell(x, text, cell)) {
            return dal_fail(ctx, DAL_EIO,
                            "%s:%d: column %d ('%s'): '%.*s' is not a number, or the line has not %d "
                            "columns",
                            path, row + 2, j + 1, data->column[j], cell < 40 ? (int)cell : 40, text, data->n);
        }
    }
    return DAL_OK;
}

static dal_status parse_csv(dal_table_data *data, dal_ctx *ctx, const char *text, size_t n, const char *path)
{
    // whole lines only: the last one may be cut
    size_t lines = 0;
    for (size_t i = 0; i < n; ++i) {
        lines += text[i] == '\n';
    }
    const char *end = memchr(text, '\n', n);
    if (lines < 1 || lines > INT_MAX || end == NULL) {
        return dal_fail(ctx, DAL_EIO, "'%s' is not a table: it has no line with the names of columns", path);
    }
    DAL_TRY(parse_header(data, ctx, text, (size_t)(end - text)));
    data->rows = (int)lines - 1;
    data->x = dal_alloc(ctx, (size_t)data->rows * (size_t)data->n * sizeof *data->x);
    if (data->x == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for '%s'", path);
    }
    for (int row = 0; row < data->rows; ++row) {
        const char *line = end + 1;
        end = memchr(line, '\n', n - (size_t)(line - text));
        DAL_TRY(parse_row(data, ctx, line, (size_t)(end - line), row, path));
    }
    return DAL_OK;
}

static dal_status read_csv(dal_table_data *data, dal_ctx *ctx, const char *path)
{
    char *text;
    size_t n = 0;
    DAL_TRY(dal_results_read_all(ctx, &text, &n, "read", path));
    const dal_status st = parse_csv(data, ctx, text, n, path);
    dal_free(ctx, text);
    return st;
}

/* Which file of a folder has the table? */
static dal_status find_in_folder(dal_ctx *ctx, char out[RESULTS_PATH], const char *folder, const char *name)
{
    const char *const place[][2] = {{name, ".csv"}, {"results.h5", ""}, {name, ".csv.part"}, {"results.h5.part", ""}};
    for (int i = 0; i < 4; ++i) {
        DAL_TRY(dal_results_join(ctx, out, folder, place[i][0], place[i][1]));
        if (dal_results_exists(out)) {
            return DAL_OK;
        }
    }
    return dal_fail(ctx, DAL_EIO, "the folder '%s' has no table '%s' (neither %s.csv nor results.h5)", folder, name,
                    name);
}

dal_status dal_table_read(dal_table_data *data, dal_ctx *ctx, const char *path, const char *name)
{
    DAL_NEED(ctx, data);
    *data = (dal_table_data){.ctx = ctx};
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    DAL_NEED(ctx, name);
    struct stat info;
    char file[RESULTS_PATH];
    const int there = stat(path, &info) == 0;
    if (snprintf(file, sizeof file, there ? "%s" : "%s.part", path) >= RESULTS_PATH ||
        (!there && !dal_results_exists(file))) {
        errno = strlen(path) >= sizeof file ? ENAMETOOLONG : ENOENT;
        return dal_results_fail(ctx, "read", path);
    }
    if (there && S_ISDIR(info.st_mode)) {
        DAL_TRY(find_in_folder(ctx, file, path, name));
    }
    const dal_status st =
        dal_h5_is_file(file) ? dal_results_hdf5_read(data, ctx, file, name) : read_csv(data, ctx, file);
    if (st != DAL_OK) {
        dal_table_release(data);
    }
    return st;
}

/* ---- notes ------------------------------------------------------------------------------------ */

static char *note_of_folder(dal_ctx *ctx, const char *path, const char *name)
{
    char file[RESULTS_PATH];
    char *text = NULL;
    size_t n = 0;
    if (dal_results_join(ctx, file, path, name, "") != DAL_OK || !dal_results_exists(file) ||
        dal_results_read_all(ctx, &text, &n, "read", file) != DAL_OK) {
        return NULL;
    }
    return text;
}

dal_status dal_results_note(char **text, dal_ctx *ctx, const char *path, const char *name)
{
    DAL_NEED(ctx, text);
    *text = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    DAL_NEED(ctx, name);
    struct stat info;
    char file[RESULTS_PATH];
    if (stat(path, &info) != 0) {
        return dal_results_fail(ctx, "read", path);
    }
    if (S_ISDIR(info.st_mode)) {
        *text = note_of_folder(ctx, path, name);
        if (*text == NULL && dal_results_join(ctx, file, path, "results.h5", "") == DAL_OK &&
            dal_results_exists(file)) {
            *text = dal_results_hdf5_note(ctx, file, name);
        }
    } else {
        *text = dal_results_hdf5_note(ctx, path, name);
    }
    return *text != NULL ? DAL_OK : dal_fail(ctx, DAL_EIO, "'%s' has no note '%s'", path, name);
}

void dal_results_note_free(dal_ctx *ctx, char *text)
{
    if (ctx != NULL) {
        dal_free(ctx, text);
    }
}
