/* Copying the values of a matrix in compressed columns to where they are factored. */
#ifndef DAL_LINSOL_GATHER_IMPL_H
#define DAL_LINSOL_GATHER_IMPL_H

#include "linsol/linsol_impl.h"

/* Entries of consecutive columns that go together: `ni` consecutive entries of each of `nj` columns to consecutive
 * places. */
typedef struct dal_patch {
    int from, step_from; /* first entry, distance from column to column */
    int to, step_to;     /* the same of the places */
    int ni, nj;
} dal_patch;

/* The gaps between all patches are cleared. */
typedef struct dal_gap {
    int at, length;
} dal_gap;

typedef struct dal_gather {
    int npatches, ngaps;
    dal_patch *patch;
    dal_gap *gap;
    dal_arena arena;
} dal_gather;

/* to[k]: place of entry k of the matrix, 0 .. nx - 1, no two the same. settled: for each place whether it is left as it
 * is, or NULL. */
dal_status dal_gather_init(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, const char *settled,
                           int nx) DAL_NODISCARD;
void dal_gather_release(dal_gather *g);

/* Fill x. */
void dal_gather_load(const dal_gather *g, double *x, const dal_matrix *A);

#endif
