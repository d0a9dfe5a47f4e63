/* Forward mode, adjoint and differences of one model side by side. */
#ifndef TEST_GRADIENT_COMPARE_H
#define TEST_GRADIENT_COMPARE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/gradient.h"
#include "support/check.h"

enum { MOST = 64 };

/* Derivatives of all values by number k, by extrapolated differences over `step` of the number: relative error about 1e-8 of what is
 * asked of rounding at 2e-4. */
static inline void differences(dal_ctx *ctx, dal_gradient *g, double *by, double *x, int nof, int k, double step)
{
    static const double place[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
    const double own = x[k], width = step * (own != 0.0 ? fabs(own) : 1.0);
    memset(by, 0, (size_t)nof * sizeof *by);
    for (int j = 0; j < 4; ++j) {
        x[k] = own + place[j] * width;
        check_ok(ctx, dal_gradient_run(g, x, DAL_GRADIENT_VALUES));
        for (int i = 0; i < nof; ++i) {
            by[i] += weight[j] * dal_gradient_value(g, i) / width;
        }
    }
    x[k] = own;
}

/* Both modes agree to 1e-10 of the largest derivative in units of its number, and with differences over `step` to `tol`: how many do
 * not. */
static inline int compare_over(dal_ctx *ctx, const dal_gradient_spec *spec, double tol, double step)
{
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, spec));
    const int n = dal_gradient_count(g);
    double x[MOST], by[MOST], size[MOST], forward[MOST][MOST], adjoint[MOST][MOST];
    int bad = 0;
    assert_true(n <= MOST && spec->nof <= MOST);
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD));
    for (int i = 0; i < spec->nof; ++i) {
        memcpy(forward[i], dal_gradient_row(g, i), (size_t)n * sizeof(double));
    }
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT));
    for (int i = 0; i < spec->nof; ++i) {
        memcpy(adjoint[i], dal_gradient_row(g, i), (size_t)n * sizeof(double));
    }
    dal_gradient_freeze(g, 1);
    for (int k = 0; k < n; ++k) {
        x[k] = dal_gradient_number(g, k);
    }
    for (int i = 0; i < spec->nof; ++i) {
        size[i] = 1e-6 * fabs(dal_gradient_value(g, i));
        for (int k = 0; k < n; ++k) {
            size[i] = fmax(size[i], fabs(forward[i][k]) * (x[k] != 0.0 ? fabs(x[k]) : 1.0));
        }
    }
    for (int k = 0; k < n; ++k) {
        const double unit = x[k] != 0.0 ? fabs(x[k]) : 1.0;
        differences(ctx, g, by, x, spec->nof, k, step);
        for (int i = 0; i < spec->nof; ++i) {
            if (!(fabs(adjoint[i][k] - forward[i][k]) * unit <= 1e-10 * size[i]) ||
                !(fabs(by[i] - forward[i][k]) * unit <= tol * size[i])) {
                fprintf(stderr, "%s: d %s / d %s: forward %.12g, adjoint %.12g, differences %.12g, size %.3g\n",
                        spec->source, spec->of[i], dal_gradient_name(g, k), forward[i][k], adjoint[i][k], by[i],
                        size[i] / unit);
                ++bad;
            }
        }
    }
    dal_gradient_destroy(g);
    return bad;
}

static inline int compare(dal_ctx *ctx, const dal_gradient_spec *spec, double tol)
{
    return compare_over(ctx, spec, tol, 2e-4);
}

/* Forward mode against the adjoint, and differences of runs: how many do not agree. At least `events` happen; steps around them are
 * differentiated by differences of these steps, in other directions in both modes. forward_only: in some directions they have no derivative. */
static inline int compare_forward(dal_ctx *ctx, const dal_gradient_spec *spec, double tol, int events, int forward_only)
{
    dal_gradient *g;
    double x[MOST], by[MOST], forward[MOST][MOST], adjoint[MOST][MOST];
    int bad = 0;
    check_ok(ctx, dal_gradient_create(&g, ctx, spec));
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD));
    assert_true(dal_gradient_events(g) >= events);
    for (int i = 0; i < spec->nof; ++i) {
        memcpy(forward[i], dal_gradient_row(g, i), (size_t)spec->nby * sizeof(double));
    }
    if (forward_only) {
        check_fails(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT), DAL_EINVAL, "choose forward mode");
        memcpy(adjoint, forward, sizeof adjoint);
    } else {
        check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_ADJOINT));
        for (int i = 0; i < spec->nof; ++i) {
            memcpy(adjoint[i], dal_gradient_row(g, i), (size_t)spec->nby * sizeof(double));
        }
    }
    dal_gradient_freeze(g, 1);
    for (int k = 0; k < spec->nby; ++k) {
        x[k] = dal_gradient_number(g, k);
    }
    for (int k = 0; k < spec->nby; ++k) {
        const double unit = fabs(x[k]);
        differences(ctx, g, by, x, spec->nof, k, 2e-6);
        for (int i = 0; i < spec->nof; ++i) {
            double size = 1e-6 * fabs(dal_gradient_value(g, i));
            for (int l = 0; l < spec->nby; ++l) {
                size = fmax(size, fabs(forward[i][l] * x[l]));
            }
            if (!(fabs(by[i] - forward[i][k]) * unit <= tol * size) ||
                !(fabs(adjoint[i][k] - forward[i][k]) * unit <= 3e-8 * size)) {
                fprintf(stderr, "%s: d %s / d %s: forward %.12g, adjoint %.12g, differences %.12g, size %.3g\n",
                        spec->source, spec->of[i], spec->by[k], forward[i][k], adjoint[i][k], by[i], size / unit);
                ++bad;
            }
        }
    }
    dal_gradient_destroy(g);
    return bad;
}

#endif
