/* Files: a model, and what it refers to. Reading never blocks, and a model reaches only files beside it unless
 * its user allows more. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/io_impl.h"

enum { WAIT_MS = 5000, FIRST_BLOCK = 1 << 16 };

/* ---- reading ---------------------------------------------------------------------------------- */

static dal_status failed(dal_ctx *ctx, const char *name, int error)
{
    return dal_fail(ctx, DAL_EIO, "%s: %s", name, strerror(error));
}

/* Pipes and devices: wait until there is something, but not for a writer who never comes. */
static dal_status wait_for(dal_ctx *ctx, int fd, const char *name)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const int n = poll(&p, 1, WAIT_MS);
    if (n < 0) {
        return failed(ctx, name, errno);
    }
    return n > 0 ? DAL_OK
                 : dal_fail(ctx, DAL_EIO, "%s is a pipe or a device, and nothing came out of it for %d s", name,
                            WAIT_MS / 1000);
}

static dal_status too_large(dal_ctx *ctx, const char *name)
{
    return dal_fail(ctx, DAL_EINVAL, "%s: a model file has at most %d bytes", name, IO_BYTES_MAX);
}

/* The whole of an open file in one block that grows. */
static dal_status read_all(dal_ctx *ctx, int fd, int waits, const char *name, char **text, size_t *n)
{
    size_t size = FIRST_BLOCK;
    for (;;) {
        char *larger = dal_alloc(ctx, size);
        if (larger == NULL) {
            return dal_io_no_memory(ctx);
        }
        if (*n > 0) {
            memcpy(larger, *text, *n);
        }
        dal_free(ctx, *text);
        *text = larger;
        while (*n < size) {
            const dal_status st = waits ? wait_for(ctx, fd, name) : DAL_OK;
            if (st != DAL_OK) {
                return st;
            }
            const ssize_t got = read(fd, larger + *n, size - *n);
            if (got == 0) {
                return DAL_OK;
            }
            if (got < 0) {
                return failed(ctx, name, errno);
            }
            *n += (size_t)got;
        }
        if (size > IO_BYTES_MAX) {
            return too_large(ctx, name);
        }
        size *= 2;
    }
}

dal_status dal_io_read_file(dal_ctx *ctx, char **text, size_t *n, const char *path)
{
    struct stat info;
    *text = NULL;
    *n = 0;
    // without O_NONBLOCK, opening a named pipe waits for its writer
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return dal_fail(ctx, DAL_EIO, "cannot open '%s': %s", path, strerror(errno));
    }
    dal_status st = DAL_OK;
    if (fstat(fd, &info) != 0) {
        st = failed(ctx, path, errno);
    } else if (S_ISREG(info.st_mode) && info.st_size > IO_BYTES_MAX) {
        st = too_large(ctx, path);
    } else {
        st = read_all(ctx, fd, !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode), path, text, n);
    }
    close(fd);
    return st;
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
