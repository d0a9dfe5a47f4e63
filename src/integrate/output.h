/* Dense output: Hermite interpolation of q, v and v' at two or three states in the local coordinates of a step. (LB.9) */
#ifndef DAL_INTEGRATE_OUTPUT_H
#define DAL_INTEGRATE_OUTPUT_H

#include "integrate/integrator.h"

typedef struct dal_output {
    dal_eval *ev;
    dal_saddle *saddle;
    double *d; /* 9 x nv: divided differences, if n > 0 */
    int n;     /* so many nodes; 0: the step is another one by now */
    double node[9];
    double *jet[3]; /* nv: theta, theta', theta'' */
    double *q, *v;  /* what was interpolated */
    double *w, *D;  /* nv, max_nv^2: scratch */
} dal_output;

void dal_output_carve(dal_output *o, dal_arena *arena, dal_eval *ev, dal_saddle *saddle);

/* For the step from s0 to s1; third NULL or one more state, which increment * sign leads to from s0. */
void dal_output_build(dal_output *o, const dal_state_buffer *s0, const dal_state_buffer *s1,
                      const dal_state_buffer *third, const double *increment, double sign);
/* q and v at t into o->q and o->v. */
void dal_output_at(dal_output *o, const dal_state_buffer *s0, const dal_state_buffer *s1, double t);
/* v' and multipliers that belong to o->q and o->v; in between of those at the ends should that fail, and for multipliers that
 * are carried. Either may be NULL. */
void dal_output_accelerations(dal_output *o, double *vd, double *la, const dal_state_buffer *s0,
                              const dal_state_buffer *s1, double t, int carried);
/* All of it for a step with two states, previous and end. Any output may be NULL. */
void dal_output_step(dal_output *o, double *q, double *v, double *vd, double *la, const dal_integrator *self, double t);

#endif
