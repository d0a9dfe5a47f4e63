/* The functions of the rotation angle by series: up to 3.46 rad, more than any step turns a body. angle.c has the closed
 * forms beyond (docs/theory/lie.md, section 3). */
#ifndef DAL_LIE_ANGLE_KERNEL_H
#define DAL_LIE_ANGLE_KERNEL_H

#include "lie/mat3.h"

/* What prepare stores in coef for a rotation vector w, phi = |w|. */
enum {
    COEF_X,      /* phi^2                                                     */
    COEF_COS,    /* cos(phi/2)                                                */
    COEF_SIN,    /* sin(phi/2)/phi                                            */
    COEF_C1,     /* c1 = sin(phi)/phi                                  (LG.5) */
    COEF_C2,     /* c2 = (1 - cos(phi))/phi^2                                 */
    COEF_C3,     /* c3 = (phi - sin(phi))/phi^3                               */
    COEF_D2,     /* d2 = 2 dc2/d(phi^2)                                (LG.6) */
    COEF_D3,     /* d3 = 2 dc3/d(phi^2)                                       */
    COEF_KAPPA,  /* kappa = (phi/2) cot(phi/2)                         (LG.7) */
    COEF_GAMMA,  /* gamma = (1 - kappa)/phi^2                                 */
    COEF_DGAMMA, /* 2 dgamma/d(phi^2); from here on dal_angle_second only     */
    COEF_E2,     /* e2 = 2 dd2/d(phi^2)                                       */
    COEF_E3,     /* e3 = 2 dd3/d(phi^2)                                       */
    COEF_USED
};

/* Ranges of y = phi^2/4. */
#define Y_SHORT 0.0625 /* phi = 0.5: above, the series needs its long form */
#define Y_SERIES 3.0   /* phi = 3.46: above, closed forms */

enum { SHORT_DEGREE = 4, LONG_DEGREE = 8 }; /* of s_6 and s_7 in y */

/* s_0 .. s_7 of y <= 3: s_6 and s_7 by Horner's rule, then downwards: s_k = 1/k! - y s_{k+2}. (LG.4) */
static inline void angle_series(real s[8], real y)
{
    // 1/(6+2i)! and 1/(7+2i)!
    const double inv_factorial[LONG_DEGREE + 1][2] = {
        {1.0 / 720.0, 1.0 / 5040.0},
        {1.0 / 40320.0, 1.0 / 362880.0},
        {1.0 / 3628800.0, 1.0 / 39916800.0},
        {1.0 / 479001600.0, 1.0 / 6227020800.0},
        {1.0 / 87178291200.0, 1.0 / 1307674368000.0},
        {1.0 / 20922789888000.0, 1.0 / 355687428096000.0},
        {1.0 / 6402373705728000.0, 1.0 / 121645100408832000.0},
        {1.0 / 2432902008176640000.0, 1.0 / 51090942171709440000.0},
        {1.0 / 1124000727777607680000.0, 1.0 / 25852016738884976640000.0},
    };
    real s6 = REAL(0.0), s7 = REAL(0.0);
    const real_mask wide = real_less(REAL(Y_SHORT), y);
    if (real_any(wide)) {
        for (int i = LONG_DEGREE; i > SHORT_DEGREE; --i) {
            s6 = inv_factorial[i][0] - y * s6;
            s7 = inv_factorial[i][1] - y * s7;
        }
        s6 = real_select(wide, s6, REAL(0.0));
        s7 = real_select(wide, s7, REAL(0.0));
    }
    for (int i = SHORT_DEGREE; i >= 0; --i) {
        s6 = inv_factorial[i][0] - y * s6;
        s7 = inv_factorial[i][1] - y * s7;
    }
    s[6] = s6, s[7] = s7;
    s[4] = 1.0 / 24.0 - y * s[6], s[5] = 1.0 / 120.0 - y * s[7];
    s[2] = 1.0 / 2.0 - y * s[4], s[3] = 1.0 / 6.0 - y * s[5];
    s[0] = 1.0 - y * s[2], s[1] = 1.0 - y * s[3];
}

/* All of them up to first derivatives, from s_0, s_1 and m, c2, c3, d3. */
static inline void angle_fill(real *coef, real x, const real s[8], real m, real c2, real c3, real d3)
{
    coef[COEF_X] = x;
    coef[COEF_COS] = s[0];
    coef[COEF_SIN] = 0.5 * s[1];
    coef[COEF_C1] = s[0] * s[1];
    coef[COEF_C2] = c2;
    coef[COEF_C3] = c3;

    // d2 = -s_1 m, gamma = m/s_1, kappa = s_0/s_1
    const real r = 1.0 / s[1];
    coef[COEF_D2] = -s[1] * m;
    coef[COEF_D3] = d3;
    coef[COEF_KAPPA] = s[0] * r;
    coef[COEF_GAMMA] = m * r;
}

/* First derivatives for |w| <= 3.46; s receives s_0 .. s_7. Returns m = (s_2 - s_3)/4. */
static inline real angle_first(real *coef, real s[8], const real w[3])
{
    // doubling (LG.10), 16 d3 = 3 (s_4 + s_5 + s_2 s_3) - 2 s_3 (1 + s_1)
    const real x = dot3(w, w);
    angle_series(s, 0.25 * x);
    const real m = 0.25 * (s[2] - s[3]), c2 = 0.5 * s[1] * s[1], c3 = 0.25 * (s[2] * s[1] + s[3]);
    const real d3 = 0.1875 * (s[4] + s[5] + s[2] * s[3]) - 0.125 * s[3] * (1.0 + s[1]);
    angle_fill(coef, x, s, m, c2, c3, d3);
    return m;
}

/* What exp and T^-1 need, COEF_COS, COEF_SIN and COEF_GAMMA, for x = phi^2 <= 12. */
static inline void angle_local(real *coef, real x)
{
    real s[8];
    angle_series(s, 0.25 * x);
    coef[COEF_COS] = s[0];
    coef[COEF_SIN] = 0.5 * s[1];
    coef[COEF_GAMMA] = 0.25 * (s[2] - s[3]) / s[1];
}

/* Second derivatives but e3. m' = dm/dy; 2 dgamma/dx = m'/(2 s_1) + gamma^2; e2 = m^2 - s_1 m'/2       (LG.12) */
static inline void angle_second(real *coef, const real s[8], real m)
{
    const real gamma = coef[COEF_GAMMA], md = 0.125 * (3.0 * (s[4] - s[5]) - s[3]);
    coef[COEF_DGAMMA] = 0.5 * md / s[1] + gamma * gamma;
    coef[COEF_E2] = m * m - 0.5 * s[1] * md;
}

/* e3 for |w| <= 3.46, from 2 ds_k/dy = t_k = k s_{k+2} - s_{k+1} */
static inline real angle_e3(const real s[8])
{
    const real t2 = 2.0 * s[4] - s[3], t3 = 3.0 * s[5] - s[4];
    const real t4 = 4.0 * s[6] - s[5], t5 = 5.0 * s[7] - s[6];
    return 0.0625 * (s[3] * s[3] - t3 * s[1] + 0.75 * (t4 + t5 + t2 * s[3] + s[2] * t3));
}

#endif
