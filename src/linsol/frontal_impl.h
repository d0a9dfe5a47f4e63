/* Multifrontal elimination, shared by its files:
 *     frontal.c       the backend: fronts, factors, solves
 *     frontal_tree.c  which nodes share a front, and what that costs
 *     frontal_plan.c  where everything goes */
#ifndef DAL_LINSOL_FRONTAL_IMPL_H
#define DAL_LINSOL_FRONTAL_IMPL_H

#include "linsol/block_impl.h"
#include "linsol/gather_impl.h"
#include "linsol/guard_impl.h"

/* ---- tree ------------------------------------------------------------------------------------- */

/* Nodes of an order joined to fronts. A front is named by its last node, whose later neighbours border it. */
typedef struct front_tree {
    const block_order *order;
    int nfronts;
    int *into;         /* nnodes: front that a node is joined to, or the node itself */
    int *np;           /* nnodes: unknowns that the front eliminates */
    int *front;        /* nfronts: nodes that name the fronts, children before parents and next to each other */
    double operations; /* multiplications and additions */
    double cost;       /* of the elimination, in operations of a small dense LU */
    double entries;    /* of the factors */
    double stack;      /* entries of remainders that wait at the same time */
    dal_arena arena;
} front_tree;

dal_status dal_front_tree_init(front_tree *tree, dal_ctx *ctx, const block_order *order) DAL_NODISCARD;
void dal_front_tree_release(front_tree *tree);

/* ---- solver ----------------------------------------------------------------------------------- */

/* A front eliminates np unknowns that follow each other in the permuted vector; nb unknowns of later fronts border it.
 * Its matrix of nf = np + nb rows and columns consists of the panel (nf x np) and the upper part (np x nb), which
 * become factors in place, and of the remainder (nb x nb), which is passed on to the parent. */
typedef struct front {
    int first, np, nb;
    int parent;       /* -1: none */
    int nchildren;    /* their remainders are the topmost on the stack */
    int border;       /* places of the border in the permuted vector, ascending: border[this] .. */
    int map0, map1;   /* rows of the remainder in the front of the parent: map[map0] .. map[map1 - 1] */
    int panel, upper; /* offsets in x */
} front;

/* Consecutive rows of a remainder that are consecutive rows of the parent, either all eliminated there or none. */
typedef struct front_run {
    int from, to, length;
} front_run;

typedef struct frontal_solver {
    dal_linsol base;
    dal_guard guard;
    int nfronts;
    front *front;
    int *border;
    front_run *map;
    int *index;   /* n: unknown at each place of the permuted vector */
    int *swap;    /* n: exchanges of rows within the fronts */
    int *waiting; /* nfronts: fronts whose remainders are on the stack */
    int nx;
    double *x;         /* factors */
    double *stack;     /* remainders */
    double *room;      /* work of products */
    double *w;         /* n: permuted right-hand side */
    double *y;         /* largest border */
    dal_gather gather; /* of the matrix to x */
    dal_arena plan, values;
} frontal_solver;

dal_status dal_frontal_plan(frontal_solver *s, const front_tree *tree) DAL_NODISCARD;

#endif
