/* The reference of one thing of model files as text, from the same tables as the schema. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/io_impl.h"

typedef struct page {
    char *text;
    size_t size, n;
} page;

static void put(page *p, const char *format, ...) DAL_PRINTF(2, 3);

static void put(page *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(p->n < p->size ? p->text + p->n : NULL, p->n < p->size ? p->size - p->n : 0, format, args);
    va_end(args);
    p->n += n > 0 ? (size_t)n : 0;
}

/* ---- keys ------------------------------------------------------------------------------------- */

static void put_kind(page *p, const dal_key *key)
{
    switch (key->kind) {
    case DAL_KEY_CHOICE:
    case DAL_KEY_CHOICES:
        put(p, key->kind == DAL_KEY_CHOICE ? "one of" : "a list of");
        for (int k = 0; key->words[k] != NULL; ++k) {
            put(p, " %s", key->words[k]);
        }
        return;
    case DAL_KEY_NUMBERS:
        put(p, "%d numbers", key->n);
        return;
    case DAL_KEY_FLAG:
        put(p, "true or false");
        return;
    case DAL_KEY_VALUE:
        put(p, "%s", key->form);
        return;
    default:
        put(p, "%s", dal_key_kind_name(key->kind));
    }
}

static void put_key(page *p, const dal_key *key)
{
    put(p, "  %-18s ", key->name[0] != '\0' ? key->name : "(the value)");
    put_kind(p, key);
    if (key->unit[0] != '\0') {
        put(p, " [%s]", key->unit);
    }
    if (key->range != NULL) {
        put(p, " %s", key->range);
    }
    put(p, "%s: %s", key->required ? ", required" : "", key->text);
    if (key->preset != NULL) {
        put(p, "; default %s", key->preset);
    }
    put(p, "\n");
}

static void put_keys(page *p, const dal_element_type *type, const char *only)
{
    for (int required = 1; required >= 0; --required) { // what must be there comes first
        for (int k = 0; k < dal_element_key_count(type); ++k) {
            const dal_key *key = dal_element_key(type, k);
            if (key->required == required && (only == NULL || strcmp(only, key->name) == 0)) {
                put_key(p, key);
            }
        }
    }
}

static int has_key(const dal_element_type *type, const char *name)
{
    for (int k = 0; k < dal_element_key_count(type); ++k) {
        if (strcmp(dal_element_key(type, k)->name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- examples --------------------------------------------------------------------------------- */

/* Which list of the model does this place belong to? */
static int is_in_section(const char *text, const char *at, const char *section)
{
    static const char *const sections[] = {"bodies", "joints", "forces", "functions", "outputs", "beams", "events"};
    const char *last = text, *found = "";
    for (size_t k = 0; k < sizeof sections / sizeof *sections; ++k) {
        char word[32];
        snprintf(word, sizeof word, "\n  \"%s\":", sections[k]);
        for (const char *s = strstr(text, word); s != NULL && s < at; s = strstr(s + 1, word)) {
            if (s >= last) {
                last = s;
                found = sections[k];
            }
        }
    }
    return strcmp(found, section) == 0;
}

/* The object around a place: from its brace to the one that closes it, on one line. Braces within texts come in pairs. */
static int put_object(page *p, const char *text, const char *at)
{
    const char *begin = at;
    int depth = 1;
    while (begin > text && depth > 0) {
        --begin;
        depth += (*begin == '}') - (*begin == '{');
    }
    if (depth != 0) {
        return 0;
    }
    put(p, "  ");
    for (const char *c = begin; *c != '\0'; ++c) {
        const int white = *c == ' ' || *c == '\n';
        if (white && (c[1] == ' ' || c[1] == '\n')) {
            continue; /* of a run of blanks the last, as a space */
        }
        put(p, "%c", white ? ' ' : *c);
        depth += (*c == '{') - (*c == '}');
        if (depth == 0) {
            break;
        }
    }
    put(p, "\n");
    return 1;
}

/* One of a built-in model. */
static int put_example(page *p, const char *section, const char *word)
{
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin model = dal_builtin_model(k);
        for (const char *at = strstr(model.text, word); at != NULL; at = strstr(at + 1, word)) {
            if (is_in_section(model.text, at, section)) {
                put(p, "\nAn example, from the built-in model %s:\n", model.name);
                return put_object(p, model.text, at);
            }
        }
    }
    return 0;
}

/* One of the table, if there is one. */
static void put_member(page *p, const char *section, const char *name)
{
    const char *text = dal_io_example(section, name);
    put(p, "%s", text != NULL ? "\nAn example:\n  " : "");
    for (; text != NULL && *text != '\0'; ++text) {
        put(p, "%c", *text == '\'' ? '"' : *text);
    }
    put(p, "%s", text != NULL ? "\n" : "");
}

static const char *sample_of(const dal_key *key)
{
    switch (key->kind) {
    case DAL_KEY_VECTOR:
    case DAL_KEY_FRAME:
        return "[0.1, 0, 0]";
    case DAL_KEY_LIST:
        return "[0, 1]";
    case DAL_KEY_ARRAY:
        return "[[0, 1], [2, 3]]";
    case DAL_KEY_FLAG:
        return "true";
    case DAL_KEY_COORDINATE:
        return "\"translation_x\"";
    case DAL_KEY_FUNCTION:
        return "\"sin(t)\"";
    case DAL_KEY_BODY:
        return "\"rod\"";
    case DAL_KEY_TEXT:
        return strncmp(key->name, "joint", 5) == 0 ? "\"hinge\"" : "\"one\"";
    case DAL_KEY_EXPRESSION:
        return "\"-0.2*sin(t)\"";
    default:
        return "1";
    }
}

/* What it has to have. */
static void put_sample(page *p, const dal_element_type *type, const char *selector)
{
    put(p, "\nAn example with what it must have:\n  {\"%s\": \"%s\"", selector, type->name);
    for (int k = 0; k < dal_element_key_count(type); ++k) {
        const dal_key *key = dal_element_key(type, k);
        if (key->required && key->kind == DAL_KEY_NUMBERS) {
            put(p, ", \"%s\": [1", key->name);
            for (int i = 1; i < key->n; ++i) {
                put(p, ", 1");
            }
            put(p, "]");
        } else if (key->required) {
            put(p, ", \"%s\": %s", key->name, sample_of(key));
        }
    }
    put(p, "%s}\n", has_key(type, "body_b") ? ", \"body_b\": \"rod\"" : "");
}

/* ---- things ----------------------------------------------------------------------------------- */

static void put_element(page *p, const dal_element_type *type, const char *key)
{
    const int output = strcmp(type->section, "outputs") == 0;
    char word[100];
    put(p, "%s.%s: %s\n\n", type->section, type->name, type->text);
    put_keys(p, type, key);
    snprintf(word, sizeof word, "\"%s\": \"%s\"", output ? "quantity" : "type", type->name);
    if (!put_example(p, type->section, word)) {
        put_sample(p, type, output ? "quantity" : "type");
    }
    if (output) {
        put(p, "In short: \"NAME.%s\"\n", type->name);
    }
}

/* All of a section, a line for each. */
static int put_section(page *p, const char *section, int names)
{
    int n = 0;
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type type = dal_element_type_at(k);
        if (strcmp(type.section, section) == 0) {
            if (names) {
                put(p, "%s.%s\n", section, type.name);
            } else {
                put(p, "  %-22s %s\n", type.name, type.text);
            }
            ++n;
        }
    }
    return n;
}

static int put_form(page *p, const char *section, const char *name, const char *key);

/* What a key consists of, if it is an object of its own or a list of such: "beams.arc", "beams.loads" of line_loads. */
static int put_inner(page *p, const dal_element_type *type, const char *name)
{
    for (int k = 0; name != NULL && k < dal_element_key_count(type); ++k) {
        const dal_key *key = dal_element_key(type, k);
        if (key->kind == DAL_KEY_VALUE && strcmp(key->name, name) == 0) {
            char one[IO_TEXT];
            const size_t n = strlen(key->form);
            snprintf(one, sizeof one, "%.*s", (int)(n > 0 && key->form[n - 1] == 's' ? n - 1 : n), key->form);
            const char *form = dal_io_form(key->form)->type.section,
                       *of = form != NULL ? form : dal_io_form(one)->type.section;
            put(p, "%s", of != NULL ? "\n" : "");
            return of != NULL ? put_form(p, of, NULL, NULL) : 0;
        }
    }
    return 0;
}

static int put_form(page *p, const char *section, const char *name, const char *key)
{
    int n = 0, inner = 0;
    for (int k = 0; dal_io_form_at(k)->type.section != NULL; ++k) {
        const io_form *form = dal_io_form_at(k);
        const dal_element_type *type = &form->type;
        if (strcmp(type->section, section) != 0 || (key != NULL && !has_key(type, key)) ||
            (name != NULL && (type->name == NULL || strcmp(type->name, name) != 0))) {
            continue;
        }
        put(p, "%s%s%s%s%s\n", section, type->name != NULL ? "." : "", type->name != NULL ? type->name : "",
            type->text != NULL ? ": " : "", type->text != NULL ? type->text : "");
        put_keys(p, type, key);
        inner += put_inner(p, type, key);
        ++n;
    }
    if (n > 0 && inner == 0) {
        put_member(p, section, name);
    }
    return n;
}

/* A key of the model, with what its list consists of, or one key of that: "events", "events.when". */
static int put_model_key(page *p, const char *key, const char *of)
{
    static const char *const lists[][2] = {{"parts", "part"},
                                           {"inputs", "model_input"},
                                           {"contacts", "contact_group"},
                                           {"beams", "slender"},
                                           {"events", "event"}};
    const io_form *model = dal_io_form("model");
    const char *form = NULL;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) {
        form = strcmp(lists[k][0], key) == 0 ? lists[k][1] : form;
    }
    if (of != NULL) {
        return form != NULL && put_form(p, form, NULL, of) > 0;
    }
    if (model == NULL || !has_key(&model->type, key)) {
        return 0;
    }
    put(p, "model.%s\n", key);
    put_keys(p, &model->type, key);
    if (form != NULL) {
        put(p, "\n");
        return put_form(p, form, NULL, NULL);
    }
    put_member(p, key, NULL);
    return 1;
}

static int put_option(page *p, const char *name)
{
    const dal_option_table *table = dal_options_table();
    const dal_options usual = dal_options_init();
    for (int k = 0; k < table->n; ++k) {
        const dal_option *o = &table->option[k];
        if (strcmp(o->name, name) == 0) {
            char value[256];
            dal_options_format(value, sizeof value, o, &usual);
            put(p, "simulation.%s: %s\n  default %s\n", name, o->text, value);
            for (const dal_word *w = o->words; w != NULL && w->name != NULL; ++w) {
                put(p, "  %s\n", w->name);
            }
            put(p, "\nAn example:\n  \"simulation\": {\"%s\": %s%s%s}, or --set %s=%s\n", name,
                o->words != NULL ? "\"" : "", value, o->words != NULL ? "\"" : "", name, value);
            return 1;
        }
    }
    return 0;
}

/* Every name that can be asked for. */
static void put_all(page *p)
{
    static const char *const sections[] = {"bodies", "joints", "forces", "functions", "outputs"};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; ++k) {
        put(p, "%s\n", sections[k]);
        put_section(p, sections[k], 1);
    }
    for (int k = 0; dal_io_form_at(k)->type.section != NULL; ++k) {
        const dal_element_type *type = &dal_io_form_at(k)->type;
        if (k == 0 || strcmp(dal_io_form_at(k - 1)->type.section, type->section) != 0) {
            put(p, "%s\n", type->section);
        }
        if (type->name != NULL) {
            put(p, "%s.%s\n", type->section, type->name);
        }
    }
    for (int k = 0; k < dal_options_table()->n; ++k) {
        put(p, "simulation.%s\n", dal_options_table()->option[k].name);
    }
}

/* "joints.revolute", "joints.revolute.axis", "revolute", "joints", "rotation.euler", "simulation.h". */
static int put_thing(page *p, const char *section, const char *name, const char *key)
{
    if (name == NULL && put_section(p, section, 0) > 0) {
        return 1;
    }
    if (name != NULL && strcmp(section, "simulation") == 0) {
        return put_option(p, name);
    }
    for (int k = 0; k < dal_element_type_count(); ++k) {
        const dal_element_type type = dal_element_type_at(k);
        const int this = name != NULL ? strcmp(type.section, section) == 0 && strcmp(type.name, name) == 0
                                      : strcmp(type.name, section) == 0;
        if (this && (key == NULL || has_key(&type, key))) {
            put_element(p, &type, key);
            return 1;
        }
    }
    if (put_form(p, section, name, key) > 0) {
        return 1;
    }
    if (name != NULL) {
        return strcmp(section, "model") == 0 ? put_model_key(p, name, NULL)
                                             : put_form(p, section, NULL, name) > 0 || put_model_key(p, section, name);
    }
    return put_model_key(p, section, NULL) || put_option(p, section);
}

size_t dal_model_explain(char *text, size_t size, const char *key)
{
    page p = {.text = text, .size = text != NULL ? size : 0};
    char copy[IO_TEXT];
    if (key == NULL || key[0] == '\0') {
        put_all(&p);
        return p.n;
    }
    snprintf(copy, sizeof copy, "%s", key);
    char *name = strchr(copy, '.'), *last = name != NULL ? strchr(name + 1, '.') : NULL;
    if (name != NULL) {
        *name++ = '\0';
    }
    if (last != NULL) {
        *last++ = '\0';
    }
    return put_thing(&p, copy, name, last) ? p.n : 0;
}
