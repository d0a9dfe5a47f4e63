#include "models/at.h"

#include <string.h>

model_at model_open(const char *source, const char *set1, const char *set2)
{
    model_at m = {.ctx = check_ctx()};
    const char *const set[] = {set1, set2};
    const int nset = set1 == NULL ? 0 : set2 == NULL ? 1 : 2;
    if (source[0] == '{') {
        check_ok(m.ctx, dal_document_parse(&m.doc, m.ctx, source, strlen(source), "text", set, nset));
    } else {
        check_ok(m.ctx, dal_document_open(&m.doc, m.ctx, source, set, nset));
    }
    m.model = dal_document_model(m.doc);
    check_ok(m.ctx, dal_model_compile(m.model, &m.sys));
    dal_options opt = *dal_document_options(m.doc);
    opt.redundant = DAL_REDUNDANT_DROP;
    check_ok(m.ctx, dal_sim_create(&m.sim, m.ctx, m.sys, &opt));
    check_ok(m.ctx, dal_sim_start(m.sim, NULL, 0.0, dal_model_q0(m.model), dal_model_v0(m.model)));
    const dal_state s = dal_sim_shown_state(m.sim);
    m.at = (dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    return m;
}

void model_close(model_at *m)
{
    dal_sim_destroy(m->sim);
    dal_document_destroy(m->doc);
    check_ctx_free(m->ctx);
}
