/* Inline kernels for vectors in R^3 and 3x3 matrices. Output first; outputs never overlap inputs.
 * Matrices are column-major; `ld` is the leading dimension, so that a block of a larger matrix will do. */
#ifndef DAL_LIE_MAT3_H
#define DAL_LIE_MAT3_H

#include "lie/real.h"

/* a . b */
static inline real dot3(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b */
static inline void cross3(real c[3], const real a[3], const real b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* y = A x */
static inline void mat3_mul_vec(real y[3], const real *A, int ld, const real x[3])
{
    const real *a0 = A, *a1 = A + ld, *a2 = A + 2 * ld;
    const real x0 = x[0], x1 = x[1], x2 = x[2];
    y[0] = a0[0] * x0 + a1[0] * x1 + a2[0] * x2;
    y[1] = a0[1] * x0 + a1[1] * x1 + a2[1] * x2;
    y[2] = a0[2] * x0 + a1[2] * x1 + a2[2] * x2;
}

/* C = A B */
static inline void mat3_mul(real *C, int ldc, const real *A, int lda, const real *B, int ldb)
{
    mat3_mul_vec(C, A, lda, B);
    mat3_mul_vec(C + ldc, A, lda, B + ldb);
    mat3_mul_vec(C + 2 * ldc, A, lda, B + 2 * ldb);
}

/* A = s I + tilde(w), tilde(w) x = w x x */
static inline void mat3_scalar_tilde(real *A, int ld, real s, const real w[3])
{
    real *a0 = A, *a1 = A + ld, *a2 = A + 2 * ld;
    a0[0] = s, a1[0] = -w[2], a2[0] = w[1];
    a0[1] = w[2], a1[1] = s, a2[1] = -w[0];
    a0[2] = -w[1], a1[2] = w[0], a2[2] = s;
}

/* A = s I + t w~ + f w w^T, a function of w~ */
static inline void mat3_axial(real *A, int ld, real s, real t, real f, const real w[3])
{
    const real x = w[0], y = w[1], z = w[2], fx = f * x, fy = f * y, fz = f * z;
    const real tx = t * x, ty = t * y, tz = t * z, xy = fx * y, xz = fx * z, yz = fy * z;
    const real xx = s + fx * x, yy = s + fy * y, zz = s + fz * z;
    real *a0 = A, *a1 = A + ld, *a2 = A + 2 * ld;
    a0[0] = xx, a1[0] = xy - tz, a2[0] = xz + ty;
    a0[1] = xy + tz, a1[1] = yy, a2[1] = yz - tx;
    a0[2] = xz - ty, a1[2] = yz + tx, a2[2] = zz;
}

/* A = s I + t~ + a b^T + c d^T */
static inline void mat3_tilde_outer2(real *A, int ld, real s, const real t[3], const real a[3], const real b[3],
                                     const real c[3], const real d[3])
{
    const real x = t[0], y = t[1], z = t[2], b0 = b[0], b1 = b[1], b2 = b[2], d0 = d[0], d1 = d[1], d2 = d[2];
    const real S[9] = {s, z, -y, -z, s, x, y, -x, s};
    for (int i = 0; i < 3; ++i) {
        const real ai = a[i], ci = c[i];
        A[i] = S[i] + (ai * b0 + ci * d0);
        A[i + ld] = S[i + 3] + (ai * b1 + ci * d1);
        A[i + 2 * ld] = S[i + 6] + (ai * b2 + ci * d2);
    }
}

/* A += a b^T + c d^T */
static inline void mat3_add_outer2(real *A, int ld, const real a[3], const real b[3], const real c[3], const real d[3])
{
    const real b0 = b[0], b1 = b[1], b2 = b[2], d0 = d[0], d1 = d[1], d2 = d[2];
    for (int i = 0; i < 3; ++i) {
        const real ai = a[i], ci = c[i];
        A[i] += ai * b0 + ci * d0;
        A[i + ld] += ai * b1 + ci * d1;
        A[i + 2 * ld] += ai * b2 + ci * d2;
    }
}

/* A^-1 = adj(A) / det(A) */
static inline void mat3_invert(real *Ai, int ldi, const real *A, int ld)
{
    const real *a = A, *b = A + ld, *c = A + 2 * ld;
    real bc[3], ca[3], ab[3];
    cross3(bc, b, c); // rows of the adjugate
    cross3(ca, c, a);
    cross3(ab, a, b);
    const real r = 1.0 / dot3(a, bc);
    for (int j = 0; j < 3; ++j) {
        Ai[j * ldi] = r * bc[j];
        Ai[j * ldi + 1] = r * ca[j];
        Ai[j * ldi + 2] = r * ab[j];
    }
}

#endif
