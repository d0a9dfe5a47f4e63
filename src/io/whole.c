/* Files that are there as a whole or not at all. */
#define _POSIX_C_SOURCE 200809L

#include "io/whole.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/results_impl.h"

/* A new "path.part"; < 0 with a message. */
static int open_part(dal_ctx *ctx, char part[RESULTS_PATH], const char *path, dal_status *st)
{
    struct stat info;
    if (snprintf(part, RESULTS_PATH, "%s.part", path) >= RESULTS_PATH) {
        *st = dal_fail(ctx, DAL_EIO, "the path '%.60s...' is too long", path);
        return -1;
    }
    errno = EISDIR;
    const int folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const int fd = folder ? -1 : dal_results_new_file(part);
    if (fd < 0) {
        errno = folder ? EISDIR : errno;
        *st = dal_results_fail(ctx, "write", path);
    }
    return fd;
}

dal_status dal_io_writable(dal_ctx *ctx, const char *path)
{
    char part[RESULTS_PATH];
    dal_status st = DAL_OK;
    const int fd = open_part(ctx, part, path, &st);
    if (fd >= 0) {
        close(fd);
        unlink(part);
    }
    return st;
}

dal_status dal_io_write_whole(dal_ctx *ctx, const char *path, const char *bytes, size_t n)
{
    char part[RESULTS_PATH];
    dal_status st = DAL_OK;
    const int fd = open_part(ctx, part, path, &st);
    if (fd < 0) {
        return st;
    }
    const int written = dal_results_write_all(fd, bytes, n) == 0;
    if (!written) {
        st = dal_results_fail(ctx, "write", path);
    }
    if (close(fd) != 0 && st == DAL_OK) {
        st = dal_results_fail(ctx, "write", path);
    }
    st = st == DAL_OK ? dal_results_rename(ctx, part, path) : st;
    if (st != DAL_OK) {
        unlink(part);
    }
    return st;
}
