/* Tables of two variables as functions: c = X (nx), Y (ny), Z (nx ny, one row for each x), and as many second derivatives
 * Zxx, Zyy, Zxxyy: the product of the natural splines along both variables. Planes bent along both, the bilinear map, have zeros there. */
#include <math.h>

#include "mbs/mbs_impl.h"

static dal_status check_axis(dal_ctx *ctx, const dal_function *f, const char *axis, const double *x, int n)
{
    for (int i = 1; i < n; ++i) {
        if (!(x[i] > x[i - 1])) {
            return dal_fail(ctx, DAL_EINVAL, "function '%s': %s must increase, but %s[%d] = %g follows %g", f->name,
                            axis, axis, i, x[i], x[i - 1]);
        }
    }
    return DAL_OK;
}

dal_status mb_map_check(dal_ctx *ctx, const dal_function *f)
{
    if (f->nx < 2 || f->ny < 2 || f->nx > MB_MAP_MOST || f->ny > MB_MAP_MOST || f->n != f->nx + f->ny + f->nx * f->ny ||
        !f->c) {
        return dal_fail(
            ctx, DAL_EINVAL,
            "function '%s': a map needs at least two x, at least two y (at most %d), and a value for each pair",
            f->name, MB_MAP_MOST);
    }
    if (!mb_norm_ok(f->c, f->n)) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': a number is not finite", f->name);
    }
    if (f->interpolation != DAL_INTERPOLATION_CUBIC && f->interpolation != DAL_INTERPOLATION_LINEAR) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': the interpolation of a map is cubic or linear", f->name);
    }
    DAL_TRY(check_axis(ctx, f, "x", f->c, f->nx));
    return check_axis(ctx, f, "y", f->c + f->nx, f->ny);
}

int mb_map_numbers(const dal_function *f)
{
    return f->nx + f->ny + 4 * f->nx * f->ny;
}

void mb_map_build(double *c, double *scratch, const dal_function *f)
{
    const int nx = f->nx, ny = f->ny, n = nx * ny;
    double *X = c, *Y = X + nx, *Z = Y + ny, *Zxx = Z + n, *Zyy = Zxx + n, *Zxxyy = Zyy + n;
    memmove(c, f->c, (size_t)f->n * sizeof(double)); // they may be the same
    memset(Zxx, 0, 3 * (size_t)n * sizeof(double));
    if (f->interpolation == DAL_INTERPOLATION_LINEAR) {
        return;
    }
    double *column = scratch, *M = column + nx, *work = M + nx;
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            column[i] = Z[i * ny + j];
        }
        mb_table_natural(M, work, X, column, nx);
        for (int i = 0; i < nx; ++i) {
            Zxx[i * ny + j] = M[i];
        }
    }
    for (int i = 0; i < nx; ++i) {
        mb_table_natural(Zyy + i * ny, scratch, Y, Z + i * ny, ny);
        mb_table_natural(Zxxyy + i * ny, scratch, Y, Zxx + i * ny, ny);
    }
}

/* Shares of a spline at x, each with two derivatives: of the values before and behind x, of the second derivatives there. Straight on
 * outside. Returns the number of the point before. */
static int shares(double s[4][3], const double *X, int n, double x)
{
    int i = 0;
    for (int lo = 0, hi = n - 1; hi - lo > 1;) {
        const int mid = (lo + hi) / 2;
        *(X[mid] <= x ? &lo : &hi) = mid;
        i = lo;
    }
    const double L = X[i + 1] - X[i], at = fmin(fmax(x, X[0]), X[n - 1]), beyond = x - at;
    const double weight[2] = {(X[i + 1] - at) / L, (at - X[i]) / L}, slope[2] = {-1.0 / L, 1.0 / L};
    for (int k = 0; k < 2; ++k) {
        const double w = weight[k], d = slope[k];
        s[k][0] = w;
        s[k][1] = d;
        s[k][2] = 0.0;
        s[2 + k][0] = (w * w * w - w) * L * L / 6.0;
        s[2 + k][1] = (3.0 * w * w - 1.0) * d * L * L / 6.0;
        s[2 + k][2] = beyond == 0.0 ? w : 0.0;
    }
    for (int k = 0; k < 4; ++k) {
        s[k][0] += s[k][1] * beyond;
    }
    return i;
}

void mb_map_value(double f[6], const mb_function *map, double x, double y)
{
    static const int order[6][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const int nx = map->nx, ny = map->ny, n = nx * ny;
    const double *X = map->c, *Y = X + nx, *Z = Y + ny;
    double sx[4][3], sy[4][3];
    const int i = shares(sx, X, nx, x), j = shares(sy, Y, ny, y);
    for (int k = 0; k < 6; ++k) {
        f[k] = 0.0;
    }
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            const double *z = Z + (a / 2 + 2 * (b / 2)) * n; // Z, Zxx, Zyy, Zxxyy
            const double value = z[(i + a % 2) * ny + j + b % 2];
            for (int k = 0; k < 6; ++k) {
                f[k] += value * sx[a][order[k][0]] * sy[b][order[k][1]];
            }
        }
    }
}

/* How many inner points are up to x; NaN: none. At its ends a spline goes on with slope and curvature. */
static int points_until(const double *X, int n, double x)
{
    int lo = 1;
    for (int hi = n - 1; lo < hi;) {
        const int mid = (lo + hi) / 2;
        *(X[mid] <= x ? &lo : &hi) = X[mid] <= x ? mid + 1 : mid;
    }
    return lo;
}

int mb_map_piece(const mb_function *map, double x, double y)
{
    return points_until(map->c, map->nx, x) * (map->ny + 1) + points_until(map->c + map->nx, map->ny, y);
}
