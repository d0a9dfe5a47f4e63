/* QR with column pivoting by reflections, our own: for ranks, kernels and least squares. Column-major. */
#ifndef DAL_LINSOL_QR_IMPL_H
#define DAL_LINSOL_QR_IMPL_H

/* X (n x m) P = Q R: each step takes the column that keeps most of its length beside those taken so far, until that is not above
 * tol. R on and above the diagonal, the reflections 1 - tau v v^T below it (v begins with 1). pivot[j]: column of X that became column
 * j. tau: m; norm: 2 m, scratch. Returns the number of columns taken, the rank. */
int dal_qr_pivoted(double *X, int *pivot, double *tau, double *norm, int ld, int n, int m, double tol);

/* Q (n x n) of the first `rank` reflections: its first columns span the columns taken, the others what is orthogonal to them. */
void dal_qr_basis(double *Q, const double *X, int ld, const double *tau, int n, int rank);

#endif
