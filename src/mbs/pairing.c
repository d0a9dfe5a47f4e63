/* Two frames of a model. */
#include "mbs/mbs_impl.h"

/* A frame of the ground: R = I, and nothing moves. */
static void on_ground(mb_side *S, const mb_state *ground, const mb_marker *m, int level)
{
    S->b = ground;
    S->a = m->a;
    copy3(S->s, m->a);
    copy3(S->p, m->a);
    if (level > 0) {
        memset(S->ws, 0, sizeof S->ws);
        memset(S->pd, 0, sizeof S->pd);
        memset(S->pdd, 0, sizeof S->pdd);
    }
    memcpy(S->E, m->A, sizeof S->E);
}

void mb_pairing_at(mb_pairing *P, const mb_state *state, const mb_marker marker[2], int level, unsigned axes)
{
    for (int i = 0; i < 2; ++i) {
        const mb_marker *m = &marker[i];
        if (m->body == 0) {
            on_ground(&P->side[i], &state[0], m, level);
            continue;
        }
        mb_side_at(&P->side[i], &state[m->body], m->a, m->A, level, (axes & (i == 0 ? MB_AXES_A : MB_AXES_B)) != 0);
    }
    sub3(P->d, P->side[1].p, P->side[0].p);
}
