/* Result files, shared by their files:
 *     results.c       tables, buffer of rows, when to flush
 *     results_csv.c   folder of CSV files
 *     results_hdf5.c  one HDF5 file; results_hdf5_read.c reads its tables and notes
 *     results_read.c  reading tables and notes back
 *     results_files.c folders and names */
#ifndef DAL_IO_RESULTS_IMPL_H
#define DAL_IO_RESULTS_IMPL_H

#include <time.h>

#include "base/memory.h"
#include "dalembert/results.h"

enum { RESULTS_PATH = 4096, DAL_RESULTS_NOTE = 256, RESULTS_COLUMNS_MAX = 10000000 };

/* A writer gets rows in bunches: `rows` rows of (t, all values), row after row. It leaves whole rows on the disk, as
 * many in every table, also where it fails: DAL_RETRY, with a message, if fewer rows may find room. */
typedef struct results_writer {
    /* New files, or those to go on with: r->total and r->last tell of the rows kept. */
    dal_status (*open)(dal_results *r);
    dal_status (*note)(dal_results *r, const dal_note *note); /* after open */
    dal_status (*ready)(dal_results *r);                      /* all of that is written: rows may come; or NULL */
    dal_status (*write)(dal_results *r, const double *row, int rows);
    dal_status (*sync)(dal_results *r);                               /* to the disk */
    dal_status (*close)(dal_results *r, const dal_note *note, int n); /* more notes, final names */
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
    dal_pool pool; /* has this and all that follows */
    const results_writer *writer;
    char *path;
    int ntables, width; /* width: 1 + all columns */
    results_table *table;
    int single; /* path is the one table */
    int append;
    double append_after;
    long append_rows;
    dal_results_mark *append_mark; /* NULL: any */
    int nobsolete;
    char **obsolete;
    long total;   /* rows so far */
    double *last; /* width: the last of them */
    int lock;     /* descriptor; -1: none */
    char lock_file[RESULTS_PATH];
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
dal_status dal_results_make_folder_of(dal_ctx *ctx, const char *path) DAL_NODISCARD; /* the one a file is in */
/* "path/name.ending"; fails if it gets too long. */
dal_status dal_results_join(dal_ctx *ctx, char out[RESULTS_PATH], const char *path, const char *name,
                            const char *ending) DAL_NODISCARD;
dal_status dal_results_rename(dal_ctx *ctx, const char *from, const char *to) DAL_NODISCARD;
char *dal_results_copy_text(dal_ctx *ctx, const char *text, size_t n); /* n characters and a zero */
/* The whole of a regular file and a zero behind it; "cannot <what> 'path'" otherwise. */
dal_status dal_results_read_all(dal_ctx *ctx, char **text, size_t *n, const char *what, const char *path) DAL_NODISCARD;
int dal_results_exists(const char *path);

/* Writes all of it or fails (errno). */
int dal_results_write_all(int fd, const char *text, size_t n);
/* Descriptors, -1 on failure (errno). A symbolic link at the path is never followed. */
int dal_results_new_file(const char *path);  /* empty; what stood there is removed */
int dal_results_open_file(const char *path); /* a regular file that is there, to append to */
/* Copies a file to a new one and syncs it; errno on failure, and no new file. */
int dal_results_copy_file(const char *from, const char *to);
int dal_results_sync_file(const char *path); /* 0, or -1 with errno */
void dal_results_sync_folder_of(const char *path);
/* Take the lock of a folder, or of a file by one beside it; refused if someone else has it. */
dal_status dal_results_lock_folder(dal_results *r) DAL_NODISCARD;
dal_status dal_results_lock_beside(dal_results *r) DAL_NODISCARD;
void dal_results_unlock(dal_results *r);

/* FNV-1a, continued: h is what was before, DAL_RESULTS_HASH at first. */
#define DAL_RESULTS_HASH 14695981039346656037ULL
dal_results_mark dal_results_hash(dal_results_mark h, const void *bytes, size_t n);
/* Has table k, whose last kept row is in r->last, the mark there that it should have? */
int dal_results_marked(const dal_results *r, int k);
/* It has other rows than those to go on from. */
dal_status dal_results_other_rows(dal_results *r, const results_table *t) DAL_NODISCARD;
double dal_results_seconds_since(const struct timespec *then);
/* A number, or nan, inf, -inf. */
int dal_results_cell(double *x, const char *text, size_t n);

dal_status dal_results_hdf5_read(dal_table_data *data, dal_ctx *ctx, const char *path, const char *name) DAL_NODISCARD;
/* A note of an HDF5 file, to be freed; NULL if there is none. "model.json" in a folder is the attribute "model" there. */
char *dal_results_hdf5_note(dal_ctx *ctx, const char *path, const char *name);
void dal_results_note_name(char plain[DAL_RESULTS_NOTE], const char *name);

#endif
