/* Small dense blocks, column-major. The usual sizes of nodes (rigid bodies 6, joints 3 to 5, planar bodies 3) get code of
 * their own: the compiler unrolls what it knows. Each entry is summed in one fixed order, so that wider registers give
 * the same bits. Everything is inlined into the callers, which exist for several processors (block.c). */
#ifndef DAL_LINSOL_BLOCK_KERNELS_H
#define DAL_LINSOL_BLOCK_KERNELS_H

#include <math.h>

#include "linsol/block_impl.h"

#define INLINE static inline __attribute__((always_inline))

/* y = A x for `rows` rows, a multiple of 4 and the leading dimension of A; n columns */
INLINE void apply(double *restrict y, const double *restrict A, int rows, int n, const double *restrict x)
{
    for (int i = 0; i < rows; i += DAL_ROW_GROUP) {
        double s[DAL_ROW_GROUP];
        for (int r = 0; r < DAL_ROW_GROUP; ++r) {
            s[r] = A[i + r] * x[0];
        }
        for (int j = 1; j < n; ++j) {
            for (int r = 0; r < DAL_ROW_GROUP; ++r) {
                s[r] += A[i + r + j * rows] * x[j];
            }
        }
        for (int r = 0; r < DAL_ROW_GROUP; ++r) {
            y[i + r] = s[r];
        }
    }
}

/* b := A b, A m x m */
INLINE void multiply_from_left(double *restrict b, const double *restrict A, int m)
{
    double y[DAL_MAX_NODE];
    for (int i = 0; i < m; ++i) {
        y[i] = A[i] * b[0];
    }
    for (int l = 1; l < m; ++l) {
        for (int i = 0; i < m; ++i) {
            y[i] += A[i + l * m] * b[l];
        }
    }
    for (int i = 0; i < m; ++i) {
        b[i] = y[i];
    }
}

/* b -= A x, A m x n */
INLINE void subtract_apply(double *restrict b, const double *restrict A, int m, int n, const double *restrict x)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            b[i] -= A[i + j * m] * x[j];
        }
    }
}

/* to -= y; the usual lengths are 3 to 6 */
INLINE void subtract(double *restrict to, const double *restrict y, int n)
{
    for (; n >= 4; n -= 4, to += 4, y += 4) {
        for (int r = 0; r < 4; ++r) {
            to[r] -= y[r];
        }
    }
    if (n & 2) {
        to[0] -= y[0];
        to[1] -= y[1];
        to += 2;
        y += 2;
    }
    if (n & 1) {
        to[0] -= y[0];
    }
}

/* b -= A^T x, A m x n with leading dimension ld */
INLINE void subtract_apply_transposed(double *restrict b, const double *restrict A, int ld, int m, int n,
                                      const double *restrict x)
{
    for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int i = 0; i < m; ++i) {
            sum += A[i + j * ld] * x[i];
        }
        b[j] -= sum;
    }
}

/* Bring the largest entry of column k, from the diagonal down, to row k. Returns its magnitude. */
INLINE double take_pivot(double *restrict A, int m, int k, int *restrict p)
{
    const double *column = A + k * m;
    double pivot = fabs(column[k]);
    int r = k;
    for (int i = k + 1; i < m; ++i) {
        const double a = fabs(column[i]);
        if (a > pivot) {
            pivot = a;
            r = i;
        }
    }
    p[k] = r;
    for (int j = 0; r != k && j < m; ++j) {
        const double a = A[k + j * m];
        A[k + j * m] = A[r + j * m];
        A[r + j * m] = a;
    }
    return pivot;
}

/* A := A^-1, m x m, by Gauss-Jordan elimination with row exchanges. Returns the ratio of the largest to the smallest
 * pivot, infinite if there is none or it is beyond `limit`. */
INLINE double invert(double *restrict A, int m, double limit)
{
    double largest = 0.0, smallest = HUGE_VAL, c[DAL_MAX_NODE];
    int p[DAL_MAX_NODE] = {0};
    if (m > DAL_MAX_NODE) {
        return HUGE_VAL;
    }
    for (int k = 0; k < m; ++k) {
        double *restrict column = A + k * m;
        const double pivot = take_pivot(A, m, k, p), inv = 1.0 / column[k];
        largest = pivot > largest ? pivot : largest;
        smallest = pivot < smallest ? pivot : smallest;
        // row k is divided by the pivot, the others lose their part of column k
        for (int i = 0; i < m; ++i) {
            c[i] = -column[i] * inv;
        }
        c[k] = inv;
        for (int j = 0; j < m; ++j) {
            double *restrict a = A + j * m;
            const double b = a[k];
            a[k] = 0.0;
            for (int i = 0; i < m && j != k; ++i) {
                a[i] += c[i] * b;
            }
        }
        for (int i = 0; i < m; ++i) {
            column[i] = c[i];
        }
    }
    for (int k = m - 1; k >= 0; --k) {
        for (int i = 0; p[k] != k && i < m; ++i) {
            const double a = A[i + k * m];
            A[i + k * m] = A[i + p[k] * m];
            A[i + p[k] * m] = a;
        }
    }
    return largest <= limit * smallest && smallest > 0.0 ? largest / smallest : HUGE_VAL;
}

#endif
