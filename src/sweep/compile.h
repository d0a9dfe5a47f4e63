/* Text to machine code that runs on every processor of this kind, for what packs it. */
#ifndef DAL_SWEEP_COMPILE_H
#define DAL_SWEEP_COMPILE_H

#include "dalembert/base.h"

/* A shared object as bytes, to be released by dal_free. It is compiled as programs of sweeps are, unless the cache has it. instead: what does without a
 * compiler, for messages. */
dal_status dal_compile_portable(char **bytes, size_t *n, dal_ctx *ctx, const char *text,
                                const char *instead) DAL_NODISCARD;

#endif
