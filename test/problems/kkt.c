#include "problems/kkt.h"

#include <assert.h>
#include <math.h>

static void scale_rows(double *A, double *b, int n)
{
    for (int i = 0; i < n; ++i) {
        double max = 0.0;
        for (int j = 0; j < n; ++j) {
            const double a = fabs(A[i + j * n]);
            max = a > max ? a : max;
        }
        // powers of two change no digit
        int e = 0;
        frexp(max, &e);
        const double s = max > 0.0 ? ldexp(1.0, -e) : 1.0;
        for (int j = 0; j < n; ++j) {
            A[i + j * n] *= s;
        }
        b[i] *= s;
    }
}

static void swap_rows(double *A, double *b, int n, int i, int k)
{
    for (int j = 0; i != k && j < n; ++j) {
        const double x = A[i + j * n];
        A[i + j * n] = A[k + j * n];
        A[k + j * n] = x;
    }
    const double x = b[i];
    b[i] = b[k];
    b[k] = x;
}

int kkt_solve(double *A, double *b, int n)
{
    scale_rows(A, b, n);
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(A[i + k * n]) > fabs(A[p + k * n]) ? i : p;
        }
        if (!(fabs(A[p + k * n]) > 1e-300)) {
            return 0;
        }
        swap_rows(A, b, n, k, p);
        const double pivot = 1.0 / A[k + k * n];
        for (int i = k + 1; i < n; ++i) {
            A[i + k * n] *= pivot;
            b[i] -= A[i + k * n] * b[k];
        }
        for (int j = k + 1; j < n; ++j) {
            const double u = A[k + j * n];
            for (int i = k + 1; u != 0.0 && i < n; ++i) {
                A[i + j * n] -= A[i + k * n] * u;
            }
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        b[k] /= A[k + k * n];
        for (int i = 0; i < k; ++i) {
            b[i] -= A[i + k * n] * b[k];
        }
    }
    return 1;
}

int kkt_accelerations(const dal_dense *d, int nv, double *vd, double *la, double t, const double *q, const double *v)
{
    const int nc = d->nc + d->nn, n = nv + nc;
    double A[KKT_MAX * KKT_MAX] = {0.0}, M[KKT_MAX * KKT_MAX], B[KKT_MAX * KKT_MAX], x[KKT_MAX] = {0.0};
    const double zero[KKT_MAX] = {0.0};
    assert(n > 0 && n <= KKT_MAX);
    int ok = d->M(M, t, q, d->user) == DAL_OK && d->g(x, t, q, v, zero, d->user) == DAL_OK;
    if (nc > 0) {
        ok = ok && d->B(B, t, q, d->user) == DAL_OK && d->acc(x + nv, t, q, v, d->user) == DAL_OK;
    }
    if (!ok) {
        return 0;
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            if (j < nv) {
                A[i + j * n] = i < nv ? M[i + j * nv] : B[(i - nv) + j * nc];
            } else {
                A[i + j * n] = i < nv ? B[(j - nv) + i * nc] : 0.0;
            }
        }
        x[j] = -x[j];
    }
    ok = kkt_solve(A, x, n);
    for (int i = 0; i < n; ++i) {
        *(i < nv ? vd + i : la + (i - nv)) = x[i];
    }
    return ok;
}
