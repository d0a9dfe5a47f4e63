/* What it takes to read a description of a robot: a chain of links on hinges, to a model file and to a compiled model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dalembert/import.h"
#include "dalembert/io.h"

enum { LINK_TEXT = 500 };

static char *chain(int n)
{
    char *text = malloc((size_t)(n + 2) * LINK_TEXT), *at = text;
    at += sprintf(at, "<robot name=\"chain\"><link name=\"link0\"/>\n");
    for (int k = 1; k <= n; ++k) {
        at +=
            sprintf(at,
                    "<link name=\"link%d\"><inertial><origin xyz=\"0.05 0 0\"/><mass value=\"0.1\"/><inertia "
                    "ixx=\"1e-4\" iyy=\"1e-4\" "
                    "izz=\"1e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n<joint name=\"joint%d\" "
                    "type=\"continuous\"><origin "
                    "xyz=\"0.1 0 0\"/><parent link=\"link%d\"/><child link=\"link%d\"/><axis xyz=\"0 1 0\"/></joint>\n",
                    k, k, k - 1, k);
    }
    sprintf(at, "</robot>\n");
    return text;
}

typedef struct job {
    dal_ctx *ctx;
    const char *text;
    int loaded; /* the model as well */
} job;

static void once(void *data)
{
    const job *j = data;
    dal_import *import;
    dal_document *doc = NULL;
    const dal_system *sys;
    bench_ok(j->ctx, dal_import_parse(&import, j->ctx, j->text, strlen(j->text), "chain.urdf", NULL));
    if (j->loaded) {
        const char *model = dal_import_text(import);
        bench_ok(j->ctx, dal_document_parse(&doc, j->ctx, model, strlen(model), "chain", NULL, 0));
        bench_ok(j->ctx, dal_model_compile(dal_document_model(doc), &sys));
    }
    dal_document_destroy(doc);
    dal_import_destroy(import);
}

int main(void)
{
    static const char *const head[] = {"links", "import/ms", "and load/ms"};
    dal_ctx *ctx;
    bench_ok(NULL, dal_ctx_create(&ctx, NULL));
    bench_title("A chain of links from URDF");
    bench_heads(head, 3);
    for (int n = 10; n <= 1000; n *= 10) {
        job j = {.ctx = ctx, .text = chain(n)};
        bench_label(n);
        bench_cell(1e3 * bench_seconds(once, &j));
        j.loaded = 1;
        bench_cell(1e3 * bench_seconds(once, &j));
        bench_end();
        free((char *)j.text);
    }
    dal_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
