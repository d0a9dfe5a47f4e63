/* Change of step size: what v_n, a_n and v'_n owe to the step size is renewed, and nothing that alternates from step to
 * step is enlarged (docs/theory/stepsize.md, section 3). Likewise after an event, where v'' is of no use (initial.md, section 3). */
#include "base/vector.h"
#include "integrate/genalpha_impl.h"

/* ---- a state without what the integration adds to it ------------------------------------------ */

static dal_status factor_saddle(dal_genalpha *ga, const dal_state_buffer *s)
{
    const double *zero = ga->saddle->zero;
    DAL_TRY(dal_saddle_factor(ga->saddle, &(dal_point){s->t, s->q, s->v, zero, zero}, 0));
    ga->settled = s;
    ga->saddle_count = ga->saddle->count;
    return DAL_OK;
}

/* v' and lambda that belong to q and vc, by (IN.4). The saddle matrix is factored before and after. */
static dal_status consistent_acceleration(dal_genalpha *ga, dal_state_buffer *s)
{
    dal_saddle *sd = ga->saddle;
    if (ga->ev->iterates) { // with matrices of its own
        DAL_TRY(dal_initial_acceleration(sd, s->vdc, ga->la_tuned, s->t, s->q, s->vc));
        return factor_saddle(ga, s);
    }
    const dal_point at = {s->t, s->q, s->vc, sd->zero, sd->zero};
    return dal_factored_acceleration(sd, s->vdc, ga->la_tuned, &at, 0);
}

/* vc := v on the constraints; only index 3 is off them. */
static dal_status constrained_velocity(dal_genalpha *ga, dal_state_buffer *s)
{
    dal_saddle *sd = ga->saddle;
    double *vel = sd->x + ga->nv;
    if (ga->opt.formulation != DAL_FORMULATION_INDEX3 || ga->nh == 0) {
        return DAL_OK;
    }
    DAL_TRY(dal_eval_residual(ga->ev, &(dal_residual){.vel = vel}, &(dal_point){s->t, s->q, s->v, sd->zero, sd->zero}));
    dal_saddle_correct(sd, ga->nv, 0);
    for (int i = 0; i < ga->nv; ++i) {
        s->vc[i] += sd->x[i];
    }
    return DAL_OK;
}

dal_status dal_ga_settle(dal_genalpha *ga, dal_state_buffer *s)
{
    const int factored = ga->settled == s && ga->saddle_count == ga->saddle->count;
    if (ga->nc > 0 && !(factored && s->known > 0)) {
        DAL_TRY(factor_saddle(ga, s));
    }
    if (s->known == 0) {
        dal_copy(s->vc, s->v, ga->nv);
        dal_copy(s->vdc, s->vd, ga->nv);
        if (ga->nc > 0) {
            DAL_TRY(constrained_velocity(ga, s));
            DAL_TRY(consistent_acceleration(ga, s));
        }
        s->known = 1;
    }
    return DAL_OK;
}

/* v'' by differences along the motion. The saddle matrix is factored afterwards. */
static dal_status jerk_by_differences(dal_genalpha *ga, dal_state_buffer *s)
{
    double *vd = ga->a_tuned, *la = ga->la_tuned;
    DAL_TRY(dal_initial_acceleration(ga->saddle, vd, la, s->t, s->q, s->vc));
    DAL_TRY(dal_initial_jerk(ga->saddle, s->jerk, &(dal_point){s->t, s->q, s->vc, vd, la}, s->h, 0));
    return ga->nc > 0 ? factor_saddle(ga, s) : DAL_OK;
}

/* The current state settled, with v'' over the step that led to it; without an earlier state to compare with, by
 * differences along the motion. */
static dal_status settle_current(dal_genalpha *ga)
{
    dal_state_buffer *s = ga->base.current;
    const dal_state_buffer *p = ga->base.previous;
    DAL_TRY(dal_ga_settle(ga, s));
    if (s->known == 2) {
        return DAL_OK;
    }
    const double *before = ga->nc > 0 ? p->vdc : p->vd;
    if (ga->history && (p->known > 0 || ga->nc == 0)) {
        for (int i = 0; i < ga->nv; ++i) {
            s->jerk[i] = (s->vdc[i] - before[i]) / (s->t - p->t);
        }
    } else {
        dal_saddle_keep(ga->saddle, 1, 0);
        const dal_status st = jerk_by_differences(ga, s);
        dal_saddle_keep(ga->saddle, 0, 0);
        DAL_TRY(st);
    }
    s->known = 2;
    return DAL_OK;
}

/* ---- v'' -------------------------------------------------------------------------------------- */

/* v'' of one vector at t_n from its differences d1, d0 over the last two steps: the quadratic through v' if they are
 * alike; otherwise the smaller of the two, by component, and zero where they differ in sign: what alternates from step
 * to step, or jumps within one, is no v''. e = h_n/(h_n + h_{n-1}). (SC.4) */
static void jerk_of_vector(double *vdd, const double *d1, const double *d0, double e, int n)
{
    double change = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        change += (d1[i] - d0[i]) * (d1[i] - d0[i]);
        size += d1[i] * d1[i];
    }
    for (int i = 0; i < n; ++i) {
        if (change <= 0.25 * size) {
            vdd[i] = d1[i] + e * (d1[i] - d0[i]);
        } else {
            vdd[i] = d1[i] * d0[i] <= 0.0 ? 0.0 : fabs(d1[i]) < fabs(d0[i]) ? d1[i] : d0[i];
        }
    }
}

/* v'' at the current state, to vdd */
static void estimate_jerk(dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s = ga->base.current, *p = ga->base.previous;
    if (!ga->history || p->known < 2) {
        dal_copy(ga->vdd, s->jerk, ga->nv);
        return;
    }
    const double e = (s->t - p->t) / (s->t - p->t + p->h);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i;
            jerk_of_vector(ga->vdd + k, s->jerk + k, p->jerk + k, e, dal_vector_length(F, i));
        }
    }
}

/* ---- transfer --------------------------------------------------------------------------------- */

/* x := x + the normal part of w, [[M, B^T], [B, 0]] [d; .] = [0; B w]; level0: the velocity level for v = 0;
 * positions: only for rows that are held at the level of positions alone (index 3). */
static dal_status add_normal(dal_genalpha *ga, double *x, const double *w, const double *level0, int positions)
{
    const dal_state_buffer *s = ga->base.current;
    const dal_system *sys = ga->ev->sys;
    dal_saddle *sd = ga->saddle;
    double *Bw = sd->x + ga->nv;
    DAL_TRY(dal_eval_residual(ga->ev, &(dal_residual){.vel = Bw}, &(dal_point){s->t, s->q, w, sd->zero, sd->zero}));
    dal_zero(sd->x, ga->nv);
    for (int c = 0; c < sys->nconstraints; ++c) {
        const dal_row_kind kind = sys->constraint[c].kind;
        const int held = kind != DAL_ROWS_POSITION && kind != DAL_ROWS_TEXTBOOK;
        for (int r = ga->ev->row0[c]; r < ga->ev->row0[c + 1]; ++r) {
            Bw[r] = positions && held ? 0.0 : Bw[r] - level0[r];
        }
    }
    dal_saddle_solve(sd);
    for (int i = 0; i < ga->nv; ++i) {
        x[i] += sd->x[i];
    }
    return DAL_OK;
}

/* Part of the old parasitic part that is kept: then it obeys E := keep T E from step to step whatever the step sizes
 * are (SC.6). All of it would keep the noise of rounding for long; nothing of it costs accuracy in smooth motion, because
 * the normal parts have smooth terms of higher order too. A single change between fixed steps keeps nothing. */
static double part_kept(const dal_genalpha *ga)
{
    return ga->opt.step == DAL_STEP_ADAPTIVE ? 0.5 : 0.0;
}

/* What constraints add. The smooth normal parts, D h v'' of a and l_q/h of v (index 3), are those of the new step size;
 * of the rest, and of the part of v' that does not belong to q and v, a part is kept. */
static dal_status renew_normal_parts(dal_genalpha *ga, double h)
{
    const dal_state_buffer *s = ga->base.current;
    const double *zero = ga->saddle->zero, D = ga->c.alpha_m - ga->c.alpha_f, r = h / s->h, keep = part_kept(ga);
    double *level0 = ga->vel, *w = ga->w;
    DAL_TRY(dal_eval_residual(ga->ev, &(dal_residual){.vel = level0}, &(dal_point){s->t, s->q, zero, zero, zero}));
    for (int i = 0; i < ga->nv; ++i) {
        w[i] = (1.0 - keep) * (s->vdc[i] + D * h * ga->vdd[i] - ga->a_tuned[i]);
        ga->vd_tuned[i] = s->vdc[i] + keep * (s->vd[i] - s->vdc[i]);
    }
    DAL_TRY(add_normal(ga, ga->a_tuned, w, level0, 0));
    ga->vd0 = ga->vd_tuned;
    if (ga->opt.formulation != DAL_FORMULATION_INDEX3 || ga->nh == 0) {
        return DAL_OK;
    }
    dal_local_error(ga->ev->G, ga->l_q, s->h, ga->c.C_q, ga->C_h, s->vc, s->vdc, ga->vdd);
    for (int i = 0; i < ga->nv; ++i) {
        ga->v_tuned[i] = s->vc[i] + keep * r * (s->v[i] - s->vc[i]);
        w[i] = r * (r - keep) * ga->l_q[i] / s->h;
    }
    ga->v0 = ga->v_tuned;
    return add_normal(ga, ga->v_tuned, w, level0, 1);
}

/* (SC.3) */
dal_status dal_ga_tune(dal_genalpha *ga, double h)
{
    const dal_state_buffer *s = ga->base.current;
    const double D = ga->c.alpha_m - ga->c.alpha_f;
    if (ga->opt.transfer == DAL_TRANSFER_NONE) {
        return DAL_OK;
    }
    DAL_TRY(settle_current(ga));
    estimate_jerk(ga);
    for (int i = 0; i < ga->nv; ++i) {
        ga->a_tuned[i] = s->a[i] + D * (h - s->h) * ga->vdd[i];
    }
    ga->a0 = ga->a_tuned;
    return ga->nc > 0 && ga->opt.transfer == DAL_TRANSFER_FULL ? renew_normal_parts(ga, h) : DAL_OK;
}

dal_status dal_ga_retune(dal_integrator *self, double h)
{
    dal_genalpha *ga = (dal_genalpha *)self;
    dal_state_buffer *s = self->current;
    if (h == s->h) {
        return DAL_OK;
    }
    ga->v0 = s->v;
    ga->a0 = s->a;
    ga->vd0 = s->vd;
    DAL_TRY(dal_ga_tune(ga, h));
    memmove(s->v, ga->v0, (size_t)ga->nv * sizeof(double));
    memmove(s->a, ga->a0, (size_t)ga->nv * sizeof(double));
    memmove(s->vd, ga->vd0, (size_t)ga->nv * sizeof(double));
    s->h = h;
    return DAL_OK;
}

/* ---- after an event --------------------------------------------------------------------------- */

/* Twice the energy of velocities factor x, about. */
static double energy_of(const dal_genalpha *ga, const double *x, double factor)
{
    double sum = 0.0;
    for (int i = 0; i < ga->nv; ++i) {
        sum += ga->saddle->scales.inertia[i] * x[i] * x[i];
    }
    return factor * factor * sum;
}

/* Do vibrations that steps do not resolve have more than this part of the energy of the current state? */
static dal_status is_stiff(dal_genalpha *ga, int *stiff, const double *before, double part)
{
    const dal_state_buffer *s = ga->base.current;
    const double h = s->h, motion = energy_of(ga, s->vc, 1.0) + energy_of(ga, before, h);
    double *jump = ga->w;
    for (int i = 0; i < ga->nv; ++i) {
        jump[i] = s->vdc[i] - before[i];
    }
    *stiff = 0;
    if (s->known == 2 && energy_of(ga, s->jerk, h * h) <= part * motion && energy_of(ga, jump, h) <= part * motion) {
        return DAL_OK;
    }
    // the difference over h/2 averages what is as fast as that
    DAL_TRY(dal_initial_jerk(ga->saddle, ga->vdd, &(dal_point){s->t, s->q, s->vc, s->vdc, s->la}, h, 1));
    *stiff = energy_of(ga, ga->vdd, h * h) > part * (motion + energy_of(ga, s->vdc, h));
    return DAL_OK;
}

/* v' goes on as it was, but for what the constraints ask of it. */
static dal_status go_on_with(dal_genalpha *ga, const double *before)
{
    dal_state_buffer *s = ga->base.current;
    double *w = ga->w, *level0 = ga->vel;
    const double *zero = ga->saddle->zero;
    dal_copy(s->v, s->vc, ga->nv);
    dal_copy(s->a, before, ga->nv);
    if (ga->nc > 0) {
        for (int i = 0; i < ga->nv; ++i) {
            w[i] = s->vdc[i] - before[i];
        }
        DAL_TRY(factor_saddle(ga, s));
        DAL_TRY(dal_eval_residual(ga->ev, &(dal_residual){.vel = level0}, &(dal_point){s->t, s->q, zero, zero, zero}));
        DAL_TRY(add_normal(ga, s->a, w, level0, 0));
    }
    dal_copy(s->vd, s->a, ga->nv);
    dal_copy(s->vdc, s->a, ga->nv);
    dal_zero(s->jerk, ga->nv);
    s->known = 2;
    return DAL_OK;
}

dal_status dal_ga_ease_from(dal_genalpha *ga, int *eased, const double *before, double part)
{
    DAL_TRY(is_stiff(ga, eased, before, part));
    return *eased ? go_on_with(ga, before) : DAL_OK;
}

dal_status dal_ga_ease(dal_integrator *self, const double *before)
{
    int eased;
    return dal_ga_ease_from((dal_genalpha *)self, &eased, before, 0.25);
}
