/* One loop for full and modified Newton. */
#include "newton/newton.h"

#include <stdio.h>

#include "base/vector.h"

/* Factors are used again when they have reduced the residual at least by this: from one solve to the next with
 * `modified`, within a solve otherwise. (NW.3) */
static const double keep_modified = 0.5, keep_full = 0.01;
/* Iterates that no longer improve by this factor have arrived at rounding. (NW.4) */
static const double stagnation = 0.3;
/* After one iteration only this part of the tolerances may be left: the remainder has the same sign in every step, and
 * that of a position constraint enters the multipliers with h^-2. (NW.6) */
static const double share = 1e-2;
/* A rate promised by an earlier solve is taken this much worse, and measured again after so many solves. (NW.6) */
static const double caution = 10.0;
enum { memory = 16 };

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
    nw->contraction = 0.0;
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
    if (p->explain) {
        DAL_TRY(p->explain(p->self, nw->r));
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

/* With a residual reduced by `rate` per iteration, what is left after an increment of that size and n more is
 * rate^(n+1)/(1-rate) of it. Is that small enough? (NW.2) */
static int arrived(const dal_newton *nw, double before, double size, double rate, int n)
{
    double left = rate;
    for (int k = 0; k < n; ++k) {
        left *= rate;
    }
    return rate < 1.0 && before * left <= nw->opt.residual_tol && size * left <= nw->opt.part * (1.0 - rate);
}

/* The same after one iteration, with more to spare. (NW.6) */
static int at_once(const dal_newton *nw, double before, double size, double rate)
{
    return nw->opt.trust && rate < 1.0 && before * rate <= share * nw->opt.residual_tol &&
           size * rate <= share * (1.0 - rate);
}

/* What the first iteration of an earlier solve says of this one. With a new Jacobian the rate grows with the increment;
 * for a smaller one it is not believed to be smaller, for the Jacobian may be inexact. */
static double promised_rate(const dal_newton *nw, double size)
{
    const int believed = nw->fresh && nw->contraction > 0.0 && nw->unseen < memory;
    const double growth = size > nw->increment ? size / nw->increment : 1.0;
    return believed ? caution * growth * nw->contraction : 1.0;
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

/* The rate of a first iteration with new factors, for later solves. */
static void remember(dal_newton *nw, int n, double rate, double size)
{
    if (n == 1 && nw->fresh) {
        nw->contraction = rate;
        nw->increment = size;
        nw->unseen = 0;
    }
}

/* Is the iterate, with its residual known, as good as can be? Exact; or what is left of the first increment is small; or at
 * the level of rounding: new factors have brought nothing that was not reached before. (NW.4) */
static int good(const dal_newton *nw, double before, double after, double best, double size, int n)
{
    const double rate = before > 0.0 ? after / before : 0.0;
    const int stagnates = nw->fresh && n >= 2 && after > stagnation * best;
    const int enough = (n == 1 && nw->fresh && at_once(nw, before, size, rate)) || stagnates;
    return after == 0.0 || (after <= nw->opt.residual_tol && enough);
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
        const double size = p->size(p->self, nw->dx), promise = n == 1 ? promised_rate(nw, size) : rate;
        const int claimed = n == 1 ? at_once(nw, before, size, promise) : arrived(nw, before, size, promise, 0);
        if (claimed && !nw->verify) {
            p->finish(p->self);
            nw->residual = before * promise;
            nw->unseen += n == 1;
            return DAL_OK;
        }
        DAL_TRY(evaluate(nw, p, before, &after));
        rate = before > 0.0 ? after / before : 0.0;
        remember(nw, n, rate, size);
        if (good(nw, before, after, best, size, n) || (claimed && after <= nw->opt.residual_tol)) {
            nw->residual = after;
            return DAL_OK;
        }
        best = after < best ? after : best;
        growths += nw->fresh && after > before;
        if (n >= nw->opt.max_iterations || growths > 3) {
            return give_up(nw, p, first, after, n);
        }
        // old factors that take too long are given up halfway
        const int late = n >= nw->opt.max_iterations / 2;
        if (rate > keep || (late && !arrived(nw, before, size, rate, 1))) {
            DAL_TRY(renew_factors(nw, p));
        } else {
            nw->fresh = 0;
        }
        before = after;
    }
}
