/* The explicit Runge-Kutta integrator: attempt, local error, acceptance, and whether stability limits the steps. */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "integrate/rk_impl.h"

static dal_status attempt(dal_integrator *self, double h, double t1)
{
    return dal_rk_step((dal_rk *)self, self->current, h, t1);
}

/* ---- stability -------------------------------------------------------------------------------- */

static double distance(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

/* Largest |eigenvalue| of the motion as the last stage and the end of the step show it, both at t + h: v' changes by
 * omega^2 with theta and by omega with v. (RK.8) */
static double eigenvalue(const dal_rk *rk)
{
    const int nv = rk->nv, s = rk->table->stages;
    const double *last = rk->slope + (2 * s - 1) * nv;
    const double theta = distance(rk->y, rk->y_last, nv), v = distance(rk->y + nv, rk->y_last + nv, nv);
    const double vd = distance(rk->trial->vd, last, nv);
    return theta > 0.0 && v > 0.0 ? fmin(sqrt(vd / theta), vd / v) : 0.0;
}

/* Many steps at the border of stability, with few others in between. */
static void watch_stability(dal_rk *rk)
{
    enum { MANY = 15, FEW = 6 };
    const double rate = rk->seen = eigenvalue(rk);
    if (rk->trial->h * rate > rk->table->stability) {
        rk->harmless = 0;
        rk->rate = rk->unstable == 0 ? rate : fmin(rk->rate, rate);
        rk->unstable += rk->unstable < MANY;
    } else if (++rk->harmless >= FEW) {
        rk->harmless = rk->unstable = 0;
        rk->rate = 0.0;
    }
    rk->base.stability_rate = rk->unstable == MANY ? rk->rate : 0.0;
}

/* ---- acceptance ------------------------------------------------------------------------------- */

static void accept(dal_integrator *self)
{
    dal_rk *rk = (dal_rk *)self;
    dal_state_buffer *free = self->previous;
    double *slope = rk->kept;
    if (rk->opt.step == DAL_STEP_ADAPTIVE) {
        watch_stability(rk);
    }
    self->previous = self->current;
    self->current = rk->trial;
    self->end = rk->trial;
    rk->trial = free;
    rk->kept = rk->slope;
    rk->slope = slope;
    rk->have_dense = 0;
    if (rk->opt.step == DAL_STEP_ADAPTIVE) {
        dal_rk_note_speeds(rk);
    }
}

void dal_rk_note_speeds(dal_rk *rk)
{
    dal_note_largest(rk->ev->sys, rk->vmax, rk->base.current->v);
    dal_note_largest(rk->ev->sys, rk->amax, rk->base.current->vd);
}

/* ---- local error ------------------------------------------------------------------------------ */

/* Rotation of a body in one step that the step size control allows [rad]. */
static const double widest = 3.0;

/* Errors of one factor in units of step_atol + step_rtol max|v|, that of theta in these units times a time in which the
 * motion changes. What is below `least` is rounding of velocities, what is below `stiff` that of q by stiff springs: they make
 * rate^2 u|q| of it in v'. (RK.6) */
static void factor_error(dal_rk *rk, const dal_factor *F, double rate, double worst[DAL_RK_ERRORS])
{
    const dal_state_buffer *s1 = rk->trial;
    const double stiff = 10.0 * DBL_EPSILON * dal_max_abs(s1->q + F->q, F->nq) * rate * rate * s1->h;
    const double least = fmax(dal_least_error(rk->vmax, rk->nv), stiff);
    for (int i = 0, n = 1; i < F->nv; i += n) {
        n = dal_vector_length(F, i);
        const int k = F->v + i, turns = !F->type->flat && i + n == F->nv;
        const double vd = dal_vector_norm(s1->vd + k, n), a = fmax(rk->amax[k], vd);
        const double speed = fmax(rk->vmax[k], fmax(dal_vector_norm(s1->v + k, n), s1->h * vd));
        const double asked = dal_step_atol(&rk->opt, rk->ev, k) + rk->opt.step_rtol * speed;
        double time = a * s1->h < speed ? speed / a : s1->h;
        time = turns && time * speed > 1.0 ? fmax(1.0 / speed, s1->h) : time;
        for (int e = 0; e < DAL_RK_ERRORS && e < rk->table->nerrors; ++e) {
            const double v = dal_vector_norm(rk->e[e] + rk->nv + k, n), theta = dal_vector_norm(rk->e[e] + k, n);
            const double error = fmax(v, isfinite(time) ? theta / time : 0.0);
            worst[e] = dal_larger(worst[e], error / fmax(asked, least));
            if (e == 0 && error > asked && error <= least) {
                rk->base.missed = fmax(rk->base.missed, error / asked);
            }
        }
    }
}

/* Steps that turn a body too far for the local coordinates count as inaccurate, before they fail. (RK.5) */
static double error(dal_integrator *self)
{
    dal_rk *rk = (dal_rk *)self;
    const dal_group *G = rk->ev->G;
    const double rate = fmin(rk->seen, eigenvalue(rk)); // a jump shows in one step only
    double worst[DAL_RK_ERRORS] = {0.0, 0.0};
    for (int e = 0; e < DAL_RK_ERRORS && e < rk->table->nerrors; ++e) {
        dal_zero(rk->e[e], 2 * rk->nv);
        dal_rk_combine(rk, rk->e[e], rk->e[e], rk->trial->h, &rk->table->error[e], rk->slope);
    }
    for (int f = 0; f < G->nfactors; ++f) {
        factor_error(rk, &G->factor[f], rate, worst);
    }
    double error = worst[0];
    if (rk->table->nerrors == 2 && error * error > 0.0) { // at rest the square is rounded to zero
        error *= error / sqrt(error * error + 0.01 * worst[1] * worst[1]);
    }
    return dal_larger(error, pow(rk->angle / widest, self->error_order));
}

/* ---- the rest --------------------------------------------------------------------------------- */

/* Nothing in the state depends on the step size. */
static dal_status retune(dal_integrator *self, double h)
{
    (void)self, (void)h;
    return DAL_OK;
}

/* Every step ends on the constraints: this finds something to do only where the system's data have changed. */
static dal_status project_current(dal_integrator *self, dal_projection mode, int position)
{
    dal_rk *rk = (dal_rk *)self;
    dal_state_buffer *s = self->current, *to = rk->trial; // all or nothing
    (void)mode, (void)position;
    dal_copy(to->q, s->q, rk->nq);
    dal_copy(to->v, s->v, rk->nv);
    if (rk->ev->nh > 0) {
        DAL_TRY(dal_project_position(rk->saddle, to->q, NULL, s->t, DAL_POSITION_TOLERANCE));
    }
    DAL_TRY(dal_project_velocity(rk->saddle, to->v, NULL, s->t, to->q, NULL));
    DAL_TRY(dal_initial_acceleration(rk->saddle, to->vd, to->la, s->t, to->q, to->v));
    dal_copy(s->q, to->q, rk->nq);
    dal_copy(s->v, to->v, rk->nv);
    dal_copy(s->vd, to->vd, rk->nv);
    dal_copy(s->la, to->la, rk->nc);
    return DAL_OK;
}

static void equation_name(const dal_integrator *self, char *buffer, size_t size, int equation)
{
    const dal_rk *rk = (const dal_rk *)self;
    if (equation < rk->nv) {
        dal_eval_velocity_name(rk->ev, buffer, size, equation);
    } else {
        dal_eval_row_name(rk->ev, buffer, size, equation - rk->nv);
    }
}

const dal_integrator_type dal_rk_type = {
    .name = "rk",
    .nodes = 5,
    .create = dal_rk_create,
    .destroy = dal_rk_destroy,
    .start = dal_rk_start,
    .attempt = attempt,
    .error = error,
    .accept = accept,
    .retune = retune,
    .project = project_current,
    .interpolate = dal_rk_interpolate,
    .equation_name = equation_name,
    .pass = dal_rk_pass,
};
