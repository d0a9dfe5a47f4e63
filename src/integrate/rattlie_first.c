/* The first half of a step: theta and the multipliers lambda^+ at its start, so that the constraints hold at its end (RT.1). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/rattlie_impl.h"
#include "linearize/layout.h"
#include "system/sink.h"

/* What is left of an increment adds up over the steps, and with it the symmetry is lost. */
static const double tight = 1e-13;

/* ---- residual --------------------------------------------------------------------------------- */

/* Forces of the multipliers at the start: B^T mu, and what friction makes of them. */
static dal_status multiplier_force(dal_rattlie *rt, double *r)
{
    const dal_state_buffer *s0 = rt->from;
    const rt_state *e = dal_rt_extra(rt, s0);
    const double *mu = rt->x + rt->nv, f = 0.5 * rt->h * rt->h;
    if (!rt->ev->sys->lambda_in_g) {
        dal_rt_add_force(rt, r, mu);
        return DAL_OK;
    }
    for (int i = 0; i < rt->nc; ++i) {
        rt->la[i] = e->la[i] + mu[i] / f;
    }
    DAL_TRY(dal_eval_residual(rt->ev, &(dal_residual){.r = rt->w},
                              &(dal_point){s0->t, s0->q, s0->v, rt->saddle->zero, rt->la}));
    DAL_TRY(dal_eval_residual(rt->ev, &(dal_residual){.r = rt->w2},
                              &(dal_point){s0->t, s0->q, s0->v, rt->saddle->zero, e->la}));
    for (int i = 0; i < rt->nv; ++i) {
        r[i] += f * (rt->w[i] - rt->w2[i]);
    }
    return DAL_OK;
}

/* Rows: T^-T(-theta) M theta + B^T mu - y, Phi at the end; mu = 0 for nonholonomic rows. */
static dal_status residual(void *self, double *r)
{
    dal_rattlie *rt = self;
    const dal_system *sys = rt->ev->sys;
    const double *zero = rt->saddle->zero;
    dal_rt_move(rt, rt->q1, rt->from->q, rt->x);
    dal_rt_mass(rt, rt->c, rt->x);
    dal_rt_momentum(rt, rt->z, rt->c);
    for (int i = 0; i < rt->nv; ++i) {
        r[i] = rt->z[i] - rt->y[i];
    }
    DAL_TRY(multiplier_force(rt, r));
    if (rt->ev->nh > 0) {
        DAL_TRY(dal_eval_residual(rt->ev, &(dal_residual){.Phi = r + rt->nv},
                                  &(dal_point){rt->t1, rt->q1, rt->from->v, zero, zero}));
    }
    for (int c = 0; c < sys->nconstraints && rt->ev->nh < rt->nc; ++c) {
        for (int i = rt->ev->row0[c]; i < rt->ev->row0[c + 1] && sys->constraint[c].kind == DAL_ROWS_VELOCITY; ++i) {
            r[rt->nv + i] = rt->x[rt->nv + i];
        }
    }
    return DAL_OK;
}

/* ---- matrix ----------------------------------------------------------------------------------- */

static int slot_link(const dal_rattlie *rt, int link)
{
    return rt->ev->sys->npairs + 2 * link;
}

dal_status dal_rt_announce(dal_pattern *pattern, const void *self)
{
    const dal_rattlie *rt = self;
    DAL_TRY(dal_layout_nodes(pattern, rt->ev, 0, rt->nv));
    DAL_TRY(dal_layout_pairs(pattern, rt->ev, 0, 0));
    DAL_TRY(dal_layout_links(pattern, rt->ev, rt->nv, 0));
    return rt->ev->nh < rt->nc ? dal_layout_diagonal(pattern, rt->nv, rt->nc) : DAL_OK;
}

void dal_rt_equation_name(const dal_integrator *self, char *buffer, size_t size, int equation)
{
    const dal_rattlie *rt = (const dal_rattlie *)self;
    if (equation < rt->nv) {
        dal_eval_velocity_name(rt->ev, buffer, size, equation);
    } else {
        dal_eval_row_name(rt->ev, buffer, size, equation - rt->nv);
    }
}

/* T(theta) and D of (RT.3) for one factor; Q of the residual is there. */
static void curvature(const dal_rattlie *rt, int f)
{
    const dal_factor *F = &rt->ev->G->factor[f];
    const rt_factor *k = &rt->factor[f];
    const int n = F->nv;
    const double *theta = rt->x + F->v, *z = rt->z + F->v;
    F->type->tangent(k->T, theta, k->coef, n);
    if (dal_rt_orthogonal(F)) {
        // z = T^-1(theta) c: D = -T^-1 d(T z)/dtheta
        F->type->dtangent(k->work, theta, z, k->coef, n);
        F->type->mul(k->D, k->Q, n, k->work, n);
        for (int i = 0; i < n * n; ++i) {
            k->D[i] = -k->D[i];
        }
        return;
    }
    double coef[DAL_NCOEF], u[6], unit[6] = {0.0}, E[36];
    for (int i = 0; i < n; ++i) {
        u[i] = -theta[i];
    }
    F->type->prepare(coef, u, n);
    for (int j = 0; j < n; ++j) {
        unit[j] = 1.0;
        F->type->dtangent(k->work, u, unit, coef, n);
        unit[j] = 0.0;
        for (int c = 0; c < n; ++c) {
            E[j + c * n] = 0.0;
            for (int i = 0; i < n; ++i) {
                E[j + c * n] += z[i] * k->work[i + c * n];
            }
        }
    }
    for (int i = 0; i < n * n; ++i) {
        k->D[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            k->D[i] += k->Q[i % n + j * n] * E[j + i / n * n];
        }
    }
}

/* Q M + D of a pair whose rows turn. Where rotations are alone, places are left as they are. */
static void turned_block(const dal_rattlie *rt, double *X, const double *M, dal_pair p, dal_block_at b)
{
    const double *Q = rt->factor[p.i].Q, *D = p.i == p.j ? rt->factor[p.i].D : NULL;
    const int first = dal_rt_orthogonal(&rt->ev->G->factor[p.i]) ? b.ni - 3 : 0;
    for (int j = 0; j < b.nj; ++j, M += b.ni, X += b.ni) {
        dal_copy(X, M, first);
        for (int i = first; i < b.ni; ++i) {
            X[i] = D ? D[i + j * b.ni] : 0.0;
            for (int k = first; k < b.ni; ++k) {
                X[i] += Q[i + k * b.ni] * M[k];
            }
        }
    }
}

static void add_pairs(dal_rattlie *rt, dal_matrix *A)
{
    const dal_system *sys = rt->ev->sys;
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(rt->ev, p);
        const double *X = rt->M + rt->M0[p];
        if (sys->pair[p].positions) {
            continue;
        }
        if (rt->factor[sys->pair[p].i].Q) {
            turned_block(rt, rt->block, X, sys->pair[p], b);
            X = rt->block;
        }
        dal_scatter(A, p, X, b.ni, b.ni, b.nj, 1.0);
    }
}

/* B T(theta) at the end of the step. */
static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const dal_link l = rt->ev->sys->link[link];
    const dal_factor *F = &rt->ev->G->factor[l.j];
    const int nr = rt->ev->sys->constraint[l.c].nrows;
    (void)Z;
    if (!B || rt->ev->sys->constraint[l.c].kind == DAL_ROWS_VELOCITY) {
        return;
    }
    if (rt->factor[l.j].T) {
        F->type->mul(rt->block, B, nr, rt->factor[l.j].T, F->nv);
        B = rt->block;
    }
    dal_scatter(rt->A, slot_link(rt, link), B, nr, nr, F->nv, 1.0);
}

static void push_force(dal_sink *sink, int link, const double *Gl)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const dal_block_at b = dal_link_at(rt->ev, link);
    if (rt->ev->sys->constraint[rt->ev->sys->link[link].c].kind != DAL_ROWS_VELOCITY) {
        dal_scatter(rt->A, slot_link(rt, link) + 1, Gl, b.nj, b.nj, b.ni, 1.0);
    }
}

/* (RT.3) */
static dal_status jacobian(void *self, dal_matrix *A)
{
    dal_rattlie *rt = self;
    const dal_system *sys = rt->ev->sys;
    const double *zero = rt->saddle->zero;
    const dal_state_buffer *s0 = rt->from;
    dal_matrix_zero(A);
    for (int f = 0; f < rt->ev->G->nfactors; ++f) {
        if (rt->factor[f].T) {
            curvature(rt, f);
        }
    }
    add_pairs(rt, A);
    rt->A = A;
    for (int l = 0; l < sys->nlinks; ++l) {
        const dal_block_at b = dal_link_at(rt->ev, l);
        if (sys->constraint[sys->link[l].c].kind != DAL_ROWS_VELOCITY) {
            dal_scatter_transposed(A, slot_link(rt, l) + 1, rt->B + rt->B0[l], b.ni, b.ni, b.nj);
        }
    }
    for (int c = 0; c < sys->nconstraints; ++c) {
        for (int i = rt->ev->row0[c]; i < rt->ev->row0[c + 1] && sys->constraint[c].kind == DAL_ROWS_VELOCITY; ++i) {
            A->x[A->slot[slot_link(rt, sys->nlinks) + i][0]] += 1.0;
        }
    }
    if (sys->lambda_in_g) {
        rt->sink = dal_sink_ignoring(DAL_WANT_G);
        rt->sink.link_force = push_force;
        DAL_TRY(dal_eval_tangent(rt->ev, &rt->sink, &(dal_point){s0->t, s0->q, s0->v, zero, rt->la}));
    }
    if (rt->ev->nh == 0) {
        return DAL_OK;
    }
    rt->sink = dal_sink_ignoring(DAL_WANT_B);
    rt->sink.link = push_link;
    return dal_eval_tangent(rt->ev, &rt->sink, &(dal_point){rt->t1, rt->q1, s0->v, zero, zero});
}

/* ---- Newton's method -------------------------------------------------------------------------- */

static void update(void *self, const double *dx, double scale)
{
    dal_rattlie *rt = self;
    dal_add_multiple(rt->x, dx, scale, rt->n);
}

/* theta by component, the multipliers relative to what would move the step. */
static double size(void *self, const double *dx)
{
    const dal_rattlie *rt = self;
    const double rtol = fmin(rt->opt.rtol, tight), atol = fmin(rt->opt.atol, tight), *reach = rt->saddle->scales.reach;
    const double step = atol * fmin(1.0, fabs(rt->h));
    double worst = dal_not_finite(dx, rt->n);
    for (int i = 0; i < rt->nv; ++i) {
        const double tol = step * rt->ev->unit[i] + rtol * fabs(rt->x[i]);
        worst = fabs(dx[i]) > worst * tol ? fabs(dx[i]) / tol : worst;
    }
    const double f = 0.5 * rt->h * rt->h, largest = dal_max_product(rt->x + rt->nv, reach, rt->nc) +
                                                    f * dal_max_product(dal_rt_extra(rt, rt->from)->la, reach, rt->nc);
    const double change = dal_max_product(dx + rt->nv, reach, rt->nc);
    return change == 0.0
               ? worst
               : dal_larger(worst, change / (100.0 * rtol * (largest + f * rt->opt.atol * rt->saddle->scales.work)));
}

static void finish(void *self)
{
    (void)self; // what follows needs theta alone
}

static void name_equation(void *self, char *buffer, size_t size_of, int equation)
{
    dal_rt_equation_name((dal_integrator *)self, buffer, size_of, equation);
}

dal_newton_problem dal_rt_problem(dal_rattlie *rt)
{
    return (dal_newton_problem){.residual = residual,
                                .jacobian = jacobian,
                                .update = update,
                                .size = size,
                                .finish = finish,
                                .self = rt,
                                .name = name_equation};
}

/* First iterate: what h v + h^2/2 v' was off in the last step, O(h^3), it is off again. */
static void predict(dal_rattlie *rt, int learnt)
{
    const dal_state_buffer *s0 = rt->from;
    const rt_state *e = dal_rt_extra(rt, s0);
    const double h = rt->h, ratio = learnt && e->h != 0.0 ? h / e->h : 0.0, cube = ratio * ratio * ratio;
    for (int i = 0; i < rt->n; ++i) {
        rt->x[i] = (i < rt->nv ? h * (s0->v[i] + 0.5 * h * s0->vd[i]) : 0.0) + cube * e->missed[i];
    }
}

dal_status dal_rt_first(dal_rattlie *rt)
{
    const dal_state_buffer *s0 = rt->from;
    const rt_state *e = dal_rt_extra(rt, s0);
    const double f = 0.5 * rt->h * rt->h;
    for (int i = 0; i < rt->nv; ++i) {
        rt->y[i] = rt->h * e->Mv[i] - f * e->R[i];
    }
    predict(rt, 1);
    rt->newton.have_factor = rt->newton.fresh = 0; // but the rate of the last steps is still of use
    dal_status st = dal_newton_solve(&rt->newton, NULL, &rt->problem);
    if (st > 0 && e->h != 0.0) {
        predict(rt, 0);
        dal_newton_invalidate(&rt->newton);
        st = dal_newton_solve(&rt->newton, NULL, &rt->problem);
    }
    return st;
}
