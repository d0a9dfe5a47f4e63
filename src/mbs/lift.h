/* The map y = S v of a body in other coordinates, (MB.2), while it is evaluated. */
#ifndef DAL_MBS_LIFT_H
#define DAL_MBS_LIFT_H

#include <string.h>

/* What there is of a lift at the state at hand. */
typedef enum mb_lift_part { MB_LIFT_NONE, MB_LIFT_MAP, MB_LIFT_ALL } mb_lift_part;

/* y = S v, y' = S v' + (rate of S) v, and their derivatives, all 6 x nv: V = dy/dq, Aq = dy'/dq, Av = dy'/dv. The four
 * follow each other in memory and start as zeros. */
typedef struct mb_lift {
    double *S, *V, *Aq, *Av;
    mb_lift_part has; /* MAP: S, ALL: the others too */
} mb_lift;

/* V, Aq, Av := 0 */
static inline void mb_lift_clear(mb_lift *L, int nv)
{
    memset(L->V, 0, (size_t)(18 * nv) * sizeof(double));
}

/* S = diag(X, I) or diag(I, X) with 3 x 3 blocks: products need not look at the zeros. */
typedef enum mb_map { MB_MAP_FULL, MB_MAP_TRANSLATION, MB_MAP_ROTATION } mb_map;

/* `state` and `curvature` that are kernels (body_kernel.h) of the coordinates alone: <kernel>_of. */
#define MB_STATE_OF(kernel)                                                                                    \
    static void kernel##_of(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd) \
    {                                                                                                          \
        (void)b;                                                                                               \
        kernel(s, q, v, vd);                                                                                   \
    }
#define MB_CURVATURE_OF(kernel)                                                              \
    static void kernel##_of(double *N, const mb_body *b, const double *q, const double f[6]) \
    {                                                                                        \
        (void)b;                                                                             \
        kernel(N, q, f);                                                                     \
    }

#endif
