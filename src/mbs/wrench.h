/* What forces of wheels and teeth share (wrench_kernel.h), with plain numbers. */
#ifndef DAL_MBS_WRENCH_H
#define DAL_MBS_WRENCH_H

#include "mbs/wrench_kernel.h"

/* The motion of a body, and a frame on it. */
typedef struct mb_wrench_frame {
    double x[3], R[9], xd[3], Om[3], a[3], A[9];
} mb_wrench_frame;

/* Derivatives of r6 of body i, and of the rate of the state, with respect to place and velocity of body j and to the state. */
typedef struct mb_wrench_slopes {
    double K[2][2][36], C[2][2][36]; /* 6x6 each */
    double rate_K[2][6], rate_C[2][6];
    double by_state[2][6], rate_by_state;
} mb_wrench_slopes;

void mb_wrench_tangent(mb_wrench_slopes *s, wrench_kind kind, const mb_wrench_frame frame[2], const wrench_numbers *n,
                       double state);

#endif
