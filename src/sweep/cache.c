/* How much the cache of compiled programs may hold: what was used last longest ago goes first.
 *
 * Who removes files holds the lock of the cache. Others may be about to load one: they find it gone and compile it again, as they
 * do with one that was never there; a program that is loaded stays in memory when its file is removed. */
#define _GNU_SOURCE

#include <ctype.h>
#include <dirent.h>
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

void dal_sweep_cache_used(const char *object)
{
    (void)utimensat(AT_FDCWD, object, NULL, AT_SYMLINK_NOFOLLOW);
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
