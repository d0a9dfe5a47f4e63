/* JSON: a parser that runs twice over the text. The first pass checks it and counts, the second fills one block of memory. */
#include "io/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

enum { DEPTH_MAX = 512, NEAR_SIZE = 48 };

/* A value of a list or an object that is not complete yet. */
typedef struct waiting {
    const dal_json *value;
    size_t key_at; /* place in the text, for messages */
} waiting;

typedef struct parser {
    dal_ctx *ctx;
    const char *name, *text;
    size_t n, at;
    int depth;
    int building; /* 0: the first pass */
    size_t nnodes, nslots, nbytes, nwaiting;
    size_t most_keys; /* of an object */
    size_t counted;   /* so far, and on which line that is */
    int line;
    /* second pass */
    dal_json *node;
    const dal_json **slot;
    char *bytes;
    waiting *wait;
    uint32_t *table; /* for keys: 2 most_keys or more entries, a power of two; 0: free, k + 1: key k */
} parser;

/* ---- messages --------------------------------------------------------------------------------- */

/* Line and column of the character before `end`, both from 1 on. */
static void place_of(const parser *p, size_t end, int *line, int *column)
{
    *line = 1;
    *column = 0;
    for (size_t i = 0; i < end; ++i) {
        const int newline = p->text[i] == '\n';
        *line += newline && i + 1 < end;
        *column = newline && i + 1 < end ? 0 : *column + ((p->text[i] & 0xc0) != 0x80);
    }
}

static int is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
           c == '.' || c == '_';
}

/* Where the token at `from` ends: a text with its quotation marks, a word or number, or one character. */
static size_t token_end(const parser *p, size_t from)
{
    size_t to = from;
    if (from < p->n && p->text[from] == '"') {
        do {
            to += p->text[to] == '\\' && to + 1 < p->n ? 2 : 1;
        } while (to < p->n && p->text[to] != '"' && p->text[to] != '\n');
        return to < p->n && p->text[to] == '"' ? to + 1 : to;
    }
    while (to < p->n && is_word(p->text[to])) {
        ++to;
    }
    if (to == from && from < p->n) {
        const size_t bytes = dal_utf8(p->text + from, p->n - from);
        to += bytes > 0 ? bytes : 1;
    }
    return to;
}

/* "WHAT near 'TOKEN'", at the end of what stands at `from`. What would command a terminal is not passed on. */
static dal_status fail_from_to(const parser *p, const char *what, size_t from, size_t to)
{
    char near[NEAR_SIZE];
    size_t k = 0;
    int line, column;
    place_of(p, to, &line, &column);
    for (size_t i = from; i < to && k + 1 < sizeof near; ++i) {
        near[k++] = p->text[i] >= 0x20 && p->text[i] < 0x7f ? p->text[i] : '?';
    }
    near[k] = '\0';
    return from < p->n ? dal_fail(p->ctx, DAL_EINVAL, "%s:%d:%d: %s near '%s'", p->name, line, column, what, near)
                       : dal_fail(p->ctx, DAL_EINVAL, "%s:%d:%d: %s near end of file", p->name, line, column, what);
}

static dal_status fail_at(const parser *p, const char *what, size_t from)
{
    return fail_from_to(p, what, from, token_end(p, from));
}

/* ---- characters ------------------------------------------------------------------------------- */

static void skip_blanks(parser *p)
{
    while (p->at < p->n &&
           (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' || p->text[p->at] == '\r')) {
        ++p->at;
    }
}

/* The next character, 0 at the end. */
static char peek(parser *p)
{
    skip_blanks(p);
    return p->at < p->n ? p->text[p->at] : '\0';
}

static void put(parser *p, char c)
{
    if (p->building) {
        p->bytes[p->nbytes] = c;
    }
    ++p->nbytes;
}

/* Four hexadecimal digits at `at`; -1: there are none. */
static int32_t hex(const parser *p, size_t at)
{
    int32_t code = 0;
    for (size_t k = at; k < at + 4; ++k) {
        const char c = k < p->n ? p->text[k] : '\0';
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return -1;
        }
        code = 16 * code + digit;
    }
    return code;
}

static void put_code(parser *p, int32_t code)
{
    if (code < 0x80) {
        put(p, (char)code);
    } else if (code < 0x800) {
        put(p, (char)(0xc0 | code >> 6));
    } else if (code < 0x10000) {
        put(p, (char)(0xe0 | code >> 12));
        put(p, (char)(0x80 | (code >> 6 & 0x3f)));
    } else {
        put(p, (char)(0xf0 | code >> 18));
        put(p, (char)(0x80 | (code >> 12 & 0x3f)));
        put(p, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    if (code >= 0x80) {
        put(p, (char)(0x80 | (code & 0x3f)));
    }
}

/* \uXXXX, or two of them; at the u. */
static dal_status read_code(parser *p)
{
    const size_t from = p->at - 1;
    int32_t code = hex(p, p->at + 1);
    p->at += 5;
    if (code >= 0xd800 && code < 0xdc00) {
        const int pair = p->at + 1 < p->n && p->text[p->at] == '\\' && p->text[p->at + 1] == 'u';
        const int32_t low = pair ? hex(p, p->at + 2) : -1;
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
        p->at += 6;
    } else if (code >= 0xdc00 && code < 0xe000) {
        code = -1;
    }
    if (code <= 0) {
        return fail_from_to(p, code == 0 ? "\\u0000 is not allowed" : "invalid escape", from,
                            from + 6 < p->n ? from + 6 : p->n);
    }
    put_code(p, code);
    return DAL_OK;
}

/* What follows a backslash. */
static dal_status read_escape(parser *p)
{
    static const char name[] = "\"\\/bfnrt", value[] = "\"\\/\b\f\n\r\t";
    const char c = p->at < p->n ? p->text[p->at] : '\0';
    const char *found = c != '\0' ? strchr(name, c) : NULL;
    if (c == 'u') {
        return read_code(p);
    }
    if (found == NULL) {
        return fail_from_to(p, "invalid escape", p->at - 1, p->at < p->n ? p->at + 1 : p->n);
    }
    put(p, value[found - name]);
    ++p->at;
    return DAL_OK;
}

/* At a quotation mark. *text: in the second pass. */
static dal_status read_text(parser *p, const char **text)
{
    const size_t from = p->at++;
    *text = p->building ? p->bytes + p->nbytes : NULL;
    while (p->at < p->n && p->text[p->at] != '"') {
        const unsigned char c = (unsigned char)p->text[p->at];
        const size_t bytes = dal_utf8(p->text + p->at, p->n - p->at);
        if (c == '\\') {
            ++p->at;
            DAL_TRY(read_escape(p));
        } else if (c < 0x20 || bytes == 0) {
            char what[64];
            snprintf(what, sizeof what, c < 0x20 ? "control character 0x%02x in a text" : "byte 0x%02x is not UTF-8",
                     c);
            return fail_from_to(p, what, from, p->at + 1);
        } else {
            for (size_t k = 0; k < bytes; ++k) {
                put(p, p->text[p->at++]);
            }
        }
    }
    if (p->at >= p->n) {
        return fail_from_to(p, "a text without closing quotation mark", from, p->n);
    }
    ++p->at;
    put(p, '\0');
    return DAL_OK;
}

/* ---- values ----------------------------------------------------------------------------------- */

static dal_json *new_node(parser *p, dal_json_kind kind)
{
    dal_json *node = p->building ? &p->node[p->nnodes] : NULL;
    ++p->nnodes;
    if (node != NULL) {
        for (; p->counted < p->at && p->counted < p->n; ++p->counted) {
            p->line += p->text[p->counted] == '\n';
        }
        *node = (dal_json){.kind = kind, .line = p->line};
    }
    return node;
}

static size_t digits(const char *c, size_t n)
{
    size_t k = 0;
    while (k < n && c[k] >= '0' && c[k] <= '9') {
        ++k;
    }
    return k;
}

/* [-] 0 or digits without zeros before, [. digits] [e [+-] digits]; what else numbers may look like is no JSON. */
static int is_json_number(const char *c, size_t n)
{
    size_t i = n > 0 && c[0] == '-' ? 1 : 0, k = digits(c + i, n - i);
    if (k == 0 || (k > 1 && c[i] == '0')) {
        return 0;
    }
    i += k;
    if (i < n && c[i] == '.') {
        k = digits(c + i + 1, n - i - 1);
        i += k > 0 ? 1 + k : 0;
    }
    if (i < n && (c[i] == 'e' || c[i] == 'E')) {
        const size_t sign = i + 1 < n && (c[i + 1] == '+' || c[i + 1] == '-') ? 1 : 0;
        k = digits(c + i + 1 + sign, n - i - 1 - sign);
        i += k > 0 ? 1 + sign + k : 0;
    }
    return i == n;
}

/* A number or one of true, false, null. */
static dal_status read_word(parser *p, dal_json **value)
{
    static const char *const words[] = {"null", "false", "true"};
    static const dal_json_kind kinds[] = {DAL_JSON_NULL, DAL_JSON_FALSE, DAL_JSON_TRUE};
    const char *c = p->text + p->at;
    const size_t n = token_end(p, p->at) - p->at;
    double x = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (n == strlen(words[k]) && memcmp(c, words[k], n) == 0) {
            p->at += n;
            *value = new_node(p, kinds[k]);
            return DAL_OK;
        }
    }
    const int is_number = n > 0 && is_json_number(c, n);
    if (!is_number || !dal_number_parse(&x, c, n)) {
        return fail_at(p,
                       is_number                ? "real number overflow"
                       : n > 0 && is_word(c[0]) ? "invalid token"
                                                : "a value expected",
                       p->at);
    }
    p->at += n;
    dal_json *node = new_node(p, DAL_JSON_NUMBER);
    if (node != NULL) {
        node->of.number = x;
    }
    *value = node;
    return DAL_OK;
}

static dal_status read_value(parser *p, dal_json **value);

/* A key and its colon, before the value of a member. */
static dal_status read_key(parser *p, const char **key)
{
    if (peek(p) != '"') {
        return fail_at(p, "a key in quotation marks expected", p->at);
    }
    DAL_TRY(read_text(p, key));
    if (peek(p) != ':') {
        return fail_at(p, "':' expected", p->at);
    }
    ++p->at;
    return DAL_OK;
}

static uint32_t hash_of(const char *key)
{
    uint32_t h = 2166136261U;
    for (; *key != '\0'; ++key) {
        h = (h ^ (unsigned char)*key) * 16777619U;
    }
    return h ^ h >> 15;
}

/* Two of the n members from w on with the same key? */
static dal_status check_keys(const parser *p, const waiting *w, size_t n)
{
    size_t size = 2;
    while (size < 2 * n) {
        size *= 2;
    }
    memset(p->table, 0, size * sizeof *p->table);
    for (size_t k = 0; k < n; ++k) {
        size_t i = hash_of(w[k].value->key) & (size - 1);
        while (p->table[i] != 0 && strcmp(w[p->table[i] - 1].value->key, w[k].value->key) != 0) {
            i = (i + 1) & (size - 1);
        }
        if (p->table[i] != 0) {
            return fail_at(p, "duplicate object key", w[k].key_at);
        }
        p->table[i] = (uint32_t)k + 1;
    }
    return DAL_OK;
}

/* One value of a list, or a member of an object: it waits until all are there. */
static dal_status read_item(parser *p, int object)
{
    const char *key = NULL;
    dal_json *value;
    skip_blanks(p);
    const size_t at = p->at;
    if (object) {
        DAL_TRY(read_key(p, &key));
    }
    DAL_TRY(read_value(p, &value));
    if (p->building) {
        value->key = key;
        p->wait[p->nwaiting] = (waiting){value, at};
    }
    ++p->nwaiting;
    return DAL_OK;
}

/* The values of a list or an object, at its bracket. */
static dal_status read_items(parser *p, dal_json *node, int object)
{
    const size_t first = p->nwaiting;
    const char close = object ? '}' : ']';
    if (++p->depth > DEPTH_MAX) {
        return fail_at(p, "maximum parsing depth reached", p->at);
    }
    do {
        ++p->at; // the bracket, or a comma
        if (p->nwaiting > first || peek(p) != close) {
            DAL_TRY(read_item(p, object));
        }
    } while (peek(p) == ',' && p->nwaiting > first);
    if (peek(p) != close) {
        return fail_at(p, object ? "',' or '}' expected" : "',' or ']' expected", p->at);
    }
    ++p->at;
    --p->depth;
    const size_t n = p->nwaiting - first;
    p->most_keys = object && n > p->most_keys ? n : p->most_keys;
    if (p->building && node != NULL) {
        DAL_TRY(object ? check_keys(p, p->wait + first, n) : DAL_OK);
        node->n = n;
        node->of.item = p->slot + p->nslots;
        for (size_t k = 0; k < n; ++k) {
            p->slot[p->nslots + k] = p->wait[first + k].value;
        }
    }
    p->nslots += n;
    p->nwaiting = first;
    return DAL_OK;
}

static dal_status read_value(parser *p, dal_json **value) // NOLINT(misc-no-recursion): DEPTH_MAX limits it
{
    const char c = peek(p), *text;
    if (c == '{' || c == '[') {
        *value = new_node(p, c == '{' ? DAL_JSON_OBJECT : DAL_JSON_LIST);
        return read_items(p, *value, c == '{');
    }
    if (c != '"') {
        return read_word(p, value);
    }
    *value = new_node(p, DAL_JSON_TEXT);
    DAL_TRY(read_text(p, &text));
    if (p->building) {
        (*value)->of.text = text;
    }
    return DAL_OK;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* One pass. */
static dal_status read_all(parser *p)
{
    dal_json *root;
    p->at = p->nnodes = p->nslots = p->nbytes = p->nwaiting = p->counted = 0;
    p->line = 1;
    p->depth = 0;
    if (peek(p) != '{' && peek(p) != '[') {
        return fail_at(p, "'[' or '{' expected", p->at);
    }
    DAL_TRY(read_value(p, &root));
    return peek(p) == '\0' && p->at >= p->n ? DAL_OK : fail_at(p, "end of file expected", p->at);
}

dal_status dal_json_parse(const dal_json **out, dal_ctx *ctx, const char *text, size_t n, const char *name)
{
    // some editors begin a file with a byte order mark
    const size_t mark = n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    parser p = {.ctx = ctx, .name = name, .text = text + mark, .n = n - mark};
    *out = NULL;
    DAL_TRY(read_all(&p));
    size_t ntable = 2;
    while (ntable < 2 * p.most_keys) {
        ntable *= 2;
    }
    const size_t tree = p.nnodes * sizeof *p.node + p.nslots * sizeof(void *) + p.nbytes;
    p.node = dal_alloc(ctx, tree);
    p.wait = dal_alloc(ctx, p.nnodes * sizeof *p.wait + ntable * sizeof *p.table);
    dal_status st = DAL_ENOMEM;
    if (p.node != NULL && p.wait != NULL) {
        p.slot = (const dal_json **)(p.node + p.nnodes);
        p.bytes = (char *)(p.slot + p.nslots);
        p.table = (uint32_t *)(p.wait + p.nnodes);
        p.building = 1;
        st = read_all(&p);
    } else {
        st = dal_fail(ctx, DAL_ENOMEM, "%s: no memory to read it", name);
    }
    dal_free(ctx, p.wait);
    if (st != DAL_OK) {
        dal_free(ctx, p.node);
        return st;
    }
    *out = p.node;
    return DAL_OK;
}

void dal_json_destroy(const dal_json *json, dal_ctx *ctx)
{
    dal_free(ctx, (void *)json);
}

const dal_json *dal_json_member(const dal_json *object, const char *key)
{
    for (size_t k = 0; k < dal_json_members(object); ++k) {
        if (strcmp(object->of.item[k]->key, key) == 0) {
            return object->of.item[k];
        }
    }
    return NULL;
}

/* ---- writing ---------------------------------------------------------------------------------- */

size_t dal_json_quote(char *to, const char *text)
{
    static const char code[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
    const size_t length = strlen(text);
    size_t n = 1;
    for (size_t i = 0, bytes; i < length; i += bytes) {
        char piece[8] = "";
        const char *escape = strchr(code, text[i]);
        bytes = dal_utf8(text + i, length - i);
        if (bytes == 0) {
            return 0;
        }
        if (escape != NULL) {
            snprintf(piece, sizeof piece, "\\%c", letter[escape - code]);
        } else if ((unsigned char)text[i] < 0x20) {
            snprintf(piece, sizeof piece, "\\u%04x", (unsigned)text[i]);
        } else {
            memcpy(piece, text + i, bytes);
        }
        for (const char *c = piece; *c != '\0'; ++c, ++n) {
            if (to != NULL) {
                to[n] = *c;
            }
        }
    }
    if (to != NULL) {
        to[0] = to[n] = '"';
    }
    return n + 1;
}
