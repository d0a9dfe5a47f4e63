/* Kernels of matrices for analyses, from QR with pivoting. */
#include "linsol/subspace.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector.h"
#include "linsol/qr_impl.h"

/* ---- kernel ----------------------------------------------------------------------------------- */

struct dal_kernel {
    int m, n, rank;
    double *Q;                  /* n x n; the first `rank` columns span the rows of B, the others its kernel */
    double *R;                  /* n x m: upper triangle of the factorisation of (scaled rows of B)^T */
    double *scale, *tau, *work; /* m, m, 2 m */
    int *pivot;                 /* m: rows of B as they were taken */
    dal_arena arena;
};

static void carve(dal_kernel *k, dal_arena *arena)
{
    k->Q = dal_arena_take(arena, (size_t)k->n * (size_t)k->n, sizeof(double));
    k->R = dal_arena_take(arena, (size_t)k->n * (size_t)k->m, sizeof(double));
    k->scale = dal_arena_reals(arena, k->m);
    k->tau = dal_arena_reals(arena, k->m);
    k->work = dal_arena_take(arena, 2 * (size_t)k->m, sizeof(double));
    k->pivot = dal_arena_ints(arena, k->m);
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

dal_status dal_kernel_create(dal_kernel **kernel, dal_ctx *ctx, const double *B, int m, int n, double tol)
{
    *kernel = NULL;
    dal_kernel *k = dal_alloc_zero(ctx, sizeof *k);
    if (!k) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the kernel of a matrix");
    }
    *k = (dal_kernel){.m = m, .n = n, .arena = dal_arena_init(ctx)};
    carve(k, &k->arena);
    const dal_status st = dal_arena_reserve(&k->arena);
    if (st != DAL_OK) {
        dal_free(ctx, k);
        return st;
    }
    carve(k, &k->arena);
    if (n > 0) {
        transpose_scaled(k, B);
        k->rank = dal_qr_pivoted(k->R, k->pivot, k->tau, k->work, n, n, m, tol);
        dal_qr_basis(k->Q, k->R, n, k->tau, n, k->rank);
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
    return k->pivot[i];
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
            const int row = k->pivot[i];
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
            x[k->pivot[i]] = c[i] * k->scale[k->pivot[i]];
        }
    }
}

/* ---- eigenvalue zero -------------------------------------------------------------------------- */

/* What one stage of the deflation works with; n x n, and n. */
typedef struct stage {
    double *S, *V; /* the part that is not deflated yet, transposed, and an orthonormal basis: its kernel comes last */
    double *Z, *T; /* change of basis of this stage; product */
    double *tau, *norm;
    int *pivot;
} stage;

static void carve_stage(stage *s, dal_arena *arena, int n)
{
    double **square[] = {&s->S, &s->V, &s->Z, &s->T};
    for (size_t k = 0; k < sizeof square / sizeof square[0]; ++k) {
        *square[k] = dal_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
    }
    s->tau = dal_arena_reals(arena, n);
    s->norm = dal_arena_take(arena, 2 * (size_t)n, sizeof(double));
    s->pivot = dal_arena_ints(arena, n);
}

/* Dimension of the kernel of the trailing block of A from row and column `first` on: rows that keep no more than tol beside
 * others count as dependent. */
static int find_kernel(stage *s, const double *A, int n, int first, double tol)
{
    const int m = n - first;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            s->S[dal_entry(j, i, m)] = A[dal_entry(first + i, first + j, n)];
        }
    }
    const int rank = dal_qr_pivoted(s->S, s->pivot, s->tau, s->norm, m, m, m, tol);
    dal_qr_basis(s->V, s->S, m, s->tau, m, rank);
    return m - rank;
}

/* A := Z^T A Z, Q := Q Z with Z = diag(I, V), the kernel first. */
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
        memcpy(s->Z + dal_entry(first, first + j, n), s->V + dal_entry(0, from, m), (size_t)m * sizeof(double));
    }
    dal_matrix_product(s->T, 0.0, 1.0, A, 0, s->Z, 0, n, n, n);
    dal_matrix_product(A, 0.0, 1.0, s->Z, 1, s->T, 0, n, n, n);
    memcpy(s->T, Q, N * N * sizeof(double));
    dal_matrix_product(Q, 0.0, 1.0, s->T, 0, s->Z, 0, n, n, n);
    for (int j = first; j < first + dim; ++j) { // the block maps its kernel to zero
        memset(A + first + (size_t)j * N, 0, (size_t)m * sizeof(double));
    }
}

static double longest_row(const double *A, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum = hypot(sum, A[dal_entry(i, j, n)]);
        }
        max = fmax(max, sum);
    }
    return max;
}

dal_status dal_eigen_deflate(dal_ctx *ctx, double *A, double *Q, int *nzero, int n, double tol)
{
    const size_t N = (size_t)n;
    stage s;
    if (dal_not_finite(A, n * n) != 0.0) {
        return dal_fail(ctx, DAL_EINVAL, "eigenvalues: a matrix of size %d has entries that are not finite", n);
    }
    dal_arena arena = dal_arena_init(ctx);
    carve_stage(&s, &arena, n);
    DAL_TRY(dal_arena_reserve(&arena));
    carve_stage(&s, &arena, n);
    memset(Q, 0, N * N * sizeof(double));
    for (size_t i = 0; i < N; ++i) {
        Q[i + i * N] = 1.0;
    }
    *nzero = 0;
    const double threshold = tol * longest_row(A, n);
    for (int dim = n; dim > 0 && *nzero < n; *nzero += dim) {
        dim = find_kernel(&s, A, n, *nzero, threshold);
        if (dim > 0) {
            rotate(&s, A, Q, n, *nzero, dim);
        }
    }
    dal_arena_release(&arena);
    return DAL_OK;
}
