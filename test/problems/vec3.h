/* Small vectors, 3x3 matrices (column-major) and blocks for the benchmark systems. Kept apart from the library's
 * own kernels, so that a mistake there cannot hide in the systems that test them. */
#ifndef PROBLEMS_VEC3_H
#define PROBLEMS_VEC3_H

#include <math.h>

static inline double vdot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void vcross(double c[3], const double a[3], const double b[3])
{
    const double x = a[1] * b[2] - a[2] * b[1];
    const double y = a[2] * b[0] - a[0] * b[2];
    const double z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

/* H x = a x x */
static inline void vhat(double H[9], const double a[3])
{
    const double h[9] = {0.0, a[2], -a[1], -a[2], 0.0, a[0], a[1], -a[0], 0.0};
    for (int i = 0; i < 9; ++i) {
        H[i] = h[i];
    }
}

/* y = A x */
static inline void mvec(double y[3], const double A[9], const double x[3])
{
    const double z[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; ++i) {
        y[i] = A[i] * z[0] + A[i + 3] * z[1] + A[i + 6] * z[2];
    }
}

/* y = A^T x */
static inline void mtvec(double y[3], const double A[9], const double x[3])
{
    const double z[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; ++i) {
        y[i] = vdot(A + 3 * i, z);
    }
}

/* C = A B */
static inline void mmul(double C[9], const double A[9], const double B[9])
{
    double X[9];
    for (int j = 0; j < 3; ++j) {
        mvec(X + 3 * j, A, B + 3 * j);
    }
    for (int i = 0; i < 9; ++i) {
        C[i] = X[i];
    }
}

/* C = A^T B */
static inline void mtmul(double C[9], const double A[9], const double B[9])
{
    double X[9];
    for (int j = 0; j < 3; ++j) {
        mtvec(X + 3 * j, A, B + 3 * j);
    }
    for (int i = 0; i < 9; ++i) {
        C[i] = X[i];
    }
}

/* Add s X (3x3) to the block of A (leading dimension ld) that starts at (i, j). */
static inline void mput(double *A, int ld, int i, int j, double s, const double X[9])
{
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            A[(i + r) + (j + c) * ld] += s * X[r + 3 * c];
        }
    }
}

/* A (leading dimension ld) += s hat(a) and += s I at (i, j). */
static inline void mput_hat(double *A, int ld, int i, int j, double s, const double a[3])
{
    double H[9];
    vhat(H, a);
    mput(A, ld, i, j, s, H);
}

static inline void mput_unit(double *A, int ld, int i, int j, double s)
{
    for (int k = 0; k < 3; ++k) {
        A[(i + k) + (j + k) * ld] += s;
    }
}

static inline void vzero(double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
    }
}

/* c = a o b for quaternions, scalar first. */
static inline void qmul(double c[4], const double a[4], const double b[4])
{
    const double x[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    for (int i = 0; i < 4; ++i) {
        c[i] = x[i];
    }
}

/* R of a unit quaternion p, body to world, by squares alone: rounding of |p| turns up in all entries alike. */
static inline void qmatrix_even(double R[9], const double p[4])
{
    const double a = p[0], b = p[1], c = p[2], d = p[3];
    const double M[9] = {a * a + b * b - c * c - d * d, 2.0 * (b * c + a * d),         2.0 * (b * d - a * c),
                         2.0 * (b * c - a * d),         a * a - b * b + c * c - d * d, 2.0 * (c * d + a * b),
                         2.0 * (b * d + a * c),         2.0 * (c * d - a * b),         a * a - b * b - c * c + d * d};
    for (int i = 0; i < 9; ++i) {
        R[i] = M[i];
    }
}

/* R of a unit quaternion p, body to world; for others as textbooks and the library have it. */
static inline void qmatrix(double R[9], const double p[4])
{
    const double a = p[0], b = p[1], c = p[2], d = p[3];
    const double M[9] = {1.0 - 2.0 * (c * c + d * d), 2.0 * (b * c + a * d),       2.0 * (b * d - a * c),
                         2.0 * (b * c - a * d),       1.0 - 2.0 * (b * b + d * d), 2.0 * (c * d + a * b),
                         2.0 * (b * d + a * c),       2.0 * (c * d - a * b),       1.0 - 2.0 * (b * b + c * c)};
    for (int i = 0; i < 9; ++i) {
        R[i] = M[i];
    }
}

#endif
