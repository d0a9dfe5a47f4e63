#include "io/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct judge {
    json_t *root;
    char *why;
    size_t size;
} judge;

static int accepts(const judge *j, json_t *schema, json_t *value);

static int refuse(const judge *j, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(j->why, j->size, format, args);
    va_end(args);
    return 0;
}

json_t *schema_resolve(json_t *root, json_t *schema)
{
    static const char prefix[] = "#/$defs/";
    const char *ref = json_string_value(json_object_get(schema, "$ref"));
    if (ref == NULL || strncmp(ref, prefix, strlen(prefix)) != 0) {
        return schema;
    }
    return json_object_get(json_object_get(root, "$defs"), ref + strlen(prefix));
}

static int is_type(const char *type, json_t *value)
{
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                          : 0;
}

static int accepts_object(const judge *j, json_t *schema, json_t *value)
{
    size_t k;
    json_t *need;
    json_array_foreach(json_object_get(schema, "required"), k, need)
    {
        if (json_object_get(value, json_string_value(need)) == NULL) {
            return refuse(j, "%s is missing", json_string_value(need));
        }
    }
    json_t *properties = json_object_get(schema, "properties");
    json_t *others = json_object_get(schema, "additionalProperties");
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        json_t *known = json_object_get(properties, key);
        if (known == NULL && json_is_false(others)) {
            return refuse(j, "%s is not allowed", key);
        }
        known = known != NULL ? known : others;
        if (known != NULL && !accepts(j, known, member)) {
            return 0;
        }
    }
    return 1;
}

static int accepts_array(const judge *j, json_t *schema, json_t *value)
{
    json_t *min = json_object_get(schema, "minItems"), *max = json_object_get(schema, "maxItems");
    json_t *items = json_object_get(schema, "items");
    const json_int_t n = (json_int_t)json_array_size(value);
    if ((min && n < json_integer_value(min)) || (max && n > json_integer_value(max))) {
        return refuse(j, "a list of %d elements", (int)n);
    }
    size_t k;
    json_t *element;
    json_array_foreach(value, k, element)
    {
        if (items != NULL && !accepts(j, items, element)) {
            return 0;
        }
    }
    return 1;
}

static int accepts_string(const judge *j, json_t *schema, json_t *value)
{
    const char *text = json_string_value(value), *pattern = json_string_value(json_object_get(schema, "pattern"));
    if (pattern != NULL && strstr(text, pattern + (pattern[0] == '\\')) == NULL) {
        return refuse(j, "'%s' does not contain %s", text, pattern);
    }
    return strlen(text) >= (size_t)json_integer_value(json_object_get(schema, "minLength")) ||
           refuse(j, "an empty text");
}

/* One of a list of schemas or of values fits. */
static int accepts_any(const judge *j, json_t *schema, json_t *value)
{
    size_t k;
    json_t *one, *any = json_object_get(schema, "anyOf"), *words = json_object_get(schema, "enum");
    json_array_foreach(words, k, one)
    {
        if (json_equal(one, value)) {
            return 1;
        }
    }
    json_array_foreach(any, k, one)
    {
        if (accepts(j, one, value)) {
            return 1;
        }
    }
    if (words != NULL) {
        return refuse(j, "'%s' is not one of the words", json_is_string(value) ? json_string_value(value) : "?");
    }
    return any == NULL;
}

static int understood(const judge *j, json_t *schema)
{
    static const char *const keys[] = {"$schema",  "$id",       "$defs",
                                       "$ref",     "title",     "description",
                                       "type",     "enum",      "const",
                                       "pattern",  "minLength", "properties",
                                       "required", "minItems",  "maxItems",
                                       "items",    "anyOf",     "additionalProperties",
                                       "default",  "unit",      "enumDescriptions",
                                       "range"};
    const char *key;
    json_t *value;
    json_object_foreach(schema, key, value)
    {
        size_t k = 0;
        while (k < sizeof(keys) / sizeof(keys[0]) && strcmp(keys[k], key) != 0) {
            ++k;
        }
        if (k == sizeof(keys) / sizeof(keys[0])) {
            return refuse(j, "the schema's %s is not understood", key);
        }
    }
    return 1;
}

/* Bounds stand beside a $ref, and are for numbers. */
static int within(const judge *j, json_t *schema, json_t *value)
{
    static const struct {
        const char *key;
        double sign;
        int or_equal;
    } bound[] = {
        {"minimum", 1.0, 1}, {"exclusiveMinimum", 1.0, 0}, {"maximum", -1.0, 1}, {"exclusiveMaximum", -1.0, 0}};
    for (size_t k = 0; k < sizeof(bound) / sizeof(bound[0]) && json_is_number(value); ++k) {
        const json_t *limit = json_object_get(schema, bound[k].key);
        const double room = bound[k].sign * (json_number_value(value) - json_number_value(limit));
        if (limit != NULL && !(bound[k].or_equal ? room >= 0.0 : room > 0.0)) {
            return refuse(j, "%g is outside the %s", json_number_value(value), bound[k].key);
        }
    }
    return 1;
}

static int accepts(const judge *j, json_t *schema, json_t *value)
{
    if (!within(j, schema, value)) {
        return 0;
    }
    schema = schema_resolve(j->root, schema);
    if (!json_is_object(schema) || !understood(j, schema)) {
        return refuse(j, "not a schema that is understood");
    }
    const char *type = json_string_value(json_object_get(schema, "type"));
    json_t *constant = json_object_get(schema, "const");
    if (type != NULL && !is_type(type, value)) {
        return refuse(j, "expected %s", type);
    }
    if (constant != NULL && !json_equal(constant, value)) {
        return refuse(j, "not the constant");
    }
    if (!accepts_any(j, schema, value)) {
        return 0;
    }
    return json_is_object(value)   ? accepts_object(j, schema, value)
           : json_is_array(value)  ? accepts_array(j, schema, value)
           : json_is_string(value) ? accepts_string(j, schema, value)
                                   : 1;
}

int schema_accepts(json_t *root, json_t *schema, json_t *value, char *why, size_t size)
{
    const judge j = {.root = root, .why = why, .size = size};
    return accepts(&j, schema, value);
}
