/* Some eigenvalues of a large symmetric problem that is known by its products only: a block Lanczos method with full
 * reorthogonalisation. A block finds eigenvalues that occur several times, which symmetric bodies have. */
#ifndef DAL_LINSOL_LANCZOS_H
#define DAL_LINSOL_LANCZOS_H

#include "base/memory.h"

/* Y (n x ncols) := an operator times X. */
typedef dal_status (*dal_lanczos_product)(double *Y, const double *X, int ncols, void *user);

/* A x = theta x, A = inverse o mass, symmetric in the inner product x.M y, M positive semidefinite. */
typedef struct dal_lanczos {
    int n;
    int wanted;   /* eigenvalues, the largest ones; 0: no limit but `least` */
    double least; /* those below it are not wanted; 0: no limit but `wanted` */
    int most;     /* vectors of the basis, at most */
    dal_lanczos_product mass, inverse;
    void *user;
} dal_lanczos;

/* theta descending, X (n x *found) with X^T M X = I, both from the pool. Fewer than wanted: there are no more.
 * DAL_NOCONV if `most` vectors do not suffice, DAL_EINVAL if a vector has a negative x.M x. */
dal_status dal_lanczos_solve(double **theta, double **X, int *found, dal_pool *pool,
                             const dal_lanczos *problem) DAL_NODISCARD;

#endif
