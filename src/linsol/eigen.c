/* Symmetric eigenproblems by LAPACK: dsygv. */
#include "linsol/eigen.h"

#include <lapacke.h>
#include <math.h>

#include "base/memory.h"
#include "linsol/blas_serial.h"

/* The sign of an eigenvector is free: make its largest entry positive, so that the result does not depend on the
 * version of LAPACK. */
static void fix_signs(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        double *x = A + (size_t)n * (size_t)j, largest = 0.0;
        for (int i = 0; i < n; ++i) {
            // of two entries that differ by rounding only, the first decides
            largest = fabs(x[i]) > (1.0 + 1e-6) * fabs(largest) ? x[i] : largest;
        }
        for (int i = 0; i < n && largest < 0.0; ++i) {
            x[i] = -x[i];
        }
    }
}

/* type 1: A x = w B x, 2: A B x = w x */
static dal_status solve(double *w, double *A, double *B, int n, lapack_int type, dal_ctx *ctx)
{
    const lapack_int N = n, lwork = n > 0 ? 34 * n : 1; // (nb + 2) n with blocks of 32
    lapack_int info = 0;
    if (n == 0) {
        return DAL_OK;
    }
    double *work = dal_alloc(ctx, (size_t)lwork * sizeof(double));
    if (!work) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for an eigenproblem of size %d", n);
    }
    dal_blas_serial_begin();
    LAPACK_dsygv(&type, "V", "U", &N, A, &N, B, &N, w, work, &lwork, &info);
    dal_blas_serial_end();
    dal_free(ctx, work);
    if (info != 0) {
        return dal_fail(ctx, DAL_EINVAL,
                        info > n ? "eigenproblem: the second matrix is not positive definite (row %d)"
                                 : "eigenproblem: no convergence (%d)",
                        (int)(info > n ? info - n : info));
    }
    fix_signs(A, n);
    return DAL_OK;
}

dal_status dal_eigen_symmetric(double *w, double *A, double *B, int n, dal_ctx *ctx)
{
    return solve(w, A, B, n, 1, ctx);
}

dal_status dal_eigen_flexible(double *w, double *C, double *B, int n, dal_ctx *ctx)
{
    DAL_TRY(solve(w, C, B, n, 2, ctx));
    for (int i = 0, j = n - 1; i <= j; ++i, --j) { // descending, upside down
        const double low = w[i], high = w[j];
        w[i] = high > 0.0 ? 1.0 / high : (double)INFINITY;
        w[j] = low > 0.0 ? 1.0 / low : (double)INFINITY;
        for (int k = 0; k < n && i < j; ++k) {
            double *a = C + (size_t)n * (size_t)i + k, *b = C + (size_t)n * (size_t)j + k;
            const double x = *a;
            *a = *b;
            *b = x;
        }
    }
    return DAL_OK;
}
