/* Local coordinates of one state as seen from another, on the branch that is asked for. */
#ifndef DAL_INTEGRATE_LIFT_H
#define DAL_INTEGRATE_LIFT_H

#include "dalembert/lie.h"

/* theta with q = q0 o exp(theta) near the value it has on entry, which decides the branch: the logarithm would wrap where a
 * body turns by more than pi. Newton's method; on entry only a projection or an error of higher order may be missing.
 * Scratch: q_work nq, w and d nv. */
void dal_lift(const dal_group *G, double *theta, double *q_work, double *w, double *d, const double *q0,
              const double *q);

#endif
