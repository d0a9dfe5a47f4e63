/* Folders, names, whole writes, locks. */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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

dal_status dal_results_make_folder_of(dal_ctx *ctx, const char *path)
{
    char folder[RESULTS_PATH];
    const char *slash = strrchr(path, '/');
    const size_t n = slash != NULL ? (size_t)(slash - path) : 0;
    if (n == 0 || n >= sizeof folder) {
        return DAL_OK; // the current one, the root, or a name that opening will find too long
    }
    memcpy(folder, path, n);
    folder[n] = '\0';
    return dal_results_make_folder(ctx, folder);
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

char *dal_results_copy_text(dal_ctx *ctx, const char *text, size_t n)
{
    char *copy = dal_alloc(ctx, n + 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

dal_status dal_results_read_all(dal_ctx *ctx, char **text, size_t *n, const char *what, const char *path)
{
    struct stat info;
    *text = NULL;
    errno = 0;
    // a FIFO would wait for a writer
    FILE *in = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (in == NULL) {
        errno = errno != 0 ? errno : EINVAL;
        return dal_results_fail(ctx, what, path);
    }
    *text = dal_alloc(ctx, (size_t)info.st_size + 1);
    *n = *text != NULL ? fread(*text, 1, (size_t)info.st_size, in) : 0;
    fclose(in);
    if (*text == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for '%s'", path);
    }
    (*text)[*n] = '\0';
    return DAL_OK;
}

int dal_results_write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t k = write(fd, text, n);
        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k <= 0) {
            errno = k == 0 ? ENOSPC : errno;
            return -1;
        }
        text += k;
        n -= (size_t)k;
    }
    return 0;
}

int dal_results_new_file(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT) {
        return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int dal_results_open_file(const char *path)
{
    struct stat info;
    const int fd = open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

static int copy_bytes(int from, int to)
{
    char block[65536];
    for (;;) {
        const ssize_t n = read(from, block, sizeof block);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? -1 : 0;
        }
        if (dal_results_write_all(to, block, (size_t)n) != 0) {
            return -1;
        }
    }
}

int dal_results_copy_file(const char *from, const char *to)
{
    const int in = open(from, O_RDONLY | O_CLOEXEC), out = in >= 0 ? dal_results_new_file(to) : -1;
    int bad = out < 0 || copy_bytes(in, out) != 0 || fsync(out) != 0;
    const int reason = errno;
    (void)(in >= 0 ? close(in) : 0);
    bad |= out >= 0 && close(out) != 0;
    if (out >= 0 && bad) {
        unlink(to);
    }
    errno = reason;
    return bad ? -1 : 0;
}

int dal_results_sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    const int bad = fsync(fd) != 0 && errno != EINVAL && errno != EROFS;
    close(fd);
    return bad ? -1 : 0;
}

void dal_results_sync_folder_of(const char *path)
{
    char folder[RESULTS_PATH] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    }
    (void)dal_results_sync_file(folder); // file systems that cannot do it need not
}

/* ---- locks ------------------------------------------------------------------------------------ */

static dal_status refuse(dal_results *r, const char *path)
{
    return dal_fail(r->ctx, DAL_EIO,
                    "'%s' is being written by another run: wait until that has ended, or choose another place", path);
}

/* File systems without locks do without. */
dal_status dal_results_lock_folder(dal_results *r)
{
    r->lock = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->lock >= 0 && flock(r->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return refuse(r, r->path);
    }
    return DAL_OK;
}

dal_status dal_results_lock_beside(dal_results *r)
{
    snprintf(r->lock_file, sizeof r->lock_file, "%.*s.lock", RESULTS_PATH - 6, r->path);
    for (;;) {
        struct stat mine, there;
        r->lock = open(r->lock_file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (r->lock < 0) {
            const dal_status st = dal_results_fail(r->ctx, "create", r->lock_file);
            r->lock_file[0] = '\0';
            return st;
        }
        if (flock(r->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            r->lock_file[0] = '\0';
            return refuse(r, r->path);
        }
        // whoever had it before may have removed the file meanwhile
        if (fstat(r->lock, &mine) == 0 && lstat(r->lock_file, &there) == 0 && mine.st_ino == there.st_ino &&
            mine.st_dev == there.st_dev) {
            return DAL_OK;
        }
        close(r->lock);
    }
}

void dal_results_unlock(dal_results *r)
{
    if (r->lock >= 0) {
        if (r->lock_file[0] != '\0') {
            unlink(r->lock_file);
        }
        close(r->lock);
        r->lock = -1;
    }
}
