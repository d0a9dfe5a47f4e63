/* Dense linear algebra for analyses of small systems: products, kernels of constraint matrices, the eigenvalue zero.
 * Matrices are column-major without padding. These functions allocate where they take a context. */
#ifndef DAL_LINSOL_SUBSPACE_H
#define DAL_LINSOL_SUBSPACE_H

#include <stddef.h>

#include "dalembert/base.h"

/* Where entry (i, j) is in a matrix with ld rows. */
static inline size_t dal_entry(int i, int j, int ld)
{
    return (size_t)i + (size_t)j * (size_t)ld;
}

/* C (m x n) = alpha op(A) op(B) + beta C, op(A) m x k; ta, tb: op transposes. */
void dal_matrix_product(double *C, double beta, double alpha, const double *A, int ta, const double *B, int tb, int m,
                        int n, int k);

/* X := A^-1 X, A n x n (destroyed), X n x nrhs. DAL_SINGULAR if A is. */
dal_status dal_matrix_solve(double *A, double *X, int n, int nrhs, dal_ctx *ctx) DAL_NODISCARD;
/* The same for n <= DAL_MATRIX_SMALL, without memory of its own. 0: A is singular */
enum { DAL_MATRIX_SMALL = 16 };
int dal_matrix_solve_small(double *A, double *X, int n, int nrhs);

/* The kernel of an m x n matrix B, from QR of B^T with pivoting; rows are brought to length one first. */
typedef struct dal_kernel dal_kernel;
/* tol: a row counts as dependent when what is left of it after the others is below tol of its length. */
dal_status dal_kernel_create(dal_kernel **kernel, dal_ctx *ctx, const double *B, int m, int n,
                             double tol) DAL_NODISCARD;
void dal_kernel_destroy(dal_kernel *kernel); /* NULL is fine */
int dal_kernel_rank(const dal_kernel *kernel);
/* Rows that do not depend on others: the number of the i-th one, i < rank. */
int dal_kernel_row(const dal_kernel *kernel, int i);
/* n x (n - rank), orthonormal columns that B maps to zero. */
const double *dal_kernel_basis(const dal_kernel *kernel);
/* X (n x ncols): the shortest columns with B X = Y on the rows that are independent; Y m x ncols. Allocates nothing. */
void dal_kernel_least(const dal_kernel *kernel, double *X, const double *Y, int ncols);
/* X (m x ncols): B^T X = Y in the sense of least squares, zero on dependent rows; Y n x ncols. */
void dal_kernel_transposed(const dal_kernel *kernel, double *X, const double *Y, int ncols);

/* An orthogonal Q with Q^T A Q = [U X; 0 S]: U nzero x nzero has the eigenvalue zero only (it is strictly upper
 * triangular by blocks), S is regular. A is replaced by Q^T A Q. What a row keeps beside
 * others counts as zero up to tol times the length of the longest row. So a zero eigenvalue stays zero, whatever its multiplicity
 * and the length of its Jordan chains. */
dal_status dal_eigen_deflate(dal_ctx *ctx, double *A, double *Q, int *nzero, int n, double tol) DAL_NODISCARD;

#endif
