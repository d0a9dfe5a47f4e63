/* Interpolation at the nodes of a Lobatto method. */
#ifndef DAL_INTEGRATE_LOBATTO_TABLE_H
#define DAL_INTEGRATE_LOBATTO_TABLE_H

#include "dalembert/integrate.h"

/* Barycentric weights of the s nodes c. */
void dal_barycentric(double *w, const double *c, int s);
/* l[j] = value at u of the Lagrange polynomial that is 1 at node j, 0 at the others. */
void dal_lagrange(double *l, const double *c, const double *w, int s, double u);

#endif
