/* Accelerations and multipliers of a dense description by one linear system. */
#ifndef PROBLEMS_KKT_H
#define PROBLEMS_KKT_H

#include "dalembert/system.h"

enum { KKT_MAX = 96 };

/* Solve A x = b (n x n, column-major, destroyed) by elimination with row scaling and partial pivoting; x overwrites
 * b. Returns 0 if A is singular. */
int kkt_solve(double *A, double *b, int n);

/* [[M, B^T],[B, 0]] [vd; la] = [-g; -acc] at (t, q, v), nv velocities. M may be rank-deficient. The description must
 * give acc if it has constraints. Returns 0 if the matrix is singular or a callback fails. */
int kkt_accelerations(const dal_dense *d, int nv, double *vd, double *la, double t, const double *q, const double *v);

#endif
