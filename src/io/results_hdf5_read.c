/* Reading a table from an HDF5 file, and what reading and writing share. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/results_hdf5_impl.h"

enum { COLUMN_TEXT = 256 };

h5_quiet dal_h5_hush(void)
{
    h5_quiet q;
    H5Eget_auto2(H5E_DEFAULT, &q.call, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

void dal_h5_unhush(h5_quiet q)
{
    H5Eset_auto2(H5E_DEFAULT, q.call, q.data);
}

hid_t dal_h5_access(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return access;
}

hid_t dal_h5_open_read(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return file >= 0 ? file : H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
}

static dal_status read_columns(dal_table_data *data, dal_ctx *ctx, hid_t set)
{
    const hid_t attribute = H5Aexists(set, "columns") > 0 ? H5Aopen(set, "columns", H5P_DEFAULT) : -1;
    char *text = NULL;
    size_t room = 0;
    dal_status st = DAL_OK;
    if (attribute >= 0) {
        const hid_t type = H5Aget_type(attribute);
        const hid_t space = H5Aget_space(attribute);
        room = H5Tget_size(type);
        const int fits = !H5Tis_variable_str(type) && H5Sget_simple_extent_npoints(space) == data->n - 1;
        text = fits ? dal_alloc_zero(ctx, room * (size_t)data->n) : NULL;
        if (text != NULL && H5Aread(attribute, type, text) < 0) {
            room = 0;
        }
        H5Sclose(space);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    for (int j = 0; st == DAL_OK && j < data->n; ++j) {
        char name[COLUMN_TEXT];
        const int digits = room < sizeof name ? (int)room : (int)sizeof name - 1;
        if (j == 0) {
            snprintf(name, sizeof name, "time");
        } else if (text != NULL && room > 0) {
            snprintf(name, sizeof name, "%.*s", digits, text + (size_t)(j - 1) * room);
        } else {
            snprintf(name, sizeof name, "%d", j);
        }
        data->column[j] = dal_results_copy_text(ctx, name);
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
    const hid_t space = H5Dget_space(set), time_space = H5Dget_space(time);
    hsize_t size[2] = {0, 0}, times = 0;
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank == 2) {
        H5Sget_simple_extent_dims(space, size, NULL);
    }
    H5Sget_simple_extent_dims(time_space, &times, NULL);
    H5Sclose(space);
    H5Sclose(time_space);
    const size_t most = (size_t)(size[0] < times ? size[0] : times), n = (size_t)size[1];
    if (rank != 2 || most > 1000000000 || n > 100000000 / 8) {
        return dal_fail(ctx, DAL_EIO, "'%s' is not a table of results", path);
    }
    data->n = (int)n + 1;
    data->x = dal_alloc(ctx, most * (n + 1) * sizeof *data->x);
    data->column = dal_alloc_zero(ctx, (n + 1) * sizeof *data->column);
    double *raw = dal_alloc(ctx, (size_t)size[0] * n * sizeof *raw), *t = dal_alloc(ctx, (size_t)times * sizeof *t);
    dal_status st = DAL_OK;
    if (data->x == NULL || data->column == NULL || raw == NULL || t == NULL) {
        dal_fail(ctx, DAL_ENOMEM, "out of memory for %zu rows of '%s'", most, path);
        st = DAL_ENOMEM;
    } else if (most > 0 && (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw) < 0 ||
                            H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t) < 0)) {
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
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    dal_status st;
    const hid_t file = dal_h5_open_read(path);
    const hid_t time = file >= 0 ? H5Dopen2(file, "time", H5P_DEFAULT) : -1;
    const hid_t set = file >= 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
    if (file < 0) {
        st = dal_h5_failed(ctx, "read", path);
    } else if (time < 0 || set < 0) {
        st = dal_fail(ctx, DAL_EIO, "'%s' has no table '%s'", path, name);
    } else {
        st = read_sets(data, ctx, time, set, path);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    if (time >= 0) {
        H5Dclose(time);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    return st;
}
