/* Reductions over a run. Each sees the state at the start and then one stretch of time after the other. */
#include <math.h>
#include <string.h>

#include "sweep/sweep_impl.h"

static void tally_reset(sweep_tally *s)
{
    *s = (sweep_tally){.history = s->history, .room = s->room, .best = NAN, .t_best = NAN, .dense = s->dense};
}

/* Numbers of a record: t1, y1 where the run is a polygon, which begins at the first state; else a curve. */
static size_t record_size(const sweep_tally *s)
{
    return s->dense ? sizeof(sweep_curve) : 2 * sizeof(double);
}

static dal_status remember(sweep_tally *s, dal_ctx *ctx, const sweep_curve *f)
{
    const size_t size = record_size(s);
    const size_t used = (size_t)s->nhistory * size;
    if (used + size > s->room) {
        const size_t room = 2 * (s->room > size ? s->room : 128 * size);
        char *history = dal_alloc(ctx, room);
        if (history == NULL) {
            return dal_sweep_no_memory(ctx);
        }
        if (used > 0) {
            memcpy(history, s->history, used);
        }
        dal_free(ctx, s->history);
        s->history = history;
        s->room = room;
    }
    const double end[2] = {f->t1, f->c[1]};
    ++s->nhistory;
    memcpy(s->history + used, s->dense ? (const void *)f : (const void *)end, size);
    return DAL_OK;
}

/* Number i of the curves that were remembered. */
static sweep_curve recall(const sweep_tally *s, long i)
{
    const size_t size = record_size(s);
    const char *at = s->history + (size_t)i * size;
    sweep_curve f;
    double end[4] = {s->t0, s->y0};
    if (s->dense) {
        memcpy(&f, at, size);
        return f;
    }
    memcpy(i > 0 ? end : end + 2, i > 0 ? at - size : at, i > 0 ? 2 * size : size);
    return dal_sweep_line(end[0], end[1], end[2], end[3]);
}

/* From one side to the level or past it; a start on the level is none. */
static void look_for_crossing(sweep_tally *s, const sweep_curve *f, double x0, double x, double y)
{
    const double c = s->arg[0];
    if ((s->y < c && y >= c) || (s->y > c && y <= c)) {
        s->sum += 1.0;
        if (isnan(s->t_best)) {
            s->t_best = dal_sweep_crossing(f, x0, x, c);
        }
    }
}

static void look_for_extremum(sweep_tally *s, sweep_reduction_kind kind, double t, double y)
{
    const int low = kind == REDUCE_MIN || kind == REDUCE_TIME_OF_MIN;
    if (isnan(s->best) || (low ? y < s->best : y > s->best)) {
        s->best = y;
        s->t_best = t;
    }
}

/* The next stretch of the run, in the order of time. */
static dal_status tally_curve(sweep_tally *s, dal_ctx *ctx, sweep_reduction_kind kind, const sweep_curve *f)
{
    double x[SWEEP_NODES];
    const int n = dal_sweep_knots(f, x);
    const int extremum =
        kind == REDUCE_MIN || kind == REDUCE_MAX || kind == REDUCE_TIME_OF_MIN || kind == REDUCE_TIME_OF_MAX;
    for (int i = 1; i < n; ++i) {
        const double y = dal_sweep_value_at(f, x[i]);
        if (extremum) {
            look_for_extremum(s, kind, dal_sweep_time_at(f, x[i]), y);
        } else if (kind == REDUCE_TIME_OF || kind == REDUCE_CROSSINGS) {
            look_for_crossing(s, f, x[i - 1], x[i], y);
        }
        s->y = y;
    }
    s->t = f->t1;
    s->sum += kind == REDUCE_MEAN || kind == REDUCE_INTEGRAL ? dal_sweep_integral(f)
              : kind == REDUCE_RMS                           ? dal_sweep_square(f)
                                                             : 0.0;
    return kind == REDUCE_SETTLE && f->t1 > f->t0 ? remember(s, ctx, f) : DAL_OK;
}

/* A state: the straight line to it from where the run has been followed to. */
static dal_status tally_add(sweep_tally *s, dal_ctx *ctx, sweep_reduction_kind kind, double t, double y)
{
    s->scale = fmax(s->scale, fabs(y));
    if (s->n++ == 0) {
        s->t0 = s->t = t;
        s->y0 = s->y = s->best = y;
        s->t_best = kind == REDUCE_TIME_OF ? NAN : t;
        return DAL_OK;
    }
    const sweep_curve line = dal_sweep_line(s->t, s->y, t, y);
    return tally_curve(s, ctx, kind, &line);
}

/* Values at the points of a stretch that no polynomial follows, a jump say: straight lines, which do not overshoot. */
static dal_status tally_points(sweep_tally *s, dal_ctx *ctx, sweep_reduction_kind kind, const sweep_curve *f,
                               const double *y)
{
    DAL_TRY(tally_add(s, ctx, kind, f->t0, y[SWEEP_NODES]));
    for (int i = 0; i < SWEEP_NODES; ++i) {
        DAL_TRY(tally_add(s, ctx, kind, dal_sweep_time_at(f, dal_sweep_node[i]), y[i]));
    }
    return tally_add(s, ctx, kind, f->t1, y[SWEEP_NODES + 1]);
}

/* From the end back to the last time outside the band. */
static double settled(const sweep_tally *s, int nargs)
{
    const double target = nargs > 1 ? s->arg[1] : s->y, band = s->arg[0] * fabs(target - s->y0);
    if (!(fabs(s->y - target) <= band)) {
        return NAN;
    }
    for (long i = s->nhistory - 1; i >= 0; --i) {
        const sweep_curve f = recall(s, i);
        double x[SWEEP_NODES];
        const int n = dal_sweep_knots(&f, x);
        for (int k = n - 1; k >= 0; --k) {
            const double off = dal_sweep_value_at(&f, x[k]) - target;
            if (!(fabs(off) <= band)) {
                return k == n - 1 ? f.t1 : dal_sweep_crossing(&f, x[k], x[k + 1], target + copysign(band, off));
            }
        }
    }
    return s->t0;
}

static double tally_value(const sweep_tally *s, sweep_reduction_kind kind, int nargs)
{
    const double span = s->t - s->t0;
    switch (kind) {
    case REDUCE_INITIAL:
        return s->y0;
    case REDUCE_MIN:
    case REDUCE_MAX:
        return s->best;
    case REDUCE_TIME_OF_MIN:
    case REDUCE_TIME_OF_MAX:
    case REDUCE_TIME_OF:
        return s->t_best;
    case REDUCE_MEAN:
        return span > 0.0 ? s->sum / span : s->y;
    case REDUCE_RMS:
        return span > 0.0 ? sqrt(s->sum / span) : fabs(s->y);
    case REDUCE_INTEGRAL:
    case REDUCE_CROSSINGS:
        return s->sum;
    case REDUCE_SETTLE:
        return settled(s, nargs);
    default:
        return s->y;
    }
}

/* ---- all that is collected of a run ----------------------------------------------------------- */

void dal_sweep_course_begin(const dal_sweep *s, sweep_tally *tally, double *value, double *trajectory, const double *x)
{
    for (int k = 0; k < s->plan.nreductions; ++k) {
        const sweep_reduction *r = &s->plan.reduction[k];
        tally_reset(&tally[k]);
        for (int i = 0; i < r->nargs; ++i) {
            tally[k].arg[i] = dal_expression_at(r->arg[i], x);
        }
    }
    for (int k = 0; k < s->ncollect; ++k) {
        value[k] = NAN;
    }
    for (int k = 0; k < s->ncurves * s->ntimes; ++k) {
        trajectory[k] = NAN;
    }
}

int dal_sweep_course_follows(const dal_sweep *s, const sweep_tally *tally, const double *y, double tolerance)
{
    const double floor = 1e-14; // below it there is noise only
    for (int k = 0; k < s->plan.nreductions; ++k) {
        const sweep_reduction_kind kind = s->plan.reduction[k].kind;
        sweep_curve f;
        double scale = tally[k].scale;
        for (int i = 0; i < SWEEP_POINTS; ++i) {
            scale = fmax(scale, fabs(y[k * SWEEP_POINTS + i]));
        }
        const double off = dal_sweep_curve_fit(&f, -1.0, 1.0, y + k * SWEEP_POINTS);
        if (kind != REDUCE_INITIAL && kind != REDUCE_FINAL && off > tolerance * scale + floor) {
            return 0;
        }
    }
    return 1;
}

dal_status dal_sweep_course_stretch(const dal_sweep *s, sweep_tally *tally, dal_ctx *ctx, double t0, double t1,
                                    const double *y, int smooth)
{
    for (int k = 0; k < s->plan.nreductions; ++k) {
        const double *values = y + k * SWEEP_POINTS;
        const sweep_reduction_kind kind = s->plan.reduction[k].kind;
        sweep_curve f;
        dal_sweep_curve_fit(&f, t0, t1, values);
        for (int i = 0; i < SWEEP_POINTS; ++i) {
            tally[k].scale = fmax(tally[k].scale, fabs(values[i]));
        }
        DAL_TRY(smooth ? tally_curve(&tally[k], ctx, kind, &f) : tally_points(&tally[k], ctx, kind, &f, values));
    }
    return DAL_OK;
}

dal_status dal_sweep_course_add(const dal_sweep *s, sweep_tally *tally, dal_ctx *ctx, double t, const double *in)
{
    for (int k = 0; k < s->plan.nreductions; ++k) {
        const sweep_reduction *r = &s->plan.reduction[k];
        DAL_TRY(tally_add(&tally[k], ctx, r->kind, t, dal_expression_at(r->of, in)));
    }
    return DAL_OK;
}

void dal_sweep_course_sample(const dal_sweep *s, double *trajectory, int time, const double *in)
{
    for (int k = 0; k < s->plan.ncurves && time < s->ntimes; ++k) {
        trajectory[k * s->ntimes + time] = dal_expression_at(s->plan.trajectory[k], in);
    }
}

void dal_sweep_course_end(const dal_sweep *s, double *r, double *value, const sweep_tally *tally)
{
    const sweep_plan *plan = &s->plan;
    for (int k = 0; k < plan->nreductions; ++k) {
        r[k] = tally_value(&tally[k], plan->reduction[k].kind, plan->reduction[k].nargs);
    }
    for (int k = 0; k < plan->ncolumns; ++k) {
        const double y = dal_expression_at(plan->value[k], r);
        value[k] = isnan(y) ? NAN : y; // one NaN only: bits count
    }
}
