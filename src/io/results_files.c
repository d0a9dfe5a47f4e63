/* Folders, names, whole writes. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/results_impl.h"

dal_status dal_results_fail(dal_ctx *ctx, const char *what, const char *path)
{
    const int reason = errno;
    return dal_fail(ctx, DAL_EIO, "cannot %s '%s': %s", what, path, strerror(reason));
}

int dal_results_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static int make_one(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0) {
        return 0;
    }
    if (errno == EEXIST && stat(path, &info) == 0) {
        errno = ENOTDIR;
        return S_ISDIR(info.st_mode) ? 0 : -1;
    }
    return -1;
}

dal_status dal_results_make_folder(dal_ctx *ctx, const char *path)
{
    char part[RESULTS_PATH];
    const size_t n = strlen(path);
    if (n == 0 || n >= sizeof part) {
        errno = n == 0 ? ENOENT : ENAMETOOLONG;
        return dal_results_fail(ctx, "create the folder", path);
    }
    memcpy(part, path, n + 1);
    for (char *s = part + 1; *s; ++s) {
        if (*s == '/') {
            *s = '\0';
            if (make_one(part) != 0) {
                return dal_results_fail(ctx, "create the folder", part);
            }
            *s = '/';
        }
    }
    return make_one(part) == 0 ? DAL_OK : dal_results_fail(ctx, "create the folder", path);
}

dal_status dal_results_join(dal_ctx *ctx, char out[RESULTS_PATH], const char *path, const char *name,
                            const char *ending)
{
    const int n = snprintf(out, RESULTS_PATH, "%s/%s%s", path, name, ending);
    if (n < 0 || n >= RESULTS_PATH) {
        return dal_fail(ctx, DAL_EIO, "the name of the file for '%s' is too long", name);
    }
    return DAL_OK;
}

dal_status dal_results_rename(dal_ctx *ctx, const char *from, const char *to)
{
    return rename(from, to) == 0 ? DAL_OK : dal_results_fail(ctx, "give its name to", to);
}

char *dal_results_copy_text(dal_ctx *ctx, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = dal_alloc(ctx, n);
    if (copy != NULL) {
        memcpy(copy, text, n);
    }
    return copy;
}

int dal_results_write_all(int fd, const char *text, size_t n)
{
    const off_t start = lseek(fd, 0, SEEK_END);
    size_t done = 0;
    while (done < n) {
        const ssize_t k = write(fd, text + done, n - done);
        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k <= 0) {
            // take back what is not a whole number of rows
            const int reason = k == 0 ? ENOSPC : errno;
            if (start >= 0 && ftruncate(fd, start) != 0) {
                errno = reason;
                return -1;
            }
            errno = reason;
            return -1;
        }
        done += (size_t)k;
    }
    return 0;
}
