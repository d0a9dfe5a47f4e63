/* Partitioned systems of index 2 in plain form: creation, start, step. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "integrate/lobatto_table.h"
#include "integrate/partitioned_impl.h"

static void carve(dal_partitioned_solver *s, dal_arena *arena)
{
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    int largest = nq > np ? nq : np;
    largest = nl > largest ? nl : largest;
    const struct {
        double **array;
        int n;
    } list[] = {{&s->q, nq},           {&s->p, np},          {&s->la, nl},      {&s->g_poly, np * m},
                {&s->la_poly, nl * m}, {&s->x, s->n},        {&s->Q, nq * m},   {&s->P, np * m},
                {&s->L, np * m},       {&s->Lambda, nl * m}, {&s->fs, nq * m},  {&s->fq, nq * nq},
                {&s->fp, nq * np},     {&s->gq, np * nq},    {&s->gp, np * np}, {&s->gl, np * nl},
                {&s->phiq, nl * nq},   {&s->phip, nl * np},  {&s->y, largest},  {&s->up, largest},
                {&s->down, largest}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        *list[i].array = dal_arena_reals(arena, list[i].n);
    }
}

static dal_status make_solver(dal_linsol **ls, dal_ctx *ctx, int n)
{
    dal_pattern *pattern;
    DAL_TRY(dal_pattern_create(&pattern, ctx, n));
    dal_status st = dal_pattern_block(pattern, 0, 0, n, n);
    if (st == DAL_OK) {
        st = dal_linsol_create(ls, ctx, pattern, n <= 100 ? DAL_LINSOL_SMALL : DAL_LINSOL_LAPACK);
    }
    dal_pattern_destroy(pattern);
    return st;
}

static dal_status check(dal_ctx *ctx, const dal_partitioned *sys)
{
    if (sys->nq < 1 || sys->np < 1 || sys->nl < 0) {
        return dal_fail(ctx, DAL_EINVAL, "nq = %d, np = %d, nl = %d: q and p need at least one number each", sys->nq,
                        sys->np, sys->nl);
    }
    if (sys->nl > sys->np) {
        return dal_fail(ctx, DAL_EINVAL, "nl = %d multipliers for np = %d: phi_p g_lambda cannot be regular", sys->nl,
                        sys->np);
    }
    if (!sys->f || !sys->g || (sys->nl > 0 && !sys->phi)) {
        return dal_fail(ctx, DAL_EINVAL, "the callback %s is missing", !sys->f ? "f" : !sys->g ? "g" : "phi");
    }
    return DAL_OK;
}

static dal_status set_up(dal_partitioned_solver *s)
{
    DAL_TRY(dal_lobatto_coefficients(s->ctx, s->s, s->c, s->b, s->A, s->Ahat));
    dal_barycentric(s->bary, s->c, s->s);
    s->arena = dal_arena_new(s->ctx);
    carve(s, &s->arena);
    DAL_TRY(dal_arena_reserve(&s->arena));
    carve(s, &s->arena);
    DAL_TRY(make_solver(&s->matrix, s->ctx, s->n));
    if (s->nl > 0) {
        DAL_TRY(make_solver(&s->index, s->ctx, s->nl));
    }
    const dal_newton_options newton = {
        .residual_tol = 1e-10, .part = 0.01, .max_iterations = 30, .modified = 1, .line_search = 1};
    return dal_newton_init(&s->newton, s->ctx, s->matrix, &newton);
}

dal_status dal_partitioned_create(dal_partitioned_solver **out, dal_ctx *ctx, const dal_partitioned *sys, int stages)
{
    DAL_NEED_AS(ctx, out, "solver");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_TRY(check(ctx, sys));
    dal_partitioned_solver *s = dal_alloc_zero(ctx, sizeof *s);
    if (!s) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the partitioned system");
    }
    s->ctx = ctx;
    s->sys = *sys;
    s->s = stages;
    s->nq = sys->nq;
    s->np = sys->np;
    s->nl = sys->nl;
    s->n = (stages - 1) * (sys->nq + sys->nl) + stages * sys->np;
    const dal_status st = set_up(s);
    if (st != DAL_OK) {
        dal_partitioned_destroy(s);
        return st;
    }
    *out = s;
    return DAL_OK;
}

void dal_partitioned_destroy(dal_partitioned_solver *s)
{
    if (s) {
        dal_newton_release(&s->newton);
        dal_linsol_destroy(s->matrix);
        dal_linsol_destroy(s->index);
        dal_arena_release(&s->arena);
        dal_free(s->ctx, s);
    }
}

/* ---- start ------------------------------------------------------------------------------------ */

/* Factor phi_p g_lambda at a point where the tangents have just been computed. */
static dal_status factor_index(dal_partitioned_solver *s)
{
    dal_matrix *A = dal_linsol_matrix(s->index);
    double scale = 0.0;
    dal_matrix_zero(A);
    for (int j = 0; j < s->nl; ++j) {
        for (int i = 0; i < s->nl; ++i) {
            double sum = 0.0, size = 0.0;
            for (int k = 0; k < s->np; ++k) {
                const double term = s->phip[i + k * s->nl] * s->gl[k + j * s->np];
                sum += term;
                size += fabs(term);
            }
            A->x[A->slot[0][j] + i] = sum;
            scale = fmax(scale, size);
        }
    }
    // entries that are rounding errors of the differences must not pass for pivots
    const dal_status st = scale > 1e-8 ? dal_linsol_factor(s->index) : DAL_SINGULAR;
    if (st == DAL_SINGULAR || (st == DAL_OK && dal_linsol_rcond(s->index) < 1e-12)) {
        return dal_fail(
            s->ctx, DAL_EREDUNDANT,
            "phi_p g_lambda is singular: the index of the system is not 2. Constraints phi(q) without p have "
            "index 3: give their time derivative phi_q f; constraints phi(q, p, lambda) that lambda "
            "itself solves have index 1: eliminate lambda; redundant rows: remove them");
    }
    return st;
}

/* lambda from phi_q f + phi_p g(q, p, lambda) = 0 by Newton's method. */
static dal_status consistent(dal_partitioned_solver *s, const double *q, const double *p, double *la)
{
    const int nl = s->nl;
    double *rate = s->Lambda, last = INFINITY;
    memset(la, 0, (size_t)nl * sizeof(double));
    for (int it = 0; it < 50; ++it) {
        DAL_TRY(dal_partitioned_tangents(s, q, p, la));
        DAL_TRY(factor_index(s));
        DAL_TRY(dal_partitioned_f(s, s->fs, q, p));
        DAL_TRY(dal_partitioned_g(s, s->P, q, p, la));
        for (int i = 0; i < nl; ++i) {
            rate[i] = 0.0;
            for (int k = 0; k < s->nq; ++k) {
                rate[i] -= s->phiq[i + k * nl] * s->fs[k];
            }
            for (int k = 0; k < s->np; ++k) {
                rate[i] -= s->phip[i + k * nl] * s->P[k];
            }
        }
        dal_linsol_solve(s->index, rate);
        for (int i = 0; i < nl; ++i) {
            la[i] += rate[i];
        }
        const double change = dal_max_abs(rate, nl), size = dal_max_abs(la, nl);
        if (change <= 1e-14 * size || change == 0.0 || (change <= 1e-8 * (size + 1.0) && change >= 0.5 * last)) {
            return DAL_OK;
        }
        last = change;
    }
    return dal_fail(s->ctx, DAL_NOCONV, "no lambda with phi_q f + phi_p g = 0 found at the initial values");
}

dal_status dal_partitioned_start(dal_partitioned_solver *s, double t, const double *q, const double *p,
                                 const double *la)
{
    DAL_NEED_AS(NULL, s, "solver");
    DAL_NEED(s->ctx, q);
    DAL_NEED(s->ctx, p);
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    double *la0 = s->la_poly, *phi = s->Lambda;
    s->started = 0;
    DAL_TRY(dal_partitioned_phi(s, phi, q, p));
    const double off = dal_max_abs(phi, nl);
    if (off > 1e-8 * (1.0 + dal_max_abs(q, nq) + dal_max_abs(p, np))) {
        return dal_fail(s->ctx, DAL_EINITIAL, "initial values are inconsistent: |phi(q, p)| = %.3e. Correct q or p",
                        off);
    }
    if (nl > 0 && la) {
        memcpy(la0, la, (size_t)nl * sizeof(double));
        DAL_TRY(dal_partitioned_tangents(s, q, p, la0));
        DAL_TRY(factor_index(s));
    } else if (nl > 0) {
        DAL_TRY(consistent(s, q, p, la0));
    }
    memcpy(s->q, q, (size_t)nq * sizeof(double));
    memcpy(s->p, p, (size_t)np * sizeof(double));
    memcpy(s->la, la0, (size_t)nl * sizeof(double));
    // constant polynomials for the first prediction
    DAL_TRY(dal_partitioned_f(s, s->fs + (m - 1) * nq, q, p));
    DAL_TRY(dal_partitioned_g(s, s->g_poly, q, p, s->la));
    for (int j = 1; j < m; ++j) {
        memcpy(s->g_poly + j * np, s->g_poly, (size_t)np * sizeof(double));
        memcpy(s->la_poly + j * nl, s->la, (size_t)nl * sizeof(double));
    }
    s->h_poly = 0.0;
    s->t = t;
    s->started = 1;
    dal_newton_invalidate(&s->newton);
    return DAL_OK;
}

/* ---- step ------------------------------------------------------------------------------------- */

static dal_status step_failed(dal_partitioned_solver *s, dal_status st, double h)
{
    dal_newton_invalidate(&s->newton);
    return dal_fail_in(s->ctx, st, "step from t = %.9g with h = %.3e failed (%s)", s->t, h,
                       st > 0 ? "use a smaller h" : "no remedy by step size");
}

dal_status dal_partitioned_step(dal_partitioned_solver *s, double h)
{
    DAL_NEED_AS(NULL, s, "solver");
    const int m = s->s, nq = s->nq, np = s->np, nl = s->nl;
    if (!s->started) {
        return dal_fail(s->ctx, DAL_EINVAL, "no state yet: call dal_partitioned_start first");
    }
    if (!(h > 0.0 && isfinite(h))) {
        return dal_fail(s->ctx, DAL_EINVAL, "h = %g is not a positive step size", h);
    }
    if (h != s->h) {
        dal_newton_invalidate(&s->newton);
    }
    s->h = h;
    dal_partitioned_predict(s);
    s->newton.opt.residual_tol = 1e-10 * (1.0 + dal_max_abs(s->q, nq) + dal_max_abs(s->p, np));
    const dal_newton_problem problem = dal_partitioned_problem(s);
    const dal_status st = dal_newton_solve(&s->newton, &problem, NULL);
    if (st != DAL_OK) {
        return step_failed(s, st, h);
    }
    // polynomials W/h and Lambda of this step; f at the last stage is up to date to the Newton tolerance
    for (int k = 0; k < np * m; ++k) {
        s->g_poly[k] = s->x[(m - 1) * nq + k] / h;
    }
    memcpy(s->la_poly, s->Lambda, (size_t)(nl * m) * sizeof(double));
    s->t_poly = s->t;
    s->h_poly = h;
    memcpy(s->q, s->Q + (m - 1) * nq, (size_t)nq * sizeof(double));
    memcpy(s->p, s->L + (m - 1) * np, (size_t)np * sizeof(double));
    memcpy(s->la, s->Lambda + (m - 1) * nl, (size_t)nl * sizeof(double));
    s->t += h;
    return DAL_OK;
}

dal_partitioned_state dal_partitioned_get(const dal_partitioned_solver *s)
{
    if (!s) {
        return (dal_partitioned_state){0};
    }
    return (dal_partitioned_state){s->t, s->q, s->p, s->la, s->newton.stats.iterations, s->newton.stats.factorisations};
}
