/* Products and systems of dense matrices for analyses, made of the kernels of the solvers. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "linsol/dense_kernels.h"
#include "linsol/subspace.h"

/* Products go by blocks of TILE x TILE, which are copied so that they lie as the kernel wants them. */
enum { TILE = 64 };

/* to (m x n, stride TILE) = f op(A), A with ld rows; (i, j): first entry, of op(A). */
static void copy_tile(double *to, double f, const double *A, int transposed, int ld, int i, int j, int m, int n)
{
    for (int c = 0; c < n; ++c) {
        for (int r = 0; r < m; ++r) {
            to[r + c * TILE] = f * (transposed ? A[dal_entry(j + c, i + r, ld)] : A[dal_entry(i + r, j + c, ld)]);
        }
    }
}

static void scale(double *C, double beta, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        C[i] = beta == 0.0 ? 0.0 : beta * C[i];
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* y += op(A) x f, A with m rows, or k with its transpose, and as many columns as x or y has entries */
static void add_times_vector(double *y, double f, const double *A, int transposed, const double *x, int m, int k)
{
    for (int j = 0; j < (transposed ? m : k); ++j) {
        const double *a = A + dal_entry(0, j, transposed ? k : m);
        if (transposed) {
            y[j] += f * dal_dot(a, x, k);
        } else {
            dal_add_multiple(y, a, f * x[j], m);
        }
    }
}

void dal_matrix_product(double *C, double beta, double alpha, const double *A, int ta, const double *B, int tb, int m,
                        int n, int k)
{
    double a[TILE * TILE], b[TILE * TILE], room[TILE * TILE];
    const int lda = ta ? k : m, ldb = tb ? n : k;
    scale(C, beta, (size_t)m * (size_t)n);
    if (n == 1) {
        add_times_vector(C, alpha, A, ta, B, m, k);
        return;
    }
    for (int l = 0; l < k; l += TILE) {
        const int depth = least(k - l, TILE);
        for (int j = 0; j < n; j += TILE) {
            const int width = least(n - j, TILE);
            copy_tile(b, -alpha, B, tb, ldb, l, j, depth, width);
            for (int i = 0; i < m; i += TILE) {
                const int height = least(m - i, TILE);
                copy_tile(a, 1.0, A, ta, lda, i, l, height, depth);
                dal_dense_subtract(C + dal_entry(i, j, m), m, a, TILE, b, TILE, height, width, depth, room);
            }
        }
    }
}

/* X := U^-1 X with the upper triangle of LU */
static void solve_upper(const double *LU, double *X, int n, int nrhs)
{
    for (int c = 0; c < nrhs; ++c) {
        double *x = X + dal_entry(0, c, n);
        for (int k = n - 1; k >= 0; --k) {
            x[k] /= LU[dal_entry(k, k, n)];
            dal_add_multiple(x, LU + dal_entry(0, k, n), -x[k], k);
        }
    }
}

/* room: dal_dense_room(n, n). 0: A is singular */
static int solve_with(double *A, double *X, int n, int nrhs, int *swap, double *room)
{
    const int regular = dal_dense_panel(A, n, n, n, swap, DBL_MAX, room) < HUGE_VAL;
    if (regular) {
        dal_dense_exchange(X, n, nrhs, swap, n);
        dal_dense_lower(X, n, A, n, n, nrhs, room);
        solve_upper(A, X, n, nrhs);
    }
    return regular;
}

int dal_matrix_solve_small(double *A, double *X, int n, int nrhs)
{
    int swap[DAL_MATRIX_SMALL];
    double room[DAL_MATRIX_SMALL * DAL_MATRIX_SMALL];
    return solve_with(A, X, n, nrhs, swap, room);
}

dal_status dal_matrix_solve(double *A, double *X, int n, int nrhs, dal_ctx *ctx)
{
    dal_arena arena = dal_arena_init(ctx);
    int *swap = NULL;
    double *room = NULL;
    for (int pass = 0; pass < 2; ++pass) { // measure, assign
        if (pass == 1) {
            DAL_TRY(dal_arena_reserve(&arena));
        }
        swap = dal_arena_ints(&arena, n);
        room = dal_arena_take(&arena, dal_dense_room(n, n), sizeof *room);
    }
    const int regular = solve_with(A, X, n, nrhs, swap, room);
    dal_arena_release(&arena);
    return regular ? DAL_OK : dal_fail(ctx, DAL_SINGULAR, "a matrix of size %d is singular", n);
}
