/* Stages of an explicit Runge-Kutta step in the local coordinates q = q_n o exp(theta) (RK.1), and its end on the
 * constraints (RK.4). */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "integrate/rk_impl.h"
#include "lie/so3_kernel.h"

/* theta' = T^-1(theta) v has poles where a body turns by 2 pi. */
static const double turn = 5.5;
/* Numbers beyond it only come from a step that is much too long; their squares and cubes are still finite. */
static const double huge = 1e75;

static double squares(const double *x, int n)
{
    dal_two a = {0.0}, b = a; // n is even
    int i = 0;
    for (; i + 2 * DAL_PAIR <= n; i += 2 * DAL_PAIR) {
        const dal_two one = *(const dal_two *)(x + i), other = *(const dal_two *)(x + i + DAL_PAIR);
        a += one * one;
        b += other * other;
    }
    if (i < n) {
        a += *(const dal_two *)(x + i) * *(const dal_two *)(x + i);
    }
    return dal_sum_of(a + b);
}

/* Terms of a row: factors and slopes. */
typedef struct terms {
    int n;
    double a[DAL_RK_STAGES_MAX];
    const double *k[DAL_RK_STAGES_MAX];
} terms;

/* So many pairs of numbers at a time, in registers: theta and v of a body. */
enum { PAIRS = 6 };

/* y := from + the terms, two after the other, for PAIRS pairs of numbers from `at` on */
static inline void add_terms(double *y, const double *from, const terms *T, int at)
{
    dal_two sum[PAIRS];
    int t = 0;
    for (int i = 0; i < PAIRS; ++i) {
        sum[i] = *(const dal_two *)(from + at + DAL_PAIR * i);
    }
    for (; t + 1 < T->n; t += 2) {
        const double a = T->a[t], b = T->a[t + 1], *ka = T->k[t] + at, *kb = T->k[t + 1] + at;
        for (int i = 0; i < PAIRS; ++i) {
            sum[i] += a * *(const dal_two *)(ka + DAL_PAIR * i) + b * *(const dal_two *)(kb + DAL_PAIR * i);
        }
    }
    for (; t < T->n; ++t) {
        for (int i = 0; i < PAIRS; ++i) {
            sum[i] += T->a[t] * *(const dal_two *)(T->k[t] + at + DAL_PAIR * i);
        }
    }
    for (int i = 0; i < PAIRS; ++i) {
        *(dal_two *)(y + at + DAL_PAIR * i) = sum[i];
    }
}

/* The same for a single number. */
static inline double add_single(double sum, const terms *T, int at)
{
    int t = 0;
    for (; t + 1 < T->n; t += 2) {
        sum += T->a[t] * T->k[t][at] + T->a[t + 1] * T->k[t + 1][at];
    }
    return t < T->n ? sum + T->a[t] * T->k[t][at] : sum;
}

void dal_rk_combine(const dal_rk *rk, double *y, const double *from, double h, const dal_rk_row *row,
                    const double *slope)
{
    const int n = 2 * rk->nv;
    terms T;
    int at = 0;
    T.n = row->n;
    for (int t = 0; t < row->n; ++t) {
        T.a[t] = h * row->term[t].a;
        T.k[t] = slope + row->term[t].j * n;
    }
    for (; at + DAL_PAIR * PAIRS <= n; at += DAL_PAIR * PAIRS) {
        add_terms(y, from, &T, at);
    }
    for (; at < n; ++at) {
        y[at] = add_single(from[at], &T, at);
    }
}

/* q = q0 o exp(theta) and rate = T^-1(theta) v of one factor; the square of the angle by which it turns. */
static double place_factor(const dal_factor *F, double *q, const double *q0, double *rate, const double *theta,
                           const double *v)
{
    enum { MAX_CURVED = 6 };
    const dal_factor_type *type = F->type;
    double coef[DAL_NCOEF], T[MAX_CURVED * MAX_CURVED];
    type->prepare(coef, theta, F->nv);
    type->retract(q, q0, theta, coef, F->nv);
    if (type->flat) {
        dal_copy(rate, v, F->nv);
        return 0.0;
    }
    type->inv_tangent(T, theta, coef, F->nv);
    type->apply(rate, T, v, F->nv);
    const double *w = theta + F->nv - (type->kind == DAL_FACTOR_SE2 ? 1 : 3);
    return type->kind == DAL_FACTOR_SE2 ? w[0] * w[0] : dot3(w, w);
}

/* The same of R^3 x SO(3), where most bodies live, for angles of the series. */
static inline void place_body(double *q, const double *q0, double *rate, const double *theta, double square,
                              const double *v)
{
    const double *w = theta + 3;
    double coef[DAL_NCOEF];
    angle_local(coef, square);
    for (int i = 0; i < 3; ++i) {
        q[i] = q0[i] + theta[i];
        rate[i] = v[i];
    }
    so3_retract(q + 3, q0 + 3, w, coef);
    so3_inv_tangent_times(rate + 3, w, v + 3, coef[COEF_GAMMA]);
}

/* q_stage = q0 o exp(theta), rate = T^-1(theta) v; the largest angle of a body is kept. */
static dal_status place(dal_rk *rk, const double *q0, double *q, double *rate, const double *y)
{
    const dal_group *G = rk->ev->G;
    const double *v = y + rk->nv;
    double widest = 0.0;
    if (!(squares(y, 2 * rk->nv) <= huge * huge)) {
        return dal_fail(rk->ctx, DAL_RETRY, "the step is too long: speeds grow without bound within it");
    }
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *theta = y + F->v;
        double square = F->type->kind == DAL_FACTOR_R3SO3 ? dot3(theta + 3, theta + 3) : INFINITY;
        if (square <= 4.0 * Y_SERIES) {
            place_body(q + F->q, q0 + F->q, rate + F->v, theta, square, v + F->v);
        } else {
            square = place_factor(F, q + F->q, q0 + F->q, rate + F->v, theta, v + F->v);
        }
        widest = square > widest ? square : widest;
    }
    widest = sqrt(widest);
    rk->angle = fmax(rk->angle, widest);
    return widest <= turn ? DAL_OK
                          : dal_fail(rk->ctx, DAL_RETRY, "the step turns a body by %.2g rad: take a smaller h", widest);
}

dal_status dal_rk_slope(dal_rk *rk, double *slope, const dal_state_buffer *s0, double t, const double *y)
{
    DAL_TRY(place(rk, s0->q, rk->q_stage, slope, y));
    return dal_rk_acceleration(rk, slope + rk->nv, rk->la_stage, t, rk->q_stage, y + rk->nv);
}

/* ---- on the constraints ----------------------------------------------------------------------- */

enum { CORRECTIONS = 4 };

/* Phi(q, t) = 0 by simplified Newton corrections q := q o exp(d), theta follows. The rate of the last two looks tells whether
 * the next one would only confirm what is expected. DAL_NOCONV where the factors are too old. */
static dal_status close_positions(dal_rk *rk, double t, double *q, double *theta)
{
    static const double caution = 10.0;
    double *Phi = rk->saddle->x + rk->nv, last = INFINITY;
    const double rounding = dal_scales_rounding(&rk->saddle->scales, q);
    for (int it = 0;; ++it) {
        const dal_point at = {t, q, rk->saddle->zero, rk->saddle->zero, rk->saddle->zero};
        dal_zero(Phi, rk->nc);
        DAL_TRY(dal_eval_residual(rk->ev, &(dal_residual){.Phi = Phi}, &at));
        const double norm = dal_scales_gap(&rk->saddle->scales, Phi);
        if (norm <= rounding || (norm <= DAL_POSITION_TOLERANCE && norm > 0.1 * last)) {
            return DAL_OK;
        }
        if (it == CORRECTIONS || norm > 0.5 * last) {
            return DAL_NOCONV;
        }
        const double left = caution * norm * (it > 0 ? norm / last : 1.0);
        last = norm;
        const double *d = rk->saddle->x;
        dal_saddle_correct(rk->saddle, rk->nv, 1);
        dal_inv_tangent_apply(rk->ev->G, rk->e[0], theta, d);
        for (int k = 0; k < rk->nv; ++k) {
            theta[k] += rk->e[0][k];
        }
        dal_retract(rk->ev->G, rk->q_stage, q, d);
        dal_copy(q, rk->q_stage, rk->nq);
        if (left <= rounding) {
            return DAL_OK;
        }
    }
}

/* B v + Phi_t = 0 in the same way. part: of a residual that a correction leaves over. */
static dal_status close_velocities(dal_rk *rk, double t, const double *q, double *v, double part)
{
    double *vel = rk->saddle->x + rk->nv, last = INFINITY;
    const double rounding =
        dal_scales_rounding(&rk->saddle->scales, q) * dal_scales_displacement(&rk->saddle->scales, v);
    for (int it = 0;; ++it) {
        const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
        DAL_TRY(dal_eval_residual(rk->ev, &(dal_residual){.vel = vel}, &at));
        const double norm = dal_scales_gap(&rk->saddle->scales, vel);
        if (norm <= rounding || norm > 0.1 * last) {
            return norm <= fmax(DAL_POSITION_TOLERANCE, rounding) ? DAL_OK : DAL_NOCONV;
        }
        if (it == CORRECTIONS) {
            return DAL_NOCONV;
        }
        last = norm;
        const double *d = rk->saddle->x;
        dal_saddle_correct(rk->saddle, rk->nv, 1);
        for (int k = 0; k < rk->nv; ++k) {
            v[k] += d[k];
        }
        if (norm * part <= rounding) {
            return DAL_OK;
        }
    }
}

/* Positions on the constraints to rounding; where the factors of the last stage are no good, with new ones. */
static dal_status project_positions(dal_rk *rk, double t, double *q, double *theta)
{
    dal_status st = rk->ev->nh > 0 ? close_positions(rk, t, q, theta) : DAL_OK;
    if (st == DAL_NOCONV) {
        st = dal_project_position(rk->saddle, q, NULL, t, DAL_POSITION_TOLERANCE);
    }
    return st == DAL_EREDUNDANT ? DAL_SINGULAR : st;
}

static dal_status project_velocities(dal_rk *rk, double t, const double *q, double *v, double part)
{
    dal_status st = close_velocities(rk, t, q, v, part);
    if (st == DAL_NOCONV) {
        st = dal_project_velocity(rk->saddle, v, NULL, t, q, NULL);
    }
    return st == DAL_EREDUNDANT ? DAL_SINGULAR : st;
}

/* Both levels hold at the end, and v' and lambda belong to it. The factors at its positions, which v' needs, correct the
 * velocities, too. (RK.4) */
static dal_status finish(dal_rk *rk, dal_state_buffer *end, double *rate)
{
    static const double rounding = 1e-8; // of a solution with these factors, at worst
    const int apart = !rk->ev->iterates;
    if (rk->nc > 0) {
        DAL_TRY(project_positions(rk, end->t, end->q, end->theta));
    }
    if (apart) {
        DAL_TRY(dal_rk_factor(rk, end->t, end->q, end->v));
    }
    if (rk->nc > 0) {
        DAL_TRY(project_velocities(rk, end->t, end->q, end->v, apart ? rounding : 1.0));
        dal_inv_tangent_apply(rk->ev->G, rate, end->theta, end->v);
    }
    return apart ? dal_rk_factored_acceleration(rk, end->vd, end->la, end->t, end->q, end->v)
                 : dal_rk_acceleration(rk, end->vd, end->la, end->t, end->q, end->v);
}

/* ---- the step --------------------------------------------------------------------------------- */

/* The exchange of energy is integrated like the motion: with the weights of the stages. */
static dal_status add_exchange(dal_rk *rk, int stage, double h, const dal_point *at)
{
    const dal_rk_row *end = &rk->table->row[rk->table->stages];
    double *W = rk->base.exchanged, P[2];
    if (!rk->ev->watched || rk->ev->sys->equations.exchange == NULL) {
        return DAL_OK;
    }
    for (int k = 0; k < end->n; ++k) {
        if (end->term[k].j == stage) {
            DAL_TRY(dal_system_exchange(rk->ev->sys, rk->ev->data, P, at));
            W[0] += h * end->term[k].a * P[0];
            W[1] += h * end->term[k].a * P[1];
        }
    }
    return DAL_OK;
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
    dal_zero(rk->y0, nv);
    dal_copy(rk->y0 + nv, s0->v, nv);
    rk->base.exchanged[0] = rk->base.exchanged[1] = 0.0;
    DAL_TRY(add_exchange(rk, 0, h, &(dal_point){s0->t, s0->q, s0->v, s0->vd, s0->la}));
    for (int i = 1; i < s; ++i) {
        dal_rk_combine(rk, rk->y, rk->y0, h, &T->row[i], rk->slope);
        if (rk->ev->iterates) { // a first guess
            dal_copy(rk->slope + i * n + nv, rk->slope + (i - 1) * n + nv, nv);
        }
        double *slope = rk->slope + i * n;
        const double t = i == s - 1 ? t1 : s0->t + T->row[i].c * h;
        DAL_TRY(dal_rk_slope(rk, slope, s0, t, rk->y));
        DAL_TRY(add_exchange(rk, i, h, &(dal_point){t, rk->q_stage, rk->y + nv, slope + nv, rk->la_stage}));
    }
    dal_copy(rk->y_last, rk->y, n);
    dal_rk_combine(rk, rk->y, rk->y0, h, &T->row[s], rk->slope);
    double *slope = rk->slope + s * n;
    DAL_TRY(place(rk, s0->q, end->q, slope, rk->y));
    end->t = t1;
    end->h = h;
    dal_copy(end->theta, rk->y, nv);
    dal_copy(end->v, rk->y + nv, nv);
    dal_copy(end->vd, slope - n + nv, nv);
    dal_copy(end->la, rk->la_stage, rk->nc);
    DAL_TRY(finish(rk, end, slope));
    dal_copy(slope + nv, end->vd, nv);
    return DAL_OK;
}
