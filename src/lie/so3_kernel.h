/* The rotation blocks that SO(3), R^3 x SO(3) and SE(3) share, for a block of leading dimension ld. */
#ifndef DAL_LIE_SO3_KERNEL_H
#define DAL_LIE_SO3_KERNEL_H

#include "lie/angle_kernel.h"
#include "lie/mat3.h"

/* Hamilton product c = a b. */
static inline void quat_mul(real c[4], const real a[4], const real b[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* c = a* b, the rotation from a to b. */
static inline void quat_between(real c[4], const real a[4], const real b[4])
{
    const real conj[4] = {a[0], -a[1], -a[2], -a[3]};
    quat_mul(c, conj, b);
}

/* One Newton step for |p| = 1: a defect d becomes 3 d^2/2, so that rounding never accumulates. (LG.19) */
static inline void quat_pull(real p[4])
{
    const real f = 1.5 - 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    p[0] *= f;
    p[1] *= f;
    p[2] *= f;
    p[3] *= f;
}

/* y = R(p) x = x + 2 v x (p_0 x + v x x), p = (p_0, v). */
static inline void quat_rotate(real y[3], const real p[4], const real x[3])
{
    const real v2[3] = {2.0 * p[1], 2.0 * p[2], 2.0 * p[3]};
    real a[3], b[3];
    cross3(a, p + 1, x);
    a[0] += p[0] * x[0];
    a[1] += p[0] * x[1];
    a[2] += p[0] * x[2];
    cross3(b, v2, a);
    y[0] = x[0] + b[0];
    y[1] = x[1] + b[1];
    y[2] = x[2] + b[2];
}

/* p1 = p0 exp(w), exp(w) = (cos(phi/2), w sin(phi/2)/phi). (LG.3) */
static inline void so3_retract(real p1[4], const real p0[4], const real w[3], const real *coef)
{
    const real s = coef[COEF_SIN], e[4] = {coef[COEF_COS], s * w[0], s * w[1], s * w[2]};
    quat_mul(p1, p0, e);
    quat_pull(p1);
}

/* T = c1 I - c2 w~ + c3 w w^T. (LG.8) */
static inline void so3_tangent(real *T, int ld, const real w[3], const real *coef)
{
    mat3_axial(T, ld, coef[COEF_C1], -coef[COEF_C2], coef[COEF_C3], w);
}

/* T^-1 = kappa I + w~/2 + gamma w w^T. (LG.8) */
static inline void so3_inv_tangent(real *Ti, int ld, const real w[3], const real *coef)
{
    mat3_axial(Ti, ld, coef[COEF_KAPPA], REAL(0.5), coef[COEF_GAMMA], w);
}

/* y = T^-1 v = v + w x v/2 + gamma w x (w x v) */
static inline void so3_inv_tangent_times(real y[3], const real w[3], const real v[3], real gamma)
{
    real u[3], z[3];
    cross3(u, w, v);
    cross3(z, w, u);
    for (int i = 0; i < 3; ++i) {
        y[i] = v[i] + (0.5 * u[i] + gamma * z[i]);
    }
}

/* r = -d2 w x c + d3 (w.c) w - (2 c3 + phi^2 d3) c, the coefficient of w^T in (LG.9). */
static inline void so3_dtangent_r(real r[3], const real w[3], const real c[3], const real *coef)
{
    const real d2 = coef[COEF_D2], d3 = coef[COEF_D3];
    const real along = d3 * dot3(w, c), back = 2.0 * coef[COEF_C3] + coef[COEF_X] * d3;
    real wc[3];
    cross3(wc, w, c);
    r[0] = along * w[0] - d2 * wc[0] - back * c[0];
    r[1] = along * w[1] - d2 * wc[1] - back * c[1];
    r[2] = along * w[2] - d2 * wc[2] - back * c[2];
}

/* d(T c)/dw = c3 (w.c) I + c2 c~ + r w^T + c3 w c^T; r is handed back too. (LG.9) */
static inline void so3_dtangent(real *D, int ld, real r[3], const real w[3], const real c[3], const real *coef)
{
    const real c2 = coef[COEF_C2], c3 = coef[COEF_C3];
    const real a[3] = {c2 * c[0], c2 * c[1], c2 * c[2]}, b[3] = {c3 * w[0], c3 * w[1], c3 * w[2]};
    so3_dtangent_r(r, w, c, coef);
    mat3_tilde_outer2(D, ld, dot3(b, c), a, r, w, b, c);
}

/* Y = A X, A and Y m x 3, X 3x3 with leading dimension ld. */
static inline void block_mul(real *restrict Y, const real *restrict A, int m, const real *restrict X, int ld)
{
    const real *x = X, *y = X + ld, *z = X + 2 * ld;
    for (int i = 0; i < m; ++i) {
        const real a = A[i], b = A[i + m], c = A[i + 2 * m];
        Y[i] = a * x[0] + b * x[1] + c * x[2];
        Y[i + m] = a * y[0] + b * y[1] + c * y[2];
        Y[i + 2 * m] = a * z[0] + b * z[1] + c * z[2];
    }
}

/* Y += A X */
static inline void block_addmul(real *restrict Y, const real *restrict A, int m, const real *restrict X, int ld)
{
    const real *x = X, *y = X + ld, *z = X + 2 * ld;
    for (int i = 0; i < m; ++i) {
        const real a = A[i], b = A[i + m], c = A[i + 2 * m];
        Y[i] += a * x[0] + b * x[1] + c * x[2];
        Y[i + m] += a * y[0] + b * y[1] + c * y[2];
        Y[i + 2 * m] += a * z[0] + b * z[1] + c * z[2];
    }
}

/* R(p), column-major */
static inline void quat_matrix(real R[9], const real p[4])
{
    const real x2 = 2.0 * p[1], y2 = 2.0 * p[2], z2 = 2.0 * p[3];
    const real sx = p[0] * x2, sy = p[0] * y2, sz = p[0] * z2;
    const real xx = p[1] * x2, xy = p[1] * y2, xz = p[1] * z2;
    const real yy = p[2] * y2, yz = p[2] * z2, zz = p[3] * z2;
    R[0] = 1.0 - yy - zz, R[3] = xy - sz, R[6] = xz + sy;
    R[1] = xy + sz, R[4] = 1.0 - xx - zz, R[7] = yz - sx;
    R[2] = xz - sy, R[5] = yz + sx, R[8] = 1.0 - xx - yy;
}

#endif
