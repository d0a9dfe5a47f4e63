/* Files that a description names: only those beside it, below it, or in the folders of packages, unless more is allowed. */
#define _XOPEN_SOURCE 700

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/message.h"
#include "import/import_impl.h"

const char *im_folder_of(im_reader *R, const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path);
    return im_copy(R, folder);
}

/* Is the real path within a folder? Returns where it goes on from there, or NULL. */
static const char *within(const char *path, const char *folder)
{
    char real[PATH_MAX];
    if (realpath(folder[0] != '\0' ? folder : ".", real) == NULL) {
        return NULL;
    }
    const size_t n = strlen(real);
    if (strncmp(path, real, n) != 0 || (path[n] != '/' && real[n - 1] != '/')) {
        return NULL;
    }
    return path + n + (path[n] == '/');
}

/* Is there such a file? */
static int found(char real[PATH_MAX], const char *folder, const char *rest)
{
    char path[PATH_MAX];
    struct stat info;
    return snprintf(path, sizeof path, "%s%s%s", folder, folder[0] != '\0' && rest[0] != '/' ? "/" : "", rest) <
               PATH_MAX &&
           realpath(path, real) != NULL && stat(real, &info) == 0 && S_ISREG(info.st_mode);
}

/* package://NAME/rest: in a folder of packages, or one that is itself called NAME. */
static int in_package(char real[PATH_MAX], const char *folder, const char *rest)
{
    char base[PATH_MAX];
    const size_t n = strcspn(rest, "/");
    if (found(real, folder, rest)) {
        return 1;
    }
    if (realpath(folder[0] != '\0' ? folder : ".", base) == NULL) {
        return 0;
    }
    const char *own = strrchr(base, '/') + 1;
    return strlen(own) == n && strncmp(own, rest, n) == 0 && found(real, base, rest + n);
}

static int find_package(im_reader *R, char real[PATH_MAX], const char *rest)
{
    const char *folder = im_folder_of(R, R->path);
    char up[PATH_MAX];
    for (int k = 0; k < R->opt.npackages; ++k) {
        if (in_package(real, R->opt.packages[k], rest)) {
            return 1;
        }
    }
    if (realpath(folder[0] != '\0' ? folder : ".", up) == NULL) {
        return 0;
    }
    // folders above the description often are packages; where nothing outside may be read, the caller refuses what is found
    for (char *slash = up; slash != NULL;) {
        if (in_package(real, up, rest)) {
            return 1;
        }
        slash = strrchr(up, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        slash = up[0] != '\0' ? slash : NULL;
    }
    return 0;
}

const char *im_path(im_reader *R, const char *name, const char *folder, const char **why)
{
    char real[PATH_MAX];
    const char *scheme = strstr(name, "://");
    *why = "is not found: name its folder with --packages";
    int good = 0;
    if (scheme == NULL || strncmp(name, "file://", 7) == 0) {
        const char *path = scheme != NULL ? scheme + 3 : name;
        *why = "is not found";
        good = path[0] == '/' ? found(real, "", path) : found(real, folder, path);
    } else if (strncmp(name, "package://", 10) == 0 || strncmp(name, "model://", 8) == 0) {
        good = find_package(R, real, scheme + 3);
    } else {
        *why = "is not on this machine";
    }
    if (!good || R->st != DAL_OK) {
        return NULL;
    }
    int allowed = R->opt.files_outside || within(real, im_folder_of(R, R->path)) != NULL;
    for (int k = 0; k < R->opt.npackages && !allowed; ++k) {
        allowed = within(real, R->opt.packages[k]) != NULL;
    }
    *why =
        "is outside the folder of the description: allow it (--allow-files-outside) or name its folder with --packages";
    return allowed ? im_copy(R, real) : NULL;
}

/* ---- meshes ----------------------------------------------------------------------------------- */

static int is_mesh(const char *path)
{
    const char *end = strrchr(path, '.');
    char ending[8] = "";
    for (int k = 0; end != NULL && end[k] != '\0' && k < 7; ++k) {
        ending[k] = (char)tolower((unsigned char)end[k]);
    }
    return strcmp(ending, ".stl") == 0 || strcmp(ending, ".obj") == 0 || strcmp(ending, ".dae") == 0;
}

/* Read it: one that cannot be read would stop the model. */
static dal_mesh *read_mesh(im_reader *R, const char *path)
{
    dal_message kept;
    char *bytes = NULL;
    size_t n = 0;
    dal_mesh *mesh = NULL;
    dal_message_keep(&kept, R->ctx);
    dal_status st = dal_file_read(R->ctx, &bytes, &n, path, IM_BYTES_MAX, "a mesh");
    st = st == DAL_OK ? dal_mesh_read(&mesh, R->ctx, bytes, n, path) : st;
    dal_free(R->ctx, bytes);
    return dal_message_settle(&kept, R->ctx, DAL_OK) == st ? mesh : NULL;
}

static void no_mesh(im_reader *R, const char *name, const char *why)
{
    char what[400];
    snprintf(what, sizeof what, "mesh that %s", why);
    im_tell(R, 0, what, name);
}

im_shape *im_add_mesh(im_reader *R, im_shape **list, const char *name, const char *folder, const double scale[3],
                      dal_mesh **keep)
{
    const char *why;
    const char *path = im_path(R, name, folder, &why);
    if (keep != NULL) {
        *keep = NULL;
    }
    if (path == NULL) {
        no_mesh(R, name, why);
        return NULL;
    }
    if (!is_mesh(path) || scale[0] * scale[1] * scale[2] == 0.0) {
        no_mesh(R, name, is_mesh(path) ? "is scaled by zero" : "is neither STL nor OBJ nor DAE");
        return NULL;
    }
    dal_mesh *mesh = read_mesh(R, path);
    if (mesh == NULL) {
        no_mesh(R, name, "cannot be read");
        return NULL;
    }
    const char *inside = within(path, R->opt.folder != NULL ? R->opt.folder : im_folder_of(R, R->path));
    im_shape *s = im_add_shape(R, list);
    if (s != NULL) {
        s->shape.kind = DAL_SHAPE_MESH;
        memcpy(s->stretch, scale, sizeof s->stretch);
        s->file = inside != NULL ? im_copy(R, inside) : path;
    }
    if (keep != NULL) {
        dal_mesh_stretch(mesh, scale);
        *keep = mesh;
    } else {
        dal_mesh_destroy(mesh, R->ctx);
    }
    return s;
}

void im_colour(im_reader *R, dal_shape *s, const im_element *at, const char *rgba)
{
    double c[4] = {0.5, 0.5, 0.5, 1.0};
    if (im_numbers(R, at, "rgba", rgba, c, 0, 4) >= 3) {
        s->coloured = 1;
        for (int k = 0; k < 4; ++k) {
            c[k] = c[k] < 0.0 ? 0.0 : c[k] > 1.0 ? 1.0 : c[k];
        }
        memcpy(s->colour, c, sizeof s->colour);
        s->opacity = c[3];
    }
}
