#include "reproduce/comparisons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/charts.h"
#include "reproduce/memo.h"

/* ---- heavy top -------------------------------------------------------------------------------- */

static void top_measure(double err[METRICS], dal_ctx *ctx, int chart, double h, const char *options)
{
    problem base, p;
    err[METRIC_Q] = err[METRIC_V] = err[METRIC_LA] = NAN;
    if (problem_heavy_top(&base, ctx, HEAVY_TOP_R3SO3) != DAL_OK) {
        return;
    }
    if (chart != CHART_NONE && chart_problem(&p, &base, chart) != DAL_OK) {
        problem_free(&base);
        return;
    }
    const problem *used = chart != CHART_NONE ? &p : &base;
    track r = track_run(used, 1.0, "starting=naive h=%.17g %s", h, options);
    const size_t n = (size_t)r.n;
    double *q = malloc(7 * n * sizeof *q), *v = malloc(6 * n * sizeof *v), *la = malloc(3 * n * sizeof *la);
    if (r.status == DAL_OK && q != NULL && v != NULL && la != NULL) {
        problem_exact(&base, q, v, NULL, la, r.t, r.n);
        err[METRIC_Q] = err[METRIC_V] = err[METRIC_LA] = 0.0;
        for (int k = 1; k < r.n; ++k) {
            const double *is = track_column(r.q, used->nq, k), *want = q + 7 * k;
            double own[7], other[7];
            if (chart != CHART_NONE) {
                chart_to_base(own, &p, is);
            } else {
                for (int i = 0; i < 7; ++i) {
                    own[i] = is[i];
                }
            }
            // p and -p are the same rotation
            for (int i = 0; i < 7; ++i) {
                other[i] = i < 3 ? own[i] : -own[i];
            }
            err[METRIC_Q] = fmax(err[METRIC_Q], fmin(distance(own, want, 7), distance(other, want, 7)));
            err[METRIC_V] = fmax(err[METRIC_V], distance(track_column(r.v, used->nv, k), v + 6 * k, 3));
            err[METRIC_LA] = fmax(err[METRIC_LA], distance(track_column(r.la, used->nc, k), la + 3 * k, 3));
        }
    }
    free(q);
    free(v);
    free(la);
    track_free(&r);
    if (chart != CHART_NONE) {
        problem_free(&p);
    }
    problem_free(&base);
}

void top_errors(double err[METRICS], dal_ctx *ctx, int chart, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES] = {0.0};
    (void)snprintf(key, sizeof key, "top %d %.17g %s", chart, h, options);
    if (!memo_find(x, key)) {
        top_measure(x, ctx, chart, h, options);
        memo_keep(x, key);
    }
    memcpy(err, x, METRICS * sizeof *err);
}

/* ---- rotor ------------------------------------------------------------------------------------ */

int rotor_open(rotor *R, dal_ctx *ctx, int chart)
{
    if (problem_rotor(&R->base, ctx, 0) != DAL_OK) {
        return 0;
    }
    R->p = &R->base;
    if (chart != CHART_NONE) {
        R->p = &R->in_chart;
        if (chart_problem(&R->in_chart, &R->base, chart) != DAL_OK) {
            problem_free(&R->base);
            return 0;
        }
    }
    return 1;
}

void rotor_close(rotor *R)
{
    if (R->p == &R->in_chart) {
        problem_free(&R->in_chart);
    }
    problem_free(&R->base);
}

/* Distance of the right bearing from its exact position at the end of a run. */
static double bearing_error(const rotor *R, const track *r)
{
    double q[7], left[3], right[3], want[3];
    if (r->status != DAL_OK) {
        return NAN;
    }
    const double *last = track_column(r->q, R->p->nq, r->n - 1), T = r->t[r->n - 1];
    if (R->p == &R->in_chart) {
        chart_to_base(q, R->p, last);
    } else {
        memcpy(q, last, sizeof q);
    }
    rotor_bearings(left, right, q);
    rotor_bearings_exact(&R->base, NULL, want, &T, 1);
    return distance(right, want, 3);
}

/* Error of the velocity of the left bearing at the end: differences along the motion, which is slow there. */
static double bearing_velocity_error(const rotor *R, const track *r)
{
    const double e = 1e-7, T = r->t[r->n - 1], d = 1e-4, t[2] = {T - d, T + d};
    double q[7], v[6], moved[7], p[2][3], right[3], want[6], is[3];
    const double *last = track_column(r->q, R->p->nq, r->n - 1), *rate = track_column(r->v, R->p->nv, r->n - 1);
    if (R->p == &R->in_chart) {
        return NAN;
    }
    memcpy(q, last, sizeof q);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 6; ++i) {
            v[i] = (k == 0 ? -e : e) * rate[i];
        }
        dal_retract(R->base.group, moved, q, v);
        rotor_bearings(p[k], right, moved);
    }
    rotor_bearings_exact(&R->base, want, NULL, t, 2);
    for (int i = 0; i < 3; ++i) {
        is[i] = (p[1][i] - p[0][i]) / (2.0 * e);
        want[i] = (want[3 + i] - want[i]) / (2.0 * d);
    }
    return distance(is, want, 3);
}

static double rotor_measure(dal_ctx *ctx, int chart, double T, double h, const char *options, double *velocity)
{
    rotor R;
    if (!rotor_open(&R, ctx, chart)) {
        return NAN;
    }
    track r = track_run(R.p, T, "rho_inf=0.9 starting=naive atol=1e-16 rtol=1e-10 h=%.17g %s", h, options);
    const double err = bearing_error(&R, &r);
    if (velocity != NULL) {
        *velocity = r.status == DAL_OK ? bearing_velocity_error(&R, &r) : NAN;
    }
    track_free(&r);
    rotor_close(&R);
    return err;
}

double rotor_error(dal_ctx *ctx, int chart, double T, double h, const char *options, double *velocity)
{
    char key[176];
    double x[MEMO_VALUES] = {0.0};
    (void)snprintf(key, sizeof key, "rotor %d %.17g %.17g %s", chart, T, h, options);
    if (!memo_find(x, key)) {
        x[0] = rotor_measure(ctx, chart, T, h, options, &x[1]);
        memo_keep(x, key);
    }
    if (velocity != NULL) {
        *velocity = x[1];
    }
    return x[0];
}

void rotor_effort(double *iterations, double *jacobians, dal_ctx *ctx, int chart, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES] = {NAN, NAN};
    rotor R;
    (void)snprintf(key, sizeof key, "effort %d %.17g %s", chart, h, options);
    if (!memo_find(x, key) && rotor_open(&R, ctx, chart)) {
        track r = track_run(R.p, 1.0, "rho_inf=0.9 starting=naive predictor=zero h=%.17g %s", h, options);
        x[0] = track_iterations(&r);
        x[1] = r.status == DAL_OK ? (double)r.stats.jacobians : NAN;
        track_free(&r);
        rotor_close(&R);
        memo_keep(x, key);
    }
    *iterations = x[0];
    *jacobians = x[1];
}

/* ---- spatial slider crank --------------------------------------------------------------------- */

static crank_run crank_measure(dal_ctx *ctx, int chart, int com_at_A, double h, const char *options)
{
    crank_run out = {NAN, NAN, NAN, NAN};
    problem base, p;
    if (problem_spatial_slider_crank(&base, ctx, com_at_A) != DAL_OK) {
        return out;
    }
    if (chart != CHART_NONE && chart_problem(&p, &base, chart) != DAL_OK) {
        problem_free(&base);
        return out;
    }
    const problem *used = chart == CHART_NONE ? &base : &p;
    const double T = 2.0;
    double q[PROBLEM_MAX], v[PROBLEM_MAX];
    problem_exact(&base, q, v, NULL, NULL, &T, 1);
    track r = track_run(used, T, "rho_inf=0.875 rtol=1e-9 starting=naive predictor=zero h=%.17g %s", h, options);
    if (r.status == DAL_OK) {
        // the slider is the third body
        out.position = fabs(track_column(r.q, used->nq, r.n - 1)[2 * (used->nq / 3)] - q[14]);
        out.velocity = fabs(track_column(r.v, used->nv, r.n - 1)[2 * (used->nv / 3)] - v[12]);
        out.iterations = track_iterations(&r);
        out.jacobians = (double)r.stats.jacobians;
    }
    track_free(&r);
    if (chart != CHART_NONE) {
        problem_free(&p);
    }
    problem_free(&base);
    return out;
}

crank_run crank_errors(dal_ctx *ctx, int chart, int com_at_A, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES];
    (void)snprintf(key, sizeof key, "crank %d %d %.17g %s", chart, com_at_A, h, options);
    if (!memo_find(x, key)) {
        const crank_run r = crank_measure(ctx, chart, com_at_A, h, options);
        x[0] = r.position, x[1] = r.velocity, x[2] = r.iterations, x[3] = r.jacobians;
        memo_keep(x, key);
    }
    return (crank_run){x[0], x[1], x[2], x[3]};
}
