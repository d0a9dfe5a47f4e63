/* The JSON schema of model files. Whatever has keys is written from the tables of these: elements, of which types with the
 * same keys share a form, and other objects (forms.c). The kinds of values are a file, schema.json.in, with marks where the
 * rest comes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/embedded.h"
#include "io/io_impl.h"

/* Text with a place to go, as far as there is room. */
typedef struct writer {
    char *text;
    size_t size, n;         /* n: written so far, room or not */
    const char *definition; /* which one is being written */
} writer;

static void put(writer *w, const char *format, ...) DAL_PRINTF(2, 3);
static void put(writer *w, const char *format, ...)
{
    va_list args;
    const size_t left = w->n < w->size ? w->size - w->n : 0;
    va_start(args, format);
    const int n = vsnprintf(left > 0 ? w->text + w->n : NULL, left, format, args);
    va_end(args);
    w->n += n > 0 ? (size_t)n : 0;
}

/* A text in quotes. */
static void put_text(writer *w, const char *text)
{
    put(w, "\"");
    for (; *text != '\0'; ++text) {
        put(w, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    }
    put(w, "\"");
}

static void put_words(writer *w, const char *const *words, int n)
{
    put(w, "[");
    for (int k = 0; k < n; ++k) {
        put(w, "%s", k > 0 ? ", " : "");
        put_text(w, words[k]);
    }
    put(w, "]");
}

/* ---- values ----------------------------------------------------------------------------------- */

#define NUMBER "{\"$ref\": \"#/$defs/number\"}"
#define TEXT "{\"$ref\": \"#/$defs/text\"}"

/* What a value of a kind must be, where its key does not matter. */
static const char *form_of(dal_key_kind kind)
{
    switch (kind) {
    case DAL_KEY_NUMBER:
    case DAL_KEY_WHOLE:
    case DAL_KEY_EXPRESSION: // of more than variables
    case DAL_KEY_COEFFICIENT:
        return "\"$ref\": \"#/$defs/number\"";
    case DAL_KEY_VECTOR:
        return "\"$ref\": \"#/$defs/vector\"";
    case DAL_KEY_FLAG:
        return "\"type\": \"boolean\"";
    case DAL_KEY_COORDINATE:
        return "\"$ref\": \"#/$defs/coordinate\"";
    case DAL_KEY_FUNCTION:
        return "\"$ref\": \"#/$defs/function_reference\"";
    case DAL_KEY_FRAME:
        return "\"$ref\": \"#/$defs/frame\"";
    case DAL_KEY_ROTATION:
        return "\"$ref\": \"#/$defs/rotation\"";
    case DAL_KEY_SPIN:
        return "\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, " NUMBER "]";
    case DAL_KEY_INERTIA:
        return "\"$ref\": \"#/$defs/inertia\"";
    case DAL_KEY_SHAPES:
        return "\"$ref\": \"#/$defs/shapes\"";
    case DAL_KEY_BEAM:
        return "\"$ref\": \"#/$defs/beam\"";
    case DAL_KEY_MODES:
        return "\"$ref\": \"#/$defs/modes\"";
    case DAL_KEY_ACTIVE:
        return "\"$ref\": \"#/$defs/active\"";
    case DAL_KEY_BODIES:
        return "\"type\": \"array\", \"items\": " TEXT ", \"minItems\": 1, \"maxItems\": 2";
    case DAL_KEY_ROWS:
        return "\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": " NUMBER
               ", \"minItems\": 6, \"maxItems\": 13}, \"minItems\": 1, \"maxItems\": 6";
    case DAL_KEY_INPUTS:
        return "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/input\"}";
    case DAL_KEY_FUNCTIONS:
        return "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/function_reference\"}, \"minItems\": 1, "
               "\"maxItems\": 64";
    case DAL_KEY_COLUMN:
        return "\"anyOf\": [{\"type\": \"array\", \"items\": " NUMBER
               ", \"minItems\": 1, \"maxItems\": 100000}, " NUMBER ", " TEXT "]";
    default: // a text, the name of a body or of a file
        return "\"$ref\": \"#/$defs/text\"";
    }
}

static int count_words(const char *const *words)
{
    int n = 0;
    while (words[n] != NULL) {
        ++n;
    }
    return n;
}

/* Lists within lists. */
static void put_array(writer *w, int depth)
{
    put(w, "\"type\": \"array\", \"items\": ");
    if (depth > 1) {
        put(w, "{");
        put_array(w, depth - 1);
        put(w, "}");
    } else {
        put(w, NUMBER);
    }
}

/* The bounds of a range that are numbers, as the schema says them: one that is not required may be 0. */
static void put_bounds(writer *w, const dal_key *key)
{
    for (const char *at = key->range; at != NULL && (*at == '<' || *at == '>'); at += strspn(at, " ")) {
        const int or_equal = at[1] == '=';
        const char *const operand = at + (or_equal ? 3 : 2);
        const int n = (int)strcspn(operand, " "), low = *at == '>';
        at = operand + n;
        if (strspn(operand, "-.0123456789") == (size_t)n) {
            const int zero = low && !key->required;
            put(w, ", \"%s\": %.*s",
                zero || or_equal ? (low ? "minimum" : "maximum")
                : low            ? "exclusiveMinimum"
                                 : "exclusiveMaximum",
                zero ? 1 : n, zero ? "0" : operand);
        }
    }
}

static void put_form(writer *w, const dal_key *key)
{
    switch (key->kind) {
    case DAL_KEY_NUMBER:
        put(w, "\"$ref\": \"#/$defs/number\"");
        put_bounds(w, key);
        return;
    case DAL_KEY_NUMBERS:
        put(w, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"");
        put_bounds(w, key);
        put(w, "}, \"minItems\": %d, \"maxItems\": %d", key->n, key->n);
        return;
    case DAL_KEY_LIST:
        put(w, "\"type\": \"array\", \"items\": " NUMBER);
        put(w, "%s", key->required ? ", \"minItems\": 1, \"maxItems\": 100000" : "");
        return;
    case DAL_KEY_CHOICE:
        put(w, "\"anyOf\": [{\"enum\": ");
        put_words(w, key->words, count_words(key->words));
        put(w, "}, {\"$ref\": \"#/$defs/word\"}]");
        return;
    case DAL_KEY_CHOICES:
        put(w, "\"type\": \"array\", \"items\": {\"enum\": ");
        put_words(w, key->words, count_words(key->words));
        put(w, "}, \"minItems\": 1, \"maxItems\": %d", count_words(key->words));
        return;
    case DAL_KEY_ARRAY:
        put_array(w, key->n);
        return;
    case DAL_KEY_VALUE:
        if (strcmp(key->form, "items") == 0) {
            put(w, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}", w->definition);
        } else {
            put(w, "\"$ref\": \"#/$defs/%s\"", key->form);
        }
        return;
    default:
        put(w, "%s", form_of(key->kind));
    }
}

/* What a value is: its form, what it means, its unit, its default. */
static void put_value(writer *w, const dal_key *key)
{
    put_form(w, key);
    put(w, ", \"description\": ");
    put_text(w, key->text);
    if (key->unit[0] != '\0') {
        put(w, ", \"unit\": \"%s\"", key->unit);
    }
    if (key->range != NULL) {
        put(w, ", \"range\": \"%s\"", key->range);
    }
    if (key->preset != NULL) {
        put(w, ", \"default\": %s", key->preset);
    }
}

/* The keys of an object, the required ones, and that there are no others. selector: a key that its section has besides, NULL:
 * none. */
static void put_keys(writer *w, const dal_element_type *type, const char *selector)
{
    const int n = dal_element_key_count(type);
    for (int k = 0; k < n; ++k) {
        const dal_key *key = dal_element_key(type, k);
        put(w, "            \"%s\": {", key->name);
        put_value(w, key);
        put(w, "},\n");
    }
    put(w, "            \"note\": {\"description\": \"ignored: a remark\"}\n          },\n          \"required\": [");
    const char *comma = "";
    if (selector != NULL) {
        put_text(w, selector);
        comma = ", ";
    }
    for (int k = 0; k < n; ++k) {
        const dal_key *key = dal_element_key(type, k);
        if (key->required) {
            put(w, "%s\"%s\"", comma, key->name);
            comma = ", ";
        }
    }
    put(w, "],\n");
}

/* ---- forms of elements ------------------------------------------------------------------------ */

/* One section of a file. */
typedef struct section {
    const char *name, *definition, *selector, *what;
    const char *text; /* the form that is a text; NULL: there is none */
} section;

static const section sections[] = {
    {"functions", "function", "type", "type of the function", "an expression of t (or x, which is the same)"},
    {"bodies", "body", "type", "coordinates", NULL},
    {"joints", "joint", "type", "type of the joint", NULL},
    {"forces", "force", "type", "type of the force", NULL},
    {"outputs", "output", "quantity", "what",
     "\"body.quantity\", \"joint.quantity\", \"force.quantity\", or a quantity of the model; with a component, "
     "\"motor.torque.z\""},
};

static int same_form(const dal_element_type *a, const dal_element_type *b)
{
    return strcmp(a->section, b->section) == 0 && a->keys == b->keys && a->place == b->place;
}

/* The types with the keys of `first`, which is the first of them. */
static int group_of(const dal_element_type *first, const char *names[IO_TYPES_MAX], const char *texts[IO_TYPES_MAX])
{
    int n = 0;
    for (int k = 0; k < dal_element_type_count() && n < IO_TYPES_MAX; ++k) {
        const dal_element_type type = dal_element_type_at(k);
        if (same_form(&type, first)) {
            if (n == 0 && strcmp(type.name, first->name) != 0) {
                return 0;
            }
            names[n] = type.name;
            texts[n++] = type.text;
        }
    }
    return n;
}

/* "type": which ones have this form; what each is, if they differ. */
static void put_selector(writer *w, const section *s, const char *const *names, const char *const *texts, int n)
{
    put(w, "            \"%s\": {\"description\": \"%s\", \"anyOf\": [{\"enum\": ", s->selector, s->what);
    put_words(w, names, n);
    if (n > 1 && strcmp(texts[0], texts[1]) != 0) {
        put(w, ", \"enumDescriptions\": ");
        put_words(w, texts, n);
    }
    put(w, "}, {\"$ref\": \"#/$defs/word\"}]},\n");
}

/* Alternatives "mass|density shape". */
static void put_one_of(writer *w, const char *one_of)
{
    put(w, "          \"anyOf\": [{\"required\": [\"");
    for (; *one_of != '\0'; ++one_of) {
        if (*one_of == '|') {
            put(w, "\"]}, {\"required\": [\"");
        } else if (*one_of == ' ') {
            put(w, "\", \"");
        } else {
            put(w, "%c", *one_of);
        }
    }
    put(w, "\"]}],\n");
}

static void put_type(writer *w, const section *s, const dal_element_type *type)
{
    const char *names[IO_TYPES_MAX], *texts[IO_TYPES_MAX];
    const int n = group_of(type, names, texts), one = n == 1 || (n > 1 && strcmp(texts[0], texts[1]) == 0);
    if (n == 0) {
        return; // has been written with the first of its group
    }
    put(w, "        {\n          \"type\": \"object\",\n          \"description\": ");
    put_text(w, one                                      ? type->text
                : strcmp(s->definition, "body") == 0     ? "A rigid body."
                : strcmp(s->definition, "function") == 0 ? "Functions with the same keys."
                                                         : "Types with the same keys.");
    put(w, ",\n          \"properties\": {\n");
    put_selector(w, s, names, texts, n);
    // without type, a body is of the first
    const dal_element_type first = dal_element_type_at(0);
    put_keys(w, type, same_form(type, &first) ? NULL : s->selector);
    if (type->one_of != NULL) {
        put_one_of(w, type->one_of);
    }
    put(w, "          \"additionalProperties\": false\n        },\n");
}

/* ---- other forms ------------------------------------------------------------------------------ */

static void put_alternative(writer *w, const io_form *form)
{
    if (form->what == NULL) {
        put(w, "        {");
        put_value(w, &form->type.keys[0]);
        put(w, "},\n");
        return;
    }
    put(w, "        {\n          \"type\": \"object\",\n          \"description\": ");
    put_text(w, form->type.text);
    put(w, ",\n          \"properties\": {\n");
    put_keys(w, &form->type, NULL);
    put(w, "          \"additionalProperties\": false\n        },\n");
}

static void put_repetition(writer *w)
{
    put_alternative(w, dal_io_form("repetition"));
}

static void begin_definition(writer *w, const char *name)
{
    put(w, "    \"%s\": {\n      \"anyOf\": [\n", name);
    w->definition = name;
}

static void end_definition(writer *w)
{
    w->n -= 2; // the comma after the last alternative
    put(w, "\n      ]\n    },\n");
}

/* All forms but those of the model and of a repetition, which are no definitions. */
static void put_definitions(writer *w)
{
    for (int k = 0; dal_io_form_at(k)->type.section != NULL; ++k) {
        const io_form *form = dal_io_form_at(k), *next = dal_io_form_at(k + 1);
        const char *name = form->type.section;
        if (strcmp(name, "model") == 0 || strcmp(name, "repetition") == 0) {
            continue;
        }
        if (w->definition == NULL || strcmp(w->definition, name) != 0) {
            begin_definition(w, name);
        }
        put_alternative(w, form);
        if (next->type.section == NULL || strcmp(next->type.section, name) != 0) {
            if (strcmp(name, "trail") == 0 || strcmp(name, "slender") == 0 || strcmp(name, "contact_group") == 0 ||
                strcmp(name, "part") == 0 || strcmp(name, "event") == 0 || strcmp(name, "contact_pair") == 0 ||
                strcmp(name, "slide") == 0 || strcmp(name, "line_load") == 0) {
                put_repetition(w);
            }
            end_definition(w);
        }
    }
}

/* ---- options ---------------------------------------------------------------------------------- */

static void put_option_words(writer *w, const dal_option *option)
{
    put(w, "{\"enum\": [");
    for (const dal_word *word = option->words; word->name != NULL; ++word) {
        put(w, "%s", word > option->words ? ", " : "");
        put_text(w, word->name);
    }
    put(w, "]}, ");
}

/* The options of the simulation, as their table has them. Lists may be texts like "0.1,0.2". */
static void put_options(writer *w)
{
    const dal_option_table *table = dal_options_table();
    for (int k = 0; k < table->n; ++k) {
        const dal_option *option = &table->option[k];
        put(w, "        \"%s\": {\"anyOf\": [", option->name);
        if (option->words != NULL) {
            put_option_words(w, option);
        }
        put(w, "%s",
            option->kind == DAL_OPTION_FLAG     ? "{\"type\": \"boolean\"}, " NUMBER
            : option->kind == DAL_OPTION_CHOICE ? "{\"$ref\": \"#/$defs/word\"}"
            : option->kind == DAL_OPTION_REALS  ? "{\"type\": \"array\", \"items\": " NUMBER "}, " NUMBER
                                                : NUMBER);
        put(w, "], \"description\": ");
        put_text(w, option->text);
        put(w, "},\n");
    }
}

/* The whole is an object too. */
static void put_model(writer *w)
{
    put(w, "  \"type\": \"object\",\n  \"properties\": {\n");
    put_keys(w, &dal_io_form("model")->type, NULL);
    put(w, "  \"additionalProperties\": false,\n");
}

/* ---- all -------------------------------------------------------------------------------------- */

static void put_section(writer *w, const section *s)
{
    begin_definition(w, s->definition);
    if (s->text != NULL) {
        put(w, "        {\"type\": \"string\", \"description\": ");
        put_text(w, s->text);
        put(w, "},\n");
    }
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type type = dal_element_type_at(k);
        if (strcmp(type.section, s->name) == 0) {
            put_type(w, s, &type);
        }
    }
    if (strcmp(s->name, "functions") != 0) {
        put_repetition(w);
    }
    end_definition(w);
}

static void put_elements(writer *w)
{
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; ++k) {
        put_section(w, &sections[k]);
    }
}

size_t dal_model_schema(char *text, size_t size)
{
    static const struct {
        const char *mark;
        void (*put)(writer *w);
    } parts[] = {
        {"@model@", put_model}, {"@elements@", put_elements}, {"@forms@", put_definitions}, {"@options@", put_options}};
    writer w = {.text = text, .size = text != NULL ? size : 0};
    const char *values = (const char *)dal_embedded_schema;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        const char *at = strstr(values, parts[k].mark);
        put(&w, "%.*s", (int)(at - values), values);
        parts[k].put(&w);
        values = at + strlen(parts[k].mark);
    }
    put(&w, "%s", values);
    return w.n;
}
