#include "projection/envelope.h"

#include <stddef.h>
#include <string.h>

#include "base/vector.h"

void dal_envelope_shape(dal_envelope *e)
{
    const int step = e->threes ? 3 : 1;
    size_t size = 0;
    for (int i = 0; i < e->n; i += step) {
        const int before = (i - e->first[i]) / step;
        for (int r = i; r < i + step; ++r) {
            e->offset[r] = (int)size - e->first[i] / step;
        }
        size += (size_t)before + 1;
    }
    e->nx = size * (size_t)(step * step);
}

/* ---- entry by entry --------------------------------------------------------------------------- */

static int factor_rows(dal_envelope *e, double least)
{
    for (int i = 0; i < e->n; ++i) {
        double *restrict row = e->x + e->offset[i];
        const int first = e->first[i];
        for (int j = first + 1; j < i; ++j) {
            const double *restrict other = e->x + e->offset[j];
            const int from = first > e->first[j] ? first : e->first[j];
            double sum = row[j];
            for (int k = from; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            row[j] = sum;
        }
        double pivot = row[i];
        for (int k = first; k < i; ++k) {
            const double l = row[k] * e->d[k];
            pivot -= l * row[k];
            row[k] = l;
        }
        if (!(pivot > least * row[i] && pivot > 0.0)) {
            return 0;
        }
        e->d[i] = 1.0 / pivot;
    }
    return 1;
}

static void solve_rows(const dal_envelope *e, double *restrict y)
{
    for (int i = 0; i < e->n; ++i) {
        const double *restrict row = e->x + e->offset[i];
        for (int k = e->first[i]; k < i; ++k) {
            y[i] -= row[k] * y[k];
        }
    }
    for (int i = 0; i < e->n; ++i) {
        y[i] *= -e->d[i];
    }
    for (int i = e->n - 1; i >= 0; --i) {
        const double *restrict row = e->x + e->offset[i];
        for (int k = e->first[i]; k < i; ++k) {
            y[k] -= row[k] * y[i];
        }
    }
}

/* ---- by threes -------------------------------------------------------------------------------- */

/* C -= A B^T */
DAL_INLINE void subtract_transposed(double *restrict C, const double *restrict A, const double *restrict B)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C[3 * i + j] -= A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
        }
    }
}

/* C := A D, D symmetric */
DAL_INLINE void multiply(double *restrict C, const double *restrict A, const double *restrict D)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C[3 * i + j] = A[3 * i] * D[j] + A[3 * i + 1] * D[3 + j] + A[3 * i + 2] * D[6 + j];
        }
    }
}

/* X := A^-1 of the lower half of a symmetric A; diagonal: what was on it at first. */
DAL_INLINE int invert(double *restrict X, const double *restrict A, const double *restrict diagonal, double least)
{
    const double d0 = A[0], i0 = 1.0 / d0, l1 = A[3] * i0, l2 = A[6] * i0;
    const double d1 = A[4] - l1 * A[3], i1 = 1.0 / d1, u = A[7] - l2 * A[3], l3 = u * i1;
    const double d2 = A[8] - l2 * A[6] - l3 * u, i2 = 1.0 / d2, m = l1 * l3 - l2;
    X[8] = i2;
    X[7] = X[5] = -l3 * i2;
    X[6] = X[2] = m * i2;
    X[4] = i1 + l3 * l3 * i2;
    X[3] = X[1] = -l1 * i1 - l3 * m * i2;
    X[0] = i0 + l1 * l1 * i1 + m * m * i2;
    return d0 > least * diagonal[0] && d1 > least * diagonal[1] && d2 > least * diagonal[2] && d0 > 0.0 && d1 > 0.0 &&
           d2 > 0.0;
}

static int factor_threes(dal_envelope *e, double least)
{
    if (e->n == 3) {
        const double diagonal[3] = {e->x[0], e->x[4], e->x[8]};
        return invert(e->d, e->x, diagonal, least);
    }
    for (int c = 0; c < e->n / 3; ++c) {
        const int first = e->first[3 * c] / 3;
        double *row = e->x + 9 * (ptrdiff_t)e->offset[3 * c], *A = row + (ptrdiff_t)9 * c;
        const double diagonal[3] = {A[0], A[4], A[8]};
        for (int j = first; j < c; ++j) {
            const double *other = e->x + 9 * (ptrdiff_t)e->offset[3 * j];
            const int from = first > e->first[3 * j] / 3 ? first : e->first[3 * j] / 3;
            for (int k = from; k < j; ++k) {
                subtract_transposed(row + (ptrdiff_t)9 * j, row + (ptrdiff_t)9 * k, other + (ptrdiff_t)9 * k);
            }
        }
        for (int j = first; j < c; ++j) {
            // L_cj = U_cj D_j^-1, S_cc -= U_cj L_cj^T
            double U[9], *L = row + (ptrdiff_t)9 * j;
            memcpy(U, L, sizeof U);
            multiply(L, U, e->d + (ptrdiff_t)9 * j);
            subtract_transposed(A, U, L);
        }
        if (!invert(e->d + (ptrdiff_t)9 * c, A, diagonal, least)) {
            return 0;
        }
    }
    return 1;
}

/* y := -D y */
DAL_INLINE void divide(double *restrict y, const double *restrict D)
{
    const double a = y[0], b = y[1], d = y[2];
    y[0] = -(D[0] * a + D[1] * b + D[2] * d);
    y[1] = -(D[3] * a + D[4] * b + D[5] * d);
    y[2] = -(D[6] * a + D[7] * b + D[8] * d);
}

static void solve_threes(const dal_envelope *e, double *restrict y)
{
    if (e->n == 3) {
        divide(y, e->d);
        return;
    }
    for (int c = 0; c < e->n / 3; ++c) {
        const double *restrict L = e->x + 9 * (ptrdiff_t)(e->offset[3 * c] + e->first[3 * c] / 3);
        double a = y[3 * c], b = y[3 * c + 1], d = y[3 * c + 2];
        for (const double *x = y + e->first[3 * c]; x < y + (ptrdiff_t)3 * c; x += 3, L += 9) {
            a -= L[0] * x[0] + L[1] * x[1] + L[2] * x[2];
            b -= L[3] * x[0] + L[4] * x[1] + L[5] * x[2];
            d -= L[6] * x[0] + L[7] * x[1] + L[8] * x[2];
        }
        y[3 * c] = a;
        y[3 * c + 1] = b;
        y[3 * c + 2] = d;
    }
    for (int c = e->n / 3 - 1; c >= 0; --c) {
        divide(y + (ptrdiff_t)3 * c, e->d + (ptrdiff_t)9 * c);
    }
    for (int c = e->n / 3 - 1; c >= 0; --c) {
        const double *restrict L = e->x + 9 * (ptrdiff_t)(e->offset[3 * c] + e->first[3 * c] / 3);
        const double a = y[3 * c], b = y[3 * c + 1], d = y[3 * c + 2];
        for (double *x = y + e->first[3 * c]; x < y + (ptrdiff_t)3 * c; x += 3, L += 9) {
            x[0] -= L[0] * a + L[3] * b + L[6] * d;
            x[1] -= L[1] * a + L[4] * b + L[7] * d;
            x[2] -= L[2] * a + L[5] * b + L[8] * d;
        }
    }
}

/* ---- both ------------------------------------------------------------------------------------- */

int dal_envelope_factor(dal_envelope *e, double least)
{
    return e->threes ? factor_threes(e, least) : factor_rows(e, least);
}

void dal_envelope_solve(const dal_envelope *e, double *y)
{
    if (e->threes) {
        solve_threes(e, y);
    } else {
        solve_rows(e, y);
    }
}
