/* Models from short texts: ' stands for ". */
#ifndef TEST_IO_TEXT_H
#define TEST_IO_TEXT_H

#include "dalembert/io.h"

/* Load a model. The caller destroys it. */
dal_status text_load(dal_document **doc, dal_ctx *ctx, const char *text);
dal_status text_load_set(dal_document **doc, dal_ctx *ctx, const char *text, const char *const *set, int nset);
/* The same for what follows {"dalembert": 1, ... }. */
dal_status text_body(dal_document **doc, dal_ctx *ctx, const char *members);

#endif
