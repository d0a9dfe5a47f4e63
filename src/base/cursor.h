/* Snapshots: one function passes everything that decides later results, in one order, past a cursor; it serves for
 * sizing, saving and restoring, so the three cannot disagree.
 *
 * What is restored is not trusted: a number that cannot have been saved (not finite, not whole, out of its range) is
 * replaced by a harmless one and noted in `wrong`, and whoever started the pass refuses the snapshot. */
#ifndef DAL_BASE_CURSOR_H
#define DAL_BASE_CURSOR_H

#include <limits.h>
#include <math.h>
#include <string.h>

#include "dalembert/base.h"

typedef struct dal_cursor {
    double *out;      /* saving to here, else NULL */
    const double *in; /* restoring from here, else NULL; neither: sizing */
    size_t count;
    const char *wrong; /* what the first bad number was meant to be, or NULL */
    dal_status status; /* a failure that is not the snapshot's fault: no memory */
} dal_cursor;

/* Restoring, and nothing was wrong so far? */
static inline int dal_pass_good(const dal_cursor *k)
{
    return k->in && k->wrong == NULL && k->status == DAL_OK;
}

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

/* Room for n numbers that are not there. */
static inline void dal_pass_blank(dal_cursor *k, size_t n)
{
    if (k->out) {
        memset(k->out + k->count, 0, n * sizeof(double));
    }
    k->count += n;
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

#endif
