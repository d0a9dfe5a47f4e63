/* Order of the columns for a sparse LU. */
#ifndef DAL_LINSOL_SPARSE_ORDER_IMPL_H
#define DAL_LINSOL_SPARSE_ORDER_IMPL_H

#include "base/memory.h"

/* Operations of a factorisation and entries of its factors, as far as the pattern tells. */
typedef struct dal_column_cost {
    double operations, entries;
} dal_column_cost;

/* For pivots on the diagonal of a square matrix: minimum degree on the pattern of A + A^T. order: n. */
dal_status dal_diagonal_order(int *order, dal_column_cost *cost, dal_ctx *ctx, int n, const int *colptr,
                              const int *row) DAL_NODISCARD;
/* For pivots in any row: minimum degree on the pattern of A^T A, in which each row of A is a clique of its columns. Rows that are
 * nearly full are not looked at. order: ncols; the cost is an upper bound. */
dal_status dal_column_order(int *order, dal_column_cost *cost, dal_ctx *ctx, int nrows, int ncols, const int *colptr,
                            const int *row) DAL_NODISCARD;

#endif
