#include "reproduce/comparisons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/partitioned.h"
#include "reproduce/charts.h"

/* ---- heavy top -------------------------------------------------------------------------------- */

void top_errors(double err[METRICS], dal_ctx *ctx, int chart, double h, const char *options)
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

double rotor_error(dal_ctx *ctx, int chart, double T, double h, const char *options)
{
    rotor R;
    if (!rotor_open(&R, ctx, chart)) {
        return NAN;
    }
    track r = track_run(R.p, T, "rho_inf=0.9 starting=naive atol=1e-16 rtol=1e-10 h=%.17g %s", h, options);
    const double err = bearing_error(&R, &r);
    track_free(&r);
    rotor_close(&R);
    return err;
}

/* ---- spatial slider crank --------------------------------------------------------------------- */

crank_run crank_errors(dal_ctx *ctx, int chart, double h, const char *options)
{
    crank_run out = {NAN, NAN, NAN, NAN};
    problem base, p;
    if (problem_spatial_slider_crank(&base, ctx, 0) != DAL_OK) {
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

/* ---- nonholonomic particle -------------------------------------------------------------------- */

/* q' = p, p' = -dV/dq - phi_p^T lambda, phi = p_z - y p_x, V = (x^2 + y^2)/2 */
static dal_status particle_f(double *f, const double *q, const double *p, void *user)
{
    (void)q, (void)user;
    f[0] = p[0], f[1] = p[1], f[2] = p[2];
    return DAL_OK;
}

static dal_status particle_g(double *g, const double *q, const double *p, const double *la, void *user)
{
    (void)p, (void)user;
    g[0] = -q[0] + la[0] * q[1];
    g[1] = -q[1];
    g[2] = -la[0];
    return DAL_OK;
}

static dal_status particle_phi(double *phi, const double *q, const double *p, void *user)
{
    (void)user;
    phi[0] = p[2] - q[1] * p[0];
    return DAL_OK;
}

static dal_status particle_steps(particle_run *out, dal_partitioned_solver *s, const problem *exact, double T, int n)
{
    double q[3], v[3], la[1];
    dal_partitioned_state now;
    DAL_TRY(dal_partitioned_start(s, 0.0, exact->q0, exact->v0, NULL));
    out->phi = 0.0;
    for (int k = 0; k < n; ++k) {
        double phi[1];
        DAL_TRY(dal_partitioned_step(s, T / n));
        now = dal_partitioned_get(s);
        DAL_TRY(particle_phi(phi, now.q, now.p, NULL));
        out->phi = fmax(out->phi, fabs(phi[0]));
    }
    now = dal_partitioned_get(s);
    problem_exact(exact, q, v, NULL, la, &T, 1);
    out->q = distance(now.q, q, 3);
    out->p = distance(now.p, v, 3);
    out->la = distance(now.la, la, 1);
    return DAL_OK;
}

particle_run particle_errors(dal_ctx *ctx, int stages, double T, int n)
{
    const dal_partitioned sys = {.nq = 3, .np = 3, .nl = 1, .f = particle_f, .g = particle_g, .phi = particle_phi};
    particle_run out = {NAN, NAN, NAN, NAN};
    problem exact;
    dal_partitioned_solver *solver;
    if (problem_nonholonomic_particle(&exact, ctx) != DAL_OK) {
        return out;
    }
    if (dal_partitioned_create(&solver, ctx, &sys, stages) == DAL_OK) {
        if (particle_steps(&out, solver, &exact, T, n) != DAL_OK) {
            out = (particle_run){NAN, NAN, NAN, NAN};
        }
        dal_partitioned_destroy(solver);
    }
    problem_free(&exact);
    return out;
}
