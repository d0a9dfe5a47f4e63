/* Impacts and events (GR.15). Steps end at the same times as without them: after an event the run returns to these times. The steps
 * around it, from the last state before it to the first from which steps of the usual size go on, are differentiated by differences
 * of these steps alone, with event, impact, other rows and starts in them; all other steps exactly. */
#include <math.h>
#include <string.h>

#include "base/stencil.h"
#include "base/vector.h"
#include "gradient/gradient_impl.h"

/* What is shorter than that part of a step is taken together with the next: no round number, at which events like to be. Then, the
 * first of two steps. */
static const double short_part = 0.2371;
static const double part = 0.45;

/* ---- times ------------------------------------------------------------------------------------ */

/* The time at which steps end that follows t; *before: the one up to t. */
static double usual_time(const dal_gradient *g, double t, double *before)
{
    if (!g->pilot) {
        const double h = g->opt.h, k = floor(t / h + 1e-9), next = (k + 1.0) * h;
        *before = k * h;
        return next > g->t_end - 1e-9 * h ? g->t_end : next;
    }
    long low = 0, high = g->ntimes;
    while (low < high) { // the first time behind t
        const long mid = (low + high) / 2;
        *(g->times[mid] <= t ? &low : &high) = g->times[mid] <= t ? mid + 1 : mid;
    }
    *before = low > 0 ? g->times[low - 1] : 0.0;
    return low < g->ntimes ? g->times[low] : g->t_end;
}

static int is_usual(const dal_gradient *g, double t)
{
    double before;
    const double next = usual_time(g, t, &before);
    return fabs(t - before) <= 1e-9 * (next - before) || t >= g->t_end;
}

/* What a run beside the run takes for its next time: as the run did, whose decisions are not differentiated. */
static double probed_time(const dal_gradient *g, double t);

/* After an event no step is much shorter than usual. Two steps in place of one and a bit are of different size: steps of the same
 * size but for rounding are a matter of chance to methods that are tuned for a size. */
double dal_gr_next_time(const dal_gradient *g, double t)
{
    double before, unused;
    const double next = usual_time(g, t, &before);
    if (g->probe && !is_usual(g, t)) {
        return probed_time(g, t);
    }
    if (is_usual(g, t) || next >= g->t_end || next - t >= short_part * (next - before)) {
        return next;
    }
    const double middle = t + part * (usual_time(g, next, &unused) - t);
    return middle > next ? middle : next;
}

/* ---- runs beside the run ---------------------------------------------------------------------- */

/* States as they come: t, kind of state with number of rows, q, v, v', what has the place of a, lambda. */
typedef struct gr_probe {
    int need, count, size;   /* states; numbers of a state */
    double *x;               /* need x size */
    double *record, *inputs; /* inputs: at its end */
} gr_probe;

enum { PROBE_TIME, PROBE_ROWS, PROBE_KIND, PROBE_Q };

static double probed_time(const dal_gradient *g, double t)
{
    const long next = g->stretch.begin + 1 + g->probe->count;
    const double tn = dal_gr_time(g, next < g->nrecords ? next : g->nrecords - 1), before = dal_gr_time(g, next - 1);
    double usual;
    if (next >= g->nrecords || dal_gr_kind(g, next) != GR_STEP || is_usual(g, tn)) {
        return dal_gr_kind(g, next) == GR_STEP ? tn : usual_time(g, t, &usual);
    }
    return t + part * (before + (tn - before) / part - t);
}

static void add_point(dal_gradient *g, const dal_point *at, gr_kind kind, int nc, const double *extra, int nextra)
{
    gr_probe *p = g->probe;
    const int nq = g->sys->group->nq, nv = g->nv;
    if (p->count >= p->need) {
        return;
    }
    double *x = p->x + (size_t)p->count++ * (size_t)p->size, *v = x + PROBE_Q + nq;
    dal_zero(x, p->size);
    x[PROBE_TIME] = at->t;
    x[PROBE_ROWS] = nc;
    x[PROBE_KIND] = (double)kind + 0.5 * is_usual(g, at->t); // steps that end at the same times, or move with an event
    dal_copy(x + PROBE_Q, at->q, nq);
    dal_copy(v, at->v, nv);
    dal_copy(v + nv, at->vd, nv);
    if (extra) {
        dal_copy(v + 2 * nv, extra, nextra);
    }
    dal_copy(v + 3 * nv, at->la, nc);
}

static void add_current(dal_gradient *g, int end, gr_kind kind)
{
    double *x = g->probe->record;
    int n = 0;
    g->type->record(g->parts.method, x, end);
    const double *extra = g->type->extra(g->parts.method, x, &n);
    const dal_point at = g->type->point(g->parts.method, x);
    add_point(g, &at, kind, g->parts.ev->nc, extra, n);
}

dal_status dal_gr_probed(dal_gradient *g, int happened)
{
    gr_probe *p = g->probe;
    if (happened) {
        const double *x = g->before;
        const dal_point at = {x[0], x + g->place[0], x + g->place[1], x + g->place[2], x + g->place[3]};
        add_point(g, &at, GR_BEFORE, g->before_rows, NULL, 0);
    } else if (g->parts.fresh) {
        add_current(g, 1, GR_STEP);
    }
    g->before_known = 0;
    add_current(g, 0, happened ? GR_AFTER : g->parts.fresh ? GR_START : GR_STEP);
    return happened || p->count >= p->need ? DAL_RETRY : DAL_OK;
}

/* The current state moves along y. */
static void move(dal_gradient *g, const double *y, double dt, double by)
{
    dal_state_buffer *s = g->parts.method->current;
    const int nv = g->nv;
    int n = 0;
    double *extra = g->type->extra(g->parts.method, NULL, &n);
    for (int i = 0; i < nv; ++i) {
        g->outputs.theta[i] = by * y[i];
    }
    dal_retract(g->sys->group, g->outputs.q, s->q, g->outputs.theta);
    dal_copy(s->q, g->outputs.q, g->sys->group->nq);
    dal_add_multiple(s->v, y + nv, by, nv);
    dal_add_multiple(s->vd, y + 3 * nv, by, nv);
    dal_add_multiple(s->la, y + 4 * nv, by, g->nc);
    if (extra) {
        dal_add_multiple(extra, y + 2 * nv, by, n);
    }
    s->t += by * dt;
    s->known = 0;
}

typedef struct trial {
    void *here; /* snapshot of the state before */
    size_t size;
    const double *y; /* its change; NULL: none */
    int number;      /* that moves along; -1: none */
    double by;
    double *six, *four; /* changes of all states, `width` numbers */
    int width;
    double fastest; /* speed of the state before */
} trial;

/* Are its states of the kinds that the run has, with as many rows as `like` has? NULL: it is the run once more. */
static int is_same(const dal_gradient *g, const gr_probe *p, const gr_probe *like)
{
    int same = p->count == p->need;
    for (int k = 0; same && k < p->need; ++k) {
        const double *a = p->x + (ptrdiff_t)k * p->size, t = dal_gr_time(g, g->stretch.begin + 1 + k);
        const gr_kind kind = dal_gr_kind(g, g->stretch.begin + 1 + k);
        same = a[PROBE_KIND] == (double)kind + 0.5 * is_usual(g, t) &&
               (like || fabs(a[PROBE_TIME] - t) <= 1e-9 * g->opt.h) &&
               (!like || a[PROBE_ROWS] == like->x[(ptrdiff_t)k * p->size + PROBE_ROWS]);
    }
    return same;
}

/* Run on from a state that is moved. */
static dal_status probe(dal_gradient *g, gr_probe *p, const trial *how, const gr_probe *like, int *same)
{
    dal_stop reason = DAL_STOP_OBSERVER;
    double *number = how->number >= 0 ? &g->now[how->number] : NULL, own = number ? *number : 0.0;
    DAL_TRY(dal_sim_restore(g->sim, how->here, how->size));
    DAL_TRY(dal_gr_set_inputs(g, g->stretch.begin));
    if (number) {
        *number = own + how->by;
    }
    const dal_status set = dal_gr_set(g, dal_sim_data(g->sim), g->now);
    if (number) {
        *number = own;
    }
    DAL_TRY(set);
    g->parts = dal_sim_parts_of(g->sim);
    (void)dal_sim_contact_events(g->sim, &g->logged);
    if (how->y) {
        move(g, how->y, 0.0, how->by);
    }
    p->count = g->before_known = 0;
    g->probe = p;
    dal_status st = DAL_OK;
    while (st == DAL_OK && p->count < p->need && reason == DAL_STOP_OBSERVER) {
        st = dal_gr_advance(g, &reason);
    }
    g->probe = NULL;
    *same = st == DAL_OK && is_same(g, p, like);
    if (p->inputs) {
        dal_copy(p->inputs, dal_sim_data(g->sim)->input, g->sys->ninputs);
    }
    return st < 0 ? st : DAL_OK;
}

/* ---- stretches -------------------------------------------------------------------------------- */

static dal_status probe_init(const dal_gradient *g, gr_probe *p, int need)
{
    const int rows = dal_system_rows(g->sys), nq = g->sys->group->nq;
    *p = (gr_probe){.need = need, .size = PROBE_Q + nq + 3 * g->nv + rows};
    const size_t record = 64 + (size_t)nq + 32 * (size_t)(g->nv + rows);
    p->x = dal_alloc_zero(g->ctx, ((size_t)need * (size_t)p->size + record + (size_t)g->sys->ninputs) * sizeof *p->x);
    if (!p->x) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for states around an event");
    }
    p->record = p->x + (size_t)need * (size_t)p->size;
    p->inputs = p->record + record;
    return DAL_OK;
}

/* x += w times what the states of p differ by from those of `own`: time and change of each, g->wide apart */
static void add_differences(dal_gradient *g, double *x, const gr_probe *p, const gr_probe *own, double w)
{
    const int nq = g->sys->group->nq, nv = g->nv;
    for (int k = 0; k < p->need; ++k) {
        const double *a = p->x + (ptrdiff_t)k * p->size, *b = own->x + (ptrdiff_t)k * p->size;
        const double *va = a + PROBE_Q + nq, *vb = b + PROBE_Q + nq;
        double *y = x + (ptrdiff_t)k * g->wide + 1;
        y[-1] += w * (a[PROBE_TIME] - b[PROBE_TIME]);
        dal_difference(g->sys->group, g->outputs.theta, b + PROBE_Q, a + PROBE_Q);
        dal_add_multiple(y, g->outputs.theta, w, nv);
        for (int i = 0; i < nv; ++i) {
            y[nv + i] += w * (va[i] - vb[i]);
            y[2 * nv + i] += w * (va[2 * nv + i] - vb[2 * nv + i]);
            y[3 * nv + i] += w * (va[nv + i] - vb[nv + i]);
        }
        for (int i = 0; i < (int)a[PROBE_ROWS]; ++i) {
            y[4 * nv + i] += w * (va[3 * nv + i] - vb[3 * nv + i]);
        }
    }
}

/* By how much a state is moved, and a number. */
static double way_of(const dal_gradient *g, const double *y, const dal_point *at, int number)
{
    static const double share = 1e-3;
    const double *unit = g->parts.ev->unit;
    const double own = number >= 0 ? fabs(g->now[number]) : 1.0, fastest = dal_max_abs(at->v, g->nv);
    double way = number >= 0 ? share * (own > 0.0 ? own : 1.0) : share;
    for (int i = 0; i < g->nv; ++i) {
        way = fmin(way, share * unit[i] / fmax(fabs(y[i]), 1e-300));
        way = fmin(way, share * fmax(unit[i], fastest) / fmax(fabs(y[g->nv + i]), 1e-300));
    }
    return way;
}

static dal_status elsewhere(const dal_gradient *g, int number)
{
    return dal_fail(
        g->ctx, DAL_EINVAL,
        "gradients: what happens after t = %.9g changes its kind or its order with '%s' at once: two events "
        "at the same time, an impact without speed, a contact that only just slides. There the run has no "
        "derivative; %s",
        dal_gr_time(g, g->stretch.begin), number >= 0 ? g->name[number] : "the state",
        number < 0 && g->about.mode == DAL_GRADIENT_ADJOINT
            ? "choose forward mode, which needs it only in the directions that the numbers move the state in"
            : "other values of the model have");
}

/* Later steps do not know that. */
static dal_status check_inputs(const dal_gradient *g, const gr_probe *p, const gr_probe *own, int number)
{
    for (int k = 0; k < g->sys->ninputs; ++k) {
        if (p->inputs[k] != own->inputs[k]) {
            return dal_fail(
                g->ctx, DAL_EINVAL,
                "gradients: an event after t = %.9g sets input '%s' to a value that changes with '%s', which "
                "is not differentiated: let the event set a constant, and a force multiply it",
                dal_gr_time(g, g->stretch.begin), g->sys->input[k].name, number >= 0 ? g->name[number] : "the state");
        }
    }
    return DAL_OK;
}

/* Differences of six values over a way, and of the inner four. */
static dal_status six_values(dal_gradient *g, trial *how, gr_probe *p, const gr_probe *own, double by, int *same)
{
    *same = 1;
    dal_zero(how->six, 2 * how->width);
    for (int k = 0; k < dal_six_values.n && *same; ++k) {
        how->by = dal_six_values.place[k] * by;
        DAL_TRY(probe(g, p, how, own, same));
        DAL_TRY(*same ? check_inputs(g, p, own, how->number) : DAL_OK);
        add_differences(g, how->six, p, own, dal_six_values.weight[k] / by);
        if (k > 0 && k < dal_six_values.n - 1) {
            add_differences(g, how->four, p, own, dal_four_values.weight[k - 1] / by);
        }
    }
    return DAL_OK;
}

/* How far six values and four over `by` are apart in places and speeds, of the largest change, or of a small one. */
static double apart(const dal_gradient *g, const trial *how, double by)
{
    static const double small = 1e-6;
    const double *unit = g->parts.ev->unit;
    double most = small / by, off = 0.0;
    for (int k = 0; k < how->width; k += g->wide) {
        for (int i = 0; i < 2 * g->nv; ++i) {
            const double size = i < g->nv ? unit[i] : fmax(unit[i - g->nv], how->fastest), y = how->six[k + 1 + i];
            most = fmax(most, fabs(y) / size);
            off = fmax(off, fabs(y - how->four[k + 1 + i]) / size);
        }
    }
    return off / most;
}

/* A number that these states do not follow from, as most values of a table: *same. */
static dal_status is_idle(dal_gradient *g, trial *how, gr_probe *p, const gr_probe *own, int *same)
{
    const double by = how->by;
    how->by = dal_six_values.place[0] * by;
    DAL_TRY(probe(g, p, how, own, same));
    how->by = by;
    *same = *same && memcmp(p->x, own->x, (size_t)p->need * (size_t)p->size * sizeof *p->x) == 0 &&
            memcmp(p->inputs, own->inputs, (size_t)g->sys->ninputs * sizeof *p->x) == 0;
    return DAL_OK;
}

/* Changes of all states of the stretch in one direction. The way is shorter where the order of events changes within it, or six values
 * say something else than four; rounding, and what iterations leave over, count less over a long one. */
static dal_status one_direction(dal_gradient *g, trial *how, gr_probe *p, const gr_probe *own, double *best)
{
    enum { TRIES = 12 };
    static const double good = 1e-9, kink = 1e-3;
    double by = how->by, least = INFINITY;
    int same = 0;
    dal_status st = DAL_OK;
    dal_zero(best, how->width);
    if (how->number >= 0 && dal_max_abs(how->y, g->ny) == 0.0) {
        st = is_idle(g, how, p, own, &same);
        DAL_TRY(st == DAL_EINVAL ? DAL_OK : st);
        least = st == DAL_OK && same ? 0.0 : least;
    }
    for (int k = 0; k < TRIES && least > good; ++k, by *= 0.4) {
        st = six_values(g, how, p, own, by, &same);
        DAL_TRY(st == DAL_EINVAL ? DAL_OK : st); // a joint that is switched on holds for small changes alone
        const double off = st == DAL_OK && same ? apart(g, how, by) : INFINITY;
        if (off > 10.0 * least) {
            break; // rounding
        }
        if (off < least) {
            least = off;
            dal_copy(best, how->six, how->width);
        }
    }
    return least < kink ? DAL_OK : st < 0 ? st : elsewhere(g, how->number);
}

/* Direction j moves number j - first along, from `first` on. */
static dal_status all_directions(dal_gradient *g, const double *Y, int count, int first, trial *how, gr_probe *p)
{
    gr_probe own;
    int same;
    const gr_stretch *s = &g->stretch;
    const dal_point at = dal_gr_point(g, s->begin);
    double *ways = dal_alloc_zero(g->ctx, ((size_t)count + 3 * (size_t)how->width) * sizeof *ways);
    if (!ways) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for differences");
    }
    double *best = ways + count;
    how->six = best + how->width;
    how->four = how->six + how->width;
    how->fastest = dal_max_abs(at.v, g->nv);
    for (int j = 0; j < count; ++j) {
        ways[j] = way_of(g, Y + (ptrdiff_t)j * g->ny, &at, j >= first ? j - first : -1);
    }
    dal_status st = probe_init(g, &own, p->need);
    st = st == DAL_OK ? probe(g, &own, &(trial){.here = how->here, .size = how->size, .number = -1}, NULL, &same) : st;
    st = st == DAL_OK && !same ? elsewhere(g, -1) : st;
    for (int j = 0; j < count && st == DAL_OK; ++j) {
        how->y = Y + (ptrdiff_t)j * g->ny;
        how->number = j >= first ? j - first : -1;
        how->by = ways[j];
        st = one_direction(g, how, p, &own, best);
        for (int k = 0; k < p->need; ++k) {
            dal_copy(s->x + ((ptrdiff_t)k * count + j) * g->wide, best + (ptrdiff_t)k * g->wide, g->wide);
        }
    }
    dal_free(g->ctx, own.x);
    dal_free(g->ctx, ways);
    return st;
}

dal_status dal_gr_stretch_changes(dal_gradient *g, long begin, long end, const double *Y, int count, int first)
{
    gr_stretch *s = &g->stretch;
    const size_t states = (size_t)(end - begin);
    gr_probe p;
    s->begin = begin;
    s->end = end;
    s->count = count;
    dal_free(g->ctx, s->x);
    s->x = dal_alloc_zero(g->ctx, states * (size_t)count * (size_t)g->wide * sizeof *s->x + 1);
    if (!s->x) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for changes of states around an event");
    }
    DAL_TRY(dal_gr_go_to(g, begin));
    const size_t size = dal_sim_snapshot_size(g->sim);
    trial how = {.here = dal_alloc(g->ctx, size), .size = size, .width = (int)states * g->wide};
    if (!how.here) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for a snapshot");
    }
    dal_status st = probe_init(g, &p, (int)states);
    st = st == DAL_OK ? dal_sim_save(g->sim, how.here, size) : st;
    st = st == DAL_OK ? all_directions(g, Y, count, first, &how, &p) : st;
    dal_free(g->ctx, p.x);
    dal_free(g->ctx, how.here);
    g->held = 0; // the simulation is elsewhere
    const dal_status set = dal_gr_set(g, dal_sim_data(g->sim), g->now);
    return st < 0 ? st : set;
}

static int third_counts(const dal_gradient *g)
{
    return g->opt.integrator == DAL_INTEGRATOR_LOBATTO; // its dense output has three states
}

/* Can the step after state k be differentiated by itself? */
static int goes_on(const dal_gradient *g, long k)
{
    const double h = g->opt.h, t = dal_gr_time(g, k);
    const int last = k + 1 >= g->nrecords, event = !last && dal_gr_kind(g, k + 1) == GR_BEFORE;
    if ((dal_gr_kind(g, k) != GR_STEP && dal_gr_kind(g, k) != GR_START) || !is_usual(g, t)) {
        return 0;
    }
    if (!last && !event && !is_usual(g, dal_gr_time(g, k + 1))) { // steps that were cut
        return 0;
    }
    if (g->opt.integrator != DAL_INTEGRATOR_GENALPHA) {
        return !(third_counts(g) && event);
    }
    const int led = fabs(t - dal_gr_time(g, k - 1) - h) <= 1e-9 * h;
    return led && (last || event || fabs(dal_gr_time(g, k + 1) - t - h) <= 1e-9 * h);
}

/* Does a stretch begin with the step to state i? */
static int begins(const dal_gradient *g, long i)
{
    const int next =
        third_counts(g) && i + 1 < g->nrecords && dal_gr_kind(g, i) == GR_STEP && dal_gr_kind(g, i + 1) == GR_BEFORE;
    return next || dal_gr_kind(g, i) == GR_BEFORE;
}

static long end_of(const dal_gradient *g, long i)
{
    long k = i;
    for (long seen = -1; k + 1 < g->nrecords; ++k) {
        seen = dal_gr_kind(g, k) == GR_AFTER ? k : seen;
        if (seen >= 0 && k > seen && goes_on(g, k)) {
            break;
        }
    }
    return k;
}

int dal_gr_next_stretch(const dal_gradient *g, long *begin, long *end, long from)
{
    for (long i = from + 1; i < g->nrecords; ++i) {
        if (begins(g, i)) {
            *begin = i - 1;
            *end = end_of(g, i);
            return 1;
        }
    }
    return 0;
}

dal_status dal_gr_stretch_to(dal_gradient *g, double *Y, int *done, long i, int count, int first)
{
    gr_stretch *s = &g->stretch;
    *done = 0;
    dal_zero(g->dt, count);
    if (!g->happens || i == 0) {
        s->begin = s->end = 0;
        return DAL_OK;
    }
    if (i > s->end && begins(g, i)) {
        DAL_TRY(dal_gr_stretch_changes(g, i - 1, end_of(g, i), Y, count, first));
    }
    if (i <= s->begin || i > s->end) {
        return DAL_OK;
    }
    DAL_TRY(dal_gr_load(g, i));
    for (int j = 0; j < count; ++j) {
        const double *x = s->x + ((size_t)(i - s->begin - 1) * (size_t)count + (size_t)j) * (size_t)g->wide;
        g->dt[j] = x[0];
        dal_copy(Y + (ptrdiff_t)j * g->ny, x + 1, g->ny);
    }
    *done = 1;
    return DAL_OK;
}

/* ---- what happened ---------------------------------------------------------------------------- */

dal_status dal_gr_events_init(dal_gradient *g)
{
    const int rows = dal_system_rows(g->sys);
    g->wide = 1 + 4 * g->nv + rows;
    DAL_TAKE(&g->pool, g->dt, g->n + g->nof + 2);
    if (g->happens) {
        const int record = 64 + g->sys->group->nq + 32 * (g->nv + rows);
        DAL_TAKE(&g->pool, g->before, record + g->sys->nmemory + g->plan.ninputs);
    }
    return DAL_OK;
}

void dal_gr_events_clear(dal_gradient *g)
{
    dal_free(g->ctx, g->stretch.x);
    dal_free(g->ctx, g->event_row);
    g->stretch = (gr_stretch){0};
    g->event_row = NULL;
}

long dal_gr_event(const dal_gradient *g, int k)
{
    for (long i = 0; i < g->nrecords; ++i) {
        if (dal_gr_kind(g, i) == GR_AFTER && k-- == 0) {
            return i;
        }
    }
    return -1;
}

dal_status dal_gr_event_rows(dal_gradient *g)
{
    int n = 0;
    for (long i = 0; i < g->nrecords; ++i) {
        n += dal_gr_kind(g, i) == GR_AFTER;
    }
    dal_free(g->ctx, g->event_row);
    g->event_row = dal_alloc_zero(g->ctx, (size_t)(n + 1) * (size_t)(g->n + 1) * sizeof *g->event_row);
    return g->event_row ? DAL_OK : dal_fail(g->ctx, DAL_ENOMEM, "no memory for the times of %d events", n);
}

void dal_gr_note_event(dal_gradient *g, long i)
{
    int k = 0;
    if (dal_gr_kind(g, i) != GR_AFTER) {
        return;
    }
    for (long j = 0; j < i; ++j) {
        k += dal_gr_kind(g, j) == GR_AFTER;
    }
    dal_copy(g->event_row + (ptrdiff_t)k * g->n, g->dt, g->n);
}
