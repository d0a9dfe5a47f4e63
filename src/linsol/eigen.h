/* Eigenvalues and eigenvectors of dense matrices, column-major; for parts that prepare data: they allocate. */
#ifndef DAL_LINSOL_EIGEN_H
#define DAL_LINSOL_EIGEN_H

#include "dalembert/base.h"

/* A x = w B x, n x n, A symmetric, B symmetric positive definite. w ascending; A receives the vectors (x.B x = 1, the largest entry
 * positive), B is destroyed. DAL_EINVAL if B is not positive definite. */
dal_status dal_eigen_symmetric(double *w, double *A, double *B, int n, dal_ctx *ctx) DAL_NODISCARD;
/* The same of x = w C B x, from the flexibility C = A^-1 (in A), which may be singular: then w is infinite. The smallest w are
 * those with the most digits. */
dal_status dal_eigen_flexible(double *w, double *C, double *B, int n, dal_ctx *ctx) DAL_NODISCARD;

#endif
