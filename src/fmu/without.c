/* What a unit does without: HDF5 files, and descriptions of robots, which are JSON by the time they are packed. */
#include "dalembert/import.h"
#include "io/io_impl.h"
#include "io/matrices.h"

static dal_status refused(dal_ctx *ctx, const char *path)
{
    return dal_fail(ctx, DAL_EIO, "'%s': a unit cannot read files beside its model", path);
}

int dal_h5_is_file(const char *path); // io/hdf5.h, which needs the headers of HDF5

int dal_h5_is_file(const char *path)
{
    (void)path;
    return 0;
}

dal_status dal_io_modes_hdf5(dal_ctx *ctx, const dal_json **json, const char *path)
{
    (void)json;
    return refused(ctx, path);
}

dal_status dal_io_matrix_hdf5(io_matrix *m, dal_pool *pool, const char *path, const char *name)
{
    (void)m, (void)name;
    return refused(pool->ctx, path);
}

dal_status dal_io_table_hdf5(io_table *t, dal_pool *pool, const char *path, const char *name)
{
    (void)t, (void)name;
    return refused(pool->ctx, path);
}

dal_status dal_mesh_read(dal_mesh **mesh, dal_ctx *ctx, const void *bytes, size_t size, const char *name)
{
    return dal_mesh_create(mesh, ctx, bytes, size, name);
}

int dal_import_is(const char *path)
{
    (void)path;
    return 0;
}

dal_status dal_import_create_(dal_import **import, dal_ctx *ctx, const char *path, const dal_import_options *options,
                              size_t size)
{
    (void)import, (void)options, (void)size;
    return refused(ctx, path);
}

void dal_import_destroy(dal_import *import)
{
    (void)import;
}

const char *dal_import_text(const dal_import *import)
{
    (void)import;
    return "";
}

int dal_import_note_count(const dal_import *import)
{
    (void)import;
    return 0;
}

dal_import_note dal_import_note_at(const dal_import *import, int k)
{
    (void)import, (void)k;
    return (dal_import_note){0};
}
