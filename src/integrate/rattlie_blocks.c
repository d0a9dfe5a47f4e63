/* M and B of a state, block by block, and products with them. */
#include "base/vector.h"
#include "integrate/rattlie_impl.h"
#include "linearize/layout.h"
#include "linsol/in_place.h"
#include "system/sink.h"

static void keep_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    (void)C, (void)K;
    if (M) {
        dal_add(rt->M + rt->M0[pair], M, rt->M0[pair + 1] - rt->M0[pair]);
        rt->second.sink.pair(&rt->second.sink, pair, M, NULL, NULL);
    }
}

static void keep_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    (void)Z;
    if (B) {
        dal_add(rt->B + rt->B0[link], B, rt->B0[link + 1] - rt->B0[link]);
        rt->second.sink.link(&rt->second.sink, link, B, NULL);
    }
}

/* Blocks, and [[M, B^T], [B, 0]] into A. */
static dal_status fill(dal_rattlie *rt, dal_matrix *A, const dal_point *at)
{
    const dal_system *sys = rt->ev->sys;
    dal_zero(rt->M, rt->M0[sys->npairs]);
    dal_zero(rt->B, rt->B0[sys->nlinks]);
    dal_matrix_zero(A);
    rt->second.A = A;
    rt->sink = dal_sink_ignoring(DAL_WANT_M | (rt->nc > 0 ? (unsigned)DAL_WANT_B : 0U));
    rt->sink.pair = keep_pair;
    rt->sink.link = keep_link;
    return dal_eval_tangent(rt->ev, &rt->sink, at);
}

dal_status dal_rt_look_back(dal_rattlie *rt, const dal_state_buffer *s)
{
    const dal_point at = {s->t, s->q, s->v, rt->saddle->zero, rt->saddle->zero};
    DAL_TRY(fill(rt, dal_linsol_matrix(rt->second.ls), &at));
    rt->captured = s;
    return rt->varies ? dal_rt_capture_stiffness(rt) : DAL_OK;
}

dal_status dal_rt_capture(dal_rattlie *rt, const dal_state_buffer *s)
{
    dal_linsol *ls = rt->second.ls;
    const dal_point at = {s->t, s->q, s->v, rt->saddle->zero, rt->saddle->zero};
    dal_matrix *A = dal_linsol_in_place(ls);
    rt->captured = NULL;
    DAL_TRY(fill(rt, A ? A : dal_linsol_matrix(ls), &at));
    if (A && !dal_linsol_factor_in_place(ls)) {
        DAL_TRY(fill(rt, dal_linsol_matrix(ls), &at)); // its values are wanted after all
        A = NULL;
    }
    const dal_status st = A ? DAL_OK : dal_linsol_factor(ls);
    if (st != DAL_OK) {
        return st == DAL_SINGULAR ? dal_saddle_explain(rt->saddle, &at) : st;
    }
    rt->captured = s;
    return rt->varies ? dal_rt_capture_stiffness(rt) : DAL_OK;
}

/* y += M x of a body */
static void add_six(double *y, const double *M, const double *x)
{
    enum { PAIRS = 6 / DAL_PAIR };
    dal_two sum[PAIRS];
    memcpy(sum, y, sizeof sum);
    for (int j = 0; j < 6; ++j, M += 6) {
        for (int i = 0; i < PAIRS; ++i) {
            sum[i] += *(const dal_two *)(M + DAL_PAIR * i) * x[j];
        }
    }
    memcpy(y, sum, sizeof sum);
}

void dal_rt_mass(const dal_rattlie *rt, double *y, const double *x)
{
    const dal_system *sys = rt->ev->sys;
    dal_zero(y, rt->nv);
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(rt->ev, p);
        const double *M = rt->M + rt->M0[p];
        if (sys->pair[p].positions) {
            continue;
        }
        if (b.ni == 6 && b.nj == 6) {
            add_six(y + b.i, M, x + b.j);
            continue;
        }
        for (int j = 0; j < b.nj; ++j) {
            for (int i = 0; i < b.ni; ++i) {
                y[b.i + i] += M[i + j * b.ni] * x[b.j + j];
            }
        }
    }
}

void dal_rt_add_force(const dal_rattlie *rt, double *y, const double *mu)
{
    for (int l = 0; l < rt->ev->sys->nlinks; ++l) {
        const dal_block_at b = dal_link_at(rt->ev, l);
        const double *B = rt->B + rt->B0[l], *m = mu + b.i;
        for (int j = 0; j < b.nj; ++j, B += b.ni) {
            if (b.ni == 3) {
                y[b.j + j] += B[0] * m[0] + B[1] * m[1] + B[2] * m[2];
            } else {
                y[b.j + j] += dal_dot(B, m, b.ni);
            }
        }
    }
}

void dal_rt_gyroscopic(const dal_rattlie *rt, double *y, const double *v, const double *Mv)
{
    const dal_group *G = rt->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (F->type->flat) {
            continue;
        }
        if (dal_rt_orthogonal(F)) {
            const int k = F->v + F->nv - 3;
            y[k] += Mv[k + 1] * v[k + 2] - Mv[k + 2] * v[k + 1];
            y[k + 1] += Mv[k + 2] * v[k] - Mv[k] * v[k + 2];
            y[k + 2] += Mv[k] * v[k + 1] - Mv[k + 1] * v[k];
            continue;
        }
        double *H = rt->factor[f].work;
        F->type->hat(H, v + F->v, F->nv);
        for (int i = 0; i < F->nv; ++i) {
            for (int j = 0; j < F->nv; ++j) {
                y[F->v + i] += H[j + i * F->nv] * Mv[F->v + j];
            }
        }
    }
}

void dal_rt_move(dal_rattlie *rt, double *q, const double *q0, const double *theta)
{
    const dal_group *G = rt->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        rt_factor *k = &rt->factor[f];
        const int n = F->nv;
        F->type->prepare(k->coef, theta + F->v, n);
        F->type->retract(q + F->q, q0 + F->q, theta + F->v, k->coef, n);
        if (F->type->flat) {
            continue;
        }
        if (dal_rt_orthogonal(F)) {
            F->type->inv_tangent(k->Q, theta + F->v, k->coef, n);
            continue;
        }
        double coef[DAL_NCOEF], u[6];
        for (int i = 0; i < n; ++i) {
            u[i] = -theta[F->v + i];
        }
        F->type->prepare(coef, u, n);
        F->type->inv_tangent(k->work, u, coef, n);
        for (int i = 0; i < n * n; ++i) {
            k->Q[i] = k->work[i / n + i % n * n];
        }
    }
}

/* y = X^T x */
static void transposed(double *y, const double *X, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            y[i] += X[j + i * n] * x[j];
        }
    }
}

void dal_rt_momentum(const dal_rattlie *rt, double *y, const double *x)
{
    const dal_group *G = rt->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *Q = rt->factor[f].Q;
        if (F->type->flat) {
            dal_copy(y + F->v, x + F->v, F->nv);
        } else if (dal_rt_orthogonal(F)) {
            F->type->apply(y + F->v, Q, x + F->v, F->nv);
        } else {
            for (int i = 0; i < F->nv; ++i) {
                y[F->v + i] = 0.0;
                for (int j = 0; j < F->nv; ++j) {
                    y[F->v + i] += Q[i + j * F->nv] * x[F->v + j];
                }
            }
        }
    }
}

void dal_rt_momentum_end(const dal_rattlie *rt, double *y, const double *theta, const double *x)
{
    const dal_group *G = rt->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const rt_factor *k = &rt->factor[f];
        if (F->type->flat) {
            dal_copy(y + F->v, x + F->v, F->nv);
        } else if (dal_rt_orthogonal(F)) {
            // T^-T(theta) = T^-1(-theta)
            const int w = F->nv - 3, at = F->v + w;
            const double *Q = k->Q + w + w * F->nv, a = x[at], b = x[at + 1], c = x[at + 2];
            dal_copy(y + F->v, x + F->v, w);
            for (int i = 0; i < 3; ++i, Q += F->nv) {
                y[at + i] = Q[0] * a + Q[1] * b + Q[2] * c;
            }
        } else {
            F->type->inv_tangent(k->work, theta + F->v, k->coef, F->nv);
            transposed(y + F->v, k->work, x + F->v, F->nv);
        }
    }
}
