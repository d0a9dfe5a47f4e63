/* Eigenvalues and eigenvectors of general dense matrices, column-major; for analyses: they allocate. */
#ifndef DAL_EIGEN_GENERAL_H
#define DAL_EIGEN_GENERAL_H

#include "dalembert/base.h"

/* Eigenvalues (re, im) and right eigenvectors of a general matrix A, which is destroyed. Pairs of conjugate eigenvalues
 * stand together, the one with positive im first; V (n x n) has one column for a real eigenvalue and two, real and
 * imaginary part, for a pair. */
dal_status dal_eigen_general(double *re, double *im, double *V, double *A, int n, dal_ctx *ctx) DAL_NODISCARD;

#endif
