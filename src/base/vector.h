/* Vectors of numbers: the few loops that every part needs. */
#ifndef DAL_BASE_VECTOR_H
#define DAL_BASE_VECTOR_H

#include <math.h>
#include <string.h>

/* Two neighbouring numbers, anywhere in memory. */
typedef double dal_two __attribute__((vector_size(16), aligned(8), may_alias));

/* 0 if all entries are finite, else NaN: a sum of x_i 0. */
static inline double dal_not_finite(const double *x, int n)
{
    dal_two a = {0.0, 0.0}, b = {0.0, 0.0};
    double rest = 0.0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        a += *(const dal_two *)(x + i) * 0.0;
        b += *(const dal_two *)(x + i + 2) * 0.0;
    }
    for (; i < n; ++i) {
        rest += x[i] * 0.0;
    }
    a += b;
    return a[0] + a[1] + rest;
}

/* max |x_i|; 0 for n = 0, NaN if an entry is not finite. */
static inline double dal_max_abs(const double *x, int n)
{
    double even = 0.0, odd = 0.0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        const double a = fabs(x[i]), b = fabs(x[i + 1]);
        even = a > even ? a : even;
        odd = b > odd ? b : odd;
    }
    if (i < n) {
        const double a = fabs(x[i]);
        even = a > even ? a : even;
    }
    return (even > odd ? even : odd) + dal_not_finite(x, n);
}

static inline void dal_copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof(double));
}

/* In pieces: for long stretches memset uses string instructions, which take a while to start. */
static inline void dal_zero(double *x, int n)
{
    enum { PIECE = 128 };
    for (; n > 0; n -= PIECE, x += PIECE) {
        memset(x, 0, (size_t)(n < PIECE ? n : PIECE) * sizeof(double));
    }
}

#endif
