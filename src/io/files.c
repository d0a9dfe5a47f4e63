/* Files: a model, and what it refers to. A model reaches only files beside it unless its user allows more. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "io/io_impl.h"

dal_status dal_io_read_file(dal_ctx *ctx, char **text, size_t *n, const char *path)
{
    return dal_file_read(ctx, text, n, path, IO_BYTES_MAX, "a model file");
}

/* ---- where they may be ------------------------------------------------------------------------ */

/* Is the file within the folder? Both are real paths: absolute, without links and "..". */
static int is_within(const char *path, const char *folder)
{
    const size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || folder[n - 1] == '/');
}

/* The folder of the model is `folder` (with its slash at the end, or empty: the current one). */
static dal_status check_place(const io_loader *L, const char *path, const char *folder, const char *name)
{
    char real_path[PATH_MAX], real_folder[PATH_MAX];
    struct stat info;
    if (realpath(path, real_path) == NULL || stat(real_path, &info) != 0) {
        return dal_fail(L->ctx, DAL_EIO, "cannot open '%s': %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return dal_fail(L->ctx, DAL_EINVAL, "'%s' is not a regular file", path);
    }
    if (L->files_outside) {
        return DAL_OK;
    }
    if (realpath(folder[0] != '\0' ? folder : ".", real_folder) == NULL) {
        return dal_fail(L->ctx, DAL_EIO, "cannot open '%s': %s", folder, strerror(errno));
    }
    return is_within(real_path, real_folder)
               ? DAL_OK
               : dal_fail(L->ctx, DAL_EINVAL,
                          "'%s' is outside the folder of the model; copy it there, or allow files outside it "
                          "(--allow-files-outside)",
                          name);
}

dal_status dal_io_path(const io_loader *L, char **path, const io_node *at)
{
    char name[IO_TEXT];
    *path = NULL;
    DAL_TRY(dal_io_text(L, name, at));
    // beside the model, unless the path begins at the root
    const char *slash = strrchr(L->source, '/');
    const size_t length = slash != NULL ? (size_t)(slash - L->source) + 1 : 0;
    char folder[PATH_MAX];
    DAL_TAKE(L->scratch, *path, length + IO_TEXT);
    snprintf(folder, sizeof(folder), "%.*s", (int)length, L->source);
    snprintf(*path, length + IO_TEXT, "%s%s", name[0] == '/' ? "" : folder, name);
    const dal_status st = check_place(L, *path, folder, name);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}
