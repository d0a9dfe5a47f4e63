/* Rank analysis inside the part. */
#ifndef DAL_RANK_IMPL_H
#define DAL_RANK_IMPL_H

#include "base/memory.h"
#include "dalembert/linsol.h"

/* B^T, equilibrated and without the zero rows of B. */
typedef struct rank_columns {
    dal_ctx *ctx;
    dal_arena arena;
    int m, n;   /* of B */
    int ncols;  /* rows of B that are not zero */
    int *index; /* ncols: their numbers, ascending */
    int *dead;  /* ncols: 1 if dependent */
    int *p, *i; /* ncols + 1 and nnz: compressed columns */
    double *x;  /* nnz */
    double tol;
} rank_columns;

/* Column-pivoted QR of X, n x m, which it destroys: dead[j] = 1 for columns left out of an independent set, else 0. */
dal_status dal_rank_pivoted(dal_ctx *ctx, double *X, int *dead, int n, int m, int ld, double tol) DAL_NODISCARD;
/* Fill c->dead by sparse LU. */
dal_status dal_rank_sparse(rank_columns *c) DAL_NODISCARD;

/* A sparse matrix that failed to factor: one of its rows that depends on the others most exactly (rows and columns
 * are equilibrated). Allocates. */
dal_status dal_rank_worst_row(dal_ctx *ctx, int *row, const dal_matrix *A) DAL_NODISCARD;

#endif
