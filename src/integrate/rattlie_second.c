/* The second half of a step: the velocities at its end, which the constraints allow (RT.2). */
#include <math.h>

#include "base/vector.h"
#include "integrate/rattlie_impl.h"
#include "system/sink.h"

/* Newton's method for velocities ends where nothing more is gained. */
enum { MOST = 25 };
static const double rounding = 1e-15;
/* Speeds below this, in units per second, are none. */
static const double at_rest = 1e-3;

/* ---- the matrix with C ------------------------------------------------------------------------ */

/* C of f = g + hat(v)^T M v, less what comes of M(q): that of g, and hat(v)^T M + d(hat(v)^T y)/dv at y = M v, in w2. */
static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const dal_pair p = rt->ev->sys->pair[pair];
    const dal_factor *F = &rt->ev->G->factor[p.i];
    const int ni = F->nv, nj = rt->ev->G->factor[p.j].nv;
    dal_sink *to = &rt->second.sink;
    (void)K;
    to->pair(to, pair, M, C, NULL);
    if (rt->varies && M && !p.positions) {
        dal_rt_inertia_damping(rt, rt->block, pair, dal_pair_at(rt->ev, pair));
        dal_negative(rt->block, rt->block, ni * nj);
        to->pair(to, pair, NULL, rt->block, NULL);
    }
    if (!M || F->type->flat) {
        return;
    }
    double *H = rt->factor[p.i].work, *X = rt->block, unit[6] = {0.0};
    F->type->hat(H, rt->at_end + F->v, ni);
    for (int j = 0; j < nj; ++j) {
        for (int i = 0; i < ni; ++i) {
            X[i + j * ni] = 0.0;
            for (int k = 0; k < ni; ++k) {
                X[i + j * ni] += H[k + i * ni] * M[k + j * ni];
            }
        }
    }
    for (int j = 0; p.i == p.j && j < nj; ++j) {
        unit[j] = 1.0;
        F->type->hat(H, unit, ni);
        unit[j] = 0.0;
        for (int i = 0; i < ni; ++i) {
            for (int k = 0; k < ni; ++k) {
                X[i + j * ni] += H[k + i * ni] * rt->w2[F->v + k];
            }
        }
    }
    to->pair(to, pair, NULL, X, NULL);
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    rt->second.sink.link(&rt->second.sink, link, B, Z);
}

static void push_force(dal_sink *sink, int link, const double *G)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    rt->second.sink.link_force(&rt->second.sink, link, G);
}

/* (RT.4) at an iterate. */
static dal_status factor_damped(dal_rattlie *rt, const dal_state_buffer *to, const double *la)
{
    const unsigned force = rt->ev->sys->lambda_in_g ? DAL_WANT_G : 0U;
    dal_rt_mass(rt, rt->w2, to->v);
    rt->at_end = to->v;
    rt->second.c = 0.5 * rt->h;
    rt->second.A = dal_linsol_matrix(rt->second.ls);
    dal_matrix_zero(rt->second.A);
    rt->sink = dal_sink_ignoring(DAL_WANT_M | DAL_WANT_C | DAL_WANT_B | force);
    rt->sink.pair = push_pair;
    rt->sink.link = push_link;
    rt->sink.link_force = push_force;
    DAL_TRY(dal_eval_tangent(rt->ev, &rt->sink, &(dal_point){to->t, to->q, to->v, rt->saddle->zero, la}));
    rt->newton.stats.factorisations++;
    return dal_linsol_factor(rt->second.ls);
}

/* ---- velocities ------------------------------------------------------------------------------- */

/* R = g + B^T lambda + hat(v)^T M v, and (RT.2) in r: M v + (h/2) R - p, and at the first look B v + Phi_t, which is linear;
 * later the acceleration level goes to acc instead. *missing: the largest change of velocity still due, in parts of what moves. */
static dal_status look(dal_rattlie *rt, const dal_state_buffer *to, int first, double *missing)
{
    const rt_state *e = dal_rt_extra(rt, to);
    double *r = rt->r, *level = r + rt->nv, most = 0.0, speed = at_rest;
    dal_residual out = {.r = rt->g};
    if (rt->nc > 0) {
        out.vel = first ? level : NULL;
        out.acc = first ? NULL : rt->g + rt->nv;
    }
    const dal_point at = {to->t, to->q, to->v, rt->saddle->zero, e->la};
    DAL_TRY(dal_eval_residual_unchecked(rt->ev, &out, &at));
    if (!first) {
        dal_zero(level, rt->nc);
    }
    dal_copy(e->R, rt->g, rt->nv);
    dal_rt_mass(rt, r, to->v);
    dal_rt_gyroscopic(rt, e->R, to->v, r);
    if (rt->varies) { // f has no inertia forces at all
        DAL_TRY(dal_rt_mass_gradient(rt, rt->N[1], to->v, rt->h));
        dal_rt_add_product(rt, e->R, rt->N[1], to->v, -1.0);
        dal_rt_add_transposed(rt, e->R, rt->N[1], to->v, 0.5);
    }
    dal_copy(e->Mv, r, rt->nv);
    const double half = 0.5 * rt->h;
    for (int i = 0; i < rt->nv; ++i) {
        const double a = fabs(r[i]) * rt->weight[i];
        r[i] += half * e->R[i] - rt->p1[i];
        const double b = fabs(r[i]) * rt->weight[i];
        speed = a > speed ? a : speed;
        most = b > most ? b : most;
    }
    *missing = most / speed + dal_not_finite(r, rt->nv);
    if (isfinite(*missing)) {
        return DAL_OK;
    }
    DAL_TRY(dal_eval_residual(rt->ev, &out, &at)); // which says more, if it can
    return dal_fail(rt->ctx, DAL_NOCONV, "the velocities at the end of the step are not finite");
}

/* v' and the consistent lambda from what the last look has found: [[M, B^T], [B, 0]] [v'; lambda - lambda^-] = -[g; acc] */
static dal_status accelerations(dal_rattlie *rt, dal_state_buffer *s)
{
    dal_saddle *sd = rt->saddle;
    const rt_state *e = dal_rt_extra(rt, s);
    if (rt->ev->sys->lambda_in_g) { // iterates, with matrices of its own
        rt->captured = NULL;
        return dal_continued_acceleration(sd, s->vd, s->la, s->t, s->q, s->v);
    }
    double *x = sd->x;
    dal_negative(x, rt->g, rt->nv + rt->nc);
    if (rt->damped) { // the other factors are those with C
        DAL_TRY(dal_saddle_factor(sd, &(dal_point){s->t, s->q, s->v, sd->zero, sd->zero}, 0));
        dal_saddle_solve(sd);
    } else {
        dal_linsol_solve(rt->second.ls, x);
    }
    dal_copy(s->vd, x, rt->nv);
    dal_copy(s->la, e->la, rt->nc);
    dal_add(s->la, x + rt->nv, rt->nc);
    return DAL_OK;
}

dal_status dal_rt_settle(dal_rattlie *rt, dal_state_buffer *s)
{
    double missing;
    dal_zero(rt->p1, rt->nv);
    DAL_TRY(look(rt, s, 0, &missing));
    return DAL_OK;
}

/* One correction of v and lambda^- by the factors there are, with C or without. */
static void correct(dal_rattlie *rt, dal_state_buffer *to)
{
    rt_state *e = dal_rt_extra(rt, to);
    double *x = rt->saddle->x;
    dal_negative(x, rt->r, rt->nv + rt->nc);
    dal_linsol_solve(rt->second.ls, x);
    dal_add(to->v, x, rt->nv);
    dal_add_multiple(e->la, x + rt->nv, 2.0 / rt->h, rt->nc);
}

/* The momentum that theta brings to the end of the step: T^-T(theta) M theta/h, and (h/2) k(q1, theta/h) (RT.5). */
static dal_status momentum(dal_rattlie *rt, const dal_state_buffer *to)
{
    const double *theta = rt->x;
    if (rt->varies) {
        dal_rt_mass(rt, rt->w, theta); // M is still that of the start
        dal_copy(rt->M1, rt->M, rt->M0[rt->ev->sys->npairs]);
    }
    DAL_TRY(dal_rt_capture(rt, to));
    dal_rt_mass(rt, rt->c, theta);
    if (rt->varies) {
        dal_add(rt->c, rt->w, rt->nv);
        dal_scale(rt->c, 0.5, rt->nv);
    }
    dal_rt_momentum_end(rt, rt->p1, theta, rt->c);
    if (rt->varies) {
        DAL_TRY(dal_rt_mass_gradient(rt, rt->N[1], theta, rt->h * rt->h));
        dal_rt_add_transposed(rt, rt->p1, rt->N[1], theta, 0.25);
    }
    dal_scale(rt->p1, 1.0 / rt->h, rt->nv);
    return DAL_OK;
}

dal_status dal_rt_second(dal_rattlie *rt, dal_state_buffer *to)
{
    const dal_state_buffer *s0 = rt->from;
    rt_state *e = dal_rt_extra(rt, to);
    double missing, last;
    dal_copy(e->la, dal_rt_extra(rt, s0)->la, rt->nc);
    if (rt->ev->sys->lambda_in_g) { // where the iteration for accelerations begins
        dal_copy(to->vd, s0->vd, rt->nv);
        dal_copy(to->la, s0->la, rt->nc);
    }
    dal_copy(to->v, s0->v, rt->nv);
    dal_add_multiple(to->v, s0->vd, rt->h, rt->nv);
    DAL_TRY(momentum(rt, to));
    DAL_TRY(look(rt, to, 1, &missing));
    for (int it = 0; it < MOST; ++it) {
        if (rt->damped) {
            DAL_TRY(factor_damped(rt, to, e->la));
        }
        correct(rt, to);
        last = missing;
        DAL_TRY(look(rt, to, 0, &missing));
        if (missing <= rounding || (missing <= 1e-11 && missing > 0.3 * last)) {
            return accelerations(rt, to);
        }
        rt->damped = 1; // what is left is more than rounding: forces depend on velocities
    }
    return dal_fail(rt->ctx, DAL_NOCONV, "the velocities at the end of the step were not found in %d iterations", MOST);
}
