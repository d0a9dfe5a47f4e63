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

void answer_release(cli_answer *a)
{
    while (a != NULL) {
        cli_answer *next = a->next;
        answer_release(a->first);
        free(a->name);
        free(a->text);
        free(a->x);
        free(a);
        a = next;
    }
}

/* A new last member of `to`; the name has n letters. */
static cli_answer *add(cli_answer *to, answer_kind kind, const char *name, size_t n)
{
    cli_answer *a = answer_create();
    a->kind = kind;
    a->up = to;
    if (name != NULL) {
        a->name = cli_alloc(n + 1, 1);
        memcpy(a->name, name, n);
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

void answer_put(cli_answer *to, const char *members, ...)
{
    va_list args;
    va_start(args, members);
    for (const char *at = members; *at != '\0'; at += strspn(at, " ")) {
        const int hidden = *at == '.';
        const char *name = at + hidden, *conversion = strchr(at, '%') + 1;
        const size_t n = strcspn(name, " ?");
        cli_answer *a = add(to, ANSWER_TEXT, name, n);
        a->hidden = hidden;
        at = conversion + 1;
        if (*conversion == 's') {
            const char *text = va_arg(args, const char *);
            a->text = text != NULL ? cli_copy(text) : NULL;
            a->kind = text != NULL ? ANSWER_TEXT : ANSWER_NOTHING;
        } else if (*conversion == 'g') {
            a->kind = ANSWER_REAL;
            a->real = va_arg(args, double);
        } else {
            a->kind = name[n] == '?' ? ANSWER_FLAG : ANSWER_WHOLE;
            a->whole = *conversion == 'l' ? va_arg(args, long) : va_arg(args, int);
            at += *conversion == 'l';
        }
    }
    va_end(args);
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

void answer_texts(cli_answer *to, const char *name, char *const *text, int n)
{
    cli_answer *list = answer_list(to, name, 0);
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

cli_answer *answer_hidden(cli_answer *to, const char *name)
{
    cli_answer *a = answer_list(to, name, 0);
    a->hidden = 1;
    return a;
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
static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        const size_t n = svg_character(text);
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (n > 0) {
            fwrite(text, 1, n, out);
        } else {
            fprintf(out, "\\u%04x", c < 0x80 ? c : 0xfffdU);
        }
        text += n > 0 ? n : 1;
    }
    fputc('"', out);
}

static void number(FILE *out, double x)
{
    if (isfinite(x)) {
        fprintf(out, "%.17g", x + 0.0); // no -0
    } else {
        fputs("null", out);
    }
}

static void value(FILE *out, const cli_answer *a, int depth, int flat);

/* Members or items between brackets, one a line unless flat. */
static void members(FILE *out, const cli_answer *a, const char brackets[2], int depth, int flat)
{
    int count = 0;
    fputc(brackets[0], out);
    for (const cli_answer *m = a->first; m != NULL; m = m->next) {
        if (m->hidden || m->kind == ANSWER_NOTHING) {
            continue;
        }
        fputs(count++ > 0 ? (flat ? ", " : ",") : "", out);
        if (!flat) {
            fprintf(out, "\n%*s", 2 * (depth + 1), "");
        }
        if (m->name != NULL) {
            quoted(out, m->name);
            fputs(": ", out);
        }
        value(out, m, depth + 1, flat || m->flat);
    }
    if (count > 0 && !flat) {
        fprintf(out, "\n%*s", 2 * depth, "");
    }
    fputc(brackets[1], out);
}

static void value(FILE *out, const cli_answer *a, int depth, int flat)
{
    switch (a->kind) {
    case ANSWER_TEXT:
        quoted(out, a->text);
        break;
    case ANSWER_REAL:
        number(out, a->real);
        break;
    case ANSWER_WHOLE:
        fprintf(out, "%ld", a->whole);
        break;
    case ANSWER_FLAG:
        fputs(a->whole ? "true" : "false", out);
        break;
    case ANSWER_REALS:
        for (int i = 0; i < a->n; ++i) {
            fputs(i > 0 ? ", " : "[", out);
            number(out, a->x[i]);
        }
        fputs(a->n > 0 ? "]" : "[]", out);
        break;
    case ANSWER_LIST:
        members(out, a, "[]", depth, flat);
        break;
    default:
        members(out, a, "{}", depth, flat);
    }
}

void answer_json(const cli_answer *a, FILE *out)
{
    value(out, a, 0, 0);
    fputc('\n', out);
}

char *answer_string(const cli_answer *a, const char *text)
{
    cli_stream out;
    cli_stream_open(&out);
    if (text != NULL) {
        answer_print(a, text, out.file);
    } else {
        answer_json(a, out.file);
    }
    return cli_stream_text(&out);
}

void answer_tell(const cli_answer *a, const cli_args *args, int quiet)
{
    if (cli_given(args, "json")) {
        answer_json(a, stdout);
    } else if (!quiet) {
        answer_print(a, args->command->name, stdout);
    }
}

void answer_failure(const char *model)
{
    cli_answer *a = answer_create();
    answer_put(a, "model %s error %s", model, cli_last_error());
    answer_json(a, stdout);
    answer_release(a);
}
