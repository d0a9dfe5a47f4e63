/* Every number of a file that can be bound, by its address: what a program has as a literal does not follow from it. Batches of
 * them are parameters of a program; members of it, set by the library, find their constants and their literals there. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/generate.h"
#include "support/check.h"

enum { BATCH = 32, MOST = 2000, TEXT = 160 };

typedef struct trial {
    dal_ctx *ctx;
    dal_document *doc;
    char (*name)[TEXT];
    double *own;
    int n, started, refused;
} trial;

/* ---- addresses -------------------------------------------------------------------------------- */

static void add(trial *t, const char *address, double own)
{
    dal_binding *b;
    if (t->n < MOST && dal_binding_create(&b, t->ctx, t->doc, &address, 1) == DAL_OK) {
        dal_binding_destroy(b);
        snprintf(t->name[t->n], TEXT, "%s", address);
        t->own[t->n++] = own;
    }
    dal_ctx_clear(t->ctx);
}

static void walk(trial *t, const char *address, json_t *value)
{
    char below[TEXT];
    const char *key;
    json_t *child;
    size_t k;
    if (json_is_number(value)) {
        add(t, address, json_number_value(value));
    }
    json_array_foreach(value, k, child)
    {
        const char *name = json_string_value(json_object_get(child, "name"));
        if (name != NULL) {
            snprintf(below, sizeof below, "%.80s.%.70s", address, name);
        } else {
            snprintf(below, sizeof below, "%.120s.%zu", address, k);
        }
        walk(t, below, child);
    }
    json_object_foreach(value, key, child)
    {
        snprintf(below, sizeof below, "%.80s%s%.70s", address, address[0] != '\0' ? "." : "", key);
        walk(t, below, child);
    }
}

/* ---- programs --------------------------------------------------------------------------------- */

/* A member near the model: its numbers are those of the program. */
static void check_member(trial *t, const dal_program *p, const double *own, int n)
{
    double values[BATCH], *x = calloc((size_t)dal_program_size(p) + 1, sizeof *x);
    assert_non_null(x);
    for (int k = 0; k < n; ++k) {
        values[k] = own[k] + 1e-4 * (1.0 + 0.1 * k) * (own[k] != 0.0 ? own[k] : 1.0);
    }
    if (dal_program_member(p, x, values) == DAL_OK) {
        t->started++;
    } else if (strstr(dal_ctx_message(t->ctx), "a number is") != NULL) {
        fail_msg("%s", dal_ctx_message(t->ctx));
    }
    dal_ctx_clear(t->ctx);
    free(x);
}

/* Numbers from `first` on; where programs do not take one of them, it is found and left out. */
static void check_batch(trial *t, int first, int n)
{
    const char *names[BATCH];
    dal_binding *b;
    dal_program *p = NULL;
    for (int k = 0; k < n; ++k) {
        names[k] = t->name[first + k];
    }
    assert_int_equal(dal_binding_create(&b, t->ctx, t->doc, names, n), DAL_OK);
    const dal_generate_options how = {.name = "gm", .parameters = names, .nparameters = n};
    if (dal_program_create_bound(&p, t->ctx, t->doc, b, t->own + first, &how) == DAL_OK) {
        check_member(t, p, t->own + first, n);
    } else if (n > 1) {
        dal_ctx_clear(t->ctx);
        check_batch(t, first, n / 2);
        check_batch(t, first + n / 2, n - n / 2);
    } else {
        print_message("  %s: %s\n", names[0], dal_ctx_message(t->ctx));
        t->refused++;
        dal_ctx_clear(t->ctx);
    }
    dal_program_destroy(p);
    dal_binding_destroy(b);
}

static void check_model(const char *path)
{
    static const char *const sections[] = {"gravity", "functions", "bodies", "joints", "forces", "outputs"};
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    trial t = {.ctx = check_ctx(), .name = calloc(MOST, sizeof *t.name), .own = calloc(MOST, sizeof *t.own)};
    assert_non_null(root);
    assert_true(t.name != NULL && t.own != NULL);
    assert_int_equal(dal_document_open(&t.doc, t.ctx, path, NULL, 0), DAL_OK);
    for (size_t k = 0; k < LEN(sections); ++k) {
        walk(&t, sections[k], json_object_get(root, sections[k]));
    }
    for (int k = 0; k < t.n; k += BATCH) {
        check_batch(&t, k, t.n - k < BATCH ? t.n - k : BATCH);
    }
    print_message("%s: %d numbers, %d programs, %d refused\n", path, t.n, t.started, t.refused);
    assert_true(t.n > 0 && t.started > 0);
    json_decref(root);
    dal_document_destroy(t.doc);
    dal_ctx_destroy(t.ctx);
    free(t.name);
    free(t.own);
}

static void literals_do_not_follow_from_any_number_of_the_file(void **state)
{
    static const char *const models[] = {"joints_1", "joints_2",    "joints_3",   "joints_4", "rolling",
                                         "drives",   "planar",      "planar_se2", "forces",   "functions",
                                         "laws",     "expressions", "rows",       "gears",    "compliant"};
    for (size_t k = 0; k < LEN(models); ++k) {
        char path[256];
        snprintf(path, sizeof path, DAL_ELEMENTS "/%s.json", models[k]);
        check_model(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(literals_do_not_follow_from_any_number_of_the_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
