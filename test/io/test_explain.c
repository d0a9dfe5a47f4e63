/* dal_model_explain: every name that it lists has a page with an example, and the examples are right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

static char *page_of(const char *key)
{
    const size_t n = dal_model_explain(NULL, 0, key);
    char *text = calloc(n + 1, 1);
    assert_non_null(text);
    assert_int_equal(dal_model_explain(text, n + 1, key), n);
    return text;
}

/* Does the model without it have what the example speaks of? Files of finite element programs and pieces of bodies stand for themselves. */
static int is_whole(const char *example)
{
    return strncmp(example, "\"flexible\"", 10) != 0 && strncmp(example, "\"matrices\"", 10) != 0 &&
           strncmp(example, "\"interfaces\"", 12) != 0 && strncmp(example, "\"shape\"", 7) != 0 &&
           strncmp(example, "\"simulation\"", 12) != 0 && strncmp(example, "\"dalembert\"", 11) != 0;
}

/* The members of an example beside those that it does not have. */
static void load_example(const char *key, const char *example, size_t n)
{
    static const char bodies[] =
        ", \"bodies\": [{\"name\": \"rod\", \"mass\": 1, \"inertia\": 0.1}, {\"name\": \"load\", \"type\": "
        "\"point\", \"mass\": 1}]";
    static const char joints[] =
        ", \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"axis\": [0, 1, 0]}]";
    char members[2000], text[4000];
    assert_true(n < sizeof members);
    snprintf(members, sizeof members, "%.*s", (int)n, example);
    const int has_bodies = strstr(members, "\"bodies\":") != NULL, has_joints = strstr(members, "\"joints\":") != NULL;
    snprintf(text, sizeof text, "{\"dalembert\": 1, %s%s%s}", members, has_bodies ? "" : bodies,
             has_bodies || has_joints ? "" : joints);
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    if (text_load(&doc, ctx, text) != DAL_OK) {
        fail_msg("%s: %s\n%s", key, dal_ctx_message(ctx), text);
    }
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* Returns whether the example was a model. */
static int check_page(const char *key)
{
    static const char head[] = "An example:\n  ";
    char *page = page_of(key), *example = strstr(page, head);
    int loaded = 0;
    if (page[0] == '\0' || strstr(page, "n example") == NULL) {
        fail_msg("%s: no page, or none with an example: %s", key, page);
    }
    if (example != NULL && is_whole(example + sizeof head - 1)) {
        example += sizeof head - 1;
        load_example(key, example, strcspn(example, "\n"));
        loaded = 1;
    }
    free(page);
    return loaded;
}

static void every_page_has_an_example(void **state)
{
    // lists of elements have their names instead
    static const char *const lists[] = {"bodies", "joints", "forces", "functions", "outputs"};
    char *all = page_of(NULL);
    int pages = 0, loaded = 0;
    (void)state;
    for (char *key = strtok(all, "\n"); key != NULL; key = strtok(NULL, "\n")) {
        int list = 0;
        for (size_t k = 0; k < LEN(lists); ++k) {
            list |= strcmp(key, lists[k]) == 0;
        }
        if (!list) {
            loaded += check_page(key);
            ++pages;
        }
    }
    free(all);
    assert_true(pages > 180);
    assert_true(loaded > 40);
}

/* By the names that they have in a file. */
static void keys_of_the_model_have_pages(void **state)
{
    static const char *const keys[] = {"variables", "words", "gravity",  "parts", "inputs",     "contacts",     "beams",
                                       "events",    "sweep", "assembly", "view",  "simulation", "model.gravity"};
    (void)state;
    for (size_t k = 0; k < LEN(keys); ++k) {
        (void)check_page(keys[k]);
    }
    char *page = page_of("events");
    assert_non_null(strstr(page, "instead of a condition"));
    free(page);
    page = page_of("events.when");
    assert_non_null(strstr(page, "the condition"));
    assert_null(strstr(page, "instead of a condition"));
    free(page);
    assert_int_equal(dal_model_explain(NULL, 0, "model.nothing"), 0);
    assert_int_equal(dal_model_explain(NULL, 0, "events.nothing"), 0);
    assert_int_equal(dal_model_explain(NULL, 0, "nothing"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_has_an_example),
        cmocka_unit_test(keys_of_the_model_have_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
