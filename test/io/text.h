/* Models from short texts: ' stands for ". */
#ifndef TEST_IO_TEXT_H
#define TEST_IO_TEXT_H

#include "dalembert/io.h"

/* Load a model. The caller destroys it. */
dal_status text_load(dal_document **doc, dal_ctx *ctx, const char *text);
dal_status text_load_set(dal_document **doc, dal_ctx *ctx, const char *text, const char *const *set, int nset);
/* The same for what follows {"dalembert": 1, ... }. */
dal_status text_body(dal_document **doc, dal_ctx *ctx, const char *members);

/* A model that runs, from its initial values. */
typedef struct text_sim {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} text_sim;

void text_sim_open(text_sim *o, const char *text, const char *const *set, int nset);
void text_sim_start(text_sim *o);
void text_sim_close(text_sim *o);
/* An output by its name, at the present state; the run goes to t before if that is later. */
double text_sim_output(text_sim *o, const char *name, double t);

#endif
