/* The folder of compiled programs: who may write there, whether a program in it is whole, and how much it may hold.
 *
 * A program is machine code that will run: nobody but its user and root may be able to put one there, in the folder or by
 * moving a folder above it. At the end of its file stand its size and a hash, since a damaged one crashes. What was checked is
 * a descriptor, and that is loaded.
 *
 * What was used last longest ago goes first.
 * Who removes files holds the lock of the cache. Others may be about to load one: they find it gone and compile it again, as they
 * do with one that was never there; a program that is loaded stays in memory when its file is removed. */
#define _GNU_SOURCE

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/sweep_impl.h"

enum { HASH_DIGITS = 32 };
static const double megabyte = 1e6, usual = 256.0;

/* ---- who may write there ---------------------------------------------------------------------- */

/* Nobody else can put something there. */
static int is_private(const struct stat *s)
{
    return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Of a folder above: nobody else can move what is in it. In a sticky folder of root, as /tmp, only owners can. */
static int is_steady(const struct stat *s)
{
    return (s->st_uid == 0 || s->st_uid == geteuid()) &&
           ((s->st_mode & (S_IWGRP | S_IWOTH)) == 0 || ((s->st_mode & S_ISVTX) != 0 && s->st_uid == 0));
}

int dal_sweep_cache_open(const char *folder, char *bad)
{
    char *path = realpath(folder, NULL), *at = path;
    struct stat s;
    int fd = path != NULL ? open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int good = fd >= 0 && fstat(fd, &s) == 0 && is_steady(&s);
    snprintf(bad, SWEEP_CACHE_PATH, "%s", path != NULL ? "/" : folder);
    for (char *word; good && (word = strtok_r(at, "/", &at)) != NULL;) { // from the top: what was checked stays
        const int next = openat(fd, word, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int last = at == NULL || at[strspn(at, "/")] == '\0';
        const size_t n = strlen(bad);
        snprintf(bad + n, SWEEP_CACHE_PATH - n, n > 1 ? "/%s" : "%s", word);
        good = next >= 0 && fstat(next, &s) == 0 && (last ? is_private(&s) : is_steady(&s));
        close(fd);
        fd = next;
    }
    if (!good && fd >= 0) {
        close(fd);
    }
    free(path);
    return good ? fd : -1;
}

/* ---- whole programs --------------------------------------------------------------------------- */

/* What stands behind the program in its file. */
typedef struct seal {
    char magic[8];
    int64_t size; /* of the program */
    uint64_t hash[2];
} seal;
static const char seal_magic[8] = "dalsweep";

/* The seal of the first `size` bytes; 0: they cannot be read. */
static int make_seal(seal *z, int fd, int64_t size)
{
    unsigned char bytes[16384];
    *z = (seal){.size = size, .hash = {SWEEP_HASH, SWEEP_HASH ^ 0x5bd1e995u}};
    memcpy(z->magic, seal_magic, sizeof seal_magic);
    for (int64_t at = 0; at < size;) {
        const size_t want = size - at < (int64_t)sizeof bytes ? (size_t)(size - at) : sizeof bytes;
        const ssize_t n = pread(fd, bytes, want, (off_t)at);
        if (n <= 0) {
            return 0;
        }
        for (int i = 0; i < 2; ++i) {
            z->hash[i] = dal_sweep_hash(z->hash[i], bytes, (size_t)n);
        }
        at += n;
    }
    return 1;
}

int dal_sweep_cache_seal(int fd)
{
    struct stat s;
    seal z;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && make_seal(&z, fd, (int64_t)s.st_size) &&
           pwrite(fd, &z, sizeof z, s.st_size) == (ssize_t)sizeof z && fchmod(fd, 0600) == 0 && fsync(fd) == 0;
}

int64_t dal_sweep_cache_size(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 ? (int64_t)s.st_size - (int64_t)sizeof(seal) : -1;
}

static int is_whole(int fd, const struct stat *s)
{
    const int64_t size = (int64_t)s->st_size - (int64_t)sizeof(seal);
    seal z, told;
    return size > 0 && pread(fd, &told, sizeof told, (off_t)size) == (ssize_t)sizeof told && told.size == size &&
           make_seal(&z, fd, size) && memcmp(&z, &told, sizeof z) == 0;
}

int dal_sweep_cache_find(int folder, int *foreign, const char *name)
{
    struct stat s;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *foreign = fd < 0 && errno != ENOENT;
    if (fd < 0) {
        return -1;
    }
    *foreign = fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || !is_private(&s);
    if (*foreign || !is_whole(fd, &s)) {
        close(fd);
        return -1;
    }
    (void)futimens(fd, NULL); // it was used now
    return fd;
}

void *dal_sweep_cache_load(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* ---- its size --------------------------------------------------------------------------------- */

/* A program of the cache: 32 digits and ".so". */
static int is_object(const char *name)
{
    int n = 0;
    while (n < HASH_DIGITS && isxdigit((unsigned char)name[n])) {
        ++n;
    }
    return n == HASH_DIGITS && strcmp(name + n, ".so") == 0;
}

static int is_older(const struct stat *a, const char *name, const struct stat *b, const char *other)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) {
        return a->st_mtim.tv_sec < b->st_mtim.tv_sec;
    }
    return a->st_mtim.tv_nsec != b->st_mtim.tv_nsec ? a->st_mtim.tv_nsec < b->st_mtim.tv_nsec : strcmp(name, other) < 0;
}

/* Bytes of all programs; the name of the oldest but `keep`, "": there is none. */
static double look(DIR *folder, const char *keep, char oldest[NAME_MAX + 1])
{
    struct stat s, first = {0};
    double sum = 0.0;
    oldest[0] = '\0';
    rewinddir(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (!is_object(e->d_name) || fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(s.st_mode)) {
            continue;
        }
        sum += (double)s.st_size;
        if (strcmp(e->d_name, keep) != 0 && (oldest[0] == '\0' || is_older(&s, e->d_name, &first, oldest))) {
            snprintf(oldest, NAME_MAX + 1, "%s", e->d_name);
            first = s;
        }
    }
    return sum;
}

void dal_sweep_cache_trim(const char *path, const char *keep, double limit)
{
    DIR *folder = opendir(path);
    char oldest[NAME_MAX + 1];
    const char *slash = strrchr(keep, '/');
    keep = slash != NULL ? slash + 1 : keep;
    while (folder != NULL && look(folder, keep, oldest) > limit && oldest[0] != '\0' &&
           (unlinkat(dirfd(folder), oldest, 0) == 0 || errno == ENOENT)) {
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

dal_status dal_sweep_cache_limit(dal_ctx *ctx, double *bytes)
{
    const char *text = getenv("DAL_CACHE_MB");
    char *end = NULL;
    *bytes = usual * megabyte;
    if (text == NULL || text[0] == '\0') {
        return DAL_OK;
    }
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0.0) || !isfinite(value)) {
        return dal_fail(ctx, DAL_EOPTION,
                        "DAL_CACHE_MB is '%.60s': it is the size of the cache of compiled programs in megabytes, 0 or "
                        "more; without it %g",
                        text, usual);
    }
    *bytes = value * megabyte;
    return DAL_OK;
}
