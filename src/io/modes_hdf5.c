/* Shapes of flexible bodies from an HDF5 file: its datasets have the names and the layout of the lists in JSON, so they
 * are turned into those and read like them. */
#include <hdf5.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

enum { MAX_RANK = 4 };

static const char *const names[] = {"nodes",          "masses",    "inertias", "shapes",    "rotations",
                                    "foreshortening", "stiffness", "damping",  "interfaces"};

/* Lists within lists of the lengths size[0 .. rank-1]; *x moves on. NULL when out of memory. */
static json_t *nested(const hsize_t *size, int rank, int whole, const double **x)
{
    json_t *list = json_array();
    for (hsize_t k = 0; list != NULL && k < size[0]; ++k) {
        json_t *item = rank > 1 ? nested(size + 1, rank - 1, whole, x)
                       : whole  ? json_integer((json_int_t) * (*x)++)
                                : json_real(*(*x)++);
        if (item == NULL || json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* One dataset as a list; *json stays NULL if the file has none of this name. */
static dal_status read_dataset(dal_ctx *ctx, hid_t file, const char *path, const char *name, json_t **json)
{
    hsize_t size[MAX_RANK] = {0};
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
        return DAL_OK;
    }
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    const hssize_t count = rank >= 1 && rank <= MAX_RANK ? H5Sget_simple_extent_npoints(space) : -1;
    dal_status st = DAL_OK;
    if (count < 0 || count > IO_BYTES_MAX / 8 || H5Sget_simple_extent_dims(space, size, NULL) != rank) {
        st =
            dal_fail(ctx, DAL_EINVAL, "%s: '%s' is not an array of numbers with 1 to %d indices", path, name, MAX_RANK);
    } else {
        double *x = dal_alloc(ctx, ((size_t)count + 1) * sizeof *x);
        const double *next = x;
        if (x != NULL && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0) {
            st = dal_fail(ctx, DAL_EIO, "%s: '%s' cannot be read", path, name);
        } else {
            *json = x != NULL ? nested(size, rank, strcmp(name, "interfaces") == 0, &next) : NULL;
            st = *json != NULL ? DAL_OK : dal_io_no_memory(ctx);
        }
        dal_free(ctx, x);
    }
    (void)(space >= 0 ? H5Sclose(space) : 0);
    (void)(set >= 0 ? H5Dclose(set) : 0);
    return st;
}

static dal_status read_all(dal_ctx *ctx, hid_t file, const char *path, json_t *object)
{
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        json_t *list = NULL;
        DAL_TRY(read_dataset(ctx, file, path, names[k], &list));
        if (list != NULL && json_object_set_new(object, names[k], list) != 0) {
            return dal_io_no_memory(ctx);
        }
    }
    return DAL_OK;
}

int dal_io_is_hdf5(const char *path)
{
    htri_t yes = 0;
    H5E_BEGIN_TRY
    {
        yes = H5Fis_hdf5(path);
    }
    H5E_END_TRY
    return yes > 0;
}

dal_status dal_io_modes_hdf5(dal_ctx *ctx, const char *path, json_t **json)
{
    dal_status st = DAL_OK;
    *json = NULL;
    H5E_BEGIN_TRY
    {
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        json_t *object = file >= 0 ? json_object() : NULL;
        if (file < 0) {
            st = dal_fail(ctx, DAL_EIO, "cannot read '%s' as an HDF5 file", path);
        } else {
            st = object != NULL ? read_all(ctx, file, path, object) : dal_io_no_memory(ctx);
            H5Fclose(file);
        }
        if (st == DAL_OK) {
            *json = object;
        } else {
            json_decref(object);
        }
    }
    H5E_END_TRY
    return st;
}
