/* Two frames of a model. */
#include "mbs/mbs_impl.h"

void mb_pairing_at(mb_pairing *P, const mb_state *state, const mb_marker marker[2], int level, unsigned axes)
{
    for (int i = 0; i < 2; ++i) {
        const mb_marker *m = &marker[i];
        mb_side_at(&P->side[i], &state[m->body], m->a, m->A, level, (axes & (i == 0 ? MB_AXES_A : MB_AXES_B)) != 0);
    }
    sub3(P->d, P->side[1].p, P->side[0].p);
}
