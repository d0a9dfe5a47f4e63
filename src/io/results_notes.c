/* Texts that are kept with result files, read back. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/io_impl.h"
#include "io/results_hdf5_impl.h"

enum { NOTE_MAX = 64 * 1024 * 1024 };

/* A text of the size its type says, from an attribute or a dataset. */
static char *read_text(dal_ctx *ctx, hid_t attribute, hid_t set)
{
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5Dget_type(set);
    const size_t n =
        type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? H5Tget_size(type) : 0;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5Dget_space(set);
    char *text = n > 0 && n <= NOTE_MAX && H5Sget_simple_extent_npoints(space) == 1 ? dal_alloc_zero(ctx, n + 1) : NULL;
    if (text != NULL && (attribute >= 0 ? H5Aread(attribute, type, text)
                                        : H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text)) < 0) {
        dal_free(ctx, text);
        text = NULL;
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
    return text;
}

static char *note_of_hdf5(dal_ctx *ctx, const char *path, const char *name)
{
    char plain[256];
    snprintf(plain, sizeof plain, "%s", name);
    char *point = strrchr(plain, '.');
    if (point != NULL) {
        *point = '\0'; // as it was written
    }
    const h5_quiet q = dal_h5_hush();
    const hid_t file = dal_h5_open_read(path);
    const hid_t attribute = file >= 0 && H5Aexists(file, plain) > 0 ? H5Aopen(file, plain, H5P_DEFAULT) : -1;
    const hid_t set = file >= 0 && attribute < 0 ? dal_h5_open_set(file, plain) : -1;
    char *text = attribute >= 0 || set >= 0 ? read_text(ctx, attribute, set) : NULL;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    if (file >= 0) {
        H5Fclose(file);
    }
    dal_h5_unhush(q);
    return text;
}

static char *note_of_folder(dal_ctx *ctx, const char *path, const char *name)
{
    char file[RESULTS_PATH];
    char *text = NULL, *copy = NULL;
    size_t n = 0;
    if (dal_results_join(ctx, file, path, name, "") == DAL_OK && dal_results_exists(file) &&
        dal_io_read_file(ctx, &text, &n, file) == DAL_OK) {
        copy = dal_alloc_zero(ctx, n + 1);
        if (copy != NULL) {
            memcpy(copy, text, n);
        }
    }
    free(text);
    return copy;
}

dal_status dal_results_note(char **text, dal_ctx *ctx, const char *path, const char *name)
{
    DAL_NEED(ctx, text);
    *text = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    DAL_NEED(ctx, name);
    struct stat info;
    char file[RESULTS_PATH];
    if (stat(path, &info) != 0) {
        return dal_results_fail(ctx, "read", path);
    }
    if (S_ISDIR(info.st_mode)) {
        *text = note_of_folder(ctx, path, name);
        if (*text == NULL && dal_results_join(ctx, file, path, "results.h5", "") == DAL_OK &&
            dal_results_exists(file)) {
            *text = note_of_hdf5(ctx, file, name);
        }
    } else {
        *text = note_of_hdf5(ctx, path, name);
    }
    return *text != NULL ? DAL_OK : dal_fail(ctx, DAL_EIO, "'%s' has no note '%s'", path, name);
}

void dal_results_note_free(dal_ctx *ctx, char *text)
{
    if (ctx != NULL) {
        dal_free(ctx, text);
    }
}
