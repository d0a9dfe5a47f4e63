/* Tables as functions: X, Y, M (n each): points and the second derivatives M of a cubic spline at them. Straight lines are
 * the spline with M = 0. */
#include <math.h>

#include "mbs/mbs_impl.h"

/* Solve d[i-1] x[i-1] + b[i] x[i] + d[i] x[i+1] = r[i], i < n, in place of r; w: n. */
static void tridiagonal(double *r, double *w, const double *b, const double *d, int n)
{
    for (int i = 0; i < n; ++i) {
        const double below = i > 0 ? d[i - 1] : 0.0, pivot = b[i] - (i > 0 ? below * w[i - 1] : 0.0);
        w[i] = i + 1 < n ? d[i] / pivot : 0.0;
        r[i] = (r[i] - (i > 0 ? below * r[i - 1] : 0.0)) / pivot;
    }
    for (int i = n - 2; i >= 0; --i) {
        r[i] -= w[i] * r[i + 1];
    }
}

/* Slope of the straight line from point i to the next. */
static double chord(const double *X, const double *Y, int i)
{
    return (Y[i + 1] - Y[i]) / (X[i + 1] - X[i]);
}

void mb_table_natural(double *M, double *scratch, const double *X, const double *Y, int n)
{
    double *w = scratch, *b = w + n, *d = b + n;
    M[0] = M[n - 1] = 0.0;
    for (int i = 1; i < n - 1; ++i) {
        d[i] = X[i + 1] - X[i];
        b[i] = 2.0 * ((X[i] - X[i - 1]) + d[i]);
        M[i] = 6.0 * (chord(X, Y, i) - chord(X, Y, i - 1));
    }
    tridiagonal(M + 1, w, b + 1, d + 1, n - 2);
}

/* The last point is the first of the next period: m = n - 1 unknowns in a ring. With h the interval before point 0 the
 * matrix is T + h (e_0 + e_m-1)(e_0 + e_m-1)^T, T tridiagonal, so that M = T^-1 r - s T^-1 (e_0 + e_m-1). */
static void periodic(double *M, double *scratch, const double *X, const double *Y, int n)
{
    const int m = n - 1;
    double *w = scratch, *b = w + n, *d = b + n, *u = d + n;
    const double h = X[m] - X[m - 1];
    for (int i = 0; i < m; ++i) {
        const double before = i > 0 ? X[i] - X[i - 1] : h;
        d[i] = X[i + 1] - X[i];
        b[i] = 2.0 * (before + d[i]);
        u[i] = 0.0;
        M[i] = 6.0 * (chord(X, Y, i) - chord(X, Y, i > 0 ? i - 1 : m - 1));
    }
    b[0] -= h;
    b[m - 1] -= h;
    u[0] += 1.0;
    u[m - 1] += 1.0;
    tridiagonal(M, w, b, d, m);
    tridiagonal(u, w, b, d, m);
    const double s = h * (M[0] + M[m - 1]) / (1.0 + h * (u[0] + u[m - 1]));
    for (int i = 0; i < m; ++i) {
        M[i] -= s * u[i];
    }
    M[m] = M[0];
}

dal_status mb_table_check(dal_ctx *ctx, const dal_function *f)
{
    if (f->n < 2 || !f->x || !f->y) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': a table needs at least two points (x, y)", f->name);
    }
    if (!mb_norm_ok(f->x, f->n) || !mb_norm_ok(f->y, f->n)) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': a number is not finite", f->name);
    }
    double least = f->y[0], most = f->y[0];
    for (int i = 1; i < f->n; ++i) {
        if (!(f->x[i] > f->x[i - 1])) {
            return dal_fail(ctx, DAL_EINVAL, "function '%s': x must increase, but x[%d] = %g follows %g", f->name, i,
                            f->x[i], f->x[i - 1]);
        }
        least = fmin(least, f->y[i]);
        most = fmax(most, f->y[i]);
    }
    if (f->interpolation < DAL_INTERPOLATION_CUBIC || f->interpolation > DAL_INTERPOLATION_CONSTANT) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': no such interpolation", f->name);
    }
    if (f->interpolation == DAL_INTERPOLATION_PERIODIC && fabs(f->y[f->n - 1] - f->y[0]) > 1e-9 * (most - least)) {
        return dal_fail(ctx, DAL_EINVAL,
                        "function '%s': a periodic table must end with the value it begins with, not %g with %g",
                        f->name, f->y[f->n - 1], f->y[0]);
    }
    return DAL_OK;
}

void mb_table_build(double *c, double *scratch, const dal_function *f)
{
    const int n = f->n;
    memmove(c, f->x, (size_t)n * sizeof(double)); // they may be the same
    memmove(c + n, f->y, (size_t)n * sizeof(double));
    if (f->interpolation == DAL_INTERPOLATION_PERIODIC) {
        c[2 * n - 1] = c[n];
        periodic(c + 2 * n, scratch, c, c + n, n);
    } else if (f->interpolation == DAL_INTERPOLATION_CUBIC) {
        mb_table_natural(c + 2 * n, scratch, c, c + n, n);
    } else {
        memset(c + 2 * n, 0, (size_t)n * sizeof(double));
    }
}

/* Cubic on [x_i, x_i+1] from values and second derivatives; straight lines outside. Constant: y_i from x_i on. */
void mb_table_value(double y[3], const double *c, int n, dal_interpolation interpolation, double x)
{
    const double *X = c, *Y = X + n, *M = Y + n;
    if (interpolation == DAL_INTERPOLATION_PERIODIC) {
        const double period = X[n - 1] - X[0], turns = floor((x - X[0]) / period);
        x -= turns * period;
    }
    int i = 0;
    for (int lo = 0, hi = n - 1; hi - lo > 1;) {
        const int mid = (lo + hi) / 2;
        *(X[mid] <= x ? &lo : &hi) = mid;
        i = lo;
    }
    if (interpolation == DAL_INTERPOLATION_CONSTANT) {
        y[0] = Y[x >= X[n - 1] ? n - 1 : i];
        y[1] = y[2] = 0.0;
        return;
    }
    const double L = X[i + 1] - X[i], at = fmin(fmax(x, X[0]), X[n - 1]), a = (X[i + 1] - at) / L, b = 1.0 - a;
    y[0] = a * Y[i] + b * Y[i + 1] + ((a * a * a - a) * M[i] + (b * b * b - b) * M[i + 1]) * L * L / 6.0;
    y[1] = (Y[i + 1] - Y[i]) / L + ((3.0 * b * b - 1.0) * M[i + 1] - (3.0 * a * a - 1.0) * M[i]) * L / 6.0;
    y[2] = x == at ? a * M[i] + b * M[i + 1] : 0.0;
    y[0] += y[1] * (x - at);
}

/* Does the table change at its point i? Straight lines where their slope does; splines and steps at every point. */
static int changes_at(const double *c, int n, dal_interpolation interpolation, int i)
{
    const double *X = c, *Y = X + n;
    if (interpolation != DAL_INTERPOLATION_LINEAR) {
        return 1;
    }
    return i > 0 && i < n - 1 && chord(X, Y, i - 1) != chord(X, Y, i);
}

double mb_table_break(const double *c, int n, dal_interpolation interpolation, double x)
{
    const double period = interpolation == DAL_INTERPOLATION_PERIODIC ? c[n - 1] - c[0] : 0.0;
    double turn = period > 0.0 ? floor((x - c[0]) / period) * period : 0.0;
    for (int again = 0; again < 2; ++again, turn += period) {
        // the first point behind x, by halving
        int lo = 0, hi = n;
        while (lo < hi) {
            const int mid = (lo + hi) / 2;
            if (c[mid] + turn > x) {
                hi = mid;
            } else {
                lo = mid + 1;
            }
        }
        for (; lo < n; ++lo) {
            if (changes_at(c, n, interpolation, lo)) {
                return c[lo] + turn;
            }
        }
        if (period == 0.0) {
            break;
        }
    }
    return INFINITY;
}
