/* The generalized-alpha step: unknowns theta, scaled lambda and scaled eta, where rows have one; one Newton solve. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/genalpha_impl.h"

/* ---- the nonlinear system (GA.5) -------------------------------------------------------------- */

/* Constraint rows when blocks of both kinds are present, or when both levels are needed. */
static void constraint_rows(dal_genalpha *ga, double *r)
{
    const dal_eval *ev = ga->ev;
    const int formulation = ga->opt.formulation;
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        const int position = dal_holds_positions(&ev->sys->constraint[c]) && formulation != DAL_FORMULATION_INDEX2;
        for (int i = ev->row0[c]; i < ev->row0[c + 1]; ++i) {
            r[ga->nv + i] = position ? ga->Phi[i] : ga->s_vel * ga->vel[i];
            if (ga->eta0[c] >= 0) {
                r[ga->nv + ga->nc + ga->eta0[c] + i - ev->row0[c]] = ga->s_vel * ga->vel[i];
            }
        }
    }
}

typedef dal_status evaluation(dal_eval *ev, const dal_residual *out, const dal_point *at);

static dal_status residual_by(dal_genalpha *ga, double *r, evaluation *evaluate)
{
    const int formulation = ga->opt.formulation, nc = ga->nc;
    const dal_state_buffer *s1 = ga->trial;
    const dal_point at = {ga->t1, s1->q, s1->v, s1->vd, s1->la};
    // all rows at the level of positions: nothing to be sorted
    const int positions = formulation == DAL_FORMULATION_INDEX3 && ga->nh == nc && ga->ne == 0;
    dal_residual out = {.r = r};
    if (nc > 0 && formulation == DAL_FORMULATION_INDEX1) {
        out.acc = ga->vel;
    } else if (nc > 0) {
        out.Phi = positions ? r + ga->nv : formulation != DAL_FORMULATION_INDEX2 && ga->nh > 0 ? ga->Phi : NULL;
        out.vel = positions ? NULL : ga->vel;
    }
    DAL_TRY(evaluate(ga->ev, &out, &at));
    dal_scale(r, ga->s, ga->nv);
    if (formulation == DAL_FORMULATION_INDEX1) {
        for (int i = 0; i < nc; ++i) {
            r[ga->nv + i] = ga->s_acc * ga->vel[i];
        }
    } else if (!positions) {
        constraint_rows(ga, r);
    }
    return ga->ev->nlaws > 0 ? evaluate(ga->ev, &(dal_residual){.law = r + ga->nv}, &at) : DAL_OK;
}

static dal_status residual(void *self, double *r)
{
    dal_genalpha *ga = self;
    if (ga->opt.kinematics == DAL_KINEMATICS_EXACT) {
        dal_ga_trial_state(ga);
    }
    return residual_by(ga, r, dal_eval_residual_unchecked);
}

static dal_status explain(void *self, double *r)
{
    return residual_by(self, r, dal_eval_residual);
}

static void update(void *self, const double *dx, double scale)
{
    dal_genalpha *ga = self;
    if (ga->opt.kinematics != DAL_KINEMATICS_EXACT) {
        dal_ga_printed_update(ga, dx);
        return;
    }
    dal_add_multiple(ga->x, dx, scale, ga->n);
}

static void finish(void *self)
{
    dal_genalpha *ga = self;
    if (ga->opt.kinematics == DAL_KINEMATICS_EXACT) {
        dal_ga_trial_state(ga);
    }
}

/* Tolerance of component i of theta (GA.11). With adaptive steps Newton's method must not spoil the local error. */
static inline double theta_tol(const dal_genalpha *ga, int i)
{
    const double tol = ga->opt.atol * ga->ev->unit[i] + ga->opt.rtol * fabs(ga->x[i]);
    if (ga->opt.step != DAL_STEP_ADAPTIVE) {
        return tol;
    }
    const double share = 0.02 * ga->h * ga->tol[i];
    return share < tol ? share : tol;
}

/* Increment in units of its tolerance (GA.11): theta by component; lambda and nu times the reach of their rows, which makes
 * forces and torques comparable, lambda relative to the largest, because an absolute tolerance on s lambda would be worth
 * atol/h^2 in lambda. */
static double size(void *self, const double *dx)
{
    const dal_genalpha *ga = self;
    const double atol = ga->opt.atol, rtol = ga->opt.rtol, *x = ga->x;
    const double square = ga->ev->length * ga->ev->length;
    uint64_t most = 0, other = 0;
    for (int i = 0; i < ga->nv; ++i) {
        const uint64_t part = dal_magnitude(dx[i] / theta_tol(ga, i));
        most = part > most ? part : most;
    }
    for (int i = ga->nv + ga->nc; i < ga->n; ++i) {
        const uint64_t part = dal_magnitude(dx[i] / (atol * square * ga->weight[i] + rtol * fabs(x[i])));
        other = part > other ? part : other;
    }
    const double worst = dal_of_magnitudes(most, other),
                 mu = dal_max_product(x + ga->nv, ga->saddle->scales.reach, ga->nc),
                 dmu = dal_max_product(dx + ga->nv, ga->saddle->scales.reach, ga->nc);
    return dmu == 0.0 ? worst : dal_larger(worst, dmu / (rtol * (mu + ga->s * atol * ga->saddle->scales.work)));
}

/* Are the increments of theta no more than the rounding of q? Those of multipliers tell nothing: where reactions are zero, what
 * stiff elements make of that rounding is all there is. (NW.13) */
static int idle(void *self, const double *dx)
{
    const dal_genalpha *ga = self;
    const double rounding = dal_scales_rounding(&ga->saddle->scales, ga->trial->q);
    int still = 1;
    for (int i = 0; i < ga->nv; ++i) {
        still &= fabs(dx[i]) <= rounding * ga->ev->unit[i];
    }
    return still;
}

static void name_equation(void *self, char *buffer, size_t size, int equation)
{
    dal_ga_equation_name((dal_integrator *)self, buffer, size, equation);
}

/* ---- step ------------------------------------------------------------------------------------- */

/* Newton's method from the predictor. */
static dal_status solve_from(dal_genalpha *ga, dal_predictor predictor)
{
    if (ga->opt.kinematics != DAL_KINEMATICS_EXACT) {
        dal_ga_printed_predict(ga);
    } else {
        dal_ga_predict(ga, predictor);
    }
    return dal_newton_solve(&ga->newton, NULL, &ga->problem);
}

/* A first iterate that leads nowhere does not prove that there is no solution: after the predictor of the options the
 * more cautious ones are tried, with factors of their own. They start from larger residuals, of which a reduction to
 * rounding promises more than there is to gain: their solutions are verified. */
static dal_status solve(dal_genalpha *ga)
{
    const dal_predictor asked = (dal_predictor)ga->opt.predictor;
    const int printed = ga->opt.kinematics != DAL_KINEMATICS_EXACT;
    const int kept = ga->newton.have_factor && dal_newton_modified(&ga->newton);
    dal_status st = solve_from(ga, asked);
    if (st > 0 && kept) {
        // once more from the start with a Jacobian of its own
        dal_newton_invalidate(&ga->newton);
        st = solve_from(ga, asked);
    }
    dal_predictor next = asked == DAL_PREDICTOR_EXTRAPOLATE && ga->degree <= 0 ? DAL_PREDICTOR_HOLD : asked;
    while (st > 0 && !printed && next != DAL_PREDICTOR_ZERO) {
        next = next == DAL_PREDICTOR_EXTRAPOLATE ? DAL_PREDICTOR_HOLD : DAL_PREDICTOR_ZERO;
        dal_newton_invalidate(&ga->newton);
        ga->newton.verify = 1;
        st = solve_from(ga, next);
    }
    ga->newton.verify = 0;
    return st;
}

/* Residuals count as they are, without the powers of h of (GA.9). (NW.9) */
static void published_weights(dal_genalpha *ga)
{
    const int positions =
        ga->opt.formulation != DAL_FORMULATION_INDEX2 && ga->opt.formulation != DAL_FORMULATION_INDEX1;
    const double level = ga->opt.formulation == DAL_FORMULATION_INDEX1 ? ga->s_acc : ga->s_vel;
    for (int i = 0; i < ga->n; ++i) {
        const int eta = i >= ga->nv + ga->nc;
        ga->weight[i] = 1.0 / (i < ga->nv ? ga->s : positions && !eta ? 1.0 : level);
    }
}

dal_status dal_ga_solve_step(dal_genalpha *ga, double h, double t1)
{
    // scaled, the matrix depends little on h: a kept Jacobian survives small changes
    if (fabs(h - ga->h_jacobian) > (ga->opt.scaling ? 0.2 * h : 0.0)) {
        dal_newton_invalidate(&ga->newton);
    }
    ga->t1 = t1;
    ga->trial->t = t1;
    ga->trial->h = h;
    ga->trial->known = 0;
    if (ga->bdf) {
        dal_bdf_set_step(ga, h);
    } else {
        dal_ga_set_step(ga, h);
    }
    if (ga->opt.stop == DAL_STOP_RESIDUAL) {
        published_weights(ga);
    }
    DAL_TRY(dal_ga_keep_B0(ga));
    const dal_status st = solve(ga);
    if (st != DAL_OK) {
        dal_newton_invalidate(&ga->newton);
    }
    return st;
}

static dal_status attempt(dal_integrator *self, double h, double t1)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    const dal_state_buffer *s0 = self->current;
    ga->v0 = s0->v;
    ga->a0 = s0->a;
    ga->vd0 = s0->vd;
    if (ga->opt.step == DAL_STEP_ADAPTIVE) {
        dal_ga_error_tolerance(ga, h);
    }
    if (h != s0->h) {
        DAL_TRY(dal_ga_tune(ga, h));
    }
    return dal_ga_solve_step(ga, h, t1);
}

void dal_ga_turn(dal_genalpha *ga)
{
    dal_integrator *self = &ga->base;
    dal_state_buffer *s0 = self->current, *s1 = ga->trial;
    memcpy(s1->theta, ga->x, (size_t)ga->nv * sizeof(double));
    for (int i = 0; i < ga->ne; ++i) {
        s1->eta[i] = ga->x[ga->nv + ga->nc + i] / ga->h;
    }
    dal_ga_choose_degree(ga);
    ga->trial = ga->past;
    ga->past = self->previous;
    self->previous = s0;
    self->current = s1;
    self->end = s1;
    self->la_max = dal_larger(self->la_max, dal_max_product(s1->la, ga->saddle->scales.reach, ga->nc));
    ga->history += ga->history < 2;
    if (ga->opt.step == DAL_STEP_ADAPTIVE) {
        dal_note_largest(ga->ev->sys, ga->vmax, self->current->v);
    }
}

static void accept(dal_integrator *self)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    dal_state_buffer *s1 = ga->trial;
    const dal_ga_coef c = ga->c;
    // (GA.3) for a1; the published algorithms keep (GA.4) instead
    if (ga->opt.kinematics == DAL_KINEMATICS_EXACT) {
        for (int i = 0; i < ga->nv; ++i) {
            s1->a[i] = ((s1->v[i] - ga->v0[i]) / ga->h - (1.0 - c.gamma) * ga->a0[i]) / c.gamma;
        }
    } else {
        for (int i = 0; i < ga->nv; ++i) {
            s1->a[i] =
                ((1.0 - c.alpha_f) * s1->vd[i] + c.alpha_f * ga->vd0[i] - c.alpha_m * ga->a0[i]) / (1.0 - c.alpha_m);
        }
    }
    dal_ga_turn(ga);
}

/* Cubic Hermite interpolation in the local coordinates of the step, v' and lambda linear (DO.1). */
static void interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    const dal_state_buffer *s0 = self->previous, *s1 = self->end;
    const dal_group *G = ga->ev->G;
    const double H = s1->t - s0->t, u = (t - s0->t) / H;
    double *d1 = ga->w, *psi = ga->l_q, *rate = ga->vdd;
    // theta'(1) = H T^-1(theta) v1; theta'(0) = H v0
    dal_inv_tangent_apply(G, d1, s1->theta, s1->v);
    for (int i = 0; i < ga->nv; ++i) {
        const double th = s1->theta[i], m0 = H * s0->v[i], m1 = H * d1[i];
        psi[i] = u * (m0 + u * ((3.0 * th - 2.0 * m0 - m1) + u * (m0 + m1 - 2.0 * th)));
        rate[i] = (m0 + u * (2.0 * (3.0 * th - 2.0 * m0 - m1) + 3.0 * u * (m0 + m1 - 2.0 * th))) / H;
    }
    if (q) {
        dal_retract(G, q, s0->q, psi);
    }
    if (v) {
        dal_tangent_apply(G, v, psi, rate);
    }
    for (int i = 0; vd && i < ga->nv; ++i) {
        vd[i] = s0->vd[i] + u * (s1->vd[i] - s0->vd[i]);
    }
    for (int i = 0; la && i < ga->nc; ++i) {
        la[i] = s0->la[i] + u * (s1->la[i] - s0->la[i]);
    }
}

/* ---- snapshot --------------------------------------------------------------------------------- */

static void pass_state(dal_cursor *k, dal_genalpha *ga, dal_state_buffer *s)
{
    dal_state_pass(s, k, ga->ev);
    dal_pass(k, s->a, ga->nv);
    dal_pass(k, s->eta, ga->nh);
    dal_pass(k, s->vc, ga->nv);
    dal_pass(k, s->vdc, ga->nv);
    dal_pass(k, s->jerk, ga->nv);
    dal_pass_range(k, &s->known, 0, 2);
}

void dal_ga_pass(dal_integrator *self, dal_cursor *k)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    pass_state(k, ga, self->current);
    pass_state(k, ga, self->previous);
    pass_state(k, ga, ga->past);
    dal_pass(k, ga->vmax, ga->nv);
    dal_pass(k, &self->la_noise, 1);
    dal_pass(k, &self->la_max, 1);
    dal_pass(k, &self->la_motion, 1);
    dal_pass(k, &ga->h_jacobian, 1);
    dal_pass_range(k, &ga->history, 0, 2);
    dal_pass_range(k, &ga->degree, -1, 2);
    if (k->in) {
        self->end = self->current;
        ga->settled = NULL;
        dal_ga_scale(ga);
    }
    dal_newton_pass(&ga->newton, k);
}

void dal_ga_problem(dal_genalpha *ga)
{
    ga->problem = (dal_newton_problem){.residual = residual,
                                       .jacobian = dal_ga_jacobian,
                                       .update = update,
                                       .size = size,
                                       .idle = idle,
                                       .finish = finish,
                                       .self = ga,
                                       .name = name_equation,
                                       .explain = explain};
}

const dal_integrator_type dal_genalpha_type = {
    .name = "genalpha",
    .nodes = 2,
    .create = dal_ga_create,
    .destroy = dal_ga_destroy,
    .start = dal_ga_start,
    .ease = dal_ga_ease,
    .attempt = attempt,
    .error = dal_ga_error,
    .accept = accept,
    .retune = dal_ga_retune,
    .project = dal_ga_project,
    .interpolate = interpolate,
    .equation_name = dal_ga_equation_name,
    .pass = dal_ga_pass,
};
