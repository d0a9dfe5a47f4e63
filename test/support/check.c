#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- comparisons ------------------------------------------------------------------------------ */

static double tolerance_scale(void)
{
    const char *text = getenv("DAL_TOL_SCALE");
    return text != NULL ? strtod(text, NULL) : 1.0;
}

void check_near_at(double got, double want, double tol, const char *what, const char *file, int line)
{
    const double error = fabs(got - want), limit = tol * tolerance_scale();
    if (got == want || error <= limit) { // the first also for equal infinities
        return;
    }
    print_error("%s = %.17g, not %.17g: error %.3g > %.3g\n", what, got, want, error, limit);
    _fail(file, line);
}

void check_near_rel_at(double got, double want, double tol, const char *what, const char *file, int line)
{
    check_near_at(got, want, tol * fabs(want), what, file, line);
}

void check_all_near_at(const double *got, const double *want, int n, double tol, const char *what, const char *file,
                       int line)
{
    const double limit = tol * tolerance_scale();
    for (int i = 0; i < n; ++i) {
        const double error = fabs(got[i] - want[i]);
        if (!(got[i] == want[i] || error <= limit)) {
            print_error("%s[%d] = %.17g, not %.17g: error %.3g > %.3g\n", what, i, got[i], want[i], error, limit);
            _fail(file, line);
        }
    }
}

double check_max_abs(const double *x, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; ++i) {
        max = isnan(max) || fabs(x[i]) <= max ? max : fabs(x[i]); // a NaN stays
    }
    return max;
}

double check_max_abs_diff(const double *x, const double *y, int n)
{
    double max = 0.0;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(x[i] - y[i]);
        max = isnan(max) || d <= max ? max : d;
    }
    return max;
}

/* ---- observed orders -------------------------------------------------------------------------- */

double check_slope(const double *err, int n)
{
    return log2(err[0] / err[n - 1]) / (n - 1);
}

void check_slopes_at(const double *h, const double *err, int n, double order, double tol, const char *file, int line)
{
    const double limit = tol * tolerance_scale();
    for (int k = 1; k < n; ++k) {
        const double observed = log(err[k - 1] / err[k]) / log(h[k - 1] / h[k]);
        if (!(fabs(observed - order) <= limit)) {
            print_error("order %.4f, not %g: h = %g -> %g, error %.4g -> %.4g\n", observed, order, h[k - 1], h[k],
                        err[k - 1], err[k]);
            _fail(file, line);
        }
    }
}

/* ---- random input ----------------------------------------------------------------------------- */

check_rng check_rng_seed(unsigned long seed)
{
    return (check_rng){seed};
}

/* A Weyl sequence sent through a 64-bit mixing function (splitmix64). */
static uint64_t next_bits(check_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double check_uniform(check_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(next_bits(rng) >> 11) * 0x1p-53);
}

/* Marsaglia's polar method, the second number of each pair dropped. */
double check_normal(check_rng *rng)
{
    for (;;) {
        const double x = check_uniform(rng, -1.0, 1.0), y = check_uniform(rng, -1.0, 1.0);
        const double s = x * x + y * y;
        if (s > 0.0 && s < 1.0) {
            return x * sqrt(-2.0 * log(s) / s);
        }
    }
}

void check_normals(check_rng *rng, double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        x[i] = check_normal(rng);
    }
}

/* Normal numbers, scaled: no direction is preferred. */
static void on_sphere(check_rng *rng, double *x, int n, double length)
{
    double s = 0.0;
    check_normals(rng, x, n);
    for (int i = 0; i < n; ++i) {
        s += x[i] * x[i];
    }
    for (int i = 0; i < n; ++i) {
        x[i] *= length / sqrt(s);
    }
}

void check_direction(check_rng *rng, double w[3], double length)
{
    on_sphere(rng, w, 3, length);
}

void check_quaternion(check_rng *rng, double p[4])
{
    on_sphere(rng, p, 4, 1.0);
}

/* ---- contexts and statuses -------------------------------------------------------------------- */

dal_ctx *check_ctx(void)
{
    dal_ctx *ctx = NULL;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    return ctx;
}

void check_ctx_free(dal_ctx *ctx)
{
    dal_ctx_destroy(ctx);
}

static int skips;

void check_note_skip(const char *test, const char *reason)
{
    ++skips;
    printf("skipped: %s: %s\n", test, reason);
    fflush(stdout);
}

int check_exit_code(int failed)
{
    return failed != 0 ? 1 : skips > 0 ? CHECK_SKIPPED : 0;
}

void check_ok_at(const dal_ctx *ctx, dal_status st, const char *what, const char *file, int line)
{
    if (st != DAL_OK) {
        print_error("%s: %s: %s\n", what, dal_status_name(st), dal_ctx_message(ctx));
        _fail(file, line);
    }
}

void check_fails_at(const dal_ctx *ctx, dal_status st, dal_status want, const char *fragment, const char *what,
                    const char *file, int line)
{
    if (st != want) {
        print_error("%s: %s, not %s: %s\n", what, dal_status_name(st), dal_status_name(want), dal_ctx_message(ctx));
        _fail(file, line);
    }
    if (strstr(dal_ctx_message(ctx), fragment) == NULL) {
        print_error("%s: the message \"%s\" lacks \"%s\"\n", what, dal_ctx_message(ctx), fragment);
        _fail(file, line);
    }
}
