/* Numbers that follow from parameters: nodes, and the operations that make them (nodes.c). */
#ifndef DAL_GENERATE_NODES_IMPL_H
#define DAL_GENERATE_NODES_IMPL_H

#include "generate/expressions_impl.h"
#include "io/follow.h"

typedef struct gen_node {
    int op, slot; /* slot: constant of the program, -1: none yet */
    double x;     /* at the values that are printed */
    int varies;   /* near the parameters of the model */
    int printed;  /* a number of the program is this one */
} gen_node;

/* A parameter, an expression, or a kernel: as in mb_flow. */
typedef struct node_op {
    int parameter; /* its number + 1 */
    const dal_expression *e;
    const char *kernel;
    char more[32];
    int input, nx, first, ny; /* in the list of inputs; nodes */
    int branches, needed;
} node_op;

typedef struct node_input {
    int node; /* 0: the constant x */
    double x;
} node_input;

typedef struct node_home {
    const double *at;
    int node, next;
} node_home;

enum { NODE_BUCKETS = 8192 };

struct gen_nodes {
    io_flow flow; /* it comes first */
    dal_ctx *ctx;
    gen_node *node; /* from 1 on */
    node_op *op;
    node_input *input;
    node_home *home;
    int nnodes, node_capacity, nops, op_capacity, ninputs, input_capacity, nhomes, home_capacity;
    int bucket[NODE_BUCKETS]; /* first home + 1 */
    int nslots, lost;         /* lost: no memory */
};

#endif
