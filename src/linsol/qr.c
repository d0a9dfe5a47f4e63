#include "linsol/qr_impl.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/vector.h"

/* Length without overflow. */
static double length(const double *x, int n)
{
    const double max = dal_max_abs(x, n);
    if (max > 1e-100 && max < 1e100) {
        return sqrt(dal_dot(x, x, n));
    }
    double sum = 0.0;
    for (int i = 0; i < n && max > 0.0; ++i) {
        sum += (x[i] / max) * (x[i] / max);
    }
    return max * sqrt(sum);
}

/* x := (1 - tau v v^T) x */
static void reflect(double *x, const double *v, double tau, int n)
{
    const double s = -tau * (x[0] + dal_dot(v + 1, x + 1, n - 1));
    x[0] += s;
    dal_add_multiple(x + 1, v + 1, s, n - 1);
}

/* The reflection that maps x to (+-length, 0, ...), with the sign that cancels nothing. */
static double make_reflection(double *x, double size, int n)
{
    const double image = x[0] > 0.0 ? -size : size, first = x[0] - image;
    const double tau = -first / image;
    dal_divide(x + 1, x + 1, first, n - 1);
    x[0] = image;
    return tau;
}

static int longest(const double *norm, int k, int m)
{
    int p = k;
    for (int j = k + 1; j < m; ++j) {
        p = norm[j] > norm[p] ? j : p;
    }
    return p;
}

static void exchange(double *X, size_t ld, int n, int *pivot, double *norm, int m, int k, int p)
{
    double *a = X + (size_t)k * ld, *b = X + (size_t)p * ld;
    const int index = pivot[p];
    for (int i = 0; i < n; ++i) {
        const double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
    pivot[p] = pivot[k];
    pivot[k] = index;
    norm[p] = norm[k];
    norm[m + p] = norm[m + k];
}

/* Length of column j below row k, of which entry k (x[0]) has been split off; computed anew when too many digits have cancelled since it
 * was last, norm[m]. */
static void shorten(double *norm, int m, const double *x, int n)
{
    const double share = fabs(x[0]) / norm[0], left = fmax(0.0, (1.0 + share) * (1.0 - share));
    const double ratio = norm[0] / norm[m];
    if (left * ratio * ratio > sqrt(DBL_EPSILON)) {
        norm[0] *= sqrt(left);
    } else {
        norm[0] = norm[m] = length(x + 1, n - 1);
    }
}

int dal_qr_pivoted(double *X, int *pivot, double *tau, double *norm, int ld, int n, int m, double tol)
{
    const size_t stride = (size_t)ld;
    const int most = m < n ? m : n;
    int k = 0;
    for (int j = 0; j < m; ++j) {
        pivot[j] = j;
        norm[j] = norm[m + j] = length(X + (size_t)j * stride, n);
    }
    for (; k < most; ++k) {
        const int p = longest(norm, k, m);
        if (p != k) {
            exchange(X, stride, n, pivot, norm, m, k, p);
        }
        double *v = X + (size_t)k * stride + k;
        const double size = length(v, n - k);
        if (!(size > tol)) {
            break;
        }
        tau[k] = make_reflection(v, size, n - k);
        for (int j = k + 1; j < m; ++j) {
            double *x = X + (size_t)j * stride + k;
            if (norm[j] > 0.0) {
                reflect(x, v, tau[k], n - k);
                shorten(norm + j, m, x, n - k);
            }
        }
    }
    return k;
}

void dal_qr_basis(double *Q, const double *X, int ld, const double *tau, int n, int rank)
{
    const size_t N = (size_t)n;
    memset(Q, 0, N * N * sizeof *Q);
    for (size_t i = 0; i < N; ++i) {
        Q[i + i * N] = 1.0;
    }
    for (int k = rank - 1; k >= 0; --k) {
        for (int j = k; j < n; ++j) {
            reflect(Q + (size_t)j * N + k, X + (size_t)k * (size_t)ld + k, tau[k], n - k);
        }
    }
}
