#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

int dal_text_reserve(dal_text *t, size_t more)
{
    if (t->failed || t->n + more + 1 <= t->capacity) {
        return !t->failed;
    }
    const size_t capacity = 2 * (t->n + more) + 256;
    char *s = dal_alloc(t->ctx, capacity);
    if (s == NULL) {
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

void dal_text_put_n(dal_text *t, const void *bytes, size_t n)
{
    if (n > 0 && dal_text_reserve(t, n)) {
        memcpy(t->s + t->n, bytes, n);
        t->n += n;
        t->s[t->n] = '\0';
    }
}

void dal_text_put(dal_text *t, const char *text)
{
    dal_text_put_n(t, text, strlen(text));
}

void dal_text_print(dal_text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        t->failed = 1;
    } else if (dal_text_reserve(t, (size_t)n)) {
        vsnprintf(t->s + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void dal_text_release(dal_text *t)
{
    dal_free(t->ctx, t->s);
    *t = (dal_text){.ctx = t->ctx};
}

size_t dal_utf8(const char *text, size_t n)
{
    const unsigned char *c = (const unsigned char *)text;
    if (text == NULL || n == 0 || c[0] < 0x80) {
        return text != NULL && n > 0;
    }
    const size_t size = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                        : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                        : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                      : 0;
    if (size == 0 || size > n) {
        return 0;
    }
    for (size_t k = 1; k < size; ++k) {
        if (c[k] < 0x80 || c[k] >= 0xc0) {
            return 0;
        }
    }
    // no longer than needed, no surrogates, nothing beyond U+10FFFF
    const int odd = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) ||
                    (c[0] == 0xf4 && c[1] >= 0x90);
    return odd ? 0 : size;
}
