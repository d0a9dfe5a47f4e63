/* A judge of JSON schemas, as far as the schema of model files goes: type, enum, const, pattern (a substring after
 * backslashes are taken out), minLength, properties, required, additionalProperties, items, minItems, maxItems, anyOf,
 * $ref within the document. default, unit and enumDescriptions are for people. Anything else in a schema is reported as not understood. */
#ifndef TEST_IO_SCHEMA_H
#define TEST_IO_SCHEMA_H

#include <jansson.h>
#include <stddef.h>

/* 1 if the value fits; otherwise why says where it does not. */
int schema_accepts(json_t *root, json_t *schema, json_t *value, char *why, size_t size);
/* The schema that a $ref stands for, or the schema itself. */
json_t *schema_resolve(json_t *root, json_t *schema);

#endif
