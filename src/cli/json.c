#include "cli/json.h"

#include <math.h>
#include <string.h>

#include "svg/svg.h"

cli_json cli_json_to(FILE *out)
{
    return (cli_json){.out = out};
}

void cli_json_end(cli_json *j)
{
    fputc('\n', j->out);
}

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

/* What comes before a value: comma, new line, key. */
static void begin(cli_json *j, const char *key)
{
    if (j->depth > 0) {
        const int first = j->count[j->depth]++ == 0;
        if (!first) {
            fputc(',', j->out);
        }
        if (j->flat > 0) {
            fputs(first ? "" : " ", j->out);
        } else {
            fprintf(j->out, "\n%*s", 2 * j->depth, "");
        }
    }
    if (key != NULL) {
        quoted(j->out, key);
        fputs(": ", j->out);
    }
}

void cli_json_open(cli_json *j, const char *key, char bracket, int flat)
{
    begin(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->count[j->depth] = 0;
    if (flat && j->flat == 0) {
        j->flat = j->depth;
    }
}

void cli_json_close(cli_json *j, char bracket)
{
    const int flat = j->flat > 0, empty = j->count[j->depth] == 0;
    if (j->flat == j->depth) {
        j->flat = 0;
    }
    j->depth--;
    if (!flat && !empty) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(bracket, j->out);
}

void cli_json_text(cli_json *j, const char *key, const char *text)
{
    begin(j, key);
    quoted(j->out, text);
}

void cli_json_real(cli_json *j, const char *key, double x)
{
    begin(j, key);
    if (isfinite(x)) {
        fprintf(j->out, "%.17g", x + 0.0); // no -0
    } else {
        fputs("null", j->out);
    }
}

void cli_json_whole(cli_json *j, const char *key, long n)
{
    begin(j, key);
    fprintf(j->out, "%ld", n);
}

void cli_json_flag(cli_json *j, const char *key, int yes)
{
    begin(j, key);
    fputs(yes ? "true" : "false", j->out);
}

void cli_json_reals(cli_json *j, const char *key, const double *x, int n)
{
    cli_json_open(j, key, '[', 1);
    for (int i = 0; i < n; ++i) {
        cli_json_real(j, NULL, x[i]);
    }
    cli_json_close(j, ']');
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

void cli_json_options(cli_json *j, const char *key, const dal_options *opt)
{
    const dal_option_table *table = dal_options_table();
    cli_json_open(j, key, '{', 0);
    for (int i = 0; i < table->n; ++i) {
        const dal_option *o = &table->option[i];
        const char *at = (const char *)opt + o->offset;
        if (o->kind == DAL_OPTION_REALS) {
            dal_reals list;
            memcpy(&list, at, sizeof list);
            cli_json_reals(j, o->name, list.x, list.n);
            continue;
        }
        double x;
        int rule = 0;
        if (o->kind == DAL_OPTION_RULED) {
            memcpy(&rule, at + sizeof x, sizeof rule);
        }
        if (o->kind == DAL_OPTION_REAL || (o->kind == DAL_OPTION_RULED && rule == 0)) {
            memcpy(&x, at, sizeof x);
        } else if (o->kind == DAL_OPTION_RULED) {
            x = rule;
        } else {
            int n;
            memcpy(&n, at, sizeof n);
            x = n;
        }
        const char *word = o->kind == DAL_OPTION_RULED && rule == 0 ? NULL : word_of(o, x);
        if (word != NULL) {
            cli_json_text(j, o->name, word);
        } else if (o->kind == DAL_OPTION_FLAG) {
            cli_json_flag(j, o->name, x != 0.0);
        } else {
            cli_json_real(j, o->name, x);
        }
    }
    cli_json_close(j, '}');
}

void cli_json_failure(const char *model, const char *error)
{
    cli_json out = cli_json_to(stdout);
    cli_json_open(&out, NULL, '{', 0);
    cli_json_text(&out, "model", model);
    cli_json_text(&out, "error", error);
    cli_json_close(&out, '}');
    cli_json_end(&out);
}
