/* Dense kernels in blocks, for fronts and for larger dense matrices; column-major. Products add in
 * a fixed order: the bits depend neither on the processor nor on threads. */
#ifndef DAL_LINSOL_DENSE_KERNELS_H
#define DAL_LINSOL_DENSE_KERNELS_H

#include <stddef.h>

/* Room that dal_dense_subtract needs for A (m x k), in doubles. */
size_t dal_dense_room(int m, int k);

/* C (m x n) -= A (m x k) B (k x n) */
void dal_dense_subtract(double *C, int ldc, const double *A, int lda, const double *B, int ldb, int m, int n, int k,
                        double *room);

/* B (k x n) := L^-1 B with the unit lower triangle of L (k x k). room: for k x k */
void dal_dense_lower(double *B, int ldb, const double *L, int ldl, int k, int n, double *room);

/* LU of a panel of np columns and m >= np rows, pivots among its first np rows: rows are exchanged (row k with
 * swap[k] >= k) over the panel. L below the diagonal (unit), U on and above it. Returns the ratio of the largest to the
 * smallest pivot; infinite, the factors unusable, if there is none or the ratio is beyond `limit`. room: for m x np */
double dal_dense_panel(double *P, int ld, int m, int np, int *swap, double limit, double *room);

/* Exchange the rows of B (n columns) as a panel did. */
void dal_dense_exchange(double *B, int ld, int n, const int *swap, int np);

#endif
