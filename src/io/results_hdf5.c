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
    hsize_t rows;
    double *column; /* a bunch of rows of one table */
} h5_file;

dal_status dal_h5_failed(dal_ctx *ctx, const char *what, const char *path)
{
    return dal_fail(ctx, DAL_EIO, "cannot %s '%s': HDF5 reports an error%s%s", what, path, errno != 0 ? ": " : "",
                    errno != 0 ? strerror(errno) : "");
}

/* Is there room for so many more bytes? A library that meets a full disk in the midst of its work leaves a damaged
 * file, so the room is taken first. */
static dal_status reserve(dal_results *r, size_t bytes)
{
    h5_file *f = r->file;
    const int fd = open(f->part, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return dal_results_fail(r->ctx, "write", f->part);
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
        return dal_h5_failed(r->ctx, "create a dataset in", f->part);
    }
    for (int k = 0; k < r->ntables; ++k) {
        f->table[k] = create_dataset(f->file, r->table[k].name, (hsize_t)r->table[k].n);
        if (f->table[k] < 0) {
            return dal_h5_failed(r->ctx, "create a dataset in", f->part);
        }
        DAL_TRY(put_names(r, f->table[k], "columns", r->table[k].column, r->table[k].n));
        DAL_TRY(put_names(r, f->table[k], "units", r->table[k].unit, r->table[k].n));
    }
    return DAL_OK;
}

/* Number of rows with time <= append_after. */
static dal_status kept_rows(dal_results *r, hsize_t *rows)
{
    h5_file *f = r->file;
    hsize_t n = 0;
    if (!dal_h5_extent(f->time, 1, &n) || n > SIZE_MAX / sizeof(double) - 1) {
        return dal_fail(r->ctx, DAL_EIO, "'%s' is damaged: its times are not a list of numbers", r->path);
    }
    double *t = dal_alloc(r->ctx, ((size_t)n + 1) * sizeof *t);
    if (t == NULL) {
        return dal_fail(r->ctx, DAL_ENOMEM, "out of memory for %llu times", (unsigned long long)n);
    }
    const int bad = n > 0 && !dal_h5_read_rows(f->time, 1, &n, t);
    *rows = 0;
    while (!bad && *rows < n && t[*rows] <= r->append_after) {
        ++*rows;
    }
    dal_free(r->ctx, t);
    return bad ? dal_h5_failed(r->ctx, "read", f->part) : DAL_OK;
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

/* Open the file and its datasets to go on writing. flags: H5F_ACC_SWMR_WRITE or 0. */
static int open_ids(dal_results *r, unsigned flags)
{
    h5_file *f = r->file;
    const hid_t access = dal_h5_access();
    f->file = H5Fopen(f->part, H5F_ACC_RDWR | flags, access);
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

/* Datasets with their attributes from the file of an earlier run, which must have the same tables. */
static dal_status copy_tables(dal_results *r, hid_t from)
{
    h5_file *f = r->file;
    int bad = H5Ocopy(from, "time", f->file, "time", H5P_DEFAULT, H5P_DEFAULT) < 0;
    f->time = bad ? -1 : H5Dopen2(f->file, "time", H5P_DEFAULT);
    for (int k = 0; k < r->ntables && !bad; ++k) {
        const char *name = r->table[k].name;
        hsize_t size[2] = {0, 0};
        if (H5Lexists(from, name, H5P_DEFAULT) > 0 &&
            H5Ocopy(from, name, f->file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0) {
            f->table[k] = H5Dopen2(f->file, name, H5P_DEFAULT);
        }
        if (f->table[k] < 0 || !dal_h5_extent(f->table[k], 2, size) || size[1] != (hsize_t)r->table[k].n) {
            return dal_fail(r->ctx, DAL_EIO, "'%s' has no table '%s' with %d columns to go on with", r->path, name,
                            r->table[k].n);
        }
    }
    return bad || f->time < 0 ? dal_h5_failed(r->ctx, "read", r->path) : DAL_OK;
}

/* Go on with the file of an earlier run: complete, or left as .part. It is copied, since one left by a killed program
 * cannot be opened for writing. */
static dal_status reopen(dal_results *r)
{
    h5_file *f = r->file;
    char old[RESULTS_PATH + 8];
    const int from_part = dal_results_exists(f->part);
    snprintf(old, sizeof old, from_part ? "%s.old" : "%s", from_part ? f->part : r->path);
    if (from_part) {
        DAL_TRY(dal_results_rename(r->ctx, f->part, old));
    }
    const hid_t from = dal_h5_open_read(old), access = dal_h5_access();
    dal_status st = from >= 0 ? DAL_OK : dal_h5_failed(r->ctx, "read", old);
    if (st == DAL_OK) {
        f->file = H5Fcreate(f->part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        st = f->file >= 0 ? copy_tables(r, from) : dal_h5_failed(r->ctx, "create", f->part);
    }
    H5Pclose(access);
    if (from >= 0) {
        H5Fclose(from);
    }
    if (st == DAL_OK) {
        st = kept_rows(r, &f->rows);
    }
    if (st == DAL_OK && set_rows(r, f->rows)) {
        st = dal_h5_failed(r->ctx, "write", f->part);
    }
    if (from_part && st == DAL_OK) {
        unlink(old);
    } else if (from_part && rename(old, f->part) != 0) {
        return dal_results_fail(r->ctx, "give its name back to", f->part);
    }
    return st;
}

/* The folder of the file, its parents and the file. */
static dal_status open_file(dal_results *r)
{
    h5_file *f = r->file;
    char folder[RESULTS_PATH];
    const int n = snprintf(f->part, sizeof f->part, "%s.part", r->path);
    if (n < 0 || n >= (int)sizeof f->part) {
        errno = ENAMETOOLONG;
        return dal_results_fail(r->ctx, "create", r->path);
    }
    memcpy(folder, r->path, strlen(r->path) + 1);
    char *slash = strrchr(folder, '/');
    if (slash != NULL && slash != folder) {
        *slash = '\0';
        DAL_TRY(dal_results_make_folder(r->ctx, folder));
    }
    if (r->append && (dal_results_exists(r->path) || dal_results_exists(f->part))) {
        return reopen(r);
    }
    // HDF5 does not say why it cannot create a file; open() does
    const int fd = open(f->part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return dal_results_fail(r->ctx, "create", f->part);
    }
    close(fd);
    DAL_TRY(reserve(r, NOTE_SLACK));
    const hid_t access = dal_h5_access();
    f->file = H5Fcreate(f->part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return f->file >= 0 ? create_tables(r) : dal_h5_failed(r->ctx, "create", f->part);
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
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    dal_status st = open_file(r);
    const int bad = st == DAL_OK && put_int(f->file, "complete", 0);
    if ((close_ids(r) || bad) && st == DAL_OK) {
        st = dal_h5_failed(r->ctx, "write", f->part);
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

static dal_status h5_write(dal_results *r, const double *row, int rows)
{
    h5_file *f = r->file;
    const hsize_t n = (hsize_t)rows;
    // the rows, the chunks they touch, and what HDF5 keeps about them
    DAL_TRY(reserve(r, (size_t)rows * (size_t)r->width * 8 + (size_t)(r->ntables + 1) * 160000));
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
    return bad ? dal_h5_failed(r->ctx, "write", f->part) : DAL_OK;
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
    return bad ? dal_h5_failed(r->ctx, "write", f->part) : DAL_OK;
}

static dal_status h5_close(dal_results *r)
{
    h5_file *f = r->file;
    DAL_TRY(reserve(r, NOTE_SLACK));
    const h5_quiet q = dal_h5_hush();
    errno = 0;
    int bad = open_ids(r, 0) || put_int(f->file, "complete", 1);
    bad |= close_ids(r);
    dal_h5_unhush(q);
    if (bad) {
        return dal_h5_failed(r->ctx, "write", f->part);
    }
    return dal_results_rename(r->ctx, f->part, r->path);
}

static void h5_release(dal_results *r)
{
    h5_file *f = r->file;
    const h5_quiet q = dal_h5_hush();
    close_ids(r);
    dal_h5_unhush(q);
    dal_free(r->ctx, f->table);
    dal_free(r->ctx, f->column);
    dal_free(r->ctx, f);
}

const results_writer dal_results_hdf5 = {
    .open = h5_open, .write = h5_write, .note = h5_note, .close = h5_close, .release = h5_release};
