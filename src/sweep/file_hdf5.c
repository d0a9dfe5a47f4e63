/* Results as HDF5 (docs/format/sweep.md). Written in one go from the results in memory and the trajectories in journals:
 * same input, same bytes. */
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "sweep/sweep_impl.h"

enum { BLOCK = 16384, ATTRIBUTE = 60000 };

/* HDF5 prints its errors unless told otherwise. */
typedef struct quiet {
    H5E_auto2_t call;
    void *data;
} quiet;

static quiet hush(void)
{
    quiet q;
    H5Eget_auto2(H5E_DEFAULT, &q.call, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static hid_t text_type(size_t n)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, n > 0 ? n : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* n texts as an array of fixed length; text_of gives them one by one. An attribute if it has room, else a dataset. */
typedef const char *(*text_of)(const dal_sweep *s, int k);

static int put_texts(const dal_sweep *s, hid_t where, const char *name, text_of get, int n, int attribute)
{
    size_t room = 1;
    for (int k = 0; k < n; ++k) {
        room = strlen(get(s, k)) > room ? strlen(get(s, k)) : room;
    }
    char *all = dal_alloc_zero(s->ctx, room * (size_t)n + 1);
    if (all == NULL) {
        return 1;
    }
    for (int k = 0; k < n; ++k) {
        memcpy(all + room * (size_t)k, get(s, k), strlen(get(s, k)));
    }
    const hsize_t size = (hsize_t)n;
    const hid_t type = text_type(room), space = H5Screate_simple(1, &size, NULL);
    int bad = 0;
    if (attribute && room * (size_t)n < ATTRIBUTE) {
        const hid_t a = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        bad = H5Awrite(a, type, all) < 0 || H5Aclose(a) < 0;
    } else if (!attribute) {
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_obj_track_times(how, 0);
        const hid_t d = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        bad = H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0 || H5Dclose(d) < 0;
        H5Pclose(how);
    }
    H5Sclose(space);
    H5Tclose(type);
    dal_free(s->ctx, all);
    return bad;
}

/* One text: an attribute, or a dataset where it may be long. */
static int put_text(hid_t where, const char *name, const char *text, int attribute)
{
    const hid_t type = text_type(strlen(text)), space = H5Screate(H5S_SCALAR);
    int bad;
    if (attribute) {
        const hid_t a = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        bad = H5Awrite(a, type, text) < 0 || H5Aclose(a) < 0;
    } else {
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_obj_track_times(how, 0);
        const hid_t d = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        bad = H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0 || H5Dclose(d) < 0;
        H5Pclose(how);
    }
    H5Sclose(space);
    H5Tclose(type);
    return bad;
}

static int put_whole(hid_t where, const char *name, unsigned long long value)
{
    const hid_t space = H5Screate(H5S_SCALAR),
                a = H5Acreate2(where, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = H5Awrite(a, H5T_NATIVE_ULLONG, &value) < 0 || H5Aclose(a) < 0;
    H5Sclose(space);
    return bad;
}

/* ---- arrays over the members ------------------------------------------------------------------ */

/* A dataset of members x size[1] x ..., which can be extended, in chunks of about 128 KiB. */
static hid_t create(hid_t file, const char *name, hid_t type, int rank, const hsize_t size[3], int deflate)
{
    hsize_t most[3] = {H5S_UNLIMITED, size[1], size[2]}, chunk[3] = {1, size[1], size[2]}, each = 8;
    for (int k = 1; k < rank; ++k) {
        each *= size[k];
    }
    chunk[0] = each < 131072 ? 131072 / each : 1;
    chunk[0] = chunk[0] < size[0] ? chunk[0] : size[0];
    const hid_t space = H5Screate_simple(rank, size, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, 0);
    H5Pset_chunk(how, rank, chunk);
    if (deflate) {
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 4);
    }
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static int put_block(hid_t set, hid_t memory_type, int rank, const hsize_t size[3], long first, long n,
                     const void *data)
{
    const hsize_t from[3] = {(hsize_t)first, 0, 0}, count[3] = {(hsize_t)n, size[1], size[2]};
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, count, NULL);
    const int bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) < 0 ||
                    H5Dwrite(set, memory_type, memory, space, H5P_DEFAULT, data) < 0;
    H5Sclose(memory);
    H5Sclose(space);
    return bad;
}

static const char *parameter_name(const dal_sweep *s, int k)
{
    return s->parameter[k].name;
}

static const char *collect_name(const dal_sweep *s, int k)
{
    return s->collect[k];
}

static const char *curve_name(const dal_sweep *s, int k)
{
    return s->curve[k];
}

static const char *message_text(const dal_sweep *s, int k)
{
    return s->messages.text[k];
}

static int put_parameters(const dal_sweep *s, hid_t file, double *buffer)
{
    const hsize_t size[3] = {(hsize_t)s->n, (hsize_t)s->np, 1};
    if (s->np == 0) {
        return 0;
    }
    const hid_t set = create(file, "parameters", H5T_IEEE_F64LE, 2, size, 1);
    int bad = put_texts(s, set, "columns", parameter_name, s->np, 1);
    for (long first = 0; first < s->n && !bad; first += BLOCK) {
        const long n = s->n - first < BLOCK ? s->n - first : BLOCK;
        for (long k = 0; k < n; ++k) {
            dal_sweep_point(s, buffer + k * s->np, first + k);
        }
        bad = put_block(set, H5T_NATIVE_DOUBLE, 2, size, first, n, buffer);
    }
    return (H5Dclose(set) < 0) | bad;
}

static int put_collected(const dal_sweep *s, hid_t file)
{
    const hsize_t size[3] = {(hsize_t)s->n, (hsize_t)s->ncollect, 1};
    if (s->ncollect == 0) {
        return 0;
    }
    const hid_t set = create(file, "collected", H5T_IEEE_F64LE, 2, size, 0);
    int bad = put_texts(s, set, "columns", collect_name, s->ncollect, 1);
    bad = bad || put_block(set, H5T_NATIVE_DOUBLE, 2, size, 0, s->n, s->value);
    return (H5Dclose(set) < 0) | bad;
}

/* Messages in the order in which members have them: that in which they came depends on threads. */
static int put_status(const dal_sweep *s, hid_t file, int *order)
{
    const hsize_t size[3] = {(hsize_t)s->n, 1, 1};
    int *new_number = order, *old_number = order + s->messages.n, n = 0;
    int *number = dal_alloc(s->ctx, ((size_t)s->n + 1) * sizeof *number);
    if (number == NULL) {
        return 1;
    }
    memset(new_number, 0xff, (size_t)s->messages.n * sizeof *new_number);
    for (long k = 0; k < s->n; ++k) {
        const int m = s->message[k];
        if (m >= 0 && new_number[m] < 0) {
            old_number[n] = m;
            new_number[m] = n++;
        }
        number[k] = m >= 0 ? new_number[m] : -1;
    }
    hid_t set = create(file, "status", H5T_STD_I8LE, 1, size, 1);
    int bad = put_block(set, H5T_NATIVE_SCHAR, 1, size, 0, s->n, s->status);
    bad |= H5Dclose(set) < 0;
    set = create(file, "message", H5T_STD_I32LE, 1, size, 1);
    bad |= put_block(set, H5T_NATIVE_INT, 1, size, 0, s->n, number);
    dal_free(s->ctx, number);
    return (H5Dclose(set) < 0) | bad;
}

/* Members that a program handed over to the library. */
static int put_handed(const dal_sweep *s, hid_t file)
{
    const hsize_t size[3] = {(hsize_t)s->n, 1, 1};
    if (s->by_library == NULL) {
        return 0;
    }
    const hid_t set = create(file, "handed_over", H5T_STD_U8LE, 1, size, 1);
    const int bad = put_block(set, H5T_NATIVE_UCHAR, 1, size, 0, s->n, s->by_library);
    return (H5Dclose(set) < 0) | bad | put_whole(file, "handed_over_members", (unsigned long long)s->handed);
}

/* The texts in their new order. */
static int put_messages(dal_sweep *s, hid_t file)
{
    const int n = s->messages.n;
    int *order = dal_alloc_zero(s->ctx, 2 * ((size_t)n + 1) * sizeof *order);
    char **text = s->messages.text, **sorted = dal_alloc_zero(s->ctx, ((size_t)n + 1) * sizeof *sorted);
    int bad = order == NULL || sorted == NULL || put_status(s, file, order);
    for (int k = 0; k < n && !bad; ++k) {
        sorted[k] = text[order[n + k]];
    }
    if (n > 0 && !bad) {
        s->messages.text = sorted;
        bad = put_texts(s, file, "messages", message_text, n, 0);
        s->messages.text = text;
    }
    dal_free(s->ctx, order);
    dal_free(s->ctx, sorted);
    return bad;
}

static int put_times(const dal_sweep *s, hid_t file)
{
    const hsize_t n = (hsize_t)s->ntimes;
    const hid_t space = H5Screate_simple(1, &n, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, 0);
    const hid_t set = H5Dcreate2(file, "times", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    const int bad = H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->times) < 0 || H5Dclose(set) < 0;
    H5Pclose(how);
    H5Sclose(space);
    return bad;
}

static int put_trajectories(const dal_sweep *s, hid_t file)
{
    const hsize_t size[3] = {(hsize_t)s->n, (hsize_t)s->ncurves, (hsize_t)s->ntimes};
    const size_t each = (size_t)s->ncurves * (size_t)s->ntimes;
    if (s->ncurves == 0) {
        return 0;
    }
    double *one = dal_alloc(s->ctx, each * sizeof *one);
    const hid_t set = create(file, "trajectories", H5T_IEEE_F64LE, 3, size, 0);
    int bad = one == NULL || put_times(s, file) || put_texts(s, set, "columns", curve_name, s->ncurves, 1);
    for (long k = 0; k < s->n && !bad; ++k) {
        if (s->status[k] != DAL_SWEEP_MISSING) { // what is not written is zero: see status
            bad =
                dal_sweep_trajectory_read(s, one, k) != DAL_OK || put_block(set, H5T_NATIVE_DOUBLE, 3, size, k, 1, one);
        }
    }
    dal_free(s->ctx, one);
    return (H5Dclose(set) < 0) | bad;
}

/* ---- the file --------------------------------------------------------------------------------- */

static int fill(dal_sweep *s, hid_t file)
{
    double *buffer = dal_alloc(s->ctx, BLOCK * ((size_t)s->np + 1) * sizeof *buffer);
    int bad = buffer == NULL || put_text(file, "format", "dalembert sweep 1", 1) ||
              put_text(file, "dalembert", dal_version_string(), 1) || put_text(file, "model", s->model_name, 1) ||
              put_text(file, "design", dal_sweep_design_name(s->design), 1) ||
              put_text(file, "backend", dal_sweep_backend_name(s->backend), 1) ||
              put_whole(file, "seed", (unsigned long long)s->seed) ||
              put_whole(file, "members", (unsigned long long)s->n) ||
              put_whole(file, "missing", (unsigned long long)(s->n - s->done)) ||
              put_whole(file, "failed", (unsigned long long)s->failed) ||
              put_text(file, "model_text", s->model_text, 0) || put_text(file, "sweep", s->text, 0);
    bad = bad || put_parameters(s, file, buffer) || put_collected(s, file) || put_messages(s, file) ||
          put_handed(s, file) || put_trajectories(s, file);
    dal_free(s->ctx, buffer);
    return bad;
}

dal_status dal_sweep_save_hdf5(dal_sweep *s, const char *path)
{
    const quiet q = hush();
    const unsigned long refused = dal_alloc_refused(s->ctx);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_obj_track_times(how, 0);
    errno = 0;
    const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, how, access);
    int bad = file < 0;
    if (!bad) {
        // names of messages are put in another order while they are written, and back
        bad = fill(s, file);
        bad |= H5Fclose(file) < 0;
    }
    const int reason = errno;
    H5Pclose(access);
    H5Pclose(how);
    H5Eset_auto2(H5E_DEFAULT, q.call, q.data);
    if (dal_alloc_refused(s->ctx) != refused) {
        return dal_sweep_no_memory(s->ctx);
    }
    return bad ? dal_fail(s->ctx, DAL_EIO, "cannot write '%s': HDF5 reports an error%s%s", path,
                          reason != 0 ? ": " : "", reason != 0 ? strerror(reason) : "")
               : DAL_OK;
}
