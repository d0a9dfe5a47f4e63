/* The file of results: there as a whole, or not at all. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/sweep_impl.h"

enum { PATH_SIZE = 4096 };

static int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static void sync_path(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

static void sync_folder_of(const char *path)
{
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL) {
        slash[slash == folder] = '\0';
    }
    sync_path(slash != NULL ? folder : ".");
}

static dal_status save(dal_sweep *s, const char *path)
{
    char part[PATH_SIZE];
    const int csv = ends_with(path, ".csv");
    if (snprintf(part, sizeof part, "%s.part", path) >= PATH_SIZE) {
        return dal_fail(s->ctx, DAL_EIO, "the path '%.60s...' is too long", path);
    }
    if (csv && s->ncurves > 0) {
        return dal_fail(s->ctx, DAL_EOPTION, "'%s': trajectories need an HDF5 file, with a name that ends in .h5",
                        path);
    }
    unlink(part);
    dal_status st = csv ? dal_sweep_save_csv(s, part) : dal_sweep_save_hdf5(s, part);
    if (st == DAL_OK) {
        sync_path(part);
        if (rename(part, path) != 0) {
            st = dal_fail(s->ctx, DAL_EIO, "cannot write '%s': %s", path, strerror(errno));
        }
        sync_folder_of(path);
    }
    if (st != DAL_OK) {
        unlink(part);
    }
    return st;
}

dal_status dal_sweep_save(dal_sweep *s, const char *path, int partial)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, path);
    if (s->done < s->n && !partial) {
        return dal_fail(s->ctx, DAL_EINVAL, "%ld of %ld members are missing", s->n - s->done, s->n);
    }
    DAL_TRY(save(s, path));
    if (s->done == s->n) {
        dal_sweep_journals_close(s, 1);
    }
    return DAL_OK;
}
