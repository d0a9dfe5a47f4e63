/* Shapes of flexible bodies from an HDF5 file: its datasets have the names and the layout of the lists in JSON, so they
 * are turned into those and read like them. */
#include <math.h>
#include <string.h>

#include "io/io_impl.h"
#include "io/results_hdf5_impl.h"

enum { MAX_RANK = 4, EMPTY_LISTS = 65536 };

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

/* The numbers of a dataset with `count` of them, as lists. */
static dal_status read_numbers(dal_ctx *ctx, hid_t set, const char *path, const char *name, const hsize_t *size,
                               int rank, size_t count, json_t **json)
{
    double *x = dal_alloc(ctx, (count + 1) * sizeof *x);
    const double *next = x;
    dal_status st = DAL_OK;
    if (x == NULL) {
        return dal_io_no_memory(ctx);
    }
    if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0) {
        st = dal_fail(ctx, DAL_EIO, "%s: '%s' cannot be read", path, name);
    }
    for (size_t i = 0; st == DAL_OK && i < count; ++i) {
        if (!isfinite(x[i])) {
            st = dal_fail(ctx, DAL_EINVAL, "%s: '%s' holds a value that is not finite (number %zu)", path, name, i + 1);
        }
    }
    if (st == DAL_OK) {
        *json = nested(size, rank, strcmp(name, "interfaces") == 0, &next);
        st = *json != NULL ? DAL_OK : dal_io_no_memory(ctx);
    }
    dal_free(ctx, x);
    return st;
}

/* One dataset as a list; *json stays NULL if the file has none of this name. */
static dal_status read_dataset(dal_ctx *ctx, hid_t file, const char *path, const char *name, json_t **json)
{
    hsize_t size[MAX_RANK] = {0};
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) {
        return DAL_OK;
    }
    const hid_t set = dal_h5_open_set(file, name), space = set >= 0 ? H5Dget_space(set) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    int good = rank >= 1 && rank <= MAX_RANK && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    // an array of 2^34 x 0 has no numbers, but as many lists
    double count = 1.0, lists = 1.0;
    for (int k = 0; good && k < rank; ++k) {
        lists = count;
        count *= (double)size[k];
        good = count <= IO_BYTES_MAX / 8.0 && (count > 0.0 || lists <= EMPTY_LISTS);
    }
    const dal_status st =
        good ? read_numbers(ctx, set, path, name, size, rank, (size_t)count, json)
             : dal_fail(ctx, DAL_EINVAL,
                        "%s: '%s' is not an array of up to %d numbers with 1 to %d indices in this file", path, name,
                        IO_BYTES_MAX / 8, MAX_RANK);
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

dal_status dal_io_modes_hdf5(dal_ctx *ctx, json_t **json, const char *path)
{
    dal_status st = DAL_OK;
    *json = NULL;
    DAL_TRY(dal_h5_memory(ctx, IO_BYTES_MAX));
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
