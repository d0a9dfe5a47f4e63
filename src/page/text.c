/* Values of JSON that stay what they are within HTML. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "page/page_impl.h"

static void put_real(dal_text *t, double x)
{
    char text[DAL_NUMBER_SIZE];
    dal_number_format(text, x);
    dal_text_put(t, isfinite(x) ? text : "null");
}

/* '<' is written as an escape, so that no text ends the script element or opens a comment in it. */
static void put_string(dal_text *t, const char *text)
{
    char escape[8];
    const unsigned char *p = (const unsigned char *)(text ? text : "");
    dal_text_put(t, "\"");
    while (*p) {
        const size_t n = dal_utf8((const char *)p, 4); // where the text ends sooner, its zero is no part of one
        if (n == 0) {
            dal_text_put(t, "\\ufffd");
        } else if (n == 1 && (*p < 0x20 || *p == '<' || *p == '>' || *p == '&' || *p == 0x7f)) {
            snprintf(escape, sizeof escape, "\\u%04x", *p);
            dal_text_put(t, escape);
        } else if (*p == '"' || *p == '\\') {
            dal_text_put(t, *p == '"' ? "\\\"" : "\\\\");
        } else {
            dal_text_put_n(t, p, n);
        }
        p += n > 0 ? n : 1;
    }
    dal_text_put(t, "\"");
}

/* Numbers go as the machine has them: little-endian, as every browser's machine. */
static void put_base64(dal_text *t, const void *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *p = bytes;
    dal_text_put(t, "\"");
    if (dal_text_reserve(t, (n + 2) / 3 * 4)) {
        char *to = t->s + t->n;
        for (size_t i = 0; i < n; i += 3) {
            const unsigned b1 = i + 1 < n ? p[i + 1] : 0U, b2 = i + 2 < n ? p[i + 2] : 0U;
            const unsigned w = (unsigned)p[i] << 16 | b1 << 8 | b2;
            *to++ = digit[w >> 18];
            *to++ = digit[w >> 12 & 63];
            *to++ = i + 1 < n ? digit[w >> 6 & 63] : '=';
            *to++ = i + 2 < n ? digit[w & 63] : '=';
        }
        t->n = (size_t)(to - t->s);
        *to = '\0';
    }
    dal_text_put(t, "\"");
}

static void put_value(dal_text *t, char kind, va_list *args)
{
    char text[128];
    if (kind == 's') {
        put_string(t, va_arg(*args, const char *));
    } else if (kind == 'p') {
        dal_text_put(t, va_arg(*args, const char *));
    } else if (kind == 't') {
        dal_text_put(t, va_arg(*args, int) ? "true" : "false");
    } else if (kind == ',') {
        dal_text_put(t, va_arg(*args, int) ? "," : "");
    } else if (kind == 'r') {
        put_real(t, va_arg(*args, double));
    } else if (kind == 'b') {
        const void *bytes = va_arg(*args, const void *);
        put_base64(t, bytes, va_arg(*args, size_t));
    } else if (kind == 'v') {
        const double *x = va_arg(*args, const double *);
        const int n = va_arg(*args, int);
        dal_text_put(t, "[");
        for (int i = 0; i < n; ++i) {
            dal_text_put(t, i > 0 ? "," : "");
            put_real(t, x[i]);
        }
        dal_text_put(t, "]");
    } else if (kind == 'd') {
        snprintf(text, sizeof text, "%d", va_arg(*args, int));
        dal_text_put(t, text);
    } else { // a number of digits
        snprintf(text, sizeof text, "%.*g", kind - '0', va_arg(*args, double));
        dal_text_put(t, text);
    }
}

void dal_page_json(dal_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *p = format; *p != '\0';) {
        const size_t n = strcspn(p, "%");
        dal_text_put_n(t, p, n);
        p += n;
        if (*p == '%') {
            put_value(t, p[1], &args);
            p += 2;
        }
    }
    va_end(args);
}
