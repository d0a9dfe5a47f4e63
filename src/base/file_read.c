/* Whole files, read. Reading never blocks for ever. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"

enum { WAIT_MS = 5000, FIRST_BLOCK = 1 << 16 };

static dal_status failed(dal_ctx *ctx, const char *name, int error)
{
    return dal_fail(ctx, DAL_EIO, "%s: %s", name, strerror(error));
}

/* Pipes and devices: wait until there is something, but not for a writer who never comes. */
static dal_status wait_for(dal_ctx *ctx, int fd, const char *name)
{
#if DAL_NO_POLL
    (void)ctx, (void)fd, (void)name;
    return DAL_OK;
#else
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const int n = poll(&p, 1, WAIT_MS);
    if (n < 0) {
        return failed(ctx, name, errno);
    }
    return n > 0 ? DAL_OK
                 : dal_fail(ctx, DAL_EIO, "%s is a pipe or a device, and nothing came out of it for %d s", name,
                            WAIT_MS / 1000);
#endif
}

static dal_status too_large(dal_ctx *ctx, const char *name, int most, const char *what)
{
    return dal_fail(ctx, DAL_EINVAL, "%s: %s has at most %d bytes", name, what, most);
}

/* The whole of an open file in one block that grows. */
static dal_status read_all(dal_ctx *ctx, int fd, int waits, const char *name, char **text, size_t *n, size_t most)
{
    size_t size = FIRST_BLOCK;
    for (;;) {
        char *larger = dal_alloc(ctx, size);
        if (larger == NULL) {
            return dal_fail(ctx, DAL_ENOMEM, "no memory for the model");
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
        if (size > most) {
            return DAL_EINVAL; // the caller says what it is
        }
        size *= 2;
    }
}

dal_status dal_file_read(dal_ctx *ctx, char **text, size_t *n, const char *path, int most, const char *what)
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
    } else if (S_ISREG(info.st_mode) && info.st_size > most) {
        st = DAL_EINVAL;
    } else {
        st = read_all(ctx, fd, !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode), path, text, n, (size_t)most);
    }
    close(fd);
    return st == DAL_EINVAL ? too_large(ctx, path, most, what) : st;
}
