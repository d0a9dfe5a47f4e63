/* Matrices as HDF5 files: what is read back is what was written. */
#define _DEFAULT_SOURCE

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dalembert/results.h"
#include "support/check.h"

static void read_reals(double *x, hid_t file, const char *name)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
}

static void dense_and_sparse_matrices_and_texts_come_back(void **state)
{
    static const double dense[6] = {1, 2, 3, 4, 5, 6}, values[2] = {0.1, -7.25}; // 2 x 3 by columns
    static const int row[2] = {0, 3}, col[2] = {2, 1}, none[1] = {0};
    const dal_array list[] = {{.name = "A", .rows = 2, .cols = 3, .x = dense},
                              {.name = "E", .rows = 4, .cols = 5, .x = values, .nnz = 2, .row = row, .col = col},
                              {.name = "empty", .rows = 4, .cols = 5, .nnz = 0, .row = none, .col = none}};
    const dal_note note[] = {{"inputs", "drive\nmotor"}, {"nothing", ""}};
    dal_ctx *ctx = check_ctx();
    char path[] = "/tmp/dalembert_arrays_XXXXXX.h5", text[32] = "";
    const int fd = mkstemps(path, 3);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    check_ok(ctx, dal_arrays_write(ctx, path, list, 3, note, 2));
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    double x[6];
    read_reals(x, file, "A"); // row by row
    assert_all_near(x, ((double[]){1, 3, 5, 2, 4, 6}), 6, 0.0);
    read_reals(x, file, "E/value");
    assert_all_near(x, values, 2, 0.0);
    read_reals(x, file, "E/row");
    assert_all_near(x, ((double[]){0, 3}), 2, 0.0);
    read_reals(x, file, "E/column");
    assert_all_near(x, ((double[]){2, 1}), 2, 0.0);
    read_reals(x, file, "empty/size");
    assert_all_near(x, ((double[]){4, 5}), 2, 0.0);
    const hid_t set = H5Dopen2(file, "inputs", H5P_DEFAULT), type = H5Dget_type(set);
    assert_int_equal(H5Tget_size(type), strlen("drive\nmotor"));
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, "drive\nmotor");
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
    unlink(path);
    check_ctx_free(ctx);
}

static void a_path_that_cannot_be_written_is_told(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_fails(ctx, dal_arrays_write(ctx, "/dev/null/a.h5", NULL, 0, NULL, 0), DAL_EIO, "/dev/null/a.h5");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_sparse_matrices_and_texts_come_back),
        cmocka_unit_test(a_path_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
