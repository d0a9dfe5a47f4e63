/* A unit that runs. Values are set at any time; they are told to the engine when something depends on them. */
#include "fmu/instance.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/engine.h"

struct fmu_instance {
    fmu_engine *engine;
    fmu_about about;
    fmu_logger logger;
    void *user;
    int exchange;
    double t0, t;
    double *u, *p, *y, *x, *dx; /* inputs, parameters, all outputs, states and derivatives */
    double *seen;               /* q and v of the engine */
    double *work;               /* as many, twice */
    double *z;                  /* indicators */
    int started;
    int running; /* the initialization is over */
    int told;    /* the engine knows u, t, x */
    int shown;   /* y, dx and z are those of the present state */
};

/* A state that is kept: bytes of it. */
typedef struct fmu_kept {
    size_t n;
    double x[];
} fmu_kept;

static int fmu_tell(fmu_instance *u, int failed)
{
    if (failed) {
        u->logger(u->user, 1, fmu_engine_message(u->engine));
    }
    return failed;
}

int fmu_fail(fmu_instance *u, const char *text)
{
    u->logger(u->user, 1, text);
    return 1;
}

/* ---- opening ------------------------------------------------------------------------------------ */

fmu_instance *fmu_open(const char *folder, const char *token, int exchange, fmu_logger logger, void *user)
{
    fmu_instance *u = calloc(1, sizeof *u);
    if (u == NULL) {
        return NULL;
    }
    u->logger = logger;
    u->user = user;
    u->exchange = exchange;
    u->engine = fmu_engine_open(&u->about, folder, token, exchange, logger, user);
    const size_t ni = (size_t)u->about.ninputs, np = (size_t)u->about.nparameters, ny = (size_t)u->about.noutputs,
                 nx = (size_t)u->about.nq + (size_t)u->about.nv;
    const size_t nz = (size_t)u->about.nindicators;
    u->u = u->engine != NULL ? calloc(ni + np + ny + 5 * nx + nz + 1, sizeof *u->u) : NULL;
    if (u->u == NULL) {
        fmu_close(u);
        return NULL;
    }
    u->p = u->u + ni;
    u->y = u->p + np;
    u->x = u->y + ny;
    u->dx = u->x + nx;
    u->seen = u->dx + nx;
    u->work = u->seen + nx;
    u->z = u->work + 2 * nx;
    (void)fmu_reset(u);
    return u;
}

void fmu_close(fmu_instance *u)
{
    if (u != NULL) {
        fmu_engine_close(u->engine);
        free(u->u);
        free(u);
    }
}

int fmu_reset(fmu_instance *u)
{
    for (int k = 0; k < u->about.n; ++k) {
        const fmu_variable *v = &u->about.variable[k];
        if (v->kind == FMU_INPUT) {
            u->u[v->index] = v->start;
        } else if (v->kind == FMU_PARAMETER) {
            u->p[v->index] = v->start;
        }
    }
    u->t0 = u->t = 0.0;
    u->started = u->running = u->told = u->shown = 0;
    return 0;
}

int fmu_states(const fmu_instance *u)
{
    return u->about.nstates;
}

int fmu_indicator_count(const fmu_instance *u)
{
    return u->about.nindicators;
}

/* ---- values ------------------------------------------------------------------------------------- */

/* Derivatives of q: of q exp(s v) at s = 0, by differences of order 6 whose steps turn by 0.01 rad at most: exact to rounding. */
static void fmu_rates_of_q(const fmu_instance *u, double *dq, const double *q, const double *v)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60.0};
    const int nq = u->about.nq, nv = u->about.nv;
    double *there = u->work, *theta = there + nq, most = 0.0;
    for (int k = 0; k < nv; ++k) {
        most = fmax(most, fabs(v[k]));
    }
    const double s = most > 1e-100 ? 0.01 / most : 1.0; // 0.01 over the smallest numbers is not finite
    memset(dq, 0, (size_t)nq * sizeof *dq);
    for (int j = -3; j <= 3; ++j) {
        if (j == 0) {
            continue;
        }
        for (int k = 0; k < nv; ++k) {
            theta[k] = j * s * v[k];
        }
        fmu_engine_move(u->engine, there, q, theta);
        for (int k = 0; k < nq; ++k) {
            dq[k] += (j > 0 ? 1.0 : -1.0) * weight[abs(j) - 1] * there[k] / s;
        }
    }
}

/* The engine at the present time, with the present inputs and states. */
static int fmu_settle(fmu_instance *u)
{
    if (!u->started) {
        if (fmu_tell(u, fmu_engine_start(u->engine, u->t0, u->p, u->u))) {
            return 1;
        }
        u->t = u->t0;
        u->started = 1;
    } else if (!u->told) {
        if (fmu_tell(u, fmu_engine_change(u->engine, u->t, u->p, u->u, u->exchange ? u->x : NULL))) {
            return 1;
        }
    } else {
        return 0;
    }
    u->told = 1;
    u->shown = 0;
    return 0;
}

static int fmu_show(fmu_instance *u)
{
    const int first = !u->started, nq = u->about.nq, nv = u->about.nv;
    if (fmu_settle(u)) {
        return 1;
    }
    if (u->shown) {
        return 0;
    }
    if (fmu_tell(u, fmu_engine_show(u->engine, u->y, u->seen, u->dx + nq))) {
        return 1;
    }
    if (u->exchange && u->about.nindicators > 0 && fmu_tell(u, fmu_engine_indicators(u->engine, u->z))) {
        return 1;
    }
    if (first || !u->exchange) { // states from outside stay as they are
        memcpy(u->x, u->seen, (size_t)(nq + nv) * sizeof *u->x);
    }
    fmu_rates_of_q(u, u->dx, u->seen, u->seen + nq);
    u->shown = 1;
    return 0;
}

static int fmu_get_one(fmu_instance *u, double *value, unsigned reference)
{
    if (reference >= (unsigned)u->about.n) {
        return fmu_fail(u, "there is no variable with this value reference");
    }
    const fmu_variable *v = &u->about.variable[reference];
    const int computed = v->kind >= FMU_OUTPUT;
    if (computed && fmu_show(u)) {
        return 1;
    }
    const double t = u->started ? u->t : u->t0;
    const double *const place[] = {
        [FMU_TIME] = &t,    [FMU_INPUT] = u->u,       [FMU_PARAMETER] = u->p, [FMU_OUTPUT] = u->y,
        [FMU_STATE] = u->x, [FMU_DERIVATIVE] = u->dx, [FMU_INDICATOR] = u->z};
    *value = place[v->kind][v->index];
    return 0;
}

int fmu_get(fmu_instance *u, double *value, const unsigned *reference, size_t n)
{
    int failed = 0;
    for (size_t k = 0; k < n && !failed; ++k) {
        failed = fmu_get_one(u, &value[k], reference[k]);
    }
    return failed;
}

static int fmu_set_one(fmu_instance *u, unsigned reference, double value)
{
    const fmu_variable *v = reference < (unsigned)u->about.n ? &u->about.variable[reference] : NULL;
    if (v == NULL || (v->kind != FMU_INPUT && v->kind != FMU_PARAMETER)) {
        return fmu_fail(u, "only inputs and parameters can be set");
    }
    if (u->running && v->kind == FMU_PARAMETER) {
        return fmu_fail(u, "parameters are set before the initialization is over");
    }
    if (!(value >= v->min && value <= v->max)) {
        char text[200];
        snprintf(text, sizeof text, "'%.80s' = %g is outside of its limits, %g to %g", v->name, value, v->min, v->max);
        return fmu_fail(u, text);
    }
    double *x = v->kind == FMU_INPUT ? &u->u[v->index] : &u->p[v->index];
    u->told = u->told && *x == value;
    u->started = u->started && (u->running || *x == value); // initial values follow from both
    *x = value;
    return 0;
}

int fmu_set(fmu_instance *u, const unsigned *reference, const double *value, size_t n)
{
    int failed = 0;
    for (size_t k = 0; k < n && !failed; ++k) {
        failed = fmu_set_one(u, reference[k], value[k]);
    }
    return failed;
}

void fmu_set_start(fmu_instance *u, double t)
{
    u->started = u->started && u->t0 == t;
    u->t0 = t;
}

int fmu_start(fmu_instance *u)
{
    u->running = 1;
    return fmu_show(u);
}

/* ---- steps -------------------------------------------------------------------------------------- */

int fmu_go(fmu_instance *u, fmu_step *did, double t, double h, int stop_at_events)
{
    *did = (fmu_step){.t = u->t};
    if (!(h > 0.0) || fabs(t - u->t) > 1e-9 * fmax(h, fabs(t))) {
        return fmu_fail(u, "a step must go on from where the last one ended, by a positive time");
    }
    if (fmu_settle(u)) {
        return 1;
    }
    const int failed = fmu_engine_run(u->engine, did, t + h, stop_at_events);
    u->shown = 0;
    u->t = did->t;
    return fmu_tell(u, failed);
}

/* ---- integrated from outside -------------------------------------------------------------------- */

int fmu_set_time(fmu_instance *u, double t)
{
    u->told = u->told && u->t == t;
    u->t = t;
    return 0;
}

static int fmu_other_size(fmu_instance *u, size_t n)
{
    return n == (size_t)u->about.nstates ? 0 : fmu_fail(u, "wrong number of states");
}

int fmu_set_states(fmu_instance *u, const double *x, size_t n)
{
    if (fmu_other_size(u, n)) {
        return 1;
    }
    u->told = u->told && memcmp(u->x, x, n * sizeof *x) == 0;
    memcpy(u->x, x, n * sizeof *x);
    return 0;
}

int fmu_get_states(fmu_instance *u, double *x, size_t n)
{
    if (fmu_other_size(u, n)) {
        return 1;
    }
    memcpy(x, u->x, n * sizeof *x);
    return 0;
}

int fmu_derivatives(fmu_instance *u, double *dx, size_t n)
{
    if (fmu_other_size(u, n) || fmu_show(u)) {
        return 1;
    }
    memcpy(dx, u->dx, n * sizeof *dx);
    return 0;
}

int fmu_nominals(fmu_instance *u, double *x, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        x[k] = 1.0;
    }
    return fmu_other_size(u, n);
}

int fmu_indicators(fmu_instance *u, double *z, size_t n)
{
    if (n != (size_t)u->about.nindicators) {
        return fmu_fail(u, "wrong number of event indicators");
    }
    if (fmu_show(u)) {
        return 1;
    }
    memcpy(z, u->z, n * sizeof *z);
    return 0;
}

int fmu_completed(fmu_instance *u, int *event)
{
    *event = 0;
    return fmu_settle(u) || fmu_tell(u, fmu_engine_accept(u->engine, event));
}

int fmu_update_events(fmu_instance *u, fmu_update *did)
{
    *did = (fmu_update){.next = INFINITY};
    if (!u->exchange) { // what is switched in steps of the unit has been switched already
        return 0;
    }
    if (fmu_settle(u) || fmu_tell(u, fmu_engine_switch(u->engine, did))) {
        return 1;
    }
    u->shown = 0;
    if (fmu_show(u)) {
        return 1;
    }
    const size_t size = (size_t)u->about.nstates * sizeof *u->x;
    did->moved = memcmp(u->x, u->seen, size) != 0;
    memcpy(u->x, u->seen, size);
    return 0;
}

/* ---- states of the unit that are kept ------------------------------------------------------------ */

enum { FMU_HEAD = 6 }; /* a sum of all that follows, t0, t, started, told, running */

/* FNV-1a of what is kept, but for the sum itself. */
static uint64_t fmu_sum(const fmu_kept *s)
{
    const unsigned char *bytes = (const unsigned char *)s->x;
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t k = sizeof sum; k < s->n; ++k) {
        sum = (sum ^ bytes[k]) * UINT64_C(1099511628211);
    }
    return sum;
}

/* Numbers before those of the engine. */
static size_t fmu_values_of(const fmu_instance *u)
{
    return FMU_HEAD + (size_t)u->about.ninputs + (size_t)u->about.nparameters + (size_t)u->about.nq +
           (size_t)u->about.nv;
}

static fmu_kept *fmu_room(fmu_instance *u, void **state, size_t n)
{
    fmu_kept *s = realloc(*state, sizeof *s + n);
    if (s == NULL) {
        (void)fmu_fail(u, "out of memory");
        return NULL;
    }
    s->n = n;
    *state = s;
    return s;
}

int fmu_keep(fmu_instance *u, void **state)
{
    const size_t n = fmu_values_of(u), ni = (size_t)u->about.ninputs, np = (size_t)u->about.nparameters,
                 more = u->started ? fmu_engine_size(u->engine) : 0;
    fmu_kept *s = fmu_room(u, state, n * sizeof *s->x + more);
    if (s == NULL) {
        return 1;
    }
    const double head[FMU_HEAD] = {0.0, u->t0, u->t, u->started, u->told, u->running};
    memcpy(s->x, head, sizeof head);
    memcpy(s->x + FMU_HEAD, u->u, ni * sizeof *s->x);
    memcpy(s->x + FMU_HEAD + ni, u->p, np * sizeof *s->x);
    memcpy(s->x + FMU_HEAD + ni + np, u->x, (n - FMU_HEAD - ni - np) * sizeof *s->x);
    const int failed = u->started ? fmu_tell(u, fmu_engine_save(u->engine, s->x + n, more)) : 0;
    const uint64_t sum = fmu_sum(s);
    memcpy(s->x, &sum, sizeof sum);
    return failed;
}

int fmu_return_to(fmu_instance *u, const void *state)
{
    const fmu_kept *s = state;
    const size_t n = fmu_values_of(u), ni = (size_t)u->about.ninputs, np = (size_t)u->about.nparameters;
    uint64_t told = 0;
    if (s != NULL && s->n >= n * sizeof *s->x) {
        memcpy(&told, s->x, sizeof told);
    }
    if (s == NULL || s->n < n * sizeof *s->x || told != fmu_sum(s)) {
        return fmu_fail(u, "this is no state of the unit");
    }
    const double *from = s->x;
    if (from[3] != 0.0) {
        if (!u->started && fmu_settle(u)) { // a simulation of its own life first: what its numbers follow from is bound
            return 1;
        }
        if (fmu_tell(u, fmu_engine_restore(u->engine, from + n, s->n - n * sizeof *from, from + FMU_HEAD + ni))) {
            return 1;
        }
    }
    u->t0 = from[1];
    u->t = from[2];
    u->started = from[3] != 0.0;
    u->told = from[4] != 0.0;
    u->running = from[5] != 0.0;
    u->shown = 0;
    memcpy(u->u, from + FMU_HEAD, ni * sizeof *from);
    memcpy(u->p, from + FMU_HEAD + ni, np * sizeof *from);
    memcpy(u->x, from + FMU_HEAD + ni + np, (n - FMU_HEAD - ni - np) * sizeof *from);
    return 0;
}

void fmu_forget(void **state)
{
    free(*state);
    *state = NULL;
}

size_t fmu_kept_size(const void *state)
{
    return ((const fmu_kept *)state)->n;
}

int fmu_write_kept(fmu_instance *u, const void *state, void *bytes, size_t n)
{
    const fmu_kept *s = state;
    if (n < s->n) {
        return fmu_fail(u, "there is not enough room for the state");
    }
    memcpy(bytes, s->x, s->n);
    return 0;
}

int fmu_read_kept(fmu_instance *u, void **state, const void *bytes, size_t n)
{
    fmu_kept *s = fmu_room(u, state, n);
    if (s == NULL) {
        return 1;
    }
    memcpy(s->x, bytes, n);
    return 0;
}

/* ---- derivatives -------------------------------------------------------------------------------- */

/* What is differentiated, where: in a unit that steps by itself from a state that is kept. */
typedef struct fmu_slope {
    const unsigned *unknown, *known;
    size_t n, nknown;
    const double *dx, *before;
    const void *kept;
} fmu_slope;

/* Three places, in steps from where the knowns are, and what y there counts: about it, or on one side where limits leave no other. None of the
 * places that count is where it is: what a step has left is not what a start finds, to rounding. */
enum { FMU_SIDES = 3 };
static const int fmu_first[FMU_SIDES] = {-1, 1, -3};
static const double fmu_weight[FMU_SIDES][3] = {{-0.5, 0.0, 0.5}, {-2.5, 4.0, -1.5}, {1.5, -4.0, 2.5}};

/* Where a known is; NULL: it is none. Until the initialization is over states follow from the rest. */
static double *fmu_place_of(fmu_instance *u, unsigned reference)
{
    const fmu_variable *v = reference < (unsigned)u->about.n ? &u->about.variable[reference] : NULL;
    const fmu_kind kind = v != NULL ? v->kind : FMU_TIME;
    return kind == FMU_INPUT                                ? &u->u[v->index]
           : kind == FMU_PARAMETER && !u->running           ? &u->p[v->index]
           : kind == FMU_STATE && u->running && u->exchange ? &u->x[v->index]
                                                            : NULL;
}

/* How many steps a direction is long. The error of the difference, a step's square, is that of rounding, and one known has room on some side. */
static double fmu_steps(const fmu_instance *u, const fmu_slope *d)
{
    double steps = 0.0;
    for (size_t k = 0; k < d->nknown; ++k) {
        const fmu_variable *v = &u->about.variable[d->known[k]];
        const double step = fmin(cbrt(DBL_EPSILON) * fmax(1.0, fabs(d->before[k])), 0.2 * (v->max - v->min));
        steps = d->dx[k] != 0.0 ? fmax(steps, fabs(d->dx[k]) / step) : steps;
    }
    return steps;
}

/* The side on which all knowns stay within their limits; FMU_SIDES: none. */
static int fmu_side(const fmu_instance *u, const fmu_slope *d, double s)
{
    int side = 0;
    for (size_t k = 0; k < d->nknown && side < FMU_SIDES; ++k) {
        const fmu_variable *v = &u->about.variable[d->known[k]];
        const double a = d->before[k] + fmu_first[side] * s * d->dx[k], b = a + 2.0 * s * d->dx[k];
        if (d->dx[k] != 0.0 && !(fmin(a, b) >= v->min && fmax(a, b) <= v->max)) {
            ++side;
            k = (size_t)-1; // all of them anew
        }
    }
    return side;
}

/* dy += weight y, with the knowns moved by `by` of their directions */
static int fmu_add_moved(fmu_instance *u, double *dy, const fmu_slope *d, double by, double weight)
{
    if (d->kept != NULL && fmu_return_to(u, d->kept)) {
        return 1;
    }
    for (size_t k = 0; k < d->nknown; ++k) {
        *fmu_place_of(u, d->known[k]) = d->before[k] + by * d->dx[k];
    }
    u->told = 0;
    u->started = u->started && u->running;
    for (size_t k = 0; k < d->n; ++k) {
        double y = 0.0;
        if (fmu_get_one(u, &y, d->unknown[k])) {
            return 1;
        }
        dy[k] += weight * y;
    }
    return 0;
}

/* dy += what y changes by; one known after the other where limits do not leave room for all of them together. */
static int fmu_differences(fmu_instance *u, double *dy, const fmu_slope *d)
{
    const double steps = fmu_steps(u, d), s = 1.0 / fmax(steps, DBL_MIN);
    const int side = fmu_side(u, d, s);
    int failed = 0;
    if (steps > DBL_MAX || (side == FMU_SIDES && d->nknown == 1)) {
        return fmu_fail(u, "a derivative is asked for where limits leave no room");
    }
    for (size_t k = 0; side == FMU_SIDES && k < d->nknown && !failed; ++k) {
        fmu_slope one = *d;
        one.known += k, one.dx += k, one.before += k;
        one.nknown = 1;
        failed = fmu_differences(u, dy, &one);
    }
    for (int i = 0; side < FMU_SIDES && steps > 0.0 && i < 3 && !failed; ++i) {
        const double weight = fmu_weight[side][i] * steps;
        failed = weight != 0.0 && fmu_add_moved(u, dy, d, (fmu_first[side] + i) * s, weight);
    }
    return failed;
}

int fmu_directional(fmu_instance *u, double *dy, const unsigned *unknown, size_t n, const unsigned *known,
                    size_t nknown, const double *dx)
{
    double *before = calloc(nknown + 1, sizeof *before);
    void *kept = NULL;
    int failed = before == NULL ? fmu_fail(u, "out of memory") : 0;
    for (size_t k = 0; !failed && k < nknown; ++k) {
        const double *x = fmu_place_of(u, known[k]);
        before[k] = x != NULL ? *x : 0.0;
        failed =
            x == NULL && fmu_fail(u, "derivatives are with respect to inputs, to parameters until the initialization "
                                     "is over, then to states where the unit is integrated from outside");
    }
    failed = failed || (u->running && !u->exchange && fmu_keep(u, &kept)); // its own steps do not notice
    if (!failed) {
        const fmu_slope d = {unknown, known, n, nknown, dx, before, kept};
        memset(dy, 0, n * sizeof *dy);
        failed = fmu_differences(u, dy, &d);
        for (size_t k = 0; k < nknown; ++k) {
            *fmu_place_of(u, known[k]) = before[k];
        }
        u->told = 0;
        u->started = u->started && u->running;
        failed = (kept != NULL && fmu_return_to(u, kept)) || failed;
    }
    fmu_forget(&kept);
    free(before);
    return failed;
}
