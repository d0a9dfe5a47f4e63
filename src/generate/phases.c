/* Large functions in pieces: a compiler that sees thousands of lines at once takes long and keeps little in registers. */
#include <stdio.h>

#include "generate/generate_impl.h"

int gen_lanes(const gen *g)
{
    return g->how->scalar == DAL_GENERATE_LANES;
}

int gen_large(const gen *g)
{
    return g->n > 24;
}

/* The end of the block whose first line starts at p: after the line that closes it. */
static const char *block_end(const char *p)
{
    int depth = 0;
    for (;;) {
        const char *next = strchr(p, '\n');
        next = next ? next + 1 : p + strlen(p);
        for (const char *c = p; c < next; ++c) {
            depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
        }
        if (depth == 0 || *next == '\0') {
            return next;
        }
        p = next;
    }
}

/* The comment of a block, without what follows the line. */
static int comment_length(const char *p)
{
    const char *end = strchr(p, '\n');
    return end ? (int)(end - p) : (int)strlen(p);
}

dal_status gen_split(gen *g, gen_text *before, gen_text *body, const char *name, const char *arguments,
                     const char *call)
{
    static const char key[] = "    { // ";
    gen_text rest = {.ctx = g->ctx};
    int n = 0;
    for (const char *p = body->s ? body->s : ""; *p != '\0';) {
        const char *end = block_end(p);
        if (strncmp(p, key, sizeof key - 1) == 0) {
            const char *comment = p + sizeof key - 1;
            const int length = comment_length(comment);
            ++n;
            gen_put(before, "/* %.*s */\nPIECE void %s_%s_%d(%s)\n{\n", length, comment, g->name, name, n, arguments);
            if (g->nslots > 0) {
                gen_put(before, "    const real *k = w->s->k;\n    (void)k;\n");
            }
            if (strstr(arguments, "A[]")) {
                gen_put(before, "    (void)w;\n    (void)A;\n");
            }
            gen_put_n(before, p, (size_t)(end - p));
            gen_put(before, "}\n\n");
            gen_put(&rest, "    %s_%s_%d(%s); // %.*s\n", g->name, name, n, call, length, comment);
        } else {
            gen_put_n(&rest, p, (size_t)(end - p));
        }
        p = end;
    }
    rest.failed |= body->failed | before->failed;
    gen_text_release(body);
    *body = rest;
    return rest.failed ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : DAL_OK;
}

dal_status gen_cut(gen *g, gen_text *before, gen_text *body, const char *name, const char *arguments, const char *call)
{
    enum { LINES = 100 };
    gen_text rest = {.ctx = g->ctx};
    int n = 0, lines = 0;
    for (const char *p = body->s ? body->s : ""; *p != '\0';) {
        const char *next = strchr(p, '\n');
        next = next ? next + 1 : p + strlen(p);
        if (lines == 0) {
            ++n;
            gen_put(before, "PIECE void %s_%s_%d(%s)\n{\n", g->name, name, n, arguments);
            gen_put(&rest, "    %s_%s_%d(%s);\n", g->name, name, n, call);
        }
        gen_put_n(before, p, (size_t)(next - p));
        lines = lines + 1 == LINES || *next == '\0' ? 0 : lines + 1;
        if (lines == 0) {
            gen_put(before, "}\n\n");
        }
        p = next;
    }
    rest.failed |= body->failed | before->failed;
    gen_text_release(body);
    *body = rest;
    return rest.failed ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : DAL_OK;
}
