/* Any bytes as a model file: load, compile, evaluate. Nothing may crash, leak, or take more memory than it is given.
 * Built by clang with -fsanitize=fuzzer (-DDAL_FUZZ=ON), or with replay.c to run files through it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"

enum { BUDGET = 32 * 1024 * 1024, HEAD = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An allocator with a limit. The head of a block holds its size. */
typedef struct purse {
    size_t used;
    long live;
} purse;

static void *take(size_t bytes, void *user)
{
    purse *p = user;
    if (bytes > BUDGET - p->used) {
        return NULL;
    }
    char *block = malloc(bytes + HEAD);
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &bytes, sizeof(bytes));
    p->used += bytes;
    ++p->live;
    return block + HEAD;
}

static void give(void *memory, void *user)
{
    purse *p = user;
    char *block = (char *)memory - HEAD;
    size_t bytes;
    memcpy(&bytes, block, sizeof(bytes));
    p->used -= bytes;
    --p->live;
    free(block);
}

/* Outputs at the initial values. */
static dal_status evaluate(dal_model *model, const dal_system *sys, dal_ctx *ctx)
{
    const int n = sys->group->nv + dal_system_rows(sys) + dal_model_output_size(model);
    double *zeros = calloc((size_t)n + 1, sizeof(double));
    if (zeros == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "fuzz");
    }
    const dal_point at = {
        .q = dal_model_q0(model), .v = dal_model_v0(model), .vd = zeros, .la = zeros + sys->group->nv};
    const dal_status st = dal_model_outputs(model, NULL, zeros + sys->group->nv + dal_system_rows(sys), &at);
    free(zeros);
    return st;
}

/* Set on a simulation, the values that the variables have anyway change nothing. */
static dal_status set_values(const dal_document *doc, const dal_system *sys, dal_ctx *ctx, const dal_binding *b,
                             const double *values)
{
    const dal_model *model = dal_document_model(doc);
    const size_t nq = (size_t)sys->group->nq, nv = (size_t)sys->group->nv;
    dal_data *data;
    double *q = calloc(nq + nv + 1, sizeof(double));
    dal_status st = q != NULL ? dal_data_create(&data, ctx, sys) : DAL_ENOMEM;
    if (st == DAL_OK) {
        st = dal_binding_set(b, data, values);
        st = st == DAL_OK ? dal_data_initial(data, q, q + nq) : st;
        if (st != DAL_OK || memcmp(q, dal_model_q0(model), nq * sizeof(double)) != 0 ||
            memcmp(q + nq, dal_model_v0(model), nv * sizeof(double)) != 0) {
            fprintf(stderr, "the values of the file are not those of the file: %s\n", dal_ctx_message(ctx));
            abort();
        }
        dal_data_destroy(data);
    }
    free(q);
    return st;
}

enum { VARIABLES = 4 };

/* Its first variables, one by one and together. */
static void bind(const dal_document *doc, const dal_system *sys, dal_ctx *ctx)
{
    const char *names[VARIABLES];
    double values[VARIABLES];
    int n = dal_document_variable_count(doc);
    n = n < VARIABLES ? n : VARIABLES;
    for (int k = 0; k < n; ++k) {
        names[k] = dal_document_variable(doc, k).name;
        values[k] = dal_document_variable(doc, k).value;
    }
    for (int k = 0; k <= n; ++k) { // k = n: all of them
        const int first = k < n ? k : 0, count = k < n ? 1 : n;
        dal_binding *b;
        dal_status st = dal_binding_create(&b, ctx, doc, names + first, count);
        if (st == DAL_OK) {
            st = set_values(doc, sys, ctx, b, values + first);
        }
        if (st != DAL_OK && st != DAL_ENOMEM && dal_ctx_message(ctx)[0] == '\0') {
            fprintf(stderr, "a value is refused without a message\n");
            abort();
        }
        dal_binding_destroy(b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    purse p = {0};
    const dal_config config = {.alloc = take, .release = give, .user = &p};
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    if (dal_ctx_create(&ctx, &config) != DAL_OK) {
        return 0;
    }
    dal_status st = dal_document_parse(&doc, ctx, (const char *)data, size, "fuzz", NULL, 0);
    if (st == DAL_OK) {
        st = dal_model_compile(dal_document_model(doc), &sys);
    }
    if (st == DAL_OK) {
        st = evaluate(dal_document_model(doc), sys, ctx);
    }
    if (st == DAL_OK) {
        bind(doc, sys, ctx);
    }
    if (st != DAL_OK && dal_ctx_message(ctx)[0] == '\0') {
        fprintf(stderr, "a failure without a message\n");
        abort();
    }
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
    if (p.live != 0) {
        fprintf(stderr, "%ld blocks are lost\n", p.live);
        abort();
    }
    return 0;
}
