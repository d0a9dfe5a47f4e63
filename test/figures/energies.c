/* Long runs of the library's methods, the limit of stability, masses that depend on the state. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "forms.h"
#include "support/check.h"

void trend_add(trend *k, double t, double E)
{
    const int tenth = k->steps / 10;
    k->n++;
    k->most = fmax(k->most, fabs(E));
    k->first = k->n <= tenth ? fmax(k->first, fabs(E)) : k->first;
    k->last = k->n > k->steps - tenth ? fmax(k->last, fabs(E)) : k->last;
    k->mean += k->n > k->steps - tenth ? E / tenth : 0.0;
    k->t += t;
    k->tt += t * t;
    k->E += E;
    k->tE += t * E;
}

double trend_slope(const trend *k)
{
    return (k->tE - k->t * k->E / k->n) / (k->tt - k->t * k->t / k->n);
}

static trend run_library(const problem *p, const char *set, double h, int steps)
{
    char options[128];
    dal_sim *sim;
    trend k = {.steps = steps};
    double E0, E;
    snprintf(options, sizeof options, "%s h=%.17g", set, h);
    const dal_options opt = run_options(p->ctx, options);
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    check_ok(p->ctx, dal_sim_energy(sim, &E0));
    for (int i = 0; i < steps; ++i) {
        check_ok(p->ctx, dal_sim_step(sim));
        check_ok(p->ctx, dal_sim_energy(sim, &E));
        trend_add(&k, (i + 1) * h, E - E0);
    }
    check_ok(p->ctx, dal_sim_residuals(sim, &k.position, &k.velocity));
    dal_sim_destroy(sim);
    return k;
}

/* Largest errors of energy, the same in the first and in the last tenth, and no trend. */
void figure_energy(dal_ctx *ctx, const json_t *entry)
{
    const char *name = figure_text(entry, "case");
    const int file = strcmp(name, "asym") == 0 || strcmp(name, "pendulum") == 0;
    dal_document *doc = NULL;
    problem p;
    if (file) {
        p = run_file(ctx, &doc,
                     name[0] == 'a' ? PROBLEM_DATA_DIR "/top_unsymmetric.json" : PROBLEM_DATA_DIR "/t_rattle.json");
    } else {
        check_ok(ctx, figure_problem(&p, ctx, name));
    }
    const double h = figure_number(entry, "h"), size = figure_tolerance(entry, "size"),
                 most = figure_number(entry, "maxabs");
    const int steps = (int)figure_number(entry, "steps");
    const trend k = run_library(&p, figure_text(entry, "set"), h, steps);
    figure_expect(entry, "maxabs", k.most, size * most);
    figure_expect(entry, "max_last_tenth", k.last, size * most);
    figure_compare(entry, "first and last tenth", k.last, k.first, 1e-3 * k.first + 1e-10);
    figure_compare(entry, "trend", trend_slope(&k) * h * steps, 0.0, 0.02 * most);
    figure_true(entry, "Phi to rounding", k.position < 1e-13);
    figure_true(entry, "B v to rounding", k.velocity < 1e-10);
    if (file) {
        dal_document_destroy(doc);
    } else {
        problem_free(&p);
    }
}

/* ---- limit of stability ------------------------------------------------------------------------ */

static dal_status spring_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1.0;
    return DAL_OK;
}

static dal_status spring_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)v, (void)la, (void)user;
    g[0] = q[0];
    return DAL_OK;
}

/* q'' + q = 0 from q = 1 at rest: |q| stays below 1 up to h omega = 2. */
void figure_stability(dal_ctx *ctx, const json_t *entry)
{
    dal_group *G;
    dal_system *sys;
    dal_sim *sim;
    const dal_factor_spec spec = {DAL_FACTOR_RN, 1};
    const double q = 1.0, v = 0.0;
    double most = 0.0;
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .M = spring_M, .g = spring_g};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    dal_options opt = run_options(ctx, "integrator=rattlie");
    opt.h = figure_number(entry, "hw");
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
    for (int i = 0; i < (int)figure_number(entry, "steps"); ++i) {
        check_ok(ctx, dal_sim_step(sim));
        most = fmax(most, fabs(dal_sim_state(sim).q[0]));
    }
    figure_expect(entry, "max_q", most, figure_tolerance(entry, "size") * figure_number(entry, "max_q"));
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
}

/* ---- masses that depend on the state ------------------------------------------------------------ */

/* The heavy top, described by a point half-way up its axis: M turns with it. mode var is the library's, mode force leaves D_q M out. */
void figure_mass(dal_ctx *ctx, const json_t *entry)
{
    double q[7], v[6];
    const double h = figure_number(entry, "h");
    const int steps = (int)lround(figure_number(entry, "t") / h);
    if (figure_is(entry, "mode", "force")) {
        form_offset_top(q, v, ctx, h, steps);
    } else {
        dal_document *doc;
        dal_sim *sim;
        const problem p = run_file(ctx, &doc, PROBLEM_DATA_DIR "/top_offset.json");
        dal_options opt = run_options(ctx, "integrator=rattlie");
        opt.h = h;
        check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        for (int i = 0; i < steps; ++i) {
            check_ok(ctx, dal_sim_step(sim));
        }
        memcpy(q, dal_sim_state(sim).q, sizeof q);
        memcpy(v, dal_sim_state(sim).v, sizeof v);
        dal_sim_destroy(sim);
        dal_document_destroy(doc);
    }
    for (int i = 0; i < 7; ++i) {
        figure_compare(entry, "q", q[i], figure_item(entry, "q", i), figure_tolerance(entry, "q"));
    }
    for (int i = 0; i < 6; ++i) {
        figure_compare(entry, "v", v[i], figure_item(entry, "v", i), figure_tolerance(entry, "v"));
    }
}
