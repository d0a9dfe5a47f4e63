/* Reading a table from an HDF5 file, and what reading and writing share. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/results_hdf5_impl.h"

enum { COLUMN_TEXT = 256, MAX_COLUMNS = 10000000 };

dal_status dal_h5_memory(dal_ctx *ctx, size_t bytes)
{
    const size_t caches = 16 * 1024 * 1024;
    void *trial = bytes < SIZE_MAX - caches ? malloc(bytes + caches) : NULL; // HDF5 asks malloc, not the context
    if (trial == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for HDF5");
    }
    free(trial);
    return DAL_OK;
}

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

/* Readers of that mode repeat what has a wrong checksum, and HDF5 waits twice as long each time: by default 100 times,
 * which is forever. A writer at work is met within a millisecond, 2^20 ns. */
hid_t dal_h5_open_read(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_metadata_read_attempts(access, 20);
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
        H5Pclose(access);
    }
    return file;
}

hid_t dal_h5_open_set(hid_t file, const char *name)
{
    H5L_info_t link;
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0 || H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 ||
        (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT)) {
        return -1;
    }
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), how = set >= 0 ? H5Dget_create_plist(set) : -1;
    const int own = how >= 0 && H5Pget_external_count(how) == 0 && H5Pget_layout(how) != H5D_VIRTUAL;
    (void)(how >= 0 ? H5Pclose(how) : 0);
    if (set >= 0 && !own) {
        H5Dclose(set);
        return -1;
    }
    return set;
}

int dal_h5_extent(hid_t set, hsize_t *size, int rank)
{
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int good = space >= 0 && (kind == H5T_FLOAT || kind == H5T_INTEGER) &&
               H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == rank &&
               H5Sget_simple_extent_dims(space, size, NULL) == rank;
    // rows are stored, if compressed by deflate: 1032 to 1 at the best; a killed writer may have announced a bunch more
    double bytes = (double)sizeof(double);
    for (int k = 0; good && k < rank; ++k) {
        bytes *= (double)size[k];
    }
    good = good && bytes <= 1032.0 * (double)H5Dget_storage_size(set) + H5_UNSTORED;
    (void)(space >= 0 ? H5Sclose(space) : 0);
    (void)(type >= 0 ? H5Tclose(type) : 0);
    return good;
}

int dal_h5_read_rows(hid_t set, double *x, int rank, const hsize_t *size)
{
    const hsize_t first[2] = {0, 0};
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, size, NULL);
    const int good = space >= 0 && memory >= 0 &&
                     H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, size, NULL) >= 0 &&
                     H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, x) >= 0;
    (void)(memory >= 0 ? H5Sclose(memory) : 0);
    (void)(space >= 0 ? H5Sclose(space) : 0);
    return good;
}

/* The texts of the attribute "columns", `room` characters each; *text stays NULL if they are not there as they should. */
static dal_status read_names(dal_ctx *ctx, hid_t set, int n, char **text, size_t *room)
{
    const hid_t attribute = H5Aexists(set, "columns") > 0 ? H5Aopen(set, "columns", H5P_DEFAULT) : -1;
    dal_status st = DAL_OK;
    *text = NULL;
    if (attribute < 0) {
        return DAL_OK;
    }
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const int texts = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                      H5Sget_simple_extent_npoints(space) == n;
    *room = texts ? H5Tget_size(type) : 0;
    if (*room > 0 && *room <= H5_UNSTORED / (size_t)(n + 1)) {
        *text = dal_alloc_zero(ctx, *room * (size_t)(n + 1));
        st = *text != NULL ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "out of memory for the names of %d columns", n);
        if (st == DAL_OK && H5Aread(attribute, type, *text) < 0) {
            dal_free(ctx, *text);
            *text = NULL;
        }
    }
    (void)(space >= 0 ? H5Sclose(space) : 0);
    (void)(type >= 0 ? H5Tclose(type) : 0);
    H5Aclose(attribute);
    return st;
}

static dal_status read_columns(dal_table_data *data, dal_ctx *ctx, hid_t set)
{
    char *text;
    size_t room = 0;
    dal_status st = read_names(ctx, set, data->n - 1, &text, &room);
    for (int j = 0; st == DAL_OK && j < data->n; ++j) {
        char name[COLUMN_TEXT];
        const int digits = room < sizeof name ? (int)room : (int)sizeof name - 1;
        if (j == 0) {
            snprintf(name, sizeof name, "time");
        } else if (text != NULL) {
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
    hsize_t size[2] = {0, 0}, times = 0;
    if (!dal_h5_extent(set, size, 2) || !dal_h5_extent(time, &times, 1) || size[1] < 1 || size[1] > MAX_COLUMNS) {
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
    } else if (most > 0 && !(dal_h5_read_rows(set, raw, 2, size) && dal_h5_read_rows(time, t, 1, size))) {
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
