/* Solves that are refined with the matrix that is kept, for solvers with a guard. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/guard_impl.h"

/* r -= A x and scale += |A| |x|, or with the transpose */
static void subtract_product(const dal_matrix *A, int transposed, double *restrict r, double *restrict scale,
                             const double *restrict x)
{
    const int *restrict row = A->row;
    const double *restrict a = A->x;
    for (int j = 0; j < A->n && !transposed; ++j) {
        const double xj = x[j];
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            const double product = a[k] * xj;
            r[row[k]] -= product;
            scale[row[k]] += fabs(product);
        }
    }
    for (int j = 0; j < A->n && transposed; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            const double product = a[k] * x[row[k]];
            r[j] -= product;
            scale[j] += fabs(product);
        }
    }
}

/* r := b - A x, or b - A^T x. Returns the backward error max_i |r_i|/(|b| + |A| |x|)_i; `scale`: n, scratch. */
static double residual(const dal_matrix *A, int transposed, double *r, const double *b, const double *x, double *scale)
{
    double error = 0.0;
    for (int i = 0; i < A->n; ++i) {
        r[i] = b[i];
        scale[i] = fabs(b[i]);
    }
    subtract_product(A, transposed, r, scale, x);
    for (int i = 0; i < A->n; ++i) {
        if (!(fabs(r[i]) <= error * scale[i])) {
            error = fabs(r[i]) / scale[i];
        }
    }
    return error;
}

/* Iterative refinement: x := x + A^-1 (b - A x) until the backward error is at rounding or no longer halved. */
static void solve_refined(const dal_linsol *ls, int transposed, double *b)
{
    enum { MOST = 5 };
    const size_t bytes = (size_t)ls->A.n * sizeof *b;
    const dal_guard *guard = ls->type->guard != NULL ? ls->type->guard(ls) : NULL;
    assert(ls->factored && !ls->replaced);
    if (guard == NULL || guard->away) {
        dal_linsol_back_solve(ls, b, transposed);
        return;
    }
    double *x = ls->probe, *rhs = ls->refine, *best = rhs + ls->A.n, *r = ls->sign, last = HUGE_VAL;
    memcpy(rhs, b, bytes);
    memcpy(x, b, bytes);
    dal_linsol_back_solve(ls, x, transposed);
    for (int k = 0; k < MOST; ++k) {
        const double error = residual(&ls->A, transposed, r, rhs, x, b);
        if (!(error <= 0.5 * last)) {
            break;
        }
        memcpy(best, x, bytes);
        last = error;
        if (error <= 16.0 * DBL_EPSILON) {
            break;
        }
        dal_linsol_back_solve(ls, r, transposed);
        for (int i = 0; i < ls->A.n; ++i) {
            x[i] += r[i];
        }
    }
    memcpy(b, last < HUGE_VAL ? best : x, bytes);
}

void dal_linsol_solve_refined(const dal_linsol *ls, double *b)
{
    solve_refined(ls, 0, b);
}

void dal_linsol_solve_transposed(const dal_linsol *ls, double *b)
{
    solve_refined(ls, 1, b);
}
