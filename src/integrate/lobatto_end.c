/* The end of a step: q and v on the constraints (LB.4), v' and lambda that belong to them (LB.6). What the stages leave is
 * close to all of it, so one factored matrix serves the three corrections, and the next step after that. */
#include <math.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"

/* Residuals of the position level up to which the matrix before the correction does for all that follows: what it leaves is
 * the product of two corrections. */
static const double near = 1e-9;
/* Below this, the correction leaves nothing. */
static const double tiny = 1e-12;
/* Velocities that would have to move by so many times the violation of the constraints. */
static const double absurd = 1e12;
/* v' and lambda whose last correction was that part of them are good: of that the matrix leaves less than rounding. */
static const double part = 1e-5;

dal_status dal_lb_project(dal_lobatto *lb, double *q, double *v, double t)
{
    if (lb->ev->nh > 0) {
        DAL_TRY(dal_project_position(lb->saddle, q, NULL, t, DAL_POSITION_TOLERANCE));
    }
    return dal_project_velocity(lb->saddle, v, NULL, t, q, NULL);
}

/* From anywhere. */
static dal_status complete_afar(dal_lobatto *lb, dal_state_buffer *to)
{
    if (!lb->mid) {
        DAL_TRY(dal_lb_project(lb, to->q, to->v, to->t));
    }
    // M and B are those of the last projection
    lb->saddle->held = lb->nc > 0 && !lb->mid;
    const dal_status st = dal_initial_acceleration(lb->saddle, to->vd, to->la, to->t, to->q, to->v);
    lb->saddle->held = 0;
    return st;
}

/* Phi(q) in saddle->x; its norm. */
static dal_status position_residual(dal_lobatto *lb, const dal_state_buffer *to, double *norm)
{
    dal_saddle *s = lb->saddle;
    const dal_point at = {to->t, to->q, s->zero, s->zero, s->zero};
    dal_zero(s->x + s->nv, s->nc);
    DAL_TRY(dal_eval_residual(lb->ev, &(dal_residual){.Phi = s->x + s->nv}, &at));
    *norm = dal_scales_gap(&s->scales, s->x + s->nv);
    return DAL_OK;
}

static dal_status correct_position(dal_lobatto *lb, dal_state_buffer *to, double norm)
{
    dal_saddle *s = lb->saddle;
    for (double last = INFINITY; norm > 0.0 && norm <= 0.1 * last;) {
        dal_saddle_correct(s, s->nv, 1);
        dal_retract(lb->ev->G, s->q1, to->q, s->x);
        dal_copy(to->q, s->q1, lb->nq);
        if (norm <= tiny) {
            break;
        }
        last = norm;
        DAL_TRY(position_residual(lb, to, &norm));
    }
    return DAL_OK;
}

static dal_status correct_velocity(dal_lobatto *lb, dal_state_buffer *to)
{
    dal_saddle *s = lb->saddle;
    const dal_point at = {to->t, to->q, to->v, s->zero, s->zero};
    DAL_TRY(dal_eval_residual(lb->ev, &(dal_residual){.vel = s->x + s->nv}, &at));
    const double violation = dal_scales_gap(&s->scales, s->x + s->nv);
    dal_saddle_correct(s, s->nv, 1);
    // a direction without mass may pass for a pivot by rounding: then any violation moves it beyond all bounds
    if (!(dal_scales_displacement(&s->scales, s->x) <= absurd * violation)) {
        return dal_saddle_explain(s, &at);
    }
    for (int i = 0; i < s->nv; ++i) {
        to->v[i] += s->x[i];
    }
    return DAL_OK;
}

/* x += dx; is |dx| a small part of |x|, or has rounding stopped its decline? *last: |dx| before, and now. */
static int small_correction(double *x, const double *dx, int n, double *last)
{
    const double change = dal_max_abs(dx, n), before = *last;
    for (int i = 0; i < n; ++i) {
        x[i] += dx[i];
    }
    *last = change;
    return change <= part * dal_max_abs(x, n) || change > 0.1 * before;
}

/* From v' and lambda of the last stage. */
static dal_status correct_acceleration(dal_lobatto *lb, dal_state_buffer *to)
{
    enum { MOST = 5 };
    dal_saddle *s = lb->saddle;
    const dal_point at = {to->t, to->q, to->v, to->vd, to->la};
    double last[2] = {INFINITY, INFINITY};
    for (int it = 0, small = 0; !small && it < MOST; ++it) {
        DAL_TRY(dal_eval_residual(lb->ev, &(dal_residual){.r = s->x, .acc = s->x + s->nv}, &at));
        dal_saddle_correct(s, 0, 1);
        small = small_correction(to->vd, s->x, s->nv, &last[0]);
        small &= small_correction(to->la, s->x + s->nv, s->nc, &last[1]);
    }
    return DAL_OK;
}

/* *done = 0: the constraints are too far off, or their matrix is singular. The state is that of the last stage, v' and lambda included. */
static dal_status complete_nearby(dal_lobatto *lb, dal_state_buffer *to, int *done)
{
    dal_saddle *s = lb->saddle;
    double norm = 0.0;
    *done = 0;
    if (lb->ev->nh > 0 && !lb->mid) {
        DAL_TRY(position_residual(lb, to, &norm));
    }
    const dal_point at = {to->t, to->q, s->zero, s->zero, s->zero};
    if (!(norm <= near) || dal_saddle_factor(s, &at, 0) != DAL_OK) {
        return DAL_OK;
    }
    lb->factored = to;
    lb->factor_t = to->t;
    lb->factor_count = s->count;
    dal_copy(lb->factor_q, to->q, lb->nq);
    if (!lb->mid) { // else they hold, and a projection would end the symmetry
        DAL_TRY(correct_position(lb, to, norm));
        DAL_TRY(correct_velocity(lb, to));
    }
    *done = 1;
    return correct_acceleration(lb, to);
}

dal_status dal_lb_complete(dal_lobatto *lb, dal_state_buffer *to)
{
    const int last = lb->s - 1;
    const double *stage = lb->la + last * lb->nc;
    int done = 0;
    to->t = lb->t1;
    to->h = lb->h;
    dal_copy(to->q, lb->q + last * lb->nq, lb->nq);
    dal_copy(to->v, lb->L + last * lb->nv, lb->nv);
    lb->factored = NULL;
    if (lb->nc > 0 && !lb->ev->iterates) {
        dal_copy(to->vd, lb->Acc + last * lb->nv, lb->nv);
        dal_copy(to->la, stage, lb->nc);
        DAL_TRY(complete_nearby(lb, to, &done));
    }
    if (!done) {
        DAL_TRY(complete_afar(lb, to));
    }
    double *carried = dal_lb_carried(lb, to);
    dal_copy(carried, lb->opt.lambda == DAL_LAMBDA_CONSISTENT ? to->la : stage, lb->nc);
    for (int c = 0; c < lb->ev->sys->nconstraints; ++c) {
        for (int k = lb->ev->row0[c]; k < lb->ev->row0[c + 1] && dal_lb_held(lb, c); ++k) {
            carried[k] = to->la[k] + lb->la[k] - lb->from->la[k]; // a first guess, no more
        }
    }
    if (lb->opt.lambda == DAL_LAMBDA_CARRIED) {
        dal_copy(to->la, stage, lb->nc);
    }
    return DAL_OK;
}
