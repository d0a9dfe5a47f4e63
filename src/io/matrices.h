/* Matrices and tables of numbers in files of their own: Matrix Market, CSV, HDF5. */
#ifndef DAL_IO_MATRICES_H
#define DAL_IO_MATRICES_H

#include "base/memory.h"

/* Entries counted from 0; a symmetric matrix may have one triangle only. Numbers belong to the pool. */
typedef struct io_matrix {
    int rows, cols, n;
    int *row, *col;
    double *x;
} io_matrix;

/* Rows of equal length, one after the other. */
typedef struct io_table {
    int rows, cols;
    double *x;
} io_table;

/* name: of the dataset or group in an HDF5 file. DAL_EIO: the file cannot be read; DAL_EINVAL: it is no matrix, with the line. */
dal_status dal_io_matrix_read(io_matrix *m, dal_pool *pool, const char *path, const char *name) DAL_NODISCARD;
dal_status dal_io_table_read(io_table *t, dal_pool *pool, const char *path, const char *name) DAL_NODISCARD;
/* The text of a Matrix Market or CSV file; path stands for it in messages. */
dal_status dal_io_matrix_parse(io_matrix *m, dal_pool *pool, const char *text, size_t n,
                               const char *path) DAL_NODISCARD;
/* The same of an HDF5 file (matrices_hdf5.c). */
dal_status dal_io_matrix_hdf5(io_matrix *m, dal_pool *pool, const char *path, const char *name) DAL_NODISCARD;
dal_status dal_io_table_hdf5(io_table *t, dal_pool *pool, const char *path, const char *name) DAL_NODISCARD;
/* A table as a matrix with all its entries. */
dal_status dal_io_table_entries(io_matrix *m, dal_pool *pool, const io_table *t) DAL_NODISCARD;

#endif
