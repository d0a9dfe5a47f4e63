/* Kernels, least squares, products, symmetric eigenproblems. */
#include <math.h>
#include <string.h>

#include "support/check.h"

#include "linsol/eigen.h"
#include "linsol/subspace.h"

static void product(double *C, const double *A, const double *B, int m, int n, int k)
{
    dal_matrix_product(C, 0.0, 1.0, A, 0, B, 0, m, n, k);
}

/* 5 x 8 with rank 3: rows 3 and 4 are combinations of the others. */
static void random_rows(double B[40], check_rng *rng)
{
    check_normals(rng, B, 40);
    for (int j = 0; j < 8; ++j) {
        B[3 + 5 * j] = 2.0 * B[5 * j] - B[1 + 5 * j];
        B[4 + 5 * j] = 1e6 * B[2 + 5 * j];
    }
}

/* What a row is measured in is nobody's business: rows of any size but zero count. */
static void rank_does_not_depend_on_the_size_of_rows(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    double B[40];
    dal_kernel *k;
    random_rows(B, &rng);
    for (int j = 0; j < 8; ++j) {
        B[5 * j] *= 1e-9;
        B[1 + 5 * j] *= 1e-200;
    }
    check_ok(ctx, dal_kernel_create(&k, ctx, B, 5, 8, 1e-10));
    assert_int_equal(dal_kernel_rank(k), 3);
    dal_kernel_destroy(k);
    check_ctx_free(ctx);
}

static void kernel_is_what_the_rows_map_to_zero(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    double B[40], BN[25], NN[25], unit[25] = {0.0};
    dal_kernel *k;
    random_rows(B, &rng);
    check_ok(ctx, dal_kernel_create(&k, ctx, B, 5, 8, 1e-10));
    assert_int_equal(dal_kernel_rank(k), 3);
    product(BN, B, dal_kernel_basis(k), 5, 5, 8);
    for (int i = 0; i < 25; ++i) { // row 4 is large
        assert_near(BN[i], 0.0, i % 5 == 4 ? 1e-8 : 1e-14);
    }
    dal_matrix_product(NN, 0.0, 1.0, dal_kernel_basis(k), 1, dal_kernel_basis(k), 0, 5, 5, 8);
    for (int i = 0; i < 5; ++i) {
        unit[6 * i] = 1.0;
    }
    assert_all_near(NN, unit, 25, 1e-14);
    dal_kernel_destroy(k);
    check_ctx_free(ctx);
}

static void least_and_transposed_solutions_satisfy_their_equations(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(4);
    double B[40], x[8], y[5], got[8], back[5], la[5], f[8], g[8];
    dal_kernel *k;
    random_rows(B, &rng);
    check_ok(ctx, dal_kernel_create(&k, ctx, B, 5, 8, 1e-10));
    check_normals(&rng, x, 8);
    product(y, B, x, 5, 1, 8);
    dal_kernel_least(k, got, y, 1);
    product(back, B, got, 5, 1, 8);
    for (int i = 0; i < 5; ++i) {
        assert_near(back[i] / (i == 4 ? 1e6 : 1.0), y[i] / (i == 4 ? 1e6 : 1.0), 1e-12);
    }
    check_normals(&rng, y, 5);
    dal_matrix_product(f, 0.0, 1.0, B, 1, y, 0, 8, 1, 5);
    dal_kernel_transposed(k, la, f, 1);
    dal_matrix_product(g, 0.0, 1.0, B, 1, la, 0, 8, 1, 5);
    for (int i = 0; i < 8; ++i) {
        assert_near((g[i] - f[i]) / 1e6, 0.0, 1e-13);
    }
    dal_kernel_destroy(k);
    check_ctx_free(ctx);
}

/* Against sums by hand, in sizes below, at and above the blocks that products are made of. */
static void products_are_sums_in_all_transpositions(void **state)
{
    enum { MAX = 140 };
    static const int size[][3] = {{1, 1, 1}, {3, 5, 2}, {64, 64, 64}, {65, 7, 130}, {10, 140, 66}};
    static double A[MAX * MAX], B[MAX * MAX], C[MAX * MAX], want[MAX * MAX];
    check_rng rng = check_rng_seed(6);
    for (size_t s = 0; s < LEN(size); ++s) {
        const int m = size[s][0], n = size[s][1], k = size[s][2];
        for (int t = 0; t < 4; ++t) {
            const int ta = t & 1, tb = t >> 1;
            check_normals(&rng, A, m * k);
            check_normals(&rng, B, k * n);
            check_normals(&rng, C, m * n);
            for (int i = 0; i < m * n; ++i) {
                double sum = 0.0;
                for (int l = 0; l < k; ++l) {
                    sum += A[ta ? l + i % m * k : i % m + l * m] * B[tb ? i / m + l * n : l + i / m * k];
                }
                want[i] = 0.5 * C[i] - 2.0 * sum;
            }
            dal_matrix_product(C, 0.5, -2.0, A, ta, B, tb, m, n, k);
            assert_all_near(C, want, m * n, 1e-13);
        }
    }
}

/* A x = w B x: residuals, x.B x, order; 70 unknowns, three eigenvalues of them equal. */
static void symmetric_eigenproblems_are_solved_to_rounding(void **state)
{
    enum { N = 70 };
    static double G[N * N], A[N * N], B[N * N], X[N * N], L[N * N], AX[N * N], BX[N * N], XBX[N * N], unit[N * N], w[N];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(7);
    check_normals(&rng, G, N * N);
    dal_matrix_product(B, 0.0, 1.0 / N, G, 1, G, 0, N, N, N);
    for (int i = 0; i < N; ++i) {
        B[i + N * i] += 1.0;
        unit[i + N * i] = 1.0;
    }
    // beside a random block of N - 3 rows the eigenvalue 1 stays three times
    memcpy(A, B, sizeof A);
    for (int i = 3; i < N; ++i) {
        for (int j = 3; j <= i; ++j) {
            A[i + N * j] = A[j + N * i] = B[i + N * j] + check_normal(&rng);
        }
    }
    memcpy(X, A, sizeof X);
    memcpy(L, B, sizeof L);
    check_ok(ctx, dal_eigen_symmetric(w, X, L, N, ctx));
    product(AX, A, X, N, N, N);
    product(BX, B, X, N, N, N);
    int ones = 0;
    for (int i = 0; i < N * N; ++i) {
        assert_near(AX[i] - w[i / N] * BX[i], 0.0, 1e-12);
    }
    for (int i = 0; i < N; ++i) {
        assert_true(i == 0 || w[i] >= w[i - 1]);
        ones += fabs(w[i] - 1.0) < 1e-12;
    }
    assert_int_equal(ones, 3);
    dal_matrix_product(XBX, 0.0, 1.0, X, 1, BX, 0, N, N, N);
    assert_all_near(XBX, unit, N * N, 1e-12);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_is_what_the_rows_map_to_zero),
        cmocka_unit_test(rank_does_not_depend_on_the_size_of_rows),
        cmocka_unit_test(least_and_transposed_solutions_satisfy_their_equations),
        cmocka_unit_test(products_are_sums_in_all_transpositions),
        cmocka_unit_test(symmetric_eigenproblems_are_solved_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
