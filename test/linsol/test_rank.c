/* Dependent rows are found and named, in small matrices and in large sparse ones. */
#include <math.h>
#include <string.h>

#include "support/check.h"

#include "dalembert/linsol.h"

enum { MMAX = 400, PER_ROW = 24 };

/* Rows of a sparse matrix, built one after the other. */
typedef struct rows {
    int m, n;
    int ptr[MMAX + 1], col[MMAX * PER_ROW];
    double x[MMAX * PER_ROW];
} rows;

static void add_entry(rows *B, int col, double x)
{
    for (int k = B->ptr[B->m]; k < B->ptr[B->m + 1]; ++k) {
        if (B->col[k] == col) {
            B->x[k] += x;
            return;
        }
    }
    const int k = B->ptr[B->m + 1]++;
    B->col[k] = col;
    B->x[k] = x;
}

static void begin_row(rows *B)
{
    B->ptr[B->m + 1] = B->ptr[B->m];
}

static void random_row(rows *B, check_rng *rng, int count, double scale)
{
    begin_row(B);
    for (int k = 0; k < count; ++k) {
        add_entry(B, (int)check_uniform(rng, 0.0, B->n - 1e-9), scale * check_normal(rng));
    }
    ++B->m;
}

/* sum_k f[k] row[k] + extra e_col */
static void combined_row(rows *B, const int *row, const double *f, int count, double extra, int col)
{
    begin_row(B);
    for (int r = 0; r < count; ++r) {
        for (int k = B->ptr[row[r]]; k < B->ptr[row[r] + 1]; ++k) {
            add_entry(B, B->col[k], f[r] * B->x[k]);
        }
    }
    if (extra != 0.0) {
        add_entry(B, col, extra);
    }
    ++B->m;
}

static int find_rank(dal_ctx *ctx, const rows *B, double tol, int *dependent)
{
    int rank = -1;
    check_ok(ctx, dal_rank_rows(ctx, &rank, dependent, B->m, B->n, B->ptr, B->col, B->x, tol));
    for (int k = 1; k < B->m - rank; ++k) {
        assert_true(dependent[k] > dependent[k - 1]);
    }
    return rank;
}

static int is_in(int x, const int *set, int n)
{
    for (int k = 0; k < n; ++k) {
        if (set[k] == x) {
            return 1;
        }
    }
    return 0;
}

/* Without the rows named, nothing is dependent any more. */
static void rest_is_independent(dal_ctx *ctx, const rows *B, const int *dependent, int ndependent)
{
    static rows rest;
    int none[MMAX];
    memset(&rest, 0, sizeof rest);
    rest.n = B->n;
    for (int r = 0; r < B->m; ++r) {
        if (!is_in(r, dependent, ndependent)) {
            begin_row(&rest);
            for (int k = B->ptr[r]; k < B->ptr[r + 1]; ++k) {
                add_entry(&rest, B->col[k], B->x[k]);
            }
            ++rest.m;
        }
    }
    assert_int_equal(find_rank(ctx, &rest, 0.0, none), rest.m);
}

/* m - 5 random rows, in scales from 1e-8 to 1e8, and five more: a copy in other units, a zero row, a difference, a
 * combination of three, and one of a row and the copy. */
static void five_dependent_rows(int m, int n, int per_row, unsigned long seed)
{
    static rows B;
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(seed);
    memset(&B, 0, sizeof B);
    B.n = n;
    for (int r = 0; r < m - 5; ++r) {
        random_row(&B, &rng, per_row, pow(10.0, check_uniform(&rng, -8.0, 8.0)));
    }
    const int copy = m - 5, zero = m - 4, difference = m - 3, three = m - 2;
    combined_row(&B, (int[]){1}, (double[]){1e6}, 1, 0.0, 0);
    combined_row(&B, NULL, NULL, 0, 0.0, 0);
    combined_row(&B, (int[]){3, 5}, (double[]){1.0, -1.0}, 2, 0.0, 0);
    combined_row(&B, (int[]){7, 8, 9}, (double[]){1.0, 2.0, -3.0}, 3, 0.0, 0);
    combined_row(&B, (int[]){copy, 11}, (double[]){1.0, 1.0}, 2, 0.0, 0);

    int dependent[MMAX];
    assert_int_equal(find_rank(ctx, &B, 0.0, dependent), m - 5);
    // each named row takes part in one of the relations, and the zero row is named
    const int members[] = {1, copy, zero, 3, 5, difference, 7, 8, 9, three, 11, m - 1};
    for (int k = 0; k < 5; ++k) {
        assert_true(is_in(dependent[k], members, (int)LEN(members)));
    }
    assert_true(is_in(zero, dependent, 5));
    rest_is_independent(ctx, &B, dependent, 5);
    check_ctx_free(ctx);
}

static void dependent_rows_of_small_matrices_are_named(void **state)
{
    for (unsigned long seed = 1; seed < 20; ++seed) {
        five_dependent_rows(20, 30, 6, seed);
    }
}

static void dependent_rows_of_large_sparse_matrices_are_named(void **state)
{
    for (unsigned long seed = 1; seed < 8; ++seed) {
        five_dependent_rows(300, 600, 6, seed);
    }
}

static void copies_are_named_in_pairs(void **state)
{
    static const int size[] = {12, 260};
    static rows B;
    dal_ctx *ctx = check_ctx();
    for (size_t s = 0; s < LEN(size); ++s) {
        check_rng rng = check_rng_seed(3);
        int dependent[MMAX];
        memset(&B, 0, sizeof B);
        B.n = 2 * size[s];
        for (int r = 0; r < size[s]; ++r) {
            random_row(&B, &rng, 4, 1.0);
        }
        for (int r = 0; r < size[s]; r += 4) {
            combined_row(&B, &r, (double[]){-0.25}, 1, 0.0, 0);
        }
        const int copies = B.m - size[s];
        assert_int_equal(find_rank(ctx, &B, 0.0, dependent), size[s]);
        for (int c = 0; c < copies; ++c) {
            assert_int_equal(is_in(4 * c, dependent, copies) + is_in(size[s] + c, dependent, copies), 1);
        }
    }
    check_ctx_free(ctx);
}

/* A copy that differs by 1e-8 of its length, then by 1e-12; the tolerance is 1e-10 unless told. */
static void tolerance_decides_relative_to_the_length_of_a_row(void **state)
{
    static const int size[] = {10, 300};
    static rows B;
    dal_ctx *ctx = check_ctx();
    for (size_t s = 0; s < LEN(size); ++s) {
        for (double scale = 1e-20; scale < 1e30; scale *= 1e20) {
            check_rng rng = check_rng_seed(4);
            int dependent[MMAX];
            memset(&B, 0, sizeof B);
            B.n = 2 * size[s];
            for (int r = 0; r < size[s]; ++r) {
                begin_row(&B);
                add_entry(&B, 2 * r, scale);
                add_entry(&B, (2 * r + 7) % B.n, 0.1 * scale * check_normal(&rng));
                ++B.m;
            }
            combined_row(&B, (int[]){2}, (double[]){1.0}, 1, 1e-8 * scale, 1);
            combined_row(&B, (int[]){3}, (double[]){1.0}, 1, 1e-12 * scale, 5);
            assert_int_equal(find_rank(ctx, &B, 0.0, dependent), B.m - 1);
            assert_true(dependent[0] == 3 || dependent[0] == B.m - 1);
            assert_int_equal(find_rank(ctx, &B, 1e-6, dependent), B.m - 2);
            assert_int_equal(find_rank(ctx, &B, 1e-14, dependent), B.m);
        }
    }
    check_ctx_free(ctx);
}

static void more_rows_than_columns_are_dependent(void **state)
{
    static const int shape[][2] = {{7, 4}, {250, 120}};
    static rows B;
    dal_ctx *ctx = check_ctx();
    for (size_t s = 0; s < LEN(shape); ++s) {
        check_rng rng = check_rng_seed(5);
        int dependent[MMAX];
        memset(&B, 0, sizeof B);
        B.n = shape[s][1];
        for (int r = 0; r < shape[s][0]; ++r) {
            random_row(&B, &rng, 8, 1.0);
        }
        assert_int_equal(find_rank(ctx, &B, 0.0, dependent), B.n);
        rest_is_independent(ctx, &B, dependent, B.m - B.n);
    }
    check_ctx_free(ctx);
}

static void empty_and_zero_matrices_have_rank_zero(void **state)
{
    dal_ctx *ctx = check_ctx();
    const int ptr[4] = {0};
    int rank = -1, dependent[3] = {-1, -1, -1};
    check_ok(ctx, dal_rank_rows(ctx, &rank, dependent, 0, 5, ptr, NULL, NULL, 0.0));
    assert_int_equal(rank, 0);
    check_ok(ctx, dal_rank_rows(ctx, &rank, dependent, 3, 0, ptr, NULL, NULL, 0.0));
    assert_int_equal(rank, 0);
    assert_int_equal(dependent[0], 0);
    assert_int_equal(dependent[2], 2);
    check_ctx_free(ctx);
}

static void bad_input_is_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    int rank = -1, dependent[2];
    const int ptr[] = {0, 1, 2}, bad_ptr[] = {0, 2, 1}, col[] = {0, 1}, bad_col[] = {0, 2};
    const double x[] = {1.0, 1.0}, bad_x[] = {1.0, NAN};
    check_fails(ctx, dal_rank_rows(ctx, &rank, dependent, -1, 2, ptr, col, x, 0.0), DAL_EINVAL, "-1 x 2");
    check_fails(ctx, dal_rank_rows(ctx, &rank, dependent, 2, 2, ptr, col, x, 1.0), DAL_EINVAL, "tolerance");
    check_fails(ctx, dal_rank_rows(ctx, &rank, dependent, 2, 2, ptr, col, x, NAN), DAL_EINVAL, "tolerance");
    check_fails(ctx, dal_rank_rows(ctx, &rank, dependent, 2, 2, bad_ptr, col, x, 0.0), DAL_EINVAL, "row 1");
    check_fails(ctx, dal_rank_rows(ctx, &rank, dependent, 2, 2, ptr, bad_col, x, 0.0), DAL_EINVAL, "column 2");
    check_fails(ctx, dal_rank_rows(ctx, &rank, dependent, 2, 2, ptr, col, bad_x, 0.0), DAL_EINVAL, "row 1");
    check_ctx_free(ctx);
}

static dal_status rank_of(dal_ctx *ctx, void *user)
{
    const rows *B = user;
    int rank = 0, dependent[MMAX];
    return dal_rank_rows(ctx, &rank, dependent, B->m, B->n, B->ptr, B->col, B->x, 0.0);
}

static void every_allocation_may_fail(void **state)
{
    static rows B;
    check_rng rng = check_rng_seed(6);
    for (int large = 0; large < 2; ++large) {
        memset(&B, 0, sizeof B);
        B.n = large ? 300 : 20;
        for (int r = 0; r < B.n / 2; ++r) {
            random_row(&B, &rng, 5, 1.0);
        }
        assert_true(check_every_allocation(rank_of, &B) >= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_rows_of_small_matrices_are_named),
        cmocka_unit_test(dependent_rows_of_large_sparse_matrices_are_named),
        cmocka_unit_test(copies_are_named_in_pairs),
        cmocka_unit_test(tolerance_decides_relative_to_the_length_of_a_row),
        cmocka_unit_test(more_rows_than_columns_are_dependent),
        cmocka_unit_test(empty_and_zero_matrices_have_rank_zero),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
