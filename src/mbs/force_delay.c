/* What a value was some time ago, y(t) = f(t - T): an input of laws and states, as a state is. Its history is in the memory of the run: the
 * values at the ends of steps and at nodes within them, at least T/GRAIN apart but for the last one; between them it is the cubic through four neighbours, and
 * before the start what it was there. Within a step t - T lies in the past, so it has no derivatives: steps are at most T. (MB.22) */
#include <math.h>

#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"

enum { ROOM = 512, GRAIN = 256 }; /* points that are kept; in a time T at most, the last two apart */
/* The memory: how many points there have been, the time of the start, then (t, y) of each. */
enum { COUNT, BEGIN, POINTS, SIZE = POINTS + 2 * ROOM };

static const double *point(const double *history, double k)
{
    return history + POINTS + 2 * (int)fmod(k, ROOM);
}

/* Through the points number first .. first + n - 1. */
static double polynomial(const double *history, double first, int n, double t)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double *p = point(history, first + i);
        double weight = 1.0;
        for (int j = 0; j < n; ++j) {
            const double *o = point(history, first + j);
            weight *= j != i ? (t - o[0]) / (p[0] - o[0]) : 1.0;
        }
        sum += weight * p[1];
    }
    return sum;
}

static double recall(const double *history, double t)
{
    const double n = history[COUNT], oldest = fmax(0.0, n - ROOM);
    double lo = oldest, hi = n - 1.0;
    if (t <= point(history, lo)[0]) {
        return point(history, lo)[1];
    }
    if (t >= point(history, hi)[0]) {
        return point(history, hi)[1];
    }
    while (hi - lo > 1.0) {
        const double mid = floor(0.5 * (lo + hi));
        *(point(history, mid)[0] <= t ? &lo : &hi) = mid;
    }
    const int all = (int)fmin(4.0, n - oldest);
    return polynomial(history, fmax(oldest, fmin(lo - 1.0, n - all)), all, t);
}

double mb_delayed(const mb_force *f, mb_instance *m, const dal_point *at)
{
    if (!m->memory || m->memory[MB_MEMORY_STARTED] == 0.0 || m->memory[f->history + COUNT] < 1.0) {
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
    return recall(history, t);
}

/* A final state. */
static void keep(const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment)
{
    double *history = m->memory + f->history;
    const double y = mb_law_value(NULL, f, m, at);
    if (moment == DAL_MOMENT_START) {
        history[COUNT] = 0.0;
        history[BEGIN] = at->t;
    }
    double n = history[COUNT];
    const double *last = point(history, n - 1.0 > 0.0 ? n - 1.0 : 0.0),
                 *before = point(history, n > 1.0 ? n - 2.0 : 0.0);
    const int same = n >= 1.0 && at->t <= last[0], dense = n >= 2.0 && last[0] - before[0] < f->d.time / GRAIN;
    n += same || dense ? 0.0 : 1.0;
    history[COUNT] = n;
    double *to = history + POINTS + 2 * (int)fmod(n - 1.0, ROOM);
    to[0] = at->t;
    to[1] = y;
}

double mb_delay_break(const mb_force *f, const mb_instance *m, double t)
{
    const double first = m->memory ? m->memory[f->history + BEGIN] + f->d.time : INFINITY;
    return m->memory && m->memory[MB_MEMORY_STARTED] != 0.0 && first > t ? first : INFINITY;
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
    .value = undelayed,
    .angles = mb_law_angle,
    .element = {
        .wants = MB_WANTS_FORCE, .connect = connect_none, .residual = delay_residual, .tangent = delay_tangent}};
