/* Deflation of the eigenvalue zero, eigenvalues of general and of large matrices. */
#include <math.h>
#include <string.h>

#include "support/check.h"

#include "eigen/arnoldi.h"
#include "eigen/general.h"
#include "linsol/subspace.h"

/* A = X J X^-1 with a Jordan block of length 3 and one of length 1 for zero, and eigenvalues -1, 2 +- 3i. */
static void zero_eigenvalues_are_split_off_whatever_their_chains(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(5);
    enum { N = 7 };
    double J[N * N] = {0.0}, X[N * N], A[N * N], T[N * N], Q[N * N], S[9], V[9], re[3], im[3];
    J[0 + N * 1] = J[1 + N * 2] = 1.0;
    J[4 + N * 4] = -1.0;
    J[5 + N * 5] = J[6 + N * 6] = 2.0;
    J[5 + N * 6] = 3.0;
    J[6 + N * 5] = -3.0;
    check_normals(&rng, X, N * N);
    dal_matrix_product(T, 0.0, 1.0, X, 0, J, 0, N, N, N);
    // A^T = X^-T (X J)^T
    for (int i = 0; i < N * N; ++i) {
        A[i] = T[(i % N) * N + i / N];
        Q[i] = X[(i % N) * N + i / N];
    }
    check_ok(ctx, dal_matrix_solve(Q, A, N, N, ctx));
    for (int i = 0; i < N * N; ++i) {
        T[i] = A[(i % N) * N + i / N];
    }
    int nzero;
    check_ok(ctx, dal_eigen_deflate(ctx, T, Q, &nzero, N, 1e-12));
    assert_int_equal(nzero, 4);
    for (int j = 0; j < 3; ++j) {
        memcpy(S + 3 * j, T + 4 + N * (4 + j), 3 * sizeof(double));
    }
    check_ok(ctx, dal_eigen_general(re, im, V, S, 3, ctx));
    double worst = 0.0;
    for (int k = 0; k < 3; ++k) {
        worst = fmax(worst, fmin(hypot(re[k] + 1.0, im[k]), hypot(re[k] - 2.0, fabs(im[k]) - 3.0)));
    }
    assert_near(worst, 0.0, 1e-11);
    check_ctx_free(ctx);
}

/* y_i = x_i/(i + 1): the largest eigenvalues are 1, 1/2, 1/3. */
static dal_status divide(double *y, const double *x, void *user)
{
    const int *n = user;
    for (int i = 0; i < *n; ++i) {
        y[i] = x[i] / (i + 1);
    }
    return DAL_OK;
}

static void arnoldi_finds_the_largest_eigenvalues(void **state)
{
    dal_ctx *ctx = check_ctx();
    enum { N = 200, K = 3 };
    int n = N, found;
    static double V[N * (K + 1)], start[N];
    double re[K + 1], im[K + 1];
    for (int i = 0; i < N; ++i) {
        start[i] = 1.0 + 0.1 * sin(i);
    }
    const dal_arnoldi problem = {.n = N, .wanted = K, .basis = 20, .product = divide, .user = &n};
    check_ok(ctx, dal_arnoldi_solve(re, im, V, &found, &problem, start, ctx));
    assert_true(found >= K);
    for (int k = 0; k < K; ++k) {
        double best = INFINITY;
        for (int j = 0; j < found; ++j) {
            best = fmin(best, hypot(re[j] - 1.0 / (k + 1), im[j]));
        }
        assert_near(best, 0.0, 1e-12);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_eigenvalues_are_split_off_whatever_their_chains),
        cmocka_unit_test(arnoldi_finds_the_largest_eigenvalues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
