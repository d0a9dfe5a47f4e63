/* Growing text, and numbers in it. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate/generate_impl.h"

static int make_room(gen_text *t, size_t more)
{
    if (t->failed || t->n + more + 1 <= t->capacity) {
        return !t->failed;
    }
    size_t capacity = t->capacity > 0 ? t->capacity : 4096;
    while (capacity < t->n + more + 1) {
        capacity *= 2;
    }
    char *s = dal_alloc_zero(t->ctx, capacity);
    if (!s) {
        t->failed = 1;
        return 0;
    }
    if (t->n > 0) {
        memcpy(s, t->s, t->n);
    }
    dal_free(t->ctx, t->s);
    t->s = s;
    t->capacity = capacity;
    return 1;
}

void gen_put_n(gen_text *t, const char *s, size_t n)
{
    if (n > 0 && make_room(t, n)) {
        memcpy(t->s + t->n, s, n);
        t->n += n;
        t->s[t->n] = '\0';
    }
}

void gen_put(gen_text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        t->failed = 1;
    } else if (make_room(t, (size_t)n)) {
        vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

/* Marks that turn the direction of writing are two or three bytes from these. */
static int turns_text(const unsigned char *p)
{
    return p[0] == 0xe2 && (p[1] == 0x80 || p[1] == 0x81);
}

gen_label gen_comment(const char *name)
{
    static const char plain[] = "_-.,:()=+/@#&|!~^$<>% ";
    gen_label to = {{0}};
    size_t n = 0;
    int strange = 0; // bytes left of a character that is replaced
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0' && n + 1 < sizeof to.s; ++p) {
        strange = turns_text(p) ? 3 : strange;
        const int keep = strange == 0 && (isalnum(*p) || *p >= 0x80 || strchr(plain, *p) != NULL);
        to.s[n++] = keep ? (char)*p : '_';
        strange -= strange > 0;
    }
    while (name[n] != '\0' && n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80) {
        to.s[--n] = '\0'; // cut between characters
    }
    return to;
}

void gen_text_release(gen_text *t)
{
    dal_free(t->ctx, t->s);
    *t = (gen_text){.ctx = t->ctx};
}

const char *gen_literal(char *to, size_t size, double x)
{
    // the shortest text that is the same number
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(to, size, "%.*g", digits, x);
        if (strtod(to, NULL) == x) {
            break;
        }
    }
    if (!strpbrk(to, ".en")) {
        const size_t n = strlen(to);
        snprintf(to + n, size - n, ".0");
    }
    return to;
}

gen_term gen_number(gen *g, const double *x)
{
    if (mb_grow((void **)&g->number, &g->number_capacity, g->nnumbers, sizeof *g->number, g->ctx) != DAL_OK ||
        mb_grow((void **)&g->place, &g->place_capacity, g->nnumbers, sizeof *g->place, g->ctx) != DAL_OK) {
        g->st = DAL_ENOMEM;
        return gen_const(*x);
    }
    const int k = g->nnumbers++;
    g->number[k] = *x;
    g->place[k] = gen_place_of(g, x);
    return g->slot && g->slot[k] >= 0 ? gen_name(1.0, "k[%d]", g->slot[k]) : gen_const(*x);
}

void gen_array(gen *g, const char *name, const double *x, int n)
{
    PUT("const real %s[%d] = {", name, n);
    for (int i = 0; i < n; ++i) {
        char text[GEN_NAME];
        const gen_term t = gen_number(g, x + i);
        if (t.s[0]) {
            PUT("%s%s", i > 0 ? ", " : "", t.s);
        } else {
            PUT("%sREAL(%s)", i > 0 ? ", " : "", gen_literal(text, sizeof text, t.c));
        }
    }
    PUT("};\n");
}
