/* The value of an option apart from the struct it lives in, and text in pieces. */
#ifndef DAL_BASE_OPTIONS_IMPL_H
#define DAL_BASE_OPTIONS_IMPL_H

#include "dalembert/base.h"

/* Part of a text; not terminated. */
typedef struct span {
    const char *at;
    size_t n;
} span;

/* Which member counts is the option's kind: i for INT, FLAG, CHOICE; x for REAL; xs for REALS. */
typedef struct option_value {
    int i;
    double x;
    dal_reals xs;
} option_value;

/* Without blanks at either end. */
span dal_span_trim(span text);

option_value dal_option_initial(const dal_option *option);
option_value dal_option_load(const dal_option *option, const void *options);
void dal_option_store(const dal_option *option, void *options, const option_value *value);

/* Is the value allowed? Otherwise the message says what is. */
dal_status dal_option_check(dal_ctx *ctx, const dal_option *option, const option_value *value);
/* Read a value. It is not checked yet, apart from what cannot be represented. */
dal_status dal_option_read(dal_ctx *ctx, option_value *value, const dal_option *option, span text);

/* The word with this value (NaN equals NaN), or with this name; NULL if there is none. */
const dal_word *dal_word_of_value(const dal_word *words, double value);

/* A text that grows in a buffer and counts on when the buffer is full, as snprintf does. */
typedef struct text_out {
    char *buffer;
    size_t size, length;
} text_out;

text_out dal_text_out(char *buffer, size_t size);
void dal_text_add(text_out *out, const char *format, ...) DAL_PRINTF(2, 3);
/* Names separated by ", ", each between two quote strings. */
void dal_text_words(text_out *out, const dal_word *words, const char *quote);
/* An interval: "[0, 1]"; a bound of +-1e300 or more is open, as in "[0, inf)", and so is 0 < min <= 1e-300: "(0, inf)". */
void dal_text_range(text_out *out, const dal_option *option);

#endif
