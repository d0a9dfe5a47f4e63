/* Block elimination for mechanical systems: nodes (bodies, joints) in a fixed order, pivots chosen within nodes only.
 * Exchanges between nodes are not needed when the order follows (LS.7). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linsol/block_impl.h"
#include "linsol/block_kernels.h"
#include "linsol/block_many.h"

static void carve(dal_linsol *ls, dal_arena *arena)
{
    (void)ls, (void)arena; // the plan has an arena of its own: its size is known after the ordering
}

static void release(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    dal_guard_release(&s->guard);
    dal_block_order_release(&s->order);
    dal_arena_release(&s->plan);
    dal_gather_release(&s->gather);
}

/* ---- factor ----------------------------------------------------------------------------------- */

static double load(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    dal_gather_load(&s->gather, s->x, &ls->A);
    return DAL_NORM_LATER; // entries that are not finite show in the factors
}

/* A_kj := A_kk^-1 A_kj and A_ij -= A_ik (A_kk^-1 A_kj) for all pairs of neighbours of k, column by column of the upper
 * panel. size: of node k; rows: of its lower panel. A_kk^-1 is there. */
DAL_INLINE void update(block_solver *s, int k, int size, int rows)
{
    const block_order *o = &s->order;
    const double *diag = s->x + s->diag[k], *lower = s->x + s->lower[k];
    double *u = s->x + s->upper[k], *restrict y = s->y;
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        const block_run *end = s->run + s->run0[e + 1];
        const int ncolumns = o->size[o->adj[e]];
        for (int c = 0; c < ncolumns; ++c, u += size) {
            multiply_from_left(u, diag, size);
            product(y + c * rows, lower, rows, rows, size, u);
        }
        for (const block_run *r = s->run + s->run0[e]; r < end; ++r) {
            subtract_columns(s->x + r->at, r->ld, y + r->from, rows, r->length, ncolumns);
        }
    }
}

/* A_kk := A_kk^-1 of the last time, if A_kk is what it was then. Returns the ratio of its pivots, 0 if it is not. */
DAL_INLINE double recall(block_solver *s, int k, int n)
{
    double *A = s->x + s->diag[k], *last = s->known + s->past[k];
    const double ratio = last[2 * n];
    if (ratio > 0.0 && memcmp(A, last, (size_t)n * sizeof *A) == 0) {
        s->patience[k] = DAL_PATIENCE;
        copy(A, last + n, n);
        return ratio;
    }
    s->patience[k]--;
    copy(last, A, n);
    last[2 * n] = 0.0;
    return 0.0;
}

/* A_kk := A_kk^-1. Returns the ratio of pivots. known: the size is a constant. */
DAL_INLINE double invert_node(block_solver *s, int k, int size, int known)
{
    const int n = size * size, steady = s->steady && s->patience[k] > 0;
    double ratio = steady ? recall(s, k, n) : 0.0;
    if (ratio > 0.0) {
        return ratio;
    }
    ratio = invert(s->x + s->diag[k], size, DAL_PIVOT_LIMIT, known);
    if (steady) {
        double *last = s->known + s->past[k];
        copy(last + n, s->x + s->diag[k], n);
        last[2 * n] = ratio;
    }
    return ratio;
}

/* A_kk := A_kk^-1 and the update. known: the size is a constant. Returns the ratio of pivots, infinite if a number is not
 * finite: one that enters a node spreads to all its later neighbours, and so to a node that has none. */
DAL_INLINE double eliminate_node(block_solver *s, int k, int size, int known)
{
    const int rows = s->rows[k];
    const double ratio = invert_node(s, k, size, known);
    // panels of one or two groups of rows are the usual ones
    if (known && rows == DAL_ROW_GROUP) {
        update(s, k, size, DAL_ROW_GROUP);
    } else if (known && rows == 2 * DAL_ROW_GROUP) {
        update(s, k, size, 2 * DAL_ROW_GROUP);
    } else {
        update(s, k, size, rows);
    }
    return rows > 0 || dal_not_finite(s->x + s->diag[k], size * size) == 0.0 ? ratio : HUGE_VAL;
}

/* Node by node. Returns the largest ratio of pivots. */
DAL_INLINE double eliminate(block_solver *s)
{
    double worst = 0.0;
    for (int k = 0; k < s->order.nnodes && worst < HUGE_VAL; ++k) {
        const int size = s->order.size[k];
        const double ratio = size == 6   ? eliminate_node(s, k, 6, 1)
                             : size == 3 ? eliminate_node(s, k, 3, 1)
                             : size == 5 ? eliminate_node(s, k, 5, 1)
                             : size == 4 ? eliminate_node(s, k, 4, 1)
                                         : eliminate_node(s, k, size, 0);
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

static dal_status factor(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    const double ratio = dal_guard_tries(&s->guard) ? s->eliminate(s) : HUGE_VAL;
    if (!(ratio < HUGE_VAL) && dal_not_finite(ls->A.x, ls->A.nnz) != 0.0) {
        ls->norm1 = HUGE_VAL;
        return DAL_SINGULAR;
    }
    return dal_guard_finish(ls, &s->guard, ratio);
}

static int factor_in_place(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    return dal_guard_known(&s->guard, s->eliminate(s));
}

static double norm1(const dal_linsol *ls)
{
    return dal_block_norm1((const block_solver *)ls);
}

/* ---- solve ------------------------------------------------------------------------------------ */

static void gather(const block_solver *s, const double *b)
{
    for (int p = 0; p < s->base.A.n; ++p) {
        s->w[p] = b[s->order.index[p]];
    }
}

static void scatter(const block_solver *s, double *b)
{
    for (int p = 0; p < s->base.A.n; ++p) {
        b[s->order.index[p]] = s->w[p];
    }
}

/* The unknowns of the later neighbours of k, one after the other, in y. */
DAL_INLINE void collect(const block_solver *s, int k)
{
    const block_order *o = &s->order;
    double *restrict y = s->y;
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        const double *restrict w = s->w + o->first[o->adj[e]];
        const int n = o->size[o->adj[e]];
        copy(y, w, n);
        y += n;
    }
}

/* w_k := A_kk^-1 w_k, w_i -= A_ik w_k */
DAL_INLINE void solve_lower(const block_solver *s, int k, int size)
{
    const block_order *o = &s->order;
    double *w = s->w + o->first[k], *y = s->y;
    multiply_from_left(w, s->x + s->diag[k], size);
    product(y, s->x + s->lower[k], s->rows[k], s->rows[k], size, w);
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        subtract_columns(s->w + o->first[o->adj[e]], 0, y + s->part[e], 0, o->size[o->adj[e]], 1);
    }
}

/* w_k -= (A_kk^-1 A_kj) w_j */
DAL_INLINE void solve_upper(const block_solver *s, int k, int size)
{
    const block_order *o = &s->order;
    double *w = s->w + o->first[k];
    const double *u = s->x + s->upper[k];
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        const double *x = s->w + o->first[o->adj[e]];
        const int n = o->size[o->adj[e]];
        if (n == 3) {
            subtract_apply(w, u, size, 3, x);
        } else if (n == 6) {
            subtract_apply(w, u, size, 6, x);
        } else {
            subtract_apply(w, u, size, n, x);
        }
        u += n * size;
    }
}

/* One of two steps with a node, with code of its own for the usual sizes. */
#define FOR_SIZE(step, s, k)            \
    switch ((s)->order.size[k]) {       \
    case 3:                             \
        step(s, k, 3);                  \
        break;                          \
    case 5:                             \
        step(s, k, 5);                  \
        break;                          \
    case 6:                             \
        step(s, k, 6);                  \
        break;                          \
    default:                            \
        step(s, k, (s)->order.size[k]); \
    }

DAL_INLINE void solve_permuted(const block_solver *s)
{
    for (int k = 0; k < s->order.nnodes; ++k) {
        FOR_SIZE(solve_lower, s, k)
    }
    for (int k = s->order.nnodes - 1; k >= 0; --k) {
        FOR_SIZE(solve_upper, s, k)
    }
}

DAL_INLINE void solve_many_permuted(const block_solver *s)
{
    for (int k = 0; k < s->order.nnodes; ++k) {
        FOR_SIZE(many_lower, s, k)
    }
    for (int k = s->order.nnodes - 1; k >= 0; --k) {
        FOR_SIZE(many_upper, s, k)
    }
}

static void solve(const dal_linsol *ls, double *b)
{
    const block_solver *s = (const block_solver *)ls;
    if (s->guard.away) {
        dal_linsol_solve(s->guard.backup, b);
        return;
    }
    gather(s, b);
    s->solve(s);
    scatter(s, b);
}

/* QUAD at a time; zeros where there are fewer. */
static void solve_many(const dal_linsol *ls, double *b, int count)
{
    const block_solver *s = (const block_solver *)ls;
    const int n = ls->A.n, *restrict index = s->order.index;
    double *restrict w = s->four;
    for (; count > 0; count -= QUAD, b += QUAD * n) {
        for (int p = 0; p < n; ++p) {
            for (int c = 0; c < QUAD; ++c) {
                w[QUAD * p + c] = c < count ? b[index[p] + c * n] : 0.0;
            }
        }
        s->solve_many(s);
        double *restrict to = b;
        for (int c = 0; c < QUAD && c < count; ++c, to += n) {
            for (int p = 0; p < n; ++p) {
                to[index[p]] = w[QUAD * p + c];
            }
        }
    }
}

/* w_j -= (A_kk^-1 A_kj)^T w_k */
DAL_INLINE void transposed_upper(const block_solver *s, int k, int size)
{
    const block_order *o = &s->order;
    const double *w = s->w + o->first[k], *u = s->x + s->upper[k];
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        double *x = s->w + o->first[o->adj[e]];
        const int n = o->size[o->adj[e]];
        if (n == 3) {
            subtract_apply_transposed(x, u, size, size, 3, w);
        } else if (n == 6) {
            subtract_apply_transposed(x, u, size, size, 6, w);
        } else {
            subtract_apply_transposed(x, u, size, size, n, w);
        }
        u += n * size;
    }
}

/* w_k := A_kk^-T (w_k - A_ik^T w_i) */
DAL_INLINE void transposed_lower(const block_solver *s, int k, int size)
{
    double *w = s->w + s->order.first[k];
    collect(s, k);
    subtract_apply_transposed(w, s->x + s->lower[k], s->rows[k], s->order.width[k], size, s->y);
    for (int i = 0; i < size; ++i) {
        s->y[i] = -w[i];
        w[i] = 0.0;
    }
    subtract_apply_transposed(w, s->x + s->diag[k], size, size, size, s->y);
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const block_solver *s = (const block_solver *)ls;
    if (s->guard.away) {
        dal_linsol_back_solve(s->guard.backup, b, 1);
        return;
    }
    gather(s, b);
    for (int k = 0; k < s->order.nnodes; ++k) {
        FOR_SIZE(transposed_upper, s, k)
    }
    for (int k = s->order.nnodes - 1; k >= 0; --k) {
        FOR_SIZE(transposed_lower, s, k)
    }
    scatter(s, b);
}

/* ---- processors ------------------------------------------------------------------------------- */

/* The same source for registers of two numbers and, where the processor has them, of four: the same bits. */
static double eliminate_2(block_solver *s)
{
    return eliminate(s);
}

static void solve_2(const block_solver *s)
{
    solve_permuted(s);
}

static void solve_many_2(const block_solver *s)
{
    solve_many_permuted(s);
}

#if DAL_VECTORS && defined(__x86_64__) && !defined(_WIN32) // whose stacks are aligned for two
__attribute__((target("avx"))) static double eliminate_4(block_solver *s)
{
    return eliminate(s);
}

__attribute__((target("avx"))) static void solve_4(const block_solver *s)
{
    solve_permuted(s);
}

__attribute__((target("avx"))) static void solve_many_4(const block_solver *s)
{
    solve_many_permuted(s);
}

static int four_at_once(void)
{
    return __builtin_cpu_supports("avx");
}
#else
#define eliminate_4 eliminate_2
#define solve_4 solve_2
#define solve_many_4 solve_many_2
static int four_at_once(void)
{
    return 0;
}
#endif

void dal_block_narrow(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    s->eliminate = eliminate_2;
    s->solve = solve_2;
    s->solve_many = solve_many_2;
}

static dal_status analyse(dal_linsol *ls, const dal_pattern *pattern, block_order *order)
{
    block_solver *s = (block_solver *)ls;
    s->order = *order;
    *order = (block_order){0};
    dal_block_narrow(ls);
    if (four_at_once()) {
        s->eliminate = eliminate_4;
        s->solve = solve_4;
        s->solve_many = solve_many_4;
    }
    return dal_block_plan(s, pattern);
}

/* The factors, and what belongs to the guard. */
static void pass(dal_linsol *ls, dal_cursor *k)
{
    block_solver *s = (block_solver *)ls;
    dal_guard_pass(ls, &s->guard, k);
    dal_factors_pass(k, s->x, s->nx, ls->factored && !s->guard.away);
}

static void forget(dal_linsol *ls)
{
    dal_guard_forget(&((block_solver *)ls)->guard);
}

static const dal_guard *guard(const dal_linsol *ls)
{
    return &((const block_solver *)ls)->guard;
}

const linsol_type dal_linsol_block = {
    .name = "block",
    .nodes = 1,
    .size = sizeof(block_solver),
    .carve = carve,
    .analyse = analyse,
    .load = load,
    .factor = factor,
    .factor_in_place = factor_in_place,
    .norm1 = norm1,
    .solve = solve,
    .solve_many = solve_many,
    .solve_transposed = solve_transposed,
    .pass = pass,
    .forget = forget,
    .release = release,
    .guard = guard,
};
