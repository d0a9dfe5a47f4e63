/* What generated programs use beside the kernels of the library. */
#ifndef DAL_GENERATE_SUPPORT_H
#define DAL_GENERATE_SUPPORT_H

#include "mbs/row_kernel.h"

/* Functions of the angle of a step, but those of T^-1; beyond 3.46 rad the step fails. */
static inline void angle_to_first(real *coef, const real w[3])
{
    const real x = dot3(w, w);
    real s[8];
    angle_series(s, 0.25 * x);
    coef[COEF_X] = x;
    coef[COEF_COS] = s[0];
    coef[COEF_SIN] = 0.5 * s[1];
    coef[COEF_C1] = s[0] * s[1];
    coef[COEF_C2] = 0.5 * s[1] * s[1];
    coef[COEF_C3] = 0.25 * (s[2] * s[1] + s[3]);
    coef[COEF_D2] = 0.25 * s[1] * (s[3] - s[2]);
    coef[COEF_D3] = 0.1875 * (s[4] + s[5] + s[2] * s[3]) - 0.125 * s[3] * (1.0 + s[1]);
    coef[COEF_X] = real_select(real_less(coef[COEF_X], REAL(12.0)), coef[COEF_X], REAL(NAN));
}

/* y = T c = c1 c - c2 w x c + c3 (w.c) w (LG.8) */
static inline void so3_step_apply(real y[3], const real c[3], const real w[3], const real *coef)
{
    const real c1 = coef[COEF_C1], c2 = coef[COEF_C2], along = coef[COEF_C3] * dot3(w, c);
    real wc[3];
    cross3(wc, w, c);
    for (int i = 0; i < 3; ++i) {
        y[i] = c1 * c[i] - c2 * wc[i] + along * w[i];
    }
}

/* T^-1 from them: kappa = s_0/s_1, gamma = m/s_1 with s_1 = 2 sin(phi/2)/phi, m = -d2/s_1 (LG.8) */
static inline void so3_step_inverse(real *Ti, int ld, const real w[3], const real *coef)
{
    const real r = 0.5 / coef[COEF_SIN];
    mat3_axial(Ti, ld, r * coef[COEF_COS], REAL(0.5), -coef[COEF_D2] * r * r, w);
}

static inline void angle_to_second(real *coef, const real w[3])
{
    real s[8];
    const real m = angle_first(coef, s, w);
    angle_second(coef, s, m);
    coef[COEF_E3] = angle_e3(s);
    coef[COEF_X] = real_select(real_less(coef[COEF_X], REAL(12.0)), coef[COEF_X], REAL(NAN));
}

static inline void angle_about_z(real *coef, real angle)
{
    const real w[3] = {REAL(0.0), REAL(0.0), angle};
    angle_to_first(coef, w);
}

/* Is number i of n results the literal c that it is near the parameters of the model? */
static inline real_mask start_holds(const real *x, int n, int i, real c)
{
    real size = REAL(0.0);
    for (int k = 0; k < n; ++k) {
        size = real_max(size, real_abs(x[k]));
    }
    return real_at_most(real_abs(x[i] - c), 1e-12 * size);
}

/* A block of 3 x 3 */
static inline void clear_block(real *A, int ld)
{
    for (int j = 0; j < 3; ++j) {
        A[j * ld] = A[j * ld + 1] = A[j * ld + 2] = REAL(0.0);
    }
}

/* A frame on the ground. */
static inline void mb_side_fixed(mb_side *S, const mb_state *ground, const real *a, const real *A)
{
    S->b = ground;
    S->a = a;
    copy3(S->s, a);
    copy3(S->p, a);
    memset(S->ws, 0, sizeof S->ws);
    memset(S->pd, 0, sizeof S->pd);
    memset(S->pdd, 0, sizeof S->pdd);
    if (A) {
        memcpy(S->E, A, sizeof S->E);
    }
}

/* g . p'' + V^T H V, z = V^T H */
static inline real row_acceleration(const real g[12], const real z[12], const mb_pairing *P)
{
    real V[12], W[12], sum = REAL(0.0);
    mb_pairing_velocity(V, P);
    mb_pairing_acceleration(W, P);
    for (int k = 0; k < 12; ++k) {
        sum += g[k] * W[k] + z[k] * V[k];
    }
    return sum;
}

/* A table of n points: x, y, second derivatives one after the other. Cubic between them, straight lines outside. */
static inline void function_table(real y[3], const double *c, int n, int is_periodic, real x)
{
    const double *X = c, *Y = X + n, *M = Y + n;
    if (is_periodic) {
        const double period = X[n - 1] - X[0];
        const real turns = (x - X[0]) / period, near = real_rint(turns);
        x -= (near - real_select(real_less(turns, near), REAL(1.0), REAL(0.0))) * period;
    }
    real x0 = REAL(X[0]), x1 = REAL(X[1]), y0 = REAL(Y[0]), y1 = REAL(Y[1]), m0 = REAL(M[0]), m1 = REAL(M[1]);
    for (int i = 1; i < n - 1; ++i) {
        const real_mask before = real_less(x, REAL(X[i]));
        x0 = real_select(before, x0, REAL(X[i])), x1 = real_select(before, x1, REAL(X[i + 1]));
        y0 = real_select(before, y0, REAL(Y[i])), y1 = real_select(before, y1, REAL(Y[i + 1]));
        m0 = real_select(before, m0, REAL(M[i])), m1 = real_select(before, m1, REAL(M[i + 1]));
    }
    const real L = x1 - x0, at = real_min(real_max(x, REAL(X[0])), REAL(X[n - 1])), a = (x1 - at) / L, b = 1.0 - a;
    const real outside = x - at, off = real_max(outside, -outside);
    y[0] = a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * L * L / 6.0;
    y[1] = (y1 - y0) / L + ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0) * L / 6.0;
    y[2] = real_select(real_less(REAL(0.0), off), REAL(0.0), a * m0 + b * m1);
    y[0] += y[1] * outside;
}

#endif
