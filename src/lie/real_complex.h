/* The scalar of the kernels as a complex number with a tiny imaginary part: include it before them, and they compute derivatives.
 * A step of 1e-200 i in an input is a derivative times 1e-200 in the imaginary part of a result, without rounding. Comparisons
 * and branches see real parts. */
#ifndef DAL_LIE_REAL_H
#define DAL_LIE_REAL_H

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex real;
typedef int real_mask;

#define REAL(x) ((real)(x))
#define REAL_STEP 1e-200

static inline real_mask real_less(real a, real b)
{
    return creal(a) < creal(b);
}

static inline int real_any(real_mask m)
{
    return m;
}

static inline real real_select(real_mask m, real a, real b)
{
    return m ? a : b;
}

static inline real real_abs(real x)
{
    return creal(x) < 0.0 ? -x : x;
}

static inline real real_max(real a, real b)
{
    return creal(a) < creal(b) ? b : a;
}

/* f(x) with the slope f'(x). */
static inline real real_lift(real x, double value, double slope)
{
    return value + I * (slope * cimag(x));
}

static inline real real_sqrt(real x)
{
    const double y = sqrt(creal(x));
    return real_lift(x, y, cimag(x) != 0.0 ? 0.5 / y : 0.0); // at zero too: the length of a vector
}

static inline real real_sin(real x)
{
    return real_lift(x, sin(creal(x)), cos(creal(x)));
}

static inline real real_cos(real x)
{
    return real_lift(x, cos(creal(x)), -sin(creal(x)));
}

static inline real real_atan2(real y, real x)
{
    const double a = creal(x), b = creal(y);
    return atan2(b, a) + I * ((a * cimag(y) - b * cimag(x)) / (a * a + b * b));
}

static inline real real_rint(real x)
{
    return rint(creal(x));
}

#endif
