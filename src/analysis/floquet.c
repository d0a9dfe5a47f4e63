/* Floquet exponents: the transition matrix of a run over one period of a motion, by the derivatives of its steps (GR.16), with more and
 * more steps until the exponents stay. */
#include <math.h>
#include <string.h>

#include "analysis/modal_impl.h"
#include "base/vector.h"
#include "dalembert/sim.h"
#include "eigen/general.h"
#include "integrate/derivative.h"
#include "sim/parts.h"
#include "system/data.h"

enum { STAGES = 6, STEPS_MIN = 32, STEPS_MAX = 1 << 22 };
/* Steps for a period of the fastest motion at first; relative change of the coefficients after a period that counts as none, and
 * that is none even if the steps are too large. */
static const double steps_per_swing = 12.0, period_tol = 1e-6, no_period = 1e-2;
/* Multipliers this close to 1 belong to the exponent zero: the multiplier 1 of a free motion is double with one vector, and what a
 * period is off by moves it by the root of that. */
static const double unit_tol = 1e-6;
/* Exponents that change by less than this part of the fastest rate are found. */
static const double exponent_tol = 1e-11;
/* Operations: what is begun at all, and what is spent on further halvings of the step (minutes, half a minute). */
static const double work_first = 2e12, work_most = 1e11;

/* What is carried along the motion. */
typedef struct variation {
    dal_ctx *ctx;
    dal_pencil *p;     /* at the start: bases */
    dal_pencil *stage; /* at the end */
    int nv, nr, n;     /* velocities, independent rows, columns */
    int m;             /* unknowns of a step */
    double h;
    double *d, *w; /* nv x n: the perturbations */
    double *X;     /* 4 nv: scratch */
    double *q, *v; /* the end of the motion */
    double *Phi;   /* n x n: monodromy matrix */
    double *mu[2]; /* 2 n: multipliers, re and im, of this number of steps and of the one before */
    double *V;     /* n x n: their vectors */
    double *error; /* n: of the exponents */
    double change; /* of coefficients after a period, relative */
    double size;   /* largest entry of Phi */
    int *order;    /* n */
    dal_arena arena;
} variation;

/* ---- one period ------------------------------------------------------------------------------- */

static void carve(variation *s)
{
    const size_t nv = (size_t)s->nv, n = (size_t)s->n;
    s->d = dal_arena_take(&s->arena, nv * n, sizeof(double));
    s->w = dal_arena_take(&s->arena, nv * n, sizeof(double));
    s->X = dal_arena_reals(&s->arena, 4 * s->nv);
    s->q = dal_arena_reals(&s->arena, s->p->sys->group->nq);
    s->v = dal_arena_reals(&s->arena, s->nv);
    s->Phi = dal_arena_take(&s->arena, n * n, sizeof(double));
    for (int k = 0; k < 2; ++k) {
        s->mu[k] = dal_arena_reals(&s->arena, 2 * s->n);
    }
    s->V = dal_arena_take(&s->arena, n * n, sizeof(double));
    s->error = dal_arena_reals(&s->arena, s->n);
    s->order = dal_arena_ints(&s->arena, s->n);
}

/* A run, and a simulation beside it whose steps are differentiated, as the run has made them. */
typedef struct transition {
    variation *s;
    dal_sim *run, *beside;
    dal_derivative *derivative;
    double *from, *to; /* records of the last two states */
    double *memory;    /* what the run remembered in the first of them */
    double *Y;         /* changes of the state */
    int ny, known;
    dal_pool pool;
} transition;

static const dal_derivative_type *const type = &dal_lb_derivative;
static const double none[1] = {0.0}; /* numbers that change */

/* What forces jump, and what the system remembers, is as in the step that began with the last state. */
static void look_back(transition *t)
{
    dal_data *data = dal_sim_data(t->beside);
    const dal_system *sys = data->sys;
    dal_copy(data->memory, t->memory, sys->nmemory);
    dal_data_forget(data);
    if (sys->life.next_jump) {
        (void)sys->life.next_jump(t->from[0], 1, sys->user, data->work);
    }
}

/* A start from a state, which was found by a step or given. */
static dal_status follow_start(transition *t, double time, const double *q, const double *v)
{
    DAL_TRY(type->start(t->derivative, time, q, v, t->s->h));
    return type->start_forward(t->derivative, t->Y, none, t->s->n);
}

static dal_status follow_step(dal_sim *sim, const dal_state *state, void *user)
{
    transition *t = user;
    const dal_sim_parts now = dal_sim_parts_of(sim);
    const dal_integrator *method = dal_sim_parts_of(t->beside).method;
    double *x = t->to;
    (void)state;
    if (t->known) {
        type->record(now.method, t->to, now.fresh);
        look_back(t);
        DAL_TRY(type->step(t->derivative, t->from, t->to));
        DAL_TRY(type->step_forward(t->derivative, t->Y, none, t->s->n));
        if (now.fresh) { // where forces jump
            const dal_point at = type->point(method, t->to);
            DAL_TRY(follow_start(t, at.t, at.q, at.v));
        }
    }
    t->known = 1;
    type->record(now.method, x, 0);
    t->to = t->from;
    t->from = x;
    dal_copy(t->memory, dal_sim_data(sim)->memory, dal_sim_data(sim)->sys->nmemory);
    return DAL_OK;
}

static dal_status begin(transition *t, const dal_point *at)
{
    variation *s = t->s;
    const dal_system *sys = s->p->sys;
    dal_options opt = dal_options_init();
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.stages = STAGES;
    opt.h = s->h;
    opt.redundant = DAL_REDUNDANT_DROP;
    DAL_TRY(dal_sim_create(&t->run, s->ctx, sys, &opt));
    DAL_TRY(dal_sim_create(&t->beside, s->ctx, sys, &opt));
    DAL_TRY(dal_sim_start(t->beside, NULL, at->t, at->q, at->v));
    const dal_sim_parts parts = dal_sim_parts_of(t->beside);
    const int size = type->size(parts.method);
    t->ny = 4 * s->nv + parts.ev->nc;
    DAL_TAKE(&t->pool, t->from, size);
    DAL_TAKE(&t->pool, t->to, size);
    DAL_TAKE(&t->pool, t->memory, sys->nmemory + 1);
    DAL_TAKE(&t->pool, t->Y, (size_t)t->ny * (size_t)s->n);
    for (int col = 0; col < s->n; ++col) {
        dal_copy(t->Y + (ptrdiff_t)t->ny * col, s->d + dal_entry(0, col, s->nv), s->nv);
        dal_copy(t->Y + (ptrdiff_t)t->ny * col + s->nv, s->w + dal_entry(0, col, s->nv), s->nv);
    }
    DAL_TRY(type->create(&t->derivative, s->ctx, parts.method, NULL, s->n));
    dal_data_reset(dal_sim_data(t->beside)); // as a start finds it
    DAL_TRY(follow_start(t, at->t, at->q, at->v));
    DAL_TRY(dal_sim_start(t->run, NULL, at->t, at->q, at->v));
    return dal_sim_observe(t->run, follow_step, t);
}

static dal_status integrate(variation *s, const dal_point *at, double period)
{
    transition t = {.s = s, .pool = {.ctx = s->ctx, .what = "a transition matrix"}};
    dal_status st = begin(&t, at);
    st = st == DAL_OK ? follow_step(t.run, NULL, &t) : st;
    st = st == DAL_OK ? dal_sim_run(t.run, NULL, at->t + period) : st;
    for (int col = 0; col < s->n && st == DAL_OK; ++col) {
        dal_copy(s->d + dal_entry(0, col, s->nv), t.Y + (ptrdiff_t)t.ny * col, s->nv);
        dal_copy(s->w + dal_entry(0, col, s->nv), t.Y + (ptrdiff_t)t.ny * col + s->nv, s->nv);
    }
    if (st == DAL_OK) {
        dal_copy(s->q, dal_sim_state(t.run).q, s->p->sys->group->nq);
        dal_copy(s->v, dal_sim_state(t.run).v, s->nv);
    }
    if (t.derivative) {
        type->destroy(t.derivative);
    }
    dal_sim_destroy(t.beside);
    dal_sim_destroy(t.run);
    dal_pool_release(&t.pool);
    return st;
}

/* The perturbations at the end of the period, from the bases at its beginning. */
static dal_status run(variation *s, const dal_point *at, double period, int nsteps)
{
    const dal_pencil *p = s->p;
    const size_t nv = (size_t)s->nv;
    memcpy(s->d, p->Nh, nv * (size_t)p->np * sizeof(double));
    memset(s->d + nv * (size_t)p->np, 0, nv * (size_t)p->nf * sizeof(double));
    memcpy(s->w, p->P, nv * (size_t)s->n * sizeof(double));
    s->h = period / nsteps;
    return integrate(s, at, period);
}

/* Is the motion back where it was, as far as the coefficients are concerned? Bases of the start, carried over in axes that do not
 * turn, must be bases here, and give the same matrix. */
static dal_status check_period(variation *s, const dal_point *at, double period, double tol)
{
    const dal_axes_choice world = {0}, body = {.body = 1};
    const int nv = s->nv;
    double defect, apart = 0.0, size = 1.0;
    for (int i = 0; i < nv; ++i) {
        apart = fmax(apart, fabs(s->v[i] - at->v[i]));
        size = fmax(size, fabs(at->v[i]));
    }
    const dal_point end = {.t = at->t + period, .q = s->q, .v = s->v, .vd = at->vd, .la = at->la};
    DAL_TRY(dal_pencil_at(s->stage, &end, &body));
    DAL_TRY(dal_pencil_carry(s->stage, &defect, s->p, &world, at->q, s->q, period));
    DAL_TRY(dal_pencil_reduce(s->stage));
    double most = 0.0, change = 0.0;
    for (int i = 0; i < s->n * s->n; ++i) {
        most = fmax(most, fabs(s->p->A[i]));
        change = fmax(change, fabs(s->p->A[i] - s->stage->A[i]));
    }
    change = fmax(fmax(defect, apart / size), most > 0.0 ? change / most : change);
    s->change = change;
    return change <= tol ? DAL_OK
                         : dal_fail(s->ctx, DAL_ECHECK,
                                    "%g s is not a period of the motion: after that time velocities or "
                                    "coefficients differ by %.1e (relative)",
                                    period, change);
}

/* ---- exponents -------------------------------------------------------------------------------- */

/* Monodromy matrix: x = Nh^T d, y = N^T (w - W x) at the end; its multipliers. */
static dal_status multipliers(variation *s)
{
    const dal_pencil *p = s->p;
    const int nv = s->nv, n = s->n;
    for (int col = 0; col < n; ++col) {
        double *x = s->Phi + dal_entry(0, col, n), *w = s->w + dal_entry(0, col, nv);
        dal_matrix_product(x, 0.0, 1.0, p->Nh, 1, s->d + dal_entry(0, col, nv), 0, p->np, 1, nv);
        dal_matrix_product(w, 1.0, -1.0, p->W, 0, x, 0, nv, 1, p->np);
        dal_matrix_product(x + p->np, 0.0, 1.0, p->N, 1, w, 0, p->nf, 1, nv);
    }
    s->size = dal_max_abs(s->Phi, n * n);
    return dal_eigen_general(s->mu[0], s->mu[0] + n, s->V, s->Phi, n, s->ctx);
}

static int is_unit(const variation *s, double re, double im)
{
    return hypot(re - 1.0, im) < fmax(unit_tol, sqrt(s->change));
}

/* s->error: by how much exponents differ from those with half as many steps, each from the nearest one, and what rounding of the
 * matrix makes uncertain. Returns the largest of those that can be told from nothing. */
static double compare(variation *s, double period)
{
    static const double rounding = 1e-14, lost = 1e-10;
    const int n = s->n;
    double worst = 0.0;
    for (int j = 0; j < n; ++j) {
        const double x = s->mu[0][j], y = s->mu[0][n + j], size = hypot(x, y);
        double apart = INFINITY;
        for (int i = 0; i < n; ++i) {
            const double u = s->mu[1][i], v = s->mu[1][n + i];
            apart = fmin(apart, is_unit(s, x, y) && is_unit(s, u, v) ? hypot(x - 1.0, y) : hypot(x - u, y - v));
        }
        s->error[j] = fmax(apart, rounding * s->size) / (size * period);
        worst = size > lost * s->size && !is_unit(s, x, y) ? fmax(worst, s->error[j]) : worst;
    }
    return worst;
}

/* Enter the exponents log(mu)/T with their shapes at the start, sorted by magnitude. */
static dal_status enter(dal_modal *m, variation *s, double period, int wanted)
{
    const dal_pencil *p = s->p;
    const int n = s->n, nv = s->nv;
    double *re = s->mu[0], *im = re + n, *d = s->X, *w = d + 2 * nv;
    int *order = s->order, count = 0;
    for (int j = 0; j < n; ++j) {
        const double x = re[j], y = im[j];
        const int unit = is_unit(s, x, y);
        re[j] = unit ? 0.0 : log(hypot(x, y)) / period;
        im[j] = unit ? 0.0 : atan2(y, x) / period;
        if (y >= 0.0) {
            int at = count++;
            for (; at > 0 && hypot(re[order[at - 1]], im[order[at - 1]]) > hypot(re[j], im[j]); --at) {
                order[at] = order[at - 1];
            }
            order[at] = j;
        }
        m->info.zeros += unit;
        m->info.highest = fmax(m->info.highest, hypot(re[j], im[j]));
    }
    DAL_TRY(dal_modal_reserve(m, count < 2 * wanted ? count : 2 * wanted));
    m->info.unstable = 0;
    for (int k = 0; k < m->info.n; ++k) {
        const int j = order[k], pair = j + 1 < n && im[j] > 0.0 && im[j + 1] < 0.0;
        for (int part = 0; part < 2; ++part) {
            const double *z = s->V + dal_entry(0, j + part, n);
            dal_zero(d + part * nv, nv);
            dal_zero(w + part * nv, nv);
            if (part == 0 || pair) {
                dal_matrix_product(d + part * nv, 0.0, 1.0, p->Nh, 0, z, 0, nv, 1, p->np);
                dal_matrix_product(w + part * nv, 0.0, 1.0, p->P, 0, z, 0, nv, 1, n);
            }
        }
        dal_modal_enter(m, d, w, k, re[j], im[j], dal_linearize_matrix(p->lin, DAL_WANT_M));
        m->mode[k].error = s->error[j];
    }
    m->info.unstable = 0;
    for (int k = 0; k < m->info.n; ++k) {
        m->info.unstable += m->mode[k].re > m->mode[k].error;
    }
    return DAL_OK;
}

/* The fastest motion of the frozen coefficients, from the size of the matrix. */
static double fastest(const dal_pencil *p)
{
    double stiff = 0.0, damped = 0.0;
    for (int j = 0; j < p->n; ++j) {
        for (int i = p->np; i < p->n; ++i) {
            double *to = j < p->np ? &stiff : &damped;
            *to = fmax(*to, fabs(p->A[dal_entry(i, j, p->n)]));
        }
    }
    return fmax(sqrt(stiff), damped);
}

/* Twice as many steps until the exponents stay, or the work is too much. */
static dal_status converge(dal_modal *m, variation *s, const dal_point *at, double period)
{
    const double rate = fmax(fastest(s->p), 1.0 / period), cost = 0.15 * (double)s->m * (double)s->m * (double)s->m;
    const double first = fmax(STEPS_MIN, ceil(steps_per_swing * period * rate / 6.283185307179586));
    if (first * cost > work_first || first > STEPS_MAX) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "Floquet exponents would take too long: %g steps a period for rates of %.3g rad/s, %d unknowns "
                        "a step; shorten the period, or leave out what is fast and stiff",
                        first, rate, s->m);
    }
    for (int n = (int)first, pass = 0;; n *= 2, ++pass) {
        DAL_TRY(run(s, at, period, n));
        DAL_TRY(check_period(s, at, period, pass == 0 ? no_period : period_tol));
        DAL_TRY(multipliers(s));
        m->info.steps = n;
        m->info.error = pass > 0 ? compare(s, period) : INFINITY;
        if (pass > 0 && (m->info.error <= exponent_tol * rate || 2.0 * n * cost > work_most || 2 * n > STEPS_MAX)) {
            return DAL_OK;
        }
        dal_copy(s->mu[1], s->mu[0], 2 * s->n);
    }
}

dal_status dal_modal_floquet(dal_modal *m, dal_pencil *p, dal_data *data, const dal_point *at, double period,
                             int wanted)
{
    const dal_axes_choice body = {.body = 1};
    DAL_TRY(dal_pencil_at(p, at, &body));
    DAL_TRY(dal_pencil_bases(p));
    DAL_TRY(dal_pencil_reduce(p));
    variation s = {.ctx = m->ctx, .p = p, .nv = p->nv, .nr = p->nv - p->nf, .n = p->n};
    s.m = STAGES * (2 * s.nv + s.nr);
    s.arena = dal_arena_init(m->ctx);
    carve(&s);
    dal_status st = dal_arena_reserve(&s.arena);
    carve(&s);
    st = st != DAL_OK ? st : dal_pencil_create(&s.stage, m->ctx, p->sys, data);
    st = st != DAL_OK ? st : converge(m, &s, at, period);
    st = st != DAL_OK ? st : enter(m, &s, period, wanted);
    dal_pencil_destroy(s.stage);
    dal_arena_release(&s.arena);
    m->info.positions = p->np;
    m->info.velocities = p->nf;
    m->info.redundant = p->nc - s.nr;
    m->info.steady = DAL_STEADINESS_FLOQUET;
    m->info.axes = DAL_AXES_BODY;
    m->info.period = period;
    return st;
}
