/* Dense LU by LAPACK: dgetrf and dgetrs. The Fortran symbols are called, not the C wrappers, which allocate. */
#include <float.h>
#include <lapacke.h>
#include <math.h>

#include "linsol/dense_impl.h"

/* dgetrf only notices pivots that are exactly zero. Does one look small? */
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

/* The pivots of LAPACK stand unless one is doubtful; then our own LU decides: bad scaling, or a singular row? */
static dal_status factor(dal_linsol *ls)
{
    dense_solver *d = (dense_solver *)ls;
    const lapack_int n = ls->A.n;
    lapack_int info = 0;
    LAPACK_dgetrf(&n, &n, d->lu.lu, &d->lu.ld, d->swap, &info);
    d->own = 0;
    if (info != 0 || doubtful(&d->lu, ls->norm1)) {
        dal_dense_load(ls);
        return dal_dense_factor(ls);
    }
    return DAL_OK;
}

static void triangular(const dense_solver *d, char trans, double *b)
{
    const lapack_int n = d->lu.n, one = 1;
    lapack_int info = 0;
    LAPACK_dgetrs(&trans, &n, &one, d->lu.lu, &d->lu.ld, d->swap, b, &n, &info);
}

static void solve(const dal_linsol *ls, double *b)
{
    const dense_solver *d = (const dense_solver *)ls;
    if (d->own) {
        dal_dense_solve(ls, b);
    } else {
        triangular(d, 'N', b);
    }
}

static void solve_transposed(const dal_linsol *ls, double *b)
{
    const dense_solver *d = (const dense_solver *)ls;
    if (d->own) {
        dal_dense_solve_transposed(ls, b);
    } else {
        triangular(d, 'T', b);
    }
}

const linsol_type dal_linsol_lapack = {
    .name = "lapack",
    .dense = 1,
    .size = sizeof(dense_solver),
    .carve = dal_dense_carve,
    .load = dal_dense_load,
    .factor = factor,
    .solve = solve,
    .solve_transposed = solve_transposed,
    .snapshot_size = dal_dense_snapshot_size,
    .save = dal_dense_save,
    .restore = dal_dense_restore,
};
