/* Snapshots: one function passes everything that decides later results, in one order, past a cursor; it serves for
 * sizing, saving and restoring, so the three cannot disagree. */
#ifndef DAL_INTEGRATE_CURSOR_H
#define DAL_INTEGRATE_CURSOR_H

#include <string.h>

#include "newton/newton.h"

typedef struct dal_cursor {
    double *out;      /* saving to here, else NULL */
    const double *in; /* restoring from here, else NULL; neither: sizing */
    size_t count;
} dal_cursor;

static inline void dal_pass(dal_cursor *k, double *x, int n)
{
    if (k->in) {
        memcpy(x, k->in + k->count, (size_t)n * sizeof(double));
    } else if (k->out) {
        memcpy(k->out + k->count, x, (size_t)n * sizeof(double));
    }
    k->count += (size_t)n;
}

static inline void dal_pass_int(dal_cursor *k, int *x)
{
    double value = *x;
    dal_pass(k, &value, 1);
    *x = (int)value;
}

/* Whether there are factors, and the counts. The factors themselves belong to the linear solver. */
static inline void dal_pass_newton(dal_cursor *k, dal_newton *newton)
{
    double counts[3] = {(double)newton->stats.iterations, (double)newton->stats.jacobians,
                        (double)newton->stats.factorisations};
    dal_pass_int(k, &newton->have_factor);
    dal_pass(k, counts, 3);
    newton->stats = (dal_newton_stats){(long)counts[0], (long)counts[1], (long)counts[2]};
}

#endif
