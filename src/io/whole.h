/* Files that are there as a whole or not at all. */
#ifndef DAL_IO_WHOLE_H
#define DAL_IO_WHOLE_H

#include "dalembert/base.h"

/* n bytes to a file of that name, through "path.part" beside it; symbolic links are replaced, not followed. */
dal_status dal_io_write_whole(dal_ctx *ctx, const char *path, const char *bytes, size_t n) DAL_NODISCARD;
/* Could it be written? Leaves nothing behind. */
dal_status dal_io_writable(dal_ctx *ctx, const char *path) DAL_NODISCARD;

#endif
