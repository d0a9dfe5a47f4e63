/* Dense LU with row exchanges, P A = L U, in panels: for larger matrices. */
#include <float.h>
#include <math.h>

#include "linsol/dense_impl.h"
#include "linsol/dense_kernels.h"

/* Only pivots that are exactly zero have been noticed. Does one look small? */
static int doubtful(const dal_lu *lu, double norm1)
{
    const double suspect = fmax(DAL_PIVOT_SUSPECT * norm1, DBL_MIN);
    for (int j = 0; j < lu->n; ++j) {
        if (!(fabs(lu->lu[j + j * lu->ld]) > suspect)) {
            return 1;
        }
    }
    return 0;
}

/* The pivots stand unless one is doubtful; then the small solver decides: bad scaling, or a singular row? */
static dal_status factor(dal_linsol *ls)
{
    dense_solver *d = (dense_solver *)ls;
    const double ratio = dal_dense_panel(d->lu.lu, d->lu.ld, ls->A.n, ls->A.n, d->swap, DBL_MAX, d->room);
    d->own = 0;
    if (!(ratio < HUGE_VAL) || doubtful(&d->lu, ls->norm1)) {
        dal_dense_load(ls);
        return dal_dense_factor(ls);
    }
    return DAL_OK;
}

static void carve(dal_linsol *ls, dal_arena *arena)
{
    dal_dense_carve(ls, arena);
    ((dense_solver *)ls)->room = dal_arena_take(arena, dal_dense_room(ls->A.n, ls->A.n), sizeof(double));
}

/* ---- solves ----------------------------------------------------------------------------------- */

static void exchange(double *b, const int *swap, int k)
{
    const double x = b[k];
    b[k] = b[swap[k]];
    b[swap[k]] = x;
}

static void solve(const dal_linsol *ls, double *b)
{
    const dense_solver *d = (const dense_solver *)ls;
    const int n = d->lu.n, ld = d->lu.ld;
    if (d->own) {
        dal_dense_solve(ls, b);
        return;
    }
    for (int k = 0; k < n; ++k) {
        exchange(b, d->swap, k);
    }
    for (int k = 0; k < n; ++k) {
        const double *restrict l = d->lu.lu + k * ld, x = b[k];
        for (int i = k + 1; i < n; ++i) {
            b[i] -= l[i] * x;
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const double *restrict u = d->lu.lu + k * ld, x = b[k] / u[k];
        b[k] = x;
        for (int i = 0; i < k; ++i) {
            b[i] -= u[i] * x;
        }
    }
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const dense_solver *d = (const dense_solver *)ls;
    const int n = d->lu.n, ld = d->lu.ld;
    if (d->own) {
        dal_dense_solve_transposed(ls, b);
        return;
    }
    for (int k = 0; k < n; ++k) {
        const double *u = d->lu.lu + k * ld;
        double sum = b[k];
        for (int i = 0; i < k; ++i) {
            sum -= u[i] * b[i];
        }
        b[k] = sum / u[k];
    }
    for (int k = n - 1; k >= 0; --k) {
        const double *l = d->lu.lu + k * ld;
        double sum = b[k];
        for (int i = k + 1; i < n; ++i) {
            sum -= l[i] * b[i];
        }
        b[k] = sum;
    }
    for (int k = n - 1; k >= 0; --k) {
        exchange(b, d->swap, k);
    }
}

const linsol_type dal_linsol_dense = {
    .name = "dense",
    .dense = 1,
    .size = sizeof(dense_solver),
    .carve = carve,
    .load = dal_dense_load,
    .factor = factor,
    .solve = solve,
    .solve_transposed = solve_transposed,
    .pass = dal_dense_pass,
};
