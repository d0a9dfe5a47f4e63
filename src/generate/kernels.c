/* The text of the kernels: the library's own headers, embedded when the tool is built. A program gets the functions,
 * types and constants it uses, and what those use. */
#include <ctype.h>
#include <stdio.h>

#include "generate/generate_impl.h"

enum { MAX_ITEMS = 1000, MAX_NAMES = 24 };

/* A top-level declaration with the comment above it. */
typedef struct item {
    const char *text;
    size_t n;
    char name[MAX_NAMES][GEN_NAME]; /* what it declares */
    int nnames, needed, searched, macro;
} item;

typedef struct items {
    item *item;
    int n, base; /* the first of them are about numbers */
} items;

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the identifier occur in n bytes of text? */
static int uses(const char *text, size_t n, const char *name)
{
    const size_t length = strlen(name);
    const char *end = text + n;
    for (const char *p = text; (p = strstr(p, name)) != NULL && p + length <= end; p += length) {
        if ((p == text || !is_word(p[-1])) && !is_word(p[length])) {
            return 1;
        }
    }
    return 0;
}

static void add_name(item *it, const char *from, size_t n)
{
    if (it->nnames < MAX_NAMES && n > 0 && n < GEN_NAME) {
        memcpy(it->name[it->nnames], from, n);
        it->name[it->nnames++][n] = '\0';
    }
}

/* The last identifier before `end`. */
static void name_before(item *it, const char *start, const char *end)
{
    while (end > start && !is_word(end[-1])) {
        --end;
    }
    const char *first = end;
    while (first > start && is_word(first[-1])) {
        --first;
    }
    add_name(it, first, (size_t)(end - first));
}

/* Names of an enumeration: identifiers in capitals between its braces. */
static void enum_names(item *it, const char *p, const char *end)
{
    while (p < end) {
        if (p + 1 < end && p[0] == '/' && p[1] == '*') {
            const char *close = strstr(p, "*/");
            p = close ? close + 2 : end;
            continue;
        }
        const char *q = p;
        while (q < end && is_word(*q)) {
            ++q;
        }
        if (q > p && isupper((unsigned char)*p)) {
            add_name(it, p, (size_t)(q - p));
        }
        p = q > p ? q : p + 1;
    }
}

static const char *line_end(const char *p)
{
    const char *q = strchr(p, '\n');
    return q ? q + 1 : p + strlen(p);
}

/* A function made by a macro, REAL_OF_ONE(name, f). */
static int is_made(const char *code)
{
    return strncmp(code, "REAL_OF_", 8) == 0;
}

static void find_names(item *it, const char *code)
{
    const char *end = it->text + it->n;
    it->macro = *code == '#';
    if (*code == '#' || is_made(code)) {
        const char *first = *code == '#' ? code + 8 : strchr(code, '(') + 1, *q = first;
        while (is_word(*q)) {
            ++q;
        }
        add_name(it, first, (size_t)(q - first));
    } else if (strncmp(code, "enum", 4) == 0) {
        enum_names(it, code + 4, end);
    } else if (strncmp(code, "typedef", 7) == 0 && strstr(code, " real") && strstr(code, " real") < line_end(code)) {
        // the scalar and its mask; attributes may follow the name
        const char *q = strstr(code, " real") + 1;
        size_t n = 0;
        while (is_word(q[n])) {
            ++n;
        }
        add_name(it, q, n);
    } else if (strncmp(code, "typedef", 7) == 0) {
        const char *semicolon = end;
        while (semicolon > code && *semicolon != ';') {
            --semicolon;
        }
        name_before(it, code, semicolon);
    } else {
        const char *paren = memchr(code, '(', it->n - (size_t)(code - it->text));
        const char *bracket = memchr(code, '[', it->n - (size_t)(code - it->text));
        const int table = strncmp(code, "static const", 12) == 0 && bracket && (!paren || bracket < paren);
        name_before(it, code, table ? bracket : paren ? paren : end);
    }
}

static int is_guard(const char *p)
{
    return strncmp(p, "#include", 8) == 0 || strncmp(p, "#ifndef", 7) == 0 || strncmp(p, "#endif", 6) == 0 ||
           (strncmp(p, "#define DAL_", 12) == 0 && strstr(p, "_H\n") && strstr(p, "_H\n") < line_end(p));
}

/* One declaration from its first line of code on; returns its end. */
static const char *declaration_end(const char *p)
{
    int depth = 0;
    const int macro = *p == '#' || is_made(p);
    for (;;) {
        const char *next = line_end(p);
        for (const char *c = p; c < next; ++c) {
            depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
        }
        const char *last = next - 1;
        while (last > p && isspace((unsigned char)*last)) {
            --last;
        }
        const char *comment = strstr(p, "/*");
        const int ends = macro ? *last != '\\'
                               : depth == 0 && (*last == ';' || *last == '}' ||
                                                (comment && comment < next && memchr(p, ';', (size_t)(next - p))));
        if (ends || *next == '\0') {
            return next;
        }
        p = next;
    }
}

static void split(items *list, const char *text)
{
    const char *comment = NULL;
    for (const char *p = text; *p != '\0';) {
        if (*p == '\n') {
            comment = NULL; // a comment of its own: a heading
            ++p;
        } else if (is_guard(p)) {
            p = line_end(p);
        } else if (strncmp(p, "/*", 2) == 0) {
            const char *close = strstr(p, "*/");
            comment = comment ? comment : p;
            p = close ? line_end(close) : p + strlen(p);
        } else {
            const char *end = declaration_end(p);
            item *it = &list->item[list->n < MAX_ITEMS ? list->n++ : MAX_ITEMS - 1];
            *it = (item){.text = comment ? comment : p};
            it->n = (size_t)(end - it->text);
            find_names(it, p);
            comment = NULL;
            p = end;
        }
    }
}

static void need_from(items *list, const char *text, size_t n)
{
    for (int k = 0; k < list->n; ++k) {
        item *it = &list->item[k];
        for (int i = 0; i < it->nnames && !it->needed; ++i) {
            it->needed = uses(text, n, it->name[i]);
        }
    }
}

/* Its text with another qualifier of functions. */
static void put_item(gen_text *out, const item *it, const char *qualifier)
{
    const char *key = "static inline", *p = it->text, *end = it->text + it->n;
    const char *found = strstr(p, key);
    if (found && found < end) {
        gen_put_n(out, p, (size_t)(found - p));
        gen_put(out, "%s", qualifier);
        p = found + strlen(key);
    }
    gen_put_n(out, p, (size_t)(end - p));
    gen_put(out, "\n");
}

/* The items of the kernels over a kind of numbers, `base`, that `text` uses, closed under use. */
static dal_status select_items(gen *g, items *list, const char *base, const char *text)
{
    *list = (items){dal_alloc_zero(g->ctx, MAX_ITEMS * sizeof(item)), 0, 0};
    if (!list->item) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the kernels");
    }
    split(list, base);
    list->base = list->n;
    split(list, gen_text_kernels);
    need_from(list, text, strlen(text));
    for (int again = 1; again;) {
        again = 0;
        for (int k = 0; k < list->n; ++k) {
            item *it = &list->item[k];
            if (it->needed && !it->searched) {
                it->searched = again = 1;
                need_from(list, it->text, it->n);
            }
        }
    }
    return DAL_OK;
}

static void put_items(gen_text *out, const items *list, int from, int to, const char *qualifier)
{
    for (int k = from; k < to; ++k) {
        if (list->item[k].needed) {
            put_item(out, &list->item[k], qualifier);
        }
    }
}

dal_status gen_print_kernels(gen *g, gen_text *out, const char *text, const char *qualifier)
{
    items list;
    DAL_TRY(select_items(g, &list, gen_lanes(g) ? gen_text_lanes : gen_text_scalar, text));
    put_items(out, &list, 0, list.n, qualifier);
    dal_free(g->ctx, list.item);
    return DAL_OK;
}

static const char pack_width[] =
    "/* Elements of beams are evaluated several at a time: PACK of them, 1, 2, 4 or 8, as many as a vector has. */\n"
    "#if !defined(PACK)\n#if defined(__GNUC__) && defined(__AVX512F__)\n#define PACK %d\n"
    "#elif defined(__GNUC__) && defined(__AVX__)\n#define PACK 4\n"
    "#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__))\n#define PACK 2\n"
    "#else\n#define PACK 1\n#endif\n#endif\n\n";

/* Each name once; as another one for what follows, or no longer. */
static void put_names(gen_text *out, const items *list, int begin)
{
    for (int k = 0; k < list->n; ++k) {
        const item *it = &list->item[k];
        for (int i = 0; i < it->nnames && it->needed; ++i) {
            if (!begin) {
                gen_put(out, "#undef %s\n", it->name[i]);
            } else if (!it->macro) {
                gen_put(out, "#define %s pack_of_%s\n", it->name[i], it->name[i]);
            }
        }
    }
}

dal_status gen_print_packed(gen *g, gen_text *out, const char *text)
{
    items lanes, scalar = {0};
    dal_status st = select_items(g, &lanes, gen_text_lanes, text);
    st = st == DAL_OK ? select_items(g, &scalar, gen_text_scalar, text) : st;
    if (st == DAL_OK) {
        gen_put(out, pack_width, gen_pack_width(g));
        gen_put(out, "#define LANES PACK\n");
        put_names(out, &lanes, 1);
        gen_put(out, "\n#if PACK > 1\n");
        put_items(out, &lanes, 0, lanes.base, "static inline");
        gen_put(out, "#else\n");
        put_items(out, &scalar, 0, scalar.base, "static inline");
        gen_put(out, "#endif\n\n");
        put_items(out, &lanes, lanes.base, lanes.n, "static inline");
        gen_put_n(out, text, strlen(text));
        put_names(out, &lanes, 0);
        gen_put(out, "#undef LANES\n\n");
    }
    dal_free(g->ctx, lanes.item);
    dal_free(g->ctx, scalar.item);
    return st;
}
