/* Sums over the stages: most of what a step does besides asking the system. */
#ifndef DAL_INTEGRATE_LOBATTO_SUM_H
#define DAL_INTEGRATE_LOBATTO_SUM_H

#include "base/vector.h"

#if DAL_VECTORS
typedef long long lb_two_bits __attribute__((vector_size(16)));

/* |x| */
static inline dal_two lb_magnitude(dal_two x)
{
    const lb_two_bits all_but_sign = {0x7fffffffffffffffLL, 0x7fffffffffffffffLL};
    return (dal_two)((lb_two_bits)x & all_but_sign);
}

/* The larger of both, x where y is not a number. */
static inline dal_two lb_larger(dal_two x, dal_two y)
{
    const lb_two_bits more = (lb_two_bits)(y > x);
    return (dal_two)(((lb_two_bits)y & more) | ((lb_two_bits)x & ~more));
}

/* The larger number of a pair; NaN if one is. */
static inline double lb_largest(dal_two x)
{
    return dal_larger(x[0], x[1]);
}
#else
static inline dal_two lb_magnitude(dal_two x)
{
    return fabs(x);
}

static inline dal_two lb_larger(dal_two x, dal_two y)
{
    return y > x ? y : x;
}

static inline double lb_largest(dal_two x)
{
    return x;
}
#endif

/* As dal_lb_sum; with a number m that the compiler knows the loop over j is gone. */
static inline void lb_sum_of(double *restrict y, const double *restrict y0, const double *restrict x,
                             const double *restrict a, int n, const int m)
{
    int k = 0;
    for (; k + DAL_PAIR <= n; k += DAL_PAIR) {
        dal_two sum = a[0] * *(const dal_two *)(x + k);
        for (int j = 1; j < m; ++j) {
            sum += a[j] * *(const dal_two *)(x + j * n + k);
        }
        if (y0) {
            sum += *(const dal_two *)(y0 + k);
        }
        *(dal_two *)(y + k) = sum;
    }
    for (; k < n; ++k) {
        double sum = a[0] * x[k];
        for (int j = 1; j < m; ++j) {
            sum += a[j] * x[j * n + k];
        }
        y[k] = y0 ? sum + y0[k] : sum;
    }
}

/* y = y0 + sum_j a_j x_j, j < m, m >= 1, with n numbers x_j after each other; y0 NULL: zero. */
static inline void dal_lb_sum(double *restrict y, const double *restrict y0, const double *restrict x,
                              const double *restrict a, int n, int m)
{
    switch (m) {
    case 2:
        lb_sum_of(y, y0, x, a, n, 2);
        break;
    case 3:
        lb_sum_of(y, y0, x, a, n, 3);
        break;
    case 4:
        lb_sum_of(y, y0, x, a, n, 4);
        break;
    case 5:
        lb_sum_of(y, y0, x, a, n, 5);
        break;
    default:
        lb_sum_of(y, y0, x, a, n, m);
    }
}

#endif
