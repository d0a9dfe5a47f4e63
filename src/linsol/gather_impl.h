/* Copying the values of a matrix in compressed columns to where they are factored. */
#ifndef DAL_LINSOL_GATHER_IMPL_H
#define DAL_LINSOL_GATHER_IMPL_H

#include "linsol/linsol_impl.h"

/* Entries that follow each other and go to places that do. */
typedef struct dal_run {
    int from, to, n;
} dal_run;

typedef struct dal_gather {
    int nx, nruns;
    dal_run *run;
    dal_arena arena;
} dal_gather;

/* to[k]: place of entry k of the matrix, 0 .. nx - 1, no two the same. */
dal_status dal_gather_init(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, int nx) DAL_NODISCARD;
void dal_gather_release(dal_gather *g);

/* Fill x. */
void dal_gather_load(const dal_gather *g, double *x, const dal_matrix *A);

#endif
