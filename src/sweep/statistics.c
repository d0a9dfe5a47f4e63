/* Statistics of what was collected. Sums run over the members in their order: same results, same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_impl.h"

static const double level[DAL_SWEEP_QUANTILES] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

double dal_sweep_quantile_level(int k)
{
    return k >= 0 && k < DAL_SWEEP_QUANTILES ? level[k] : NAN;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, long n, double p)
{
    const double at = p * (double)(n - 1);
    const long k = (long)at;
    return k + 1 < n ? sorted[k] + (at - (double)k) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

static void moments(dal_sweep_summary *m, const double *x, long n)
{
    double sum = 0.0, squares = 0.0;
    for (long k = 0; k < n; ++k) {
        sum += x[k];
    }
    m->mean = sum / (double)n;
    for (long k = 0; k < n; ++k) {
        squares += (x[k] - m->mean) * (x[k] - m->mean);
    }
    m->deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

dal_status dal_sweep_statistics(const dal_sweep *s, dal_sweep_summary *m, int collect)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED_AS(s->ctx, m, "summary");
    if (collect < 0 || collect >= s->ncollect) {
        return dal_fail(s->ctx, DAL_EINVAL, "number %d is not collected", collect);
    }
    *m = (dal_sweep_summary){.mean = NAN, .deviation = NAN, .min = NAN, .max = NAN, .min_member = -1, .max_member = -1};
    double *x = dal_alloc(s->ctx, ((size_t)s->n + 1) * sizeof *x);
    if (x == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    for (long k = 0; k < s->n; ++k) {
        const double y = s->value[k * s->ncollect + collect];
        if (!isfinite(y)) {
            continue;
        }
        if (m->n == 0 || y < m->min) {
            m->min = y;
            m->min_member = k;
        }
        if (m->n == 0 || y > m->max) {
            m->max = y;
            m->max_member = k;
        }
        x[m->n++] = y;
    }
    for (int k = 0; k < DAL_SWEEP_QUANTILES; ++k) {
        m->quantile[k] = NAN;
    }
    if (m->n > 0) {
        moments(m, x, m->n);
        qsort(x, (size_t)m->n, sizeof *x, ascending);
        for (int k = 0; k < DAL_SWEEP_QUANTILES; ++k) {
            m->quantile[k] = quantile(x, m->n, level[k]);
        }
    }
    dal_free(s->ctx, x);
    return DAL_OK;
}

/* ---- causes ----------------------------------------------------------------------------------- */

/* The same but for numbers? */
static int same_cause(const char *a, const char *b)
{
    for (;;) {
        const size_t m = strspn(a, "0123456789.+-e"), n = strspn(b, "0123456789.+-e");
        if ((m > 0) != (n > 0)) {
            return 0;
        }
        a += m;
        b += n;
        if (*a != *b) {
            return 0;
        }
        if (*a == '\0') {
            return 1;
        }
        ++a;
        ++b;
    }
}

static int more_frequent(const void *a, const void *b)
{
    const dal_sweep_cause *x = a, *y = b;
    if (x->count != y->count) {
        return x->count < y->count ? 1 : -1;
    }
    return (x->first > y->first) - (x->first < y->first);
}

int dal_sweep_causes(const dal_sweep *s, dal_sweep_cause *cause, int n)
{
    enum { MOST = 1000 };
    if (s == NULL || cause == NULL || n < 1) {
        return 0;
    }
    dal_sweep_cause *all = dal_alloc_zero(s->ctx, MOST * sizeof *all);
    int *group = dal_alloc_zero(s->ctx, ((size_t)s->messages.n + 1) * sizeof *group); // of a message, + 1
    int count = 0;
    for (long k = 0; all != NULL && group != NULL && k < s->n; ++k) {
        const int m = s->message[k];
        if (s->status[k] == DAL_OK || s->status[k] == DAL_SWEEP_MISSING || m < 0) {
            continue;
        }
        if (group[m] == 0) {
            int g = 0;
            while (g < count && !same_cause(all[g].message, s->messages.text[m])) {
                ++g;
            }
            g = g < MOST ? g : MOST - 1;
            if (g == count) {
                all[count++] = (dal_sweep_cause){0, k, s->status[k], s->messages.text[m]};
            }
            group[m] = g + 1;
        }
        ++all[group[m] - 1].count;
    }
    if (count > 0) {
        qsort(all, (size_t)count, sizeof *all, more_frequent);
        count = count < n ? count : n;
        memcpy(cause, all, (size_t)count * sizeof *all);
    }
    dal_free(s->ctx, all);
    dal_free(s->ctx, group);
    return count;
}
