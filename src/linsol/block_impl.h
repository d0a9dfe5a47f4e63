/* Block elimination, shared by its files:
 *     block.c        the backend: factor, solve
 *     block_order.c  order of elimination from the announced nodes, by order.c (LS.7)
 *     block_plan.c   where every block is and which blocks each elimination changes
 *     block_norm.c   the norm of a matrix that its factors have replaced
 *     block_kernels.h  small dense products and inverses
 *     block_many.h   solves with four right-hand sides */
#ifndef DAL_LINSOL_BLOCK_IMPL_H
#define DAL_LINSOL_BLOCK_IMPL_H

#include "linsol/gather_impl.h"
#include "linsol/guard_impl.h"

enum { DAL_MAX_NODE = 16 }; /* largest node of block elimination */
enum { DAL_ROW_GROUP = 4 }; /* rows of a lower panel come in groups of so many */
enum { DAL_PATIENCE = 4 };  /* a node that has changed so many times in a row is not compared any more */

/* Rows of a lower panel for `width` unknowns. */
static inline int dal_block_rows(int width)
{
    return (width + DAL_ROW_GROUP - 1) / DAL_ROW_GROUP * DAL_ROW_GROUP;
}

/* Order of elimination. Nodes are numbered in that order; adj lists the later neighbours of a node, ascending. */
struct block_order {
    int nnodes;
    int *size;  /* nnodes */
    int *first; /* nnodes + 1: place of a node in the permuted vector */
    int *index; /* n: unknown at each place of the permuted vector */
    int *adj0;  /* nnodes + 1 */
    int *adj;
    int *width;        /* nnodes: unknowns of the later neighbours together */
    double operations; /* multiplications and additions */
    double entries;    /* of the factors */
    double pairs;      /* of later neighbours of the same node: blocks changed */
    int largest;       /* unknowns of the largest node */
    dal_arena arena;
};

/* Fails with DAL_EINVAL if the pattern has no nodes or they do not cover all unknowns. */
dal_status dal_block_order_init(block_order *order, dal_ctx *ctx, const dal_pattern *pattern) DAL_NODISCARD;
void dal_block_order_release(block_order *order);

/* Consecutive rows of a product that are consecutive rows of a panel. */
typedef struct block_run {
    int from, length; /* rows of the product */
    int at, ld;       /* first entry and leading dimension where they are subtracted */
} block_run;

/* The later neighbours of a node k, D unknowns together, form two panels: A_ik one below the other (D x size_k, filled
 * up to a multiple of DAL_ROW_GROUP rows with values that nothing depends on) and A_ki side by side (size_k x D). */
typedef struct block_solver {
    dal_linsol base;
    dal_guard guard;
    block_order order;
    int *part; /* for each entry of adj: where its unknowns begin within the D */
    /* offsets in x */
    int *diag;          /* nnodes: A_kk, then its inverse */
    int *lower, *upper; /* nnodes: the panels; upper becomes A_kk^-1 times itself */
    int *rows;          /* nnodes: leading dimension of the lower panel */
    int *run0;          /* for each entry of adj, one more: runs of the blocks that its columns change */
    block_run *run;
    int nx;
    double *x;
    dal_gather gather; /* of the matrix to x */
    int **slot;        /* of the matrix in x: in_place.h */
    double *w;         /* n: permuted right-hand side */
    double *y;         /* largest panel times the largest node */
    double *four;      /* 4 n: up to four permuted right-hand sides, side by side */
    /* of a pattern that is steady: A_kk of the last time from known[past[k]] on, its inverse, the ratio of its pivots (0: none) */
    int steady;
    int *past;     /* nnodes */
    int *patience; /* nnodes: comparisons that may fail; 0 where other nodes change A_kk */
    double *known;
    dal_arena plan;
    double (*eliminate)(struct block_solver *s);      /* for this processor */
    void (*solve)(const struct block_solver *s);      /* w := A^-1 w */
    void (*solve_many)(const struct block_solver *s); /* the same with `four` */
} block_solver;

/* Can block elimination be used: no node too large, no list too long? */
int dal_block_possible(const block_order *order);
dal_status dal_block_plan(block_solver *s, const dal_pattern *pattern) DAL_NODISCARD;
/* 1-norm of the matrix, from its factors. */
double dal_block_norm1(const block_solver *s);
/* Work with registers of two numbers even where the processor has wider ones: for tests. */
void dal_block_narrow(dal_linsol *ls);

#endif
