/* Statements in the order in which others need them.
 *
 * A function of a large model that does one thing after the other for all bodies keeps everything of all bodies in memory.
 * Here statements come as late as they may: a few of them, the last ones of the function, are asked for in their order, and
 * each is preceded by what it needs and is not there yet. The motion of a body is computed where it is first needed. What
 * two statements both touch they touch in their old order, so that results stay the same to the last bit. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

#include "generate/generate_impl.h"

/* A statement and what it touches, word[first], ...: n >= 0 is a name, n < 0 motion -1 - n. */
typedef struct statement {
    const char *s;
    size_t length;
    int first, end, done;
} statement;

/* Statements that touch a name, in their order; `next`: those before it are printed. */
typedef struct name {
    const char *s;
    size_t length;
    int first, count, next;
    int declared; /* a variable of the function */
} name;

typedef struct demand {
    gen *g;
    statement *statement;
    int nstatements, *word, nwords, *touching;
    name *name; /* open addressing */
    size_t size;
    unsigned char *moved; /* motions that are there: bodies, forces with coordinates of their own, multipliers */
    int nmotions;
} demand;

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *p)
{
    size_t n = 0;
    while (is_word(p[n])) {
        ++n;
    }
    return n;
}

static int is(const char *p, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(p, word, n) == 0;
}

/* Where a name is, or would be. */
static size_t find(const demand *d, const char *s, size_t n)
{
    size_t hash = 5381;
    for (size_t i = 0; i < n; ++i) {
        hash = hash * 33 + (unsigned char)s[i];
    }
    size_t k = hash % d->size;
    while (d->name[k].s && !(d->name[k].length == n && memcmp(d->name[k].s, s, n) == 0)) {
        k = (k + 1) % d->size;
    }
    return k;
}

static void note(demand *d, int word)
{
    d->word[d->nwords++] = word;
}

static void note_name(demand *d, const char *s, size_t n)
{
    const size_t k = find(d, s, n);
    d->name[k].s = s;
    d->name[k].length = n;
    d->name[k].count++;
    note(d, (int)k);
}

/* ---- motions ---------------------------------------------------------------------------------- */

static int motion_of_force(const gen *g, int k)
{
    return g->m->body_names.n + k;
}

static int motion_of_row(const gen *g, int row)
{
    return g->m->body_names.n + g->m->force_names.n + row;
}

/* The motion that coordinate k, or velocity k, belongs to; -1: none. */
static int motion_at(const gen *g, int velocity, int k)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const int first = velocity ? b->v : b->q, n = velocity ? b->type->nv : b->type->nq;
        if (k >= first && k < first + n) {
            return i;
        }
    }
    for (int i = 0; i < g->m->force_names.n; ++i) {
        const mb_force *f = &g->m->force[i];
        if (f->factor >= 0 && k == (velocity ? f->v : f->q)) {
            return motion_of_force(g, i);
        }
    }
    return -1;
}

/* w->q, v, vd, la at "[k]" or " + k"; anything else may be all of them. */
#define EVERY_MOTION INT_MIN

static void note_motion(demand *d, const char *field, size_t n, const char *after)
{
    const gen *g = d->g;
    const int literal = (after[0] == '[' && isdigit((unsigned char)after[1])) || strncmp(after, " + ", 3) == 0;
    const int k = literal ? (int)strtol(after + (after[0] == '[' ? 1 : 3), NULL, 10) : -1;
    const int motion = k < 0 ? -1 : is(field, n, "la") ? motion_of_row(g, k) : motion_at(g, field[0] == 'v', k);
    note(d, motion >= 0 ? -1 - motion : EVERY_MOTION);
}

/* "s_ID", "coef_ID", ... of a body; 0: not one of these */
static int note_body(demand *d, const char *field, size_t n)
{
    static const char *const families[] = {"s_", "coef_", "T_", "P_", "L_"};
    for (size_t f = 0; f < sizeof families / sizeof families[0]; ++f) {
        const size_t m = strlen(families[f]);
        if (n <= m || memcmp(field, families[f], m) != 0) {
            continue;
        }
        for (int i = 0; i < d->g->m->body_names.n; ++i) {
            if (is(field + m, n - m, d->g->body[i].id)) {
                note(d, -1 - i);
                return 1;
            }
        }
    }
    return 0;
}

static void print_motion(demand *d, int motion)
{
    gen *g = d->g;
    char number[GEN_NAME];
    if (d->moved[motion]) {
        return;
    }
    d->moved[motion] = 1;
    if (motion < g->m->body_names.n) {
        gen_print_motion(g, motion);
        gen_print_state(g, motion, "w->q", "w->v", "w->vd", 1);
    } else if (motion < motion_of_row(g, 0)) {
        gen_print_motion_of_force(g, motion - g->m->body_names.n);
    } else {
        const int row = motion - motion_of_row(g, 0);
        gen_literal(number, sizeof number, 1.0 / g->s);
        PUT("    w->la[%d] = %s * kept->x[%d];\n", row, number, g->nv + row);
    }
}

/* ---- statements ------------------------------------------------------------------------------- */

/* The end of the statement that starts at p: after the line that closes it. */
static const char *statement_end(const char *p)
{
    for (int depth = 0;;) {
        const char *next = strchr(p, '\n');
        next = next ? next + 1 : p + strlen(p);
        char last = '\0';
        for (const char *c = p; c < next && !(c[0] == '/' && c[1] == '/'); ++c) {
            depth += *c == '{' ? 1 : *c == '}' ? -1 : 0;
            last = isspace((unsigned char)*c) ? last : *c;
        }
        if (*next == '\0' || (depth == 0 && (last == ';' || last == '}'))) {
            return next;
        }
        p = next;
    }
}

/* Variables of the function itself. */
static void note_declared(demand *d, const statement *t)
{
    if (strncmp(t->s, "    real ", 9) != 0 && strncmp(t->s, "    const ", 10) != 0) {
        return;
    }
    for (const char *p = t->s; p < t->s + t->length && *p != '=';) {
        const size_t n = word_length(p);
        if (n > 0 && !isdigit((unsigned char)*p) && !is(p, n, "real") && !is(p, n, "const") && !is(p, n, "int")) {
            const size_t k = find(d, p, n);
            d->name[k].s = p;
            d->name[k].length = n;
            d->name[k].declared = 1;
        }
        p += n > 0 ? n : 1;
    }
}

/* What follows "w->". */
static void note_field(demand *d, const char *field, size_t n)
{
    const char *after = field + n;
    if (is(field, n, "q") || is(field, n, "v") || is(field, n, "vd") || is(field, n, "la")) {
        note_motion(d, field, n, after);
    } else if (is(field, n, "r") && *after == '[') {
        note_name(d, field, n + (size_t)(strchr(after, ']') - after) + 1);
    } else if (n > 1 && !note_body(d, field, n)) {
        note_name(d, field, n);
    }
}

/* Entries of the arrays A, b, x of the function, and its variables. */
static void note_variable(demand *d, const char *p, size_t n)
{
    const int array = n == 1 && (*p == 'A' || *p == 'b' || *p == 'x') && p[1] == '[' && isdigit((unsigned char)p[2]);
    if (array) {
        note_name(d, p, n + (size_t)(strchr(p, ']') - p - 1) + 1);
    } else if (d->name[find(d, p, n)].declared) {
        note_name(d, p, n);
    }
}

static void note_words(demand *d, statement *t)
{
    t->first = d->nwords;
    for (const char *p = t->s, *end = t->s + t->length; p < end;) {
        const size_t n = word_length(p);
        if (p[0] == '/' && p[1] == '/') {
            const char *next = strchr(p, '\n');
            p = next ? next : end;
        } else if (n == 0) {
            ++p;
        } else {
            const int member = p > t->s && (p[-1] == '>' || p[-1] == '.');
            if (member && p - t->s >= 3 && memcmp(p - 3, "w->", 3) == 0) {
                note_field(d, p, n);
            } else if (!member && !isdigit((unsigned char)*p)) {
                note_variable(d, p, n);
            }
            p += n;
        }
    }
    t->end = d->nwords;
}

static void print_statement(demand *d, int i)
{
    statement *t = &d->statement[i];
    if (t->done) {
        return;
    }
    t->done = 1;
    for (int k = t->first; k < t->end; ++k) {
        name *n = d->word[k] >= 0 ? &d->name[d->word[k]] : NULL;
        while (n && n->next < n->count && d->touching[n->first + n->next] < i) {
            print_statement(d, d->touching[n->first + n->next++]);
        }
    }
    for (int k = t->first; k < t->end; ++k) {
        const int every = d->word[k] == EVERY_MOTION;
        for (int m = 0; every && m < d->nmotions; ++m) {
            print_motion(d, m);
        }
        if (d->word[k] < 0 && !every) {
            print_motion(d, -1 - d->word[k]);
        }
    }
    gen_put_n(d->g->out, t->s, t->length);
}

/* By name: the statements that touch it. */
static void sort_touching(demand *d)
{
    int at = 0;
    for (size_t k = 0; k < d->size; ++k) {
        d->name[k].first = at;
        at += d->name[k].count;
        d->name[k].count = 0;
    }
    for (int i = 0; i < d->nstatements; ++i) {
        for (int k = d->statement[i].first; k < d->statement[i].end; ++k) {
            name *n = d->word[k] >= 0 ? &d->name[d->word[k]] : NULL;
            if (n) {
                d->touching[n->first + n->count++] = i;
            }
        }
    }
}

static int split(demand *d, const char *text, int store)
{
    int n = 0;
    for (const char *p = text ? text : ""; *p != '\0'; ++n) {
        const char *end = statement_end(p);
        if (store) {
            d->statement[d->nstatements++] = (statement){.s = p, .length = (size_t)(end - p)};
        }
        p = end;
    }
    return n;
}

static dal_status create(demand *d, const gen_text *body, const gen_text *last)
{
    const gen *g = d->g;
    size_t words = 1;
    for (int k = 0; k < 2; ++k) {
        const gen_text *t = k == 0 ? body : last;
        for (size_t i = 0; i < t->n; ++i) {
            words += is_word(t->s[i]) && (i == 0 || !is_word(t->s[i - 1]));
        }
    }
    const int n = split(d, body->s, 0) + split(d, last->s, 0);
    d->nmotions = motion_of_row(g, g->nc);
    d->size = 2 * words + 1;
    d->statement = dal_alloc_zero(g->ctx, ((size_t)n + 1) * sizeof *d->statement);
    d->word = dal_alloc_zero(g->ctx, words * sizeof *d->word);
    d->touching = dal_alloc_zero(g->ctx, words * sizeof *d->touching);
    d->name = dal_alloc_zero(g->ctx, d->size * sizeof *d->name);
    d->moved = dal_alloc_zero(g->ctx, (size_t)d->nmotions + 1);
    if (!d->statement || !d->word || !d->touching || !d->name || !d->moved) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory to order statements");
    }
    return DAL_OK;
}

dal_status gen_demand(gen *g, const gen_text *body, const gen_text *last)
{
    demand d = {.g = g};
    dal_status st = create(&d, body, last);
    if (st == DAL_OK) {
        const int targets = split(&d, body->s, 1);
        split(&d, last->s, 1);
        for (int i = 0; i < d.nstatements; ++i) {
            note_declared(&d, &d.statement[i]);
        }
        for (int i = 0; i < d.nstatements; ++i) {
            note_words(&d, &d.statement[i]);
        }
        sort_touching(&d);
        for (int i = targets; i < d.nstatements; ++i) {
            print_statement(&d, i);
        }
    }
    dal_free(g->ctx, d.statement);
    dal_free(g->ctx, d.word);
    dal_free(g->ctx, d.touching);
    dal_free(g->ctx, d.name);
    dal_free(g->ctx, d.moved);
    return st;
}
