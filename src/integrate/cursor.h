/* Snapshots: one function passes everything that decides later results, in one order, past a cursor; it serves for
 * sizing, saving and restoring, so the three cannot disagree.
 *
 * What is restored is not trusted: a number that cannot have been saved (not finite, not whole, out of its range) is
 * replaced by a harmless one and noted in `wrong`, and whoever started the pass refuses the snapshot. */
#ifndef DAL_INTEGRATE_CURSOR_H
#define DAL_INTEGRATE_CURSOR_H

#include <limits.h>
#include <math.h>
#include <string.h>

#include "newton/newton.h"

typedef struct dal_cursor {
    double *out;      /* saving to here, else NULL */
    const double *in; /* restoring from here, else NULL; neither: sizing */
    size_t count;
    const char *wrong; /* what the first bad number was meant to be, or NULL */
} dal_cursor;

static inline void dal_pass_wrong(dal_cursor *k, const char *what)
{
    if (k->wrong == NULL) {
        k->wrong = what;
    }
}

/* Any numbers. */
static inline void dal_pass_any(dal_cursor *k, double *x, int n)
{
    if (k->in) {
        memcpy(x, k->in + k->count, (size_t)n * sizeof(double));
    } else if (k->out) {
        memcpy(k->out + k->count, x, (size_t)n * sizeof(double));
    }
    k->count += (size_t)n;
}

/* Numbers that are finite. */
static inline void dal_pass(dal_cursor *k, double *x, int n)
{
    dal_pass_any(k, x, n);
    for (int i = 0; k->in && i < n; ++i) {
        if (!isfinite(x[i])) {
            dal_pass_wrong(k, "a finite number");
            x[i] = 0.0;
        }
    }
}

/* A whole number in [min, max]; both are exact as doubles. */
static inline void dal_pass_whole(dal_cursor *k, long *x, double min, double max)
{
    double value = (double)*x;
    dal_pass_any(k, &value, 1);
    if (k->in) {
        const int good = value >= min && value <= max && value == floor(value);
        if (!good) {
            dal_pass_wrong(k, "a whole number within its range");
        }
        *x = (long)(good ? value : min);
    }
}

static inline void dal_pass_range(dal_cursor *k, int *x, int min, int max)
{
    long value = *x;
    dal_pass_whole(k, &value, min, max);
    *x = (int)value;
}

static inline void dal_pass_int(dal_cursor *k, int *x)
{
    dal_pass_range(k, x, INT_MIN, INT_MAX);
}

static inline void dal_pass_flag(dal_cursor *k, int *x)
{
    dal_pass_range(k, x, 0, 1);
}

/* A number of things that were counted. */
static inline void dal_pass_count(dal_cursor *k, long *x)
{
    dal_pass_whole(k, x, 0.0, 0x1p53);
}

/* Whether there are factors, and the counts. The factors themselves belong to the linear solver. */
static inline void dal_pass_newton(dal_cursor *k, dal_newton *newton)
{
    dal_pass_flag(k, &newton->have_factor);
    dal_pass_count(k, &newton->stats.iterations);
    dal_pass_count(k, &newton->stats.jacobians);
    dal_pass_count(k, &newton->stats.factorisations);
    dal_pass(k, &newton->contraction, 1);
    dal_pass(k, &newton->increment, 1);
    dal_pass_range(k, &newton->unseen, 0, INT_MAX);
    dal_newton_choice *c = &newton->stats.choice;
    dal_pass_flag(k, &c->modified);
    dal_pass_flag(k, &c->trying);
    dal_pass_range(k, &c->trial, 0, INT_MAX);
    dal_pass_range(k, &c->waited, 0, INT_MAX);
    dal_pass_range(k, &c->failures, 0, 16);
    dal_pass(k, &c->usual, 1);
    dal_pass(k, &c->full, 1);
    dal_pass(k, &c->spent, 1);
    dal_pass_count(k, &c->kept);
}

/* After a restoring pass: restore the solver from what follows, and refuse what was wrong. */
static inline dal_status dal_pass_solver(dal_cursor *k, dal_ctx *ctx, dal_newton *newton)
{
    if (k->wrong != NULL) {
        return dal_fail(ctx, DAL_ESNAPSHOT, "the snapshot is damaged: %s is missing", k->wrong);
    }
    DAL_TRY(dal_linsol_restore(newton->ls, k->in + k->count));
    if (newton->have_factor && !dal_linsol_factored(newton->ls)) {
        return dal_fail(ctx, DAL_ESNAPSHOT, "the snapshot is damaged: the factors of the iteration matrix are missing");
    }
    return DAL_OK;
}

#endif
