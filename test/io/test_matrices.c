/* Matrices and tables in files: what is read, and what is refused with the line. */
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include "dalembert/results.h"
#include "io/matrices.h"
#include "support/check.h"

static void parse(io_matrix *m, dal_pool *pool, const char *text)
{
    check_ok(pool->ctx, dal_io_matrix_parse(m, pool, text, strlen(text), "m.mtx"));
}

/* Entry (i, j), summed up. */
static double entry(const io_matrix *m, int i, int j)
{
    double x = 0.0;
    for (int k = 0; k < m->n; ++k) {
        x += m->row[k] == i && m->col[k] == j ? m->x[k] : 0.0;
    }
    return x;
}

static void all_kinds_of_matrices_are_read(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_pool pool = {.ctx = ctx, .what = "a test"};
    io_matrix m;
    parse(&m, &pool, "%%MatrixMarket matrix coordinate real symmetric\n% note\n\n3 3 3\n1 1 2.5\n3 1 -1e-3\r\n3 3 4\n");
    assert_int_equal(m.rows, 3);
    assert_int_equal(m.n, 3);
    assert_near(entry(&m, 2, 0), -1e-3, 0.0);
    parse(&m, &pool, "%%matrixmarket MATRIX Coordinate Integer General\n2 3 2\n1 3 7\n1 3 1");
    assert_int_equal(m.cols, 3);
    assert_near(entry(&m, 0, 2), 8.0, 0.0);
    parse(&m, &pool, "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
    assert_near(entry(&m, 1, 0), 2.0, 0.0);
    assert_near(entry(&m, 0, 1), 3.0, 0.0);
    parse(&m, &pool, "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
    assert_int_equal(m.n, 6);
    assert_near(entry(&m, 2, 1), 5.0, 0.0);
    assert_near(entry(&m, 2, 2), 6.0, 0.0);
    parse(&m, &pool, "row;column;value\n1;1;2\n4;2;3\n");
    assert_int_equal(m.rows, 4);
    assert_int_equal(m.cols, 2);
    assert_near(entry(&m, 3, 1), 3.0, 0.0);
    parse(&m, &pool, "# rows\n1,2\n3,4\n");
    assert_near(entry(&m, 1, 0), 3.0, 0.0);
    parse(&m, &pool, "%%MatrixMarket matrix coordinate real general\n2 2 0\n");
    assert_int_equal(m.n, 0);
    dal_pool_release(&pool);
    check_ctx_free(ctx);
}

static void what_is_no_matrix_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 0\n", "'complex' in the first line"},
        {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "'hermitian' in the first line"},
        {"%%MatrixMarket\n", "'' in the first line"},
        {"%%MatrixMarket matrix coordinate real general\n", "the size of the matrix is missing"},
        {"%%MatrixMarket matrix coordinate real general\n2 2\n", "line 2 has 2 numbers, not 3"},
        {"%%MatrixMarket matrix coordinate real general\n0 2 1\n1 1 1\n", "0 x 2 is not the size"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n", "3 entries were announced"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", "entry 1 is at (1, 3)"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "entry 1 is at (0, 1)"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1.5 1 1\n", "entry 1 is at (1.5, 1)"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 nan\n",
         "line 4: 'nan' is not a finite number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e999\n", "line 3: '1e999' is not a finite number"},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n", "3 numbers were announced"},
        {"%%MatrixMarket matrix array real symmetric\n2 3\n1\n2\n3\n", "numbers were announced"},
        {"1,2\n3\n", "line 2 has 1 numbers, not 2"},
        {"1,2\n3,4,5\n", "line 2 has more than 2 numbers"},
        {"a,b\n", "there are no numbers"},
        {"", "there are no numbers"},
    };
    for (size_t k = 0; k < LEN(bad); ++k) {
        dal_ctx *ctx = check_ctx();
        dal_pool pool = {.ctx = ctx, .what = "a test"};
        io_matrix m;
        check_fails(ctx, dal_io_matrix_parse(&m, &pool, bad[k].text, strlen(bad[k].text), "m.mtx"), DAL_EINVAL,
                    bad[k].why);
        dal_pool_release(&pool);
        check_ctx_free(ctx);
    }
}

/* Every piece of a good file is a matrix or refused: nothing is read beyond it. */
static void pieces_of_files_do_no_harm(void **state)
{
    static const char text[] =
        "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 4\n1 1 2.5\n2 1 -1\n3 1 1e-3\n3 3 4\n";
    for (size_t n = 0; n < sizeof text; ++n) {
        dal_ctx *ctx = check_ctx();
        dal_pool pool = {.ctx = ctx, .what = "a test"};
        char *piece = malloc(n + 1);
        io_matrix m;
        assert_non_null(piece);
        memcpy(piece, text, n);
        const dal_status st = dal_io_matrix_parse(&m, &pool, piece, n, "m.mtx");
        assert_true(st == DAL_OK || st == DAL_EINVAL);
        free(piece);
        dal_pool_release(&pool);
        check_ctx_free(ctx);
    }
}

static void put_ints(hid_t group, const char *name, hsize_t n, const int *x)
{
    const hid_t space = H5Screate_simple(1, &n, NULL);
    const hid_t set = H5Dcreate2(group, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* Compressed columns [1 0; 2 3] in a file of their own. */
static void write_compressed(const char *path, const int *pointer)
{
    static const int index[3] = {0, 1, 1}, value[3] = {1, 2, 3};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "K", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_ints(group, "indptr", 3, pointer);
    put_ints(group, "indices", 3, index);
    put_ints(group, "data", 3, value);
    H5Gclose(group);
    H5Fclose(file);
}

static void hdf5_files_are_read(void **state)
{
    static const char path[] = "test_matrices.h5";
    static const double x[4] = {1.0, -1.0, 2.0, 4.0}, place[6] = {0.0, 1.0, 0.5, 0.25, 0.0, 2.0};
    static const int row[4] = {0, 2, 1, 2}, col[4] = {0, 0, 1, 2};
    const dal_array list[2] = {{.name = "K", .rows = 3, .cols = 3, .x = x, .nnz = 4, .row = row, .col = col},
                               {.name = "nodes", .rows = 2, .cols = 3, .x = place}};
    dal_ctx *ctx = check_ctx();
    dal_pool pool = {.ctx = ctx, .what = "a test"};
    io_matrix m;
    io_table t;
    check_ok(ctx, dal_arrays_write(ctx, path, list, 2, NULL, 0));
    check_ok(ctx, dal_io_matrix_read(&m, &pool, path, "K"));
    assert_int_equal(m.rows, 3);
    assert_near(entry(&m, 2, 0), -1.0, 0.0);
    check_ok(ctx, dal_io_table_read(&t, &pool, path, "nodes"));
    assert_int_equal(t.rows, 2);
    assert_near(t.x[1], 0.5, 0.0);
    check_ok(ctx, dal_io_matrix_read(&m, &pool, path, "nodes"));
    assert_near(entry(&m, 1, 2), 2.0, 0.0);
    check_fails(ctx, dal_io_matrix_read(&m, &pool, path, "M"), DAL_EINVAL, "there is no 'M'");
    check_fails(ctx, dal_io_table_read(&t, &pool, path, "K"), DAL_EINVAL, "'K' is not an array");
    write_compressed(path, (int[]){0, 2, 3});
    check_ok(ctx, dal_io_matrix_read(&m, &pool, path, "K"));
    assert_near(entry(&m, 1, 0), 2.0, 0.0);
    assert_near(entry(&m, 1, 1), 3.0, 0.0);
    write_compressed(path, (int[]){0, 2, 4});
    check_fails(ctx, dal_io_matrix_read(&m, &pool, path, "K"), DAL_EINVAL, "do not fit together");
    remove(path);
    dal_pool_release(&pool);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_matrices_are_read),
        cmocka_unit_test(what_is_no_matrix_is_refused_with_its_line),
        cmocka_unit_test(pieces_of_files_do_no_harm),
        cmocka_unit_test(hdf5_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
