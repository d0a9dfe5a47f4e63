/* A model at a consistent state, for tests of analyses. */
#ifndef MODELS_AT_H
#define MODELS_AT_H

#include "dalembert/dalembert.h"
#include "support/check.h"

typedef struct model_at {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
    dal_point at;
} model_at;

/* A built-in model, with up to two assignments (NULL: none); or from a text (starts with a brace). */
model_at model_open(const char *source, const char *set1, const char *set2);
void model_close(model_at *m);

#endif
