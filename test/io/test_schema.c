/* The published schema says what the loader does: same keys, same words. */
#include "io/schema.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/elements.h"
#include "io/text.h"
#include "support/check.h"

static json_t *load_schema(void)
{
    static char text[1 << 18];
    json_error_t error;
    const size_t n = dal_model_schema(NULL, 0);
    assert_true(n < sizeof text);
    assert_int_equal(dal_model_schema(text, sizeof text), n);
    assert_int_equal(strlen(text), n);
    json_t *schema = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (schema == NULL) {
        fail_msg("the schema, line %d: %s", error.line, error.text);
    }
    return schema;
}

static int fits(json_t *schema, const char *text, size_t n, char *why, size_t size)
{
    json_error_t error;
    json_t *model = json_loadb(text, n, 0, &error);
    assert_non_null(model);
    const int ok = schema_accepts(schema, schema, model, why, size);
    json_decref(model);
    return ok;
}

static void built_in_models_fit_the_schema(void **state)
{
    json_t *schema = load_schema();
    assert_int_equal(dal_builtin_count(), 24);
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin model = dal_builtin_model(k);
        char why[256] = "";
        if (!fits(schema, model.text, model.n, why, sizeof(why))) {
            fail_msg("%s: %s", model.name, why);
        }
    }
    json_decref(schema);
}

static void built_in_models_load_and_are_named_like_their_files(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin model = dal_builtin_model(k);
        dal_document *doc;
        const dal_system *sys;
        check_ok(ctx, dal_document_open(&doc, ctx, model.name, NULL, 0));
        assert_string_equal(dal_document_name(doc), model.name);
        assert_string_equal(dal_document_title(doc), model.title);
        check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
        check_ok(ctx, dal_system_validate(ctx, sys));
        dal_document_destroy(doc);
    }
    check_ctx_free(ctx);
}

/* The words of a property: its enum, or that of its first alternative. */
static json_t *words_of(json_t *property)
{
    json_t *words = json_object_get(property, "enum");
    return words != NULL ? words : json_object_get(json_array_get(json_object_get(property, "anyOf"), 0), "enum");
}

/* Does the loader know the key for this kind of element? Its message says so before it looks at values. */
static int loader_knows(dal_ctx *ctx, const char *list, const char *selector, const char *word, const char *key)
{
    char text[512], refusal[128];
    dal_document *doc;
    snprintf(text, sizeof(text), "'%s': [{'%s': '%s'%s%s%s}]", list, selector, word,
             strcmp(key, selector) == 0 ? "" : ", '", strcmp(key, selector) == 0 ? "" : key,
             strcmp(key, selector) == 0 ? "" : "': null");
    if (text_body(&doc, ctx, text) == DAL_OK) {
        dal_document_destroy(doc);
        return 1;
    }
    snprintf(refusal, sizeof(refusal), "has no '%s'", key);
    return strstr(dal_ctx_message(ctx), refusal) == NULL;
}

/* One word of one variant with the keys of another. Returns their number. */
static int compare_word(dal_ctx *ctx, const char *list, const char *selector, const char *word, json_t *properties,
                        json_t *other)
{
    const char *key;
    json_t *value;
    int compared = 0;
    json_object_foreach(json_object_get(other, "properties"), key, value)
    {
        const int known = json_object_get(properties, key) != NULL;
        if (strcmp(key, "repeat") != 0 && loader_knows(ctx, list, selector, word, key) != known) {
            fail_msg("%s: %s: the schema %s '%s'", list, word, known ? "has" : "lacks", key);
        }
        ++compared;
    }
    return compared;
}

/* For each variant of an element, each of its words and each key of any variant. */
static void compare_keys(const char *definition, const char *list, const char *selector)
{
    dal_ctx *ctx = check_ctx();
    json_t *schema = load_schema();
    json_t *variants = json_object_get(json_object_get(json_object_get(schema, "$defs"), definition), "anyOf");
    size_t a, b, w;
    json_t *variant, *other, *word;
    int words = 0, compared = 0;
    json_array_foreach(variants, a, variant)
    {
        json_t *properties = json_object_get(variant, "properties");
        json_array_foreach(words_of(json_object_get(properties, selector)), w, word)
        {
            ++words;
            json_array_foreach(variants, b, other)
            {
                compared += compare_word(ctx, list, selector, json_string_value(word), properties, other);
            }
        }
    }
    int types = 0;
    for (int k = 0; k < dal_element_type_count(); ++k) {
        types += strcmp(dal_element_type_at(k).section, list) == 0;
    }
    assert_int_equal(words, types);
    assert_true(compared > words);
    json_decref(schema);
    check_ctx_free(ctx);
}

static void the_keys_of_the_schema_are_those_of_the_loader(void **state)
{
    compare_keys("body", "bodies", "type");
    compare_keys("joint", "joints", "type");
    compare_keys("force", "forces", "type");
    compare_keys("output", "outputs", "quantity");
}

/* The lists that schema, manual and other languages are made from. */
static void every_type_has_a_text_and_keys_that_differ(void **state)
{
    int count[5] = {0};
    static const char *const sections[] = {"bodies", "joints", "forces", "functions", "outputs"};
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type type = dal_element_type_at(k);
        for (size_t s = 0; s < LEN(sections); ++s) {
            count[s] += strcmp(type.section, sections[s]) == 0;
        }
        assert_int_equal(dal_element_type_find(type.section, type.name), k);
        assert_true(strlen(type.text) > 0);
        for (int i = 0; i < dal_element_key_count(&type); ++i) {
            const dal_key *key = dal_element_key(&type, i);
            assert_true(strlen(key->name) > 0 && strlen(key->text) > 0);
            assert_non_null(key->unit);
            assert_non_null(dal_key_kind_name(key->kind));
            assert_int_equal(key->kind == DAL_KEY_CHOICE || key->kind == DAL_KEY_CHOICES, key->words != NULL);
            for (int j = 0; j < i; ++j) {
                assert_string_not_equal(key->name, dal_element_key(&type, j)->name);
            }
        }
        assert_null(dal_element_key(&type, dal_element_key_count(&type)));
    }
    for (size_t s = 0; s < LEN(sections); ++s) {
        assert_true(count[s] >= 8);
    }
    assert_null(dal_element_type_at(dal_element_type_count()).name);
    assert_null(dal_element_type_at(-1).name);
    assert_int_equal(dal_element_type_find("joints", "spring"), -1);
}

static void what_the_loader_refuses_for_its_form_the_schema_refuses(void **state)
{
    static const char *const models[] = {
        "{}",
        "{\"dalembert\": 2}",
        "{\"dalembert\": 1, \"bodis\": []}",
        "{\"dalembert\": 1, \"gravity\": [1]}",
        "{\"dalembert\": 1, \"gravity\": 9.81}",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\"}]}",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"type\": \"r3s03\"}]}",
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"rotation\": [1, 0, 0]}]}",
        "{\"dalembert\": 1, \"joints\": [{\"name\": \"a\", \"type\": \"spherical\", \"pitch\": 1}]}",
        "{\"dalembert\": 1, \"forces\": [{\"name\": \"a\", \"type\": \"torque\", \"body\": \"b\"}]}",
        "{\"dalembert\": 1, \"functions\": {\"f\": {\"type\": \"harmonic\", \"amplitude\": 1}}}",
        "{\"dalembert\": 1, \"outputs\": [{\"quantity\": \"energy\", \"body\": \"b\"}]}",
    };
    dal_ctx *ctx = check_ctx();
    json_t *schema = load_schema();
    for (size_t k = 0; k < LEN(models); ++k) {
        dal_document *doc;
        char why[256];
        assert_false(fits(schema, models[k], strlen(models[k]), why, sizeof(why)));
        assert_int_not_equal(dal_document_parse(&doc, ctx, models[k], strlen(models[k]), "test", NULL, 0), DAL_OK);
    }
    json_decref(schema);
    check_ctx_free(ctx);
}

static void examples_of_the_manual_fit_load_and_compile(void **state)
{
    static char page[1 << 16];
    dal_ctx *ctx = check_ctx();
    json_t *schema = load_schema();
    FILE *file = fopen(MODEL_PAGE, "rb");
    assert_non_null(file);
    page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
    fclose(file);
    int examples = 0;
    for (const char *at = page; (at = strstr(at, "```json\n")) != NULL; ++examples) {
        dal_document *doc;
        const dal_system *sys;
        char why[256] = "";
        at += strlen("```json\n");
        const size_t n = (size_t)(strstr(at, "\n```") - at);
        if (!fits(schema, at, n, why, sizeof(why))) {
            fail_msg("example %d of %s: %s", examples, MODEL_PAGE, why);
        }
        check_ok(ctx, dal_document_parse(&doc, ctx, at, n, "example", NULL, 0));
        check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
        dal_document_destroy(doc);
    }
    assert_int_equal(examples, 8);
    json_decref(schema);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_models_fit_the_schema),
        cmocka_unit_test(built_in_models_load_and_are_named_like_their_files),
        cmocka_unit_test(the_keys_of_the_schema_are_those_of_the_loader),
        cmocka_unit_test(every_type_has_a_text_and_keys_that_differ),
        cmocka_unit_test(what_the_loader_refuses_for_its_form_the_schema_refuses),
        cmocka_unit_test(examples_of_the_manual_fit_load_and_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
