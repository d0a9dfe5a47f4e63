#include "io/trace.h"

#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

/* Room for more elements of an array; 0: there is none. */
static int reserve(dal_trace *t, void **array, int *capacity, int n, size_t size)
{
    if (n <= *capacity) {
        return 1;
    }
    const int more = 2 * n + 64;
    void *larger = dal_alloc_zero(t->ctx, (size_t)more * size);
    if (larger == NULL) {
        t->lost = 1;
        return 0;
    }
    if (*capacity > 0) {
        memcpy(larger, *array, (size_t)*capacity * size);
    }
    dal_free(t->ctx, *array);
    *array = larger;
    *capacity = more;
    return 1;
}

void dal_trace_put(dal_trace *t, dal_trace_op op, const double *out, const double *in)
{
    void *ops = t->op, *x = t->x;
    const int room = reserve(t, &ops, &t->op_capacity, t->nops + 1, sizeof *t->op);
    const int more = reserve(t, &x, &t->x_capacity, t->nx + op.nout + op.nin, sizeof *t->x);
    t->op = ops;
    t->x = x;
    if (!room || !more) {
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
