#define _POSIX_C_SOURCE 200809L

#include "cli/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer_impl.h"
#include "svg/svg.h"

/* ---- filling ---------------------------------------------------------------------------------- */

cli_answer *answer_create(void)
{
    cli_answer *a = cli_alloc(1, sizeof *a);
    a->kind = ANSWER_OBJECT;
    return a;
}

/* A new last member of `to`; the name has n letters, and room behind the member. */
static cli_answer *add(cli_answer *to, answer_kind kind, const char *name, size_t n)
{
    cli_answer *a = cli_alloc(1, sizeof *a + n + 1);
    a->kind = kind;
    a->up = to;
    if (name != NULL) {
        a->hidden = name[0] == '.';
        a->name = (char *)(a + 1);
        memcpy(a->name, name + a->hidden, n - (size_t)a->hidden);
    }
    *(to->first == NULL ? &to->first : &to->last->next) = a;
    to->last = a;
    return a;
}

static cli_answer *add_named(cli_answer *to, answer_kind kind, const char *name)
{
    return add(to, kind, name, name != NULL ? strlen(name) : 0);
}

/* A member of n numbers, to be filled. */
static double *add_reals(cli_answer *to, const char *name, int n)
{
    cli_answer *a = add_named(to, ANSWER_REALS, name);
    a->x = cli_alloc((size_t)n, sizeof *a->x);
    a->n = n;
    return a->x;
}

static void put(cli_answer *to, const char *members, va_list args)
{
    for (const char *at = members; *at != '\0'; at += strspn(at, " ")) {
        const char *conversion = strchr(at, '%') + 1;
        const size_t n = strcspn(at, " ?");
        cli_answer *a = add(to, ANSWER_TEXT, at, n);
        if (*conversion == 's') {
            const char *text = va_arg(args, const char *);
            a->text = text != NULL ? cli_copy(text) : NULL;
            a->kind = text != NULL ? ANSWER_TEXT : ANSWER_NOTHING;
        } else if (*conversion == 'g') {
            a->kind = ANSWER_REAL;
            a->real = va_arg(args, double);
        } else {
            a->kind = at[n] == '?' ? ANSWER_FLAG : ANSWER_WHOLE;
            a->whole = *conversion == 'l' ? va_arg(args, long) : va_arg(args, int);
        }
        at = conversion + 1 + (*conversion == 'l');
    }
}

void answer_put(cli_answer *to, const char *members, ...)
{
    va_list args;
    va_start(args, members);
    put(to, members, args);
    va_end(args);
}

cli_answer *answer_line(cli_answer *to, const char *name, const char *members, ...)
{
    cli_answer *a = answer_object(to, name, 1);
    va_list args;
    va_start(args, members);
    put(a, members, args);
    va_end(args);
    return a;
}

void answer_text(cli_answer *to, const char *name, const char *text)
{
    add_named(to, ANSWER_TEXT, name)->text = cli_copy(text);
}

void answer_real(cli_answer *to, const char *name, double x)
{
    add_named(to, ANSWER_REAL, name)->real = x;
}

void answer_reals(cli_answer *to, const char *name, const double *x, int n)
{
    double *copy = add_reals(to, name, n);
    if (n > 0) {
        memcpy(copy, x, (size_t)n * sizeof *x);
    }
}

void answer_wholes(cli_answer *to, const char *name, const int *x, int n)
{
    double *copy = add_reals(to, name, n);
    for (int i = 0; i < n; ++i) {
        copy[i] = x[i];
    }
}

void answer_texts(cli_answer *to, const char *name, char *const *text, int n, int flat)
{
    cli_answer *list = answer_list(to, name, flat);
    for (int i = 0; i < n; ++i) {
        answer_text(list, NULL, text[i]);
    }
}

void answer_matrix(cli_answer *to, const char *name, const double *x, int rows, int cols)
{
    cli_answer *list = answer_list(to, name, 0);
    for (int i = 0; i < rows; ++i) {
        double *row = add_reals(list, NULL, cols);
        for (int k = 0; k < cols; ++k) {
            row[k] = x[(size_t)i + (size_t)k * (size_t)rows];
        }
    }
}

static cli_answer *container(cli_answer *to, answer_kind kind, const char *name, int flat)
{
    cli_answer *a = add_named(to, kind, name);
    a->flat = flat;
    return a;
}

cli_answer *answer_object(cli_answer *to, const char *name, int flat)
{
    return container(to, ANSWER_OBJECT, name, flat);
}

cli_answer *answer_list(cli_answer *to, const char *name, int flat)
{
    return container(to, ANSWER_LIST, name, flat);
}

/* A word that stands for the value, if one does. */
static const char *word_of(const dal_option *o, double x)
{
    for (const dal_word *w = o->words; w != NULL && w->name != NULL; ++w) {
        if (w->value == x) {
            return w->name;
        }
    }
    return NULL;
}

static void put_option(cli_answer *to, const dal_option *o, const char *at)
{
    double x;
    int n = 0;
    if (o->kind == DAL_OPTION_REALS) {
        dal_reals list;
        memcpy(&list, at, sizeof list);
        answer_reals(to, o->name, list.x, list.n);
        return;
    }
    const int real = o->kind == DAL_OPTION_REAL || o->kind == DAL_OPTION_RULED;
    memcpy(&x, at, real ? sizeof x : 0);
    if (o->kind != DAL_OPTION_REAL) { // the rule of a number that may follow one, or the value
        memcpy(&n, at + (real ? sizeof x : 0), sizeof n);
    }
    x = real && n == 0 ? x : n;
    const char *word = o->kind == DAL_OPTION_RULED && n == 0 ? NULL : word_of(o, x);
    if (word != NULL) {
        answer_text(to, o->name, word);
    } else if (o->kind == DAL_OPTION_FLAG) {
        add_named(to, ANSWER_FLAG, o->name)->whole = n;
    } else {
        answer_real(to, o->name, x);
    }
}

void answer_options(cli_answer *to, const char *name, const dal_options *opt)
{
    const dal_option_table *table = dal_options_table();
    cli_answer *all = name != NULL ? answer_object(to, name, 0) : to;
    for (int i = 0; i < table->n; ++i) {
        put_option(all, &table->option[i], (const char *)opt + table->option[i].offset);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* What is no UTF-8 cannot stand in JSON: it becomes U+FFFD. */
static void quoted(cli_string *out, const char *text)
{
    cli_add_bytes(out, "\"", 1);
    while (*text != '\0') {
        const size_t n = svg_character(text);
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            cli_add(out, "\\%c", c);
        } else if (n > 0) {
            cli_add_bytes(out, text, n);
        } else {
            cli_add(out, "\\u%04x", c < 0x80 ? c : 0xfffdU);
        }
        text += n > 0 ? n : 1;
    }
    cli_add_bytes(out, "\"", 1);
}

static void number(cli_string *out, double x)
{
    if (isfinite(x)) {
        cli_add(out, "%.17g", x + 0.0); // no -0
    } else {
        cli_add(out, "null");
    }
}

static void value(cli_string *out, const cli_answer *a, int depth, int flat);

/* Members or items between brackets, one a line unless flat. */
static void members(cli_string *out, const cli_answer *a, const char brackets[2], int depth, int flat)
{
    int count = 0;
    cli_add_bytes(out, brackets, 1);
    for (const cli_answer *m = a->first; m != NULL; m = m->next) {
        if (m->hidden || m->kind == ANSWER_NOTHING) {
            continue;
        }
        cli_add(out, "%s", count++ > 0 ? (flat ? ", " : ",") : "");
        if (!flat) {
            cli_add(out, "\n%*s", 2 * (depth + 1), "");
        }
        if (m->name != NULL) {
            quoted(out, m->name);
            cli_add(out, ": ");
        }
        value(out, m, depth + 1, flat || m->flat);
    }
    if (count > 0 && !flat) {
        cli_add(out, "\n%*s", 2 * depth, "");
    }
    cli_add_bytes(out, brackets + 1, 1);
}

static void value(cli_string *out, const cli_answer *a, int depth, int flat)
{
    switch (a->kind) {
    case ANSWER_TEXT:
        quoted(out, a->text);
        break;
    case ANSWER_REAL:
        number(out, a->real);
        break;
    case ANSWER_WHOLE:
        cli_add(out, "%ld", a->whole);
        break;
    case ANSWER_FLAG:
        cli_add(out, a->whole ? "true" : "false");
        break;
    case ANSWER_REALS:
        for (int i = 0; i < a->n; ++i) {
            cli_add(out, i > 0 ? ", " : "[");
            number(out, a->x[i]);
        }
        cli_add(out, a->n > 0 ? "]" : "[]");
        break;
    case ANSWER_LIST:
        members(out, a, "[]", depth, flat);
        break;
    default:
        members(out, a, "{}", depth, flat);
    }
}

char *answer_string(const cli_answer *a, const char *text)
{
    cli_string out = {0};
    if (text == NULL) {
        value(&out, a, 0, 0);
        cli_add(&out, "\n");
    } else {
        answer_add(a, &out, text, 0);
    }
    return out.text;
}

void answer_tell(const cli_answer *a, const cli_args *args, const char *text)
{
    const int json = cli_given(args, "json");
    if (json || !cli_quiet(args)) {
        fputs(answer_string(a, json ? NULL : text != NULL ? text : args->command->name), stdout);
    }
}

void answer_failure(const char *model)
{
    cli_answer *a = answer_create();
    answer_put(a, "model %s error %s", model, cli_last_error());
    fputs(answer_string(a, NULL), stdout);
}
