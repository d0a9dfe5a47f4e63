/* Vectors of numbers: the few loops that every part needs. They are short most of the time: two numbers at once, without the
 * preparations that compilers make for long ones. */
#ifndef DAL_BASE_VECTOR_H
#define DAL_BASE_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Two neighbouring numbers, anywhere in memory; a single one where the compiler has no vectors, with DAL_PLAIN_C say. Sums over
 * x_i are then added in another order, everything else has the same bits. */
#if defined(__GNUC__) && !defined(DAL_PLAIN_C)
#define DAL_VECTORS 1
#define DAL_INLINE static inline __attribute__((always_inline))
typedef double dal_two __attribute__((vector_size(16), aligned(8), may_alias));
static inline double dal_sum_of(dal_two x)
{
    return x[0] + x[1];
}
#else
#define DAL_VECTORS 0
#define DAL_INLINE static inline
typedef double dal_two;
static inline double dal_sum_of(dal_two x)
{
    return x;
}
#endif
enum { DAL_PAIR = sizeof(dal_two) / sizeof(double) };

/* 0 if all entries are finite, else NaN: a sum of x_i 0. */
static inline double dal_not_finite(const double *x, int n)
{
    dal_two a = {0.0}, b = {0.0};
    double rest = 0.0;
    int i = 0;
    for (; i + 2 * DAL_PAIR <= n; i += 2 * DAL_PAIR) {
        a += *(const dal_two *)(x + i) * 0.0;
        b += *(const dal_two *)(x + i + DAL_PAIR) * 0.0;
    }
    if (i + DAL_PAIR <= n) {
        a += *(const dal_two *)(x + i) * 0.0;
        i += DAL_PAIR;
    }
    if (i < n) {
        rest = x[i] * 0.0;
    }
    return dal_sum_of(a + b) + rest;
}

/* The bits of a number without its sign: they ascend with its magnitude, infinity and NaN come last. */
static inline uint64_t dal_magnitude(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits << 1;
}

/* The magnitude whose bits are the larger of these; NaN if it is not finite. */
static inline double dal_of_magnitudes(uint64_t a, uint64_t b)
{
    const uint64_t infinite = UINT64_C(0x7ff) << 53, bits = a > b ? a : b, whole = bits >> 1;
    double max;
    memcpy(&max, &whole, sizeof max);
    return bits < infinite ? max : (double)NAN;
}

/* max |x_i|; 0 for n = 0, NaN if an entry is not finite. */
static inline double dal_max_abs(const double *x, int n)
{
    uint64_t even = 0, odd = 0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): n is what callers say
        const uint64_t a = dal_magnitude(x[i]), b = dal_magnitude(x[i + 1]);
        even = a > even ? a : even;
        odd = b > odd ? b : odd;
    }
    if (i < n) {
        const uint64_t a = dal_magnitude(x[i]);
        even = a > even ? a : even;
    }
    return dal_of_magnitudes(even, odd);
}

/* The larger of two numbers; NaN if one is. */
static inline double dal_larger(double a, double b)
{
    return a > b || a != a ? a : b;
}

/* max |x_i| s_i; 0 for n = 0, NaN if a product is not finite. */
static inline double dal_max_product(const double *x, const double *s, int n)
{
    uint64_t even = 0, odd = 0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        const uint64_t a = dal_magnitude(x[i] * s[i]), b = dal_magnitude(x[i + 1] * s[i + 1]);
        even = a > even ? a : even;
        odd = b > odd ? b : odd;
    }
    if (i < n) {
        const uint64_t a = dal_magnitude(x[i] * s[i]);
        even = a > even ? a : even;
    }
    return dal_of_magnitudes(even, odd);
}

static inline void dal_copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof(double));
}

/* y += x */
static inline void dal_add(double *y, const double *x, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(y + i) += *(const dal_two *)(x + i);
    }
    if (i < n) {
        y[i] += x[i];
    }
}

/* y = -x */
static inline void dal_negative(double *y, const double *x, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(y + i) = -*(const dal_two *)(x + i);
    }
    if (i < n) {
        y[i] = -x[i];
    }
}

/* y = y s */
static inline void dal_scale(double *y, double s, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(y + i) *= s;
    }
    if (i < n) {
        y[i] *= s;
    }
}

/* By hand: compilers use string instructions, which take a while to start and as long as one number at a time. */
static inline void dal_zero(double *x, int n)
{
    enum { AT_ONCE = 8 * DAL_PAIR };
    const dal_two zero = {0.0};
    dal_two *to = (dal_two *)x;
    for (; n >= AT_ONCE; n -= AT_ONCE, to += 8) {
        to[0] = to[1] = to[2] = to[3] = to[4] = to[5] = to[6] = to[7] = zero;
    }
    if (n & (4 * DAL_PAIR)) {
        to[0] = to[1] = to[2] = to[3] = zero;
        to += 4;
    }
    if (n & (2 * DAL_PAIR)) {
        to[0] = to[1] = zero;
        to += 2;
    }
    if (n & DAL_PAIR) {
        *to++ = zero;
    }
    if (DAL_PAIR > 1 && (n & 1)) {
        *(double *)to = 0.0;
    }
}

/* y = x/s */
static inline void dal_divide(double *y, const double *x, double s, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(y + i) = *(const dal_two *)(x + i) / s;
    }
    if (i < n) {
        y[i] = x[i] / s;
    }
}

/* y += x s */
static inline void dal_add_multiple(double *y, const double *x, double s, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(y + i) += *(const dal_two *)(x + i) * s;
    }
    if (i < n) {
        y[i] += x[i] * s;
    }
}

/* x . y in four sums, so that additions need not wait for each other; always in the same order. */
static inline double dal_dot(const double *x, const double *y, int n)
{
    dal_two s = {0.0}, t = {0.0};
    int i = 0;
    for (; i + 2 * DAL_PAIR <= n; i += 2 * DAL_PAIR) {
        s += *(const dal_two *)(x + i) * *(const dal_two *)(y + i);
        t += *(const dal_two *)(x + i + DAL_PAIR) * *(const dal_two *)(y + i + DAL_PAIR);
    }
    double sum = dal_sum_of(s + t);
    for (; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* The same for few numbers, whose count is known where it is called. */
DAL_INLINE double dal_dot_few(const double *x, const double *y, int n)
{
    dal_two s = {0.0};
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        s += *(const dal_two *)(x + i) * *(const dal_two *)(y + i);
    }
    double sum = dal_sum_of(s);
    for (; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

#endif
