/* Reading a table back: from a folder of CSV files, from one CSV file, or from an HDF5 file. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "base/number.h"
#include "io/results_impl.h"

enum { MAX_COLUMNS = 10000000 };

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

/* The whole file as text that ends with a zero. */
static dal_status read_all(dal_ctx *ctx, const char *path, char **text, size_t *n)
{
    FILE *in = fopen(path, "rb");
    *text = NULL;
    if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
        const dal_status st = dal_results_fail(ctx, "read", path);
        if (in != NULL) {
            fclose(in);
        }
        return st;
    }
    const long size = ftell(in);
    rewind(in);
    *text = dal_alloc(ctx, (size_t)(size > 0 ? size : 0) + 1);
    *n = *text != NULL ? fread(*text, 1, (size_t)(size > 0 ? size : 0), in) : 0;
    fclose(in);
    if (*text == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for '%s'", path);
    }
    (*text)[*n] = '\0';
    return DAL_OK;
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
    const size_t length = bracket != NULL ? (size_t)(bracket - text) : n;
    char *name = dal_alloc(ctx, length + 1);
    if (name != NULL) {
        memcpy(name, text, length);
        name[length] = '\0';
    }
    return name;
}

static dal_status parse_header(dal_table_data *data, dal_ctx *ctx, const char *line, size_t n)
{
    int columns = 1;
    for (size_t i = 0; i < n && columns < MAX_COLUMNS; ++i) {
        columns += line[i] == ',';
    }
    data->column = dal_alloc_zero(ctx, (size_t)columns * sizeof *data->column);
    data->n = columns;
    for (int j = 0; data->column != NULL && j < columns; ++j) {
        const char *comma = memchr(line, ',', n);
        const size_t cell = comma != NULL ? (size_t)(comma - line) : n;
        data->column[j] = column_name(ctx, line, cell);
        if (data->column[j] == NULL) {
            break;
        }
        line += comma != NULL ? cell + 1 : cell;
        n -= comma != NULL ? cell + 1 : cell;
    }
    if (data->column == NULL || data->column[columns - 1] == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for %d columns", columns);
    }
    return DAL_OK;
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
        const char *comma = memchr(line, ',', n);
        const size_t cell = comma != NULL ? (size_t)(comma - line) : n;
        double *x = &data->x[(size_t)row + (size_t)j * (size_t)data->rows];
        if ((comma != NULL) != (j + 1 < data->n) || !dal_results_cell(x, line, cell)) {
            return dal_fail(ctx, DAL_EIO,
                            "%s:%d: column %d ('%s'): '%.*s' is not a number, or the line has not %d "
                            "columns",
                            path, row + 2, j + 1, data->column[j], cell < 40 ? (int)cell : 40, line, data->n);
        }
        line += comma != NULL ? cell + 1 : cell;
        n -= comma != NULL ? cell + 1 : cell;
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
    DAL_TRY(read_all(ctx, path, &text, &n));
    if (text == NULL) {
        return DAL_ENOMEM;
    }
    const dal_status st = parse_csv(data, ctx, text, n, path);
    dal_free(ctx, text);
    return st;
}

/* Which file of a folder has the table, and is it HDF5? */
static dal_status find_in_folder(dal_ctx *ctx, char out[RESULTS_PATH], const char *folder, const char *name, int *hdf5)
{
    static const char *const csv[] = {".csv", ".csv.part"}, *const h5[] = {"results.h5", "results.h5.part"};
    for (int i = 0; i < 2; ++i) {
        *hdf5 = 0;
        DAL_TRY(dal_results_join(ctx, out, folder, name, csv[i]));
        if (dal_results_exists(out)) {
            return DAL_OK;
        }
        *hdf5 = 1;
        DAL_TRY(dal_results_join(ctx, out, folder, h5[i], ""));
        if (dal_results_exists(out)) {
            return DAL_OK;
        }
    }
    return dal_fail(ctx, DAL_EIO, "the folder '%s' has no table '%s' (neither %s.csv nor results.h5)", folder, name,
                    name);
}

static int is_hdf5(const char *path)
{
    static const unsigned char mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char start[8] = {0};
    FILE *in = fopen(path, "rb");
    const size_t n = in != NULL ? fread(start, 1, sizeof start, in) : 0;
    if (in != NULL) {
        fclose(in);
    }
    return n == sizeof mark && memcmp(start, mark, sizeof mark) == 0;
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
    int hdf5 = 0;
    if (strlen(path) >= sizeof file) {
        errno = ENAMETOOLONG;
        return dal_results_fail(ctx, "read", path);
    }
    memcpy(file, path, strlen(path) + 1);
    if (stat(path, &info) != 0) {
        snprintf(file, sizeof file, "%.*s.part", RESULTS_PATH - 6, path);
        if (!dal_results_exists(file)) {
            errno = ENOENT;
            return dal_results_fail(ctx, "read", path);
        }
        hdf5 = is_hdf5(file);
    } else if (S_ISDIR(info.st_mode)) {
        DAL_TRY(find_in_folder(ctx, file, path, name, &hdf5));
    } else {
        hdf5 = is_hdf5(file);
    }
    const dal_status st = hdf5 ? dal_results_hdf5_read(data, ctx, file, name) : read_csv(data, ctx, file);
    if (st != DAL_OK) {
        dal_table_release(data);
    }
    return st;
}
