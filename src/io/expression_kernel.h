/* Operations of expressions with their derivatives: what the library evaluates, and what generated programs consist of. */
#ifndef DAL_IO_EXPRESSION_KERNEL_H
#define DAL_IO_EXPRESSION_KERNEL_H

#include "lie/real.h"

/* First and second derivatives of f(x, y). */
typedef struct expr_partials {
    real x, y, xx, xy, yy;
} expr_partials;

static inline expr_partials expr_none(void)
{
    expr_partials p;
    p.x = p.y = p.xx = p.xy = p.yy = REAL(0.0);
    return p;
}

static inline real_mask expr_is_zero(real x)
{
    return real_at_most(x, REAL(0.0)) & real_at_most(REAL(0.0), x);
}

/* c d, and zero where d = 0: what does not move has no part in the derivative, even at a pole of c. So the exponent of
 * x^2 may be any constant, and v sqrt(abs(v)) has the derivative zero at v = 0. */
static inline real expr_part(real c, real d)
{
    return real_select(expr_is_zero(d), REAL(0.0), c * d);
}

/* The same backwards: w is the derivative of the whole by a node, p that of the node by its operand. */
static inline real expr_chain(real w, real p)
{
    return real_select(expr_is_zero(w), REAL(0.0), expr_part(w, p));
}

/* ---- values ----------------------------------------------------------------------------------- */

/* 1 where x < y, otherwise 0 */
static inline real expr_less(real x, real y)
{
    return real_select(real_less(x, y), REAL(1.0), REAL(0.0));
}

/* y where x is 1; what it is elsewhere does not matter. */
static inline real expr_gate(real x, real y)
{
    return real_select(real_less(REAL(0.5), x), y, REAL(0.0));
}

static inline real expr_min(real x, real y)
{
    return real_select(real_less(y, x), y, x);
}

static inline real expr_max(real x, real y)
{
    return real_select(real_less(x, y), y, x);
}

static inline real expr_sign(real x)
{
    const real o = REAL(0.0);
    return real_select(real_less(o, x), REAL(1.0), real_select(real_less(x, o), REAL(-1.0), o));
}

static inline real expr_degrees(real x)
{
    return x * (3.14159265358979323846 / 180.0);
}

/* ---- derivatives: of two operands, of one; f is the value. Those not here are in expression_list.h --- */

static inline expr_partials expr_of_sum(void)
{
    expr_partials p = expr_none();
    p.x = p.y = REAL(1.0);
    return p;
}

static inline expr_partials expr_of_gate(real x)
{
    expr_partials p = expr_none();
    p.y = real_select(real_less(REAL(0.5), x), REAL(1.0), REAL(0.0));
    return p;
}

static inline expr_partials expr_of_difference(void)
{
    expr_partials p = expr_none();
    p.x = REAL(1.0);
    p.y = REAL(-1.0);
    return p;
}

static inline expr_partials expr_of_product(real x, real y)
{
    expr_partials p = expr_none();
    p.x = y;
    p.y = x;
    p.xy = REAL(1.0);
    return p;
}

static inline expr_partials expr_of_quotient(real y, real f)
{
    expr_partials p = expr_none();
    p.x = 1.0 / y;
    p.y = -f / y;
    p.xy = -1.0 / (y * y);
    p.yy = 2.0 * f / (y * y);
    return p;
}

/* c x^n; nothing where c = 0, even at a pole */
static inline real expr_monomial(real c, real x, real n)
{
    return real_select(expr_is_zero(c), REAL(0.0), c * real_pow(x, n));
}

static inline expr_partials expr_of_square(real x)
{
    expr_partials p = expr_none();
    p.x = 2.0 * x;
    p.xx = REAL(2.0);
    return p;
}

/* With an exponent that is constant. */
static inline expr_partials expr_of_fixed_power(real x, real y)
{
    expr_partials p = expr_none();
    p.x = expr_monomial(y, x, y - 1.0);
    p.xx = expr_monomial(y * (y - 1.0), x, y - 2.0);
    return p;
}

static inline expr_partials expr_of_power(real x, real y, real f)
{
    const real l = real_log(x);
    expr_partials p = expr_of_fixed_power(x, y);
    p.y = f * l;
    p.xy = real_pow(x, y - 1.0) * (1.0 + y * l);
    p.yy = f * l * l;
    return p;
}

static inline expr_partials expr_of_atan2(real x, real y)
{
    const real r = x * x + y * y;
    expr_partials p;
    p.x = y / r;
    p.y = -x / r;
    p.xx = -2.0 * x * y / (r * r);
    p.xy = (x * x - y * y) / (r * r);
    p.yy = 2.0 * x * y / (r * r);
    return p;
}

/* That of y where it is taken. */
static inline expr_partials expr_of_choice(real_mask second)
{
    const real o = REAL(0.0), one = REAL(1.0);
    expr_partials p = expr_none();
    p.x = real_select(second, o, one);
    p.y = real_select(second, one, o);
    return p;
}

static inline expr_partials expr_of_one(real x, real xx)
{
    expr_partials p = expr_none();
    p.x = x;
    p.xx = xx;
    return p;
}

/* Of asin (sign = 1) and acos (-1) */
static inline expr_partials expr_of_arc(real sign, real x)
{
    const real w = 1.0 - x * x, r = real_sqrt(w);
    return expr_of_one(sign / r, sign * x / (w * r));
}

static inline expr_partials expr_of_atan(real x)
{
    const real u = 1.0 + x * x;
    return expr_of_one(1.0 / u, -2.0 * x / (u * u));
}

/* ---- along a curve ---------------------------------------------------------------------------- */

/* Derivatives of f(a) along a curve; f[0] is there. */
static inline void expr_along_one(real f[3], expr_partials p, const real a[3])
{
    f[1] = expr_part(p.x, a[1]);
    f[2] = expr_part(p.x, a[2]) + expr_part(p.xx, a[1] * a[1]);
}

/* (f o (a, b))'' = f_a a'' + f_b b'' + f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2 */
static inline void expr_along_two(real f[3], expr_partials p, const real a[3], const real b[3])
{
    expr_along_one(f, p, a);
    f[1] += expr_chain(p.y, b[1]);
    f[2] += expr_chain(p.y, b[2]) + 2.0 * expr_chain(p.xy, a[1] * b[1]) + expr_chain(p.yy, b[1] * b[1]);
}

#endif
