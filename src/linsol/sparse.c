/* Sparse LU of our own, P R A Q = L U. The order Q of the columns comes from the pattern, once; the pivots from the values, when
 * they are renewed; in between only numbers are computed, in memory that stays. R are powers of two that bring the largest
 * entry of a row between 1/2 and 1: they add no rounding errors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/linsol_impl.h"
#include "linsol/rank_impl.h"
#include "linsol/sparse_lu_impl.h"
#include "linsol/sparse_order_impl.h"

/* Diagonal entries are preferred as pivots if they reach this part of the largest candidate. 0.001, as usual for circuits, lets
 * residuals of badly scaled saddle matrices grow seventyfold and saves an eighth of the time. */
#define DIAGONAL_TOLERANCE 0.1
/* Pivots are renewed when one has grown or shrunk by more than this since they were chosen. */
#define RENEW_RATIO 30.0

typedef struct sparse_solver {
    dal_linsol base;
    sparse_lu lu;
    int ordered;     /* q is there */
    int chosen;      /* there are pivots */
    int direct;      /* the factors come from the choice of pivots, not from a refactorisation */
    int *q;          /* n: order of the columns */
    double *scale;   /* n: of the rows */
    double *size;    /* n: magnitudes of the pivots when they were chosen */
    double *y;       /* n: work of the solves */
    double *xpivot;  /* nnz: values that chose the pivots */
    double *xfactor; /* nnz: values last factored with these pivots, unless direct */
} sparse_solver;

static void carve(dal_linsol *ls, dal_arena *arena)
{
    sparse_solver *s = (sparse_solver *)ls;
    const int n = ls->A.n;
    dal_sparse_lu_carve(&s->lu, arena, n, n);
    s->q = dal_arena_ints(arena, n);
    s->scale = dal_arena_reals(arena, n);
    s->size = dal_arena_reals(arena, n);
    s->y = dal_arena_reals(arena, n);
    s->xpivot = dal_arena_reals(arena, ls->A.nnz);
    s->xfactor = dal_arena_reals(arena, ls->A.nnz);
}

/* Are all diagonal entries part of the pattern? */
static int has_diagonal(const dal_matrix *A)
{
    int found = 0;
    for (int j = 0; j < A->n; ++j) {
        for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
            found += A->row[l] == j;
        }
    }
    return found == A->n;
}

/* Ordering: minimum degree on the pattern of A + A^T as long as pivots can stay on the diagonal; it tells the cost as well. */
static dal_status analyse(dal_linsol *ls, const dal_pattern *pattern, block_order *order)
{
    sparse_solver *s = (sparse_solver *)ls;
    const dal_matrix *A = &ls->A;
    dal_column_cost cost;
    (void)pattern, (void)order;
    DAL_TRY(dal_diagonal_order(s->q, &cost, ls->ctx, A->n, A->colptr, A->row));
    ls->operations = DAL_SPARSE_WEIGHT * cost.operations;
    ls->entries = cost.entries;
    s->ordered = has_diagonal(A);
    return DAL_OK;
}

/* Where entries of the diagonal are missing, as in saddle matrices, exchanges of rows ruin that order, and columns are ordered for any
 * choice of pivots: when the first pivots are chosen, for most solvers are only made to ask for their cost. */
static dal_status order_columns(sparse_solver *s)
{
    const dal_matrix *A = &s->base.A;
    dal_column_cost bound;
    if (!s->ordered) {
        DAL_TRY(dal_column_order(s->q, &bound, s->base.ctx, A->n, A->n, A->colptr, A->row));
    }
    s->ordered = 1;
    return DAL_OK;
}

size_t dal_sparse_entries(const dal_linsol *ls)
{
    const sparse_solver *s = (const sparse_solver *)ls;
    const int n = ls->A.n;
    return s->chosen ? (size_t)s->lu.L.p[n] + (size_t)s->lu.U.p[n] + (size_t)n : 0;
}

static void forget(dal_linsol *ls)
{
    ((sparse_solver *)ls)->chosen = 0;
}

static void release(dal_linsol *ls)
{
    dal_sparse_lu_release(&((sparse_solver *)ls)->lu);
}

/* ---- pivots ----------------------------------------------------------------------------------- */

static void scale_rows(sparse_solver *s, const double *x)
{
    const dal_matrix *A = &s->base.A;
    double *restrict scale = s->scale;
    for (int i = 0; i < A->n; ++i) {
        scale[i] = 0.0;
    }
    for (int l = 0; l < A->nnz; ++l) {
        scale[A->row[l]] = fmax(scale[A->row[l]], fabs(x[l]));
    }
    for (int i = 0; i < A->n; ++i) {
        int exponent = 0;
        (void)frexp(scale[i], &exponent);
        scale[i] = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    }
}

/* Is pivot a of column j no larger than rounding errors in the numbers of its column, in A (rows scaled) or in U?  (LS.3) */
static int noise(const sparse_solver *s, const double *x, int j, double a)
{
    const dal_matrix *A = &s->base.A;
    const sparse_lu *f = &s->lu;
    double largest = 0.0;
    if (a > DAL_PIVOT_SUSPECT) {
        return 0;
    }
    for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
        largest = fmax(largest, fabs(x[l]) * s->scale[A->row[l]]);
    }
    for (int k = f->top; k < f->nrows; ++k) {
        largest = fmax(largest, fabs(f->w[f->row[f->reached[k]]]));
    }
    return !(a > fmax(DBL_MIN, DAL_PIVOT_NOISE * A->n * DBL_EPSILON * largest));
}

/* Row of the pivot for column j, or -1. */
static int find_pivot(const sparse_solver *s, const double *x, int j)
{
    const sparse_lu *f = &s->lu;
    int row = dal_sparse_lu_largest(f);
    if (row >= 0 && f->place[j] < 0 && f->mark[j] == f->stamp &&
        fabs(f->w[j]) >= DIAGONAL_TOLERANCE * fabs(f->w[row])) {
        row = j;
    }
    return row >= 0 && !noise(s, x, j, fabs(f->w[row])) ? row : -1;
}

/* Choose pivots for the values x and factor with them. */
static dal_status choose_pivots(sparse_solver *s, const double *x)
{
    const dal_matrix *A = &s->base.A;
    sparse_lu *f = &s->lu;
    s->chosen = 0;
    DAL_TRY(order_columns(s));
    scale_rows(s, x);
    dal_sparse_lu_begin(f);
    for (int k = 0; k < A->n; ++k) {
        const int j = s->q[k], first = A->colptr[j];
        DAL_TRY(dal_sparse_lu_column(f, A->colptr[j + 1] - first, A->row + first, x + first, s->scale));
        const int row = find_pivot(s, x, j);
        if (row < 0) {
            dal_sparse_lu_leave(f);
            return DAL_SINGULAR;
        }
        dal_sparse_lu_take(f, row);
        s->size[k] = fabs(f->pivot[k]);
    }
    dal_sparse_lu_finish(f);
    s->chosen = s->direct = 1;
    return DAL_OK;
}

/* Column k of the factors with the values x: the same operations as when the pivots were chosen. */
static void refactor_column(sparse_lu *f, int k, double *restrict w)
{
    const int *restrict li = f->L.i, *restrict ui = f->U.i, *lp = f->L.p;
    double *restrict lx = f->L.x, *restrict ux = f->U.x;
    for (int m = f->U.p[k]; m < f->U.p[k + 1]; ++m) {
        const int j = ui[m];
        const double u = w[j];
        w[j] = 0.0;
        ux[m] = u;
        for (int l = lp[j]; l < lp[j + 1]; ++l) {
            w[li[l]] -= lx[l] * u;
        }
    }
    const double pivot = w[k];
    w[k] = 0.0;
    f->pivot[k] = pivot;
    for (int l = lp[k]; l < lp[k + 1]; ++l) {
        lx[l] = w[li[l]] / pivot;
        w[li[l]] = 0.0;
    }
}

/* Factor the values x with the pivots there are. Returns 0 if these have become bad (or x is singular): pivots that
 * shrink, and the growth that follows them, both show on the diagonal of U. */
static int refactor(sparse_solver *s, const double *x)
{
    const dal_matrix *A = &s->base.A;
    sparse_lu *f = &s->lu;
    scale_rows(s, x);
    for (int k = 0; k < A->n; ++k) {
        const int j = s->q[k];
        for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
            f->w[f->place[A->row[l]]] += x[l] * s->scale[A->row[l]];
        }
        refactor_column(f, k, f->w);
        const double a = fabs(f->pivot[k]);
        if (!(a >= s->size[k] * (1.0 / RENEW_RATIO) && a <= s->size[k] * RENEW_RATIO)) {
            return 0;
        }
    }
    s->direct = 0;
    return 1;
}

static double load(dal_linsol *ls)
{
    const dal_matrix *A = &ls->A;
    double max = 0.0, total = 0.0;
    for (int j = 0; j < A->n; ++j) {
        double sum = 0.0;
        for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
            sum += fabs(A->x[l]);
        }
        total += sum;
        max = sum > max ? sum : max;
    }
    return total <= DBL_MAX ? max : HUGE_VAL;
}

static dal_status factor(dal_linsol *ls)
{
    sparse_solver *s = (sparse_solver *)ls;
    const size_t bytes = (size_t)ls->A.nnz * sizeof(double);
    if (s->chosen && refactor(s, ls->A.x)) {
        memcpy(s->xfactor, ls->A.x, bytes);
        return DAL_OK;
    }
    const dal_status st = choose_pivots(s, ls->A.x);
    if (st == DAL_OK) {
        memcpy(s->xpivot, ls->A.x, bytes);
    }
    if (st == DAL_SINGULAR) {
        DAL_TRY(dal_rank_worst_row(ls->ctx, &ls->singular_row, &ls->A));
    }
    return st;
}

/* ---- solves ----------------------------------------------------------------------------------- */

static void solve(const dal_linsol *ls, double *b)
{
    const sparse_solver *s = (const sparse_solver *)ls;
    const sparse_lu *f = &s->lu;
    const int n = ls->A.n, *restrict li = f->L.i, *restrict ui = f->U.i;
    const double *restrict lx = f->L.x, *restrict ux = f->U.x;
    double *restrict y = s->y;
    for (int k = 0; k < n; ++k) {
        y[k] = b[f->row[k]] * s->scale[f->row[k]];
    }
    for (int k = 0; k < n; ++k) {
        const double yk = y[k];
        for (int l = f->L.p[k]; l < f->L.p[k + 1]; ++l) {
            y[li[l]] -= lx[l] * yk;
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const double yk = y[k] / f->pivot[k];
        b[s->q[k]] = yk;
        for (int m = f->U.p[k]; m < f->U.p[k + 1]; ++m) {
            y[ui[m]] -= ux[m] * yk;
        }
    }
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const sparse_solver *s = (const sparse_solver *)ls;
    const sparse_lu *f = &s->lu;
    const int n = ls->A.n;
    double *y = s->y;
    for (int k = 0; k < n; ++k) {
        double sum = b[s->q[k]];
        for (int m = f->U.p[k]; m < f->U.p[k + 1]; ++m) {
            sum -= f->U.x[m] * y[f->U.i[m]];
        }
        y[k] = sum / f->pivot[k];
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int l = f->L.p[k]; l < f->L.p[k + 1]; ++l) {
            y[k] -= f->L.x[l] * y[f->L.i[l]];
        }
        b[f->row[k]] = y[k] * s->scale[f->row[k]];
    }
}

/* ---- snapshots -------------------------------------------------------------------------------- */

/* Whether there are pivots, and where the factors come from; the values behind both. */
size_t dal_sparse_snapshot_size(const dal_linsol *ls)
{
    enum { HEAD = 6 }; // of dal_linsol_pass
    return HEAD + 2 + 3 * (size_t)ls->A.nnz;
}

/* Both steps that led to the factors are repeated, bit by bit. */
static void factor_again(sparse_solver *s, dal_cursor *k)
{
    const int direct = s->direct; // which a choice of pivots sets
    const dal_status st = choose_pivots(s, s->xpivot);
    k->status = st == DAL_SINGULAR ? DAL_OK : st;
    if (st == DAL_SINGULAR || (st == DAL_OK && !direct && !refactor(s, s->xfactor))) {
        s->chosen = 0;
        dal_pass_wrong(k, "a matrix that can be factored");
    }
}

/* Not the factors, whose size depends on the pivots. */
static void pass(dal_linsol *ls, dal_cursor *k)
{
    sparse_solver *s = (sparse_solver *)ls;
    dal_pass_flag(k, &s->chosen);
    dal_pass_flag(k, &s->direct);
    dal_factors_pass(k, s->xpivot, ls->A.nnz, s->chosen);
    dal_factors_pass(k, s->xfactor, ls->A.nnz, s->chosen && !s->direct);
    if (k->in && ls->factored && !s->chosen) {
        dal_pass_wrong(k, "a choice of pivots");
    }
    s->chosen = k->in && !dal_pass_good(k) ? 0 : s->chosen;
    if (k->in && s->chosen) {
        factor_again(s, k);
    }
}

const linsol_type dal_linsol_sparse = {
    .name = "sparse",
    .dense = 0,
    .size = sizeof(sparse_solver),
    .carve = carve,
    .analyse = analyse,
    .load = load,
    .factor = factor,
    .solve = solve,
    .solve_transposed = solve_transposed,
    .pass = pass,
    .forget = forget,
    .release = release,
};
