/* Text that grows. Out of memory it stays as it is and remembers that it failed: who builds one looks once, in the end. */
#ifndef DAL_BASE_TEXT_H
#define DAL_BASE_TEXT_H

#include "dalembert/base.h"

typedef struct dal_text {
    dal_ctx *ctx;
    char *s;
    size_t n, capacity;
    int failed; /* no memory */
} dal_text;

/* Room for `more` bytes and an end from s + n on; 0: there is none. */
int dal_text_reserve(dal_text *t, size_t more);
void dal_text_put(dal_text *t, const char *text);
void dal_text_put_n(dal_text *t, const void *bytes, size_t n);
void dal_text_print(dal_text *t, const char *format, ...) DAL_PRINTF(2, 3);
void dal_text_release(dal_text *t);

#endif
