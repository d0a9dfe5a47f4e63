/* Dependent rows of B by QR of B^T, whose columns are the rows of B at length one.  (LS.6) */
#include <limits.h>
#include <math.h>

#include "base/memory.h"
#include "base/message.h"
#include "linsol/qr_impl.h"
#include "linsol/rank_impl.h"

/* Up to this many entries B^T is stored and factored densely. */
enum { DENSE_ENTRIES = 20000 };
#define DEFAULT_TOLERANCE 1e-10

static void carve(rank_columns *c, int nnz)
{
    c->index = dal_arena_ints(&c->arena, c->m);
    c->dead = dal_arena_ints(&c->arena, c->m);
    c->p = dal_arena_ints(&c->arena, c->m + 1);
    c->i = dal_arena_ints(&c->arena, nnz);
    c->x = dal_arena_reals(&c->arena, nnz);
}

/* Length of a vector without overflow. */
static double length(const double *x, int n)
{
    double max = 0.0, sum = 0.0;
    for (int i = 0; i < n; ++i) {
        max = fmax(max, fabs(x[i]));
    }
    if (!(max > 0.0)) {
        return 0.0;
    }
    for (int i = 0; i < n; ++i) {
        sum += (x[i] / max) * (x[i] / max);
    }
    return max * sqrt(sum);
}

/* Copy the rows that are not zero, divided by their lengths. */
static void fill(rank_columns *c, const int *rowptr, const int *col, const double *x)
{
    int nnz = 0;
    for (int r = 0; r < c->m; ++r) {
        const double len = length(x + rowptr[r], rowptr[r + 1] - rowptr[r]);
        if (len == 0.0) {
            continue;
        }
        c->p[c->ncols] = nnz;
        c->index[c->ncols++] = r;
        for (int l = rowptr[r]; l < rowptr[r + 1]; ++l) {
            c->i[nnz] = col[l];
            c->x[nnz++] = x[l] / len;
        }
    }
    c->p[c->ncols] = nnz;
}

/* ---- dense ------------------------------------------------------------------------------------ */

dal_status dal_rank_pivoted(dal_ctx *ctx, double *X, int *dead, int n, int m, int ld, double tol)
{
    dal_arena arena = dal_arena_init(ctx);
    double *tau = NULL, *norm = NULL;
    int *pivot = NULL;
    for (int pass = 0; pass < 2; ++pass) { // measure, assign
        if (pass == 1) {
            DAL_TRY(dal_arena_reserve(&arena));
        }
        tau = dal_arena_reals(&arena, m);
        norm = dal_arena_take(&arena, 2 * (size_t)m, sizeof *norm);
        pivot = dal_arena_ints(&arena, m);
    }
    const int rank = dal_qr_pivoted(X, pivot, tau, norm, ld, n, m, tol);
    for (int j = 0; j < m; ++j) {
        dead[pivot[j]] = j >= rank;
    }
    dal_arena_release(&arena);
    return DAL_OK;
}

static dal_status dense_rank(rank_columns *c)
{
    const size_t n = (size_t)c->n;
    double *X = dal_alloc_zero(c->ctx, n * (size_t)c->ncols * sizeof *X);
    if (X == NULL) {
        return dal_fail(c->ctx, DAL_ENOMEM, "rank of a %d x %d matrix", c->m, c->n);
    }
    for (int j = 0; j < c->ncols; ++j) {
        for (int l = c->p[j]; l < c->p[j + 1]; ++l) {
            X[(size_t)c->i[l] + (size_t)j * n] += c->x[l];
        }
    }
    const dal_status st = dal_rank_pivoted(c->ctx, X, c->dead, c->n, c->ncols, c->n, c->tol);
    dal_free(c->ctx, X);
    return st;
}

/* ---- front ------------------------------------------------------------------------------------ */

static dal_status check(dal_ctx *ctx, int m, int n, const int *rowptr, const int *col, const double *x, double tol)
{
    if (m < 0 || n < 0 || !(tol < 1.0)) {
        return dal_fail(ctx, DAL_EINVAL, "rank of a %d x %d matrix, tolerance %g", m, n, tol);
    }
    for (int r = 0; r < m; ++r) {
        if (rowptr[r] < 0 || rowptr[r + 1] < rowptr[r]) {
            return dal_fail(ctx, DAL_EINVAL, "row %d: entries %d to %d", r, rowptr[r], rowptr[r + 1] - 1);
        }
        for (int l = rowptr[r]; l < rowptr[r + 1]; ++l) {
            if (col[l] < 0 || col[l] >= n || !isfinite(x[l])) {
                return dal_fail(ctx, DAL_EINVAL, "row %d of %d columns: entry %g in column %d", r, n, x[l], col[l]);
            }
        }
    }
    return DAL_OK;
}

dal_status dal_rank_rows(dal_ctx *ctx, int *rank, int *dependent, int m, int n, const int *rowptr, const int *col,
                         const double *x, double tol)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, rowptr);
    DAL_NEED(ctx, rank);
    if (m > 0) {
        DAL_NEED(ctx, dependent);
    }
    if (m > 0 && rowptr[m] > 0) {
        DAL_NEED(ctx, col);
        DAL_NEED(ctx, x);
    }
    DAL_TRY(check(ctx, m, n, rowptr, col, x, tol));
    rank_columns c = {.ctx = ctx, .arena = dal_arena_init(ctx), .m = m, .n = n};
    c.tol = tol > 0.0 ? tol : DEFAULT_TOLERANCE;
    const int nnz = m > 0 ? rowptr[m] - rowptr[0] : 0;
    carve(&c, nnz);
    DAL_TRY(dal_arena_reserve(&c.arena));
    carve(&c, nnz);
    fill(&c, rowptr, col, x);
    dal_status st = DAL_OK;
    if (c.ncols > 0) {
        st = (size_t)n * (size_t)c.ncols <= DENSE_ENTRIES ? dense_rank(&c) : dal_rank_sparse(&c);
    }
    if (st == DAL_OK) {
        int ndependent = 0, j = 0;
        for (int r = 0; r < m; ++r) {
            const int zero = j == c.ncols || c.index[j] != r;
            if (zero || c.dead[j]) {
                dependent[ndependent++] = r;
            }
            j += !zero;
        }
        *rank = m - ndependent;
    }
    dal_arena_release(&c.arena);
    return st;
}

/* ---- singular matrices ------------------------------------------------------------------------ */

/* A by rows: A^T in compressed columns. */
typedef struct rows {
    dal_arena arena;
    int *ptr, *col, *next, *dependent;
    double *x;
} rows;

static void carve_rows(rows *t, const dal_matrix *A)
{
    t->ptr = dal_arena_ints(&t->arena, A->n + 1);
    t->next = dal_arena_ints(&t->arena, A->n);
    t->dependent = dal_arena_ints(&t->arena, A->n);
    t->col = dal_arena_ints(&t->arena, A->nnz);
    t->x = dal_arena_reals(&t->arena, A->nnz);
}

/* Transpose, columns of A at length one. */
static void transpose(rows *t, const dal_matrix *A)
{
    for (int l = 0; l < A->nnz; ++l) {
        ++t->ptr[A->row[l] + 1];
    }
    for (int i = 0; i < A->n; ++i) {
        t->ptr[i + 1] += t->ptr[i];
        t->next[i] = t->ptr[i];
    }
    for (int j = 0; j < A->n; ++j) {
        const double len = length(A->x + A->colptr[j], A->colptr[j + 1] - A->colptr[j]);
        for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
            const int k = t->next[A->row[l]]++;
            t->col[k] = j;
            t->x[k] = len > 0.0 ? A->x[l] / len : 0.0;
        }
    }
}

dal_status dal_rank_worst_row(dal_ctx *ctx, int *row, const dal_matrix *A)
{
    rows t = {.arena = dal_arena_init(ctx)};
    carve_rows(&t, A);
    DAL_TRY(dal_arena_reserve(&t.arena));
    carve_rows(&t, A);
    transpose(&t, A);
    // the tightest tolerance that finds a dependent row
    dal_status st = DAL_OK;
    int rank = A->n;
    for (double tol = 1e-14; st == DAL_OK && rank == A->n && tol < 1.0; tol *= 10.0) {
        st = dal_rank_rows(ctx, &rank, t.dependent, A->n, A->n, t.ptr, t.col, t.x, tol);
    }
    *row = st == DAL_OK && rank < A->n ? t.dependent[0] : 0;
    dal_arena_release(&t.arena);
    return st;
}
