/* Text to machine code that runs on every processor of this kind, for what packs it. */
#ifndef DAL_SWEEP_COMPILE_H
#define DAL_SWEEP_COMPILE_H

#include "dalembert/base.h"

/* A shared object as bytes, to be released by dal_free. It is compiled as programs of sweeps are, unless the cache has it. instead: what does without a
 * compiler, for messages. begin, unless NULL, hears of the compiler that is started and how long the text is: it may take minutes. */
typedef void (*dal_compile_begin)(const char *compiler, size_t bytes);
dal_status dal_compile_portable(char **bytes, size_t *n, dal_ctx *ctx, const char *text, const char *instead,
                                dal_compile_begin begin) DAL_NODISCARD;

#endif
