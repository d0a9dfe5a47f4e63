/* HDF5, as far as result files, matrices, mode shapes and sweeps need it. Functions that return int give 0 on success where
 * they write, and 1 where they read. */
#ifndef DAL_IO_HDF5_H
#define DAL_IO_HDF5_H

#include <hdf5.h>

#include "dalembert/base.h"

enum { H5_UNSTORED = 64 * 1024 * 1024 }; /* bytes that may be announced and not stored; most bytes of texts */

/* HDF5 prints its errors unless told otherwise; what was set before is put back, and so are errors that the program has not looked at yet. */
typedef struct h5_quiet {
    hid_t stack;
    H5E_auto2_t call;
    void *data;
} h5_quiet;

h5_quiet dal_h5_hush(void);
void dal_h5_unhush(h5_quiet q);
/* HDF5 does not survive a lack of memory: is there enough for what it is about to do? Bytes beside its own caches. */
dal_status dal_h5_memory(dal_ctx *ctx, size_t bytes) DAL_NODISCARD;
/* "cannot <what> 'path': HDF5 reports an error", with the reason in errno if there is one. */
dal_status dal_h5_failed(dal_ctx *ctx, const char *what, const char *path) DAL_NODISCARD;

/* Does the file begin with the mark of HDF5, behind a block of the user's if there is one? */
int dal_h5_is_file(const char *path);
/* Anything but a file; -1 is fine. Nonzero on failure. */
int dal_h5_close(hid_t id);
/* A closed file, or one that is being written or was left by a killed writer. */
hid_t dal_h5_open_read(const char *path);
/* A dataset of this file: not a link to another file, not numbers kept in one. -1 if there is none. */
hid_t dal_h5_open_set(hid_t file, const char *name);
/* The extent of an array of numbers; 0 if it is not one of this rank, or announces more than the file can hold. */
int dal_h5_extent(hid_t set, hsize_t *size, int rank);
/* Rows from `first` on, size[0] of them, of a dataset of rank up to 3: read, or written. */
int dal_h5_read_rows(hid_t set, double *x, hsize_t first, int rank, const hsize_t *size);
int dal_h5_write_rows(hid_t set, hid_t type, const void *x, hsize_t first, int rank, const hsize_t *size);

/* ---- attributes and small datasets ------------------------------------------------------------ */

typedef enum h5_kind { H5_ATTRIBUTE, H5_DATASET } h5_kind;

/* An array of rank 0 (a scalar) or more; `stored`: its type in the file. One of the same name is replaced. x NULL: no values. */
int dal_h5_put(hid_t where, h5_kind kind, const char *name, hid_t stored, hid_t type, int rank, const hsize_t *size,
               const void *x);
/* One text. */
int dal_h5_put_text(hid_t where, h5_kind kind, const char *name, const char *text);
/* n texts, given one by one, as an array of equal length. An attribute holds 64 KiB: longer lists of that kind are left out. */
typedef const char *(*h5_text)(const void *user, int k);
dal_status dal_h5_put_texts(dal_ctx *ctx, int *bad, hid_t where, h5_kind kind, const char *name, h5_text get, int n,
                            const void *user) DAL_NODISCARD;
/* Texts one after the other, `room` characters each, n of them and a zero; *text NULL: they are not there. */
dal_status dal_h5_get_texts(char **text, dal_ctx *ctx, size_t *room, long *n, hid_t where, h5_kind kind,
                            const char *name) DAL_NODISCARD;

#endif
