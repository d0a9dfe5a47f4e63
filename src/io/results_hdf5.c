/* One HDF5 file: the dataset "time" (rows) and, for each table, a dataset rows x columns with the attributes
 * "columns" and "units"; notes are attributes of the file; the attribute "complete" tells whether the run was closed.
 *
 * The file is open only while a bunch of rows is appended; between two bunches it is an ordinary closed file, which
 * any reader opens. It is open in the mode for a single writer and multiple readers (SWMR), in which HDF5 orders what
 * it writes so that the file is sound at any instant: a program killed in the midst of it leaves a file that readers
 * of that mode open (h5py.File(path, swmr=True)). Times are written last: rows that have a time are whole. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/hdf5.h"
#include "io/results_impl.h"

enum { DEFLATE = 2, NOTE_SLACK = 65536 };

/* Dataset 0 has the times, the others are the tables: so in all lists here. */
typedef struct h5_file {
    hid_t file, *set; /* -1 between two bunches */
    char part[RESULTS_PATH];
    char aside[RESULTS_PATH]; /* where the file is changed in a way that a kill would not survive */
    const char *at;           /* the one of them that is written now */
    int made;                 /* the file aside is ours, and not finished */
    hsize_t rows;
    double *column; /* a bunch of rows of one table */
} h5_file;

static int set_count(const dal_results *r)
{
    return r->ntables + 1;
}

static const char *set_name(const dal_results *r, int k)
{
    return k == 0 ? "time" : r->table[k - 1].name;
}

/* Extent of dataset k with so many rows; its rank is 1 for the times, 2 for a table. */
static int set_size(const dal_results *r, int k, hsize_t rows, hsize_t size[2])
{
    size[0] = rows;
    size[1] = k == 0 ? 1 : (hsize_t)r->table[k - 1].n;
    return k == 0 ? 1 : 2;
}

/* What HDF5 needs while the file is open: the chunks of each table and what is written. */
static dal_status memory(dal_results *r, size_t bytes)
{
    return dal_h5_memory(r->ctx, bytes + (size_t)set_count(r) * 2 * 1024 * 1024);
}

/* Is there room for so many more bytes? A library that meets a full disk halfway leaves a damaged
 * file, so the room is taken first. */
static dal_status reserve(dal_results *r, size_t bytes)
{
    h5_file *f = r->file;
    const int fd = dal_results_open_file(f->at);
    if (fd < 0) {
        return dal_results_fail(r->ctx, "write", f->at);
    }
    const off_t end = lseek(fd, 0, SEEK_END);
    const int reason = posix_fallocate(fd, end, (off_t)bytes);
    if (ftruncate(fd, end) != 0 && reason == 0) {
        close(fd);
        return dal_results_fail(r->ctx, "write", f->part);
    }
    close(fd);
    if (reason != 0 && reason != EOPNOTSUPP && reason != EINVAL) {
        errno = reason;
        return dal_results_fail(r->ctx, "write", f->part);
    }
    return DAL_OK;
}

/* Extensible, compressed, in chunks of about 32 KiB. */
static hid_t create_dataset(const dal_results *r, hid_t file, int k)
{
    hsize_t size[2], most[2], chunk[2];
    const int rank = set_size(r, k, 0, size);
    const hsize_t width = size[1];
    set_size(r, k, H5S_UNLIMITED, most);
    chunk[0] = 4096 / width > 16 ? 4096 / width : 16;
    chunk[1] = width < 4096 ? width : 4096;
    const hid_t space = H5Screate_simple(rank, size, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, rank, chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, DEFLATE);
    // the last chunk is written again with every bunch of rows, in place if its length stays: compressed, a kill in the
    // midst of that would cost the rows that were there; as it is, their bytes do not change
    H5Pset_chunk_opts(how, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    const hid_t set = H5Dcreate2(file, set_name(r, k), H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    dal_h5_close(how);
    dal_h5_close(space);
    return set;
}

static const char *text_at(const void *list, int k)
{
    return ((char *const *)list)[k];
}

static dal_status create_tables(dal_results *r)
{
    h5_file *f = r->file;
    int bad = 0;
    for (int k = 0; k < set_count(r) && !bad; ++k) {
        const results_table *t = &r->table[k > 0 ? k - 1 : 0];
        f->set[k] = create_dataset(r, f->file, k);
        bad = f->set[k] < 0;
        if (!bad && k == 0) {
            bad = dal_h5_put_text(f->set[k], H5_ATTRIBUTE, "units", "s");
        } else if (!bad) { // wide tables go without names rather than without data
            DAL_TRY(dal_h5_put_texts(r->ctx, &bad, f->set[k], H5_ATTRIBUTE, "columns", text_at, t->n, t->column));
            DAL_TRY(dal_h5_put_texts(r->ctx, &bad, f->set[k], H5_ATTRIBUTE, "units", text_at, t->n, t->unit));
        }
    }
    return bad ? dal_h5_failed(r->ctx, "create a dataset in", f->at) : DAL_OK;
}

/* ---- going on --------------------------------------------------------------------------------- */

/* Number of rows to be kept: append_rows, or those with time <= append_after. */
static dal_status kept_rows(dal_results *r, hid_t time, hsize_t *rows)
{
    hsize_t n = 0;
    if (!dal_h5_extent(time, &n, 1) || n > SIZE_MAX / sizeof(double) - 1) {
        return dal_fail(r->ctx, DAL_EIO, "'%s' is damaged: its times are not a list of numbers", r->path);
    }
    double *t = dal_alloc(r->ctx, ((size_t)n + 1) * sizeof *t);
    if (t == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for %llu times", (unsigned long long)n);
    }
    const int bad = n > 0 && !dal_h5_read_rows(time, t, 0, 1, &n);
    *rows = 0;
    while (!bad && *rows < n && (r->append_rows > 0 ? *rows < (hsize_t)r->append_rows : t[*rows] <= r->append_after)) {
        ++*rows;
    }
    r->last[0] = *rows > 0 ? t[*rows - 1] : 0.0;
    dal_free(r->ctx, t);
    return bad ? dal_h5_failed(r->ctx, "read", r->path) : DAL_OK;
}

/* Does table k of the file have the rows to go on from? */
static dal_status examine_table(dal_results *r, hid_t from, int k, hsize_t rows)
{
    const results_table *t = &r->table[k];
    hsize_t size[2] = {0, 0}, last[2] = {1, (hsize_t)t->n};
    const hid_t set = dal_h5_open_set(from, t->name);
    const int fits = set >= 0 && dal_h5_extent(set, size, 2) && size[1] == (hsize_t)t->n;
    const int there = fits && size[0] >= rows && (r->append_rows <= 0 || rows == (hsize_t)r->append_rows) &&
                      (rows == 0 || dal_h5_read_rows(set, r->last + t->first, rows - 1, 2, last));
    const int same = there && dal_results_marked(r, k);
    dal_h5_close(set);
    if (!fits) {
        return dal_fail(r->ctx, DAL_EIO, "'%s' has no table '%s' with %d columns to continue", r->path, t->name, t->n);
    }
    return same ? DAL_OK : dal_results_other_rows(r, t);
}

/* The file of an earlier run, open for reading, if it has the rows to go on from. */
static dal_status open_earlier(dal_results *r, const char *path, hid_t *from, hsize_t *rows)
{
    *from = dal_h5_open_read(path);
    const hid_t time = *from >= 0 ? dal_h5_open_set(*from, "time") : -1;
    dal_status st = time >= 0 ? kept_rows(r, time, rows) : dal_h5_failed(r->ctx, "read", path);
    for (int k = 0; k < r->ntables && st == DAL_OK; ++k) {
        st = examine_table(r, *from, k, *rows);
    }
    dal_h5_close(time);
    if (st != DAL_OK && *from >= 0) {
        H5Fclose(*from);
        *from = -1;
    }
    return st;
}

static int set_rows(dal_results *r, hsize_t rows)
{
    h5_file *f = r->file;
    int bad = 0;
    for (int k = 0; k < set_count(r); ++k) {
        hsize_t size[2];
        set_size(r, k, rows, size);
        bad |= H5Dset_extent(f->set[k], size) < 0;
    }
    return bad;
}

static int close_ids(dal_results *r)
{
    h5_file *f = r->file;
    int bad = 0;
    for (int k = 0; k < set_count(r); ++k) {
        bad |= dal_h5_close(f->set[k]);
        f->set[k] = -1;
    }
    bad |= f->file >= 0 && H5Fclose(f->file) < 0;
    f->file = -1;
    return bad;
}

/* Access to files in the format that allows readers while a writer is at work. To be closed. */
static hid_t access_list(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return access;
}

/* The datasets of the file that is open; with `from`, copies of those of an earlier file with their attributes. */
static int open_sets(dal_results *r, hid_t from)
{
    h5_file *f = r->file;
    int bad = 0;
    for (int k = 0; k < set_count(r) && !bad; ++k) {
        const char *name = set_name(r, k);
        bad = from >= 0 && H5Ocopy(from, name, f->file, name, H5P_DEFAULT, H5P_DEFAULT) < 0;
        f->set[k] = bad ? -1 : H5Dopen2(f->file, name, H5P_DEFAULT);
        bad |= f->set[k] < 0;
    }
    return bad;
}

/* Open the file and its datasets to append. flags: H5F_ACC_SWMR_WRITE or 0. */
static int open_ids(dal_results *r, unsigned flags)
{
    h5_file *f = r->file;
    const hid_t access = access_list();
    f->file = H5Fopen(f->at, H5F_ACC_RDWR | flags, access);
    H5Pclose(access);
    const int bad = f->file < 0 || open_sets(r, -1);
    if (bad) {
        close_ids(r);
    }
    return bad;
}

/* A new file; HDF5 does not say why it cannot create one, open() does. */
static dal_status create_file(dal_results *r)
{
    h5_file *f = r->file;
    const int fd = dal_results_new_file(f->at);
    if (fd < 0) {
        return dal_results_fail(r->ctx, "create", f->at);
    }
    f->made = 1;
    close(fd);
    DAL_TRY(reserve(r, NOTE_SLACK));
    const hid_t access = access_list();
    f->file = H5Fcreate(f->at, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return f->file >= 0 ? DAL_OK : dal_h5_failed(r->ctx, "create", f->at);
}

/* Go on with the file of an earlier run, left as .part or complete: a copy of it aside, since one left by a killed
 * program cannot be opened for writing. The earlier file stays until the copy takes its place. *found: there is one. */
static dal_status reopen(dal_results *r, int *found)
{
    h5_file *f = r->file;
    const char *const path[] = {f->part, r->path};
    hid_t from = -1;
    dal_status st = DAL_OK;
    *found = 0;
    for (int i = 0; i < 2 && from < 0; ++i) {
        if (dal_results_exists(path[i])) {
            *found = 1;
            st = open_earlier(r, path[i], &from, &f->rows);
        }
    }
    if (from < 0) {
        return st;
    }
    dal_ctx_clear(r->ctx); // the first of the two may have been the wrong one
    st = create_file(r);
    st = st == DAL_OK && open_sets(r, from) ? dal_h5_failed(r->ctx, "copy", r->path) : st;
    H5Fclose(from);
    if (st == DAL_OK && set_rows(r, f->rows)) {
        st = dal_h5_failed(r->ctx, "write", f->at);
    }
    r->total = (long)f->rows;
    return st;
}

/* The folder of the file, its parents and the file. */
static dal_status open_file(dal_results *r)
{
    h5_file *f = r->file;
    const int n = snprintf(f->part, sizeof f->part, "%s.part", r->path);
    const int m = snprintf(f->aside, sizeof f->aside, "%s.part.new", r->path);
    f->at = f->aside;
    if (n < 0 || m < 0 || m >= (int)sizeof f->aside) {
        errno = ENAMETOOLONG;
        return dal_results_fail(r->ctx, "create", r->path);
    }
    DAL_TRY(dal_results_make_folder_of(r->ctx, r->path));
    DAL_TRY(dal_results_lock_beside(r));
    int found = 0;
    if (r->append) {
        DAL_TRY(reopen(r, &found));
    }
    if (!found) {
        DAL_TRY(create_file(r));
        return create_tables(r);
    }
    return DAL_OK;
}

/* One change of the file, between opening and closing it; more bytes than its own are needed for it. */
typedef int (*h5_change)(dal_results *r, const void *what);

static dal_status change(dal_results *r, size_t bytes, unsigned flags, h5_change make, const void *what)
{
    const h5_file *f = r->file;
    DAL_TRY(memory(r, bytes));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    int bad = open_ids(r, flags) || make(r, what);
    bad |= close_ids(r);
    dal_h5_unhush(q);
    return bad ? dal_h5_failed(r->ctx, "write", f->at) : DAL_OK;
}

static int put_complete(dal_results *r, const void *yes)
{
    const h5_file *f = r->file;
    return dal_h5_put(f->file, H5_ATTRIBUTE, "complete", H5T_STD_I32LE, H5T_NATIVE_INT, 0, NULL, yes);
}

static dal_status h5_open(dal_results *r)
{
    h5_file *f;
    static const int no = 0;
    DAL_TAKE(&r->pool, f, 1);
    DAL_TAKE(&r->pool, f->set, set_count(r));
    DAL_TAKE(&r->pool, f->column, (size_t)r->capacity * (size_t)r->width);
    r->file = f;
    f->file = -1;
    for (int k = 0; k < set_count(r); ++k) {
        f->set[k] = -1;
    }
    DAL_TRY(memory(r, 0));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    dal_status st = open_file(r);
    const int bad = st == DAL_OK && put_complete(r, &no);
    if ((close_ids(r) || bad) && st == DAL_OK) {
        st = dal_h5_failed(r->ctx, "write", f->at);
    }
    dal_h5_unhush(q);
    return st;
}

/* Rows to dataset k, gathered. */
static int append_rows(dal_results *r, int k, const double *row, hsize_t rows)
{
    const h5_file *f = r->file;
    hsize_t all[2], size[2];
    const int rank = set_size(r, k, rows, size), first = k == 0 ? 0 : r->table[k - 1].first;
    const size_t n = (size_t)size[1];
    set_size(r, k, f->rows + rows, all);
    for (size_t i = 0; i < (size_t)rows; ++i) {
        memcpy(f->column + i * n, row + i * (size_t)r->width + first, n * sizeof *row);
    }
    return H5Dset_extent(f->set[k], all) < 0 ||
           dal_h5_write_rows(f->set[k], H5T_NATIVE_DOUBLE, f->column, f->rows, rank, size);
}

typedef struct bunch {
    const double *row;
    hsize_t rows;
} bunch;

/* The tables first, then the times. */
static int append_bunch(dal_results *r, const void *what)
{
    const h5_file *f = r->file;
    const bunch *b = what;
    int bad = 0;
    for (int k = 1; k < set_count(r) && !bad; ++k) {
        bad = append_rows(r, k, b->row, b->rows);
    }
    return bad || H5Fflush(f->file, H5F_SCOPE_LOCAL) < 0 || append_rows(r, 0, b->row, b->rows);
}

static dal_status h5_write(dal_results *r, const double *row, int rows)
{
    h5_file *f = r->file;
    const bunch b = {row, (hsize_t)rows};
    const size_t bytes = (size_t)rows * (size_t)r->width * sizeof *row;
    // the rows, the chunks they touch, and what HDF5 keeps about them
    if (reserve(r, bytes + (size_t)set_count(r) * 160000) != DAL_OK) {
        return DAL_RETRY;
    }
    DAL_TRY(change(r, bytes, H5F_ACC_SWMR_WRITE, append_bunch, &b));
    f->rows += b.rows;
    return DAL_OK;
}

static dal_status h5_sync(dal_results *r)
{
    const h5_file *f = r->file;
    return dal_results_sync_file(f->at) == 0 ? DAL_OK : dal_results_fail(r->ctx, "write", f->at);
}

/* The file is sound and begins to grow. */
static dal_status h5_ready(dal_results *r)
{
    h5_file *f = r->file;
    if (r->total > 0) {
        DAL_TRY(h5_sync(r)); // it takes the place of rows that are on the disk
    }
    DAL_TRY(dal_results_rename(r->ctx, f->aside, f->part));
    f->made = 0;
    f->at = f->part;
    return DAL_OK;
}

/* Long texts do not fit into an attribute: they become datasets. */
static int put_note(dal_results *r, const void *what)
{
    const h5_file *f = r->file;
    const dal_note *note = what;
    char name[DAL_RESULTS_NOTE];
    dal_results_note_name(name, note->name);
    return dal_h5_put_text(f->file, strlen(note->text) < 60000 ? H5_ATTRIBUTE : H5_DATASET, name, note->text);
}

static dal_status h5_note(dal_results *r, const dal_note *note)
{
    const size_t n = strlen(note->text);
    DAL_TRY(reserve(r, n + NOTE_SLACK));
    return change(r, n, 0, put_note, note);
}

/* Notes are no appended rows: a kill would damage the file. So they go to a copy, unless there is no room for one. */
static dal_status h5_close(dal_results *r, const dal_note *note, int n)
{
    static const int yes = 1;
    h5_file *f = r->file;
    if (dal_results_copy_file(f->part, f->aside) == 0) {
        f->at = f->aside;
        f->made = 1;
    } else if (errno != ENOSPC && errno != EFBIG && errno != EDQUOT) {
        return dal_results_fail(r->ctx, "write", f->aside);
    }
    for (int i = 0; i < n; ++i) {
        DAL_TRY(h5_note(r, &note[i]));
    }
    DAL_TRY(reserve(r, NOTE_SLACK));
    DAL_TRY(change(r, 0, 0, put_complete, &yes));
    DAL_TRY(h5_sync(r));
    DAL_TRY(dal_results_rename(r->ctx, f->at, r->path));
    if (f->made) {
        unlink(f->part);
    }
    f->made = 0;
    f->at = r->path;
    return DAL_OK;
}

static void h5_release(dal_results *r)
{
    h5_file *f = r->file;
    if (f->file >= 0) { // without memory even the first call of HDF5 is one too many
        const h5_quiet q = dal_h5_hush();
        close_ids(r);
        dal_h5_unhush(q);
    }
    if (f->made) {
        unlink(f->aside); // the .part file, if there is one, has the rows
    }
}

const results_writer dal_results_hdf5 = {.open = h5_open,
                                         .note = h5_note,
                                         .ready = h5_ready,
                                         .write = h5_write,
                                         .sync = h5_sync,
                                         .close = h5_close,
                                         .release = h5_release};
