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

/* The middle of the way, and the velocity theta/h there in w. */
static dal_point middle(dal_rattlie *rt)
{
    const dal_group *G = rt->ev->G;
    for (int i = 0; i < rt->nv; ++i) {
        rt->w2[i] = 0.5 * rt->x[i];
        rt->w[i] = rt->x[i] / rt->h;
    }
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        double coef[DAL_NCOEF];
        F->type->prepare(coef, rt->w2 + F->v, F->nv);
        F->type->retract(rt->qm + F->q, rt->from->q + F->q, rt->w2 + F->v, coef, F->nv);
    }
    return (dal_point){0.5 * (rt->from->t + rt->t1), rt->qm, rt->w, rt->saddle->zero, rt->saddle->zero};
}

/* h (A theta/h + b) in the middle of the way (RT.9) */
static dal_status rows_midway(dal_rattlie *rt, double *r, dal_rt_evaluation *evaluate)
{
    const dal_point at = middle(rt);
    double *vel = rt->g;
    DAL_TRY(evaluate(rt->ev, &(dal_residual){.vel = vel}, &at));
    for (int c = 0; c < rt->ev->sys->nconstraints; ++c) {
        for (int i = rt->ev->row0[c]; i < rt->ev->row0[c + 1] && dal_rt_nonholonomic(rt, c); ++i) {
            r[i] = rt->h * vel[i];
        }
    }
    return DAL_OK;
}

/* Rows: T^-T(-theta) M theta + B^T mu - y, Phi at the end; mu = 0 for nonholonomic rows, or (RT.9). */
static dal_status residual_by(dal_rattlie *rt, double *r, dal_rt_evaluation *evaluate)
{
    const dal_system *sys = rt->ev->sys;
    const double *zero = rt->saddle->zero;
    dal_rt_move(rt, rt->q1, rt->from->q, rt->x);
    dal_rt_mass(rt, rt->c, rt->x);
    if (rt->varies) {
        DAL_TRY(dal_rt_mass_at(rt, rt->M1, rt->t1, rt->q1));
        dal_rt_add_product(rt, rt->c, rt->M1, rt->x, 1.0);
        dal_scale(rt->c, 0.5, rt->nv);
    }
    dal_rt_momentum(rt, rt->z, rt->c);
    for (int i = 0; i < rt->nv; ++i) {
        r[i] = rt->z[i] - rt->y[i];
    }
    if (rt->varies) { // -(h^2/2) k(q0, theta/h) (RT.5)
        DAL_TRY(dal_rt_mass_gradient(rt, rt->N[0], rt->x, rt->h * rt->h));
        dal_scale(rt->N[0], -0.5, rt->M0[sys->npairs]);
        dal_rt_add_transposed(rt, r, rt->N[0], rt->x, 0.5);
    }
    DAL_TRY(multiplier_force(rt, r));
    if (rt->ev->nh > 0) {
        DAL_TRY(evaluate(rt->ev, &(dal_residual){.Phi = r + rt->nv},
                         &(dal_point){rt->t1, rt->q1, rt->from->v, zero, zero}));
    }
    if (rt->midway) {
        return rows_midway(rt, r + rt->nv, evaluate);
    }
    for (int c = 0; c < sys->nconstraints && rt->ev->nh < rt->nc; ++c) {
        for (int i = rt->ev->row0[c]; i < rt->ev->row0[c + 1] && dal_rt_nonholonomic(rt, c); ++i) {
            r[rt->nv + i] = rt->x[rt->nv + i];
        }
    }
    return DAL_OK;
}

static dal_status residual(void *self, double *r)
{
    return residual_by(self, r, dal_eval_residual_unchecked);
}

static dal_status explain(void *self, double *r)
{
    return residual_by(self, r, dal_eval_residual);
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

/* T(theta) and D of (RT.3) for one factor; Q of the residual is there. Where rotations are alone, z = T^-1(theta) c and D is
 * -T^-1 times what stands in its place here. */
static void curvature(const dal_rattlie *rt, int f)
{
    const dal_factor *F = &rt->ev->G->factor[f];
    const rt_factor *k = &rt->factor[f];
    const int n = F->nv;
    const double *theta = rt->x + F->v, *z = rt->z + F->v;
    F->type->tangent(k->T, theta, k->coef, n);
    if (dal_rt_orthogonal(F)) {
        F->type->dtangent(k->D, theta, z, k->coef, n);
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

/* Q (M - D) of a pair whose rows are places, which stay as they are, and rotations. */
static void turned_rotations(double *X, const double *M, const double *Q, const double *D, int ni, int nj)
{
    const int w = ni - 3;
    const double *a = Q + w + w * ni, *b = a + ni, *c = b + ni;
    for (int j = 0; j < nj; ++j, M += ni, X += ni) {
        double x = M[w], y = M[w + 1], z = M[w + 2];
        if (D) {
            x -= D[w + j * ni];
            y -= D[w + 1 + j * ni];
            z -= D[w + 2 + j * ni];
        }
        if (w == 3) {
            X[0] = M[0];
            X[1] = M[1];
            X[2] = M[2];
        }
        X[w] = a[0] * x + b[0] * y + c[0] * z;
        X[w + 1] = a[1] * x + b[1] * y + c[1] * z;
        X[w + 2] = a[2] * x + b[2] * y + c[2] * z;
    }
}

/* Q M + D of a pair whose rows turn. */
static void turned_block(const dal_rattlie *rt, double *X, const double *M, dal_pair p, dal_block_at b)
{
    const double *Q = rt->factor[p.i].Q, *D = p.i == p.j ? rt->factor[p.i].D : NULL;
    if (dal_rt_orthogonal(&rt->ev->G->factor[p.i])) {
        turned_rotations(X, M, Q, D, b.ni, b.nj);
        return;
    }
    for (int j = 0; j < b.nj; ++j, M += b.ni, X += b.ni) {
        for (int i = 0; i < b.ni; ++i) {
            X[i] = D ? D[i + j * b.ni] : 0.0;
            for (int k = 0; k < b.ni; ++k) {
                X[i] += Q[i + k * b.ni] * M[k];
            }
        }
    }
}

/* (M(q0) + M(q1) + D_q(M(q1) theta) T)/2 in place of N[1]. */
static const double *varied_block(const dal_rattlie *rt, int pair, dal_block_at b)
{
    const int at = rt->M0[pair], size = b.ni * b.nj;
    const dal_factor *F = &rt->ev->G->factor[rt->ev->sys->pair[pair].j];
    const double *T = rt->factor[rt->ev->sys->pair[pair].j].T;
    double *N = rt->N[1] + at;
    if (T) {
        F->type->mul(rt->block, N, b.ni, T, F->nv);
        dal_copy(N, rt->block, size);
    }
    dal_add(N, rt->M + at, size);
    dal_add(N, rt->M1 + at, size);
    dal_scale(N, 0.5, size);
    return N;
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
        if (rt->varies) {
            X = varied_block(rt, p, b);
            if (rt->mirror[p] >= 0) {
                dal_scatter_transposed(A, rt->mirror[p], rt->N[0] + rt->M0[p], b.ni, b.ni, b.nj);
            }
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
    if (!B || dal_rt_nonholonomic(rt, l.c)) {
        return;
    }
    if (rt->factor[l.j].T) {
        F->type->mul(rt->block, B, nr, rt->factor[l.j].T, F->nv);
        B = rt->block;
    }
    dal_scatter(rt->A, slot_link(rt, link), B, nr, nr, F->nv, 1.0);
}

/* A + (h/2) Z in the middle of the way: its tangent but for O(h^2), which T of half the way would add. */
static void push_link_midway(dal_sink *sink, int link, const double *A, const double *Z)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const dal_block_at b = dal_link_at(rt->ev, link);
    if (!dal_rt_nonholonomic(rt, rt->ev->sys->link[link].c)) {
        return;
    }
    if (A) {
        dal_scatter(rt->A, slot_link(rt, link), A, b.ni, b.ni, b.nj, 1.0);
    }
    if (Z) {
        dal_scatter(rt->A, slot_link(rt, link), Z, b.ni, b.ni, b.nj, 0.5 * rt->h);
    }
}

static void push_force(dal_sink *sink, int link, const double *Gl)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const dal_block_at b = dal_link_at(rt->ev, link);
    if (rt->midway || !dal_rt_nonholonomic(rt, rt->ev->sys->link[link].c)) {
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
    if (rt->varies) {
        DAL_TRY(dal_rt_mass_gradient_end(rt));
    }
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
        if (rt->midway || !dal_rt_nonholonomic(rt, sys->link[l].c)) {
            dal_scatter_transposed(A, slot_link(rt, l) + 1, rt->B + rt->B0[l], b.ni, b.ni, b.nj);
        }
    }
    for (int c = 0; c < sys->nconstraints && !rt->midway; ++c) {
        for (int i = rt->ev->row0[c]; i < rt->ev->row0[c + 1] && dal_rt_nonholonomic(rt, c); ++i) {
            A->x[A->slot[slot_link(rt, sys->nlinks) + i][0]] += 1.0;
        }
    }
    if (sys->lambda_in_g) {
        rt->sink = dal_sink_ignoring(DAL_WANT_G);
        rt->sink.link_force = push_force;
        DAL_TRY(dal_eval_tangent(rt->ev, &rt->sink, &(dal_point){s0->t, s0->q, s0->v, zero, rt->la}));
    }
    if (rt->midway) {
        const dal_point at = middle(rt);
        rt->sink = dal_sink_ignoring(DAL_WANT_B | DAL_WANT_Z);
        rt->sink.link = push_link_midway;
        DAL_TRY(dal_eval_tangent(rt->ev, &rt->sink, &at));
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

/* max |x_i| of finite numbers */
static inline double largest(const double *x, int n)
{
    double most = fabs(x[0]);
    for (int i = 1; i < n; ++i) {
        const double a = fabs(x[i]);
        most = a > most ? a : most;
    }
    return most;
}

/* theta vector by vector, the multipliers relative to what would move the step. */
static double size(void *self, const double *dx)
{
    const dal_rattlie *rt = self;
    const dal_group *G = rt->ev->G;
    const double rtol = fmin(rt->opt.rtol, tight), atol = fmin(rt->opt.atol, tight), *reach = rt->saddle->scales.reach;
    const double step = atol * fmin(1.0, fabs(rt->h));
    double worst = dal_not_finite(dx, rt->n);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        for (int i = 0, n; i < F->nv; i += n) {
            const int k = F->v + i;
            const double *x = rt->x + k, *d = dx + k;
            n = dal_vector_length(F, i);
            const double most = largest(d, n), tol = step * rt->ev->unit[k] + rtol * largest(x, n);
            worst = most > worst * tol ? most / tol : worst;
        }
    }
    const double change = dal_max_product(dx + rt->nv, reach, rt->nc);
    if (change == 0.0) {
        return worst;
    }
    const double f = 0.5 * rt->h * rt->h, *la = dal_rt_extra(rt, rt->from)->la;
    const double all = dal_max_product(rt->x + rt->nv, reach, rt->nc) + f * dal_max_product(la, reach, rt->nc);
    return dal_larger(worst, change / (100.0 * rtol * (all + f * rt->opt.atol * rt->saddle->scales.work)));
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
                                .name = name_equation,
                                .explain = explain};
}

dal_status dal_rt_first(dal_rattlie *rt)
{
    const dal_state_buffer *s0 = rt->from;
    const rt_state *e = dal_rt_extra(rt, s0);
    const double f = 0.5 * rt->h * rt->h;
    for (int i = 0; i < rt->nv; ++i) {
        rt->y[i] = rt->h * e->Mv[i] - f * e->R[i];
    }
    dal_rt_predict(rt, 1);
    rt->newton.have_factor = rt->newton.fresh = 0; // but the rate of the last steps is still of use
    dal_status st = dal_newton_solve(&rt->newton, NULL, &rt->problem);
    if (st > 0 && rt->known > 0) {
        dal_rt_predict(rt, 0);
        dal_newton_invalidate(&rt->newton);
        st = dal_newton_solve(&rt->newton, NULL, &rt->problem);
    }
    return st;
}

/* Nonholonomic rows hold the way where they must: (RT.3) at rest has no factors where they alone hold a motion without mass, and
 * compositions above order 4 need a map of q and v alone. */
dal_status dal_rt_choose_rows(dal_rattlie *rt, const dal_state_buffer *s, double h)
{
    rt->midway = rt->ev->nh < rt->nc && rt->opt.order > 4;
    if (rt->ev->nh == rt->nc || rt->midway) {
        return DAL_OK;
    }
    rt->from = s;
    rt->h = h;
    rt->t1 = s->t;
    dal_zero(rt->x, rt->n);
    DAL_TRY(residual(rt, rt->r));
    DAL_TRY(jacobian(rt, dal_linsol_matrix(rt->base.matrix)));
    const dal_status st = dal_linsol_factor(rt->base.matrix);
    rt->midway = st == DAL_SINGULAR;
    return st == DAL_SINGULAR ? DAL_OK : st;
}
