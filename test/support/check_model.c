#include "support/check_model.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { TEXT = 65536, SET = 8 };

static void open_source(check_model *m, const char *source, const char *const *set, int nset)
{
    char text[TEXT];
    if (source[0] != '{') {
        check_ok(m->ctx, dal_document_open(&m->doc, m->ctx, source, set, nset));
        return;
    }
    const size_t length = strlen(source);
    assert_true(length < sizeof text);
    for (size_t i = 0; i <= length; ++i) {
        text[i] = (char)(source[i] == '\'' ? '"' : source[i]);
    }
    check_ok(m->ctx, dal_document_parse(&m->doc, m->ctx, text, length, "test", set, nset));
}

check_model check_model_start(const char *source, const char *const *set, int nset)
{
    check_model m = {.ctx = check_ctx()};
    const char *given[SET];
    int n = 0;
    assert_true(nset <= SET);
    for (int i = 0; i < nset; ++i) {
        if (set[i] != NULL) {
            given[n++] = set[i];
        }
    }
    open_source(&m, source, given, n);
    m.model = dal_document_model(m.doc);
    check_ok(m.ctx, dal_model_compile(m.model, &m.sys));
    check_ok(m.ctx, dal_sim_create(&m.sim, m.ctx, m.sys, dal_document_options(m.doc)));
    check_ok(m.ctx, dal_sim_start(m.sim, NULL, 0.0, dal_model_q0(m.model), dal_model_v0(m.model)));
    return m;
}

void check_model_run(check_model *m, double t)
{
    if (t > dal_sim_state(m->sim).t) {
        check_ok(m->ctx, dal_sim_run(m->sim, NULL, t));
    }
    assert_true(dal_model_output_size(m->model) <= CHECK_OUTPUTS);
    const dal_point at = dal_sim_point(m->sim);
    check_ok(m->ctx, dal_model_outputs(m->model, dal_sim_data(m->sim), m->y, &at));
}

void check_model_hand_over(const check_model *a, check_model *b)
{
    const size_t size = dal_sim_snapshot_size(a->sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    check_ok(a->ctx, dal_sim_save(a->sim, bytes, size));
    check_ok(b->ctx, dal_sim_restore(b->sim, bytes, size));
    free(bytes);
}

void check_model_free(check_model *m)
{
    dal_sim_destroy(m->sim);
    dal_document_destroy(m->doc);
    check_ctx_free(m->ctx);
}

double check_model_happens(const check_model *r, dal_contact_happening what, int k)
{
    int n;
    const dal_contact_event *event = dal_sim_contact_events(r->sim, &n);
    for (int i = 0; i < n; ++i) {
        if (event[i].what == what && k-- == 0) {
            return event[i].t;
        }
    }
    return -1.0;
}
