/* LU of a sparse matrix, one column after the other (Gilbert and Peierls 1988): the pattern of a column of the factors is what
 * its entries reach in the graph of L, so that the time is proportional to the operations. The caller chooses the pivots,
 * and may leave columns out. */
#ifndef DAL_LINSOL_SPARSE_LU_IMPL_H
#define DAL_LINSOL_SPARSE_LU_IMPL_H

#include "base/memory.h"

/* Entries of one triangle by columns: its rows and values, in memory that grows and is kept. */
typedef struct sparse_triangle {
    int *p; /* ncols + 1 */
    int *i;
    double *x;
    int capacity;
} sparse_triangle;

typedef struct sparse_lu {
    dal_ctx *ctx;
    int nrows, ncols;
    int rank;             /* columns taken so far */
    int *place;           /* nrows: column of L whose pivot is in this row, or -1 */
    int *row;             /* ncols: row of the pivot of a column of L */
    double *pivot;        /* ncols */
    sparse_triangle L, U; /* without the diagonal; entries of U in an order in which they can be computed */
    double *w;            /* nrows: the column that is being computed; zero in between */
    int *reached;         /* nrows: from `top` on the pivots the column needs, each before those it changes */
    int top;
    int *rest, nrest; /* nrows: rows without pivot where the column has entries */
    int *path, *next, *mark, stamp;
} sparse_lu;

void dal_sparse_lu_carve(sparse_lu *f, dal_arena *arena, int nrows, int ncols);
void dal_sparse_lu_release(sparse_lu *f);
/* Forget all columns. The memory stays. */
void dal_sparse_lu_begin(sparse_lu *f);
/* w := L^-1 (column with `count` entries x[l] scale[i[l]] in the rows i[l]); scale NULL: 1. */
dal_status dal_sparse_lu_column(sparse_lu *f, int count, const int *i, const double *x,
                                const double *scale) DAL_NODISCARD;
/* Among the rows without pivot the one with the largest entry of the column; -1 if it has none. */
int dal_sparse_lu_largest(const sparse_lu *f);
/* Take the column, with its pivot in this row. */
void dal_sparse_lu_take(sparse_lu *f, int row);
/* Leave it out. */
void dal_sparse_lu_leave(sparse_lu *f);
/* All rows have a pivot: rows of L by the number of their pivot from now on. */
void dal_sparse_lu_finish(sparse_lu *f);

#endif
