/* Whole files. */
#ifndef DAL_BASE_FILE_H
#define DAL_BASE_FILE_H

#include "dalembert/base.h"

/* The whole of a file of at most so many bytes, of which messages say what it is ("a model file"); free *text, whatever is
 * returned. A pipe without a writer is given up after some seconds. */
dal_status dal_file_read(dal_ctx *ctx, char **text, size_t *n, const char *path, int most,
                         const char *what) DAL_NODISCARD;

#endif
