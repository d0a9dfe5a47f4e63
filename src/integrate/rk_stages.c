/* Stages of an explicit Runge-Kutta step in the local coordinates q = q_n o exp(theta) (RK.1), and its end on the
 * constraints (RK.4). */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "integrate/rk_impl.h"

/* theta' = T^-1(theta) v has poles where a body turns by 2 pi. */
static const double turn = 5.5;
/* Numbers beyond it only come from a step that is much too long; their squares and cubes are still finite. */
static const double huge = 1e75;

void dal_rk_combine(const dal_rk *rk, double *restrict y, double h, const dal_rk_row *row, const double *slope)
{
    const int n = 2 * rk->nv;
    int t = 0;
    for (; t + 1 < row->n; t += 2) {
        const double a = h * row->term[t].a, b = h * row->term[t + 1].a;
        const double *restrict ka = slope + row->term[t].j * n, *restrict kb = slope + row->term[t + 1].j * n;
        for (int k = 0; k < n; ++k) {
            y[k] += a * ka[k] + b * kb[k];
        }
    }
    if (t < row->n) {
        const double a = h * row->term[t].a;
        const double *restrict ka = slope + row->term[t].j * n;
        for (int k = 0; k < n; ++k) {
            y[k] += a * ka[k];
        }
    }
}

/* q_stage = q0 o exp(theta) and, unless it is NULL, rate = T^-1(theta) v; the largest angle of a body is kept. */
static dal_status place(dal_rk *rk, const double *q0, double *q, double *rate, const double *y)
{
    enum { MAX_CURVED = 6 };
    const dal_group *G = rk->ev->G;
    const double *v = y + rk->nv;
    double coef[DAL_NCOEF], T[MAX_CURVED * MAX_CURVED], widest = 0.0;
    if (!(dal_max_abs(y, 2 * rk->nv) <= huge)) {
        return dal_fail(rk->ctx, DAL_RETRY, "the step is too long: speeds grow without bound within it");
    }
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const dal_factor_type *type = F->type;
        const double *theta = y + F->v;
        type->prepare(coef, theta, F->nv);
        type->retract(q + F->q, q0 + F->q, theta, coef, F->nv);
        if (type->flat) {
            dal_copy(rate + F->v, v + F->v, F->nv);
            continue;
        }
        const double *w = theta + F->nv - (type->kind == DAL_FACTOR_SE2 ? 1 : 3);
        const double square = type->kind == DAL_FACTOR_SE2 ? w[0] * w[0] : w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        widest = square > widest ? square : widest;
        type->inv_tangent(T, theta, coef, F->nv);
        type->apply(rate + F->v, T, v + F->v, F->nv);
    }
    widest = sqrt(widest);
    rk->angle = fmax(rk->angle, widest);
    return widest <= turn ? DAL_OK
                          : dal_fail(rk->ctx, DAL_RETRY, "the step turns a body by %.2g rad: take a smaller h", widest);
}

dal_status dal_rk_slope(dal_rk *rk, double *slope, const dal_state_buffer *s0, double t, const double *y)
{
    DAL_TRY(place(rk, s0->q, rk->q_stage, slope, y));
    rk->refine = 0;
    return dal_rk_acceleration(rk, slope + rk->nv, rk->la_stage, t, rk->q_stage, y + rk->nv);
}

/* ---- on the constraints ----------------------------------------------------------------------- */

/* x := A^-1 [0; -c] with the factors that are there, c in the place of the constraints in x. */
static const double *correction(dal_rk *rk)
{
    double *x = rk->saddle->x;
    dal_zero(x, rk->nv);
    for (int i = rk->nv; i < rk->nv + rk->nc; ++i) {
        x[i] = -x[i];
    }
    dal_rk_solve(rk);
    return x;
}

enum { CORRECTIONS = 4 };

/* Phi(q, t) = 0 by simplified Newton corrections q := q o exp(d), theta follows. *part: of a residual that a correction
 * leaves over. DAL_NOCONV where the factors are too old for that. */
static dal_status close_positions(dal_rk *rk, double t, double *q, double *theta, double *part)
{
    double *Phi = rk->saddle->x + rk->nv, last = INFINITY;
    const double rounding = 4.0 * DBL_EPSILON * fmax(1.0, dal_max_abs(q, rk->nq));
    for (int it = 0;; ++it) {
        const dal_point at = {t, q, rk->saddle->zero, rk->saddle->zero, rk->saddle->zero};
        dal_zero(Phi, rk->nc);
        DAL_TRY(dal_eval_residual(rk->ev, &(dal_residual){.Phi = Phi}, &at));
        const double norm = dal_max_abs(Phi, rk->nc);
        *part = it > 0 ? fmax(*part, norm > rounding ? norm / last : 0.0) : 0.0;
        if (norm <= rounding || (norm <= DAL_POSITION_TOLERANCE && norm > 0.1 * last)) {
            return DAL_OK;
        }
        if (it == CORRECTIONS || norm > 0.5 * last) {
            return DAL_NOCONV;
        }
        last = norm;
        const double *d = correction(rk);
        dal_inv_tangent_apply(rk->ev->G, rk->e[0], theta, d);
        for (int k = 0; k < rk->nv; ++k) {
            theta[k] += rk->e[0][k];
        }
        dal_retract(rk->ev->G, rk->q_stage, q, d);
        dal_copy(q, rk->q_stage, rk->nq);
    }
}

/* B v + Phi_t = 0 in the same way; part as above. */
static dal_status close_velocities(dal_rk *rk, double t, const double *q, double *v, double part)
{
    double *vel = rk->saddle->x + rk->nv, last = INFINITY;
    const double rounding = 4.0 * DBL_EPSILON * fmax(1.0, dal_max_abs(q, rk->nq)) * dal_max_abs(v, rk->nv);
    for (int it = 0;; ++it) {
        const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
        DAL_TRY(dal_eval_residual(rk->ev, &(dal_residual){.vel = vel}, &at));
        const double norm = dal_max_abs(vel, rk->nc);
        if (norm <= rounding || norm > 0.1 * last) {
            return norm <= fmax(DAL_POSITION_TOLERANCE, rounding) ? DAL_OK : DAL_NOCONV;
        }
        if (it == CORRECTIONS) {
            return DAL_NOCONV;
        }
        last = norm;
        const double *d = correction(rk);
        for (int k = 0; k < rk->nv; ++k) {
            v[k] += d[k];
        }
        // the next look would only confirm it
        if (rk->ev->nh > 0 && norm * part <= rounding) {
            return DAL_OK;
        }
    }
}

/* Both levels to rounding; where the factors of the last stage are no good, with new ones. */
static dal_status project(dal_rk *rk, double t, double *q, double *v, double *theta)
{
    double part = 0.0;
    dal_status st = rk->ev->nh > 0 ? close_positions(rk, t, q, theta, &part) : DAL_OK;
    if (st == DAL_OK && rk->nc > 0) {
        st = close_velocities(rk, t, q, v, part);
    }
    if (st == DAL_NOCONV) {
        st = dal_project_position(rk->saddle, q, NULL, t, DAL_POSITION_TOLERANCE);
        st = st == DAL_OK ? dal_project_velocity(rk->saddle, v, NULL, t, q, NULL) : st;
    }
    return st == DAL_EREDUNDANT ? DAL_SINGULAR : st;
}

/* ---- the step --------------------------------------------------------------------------------- */

/* y = (0, v0) */
static void begin(dal_rk *rk, const dal_state_buffer *s0)
{
    dal_zero(rk->y, rk->nv);
    dal_copy(rk->y + rk->nv, s0->v, rk->nv);
}

dal_status dal_rk_step(dal_rk *rk, const dal_state_buffer *s0, double h, double t1)
{
    const dal_rk_table *T = rk->table;
    const int nv = rk->nv, n = 2 * nv, s = T->stages;
    dal_state_buffer *end = rk->trial;
    rk->angle = 0.0;
    dal_copy(rk->slope, s0->v, nv);
    dal_copy(rk->slope + nv, s0->vd, nv);
    dal_copy(rk->la_stage, s0->la, rk->nc);
    for (int i = 1; i < s; ++i) {
        begin(rk, s0);
        dal_rk_combine(rk, rk->y, h, &T->row[i], rk->slope);
        dal_copy(rk->slope + i * n + nv, rk->slope + (i - 1) * n + nv, nv); // first guess where forces depend on lambda
        DAL_TRY(dal_rk_slope(rk, rk->slope + i * n, s0, i == s - 1 ? t1 : s0->t + T->row[i].c * h, rk->y));
    }
    dal_copy(rk->y_last, rk->y, n);
    begin(rk, s0);
    dal_rk_combine(rk, rk->y, h, &T->row[s], rk->slope);
    double *slope = rk->slope + s * n;
    DAL_TRY(place(rk, s0->q, end->q, slope, rk->y));
    end->t = t1;
    end->h = h;
    dal_copy(end->theta, rk->y, nv);
    dal_copy(end->v, rk->y + nv, nv);
    if (rk->nc > 0) {
        DAL_TRY(project(rk, t1, end->q, end->v, end->theta));
        dal_inv_tangent_apply(rk->ev->G, slope, end->theta, end->v);
    }
    dal_copy(end->vd, slope - n + nv, nv);
    dal_copy(end->la, rk->la_stage, rk->nc);
    rk->refine = 1;
    DAL_TRY(dal_rk_acceleration(rk, end->vd, end->la, t1, end->q, end->v));
    dal_copy(slope + nv, end->vd, nv);
    return DAL_OK;
}
