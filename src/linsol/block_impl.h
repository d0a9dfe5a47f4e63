/* Block elimination, shared by its files:
 *     block.c        the backend: factor, solve, check, way out through KLU
 *     block_order.c  order of elimination from the announced nodes (LS.7)
 *     block_plan.c   where every block is and which blocks each elimination changes
 *     block_kernels.h  small dense products and inverses */
#ifndef DAL_LINSOL_BLOCK_IMPL_H
#define DAL_LINSOL_BLOCK_IMPL_H

#include "linsol/linsol_impl.h"

/* Order of elimination. Nodes are numbered in that order; adj lists the later neighbours of a node, ascending. */
typedef struct block_order {
    int nnodes;
    int *size;  /* nnodes */
    int *first; /* nnodes + 1: place of a node in the permuted vector */
    int *index; /* n: unknown at each place of the permuted vector */
    int *adj0;  /* nnodes + 1 */
    int *adj;
    double operations;
    dal_arena arena;
} block_order;

/* Fails with DAL_EINVAL if the pattern has no nodes or they do not cover all unknowns. */
dal_status dal_block_order(block_order *order, dal_ctx *ctx, const dal_pattern *pattern) DAL_NODISCARD;
void dal_block_order_release(block_order *order);

/* The later neighbours of a node k, D unknowns together, form two panels: A_ik one below the other (D x size_k) and
 * A_ki side by side (size_k x D). */
typedef struct block_solver {
    dal_linsol base;
    block_order order;
    int *width; /* nnodes: D */
    int *part;  /* for each entry of adj: where its unknowns begin within the D */
    /* offsets in x */
    int *diag;          /* nnodes: A_kk, then its inverse */
    int *lower, *upper; /* nnodes: the panels; upper becomes A_kk^-1 times itself */
    int *target0;       /* nnodes + 1: for each node a d x d table of the blocks (i, j) it changes */
    struct {
        int at, ld;
    } * target;
    int nx;
    double *x;
    /* copying the matrix: runs of entries in the order of its columns */
    int *run0; /* n + 1: runs of each column */
    int *run_to, *run_length;
    double *w;          /* n: permuted right-hand side */
    double *y;          /* largest width or node */
    double checked;     /* ratio of pivots up to which the factors have been checked by a solve, 0: never */
    dal_linsol *backup; /* KLU, once block elimination has failed */
    dal_arena plan;
} block_solver;

dal_status dal_block_plan(block_solver *s) DAL_NODISCARD;

#endif
