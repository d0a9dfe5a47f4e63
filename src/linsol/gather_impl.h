/* Copying the values of a matrix in compressed columns to where they are factored. */
#ifndef DAL_LINSOL_GATHER_IMPL_H
#define DAL_LINSOL_GATHER_IMPL_H

#include "linsol/linsol_impl.h"

/* Runs of consecutive entries of a column that go to consecutive places, in the order of the columns, and the gaps
 * between all runs, which are cleared. */
typedef struct dal_run {
    int at, length;
} dal_run;

typedef struct dal_gather {
    int nruns, ngaps;
    dal_run *run;
    dal_run *gap;
    dal_arena arena;
} dal_gather;

/* to[k]: place of entry k of the matrix, 0 .. nx - 1, no two the same. settled: for each place whether it is left as it
 * is, or NULL. */
dal_status dal_gather_plan(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, const char *settled,
                           int nx) DAL_NODISCARD;
void dal_gather_release(dal_gather *g);

/* Fill x. Returns 0 if an entry is not finite, or so large that sums overflow. */
int dal_gather_load(const dal_gather *g, const dal_matrix *A, double *x);

#endif
