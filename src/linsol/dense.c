/* Dense storage: what the dense solvers share, and the small one. */
#include <string.h>

#include "linsol/dense_impl.h"

void dal_dense_carve(dal_linsol *ls, dal_arena *arena)
{
    dense_solver *d = (dense_solver *)ls;
    dal_lu_carve(&d->lu, arena, ls->A.n);
    d->swap = dal_arena_ints(arena, ls->A.n);
}

double dal_dense_load(dal_linsol *ls)
{
    return dal_lu_load(&((dense_solver *)ls)->lu, ls->A.x);
}

dal_status dal_dense_factor(dal_linsol *ls)
{
    dense_solver *d = (dense_solver *)ls;
    d->own = 1;
    ls->singular_row = dal_lu_factor(&d->lu, ls->A.x, ls->norm1);
    ls->doubtful = d->lu.scaled;
    return ls->singular_row < 0 ? DAL_OK : DAL_SINGULAR;
}

void dal_dense_solve(const dal_linsol *ls, double *b)
{
    dal_lu_solve(&((const dense_solver *)ls)->lu, b);
}

void dal_dense_solve_transposed(const dal_linsol *ls, double *b)
{
    dal_lu_solve_transposed(&((const dense_solver *)ls)->lu, b);
}

static size_t count(const dal_lu *lu)
{
    return (size_t)lu->ld * (size_t)lu->n;
}

size_t dal_dense_snapshot_size(const dal_linsol *ls)
{
    const dal_lu *lu = &((const dense_solver *)ls)->lu;
    return count(lu) + 3 * (size_t)lu->n + 1;
}

void dal_dense_save(const dal_linsol *ls, double *snapshot)
{
    const dense_solver *d = (const dense_solver *)ls;
    const dal_lu *lu = &d->lu;
    const int n = lu->n;
    memcpy(snapshot, lu->lu, count(lu) * sizeof *snapshot);
    double *s = snapshot + count(lu);
    for (int i = 0; i < n; ++i) {
        s[i] = lu->inv[i];
        s[n + i] = lu->q[i];
        s[2 * n + i] = d->swap[i];
    }
    s[3 * n] = d->own;
}

/* q must be a permutation of 0 .. n-1 where it is used to solve, and indices of columns in any case; row exchanges
 * go to a later row. Zeros: nothing has been factored yet. */
static dal_status check_indices(const dal_linsol *ls, const double *q, const double *swap, int own)
{
    const dense_solver *d = (const dense_solver *)ls;
    const int n = d->lu.n;
    double *seen = d->lu.w;
    for (int i = 0; i < n; ++i) {
        seen[i] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        if (!dal_snapshot_whole(q[i], 0, n - 1) || !dal_snapshot_whole(swap[i], 0, n - 1)) {
            return dal_snapshot_damaged(ls, "an index of a pivot is out of range");
        }
        if (ls->factored && (own ? seen[(int)q[i]] != 0.0 : swap[i] < i)) {
            return dal_snapshot_damaged(ls, "the order of the pivots makes no sense");
        }
        seen[(int)q[i]] = 1.0;
    }
    return DAL_OK;
}

dal_status dal_dense_restore(dal_linsol *ls, const double *snapshot)
{
    dense_solver *d = (dense_solver *)ls;
    dal_lu *lu = &d->lu;
    const int n = lu->n;
    const double *s = snapshot + count(lu);
    if (!dal_snapshot_whole(s[3 * n], 0, 1)) {
        return dal_snapshot_damaged(ls, "it does not say where the factors come from");
    }
    const int own = s[3 * n] == 1.0;
    DAL_TRY(check_indices(ls, s + n, s + 2 * n, own));
    if (ls->factored && !(dal_snapshot_finite(snapshot, count(lu)) && (!own || dal_snapshot_finite(s, (size_t)n)))) {
        return dal_snapshot_damaged(ls, "the factors are not finite");
    }
    memcpy(lu->lu, snapshot, count(lu) * sizeof *snapshot);
    for (int i = 0; i < n; ++i) {
        lu->inv[i] = s[i];
        lu->q[i] = (int)s[n + i];
        lu->c[i] = lu->lu + lu->q[i] * lu->ld;
        d->swap[i] = (int)s[2 * n + i];
    }
    lu->scaled = 0;
    d->own = own;
    return DAL_OK;
}

const linsol_type dal_linsol_small = {
    .name = "small",
    .dense = 1,
    .size = sizeof(dense_solver),
    .carve = dal_dense_carve,
    .load = dal_dense_load,
    .factor = dal_dense_factor,
    .solve = dal_dense_solve,
    .solve_transposed = dal_dense_solve_transposed,
    .snapshot_size = dal_dense_snapshot_size,
    .save = dal_dense_save,
    .restore = dal_dense_restore,
};
