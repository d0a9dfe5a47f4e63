/* Starting values, projection, local error: all that depends on how v_n and a_n differ
 * from the exact v and v' (docs/theory/initial.md, stepsize.md). */
#include <float.h>

#include "base/vector.h"
#include "integrate/genalpha_impl.h"
#include "linsol/balance.h"

/* l_q at a consistent point for steps of size h, v'' by differences. (IN.2) */
static dal_status local_error_at(dal_genalpha *ga, const dal_point *at, double h)
{
    const int one_sided = ga->opt.start_difference == DAL_DIFFERENCE_FORWARD;
    DAL_TRY(dal_initial_jerk(ga->saddle, ga->vdd, at, h, one_sided));
    dal_local_error(ga->ev->G, ga->l_q, h, ga->c.C_q, ga->C_h, at->v, at->vd, ga->vdd);
    return DAL_OK;
}

/* ---- rounding --------------------------------------------------------------------------------- */

/* Size of coordinate i of the velocities of a factor as a number: what its rounding is measured by. */
static double coordinate(const dal_factor *F, const double *q, int i)
{
    const int rotates = F->type->kind == DAL_FACTOR_SO3 ||
                        ((F->type->kind == DAL_FACTOR_R3SO3 || F->type->kind == DAL_FACTOR_SE3) && i >= 3);
    return rotates ? 1.0 : i < F->nq ? fabs(q[F->q + i]) : 1.0;
}

/* Rounding of q by u |q| violates the position constraints by B u|q|; the multipliers that answer it within a step are
 * (B M^-1 B^T)^-1 B u|q|/s with s of (GA.9); h^2 is left to be divided by. The larger of two
 * patterns of signs, times what the recursion from step to step makes of it. (GA.13) */
static dal_status estimate_noise(dal_genalpha *ga, const dal_state_buffer *s, double *estimate)
{
    const dal_ga_coef c = ga->c;
    const dal_group *G = ga->ev->G;
    dal_saddle *sd = ga->saddle;
    const double scale = c.beta * (1.0 - c.alpha_f) / (1.0 - c.alpha_m);
    double *w = ga->w, noise = 0.0;
    const dal_point at = {s->t, s->q, s->v, sd->zero, sd->zero};
    DAL_TRY(dal_saddle_factor(sd, &at, 0));
    for (int pattern = 0; pattern < 2; ++pattern) {
        for (int f = 0; f < G->nfactors; ++f) {
            for (int i = 0; i < G->factor[f].nv; ++i) {
                const double sign = pattern == 0 || (f + i) % 2 == 0 ? 1.0 : -1.0;
                w[G->factor[f].v + i] = sign * 1.1e-16 * coordinate(&G->factor[f], s->q, i);
            }
        }
        dal_zero(sd->x, ga->nv);
        DAL_TRY(dal_saddle_constrain(sd, sd->x + ga->nv, &at, w));
        dal_saddle_solve_roughly(sd); // a digit of it will do
        noise = fmax(noise, dal_max_product(sd->x + ga->nv, sd->scales.reach, ga->nc) / scale);
    }
    *estimate = fmax(ga->noise_gain * noise, 1e-300);
    return DAL_OK;
}

/* What it takes to bend the motion of the bodies within their own length, m v^2. */
static double bending(const dal_genalpha *ga, const double *v)
{
    double most = 0.0;
    for (int i = 0; i < ga->nv; ++i) {
        most = dal_larger(most, ga->saddle->scales.inertia[i] * v[i] * v[i] / ga->ev->unit[i]);
    }
    return most;
}

/* ---- scales ----------------------------------------------------------------------------------- */

/* One over the leading entries of the matrix, times the displacements that count as large. (SX.3) */
void dal_ga_scale(dal_genalpha *ga)
{
    const dal_saddle *sd = ga->saddle;
    const dal_system *sys = ga->ev->sys;
    for (int i = 0; i < ga->nv; ++i) {
        const double ratio = ga->ev->unit[i] / ga->ev->length;
        ga->lift[i] = ratio * ratio;
        ga->weight[i] = 1.0 / sd->scales.inertia[i];
    }
    for (int c = 0; c < sys->nconstraints; ++c) {
        for (int i = 0; i < sys->constraint[c].nrows; ++i) {
            const double weight = sd->scales.per_reach[ga->ev->row0[c] + i];
            ga->weight[ga->nv + ga->ev->row0[c] + i] = weight;
            if (ga->eta0[c] >= 0) {
                ga->weight[ga->nv + ga->nc + ga->eta0[c] + i] = weight;
                ga->balance[ga->nv + ga->nc + ga->eta0[c] + i] = ga->ev->length * weight;
            }
        }
    }
    dal_copy(ga->balance, sd->balance, ga->nv + ga->nc);
    dal_linsol_balance(ga->base.matrix, dal_scales_uneven(&sd->scales) ? ga->balance : NULL);
}

/* ---- start ------------------------------------------------------------------------------------ */

dal_status dal_ga_start(dal_integrator *self, double t, const double *q, const double *v, double h, dal_moment moment)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    dal_state_buffer *s = ga->trial; // current stays as it is if this fails
    s->t = t;
    s->h = h;
    dal_copy(s->q, q, ga->ev->nq);
    dal_copy(s->v, v, ga->nv);
    dal_zero(s->theta, ga->nv);
    dal_zero(s->eta, ga->nh);
    DAL_TRY(dal_initial_acceleration(ga->saddle, s->vd, s->la, t, s->q, s->v));
    dal_ga_scale(ga);
    dal_copy(s->a, s->vd, ga->nv);
    dal_copy(s->vc, s->v, ga->nv);
    dal_copy(s->vdc, s->vd, ga->nv);
    s->known = 1;
    if (ga->opt.starting != DAL_STARTING_NAIVE) {
        // a0 = v' + D h v''  (IN.1);  v0 = v + d, B d = B l_q/h  (IN.3)
        const double D = ga->c.alpha_m - ga->c.alpha_f;
        DAL_TRY(local_error_at(ga, &(dal_point){t, s->q, s->v, s->vd, s->la}, h));
        dal_copy(s->jerk, ga->vdd, ga->nv);
        s->known = 2;
        for (int i = 0; i < ga->nv; ++i) {
            s->a[i] += D * h * ga->vdd[i];
        }
        if (ga->opt.starting == DAL_STARTING_PERTURBED && ga->opt.formulation == DAL_FORMULATION_INDEX3) {
            DAL_TRY(dal_perturb_velocity(ga->saddle, s->v, t, s->q, ga->l_q, h));
        }
    }
    double noise = 0.0;
    if (ga->opt.formulation == DAL_FORMULATION_INDEX3 && ga->nh > 0) {
        DAL_TRY(estimate_noise(ga, s, &noise));
    }
    ga->trial = self->current;
    self->current = s;
    ga->history = ga->degree = 0;
    self->la_noise = noise;
    self->la_max = dal_max_product(s->la, ga->saddle->scales.reach, ga->nc);
    self->la_motion = bending(ga, s->v);
    if (moment != DAL_MOMENT_STEP) {
        dal_zero(ga->vmax, ga->nv);
        self->missed = 0.0;
    }
    dal_note_largest(ga->ev->sys, ga->vmax, v);
    dal_newton_invalidate(&ga->newton);
    return DAL_OK;
}

/* q and v back on the constraints; compensated: v off them again as the method has it. */
static dal_status project(dal_genalpha *ga, double *q, double *v, dal_projection mode, int position)
{
    const dal_state_buffer *s = ga->base.current;
    if (position) {
        DAL_TRY(dal_project_position(ga->saddle, q, NULL, s->t, DAL_POSITION_TOLERANCE));
    }
    DAL_TRY(dal_project_velocity(ga->saddle, v, NULL, s->t, q, NULL));
    if (mode == DAL_PROJECTION_COMPENSATED && ga->opt.formulation == DAL_FORMULATION_INDEX3 && ga->nh > 0) {
        // l_q at the projected state: v' and lambda there go to scratch, those of the run are kept
        DAL_TRY(dal_initial_acceleration(ga->saddle, ga->a_tuned, ga->vel, s->t, q, v));
        DAL_TRY(local_error_at(ga, &(dal_point){s->t, q, v, ga->a_tuned, ga->vel}, s->h));
        DAL_TRY(dal_perturb_velocity(ga->saddle, v, s->t, q, ga->l_q, s->h));
    }
    return DAL_OK;
}

dal_status dal_ga_project(dal_integrator *self, dal_projection mode, int position)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    dal_state_buffer *s = self->current;
    double *q = ga->q_work, *v = ga->v_tuned; // all or nothing
    dal_copy(q, s->q, ga->ev->nq);
    dal_copy(v, s->v, ga->nv);
    dal_saddle_keep(ga->saddle, 1, 0);
    const dal_status st = project(ga, q, v, mode, position);
    dal_saddle_keep(ga->saddle, 0, 0);
    DAL_TRY(st);
    dal_copy(s->q, q, ga->ev->nq);
    dal_copy(s->v, v, ga->nv);
    s->known = 0;
    return DAL_OK;
}

/* ---- local error ------------------------------------------------------------------------------ */

/* step_atol + step_rtol max|v| of a vector at a state. (SC.1) */
static double asked_of(const dal_genalpha *ga, const dal_state_buffer *s, int k, int n)
{
    return dal_step_atol(&ga->opt, ga->ev, k) + ga->opt.step_rtol * fmax(ga->vmax[k], dal_vector_norm(s->v + k, n));
}

/* What rounding of q makes of v over a step: v is found from increments of q, and the constraints hold q to rounding only. */
static double rounding_of(const dal_factor *F, const double *q, double h)
{
    return 50.0 * DBL_EPSILON * dal_max_abs(q + F->q, F->nq) / h;
}

/* The same before the end of the step is known, for Newton's method. */
void dal_ga_error_tolerance(dal_genalpha *ga, double h)
{
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s0 = ga->base.current;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double rounding = rounding_of(F, s0->q, h);
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i, n = dal_vector_length(F, i);
            const double gained = ga->opt.step_rtol * h * dal_vector_norm(s0->vd + k, n);
            const double tol = fmax(fmax(asked_of(ga, s0, k, n), gained), rounding);
            for (int j = 0; j < n; ++j) {
                ga->tol[k + j] = tol;
            }
        }
    }
}

/* What a kink or jump of v' within the step does to v: at most h^2/4 times the change of the difference quotient of v'
 * from step to step. Neither small changes count, which are those of a smooth motion, nor alternating quotients, which
 * cancel in v. (SC.5) */
static double kink(const double *d1, const double *d0, double h, int n)
{
    double change = 0.0, sum = 0.0;
    for (int i = 0; i < n; ++i) {
        change += (d1[i] - d0[i]) * (d1[i] - d0[i]);
        sum += (d1[i] + d0[i]) * (d1[i] + d0[i]);
    }
    // counts fully from a relative change of 3/4 on, not at all up to 1/4
    const double size = fmax(dal_vector_norm(d1, n), dal_vector_norm(d0, n)), weight = 2.0 * sqrt(change) / size - 0.5;
    return weight > 0.0 ? 0.25 * h * h * fmin(weight, 1.0) * sqrt(fmin(change, sum)) : 0.0;
}

/* v'' over the step, from accelerations that belong to q and v: those of the iteration carry an oscillation from step
 * to step. Where they cannot be had, as in a singular configuration, those of the iteration over two steps will do. */
static void step_jerk(dal_genalpha *ga, double *mean)
{
    const dal_state_buffer *s0 = ga->base.current, *past = ga->history ? ga->base.previous : s0;
    dal_state_buffer *s1 = ga->trial;
    const int settled = dal_ga_settle(ga, s1) == DAL_OK && s0->known > 0;
    const double *vd1 = settled ? s1->vdc : s1->vd, *vd0 = settled ? s0->vdc : past->vd;
    const double span = settled ? ga->h : ga->t1 - past->t;
    for (int i = 0; i < ga->nv; ++i) {
        s1->jerk[i] = (vd1[i] - vd0[i]) / span;
        mean[i] = 0.5 * (vd1[i] + (settled ? vd0[i] : s0->vd[i]));
    }
    s1->known = settled ? 2 : 0;
}

double dal_ga_measure(dal_genalpha *ga, const double *l, double h)
{
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s1 = ga->trial;
    double worst = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double least = rounding_of(F, s1->q, h);
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i, n = dal_vector_length(F, i);
            worst = dal_larger(worst, dal_vector_norm(l + k, n) / (h * fmax(asked_of(ga, s1, k, n), least)));
        }
    }
    return worst;
}

/* |l_q|/h, enlarged because its effects add up (but not in stiff motions, which is where `auto` comes here), and what a kink does, in units of the tolerance, the worst over all
 * vectors. The latter is O(h^3) where the motion is smooth: the power makes it follow h like the former. (SC.1), (SC.5) */
double dal_ga_error(dal_integrator *self)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    const double adds_up = ga->opt.integrator == DAL_INTEGRATOR_AUTO ? 1.0 : 10.0;
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s0 = self->current, *s1 = ga->trial;
    double worst = 0.0;
    step_jerk(ga, ga->w);
    dal_local_error(G, ga->l_q, ga->h, ga->c.C_q, ga->C_h, s1->v, ga->w, s1->jerk);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double least = rounding_of(F, s1->q, ga->h);
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i, n = dal_vector_length(F, i);
            const double asked = asked_of(ga, s1, k, n), tol = fmax(asked, least);
            const double error = adds_up * dal_vector_norm(ga->l_q + k, n) / ga->h;
            worst = dal_larger(worst, error / tol);
            if (s0->known == 2 && s1->known == 2) {
                const double e = kink(s1->jerk + k, s0->jerk + k, ga->h, n) / tol;
                worst = dal_larger(worst, e <= 1e-3 ? 0.0 : cbrt(e * e));
            }
            self->missed = error > asked && error <= least ? fmax(self->missed, error / asked) : self->missed;
        }
    }
    return worst;
}
