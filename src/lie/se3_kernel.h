/* SE(3): see se3.c for the conventions. */
#ifndef DAL_LIE_SE3_KERNEL_H
#define DAL_LIE_SE3_KERNEL_H

#include "lie/so3_kernel.h"

/* Where the rotation starts in q, in v, and the blocks X12, X22 and X21 of a 6x6 matrix. */
enum { SE3_P = 3, SE3_W = 3, SE3_LD = 6, SE3_UW = 18, SE3_WW = 21, SE3_WU = 3 };

/* X22 := X11, X21 := 0 */
static inline void se3_repeat_block(real *X)
{
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            X[SE3_WW + i + j * SE3_LD] = X[i + j * SE3_LD];
            X[SE3_WU + i + j * SE3_LD] = REAL(0.0);
        }
    }
}

/* x1 = x0 + R0 V(w) u, V u = u + w x (c2 u + c3 w x u) (LG.13) */
static inline void se3_retract(real *q1, const real *q0, const real *theta, const real *coef)
{
    const real *u = theta, *w = theta + SE3_W;
    real wu[3], a[3], b[3], r[3];
    cross3(wu, w, u);
    for (int i = 0; i < 3; ++i) {
        a[i] = coef[COEF_C2] * u[i] + coef[COEF_C3] * wu[i];
    }
    cross3(b, w, a);
    for (int i = 0; i < 3; ++i) {
        b[i] += u[i];
    }
    quat_rotate(r, q0 + SE3_P, b);
    for (int i = 0; i < 3; ++i) {
        q1[i] = q0[i] + r[i];
    }
    so3_retract(q1 + SE3_P, q0 + SE3_P, w, coef);
}

/* T = [[T33, Q], [0, T33]] (LG.14) */
static inline void se3_tangent(real *T, const real *theta, const real *coef)
{
    const real *u = theta, *w = theta + SE3_W;
    const real c2 = coef[COEF_C2], c3 = coef[COEF_C3], wu = dot3(w, u);
    const real f2 = coef[COEF_D2] * wu, f3 = coef[COEF_D3] * wu;
    real a[3], b[3], c[3];
    so3_tangent(T, SE3_LD, w, coef);
    se3_repeat_block(T);

    // Q = -(c2 u + d2 (w.u) w)~ + (c3 u + d3 (w.u) w) w^T + c3 w u^T - (w.u)(2 c3 + phi^2 d3) I
    for (int i = 0; i < 3; ++i) {
        a[i] = -c2 * u[i] - f2 * w[i];
        b[i] = c3 * u[i] + f3 * w[i];
        c[i] = c3 * w[i];
    }
    mat3_tilde_outer2(T + SE3_UW, SE3_LD, -2.0 * c3 * wu - coef[COEF_X] * f3, a, b, w, c, u);
}

/* D = [[D33(cw), D33(cu) + H], [0, D33(cw)]], H the second derivative of T33 cw in directions u and . (LG.16) */
static inline void se3_dtangent(real *D, const real *theta, const real *c, const real *coef)
{
    const real *u = theta, *w = theta + SE3_W, *cu = c, *cw = c + SE3_W;
    const real c2 = coef[COEF_C2], c3 = coef[COEF_C3], d2 = coef[COEF_D2], d3 = coef[COEF_D3], x = coef[COEF_X];
    const real wu = dot3(w, u), wc = dot3(w, cw), uc = dot3(u, cw);
    const real e2 = coef[COEF_E2] * wu, e3 = coef[COEF_E3] * wu;
    real wxc[3], uxc[3], a[3], r[3], e[3], c3w[3], t[3];
    so3_dtangent(D, SE3_LD, r, w, cw, coef);
    se3_repeat_block(D);

    // X12 = s I + t~ + a w^T + r u^T + e cw^T + c3 w cu^T
    cross3(wxc, w, cw);
    cross3(uxc, u, cw);
    so3_dtangent_r(a, w, cu, coef);
    const real on_w = e3 * wc + d3 * uc, on_u = d3 * wc, on_c = x * e3 + 4.0 * d3 * wu;
    for (int i = 0; i < 3; ++i) {
        a[i] += on_w * w[i] + on_u * u[i] - on_c * cw[i] - e2 * wxc[i] - d2 * uxc[i];
        e[i] = d3 * wu * w[i] + c3 * u[i];
        c3w[i] = c3 * w[i];
        t[i] = c2 * cu[i] + d2 * wu * cw[i];
    }
    mat3_tilde_outer2(D + SE3_UW, SE3_LD, c3 * (dot3(w, cu) + uc) + d3 * wu * wc, t, a, w, r, u);
    mat3_add_outer2(D + SE3_UW, SE3_LD, e, cw, c3w, cu);
}

static inline void se3_bracket(real *w, const real *a, const real *b)
{
    real c[3];
    cross3(w, a + SE3_W, b);
    cross3(c, a, b + SE3_W);
    for (int i = 0; i < 3; ++i) {
        w[i] += c[i];
    }
    cross3(w + SE3_W, a + SE3_W, b + SE3_W);
}

/* X^-1 = [[X11^-1, -X11^-1 X12 X22^-1], [0, X22^-1]] */
static inline void se3_invert(real *Xi, const real *X)
{
    real A[9];
    mat3_invert(Xi, SE3_LD, X, SE3_LD);
    mat3_invert(Xi + SE3_WW, SE3_LD, X + SE3_WW, SE3_LD);
    mat3_mul(A, 3, Xi, SE3_LD, X + SE3_UW, SE3_LD);
    mat3_mul(Xi + SE3_UW, SE3_LD, A, 3, Xi + SE3_WW, SE3_LD);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            Xi[SE3_UW + i + j * SE3_LD] = -Xi[SE3_UW + i + j * SE3_LD];
            Xi[SE3_WU + i + j * SE3_LD] = REAL(0.0);
        }
    }
}

static inline void se3_apply(real *w, const real *X, const real *c)
{
    real a[3];
    mat3_mul_vec(w, X, SE3_LD, c);
    mat3_mul_vec(a, X + SE3_UW, SE3_LD, c + SE3_W);
    for (int i = 0; i < 3; ++i) {
        w[i] += a[i];
    }
    mat3_mul_vec(w + SE3_W, X + SE3_WW, SE3_LD, c + SE3_W);
}

#endif
