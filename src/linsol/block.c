/* Block elimination for mechanical systems: nodes (bodies, joints) in a fixed order, pivots chosen within nodes only.
 * Exchanges between nodes are not needed when the order follows (LS.7). */
#include <math.h>
#include <string.h>

#include "linsol/block_impl.h"
#include "linsol/block_kernels.h"

static void carve(dal_linsol *ls, dal_arena *arena)
{
    (void)ls, (void)arena; // the plan has an arena of its own: its size is known after the ordering
}

static dal_status analyse(dal_linsol *ls, block_order *order)
{
    block_solver *s = (block_solver *)ls;
    s->order = *order;
    *order = (block_order){0};
    return dal_block_plan(s);
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
    return dal_gather_load(&s->gather, &ls->A, s->x);
}

/* A_ij -= (A_ik) (A_kk^-1 A_kj) for all pairs of neighbours of k, column by column of the upper panel. */
static void update(block_solver *s, int k)
{
    const block_order *o = &s->order;
    const int size = o->size[k], first = o->adj0[k], d = o->adj0[k + 1] - first, width = o->width[k];
    const double *lower = s->x + s->lower[k], *u = s->x + s->upper[k];
    for (int b = 0; b < d; ++b) {
        for (int c = 0; c < o->size[o->adj[first + b]]; ++c, u += size) {
            apply(s->y, lower, width, size, u);
            for (int a = 0; a < d; ++a) {
                const int t = s->target0[k] + a + b * d, n = o->size[o->adj[first + a]];
                double *restrict to = s->x + s->target[t].at + c * s->target[t].ld;
                const double *restrict y = s->y + s->part[first + a];
                for (int i = 0; i < n; ++i) {
                    to[i] -= y[i];
                }
            }
        }
    }
}

/* A_kk := A_kk^-1, A_kj := A_kk^-1 A_kj and the update, node by node. Returns the largest ratio of pivots. */
static double eliminate(block_solver *s)
{
    double ratio = 0.0;
    for (int k = 0; k < s->order.nnodes && ratio < HUGE_VAL; ++k) {
        double *diag = s->x + s->diag[k];
        ratio = fmax(ratio, invert(diag, s->order.size[k], DAL_PIVOT_LIMIT));
        multiply_from_left(s->x + s->upper[k], diag, s->order.size[k], s->order.width[k], s->y);
        update(s, k);
    }
    return ratio;
}

static dal_status factor(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    if (s->guard.backup != NULL) {
        return dal_guard_factor_backup(ls, &s->guard);
    }
    return dal_guard_finish(ls, &s->guard, eliminate(s));
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
static void collect(const block_solver *s, int k)
{
    const block_order *o = &s->order;
    double *y = s->y;
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        const double *w = s->w + o->first[o->adj[e]];
        for (int i = 0; i < o->size[o->adj[e]]; ++i) {
            *y++ = w[i];
        }
    }
}

static void solve(const dal_linsol *ls, double *b)
{
    const block_solver *s = (const block_solver *)ls;
    const block_order *o = &s->order;
    if (s->guard.backup != NULL) {
        dal_linsol_solve(s->guard.backup, b);
        return;
    }
    gather(s, b);
    for (int k = 0; k < o->nnodes; ++k) {
        // w_k := A_kk^-1 w_k, w_i -= A_ik w_k
        double *w = s->w + o->first[k];
        multiply_from_left(w, s->x + s->diag[k], o->size[k], 1, s->y);
        apply(s->y, s->x + s->lower[k], o->width[k], o->size[k], w);
        for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
            const int n = o->size[o->adj[e]];
            double *restrict to = s->w + o->first[o->adj[e]];
            const double *restrict y = s->y + s->part[e];
            for (int i = 0; i < n; ++i) {
                to[i] -= y[i];
            }
        }
    }
    for (int k = o->nnodes - 1; k >= 0; --k) {
        // w_k -= (A_kk^-1 A_kj) w_j
        collect(s, k);
        subtract_apply(s->w + o->first[k], s->x + s->upper[k], o->size[k], o->width[k], s->y);
    }
    scatter(s, b);
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const block_solver *s = (const block_solver *)ls;
    const block_order *o = &s->order;
    if (s->guard.backup != NULL) {
        s->guard.backup->type->solve_transposed(s->guard.backup, b);
        return;
    }
    gather(s, b);
    for (int k = 0; k < o->nnodes; ++k) {
        for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
            const int j = o->adj[e];
            subtract_apply_transposed(s->w + o->first[j], s->x + s->upper[k] + s->part[e] * o->size[k], o->size[k],
                                      o->size[j], s->w + o->first[k]);
        }
    }
    for (int k = o->nnodes - 1; k >= 0; --k) {
        double *w = s->w + o->first[k];
        const int size = o->size[k];
        collect(s, k);
        subtract_apply_transposed(w, s->x + s->lower[k], o->width[k], size, s->y);
        // w_k := A_kk^-T w_k
        for (int i = 0; i < size; ++i) {
            s->y[i] = -w[i];
            w[i] = 0.0;
        }
        subtract_apply_transposed(w, s->x + s->diag[k], size, size, s->y);
    }
    scatter(s, b);
}

/* ---- snapshots -------------------------------------------------------------------------------- */

/* The values that were factored, and what belongs to the guard. */
static size_t snapshot_size(const dal_linsol *ls)
{
    const block_solver *s = (const block_solver *)ls;
    return (size_t)s->nx + dal_guard_snapshot_size(ls);
}

static void save(const dal_linsol *ls, double *snapshot)
{
    const block_solver *s = (const block_solver *)ls;
    memcpy(snapshot, s->x, (size_t)s->nx * sizeof *snapshot);
    dal_guard_save(ls, &s->guard, snapshot + s->nx);
}

static dal_status restore(dal_linsol *ls, const double *snapshot)
{
    block_solver *s = (block_solver *)ls;
    if (!dal_guard_plausible(ls, snapshot + s->nx, snapshot, (size_t)s->nx)) {
        return dal_snapshot_damaged(ls, "the factors make no sense");
    }
    memcpy(s->x, snapshot, (size_t)s->nx * sizeof *snapshot);
    return dal_guard_restore(ls, &s->guard, snapshot + s->nx);
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
    .solve = solve,
    .solve_transposed = solve_transposed,
    .snapshot_size = snapshot_size,
    .save = save,
    .restore = restore,
    .forget = forget,
    .release = release,
    .guard = guard,
};
