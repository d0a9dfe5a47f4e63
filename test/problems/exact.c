#include <math.h>
#include <string.h>

#include "problems/gbs.h"
#include "problems/kkt.h"
#include "problems/problem_impl.h"
#include "problems/vec3.h"

void problem_exact(const problem *p, double *q, double *v, double *vd, double *la, const double *t, int n)
{
    const problem_motion *m = &p->motion;
    long double y[PROBLEM_MAX];
    double qk[PROBLEM_MAX], vk[PROBLEM_MAX], vdk[PROBLEM_MAX], lak[PROBLEM_MAX];
    memcpy(y, m->y0, sizeof y);
    for (int k = 0; k < n; ++k) {
        if (m->ny > 0) {
            gbs_advance(y, m->ny, k > 0 ? t[k - 1] : 0.0, t[k], m->h, m->tol, m->f, p);
        }
        m->state(qk, vk, vdk, lak, t[k], y, p);
        double *const out[] = {q, v, vd, la};
        const double *const in[] = {qk, vk, vdk, lak};
        const int size[] = {p->nq, p->nv, p->nv, p->nc};
        for (int a = 0; a < 4; ++a) {
            if (out[a] != NULL) {
                memcpy(out[a] + (size_t)(k * size[a]), in[a], (size_t)size[a] * sizeof(double));
            }
        }
    }
}

/* q' of one factor from q and v, for the kinds of factors that the problems use. */
static void kinematics(long double *qd, const dal_factor *F, const long double *q, const long double *v)
{
    const dal_factor_kind kind = F->type->kind;
    const int nx = kind == DAL_FACTOR_R3SO3 || kind == DAL_FACTOR_SE3 ? 3 : 0; // numbers before the quaternion
    if (kind == DAL_FACTOR_RN || kind == DAL_FACTOR_R2S1) {
        memcpy(qd, v, (size_t)F->nv * sizeof *qd);
        return;
    }
    // p' = p o (0, Omega) / 2
    const long double *p = q + nx, *w = v + nx;
    long double *pd = qd + nx;
    pd[0] = -0.5L * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]);
    pd[1] = 0.5L * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
    pd[2] = 0.5L * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
    pd[3] = 0.5L * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
    if (kind == DAL_FACTOR_R3SO3) {
        memcpy(qd, v, 3 * sizeof *qd);
    } else if (kind == DAL_FACTOR_SE3) {
        // x' = R U with R U = U + 2 e0 (e x U) + 2 e x (e x U)
        const long double *e = p + 1;
        const long double c[3] = {e[1] * v[2] - e[2] * v[1], e[2] * v[0] - e[0] * v[2], e[0] * v[1] - e[1] * v[0]};
        for (int i = 0; i < 3; ++i) {
            const int a = (i + 1) % 3, b = (i + 2) % 3;
            qd[i] = v[i] + 2.0L * (p[0] * c[i] + e[a] * c[b] - e[b] * c[a]);
        }
    }
}

static void index1_split(double *q, double *v, const long double *y, const problem *p)
{
    for (int i = 0; i < p->nq; ++i) {
        q[i] = (double)y[i];
    }
    for (int i = 0; i < p->nv; ++i) {
        v[i] = (double)y[p->nq + i];
    }
}

static void index1_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                         const problem *p)
{
    index1_split(q, v, y, p);
    if (!kkt_accelerations(&p->dense, p->nv, vd, la, (double)t, q, v)) {
        vd[0] = NAN;
    }
}

static void index1_rhs(long double *f, long double t, const long double *y, const void *user)
{
    const problem *p = user;
    double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX];
    index1_state(q, v, vd, la, t, y, p);
    for (int i = 0; i < p->group->nfactors; ++i) {
        const dal_factor *F = &p->group->factor[i];
        kinematics(f + F->q, F, y + F->q, y + p->nq + F->v);
    }
    for (int i = 0; i < p->nv; ++i) {
        f[p->nq + i] = vd[i];
    }
}

void index1_motion(problem *p, double h)
{
    problem_motion *m = &p->motion;
    *m = (problem_motion){.ny = p->nq + p->nv, .h = h, .tol = 1e-15L, .f = index1_rhs, .state = index1_state};
    for (int i = 0; i < p->nq; ++i) {
        m->y0[i] = p->q0[i];
    }
    for (int i = 0; i < p->nv; ++i) {
        m->y0[p->nq + i] = p->v0[i];
    }
}
