/* One loop for full, modified and semismooth Newton. */
#include "newton/newton.h"

#include <stdio.h>

#include "base/vector.h"
#include "linsol/in_place.h"
#include "linsol/pass.h"

/* Factors are used again when they have reduced the residual at least by this: from one solve to the next with
 * `modified`, within a solve otherwise. (NW.3) */
static const double keep_modified = 0.5, keep_full = 0.01;
/* Iterates that no longer improve by this factor have arrived at rounding. (NW.4) */
static const double stagnation = 0.3;
/* After one iteration only this part of the tolerances may be left: the remainder has the same sign in every step, and
 * that of a position constraint enters the multipliers with h^-2. (NW.6) */
static const double share = 1e-2;
/* What kept factors may leave of the tolerance of increments where the run has chosen them: it has the same sign in every
 * step, and the choice must not show in the results. (NW.7) */
static const double part_chosen = 1e-3;
/* A residual of which only this part is left has met rounding where it no longer improves. (NW.13) */
static const double depth = 1e-8;
/* A rate promised by an earlier solve is taken this much worse, and measured again after so many solves. (NW.6) */
static const double caution = 4.0;
enum { memory = 16 };

static void carve(dal_newton *nw, dal_arena *arena)
{
    nw->r = dal_arena_reals(arena, nw->n);
    nw->dx = dal_arena_reals(arena, nw->n);
}

dal_status dal_newton_init(dal_newton *nw, dal_ctx *ctx, dal_linsol *ls, const dal_newton_options *opt)
{
    *nw = (dal_newton){.ctx = ctx, .ls = ls, .n = dal_linsol_matrix(ls)->n, .opt = *opt};
    nw->arena = dal_arena_init(ctx);
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

/* Has the run chosen to keep factors? */
static int chosen(const dal_newton *nw)
{
    return nw->opt.choose && nw->stats.choice.modified;
}

int dal_newton_modified(const dal_newton *nw)
{
    return nw->opt.choose ? nw->stats.choice.modified : nw->opt.modified;
}

static dal_status renew_factors(dal_newton *nw, const dal_newton_problem *p)
{
    nw->have_factor = 0;
    dal_matrix *A = nw->opt.in_place ? dal_linsol_in_place(nw->ls) : NULL;
    DAL_TRY(p->jacobian(p->self, A ? A : dal_linsol_matrix(nw->ls)));
    nw->stats.jacobians++;
    nw->stats.factorisations++;
    if (A && !dal_linsol_factor_in_place(nw->ls)) {
        // its values are wanted after all
        DAL_TRY(p->jacobian(p->self, dal_linsol_matrix(nw->ls)));
        A = NULL;
    }
    if (!A) {
        DAL_TRY(dal_linsol_factor(nw->ls));
    }
    nw->have_factor = 1;
    nw->fresh = 1;
    return DAL_OK;
}

/* ", largest in NAME" of the equation with the largest residual, or nothing where the problem has no names. */
static void name_worst(const dal_newton *nw, const dal_newton_problem *p, char *text, size_t size)
{
    char name[96];
    int worst = 0;
    const double *w = nw->opt.weight;
    for (int i = 1; i < nw->n; ++i) {
        // a NaN is the worst
        const double a = fabs(nw->r[i]) * (w ? w[i] : 1.0), b = fabs(nw->r[worst]) * (w ? w[worst] : 1.0);
        worst = !isnan(b) && !(a <= b) ? i : worst;
    }
    text[0] = '\0';
    if (p->name && nw->n > 0) {
        p->name(p->self, name, sizeof name, worst);
        snprintf(text, size, ", largest in %s", name);
    }
}

/* Norm of the residual; for the line search the plain one. */
static double weigh(dal_newton *nw)
{
    const int n = nw->opt.nfirst;
    const double *w = nw->opt.weight;
    if (nw->opt.reduction > 0.0) {
        double sum = 0.0;
        for (int i = 0; i < nw->n; ++i) {
            sum += nw->r[i] * w[i] * nw->r[i] * w[i];
        }
        return nw->plain = sqrt(sum / nw->n);
    }
    if (!w) {
        return nw->plain = dal_max_abs(nw->r, nw->n);
    }
    const double first = dal_max_product(nw->r, w, n), others = dal_max_product(nw->r + n, w + n, nw->n - n);
    nw->plain = dal_larger(first, others);
    return dal_larger(nw->opt.strict * first, others);
}

static dal_status residual_norm(dal_newton *nw, const dal_newton_problem *p, double *norm)
{
    char worst[128];
    nw->nresiduals++;
    DAL_TRY(p->residual(p->self, nw->r));
    *norm = weigh(nw);
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
        if (st == DAL_OK && nw->plain < before) {
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
    dal_negative(nw->dx, nw->r, nw->n);
    dal_linsol_solve(nw->ls, nw->dx);
    p->update(p->self, nw->dx, 1.0);
    nw->stats.iterations++;
}

/* Residual at the new iterate; a step that makes it worse is shortened. */
static dal_status evaluate(dal_newton *nw, const dal_newton_problem *p, double *after)
{
    const double before = nw->plain;
    const dal_status st = residual_norm(nw, p, after);
    const int worse = st == DAL_OK && nw->plain > before && *after > nw->opt.residual_tol;
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
    const double part = chosen(nw) ? part_chosen : nw->opt.part;
    const int rounding = n == 0 && size <= nw->opt.rounding && before <= nw->opt.residual_tol;
    return rounding || (rate < 1.0 && before * left <= nw->opt.residual_tol && size * left <= part * (1.0 - rate));
}

/* The same after one iteration, with more to spare. (NW.6) */
static int at_once(const dal_newton *nw, double before, double size, double rate)
{
    const double left = nw->opt.left > 0.0 ? nw->opt.left : share;
    return nw->opt.trust && rate < 1.0 && before * rate <= left * nw->opt.residual_tol &&
           size * rate <= left * (1.0 - rate);
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

/* Where a solve stands: norm of the residual at the start, before and after the last iteration, the least there was; size of the last
 * increment in units of its tolerance, and its ratio to the one before. */
typedef struct progress {
    int n;
    double first, before, after, best, size, ratio;
    int idle; /* that increment is rounding of the iterate */
} progress;

static double reduction(const progress *p)
{
    return p->before > 0.0 ? p->after / p->before : 0.0;
}

/* Is the iterate, with its residual known, as good as can be? Exact; or what is left of the first increment is small; or at
 * the level of rounding: new factors have brought nothing that was not reached before. (NW.4) Kept factors contract
 * steadily; where they cease to, far below the tolerance, they have met rounding as well. (NW.8) */
static int good(const dal_newton *nw, const progress *p)
{
    const double rate = reduction(p);
    if (nw->opt.reduction > 0.0) {
        return p->after <= nw->opt.residual_tol || p->after <= nw->opt.reduction * p->first;
    }
    const int stagnates = nw->fresh && p->n >= 2 && p->after > stagnation * p->best;
    const int met = chosen(nw) && !nw->fresh && p->n >= 2 && p->after <= share * nw->opt.residual_tol &&
                    p->size <= 1.0 && rate > keep_modified && p->ratio > keep_modified;
    // neither improves, and increments are rounding, or far below their tolerance, residual far below the first one (NW.13)
    const int least = p->idle || (p->size <= share && p->after <= depth * p->first);
    const int floor = nw->opt.stiff && stagnates && !nw->verify && p->n >= 3 && least;
    const int enough = (p->n == 1 && nw->fresh && at_once(nw, p->before, p->size, rate)) || stagnates || met;
    return p->after == 0.0 || floor || (p->after <= nw->opt.residual_tol && enough);
}

/* Factors are renewed when they have reduced neither the residual nor, where the run has chosen to keep them, the increment;
 * and old ones that take too long halfway. */
static int worn_out(const dal_newton *nw, const progress *p)
{
    const double rate = chosen(nw) ? fmin(reduction(p), p->ratio) : reduction(p);
    const double keep = dal_newton_modified(nw) ? keep_modified : nw->opt.reduction > 0.0 ? 0.0 : keep_full;
    const int late = p->n >= nw->opt.max_iterations / 2;
    return rate > keep || (late && !arrived(nw, p->before, p->size, reduction(p), 1));
}

/* The next iteration is expected to reduce the residual by this: what earlier solves promise for the first, the last
 * reduction, or, of kept factors chosen by the run, that of the increments, which rounding of residuals does not spoil. */
static double expected_rate(const dal_newton *nw, const progress *p)
{
    return p->n == 1 ? promised_rate(nw, p->size) : chosen(nw) || nw->opt.by_increments ? p->ratio : reduction(p);
}

/* Is the iterate in the cases of the one before? It is kept if it is the best so far. */
static int same_cases(dal_newton *nw, const dal_newton_problem *p, int best)
{
    const uint64_t before = nw->cases;
    nw->cases = p->cases(p->self);
    if (best) {
        p->keep(p->self, 0);
    }
    return nw->cases == before;
}

static dal_status solve(dal_newton *nw, const dal_newton_problem *p, int *iterations)
{
    progress at = {.ratio = 1.0};
    int growths = 0;
    DAL_TRY(residual_norm(nw, p, &at.first));
    at.before = at.after = at.best = at.first;
    nw->fresh = 0;
    if (p->cases) {
        (void)same_cases(nw, p, 1);
    }
    if (!dal_newton_modified(nw) || !nw->have_factor) {
        DAL_TRY(renew_factors(nw, p));
    }
    for (at.n = 1;; ++at.n) {
        iterate(nw, p);
        if (iterations) {
            *iterations = at.n;
        }
        // no need to look at the residual again when the last reduction promises enough
        const double size = p->size(p->self, nw->dx);
        at.ratio = at.n > 1 && at.size > 0.0 ? size / at.size : 1.0;
        at.size = size;
        at.idle = nw->opt.stiff && p->idle && p->idle(p->self, nw->dx);
        const double promise = expected_rate(nw, &at);
        at.before = at.after;
        const int claimed =
            at.n == 1 ? at_once(nw, at.before, size, promise) : arrived(nw, at.before, size, promise, 0);
        if (claimed && !nw->verify && !p->cases && !(nw->opt.reduction > 0.0)) {
            p->finish(p->self);
            nw->residual = at.before * promise;
            nw->unseen += at.n == 1;
            return DAL_OK;
        }
        const double plain = nw->plain;
        DAL_TRY(evaluate(nw, p, &at.after));
        const int same = !p->cases || same_cases(nw, p, at.after < at.best);
        if (same) {
            remember(nw, at.n, reduction(&at), size);
        }
        if (same && (good(nw, &at) || (claimed && at.after <= nw->opt.residual_tol))) {
            nw->residual = at.after;
            return DAL_OK;
        }
        at.best = at.after < at.best ? at.after : at.best;
        growths += nw->fresh && nw->plain > plain && !p->cases;
        if (at.n >= nw->opt.max_iterations || growths > 3) {
            return give_up(nw, p, at.first, at.after, at.n);
        }
        if (!same || worn_out(nw, &at)) {
            DAL_TRY(renew_factors(nw, p));
        } else {
            nw->fresh = 0;
        }
    }
}

/* Most mechanisms go back to full Newton after a trial of kept factors, and a few steps among its own must not be told from them: what is left is
 * reduced once more. */
static dal_status polish(dal_newton *nw, const dal_newton_problem *p)
{
    double norm;
    DAL_TRY(residual_norm(nw, p, &norm));
    iterate(nw, p);
    p->finish(p->self);
    return DAL_OK;
}

dal_status dal_newton_solve(dal_newton *nw, int *iterations, const dal_newton_problem *p)
{
    const dal_newton_costs *k = &nw->opt.costs;
    const long solves = nw->stats.iterations, jacobians = nw->stats.jacobians;
    nw->nresiduals = 0;
    const dal_status st = solve(nw, p, iterations);
    if (st != DAL_OK && p->cases) {
        p->keep(p->self, 1);
    }
    if (!nw->opt.choose) {
        return st;
    }
    const double cost = (double)nw->nresiduals * k->residual + (double)(nw->stats.iterations - solves) * k->solve +
                        (double)(nw->stats.jacobians - jacobians) * k->jacobian;
    const int tried = nw->opt.polish && nw->stats.choice.trying && !nw->fresh && !p->cases;
    dal_newton_learn(&nw->stats.choice, k, cost, st != DAL_OK);
    return st == DAL_OK && tried ? polish(nw, p) : st; // that is not charged to the trial
}

void dal_newton_pass(dal_newton *nw, dal_cursor *k)
{
    dal_newton_choice *c = &nw->stats.choice;
    dal_pass_flag(k, &nw->have_factor);
    dal_pass_count(k, &nw->stats.iterations);
    dal_pass_count(k, &nw->stats.jacobians);
    dal_pass_count(k, &nw->stats.factorisations);
    dal_pass(k, &nw->contraction, 1);
    dal_pass(k, &nw->increment, 1);
    dal_pass_range(k, &nw->unseen, 0, INT_MAX);
    dal_pass_flag(k, &c->modified);
    dal_pass_flag(k, &c->trying);
    dal_pass_range(k, &c->trial, 0, INT_MAX);
    dal_pass_range(k, &c->waited, 0, INT_MAX);
    dal_pass_range(k, &c->failures, 0, 16);
    dal_pass(k, &c->usual, 1);
    dal_pass(k, &c->full, 1);
    dal_pass(k, &c->spent, 1);
    dal_pass_count(k, &c->kept);
    dal_linsol_pass(nw->ls, k);
    if (dal_pass_good(k) && nw->have_factor && !dal_linsol_factored(nw->ls)) {
        dal_pass_wrong(k, "the iteration matrix, factored,");
    }
}
