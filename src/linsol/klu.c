/* Sparse LU by KLU (SuiteSparse). The order of elimination comes from the pattern, once; the pivots from the values,
 * when they are renewed; in between only numbers are computed (klu_refactor), in memory that stays.
 * Memory comes from the context, by way of klu_pool.h. */
#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

#include "linsol/klu_pool.h"
#include "linsol/linsol_impl.h"
#include "linsol/rank_impl.h"

/* Diagonal entries are preferred as pivots if they reach this part of the largest candidate. KLU's own 0.001 lets
 * residuals of badly scaled saddle matrices grow seventyfold and saves an eighth of the time. */
#define DIAGONAL_TOLERANCE 0.1
/* Pivots are renewed when a diagonal entry of U has grown or shrunk by more than this since they were chosen. */
#define RENEW_RATIO 30.0

typedef struct klu_solver {
    dal_linsol base;
    dal_klu_pool pool;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; /* NULL: no pivots chosen */
    int direct;           /* the factors come from the choice of pivots, not from a refactorisation */
    double *xpivot;       /* nnz: values that chose the pivots */
    double *xfactor;      /* nnz: values last factored with these pivots, unless direct */
    double *diagonal;     /* n: magnitudes of the diagonal of U when the pivots were chosen */
} klu_solver;

static void carve(dal_linsol *ls, dal_arena *arena)
{
    klu_solver *k = (klu_solver *)ls;
    k->xpivot = dal_arena_reals(arena, ls->A.nnz);
    k->xfactor = dal_arena_reals(arena, ls->A.nnz);
    k->diagonal = dal_arena_reals(arena, ls->A.n);
}

/* What KLU reports when it returns no object. */
static dal_status failure(const klu_solver *k)
{
    if (k->common.status == KLU_SINGULAR) {
        return DAL_SINGULAR;
    }
    return dal_fail(k->base.ctx, DAL_ENOMEM, "KLU: %s",
                    k->common.status == KLU_TOO_LARGE ? "the factors are too large" : "out of memory");
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

static dal_status order_columns(klu_solver *k, int ordering)
{
    dal_linsol *ls = &k->base;
    k->common.ordering = ordering;
    dal_klu_enter(&k->pool);
    klu_free_symbolic(&k->symbolic, &k->common);
    k->symbolic = klu_analyze(ls->A.n, ls->colptr, ls->row, &k->common);
    dal_klu_leave();
    return k->symbolic != NULL ? DAL_OK : failure(k);
}

/* Ordering: minimum degree on the pattern of A + A^T as long as pivots can stay on the diagonal. Where entries of the
 * diagonal are missing, as in saddle matrices, exchanges of rows ruin that order, and columns are ordered for any choice
 * of pivots (COLAMD). Block triangular form is not sought: it permutes the rows of saddle matrices, which costs fill and
 * accuracy, and mechanical systems that are connected have one block anyway. */
static dal_status analyse(dal_linsol *ls, const dal_pattern *pattern, block_order *order)
{
    enum { AMD, COLAMD };
    klu_solver *k = (klu_solver *)ls;
    (void)pattern, (void)order;
    klu_defaults(&k->common);
    k->common.btf = 0;
    k->common.scale = 2; // rows divided by their largest entry
    k->common.tol = DIAGONAL_TOLERANCE;
    k->pool.ctx = ls->ctx;
    DAL_TRY(order_columns(k, AMD));
    ls->operations = DAL_KLU_WEIGHT * k->symbolic->est_flops;
    ls->entries = k->symbolic->lnz + k->symbolic->unz;
    return has_diagonal(&ls->A) ? DAL_OK : order_columns(k, COLAMD);
}

size_t dal_klu_entries(const dal_linsol *ls)
{
    const klu_numeric *numeric = ((const klu_solver *)ls)->numeric;
    return numeric != NULL ? (size_t)numeric->lnz + (size_t)numeric->unz : 0;
}

/* The memory of the factors is kept for the next ones. */
static void free_factors(klu_solver *k)
{
    dal_klu_enter(&k->pool);
    klu_free_numeric(&k->numeric, &k->common);
    dal_klu_leave();
}

static void release(dal_linsol *ls)
{
    klu_solver *k = (klu_solver *)ls;
    free_factors(k);
    dal_klu_enter(&k->pool);
    klu_free_symbolic(&k->symbolic, &k->common);
    dal_klu_leave();
    dal_klu_pool_release(&k->pool);
}

/* ---- pivots ----------------------------------------------------------------------------------- */

/* Does pivot c look small beside its row, whose largest entry is scaled to 1? */
static int suspect(const klu_solver *k, int c)
{
    return !(k->diagonal[c] > DAL_PIVOT_SUSPECT);
}

/* U in compressed columns, for a close look at the pivots. */
typedef struct upper {
    dal_arena arena;
    int *p, *i;
    double *x;
} upper;

static void carve_upper(upper *u, const klu_solver *k)
{
    u->p = dal_arena_ints(&u->arena, k->base.A.n + 1);
    u->i = dal_arena_ints(&u->arena, k->numeric->unz);
    u->x = dal_arena_reals(&u->arena, k->numeric->unz);
}

/* Is pivot c no larger than rounding errors in the numbers of its column, in A (rows scaled) or in U?  (LS.3) */
static int noise(const klu_solver *k, const upper *u, int c)
{
    const dal_matrix *A = &k->base.A;
    const int j = k->symbolic->Q[c];
    double scale = 0.0;
    for (int l = A->colptr[j]; l < A->colptr[j + 1]; ++l) {
        scale = fmax(scale, fabs(A->x[l]) / k->numeric->Rs[k->numeric->Pinv[A->row[l]]]);
    }
    for (int l = u->p[c]; l < u->p[c + 1]; ++l) {
        scale = fmax(scale, fabs(u->x[l]));
    }
    return k->diagonal[c] <= DAL_PIVOT_NOISE * A->n * DBL_EPSILON * scale;
}

/* Fresh factors of the matrix: DAL_SINGULAR if a pivot is noise. Those that look healthy cost nothing more. */
static dal_status examine(klu_solver *k)
{
    const int n = k->base.A.n;
    int c = 0;
    while (c < n && !suspect(k, c)) {
        ++c;
    }
    if (c == n) {
        return DAL_OK;
    }
    upper u = {.arena = dal_arena_init(k->base.ctx)};
    carve_upper(&u, k);
    DAL_TRY(dal_arena_reserve(&u.arena));
    carve_upper(&u, k);
    klu_extract(k->numeric, k->symbolic, NULL, NULL, NULL, u.p, u.i, u.x, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                &k->common);
    dal_status st = DAL_OK;
    for (; c < n && st == DAL_OK; ++c) {
        if (suspect(k, c) && noise(k, &u, c)) {
            st = DAL_SINGULAR;
        }
    }
    dal_arena_release(&u.arena);
    return st;
}

/* Choose pivots for the values x and factor with them. */
static dal_status choose_pivots(klu_solver *k, double *x)
{
    free_factors(k);
    dal_klu_enter(&k->pool);
    k->numeric = klu_factor(k->base.colptr, k->base.row, x, k->symbolic, &k->common);
    dal_klu_leave();
    if (k->numeric == NULL) {
        return failure(k);
    }
    const double *u = k->numeric->Udiag;
    for (int i = 0; i < k->base.A.n; ++i) {
        k->diagonal[i] = fabs(u[i]);
    }
    k->direct = 1;
    return DAL_OK;
}

/* Factor the values x with the pivots there are. Returns 0 if these have become bad (or x is singular): pivots that
 * shrink, and the growth that follows them, both show on the diagonal of U. */
static int refactor(klu_solver *k, double *x)
{
    if (!klu_refactor(k->base.colptr, k->base.row, x, k->symbolic, k->numeric, &k->common)) {
        return 0;
    }
    const double *u = k->numeric->Udiag, *d = k->diagonal;
    int good = 1;
    for (int i = 0; i < k->base.A.n; ++i) {
        const double a = fabs(u[i]);
        good &= a >= d[i] * (1.0 / RENEW_RATIO) && a <= d[i] * RENEW_RATIO;
    }
    k->direct = 0;
    return good;
}

/* KLU reads the matrix where it is. */
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
    klu_solver *k = (klu_solver *)ls;
    const size_t bytes = (size_t)ls->A.nnz * sizeof(double);
    if (k->numeric != NULL && refactor(k, ls->A.x)) {
        memcpy(k->xfactor, ls->A.x, bytes);
        return DAL_OK;
    }
    dal_status st = choose_pivots(k, ls->A.x);
    if (st == DAL_OK) {
        st = examine(k);
    }
    if (st == DAL_OK) {
        memcpy(k->xpivot, ls->A.x, bytes);
    } else {
        free_factors(k);
    }
    if (st == DAL_SINGULAR) {
        DAL_TRY(dal_rank_worst_row(ls->ctx, &ls->singular_row, &ls->A));
    }
    return st;
}

/* ---- the rest of the table -------------------------------------------------------------------- */

/* KLU solves in work space of its own objects, hence the casts. */
static void solve(const dal_linsol *ls, double *b)
{
    klu_solver *k = (klu_solver *)ls;
    klu_solve(k->symbolic, k->numeric, ls->A.n, 1, b, &k->common);
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    klu_solver *k = (klu_solver *)ls;
    klu_tsolve(k->symbolic, k->numeric, ls->A.n, 1, b, &k->common);
}

/* Factors cannot be copied out of KLU, but both steps that led to them can be repeated, bit by bit. */
static size_t snapshot_size(const dal_linsol *ls)
{
    return 2 + 2 * (size_t)ls->A.nnz;
}

static void save(const dal_linsol *ls, double *snapshot)
{
    const klu_solver *k = (const klu_solver *)ls;
    const size_t nnz = (size_t)ls->A.nnz;
    snapshot[0] = k->numeric != NULL;
    snapshot[1] = k->direct;
    memcpy(snapshot + 2, k->xpivot, nnz * sizeof *snapshot);
    memcpy(snapshot + 2 + nnz, k->xfactor, nnz * sizeof *snapshot);
}

static dal_status restore(dal_linsol *ls, const double *snapshot)
{
    klu_solver *k = (klu_solver *)ls;
    const size_t nnz = (size_t)ls->A.nnz;
    if (!dal_snapshot_whole(snapshot[0], 0, 1) || !dal_snapshot_whole(snapshot[1], 0, 1)) {
        return dal_snapshot_damaged(ls, "its head makes no sense");
    }
    if (ls->factored && snapshot[0] == 0.0) {
        return dal_snapshot_damaged(ls, "the factors are missing");
    }
    const size_t used = snapshot[0] == 0.0 ? 0 : snapshot[1] == 0.0 ? 2 * nnz : nnz;
    if (!dal_snapshot_finite(snapshot + 2, used)) {
        return dal_snapshot_damaged(ls, "the values are not finite");
    }
    memcpy(k->xpivot, snapshot + 2, nnz * sizeof *snapshot);
    memcpy(k->xfactor, snapshot + 2 + nnz, nnz * sizeof *snapshot);
    if (snapshot[0] == 0.0) {
        free_factors(k);
        return DAL_OK;
    }
    dal_status st = choose_pivots(k, k->xpivot);
    if (st == DAL_OK && snapshot[1] == 0.0 && !refactor(k, k->xfactor)) {
        st = DAL_SINGULAR;
    }
    if (st == DAL_SINGULAR) {
        st = dal_fail(ls->ctx, DAL_ESNAPSHOT, "KLU: the saved matrix cannot be factored");
    }
    return st;
}

static void forget(dal_linsol *ls)
{
    klu_solver *k = (klu_solver *)ls;
    free_factors(k);
}

const linsol_type dal_linsol_klu = {
    .name = "klu",
    .dense = 0,
    .size = sizeof(klu_solver),
    .carve = carve,
    .analyse = analyse,
    .load = load,
    .factor = factor,
    .solve = solve,
    .solve_transposed = solve_transposed,
    .snapshot_size = snapshot_size,
    .save = save,
    .restore = restore,
    .forget = forget,
    .release = release,
};
