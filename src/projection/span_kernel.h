/* Multipliers that give no forces, taken out of multipliers; compiled into the library and printed into generated programs. */
#ifndef DAL_PROJECTION_SPAN_KERNEL_H
#define DAL_PROJECTION_SPAN_KERNEL_H

#include "lie/real.h"

/* Remove from la its part in the span of the nd columns of N: la -= N (N^T W^2 N)^-1 N^T W^2 la (RD.2), by Cholesky. square: W^2 of the
 * nc rows, W being levers; N^T N >= I. S: nd nd, c: nd numbers to work with. */
static inline void remove_span(real *la, const real *N, const real *square, real *S, real *c, int nc, int nd)
{
    for (int j = 0; j < nd; ++j) {
        for (int i = j; i < nd; ++i) {
            real sum = REAL(0.0);
            for (int r = 0; r < nc; ++r) {
                sum += square[r] * N[i * nc + r] * N[j * nc + r];
            }
            for (int k = 0; k < j; ++k) {
                sum -= S[i + k * nd] * S[j + k * nd];
            }
            S[i + j * nd] = i == j ? real_sqrt(sum) : sum / S[j + j * nd];
        }
        c[j] = REAL(0.0);
        for (int r = 0; r < nc; ++r) {
            c[j] += square[r] * N[j * nc + r] * la[r];
        }
        for (int k = 0; k < j; ++k) {
            c[j] -= S[j + k * nd] * c[k];
        }
        c[j] /= S[j + j * nd];
    }
    for (int j = nd - 1; j >= 0; --j) {
        for (int k = j + 1; k < nd; ++k) {
            c[j] -= S[k + j * nd] * c[k];
        }
        c[j] /= S[j + j * nd];
        for (int r = 0; r < nc; ++r) {
            la[r] -= N[j * nc + r] * c[j];
        }
    }
}

#endif
