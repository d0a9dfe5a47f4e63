/* Rigid bodies in R^3 x SO(3), described again in linear coordinates: Euler parameters or Cardan angles. */
#ifndef REPRODUCE_CHARTS_H
#define REPRODUCE_CHARTS_H

#include "problems/problems.h"

/* Angles: R = R_i(a1) R_j(a2) R_k(a3). CHART_NONE: R^3 x SO(3) as it is, where there is a choice. */
enum { CHART_NONE = -1, CHART_EULER = 0, CHART_XYZ = 123, CHART_XZY = 132, CHART_YZX = 231 };

/* p: the problem `base`, whose group is a product of R^3 x SO(3), in the coordinates of the chart. Euler parameters:
 * (x, p) in R^7 for each body, with the rows (p.p - 1)/2 after those of base; angles: (x, a) in R^6. base must stay. */
dal_status chart_problem(problem *p, const problem *base, int kind) DAL_NODISCARD;
/* Back to the coordinates of base. */
void chart_to_base(double *q_base, const problem *p, const double *q);

#endif
