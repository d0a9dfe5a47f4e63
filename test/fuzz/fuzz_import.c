/* Any bytes as a description of a robot: read it, and load the model that it becomes. Nothing may crash; a model that was
 * written must be one that can be read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/import.h"
#include "dalembert/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dal_status load(dal_ctx *ctx, const char *text)
{
    dal_document *doc;
    const dal_system *sys;
    dal_status st = dal_document_parse(&doc, ctx, text, strlen(text), "fuzz", NULL, 0);
    st = st == DAL_OK ? dal_model_compile(dal_document_model(doc), &sys) : st;
    dal_document_destroy(doc);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_ctx *ctx;
    dal_import *import;
    if (dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return 0;
    }
    dal_status st = dal_import_parse(&import, ctx, (const char *)data, size, "fuzz.xml", NULL);
    if (st == DAL_OK) {
        st = load(ctx, dal_import_text(import));
        // names, numbers and structure of the file are ours: only what the robot itself cannot do may be refused
        if (st != DAL_OK && strstr(dal_ctx_message(ctx), "expected near") != NULL) {
            fprintf(stderr, "%s\n", dal_ctx_message(ctx));
            abort();
        }
    }
    if (st != DAL_OK && dal_ctx_message(ctx)[0] == '\0') {
        fprintf(stderr, "a failure without a message\n");
        abort();
    }
    dal_import_destroy(import);
    dal_ctx_destroy(ctx);
    return 0;
}
