/* Inline kernels beyond lie/mat3.h: vectors in R^3, 3x3 matrices and 6x6 blocks, column-major. Output first. */
#ifndef DAL_MBS_VEC_H
#define DAL_MBS_VEC_H

#include <string.h>

#include "lie/mat3.h"

static inline void copy3(real y[3], const real x[3])
{
    y[0] = x[0], y[1] = x[1], y[2] = x[2];
}

/* c = a + b, c = a - b; c may be a or b */
static inline void add3(real c[3], const real a[3], const real b[3])
{
    c[0] = a[0] + b[0], c[1] = a[1] + b[1], c[2] = a[2] + b[2];
}

static inline void sub3(real c[3], const real a[3], const real b[3])
{
    c[0] = a[0] - b[0], c[1] = a[1] - b[1], c[2] = a[2] - b[2];
}

/* y += s x */
static inline void axpy3(real y[3], real s, const real x[3])
{
    y[0] += s * x[0], y[1] += s * x[1], y[2] += s * x[2];
}

/* y = s x */
static inline void scale3(real y[3], real s, const real x[3])
{
    y[0] = s * x[0], y[1] = s * x[1], y[2] = s * x[2];
}

/* c += s a x b */
static inline void add_cross3(real c[3], real s, const real a[3], const real b[3])
{
    real w[3];
    cross3(w, a, b);
    axpy3(c, s, w);
}

/* y = A^T x */
static inline void tmul3(real y[3], const real A[9], const real x[3])
{
    y[0] = dot3(A, x);
    y[1] = dot3(A + 3, x);
    y[2] = dot3(A + 6, x);
}

/* y += A^T x */
static inline void add_tmul3(real y[3], const real A[9], const real x[3])
{
    y[0] += dot3(A, x);
    y[1] += dot3(A + 3, x);
    y[2] += dot3(A + 6, x);
}

/* C = A^T B */
static inline void tmul33(real C[9], const real A[9], const real B[9])
{
    tmul3(C, A, B);
    tmul3(C + 3, A, B + 3);
    tmul3(C + 6, A, B + 6);
}

/* B = A^T */
static inline void transpose3(real B[9], const real A[9])
{
    B[0] = A[0], B[1] = A[3], B[2] = A[6];
    B[3] = A[1], B[4] = A[4], B[5] = A[7];
    B[6] = A[2], B[7] = A[5], B[8] = A[8];
}

/* A += s w~ */
static inline void add_tilde(real A[9], real s, const real w[3])
{
    A[1] += s * w[2], A[2] -= s * w[1], A[5] += s * w[0];
    A[3] -= s * w[2], A[6] += s * w[1], A[7] -= s * w[0];
}

/* A += s a b^T */
static inline void add_outer(real A[9], real s, const real a[3], const real b[3])
{
    axpy3(A, s * b[0], a);
    axpy3(A + 3, s * b[1], a);
    axpy3(A + 6, s * b[2], a);
}

/* A += s I */
static inline void add_unit(real A[9], real s)
{
    A[0] += s, A[4] += s, A[8] += s;
}

/* C = A w~: column j is -w x (column of A) seen by rows, C = [a1 w2 - a2 w1, a2 w0 - a0 w2, a0 w1 - a1 w0] */
static inline void mul_tilde(real *C, int ldc, const real A[9], const real w[3])
{
    for (int i = 0; i < 3; ++i) {
        const real a0 = A[i], a1 = A[i + 3], a2 = A[i + 6];
        C[i] = a1 * w[2] - a2 * w[1];
        C[i + ldc] = a2 * w[0] - a0 * w[2];
        C[i + 2 * ldc] = a0 * w[1] - a1 * w[0];
    }
}

/* C = w~ A */
static inline void tilde_mul(real C[9], const real w[3], const real A[9])
{
    cross3(C, w, A);
    cross3(C + 3, w, A + 3);
    cross3(C + 6, w, A + 6);
}

/* 3x3 block at (row, column) of a matrix with leading dimension ld: += A */
static inline void add_block(real *M, int ld, int row, int column, const real A[9])
{
    for (int j = 0; j < 3; ++j) {
        add3(M + row + (column + j) * ld, M + row + (column + j) * ld, A + 3 * j);
    }
}

/* Block (row, column) += s a~ b~ = s (b a^T - (a.b) I) */
static inline void add_tilde_tilde(real *M, int ld, int row, int column, real s, const real a[3], const real b[3])
{
    const real ab = s * dot3(a, b);
    for (int j = 0; j < 3; ++j) {
        real *m = M + row + (column + j) * ld;
        axpy3(m, s * a[j], b);
        m[j] -= ab;
    }
}

#endif
