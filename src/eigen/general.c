/* Eigenvalues of general matrices by LAPACK, whatever library of the system that is: dgeevx. */
#include <math.h>

#include "base/memory.h"
#include "eigen/general.h"

/* The symbol of Fortran, with the lengths of texts behind the arguments. */
void dgeevx_(const char *balance, const char *left, const char *right, const char *sense, const int *n, double *a,
             const int *lda, double *re, double *im, double *vl, const int *ldvl, double *vr, const int *ldvr, int *low,
             int *high, double *scale, double *norm, double *rconde, double *rcondv, double *work, const int *lwork,
             int *iwork, int *info, size_t, size_t, size_t, size_t);

dal_status dal_eigen_general(double *re, double *im, double *V, double *A, int n, dal_ctx *ctx)
{
    const int one = 1, lwork = 64 * n;
    int low, high, info = 0;
    double norm, unused = 0.0;
    if (n == 0) {
        return DAL_OK;
    }
    double *work = dal_alloc(ctx, (size_t)(lwork + n) * sizeof(double));
    if (!work) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for an eigenproblem of size %d", n);
    }
    dgeevx_("B", "N", "V", "N", &n, A, &n, re, im, &unused, &one, V, &n, &low, &high, work + lwork, &norm, NULL, NULL,
            work, &lwork, NULL, &info, 1, 1, 1, 1);
    dal_free(ctx, work);
    return info == 0 ? DAL_OK
                     : dal_fail(ctx, DAL_EINVAL,
                                info < 0 ? "eigenvalues: a matrix of size %d has entries that are not finite"
                                         : "eigenvalues of a matrix of size %d: no convergence",
                                n);
}
