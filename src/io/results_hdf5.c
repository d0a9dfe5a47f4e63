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

#include "io/results_hdf5_impl.h"

enum { DEFLATE = 2, NOTE_SLACK = 65536 };

typedef struct h5_file {
    hid_t file, time, *table; /* -1 between two bunches */
    char part[RESULTS_PATH];
    char aside[RESULTS_PATH]; /* where the file is changed in a way that a kill would not survive */
    const char *at;           /* the one of them that is written now */
    int made;                 /* the file aside is ours, and not finished */
    hsize_t rows;
    double *column; /* a bunch of rows of one table */
} h5_file;

dal_status dal_h5_failed(dal_ctx *ctx, const char *what, const char *path)
{
    return dal_fail(ctx, DAL_EIO, "cannot %s '%s': HDF5 reports an error%s%s", what, path, errno != 0 ? ": " : "",
                    errno != 0 ? strerror(errno) : "");
}

/* What HDF5 needs while the file is open: the chunks of each table and what is written. */
static dal_status memory(dal_results *r, size_t bytes)
{
    return dal_h5_memory(r->ctx, bytes + (size_t)(r->ntables + 1) * 2 * 1024 * 1024);
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

static hid_t string_type(size_t n)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, n > 0 ? n : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* Attribute of n texts of equal room; n = 0: one text, as a scalar. */
static int put_texts(hid_t where, const char *name, const char *text, size_t room, hsize_t n)
{
    const hid_t type = string_type(room);
    const hid_t space = n > 0 ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR);
    if (H5Aexists(where, name) > 0) {
        H5Adelete(where, name);
    }
    const hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = attribute < 0 || H5Awrite(attribute, type, text) < 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
    return bad;
}

static int put_int(hid_t where, const char *name, int value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Aexists(where, name) > 0
                                ? H5Aopen(where, name, H5P_DEFAULT)
                                : H5Acreate2(where, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = attribute < 0 || H5Awrite(attribute, H5T_NATIVE_INT, &value) < 0;
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    H5Sclose(space);
    return bad;
}

/* An extensible, compressed dataset of rank 1 (n = 0) or 2; chunks of about 32 KiB. */
static hid_t create_dataset(hid_t file, const char *name, hsize_t n)
{
    const int rank = n > 0 ? 2 : 1;
    const hsize_t width = n > 0 ? n : 1, rows = 4096 / width > 16 ? 4096 / width : 16;
    const hsize_t size[2] = {0, width}, most[2] = {H5S_UNLIMITED, width},
                  chunk[2] = {rows, width < 4096 ? width : 4096};
    const hid_t space = H5Screate_simple(rank, size, most), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, rank, chunk);
    H5Pset_shuffle(how);
    H5Pset_deflate(how, DEFLATE);
    // the last chunk is written again with every bunch of rows, in place if its length stays: compressed, a kill in the
    // midst of that would cost the rows that were there; as it is, their bytes do not change
    H5Pset_chunk_opts(how, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

/* Names or units of a table as one array of fixed-length texts. */
static dal_status put_names(dal_results *r, hid_t set, const char *attribute, char *const *name, int n)
{
    size_t room = 1;
    for (int j = 0; j < n; ++j) {
        room = strlen(name[j]) > room ? strlen(name[j]) : room;
    }
    // an attribute holds 64 KiB; wide tables go without names rather than without data
    if (room * (size_t)n > 64000) {
        return DAL_OK;
    }
    char *text = dal_alloc_zero(r->ctx, room * (size_t)n + 1);
    if (text == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for the names of columns");
    }
    for (int j = 0; j < n; ++j) {
        memcpy(text + (size_t)j * room, name[j], strlen(name[j]));
    }
    const int bad = put_texts(set, attribute, text, room, (hsize_t)n);
    dal_free(r->ctx, text);
    return bad ? dal_h5_failed(r->ctx, "write", r->path) : DAL_OK;
}

static dal_status create_tables(dal_results *r)
{
    h5_file *f = r->file;
    f->time = create_dataset(f->file, "time", 0);
    if (f->time < 0 || put_texts(f->time, "units", "s", 1, 0)) {
        return dal_h5_failed(r->ctx, "create a dataset in", f->at);
    }
    for (int k = 0; k < r->ntables; ++k) {
        f->table[k] = create_dataset(f->file, r->table[k].name, (hsize_t)r->table[k].n);
        if (f->table[k] < 0) {
            return dal_h5_failed(r->ctx, "create a dataset in", f->at);
        }
        DAL_TRY(put_names(r, f->table[k], "columns", r->table[k].column, r->table[k].n));
        DAL_TRY(put_names(r, f->table[k], "units", r->table[k].unit, r->table[k].n));
    }
    return DAL_OK;
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
    const int bad = n > 0 && !dal_h5_read_rows(time, t, 1, &n);
    *rows = 0;
    while (!bad && *rows < n && (r->append_rows > 0 ? *rows < (hsize_t)r->append_rows : t[*rows] <= r->append_after)) {
        ++*rows;
    }
    r->last[0] = *rows > 0 ? t[*rows - 1] : 0.0;
    dal_free(r->ctx, t);
    return bad ? dal_h5_failed(r->ctx, "read", r->path) : DAL_OK;
}

/* Row number `row` of a table; 0 if it cannot be read. */
static int read_row(hid_t set, hsize_t row, hsize_t n, double *x)
{
    const hsize_t first[2] = {row, 0}, count[2] = {1, n};
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, count, NULL);
    const int good = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                     H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, x) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

/* Does table k of the file have the rows to go on from? */
static dal_status examine_table(dal_results *r, hid_t from, int k, hsize_t rows)
{
    const results_table *t = &r->table[k];
    hsize_t size[2] = {0, 0};
    const hid_t set = dal_h5_open_set(from, t->name);
    const int fits = set >= 0 && dal_h5_extent(set, size, 2) && size[1] == (hsize_t)t->n;
    const int there = fits && size[0] >= rows && (r->append_rows <= 0 || rows == (hsize_t)r->append_rows) &&
                      (rows == 0 || read_row(set, rows - 1, size[1], r->last + t->first));
    const int same =
        there && (r->append_mark == NULL || r->append_mark[k] == dal_results_mark_of(r->last, t->first, t->n));
    if (set >= 0) {
        H5Dclose(set);
    }
    if (!fits) {
        return dal_fail(r->ctx, DAL_EIO, "'%s' has no table '%s' with %d columns to continue", r->path, t->name, t->n);
    }
    return same
               ? DAL_OK
               : dal_fail(r->ctx, DAL_EIO,
                          "the table '%s' in '%s' does not have the %ld rows that were written before the run is to go "
                          "on: they are missing, or those of another run",
                          t->name, r->path, r->append_rows);
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
    if (time >= 0) {
        H5Dclose(time);
    }
    if (st != DAL_OK && *from >= 0) {
        H5Fclose(*from);
        *from = -1;
    }
    return st;
}

static int set_rows(dal_results *r, hsize_t rows)
{
    h5_file *f = r->file;
    int bad = H5Dset_extent(f->time, &rows) < 0;
    for (int k = 0; k < r->ntables; ++k) {
        const hsize_t size[2] = {rows, (hsize_t)r->table[k].n};
        bad |= H5Dset_extent(f->table[k], size) < 0;
    }
    return bad;
}

static int close_ids(dal_results *r)
{
    h5_file *f = r->file;
    int bad = 0;
    for (int k = 0; f->table != NULL && k < r->ntables; ++k) {
        bad |= f->table[k] >= 0 && H5Dclose(f->table[k]) < 0;
        f->table[k] = -1;
    }
    bad |= f->time >= 0 && H5Dclose(f->time) < 0;
    bad |= f->file >= 0 && H5Fclose(f->file) < 0;
    f->time = f->file = -1;
    return bad;
}

/* Open the file and its datasets to append. flags: H5F_ACC_SWMR_WRITE or 0. */
static int open_ids(dal_results *r, unsigned flags)
{
    h5_file *f = r->file;
    const hid_t access = dal_h5_access();
    f->file = H5Fopen(f->at, H5F_ACC_RDWR | flags, access);
    H5Pclose(access);
    f->time = f->file >= 0 ? H5Dopen2(f->file, "time", H5P_DEFAULT) : -1;
    int bad = f->time < 0;
    for (int k = 0; k < r->ntables && !bad; ++k) {
        f->table[k] = H5Dopen2(f->file, r->table[k].name, H5P_DEFAULT);
        bad = f->table[k] < 0;
    }
    if (bad) {
        close_ids(r);
    }
    return bad;
}

/* Datasets with their attributes from the file of an earlier run. */
static dal_status copy_tables(dal_results *r, hid_t from)
{
    h5_file *f = r->file;
    int bad = H5Ocopy(from, "time", f->file, "time", H5P_DEFAULT, H5P_DEFAULT) < 0;
    f->time = bad ? -1 : H5Dopen2(f->file, "time", H5P_DEFAULT);
    for (int k = 0; k < r->ntables && !bad; ++k) {
        const char *name = r->table[k].name;
        bad = H5Ocopy(from, name, f->file, name, H5P_DEFAULT, H5P_DEFAULT) < 0;
        f->table[k] = bad ? -1 : H5Dopen2(f->file, name, H5P_DEFAULT);
        bad |= f->table[k] < 0;
    }
    return bad || f->time < 0 ? dal_h5_failed(r->ctx, "copy", r->path) : DAL_OK;
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
    const hid_t access = dal_h5_access();
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
    if (st == DAL_OK) {
        st = copy_tables(r, from);
    }
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

static dal_status h5_open(dal_results *r)
{
    h5_file *f = dal_alloc_zero(r->ctx, sizeof *f);
    if (f == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for '%s'", r->path);
    }
    r->file = f;
    f->file = f->time = -1;
    f->table = dal_alloc(r->ctx, (size_t)r->ntables * sizeof *f->table);
    f->column = dal_alloc(r->ctx, (size_t)r->capacity * (size_t)r->width * sizeof *f->column);
    if (f->table == NULL || f->column == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for '%s'", r->path);
    }
    for (int k = 0; k < r->ntables; ++k) {
        f->table[k] = -1;
    }
    DAL_TRY(memory(r, 0));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    dal_status st = open_file(r);
    const int bad = st == DAL_OK && put_int(f->file, "complete", 0);
    if ((close_ids(r) || bad) && st == DAL_OK) {
        st = dal_h5_failed(r->ctx, "write", f->at);
    }
    dal_h5_unhush(q);
    return st;
}

static int append_rows(hid_t set, hsize_t before, hsize_t rows, hsize_t n, const double *x)
{
    const int rank = n > 0 ? 2 : 1;
    const hsize_t size[2] = {before + rows, n}, first[2] = {before, 0}, count[2] = {rows, n};
    if (H5Dset_extent(set, size) < 0) {
        return 1;
    }
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, count, NULL);
    const int bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) < 0 ||
                    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, x) < 0;
    H5Sclose(memory);
    H5Sclose(space);
    return bad;
}

/* Columns first .. first + n - 1 of the rows, gathered. */
static const double *gather(dal_results *r, const double *row, int rows, int first, int n)
{
    double *x = ((h5_file *)r->file)->column;
    for (int i = 0; i < rows; ++i) {
        memcpy(x + (size_t)i * (size_t)n, row + (size_t)i * (size_t)r->width + first, (size_t)n * sizeof *x);
    }
    return x;
}

static dal_status write_bunch(dal_results *r, const double *row, int rows)
{
    h5_file *f = r->file;
    const hsize_t n = (hsize_t)rows;
    DAL_TRY(memory(r, (size_t)rows * (size_t)r->width * sizeof(double)));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    int bad = open_ids(r, H5F_ACC_SWMR_WRITE);
    for (int k = 0; k < r->ntables && !bad; ++k) {
        const results_table *t = &r->table[k];
        bad = append_rows(f->table[k], f->rows, n, (hsize_t)t->n, gather(r, row, rows, t->first, t->n));
    }
    bad = bad || H5Fflush(f->file, H5F_SCOPE_LOCAL) < 0 ||
          append_rows(f->time, f->rows, n, 0, gather(r, row, rows, 0, 1));
    bad |= close_ids(r);
    dal_h5_unhush(q);
    f->rows += bad ? 0 : n;
    return bad ? dal_h5_failed(r->ctx, "write", f->at) : DAL_OK;
}

/* The rows that find room: all of them, or by halves. */
static dal_status h5_write(dal_results *r, const double *row, int rows)
{
    dal_status st = DAL_OK;
    for (int n = rows; rows > 0;) {
        // the rows, the chunks they touch, and what HDF5 keeps about them
        const dal_status room = reserve(r, (size_t)n * (size_t)r->width * 8 + (size_t)(r->ntables + 1) * 160000);
        st = room != DAL_OK ? room : st;
        if (room == DAL_OK) {
            DAL_TRY(write_bunch(r, row, n));
            row += (size_t)n * (size_t)r->width;
            rows -= n;
        }
        n = st != DAL_OK ? n / 2 : n;
        n = n < rows ? n : rows;
        if (n == 0) {
            break;
        }
    }
    return st;
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
static int put_long(hid_t file, const char *name, const char *text, size_t n)
{
    const hid_t type = string_type(n), space = H5Screate(H5S_SCALAR);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
        H5Ldelete(file, name, H5P_DEFAULT);
    }
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int bad = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Tclose(type);
    return bad;
}

static dal_status h5_note(dal_results *r, const dal_note *note)
{
    h5_file *f = r->file;
    const size_t n = strlen(note->text);
    DAL_TRY(reserve(r, n + NOTE_SLACK));
    DAL_TRY(memory(r, n));
    // "model.json" in a folder is the attribute "model" here
    char name[256];
    snprintf(name, sizeof name, "%s", note->name);
    char *point = strrchr(name, '.');
    if (point != NULL) {
        *point = '\0';
    }
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    int bad = open_ids(r, 0) ||
              (n < 60000 ? put_texts(f->file, name, note->text, n, 0) : put_long(f->file, name, note->text, n));
    bad |= close_ids(r);
    dal_h5_unhush(q);
    return bad ? dal_h5_failed(r->ctx, "write", f->at) : DAL_OK;
}

/* Notes are no appended rows: a kill would damage the file. So they go to a copy, unless there is no room for one. */
static dal_status h5_close(dal_results *r, const dal_note *note, int n)
{
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
    DAL_TRY(memory(r, 0));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    int bad = open_ids(r, 0) || put_int(f->file, "complete", 1);
    bad |= close_ids(r);
    dal_h5_unhush(q);
    if (bad) {
        return dal_h5_failed(r->ctx, "write", f->at);
    }
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
    dal_free(r->ctx, f->table);
    dal_free(r->ctx, f->column);
    dal_free(r->ctx, f);
}

const results_writer dal_results_hdf5 = {.open = h5_open,
                                         .note = h5_note,
                                         .ready = h5_ready,
                                         .write = h5_write,
                                         .sync = h5_sync,
                                         .close = h5_close,
                                         .release = h5_release};
