/* Small dense products of the quick way through the saddle system, unrolled where the sizes are constants. */
#ifndef DAL_PROJECTION_SCHUR_KERNELS_H
#define DAL_PROJECTION_SCHUR_KERNELS_H

#include "base/vector.h"

/* Largest block of M. */
enum { DAL_SCHUR_BLOCK = 8 };

/* X := A^-1 of a symmetric matrix n x n by L D L^T, X = L^-T D^-1 L^-1; 0: a pivot is too small. */
DAL_INLINE int dal_schur_invert_sized(double *restrict X, const double *restrict A, int n, double least)
{
    double L[DAL_SCHUR_BLOCK][DAL_SCHUR_BLOCK], d[DAL_SCHUR_BLOCK]; // rows of L, then of L^-1; 1/D
    for (int i = 0; i < n; ++i) {
        double pivot = A[i + i * n];
        for (int j = 0; j < i; ++j) {
            double a = A[i + j * n];
            for (int k = 0; k < j; ++k) {
                a -= L[i][k] * L[j][k];
            }
            L[i][j] = a; // times D
        }
        for (int j = 0; j < i; ++j) {
            const double l = L[i][j] * d[j];
            pivot -= l * L[i][j];
            L[i][j] = l;
        }
        if (!(pivot > least * A[i + i * n] && pivot > 0.0)) {
            return 0;
        }
        d[i] = 1.0 / pivot;
    }
    for (int i = 1; i < n; ++i) { // L^-1 row by row, from the rows above that are inverted already
        for (int j = 0; j < i; ++j) {
            double a = L[i][j];
            for (int k = j + 1; k < i; ++k) {
                a += L[i][k] * L[k][j];
            }
            X[j] = -a;
        }
        for (int j = 0; j < i; ++j) {
            L[i][j] = X[j];
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double a = i == j ? d[i] : L[i][j] * d[i];
            for (int k = i + 1; k < n; ++k) {
                a += L[k][i] * L[k][j] * d[k];
            }
            X[i + j * n] = X[j + i * n] = a;
        }
    }
    return 1;
}

/* X := the block of A (6 x 6) from (i, i) on, 3 x 3. */
DAL_INLINE void take_block(double *restrict X, const double *restrict A, int i)
{
    for (int j = 0; j < 3; ++j) {
        memcpy(X + 3 * j, A + i + (i + j) * 6, 3 * sizeof *X);
    }
}

/* The inverse of two blocks of three, zeros beside them. */
static inline int dal_schur_invert_blocks(double *restrict X, const double *restrict A, double least)
{
    double a[2][9], x[2][9];
    take_block(a[0], A, 0);
    take_block(a[1], A, 3);
    if (!dal_schur_invert_sized(x[0], a[0], 3, least) || !dal_schur_invert_sized(x[1], a[1], 3, least)) {
        return 0;
    }
    memset(X, 0, 36 * sizeof *X);
    for (int j = 0; j < 3; ++j) {
        memcpy(X + j * 6, x[0] + 3 * j, 3 * sizeof *X);
        memcpy(X + 21 + j * 6, x[1] + 3 * j, 3 * sizeof *X);
    }
    return 1;
}

/* Are there two blocks of three, as of a body whose centre of mass is its origin? */
static inline int dal_schur_has_blocks(const double *A, int n)
{
    double beside = 0.0;
    for (int j = 0; n == 6 && j < 3; ++j) {
        beside += fabs(A[3 + 6 * j]) + fabs(A[4 + 6 * j]) + fabs(A[5 + 6 * j]);
    }
    return n == 6 && beside == 0.0;
}

static inline int dal_schur_invert(double *X, const double *A, int n, double least)
{
    return n == 6 ? dal_schur_invert_sized(X, A, 6, least) : dal_schur_invert_sized(X, A, n, least);
}

/* Is A diagonal? Then X begins with the inverse of its diagonal. */
static inline int dal_schur_invert_diagonal(double *X, const double *A, int n)
{
    for (int j = n - 1; j >= 0; --j) { // rotations first
        for (int i = n - 1; i >= 0; --i) {
            if (i == j ? !(A[i + j * n] > 0.0) : A[i + j * n] != 0.0) {
                return 0;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        X[i] = 1.0 / A[i + i * n];
    }
    return 1;
}

/* X (n x r) := B^T */
DAL_INLINE void transpose(double *restrict X, const double *restrict B, int r, int n)
{
    for (int i = 0; i < r; ++i) {
        for (int k = 0; k < n; ++k) {
            X[k + i * n] = B[i + k * r];
        }
    }
}

/* X (n x r) += B^T */
DAL_INLINE void add_transposed(double *restrict X, const double *restrict B, int r, int n)
{
    for (int i = 0; i < r; ++i) {
        for (int k = 0; k < n; ++k) {
            X[k + i * n] += B[i + k * r];
        }
    }
}

/* W := M^-1 B, both n x r */
DAL_INLINE void weigh(double *restrict W, const double *restrict inv, const double *restrict B, int n, int r)
{
    for (int j = 0; j < r; ++j) {
        double *restrict w = W + j * n;
        const double *restrict b = B + j * n;
        int i = 0;
        for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
            dal_two sum = *(const dal_two *)(inv + i) * b[0];
            for (int k = 1; k < n; ++k) {
                sum += *(const dal_two *)(inv + i + k * n) * b[k];
            }
            *(dal_two *)(w + i) = sum;
        }
        for (; i < n; ++i) {
            w[i] = inv[i] * b[0];
            for (int k = 1; k < n; ++k) {
                w[i] += inv[i + k * n] * b[k];
            }
        }
    }
}

/* The same for a diagonal M^-1. */
DAL_INLINE void weigh_diagonal(double *restrict W, const double *restrict inv, const double *restrict B, int n, int r)
{
    for (int j = 0; j < r; ++j) {
        for (int i = 0; i < n; ++i) {
            W[i + j * n] = inv[i] * B[i + j * n];
        }
    }
}

/* The same for M^-1 of two blocks of three. */
DAL_INLINE void weigh_blocks(double *restrict W, const double *restrict inv, const double *restrict B, int r)
{
    for (int j = 0; j < 2 * r; ++j) {
        const double *restrict X = inv + 21 * (j % 2), *restrict b = B + 3 * j;
        for (int i = 0; i < 3; ++i) {
            W[i + 3 * j] = X[i] * b[0] + X[i + 6] * b[1] + X[i + 12] * b[2];
        }
    }
}

/* x := M^-1 x */
DAL_INLINE void weigh_in_place(double *x, const double *inv, int n)
{
    double z[DAL_SCHUR_BLOCK];
    weigh(z, inv, x, n, 1);
    memcpy(x, z, (size_t)n * sizeof *z);
}

/* The same for a diagonal M^-1. */
DAL_INLINE void scale(double *restrict x, const double *restrict inv, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(x + i) *= *(const dal_two *)(inv + i);
    }
    for (; i < n; ++i) {
        x[i] *= inv[i];
    }
}

/* Is there an entry that is not zero? */
DAL_INLINE int has_entries(const double *x, int n)
{
    int i = 0;
    while (i < n && x[i] == 0.0) {
        ++i;
    }
    return i < n;
}

DAL_INLINE double inner(const double *restrict a, const double *restrict b, int n)
{
    int k = DAL_PAIR;
    if (n < DAL_PAIR) {
        return a[0] * b[0];
    }
    dal_two sum = *(const dal_two *)a * *(const dal_two *)b;
    for (; k + DAL_PAIR <= n; k += DAL_PAIR) {
        sum += *(const dal_two *)(a + k) * *(const dal_two *)(b + k);
    }
    return k < n ? dal_sum_of(sum) + a[k] * b[k] : dal_sum_of(sum);
}

/* Entries (i, j) of B^T W, ra x rb, to x with rows so far apart; half: those with j <= i. */
DAL_INLINE void add_block(double *x, int apart, const double *B, const double *W, int ra, int rb, int n, int half)
{
    for (int i = 0; i < ra; ++i) {
        for (int j = 0; j < (half ? i + 1 : rb); ++j) {
            x[i * apart + j] += inner(B + i * n, W + j * n, n);
        }
    }
}

/* x -= X y, X n x r */
DAL_INLINE void apply(double *restrict x, const double *restrict X, const double *restrict y, int n, int r)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        dal_two sum = *(dal_two *)(x + i);
        for (int j = 0; j < r; ++j) {
            sum -= *(const dal_two *)(X + i + j * n) * y[j];
        }
        *(dal_two *)(x + i) = sum;
    }
    for (; i < n; ++i) {
        for (int j = 0; j < r; ++j) {
            x[i] -= X[i + j * n] * y[j];
        }
    }
}

/* y -= B^T x, B n x r */
DAL_INLINE void product(double *restrict y, const double *restrict B, const double *restrict x, int n, int r)
{
    for (int i = 0; i < r; ++i) {
        y[i] -= inner(B + i * n, x, n);
    }
}

#endif
