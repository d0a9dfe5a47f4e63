/* Matrices for the tests of the linear solvers, and answers computed the slow way. Column-major, n x n. */
#ifndef SYSTEMS_H
#define SYSTEMS_H

#include "dalembert/linsol.h"
#include "support/check.h"

/* All backends, for loops. */
extern const dal_linsol_kind all_kinds[3];

/* Normally distributed entries. */
void random_matrix(check_rng *rng, double *A, int n);
/* Random singular vectors, singular values from 1 down to 1/cond in equal ratios. */
void conditioned_matrix(check_rng *rng, double *A, int n, double cond);
/* [[M, B^T], [B, 0]] with nv and nc rows: M positive semidefinite of rank nv - nc + 1 (at least 1), B full, random. */
void saddle_matrix(check_rng *rng, double *A, int nv, int nc);
/* Inverse by elimination with complete pivoting in long double. */
void inverse(double *Ainv, const double *A, int n);
double norm1(const double *A, int n);

/* A solver for a full pattern, or one for a chain of bodies: saddle matrix with 6 x 6 blocks of M, each joint has
 * 3 rows in B that touch one body and the one before. */
dal_linsol *full_solver(dal_ctx *ctx, int n, dal_linsol_kind kind);
void set_full(dal_linsol *ls, const double *A);
dal_linsol *chain_solver(dal_ctx *ctx, int bodies, dal_linsol_kind kind);
/* Random values; the mass of each body is between light and 1. */
void set_chain(dal_linsol *ls, check_rng *rng, int bodies, double light);

/* Solve A x = b with random x; returns max_i |b - A x|_i / (|A| |x| + |b|)_i, the backward error by components. */
double backward_error(dal_linsol *ls, check_rng *rng);

#endif
