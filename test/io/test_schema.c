/* The published schema says what the loader does: same keys, same words. */
#include "io/schema.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/contacts.h"
#include "dalembert/elements.h"
#include "dalembert/events.h"
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
    assert_int_equal(dal_builtin_count(), 39);
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

/* An object of a form with everything it needs: a model around it, and its own members without the braces. */
typedef struct form_example {
    const char *definition;
    int alternative; /* which of the objects of the definition */
    const char *before, *members, *after;
} form_example;

#define SHAPE_OF(k, members)                                                                       \
    {                                                                                              \
        "shape", k, "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'shape': {", members, "}}]" \
    }
#define ROTATION_OF(k, members)                                                                          \
    {                                                                                                    \
        "rotation", k, "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'rotation': {", members, "}}]" \
    }
#define INERTIA_OF(k, members)                                                           \
    {                                                                                    \
        "inertia", k, "'bodies': [{'name': 'a', 'mass': 1, 'inertia': {", members, "}}]" \
    }
#define ONE_BODY "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1}]"

static const form_example form_examples[] = {
    ROTATION_OF(0, "'quaternion': [1, 0, 0, 0]"),
    ROTATION_OF(1, "'matrix': [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
    ROTATION_OF(2, "'axis': [0, 0, 1], 'angle': 1"),
    ROTATION_OF(3, "'vector': [0, 0, 1]"),
    ROTATION_OF(4, "'euler': 'zxz', 'angles': [0, 0, 1]"),
    INERTIA_OF(0, "'box': [1, 1, 1]"),
    INERTIA_OF(1, "'rod': 1"),
    INERTIA_OF(2, "'cylinder': [1, 1]"),
    INERTIA_OF(3, "'disk': 1"),
    INERTIA_OF(4, "'sphere': 1"),
    SHAPE_OF(0, "'box': [1, 1, 1]"),
    SHAPE_OF(1, "'ellipsoid': [1, 1, 1]"),
    SHAPE_OF(2, "'sphere': 1"),
    SHAPE_OF(3, "'cylinder': [1, 1]"),
    SHAPE_OF(4, "'cone': [1, 1]"),
    SHAPE_OF(5, "'capsule': [1, 1]"),
    SHAPE_OF(6, "'tube': [[0, 0], [1, 0]], 'radius': 1"),
    {"frame", 0, ONE_BODY ", 'view': {'trails': [{'body': 'a', 'frame': {", "'position': [1, 0]", "}}]}"},
    {"frame", 1, ONE_BODY ", 'view': {'trails': [{'body': 'a', 'frame': {", "'position': [1, 0]", "}}]}"},
    {"trail", 0, ONE_BODY ", 'view': {'trails': [{", "'body': 'a'", "}]}"},
    {"view", 0, ONE_BODY ", 'view': {", "", "}"},
    {"assembly", 0, ONE_BODY ", 'assembly': {", "", "}"},
    {"beam", 0, "'bodies': [{'name': 'a', 'type': 'flexible', 'beam': {",
     "'length': 1, 'E': 1, 'density': 1, 'circle': 1, 'modes': 1, 'kinds': ['bending_y']", "}}]"},
    {"modes", 0, "'bodies': [{'name': 'a', 'type': 'flexible', 'modes': {",
     "'nodes': [[0, 0, 0]], 'masses': [1], 'shapes': [[[1, 0, 0]]], 'stiffness': [1], 'interfaces': [0]", "}}]"},
    {"interface", 0,
     "'bodies': [{'name': 'a', 'type': 'flexible', 'modes': {'nodes': [[0, 0, 0], [1, 0, 0], [0, 1, 0]], 'masses': "
     "[1, 1, 1], 'shapes': [[[1, 0, 0]], [[1, 0, 0]], [[1, 0, 0]]], 'stiffness': [1], 'interfaces': [{",
     "'nodes': [0, 1, 2]", "}]}}]"},
    {"active", 0, ONE_BODY ", 'forces': [{'name': 'f', 'type': 'force', 'body': 'a', 'vector': [1, 0], 'active': {",
     "'from': 1", "}}]"},
    {"input", 0,
     ONE_BODY ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'a'}], 'forces': [{'name': 'f', 'type': "
              "'law', 'joint': 'A', 'value': 'v', 'inputs': {'v': {",
     "'body_b': 'a', 'coordinate': 'translation_x'", "}}}]"},
};

/* A member of the object is null instead of what it was, or in addition. */
static void with_null(char *text, size_t size, const form_example *e, const char *key)
{
    char members[512] = "", quoted[64];
    snprintf(quoted, sizeof quoted, "'%s': ", key);
    const char *at = strstr(e->members, quoted);
    if (at == NULL) {
        snprintf(members, sizeof members, "%s%s%snull", e->members, e->members[0] != '\0' ? ", " : "", quoted);
    } else {
        // up to the comma that is not inside of a list
        const char *end = at + strlen(quoted);
        for (int depth = 0; *end != '\0' && (depth > 0 || *end != ','); ++end) {
            depth += (*end == '[') - (*end == ']');
        }
        snprintf(members, sizeof members, "%.*s%snull%s", (int)(at - e->members), e->members, quoted, end);
    }
    snprintf(text, size, "%s%s%s", e->before, members, e->after);
}

/* Object number k of a definition. */
static json_t *object_of(json_t *schema, const char *definition, int k)
{
    json_t *any = json_object_get(json_object_get(json_object_get(schema, "$defs"), definition), "anyOf"), *one;
    size_t i;
    json_array_foreach(any, i, one)
    {
        if (json_object_get(one, "properties") != NULL && k-- == 0) {
            return one;
        }
    }
    fail_msg("the schema has no such object '%s'", definition);
    return NULL;
}

/* What the schema lists the loader reads: null is refused, by the name of the key. */
static int heeded(dal_ctx *ctx, const form_example *e, json_t *object)
{
    char text[1024], path[64];
    const char *key;
    json_t *value;
    dal_document *doc;
    int n = 0;
    json_object_foreach(json_object_get(object, "properties"), key, value)
    {
        if (strcmp(key, "note") == 0) {
            continue;
        }
        with_null(text, sizeof text, e, key);
        if (text_body(&doc, ctx, text) == DAL_OK) {
            fail_msg("%s: '%s' is not looked at: %s", e->definition, key, text);
        }
        snprintf(path, sizeof path, "/%s: ", key);
        if (strstr(dal_ctx_message(ctx), path) == NULL) {
            fail_msg("%s: '%s': %s", e->definition, key, dal_ctx_message(ctx));
        }
        ++n;
    }
    return n;
}

static void every_key_inside_elements_is_read_and_others_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    json_t *schema = load_schema();
    int n = 0;
    for (size_t k = 0; k < LEN(form_examples); ++k) {
        const form_example *e = &form_examples[k];
        char text[1024];
        dal_document *doc;
        snprintf(text, sizeof text, "%s%s%s", e->before, e->members, e->after);
        check_ok(ctx, text_body(&doc, ctx, text));
        dal_document_destroy(doc);
        n += heeded(ctx, e, object_of(schema, e->definition, e->alternative));
        with_null(text, sizeof text, e, "xyzzy");
        check_fails(ctx, text_body(&doc, ctx, text), DAL_EINVAL, "has no 'xyzzy'");
    }
    assert_true(n > 100);
    json_decref(schema);
    check_ctx_free(ctx);
}

/* Elements of all lists may be repeated. */
static void lists_take_repetitions(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'bead', 'mass': 1, 'inertia': 1, 'position': [0.4, 1, 0]},"
        "  {'repeat': 'i', 'to': 2, 'items': [{'name': 'b{i}', 'mass': 1, 'inertia': 1, 'position': ['2*i', 0, 1], "
        "'shape': "
        "  [{'repeat': 'k', 'to': 3, 'items': [{'sphere': '0.1*k', 'frame': ['0.2*k', 0, 0]}]}]}]}],"
        " 'beams': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'a{i}', 'from': [0, 'i', 0], 'to': [1, 'i', 0], "
        "'section': "
        "{'circle': 0.1, 'E': 1e9, 'nu': 0.3, 'density': 1000}, 'loads': [{'repeat': 'k', 'to': 2, 'items': "
        "[{'vector': [0, 0, "
        "'k']}]}], 'slides': [{'repeat': 'k', 'from': 1, 'to': 'if(i < 2, 1, 0)', 'items': [{'body': 'bead'}]}]}]}],"
        " 'joints': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'j{i}', 'type': 'revolute', 'body_b': 'b{i}'}]}],"
        " 'forces': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'f{i}', 'type': 'spring', 'body_b': 'a{i}@0.3', "
        "'stiffness': 1}]}],"
        " 'contacts': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'c{i}', 'bodies': ['b{i}'], 'planes': [{'repeat': "
        "'k', 'to': "
        "4, 'with': {'phi': 'k*pi/2'}, 'items': [{'position': ['-9*cos(phi)', '-9*sin(phi)', 0], 'axis': ['cos(phi)', "
        "'sin(phi)', 0]}]}], 'pairs': [{'repeat': 'k', 'to': 2, 'items': [{'a': ['b{i}'], 'mu': '0.1*k'}]}]}]}],"
        " 'parts': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'p{i}', 'use': 'pendulum'}]}],"
        " 'view': {'trails': [{'repeat': 'i', 'to': 2, 'items': ['b{i}']}]},"
        " 'outputs': [{'repeat': 'i', 'to': 2, 'items': ['b{i}.position', 'a{i}@0.7.position', "
        "'a{i}@0.375.position']}],"
        " 'events': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'e{i}', 'when': 'j{i}.coordinate > i', 'off': "
        "'f{i}'}]}]}";
    dal_ctx *ctx = check_ctx();
    json_t *schema = load_schema();
    char whole[sizeof text], why[256] = "";
    dal_document *doc;
    const dal_system *sys;
    for (size_t k = 0; k < sizeof text; ++k) {
        whole[k] = (char)(text[k] == '\'' ? '"' : text[k]);
    }
    if (!fits(schema, whole, strlen(whole), why, sizeof why)) {
        fail_msg("%s", why);
    }
    check_ok(ctx, text_load(&doc, ctx, text));
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
    assert_int_equal(dal_model_contacts_count(dal_document_model(doc)), 2);
    assert_int_equal(dal_model_event_count(dal_document_model(doc)), 2);
    double radius = 0.0;
    int body, shapes = 0;
    for (int k = 0; dal_model_shape(dal_document_model(doc), &body, k) != NULL; ++k) {
        const dal_shape *shape = dal_model_shape(dal_document_model(doc), &body, k);
        shapes += !shape->swept && shape->kind == DAL_SHAPE_SPHERE;
        radius += !shape->swept && shape->kind == DAL_SHAPE_SPHERE ? shape->radius : 0.0;
    }
    assert_in_range(shapes, 6, 8); // and those of the pendulums
    assert_true(radius >= 1.2);
    dal_document_destroy(doc);
    json_decref(schema);
    check_ctx_free(ctx);
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
        "{\"dalembert\": 1, \"simulation\": {\"t_ned\": 1}}",
        "{\"dalembert\": 1, \"simulation\": {\"integratr\": \"rk\"}}",
        "{\"dalembert\": 1, \"simulation\": {\"integrator\": \"rkk\"}}",
        "{\"dalembert\": 1, \"simulation\": {\"h\": [1, 2]}}",
        "{\"dalembert\": 1, \"sweep\": {\"vray\": {}}}",
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

/* An option by name, with its default as text and as what a file has for flags. */
static void every_option_fits_the_schema(void **state)
{
    const dal_option_table *table = dal_options_table();
    const dal_options opt = dal_options_init();
    json_t *schema = load_schema();
    for (int k = 0; k < table->n; ++k) {
        char value[256], model[512], why[256] = "";
        dal_options_format(value, sizeof value, &table->option[k], &opt);
        snprintf(model, sizeof model, "{\"dalembert\": 1, \"simulation\": {\"%s\": \"%s\"}}", table->option[k].name,
                 value);
        if (!fits(schema, model, strlen(model), why, sizeof why)) {
            fail_msg("%s: %s", model, why);
        }
        snprintf(model, sizeof model, "{\"dalembert\": 1, \"simulation\": {\"%s\": true}}", table->option[k].name);
        assert_int_equal(fits(schema, model, strlen(model), why, sizeof why), table->option[k].kind == DAL_OPTION_FLAG);
    }
    json_decref(schema);
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
    assert_int_equal(examples, 13);
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
        cmocka_unit_test(every_key_inside_elements_is_read_and_others_are_refused),
        cmocka_unit_test(lists_take_repetitions),
        cmocka_unit_test(what_the_loader_refuses_for_its_form_the_schema_refuses),
        cmocka_unit_test(every_option_fits_the_schema),
        cmocka_unit_test(examples_of_the_manual_fit_load_and_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
