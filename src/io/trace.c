#include "io/trace.h"

#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

void dal_trace_put(dal_trace *t, dal_trace_op op, const double *out, const double *in)
{
    if (dal_grow(t->ctx, (void **)&t->op, &t->op_capacity, t->nops + 1, sizeof *t->op) != DAL_OK ||
        dal_grow(t->ctx, (void **)&t->x, &t->x_capacity, t->nx + op.nout + op.nin, sizeof *t->x) != DAL_OK) {
        t->lost = 1;
        return;
    }
    op.first = t->nx;
    memcpy(t->x + t->nx, out, (size_t)op.nout * sizeof *out);
    if (op.nin > 0) {
        memcpy(t->x + t->nx + op.nout, in, (size_t)op.nin * sizeof *in);
    }
    t->nx += op.nout + op.nin;
    t->op[t->nops++] = op;
}

void dal_trace_release(dal_trace *t)
{
    dal_free(t->ctx, t->op);
    dal_free(t->ctx, t->x);
    *t = (dal_trace){.ctx = t->ctx};
}
