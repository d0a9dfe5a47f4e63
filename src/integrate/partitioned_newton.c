/* Stage equations of a partitioned system: unknowns Y_i = Q_i - q (i >= 2), W_i = h g_i, mu_i = h Lambda_i (i >= 2).
 *
 *     Y_i - h sum_j a_ij f(Q_j, P_j) = 0          P_i = p + sum_j ahat_ij W_j
 *     W_i - h g(Q_i, P_i, Lambda_i) = 0           L_i = p + sum_j a_ij W_j
 *     phi(Q_i, L_i) = 0, i >= 2                                                                   (LB.11) */
#include <math.h>
#include <string.h>

#include "integrate/lobatto_table.h"
#include "integrate/partitioned_impl.h"

/* ---- callbacks with checks -------------------------------------------------------------------- */

static dal_status judge(dal_partitioned_solver *s, dal_status st, const char *what, const double *x, int n)
{
    if (st != DAL_OK) {
        return st > 0 || dal_ctx_status(s->ctx) == st ? st : dal_fail(s->ctx, st, "callback %s failed", what);
    }
    for (int i = 0; i < n; ++i) {
        if (!isfinite(x[i])) {
            return dal_fail(s->ctx, DAL_ECALLBACK, "callback %s returned %g in entry %d", what, x[i], i);
        }
    }
    return DAL_OK;
}

dal_status dal_partitioned_f(dal_partitioned_solver *s, double *f, const double *q, const double *p)
{
    return judge(s, s->sys.f(f, q, p, s->sys.user), "f", f, s->nq);
}

dal_status dal_partitioned_g(dal_partitioned_solver *s, double *g, const double *q, const double *p, const double *la)
{
    return judge(s, s->sys.g(g, q, p, la, s->sys.user), "g", g, s->np);
}

dal_status dal_partitioned_phi(dal_partitioned_solver *s, double *phi, const double *q, const double *p)
{
    return judge(s, s->nl > 0 ? s->sys.phi(phi, q, p, s->sys.user) : DAL_OK, "phi", phi, s->nl);
}

/* ---- derivatives ------------------------------------------------------------------------------ */

typedef enum function { F, G, PHI } function;

static dal_status evaluate(dal_partitioned_solver *s, function which, double *out, const double *const arg[3])
{
    switch (which) {
    case F:
        return dal_partitioned_f(s, out, arg[0], arg[1]);
    case G:
        return dal_partitioned_g(s, out, arg[0], arg[1], arg[2]);
    case PHI:
        break;
    }
    return dal_partitioned_phi(s, out, arg[0], arg[1]);
}

/* Central differences of one function (m values) with respect to argument k (n numbers): D m x n. */
static dal_status differences(dal_partitioned_solver *s, function which, double *D, int m, int k, int n,
                              const double *q, const double *p, const double *la)
{
    const double *arg[3] = {q, p, la}, *x = arg[k];
    arg[k] = s->y;
    memcpy(s->y, x, (size_t)n * sizeof(double));
    for (int j = 0; j < n; ++j) {
        const double delta = 6e-6 * (1.0 + fabs(x[j]));
        s->y[j] = x[j] + delta;
        DAL_TRY(evaluate(s, which, s->up, arg));
        s->y[j] = x[j] - delta;
        DAL_TRY(evaluate(s, which, s->down, arg));
        s->y[j] = x[j];
        for (int i = 0; i < m; ++i) {
            D[i + j * m] = (s->up[i] - s->down[i]) / (2.0 * delta);
        }
    }
    return DAL_OK;
}

dal_status dal_partitioned_tangents(dal_partitioned_solver *s, const double *q, const double *p, const double *la)
{
    const dal_partitioned *sys = &s->sys;
    const int nq = s->nq, np = s->np, nl = s->nl;
    if (sys->df) {
        DAL_TRY(judge(s, sys->df(s->fq, s->fp, q, p, sys->user), "df", s->fq, nq * nq));
    } else {
        DAL_TRY(differences(s, F, s->fq, nq, 0, nq, q, p, la));
        DAL_TRY(differences(s, F, s->fp, nq, 1, np, q, p, la));
    }
    if (sys->dg) {
        DAL_TRY(judge(s, sys->dg(s->gq, s->gp, s->gl, q, p, la, sys->user), "dg", s->gq, np * nq));
    } else {
        DAL_TRY(differences(s, G, s->gq, np, 0, nq, q, p, la));
        DAL_TRY(differences(s, G, s->gp, np, 1, np, q, p, la));
        DAL_TRY(differences(s, G, s->gl, np, 2, nl, q, p, la));
    }
    if (nl > 0 && sys->dphi) {
        DAL_TRY(judge(s, sys->dphi(s->phiq, s->phip, q, p, sys->user), "dphi", s->phiq, nl * nq));
    } else if (nl > 0) {
        DAL_TRY(differences(s, PHI, s->phiq, nl, 0, nq, q, p, la));
        DAL_TRY(differences(s, PHI, s->phip, nl, 1, np, q, p, la));
    }
    return DAL_OK;
}

/* ---- stage equations -------------------------------------------------------------------------- */

static int row_Y(const dal_partitioned_solver *s, int i)
{
    return (i - 1) * s->nq;
}

static int row_W(const dal_partitioned_solver *s, int i)
{
    return (s->s - 1) * s->nq + i * s->np;
}

static int row_mu(const dal_partitioned_solver *s, int i)
{
    return (s->s - 1) * s->nq + s->s * s->np + (i - 1) * s->nl;
}

static void stage_values(dal_partitioned_solver *s)
{
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < nq; ++k) {
            s->Q[k + i * nq] = s->q[k] + (i > 0 ? s->x[row_Y(s, i) + k] : 0.0);
        }
        for (int k = 0; k < nl; ++k) {
            s->Lambda[k + i * nl] = i > 0 ? s->x[row_mu(s, i) + k] / s->h : s->la[k];
        }
        for (int k = 0; k < np; ++k) {
            double P = s->p[k], L = s->p[k];
            for (int j = 0; j < m; ++j) {
                const double W = s->x[row_W(s, j) + k];
                P += s->Ahat[i + j * m] * W;
                L += s->A[i + j * m] * W;
            }
            s->P[k + i * np] = P;
            s->L[k + i * np] = L;
        }
    }
}

static dal_status residual(void *self, double *r)
{
    dal_partitioned_solver *s = self;
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    stage_values(s);
    for (int i = 0; i < m; ++i) {
        const double *Q = s->Q + i * nq, *P = s->P + i * np;
        double *rW = r + row_W(s, i);
        DAL_TRY(dal_partitioned_f(s, s->fs + i * nq, Q, P));
        DAL_TRY(dal_partitioned_g(s, rW, Q, P, s->Lambda + i * nl));
        for (int k = 0; k < np; ++k) {
            rW[k] = s->x[row_W(s, i) + k] - s->h * rW[k];
        }
        if (i > 0) {
            DAL_TRY(dal_partitioned_phi(s, r + row_mu(s, i), Q, s->L + i * np));
        }
    }
    for (int i = 1; i < m; ++i) {
        for (int k = 0; k < nq; ++k) {
            double sum = 0.0;
            for (int j = 0; j < m; ++j) {
                sum += s->A[i + j * m] * s->fs[k + j * nq];
            }
            r[row_Y(s, i) + k] = s->x[row_Y(s, i) + k] - s->h * sum;
        }
    }
    return DAL_OK;
}

/* A[row0.., col0..] += scale X, ni x nj, in the one dense block of the pattern */
static void add(dal_matrix *A, int row0, int col0, const double *X, int ni, int nj, double scale)
{
    for (int j = 0; j < nj; ++j) {
        double *a = A->x + A->slot[0][col0 + j] + row0;
        for (int i = 0; i < ni; ++i) {
            a[i] += scale * X[i + j * ni];
        }
    }
}

static void add_stage(dal_partitioned_solver *s, dal_matrix *A, int k)
{
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    for (int i = 1; i < m; ++i) {
        const double a = -s->h * s->A[i + k * m];
        if (k > 0) {
            add(A, row_Y(s, i), row_Y(s, k), s->fq, nq, nq, a);
        }
        for (int l = 0; l < m; ++l) {
            add(A, row_Y(s, i), row_W(s, l), s->fp, nq, np, a * s->Ahat[k + l * m]);
        }
    }
    for (int l = 0; l < m; ++l) {
        add(A, row_W(s, k), row_W(s, l), s->gp, np, np, -s->h * s->Ahat[k + l * m]);
        if (k > 0) {
            add(A, row_mu(s, k), row_W(s, l), s->phip, nl, np, s->A[k + l * m]);
        }
    }
    if (k > 0) {
        add(A, row_W(s, k), row_Y(s, k), s->gq, np, nq, -s->h);
        add(A, row_W(s, k), row_mu(s, k), s->gl, np, nl, -1.0);
        add(A, row_mu(s, k), row_Y(s, k), s->phiq, nl, nq, 1.0);
    }
}

static dal_status jacobian(void *self, dal_matrix *A)
{
    dal_partitioned_solver *s = self;
    const double one = 1.0;
    dal_matrix_zero(A);
    for (int i = 0; i < row_mu(s, 1); ++i) {
        add(A, i, i, &one, 1, 1, 1.0);
    }
    for (int k = 0; k < s->s; ++k) {
        // phi is differentiated at P, not at L: they differ by O(h^(s-1))
        DAL_TRY(dal_partitioned_tangents(s, s->Q + k * s->nq, s->P + k * s->np, s->Lambda + k * s->nl));
        add_stage(s, A, k);
    }
    return DAL_OK;
}

static void update(void *self, const double *dx, double scale)
{
    dal_partitioned_solver *s = self;
    for (int i = 0; i < s->n; ++i) {
        s->x[i] += scale * dx[i];
    }
}

/* Increments of Y and W against the size of q and p, down to a few units in the last place; those of mu, which enter W
 * directly, against the largest h g. */
static double size(void *self, const double *dx)
{
    const dal_partitioned_solver *s = self;
    double worst = 0.0, force = 0.0, change = 0.0;
    for (int i = 0; i < row_mu(s, 1); ++i) {
        const double at = i < row_W(s, 0) ? s->q[i % s->nq] : s->p[(i - row_W(s, 0)) % s->np];
        worst = fmax(worst, fabs(dx[i]) / (1e-15 + 2e-15 * (fabs(at) + fabs(s->x[i]))));
    }
    for (int i = row_W(s, 0); i < s->n; ++i) {
        force = fmax(force, fabs(s->x[i]));
        change = i < row_mu(s, 1) ? change : fmax(change, fabs(dx[i]));
    }
    return change > 0.0 ? fmax(worst, change / (1e-13 * force)) : worst;
}

static void finish(void *self)
{
    stage_values(self);
}

dal_newton_problem dal_partitioned_problem(dal_partitioned_solver *s)
{
    return (dal_newton_problem){residual, jacobian, update, size, finish, s, NULL, NULL};
}

/* W and mu from the polynomials of the last step, Y from W. (LB.8) */
void dal_partitioned_predict(dal_partitioned_solver *s)
{
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    for (int i = 0; i < m; ++i) {
        double l[DAL_STAGES_MAX];
        const double u = s->h_poly > 0.0 ? (s->t + s->c[i] * s->h - s->t_poly) / s->h_poly : 1.0;
        dal_lagrange(l, s->c, s->bary, m, u <= 3.0 ? u : 1.0);
        for (int k = 0; k < np; ++k) {
            double sum = 0.0;
            for (int j = 0; j < m; ++j) {
                sum += l[j] * s->g_poly[k + j * np];
            }
            s->x[row_W(s, i) + k] = s->h * sum;
        }
        for (int k = 0; i > 0 && k < nl; ++k) {
            double sum = 0.0;
            for (int j = 0; j < m; ++j) {
                sum += l[j] * s->la_poly[k + j * nl];
            }
            s->x[row_mu(s, i) + k] = s->h * sum;
        }
        for (int k = 0; i > 0 && k < nq; ++k) {
            s->x[row_Y(s, i) + k] = s->h * s->c[i] * s->fs[k + (m - 1) * nq];
        }
    }
}
