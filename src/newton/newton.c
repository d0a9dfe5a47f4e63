/* One loop for full and modified Newton. */
#include "newton/newton.h"

#include <stdio.h>

#include "base/vector.h"

/* Factors are used again when they have reduced the residual at least by this: from one solve to the next with
 * `modified`, within a solve otherwise. (NW.3) */
static const double keep_modified = 0.5, keep_full = 0.01;
/* Iterates that no longer improve by this factor have arrived at rounding. (NW.4) */
static const double stagnation = 0.3;

static void carve(dal_newton *nw, dal_arena *arena)
{
    nw->r = dal_arena_reals(arena, nw->n);
    nw->dx = dal_arena_reals(arena, nw->n);
}

dal_status dal_newton_init(dal_newton *nw, dal_ctx *ctx, dal_linsol *ls, const dal_newton_options *opt)
{
    *nw = (dal_newton){.ctx = ctx, .ls = ls, .n = dal_linsol_matrix(ls)->n, .opt = *opt};
    nw->arena = dal_arena_new(ctx);
    carve(nw, &nw->arena);
    DAL_TRY(dal_arena_reserve(&nw->arena));
    carve(nw, &nw->arena);
    return DAL_OK;
}

void dal_newton_release(dal_newton *nw)
{
    dal_arena_release(&nw->arena);
}

void dal_newton_invalidate(dal_newton *nw)
{
    nw->have_factor = 0;
    nw->fresh = 0;
}

static dal_status renew_factors(dal_newton *nw, const dal_newton_problem *p)
{
    nw->have_factor = 0;
    DAL_TRY(p->jacobian(p->self, dal_linsol_matrix(nw->ls)));
    nw->stats.jacobians++;
    nw->stats.factorisations++;
    DAL_TRY(dal_linsol_factor(nw->ls));
    nw->have_factor = 1;
    nw->fresh = 1;
    return DAL_OK;
}

/* ", largest in NAME" of the equation with the largest residual, or nothing where the problem has no names. */
static void name_worst(const dal_newton *nw, const dal_newton_problem *p, char *text, size_t size)
{
    char name[96];
    int worst = 0;
    for (int i = 1; i < nw->n; ++i) {
        // a NaN is the worst
        worst = !isnan(nw->r[worst]) && !(fabs(nw->r[i]) <= fabs(nw->r[worst])) ? i : worst;
    }
    text[0] = '\0';
    if (p->name && nw->n > 0) {
        p->name(p->self, name, sizeof name, worst);
        snprintf(text, size, ", largest in %s", name);
    }
}

static dal_status residual_norm(dal_newton *nw, const dal_newton_problem *p, double *norm)
{
    char worst[128];
    DAL_TRY(p->residual(p->self, nw->r));
    *norm = dal_max_abs(nw->r, nw->n);
    if (isfinite(*norm)) {
        return DAL_OK;
    }
    name_worst(nw, p, worst, sizeof worst);
    return dal_fail(nw->ctx, DAL_NOCONV, "the residual of Newton's method is %g%s", *norm, worst);
}

/* Shorten the step until the residual decreases. If nothing helps, the full step is kept: a residual may
 * grow for once on the way to the solution. */
static dal_status search_line(dal_newton *nw, const dal_newton_problem *p, double before, double *norm)
{
    double scale = 1.0;
    for (int k = 0; k < 4; ++k) {
        p->update(p->self, nw->dx, -0.5 * scale);
        scale *= 0.5;
        double trial;
        const dal_status st = residual_norm(nw, p, &trial);
        if (st == DAL_OK && trial < before) {
            *norm = trial;
            return DAL_OK;
        }
    }
    p->update(p->self, nw->dx, 1.0 - scale);
    return residual_norm(nw, p, norm); // repeats a failure of the full step and its message
}

/* dx := -J^-1 r, and x := x + dx */
static void iterate(dal_newton *nw, const dal_newton_problem *p)
{
    for (int i = 0; i < nw->n; ++i) {
        nw->dx[i] = -nw->r[i];
    }
    dal_linsol_solve(nw->ls, nw->dx);
    p->update(p->self, nw->dx, 1.0);
    nw->stats.iterations++;
}

/* Residual at the new iterate; a step that makes it worse is shortened. */
static dal_status evaluate(dal_newton *nw, const dal_newton_problem *p, double before, double *after)
{
    const dal_status st = residual_norm(nw, p, after);
    const int worse = st == DAL_OK && *after > before && *after > nw->opt.residual_tol;
    if (nw->opt.line_search && (worse || st == DAL_ECALLBACK || st > 0)) {
        return search_line(nw, p, before, after);
    }
    return st;
}

/* With a residual reduced by `rate` per iteration, what is left after the increment dx and n more is
 * rate^(n+1)/(1-rate) dx. Is that small enough? (NW.2) */
static int arrived(const dal_newton *nw, const dal_newton_problem *p, double before, double rate, int n)
{
    double left = rate;
    for (int k = 0; k < n; ++k) {
        left *= rate;
    }
    return rate < 1.0 && before * left <= nw->opt.residual_tol &&
           p->size(p->self, nw->dx) * left <= nw->opt.part * (1.0 - rate);
}

static dal_status give_up(dal_newton *nw, const dal_newton_problem *p, double first, double last, int iterations)
{
    char worst[128];
    name_worst(nw, p, worst, sizeof worst);
    return dal_fail(nw->ctx, DAL_NOCONV,
                    "Newton did not converge in %d iterations: scaled residual %.2e at the start, %.2e at the end%s, "
                    "tolerance %.2e",
                    iterations, first, last, worst, nw->opt.residual_tol);
}

dal_status dal_newton_solve(dal_newton *nw, const dal_newton_problem *p, int *iterations)
{
    const double keep = nw->opt.modified ? keep_modified : keep_full;
    double before, first, best, rate = 1.0; // rate 1: not known yet
    int growths = 0;
    DAL_TRY(residual_norm(nw, p, &before));
    first = best = before;
    nw->fresh = 0;
    if (!nw->opt.modified || !nw->have_factor) {
        DAL_TRY(renew_factors(nw, p));
    }
    for (int n = 1;; ++n) {
        double after = before;
        iterate(nw, p);
        if (iterations) {
            *iterations = n;
        }
        // no need to look at the residual again when the last reduction promises enough
        const int claimed = arrived(nw, p, before, rate, 0);
        if (claimed && !nw->verify) {
            p->finish(p->self);
            nw->residual = before * rate;
            return DAL_OK;
        }
        DAL_TRY(evaluate(nw, p, before, &after));
        rate = before > 0.0 ? after / before : 0.0;
        // exact, or at the level of rounding: new factors have brought nothing that was not reached before
        const int stagnates = nw->fresh && n >= 2 && after > stagnation * best;
        if (after == 0.0 || (after <= nw->opt.residual_tol && (claimed || stagnates))) {
            nw->residual = after;
            return DAL_OK;
        }
        best = after < best ? after : best;
        growths += nw->fresh && after > before;
        if (n >= nw->opt.max_iterations || growths > 3) {
            return give_up(nw, p, first, after, n);
        }
        // old factors that take too long are given up halfway
        if (rate > keep || (n >= nw->opt.max_iterations / 2 && !arrived(nw, p, before, rate, 1))) {
            DAL_TRY(renew_factors(nw, p));
        } else {
            nw->fresh = 0;
        }
        before = after;
    }
}
