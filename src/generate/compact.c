/* Leave out entries of A that nothing reads, numbers above all, which the factors have folded in; number the others in the
 * order in which they occur. */
#include <ctype.h>
#include <stdlib.h>

#include "generate/generate_impl.h"

/* The next A[ before end; NULL: none. */
static const char *next_entry(const char *p, const char *end)
{
    for (; p + 2 < end; ++p) {
        if (p[0] == 'A' && p[1] == '[' && !isalnum((unsigned char)p[-1]) && p[-1] != '_' && p[-1] != '>' &&
            isdigit((unsigned char)p[2])) {
            return p;
        }
    }
    return NULL;
}

static int index_of(const char *entry)
{
    return (int)strtol(entry + 2, NULL, 10);
}

/* The entry that a line assigns or adds to, -1: none. */
static int target(const char *line, const char *end)
{
    static const char key[] = "    A[";
    if (end - line < (long)sizeof key || strncmp(line, key, sizeof key - 1) != 0) {
        return -1;
    }
    const char *close = strchr(line, ']');
    return strncmp(close, "] = ", 4) == 0 || strncmp(close, "] += ", 5) == 0 ? index_of(line + 4) : -1;
}

/* Mark lines backwards: the first character of a dropped line becomes a zero. */
static void drop_stores(char *text, size_t size, size_t from, unsigned char *read)
{
    for (size_t end = size; end > from;) {
        size_t start = end - 1;
        while (start > from && text[start - 1] != '\n') {
            --start;
        }
        const int to = target(text + start, text + end);
        if (to >= 0 && !read[to]) {
            text[start] = '\0';
        } else {
            const char *p = text + start + (to >= 0 ? 5 : 1);
            while ((p = next_entry(p, text + end))) {
                read[index_of(p++)] = 1;
            }
        }
        end = start;
    }
}

/* A line with entries renumbered; number[k]: the new one, -1: none yet. */
static void put_line(gen_text *out, const char *line, const char *end, int *number, int *n)
{
    const char *done = line;
    for (const char *p = line + 1; (p = next_entry(p, end)); ++p) {
        int *to = &number[index_of(p)];
        *to = *to < 0 ? (*n)++ : *to;
        gen_put_n(out, done, (size_t)(p - done));
        gen_put(out, "A[%d", *to);
        done = strchr(p, ']');
    }
    gen_put_n(out, done, (size_t)(end - done));
}

dal_status gen_compact(gen *g, gen_text *t, size_t from, int nfixed)
{
    const size_t n = (size_t)g->A.nnz;
    unsigned char *read = dal_alloc_zero(g->ctx, n + 1);
    int *number = dal_alloc_zero(g->ctx, (n + 1) * sizeof *number);
    gen_text out = {.ctx = g->ctx};
    if (!read || !number || t->failed) {
        dal_free(g->ctx, read);
        dal_free(g->ctx, number);
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory to number the matrix");
    }
    for (int k = 0; k < g->A.nnz; ++k) {
        number[k] = k < nfixed ? k : -1;
        read[k] = k < nfixed;
    }
    drop_stores(t->s, t->n, from, read);
    gen_put_n(&out, t->s, from);
    g->A.nnz = nfixed;
    for (size_t i = from; i < t->n;) {
        size_t end = i + 1;
        while (end < t->n && t->s[end - 1] != '\n') {
            ++end;
        }
        if (t->s[i] != '\0') {
            put_line(&out, t->s + i, t->s + end, number, &g->A.nnz);
        }
        i = end;
    }
    dal_free(g->ctx, read);
    dal_free(g->ctx, number);
    gen_text_release(t);
    *t = out;
    return out.failed ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : gen_prune(t);
}
