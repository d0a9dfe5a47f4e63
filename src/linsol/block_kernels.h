/* Small dense blocks, column-major. The usual sizes of nodes (rigid bodies 6, joints 3 to 5, planar bodies 3) get code of
 * their own: the compiler unrolls what it knows. Rows are taken four, two or one at a time; each entry is summed in one
 * fixed order, so that wider registers give the same bits. Everything is inlined into the callers, which exist for
 * several processors (block.c). */
#ifndef DAL_LINSOL_BLOCK_KERNELS_H
#define DAL_LINSOL_BLOCK_KERNELS_H

#include <math.h>

#include "base/vector.h"
#include "linsol/block_impl.h"

/* Two and four neighbouring numbers, anywhere in memory; single ones without vectors (vector.h). */
typedef dal_two two;
#if DAL_VECTORS
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef double four;
#endif
enum { QUAD = sizeof(four) / sizeof(double) };

DAL_INLINE two *pair_at(double *x)
{
    return (two *)x;
}

DAL_INLINE four *quad_at(double *x)
{
    return (four *)x;
}

DAL_INLINE const two *pair_of(const double *x)
{
    return (const two *)x;
}

DAL_INLINE const four *quad_of(const double *x)
{
    return (const four *)x;
}

/* y = A x, A m x n with leading dimension ld */
DAL_INLINE void product(double *restrict y, const double *restrict A, int ld, int m, int n, const double *restrict x)
{
    int i = 0;
    for (; i + QUAD <= m; i += QUAD) {
        four s = *quad_of(A + i) * x[0];
        for (int j = 1; j < n; ++j) {
            s += *quad_of(A + i + j * ld) * x[j];
        }
        *quad_at(y + i) = s;
    }
    if (i + DAL_PAIR <= m) {
        two s = *pair_of(A + i) * x[0];
        for (int j = 1; j < n; ++j) {
            s += *pair_of(A + i + j * ld) * x[j];
        }
        *pair_at(y + i) = s;
        i += DAL_PAIR;
    }
    if (i < m) {
        double s = A[i] * x[0];
        for (int j = 1; j < n; ++j) {
            s += A[i + j * ld] * x[j];
        }
        y[i] = s;
    }
}

/* y += x s */
DAL_INLINE void add_multiple(double *restrict y, const double *restrict x, double s, int m)
{
    int i = 0;
    for (; i + QUAD <= m; i += QUAD) {
        *quad_at(y + i) += *quad_of(x + i) * s;
    }
    if (i + DAL_PAIR <= m) {
        *pair_at(y + i) += *pair_of(x + i) * s;
        i += DAL_PAIR;
    }
    if (i < m) {
        y[i] += x[i] * s;
    }
}

DAL_INLINE void copy(double *restrict y, const double *restrict x, int m)
{
    int i = 0;
    for (; i + QUAD <= m; i += QUAD) {
        *quad_at(y + i) = *quad_of(x + i);
    }
    if (i + DAL_PAIR <= m) {
        *pair_at(y + i) = *pair_of(x + i);
        i += DAL_PAIR;
    }
    if (i < m) {
        y[i] = x[i];
    }
}

/* y = x s */
DAL_INLINE void scaled_copy(double *restrict y, const double *restrict x, double s, int m)
{
    int i = 0;
    for (; i + QUAD <= m; i += QUAD) {
        *quad_at(y + i) = *quad_of(x + i) * s;
    }
    if (i + DAL_PAIR <= m) {
        *pair_at(y + i) = *pair_of(x + i) * s;
        i += DAL_PAIR;
    }
    if (i < m) {
        y[i] = x[i] * s;
    }
}

/* y -= x */
DAL_INLINE void subtract(double *restrict y, const double *restrict x, int m)
{
    int i = 0;
    for (; i + QUAD <= m; i += QUAD) {
        *quad_at(y + i) -= *quad_of(x + i);
    }
    if (i + DAL_PAIR <= m) {
        *pair_at(y + i) -= *pair_of(x + i);
        i += DAL_PAIR;
    }
    if (i < m) {
        y[i] -= x[i];
    }
}

/* b := A b, A m x m */
DAL_INLINE void multiply_from_left(double *restrict b, const double *restrict A, int m)
{
    double y[DAL_MAX_NODE];
    product(y, A, m, m, m, b);
    copy(b, y, m);
}

/* b -= A x, A m x n */
DAL_INLINE void subtract_apply(double *restrict b, const double *restrict A, int m, int n, const double *restrict x)
{
    int i = 0;
    for (; i + QUAD <= m; i += QUAD) {
        four s = *quad_of(b + i);
        for (int j = 0; j < n; ++j) {
            s -= *quad_of(A + i + j * m) * x[j];
        }
        *quad_at(b + i) = s;
    }
    if (i + DAL_PAIR <= m) {
        two s = *pair_of(b + i);
        for (int j = 0; j < n; ++j) {
            s -= *pair_of(A + i + j * m) * x[j];
        }
        *pair_at(b + i) = s;
        i += DAL_PAIR;
    }
    if (i < m) {
        double s = b[i];
        for (int j = 0; j < n; ++j) {
            s -= A[i + j * m] * x[j];
        }
        b[i] = s;
    }
}

/* to -= y for ncolumns columns; the usual lengths are 3, 5 and 6 */
DAL_INLINE void subtract_columns(double *to, int ldto, const double *y, int ldy, int n, int ncolumns)
{
    for (int c = 0; c < ncolumns; ++c, to += ldto, y += ldy) {
        if (n == 3) {
            subtract(to, y, 3);
        } else if (n == 6) {
            subtract(to, y, 6);
        } else {
            subtract(to, y, n);
        }
    }
}

/* b -= A^T x, A m x n with leading dimension ld */
DAL_INLINE void subtract_apply_transposed(double *restrict b, const double *restrict A, int ld, int m, int n,
                                          const double *restrict x)
{
    for (int j = 0; j < n; ++j, A += ld) {
        two s = {0.0};
        int i = 0;
        for (; i + DAL_PAIR <= m; i += DAL_PAIR) {
            s += *pair_of(A + i) * *pair_of(x + i);
        }
        b[j] -= dal_sum_of(s) + (i < m ? A[i] * x[i] : 0.0);
    }
}

/* Bring the largest entry of column k, from the diagonal down, to row k. Returns its magnitude. */
DAL_INLINE double take_pivot(double *restrict A, int m, int k, int *restrict p)
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

/* One step of Gauss-Jordan elimination with row exchanges, in place. */
DAL_INLINE void eliminate_column(double *restrict A, int m, int k, int *restrict p, double *largest, double *smallest)
{
    const double pivot = take_pivot(A, m, k, p);
    double *column = A + k * m, c[DAL_MAX_NODE];
    const double inv = 1.0 / column[k];
    *largest = pivot > *largest ? pivot : *largest;
    *smallest = pivot < *smallest ? pivot : *smallest;
    // row k is divided by the pivot, the others lose their part of column k
    scaled_copy(c, column, -inv, m);
    c[k] = 0.0;
    for (int j = 0; j < m; ++j) {
        if (j != k) {
            double *a = A + j * m;
            const double b = a[k];
            add_multiple(a, c, b, m);
            a[k] = inv * b;
        }
    }
    copy(column, c, m);
    column[k] = inv;
}

/* A := A^-1, m x m. Returns the ratio of the largest to the smallest pivot, infinite if there is none or it is beyond
 * `limit`. known: m is a constant, 3 to 6. */
DAL_INLINE double invert(double *restrict A, int m, double limit, int known)
{
    double largest = 0.0, smallest = HUGE_VAL;
    int p[DAL_MAX_NODE] = {0};
    if (m > DAL_MAX_NODE) {
        return HUGE_VAL;
    }
    if (known) {
        // written out: the compiler knows all addresses
        eliminate_column(A, m, 0, p, &largest, &smallest);
        eliminate_column(A, m, 1, p, &largest, &smallest);
        eliminate_column(A, m, 2, p, &largest, &smallest);
    }
    if (known && m > 3) {
        eliminate_column(A, m, 3, p, &largest, &smallest);
    }
    if (known && m > 4) {
        eliminate_column(A, m, 4, p, &largest, &smallest);
    }
    if (known && m > 5) {
        eliminate_column(A, m, 5, p, &largest, &smallest);
    }
    for (int k = 0; !known && k < m; ++k) {
        eliminate_column(A, m, k, p, &largest, &smallest);
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
