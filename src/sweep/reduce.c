/* Reductions over a run. Each sees the states at the start and after every step. */
#include <math.h>
#include <string.h>

#include "sweep/sweep_impl.h"

static void tally_reset(sweep_tally *s)
{
    *s = (sweep_tally){.history = s->history, .room = s->room, .best = NAN, .t_best = NAN};
}

static dal_status remember(sweep_tally *s, dal_ctx *ctx, double t, double y)
{
    if (s->nhistory == s->room) {
        const long room = s->room > 0 ? 2 * s->room : 1024;
        double *history = dal_alloc(ctx, (size_t)room * 2 * sizeof *history);
        if (history == NULL) {
            return dal_sweep_no_memory(ctx);
        }
        if (s->nhistory > 0) {
            memcpy(history, s->history, (size_t)s->nhistory * 2 * sizeof *history);
        }
        dal_free(ctx, s->history);
        s->history = history;
        s->room = room;
    }
    s->history[2 * s->nhistory] = t;
    s->history[2 * s->nhistory++ + 1] = y;
    return DAL_OK;
}

/* Where the line from (t0, y0) to (t1, y1) has the value c. */
static double crossing(double t0, double y0, double t1, double y1, double c)
{
    return t0 + (t1 - t0) * ((c - y0) / (y1 - y0));
}

/* From one side to the level or past it; a start on the level is none. */
static void look_for_crossing(sweep_tally *s, double t, double y)
{
    const double c = s->arg[0];
    if (s->n > 0 && ((s->y < c && y >= c) || (s->y > c && y <= c))) {
        s->sum += 1.0;
        if (isnan(s->t_best)) {
            s->t_best = crossing(s->t, s->y, t, y, c);
        }
    }
}

static dal_status tally_add(sweep_tally *s, dal_ctx *ctx, sweep_reduction_kind kind, double t, double y)
{
    if (s->n == 0) {
        s->t0 = t;
        s->y0 = y;
    }
    switch (kind) {
    case REDUCE_MIN:
    case REDUCE_TIME_OF_MIN:
    case REDUCE_MAX:
    case REDUCE_TIME_OF_MAX: {
        const int low = kind == REDUCE_MIN || kind == REDUCE_TIME_OF_MIN;
        if (s->n == 0 || (low ? y < s->best : y > s->best)) {
            s->best = y;
            s->t_best = t;
        }
        break;
    }
    case REDUCE_MEAN:
    case REDUCE_INTEGRAL:
        s->sum += s->n > 0 ? 0.5 * (t - s->t) * (y + s->y) : 0.0;
        break;
    case REDUCE_RMS:
        s->sum += s->n > 0 ? 0.5 * (t - s->t) * (y * y + s->y * s->y) : 0.0;
        break;
    case REDUCE_TIME_OF:
    case REDUCE_CROSSINGS:
        look_for_crossing(s, t, y);
        break;
    case REDUCE_SETTLE:
        DAL_TRY(remember(s, ctx, t, y));
        break;
    default:
        break;
    }
    s->t = t;
    s->y = y;
    ++s->n;
    return DAL_OK;
}

/* From the end back to the first state outside the band; the band is left on the line to the next one. */
static double settled(const sweep_tally *s, int nargs)
{
    const double target = nargs > 1 ? s->arg[1] : s->y, band = s->arg[0] * fabs(target - s->y0);
    const double *h = s->history;
    for (long i = s->nhistory - 1; i >= 0; --i) {
        const double off = h[2 * i + 1] - target;
        if (!(fabs(off) <= band)) {
            return i == s->nhistory - 1
                       ? NAN
                       : crossing(h[2 * i], h[2 * i + 1], h[2 * i + 2], h[2 * i + 3], target + copysign(band, off));
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
