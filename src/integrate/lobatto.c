/* The Lobatto IIIA-IIIB step: stage equations, projection on the constraints, consistent multipliers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"

/* ---- one step --------------------------------------------------------------------------------- */

/* The stage system has no pivot: name redundant constraints, if they are the cause. */
static dal_status explain_singular(dal_lobatto *lb)
{
    const dal_state_buffer *s = lb->from;
    const dal_point at = {s->t, s->q, s->v, s->vd, s->la};
    DAL_TRY(dal_saddle_factor(lb->saddle, &at, 1));
    return dal_fail(lb->ctx, DAL_SINGULAR,
                    "the stage equations are singular although the constraints are not: take a smaller h");
}

/* Solve the stage equations of a step of size h from `from` to t1. */
static dal_status solve_stages(dal_lobatto *lb, const dal_state_buffer *from, double h, double t1)
{
    const dal_predictor predictor = (dal_predictor)lb->opt.predictor;
    lb->from = from;
    lb->h = h;
    lb->t1 = t1;
    // rows Phi/h have the rounding of positions (LJ.9)
    const double held = lb->gain > 0.0 ? dal_scales_rounding(&lb->saddle->scales, from->q) / h : 0.0;
    lb->rounding = lb->gain * held;
    lb->newton.opt.residual_tol = fmax(lb->opt.atol, held);
    dal_lb_predict(lb, predictor);
    if (dal_lb_saddle_iteration(lb)) {
        return DAL_OK;
    }
    dal_lb_predict(lb, predictor); // from the beginning
    if (h != lb->h_matrix) {
        dal_newton_invalidate(&lb->newton);
    } else if (lb->opt.newton != DAL_NEWTON_MODIFIED) {
        lb->newton.have_factor = 0; // but the rate of the last steps is still of use
    }
    lb->h_matrix = h;
    lb->newton.opt.trust =
        predictor == DAL_PREDICTOR_EXTRAPOLATE && lb->opt.newton != DAL_NEWTON_MODIFIED && !lb->variational;
    dal_status st = dal_newton_solve(&lb->newton, NULL, &lb->problem);
    // extrapolation may lead Newton's method astray where holding the last values does not
    if (st > 0 && predictor == DAL_PREDICTOR_EXTRAPOLATE && lb->poly.h > 0.0) {
        dal_newton_invalidate(&lb->newton);
        dal_lb_predict(lb, DAL_PREDICTOR_HOLD);
        lb->newton.verify = 1;
        st = dal_newton_solve(&lb->newton, NULL, &lb->problem);
        lb->newton.verify = 0;
    }
    if (st == DAL_OK && !lb->exact) {
        lb->problem.finish(lb);
    }
    if (st != DAL_OK) {
        dal_newton_invalidate(&lb->newton);
    }
    return st == DAL_SINGULAR ? explain_singular(lb) : st;
}

/* The way of the step that was solved; from the middle chart to second order, which tells the branch (LJ.1). */
static void keep_increment(const dal_lobatto *lb, dal_state_buffer *to)
{
    for (int k = 0; k < lb->nv; ++k) {
        to->theta[k] = lb->theta[k + (lb->s - 1) * lb->nv] - (lb->mid ? lb->theta[k] : 0.0);
    }
}

/* Energy dissipated and fed in during the step just solved, with the weights of the stages, like the velocities. */
static dal_status add_exchange(dal_lobatto *lb)
{
    double *W = lb->base.exchanged;
    for (int i = 0; i < lb->s; ++i) {
        double P[2];
        const dal_point at = {dal_lb_stage_time(lb, i), lb->q + i * lb->nq, lb->V + i * lb->nv, lb->Acc + i * lb->nv,
                              lb->la + i * lb->nc};
        DAL_TRY(dal_system_exchange(lb->ev->sys, lb->ev->data, P, &at));
        W[0] += lb->h * lb->b[i] * P[0];
        W[1] += lb->h * lb->b[i] * P[1];
    }
    return DAL_OK;
}

static dal_status attempt(dal_integrator *self, double h, double t1)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    const int last = lb->s - 1;
    DAL_TRY(solve_stages(lb, self->current, h, t1));
    dal_lb_keep_history(lb);
    dal_lb_keep_polynomial(lb);
    keep_increment(lb, lb->trial);
    if (lb->opt.step != DAL_STEP_ADAPTIVE) {
        DAL_TRY(dal_lb_complete(lb, lb->trial));
        dal_copy(lb->poly.A + last * lb->nv, lb->trial->vd, lb->nv);
        if (lb->mid) {
            dal_copy(lb->poly.la + last * lb->nc, lb->trial->la, lb->nc);
        }
        return DAL_OK;
    }
    // doubling: the same step once more in two halves, both on the constraints (LB.10)
    const double t_half = self->current->t + 0.5 * h;
    const int sums = lb->ev->watched && lb->ev->sys->equations.exchange != NULL;
    self->exchanged[0] = self->exchanged[1] = 0.0;
    if (lb->nc > 0) {
        DAL_TRY(dal_lb_complete(lb, lb->trial));
    }
    dal_copy(lb->q_work, lb->nc > 0 ? lb->trial->q : lb->q + last * lb->nq, lb->nq);
    dal_copy(lb->v_work, lb->nc > 0 ? lb->trial->v : lb->L + last * lb->nv, lb->nv);
    DAL_TRY(solve_stages(lb, self->current, t_half - self->current->t, t_half));
    keep_increment(lb, lb->middle);
    DAL_TRY(sums ? add_exchange(lb) : DAL_OK);
    DAL_TRY(dal_lb_complete(lb, lb->middle));
    DAL_TRY(solve_stages(lb, lb->middle, t1 - t_half, t1));
    DAL_TRY(sums ? add_exchange(lb) : DAL_OK);
    DAL_TRY(dal_lb_complete(lb, lb->trial));
    lb->trial->h = h;
    return DAL_OK;
}

static void accept(dal_integrator *self)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    dal_state_buffer *free = lb->third;
    if (lb->opt.step != DAL_STEP_ADAPTIVE) {
        lb->have_third = lb->history;
        lb->third = self->previous;
    } else {
        lb->have_third = 1;
        lb->third = lb->middle;
        lb->middle = self->previous;
    }
    self->previous = self->current;
    self->current = lb->trial;
    self->end = lb->trial;
    lb->trial = free;
    lb->history = 1;
    lb->output.n = 0;
    if (lb->opt.step == DAL_STEP_ADAPTIVE) {
        dal_note_largest(lb->ev->sys, lb->vmax, self->current->v);
    }
}

/* ---- local error ------------------------------------------------------------------------------ */

/* Rotation of a body in one step that the step size control allows [rad]. */
static const double widest = 2.5;

/* The error that the largest difference over the vectors of one factor stands for, in units of step_atol + step_rtol
 * max|v|. Differences in q count as far as they are above its rounding, and none that is below `least`. Where differences are
 * in their last decline, division by 2^(2s-2) - 1 gives the error. Stiff parts of the motion never are: they ask for a bound
 * on the divisor, whatever the number of stages. A difference of the part delta of the speed proves no more than an error of
 * 10 delta^2: where that is larger it counts, with a root that gives it the order of the estimate. (LB.10) */
static double factor_error(dal_lobatto *lb, const dal_factor *F, double least)
{
    static const double most = 15.0;
    const dal_state_buffer *s1 = lb->trial;
    const double rounding = 10.0 * DBL_EPSILON * dal_max_abs(s1->q + F->q, F->nq);
    const double factor = 1.0 / fmin(ldexp(1.0, 2 * lb->s - 2) - 1.0, most);
    double worst = 0.0;
    for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
        const int k = F->v + i, n = dal_vector_length(F, i);
        const double speed = fmax(lb->vmax[k], dal_vector_norm(s1->v + k, n));
        // nor one that rounding of positions makes, where these are held
        const double known = fmax(least, factor * lb->rounding * lb->ev->unit[k]);
        const double asked = dal_step_atol(&lb->opt, lb->ev, k) + lb->opt.step_rtol * speed, tol = fmax(asked, known);
        const double dv = dal_vector_norm(lb->v_work + k, n), dq = dal_vector_norm(lb->w + k, n);
        const double difference = fmax(dv, fmax(dq - rounding, 0.0) / s1->h);
        worst = fmax(worst, difference * fmax(factor / tol, sqrt(10.0 / (tol * fmax(speed, tol)))));
        if (factor * dv > asked && factor * dv <= known) {
            lb->base.missed = fmax(lb->base.missed, factor * dv / asked);
        }
    }
    return worst;
}

/* Angle by which the second half step turned a body, the last three (plane: one) components of its factor. */
static double factor_angle(const dal_lobatto *lb, const dal_factor *F)
{
    const int n = F->type->kind == DAL_FACTOR_SE2 ? 1 : 3;
    return F->type->flat ? 0.0 : dal_vector_norm(lb->theta + (lb->s - 1) * lb->nv + F->v + F->nv - n, n);
}

/* From the difference between one step and two half steps, in v and in q per h. Steps that turn a body
 * too far for the local coordinates count as inaccurate, before they fail. (LB.10) */
static double error(dal_integrator *self)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    const dal_group *G = lb->ev->G;
    const double least = dal_least_error(lb->vmax, lb->nv);
    double worst = 0.0, angle = 0.0;
    dal_difference(G, lb->w, lb->q_work, lb->trial->q);
    for (int k = 0; k < lb->nv; ++k) {
        lb->v_work[k] -= lb->trial->v[k];
    }
    for (int f = 0; f < G->nfactors; ++f) {
        worst = dal_larger(worst, factor_error(lb, &G->factor[f], least));
        angle = fmax(angle, 2.0 * factor_angle(lb, &G->factor[f]));
    }
    return dal_larger(worst, pow(angle / widest, self->error_order));
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* Nothing in the state depends on the step size. */
static dal_status retune(dal_integrator *self, double h)
{
    (void)self, (void)h;
    return DAL_OK;
}

static dal_status project_current(dal_integrator *self, dal_projection mode, int position)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    dal_state_buffer *s = self->current, *to = lb->trial; // all or nothing
    (void)mode, (void)position;
    dal_copy(to->q, s->q, lb->nq);
    dal_copy(to->v, s->v, lb->nv);
    DAL_TRY(dal_lb_project(lb, to->q, to->v, s->t));
    DAL_TRY(dal_initial_acceleration(lb->saddle, to->vd, to->la, s->t, to->q, to->v));
    dal_copy(s->q, to->q, lb->nq);
    dal_copy(s->v, to->v, lb->nv);
    dal_copy(s->vd, to->vd, lb->nv);
    if (lb->opt.lambda != DAL_LAMBDA_CARRIED) {
        dal_copy(s->la, to->la, lb->nc);
    }
    if (lb->opt.lambda == DAL_LAMBDA_CONSISTENT) {
        dal_copy(dal_lb_carried(lb, s), to->la, lb->nc);
    }
    lb->output.n = 0;
    lb->factored = NULL;
    return DAL_OK;
}

static dal_status exchange(dal_integrator *self, double W[2])
{
    dal_lobatto *lb = (dal_lobatto *)self;
    if (lb->opt.step != DAL_STEP_ADAPTIVE) {
        self->exchanged[0] = self->exchanged[1] = 0.0;
        DAL_TRY(add_exchange(lb));
    }
    W[0] = self->exchanged[0];
    W[1] = self->exchanged[1];
    return DAL_OK;
}

/* The third state is the middle of the step, or the start of the step that led to its beginning. */
static void interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    const dal_state_buffer *s0 = self->previous, *s1 = self->end;
    dal_output *o = &lb->output;
    if (o->n == 0) {
        const int middle = lb->opt.step == DAL_STEP_ADAPTIVE;
        dal_output_build(o, s0, s1, lb->have_third ? lb->third : NULL, middle ? lb->third->theta : s0->theta,
                         middle ? 1.0 : -1.0);
    }
    dal_output_at(o, s0, s1, t);
    if (q) {
        dal_copy(q, o->q, lb->nq);
    }
    if (v) {
        dal_copy(v, o->v, lb->nv);
    }
    if (vd || la) {
        dal_output_accelerations(o, vd, la, s0, s1, t, lb->opt.lambda == DAL_LAMBDA_CARRIED);
    }
}

const dal_integrator_type dal_lobatto_type = {
    .name = "lobatto",
    .nodes = 5,
    .create = dal_lb_create,
    .destroy = dal_lb_destroy,
    .start = dal_lb_start,
    .attempt = attempt,
    .error = error,
    .accept = accept,
    .retune = retune,
    .project = project_current,
    .interpolate = interpolate,
    .exchange = exchange,
    .equation_name = dal_lb_equation_name,
    .pass = dal_lb_pass,
};
