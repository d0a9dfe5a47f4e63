#include "cli/schema.h"

#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

static void complain(const char *path, const char *what)
{
    print_error("%s: %s\n", path[0] != '\0' ? path : "/", what);
    fail();
}

static int is_type(const json_t *value, const char *type)
{
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value));
}

static void check_type(const json_t *value, const json_t *type, const char *path)
{
    int good = json_is_string(type) && is_type(value, json_string_value(type));
    for (size_t i = 0; i < json_array_size(type); ++i) {
        good |= is_type(value, json_string_value(json_array_get(type, i)));
    }
    if (!good) {
        complain(path, "wrong type");
    }
}

static void check_value(const json_t *value, const json_t *schema, const char *path);

static void check_members(const json_t *value, const json_t *schema, const char *path)
{
    const json_t *known = json_object_get(schema, "properties"),
                 *others = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        char below[512];
        snprintf(below, sizeof below, "%s/%s", path, key);
        const json_t *rule = json_object_get(known, key);
        if (rule == NULL && json_is_false(others)) {
            complain(below, "unknown member");
        }
        rule = rule != NULL ? rule : others;
        if (json_is_object(rule)) {
            check_value(member, rule, below);
        }
    }
}

static void check_list(const json_t *value, const json_t *schema, const char *path)
{
    const json_t *items = json_object_get(schema, "items"), *min = json_object_get(schema, "minItems");
    const json_t *max = json_object_get(schema, "maxItems");
    const size_t n = json_array_size(value);
    if ((min != NULL && n < (size_t)json_integer_value(min)) || (max != NULL && n > (size_t)json_integer_value(max))) {
        complain(path, "wrong number of items");
    }
    for (size_t i = 0; items != NULL && i < n; ++i) {
        check_value(json_array_get(value, i), items, path);
    }
}

static void check_value(const json_t *value, const json_t *schema, const char *path)
{
    static const char words[] = " $schema title type properties required additionalProperties items minItems maxItems ";
    const char *key;
    json_t *rule;
    json_object_foreach((json_t *)schema, key, rule)
    {
        char word[64];
        snprintf(word, sizeof word, " %.60s ", key);
        if (strstr(words, word) == NULL) {
            complain(path, "a word of JSON schema that this test does not know");
        }
    }
    check_type(value, json_object_get(schema, "type"), path);
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); ++i) {
        if (json_object_get(value, json_string_value(json_array_get(required, i))) == NULL) {
            complain(path, json_string_value(json_array_get(required, i)));
        }
    }
    if (json_is_object(value)) {
        check_members(value, schema, path);
    } else if (json_is_array(value)) {
        check_list(value, schema, path);
    }
}

void schema_check(const json_t *value, const char *schema)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/docs/format/%s", DAL_SOURCE, schema);
    json_t *document = json_load_file(path, 0, &error);
    assert_non_null(document);
    check_value(value, document, "");
    json_decref(document);
}
