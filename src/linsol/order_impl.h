/* Order of elimination of a symmetric graph whose nodes have sizes and levels (LS.7). */
#ifndef DAL_LINSOL_ORDER_IMPL_H
#define DAL_LINSOL_ORDER_IMPL_H

#include "linsol/linsol_impl.h"

/* A list of ints that grows. */
typedef struct dal_list {
    int *x;
    int n, capacity;
} dal_list;

/* Neighbours of node k: adj[adj0[k]] .. adj[adj0[k + 1] - 1], each edge in both lists, no node its own neighbour. */
typedef struct dal_graph {
    int n;
    int by_degree;     /* candidates are compared by their degree, not by the operations of their elimination */
    int *size, *level; /* n: unknowns; 0 body, 1 constraint */
    int *adj0, *adj;   /* n + 1; adj0[n] */
} dal_graph;

/* Minimum degree: nodes as they are eliminated, and their neighbours at that time, one list after the other (later0
 * has n + 1 entries). The lists belong to the caller, after a failure too. */
typedef struct dal_elimination {
    dal_list order, later, later0;
} dal_elimination;

dal_status dal_minimum_degree(dal_elimination *el, dal_ctx *ctx, const dal_graph *graph) DAL_NODISCARD;
void dal_elimination_release(dal_elimination *el, dal_ctx *ctx);

#endif
