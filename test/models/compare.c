#include "models/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/sim.h"
#include "problems/table.h"
#include "support/check.h"

enum { NAME = 64, TEXT = 512 };

/* A model ready to run. */
typedef struct running {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
    double *values;
} running;

static running start(const compare_case *c, double h)
{
    running r = {.ctx = check_ctx()};
    char step[NAME];
    const char *set[COMPARE_SET + 1];
    int n = 0;
    while (c->set[n] != NULL) {
        set[n] = c->set[n];
        ++n;
    }
    snprintf(step, sizeof(step), "h=%.17g", h);
    set[n++] = step;
    check_ok(r.ctx, dal_document_open(&r.doc, r.ctx, c->model, set, n));
    r.model = dal_document_model(r.doc);
    check_ok(r.ctx, dal_model_compile(r.model, &r.sys));
    check_ok(r.ctx, dal_sim_create(&r.sim, r.ctx, r.sys, dal_document_options(r.doc)));
    check_ok(r.ctx, dal_sim_start(r.sim, NULL, 0.0, dal_model_q0(r.model), dal_model_v0(r.model)));
    r.values = calloc((size_t)dal_model_output_size(r.model) + 1, sizeof(double));
    assert_non_null(r.values);
    return r;
}

static void finish(running *r)
{
    free(r->values);
    dal_sim_destroy(r->sim);
    dal_document_destroy(r->doc);
    check_ctx_free(r->ctx);
}

static void evaluate(running *r)
{
    const dal_state s = dal_sim_state(r->sim);
    const dal_point at = {s.t, s.q, s.v, s.vd, s.la};
    check_ok(r->ctx, dal_model_outputs(r->model, dal_sim_data(r->sim), r->values, &at));
}

static const double *output(const running *r, const char *name, int *n)
{
    for (int k = 0; k < dal_model_output_count(r->model); ++k) {
        const dal_output_info info = dal_model_output_info(r->model, k);
        if (strcmp(info.name, name) == 0) {
            *n = info.n;
            return r->values + info.first;
        }
    }
    fail_msg("there is no output '%s'", name);
    return NULL;
}

/* Largest difference of one output "name:column,column" in a row of the table. */
static double difference(const running *r, const table *tab, int row, const char *text)
{
    char name[NAME];
    const size_t length = strcspn(text, ":");
    double want[16], got[16], dot = 0.0, err = 0.0;
    int n = 0, m = 0;
    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    const double *y = output(r, name, &n);
    const int angle = strstr(name, "coordinate") != NULL || strstr(name, "rotation_vector") != NULL;
    const char *at = text + length + 1;
    for (int k = 0; k < n && *at != '\0' && *at != ' '; ++k) {
        const int minus = *at == '-';
        const size_t word = strcspn(at, ", ");
        snprintf(name, sizeof(name), "%.*s", (int)word - minus, at + minus);
        at += word + (at[word] == ',');
        if (name[0] != '!') {
            want[m] = (minus ? -1.0 : 1.0) * table_get(tab, row, name);
            got[m] = y[k];
            dot += want[m] * got[m];
            ++m;
        }
    }
    assert_true(m > 0);
    const double sign =
        strncmp(text + (length > 10 ? length - 10 : 0), "quaternion", 10) == 0 && dot < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < m; ++k) {
        const double d = got[k] - sign * want[k];
        const double e = angle ? fabs(remainder(d, 2.0 * acos(-1.0))) : fabs(d);
        err = e <= err ? err : e; // NaN stays
    }
    return err;
}

static double differences(const running *r, const table *tab, int row, const char *list)
{
    double err = 0.0;
    while (list != NULL && *list != '\0') {
        const double e = difference(r, tab, row, list);
        err = e <= err ? err : e;
        list += strcspn(list, " ");
        list += strspn(list, " ");
    }
    return err;
}

typedef struct errors {
    double motion, forces, energy;
} errors;

/* Largest errors over the rows of the table; the multipliers of the first instant are not the integrator's. */
static errors run(const compare_case *c, const table *tab, double h)
{
    running r = start(c, h);
    errors e = {0.0, 0.0, 0.0};
    double initial = 0.0;
    int n = 0;
    evaluate(&r);
    if (c->energy > 0.0) {
        initial = *output(&r, "energy", &n);
    }
    for (int row = 0; row < tab->nrows; ++row) {
        const double t = table_get(tab, row, "t");
        const double steps = t / h;
        if (t <= 0.0 || t < c->t_begin || t > c->t_end * (1.0 + 1e-12) || fabs(steps - round(steps)) > 1e-6 * steps) {
            continue;
        }
        check_ok(r.ctx, dal_sim_run(r.sim, NULL, t));
        evaluate(&r);
        e.motion = fmax(e.motion, differences(&r, tab, row, c->motion) / c->scale_motion);
        e.forces = fmax(e.forces, differences(&r, tab, row, c->forces) / c->scale_forces);
        if (c->energy > 0.0) {
            e.energy = fmax(e.energy, fabs(*output(&r, "energy", &n) - initial));
        }
    }
    finish(&r);
    return e;
}

void compare_check(const compare_case *c)
{
    dal_ctx *ctx = check_ctx();
    table tab;
    errors e[COMPARE_LEVELS];
    check_ok(ctx, table_load(&tab, ctx, c->file, c->columns, c->rows));
    for (int k = 0; k < COMPARE_LEVELS; ++k) {
        e[k] = run(c, &tab, c->h / (1 << k));
    }
    const double order = log2(e[1].motion / e[2].motion);
    const double order_forces = c->forces != NULL ? log2(e[1].forces / e[2].forces) : 2.0;
    print_message("%s %s: motion %.2e %.2e %.2e order %.2f, forces %.2e %.2e %.2e order %.2f, energy %.1e\n", c->model,
                  c->set[0] != NULL ? c->set[0] : "", e[0].motion, e[1].motion, e[2].motion, order, e[0].forces,
                  e[1].forces, e[2].forces, order_forces, e[2].energy);
    assert_near(e[2].motion, 0.0, c->tol_motion);
    assert_near(e[2].forces, 0.0, c->tol_forces);
    assert_near(e[2].energy, 0.0, c->energy);
    assert_near(order, 2.0, 0.2);
    assert_near(order_forces, 2.0, 0.2);
    table_free(&tab);
    check_ctx_free(ctx);
}
