/* What the groups with rotations share beyond their kernels. */
#ifndef DAL_LIE_SO3_IMPL_H
#define DAL_LIE_SO3_IMPL_H

#include "lie/lie_impl.h"
#include "lie/so3_kernel.h"

/* Matrix products run with m = 6 (blocks of M, C, K of bodies) and m = 3 (rows of joints) most of the time: with m
 * a constant the compiler unrolls PRODUCT(Y, A, m, X) into straight vector code, twice as fast as the loop. */
#define BY_ROWS(PRODUCT, Y, A, m, X) \
    do {                             \
        if ((m) == 6) {              \
            PRODUCT(Y, A, 6, X);     \
        } else if ((m) == 3) {       \
            PRODUCT(Y, A, 3, X);     \
        } else {                     \
            PRODUCT(Y, A, m, X);     \
        }                            \
    } while (0)

#endif
