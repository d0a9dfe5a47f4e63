/* Sizes, depths and memory: a hostile file is refused, and nothing is lost on the way. */
#include <stdio.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

static void lists_within_lists_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    enum { DEPTH = 5000 };
    static char text[DEPTH + 32];
    memset(text, '[', DEPTH);
    check_fails(ctx, dal_document_parse(&doc, ctx, text, DEPTH, "test", NULL, 0), DAL_EINVAL, "maximum parsing depth");
    check_ctx_free(ctx);
}

static void repetitions_within_repetitions_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    static char text[16384];
    size_t n = (size_t)snprintf(text, sizeof(text), "'bodies': [");
    for (int k = 0; k < 40; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "{'repeat': 'i%d', 'to': 1, 'items': [", k);
    }
    for (int k = 0; k < 40; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "]}");
    }
    snprintf(text + n, sizeof(text) - n, "]");
    check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "nested too deeply");
    check_fails(
        ctx,
        text_body(&doc, ctx,
                  "'bodies': [{'repeat': 'i', 'to': 10000, 'items': [{'repeat': 'j', 'to': 10000, 'items': []}]}]"),
        DAL_EINVAL, "more than 1000000 elements");
    check_fails(ctx, text_body(&doc, ctx, "'bodies': [{'repeat': 'i', 'to': 1e9, 'items': []}]"), DAL_EINVAL,
                "1000000000 repetitions are more than 1000000");
    check_ctx_free(ctx);
}

static void functions_within_functions_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    static char text[16384];
    size_t n = (size_t)snprintf(text, sizeof(text), "'functions': {'f': ");
    for (int k = 0; k < 100; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "{'type': 'sum', 'functions': [");
    }
    for (int k = 0; k < 100; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "]}");
    }
    snprintf(text + n, sizeof(text) - n, "}");
    check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "nested too deeply");
    check_ctx_free(ctx);
}

/* A value of f10 would take 64^10 evaluations, one of g70 a recursion 70 deep. */
static void functions_that_never_end_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    static char text[16384];
    size_t n = (size_t)snprintf(text, sizeof(text), "'functions': {'f0': {'type': 'constant', 'value': 1}");
    for (int k = 1; k <= 10; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, ", 'f%d': {'type': 'sum', 'functions': [", k);
        for (int i = 0; i < 64; ++i) {
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s'f%d'", i > 0 ? ", " : "", k - 1);
        }
        n += (size_t)snprintf(text + n, sizeof(text) - n, "]}");
    }
    snprintf(text + n, sizeof(text) - n, "}");
    check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "/functions/f3: function 'f3': functions within");
    n = (size_t)snprintf(text, sizeof(text), "'functions': {'g0': {'type': 'constant', 'value': 1}");
    for (int k = 1; k <= 70; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, ", 'g%d': {'type': 'product', 'functions': ['g%d']}", k,
                              k - 1);
    }
    snprintf(text + n, sizeof(text) - n, "}");
    check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "function 'g64': functions within functions");
    check_ctx_free(ctx);
}

static void long_names_and_long_chains_of_variables_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    static char text[16384];
    snprintf(text, sizeof(text), "'bodies': [{'name': '%0300d', 'type': 'point', 'mass': 1}]", 0);
    check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "this text is longer than 255 bytes");

    size_t n = (size_t)snprintf(text, sizeof(text), "'variables': {");
    for (int k = 0; k < 300; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "'a%d': 'a%d + 1', ", k, k + 1);
    }
    snprintf(text + n, sizeof(text) - n, "'a300': 1}");
    check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "nested too deeply");
    check_ctx_free(ctx);
}

static void a_thousand_links_are_one_short_file(void **state)
{
    static const char *const set[] = {"N=1000"};
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    check_ok(ctx, dal_document_open(&doc, ctx, "chain", set, 1));
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
    const dal_model_summary report = dal_model_report(dal_document_model(doc));
    assert_int_equal(report.bodies, 1000);
    assert_int_equal(report.rows, 3000);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* One of each kind of thing that allocates. */
static dal_status scenario(dal_ctx *ctx, void *user)
{
    dal_document *doc;
    const dal_status st = text_body(
        &doc, ctx,
        "'variables': {'a': 'b + 1', 'b': 2}, 'words': {'w': 'x'}, 'functions': {'t': {'type': 'table', 'x': [0, 1, "
        "2], "
        "'y': [1, 2, 3]}, 'p': {'type': 'polynomial', 'coefficients': [1, 2]}, 'e': '2*t^a', 's': {'type': 'sum', "
        "'functions': ['t', 'sin(t)', "
        "1]}}, 'bodies': [{'repeat': 'i', 'to': 3, 'items': [{'name': '{w}{i}', 'mass': 'a', 'inertia': 1}]}], "
        "'joints': "
        "[{'name': 'j', 'type': 'spherical', 'body_b': 'x1'}, {'name': 'r', 'type': 'pfaffian', 'bodies': ['x2'], "
        "'rows': "
        "[['x1', 'y1', 1, 0, 0, 0]]}], 'forces': [{'name': 'f', 'type': 'actuator', 'body_b': 'x3', 'coordinate': "
        "'rotation_z', 'function': 's'}]");
    dal_document_destroy(doc);
    return st;
}

static void every_failing_allocation_is_survived(void **state)
{
    assert_true(check_every_allocation(scenario, NULL) > 20);
}

static void files_are_read_whole(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    char name[] = "model_on_disk.json";
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs("{\"dalembert\": 1, \"note\": \"", file);
    for (int k = 0; k < 300000; ++k) {
        fputc('x', file);
    }
    fputs("\",\n \"name\": \"from disk\"}\n", file);
    fclose(file);
    check_ok(ctx, dal_document_open(&doc, ctx, name, NULL, 0));
    assert_string_equal(dal_document_name(doc), "from disk");
    dal_document_destroy(doc);
    remove(name);
    check_fails(ctx, dal_document_open(&doc, ctx, ".", NULL, 0), DAL_EIO, ".: ");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_within_lists_are_refused),
        cmocka_unit_test(repetitions_within_repetitions_are_refused),
        cmocka_unit_test(functions_within_functions_are_refused),
        cmocka_unit_test(functions_that_never_end_are_refused),
        cmocka_unit_test(long_names_and_long_chains_of_variables_are_refused),
        cmocka_unit_test(a_thousand_links_are_one_short_file),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(files_are_read_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
