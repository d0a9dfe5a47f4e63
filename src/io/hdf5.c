/* HDF5: files, rows of datasets, attributes. */
#include "io/hdf5.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

dal_status dal_h5_memory(dal_ctx *ctx, size_t bytes)
{
    const size_t caches = 16 * 1024 * 1024;
    void *trial = bytes < SIZE_MAX - caches ? malloc(bytes + caches) : NULL; // HDF5 asks malloc, not the context
    if (trial == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for HDF5");
    }
    free(trial);
    return DAL_OK;
}

h5_quiet dal_h5_hush(void)
{
    h5_quiet q = {.stack = H5Eget_current_stack()};
    H5Eget_auto2(H5E_DEFAULT, &q.call, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

void dal_h5_unhush(h5_quiet q)
{
    H5Eset_auto2(H5E_DEFAULT, q.call, q.data);
    if (q.stack >= 0) {
        H5Eset_current_stack(q.stack); // which closes it
    }
}

dal_status dal_h5_failed(dal_ctx *ctx, const char *what, const char *path)
{
    return dal_fail(ctx, DAL_EIO, "cannot %s '%s': HDF5 reports an error%s%s", what, path, errno != 0 ? ": " : "",
                    errno != 0 ? strerror(errno) : "");
}

int dal_h5_is_file(const char *path)
{
    static const unsigned char mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char start[8] = {0};
    FILE *in = fopen(path, "rb");
    int found = 0;
    for (long at = 0; in != NULL && !found; at = at == 0 ? 512 : 2 * at) {
        if (fseek(in, at, SEEK_SET) != 0 || fread(start, 1, sizeof start, in) != sizeof start) {
            break;
        }
        found = memcmp(start, mark, sizeof mark) == 0;
    }
    if (in != NULL) {
        fclose(in);
    }
    return found;
}

int dal_h5_close(hid_t id)
{
    return id >= 0 && H5Idec_ref(id) < 0;
}

/* Readers of that mode repeat what has a wrong checksum, and HDF5 waits twice as long each time: by default 100 times,
 * which is forever. A writer at work is met within a millisecond, 2^20 ns. */
hid_t dal_h5_open_read(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_metadata_read_attempts(access, 20);
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
        H5Pclose(access);
    }
    return file;
}

hid_t dal_h5_open_set(hid_t file, const char *name)
{
    H5L_info_t link;
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0 || H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 ||
        (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT)) {
        return -1;
    }
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), how = set >= 0 ? H5Dget_create_plist(set) : -1;
    const int own = how >= 0 && H5Pget_external_count(how) == 0 && H5Pget_layout(how) != H5D_VIRTUAL;
    dal_h5_close(how);
    if (!own) {
        dal_h5_close(set);
        return -1;
    }
    return set;
}

int dal_h5_extent(hid_t set, hsize_t *size, int rank)
{
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const H5T_class_t kind = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int good = space >= 0 && (kind == H5T_FLOAT || kind == H5T_INTEGER) &&
               H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == rank &&
               H5Sget_simple_extent_dims(space, size, NULL) == rank;
    // rows are stored, if compressed by deflate: 1032 to 1 at the best; a killed writer may have announced a bunch more
    double bytes = (double)sizeof(double);
    for (int k = 0; good && k < rank; ++k) {
        bytes *= (double)size[k];
    }
    good = good && bytes <= 1032.0 * (double)H5Dget_storage_size(set) + H5_UNSTORED;
    dal_h5_close(space);
    dal_h5_close(type);
    return good;
}

/* Rows of a dataset to x, or from `from`; 1 on success. */
static int transfer(hid_t set, hid_t type, void *x, const void *from, hsize_t first, int rank, const hsize_t *size)
{
    const hsize_t start[3] = {first, 0, 0};
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, size, NULL);
    const int good = space >= 0 && memory >= 0 &&
                     H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                     (from ? H5Dwrite(set, type, memory, space, H5P_DEFAULT, from)
                           : H5Dread(set, type, memory, space, H5P_DEFAULT, x)) >= 0;
    dal_h5_close(memory);
    dal_h5_close(space);
    return good;
}

int dal_h5_read_rows(hid_t set, double *x, hsize_t first, int rank, const hsize_t *size)
{
    return transfer(set, H5T_NATIVE_DOUBLE, x, NULL, first, rank, size);
}

int dal_h5_write_rows(hid_t set, hid_t type, const void *x, hsize_t first, int rank, const hsize_t *size)
{
    return !transfer(set, type, NULL, x, first, rank, size);
}

/* ---- attributes and small datasets ------------------------------------------------------------ */

int dal_h5_put(hid_t where, h5_kind kind, const char *name, hid_t stored, hid_t type, int rank, const hsize_t *size,
               const void *x)
{
    const hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t made;
    int bad;
    H5Pset_obj_track_times(how, 0); // the same input gives the same bytes
    if (kind == H5_ATTRIBUTE) {
        (void)(H5Aexists(where, name) > 0 ? H5Adelete(where, name) : 0);
        made = H5Acreate2(where, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
        bad = made < 0 || (x && H5Awrite(made, type, x) < 0);
    } else {
        (void)(H5Lexists(where, name, H5P_DEFAULT) > 0 ? H5Ldelete(where, name, H5P_DEFAULT) : 0);
        made = H5Dcreate2(where, name, stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
        bad = made < 0 || (x && H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) < 0);
    }
    bad |= dal_h5_close(made);
    dal_h5_close(how);
    dal_h5_close(space);
    return bad;
}

static int put_strings(hid_t where, h5_kind kind, const char *name, const char *text, size_t room, int rank, hsize_t n)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, room > 0 ? room : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const int bad = dal_h5_put(where, kind, name, type, type, rank, &n, text);
    dal_h5_close(type);
    return bad;
}

int dal_h5_put_text(hid_t where, h5_kind kind, const char *name, const char *text)
{
    return put_strings(where, kind, name, text, strlen(text), 0, 0);
}

dal_status dal_h5_put_texts(dal_ctx *ctx, int *bad, hid_t where, h5_kind kind, const char *name, h5_text get, int n,
                            const void *user)
{
    enum { ATTRIBUTE_MAX = 64000 };
    size_t room = 1;
    for (int k = 0; k < n; ++k) {
        room = strlen(get(user, k)) > room ? strlen(get(user, k)) : room;
    }
    if (kind == H5_ATTRIBUTE && room * (size_t)n > ATTRIBUTE_MAX) {
        return DAL_OK;
    }
    char *all = dal_alloc_zero(ctx, room * (size_t)n + 1);
    if (all == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for the names of columns");
    }
    for (int k = 0; k < n; ++k) {
        memcpy(all + room * (size_t)k, get(user, k), strlen(get(user, k)));
    }
    *bad |= put_strings(where, kind, name, all, room, 1, (hsize_t)n);
    dal_free(ctx, all);
    return DAL_OK;
}

/* What the attribute or dataset holds, if it is texts of fixed length that are not too long. */
static dal_status read_texts(char **text, dal_ctx *ctx, hid_t from, h5_kind kind, size_t *room, long *n)
{
    const int a = kind == H5_ATTRIBUTE;
    const hid_t type = a ? H5Aget_type(from) : H5Dget_type(from), space = a ? H5Aget_space(from) : H5Dget_space(from);
    const int texts = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    dal_status st = DAL_OK;
    *room = texts ? H5Tget_size(type) : 0;
    *n = texts ? (long)H5Sget_simple_extent_npoints(space) : 0;
    if (*room > 0 && *n > 0 && (size_t)*n <= H5_UNSTORED / *room) {
        *text = dal_alloc_zero(ctx, *room * (size_t)*n + 1);
        st = *text != NULL ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "out of memory for %ld texts", *n);
    }
    if (*text != NULL &&
        (a ? H5Aread(from, type, *text) : H5Dread(from, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text)) < 0) {
        dal_free(ctx, *text);
        *text = NULL;
    }
    dal_h5_close(space);
    dal_h5_close(type);
    return st;
}

dal_status dal_h5_get_texts(char **text, dal_ctx *ctx, size_t *room, long *n, hid_t where, h5_kind kind,
                            const char *name)
{
    const hid_t from = kind == H5_DATASET            ? dal_h5_open_set(where, name)
                       : H5Aexists(where, name) <= 0 ? -1
                                                     : H5Aopen(where, name, H5P_DEFAULT);
    *text = NULL;
    const dal_status st = from >= 0 ? read_texts(text, ctx, from, kind, room, n) : DAL_OK;
    dal_h5_close(from);
    return st;
}
