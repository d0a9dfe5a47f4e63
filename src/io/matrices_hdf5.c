/* Matrices in HDF5 files: an array, a group of row, column and value (counted from 0, as `dalembert linearize` writes them), or a group of
 * compressed columns or rows (indptr, indices, data). */
#include <limits.h>
#include <math.h>

#include "base/memory.h"
#include "io/hdf5.h"
#include "io/matrices.h"

/* A dataset of rank 1 or 2; n = rows cols numbers, from the pool. *there: 0 if there is none of this name. */
static dal_status read_set(io_table *t, dal_pool *pool, hid_t where, const char *name, const char *path, int rank,
                           int *there)
{
    hsize_t size[2] = {0, 1};
    *there = H5Lexists(where, name, H5P_DEFAULT) > 0;
    if (!*there) {
        return DAL_OK;
    }
    const hid_t set = dal_h5_open_set(where, name);
    int good = set >= 0 && dal_h5_extent(set, size, rank) && (double)size[0] * (double)size[1] < INT_MAX;
    dal_status st = good ? DAL_OK
                         : dal_fail(pool->ctx, DAL_EINVAL, "%s: '%s' is not an array of numbers with %d ind%s", path,
                                    name, rank, rank == 1 ? "ex" : "ices");
    if (st == DAL_OK) {
        *t = (io_table){.rows = (int)size[0], .cols = (int)size[1]};
        t->x = dal_pool_take(pool, (size_t)size[0] * (size_t)size[1] + 1, sizeof(double));
        st = t->x == NULL ? DAL_ENOMEM
             : t->rows == 0 || t->cols == 0 || dal_h5_read_rows(set, t->x, 0, rank, size)
                 ? DAL_OK
                 : dal_fail(pool->ctx, DAL_EIO, "%s: '%s' cannot be read", path, name);
    }
    dal_h5_close(set);
    for (size_t k = 0; st == DAL_OK && t->x != NULL && k < (size_t)t->rows * (size_t)t->cols; ++k) {
        if (!isfinite(t->x[k])) {
            return dal_fail(pool->ctx, DAL_EINVAL, "%s: '%s' holds a value that is not finite (number %zu)", path, name,
                            k + 1);
        }
    }
    return st;
}

/* The first of two names that is there. */
static dal_status read_list(io_table *t, dal_pool *pool, hid_t group, const char *name, const char *other,
                            const char *path)
{
    int there = 0;
    DAL_TRY(read_set(t, pool, group, name, path, 1, &there));
    if (!there) {
        DAL_TRY(read_set(t, pool, group, other, path, 1, &there));
    }
    return there ? DAL_OK
                 : dal_fail(pool->ctx, DAL_EINVAL, "%s: a sparse matrix has no list '%s' (or '%s')", path, name, other);
}

static int whole(int *n, double x)
{
    const int good = x >= 0.0 && x < INT_MAX / 2 && x == floor(x);
    *n = good ? (int)x : 0;
    return good;
}

static dal_status from_group(io_matrix *m, dal_pool *pool, hid_t group, const char *path)
{
    io_table row = {0}, col = {0}, x = {0}, size = {0};
    int there = 0, compressed = H5Lexists(group, "indptr", H5P_DEFAULT) > 0;
    DAL_TRY(read_list(&row, pool, group, compressed ? "indices" : "row", "rows", path));
    DAL_TRY(read_list(&col, pool, group, compressed ? "indptr" : "column", "col", path));
    DAL_TRY(read_list(&x, pool, group, compressed ? "data" : "value", "data", path));
    DAL_TRY(read_set(&size, pool, group, compressed ? "shape" : "size", path, 1, &there));
    const int n = row.rows;
    DAL_TAKE(pool, m->row, n + 1);
    DAL_TAKE(pool, m->col, n + 1);
    m->x = x.x;
    m->n = n;
    int good =
        x.rows == n && (compressed ? col.rows > 0 && col.x[col.rows - 1] == n && col.x[0] == 0.0 : col.rows == n);
    for (int k = 0, j = 0; k < n && good; ++k) {
        while (compressed && good && k >= col.x[j + 1]) {
            good = ++j + 1 < col.rows;
        }
        good = good && whole(&m->row[k], row.x[k]) && whole(&m->col[k], compressed ? j : col.x[k]);
        m->rows = m->row[k] >= m->rows ? m->row[k] + 1 : m->rows;
        m->cols = m->col[k] >= m->cols ? m->col[k] + 1 : m->cols;
    }
    if (there && good && size.rows == 2) {
        int rows = 0, cols = 0;
        good = whole(&rows, size.x[0]) && whole(&cols, size.x[1]) && rows >= m->rows && cols >= m->cols;
        m->rows = rows;
        m->cols = cols;
    }
    return good ? DAL_OK
                : dal_fail(pool->ctx, DAL_EINVAL, "%s: the lists of a sparse matrix do not fit together", path);
}

static dal_status open_and_read(io_matrix *m, io_table *t, dal_pool *pool, const char *path, const char *name)
{
    int there = 0;
    const h5_quiet q = dal_h5_hush();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t group =
        file >= 0 && m != NULL && H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Gopen2(file, name, H5P_DEFAULT) : -1;
    dal_status st = file >= 0 ? DAL_OK : dal_fail(pool->ctx, DAL_EIO, "cannot read '%s' as an HDF5 file", path);
    if (st == DAL_OK && group >= 0 && m != NULL) {
        st = from_group(m, pool, group, path);
    } else if (st == DAL_OK) {
        st = read_set(t, pool, file, name, path, 2, &there);
        st = st == DAL_OK && !there ? dal_fail(pool->ctx, DAL_EINVAL, "%s: there is no '%s'", path, name) : st;
        st = st == DAL_OK && m != NULL ? dal_io_table_entries(m, pool, t) : st;
    }
    if (group >= 0) {
        H5Gclose(group);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    return st;
}

dal_status dal_io_matrix_hdf5(io_matrix *m, dal_pool *pool, const char *path, const char *name)
{
    io_table t = {0};
    *m = (io_matrix){.rows = 0};
    return open_and_read(m, &t, pool, path, name);
}

dal_status dal_io_table_hdf5(io_table *t, dal_pool *pool, const char *path, const char *name)
{
    *t = (io_table){.rows = 0};
    return open_and_read(NULL, t, pool, path, name);
}
