/* SE(2): see se2.c for the conventions. */
#ifndef DAL_LIE_SE2_KERNEL_H
#define DAL_LIE_SE2_KERNEL_H

#include "lie/so3_kernel.h"

/* q1 = q0 (a, om): x1 = x0 + R(phi0) a */
static inline void se2_advance(real *q1, const real *q0, real a0, real a1, real om)
{
    const real c = real_cos(q0[2]), s = real_sin(q0[2]);
    q1[0] = q0[0] + (c * a0 - s * a1);
    q1[1] = q0[1] + (s * a0 + c * a1);
    q1[2] = q0[2] + om;
}

/* exp(theta) = (V u, om), V = c1 I + c2 om J (LG.17) */
static inline void se2_retract(real *q1, const real *q0, const real *theta, const real *coef)
{
    const real c1 = coef[COEF_C1], f = coef[COEF_C2] * theta[2];
    se2_advance(q1, q0, c1 * theta[0] - f * theta[1], c1 * theta[1] + f * theta[0], theta[2]);
}

/* X = [[a I + b J, c], [0, d]] */
static inline void se2_fill(real *X, real a, real b, real c0, real c1, real d)
{
    X[0] = a, X[3] = -b, X[6] = c0;
    X[1] = b, X[4] = a, X[7] = c1;
    X[2] = REAL(0.0), X[5] = REAL(0.0), X[8] = d;
}

/* T = [[c1 I - c2 om J, c3 om u + c2 J u], [0, 1]] (LG.17) */
static inline void se2_tangent(real *T, const real *theta, const real *coef)
{
    const real c2 = coef[COEF_C2], om = theta[2], g = coef[COEF_C3] * om;
    se2_fill(T, coef[COEF_C1], -c2 * om, g * theta[0] - c2 * theta[1], g * theta[1] + c2 * theta[0], REAL(1.0));
}

/* c = (a, b): D = [[b (c3 om I + c2 J),
 *     om (c3 - c2) a - (c2 + om^2 d2) J a + b ((c3 + om^2 d3) u + om d2 J u)], [0, 0]] (LG.17) */
static inline void se2_dtangent(real *D, const real *theta, const real *c, const real *coef)
{
    const real c2 = coef[COEF_C2], c3 = coef[COEF_C3], d2 = coef[COEF_D2], x = coef[COEF_X];
    const real om = theta[2], b = c[2];
    const real fa = om * (c3 - c2), ga = -(c2 + x * d2), fu = b * (c3 + x * coef[COEF_D3]), gu = b * om * d2;
    se2_fill(D, b * c3 * om, b * c2, fa * c[0] - ga * c[1] + fu * theta[0] - gu * theta[1],
             fa * c[1] + ga * c[0] + fu * theta[1] + gu * theta[0], REAL(0.0));
}

static inline void se2_bracket(real *w, const real *a, const real *b)
{
    w[0] = a[1] * b[2] - a[2] * b[1];
    w[1] = a[2] * b[0] - a[0] * b[2];
    w[2] = REAL(0.0);
}

#endif
