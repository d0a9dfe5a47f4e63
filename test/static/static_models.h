/* Models of these tests, from text. */
#ifndef STATIC_MODELS_H
#define STATIC_MODELS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "dalembert/static.h"
#include "support/check.h"

typedef struct rest_model {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_data *data;
    double *q, *v, *la, *vd;
    dal_static_report report;
} rest_model;

static inline void rest_compile(rest_model *m)
{
    m->model = dal_document_model(m->doc);
    check_ok(m->ctx, dal_model_compile(m->model, &m->sys));
    check_ok(m->ctx, dal_document_assemble(m->doc, NULL, m->sys));
    check_ok(m->ctx, dal_data_create(&m->data, m->ctx, m->sys));
    const size_t nq = (size_t)m->sys->group->nq, nv = (size_t)m->sys->group->nv;
    m->q = calloc(nq + 2 * nv + (size_t)dal_system_rows(m->sys), sizeof *m->q);
    m->v = m->q + nq;
    m->vd = m->v + nv;
    m->la = m->vd + nv;
    memcpy(m->q, dal_model_q0(m->model), nq * sizeof *m->q);
    memcpy(m->v, dal_model_v0(m->model), nv * sizeof *m->v);
}

static inline rest_model rest_text(const char *text, const char *const *set, int nset)
{
    rest_model m = {.ctx = check_ctx()};
    check_ok(m.ctx, dal_document_parse(&m.doc, m.ctx, text, strlen(text), "test", set, nset));
    rest_compile(&m);
    return m;
}

static inline rest_model rest_of(const char *text)
{
    return rest_text(text, NULL, 0);
}

static inline rest_model rest_builtin(const char *name, const char *const *set, int nset)
{
    rest_model m = {.ctx = check_ctx()};
    check_ok(m.ctx, dal_document_open(&m.doc, m.ctx, name, set, nset));
    rest_compile(&m);
    return m;
}

static inline dal_status rest_solve(rest_model *m, double t, const dal_static_options *opt)
{
    return dal_static_solve(m->ctx, m->sys, m->data, m->q, m->v, m->la, &m->report, t, opt);
}

/* Value k of an output at the equilibrium. */
static inline double rest_output(const rest_model *m, double t, const char *name, int k)
{
    double value[256];
    const dal_point at = {t, m->q, m->v, m->vd, m->la};
    check_ok(m->ctx, dal_model_outputs(m->model, m->data, value, &at));
    for (int i = 0; i < dal_model_output_count(m->model); ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        if (strcmp(info.name, name) == 0) {
            return value[info.first + k];
        }
    }
    fail_msg("no output %s", name);
    return NAN;
}

static inline void rest_free(rest_model *m)
{
    free(m->q);
    dal_data_destroy(m->data);
    dal_document_destroy(m->doc);
    check_ctx_free(m->ctx);
}

#endif
