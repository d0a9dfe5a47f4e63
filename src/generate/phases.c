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

static const gen_key no_keys[] = {{0}};

/* Opens a function, or a piece of it. */
static void open_function(gen *g, const gen_function *f, const char *qualifier, int piece)
{
    PUT("%s void %s_%s", qualifier, g->name, f->name);
    if (piece > 0) {
        PUT("_%d", piece);
    }
    PUT("(");
    gen_put_filled(g, f->arguments, no_keys);
    PUT(")\n{\n");
    if (strstr(f->arguments, "_work *w")) {
        PUT(g->nslots > 0 ? "    const real *k = w->s->k;\n    (void)k;\n" : "");
        PUT(strstr(f->arguments, "A[]") ? "    (void)w;\n    (void)A;\n" : "");
    }
}

void gen_print_with_constants(gen *g, const char *from, void (*body)(gen *g))
{
    gen_text text = {.ctx = g->ctx}, *out = g->out;
    g->out = &text;
    body(g);
    g->out = out;
    if (g->nslots > 0) {
        PUT("    const real *k = %s;\n    (void)k;\n", from);
    }
    gen_put_n(g->out, text.s ? text.s : "", text.n);
    g->out->failed |= text.failed;
    gen_text_release(&text);
}

/* The end of the piece that starts at p: a block "{ // ...", or so many lines; NULL: it stays where it is. */
static const char *piece_end(const gen_function *f, const char *p)
{
    if (f->lines == 0) {
        return strncmp(p, "    { // ", 9) == 0 ? block_end(p) : NULL;
    }
    for (int k = 0; k < f->lines && *p != '\0'; ++k) {
        p = strchr(p, '\n') + 1;
    }
    return p;
}

/* Pieces of the text of a function become functions; what is left calls them. */
static void split(gen *g, const gen_function *f, gen_text *rest, const char *text)
{
    int n = 0;
    for (const char *p = text; *p != '\0';) {
        const char *end = piece_end(f, p);
        if (!end) {
            end = block_end(p);
            gen_put_n(rest, p, (size_t)(end - p));
        } else {
            open_function(g, f, "PIECE", ++n);
            gen_put_n(g->out, p, (size_t)(end - p));
            PUT("}\n\n");
            gen_put(rest, "    %s_%s_%d(%s);\n", g->name, f->name, n, f->call);
        }
        p = end;
    }
}

void gen_print_function_of(gen *g, const gen_function *f)
{
    gen_text body = {.ctx = g->ctx}, rest = {.ctx = g->ctx}, *out = g->out;
    g->out = &body;
    f->body(g);
    g->out = out;
    const int large = gen_large(g) && f->call && !body.failed;
    if (large) {
        split(g, f, &rest, body.s ? body.s : "");
    }
    PUT("/* %s */\n", f->comment);
    open_function(g, f, gen_lanes(g) || (gen_large(g) && f->apart) ? "PHASE" : "static inline", 0);
    if (f->first) {
        f->first(g);
    }
    const gen_text *text = large ? &rest : &body;
    gen_put_n(g->out, text->s ? text->s : "", text->n);
    if (f->last) {
        f->last(g);
    }
    PUT("}\n\n");
    g->out->failed |= body.failed | rest.failed;
    gen_text_release(&body);
    gen_text_release(&rest);
}
