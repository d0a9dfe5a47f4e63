/* Block elimination for mechanical systems: nodes (bodies, joints) in a fixed order, pivots chosen within nodes only.
 * Exchanges between nodes are not needed when the order follows (LS.7). If a pivot block is nonetheless singular, or a
 * check by a solve with a known solution fails, the matrix is handed to KLU, now and from then on. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/block_impl.h"
#include "linsol/block_kernels.h"

/* Nodes whose pivots differ by more than this are left to KLU. */
static const double pivot_limit = 1e13;
/* The factors are checked anew when the ratio of the pivots of a node exceeds the checked one by this. */
static const double ratio_margin = 10.0;
/* Largest error of the check. Newton's method would hardly notice it. */
static const double check_error = 1e-7;

static void carve(dal_linsol *ls, dal_arena *arena)
{
    (void)ls, (void)arena; // the plan has an arena of its own: its size is known after the ordering
}

static dal_status analyse(dal_linsol *ls, const dal_pattern *pattern)
{
    block_solver *s = (block_solver *)ls;
    DAL_TRY(dal_block_order(&s->order, ls->ctx, pattern));
    for (int k = 0; k < s->order.nnodes; ++k) {
        if (s->order.size[k] > DAL_MAX_NODE) {
            return dal_fail(ls->ctx, DAL_EINVAL, "block elimination: a node has %d unknowns, at most %d are possible",
                            s->order.size[k], DAL_MAX_NODE);
        }
    }
    return dal_block_plan(s);
}

double dal_block_operations(const dal_linsol *ls)
{
    return ((const block_solver *)ls)->order.operations;
}

static void release(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    dal_linsol_destroy(s->backup);
    dal_block_order_release(&s->order);
    dal_arena_release(&s->plan);
}

/* ---- factor ----------------------------------------------------------------------------------- */

static double load(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    const double *from = ls->A.x;
    double max = 0.0, total = 0.0;
    memset(s->x, 0, (size_t)s->nx * sizeof *s->x);
    for (int j = 0, r = 0; j < ls->A.n; ++j) {
        double sum = 0.0;
        for (; r < s->run0[j + 1]; ++r) {
            double *restrict to = s->x + s->run_to[r];
            const int n = s->run_length[r];
            for (int i = 0; i < n; ++i) {
                to[i] = from[i];
                sum += fabs(from[i]);
            }
            from += n;
        }
        total += sum;
        max = sum > max ? sum : max;
    }
    return total <= DBL_MAX ? max : HUGE_VAL;
}

/* A_ij -= (A_ik) (A_kk^-1 A_kj) for all pairs of neighbours of k, column by column of the upper panel. */
static void update(block_solver *s, int k)
{
    const block_order *o = &s->order;
    const int size = o->size[k], first = o->adj0[k], d = o->adj0[k + 1] - first, width = s->width[k];
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

/* Solve for the solution 1, -1, 1, ... and look at the error. */
static int check(block_solver *s)
{
    const dal_linsol *ls = &s->base;
    const int n = ls->A.n;
    for (int i = 0; i < n; ++i) {
        ls->sign[i] = i % 2 == 0 ? 1.0 : -1.0;
    }
    dal_matrix_mul(&ls->A, ls->probe, ls->sign);
    ls->type->solve(ls, ls->probe);
    double error = 0.0;
    for (int i = 0; i < n; ++i) {
        error = fmax(error, fabs(ls->probe[i] - ls->sign[i]));
    }
    return error <= check_error;
}

/* A KLU solver for the same matrix, its columns announced run by run. */
static dal_status make_backup(block_solver *s)
{
    const dal_matrix *A = &s->base.A;
    dal_pattern *pattern;
    DAL_TRY(dal_pattern_create(&pattern, s->base.ctx, A->n));
    dal_status st = DAL_OK;
    for (int j = 0; j < A->n && st == DAL_OK; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1] && st == DAL_OK;) {
            const int start = k;
            do {
                ++k;
            } while (k < A->colptr[j + 1] && A->row[k] == A->row[k - 1] + 1);
            st = dal_pattern_block(pattern, A->row[start], j, k - start, 1);
        }
    }
    if (st == DAL_OK) {
        st = dal_linsol_create(&s->backup, s->base.ctx, pattern, DAL_LINSOL_KLU);
    }
    dal_pattern_destroy(pattern);
    assert(st != DAL_OK || dal_linsol_matrix(s->backup)->nnz == A->nnz);
    return st;
}

static dal_status factor_backup(block_solver *s)
{
    if (s->backup == NULL) {
        DAL_TRY(make_backup(s));
        dal_log(s->base.ctx, DAL_LOG_INFO, "block elimination met a pivot block it cannot use: KLU takes over");
    }
    memcpy(dal_linsol_matrix(s->backup)->x, s->base.A.x, (size_t)s->base.A.nnz * sizeof(double));
    const dal_status st = dal_linsol_factor(s->backup);
    s->base.singular_row = dal_linsol_singular_row(s->backup);
    return st;
}

/* A_kk := A_kk^-1, A_kj := A_kk^-1 A_kj and the update, node by node. Returns the largest ratio of pivots. */
static double eliminate(block_solver *s)
{
    double ratio = 0.0;
    for (int k = 0; k < s->order.nnodes && ratio < HUGE_VAL; ++k) {
        double *diag = s->x + s->diag[k];
        ratio = fmax(ratio, invert(diag, s->order.size[k], pivot_limit));
        multiply_from_left(s->x + s->upper[k], diag, s->order.size[k], s->width[k], s->y);
        update(s, k);
    }
    return ratio;
}

static dal_status factor(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    if (s->backup == NULL) {
        const double ratio = eliminate(s);
        if (ratio < HUGE_VAL && ratio <= ratio_margin * s->checked) {
            return DAL_OK;
        }
        if (ratio < HUGE_VAL && check(s)) {
            s->checked = ratio;
            return DAL_OK;
        }
    }
    return factor_backup(s);
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
    if (s->backup != NULL) {
        dal_linsol_solve(s->backup, b);
        return;
    }
    gather(s, b);
    for (int k = 0; k < o->nnodes; ++k) {
        // w_k := A_kk^-1 w_k, w_i -= A_ik w_k
        double *w = s->w + o->first[k];
        multiply_from_left(w, s->x + s->diag[k], o->size[k], 1, s->y);
        apply(s->y, s->x + s->lower[k], s->width[k], o->size[k], w);
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
        subtract_apply(s->w + o->first[k], s->x + s->upper[k], o->size[k], s->width[k], s->y);
    }
    scatter(s, b);
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const block_solver *s = (const block_solver *)ls;
    const block_order *o = &s->order;
    if (s->backup != NULL) {
        s->backup->type->solve_transposed(s->backup, b);
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
        subtract_apply_transposed(w, s->x + s->lower[k], s->width[k], size, s->y);
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

/* Whether KLU has taken over, the ratio checked, the values that were factored; room for KLU's snapshot. */
static size_t snapshot_size(const dal_linsol *ls)
{
    const block_solver *s = (const block_solver *)ls;
    return 2 + (size_t)s->nx + dal_klu_snapshot_size(ls);
}

static void save(const dal_linsol *ls, double *snapshot)
{
    const block_solver *s = (const block_solver *)ls;
    memset(snapshot, 0, snapshot_size(ls) * sizeof *snapshot);
    snapshot[0] = s->backup != NULL;
    snapshot[1] = s->checked;
    memcpy(snapshot + 2, s->x, (size_t)s->nx * sizeof *snapshot);
    if (s->backup != NULL) {
        dal_linsol_save(s->backup, snapshot + 2 + s->nx);
    }
}

static dal_status restore(dal_linsol *ls, const double *snapshot)
{
    block_solver *s = (block_solver *)ls;
    const int own = snapshot[0] == 0.0;
    if (!dal_snapshot_whole(snapshot[0], 0, 1) || !(snapshot[1] >= 0.0 && snapshot[1] <= DBL_MAX)) {
        return dal_snapshot_damaged(ls, "its head makes no sense");
    }
    if (own && ls->factored && !dal_snapshot_finite(snapshot + 2, (size_t)s->nx)) {
        return dal_snapshot_damaged(ls, "the factors are not finite");
    }
    s->checked = snapshot[1];
    memcpy(s->x, snapshot + 2, (size_t)s->nx * sizeof *snapshot);
    if (own) {
        dal_linsol_destroy(s->backup);
        s->backup = NULL;
        return DAL_OK;
    }
    if (s->backup == NULL) {
        DAL_TRY(make_backup(s));
    }
    DAL_TRY(dal_linsol_restore(s->backup, snapshot + 2 + s->nx));
    return s->backup->factored || !ls->factored ? DAL_OK : dal_snapshot_damaged(ls, "the factors are missing");
}

static void forget(dal_linsol *ls)
{
    block_solver *s = (block_solver *)ls;
    dal_linsol_destroy(s->backup);
    s->backup = NULL;
    s->checked = 0.0;
}

const linsol_type dal_linsol_block = {
    .name = "block",
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
};
