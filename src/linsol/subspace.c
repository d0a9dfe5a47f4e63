/* Dense linear algebra for analyses, by LAPACK: dgeqp3, dgesv, dgeevx, dgesvd. */
#include "linsol/subspace.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "linsol/blas_serial.h"

void dal_matrix_product(double *C, double beta, double alpha, const double *A, int ta, const double *B, int tb, int m,
                        int n, int k)
{
    if (m == 0 || n == 0) {
        return;
    }
    const int lda = ta ? k : m, ldb = tb ? n : k;
    dal_blas_serial_begin();
    cblas_dgemm(CblasColMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n, k, alpha, A,
                lda > 0 ? lda : 1, B, ldb > 0 ? ldb : 1, beta, C, m);
    dal_blas_serial_end();
}

dal_status dal_matrix_solve(double *A, double *X, int n, int nrhs, dal_ctx *ctx)
{
    const lapack_int N = n, cols = nrhs;
    lapack_int info = 0;
    if (n == 0 || nrhs == 0) {
        return DAL_OK;
    }
    lapack_int *pivot = dal_alloc(ctx, (size_t)n * sizeof *pivot);
    if (!pivot) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a linear system of size %d", n);
    }
    dal_blas_serial_begin();
    LAPACK_dgesv(&N, &cols, A, &N, pivot, X, &N, &info);
    dal_blas_serial_end();
    dal_free(ctx, pivot);
    return info == 0 ? DAL_OK
                     : dal_fail(ctx, DAL_SINGULAR, "a matrix of size %d is singular (column %d)", n, (int)info);
}

/* ---- kernel ----------------------------------------------------------------------------------- */

struct dal_kernel {
    int m, n, rank;
    double *Q; /* n x n; the first `rank` columns span the rows of B, the others its kernel */
    double *R; /* n x m: upper triangle of the factorisation of (scaled rows of B)^T */
    double *scale, *tau, *work;
    lapack_int *pivot; /* from 1 */
    lapack_int lwork;
    dal_arena arena;
};

static void carve(dal_kernel *k, dal_arena *arena)
{
    k->Q = dal_arena_take(arena, (size_t)k->n * (size_t)k->n, sizeof(double));
    k->R = dal_arena_take(arena, (size_t)k->n * (size_t)k->m, sizeof(double));
    k->scale = dal_arena_reals(arena, k->m);
    k->tau = dal_arena_reals(arena, k->m);
    k->work = dal_arena_reals(arena, k->lwork);
    k->pivot = dal_arena_take(arena, (size_t)k->m, sizeof *k->pivot);
}

/* R := (rows of B, each at length one)^T; zero rows stay. */
static void transpose_scaled(dal_kernel *k, const double *B)
{
    for (int i = 0; i < k->m; ++i) {
        double sum = 0.0;
        for (int j = 0; j < k->n; ++j) {
            sum = hypot(sum, B[dal_entry(i, j, k->m)]);
        }
        k->scale[i] = sum > 0.0 ? 1.0 / sum : 0.0;
        for (int j = 0; j < k->n; ++j) {
            k->R[dal_entry(j, i, k->n)] = k->scale[i] * B[dal_entry(i, j, k->m)];
        }
    }
}

static void factor(dal_kernel *k, double tol)
{
    const lapack_int n = k->n, m = k->m, least = m < n ? m : n;
    lapack_int info = 0;
    dal_blas_serial_begin();
    LAPACK_dgeqp3(&n, &m, k->R, &n, k->pivot, k->tau, k->work, &k->lwork, &info);
    while (k->rank < least && fabs(k->R[dal_entry(k->rank, k->rank, k->n)]) > tol) {
        k->rank++;
    }
    // Q from the reflectors: the remaining columns are completed to an orthonormal basis
    memcpy(k->Q, k->R, (size_t)k->n * (size_t)k->rank * sizeof(double));
    const lapack_int rank = k->rank;
    LAPACK_dorgqr(&n, &n, &rank, k->Q, &n, k->tau, k->work, &k->lwork, &info);
    dal_blas_serial_end();
}

dal_status dal_kernel_create(dal_kernel **kernel, dal_ctx *ctx, const double *B, int m, int n, double tol)
{
    *kernel = NULL;
    dal_kernel *k = dal_alloc_zero(ctx, sizeof *k);
    if (!k) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the kernel of a matrix");
    }
    *k = (dal_kernel){.m = m, .n = n, .lwork = 32 * (m > n ? m : n) + 2 * m + 32, .arena = dal_arena_init(ctx)};
    carve(k, &k->arena);
    const dal_status st = dal_arena_reserve(&k->arena);
    if (st != DAL_OK) {
        dal_free(ctx, k);
        return st;
    }
    carve(k, &k->arena);
    if (n > 0) {
        transpose_scaled(k, B);
        factor(k, tol);
    }
    *kernel = k;
    return DAL_OK;
}

void dal_kernel_destroy(dal_kernel *k)
{
    if (k) {
        dal_ctx *ctx = k->arena.ctx;
        dal_arena_release(&k->arena);
        dal_free(ctx, k);
    }
}

int dal_kernel_rank(const dal_kernel *k)
{
    return k->rank;
}

int dal_kernel_row(const dal_kernel *k, int i)
{
    return (int)k->pivot[i] - 1;
}

const double *dal_kernel_basis(const dal_kernel *k)
{
    return k->Q + (size_t)k->n * (size_t)k->rank;
}

/* B = S^-1 P R^T Q1^T: R1^T c = (P^T S Y), X = Q1 c */
void dal_kernel_least(const dal_kernel *k, double *X, const double *Y, int ncols)
{
    for (int col = 0; col < ncols; ++col) {
        const double *y = Y + (size_t)col * (size_t)k->m;
        double *x = X + (size_t)col * (size_t)k->n, *c = k->work;
        dal_zero(x, k->n);
        for (int i = 0; i < k->rank; ++i) {
            const int row = (int)k->pivot[i] - 1;
            const double *r = k->R + (size_t)i * (size_t)k->n;
            c[i] = k->scale[row] * y[row];
            for (int l = 0; l < i; ++l) {
                c[i] -= r[l] * c[l];
            }
            c[i] /= r[i];
            for (int j = 0; j < k->n; ++j) {
                x[j] += c[i] * k->Q[dal_entry(j, i, k->n)];
            }
        }
    }
}

/* B^T X = Q1 R1 P^T S^-1 X */
void dal_kernel_transposed(const dal_kernel *k, double *X, const double *Y, int ncols)
{
    for (int col = 0; col < ncols; ++col) {
        const double *y = Y + (size_t)col * (size_t)k->n;
        double *x = X + (size_t)col * (size_t)k->m, *c = k->work;
        dal_zero(x, k->m);
        for (int i = k->rank - 1; i >= 0; --i) {
            c[i] = 0.0;
            for (int j = 0; j < k->n; ++j) {
                c[i] += y[j] * k->Q[dal_entry(j, i, k->n)];
            }
            for (int l = i + 1; l < k->rank; ++l) {
                c[i] -= k->R[dal_entry(i, l, k->n)] * c[l];
            }
            c[i] /= k->R[dal_entry(i, i, k->n)];
            x[k->pivot[i] - 1] = c[i] * k->scale[k->pivot[i] - 1];
        }
    }
}

/* ---- eigenvalues ------------------------------------------------------------------------------ */

dal_status dal_eigen_general(double *re, double *im, double *V, double *A, int n, dal_ctx *ctx)
{
    const lapack_int N = n, one = 1, lwork = 64 * n;
    lapack_int low, high, info = 0;
    double norm, unused = 0.0;
    if (n == 0) {
        return DAL_OK;
    }
    double *work = dal_alloc(ctx, (size_t)(lwork + n) * sizeof(double));
    if (!work) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for an eigenproblem of size %d", n);
    }
    dal_blas_serial_begin();
    LAPACK_dgeevx("B", "N", "V", "N", &N, A, &N, re, im, &unused, &one, V, &N, &low, &high, work + lwork, &norm, NULL,
                  NULL, work, &lwork, NULL, &info);
    dal_blas_serial_end();
    dal_free(ctx, work);
    return info == 0 ? DAL_OK
                     : dal_fail(ctx, DAL_EINVAL,
                                info < 0 ? "eigenvalues: a matrix of size %d has entries that are not finite"
                                         : "eigenvalues of a matrix of size %d: no convergence",
                                n);
}

/* What one stage of the deflation works with; sizes n. */
typedef struct stage {
    double *S;     /* what is not deflated yet, then a product */
    double *sigma; /* singular values */
    double *VT;    /* right singular vectors, by rows */
    double *Z, *T; /* change of basis of this stage; product */
    double *work;
    lapack_int lwork;
} stage;

/* Singular values and vectors of the trailing block of A from row and column `first` on. */
static lapack_int decompose(stage *s, const double *A, int n, int first)
{
    const lapack_int m = n - first, one = 1;
    lapack_int info = 0;
    double unused;
    for (int j = 0; j < m; ++j) {
        memcpy(s->S + (size_t)j * (size_t)m, A + first + (size_t)(first + j) * (size_t)n, (size_t)m * sizeof(double));
    }
    LAPACK_dgesvd("N", "A", &m, &m, s->S, &m, s->sigma, &unused, &one, s->VT, &m, s->work, &s->lwork, &info);
    return info;
}

/* A := Z^T A Z, Q := Q Z with Z = diag(I, V), V the right singular vectors with those of the kernel first. */
static void rotate(stage *s, double *A, double *Q, int n, int first, int dim)
{
    const int m = n - first;
    const size_t N = (size_t)n;
    memset(s->Z, 0, N * N * sizeof(double));
    for (int i = 0; i < first; ++i) {
        s->Z[dal_entry(i, i, n)] = 1.0;
    }
    for (int j = 0; j < m; ++j) {
        const int from = j < dim ? m - dim + j : j - dim;
        for (int i = 0; i < m; ++i) {
            s->Z[dal_entry(first + i, first + j, n)] = s->VT[dal_entry(from, i, m)];
        }
    }
    dal_matrix_product(s->T, 0.0, 1.0, A, 0, s->Z, 0, n, n, n);
    dal_matrix_product(A, 0.0, 1.0, s->Z, 1, s->T, 0, n, n, n);
    memcpy(s->T, Q, N * N * sizeof(double));
    dal_matrix_product(Q, 0.0, 1.0, s->T, 0, s->Z, 0, n, n, n);
    for (int j = first; j < first + dim; ++j) { // the block maps its kernel to zero
        memset(A + first + (size_t)j * N, 0, (size_t)m * sizeof(double));
    }
}

static dal_status deflate(stage *s, double *A, double *Q, int n, double tol, int *nzero, dal_ctx *ctx)
{
    double largest = 0.0;
    for (;;) {
        const int m = n - *nzero;
        int dim = 0;
        if (m > 0 && decompose(s, A, n, *nzero) != 0) {
            return dal_fail(ctx, DAL_EINVAL, "singular values of a matrix of size %d: no convergence", m);
        }
        largest = m > 0 && *nzero == 0 ? s->sigma[0] : largest;
        while (dim < m && !(s->sigma[m - 1 - dim] > tol * largest)) {
            ++dim;
        }
        if (dim == 0) {
            return DAL_OK;
        }
        rotate(s, A, Q, n, *nzero, dim);
        *nzero += dim;
    }
}

dal_status dal_eigen_deflate(dal_ctx *ctx, double *A, double *Q, int *nzero, int n, double tol)
{
    const size_t N = (size_t)n;
    stage s = {.lwork = 64 * n + 64};
    dal_arena arena = dal_arena_init(ctx);
    for (int pass = 0; pass < 2; ++pass) { // measure, assign
        if (pass == 1) {
            DAL_TRY(dal_arena_reserve(&arena));
        }
        s.S = dal_arena_take(&arena, N * N, sizeof(double));
        s.VT = dal_arena_take(&arena, N * N, sizeof(double));
        s.Z = dal_arena_take(&arena, N * N, sizeof(double));
        s.T = dal_arena_take(&arena, N * N, sizeof(double));
        s.sigma = dal_arena_reals(&arena, n);
        s.work = dal_arena_reals(&arena, s.lwork);
    }
    memset(Q, 0, N * N * sizeof(double));
    for (size_t i = 0; i < N; ++i) {
        Q[i + i * N] = 1.0;
    }
    *nzero = 0;
    const dal_status st = deflate(&s, A, Q, n, tol, nzero, ctx);
    dal_arena_release(&arena);
    return st;
}
