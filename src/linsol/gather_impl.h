/* Copying the values of a matrix in compressed columns to where they are factored. */
#ifndef DAL_LINSOL_GATHER_IMPL_H
#define DAL_LINSOL_GATHER_IMPL_H

#include "linsol/linsol_impl.h"

/* Runs of consecutive entries of a column that go to consecutive places, in the order of the columns, and the gaps
 * between all runs, which are cleared. */
typedef struct dal_gather {
    int *run0; /* n + 1: runs of each column */
    int *run_to, *run_length;
    int ngaps;
    int *gap_at, *gap_length;
    dal_arena arena;
} dal_gather;

/* to[k]: place of entry k of the matrix, 0 .. nx - 1, no two the same. */
dal_status dal_gather_plan(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, int nx) DAL_NODISCARD;
void dal_gather_release(dal_gather *g);

/* Fill x. Returns the 1-norm of the matrix, infinite if an entry is not finite. */
double dal_gather_load(const dal_gather *g, const dal_matrix *A, double *x);

#endif
