#include "init/initial.h"

#include "base/vector.h"

enum { max_friction_iterations = 30 };
/* Part of a step over which central differences are taken. */
#define SPAN 0.25
/* Part of its units by which rounding may move a state. */
#define ROUNDING 1e-14

dal_status dal_initial_acceleration(dal_saddle *s, double *vd, double *la, double t, const double *q, const double *v)
{
    dal_zero(vd, s->nv);
    dal_zero(la, s->nc);
    DAL_TRY(dal_continued_acceleration(s, vd, la, t, q, v));
    return s->doubted ? dal_saddle_inertia(s, &(dal_point){t, q, v, vd, la}) : DAL_OK;
}

/* Largest of accelerations and multipliers, in units of displacements per s^2. */
static double largest(const dal_saddle *s, const double *vd, const double *la)
{
    double size = 0.0;
    for (int i = 0; i < s->nv; ++i) {
        size = dal_larger(size, fabs(vd[i]) / s->ev->unit[i]);
    }
    for (int r = 0; r < s->nc; ++r) {
        size = dal_larger(size, fabs(la[r]) * s->scales.reach[r] / s->scales.work);
    }
    return size;
}

/* How much rounding of the state changes them. Where forces cancel, rounding is all there is of accelerations, and iterations do not
 * make it less. The matrix is factored. Components move by parts of their own: bodies that move alike may change nothing. */
static dal_status rounding(dal_saddle *s, const dal_point *at, double *size)
{
    const int nv = s->nv;
    for (int i = 0; i < nv; ++i) {
        const double part = ROUNDING * (0.5 + fmod(0.618 * i, 1.0));
        s->theta[i] = part * s->ev->unit[i];
        s->v1[i] = at->v[i] * (1.0 + part);
    }
    dal_retract(s->ev->G, s->q1, at->q, s->theta);
    DAL_TRY(dal_eval_acceleration(s->ev, s->x, at));
    dal_copy(s->vd1, s->x, nv);
    dal_copy(s->la1, s->x + nv, s->nc);
    DAL_TRY(dal_eval_acceleration(s->ev, s->x, &(dal_point){at->t, s->q1, s->v1, at->vd, at->la}));
    dal_add_multiple(s->x, s->vd1, -1.0, nv);
    dal_add_multiple(s->x + nv, s->la1, -1.0, s->nc);
    dal_saddle_solve_roughly(s);
    *size = largest(s, s->x, s->x + nv);
    return DAL_OK;
}

dal_status dal_continued_acceleration(dal_saddle *s, double *vd, double *la, double t, const double *q, const double *v)
{
    const int nv = s->nv, nc = s->nc, nonlinear = s->ev->iterates;
    if (!nonlinear) {
        dal_zero(vd, nv);
        dal_zero(la, nc);
    }
    double last = INFINITY;
    DAL_TRY(dal_saddle_measure(s, &(dal_point){t, q, v, vd, la}));
    for (int it = 0; it < (nonlinear ? max_friction_iterations : 1); ++it) {
        // [[M, B^T + G], [B, 0]] [dv'; dlambda] = -[r; acc]
        const dal_point at = {t, q, v, vd, la};
        DAL_TRY(dal_eval_acceleration(s->ev, s->x, &at));
        DAL_TRY(dal_saddle_factor(s, &at, 1));
        dal_saddle_correct(s, 0, 0);
        dal_add(vd, s->x, nv);
        dal_add(la, s->x + nv, nc);
        if (!nonlinear) {
            return DAL_OK;
        }
        const double change = largest(s, s->x, s->x + nv), size = largest(s, vd, la);
        double least = 0.0;
        if (change > 0.5 * last) {
            DAL_TRY(rounding(s, &at, &least));
        }
        if (change <= dal_larger(1e-12 * size, least) || (change <= 1e-9 * size && change > 0.5 * last)) {
            return DAL_OK;
        }
        last = change;
    }
    return dal_fail(s->ctx, DAL_NOCONV,
                    "no consistent accelerations at t = %.9g: the forces that depend on the reactions do not settle in "
                    "%d iterations. Check their dependence on lambda (friction too strong or not smooth)",
                    t, max_friction_iterations);
}

dal_status dal_factored_acceleration(dal_saddle *s, double *vd, double *la, const dal_point *at, int roughly)
{
    DAL_TRY(dal_eval_acceleration(s->ev, s->x, at));
    (roughly ? dal_saddle_solve_roughly : dal_saddle_solve)(s);
    dal_negative(vd, s->x, s->nv);
    dal_negative(la, s->x + s->nv, s->nc);
    return DAL_OK;
}

/* v'' by what a time dt along the motion, at q o exp(dt v + dt^2/2 v'), v + dt v', the v' and lambda of now leave open in
 * (IN.4). The matrix is factored. (IN.6) */
static dal_status difference(dal_saddle *s, const dal_point *at, double dt, double *vdd)
{
    const int nv = s->nv, nc = s->nc;
    for (int i = 0; i < nv; ++i) {
        s->theta[i] = dt * at->v[i] + 0.5 * dt * dt * at->vd[i];
        s->v1[i] = at->v[i] + dt * at->vd[i];
    }
    dal_retract(s->ev->G, s->q1, at->q, s->theta);
    const dal_point later = {at->t + dt, s->q1, s->v1, at->vd, at->la};
    DAL_TRY(dal_eval_acceleration(s->ev, s->x, &later));
    for (int i = 0; i < nv + nc; ++i) {
        s->x[i] /= -dt;
    }
    dal_saddle_solve_roughly(s);
    dal_copy(vdd, s->x, nv);
    return DAL_OK;
}

/* v'' of one factor from the differences d+ and d- over +-dt: their mean, if over +-h they were alike; if not, v' is not
 * smooth on the scale of h, as at a kink or near a singularity, and the smaller of the two is taken by component, zero where
 * they differ in sign. ratio: h/dt. (IN.5) */
static void agree(double *vdd, const double *before, const double *per_unit, double ratio, int n)
{
    double change = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        const double mean = 0.5 * (vdd[i] + before[i]), half = 0.5 * ratio * (vdd[i] - before[i]);
        const double larger = (fabs(mean) + fabs(half)) * per_unit[i], apart = 2.0 * half * per_unit[i];
        change += apart * apart;
        size += larger * larger;
    }
    for (int i = 0; i < n; ++i) {
        const double mean = 0.5 * (vdd[i] + before[i]), half = 0.5 * ratio * (vdd[i] - before[i]);
        const double smaller = fmax(fabs(mean) - fabs(half), 0.0);
        vdd[i] = change <= size ? mean : copysign(smaller, mean);
    }
}

dal_status dal_initial_jerk(dal_saddle *s, double *vdd, const dal_point *at, double h, int one_sided)
{
    const double dt = one_sided ? 0.01 * h : SPAN * h;
    const dal_group *G = s->ev->G;
    DAL_TRY(dal_saddle_factor(s, at, 1));
    DAL_TRY(difference(s, at, dt, vdd));
    if (one_sided) {
        return DAL_OK;
    }
    DAL_TRY(difference(s, at, -dt, s->vd1));
    for (int f = 0; f < G->nfactors; ++f) {
        const int v = G->factor[f].v;
        agree(vdd + v, s->vd1 + v, s->ev->per_unit + v, h / dt, G->factor[f].nv);
    }
    return DAL_OK;
}

void dal_local_error(const dal_group *G, double *l_q, double h, double C_q, double C_h, const double *v,
                     const double *vd, const double *vdd)
{
    dal_bracket(G, l_q, v, vd);
    for (int i = 0; i < G->nv; ++i) {
        l_q[i] = h * h * h * (C_q * vdd[i] + C_h * l_q[i]);
    }
}

dal_status dal_perturb_velocity(dal_saddle *s, double *v, double t, const double *q, const double *l_q, double h)
{
    const dal_system *sys = s->ev->sys;
    const int nv = s->nv;
    if (s->ev->nh == 0) {
        return DAL_OK;
    }
    double *Bl = s->x + nv;
    const dal_point at = {t, q, v, s->zero, s->zero};
    DAL_TRY(dal_saddle_factor(s, &at, 0));
    for (int i = 0; i < nv; ++i) {
        s->v1[i] = l_q[i] / h;
    }
    DAL_TRY(dal_saddle_constrain(s, Bl, &at, s->v1));
    dal_zero(s->x, nv);
    for (int c = 0; c < sys->nconstraints; ++c) {
        const dal_row_kind kind = sys->constraint[c].kind;
        if (kind != DAL_ROWS_POSITION && kind != DAL_ROWS_TEXTBOOK) {
            dal_zero(Bl + s->ev->row0[c], sys->constraint[c].nrows);
        }
    }
    dal_saddle_solve_roughly(s); // the perturbation itself has an error of O(h) of its size
    for (int i = 0; i < nv; ++i) {
        v[i] += s->x[i];
    }
    return DAL_OK;
}
