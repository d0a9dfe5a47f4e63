/* Multifrontal elimination: nodes (bodies, joints) joined to fronts, which are eliminated as dense matrices. For nets
 * and other structures with many loops, where fronts get large. Pivots are chosen within a front only. (LS.9) */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linsol/dense_kernels.h"
#include "linsol/frontal_impl.h"

static void carve(dal_linsol *ls, dal_arena *arena)
{
    (void)ls, (void)arena; // the plan has arenas of its own: its size is known after the ordering
}

static dal_status analyse(dal_linsol *ls, const dal_pattern *pattern, block_order *order)
{
    front_tree tree;
    (void)pattern;
    DAL_TRY(dal_front_tree_init(&tree, ls->ctx, order));
    ls->operations = tree.cost;
    ls->entries = tree.entries;
    const dal_status st = dal_frontal_plan((frontal_solver *)ls, &tree);
    dal_front_tree_release(&tree);
    return st;
}

static void release(dal_linsol *ls)
{
    frontal_solver *s = (frontal_solver *)ls;
    dal_guard_release(&s->guard);
    dal_arena_release(&s->plan);
    dal_arena_release(&s->values);
    dal_gather_release(&s->gather);
}

/* ---- factor ----------------------------------------------------------------------------------- */

static double load(dal_linsol *ls)
{
    frontal_solver *s = (frontal_solver *)ls;
    dal_gather_load(&s->gather, s->x, &ls->A);
    return dal_not_finite(ls->A.x, ls->A.nnz) == 0.0 ? DAL_NORM_LATER : HUGE_VAL;
}

static size_t square(int n)
{
    return (size_t)n * (size_t)n;
}

/* Column `column` of front f: where its row 0 and its row np would be, if they followed in that part. */
static inline void column_of(const frontal_solver *s, const front *f, double *R, int column, double **top,
                             double **bottom)
{
    if (column < f->np) {
        *top = s->x + f->panel + (size_t)column * (size_t)(f->np + f->nb);
        *bottom = *top + f->np;
    } else {
        *top = s->x + f->upper + (size_t)(column - f->np) * (size_t)f->np;
        *bottom = R + (size_t)(column - f->np) * (size_t)f->nb;
    }
}

/* Add the remainder X of a child to the front f of its parent, whose own remainder is R. */
static void add_child(const frontal_solver *s, const front *f, double *R, const front *child, const double *X)
{
    const front_run *map = s->map + child->map0;
    const int nmaps = child->map1 - child->map0;
    for (int c = 0; c < nmaps; ++c) {
        for (int j = 0; j < map[c].length; ++j, X += child->nb) {
            double *top, *bottom;
            column_of(s, f, R, map[c].to + j, &top, &bottom);
            for (int r = 0; r < nmaps; ++r) {
                const int row = map[r].to, n = map[r].length;
                double *restrict to = row < f->np ? top + row : bottom + (row - f->np);
                const double *restrict x = X + map[r].from;
                for (int i = 0; i < n; ++i) {
                    to[i] += x[i];
                }
            }
        }
    }
}

/* Panel and upper part of a front become factors, what they change of the remainder R is subtracted. */
static double factor_front(frontal_solver *s, const front *f, double *R)
{
    const int np = f->np, nb = f->nb, nf = np + nb;
    double *P = s->x + f->panel, *U = s->x + f->upper;
    int *swap = s->swap + f->first;
    const double ratio = dal_dense_panel(P, nf, nf, np, swap, DAL_PIVOT_LIMIT, s->room);
    if (ratio < HUGE_VAL && nb > 0) {
        dal_dense_exchange(U, np, nb, swap, np);
        dal_dense_lower(U, np, P, nf, np, nb, s->room);
        dal_dense_subtract(R, nb, P + np, nf, U, np, nb, nb, np, s->room);
    }
    return ratio;
}

/* Front after front. Returns the largest ratio of pivots. */
static double eliminate(frontal_solver *s)
{
    double ratio = 0.0, *top = s->stack;
    int nwaiting = 0;
    for (int k = 0; k < s->nfronts && ratio < HUGE_VAL; ++k) {
        const front *f = &s->front[k];
        double *X = top;
        for (int c = 1; c <= f->nchildren; ++c) {
            X -= square(s->front[s->waiting[nwaiting - c]].nb);
        }
        double *const below = X;
        memset(top, 0, square(f->nb) * sizeof *top);
        for (int c = f->nchildren; c > 0; --c) {
            const front *child = &s->front[s->waiting[nwaiting - c]];
            add_child(s, f, top, child, X);
            X += square(child->nb);
        }
        nwaiting -= f->nchildren;
        ratio = fmax(ratio, factor_front(s, f, top));
        if (f->nb > 0) {
            if (below < top) {
                memmove(below, top, square(f->nb) * sizeof *top);
            }
            s->waiting[nwaiting++] = k;
        }
        top = below + square(f->nb);
    }
    return ratio;
}

static dal_status factor(dal_linsol *ls)
{
    frontal_solver *s = (frontal_solver *)ls;
    return dal_guard_finish(ls, &s->guard, dal_guard_tries(&s->guard) ? eliminate(s) : HUGE_VAL);
}

/* ---- solve ------------------------------------------------------------------------------------ */

static void gather(const frontal_solver *s, const double *b)
{
    for (int p = 0; p < s->base.A.n; ++p) {
        s->w[p] = b[s->index[p]];
    }
}

static void scatter(const frontal_solver *s, double *b)
{
    for (int p = 0; p < s->base.A.n; ++p) {
        b[s->index[p]] = s->w[p];
    }
}

/* y[i] -= A[i] x[j], A m x n */
static inline void subtract_columns(double *restrict y, const double *restrict A, int ld, int m, int n,
                                    const double *restrict x)
{
    for (int j = 0; j < n; ++j, A += ld) {
        for (int i = 0; i < m; ++i) {
            y[i] -= A[i] * x[j];
        }
    }
}

static inline double dot(const double *restrict a, const double *restrict b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void exchange(double *w, const int *swap, int k)
{
    const double x = w[k];
    w[k] = w[swap[k]];
    w[swap[k]] = x;
}

/* w_p := L^-1 P w_p, w_b -= L_b w_p */
static void solve_lower(const frontal_solver *s, const front *f)
{
    const int np = f->np, nb = f->nb, nf = np + nb, *border = s->border + f->border;
    const double *P = s->x + f->panel;
    double *w = s->w + f->first, *y = s->y;
    for (int k = 0; k < np; ++k) {
        exchange(w, s->swap + f->first, k);
    }
    for (int k = 0; k < np; ++k) {
        const double *l = P + (size_t)k * (size_t)nf, x = w[k];
        for (int i = k + 1; i < np; ++i) {
            w[i] -= l[i] * x;
        }
    }
    for (int i = 0; i < nb; ++i) {
        y[i] = s->w[border[i]];
    }
    subtract_columns(y, P + np, nf, nb, np, w);
    for (int i = 0; i < nb; ++i) {
        s->w[border[i]] = y[i];
    }
}

/* w_p := U^-1 (w_p - U_b w_b) */
static void solve_upper(const frontal_solver *s, const front *f)
{
    const int np = f->np, nb = f->nb, nf = np + nb, *border = s->border + f->border;
    const double *P = s->x + f->panel;
    double *w = s->w + f->first, *y = s->y;
    for (int i = 0; i < nb; ++i) {
        y[i] = s->w[border[i]];
    }
    subtract_columns(w, s->x + f->upper, np, np, nb, y);
    for (int k = np - 1; k >= 0; --k) {
        const double *u = P + (size_t)k * (size_t)nf;
        w[k] /= u[k];
        for (int i = 0; i < k; ++i) {
            w[i] -= u[i] * w[k];
        }
    }
}

static void solve(const dal_linsol *ls, double *b)
{
    const frontal_solver *s = (const frontal_solver *)ls;
    if (s->guard.away) {
        dal_linsol_solve(s->guard.backup, b);
        return;
    }
    gather(s, b);
    for (int k = 0; k < s->nfronts; ++k) {
        solve_lower(s, &s->front[k]);
    }
    for (int k = s->nfronts - 1; k >= 0; --k) {
        solve_upper(s, &s->front[k]);
    }
    scatter(s, b);
}

/* w_p := U^-T w_p, w_b -= U_b^T w_p */
static void transposed_upper(const frontal_solver *s, const front *f)
{
    const int np = f->np, nf = np + f->nb, *border = s->border + f->border;
    const double *P = s->x + f->panel, *U = s->x + f->upper;
    double *w = s->w + f->first;
    for (int k = 0; k < np; ++k) {
        const double *u = P + (size_t)k * (size_t)nf;
        w[k] = (w[k] - dot(u, w, k)) / u[k];
    }
    for (int i = 0; i < f->nb; ++i) {
        s->w[border[i]] -= dot(U + (size_t)i * (size_t)np, w, np);
    }
}

/* w_p := P^T L^-T (w_p - L_b^T w_b) */
static void transposed_lower(const frontal_solver *s, const front *f)
{
    const int np = f->np, nb = f->nb, nf = np + nb, *border = s->border + f->border;
    const double *P = s->x + f->panel;
    double *w = s->w + f->first, *y = s->y;
    for (int i = 0; i < nb; ++i) {
        y[i] = s->w[border[i]];
    }
    for (int k = np - 1; k >= 0; --k) {
        const double *l = P + (size_t)k * (size_t)nf;
        w[k] -= dot(l + np, y, nb) + dot(l + k + 1, w + k + 1, np - k - 1);
    }
    for (int k = np - 1; k >= 0; --k) {
        exchange(w, s->swap + f->first, k);
    }
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const frontal_solver *s = (const frontal_solver *)ls;
    if (s->guard.away) {
        dal_linsol_back_solve(s->guard.backup, b, 1);
        return;
    }
    gather(s, b);
    for (int k = 0; k < s->nfronts; ++k) {
        transposed_upper(s, &s->front[k]);
    }
    for (int k = s->nfronts - 1; k >= 0; --k) {
        transposed_lower(s, &s->front[k]);
    }
    scatter(s, b);
}

/* The factors, the exchanges of rows, and what belongs to the guard. */
static void pass(dal_linsol *ls, dal_cursor *k)
{
    frontal_solver *s = (frontal_solver *)ls;
    dal_guard_pass(ls, &s->guard, k);
    for (int f = 0; f < s->nfronts; ++f) {
        for (int i = 0; i < s->front[f].np; ++i) {
            dal_pass_range(k, &s->swap[s->front[f].first + i], 0, s->front[f].np - 1);
        }
    }
    dal_factors_pass(k, s->x, s->nx, ls->factored && !s->guard.away);
}

static void forget(dal_linsol *ls)
{
    dal_guard_forget(&((frontal_solver *)ls)->guard);
}

static const dal_guard *guard(const dal_linsol *ls)
{
    return &((const frontal_solver *)ls)->guard;
}

const linsol_type dal_linsol_frontal = {
    .name = "frontal",
    .nodes = 1,
    .size = sizeof(frontal_solver),
    .carve = carve,
    .analyse = analyse,
    .load = load,
    .factor = factor,
    .solve = solve,
    .solve_transposed = solve_transposed,
    .pass = pass,
    .forget = forget,
    .release = release,
    .guard = guard,
};
