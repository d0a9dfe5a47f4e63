/* Matrices as an HDF5 file: made in memory, written as a whole. */
#include "base/memory.h"
#include "base/message.h"
#include "dalembert/results.h"
#include "io/hdf5.h"

static int put_reals(hid_t where, const char *name, int rank, const hsize_t *size, const double *x)
{
    return dal_h5_put(where, H5_DATASET, name, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, rank, size, x);
}

static int put_ints(hid_t where, const char *name, hsize_t n, const int *x)
{
    return dal_h5_put(where, H5_DATASET, name, H5T_NATIVE_INT, H5T_NATIVE_INT, 1, &n, n > 0 ? x : NULL);
}

/* Rows x columns as HDF5 has them: row by row. */
static int put_dense(dal_ctx *ctx, hid_t file, const dal_array *a)
{
    hsize_t each[4];
    int rank = 0;
    for (; rank < 4 && a->size[rank] > 0; ++rank) {
        each[rank] = (hsize_t)a->size[rank];
    }
    if (rank > 0) {
        return put_reals(file, a->name, rank, each, a->x);
    }
    const hsize_t size[2] = {(hsize_t)a->rows, (hsize_t)a->cols};
    double *x = dal_alloc(ctx, (size_t)a->rows * (size_t)a->cols * sizeof *x);
    if (!x) {
        return 1;
    }
    for (int i = 0; i < a->rows; ++i) {
        for (int j = 0; j < a->cols; ++j) {
            x[(size_t)i * (size_t)a->cols + (size_t)j] = a->x[(size_t)i + (size_t)j * (size_t)a->rows];
        }
    }
    const int bad = put_reals(file, a->name, 2, size, x);
    dal_free(ctx, x);
    return bad;
}

/* A group with row, column, value and size. */
static int put_sparse(hid_t file, const dal_array *a)
{
    const hsize_t n = (hsize_t)a->nnz;
    const int size[2] = {a->rows, a->cols};
    const hid_t group = H5Gcreate2(file, a->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) {
        return 1;
    }
    const int bad = put_ints(group, "row", n, a->row) || put_ints(group, "column", n, a->col) ||
                    put_reals(group, "value", 1, &n, n > 0 ? a->x : NULL) || put_ints(group, "size", 2, size);
    H5Gclose(group);
    return bad;
}

static int fill(dal_ctx *ctx, hid_t file, const dal_array *array, int n, const dal_note *note, int nnotes)
{
    int bad = 0;
    for (int k = 0; k < n && !bad; ++k) {
        bad = array[k].row ? put_sparse(file, &array[k]) : put_dense(ctx, file, &array[k]);
    }
    for (int k = 0; k < nnotes && !bad; ++k) {
        bad = dal_h5_put_text(file, H5_DATASET, note[k].name, note[k].text);
    }
    return bad || H5Fflush(file, H5F_SCOPE_GLOBAL) < 0;
}

/* The bytes of the file, and to the disk with them. */
static dal_status save(dal_ctx *ctx, hid_t file, const char *path)
{
    const ssize_t n = H5Fget_file_image(file, NULL, 0);
    char *image = n > 0 ? dal_alloc(ctx, (size_t)n) : NULL;
    dal_status st = image && H5Fget_file_image(file, image, (size_t)n) == n ? DAL_OK : dal_h5_failed(ctx, "make", path);
    st = st != DAL_OK ? st : dal_file_write(ctx, path, image, (size_t)n);
    dal_free(ctx, image);
    return st;
}

dal_status dal_arrays_write(dal_ctx *ctx, const char *path, const dal_array *array, int n, const dal_note *note,
                            int nnotes)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    size_t bytes = 4 * 1024 * 1024;
    for (int k = 0; k < n; ++k) {
        DAL_NEED(ctx, array);
        bytes += 32 * (array[k].row ? (size_t)array[k].nnz : (size_t)array[k].rows * (size_t)array[k].cols);
        for (size_t i = 0, many = 32; i < 4 && array[k].size[i] > 0; bytes += many, ++i) {
            many *= (size_t)array[k].size[i];
        }
    }
    if (nnotes > 0) {
        DAL_NEED(ctx, note);
    }
    DAL_TRY(dal_h5_memory(ctx, bytes));
    const h5_quiet quiet = dal_h5_hush();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1024 * 1024, 0);
    const hid_t file = H5Fcreate("arrays", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    dal_status st = file >= 0 && !fill(ctx, file, array, n, note, nnotes) ? DAL_OK : dal_h5_failed(ctx, "make", path);
    st = st != DAL_OK ? st : save(ctx, file, path);
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(quiet);
    return st;
}
