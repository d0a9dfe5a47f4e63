/* Options as text: one value, or the table of the manual. */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/options_impl.h"

/* Bounds beyond these mean: no bound, and: positive. */
static const double HUGE_BOUND = 1e300;

text_out dal_text_out(char *buffer, size_t size)
{
    if (buffer == NULL) {
        size = 0;
    }
    if (size > 0) {
        buffer[0] = '\0';
    }
    return (text_out){buffer, size, 0};
}

void dal_text_add(text_out *out, const char *format, ...)
{
    const size_t room = out->length < out->size ? out->size - out->length : 0;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(room > 0 ? out->buffer + out->length : NULL, room, format, args);
    va_end(args);
    out->length += n > 0 ? (size_t)n : 0;
}

void dal_text_words(text_out *out, const dal_word *words, const char *quote)
{
    for (const dal_word *w = words; w != NULL && w->name != NULL; ++w) {
        dal_text_add(out, "%s%s%s%s", w == words ? "" : ", ", quote, w->name, quote);
    }
}

void dal_text_range(text_out *out, const dal_option *option)
{
    char lo[DAL_NUMBER_SIZE], hi[DAL_NUMBER_SIZE];
    const int unbounded_below = option->min <= -HUGE_BOUND, unbounded_above = option->max >= HUGE_BOUND;
    const int positive = option->min > 0.0 && option->min <= 1.0 / HUGE_BOUND;
    dal_number_format(lo, unbounded_below ? -INFINITY : positive ? 0.0 : option->min);
    dal_number_format(hi, unbounded_above ? INFINITY : option->max);
    dal_text_add(out, "%c%s, %s%c", unbounded_below || positive ? '(' : '[', lo, hi, unbounded_above ? ')' : ']');
}

/* A number, or the word for it if there are words. */
static void add_number(text_out *out, const dal_word *words, double x)
{
    char number[DAL_NUMBER_SIZE];
    const dal_word *word = dal_word_of_value(words, x);
    dal_number_format(number, x);
    dal_text_add(out, "%s", word != NULL ? word->name : number);
}

static void text_value(text_out *out, const dal_option *option, const option_value *value)
{
    switch (option->kind) {
    case DAL_OPTION_INT:
        dal_text_add(out, "%d", value->i);
        break;
    case DAL_OPTION_REAL:
        add_number(out, option->words, value->x);
        break;
    case DAL_OPTION_RULED:
        add_number(out, value->i != 0 ? option->words : NULL, value->i != 0 ? value->i : value->x);
        break;
    case DAL_OPTION_FLAG:
        dal_text_add(out, "%s", value->i != 0 ? "yes" : "no");
        break;
    case DAL_OPTION_CHOICE:
        add_number(out, option->words, value->i);
        break;
    case DAL_OPTION_REALS:
        for (int i = 0; i < value->xs.n && i < DAL_REALS_MAX; ++i) {
            dal_text_add(out, i > 0 ? "," : "");
            add_number(out, option->words, value->xs.x[i]);
        }
        break;
    }
}

size_t dal_options_format(char *buffer, size_t size, const dal_option *option, const void *options)
{
    if (option == NULL || options == NULL) {
        return 0;
    }
    text_out out = dal_text_out(buffer, size);
    const option_value value = dal_option_load(option, options);
    text_value(&out, option, &value);
    return out.length;
}

/* ---- the manual ------------------------------------------------------------------------------- */

static void add_values(text_out *out, const dal_option *option)
{
    switch (option->kind) {
    case DAL_OPTION_FLAG:
        dal_text_add(out, "`no`, `yes`");
        return;
    case DAL_OPTION_CHOICE:
        dal_text_words(out, option->words, "`");
        return;
    case DAL_OPTION_INT:
        dal_text_add(out, "whole number in ");
        break;
    case DAL_OPTION_REAL:
    case DAL_OPTION_RULED:
        dal_text_add(out, "number in ");
        break;
    case DAL_OPTION_REALS:
        dal_text_add(out, "up to %d numbers in ", DAL_REALS_MAX);
        break;
    }
    dal_text_range(out, option);
    if (option->words != NULL) {
        dal_text_add(out, ", or ");
        dal_text_words(out, option->words, "`");
    }
}

static void add_default(text_out *out, const dal_option *option)
{
    const option_value value = dal_option_initial(option);
    if (option->kind == DAL_OPTION_REALS) {
        dal_text_add(out, "none");
        return;
    }
    dal_text_add(out, "`");
    text_value(out, option, &value);
    dal_text_add(out, "`");
}

/* A vertical bar would end the cell. */
static void add_cell(text_out *out, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c) {
        dal_text_add(out, *c == '|' ? "\\%c" : "%c", *c);
    }
}

size_t dal_options_markdown(char *buffer, size_t size, const dal_option_table *table)
{
    if (table == NULL) {
        return 0;
    }
    text_out out = dal_text_out(buffer, size);
    dal_text_add(&out, "## %s\n\n| Name | Values | Default | Meaning |\n|---|---|---|---|\n", table->title);
    for (int k = 0; k < table->n; ++k) {
        const dal_option *option = &table->option[k];
        dal_text_add(&out, "| `%s` | ", option->name);
        add_values(&out, option);
        dal_text_add(&out, " | ");
        add_default(&out, option);
        dal_text_add(&out, " | ");
        add_cell(&out, option->text);
        dal_text_add(&out, " |\n");
    }
    return out.length;
}
