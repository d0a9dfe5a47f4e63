/* Points at which a compliant contact presses, for generated programs. */
#ifndef DAL_MBS_PRESS_H
#define DAL_MBS_PRESS_H

#include "mbs/mbs_impl.h"

/* Points of a compliant contact whose features stay the same: how many, 0: they change. Programs are made of these. */
typedef struct mb_press {
    int code;                   /* of touch_kernel.h */
    const double *a, *b, *edge; /* radii of both sides, edges of a box or the length of a capsule; NULL: zero */
    int sign[3];                /* where the point is: signs times half of the edges, of a capsule the third */
    int memory;                 /* its speed of approach, how bristles are bent and slid: 1, 2 and 2 numbers */
} mb_press;
int mb_force_contact_points(mb_press at[8], const dal_model *m, const mb_force *f);

#endif
