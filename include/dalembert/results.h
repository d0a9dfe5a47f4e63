/* dalembert/results.h - result files: tables of numbers over time, as a folder of CSV files or one HDF5 file
 * (docs/format/results.md).
 *
 *     dal_results_create -> dal_results_row, once per output time -> dal_results_close -> dal_results_destroy
 *
 * or dal_results_observe, which adds a row after each step of a simulation.
 *
 * Nothing half-written carries a final name. While a run is going on its files end in ".part" and hold whole rows up
 * to the last flush, so that they can be read at any time, also after the program was killed; dal_results_close
 * gives them their names. A failure (disk full, say) leaves the .part files with the rows that found room, as many in
 * every table. Files of an earlier run keep their names until then.
 *
 * One writer at a time: a second one for the same folder or file is refused. Symbolic links are never written through. */
#ifndef DALEMBERT_RESULTS_H
#define DALEMBERT_RESULTS_H

#include "dalembert/fem.h"
#include "dalembert/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dal_results_format {
    DAL_RESULTS_CSV,     /* path is a folder; each table is path/NAME.csv */
    DAL_RESULTS_HDF5,    /* path is a file; each table is a dataset */
    DAL_RESULTS_CSV_FILE /* path is a file with one table; notes have no place there and are left out */
} dal_results_format;

/* One table. Its first column is the time; these are the others. */
typedef struct dal_table {
    const char *name;          /* letters, digits and . _ - only, not starting with a point */
    int n;                     /* number of columns besides time, >= 1 */
    const char *const *column; /* n names */
    const char *const *unit;   /* n units, "" where there is none; NULL: none has one */
} dal_table;

/* Text that is kept with the tables: attributes of the HDF5 file, NAME.txt in the folder (unchanged, with the name
 * as it stands if that has an ending). */
typedef struct dal_note {
    const char *name;
    const char *text;
} dal_note;

typedef unsigned long long dal_results_mark;

typedef struct dal_results_spec {
    dal_results_format format;
    const char *path;
    int ntables;
    const dal_table *table;
    int nnotes;
    const dal_note *note;
    double flush_seconds; /* rows reach the disk this often; 0: every second, later every 1 % of the run */
    int nobsolete;        /* tables that an earlier run may have left in the folder: dal_results_close removes those */
    const char *const *obsolete; /* that are not written now */
    int append;                  /* go on with existing files (of a run that was interrupted): their rows up to */
    double append_after;         /* this time are kept, or */
    long append_rows;            /* if > 0, so many rows, which must be there; if append_mark is given, each table */
    const dal_results_mark *append_mark; /* must have the mark there (ntables numbers). See dal_results_rows. */
} dal_results_spec;

typedef struct dal_results dal_results;

/* Create folder (with its parents) and files. Everything in the description is copied. */
DAL_API dal_status dal_results_create_(dal_results **results, dal_ctx *ctx, const dal_results_spec *spec,
                                       size_t size) DAL_NODISCARD;
/* Add one row to every table: the values of all tables, one after the other, without the time. */
DAL_API dal_status dal_results_row(dal_results *results, double t, const double *values) DAL_NODISCARD;
/* Add a row at every state that observers of the simulation see. fill writes the values; NULL: they are q, v, lambda, for
 * which the tables must have nq + nv + nc columns together. The results must outlive the simulation's steps. */
typedef dal_status (*dal_results_fill)(double *values, dal_sim *sim, const dal_state *state, void *user);
DAL_API dal_status dal_results_observe(dal_results *results, dal_sim *sim, const dal_system *sys, dal_results_fill fill,
                                       void *user) DAL_NODISCARD;
DAL_API dal_status dal_results_flush(dal_results *results) DAL_NODISCARD;
/* Flush, and wait until the rows are on the disk. A checkpoint that is written after this finds its rows again, whatever
 * happens: keep the number of rows and the marks with it, and give them to the spec of the run that goes on. */
DAL_API dal_status dal_results_sync(dal_results *results) DAL_NODISCARD;
DAL_API long dal_results_rows(const dal_results *results);                        /* so far, those kept included */
DAL_API dal_results_mark dal_results_last(const dal_results *results, int table); /* mark of the last row */
/* Write the last rows and more notes (statistics), give the files their names. No row can be added afterwards. */
DAL_API dal_status dal_results_close(dal_results *results, const dal_note *note, int n) DAL_NODISCARD;
/* Without dal_results_close before it, the files stay as they are, with ".part". NULL is fine. */
DAL_API void dal_results_destroy(dal_results *results);
/* 1 if writing has failed: what is on the disk is whole, but ends early. */
DAL_API int dal_results_failed(const dal_results *results);

/* A table read back. x: rows x n column-major, the time first (n counts it). */
typedef struct dal_table_data {
    int rows, n;
    double *x;
    char **column; /* n names, units removed */
    dal_ctx *ctx;
} dal_table_data;

/* Read the table `name` from a folder, a CSV file or an HDF5 file; what it is shows from the path. Complete files come
 * first, ".part" files are read when there is no complete one. */
DAL_API dal_status dal_table_read(dal_table_data *data, dal_ctx *ctx, const char *path, const char *name) DAL_NODISCARD;
DAL_API void dal_table_release(dal_table_data *data);
/* A text kept with result files (a folder or an HDF5 file), by the name it was given. Release it. */
DAL_API dal_status dal_results_note(char **text, dal_ctx *ctx, const char *path, const char *name) DAL_NODISCARD;
DAL_API void dal_results_note_free(dal_ctx *ctx, char *text); /* NULL is fine */
/* A matrix for dal_arrays_write: dense, column-major; or sparse, entry x[k] at (row[k], col[k]) from 0 on, where row is given. */
typedef struct dal_array {
    const char *name;
    int rows, cols;
    const double *x; /* rows x cols, or nnz */
    int nnz;
    const int *row, *col; /* nnz */
    int size[4]; /* dense, x as it is: an array of up to four indices, the last one fastest, up to the first 0 */
} dal_array;
/* Matrices and texts as an HDF5 file, there as a whole or not at all. A dense matrix is a dataset rows x columns, a sparse one a
 * group with row, column, value and size (rows, columns). */
DAL_API dal_status dal_arrays_write(dal_ctx *ctx, const char *path, const dal_array *array, int n, const dal_note *note,
                                    int nnotes) DAL_NODISCARD;
/* A reduced finite element body as an HDF5 file for the key modes_file of a model, with its report. */
DAL_API dal_status dal_fem_write(dal_ctx *ctx, const char *path, const dal_fem_result *result) DAL_NODISCARD;
/* Number of the column, -1 if there is none. */
DAL_API int dal_table_column(const dal_table_data *data, const char *name);

#ifdef __cplusplus
}
#endif
#endif
