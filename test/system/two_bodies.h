/* A body that turns about a fixed point (SO(3)) and a particle (R^3), joined and coupled:
 *     rows 0-2  x - R a = 0            holonomic, both factors
 *     row  3    w . R b = 0            holonomic, the body only
 *     row  4    n . x' - x_2 (e . Om) = 0   nonholonomic, both factors
 * with a spring and damper between x and the point R s of the body, and gravity. Written twice: block by block as
 * a dal_system with all tangents, and in plain matrices as a dal_dense. */
#ifndef TEST_TWO_BODIES_H
#define TEST_TWO_BODIES_H

#include "dalembert/system.h"

enum { TWO_NQ = 7, TWO_NV = 6, TWO_NC = 5, TWO_NPAIRS = 4, TWO_NLINKS = 5 };

/* A deliberate mistake in what `tangent` or `residual` hands over. */
typedef enum two_mistake {
    TWO_CORRECT,
    TWO_WRONG_M,
    TWO_WRONG_C,
    TWO_WRONG_K,
    TWO_WRONG_B,
    TWO_WRONG_Z,
    TWO_WRONG_AQ,
    TWO_WRONG_AV,
    TWO_WRONG_VEL,
    TWO_WRONG_ACC
} two_mistake;

typedef struct two_bodies {
    dal_ctx *ctx;
    dal_group *group;
    two_mistake mistake;
    dal_constraint constraint[3];
    dal_pair pair[TWO_NPAIRS];
    dal_link link[TWO_NLINKS];
    dal_system block; /* user: the two_bodies itself, so it must not be moved */
    dal_dense dense;
    dal_system *wrapped;           /* dal_dense_create of `dense` */
    double q0[TWO_NQ], v0[TWO_NV]; /* consistent initial values */
} two_bodies;

void two_bodies_create(two_bodies *two, dal_ctx *ctx);
void two_bodies_free(two_bodies *two);

#endif
