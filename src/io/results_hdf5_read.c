/* Reading tables and notes from an HDF5 file. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "io/hdf5.h"
#include "io/results_impl.h"

/* "time" and the names in the attribute "columns"; their numbers where there are none. */
static dal_status read_columns(dal_table_data *data, dal_ctx *ctx, hid_t set)
{
    enum { COLUMN_TEXT = 256 };
    char *text;
    size_t room = 0;
    long n = 0;
    dal_status st = dal_h5_get_texts(&text, ctx, &room, &n, set, H5_ATTRIBUTE, "columns");
    for (int j = 0; st == DAL_OK && j < data->n; ++j) {
        char name[COLUMN_TEXT];
        if (j == 0 || n != data->n - 1 || text == NULL) {
            snprintf(name, sizeof name, j == 0 ? "time" : "%d", j);
        } else {
            snprintf(name, sizeof name, "%.*s", room < sizeof name ? (int)room : (int)sizeof name - 1,
                     text + (size_t)(j - 1) * room);
        }
        data->column[j] = dal_results_copy_text(ctx, name, strlen(name));
        st = data->column[j] != NULL ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "out of memory for names");
    }
    dal_free(ctx, text);
    return st;
}

/* Rows to columns, with the times first. */
static void arrange(dal_table_data *data, const double *raw, const double *t, size_t most)
{
    const size_t n = (size_t)data->n - 1;
    // a killed writer may have left times that were announced and not written
    size_t rows = most;
    while (rows > 1 && !(t[rows - 1] > t[rows - 2])) {
        --rows;
    }
    data->rows = (int)rows;
    for (size_t i = 0; i < rows; ++i) {
        data->x[i] = t[i];
        for (size_t j = 0; j < n; ++j) {
            data->x[i + (j + 1) * rows] = raw[i * n + j];
        }
    }
}

/* The rows of the dataset that have a time. */
static dal_status read_sets(dal_table_data *data, dal_ctx *ctx, hid_t time, hid_t set, const char *path)
{
    hsize_t size[2] = {0, 0}, times = 0;
    if (!dal_h5_extent(set, size, 2) || !dal_h5_extent(time, &times, 1) || size[1] < 1 ||
        size[1] > RESULTS_COLUMNS_MAX) {
        return dal_fail(ctx, DAL_EIO,
                        "'%s' is not a table of results, or it is damaged: a list of times and rows of numbers as many "
                        "as the file can hold are expected",
                        path);
    }
    size[0] = size[0] < times ? size[0] : times;
    const size_t most = (size_t)size[0], n = (size_t)size[1];
    if (most > INT_MAX || most > SIZE_MAX / sizeof(double) / (n + 1)) {
        return dal_fail(ctx, DAL_EIO, "'%s' has %zu rows, more than can be read", path, most);
    }
    data->n = (int)n + 1;
    data->x = dal_alloc(ctx, (most * (n + 1) + 1) * sizeof *data->x);
    data->column = dal_alloc_zero(ctx, (n + 1) * sizeof *data->column);
    double *raw = dal_alloc(ctx, (most * n + 1) * sizeof *raw), *t = dal_alloc(ctx, (most + 1) * sizeof *t);
    dal_status st = DAL_OK;
    if (data->x == NULL || data->column == NULL || raw == NULL || t == NULL) {
        dal_fail(ctx, DAL_ENOMEM, "out of memory for %zu rows of '%s'", most, path);
        st = DAL_ENOMEM;
    } else if (most > 0 && !(dal_h5_read_rows(set, raw, 0, 2, size) && dal_h5_read_rows(time, t, 0, 1, size))) {
        st = dal_h5_failed(ctx, "read", path);
    } else {
        arrange(data, raw, t, most);
    }
    dal_free(ctx, raw);
    dal_free(ctx, t);
    return st == DAL_OK ? read_columns(data, ctx, set) : st;
}

dal_status dal_results_hdf5_read(dal_table_data *data, dal_ctx *ctx, const char *path, const char *name)
{
    DAL_TRY(dal_h5_memory(ctx, 0));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    dal_status st;
    const hid_t file = dal_h5_open_read(path);
    const hid_t time = file >= 0 ? dal_h5_open_set(file, "time") : -1;
    const hid_t set = file >= 0 ? dal_h5_open_set(file, name) : -1;
    if (file < 0) {
        st = dal_h5_failed(ctx, "read", path);
    } else if (time < 0 || set < 0) {
        st = dal_fail(ctx, DAL_EIO, "'%s' has no table '%s'", path, name);
    } else {
        st = read_sets(data, ctx, time, set, path);
    }
    dal_h5_close(set);
    dal_h5_close(time);
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    return st;
}

void dal_results_note_name(char plain[DAL_RESULTS_NOTE], const char *name)
{
    snprintf(plain, DAL_RESULTS_NOTE, "%s", name);
    char *point = strrchr(plain, '.');
    if (point != NULL) {
        *point = '\0';
    }
}

char *dal_results_hdf5_note(dal_ctx *ctx, const char *path, const char *name)
{
    char plain[DAL_RESULTS_NOTE], *text = NULL;
    size_t room;
    long n = 0;
    dal_results_note_name(plain, name);
    const h5_quiet q = dal_h5_hush();
    const hid_t file = dal_h5_open_read(path);
    for (h5_kind kind = H5_ATTRIBUTE; file >= 0 && text == NULL && kind <= H5_DATASET; ++kind) {
        if (dal_h5_get_texts(&text, ctx, &room, &n, file, kind, plain) != DAL_OK) {
            break;
        }
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    return text;
}
