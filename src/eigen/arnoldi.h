/* Some eigenvalues of a large matrix that is known by its products only. */
#ifndef DAL_EIGEN_ARNOLDI_H
#define DAL_EIGEN_ARNOLDI_H

#include "dalembert/base.h"

/* y = A x, n numbers each. */
typedef dal_status (*dal_arnoldi_product)(double *y, const double *x, void *user);

typedef struct dal_arnoldi {
    int n;        /* size of the matrix */
    int wanted;   /* eigenvalues of largest magnitude; one more may come, so that no pair is torn */
    int basis;    /* vectors kept, wanted + 2 at least */
    double tol;   /* relative; 0: rounding */
    int restarts; /* at most, and fewer may converge, none even; 0: 300 */
    dal_arnoldi_product product;
    void *user;
} dal_arnoldi;

/* re, im: wanted + 1 numbers; V: n x (wanted + 1), as of dal_eigen_general. start: n numbers, where the search begins, so that
 * the same input gives the same bits. *found: how many have converged. DAL_NOCONV if none has. */
dal_status dal_arnoldi_solve(double *re, double *im, double *V, int *found, const dal_arnoldi *problem,
                             const double *start, dal_ctx *ctx) DAL_NODISCARD;

#endif
