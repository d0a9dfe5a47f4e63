/* Errors of velocities are measured by the largest speeds so far, vector by vector: what shares a scale is the translation or the
 * rotation of a body, or a single coordinate. A number of a vector stands at the place of its first component. */
#ifndef DAL_INTEGRATE_SPEEDS_H
#define DAL_INTEGRATE_SPEEDS_H

#include "dalembert/system.h"

/* Number of components, from the i-th of a factor on, that share a scale. */
int dal_vector_length(const dal_factor *F, int i);
double dal_vector_norm(const double *x, int n);
/* largest := the larger of it and the norms of the vectors of x; those of factors that share a scale alike */
void dal_note_largest(const dal_system *sys, double *largest, const double *x);
/* What rounding and iterations to rounding leave in any velocity of a system with these largest speeds: constraints couple
 * all of them. A tolerance below that cannot be met. */
double dal_least_error(const double *vmax, int nv);

#endif
