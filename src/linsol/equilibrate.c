/* A second look at a matrix that seems singular, or has pivots that are small beside it: masses in milligrams beside rows of
 * constraints of size one, inertias in g mm^2. Rows and columns are scaled such that the diagonal is one, and rows without a
 * diagonal entry have entries of size one in the columns scaled so. A saddle matrix then consists of a correlation matrix and of
 * rows of unit length. (LS.10) */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "linsol/balance.h"
#include "linsol/linsol_impl.h"

/* Row of entry k in column j, which begins at `start` in dense storage. */
static int row_of(const dal_matrix *A, int j, int k)
{
    return A->dense ? k - j * A->n : A->row[k];
}

static int first_of(const dal_matrix *A, int j)
{
    return A->dense ? j * A->n : A->colptr[j];
}

/* A power of two near 1/x: scaling does not round. */
static double inverse(double x)
{
    int e;
    (void)frexp(x, &e);
    return ldexp(1.0, -e);
}

static void find_scales(const dal_linsol *ls)
{
    const dal_matrix *A = &ls->A;
    double *d = ls->balance, *size = ls->probe;
    for (int j = 0; j < A->n; ++j) {
        d[j] = 0.0;
        for (int k = first_of(A, j); k < first_of(A, j + 1); ++k) {
            d[j] += row_of(A, j, k) == j ? fabs(A->x[k]) : 0.0;
        }
        d[j] = d[j] > DBL_MIN ? inverse(sqrt(d[j])) : 0.0;
    }
    // rows without a diagonal entry, by the columns that have one
    dal_zero(size, A->n);
    for (int j = 0; j < A->n; ++j) {
        for (int k = first_of(A, j); k < first_of(A, j + 1); ++k) {
            const int i = row_of(A, j, k);
            size[i] = fmax(size[i], fabs(A->x[k]) * d[j]);
        }
    }
    for (int i = 0; i < A->n; ++i) {
        d[i] = d[i] > 0.0 ? d[i] : size[i] > DBL_MIN ? inverse(size[i]) : 1.0;
    }
}

/* A := D A D, or back */
static void scale(dal_linsol *ls, int back)
{
    const dal_matrix *A = &ls->A;
    const double *d = ls->balance;
    for (int j = 0; j < A->n; ++j) {
        for (int k = first_of(A, j); k < first_of(A, j + 1); ++k) {
            const double f = d[j] * d[row_of(A, j, k)];
            A->x[k] = back ? A->x[k] / f : A->x[k] * f;
        }
    }
}

/* With the scales that are known, or those of the matrix. */
dal_status dal_linsol_factor_balanced(dal_linsol *ls, int known)
{
    const double norm1 = ls->norm1;
    ls->balanced = 1 + known;
    dal_linsol_rebalance(ls);
    scale(ls, 0);
    ls->norm1 = ls->type->load(ls);
    const dal_status st = ls->norm1 <= DBL_MAX ? ls->type->factor(ls) : DAL_SINGULAR;
    scale(ls, 1);
    ls->balanced = st == DAL_OK ? ls->balanced : 0;
    ls->norm1 = ls->balanced ? norm1 : ls->norm1; // of A, as what solves is its inverse
    return st;
}

void dal_linsol_balance(dal_linsol *ls, const double *d)
{
    ls->scales = d;
}

void dal_linsol_rebalance(dal_linsol *ls)
{
    if (ls->balanced == 1) {
        find_scales(ls);
    }
    for (int i = 0; ls->balanced == 2 && i < ls->A.n; ++i) {
        ls->balance[i] = inverse(1.0 / ls->scales[i]);
    }
}

/* b := D A^-1 D b with the factors of the backend */
void dal_linsol_back_solve(const dal_linsol *ls, double *b, int transposed)
{
    for (int i = 0; ls->balanced && i < ls->A.n; ++i) {
        b[i] *= ls->balance[i];
    }
    (transposed ? ls->type->solve_transposed : ls->type->solve)(ls, b);
    for (int i = 0; ls->balanced && i < ls->A.n; ++i) {
        b[i] *= ls->balance[i];
    }
}
