/* Coefficients of the Lobatto IIIA-IIIB pairs, any number of stages, in long double throughout. */
#include "integrate/lobatto_table.h"

#include <math.h>
#include <string.h>

#include "base/message.h"

enum { MAX = DAL_STAGES_MAX };

/* P[k] = P_k(x), k = 0 .. n, Legendre polynomials. */
static void legendre(long double *P, int n, long double x)
{
    P[0] = 1.0L;
    P[1] = x;
    for (int k = 1; k < n; ++k) {
        P[k + 1] = ((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1);
    }
}

/* The end points of [-1, 1] and the roots of P'_n, n = s - 1, ascending; weights w = 2/(n (n+1) P_n^2). The iteration
 * x := x - (x P_n - P_{n-1})/((n+1) P_n) is Newton's for (1 - x^2) P'_n, whose derivative is -n (n+1) P_n. */
static void nodes(long double *x, long double *w, int s)
{
    const int n = s - 1;
    const long double pi = 3.14159265358979323846264338327950288L;
    long double P[MAX + 2];
    for (int i = 0; i < s; ++i) {
        x[i] = -cosl(pi * i / n);
        for (int it = 0; it < 30; ++it) {
            legendre(P, n, x[i]);
            const long double dx = (x[i] * P[n] - P[n - 1]) / ((n + 1) * P[n]);
            x[i] -= dx;
            if (fabsl(dx) < 1e-19L) {
                break;
            }
        }
    }
    // symmetry is exact
    x[0] = -1.0L;
    for (int i = 0; i < s; ++i) {
        x[s - 1 - i] = 2 * i + 1 == s ? 0.0L : -x[i];
    }
    for (int i = 0; i < s; ++i) {
        legendre(P, n, x[i]);
        w[i] = 2.0L / (n * (n + 1) * P[n] * P[n]);
    }
}

/* a_ij = integral of the j-th Lagrange polynomial from -1 to x_i, halved. Its Legendre expansion has the coefficients
 * w_j P_k(x_j)/nu_k with the discrete norms nu_k = 2/(2k+1), k < n, and nu_n = 2/n: no cancellation for any s. */
static void collocation(long double *A, const long double *x, const long double *w, int s)
{
    const int n = s - 1;
    long double Pi[MAX + 2], Pj[MAX + 2];
    for (int i = 0; i < s; ++i) {
        legendre(Pi, n + 1, x[i]);
        for (int j = 0; j < s; ++j) {
            legendre(Pj, n + 1, x[j]);
            long double sum = 0.5L * (x[i] + 1.0L);
            for (int k = 1; k <= n; ++k) {
                const long double nu = k < n ? 2.0L / (2 * k + 1) : 2.0L / n;
                sum += Pj[k] / nu * (Pi[k + 1] - Pi[k - 1]) / (2 * k + 1);
            }
            A[i + j * s] = i == 0 ? 0.0L : i == n ? 0.5L * w[j] : 0.5L * w[j] * sum;
        }
    }
}

dal_status dal_lobatto_coefficients(dal_ctx *ctx, double *c, double *b, double *A, double *Ahat, int s)
{
    DAL_NEED(ctx, c);
    DAL_NEED(ctx, b);
    DAL_NEED(ctx, A);
    DAL_NEED(ctx, Ahat);
    long double x[MAX], w[MAX], a[MAX * MAX];
    if (s < 2 || s > MAX) {
        return dal_fail(ctx, DAL_EINVAL, "stages = %d: a Lobatto method has 2 to %d of them (order 2 stages - 2)", s,
                        (int)MAX);
    }
    nodes(x, w, s);
    collocation(a, x, w, s);
    for (int i = 0; i < s; ++i) {
        c[i] = (double)(0.5L * (x[i] + 1.0L));
        b[i] = (double)(0.5L * w[i]);
    }
    for (int j = 0; j < s; ++j) {
        for (int i = 0; i < s; ++i) {
            // ahat_ij = b_j (1 - a_ji/b_i): b_1 in the first column, 0 in the last
            const long double bi = 0.5L * w[i], bj = 0.5L * w[j];
            A[i + j * s] = (double)a[i + j * s];
            Ahat[i + j * s] = j == s - 1 ? 0.0 : j == 0 ? (double)bj : (double)(bj * (1.0L - a[j + i * s] / bi));
        }
    }
    return DAL_OK;
}

/* 1/prod_k (c_j - c_k); the factor 4 keeps them near 1 */
void dal_barycentric(double *w, const double *c, int s)
{
    for (int j = 0; j < s; ++j) {
        w[j] = 1.0;
        for (int k = 0; k < s; ++k) {
            w[j] /= k == j ? 1.0 : 4.0 * (c[j] - c[k]);
        }
    }
}

void dal_lagrange(double *l, const double *c, const double *w, int s, double u)
{
    double sum = 0.0;
    for (int j = 0; j < s; ++j) {
        if (u == c[j]) {
            memset(l, 0, (size_t)s * sizeof(double));
            l[j] = 1.0;
            return;
        }
        l[j] = w[j] / (u - c[j]);
        sum += l[j];
    }
    for (int j = 0; j < s; ++j) {
        l[j] /= sum;
    }
}
