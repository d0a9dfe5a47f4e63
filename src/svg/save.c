/* Pictures as files that are there as a whole or not at all. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

#include "svg/svg_impl.h"

/* Write the bytes, or only look whether that could be done (bytes NULL). */
static int put(char *message, size_t size, const char *path, const char *bytes, size_t n)
{
    dal_ctx *ctx = NULL;
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st != DAL_OK ? st : bytes != NULL ? dal_file_write(ctx, path, bytes, n) : dal_file_writable(ctx, path);
    snprintf(message, size, "%s", st == DAL_OK ? "" : ctx != NULL ? dal_ctx_message(ctx) : "out of memory");
    dal_ctx_destroy(ctx);
    return st == DAL_OK ? 0 : -1;
}

int svg_writable(char *message, size_t size, const char *path)
{
    return put(message, size, path, NULL, 0);
}

int svg_save(const svg_picture *p, char *message, size_t size, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (out != NULL) {
        svg_print(out, p);
    }
    const int bad = out == NULL || ferror(out) || fclose(out) != 0;
    if (bad) {
        snprintf(message, size, "cannot write '%.300s': out of memory", path);
    }
    const int code = bad ? -1 : put(message, size, path, text, n);
    free(text);
    return code;
}
