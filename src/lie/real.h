/* The scalar type of the kernels. The library computes with double; generated code replaces this header by a vector of
 * lanes or by device code (src/generate/scalar.txt, lanes.txt). A kernel branches on values through these functions only, assigns
 * constants through REAL, and clears arrays with memset. */
#ifndef DAL_LIE_REAL_H
#define DAL_LIE_REAL_H

#include <math.h>
#include <string.h>

typedef double real;
typedef int real_mask; /* of a comparison */

/* A constant as a scalar. */
#define REAL(x) ((real)(x))

static inline real_mask real_less(real a, real b)
{
    return a < b;
}

static inline real_mask real_at_most(real a, real b)
{
    return a <= b;
}

/* y = n numbers of a model */
static inline void real_copy(real *y, const double *x, int n)
{
    memcpy(y, x, (size_t)n * sizeof(double));
}

/* n numbers of a model as scalars: themselves where these are doubles, else in `room`. */
static inline const real *real_numbers(real *room, const double *x, int n)
{
    (void)room;
    (void)n;
    return x;
}

/* Does it hold in any lane? */
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
    return fabs(x);
}

static inline real real_sqrt(real x)
{
    return sqrt(x);
}

static inline real real_sin(real x)
{
    return sin(x);
}

static inline real real_cos(real x)
{
    return cos(x);
}

static inline real real_tanh(real x)
{
    return tanh(x);
}

static inline real real_atan2(real y, real x)
{
    return atan2(y, x);
}

static inline real real_tan(real x)
{
    return tan(x);
}

static inline real real_asin(real x)
{
    return asin(x);
}

static inline real real_acos(real x)
{
    return acos(x);
}

static inline real real_atan(real x)
{
    return atan(x);
}

static inline real real_exp(real x)
{
    return exp(x);
}

static inline real real_log(real x)
{
    return log(x);
}

static inline real real_floor(real x)
{
    return floor(x);
}

static inline real real_sinh(real x)
{
    return sinh(x);
}

static inline real real_cosh(real x)
{
    return cosh(x);
}

static inline real real_pow(real x, real y)
{
    return pow(x, y);
}

static inline real real_max(real a, real b)
{
    return fmax(a, b);
}

static inline real real_min(real a, real b)
{
    return fmin(a, b);
}

static inline real real_rint(real x)
{
    return rint(x);
}

/* x less the multiple of p next to it */
static inline real real_remainder(real x, real p)
{
    return remainder(x, p);
}

#endif
