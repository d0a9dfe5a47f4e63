/* Result files, shared by their files:
 *     results.c       tables, buffer of rows, when to flush
 *     results_csv.c   folder of CSV files
 *     results_hdf5.c  one HDF5 file; results_hdf5_read.c reads it
 *     results_read.c  reading a table back
 *     results_files.c folders and names */
#ifndef DAL_IO_RESULTS_IMPL_H
#define DAL_IO_RESULTS_IMPL_H

#include <time.h>

#include "base/memory.h"
#include "dalembert/results.h"

enum { RESULTS_PATH = 4096 };

/* A writer gets rows in bunches: `rows` rows of (t, all values), row after row. It leaves whole rows on the disk, also
 * where it fails. */
typedef struct results_writer {
    dal_status (*open)(dal_results *r);
    dal_status (*write)(dal_results *r, const double *row, int rows);
    dal_status (*note)(dal_results *r, const dal_note *note);
    dal_status (*close)(dal_results *r); /* final names */
    void (*release)(dal_results *r);
} results_writer;

extern const results_writer dal_results_csv, dal_results_hdf5;

typedef struct results_table {
    char *name;
    int n, first; /* columns; where they start in a row, time being 0 */
    char **column, **unit;
} results_table;

struct dal_results {
    dal_ctx *ctx;
    const results_writer *writer;
    char *path;
    int ntables, width; /* width: 1 + all columns */
    results_table *table;
    int append;
    double append_after;
    double flush_seconds;
    double *row; /* capacity x width, not written yet */
    int rows, capacity;
    struct timespec created, flushed;
    int failed, closed;
    void *file; /* of the writer */
    /* observing a simulation */
    dal_results_fill fill;
    void *user;
    int nq, nv, nc;
    double *values; /* width - 1 */
};

/* Fail with the reason in errno: "cannot write 'path': No space left on device". */
dal_status dal_results_fail(dal_ctx *ctx, const char *what, const char *path) DAL_NODISCARD;
/* Create a folder and those above it. */
dal_status dal_results_make_folder(dal_ctx *ctx, const char *path) DAL_NODISCARD;
/* "path/name.ending"; fails if it gets too long. */
dal_status dal_results_join(dal_ctx *ctx, char out[RESULTS_PATH], const char *path, const char *name,
                            const char *ending) DAL_NODISCARD;
dal_status dal_results_rename(dal_ctx *ctx, const char *from, const char *to) DAL_NODISCARD;
char *dal_results_copy_text(dal_ctx *ctx, const char *text);
int dal_results_exists(const char *path);

/* Writes all of it or fails (errno) with the file as long as before. */
int dal_results_write_all(int fd, const char *text, size_t n);

dal_status dal_results_hdf5_read(dal_table_data *data, dal_ctx *ctx, const char *path, const char *name) DAL_NODISCARD;

#endif
