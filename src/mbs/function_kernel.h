/* Functions of one variable: y = value, first and second derivative at x. c: coefficients as in dal_function. */
#ifndef DAL_MBS_FUNCTION_KERNEL_H
#define DAL_MBS_FUNCTION_KERNEL_H

#include "mbs/vec.h"

static inline void function_harmonic(real y[3], const real c[4], real x)
{
    const real s = c[1] * real_sin(c[2] * x + c[3]);
    y[0] = c[0] + s;
    y[1] = c[1] * c[2] * real_cos(c[2] * x + c[3]);
    y[2] = -c[2] * c[2] * s;
}

static inline void function_polynomial(real y[3], const real *c, int n, real x)
{
    real p = REAL(0.0), d = REAL(0.0), dd = REAL(0.0);
    for (int k = n - 1; k >= 0; --k) {
        dd = dd * x + 2.0 * d;
        d = d * x + p;
        p = p * x + c[k];
    }
    y[0] = p;
    y[1] = d;
    y[2] = dd;
}

/* 10 s^3 - 15 s^4 + 6 s^5 */
static inline void function_step(real y[3], const real c[4], real x)
{
    const real L = c[3] - c[2], D = c[1] - c[0], s = real_min(REAL(1.0), real_max(REAL(0.0), (x - c[2]) / L));
    y[0] = c[0] + D * s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    y[1] = D / L * 30.0 * s * s * (1.0 - s) * (1.0 - s);
    y[2] = D / (L * L) * 60.0 * s * (1.0 + s * (-3.0 + 2.0 * s));
}

static inline void function_ramp(real y[3], const real c[4], real x)
{
    const real o = REAL(0.0), one = REAL(1.0), L = c[3] - c[2], D = c[1] - c[0];
    const real s = real_min(one, real_max(o, (x - c[2]) / L));
    y[0] = c[0] + D * s;
    y[1] = real_select(real_less(o, s) & real_less(s, one), D / L, o);
    y[2] = o;
}

/* y times z, with derivatives */
static inline void function_times(real y[3], const real z[3])
{
    y[2] = y[2] * z[0] + 2.0 * y[1] * z[1] + y[0] * z[2];
    y[1] = y[1] * z[0] + y[0] * z[1];
    y[0] *= z[0];
}

#endif
