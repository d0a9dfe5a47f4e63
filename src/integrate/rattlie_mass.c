/* M that depends on q: the discrete Lagrangian has (M(q0) + M(q1))/2, and its derivatives take the place of the inertia forces
 * with dM (RT.5). N(x) = D_q(M x) has all that is needed: D_q(x^T M x/2) = N^T x/2, M' x = N(v) x along v (RT.6). */
#include <math.h>

#include "base/vector.h"
#include "integrate/rattlie_impl.h"
#include "system/sink.h"

/* ---- products with blocks of pairs ------------------------------------------------------------ */

void dal_rt_add_product(const dal_rattlie *rt, double *y, const double *X, const double *x, double scale)
{
    const dal_system *sys = rt->ev->sys;
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(rt->ev, p);
        const double *block = X + rt->M0[p];
        for (int j = 0; j < b.nj; ++j) {
            dal_add_multiple(y + b.i, block + j * b.ni, scale * x[b.j + j], b.ni);
        }
    }
}

void dal_rt_add_transposed(const dal_rattlie *rt, double *y, const double *X, const double *x, double scale)
{
    const dal_system *sys = rt->ev->sys;
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(rt->ev, p);
        const double *block = X + rt->M0[p];
        for (int j = 0; j < b.nj; ++j) {
            y[b.j + j] += scale * dal_dot(block + j * b.ni, x + b.i, b.ni);
        }
    }
}

/* ---- M and N at a state ----------------------------------------------------------------------- */

/* blocks += scale (M or K) */
static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const double *X = sink->wants & DAL_WANT_M ? M : K;
    (void)C;
    if (X && !rt->ev->sys->pair[pair].positions) {
        dal_add_multiple(rt->to + rt->M0[pair], X, rt->to_scale, rt->M0[pair + 1] - rt->M0[pair]);
    }
}

static dal_status push(dal_rattlie *rt, double *to, double scale, unsigned what, const dal_point *at)
{
    rt->to = to;
    rt->to_scale = scale;
    rt->sink = dal_sink_ignoring(what);
    rt->sink.pair = push_pair;
    return dal_eval_tangent(rt->ev, &rt->sink, at);
}

dal_status dal_rt_mass_at(dal_rattlie *rt, double *M, double t, const double *q)
{
    const double *zero = rt->saddle->zero;
    dal_zero(M, rt->M0[rt->ev->sys->npairs]);
    return push(rt, M, 1.0, DAL_WANT_M, &(dal_point){t, q, zero, zero, zero});
}

/* K with v' = x less K0, that without; accelerations of the size that motions have, so that stiff springs leave no rounding. */
static dal_status gradient(dal_rattlie *rt, double *N, const double *K0, const dal_point *at, const double *x, double h)
{
    const int size = rt->M0[rt->ev->sys->npairs];
    for (int i = 0; i < rt->nv; ++i) {
        rt->vdd[i] = x[i] / h;
    }
    for (int i = 0; i < size; ++i) {
        N[i] = -h * K0[i];
    }
    return push(rt, N, h, DAL_WANT_K, &(dal_point){at->t, at->q, at->v, rt->vdd, at->la});
}

dal_status dal_rt_mass_gradient(dal_rattlie *rt, double *N, const double *x, double h)
{
    const double *zero = rt->saddle->zero;
    const dal_point at = {rt->captured->t, rt->captured->q, zero, zero, zero};
    return gradient(rt, N, rt->K0, &at, x, h);
}

dal_status dal_rt_mass_gradient_end(dal_rattlie *rt)
{
    const double *zero = rt->saddle->zero;
    const dal_point at = {rt->t1, rt->q1, zero, zero, zero};
    double *K0 = rt->N[2];
    dal_zero(K0, rt->M0[rt->ev->sys->npairs]);
    DAL_TRY(push(rt, K0, 1.0, DAL_WANT_K, &at));
    return gradient(rt, rt->N[1], K0, &at, rt->x, rt->h * rt->h);
}

/* Pairs (j, i) of pairs (i, j). */
static void find_mirrors(dal_rattlie *rt)
{
    const dal_system *sys = rt->ev->sys;
    for (int p = 0; p < sys->npairs && !rt->mirrored; ++p) {
        rt->mirror[p] = sys->pair[p].i == sys->pair[p].j ? p : -1;
        for (int k = 0; k < sys->npairs && rt->mirror[p] < 0; ++k) {
            rt->mirror[p] = sys->pair[k].i == sys->pair[p].j && sys->pair[k].j == sys->pair[p].i ? k : -1;
        }
    }
    rt->mirrored = 1;
}

dal_status dal_rt_capture_stiffness(dal_rattlie *rt)
{
    const double *zero = rt->saddle->zero;
    find_mirrors(rt);
    dal_zero(rt->K0, rt->M0[rt->ev->sys->npairs]);
    return push(rt, rt->K0, 1.0, DAL_WANT_K, &(dal_point){rt->captured->t, rt->captured->q, zero, zero, zero});
}

/* What C of g has more than that of f, but for the gyroscopic terms of constant M: M' + N - N^T, M' from the last step. */
void dal_rt_inertia_damping(const dal_rattlie *rt, double *X, int pair, dal_block_at b)
{
    const double *N = rt->N[1] + rt->M0[pair], *M = rt->M + rt->M0[pair], *M1 = rt->M1 + rt->M0[pair];
    const double *Nt = rt->mirror[pair] >= 0 ? rt->N[1] + rt->M0[rt->mirror[pair]] : NULL;
    for (int j = 0; j < b.nj; ++j) {
        for (int i = 0; i < b.ni; ++i) {
            const int k = i + j * b.ni;
            X[k] = (M[k] - M1[k]) / rt->h + N[k] - (Nt ? Nt[j + i * b.nj] : 0.0);
        }
    }
}

/* ---- does M depend on q? ---------------------------------------------------------------------- */

/* At a state nearby, compared with the blocks of this one. */
dal_status dal_rt_probe_mass(dal_rattlie *rt, const dal_state_buffer *s)
{
    const int n = rt->M0[rt->ev->sys->npairs];
    double most = 0.0, change = 0.0;
    for (int i = 0; i < rt->nv; ++i) {
        rt->x[i] = rt->ev->unit[i] * (0.11 + 0.013 * (i % 7));
    }
    dal_retract(rt->ev->G, rt->q1, s->q, rt->x);
    const dal_status st = dal_rt_mass_at(rt, rt->M1, s->t, rt->q1);
    if (st < 0) {
        return st;
    }
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(rt->M[i]));
        change = fmax(change, fabs(rt->M1[i] - rt->M[i]));
    }
    rt->varies = st > 0 || change > 1e-12 * most;
    return rt->varies ? dal_rt_capture_stiffness(rt) : DAL_OK;
}
