/* Vectors of numbers: the few loops that every part needs. */
#ifndef DAL_BASE_VECTOR_H
#define DAL_BASE_VECTOR_H

#include <math.h>
#include <string.h>

/* max |x_i|; 0 for n = 0, NaN if an entry is not finite. */
static inline double dal_max_abs(const double *x, int n)
{
    double norm = 0.0, finite = 0.0;
    for (int i = 0; i < n; ++i) {
        const double a = fabs(x[i]);
        norm = a > norm ? a : norm;
        finite += a * 0.0;
    }
    return norm + finite;
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
