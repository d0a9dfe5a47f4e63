/* Values of options: in the struct, read from text, checked. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/number.h"
#include "base/options_impl.h"

enum { LIST_SIZE = 512, WORDS_MAX = 32, SHOWN = 80 };

/* ---- in the struct ---------------------------------------------------------------------------- */

option_value dal_option_load(const dal_option *option, const void *options)
{
    const char *at = (const char *)options + option->offset;
    option_value value = {0};
    switch (option->kind) {
    case DAL_OPTION_REAL:
        memcpy(&value.x, at, sizeof value.x);
        break;
    case DAL_OPTION_RULED:
        memcpy(&value.x, at, sizeof value.x);
        memcpy(&value.i, at + sizeof value.x, sizeof value.i);
        break;
    case DAL_OPTION_REALS:
        memcpy(&value.xs, at, sizeof value.xs);
        break;
    case DAL_OPTION_INT:
    case DAL_OPTION_FLAG:
    case DAL_OPTION_CHOICE:
        memcpy(&value.i, at, sizeof value.i);
        break;
    }
    return value;
}

void dal_option_store(const dal_option *option, void *options, const option_value *value)
{
    char *at = (char *)options + option->offset;
    switch (option->kind) {
    case DAL_OPTION_REAL:
        memcpy(at, &value->x, sizeof value->x);
        break;
    case DAL_OPTION_RULED:
        memcpy(at, &value->x, sizeof value->x);
        memcpy(at + sizeof value->x, &value->i, sizeof value->i);
        break;
    case DAL_OPTION_REALS:
        memcpy(at, &value->xs, sizeof value->xs);
        break;
    case DAL_OPTION_INT:
    case DAL_OPTION_FLAG:
    case DAL_OPTION_CHOICE:
        memcpy(at, &value->i, sizeof value->i);
        break;
    }
}

/* ---- words ------------------------------------------------------------------------------------ */

const dal_word *dal_word_of_value(const dal_word *words, double value)
{
    for (const dal_word *w = words; w != NULL && w->name != NULL; ++w) {
        if (w->value == value || (isnan(w->value) && isnan(value))) {
            return w;
        }
    }
    return NULL;
}

static const dal_word *word_of_name(const dal_word *words, span name)
{
    for (const dal_word *w = words; w != NULL && w->name != NULL; ++w) {
        if (strlen(w->name) == name.n && memcmp(w->name, name.at, name.n) == 0) {
            return w;
        }
    }
    return NULL;
}

/* " (did you mean 'index3'?)", or nothing. */
static void did_you_mean(char hint[DAL_HINT_SIZE], const dal_word *words, span text)
{
    const char *name[WORDS_MAX];
    char given[SHOWN + 1];
    int n = 0;
    for (const dal_word *w = words; w != NULL && w->name != NULL && n < WORDS_MAX; ++w) {
        name[n++] = w->name;
    }
    snprintf(given, sizeof given, "%.*s", (int)(text.n < SHOWN ? text.n : SHOWN), text.at);
    dal_hint(hint, dal_nearest(given, name, n));
}

/* ---- checking --------------------------------------------------------------------------------- */

/* Finite and in range. Written so that NaN fails. */
static int in_range(const dal_option *option, double x)
{
    return isfinite(x) && x >= option->min && x <= option->max;
}

/* The same, or one of the values that have a name. */
static int allowed(const dal_option *option, double x)
{
    return in_range(option, x) || dal_word_of_value(option->words, x) != NULL;
}

static dal_status out_of_range(dal_ctx *ctx, const dal_option *option, double x)
{
    char number[DAL_NUMBER_SIZE], list[LIST_SIZE];
    text_out out = dal_text_out(list, sizeof list);
    dal_number_format(number, x);
    dal_text_add(&out, option->words != NULL ? "neither in " : "not in ");
    dal_text_range(&out, option);
    if (option->words != NULL) {
        dal_text_add(&out, " nor one of ");
        dal_text_words(&out, option->words, "");
    }
    return dal_fail(ctx, DAL_EOPTION, "%s = %s is %s", option->name, number, list);
}

static dal_status check_reals(dal_ctx *ctx, const dal_option *option, const dal_reals *xs)
{
    if (xs->n < 0 || xs->n > DAL_REALS_MAX) {
        return dal_fail(ctx, DAL_EOPTION, "%s: %d numbers, where 0 to %d are possible", option->name, xs->n,
                        DAL_REALS_MAX);
    }
    for (int i = 0; i < xs->n; ++i) {
        if (!allowed(option, xs->x[i])) {
            return out_of_range(ctx, option, xs->x[i]);
        }
    }
    return DAL_OK;
}

static dal_status check_choice(dal_ctx *ctx, const dal_option *option, int i)
{
    char list[LIST_SIZE];
    text_out out = dal_text_out(list, sizeof list);
    if (dal_word_of_value(option->words, i) != NULL) {
        return DAL_OK;
    }
    dal_text_words(&out, option->words, "");
    return dal_fail(ctx, DAL_EOPTION, "%s%s = %d: choose one of %s", option->name,
                    option->kind == DAL_OPTION_RULED ? "_rule" : "", i, list);
}

/* The number counts unless there is a rule. */
static dal_status check_ruled(dal_ctx *ctx, const dal_option *option, const option_value *value)
{
    if (value->i != 0) {
        return check_choice(ctx, option, value->i);
    }
    return in_range(option, value->x) ? DAL_OK : out_of_range(ctx, option, value->x);
}

dal_status dal_option_check(dal_ctx *ctx, const dal_option *option, const option_value *value)
{
    switch (option->kind) {
    case DAL_OPTION_INT:
        return allowed(option, value->i) ? DAL_OK : out_of_range(ctx, option, value->i);
    case DAL_OPTION_REAL:
        return allowed(option, value->x) ? DAL_OK : out_of_range(ctx, option, value->x);
    case DAL_OPTION_FLAG:
        if (value->i != 0 && value->i != 1) {
            return dal_fail(ctx, DAL_EOPTION, "%s = %d is neither 0 (no) nor 1 (yes)", option->name, value->i);
        }
        return DAL_OK;
    case DAL_OPTION_CHOICE:
        return check_choice(ctx, option, value->i);
    case DAL_OPTION_REALS:
        return check_reals(ctx, option, &value->xs);
    case DAL_OPTION_RULED:
        return check_ruled(ctx, option, value);
    }
    return dal_fail(ctx, DAL_EINVAL, "option %s: no such kind of option", option->name);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* The value is neither of the words nor a number: say what it could be. */
static dal_status unreadable(dal_ctx *ctx, const dal_option *option, const dal_word *words, const char *number,
                             span text)
{
    char list[LIST_SIZE], hint[DAL_HINT_SIZE];
    text_out out = dal_text_out(list, sizeof list);
    const int shown = (int)(text.n < SHOWN ? text.n : SHOWN);
    if (number != NULL) {
        dal_text_add(&out, "%s in ", number);
        dal_text_range(&out, option);
    }
    if (words != NULL) {
        dal_text_add(&out, number != NULL ? " or one of " : "one of ");
        dal_text_words(&out, words, "");
    }
    did_you_mean(hint, words, text);
    return dal_fail(ctx, DAL_EOPTION, "%s = '%.*s': choose %s%s", option->name, shown, text.at, list, hint);
}

static dal_status read_int(dal_ctx *ctx, const dal_option *option, option_value *value, span text)
{
    double x;
    if (!dal_number_parse(&x, text.at, text.n) || x != floor(x)) {
        return unreadable(ctx, option, NULL, "a whole number", text);
    }
    if (!(x >= INT_MIN && x <= INT_MAX)) {
        return out_of_range(ctx, option, x);
    }
    value->i = (int)x;
    return DAL_OK;
}

static dal_status read_number(dal_ctx *ctx, const dal_option *option, double *x, span text)
{
    if (!dal_number_parse(x, text.at, text.n)) {
        return unreadable(ctx, option, option->words, "a number", text);
    }
    return DAL_OK;
}

static dal_status read_real(dal_ctx *ctx, const dal_option *option, double *x, span text)
{
    const dal_word *word = word_of_name(option->words, text);
    if (word != NULL) {
        *x = word->value;
        return DAL_OK;
    }
    return read_number(ctx, option, x, text);
}

static dal_status read_ruled(dal_ctx *ctx, const dal_option *option, option_value *value, span text)
{
    const dal_word *word = word_of_name(option->words, text);
    value->x = option->initial; // a rule needs no number
    value->i = word != NULL ? (int)word->value : 0;
    return word != NULL ? DAL_OK : read_number(ctx, option, &value->x, text);
}

/* Numbers between commas, blanks around them; an empty text is an empty list. */
static dal_status read_reals(dal_ctx *ctx, const dal_option *option, dal_reals *xs, span text)
{
    *xs = (dal_reals){0};
    while (text.n > 0) {
        const char *comma = memchr(text.at, ',', text.n);
        span item = {text.at, comma != NULL ? (size_t)(comma - text.at) : text.n};
        const size_t used = item.n + (comma != NULL);
        if (comma != NULL && used == text.n) {
            return dal_fail(ctx, DAL_EOPTION, "%s: a number is missing after the last comma", option->name);
        }
        if (xs->n == DAL_REALS_MAX) {
            return dal_fail(ctx, DAL_EOPTION, "%s: more than %d numbers", option->name, DAL_REALS_MAX);
        }
        item = dal_span_trim(item);
        DAL_TRY(read_real(ctx, option, &xs->x[xs->n++], item));
        text = (span){text.at + used, text.n - used};
    }
    return DAL_OK;
}

dal_status dal_option_read(dal_ctx *ctx, option_value *value, const dal_option *option, span text)
{
    static const dal_word flag[] = {{"no", 0},   {"yes", 1}, {"off", 0}, {"on", 1}, {"false", 0},
                                    {"true", 1}, {"0", 0},   {"1", 1},   {NULL, 0}};
    const dal_word *words = option->kind == DAL_OPTION_FLAG ? flag : option->words, *word;
    *value = (option_value){0};
    switch (option->kind) {
    case DAL_OPTION_INT:
        return read_int(ctx, option, value, text);
    case DAL_OPTION_REAL:
        return read_real(ctx, option, &value->x, text);
    case DAL_OPTION_REALS:
        return read_reals(ctx, option, &value->xs, text);
    case DAL_OPTION_RULED:
        return read_ruled(ctx, option, value, text);
    case DAL_OPTION_FLAG:
    case DAL_OPTION_CHOICE:
        word = word_of_name(words, text);
        if (word == NULL) {
            return unreadable(ctx, option, words, NULL, text);
        }
        value->i = (int)word->value;
        return DAL_OK;
    }
    return dal_fail(ctx, DAL_EINVAL, "option %s: no such kind of option", option->name);
}
