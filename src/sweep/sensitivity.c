/* What a result depends on: main effects from any design, Sobol indices from the design made for them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_impl.h"

/* A member: parameter and result. */
typedef struct pair {
    double x, y;
} pair;

static int by_parameter(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (p->y > q->y) - (p->y < q->y); // sums in one order only
}

/* Is a parameter the level of a full grid? Then every level meets the same combinations of the others. */
static int on_grid(const dal_sweep *s, int parameter)
{
    int drawn = 0;
    for (int k = 0; k < s->np; ++k) {
        drawn |= s->parameter[k].kind >= KIND_UNIFORM;
    }
    const sweep_kind kind = s->parameter[parameter].kind;
    return s->design == DAL_SWEEP_GRID && !drawn && (kind < KIND_ROWS || (kind == KIND_ROWS && s->nrowcolumns == 1));
}

/* How many bins: the distinct values if they are few, else about sqrt(n), with at least four members each. */
static int count_bins(const pair *p, long n, int grid, int *distinct)
{
    int values = 1;
    for (long k = 1; k < n && values <= DAL_SWEEP_BINS; ++k) {
        values += p[k].x != p[k - 1].x;
    }
    *distinct = values <= DAL_SWEEP_BINS && (grid || values <= n / 2);
    const int most = (int)fmin(sqrt((double)n), (double)n / 4.0);
    return *distinct ? values : most > 32 ? 32 : most > 1 ? most : 1;
}

/* Means over the bins of sorted members. */
static void fill_bins(dal_sweep_effect *e, const pair *p, long n, int grid)
{
    int distinct;
    const int bins = count_bins(p, n, grid, &distinct);
    e->n = bins;
    int b = 0;
    for (long k = 0; k < n; ++k) {
        b = !distinct ? (int)(k * bins / n) : k > 0 && p[k].x != p[k - 1].x ? b + 1 : b;
        e->x[b] += p[k].x;
        e->y[b] += p[k].y;
        ++e->count[b];
    }
    for (b = 0; b < bins; ++b) {
        e->x[b] /= (double)e->count[b];
        e->y[b] /= (double)e->count[b];
    }
}

/* Sum of squares between the levels of sorted members, however many levels there are. */
static double between_levels(const pair *p, long n, double mean)
{
    double between = 0.0;
    for (long begin = 0, end; begin < n; begin = end) {
        double sum = 0.0;
        for (end = begin; end < n && p[end].x == p[begin].x; ++end) {
            sum += p[end].y - mean;
        }
        between += sum * sum / (double)(end - begin);
    }
    return between;
}

static double between_bins(const dal_sweep_effect *e, double mean)
{
    double between = 0.0;
    for (int b = 0; b < e->n; ++b) {
        between += (double)e->count[b] * (e->y[b] - mean) * (e->y[b] - mean);
    }
    return between;
}

/* Part of the variance between the bins (SW.4), less what chance makes of it in designs that leave it to chance which
 * values of the others a bin meets. */
static double part_of_variance(const dal_sweep *s, const dal_sweep_effect *e, const pair *p, long n, int grid)
{
    double mean = 0.0, all = 0.0, largest = 0.0;
    for (long k = 0; k < n; ++k) {
        mean += p[k].y / (double)n;
    }
    for (long k = 0; k < n; ++k) {
        all += (p[k].y - mean) * (p[k].y - mean);
        largest = fmax(largest, fabs(p[k].y));
    }
    if (!(all > (double)n * 1e-28 * largest * largest)) { // all the same but for rounding
        return NAN;
    }
    if (grid) {
        return between_levels(p, n, mean) / all;
    }
    const double between = between_bins(e, mean);
    const int balanced = s->design == DAL_SWEEP_SOBOL;
    const double noise = !balanced && n > e->n ? (all - between) / (double)(n - e->n) : 0.0;
    return (between - (e->n - 1) * noise) / all;
}

static dal_status main_effect(const dal_sweep *s, int collect, int parameter, dal_sweep_effect *e)
{
    double x[SWEEP_PARAMETERS];
    long n = 0;
    pair *p = dal_alloc(s->ctx, ((size_t)s->n + 1) * sizeof *p);
    if (p == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    for (long k = 0; k < s->n; ++k) {
        const double y = s->value[k * s->ncollect + collect];
        if (isfinite(y)) {
            dal_sweep_point(s, x, k);
            p[n++] = (pair){x[parameter], y};
        }
    }
    qsort(p, (size_t)n, sizeof *p, by_parameter);
    if (n > 1) {
        const int grid = on_grid(s, parameter);
        fill_bins(e, p, n, grid);
        e->first = part_of_variance(s, e, p, n, grid);
    }
    dal_free(s->ctx, p);
    return DAL_OK;
}

/* ---- Sobol indices ---------------------------------------------------------------------------- */

/* Results of a block: A, B and A with one coordinate of B. */
static int block_of(const dal_sweep *s, long block, int collect, int parameter, double y[3])
{
    const double *value = s->value + block * (s->np + 2) * s->ncollect + collect;
    y[0] = value[0];
    y[1] = value[s->ncollect];
    y[2] = value[(parameter + 2) * s->ncollect];
    return isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2]);
}

static void mean_and_error(double sum, double squares, double n, double scale, double *mean, double *error)
{
    *mean = sum / n / scale;
    *error = n > 1.0 ? sqrt(fmax(0.0, squares / n - sum / n * (sum / n)) / (n - 1.0)) / scale : NAN;
}

static void sobol_indices(const dal_sweep *s, int collect, int parameter, dal_sweep_effect *e)
{
    double mean = 0.0, V = 0.0, y[3], n = 0.0, sum[2] = {0.0}, squares[2] = {0.0};
    for (long k = 0; k < s->samples; ++k) {
        if (block_of(s, k, collect, parameter, y)) {
            mean += 0.5 * (y[0] + y[1]);
            n += 1.0;
        }
    }
    mean /= n;
    for (long k = 0; k < s->samples; ++k) {
        if (block_of(s, k, collect, parameter, y)) {
            V += 0.5 * ((y[0] - mean) * (y[0] - mean) + (y[1] - mean) * (y[1] - mean)) / n;
            const double first = (y[1] - mean) * (y[2] - y[0]), total = 0.5 * (y[0] - y[2]) * (y[0] - y[2]); // (SW.3)
            sum[0] += first;
            sum[1] += total;
            squares[0] += first * first;
            squares[1] += total * total;
        }
    }
    if (n > 0.0 && V > 0.0) {
        mean_and_error(sum[0], squares[0], n, V, &e->first, &e->first_error);
        mean_and_error(sum[1], squares[1], n, V, &e->total, &e->total_error);
    }
}

dal_status dal_sweep_sensitivity(const dal_sweep *s, dal_sweep_effect *e, int collect, int parameter)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED_AS(s->ctx, e, "effect");
    *e = (dal_sweep_effect){.first = NAN, .first_error = NAN, .total = NAN, .total_error = NAN};
    if (collect < 0 || collect >= s->ncollect || parameter < 0 || parameter >= s->np) {
        return dal_fail(s->ctx, DAL_EINVAL, "there is no result %d or no parameter %d", collect, parameter);
    }
    DAL_TRY(main_effect(s, collect, parameter, e));
    if (s->design == DAL_SWEEP_SALTELLI) {
        sobol_indices(s, collect, parameter, e);
    }
    return DAL_OK;
}
