#include "io/text.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

enum { TEXT_SIZE = 1 << 14 };

dal_status text_load_set(dal_document **doc, dal_ctx *ctx, const char *text, const char *const *set, int nset)
{
    char json[TEXT_SIZE];
    const size_t n = strlen(text);
    if (n >= sizeof(json)) {
        return dal_fail(ctx, DAL_EINVAL, "the text of the test is too long");
    }
    for (size_t k = 0; k <= n; ++k) {
        json[k] = text[k];
        if (text[k] == '\'') {
            json[k] = '"';
        }
    }
    return dal_document_parse(doc, ctx, json, n, "test", set, nset);
}

dal_status text_load(dal_document **doc, dal_ctx *ctx, const char *text)
{
    return text_load_set(doc, ctx, text, NULL, 0);
}

dal_status text_body(dal_document **doc, dal_ctx *ctx, const char *members)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "{'dalembert': 1, %s}", members);
    return text_load(doc, ctx, text);
}

void text_sim_start(text_sim *o)
{
    const dal_model *m = dal_document_model(o->doc);
    check_ok(o->ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
}

void text_sim_open(text_sim *o, const char *text, const char *const *set, int nset)
{
    *o = (text_sim){.ctx = check_ctx()};
    check_ok(o->ctx, text_load_set(&o->doc, o->ctx, text, set, nset));
    check_ok(o->ctx, dal_model_compile(dal_document_model(o->doc), &o->sys));
    check_ok(o->ctx, dal_sim_create(&o->sim, o->ctx, o->sys, dal_document_options(o->doc)));
    text_sim_start(o);
}

void text_sim_close(text_sim *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
    check_ctx_free(o->ctx);
}

double text_sim_output(text_sim *o, const char *name, double t)
{
    enum { VALUES = 256 };
    const dal_model *m = dal_document_model(o->doc);
    double values[VALUES];
    if (t > dal_sim_state(o->sim).t) {
        dal_stop reason;
        check_ok(o->ctx, dal_sim_run(o->sim, &reason, t));
    }
    const dal_state s = dal_sim_state(o->sim);
    assert_in_range(dal_model_output_size(m), 1, VALUES);
    check_ok(o->ctx, dal_model_outputs(m, dal_sim_data(o->sim), values, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
    for (int k = 0; k < dal_model_output_count(m); ++k) {
        const dal_output_info info = dal_model_output_info(m, k);
        if (strcmp(info.name, name) == 0) {
            return values[info.first];
        }
    }
    fail_msg("no output '%s'", name);
    return 0.0;
}
