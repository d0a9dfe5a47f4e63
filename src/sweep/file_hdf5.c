/* Results as HDF5 (docs/format/sweep.md). Written in one go from the results in memory and the trajectories in journals:
 * same input, same bytes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/hdf5.h"
#include "sweep/sweep_impl.h"

enum { BLOCK = 16384, CHUNK = 131072 };

/* ---- arrays over the members ------------------------------------------------------------------ */

/* A dataset of members x width x depth, which can be extended, in chunks of about 128 KiB. */
static hid_t create(hid_t file, const char *name, hid_t type, int rank, const hsize_t size[3], int deflate)
{
    const hsize_t most[3] = {H5S_UNLIMITED, size[1], size[2]}, each = 8 * size[1] * size[2];
    hsize_t chunk[3] = {each < CHUNK ? CHUNK / each : 1, size[1], size[2]};
    chunk[0] = chunk[0] < size[0] ? chunk[0] : size[0];
    const hid_t space = H5Screate_simple(rank, size, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, 0);
    H5Pset_chunk(how, rank, chunk);
    if (deflate) {
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 4);
    }
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    dal_h5_close(how);
    dal_h5_close(space);
    return set;
}

/* One number of each member. */
static int put_column(const dal_sweep *s, hid_t file, const char *name, hid_t stored, hid_t type, const void *x)
{
    const hsize_t size[3] = {(hsize_t)s->n, 1, 1};
    const hid_t set = create(file, name, stored, 1, size, 1);
    const int bad = dal_h5_write_rows(set, type, x, 0, 1, size);
    return dal_h5_close(set) | bad;
}

static int put_whole(hid_t file, const char *name, unsigned long long value)
{
    return dal_h5_put(file, H5_ATTRIBUTE, name, H5T_STD_U64LE, H5T_NATIVE_ULLONG, 0, NULL, &value);
}

static const char *parameter_name(const void *s, int k)
{
    return ((const dal_sweep *)s)->parameter[k].name;
}

static const char *text_of(const void *list, int k)
{
    return ((char *const *)list)[k];
}

/* The names of the n columns of a dataset. */
static int put_columns(const dal_sweep *s, hid_t set, h5_text get, const void *user, int n)
{
    int bad = 0;
    return dal_h5_put_texts(s->ctx, &bad, set, H5_ATTRIBUTE, "columns", get, n, user) != DAL_OK || bad;
}

static int put_parameters(const dal_sweep *s, hid_t file)
{
    hsize_t size[3] = {(hsize_t)s->n, (hsize_t)s->np, 1};
    double *x = dal_alloc(s->ctx, BLOCK * ((size_t)s->np + 1) * sizeof *x);
    if (s->np == 0 || x == NULL) {
        dal_free(s->ctx, x);
        return x == NULL;
    }
    const hid_t set = create(file, "parameters", H5T_IEEE_F64LE, 2, size, 1);
    int bad = put_columns(s, set, parameter_name, s, s->np);
    for (long first = 0; first < s->n && !bad; first += BLOCK) {
        size[0] = (hsize_t)(s->n - first < BLOCK ? s->n - first : BLOCK);
        for (long k = 0; k < (long)size[0]; ++k) {
            dal_sweep_point(s, x + k * s->np, first + k);
        }
        bad = dal_h5_write_rows(set, H5T_NATIVE_DOUBLE, x, (hsize_t)first, 2, size);
    }
    dal_free(s->ctx, x);
    return dal_h5_close(set) | bad;
}

static int put_collected(const dal_sweep *s, hid_t file)
{
    const hsize_t size[3] = {(hsize_t)s->n, (hsize_t)s->ncollect, 1};
    if (s->ncollect == 0) {
        return 0;
    }
    const hid_t set = create(file, "collected", H5T_IEEE_F64LE, 2, size, 0);
    const int bad = put_columns(s, set, text_of, s->collect, s->ncollect) ||
                    dal_h5_write_rows(set, H5T_NATIVE_DOUBLE, s->value, 0, 2, size);
    return dal_h5_close(set) | bad;
}

/* Messages in the order in which members have them: that in which they came depends on threads. */
static int put_messages(const dal_sweep *s, hid_t file)
{
    const size_t n = (size_t)s->messages.n + 1;
    int *number = dal_alloc(s->ctx, ((size_t)s->n + 1) * sizeof *number),
        *index = dal_alloc_zero(s->ctx, n * sizeof *index);
    char **sorted = dal_alloc_zero(s->ctx, n * sizeof *sorted);
    int count = 0, bad = number == NULL || index == NULL || sorted == NULL;
    for (long k = 0; k < s->n && !bad; ++k) {
        const int m = s->message[k];
        if (m >= 0 && index[m] == 0) {
            sorted[count++] = s->messages.text[m];
            index[m] = count; // + 1
        }
        number[k] = m >= 0 ? index[m] - 1 : -1;
    }
    bad = bad || put_column(s, file, "status", H5T_STD_I8LE, H5T_NATIVE_SCHAR, s->status) ||
          put_column(s, file, "message", H5T_STD_I32LE, H5T_NATIVE_INT, number);
    if (count > 0 && !bad) {
        bad = dal_h5_put_texts(s->ctx, &bad, file, H5_DATASET, "messages", text_of, count, sorted) != DAL_OK || bad;
    }
    dal_free(s->ctx, number);
    dal_free(s->ctx, index);
    dal_free(s->ctx, sorted);
    return bad;
}

/* Members that a program handed over to the library. */
static int put_handed(const dal_sweep *s, hid_t file)
{
    return s->by_library != NULL &&
           (put_column(s, file, "handed_over", H5T_STD_U8LE, H5T_NATIVE_UCHAR, s->by_library) ||
            put_whole(file, "handed_over_members", (unsigned long long)s->handed));
}

static int put_trajectories(const dal_sweep *s, hid_t file)
{
    hsize_t size[3] = {(hsize_t)s->n, (hsize_t)s->ncurves, (hsize_t)s->ntimes};
    if (s->ncurves == 0) {
        return 0;
    }
    double *one = dal_alloc(s->ctx, (size_t)s->ncurves * (size_t)s->ntimes * sizeof *one);
    const hid_t set = create(file, "trajectories", H5T_IEEE_F64LE, 3, size, 0);
    int bad = one == NULL ||
              dal_h5_put(file, H5_DATASET, "times", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &size[2], s->times) ||
              put_columns(s, set, text_of, s->curve, s->ncurves);
    size[0] = 1;
    for (long k = 0; k < s->n && !bad; ++k) {
        if (s->status[k] != DAL_SWEEP_MISSING) { // what is not written is zero: see status
            bad = dal_sweep_trajectory_read(s, one, k) != DAL_OK ||
                  dal_h5_write_rows(set, H5T_NATIVE_DOUBLE, one, (hsize_t)k, 3, size);
        }
    }
    dal_free(s->ctx, one);
    return dal_h5_close(set) | bad;
}

/* ---- the file --------------------------------------------------------------------------------- */

static int fill(const dal_sweep *s, hid_t file)
{
    const struct {
        h5_kind kind;
        const char *name, *text;
    } texts[] = {{H5_ATTRIBUTE, "format", "dalembert sweep 1"},
                 {H5_ATTRIBUTE, "dalembert", dal_version_string()},
                 {H5_ATTRIBUTE, "model", s->model_name},
                 {H5_ATTRIBUTE, "design", dal_sweep_design_name(s->design)},
                 {H5_ATTRIBUTE, "backend", dal_sweep_backend_name(s->backend)},
                 {H5_DATASET, "model_text", s->model_text},
                 {H5_DATASET, "sweep", s->text}};
    int bad = put_whole(file, "seed", (unsigned long long)s->seed) ||
              put_whole(file, "members", (unsigned long long)s->n) ||
              put_whole(file, "missing", (unsigned long long)(s->n - s->done)) ||
              put_whole(file, "failed", (unsigned long long)s->failed);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0] && !bad; ++k) {
        bad = dal_h5_put_text(file, texts[k].kind, texts[k].name, texts[k].text);
    }
    return bad || put_parameters(s, file) || put_collected(s, file) || put_messages(s, file) || put_handed(s, file) ||
           put_trajectories(s, file);
}

dal_status dal_sweep_save_hdf5(dal_sweep *s, const char *path)
{
    const h5_quiet q = dal_h5_hush();
    const unsigned long refused = dal_alloc_refused(s->ctx);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_obj_track_times(how, 0);
    errno = 0;
    const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, how, access);
    const int bad = file < 0 || (fill(s, file) | (H5Fclose(file) < 0));
    const int reason = errno;
    dal_h5_close(access);
    dal_h5_close(how);
    dal_h5_unhush(q);
    errno = reason;
    return dal_alloc_refused(s->ctx) != refused ? dal_sweep_no_memory(s->ctx)
           : bad                                ? dal_h5_failed(s->ctx, "write", path)
                                                : DAL_OK;
}
