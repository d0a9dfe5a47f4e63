/* How the numbers of a model follow from bound values: what is computed on the way, written down while it is done. Copies are
 * not: where a number comes from is seen by its value. */
#ifndef DAL_IO_TRACE_H
#define DAL_IO_TRACE_H

#include "dalembert/io.h"
#include "io/expression.h"

typedef struct dal_trace_op {
    const char *kernel;      /* of mbs/number_kernel.h; NULL: an expression */
    const dal_expression *e; /* of the live values; NULL without kernel: the live values themselves */
    int first, nout, nin;    /* its numbers in x: out, then in */
} dal_trace_op;

typedef struct dal_trace {
    dal_ctx *ctx;
    dal_trace_op *op;
    double *x;
    int nops, op_capacity, nx, x_capacity;
    int lost; /* no memory */
} dal_trace;

void dal_trace_put(dal_trace *t, dal_trace_op op, const double *out, const double *in);
void dal_trace_release(dal_trace *t);

/* dal_binding_set with a trace: the live values come first, those of the binding before those of variables that depend on
 * them. */
dal_status dal_binding_trace(dal_trace *trace, const dal_binding *binding, dal_data *data,
                             const double *values) DAL_NODISCARD;
/* Does a start close loops before anything else, as "assembly" in the file asks for? */
int dal_binding_assembles(const dal_binding *binding);

#endif
