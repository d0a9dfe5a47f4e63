/* Small dense blocks, column-major without padding. The usual sizes (rigid bodies 6, joints 3 and 5, planar bodies 3)
 * get code of their own: the compiler unrolls what it knows. n >= 1 except where 0 is harmless. */
#ifndef DAL_LINSOL_BLOCK_KERNELS_H
#define DAL_LINSOL_BLOCK_KERNELS_H

#include <math.h>

#include "linsol/linsol_impl.h"

/* y = A x, A m x n, rows in twos where there are that many */
static inline void apply_(double *restrict y, const double *restrict A, int m, int n, const double *restrict x)
{
    for (int i = 0; i < m; ++i) {
        y[i] = A[i] * x[0];
    }
    for (int j = 1; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            y[i] += A[i + j * m] * x[j];
        }
    }
}

static inline void apply(double *y, const double *A, int m, int n, const double *x)
{
    if (m == 6 && n == 6) {
        apply_(y, A, 6, 6, x);
    } else if (m == 3 && n == 3) {
        apply_(y, A, 3, 3, x);
    } else if (m == 3 && n == 6) {
        apply_(y, A, 3, 6, x);
    } else if (m == 10 && n == 6) {
        apply_(y, A, 10, 6, x);
    } else if (m == 5 && n == 5) {
        apply_(y, A, 5, 5, x);
    } else {
        apply_(y, A, m, n, x);
    }
}

/* B := A B, A m x m, B m x n; y: m */
static inline void multiply_from_left_(double *restrict B, const double *restrict A, int m, int n, double *restrict y)
{
    for (int j = 0; j < n; ++j) {
        double *b = B + j * m;
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
}

static inline void multiply_from_left(double *B, const double *A, int m, int n, double *y)
{
    if (m == 6) {
        double z[6];
        multiply_from_left_(B, A, 6, n, z);
    } else if (m == 3) {
        double z[3];
        multiply_from_left_(B, A, 3, n, z);
    } else if (m == 5) {
        double z[5];
        multiply_from_left_(B, A, 5, n, z);
    } else {
        multiply_from_left_(B, A, m, n, y);
    }
}

/* b -= A x, A m x n */
static inline void subtract_apply_(double *restrict b, const double *restrict A, int m, int n, const double *restrict x)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            b[i] -= A[i + j * m] * x[j];
        }
    }
}

static inline void subtract_apply(double *b, const double *A, int m, int n, const double *x)
{
    if (m == 6) {
        subtract_apply_(b, A, 6, n, x);
    } else if (m == 3) {
        subtract_apply_(b, A, 3, n, x);
    } else if (m == 5) {
        subtract_apply_(b, A, 5, n, x);
    } else {
        subtract_apply_(b, A, m, n, x);
    }
}

/* b -= A^T x, A m x n */
static inline void subtract_apply_transposed(double *restrict b, const double *restrict A, int m, int n,
                                             const double *restrict x)
{
    for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int i = 0; i < m; ++i) {
            sum += A[i + j * m] * x[i];
        }
        b[j] -= sum;
    }
}

/* A := A^-1, m x m, by Gauss-Jordan elimination with row exchanges. Returns the ratio of the largest to the smallest
 * pivot, infinite if there is none or it is beyond `limit`. p: m ints. */
static inline double invert_(double *restrict A, int m, double limit, int *restrict p)
{
    double largest = 0.0, smallest = HUGE_VAL;
    for (int k = 0; k < m; ++k) {
        double *restrict column = A + k * m, pivot = fabs(column[k]);
        int r = k;
        for (int i = k + 1; i < m; ++i) {
            const double a = fabs(column[i]);
            if (a > pivot) {
                pivot = a;
                r = i;
            }
        }
        largest = pivot > largest ? pivot : largest;
        smallest = pivot < smallest ? pivot : smallest;
        if (!(largest <= limit * smallest) || smallest == 0.0) {
            return HUGE_VAL;
        }
        p[k] = r;
        for (int j = 0; r != k && j < m; ++j) {
            const double a = A[k + j * m];
            A[k + j * m] = A[r + j * m];
            A[r + j * m] = a;
        }
        // row k is divided by the pivot, the others lose their part of column k
        const double inv = 1.0 / column[k];
        double c[DAL_MAX_NODE];
        for (int i = 0; i < m; ++i) {
            c[i] = -column[i] * inv;
            column[i] = 0.0;
        }
        c[k] = inv;
        column[k] = 1.0;
        for (int j = 0; j < m; ++j) {
            double *restrict a = A + j * m;
            const double b = a[k];
            a[k] = 0.0;
            for (int i = 0; i < m; ++i) {
                a[i] += c[i] * b;
            }
        }
    }
    for (int k = m - 1; k >= 0; --k) {
        for (int i = 0; p[k] != k && i < m; ++i) {
            const double a = A[i + k * m];
            A[i + k * m] = A[i + p[k] * m];
            A[i + p[k] * m] = a;
        }
    }
    return largest / smallest;
}

static inline double invert(double *A, int m, double limit)
{
    int p[DAL_MAX_NODE] = {0};
    switch (m) {
    case 3:
        return invert_(A, 3, limit, p);
    case 5:
        return invert_(A, 5, limit, p);
    case 6:
        return invert_(A, 6, limit, p);
    default:
        return m <= DAL_MAX_NODE ? invert_(A, m, limit, p) : HUGE_VAL;
    }
}

#endif
