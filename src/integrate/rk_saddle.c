/* Accelerations and multipliers of a stage. Small saddle matrices are factored as L D L^T without a search for pivots:
 * they are symmetric, M is positive definite nearly always, and then -B M^-1 B^T is negative definite. (RK.3) */
#include <math.h>

#include "base/vector.h"
#include "integrate/rk_impl.h"

/* Parts of the diagonal that must be left when its turn comes: of M, and of B M^-1 B^T. Otherwise pivots are needed. */
static const double least_mass = 1e-3, least_row = 1e-6;

/* Column j is final: subtract its share from the columns after it. */
static void eliminate(double *L, int n, int j, double pivot)
{
    double *restrict cj = L + (ptrdiff_t)j * n;
    for (int i = j + 1; i < n; ++i) {
        const double a = cj[i];
        if (a != 0.0) {
            const double l = a / pivot;
            double *restrict ci = L + (ptrdiff_t)i * n;
            for (int k = i; k < n; ++k) {
                ci[k] -= l * cj[k];
            }
        }
    }
    for (int i = j + 1; i < n; ++i) {
        cj[i] /= pivot;
    }
}

/* ldl := L D L^T of the lower half of the saddle matrix; 0: a pivot is too small. */
static int factor(dal_rk *rk)
{
    const int nv = rk->nv, n = nv + rk->nc;
    double *L = rk->ldl, *d = rk->diagonal;
    dal_copy(L, dal_linsol_matrix(rk->saddle->ls)->x, n * n);
    for (int j = 0; j < n; ++j) {
        if (j == 0 || j == nv) { // what is there of M, and of B M^-1 B^T
            for (int i = j; i < n; ++i) {
                d[i] = L[i + i * n];
            }
        }
        const double pivot = L[j + j * n];
        if (j < nv ? !(pivot > least_mass * d[j] && d[j] > 0.0) : !(pivot < least_row * d[j] && d[j] < 0.0)) {
            return 0;
        }
        eliminate(L, n, j, pivot);
        d[j] = 1.0 / pivot;
    }
    return 1;
}

static void solve(const dal_rk *rk, double *restrict x)
{
    const int n = rk->nv + rk->nc;
    for (int j = 0; j < n; ++j) {
        const double *restrict cj = rk->ldl + (ptrdiff_t)j * n, xj = x[j];
        for (int i = j + 1; i < n && xj != 0.0; ++i) {
            x[i] -= cj[i] * xj;
        }
    }
    for (int j = n - 1; j >= 0; --j) {
        const double *restrict cj = rk->ldl + (ptrdiff_t)j * n;
        double sum = x[j] * rk->diagonal[j];
        for (int i = j + 1; i < n; ++i) {
            sum -= cj[i] * x[i];
        }
        x[j] = sum;
    }
}

void dal_rk_solve(dal_rk *rk)
{
    if (rk->factored) {
        solve(rk, rk->saddle->x);
    } else {
        dal_saddle_solve_roughly(rk->saddle);
    }
}

static inline void negate(double *restrict y, const double *restrict x, int n)
{
    int i = 0;
    for (; i + 1 < n; i += 2) {
        *(dal_two *)(y + i) = -*(const dal_two *)(x + i);
    }
    if (i < n) {
        y[i] = -x[i];
    }
}

/* M and B at a point, without forces that depend on lambda. */
static dal_status factor_at(dal_rk *rk, const dal_point *at)
{
    dal_saddle *s = rk->saddle;
    if (s->schur) {
        rk->factored = 0;
        return dal_saddle_factor_briefly(s, at);
    }
    DAL_TRY(dal_saddle_assemble(s, at, 1));
    rk->factored = rk->ldl && factor(rk);
    return rk->factored ? DAL_OK : dal_saddle_factor_assembled(s, at);
}

/* Right-hand sides of (IN.4) with v' = 0 and lambda = 0. */
static dal_status sides_at(dal_rk *rk, const dal_point *at)
{
    double *x = rk->saddle->x;
    return dal_eval_residual(rk->ev, &(dal_residual){.r = x, .acc = rk->nc > 0 ? x + rk->nv : NULL}, at);
}

/* v' and lambda from sides and factors. Solutions of large systems are refined at the end of a step, where they are handed
 * out; in between the solver's own accuracy will do. */
static void solve_for(dal_rk *rk, double *vd, double *la, int refine)
{
    dal_saddle *s = rk->saddle;
    if (refine && !rk->factored) {
        dal_saddle_solve(s);
    } else {
        dal_rk_solve(rk);
    }
    negate(vd, s->x, rk->nv);
    negate(la, s->x + rk->nv, rk->nc);
}

/* Away from the motion rows may depend on each other that do not along it. */
static dal_status of_stage(dal_status st)
{
    return st == DAL_EREDUNDANT ? DAL_SINGULAR : st;
}

static void count(dal_rk *rk)
{
    rk->stats.jacobians++;
    rk->stats.factorisations++;
}

dal_status dal_rk_acceleration(dal_rk *rk, double *vd, double *la, double t, const double *q, const double *v)
{
    const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
    count(rk);
    if (rk->ev->sys->lambda_in_g) {
        return of_stage(dal_continued_acceleration(rk->saddle, vd, la, t, q, v));
    }
    DAL_TRY(sides_at(rk, &at));
    DAL_TRY(of_stage(factor_at(rk, &at)));
    solve_for(rk, vd, la, 0);
    return DAL_OK;
}

dal_status dal_rk_factor(dal_rk *rk, double t, const double *q, const double *v)
{
    const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
    count(rk);
    return of_stage(factor_at(rk, &at));
}

dal_status dal_rk_factored_acceleration(dal_rk *rk, double *vd, double *la, double t, const double *q, const double *v)
{
    const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
    DAL_TRY(of_stage(sides_at(rk, &at)));
    solve_for(rk, vd, la, 1);
    return DAL_OK;
}
