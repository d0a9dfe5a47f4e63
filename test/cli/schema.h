/* JSON schema, as much of it as the schemas of docs/format use: type, properties, required, additionalProperties, items,
 * minItems, maxItems. Any other word makes the check fail. */
#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include <jansson.h>

/* The value fits; otherwise the test fails and says where. schema: name of a file in docs/format. */
void schema_check(const json_t *value, const char *schema);

#endif
