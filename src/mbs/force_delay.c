/* What a value was some time ago, y(t) = f(t - T): an input of laws and states, as a state is. Its history is in the memory of the run: the
 * values at the ends of steps and at nodes within them, at least T/GRAIN apart but for the last one; between them it is the cubic through four neighbours, and
 * before the start what it was there. Within a step t - T lies in the past, so it has no derivatives: steps are at most T. (MB.22) */
#include <math.h>

#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"
#include "mbs/recall.h"

enum { ROOM = 512, GRAIN = 256 }; /* points that are kept; in a time T at most, the last two apart */
/* The memory: how many points there have been, the time of the start, then (t, y) of each. */
enum { COUNT, BEGIN, POINTS, SIZE = POINTS + 2 * ROOM };

static const double *point(const double *history, double k)
{
    return history + POINTS + 2 * (int)fmod(k, ROOM);
}

/* A value between points: numbers of the first and of how many, and their weights. */
typedef struct recollection {
    double first;
    int n;
    double weight[MB_DELAY_POINTS];
} recollection;

/* The polynomial through the points number first .. first + n - 1. */
static recollection polynomial(const double *history, double first, int n, double t)
{
    recollection x = {.first = first, .n = n};
    for (int i = 0; i < n; ++i) {
        const double *p = point(history, first + i);
        x.weight[i] = 1.0;
        for (int j = 0; j < n; ++j) {
            const double *o = point(history, first + j);
            x.weight[i] *= j != i ? (t - o[0]) / (p[0] - o[0]) : 1.0;
        }
    }
    return x;
}

static recollection recall(const double *history, double t)
{
    const double n = history[COUNT], oldest = fmax(0.0, n - ROOM);
    double lo = oldest, hi = n - 1.0;
    if (t <= point(history, lo)[0]) {
        return (recollection){.first = lo, .n = 1, .weight = {1.0}};
    }
    if (t >= point(history, hi)[0]) {
        return (recollection){.first = hi, .n = 1, .weight = {1.0}};
    }
    while (hi - lo > 1.0) {
        const double mid = floor(0.5 * (lo + hi));
        *(point(history, mid)[0] <= t ? &lo : &hi) = mid;
    }
    const int all = (int)fmin(MB_DELAY_POINTS, n - oldest);
    return polynomial(history, fmax(oldest, fmin(lo - 1.0, n - all)), all, t);
}

static int has_history(const mb_force *f, const mb_instance *m)
{
    return m->memory && m->memory[f->history + COUNT] >= 1.0;
}

int mb_delayed_from(int slot[MB_DELAY_POINTS], double weight[MB_DELAY_POINTS], const mb_force *f, const mb_instance *m,
                    double t)
{
    if (!has_history(f, m)) {
        return 0;
    }
    const double *history = m->memory + f->history;
    const recollection x = recall(history, t - f->d.time);
    for (int i = 0; i < x.n; ++i) {
        slot[i] = (int)(point(history, x.first + i) - m->memory) + 1;
        weight[i] = x.weight[i];
    }
    return x.n;
}

double mb_delayed(const mb_force *f, mb_instance *m, const dal_point *at)
{
    if (!has_history(f, m)) {
        return mb_law_value(NULL, f, m, at); // as if it had always been so
    }
    const double *history = m->memory + f->history, t = at->t - f->d.time;
    const double last = point(history, history[COUNT] - 1.0)[0];
    if (t > last + 1e-9 * f->d.time) {
        MB_FAIL(
            m, DAL_RETRY,
            "force '%s': its delay of %g s is shorter than the step from t = %.9g to %.9g; use a smaller h or h_max",
            m->of->force_names.name[f - m->force], f->d.time, last, at->t);
    }
    const recollection x = recall(history, t);
    double y = 0.0;
    for (int i = 0; i < x.n; ++i) {
        y += x.weight[i] * point(history, x.first + i)[1];
    }
    return y;
}

/* How many points there are with one at t. */
static double count_with(const double *history, const mb_force *f, double t, dal_moment moment)
{
    const double n = moment == DAL_MOMENT_START ? 0.0 : history[COUNT];
    const double *last = point(history, n - 1.0 > 0.0 ? n - 1.0 : 0.0),
                 *before = point(history, n > 1.0 ? n - 2.0 : 0.0);
    const int same = n >= 1.0 && t <= last[0], dense = n >= 2.0 && last[0] - before[0] < f->d.time / GRAIN;
    return n + (same || dense ? 0.0 : 1.0);
}

/* A final state; or the consistent place and velocity that a start goes on from, where the delay shows what is there. */
static void keep(const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment)
{
    double *history = m->memory + f->history;
    if (m->memory[MB_MEMORY_STARTED] == 0.0 && mb_reads_reactions(f)) {
        return; // which are not known yet
    }
    const double y = mb_law_value(NULL, f, m, at), n = count_with(history, f, at->t, moment);
    history[BEGIN] = moment == DAL_MOMENT_START ? at->t : history[BEGIN];
    history[COUNT] = n;
    double *to = history + POINTS + 2 * (int)fmod(n - 1.0, ROOM);
    to[0] = at->t;
    to[1] = y;
}

static void add_reaction(mb_recall *x, const mb_input *in, mb_instance *m, const dal_point *at, double by)
{
    static const double none[6] = {0.0};
    double g6[2][6];
    for (int n = 0; n < in->nblocks; ++n) {
        double w[MB_ROWS];
        const mb_constraint *c = mb_reaction_block(w, in, n, m);
        for (int r = 0; r < c->nrows; ++r) {
            mb_recall_reaction(x, c->row0 + r, by * w[r]);
        }
    }
    mb_reaction_gradient(g6, in, m, at);
    for (int j = 0; j < 2; ++j) {
        dal_scale(g6[j], by, 6);
        mb_recall_body(x, in->marker[j].body, g6[j], none, none);
    }
}

/* What its value now follows from. */
static void add_value(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at, // NOLINT(misc-no-recursion)
                      double by)
{
    static const double none[6] = {0.0};
    double Fk[DAL_INPUTS_MAX], g6[2][6], z6[2][6], weight[MB_DELAY_POINTS];
    int slot[MB_DELAY_POINTS];
    (void)mb_law_value(Fk, f, m, at);
    for (int k = 0; k < f->d.ninputs; ++k) {
        const mb_input *in = &f->input[k];
        const mb_force *read = in->state >= 0 ? &m->force[in->state] : NULL;
        const double w = by * Fk[k];
        if (in->reaction >= 0) {
            add_reaction(x, in, m, at, w);
        } else if (read && !read->type->keep) {
            mb_recall_velocity(x, read->v, w);
        } else if (read && !has_history(read, m)) {
            add_value(x, read, m, at, w);
        } else if (read) {
            const int n = mb_delayed_from(slot, weight, read, m, at->t);
            for (int i = 0; i < n; ++i) {
                mb_recall_from(x, slot[i], w * weight[i]);
            }
        } else {
            mb_input_gradient(g6, z6, in, m, at);
            for (int j = 0; j < 2; ++j) {
                dal_scale(g6[j], w, 6);
                dal_scale(z6[j], w, 6);
                mb_recall_body(x, in->marker[j].body, in->rate ? z6[j] : g6[j], in->rate ? g6[j] : none, none);
            }
        }
    }
}

static void delay_renewed(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment)
{
    const double *history = m->memory + f->history;
    mb_recall_row(x, (int)(point(history, count_with(history, f, at->t, moment) - 1.0) - m->memory) + 1);
    add_value(x, f, m, at, 1.0);
}

static int delay_remembers(const mb_force *f, int slot)
{
    (void)f;
    return slot >= POINTS && (slot - POINTS) % 2 == 1;
}

double mb_delay_break(const mb_force *f, const mb_instance *m, double t)
{
    const double first =
        m->memory ? m->memory[f->history + BEGIN] + f->d.time : INFINITY; // of a run from 0 that has not begun
    return first > t ? first : INFINITY;
}

static void delay_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)self;
    (void)m;
    (void)out;
    (void)at;
}

/* Analyses ask for means; integrators do not. */
static void delay_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    (void)at;
    if (sink->wants & DAL_WANT_MEANS) {
        MB_FAIL(
            m, DAL_EINVAL,
            "force '%s' is a delay: linear models and equilibria have none. Replace it by states that approximate it",
            m->of->force_names.name[f - m->force]);
    }
}

static double undelayed(const mb_force *f, mb_instance *m, const dal_point *at)
{
    return mb_law_value(NULL, f, m, at);
}

static void connect_none(mb_plan *plan, void *force)
{
    (void)plan;
    (void)force;
}

static const dal_key delay_keys[] = {
    MB_KEY(NUMBER, "time", dal_force, time, "s", "the delay", MB_REQUIRED, MB_POSITIVE),
    MB_KEY_READ(EXPRESSION, "value", "", "what is delayed: expression of t, of the inputs and of variables",
                MB_REQUIRED),
    MB_KEY_READ(INPUTS, "inputs", "", "inputs by name", MB_OPTIONAL)};

const mb_force_type mb_force_delay = {
    .name = "delay",
    .about =
        MB_ABOUT("No force but what `value` was `time` ago, as an input \"name.state\" of laws, states and delays.",
                 NONE, delay_keys),
    .inputs = 1,
    .check = mb_check_law,
    .bodiless = 1,
    .history = SIZE,
    .keep = keep,
    .renewed = delay_renewed,
    .remembers = delay_remembers,
    .value = undelayed,
    .angles = mb_law_angle,
    .element = {
        .wants = MB_WANTS_FORCE, .connect = connect_none, .residual = delay_residual, .tangent = delay_tangent}};
