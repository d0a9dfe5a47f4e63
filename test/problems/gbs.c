#include "problems/gbs.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROWS = 9 };

typedef struct gbs_work {
    long double f0[GBS_MAX], f[GBS_MAX], y0[GBS_MAX], y1[GBS_MAX];
    long double T[ROWS][GBS_MAX]; // T[j]: column j of the current row of the table
} gbs_work;

/* y1 = result of m (even) steps of the explicit midpoint rule over H. */
static void midpoint(gbs_work *w, const long double *y, int n, long double t, long double H, int m, gbs_rhs *f,
                     const void *user)
{
    const long double h = H / m;
    for (int i = 0; i < n; ++i) {
        w->y0[i] = y[i];
        w->y1[i] = y[i] + h * w->f0[i];
    }
    for (int k = 1; k < m; ++k) {
        // y_{k+1} = y_{k-1} + 2 h f(y_k)
        f(w->f, t + k * h, w->y1, user);
        for (int i = 0; i < n; ++i) {
            const long double next = w->y0[i] + 2.0L * h * w->f[i];
            w->y0[i] = w->y1[i];
            w->y1[i] = next;
        }
    }
}

/* Extend the table by row k (m = 2 (k+1) substeps); returns the scaled difference of its last two entries. */
static long double extrapolate(gbs_work *w, const long double *y, int n, int k, long double H)
{
    long double err = 0.0L;
    for (int i = 0; i < n; ++i) {
        long double left = w->T[0][i]; // entry of row k-1
        w->T[0][i] = w->y1[i];
        for (int j = 1; j <= k; ++j) {
            // T_kj = T_k,j-1 + (T_k,j-1 - T_k-1,j-1) / ((m_k/m_k-j)^2 - 1)
            const long double ratio = (long double)(k + 1) / (long double)(k + 1 - j);
            const long double next = w->T[j - 1][i] + (w->T[j - 1][i] - left) / (ratio * ratio - 1.0L);
            left = w->T[j][i];
            w->T[j][i] = next;
        }
        if (k > 0) {
            const long double scale = fabsl(y[i]) + fabsl(H * w->f0[i]) + 1e-300L;
            err = fmaxl(err, fabsl(w->T[k][i] - w->T[k - 1][i]) / scale);
        }
    }
    return k > 0 ? err : 1.0L;
}

void gbs_advance(long double *y, int n, long double t0, long double t1, long double h, long double tol, gbs_rhs *f,
                 const void *user)
{
    assert(n <= GBS_MAX);
    gbs_work w;
    const int nsteps = t1 > t0 ? (int)ceill((t1 - t0) / h - 1e-9L) : 0;
    const long double H = nsteps > 0 ? (t1 - t0) / nsteps : 0.0L;
    for (int s = 0; s < nsteps; ++s) {
        const long double t = t0 + s * H;
        f(w.f0, t, y, user);
        for (int k = 0; k < ROWS; ++k) {
            midpoint(&w, y, n, t, H, 2 * (k + 1), f, user);
            const long double err = extrapolate(&w, y, n, k, H);
            if (err <= tol || k == ROWS - 1) {
                memcpy(y, w.T[k], (size_t)n * sizeof *y);
                break;
            }
        }
    }
}
