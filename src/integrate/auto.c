/* integrator = auto: explicit Runge-Kutta as long as accuracy limits its steps; where stability does (RK.8), generalized-alpha
 * goes on from that state with the same tolerance. Where that proves more expensive, because the tolerance asks for steps that are
 * shorter still, Runge-Kutta takes the motion back and keeps it. A start, also one after an event, begins with Runge-Kutta
 * again; where forces jump and the motion goes on, the method at work does. Both methods exist from the creation on, so that a
 * change allocates nothing; what decides is part of the snapshot. */
#include <math.h>

#include "base/memory.h"
#include "base/message.h"
#include "integrate/integrator.h"

enum { EXPLICIT, IMPLICIT };

/* Time gained by attempted steps. */
typedef struct pace {
    long attempts;
    double all;  /* [s] */
    double late; /* by each of the last ones, mean [s] */
} pace;

typedef struct dal_auto {
    dal_integrator base; /* mirrors the method at work */
    dal_ctx *ctx;
    dal_integrator *method[2]; /* Runge-Kutta, generalized-alpha */
    int active;                /* which one takes the next step */
    int shown;                 /* which one took the last step and interpolates it */
    int used;                  /* generalized-alpha has been started at some time */
    int stay;                  /* it could not be started: Runge-Kutta goes on, and warns */
    int back;                  /* it was tried and cost more: Runge-Kutta keeps the motion until the next start */
    pace pace[2];              /* since the method took over */
    double ratio;              /* work of a step of Runge-Kutta in adaptive steps of generalized-alpha */
} dal_auto;

static dal_integrator *active_of(const dal_auto *a)
{
    return a->method[a->active];
}

static void mirror(dal_auto *a)
{
    const dal_integrator_type *type = a->base.type;
    const double rate = a->stay ? a->method[EXPLICIT]->stability_rate : 0.0;
    a->base = *active_of(a);
    a->base.type = type;
    a->base.previous = a->method[a->shown]->previous;
    a->base.end = a->method[a->shown]->end;
    a->base.stability_rate = rate;
    a->base.missed = fmax(a->method[EXPLICIT]->missed, a->method[IMPLICIT]->missed);
}

static void destroy(dal_integrator *self)
{
    dal_auto *a = (dal_auto *)self;
    for (int i = 0; i < 2; ++i) {
        if (a->method[i] != NULL) {
            a->method[i]->type->destroy(a->method[i]);
        }
    }
    dal_free(a->ctx, a);
}

static dal_status create_both(dal_auto *a, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    if (opt->step != DAL_STEP_ADAPTIVE) {
        return dal_fail(a->ctx, DAL_EOPTION,
                        "integrator = auto chooses by a tolerance: leave step at its default, or set step = adaptive");
    }
    dal_options own = *opt;
    own.integrator = DAL_INTEGRATOR_RK;
    own.formulation = DAL_FORMULATION_DEFAULT; // the other method's
    DAL_TRY(dal_rk_type.create(&a->method[EXPLICIT], a->ctx, ev, saddle, &own));
    return dal_genalpha_type.create(&a->method[IMPLICIT], a->ctx, ev, saddle, opt);
}

static dal_status create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle, const dal_options *opt)
{
    *out = NULL;
    dal_auto *a = dal_alloc_zero(ctx, sizeof *a);
    if (!a) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the integrator");
    }
    a->ctx = ctx;
    a->base.type = &dal_auto_type;
    a->ratio = opt->order == 5 ? 1.25 : 2.5; // 6 or 12 evaluations: docs/performance.md
    const dal_status st = create_both(a, ev, saddle, opt);
    if (st != DAL_OK) {
        destroy(&a->base);
        return st;
    }
    mirror(a);
    *out = &a->base;
    return DAL_OK;
}

/* Counts belong to the run, whichever method made them. How Newton's method has chosen so far does not: see dal_newton_choice. */
static void hand_over_counts(dal_newton_stats *to, const dal_newton_stats *from)
{
    *to = (dal_newton_stats){.iterations = from->iterations,
                             .jacobians = from->jacobians,
                             .factorisations = from->factorisations,
                             .choice = {.kept = from->choice.kept}};
}

static dal_status start(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *rk = a->method[EXPLICIT];
    if (moment == DAL_MOMENT_STEP) {
        DAL_TRY(active_of(a)->type->start(active_of(a), t, q, v, h, moment));
        mirror(a);
        return DAL_OK;
    }
    DAL_TRY(rk->type->start(rk, t, q, v, h, moment));
    if (a->active == IMPLICIT) {
        hand_over_counts(rk->newton_stats, a->method[IMPLICIT]->newton_stats);
    }
    a->active = EXPLICIT;
    a->stay = a->back = 0;
    memset(a->pace, 0, sizeof a->pace);
    mirror(a);
    return DAL_OK;
}

static dal_status ease(dal_integrator *self, const double *before)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *m = active_of(a);
    if (m->type->ease) {
        DAL_TRY(m->type->ease(m, before));
        mirror(a);
    }
    return DAL_OK;
}

/* ---- which method ----------------------------------------------------------------------------- */

enum { LAST = 16, SETTLED = 64 }; /* attempts: of the mean, and before generalized-alpha is judged */

static double weight_of(const pace *p)
{
    return 1.0 / (double)(p->attempts < LAST ? p->attempts : LAST);
}

static void note_attempt(pace *p)
{
    p->attempts++;
    p->late -= weight_of(p) * p->late;
}

static void note_gain(pace *p, double h)
{
    p->all += h;
    p->late += weight_of(p) * h;
}

/* Has generalized-alpha gained less time for the work than Runge-Kutta did at last, as a whole (not just in a short phase of
 * the motion) and in its last steps (not just until a transient was over)? By counts, not by clocks: runs repeat bit for
 * bit. (RK.10) */
static int costs_more(const dal_auto *a)
{
    const pace *ga = &a->pace[IMPLICIT];
    const double enough = a->pace[EXPLICIT].late / a->ratio;
    return ga->attempts >= SETTLED && ga->all < enough * (double)ga->attempts && ga->late < enough;
}

/* Generalized-alpha takes over at the current state, with steps of size h. */
static void change(dal_auto *a, double h)
{
    dal_integrator *rk = a->method[EXPLICIT], *ga = a->method[IMPLICIT];
    const dal_state_buffer *s = rk->current;
    dal_linsol_forget(ga->matrix); // as at the start of a run: the same bits whatever ran before
    hand_over_counts(ga->newton_stats, rk->newton_stats);
    a->used = 1;
    if (ga->type->start(ga, s->t, s->q, s->v, h, DAL_MOMENT_START) != DAL_OK) {
        a->stay = 1;
        return;
    }
    a->active = IMPLICIT;
    a->pace[IMPLICIT] = (pace){0};
    dal_log(a->ctx, DAL_LOG_INFO,
            "step limited by stability at t = %.6g, fastest frequency about %.3g Hz: generalized-alpha goes on", s->t,
            rk->stability_rate / 6.283185307179586);
}

/* Runge-Kutta takes over at the current state, put on the constraints and their derivatives. */
static void change_back(dal_auto *a, double h)
{
    dal_integrator *rk = a->method[EXPLICIT], *ga = a->method[IMPLICIT];
    const dal_state_buffer *s = ga->current;
    a->back = 1;
    if (rk->type->start(rk, s->t, s->q, s->v, h, DAL_MOMENT_START) != DAL_OK ||
        rk->type->project(rk, DAL_PROJECTION_PLAIN, 1) != DAL_OK) {
        return;
    }
    hand_over_counts(rk->newton_stats, ga->newton_stats);
    a->active = EXPLICIT;
    dal_log(
        a->ctx, DAL_LOG_INFO,
        "at t = %.6g: the tolerance asks for shorter steps of generalized-alpha (%.2g s) than pay; Runge-Kutta goes on "
        "with steps of about %.2g s",
        s->t, a->pace[IMPLICIT].late, a->pace[EXPLICIT].late);
}

static dal_status attempt(dal_integrator *self, double h, double t1)
{
    dal_auto *a = (dal_auto *)self;
    if (a->active == EXPLICIT && !a->stay && !a->back && a->method[EXPLICIT]->stability_rate > 0.0) {
        change(a, h);
    } else if (a->active == IMPLICIT && !a->back && costs_more(a)) {
        change_back(a, h);
    }
    note_attempt(&a->pace[a->active]);
    dal_integrator *m = active_of(a);
    const dal_status st = m->type->attempt(m, h, t1);
    mirror(a);
    return st;
}

static double error(dal_integrator *self)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *m = active_of(a);
    const double e = m->type->error(m);
    mirror(a);
    return e;
}

static void accept(dal_integrator *self)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *m = active_of(a);
    m->type->accept(m);
    a->shown = a->active;
    note_gain(&a->pace[a->active], m->current->t - m->previous->t);
    mirror(a);
}

static dal_status retune(dal_integrator *self, double h)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *m = active_of(a);
    const dal_status st = m->type->retune(m, h);
    mirror(a);
    return st;
}

static dal_status project(dal_integrator *self, dal_projection mode, int position)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *m = active_of(a);
    const dal_status st = m->type->project(m, mode, position);
    mirror(a);
    return st;
}

static void interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_integrator *m = ((dal_auto *)self)->method[((dal_auto *)self)->shown];
    m->type->interpolate(m, q, v, vd, la, t);
}

static void equation_name(const dal_integrator *self, char *buffer, size_t size, int equation)
{
    const dal_integrator *m = active_of((const dal_auto *)self);
    m->type->equation_name(m, buffer, size, equation);
}

/* ---- snapshot --------------------------------------------------------------------------------- */

static void pass_own(dal_cursor *k, dal_auto *a)
{
    dal_newton_stats *counts = a->method[EXPLICIT]->newton_stats; // those that it does not save itself
    dal_pass_flag(k, &a->active);
    dal_pass_flag(k, &a->shown);
    dal_pass_flag(k, &a->used);
    dal_pass_flag(k, &a->stay);
    dal_pass_flag(k, &a->back);
    for (int i = 0; i < 2; ++i) {
        dal_pass_count(k, &a->pace[i].attempts);
        dal_pass(k, &a->pace[i].all, 1);
        dal_pass(k, &a->pace[i].late, 1);
    }
    dal_pass_count(k, &counts->iterations);
    dal_pass_count(k, &counts->choice.kept);
}

static void pass(dal_integrator *self, dal_cursor *k)
{
    dal_auto *a = (dal_auto *)self;
    dal_integrator *rk = a->method[EXPLICIT], *ga = a->method[IMPLICIT];
    pass_own(k, a);
    if (k->in && !a->used && (a->active == IMPLICIT || a->shown == IMPLICIT)) {
        dal_pass_wrong(k, "the method at work");
        a->active = a->shown = EXPLICIT;
    }
    rk->type->pass(rk, k);
    if (a->used) {
        ga->type->pass(ga, k);
    } else {
        dal_cursor room = {0};
        ga->type->pass(ga, &room);
        dal_pass_blank(k, room.count);
    }
    if (k->in) {
        mirror(a);
    }
}

const dal_integrator_type dal_auto_type = {
    .name = "auto",
    .nodes = 5,
    .create = create,
    .destroy = destroy,
    .start = start,
    .ease = ease,
    .attempt = attempt,
    .error = error,
    .accept = accept,
    .retune = retune,
    .project = project,
    .interpolate = interpolate,
    .equation_name = equation_name,
    .pass = pass,
};
