#include "reproduce/comparisons.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/memo.h"

const subject *in_chart(lab *L, const char *model, int chart, const char *set)
{
    static const char *const words[] = {"", "", "coordinates=cardan sequence=xyz", "coordinates=cardan sequence=xzy",
                                        "coordinates=cardan sequence=yzx"};
    char text[128];
    (void)snprintf(text, sizeof text, "%s %s", words[chart], set);
    const subject *s = lab_model(L, model, text);
    return chart == CHART_EULER ? lab_euler(L, s) : s;
}

/* ---- heavy top -------------------------------------------------------------------------------- */

static void top_measure(double err[METRICS], lab *L, int chart, double h, const char *options)
{
    const track *r = lab_run(L, in_chart(L, "heavy_top", chart, ""), 1.0, "starting=naive h=%.17g %s", h, options);
    const track *exact = lab_exact(L, lab_model(L, "heavy_top", ""), r->t, r->n);
    err[METRIC_Q] = err[METRIC_V] = err[METRIC_LA] = 0.0;
    for (int k = 1; k < r->n; ++k) {
        double is[7], other[7];
        at_pose(is, r, k, 0);
        // p and -p are the same rotation
        for (int i = 0; i < 7; ++i) {
            other[i] = i < 3 ? is[i] : -is[i];
        }
        const double *want = at_q(exact, k);
        err[METRIC_Q] = larger(err[METRIC_Q], fmin(distance(is, want, 7), distance(other, want, 7)));
        err[METRIC_V] = larger(err[METRIC_V], distance(at_v(r, k), at_v(exact, k), 3));
        err[METRIC_LA] = larger(err[METRIC_LA], distance(at_la(r, k), at_la(exact, k), 3));
    }
    for (int i = 0; i < METRICS; ++i) {
        err[i] = good(r, err[i]);
    }
}

void top_errors(double err[METRICS], lab *L, int chart, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES] = {0.0};
    (void)snprintf(key, sizeof key, "top %d %.17g %s", chart, h, options);
    if (!memo_find(x, key)) {
        top_measure(x, L, chart, h, options);
        memo_keep(x, key);
    }
    memcpy(err, x, METRICS * sizeof *err);
}

int top_failures(lab *L, int chart, int n, int coarse, const char *options)
{
    static const double h[] = {2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5};
    const int first = coarse ? 0 : 1;
    int failed = 0;
    for (int k = first; k < first + n; ++k) {
        double err[METRICS];
        top_errors(err, L, chart, h[k], options);
        failed += isnan(err[METRIC_Q]);
    }
    dal_ctx_clear(L->ctx);
    return failed;
}

/* ---- rotor ------------------------------------------------------------------------------------ */

static const double BEARING[2] = {-0.11, 0.09};

void axis_point(double p[3], const double pose[7], double x)
{
    const double *e = pose + 3;
    const double axis[3] = {e[0] * e[0] + e[1] * e[1] - e[2] * e[2] - e[3] * e[3], 2.0 * (e[1] * e[2] + e[0] * e[3]),
                            2.0 * (e[1] * e[3] - e[0] * e[2])};
    for (int i = 0; i < 3; ++i) {
        p[i] = pose[i] + x * axis[i];
    }
}

/* x' + R (Omega x b), by how the bearing moves in 1e-7 s */
static void bearing_velocity(double u[3], const track *r)
{
    const double e = 1e-7;
    double p[2][3], moved[7], d[6];
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 6; ++i) {
            d[i] = (k == 0 ? -e : e) * at_v(r, 0)[i];
        }
        dal_retract(r->s->sys->group, moved, at_q(r, 0), d);
        axis_point(p[k], moved, BEARING[0]);
    }
    for (int i = 0; i < 3; ++i) {
        u[i] = (p[1][i] - p[0][i]) / (2.0 * e);
    }
}

/* x = (position of the right bearing, velocity of the left one) at T; chart none: exact */
static void rotor_end(double x[6], const track *r)
{
    double pose[7];
    at_pose(pose, r, 0, 0);
    axis_point(x, pose, BEARING[1]);
    x[3] = x[4] = x[5] = NAN;
    if (r->s->nq == 7 && r->s->nv == 6) {
        bearing_velocity(x + 3, r);
    }
}

/* The exact ones, two numbers of the three at a time: memory holds four. */
static void rotor_exact(double x[6], lab *L, double T)
{
    char key[2][64];
    double kept[2][MEMO_VALUES] = {{0.0}};
    for (int k = 0; k < 2; ++k) {
        (void)snprintf(key[k], sizeof key[k], "rotor exact %d %.17g", k, T);
    }
    if (memo_find(kept[0], key[0]) && memo_find(kept[1], key[1])) {
        memcpy(x, kept[0], 3 * sizeof *x);
        memcpy(x + 3, kept[1], 3 * sizeof *x);
        return;
    }
    rotor_end(x, lab_exact(L, lab_model(L, "high_speed_rotor", ""), &T, 1));
    for (int k = 0; k < 2; ++k) {
        memcpy(kept[k], x + (size_t)3 * (size_t)k, 3 * sizeof *x);
        memo_keep(kept[k], key[k]);
    }
}

double rotor_error(lab *L, double *velocity, int chart, double T, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES] = {0.0}, is[6], want[6];
    (void)snprintf(key, sizeof key, "rotor %d %.17g %.17g %s", chart, T, h, options);
    if (!memo_find(x, key)) {
        rotor_end(is, lab_end(L, in_chart(L, "high_speed_rotor", chart, ""), T,
                              "rho_inf=0.9 starting=naive atol=1e-16 rtol=1e-10 h=%.17g %s", h, options));
        rotor_exact(want, L, T);
        x[0] = distance(is, want, 3);
        x[1] = distance(is + 3, want + 3, 3);
        memo_keep(x, key);
    }
    if (velocity != NULL) {
        *velocity = x[1];
    }
    return x[0];
}

void rotor_effort(double *iterations, double *jacobians, lab *L, int chart, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES] = {NAN, NAN};
    (void)snprintf(key, sizeof key, "effort %d %.17g %s", chart, h, options);
    if (!memo_find(x, key)) {
        const track *r = lab_end(L, in_chart(L, "high_speed_rotor", chart, ""), 1.0,
                                 "rho_inf=0.9 starting=naive predictor=zero h=%.17g %s", h, options);
        x[0] = iterations_per_step(r);
        x[1] = good(r, (double)r->stats.jacobians);
        memo_keep(x, key);
    }
    *iterations = x[0];
    *jacobians = x[1];
}

/* ---- spatial slider crank --------------------------------------------------------------------- */

const subject *crank_in_chart(lab *L, int chart, int com_at_A)
{
    // the frame of the crank at its centre of mass, as published
    return in_chart(L, "spatial_slider_crank", chart, com_at_A ? "c=0 frame=0" : "c=0.04 frame=0.04");
}

crank_run crank_errors(lab *L, int chart, int com_at_A, double h, const char *options)
{
    char key[176];
    double x[MEMO_VALUES];
    (void)snprintf(key, sizeof key, "crank %d %d %.17g %s", chart, com_at_A, h, options);
    if (!memo_find(x, key)) {
        const double T = 2.0;
        const subject *s = crank_in_chart(L, chart, com_at_A);
        const track *exact = lab_exact(L, crank_in_chart(L, CHART_NONE, com_at_A), &T, 1);
        const track *r =
            lab_end(L, s, T, "rho_inf=0.875 rtol=1e-9 starting=naive predictor=zero h=%.17g %s", h, options);
        // the slider is the third body
        x[0] = fabs(at_q(r, 0)[2 * (s->nq / 3)] - at_q(exact, 0)[14]);
        x[1] = fabs(at_v(r, 0)[2 * (s->nv / 3)] - at_v(exact, 0)[12]);
        x[2] = iterations_per_step(r);
        x[3] = good(r, (double)r->stats.jacobians);
        memo_keep(x, key);
    }
    return (crank_run){x[0], x[1], x[2], x[3]};
}
