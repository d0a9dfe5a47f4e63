/* Dense storage: what the dense solvers share, and the small one. */
#include "base/vector.h"
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

/* Columns of the factors, as they are in use: a permutation. Zeros: nothing has been factored yet. */
static void order_columns(dal_lu *lu, dal_cursor *k, int used)
{
    dal_zero(lu->w, lu->n);
    for (int i = 0; i < lu->n; ++i) {
        if (used && lu->w[lu->q[i]] != 0.0) {
            dal_pass_wrong(k, "an order of the pivots");
        }
        lu->w[lu->q[i]] = 1.0;
        lu->c[i] = lu->lu + lu->q[i] * lu->ld;
    }
    lu->scaled = 0;
}

void dal_dense_pass(dal_linsol *ls, dal_cursor *k)
{
    dense_solver *d = (dense_solver *)ls;
    dal_lu *lu = &d->lu;
    dal_pass_flag(k, &d->own);
    dal_factors_pass(k, lu->lu, lu->ld * lu->n, ls->factored);
    dal_factors_pass(k, lu->inv, lu->n, ls->factored && d->own);
    for (int i = 0; i < lu->n; ++i) {
        dal_pass_range(k, &lu->q[i], 0, lu->n - 1);
        dal_pass_range(k, &d->swap[i], ls->factored && !d->own ? i : 0, lu->n - 1); // exchanges go to a later row
    }
    if (k->in) {
        order_columns(lu, k, ls->factored && d->own);
    }
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
    .pass = dal_dense_pass,
};
