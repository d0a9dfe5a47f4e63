/* The iteration for large systems: one factored saddle matrix of the size of a single stage, taken in the middle of the
 * step, for all stages (LB.13). With C = K = Z = 0 and M, B frozen the stage equations decouple: let
 * At = (a_ij), i, j >= 2, and kappa_i = sum_k (At^-1)_ik a_k1; then alpha_i = y_i - kappa_i alpha_1 and
 *
 *     M alpha_1 = R_1,     [ M  B^T ] [ y_i  ]   [ R_i + kappa_i R_1      ]
 *                          [ B   0  ] [ mu_i ] = [ sum_k (At^-1)_ik S_k   ],   i >= 2
 *
 * for residuals R_i of (CS.2) and S_i of the velocity level. It converges when bodies turn little and forces change
 * little within a step; if it does not, the coupled matrix takes over for a while. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"

/* Unknowns from which on this is tried first: below, factoring the coupled matrix costs less than the iterations. */
enum { WORTH_IT = 64, PAUSE = 8 };

/* X := A^-1 by Gauss-Jordan with row exchange, n x n, n < LB_MAX; A is destroyed. */
static void invert(double *X, double *A, int n)
{
    for (int i = 0; i < n * n; ++i) {
        X[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(A[i + k * n]) > fabs(A[p + k * n]) ? i : p;
        }
        const double d = 1.0 / A[p + k * n];
        for (int j = 0; j < n; ++j) {
            const double a = A[p + j * n], x = X[p + j * n];
            A[p + j * n] = A[k + j * n];
            X[p + j * n] = X[k + j * n];
            A[k + j * n] = a * d;
            X[k + j * n] = x * d;
        }
        for (int i = 0; i < n; ++i) {
            const double f = i == k ? 0.0 : A[i + k * n];
            for (int j = 0; j < n && f != 0.0; ++j) {
                A[i + j * n] -= f * A[k + j * n];
                X[i + j * n] -= f * X[k + j * n];
            }
        }
    }
}

void dal_lb_saddle_coefficients(dal_lobatto *lb)
{
    const int s = lb->s, m = s - 1;
    double At[LB_MAX * LB_MAX];
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
            At[i + j * m] = lb->A[i + 1 + (j + 1) * s];
        }
    }
    invert(lb->Ainv, At, m);
    for (int i = 0; i < m; ++i) {
        lb->kappa[i] = 0.0;
        for (int k = 0; k < m; ++k) {
            lb->kappa[i] += lb->Ainv[i + k * m] * lb->A[k + 1];
        }
    }
}

/* Factor the saddle matrix, and M alone unless it is singular, in the middle of the step as v_n and v'_n predict it:
 * there M and B differ half as much from those of the stages as at either end. */
static dal_status factor(dal_lobatto *lb)
{
    const dal_state_buffer *s0 = lb->from;
    dal_saddle *saddle = lb->saddle;
    dal_state_buffer mid = {.t = s0->t + 0.5 * lb->h, .q = saddle->q1, .v = saddle->v1, .vd = s0->vd, .la = s0->la};
    int singular = lb->singular_mass;
    for (int k = 0; k < lb->nv; ++k) {
        lb->w[k] = lb->h * (0.5 * s0->v[k] + 0.125 * lb->h * s0->vd[k]);
        mid.v[k] = s0->v[k] + 0.5 * lb->h * s0->vd[k];
    }
    dal_retract(lb->ev->G, mid.q, s0->q, lb->w);
    DAL_TRY(dal_saddle_factor(saddle, &(dal_point){mid.t, mid.q, mid.v, mid.vd, mid.la}, 1));
    if (!singular) {
        DAL_TRY(dal_lb_examine_mass(lb, &mid, &singular));
    }
    return singular == lb->singular_mass ? DAL_OK : DAL_RETRY;
}

/* dx := - P^-1 r, P the matrix above */
static void apply(dal_lobatto *lb, double *dx, const double *r)
{
    const int s = lb->s, m = s - 1, nv = lb->nv, nc = lb->nc;
    const double *R = r + nc, *S = r + nv * s;
    double *x = lb->saddle->x, *first = dx + nc;
    for (int k = 0; k < nv; ++k) {
        x[k] = first[k] = -R[k];
    }
    if (lb->singular_mass) {
        for (int k = 0; k < nc; ++k) {
            x[nv + k] = -r[k];
        }
        dal_saddle_solve_roughly(lb->saddle);
        memcpy(first, x, (size_t)nv * sizeof(double));
        memcpy(dx, x + nv, (size_t)nc * sizeof(double));
    } else {
        dal_linsol_solve(lb->mass.ls, first);
        memset(dx, 0, (size_t)nc * sizeof(double));
    }
    for (int i = 1; i < s; ++i) {
        const double kappa = lb->kappa[i - 1];
        for (int k = 0; k < nv; ++k) {
            x[k] = -R[i * nv + k] - kappa * R[k];
        }
        for (int k = 0; k < nc; ++k) {
            x[nv + k] = 0.0;
            for (int j = 1; j < s; ++j) {
                x[nv + k] -= lb->Ainv[i - 1 + (j - 1) * m] * S[nc * j + k];
            }
        }
        dal_saddle_solve_roughly(lb->saddle);
        for (int k = 0; k < nv; ++k) {
            dx[nc + i * nv + k] = x[k] - kappa * first[k];
        }
        for (int k = 0; k < nc; ++k) {
            dx[nv * s + nc * i + k] = x[nv + k] - kappa * dx[k];
        }
    }
}

/* What is left of the increments at this rate: 0 too much, 1 within the tolerance, 2 far below it. Like Newton's method
 * with kept factors (NW.2) the iteration goes on to the latter if it can: what it leaves has the same sign in every step,
 * and the tolerance of the multipliers is a hundred times as large. */
static int remainder_is_small(double size, double rate)
{
    const double left = size * rate;
    return size == 0.0 || (rate < 1.0 && left <= 0.01 * (1.0 - rate)) ? 2 : rate < 1.0 && left <= 1.0 - rate;
}

/* Iterate from the predicted values. DAL_RETRY when it converges too slowly. */
static dal_status iterate(dal_lobatto *lb)
{
    const dal_newton_problem *p = &lb->problem;
    const int most = lb->opt.max_iterations;
    double last = 0.0, before = 1.0;
    int within = 0;
    DAL_TRY(factor(lb));
    lb->newton.stats.jacobians++;
    lb->newton.stats.factorisations++;
    for (int it = 0; it < most; ++it) {
        DAL_TRY(p->residual(lb, lb->r));
        apply(lb, lb->dx, lb->r);
        p->update(lb, lb->dx, 1.0);
        lb->newton.stats.iterations++;
        const double size = p->size(lb, lb->dx), rate = it > 0 ? size / last : 0.5;
        const int small = it > 0 || size == 0.0 ? remainder_is_small(size, rate) : 0;
        // at the level of rounding increments no longer decrease
        if (small == 2 || (small == 1 && (rate > 0.3 || it == most - 1)) || (within && rate > 0.3)) {
            lb->newton.residual = rate * dal_max_abs(lb->r, lb->n);
            p->finish(lb);
            return lb->newton.residual <= lb->opt.atol ? DAL_OK : DAL_RETRY;
        }
        // what is left after all iterations at the rate of the last two; the first rates say little
        if (rate > 2.0 || (it > 3 && !(size * pow(rate * before, 0.5 * (most - it)) <= 1.0))) {
            break;
        }
        before = rate;
        last = size;
        within = small;
    }
    return DAL_RETRY;
}

int dal_lb_saddle_iteration(dal_lobatto *lb)
{
    if (lb->n < WORTH_IT) {
        return 0;
    }
    if (lb->pause > 0) {
        lb->pause--;
        return 0;
    }
    if (iterate(lb) != DAL_OK) {
        lb->pause = PAUSE;
        return 0;
    }
    return 1;
}
