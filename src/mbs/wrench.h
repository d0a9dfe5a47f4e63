/* What forces of wheels and teeth share (wrench_kernel.h), with plain numbers. */
#ifndef DAL_MBS_WRENCH_H
#define DAL_MBS_WRENCH_H

#include "mbs/wrench_kernel.h"

/* The motion of a body, and a frame on it. */
typedef struct mb_wrench_frame {
    double x[3], R[9], xd[3], Om[3], a[3], A[9];
} mb_wrench_frame;

/* Derivatives of r6 of body i with respect to place and velocity of body j, 6x6 each. */
void mb_wrench_tangent(double K[2][2][36], double C[2][2][36], wrench_kind kind, const mb_wrench_frame frame[2],
                       const wrench_numbers *n);

#endif
