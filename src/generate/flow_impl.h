/* How numbers follow from parameters: values at a few samples of the parameters, and the operations that make them. Where a
 * number comes from is seen by its values: two that agree at all samples are one. */
#ifndef DAL_GENERATE_FLOW_IMPL_H
#define DAL_GENERATE_FLOW_IMPL_H

#include "generate/expressions_impl.h"

typedef struct flow_value {
    char text[GEN_NAME];
    int node, next;
} flow_value;

/* An operation: a piece of the code, and the operations it needs. */
typedef struct flow_node {
    size_t first, length;
    int *needs, nneeds, needed;
} flow_node;

enum { FLOW_BUCKETS = 4096, FLOW_INPUTS = 20 };

typedef struct flow {
    dal_ctx *ctx;
    int ns; /* samples */
    double *x;
    flow_value *value;
    flow_node *node;
    int nvalues, value_capacity, nnodes, node_capacity;
    int bucket[FLOW_BUCKETS]; /* first value + 1 */
    gen_input *live;          /* by live value: its text, and the operation it comes from */
    int *live_node, nlive;
    gen g; /* prints to code */
    gen_text code;
    int lost; /* no memory */
} flow;

void gen_flow_open(flow *f, dal_ctx *ctx, int ns);
void gen_flow_close(flow *f);

/* Values are ns numbers, one for each sample. */
void gen_flow_define(flow *f, const char *text, int node, const double *x);
/* y = number_KERNEL(x, more): nout and nin values one after the other. Nothing if it gives nothing new, or if x is not known. */
void gen_flow_call(flow *f, const char *kernel, const char *more, const double *y, int nout, const double *x, int nin);
/* Live values, all at once, then those that follow from others: number k. */
dal_status gen_flow_live(flow *f, int n);
void gen_flow_set_live(flow *f, int k, const double *x);
/* y from an expression of them; live: their values, in the same form. Where an expression took the same branch at all samples,
 * its code makes sure that it does so again: what agreed there agrees within the branch. */
void gen_flow_formula(flow *f, const dal_expression *e, const double *y, const double *live);
/* How a value is written: a number, a name, or less a name. 0: it does not follow from what is known. Marks what it needs. */
int gen_flow_text(flow *f, char *to, size_t size, const double *x);
/* The operations that are needed. */
void gen_flow_print(const flow *f, gen_text *out);

#endif
