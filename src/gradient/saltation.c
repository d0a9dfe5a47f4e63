/* Backwards through the stretches around impacts and events (GR.17): what each direction of the first state, and each number, changes in the states
 * that follow (events.c), is weighed with what these are weighed with. Directions keep to the constraints, as all changes of a run do:
 * others would have reactions of their own, large enough to open a contact. */
#include <math.h>

#include "base/memory.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"

/* ---- which there are -------------------------------------------------------------------------- */

dal_status dal_gr_stretches(dal_gradient *g, gr_backward *b)
{
    long begin, end = 0;
    int n = 0;
    while (g->happens && dal_gr_next_stretch(g, &begin, &end, end)) {
        ++n;
    }
    if (n == 0) {
        return DAL_OK;
    }
    b->stretch = dal_alloc(g->ctx, 2 * (size_t)n * sizeof *b->stretch);
    b->dp = dal_alloc_zero(g->ctx, ((size_t)g->np * (size_t)g->n + 1) * sizeof *b->dp);
    if (!b->stretch || !b->dp) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the adjoint of %d events", n);
    }
    for (end = 0; b->nstretches < n; b->nstretches++) {
        long *s = b->stretch + 2 * (ptrdiff_t)b->nstretches;
        (void)dal_gr_next_stretch(g, &s[0], &s[1], end);
        end = s[1];
    }
    return dal_gr_directions(g, b->dp);
}

void dal_gr_stretches_clear(const dal_gradient *g, gr_backward *b)
{
    dal_free(g->ctx, b->stretch);
    dal_free(g->ctx, b->dp);
}

/* ---- directions ------------------------------------------------------------------------------- */

/* Some directions of the first state: of its changes, ny of them, then of the numbers. */
typedef struct directions {
    int from, count, first; /* the number of the first; direction first of these is that of number 0 */
    double *Y, *scale;
} directions;

/* How much a state is moved along each of its changes: units of places and speeds, of what these become in a step. */
static void find_scales(const dal_gradient *g, double *scale)
{
    const double *unit = g->parts.ev->unit;
    const dal_point at = dal_gr_point(g, g->stretch.begin);
    const double fastest = dal_max_abs(at.v, g->nv), force = dal_max_abs(at.la, g->nc);
    const double h = g->pilot ? g->t_end / (double)(g->about.steps + 1) : g->opt.h;
    for (int i = 0; i < g->nv; ++i) {
        const double speed = fmax(unit[i], fastest);
        scale[i] = unit[i];
        scale[g->nv + i] = speed;
        scale[2 * g->nv + i] = scale[3 * g->nv + i] = speed / h;
    }
    for (int i = 0; i < g->nc; ++i) {
        scale[4 * g->nv + i] = force > 0.0 ? force : 1.0;
    }
}

/* Places and speeds move along the constraints, with the numbers, where a method holds them. */
static dal_status project(dal_gradient *g, dal_variation *x, const directions *d, const double *dp)
{
    const int held = g->opt.integrator != DAL_INTEGRATOR_GENALPHA;
    const dal_point at = dal_gr_point(g, g->stretch.begin);
    const dal_start_plan plan = {.t = at.t,
                                 .h = g->opt.h,
                                 .position = held || g->opt.formulation != DAL_FORMULATION_INDEX2,
                                 .velocity = held || g->opt.formulation != DAL_FORMULATION_INDEX3};
    double *Y = dal_alloc_zero(g->ctx, ((size_t)g->ny + (size_t)g->np) * (size_t)d->count * sizeof *Y);
    if (!Y) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for directions");
    }
    double *p = Y + (ptrdiff_t)g->ny * d->count;
    for (int j = 0; j < d->count; ++j) {
        dal_copy(Y + (ptrdiff_t)j * g->ny, d->Y + (ptrdiff_t)j * g->ny, 2 * g->nv);
        if (j >= d->first) {
            dal_copy(p + (ptrdiff_t)j * g->np, dp + (ptrdiff_t)(j - d->first) * g->np, g->np);
        }
    }
    dal_status st = dal_variation_at(x, &plan, at.q, at.v);
    st = st == DAL_OK ? dal_variation_forward(x, Y, p, d->count) : st;
    for (int j = 0; j < d->count; ++j) {
        dal_copy(d->Y + (ptrdiff_t)j * g->ny, Y + (ptrdiff_t)j * g->ny, 2 * g->nv);
    }
    dal_free(g->ctx, Y);
    return st;
}

/* Those of a chunk. */
static dal_status choose(dal_gradient *g, directions *d, const double *dp)
{
    const long begin = g->stretch.begin;
    dal_saddle *saddle;
    dal_variation x;
    DAL_TRY(dal_gr_load(g, begin));
    dal_gr_remember(g, begin);
    dal_gr_stretch(g, begin);
    d->first = g->ny - d->from;
    dal_zero(d->Y, g->ny * d->count);
    find_scales(g, d->scale);
    for (int j = 0; j < d->count && j < d->first; ++j) {
        d->Y[(ptrdiff_t)j * g->ny + d->from + j] = d->scale[d->from + j];
    }
    DAL_TRY(dal_saddle_create(&saddle, g->ctx, g->parts.ev, DAL_LINSOL_AUTO));
    dal_status st = dal_variation_init(&x, g->ctx, saddle, g->dependence, d->count);
    st = st == DAL_OK ? project(g, &x, d, dp) : st;
    dal_variation_release(&x);
    dal_saddle_destroy(saddle);
    return st;
}

/* ---- weights ---------------------------------------------------------------------------------- */

/* What the states of a stretch are weighed with, their times first: (1 + ny) x count, g->wide apart. */
static dal_status weigh(dal_gradient *g, gr_backward *b, double *W, long begin, long end)
{
    for (long k = end; k > begin; --k) {
        double *w = W + (ptrdiff_t)(k - begin - 1) * b->count * g->wide;
        DAL_TRY(dal_gr_load(g, k));
        if (k < end) {
            dal_zero(b->Y, g->ny * b->count);
            DAL_TRY(dal_gr_seed(g, b, k));
        }
        DAL_TRY(dal_gr_outputs_rate(g, g->outputs.rate, k));
        for (int j = 0; j < b->count; ++j) {
            const int value = b->first + j < g->nof ? b->first + j : -1;
            const int weighed = dal_gr_weights(g, b->c, NULL, value, k);
            w[j * g->wide] =
                dal_gr_time_slope(g, value, k) + (weighed ? dal_dot(b->c, g->outputs.rate, g->plan.ninputs) : 0.0);
            dal_copy(w + j * g->wide + 1, b->Y + j * g->ny, g->ny);
        }
    }
    return DAL_OK;
}

/* What direction i of a chunk changes in result j. */
static double share(const dal_gradient *g, const gr_backward *b, const double *W, int i, int j)
{
    const gr_stretch *s = &g->stretch;
    double sum = 0.0;
    for (long k = 0; k < s->end - s->begin; ++k) {
        sum += dal_dot(W + (k * b->count + j) * g->wide, s->x + (k * s->count + i) * g->wide, g->wide);
    }
    return sum;
}

/* y0 (ny x count): weights of the first state; those of the numbers are added to the results. */
static dal_status all_chunks(dal_gradient *g, gr_backward *b, const double *W, directions *d, double *y0, int most)
{
    const long begin = g->stretch.begin, end = g->stretch.end;
    DAL_TRY(dal_gr_load(g, begin));
    const int ny = g->ny, all = ny + g->n;
    for (d->from = 0; d->from < all; d->from += most) {
        d->count = all - d->from < most ? all - d->from : most;
        DAL_TRY(choose(g, d, b->dp));
        DAL_TRY(dal_gr_stretch_changes(g, begin, end, d->Y, d->count, d->first));
        for (int i = 0; i < d->count; ++i) {
            const int at = d->from + i;
            for (int j = 0; j < b->count; ++j) {
                const double w = share(g, b, W, i, j);
                if (at < ny) {
                    y0[at + j * ny] = w / d->scale[at];
                } else {
                    dal_gr_row_of(g, b->first + j)[at - ny] += w;
                }
            }
        }
    }
    dal_copy(b->Y, y0, ny * b->count);
    return DAL_OK;
}

static dal_status go_back(dal_gradient *g, gr_backward *b, long begin, long end)
{
    enum { ROOM = 1 << 22, LEAST = 16 }; // numbers that changes of states may take
    const long states = end - begin, fits = ROOM / (states * g->wide);
    const int all = g->wide + g->n, most = fits < LEAST ? LEAST : fits > all ? all : (int)fits;
    const size_t weights = (size_t)states * (size_t)b->count * (size_t)g->wide;
    const size_t room = weights + (size_t)g->wide * (size_t)(most + b->count + 1);
    double *W = dal_alloc_zero(g->ctx, room * sizeof *W);
    if (!W) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the adjoint of an event");
    }
    directions d = {.Y = W + weights};
    double *y0 = d.Y + (ptrdiff_t)g->wide * most;
    d.scale = y0 + (ptrdiff_t)g->wide * b->count;
    dal_status st = weigh(g, b, W, begin, end);
    g->stretch.begin = begin;
    g->stretch.end = end;
    st = st == DAL_OK ? all_chunks(g, b, W, &d, y0, most) : st;
    dal_free(g->ctx, W);
    return st;
}

dal_status dal_gr_stretch_back(dal_gradient *g, gr_backward *b, long *i, int *done)
{
    *done = b->nstretches > 0 && b->stretch[2 * b->nstretches - 1] == *i;
    if (!*done) {
        return DAL_OK;
    }
    const long begin = b->stretch[2 * --b->nstretches];
    DAL_TRY(go_back(g, b, begin, *i));
    *i = begin;
    return DAL_OK;
}
