/* Files that are there as a whole or not at all. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/platform.h"

enum { PATH = 4200 };

static dal_status failed(dal_ctx *ctx, const char *what, const char *path, int reason)
{
    return dal_fail(ctx, DAL_EIO, "cannot %s '%s': %s", what, path, strerror(reason));
}

/* A new "path.part" beside the wanted file; what has its name is removed, not followed. */
static dal_status open_part(dal_ctx *ctx, const char *path, char part[PATH], int *fd)
{
    struct stat info;
    if (snprintf(part, PATH, "%s.part", path) >= PATH) {
        return dal_fail(ctx, DAL_EIO, "the path '%.60s...' is too long", path);
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return failed(ctx, "write", path, EISDIR);
    }
    *fd = unlink(part) == 0 || errno == ENOENT ? open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)
                                               : -1;
    return *fd >= 0 ? DAL_OK : failed(ctx, "write", path, errno);
}

dal_status dal_file_writable(dal_ctx *ctx, const char *path)
{
    char part[PATH];
    int fd = -1;
    DAL_NEED(ctx, path);
    DAL_TRY(open_part(ctx, path, part, &fd));
    close(fd);
    unlink(part);
    return DAL_OK;
}

/* 0, or why not all of it could be written. */
static int write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t k = write(fd, bytes, n);
        if (k == 0 || (k < 0 && errno != EINTR)) {
            return k == 0 ? ENOSPC : errno;
        }
        bytes += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    return fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

dal_status dal_file_write(dal_ctx *ctx, const char *path, const char *bytes, size_t n)
{
    char part[PATH];
    int fd = -1;
    DAL_NEED(ctx, path);
    DAL_NEED(ctx, bytes);
    DAL_TRY(open_part(ctx, path, part, &fd));
    int reason = write_all(fd, bytes, n);
    reason = close(fd) != 0 && reason == 0 ? errno : reason;
    dal_status st = reason == 0 ? DAL_OK : failed(ctx, "write", path, reason);
    if (st == DAL_OK && rename(part, path) != 0) {
        st = failed(ctx, "give its name to", path, errno);
    }
    if (st != DAL_OK) {
        unlink(part);
    }
    return st;
}
