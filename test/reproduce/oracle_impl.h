/* Rotations, charts and equations of motion, for the steps. */
#ifndef TEST_REPRODUCE_ORACLE_IMPL_H
#define TEST_REPRODUCE_ORACLE_IMPL_H

#include "oracle.h"

void oracle_cross(double c[3], const double a[3], const double b[3]);
void oracle_solve3(double x[3], double A[9], const double b[3]); /* A x = b */
void oracle_tangent(double y[3], const double w[3], const double x[3]);
void oracle_inverse_tangent(double y[3], const double w[3], const double x[3]);

int oracle_width(const oracle *o);     /* coordinates of a body in the chart */
int oracle_is_curved(const oracle *o); /* bodies on the group */
/* E of body b in a chart, Omega = E r', and its rate along v. */
void oracle_rates_of(double E[12], double Ed[12], const oracle *o, int b, const double *q, const double *v);
/* q, v, v' of the problem from those of the chart; v, vd may be NULL. */
void oracle_to_base(double *qb, double *vb, double *vdb, const oracle *o, const double *q, const double *v,
                    const double *vd);
/* r = M v' + g + B^T lambda, Phi, vel = B v + Phi_t, and B (nc x nv), in the coordinates used. */
void oracle_evaluate(double *r, double *Phi, double *vel, double *B, const oracle *o, double t, const oracle_state *s);

#endif
