/* Values of a model file: what they must be, and messages that say where they are. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

enum { PATH_SIZE = 400, MESSAGE_SIZE = 600, INDICES_SIZE = 100, LINE_SIZE = 16, WORDS_MAX = 64 };

/* ---- messages --------------------------------------------------------------------------------- */

/* "/joints/3/body_a"; the beginning is dropped where it would be too long. */
static const char *path_of(char buffer[PATH_SIZE], const io_node *at)
{
    char *begin = buffer + PATH_SIZE - 1;
    *begin = '\0';
    for (; at != NULL && at->up != NULL; at = at->up) {
        char number[24];
        const char *part = at->key;
        if (part == NULL) {
            snprintf(number, sizeof(number), "%zu", at->number);
            part = number;
        }
        const size_t n = strlen(part);
        if (n + 1 > (size_t)(begin - buffer)) {
            break;
        }
        begin -= n;
        memcpy(begin, part, n);
        *--begin = '/';
    }
    return *begin != '\0' ? begin : "/";
}

void dal_io_path_text(char *text, size_t size, const io_node *at)
{
    char path[PATH_SIZE];
    snprintf(text, size, "%s", path_of(path, at));
}

/* " (leg1) (i = 3)": the part, and the indices of the repetitions, the innermost first. */
static const char *indices_of(char buffer[INDICES_SIZE], const io_loader *L)
{
    size_t n = 0;
    buffer[0] = '\0';
    if (L->scope != NULL) {
        const char *prefix = L->scope->prefix;
        n = (size_t)snprintf(buffer, INDICES_SIZE, " (%.*s)", (int)strlen(prefix) - 1, prefix);
    }
    for (const io_index *i = L->index; i != NULL && n + 1 < INDICES_SIZE; i = i->outer) {
        if (i->text != NULL) {
            continue;
        }
        n += (size_t)snprintf(buffer + n, INDICES_SIZE - n, " (%.20s = %.0f)", i->name, i->value);
    }
    return buffer;
}

/* ":12", the line of a value in its file; "" where the text has been put together. */
static const char *line_of(char buffer[LINE_SIZE], const io_loader *L, const io_node *at)
{
    while (at != NULL && at->json == NULL) {
        at = at->up;
    }
    buffer[0] = '\0';
    if (at != NULL && L->files != NULL) {
        snprintf(buffer, LINE_SIZE, ":%d", at->json->line);
    }
    return buffer;
}

dal_status dal_io_fail(const io_loader *L, const io_node *at, const char *format, ...)
{
    char path[PATH_SIZE], indices[INDICES_SIZE], line[LINE_SIZE], message[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    return dal_fail(L->ctx, DAL_EINVAL, "%s%s: %s%s: %s", L->source, line_of(line, L, at), path_of(path, at),
                    indices_of(indices, L), message);
}

dal_status dal_io_fail_at(const io_loader *L, const io_node *at, dal_status st)
{
    char path[PATH_SIZE], indices[INDICES_SIZE], line[LINE_SIZE];
    return dal_fail_in(L->ctx, st, "%s%s: %s%s", L->source, line_of(line, L, at), path_of(path, at),
                       indices_of(indices, L));
}

dal_status dal_io_unknown(const io_loader *L, const io_node *at, const char *what, const char *text,
                          const char *const *words, int n)
{
    const char *near = dal_nearest(text, words, n);
    if (near != NULL) {
        return dal_io_fail(L, at, "no %s '%.100s' (did you mean '%s'?)", what, text, near);
    }
    char list[640];
    size_t used = 0;
    int k = 0;
    for (; k < n && used < sizeof list - 130; ++k) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.100s", k > 0 ? ", " : "", words[k]);
    }
    return n > 0 ? dal_io_fail(L, at, "no %s '%.100s'; there are: %s%s", what, text, list, k < n ? ", ..." : "")
                 : dal_io_fail(L, at, "no %s '%.100s'", what, text);
}

dal_status dal_io_no_element(const io_loader *L, const io_node *at, const char *what, const char *text,
                             io_name_of name_of, int first)
{
    int n = 0;
    while (name_of(L->model, first + n) != NULL) {
        ++n;
    }
    const char **words = dal_alloc(L->ctx, ((size_t)n + 1) * sizeof *words);
    if (words == NULL) {
        return dal_io_no_memory(L->ctx);
    }
    for (int k = 0; k < n; ++k) {
        words[k] = name_of(L->model, first + k);
    }
    const dal_status st = dal_io_unknown(L, at, what, text, words, n);
    dal_free(L->ctx, words);
    return st;
}

static const char *kind_of(const dal_json *json)
{
    switch (json != NULL ? json->kind : DAL_JSON_NULL) {
    case DAL_JSON_OBJECT:
        return "an object";
    case DAL_JSON_LIST:
        return "a list";
    case DAL_JSON_TEXT:
        return "a text";
    case DAL_JSON_NUMBER:
        return "a number";
    case DAL_JSON_TRUE:
    case DAL_JSON_FALSE:
        return "a flag";
    default:
        return "null";
    }
}

static dal_status wrong_kind(const io_loader *L, const io_node *at, const char *expected)
{
    return dal_io_fail(L, at, "expected %s, found %s", expected, kind_of(at->json));
}

/* ---- characters ------------------------------------------------------------------------------- */

/* Embeddings, overrides and isolates of bidirectional text: they change the order in which what follows is seen. */
static int turns_text(unsigned long c)
{
    return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Characters that nobody sees: marks of bidirectional text, spaces without width, joiners, the byte order mark, tags. Some
 * languages need them in sentences, a name does not. */
static int is_invisible(unsigned long c)
{
    static const unsigned long range[][2] = {{0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160},
                                             {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                                             {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff}};
    for (size_t k = 0; k < sizeof range / sizeof range[0]; ++k) {
        if (c >= range[k][0] && c <= range[k][1]) {
            return 1;
        }
    }
    return 0;
}

/* The character that begins here, in UTF-8. */
static unsigned long code_point(const unsigned char *c)
{
    const int n = c[0] < 0xc0 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    unsigned long code = n == 1 ? c[0] : c[0] & (0x7fu >> n);
    for (int k = 1; k < n && c[k] != '\0'; ++k) {
        code = code << 6 | (c[k] & 0x3fu);
    }
    return code;
}

/* The first control character (C0, DEL, C1, bidirectional, invisible), or NULL. blanks: tab, ends of lines and invisible ones
 * are none. The text is UTF-8. */
static const char *control_character(const char *text, int blanks)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
        const int blank = *c == '\t' || *c == '\n' || *c == '\r';
        if (((*c < 0x20 || *c == 0x7f) && !(blanks && blank)) || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) ||
            (*c >= 0xc0 && (turns_text(code_point(c)) || (!blanks && is_invisible(code_point(c)))))) {
            return (const char *)c;
        }
    }
    return NULL;
}

/* The first byte that is not UTF-8, or NULL: values set from outside have not been through JSON. */
static const unsigned char *not_utf8(const char *text)
{
    for (size_t n = strlen(text), size; n > 0; n -= size, text += size) {
        size = dal_utf8(text, n);
        if (size == 0) {
            return (const unsigned char *)text;
        }
    }
    return NULL;
}

static dal_status refuse_control(const io_loader *L, const io_node *at, const char *what, const char *where)
{
    const unsigned char *c = (const unsigned char *)where;
    const unsigned long code = code_point(c);
    return dal_io_fail(L, at, "%s has the %s character U+%04lX in it; remove it", what,
                       turns_text(code)     ? "bidirectional control"
                       : is_invisible(code) ? "invisible"
                                            : "control",
                       code);
}

dal_status dal_io_plain(const io_loader *L, const io_node *at, const char *text)
{
    const char *found = control_character(text, 0);
    if (found != NULL) {
        return refuse_control(L, at, "this text", found);
    }
    const unsigned char *bad = not_utf8(text);
    return bad == NULL ? DAL_OK : dal_io_fail(L, at, "this text is not UTF-8: it has the byte 0x%02X in it", *bad);
}

/* Values that only people read may have several lines, and so may expressions; names may not (dal_io_text). */
dal_status dal_io_check_texts(const io_loader *L,
                              const io_node *at) // NOLINT(misc-no-recursion): the depth of JSON is limited
{
    const char *found;
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        found = control_character(dal_json_text(at->json), 1);
        return found == NULL ? DAL_OK : refuse_control(L, at, "this text", found);
    }
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(dal_io_check_texts(L, &element));
    }
    for (size_t k = 0; k < dal_json_members(at->json); ++k) {
        const io_node child = dal_io_item(at, k);
        found = control_character(child.key, 0);
        if (found != NULL) {
            return refuse_control(L, at, "a key", found);
        }
        DAL_TRY(dal_io_check_texts(L, &child));
    }
    return DAL_OK;
}

/* ---- going down ------------------------------------------------------------------------------- */

int dal_io_member(io_node *child, const io_node *at, const char *key)
{
    const dal_json *json = dal_json_member(at->json, key);
    *child = (io_node){.json = json, .up = at, .key = key, .depth = at->depth + 1};
    return json != NULL;
}

dal_status dal_io_need(io_node *child, const io_loader *L, const io_node *at, const char *key)
{
    if (!dal_io_member(child, at, key)) {
        return dal_io_fail(L, at, "'%s' is missing", key);
    }
    return DAL_OK;
}

io_node dal_io_element(const io_node *at, size_t number)
{
    return (io_node){.json = dal_json_item(at->json, number), .up = at, .number = number, .depth = at->depth + 1};
}

size_t dal_io_length(const io_node *at)
{
    return dal_json_length(at->json);
}

/* ---- objects and lists ------------------------------------------------------------------------ */

static dal_status unknown_key(const io_loader *L, const io_node *at, const char *what, const char *key,
                              const char *const *words, int n)
{
    char list[MESSAGE_SIZE];
    const char *near = dal_nearest(key, words, n);
    near = near == NULL ? dal_nearest(key, (const char *const[]){"note"}, 1) : near;
    if (near != NULL) {
        return dal_io_fail(L, at, "%s has no '%.100s' (did you mean '%s'?)", what, key, near);
    }
    size_t used = 0;
    list[0] = '\0';
    for (int k = 0; k < n && used < sizeof list; ++k) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k > 0 ? " " : "", words[k]);
    }
    return dal_io_fail(L, at, "%s has no '%.100s', only %s", what, key, list);
}

static int is_one_of(const char *key, const char *const *words, int n)
{
    for (int k = 0; k < n; ++k) {
        if (strcmp(key, words[k]) == 0) {
            return 1;
        }
    }
    return 0;
}

dal_status dal_io_members(const io_loader *L, const io_node *at, const char *what, const char *const *words, int n)
{
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return wrong_kind(L, at, "an object");
    }
    if (at->depth > IO_DEPTH_MAX) {
        return dal_io_fail(L, at, "nested too deeply");
    }
    for (size_t k = 0; k < dal_json_members(at->json); ++k) {
        const dal_json *value = dal_json_item(at->json, k);
        const char *key = value->key;
        if (!is_one_of(key, words, n) && strcmp(key, "note") != 0) {
            return unknown_key(L, at, what, key, words, n);
        }
    }
    return DAL_OK;
}

dal_status dal_io_misspelt(const io_loader *L, const io_node *at, const char *what, const char *const *words, int n)
{
    for (size_t k = 0; k < dal_json_members(at->json); ++k) {
        const dal_json *value = dal_json_item(at->json, k);
        const char *key = value->key;
        if (!is_one_of(key, words, n) && strcmp(key, "note") != 0 && dal_nearest(key, words, n) != NULL) {
            return unknown_key(L, at, what, key, words, n);
        }
    }
    return DAL_OK;
}

dal_status dal_io_list(const io_loader *L, const io_node *at, size_t min, size_t max)
{
    if (!dal_json_is(at->json, DAL_JSON_LIST)) {
        return wrong_kind(L, at, "a list");
    }
    const size_t n = dal_io_length(at);
    if (n >= min && n <= max) {
        return DAL_OK;
    }
    if (min == max) {
        return dal_io_fail(L, at, "expected %zu elements, found %zu", min, n);
    }
    return dal_io_fail(L, at, "expected %zu to %zu elements, found %zu", min, max, n);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

dal_status dal_io_number(const io_loader *L, io_real *x, const io_node *at)
{
    double value;
    if (dal_json_is(at->json, DAL_JSON_NUMBER)) {
        value = dal_json_number(at->json);
    } else if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        const dal_status st = dal_io_evaluate(L, &value, dal_json_text(at->json));
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
    } else {
        return wrong_kind(L, at, "a number or an expression");
    }
    if (!(fabs(value) <= IO_NUMBER_MAX)) {
        return dal_io_fail(L, at, "%g is out of range", value);
    }
    *x = (io_real){value, 0};
    return L->record != NULL ? dal_io_record_number(L, x, at) : DAL_OK;
}

/* "12 mm" as a mass is a mistake; so is a variable that has the wrong unit. */
static dal_status check_text(const io_loader *L, const io_node *at, const char *unit)
{
    double x[3];
    int n;
    dal_dimension d;
    if (dal_io_evaluate_all(L, x, &n, &d, dal_json_text(at->json)) != DAL_OK) {
        dal_ctx_clear(L->ctx); // told where it is read; or it is a name
        L->doc->variables.failed = 0;
        return DAL_OK;
    }
    char own[DAL_DIMENSION_TEXT];
    return !d.known || dal_dimension_is(&d, unit)
               ? DAL_OK
               : dal_io_fail(L, at, "\"%.100s\" is in %s, and this number is in %s", dal_json_text(at->json),
                             dal_dimension_text(own, &d), unit);
}

dal_status dal_io_check_unit(const io_loader *L, const io_node *at, const char *unit) // NOLINT(misc-no-recursion)
{
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(dal_io_check_unit(L, &element, unit));
    }
    return dal_json_is(at->json, DAL_JSON_TEXT) ? check_text(L, at, unit) : DAL_OK;
}

dal_status dal_io_check_side(const io_loader *L, const io_node *at, const io_type *type, int turns)
{
    for (int k = 0; k < type->nkeys && turns >= 0 && L->record == NULL; ++k) {
        const char *unit = type->key[k]->unit, * or = strstr(unit, " or ");
        char one[64];
        io_node child;
        if (or != NULL && dal_io_member(&child, at, type->key[k]->name)) {
            snprintf(one, sizeof one, "%.*s", turns ? 60 : (int)(or -unit), turns ? or +4 : unit);
            DAL_TRY(dal_io_check_unit(L, &child, one));
        }
    }
    return DAL_OK;
}

dal_status dal_io_constant(const io_loader *L, double *x, const io_node *at)
{
    io_real value = {0.0, 0};
    DAL_TRY(dal_io_number(L, &value, at));
    *x = value.x;
    return value.node == 0 ? DAL_OK
                           : dal_io_fail(L, at,
                                         "it depends on a value that is bound, and belongs to the structure of "
                                         "the model. Open the model anew with this value");
}

dal_status dal_io_constants(const io_loader *L, double *x, const io_node *at, int n)
{
    DAL_TRY(dal_io_list(L, at, (size_t)n, (size_t)n));
    for (int k = 0; k < n; ++k) {
        const io_node element = dal_io_element(at, (size_t)k);
        DAL_TRY(dal_io_constant(L, &x[k], &element));
    }
    return DAL_OK;
}

dal_status dal_io_integer(const io_loader *L, int *n, const io_node *at)
{
    double x = 0.0;
    DAL_TRY(dal_io_must_be_fixed(L, at, "it is a number of elements"));
    DAL_TRY(dal_io_constant(L, &x, at));
    if (x != floor(x) || fabs(x) > 1e9) {
        return dal_io_fail(L, at, "expected a whole number, found %g", x);
    }
    *n = (int)x;
    return DAL_OK;
}

dal_status dal_io_flag(const io_loader *L, int *flag, const io_node *at)
{
    if (!dal_json_is_flag(at->json)) {
        return wrong_kind(L, at, "true or false");
    }
    *flag = dal_json_is(at->json, DAL_JSON_TRUE);
    return DAL_OK;
}

/* An expression that gives a vector. */
static dal_status vector_of_text(const io_loader *L, io_real x[3], const io_node *at)
{
    double value[3];
    dal_dimension d;
    int n;
    const dal_status st = dal_io_evaluate_all(L, value, &n, &d, dal_json_text(at->json));
    if (st != DAL_OK) {
        return dal_io_fail_at(L, at, st);
    }
    if (n != 3) {
        return dal_io_fail(L, at, "\"%.100s\" is a number where a vector is expected", dal_json_text(at->json));
    }
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(value[k]) <= IO_NUMBER_MAX)) {
            return dal_io_fail(L, at, "%g is out of range", value[k]);
        }
        x[k] = (io_real){value[k], 0};
    }
    return L->record != NULL ? dal_io_record_vector(L, x, at) : DAL_OK;
}

dal_status dal_io_numbers(const io_loader *L, io_real *x, const io_node *at, int n)
{
    if (n == 3 && dal_json_is(at->json, DAL_JSON_TEXT)) {
        return vector_of_text(L, x, at);
    }
    DAL_TRY(dal_io_list(L, at, (size_t)n, (size_t)n));
    for (int k = 0; k < n; ++k) {
        const io_node element = dal_io_element(at, (size_t)k);
        DAL_TRY(dal_io_number(L, &x[k], &element));
    }
    return DAL_OK;
}

dal_status dal_io_vector(const io_loader *L, io_real x[3], const io_node *at)
{
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        return vector_of_text(L, x, at);
    }
    DAL_TRY(dal_io_list(L, at, 2, 3));
    x[2] = (io_real){0.0, 0};
    return dal_io_numbers(L, x, at, (int)dal_io_length(at));
}

dal_status dal_io_direction(const io_loader *L, io_real x[3], const io_node *at)
{
    DAL_TRY(dal_io_vector(L, x, at));
    return dal_io_apply(L, x, at, IO_UNIT3, x);
}

/* ---- texts ------------------------------------------------------------------------------------ */

dal_status dal_io_text(const io_loader *L, char text[IO_TEXT], const io_node *at)
{
    if (!dal_json_is(at->json, DAL_JSON_TEXT)) {
        return wrong_kind(L, at, "a text");
    }
    const dal_status st = dal_io_expand(L, text, dal_json_text(at->json));
    if (st != DAL_OK) {
        return dal_io_fail_at(L, at, st);
    }
    return dal_io_plain(L, at, text);
}

int dal_io_left_out(const io_loader *L, const char *name)
{
    int found = 0;
    for (int k = 0; k < L->doc->nwithout; ++k) {
        const char *pattern = L->doc->without[k];
        const size_t n = strcspn(pattern, "*");
        const int fits = pattern[n] == '*' ? strncmp(pattern, name, n) == 0 : strcmp(pattern, name) == 0;
        L->doc->left_out[k] += fits;
        found |= fits;
    }
    return found;
}

dal_status dal_io_name(const io_loader *L, char name[IO_TEXT], const io_node *at)
{
    char text[IO_TEXT];
    if (L->scope == NULL) {
        return dal_io_text(L, name, at);
    }
    DAL_TRY(dal_io_text(L, text, at));
    if (strlen(text) + strlen(L->scope->prefix) >= IO_TEXT) {
        return dal_io_fail(L, at, "'%s%.40s...' is longer than %d bytes", L->scope->prefix, text, IO_TEXT - 1);
    }
    dal_io_full_name(L, name, text);
    return DAL_OK;
}

dal_status dal_io_choice(const io_loader *L, int *choice, const io_node *at, const char *what, const char *const *words,
                         int n)
{
    char text[IO_TEXT];
    DAL_TRY(dal_io_text(L, text, at));
    for (*choice = 0; *choice < n; ++*choice) {
        if (strcmp(text, words[*choice]) == 0) {
            return DAL_OK;
        }
    }
    return dal_io_unknown(L, at, what, text, words, n);
}

/* ---- members that may be missing -------------------------------------------------------------- */

dal_status dal_io_number_if(const io_loader *L, io_real *x, const io_node *at, const char *key)
{
    io_node child;
    return dal_io_member(&child, at, key) ? dal_io_number(L, x, &child) : DAL_OK;
}

dal_status dal_io_vector_if(const io_loader *L, io_real x[3], const io_node *at, const char *key)
{
    io_node child;
    return dal_io_member(&child, at, key) ? dal_io_vector(L, x, &child) : DAL_OK;
}

dal_status dal_io_text_if(const io_loader *L, char text[IO_TEXT], int *there, const io_node *at, const char *key)
{
    io_node child;
    const int found = dal_io_member(&child, at, key);
    if (there != NULL) {
        *there = found;
    }
    return found ? dal_io_text(L, text, &child) : DAL_OK;
}
