/* Assembly: regularised Gauss-Newton steps on Phi = 0 (AS.1), in the units of displacements. */
#include "dalembert/assemble.h"
#include "base/message.h"

#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "linearize/bordered.h"
#include "newton/descent.h"
#include "projection/assemble.h"
#include "projection/scales.h"
#include "system/data.h"

/* Regularisation: redundant rows share their residual instead of making the matrix singular; what has no mass moves by as little
 * as it can in its units. */
static const double delta = 1e-9, epsilon = 1e-10;

typedef struct assembly {
    dal_ctx *ctx;
    dal_eval *ev;
    dal_bordered
        matrix;        /* [[metric, B^T], [B, -delta R^2/W]]: W U^-2 for positions, M + epsilon W U^-2 for velocities */
    double share;      /* of W U^-2: 1, or epsilon */
    dal_scales scales; /* what M, B and residuals are measured by */
    double *added;     /* nv + nc: diagonal */
    int nv, nc;
    int *held; /* nv */
    double *x, *q, *v, *zero;
    double t, *place, tol; /* of positions: the configuration, which moves; gaps up to which it is closed */
    double largest;        /* gap there, as it is */
    dal_arena arena;
} assembly;

static void carve(assembly *as, dal_arena *arena)
{
    dal_scales_carve(&as->scales, arena, as->ev);
    as->held = dal_arena_ints(arena, as->nv);
    as->x = dal_arena_reals(arena, as->nv + as->nc);
    as->q = dal_arena_reals(arena, as->ev->nq);
    as->v = dal_arena_reals(arena, as->nv);
    as->zero = dal_arena_reals(arena, as->nv + as->nc);
    as->added = dal_arena_reals(arena, as->nv + as->nc);
}

static dal_status set_up(assembly *as, const dal_system *sys, dal_data *data, const int *held, int nheld)
{
    DAL_TRY(dal_eval_create(&as->ev, as->ctx, sys, data));
    as->nv = as->ev->nv;
    as->nc = as->ev->nc;
    as->arena = dal_arena_init(as->ctx);
    carve(as, &as->arena);
    DAL_TRY(dal_arena_reserve(&as->arena));
    carve(as, &as->arena);
    for (int i = 0; i < nheld; ++i) {
        if (held[i] < 0 || held[i] >= as->ev->G->nfactors) {
            return dal_fail(as->ctx, DAL_EINVAL, "assembly: there is no factor %d to hold", held[i]);
        }
        const dal_factor *F = &as->ev->G->factor[held[i]];
        for (int j = 0; j < F->nv; ++j) {
            as->held[F->v + j] = 1;
        }
    }
    DAL_TRY(dal_bordered_init(&as->matrix, as->ctx, as->ev,
                              DAL_BORDERED_PAIRS | DAL_BORDERED_LINKS | DAL_BORDERED_DIAGONAL, DAL_LINSOL_AUTO));
    as->matrix.added = as->added;
    as->matrix.m = 0.0;
    as->share = 1.0;
    as->matrix.held = as->held;
    as->matrix.holonomic_only = 1;
    return DAL_OK;
}

static void tear_down(assembly *as)
{
    dal_bordered_release(&as->matrix);
    dal_eval_destroy(as->ev);
    dal_arena_release(&as->arena);
}

static dal_point point(const assembly *as, double t, const double *q)
{
    return (dal_point){t, q, as->zero, as->zero, as->zero};
}

/* Components of a factor that are a place: the first, if they are measured by the length of the system. */
static int places(const dal_eval *ev, const dal_factor *F)
{
    const dal_factor_kind kind = F->type->kind;
    const int n = kind == DAL_FACTOR_SO3 ? 0 : kind == DAL_FACTOR_SE2 || kind == DAL_FACTOR_R2S1 ? 2 : 3;
    return ev->sys->equations.units && F->nv >= n && n > 0 && ev->unit[F->v] == ev->length ? n : 0;
}

/* How far bodies are apart, in units of the length of the system, at least 1: in a long chain moving a link is no worse than turning
 * it. */
static double spread(const dal_eval *ev, const double *q)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 1.0;
    for (int f = 0; f < ev->G->nfactors; ++f) {
        const dal_factor *F = &ev->G->factor[f];
        for (int i = 0; i < places(ev, F); ++i) {
            low[i] = fmin(low[i], q[F->q + i]);
            high[i] = fmax(high[i], q[F->q + i]);
            most = fmax(most, (high[i] - low[i]) / ev->length);
        }
    }
    return most;
}

/* Scales at the first point that is asked for, and the metric and regularisation in them. */
static dal_status measure(assembly *as, const dal_point *at)
{
    dal_scales *s = &as->scales;
    const dal_eval *ev = as->ev;
    if (s->work > 0.0) {
        return DAL_OK;
    }
    DAL_TRY(dal_scales_measure(s, at));
    const double far = spread(ev, at->q);
    for (int f = 0; f < ev->G->nfactors; ++f) {
        const dal_factor *F = &ev->G->factor[f];
        for (int i = 0; i < F->nv; ++i) {
            const double unit = ev->unit[F->v + i] * (i < places(ev, F) ? far : 1.0);
            as->added[F->v + i] = as->share * s->work / (unit * unit);
        }
    }
    for (int i = 0; i < as->nc; ++i) {
        as->added[as->nv + i] = -delta * s->reach[i] * s->reach[i] / s->work;
    }
    return DAL_OK;
}

static dal_status factor(assembly *as, double t, const double *q)
{
    const dal_point at = point(as, t, q);
    DAL_TRY(dal_bordered_fill(&as->matrix, &at, 0));
    return dal_linsol_factor(as->matrix.ls);
}

/* d = -A^-1 B^T (B A^-1 B^T + delta)^-1 Phi with the metric A, in x. */
static void solve(assembly *as)
{
    dal_zero(as->x, as->nv);
    for (int i = 0; i < as->nc; ++i) {
        as->x[as->nv + i] = -as->x[as->nv + i];
    }
    dal_linsol_solve_refined(as->matrix.ls, as->x);
}

/* Phi at the place moved by scale d, into the second part of x; its sum of squares, in the scales of the rows. */
static dal_status look(void *self, double *squares, int *good, double scale)
{
    assembly *as = self;
    double *Phi = as->x + as->nv;
    for (int i = 0; i < as->nv; ++i) {
        as->v[i] = scale * as->x[i];
    }
    dal_retract(as->ev->G, as->q, as->place, as->v);
    const dal_point at = point(as, as->t, scale > 0.0 ? as->q : as->place);
    dal_zero(Phi, as->nc);
    DAL_TRY(measure(as, &at));
    DAL_TRY(dal_eval_residual(as->ev, &(dal_residual){.Phi = Phi}, &at));
    *squares = 0.0;
    for (int i = 0; i < as->nc; ++i) {
        const double gap = Phi[i] * as->scales.per_reach[i];
        *squares += gap * gap;
    }
    as->largest = dal_max_abs(Phi, as->nc);
    *good = dal_scales_gap(&as->scales, Phi) <= as->tol;
    return DAL_OK;
}

static dal_status step(void *self, int fresh)
{
    assembly *as = self;
    (void)fresh;
    DAL_TRY(factor(as, as->t, as->place));
    solve(as);
    return DAL_OK;
}

static dal_status take(void *self)
{
    const assembly *as = self;
    dal_copy(as->place, as->q, as->ev->nq);
    return DAL_OK;
}

static dal_status cannot_close(assembly *as, double t, double tol, int iterations)
{
    const double *Phi = as->x + as->nv;
    int worst[4], n = 0;
    // the rows that stay open most
    for (; n < 4; ++n) {
        int best = -1;
        for (int i = 0; i < as->nc; ++i) {
            int taken = 0;
            for (int k = 0; k < n; ++k) {
                taken |= worst[k] == i;
            }
            const double *per = as->scales.per_reach, gap = fabs(Phi[i]) * per[i];
            if (!taken && gap > tol && (best < 0 || gap > fabs(Phi[best]) * per[best])) {
                best = i;
            }
        }
        if (best < 0) {
            break;
        }
        worst[n] = best;
    }
    char list[400];
    size_t used = 0;
    list[0] = '\0';
    for (int k = 0; k < n && used < sizeof list - 120; ++k) {
        char name[80];
        dal_eval_row_name(as->ev, name, sizeof name, worst[k]);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s by %.3g", k ? ", " : "", name, Phi[worst[k]]);
    }
    return dal_fail(
        as->ctx, DAL_NOCONV,
        "the mechanism cannot be closed at t = %.9g (%d iterations): open are %s. The joints contradict each "
        "other, the bodies held prevent it, or the guess is too far off",
        t, iterations, list);
}

static dal_status iterate(assembly *as, double t, double *q, double tol, dal_assembly_report *rep)
{
    // past tol as long as that is cheap
    const dal_descent method = {
        .self = as, .look = look, .step = step, .move = take, .most = 200, .halvings = 11, .more = 2, .slow = INFINITY};
    double squares;
    int found;
    as->t = t;
    as->place = q;
    DAL_TRY(look(as, &squares, &found, 0.0));
    as->tol = fmax(tol, dal_scales_rounding(&as->scales, q));
    rep->before = as->largest;
    const dal_status st = dal_descend(&method, &found, &rep->iterations);
    rep->after = as->largest;
    return st != DAL_OK || found ? st : cannot_close(as, t, as->tol, rep->iterations);
}

dal_status dal_assemble(dal_ctx *ctx, const dal_system *sys, double *q, dal_assembly_report *report, double t,
                        const int *held, int nheld, double tol)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, q);
    if (nheld > 0) {
        DAL_NEED(ctx, held);
    }
    DAL_TRY(dal_system_validate(ctx, sys));
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", t, q, NULL));
    return dal_assemble_with(ctx, sys, NULL, q, report, t, held, nheld, tol);
}

dal_status dal_assemble_with(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *q,
                             dal_assembly_report *report, double t, const int *held, int nheld, double tol)
{
    dal_assembly_report rep = {0};
    assembly as = {.ctx = ctx};
    dal_status st = set_up(&as, sys, data, held, nheld);
    if (st == DAL_OK && as.ev->nh > 0) {
        double *start = dal_alloc(ctx, (size_t)as.ev->nq * sizeof *start);
        if (start) {
            dal_copy(start, q, as.ev->nq);
            st = iterate(&as, t, q, tol, &rep);
            rep.moved = dal_distance(as.ev->G, start, q);
        } else {
            st = dal_fail(ctx, DAL_ENOMEM, "assembly");
        }
        dal_free(ctx, start);
    }
    tear_down(&as);
    if (report) {
        *report = rep;
    }
    return st;
}

/* ---- velocities ------------------------------------------------------------------------------- */

/* B v + Phi_t into the second part of x; the largest, in the scales of the rows. */
static dal_status velocity_residual(assembly *as, double t, const double *q, double *norm)
{
    const dal_point at = {t, q, as->v, as->zero, as->zero};
    DAL_TRY(measure(as, &at));
    DAL_TRY(dal_eval_residual(as->ev, &(dal_residual){.vel = as->x + as->nv}, &at));
    *norm = dal_scales_gap(&as->scales, as->x + as->nv);
    return DAL_OK;
}

static dal_status complete(assembly *as, double t, const double *q, double *v, int *kept, const int *given)
{
    double norm;
    int ngiven = 0;
    as->matrix.m = 1.0;
    as->share = epsilon;
    dal_copy(as->v, v, as->nv);
    for (int i = 0; i < as->nv; ++i) {
        as->held[i] = given ? given[i] != 0 : v[i] != 0.0;
        ngiven += as->held[i];
    }
    DAL_TRY(velocity_residual(as, t, q, &norm));
    const double tol = DAL_VELOCITY_TOL * fmax(norm, dal_scales_displacement(&as->scales, v));
    if (ngiven == 0 || ngiven == as->nv || norm <= tol) {
        return DAL_OK;
    }
    // (AS.2); each repetition divides what the regularisation leaves by 1/delta
    as->matrix.holonomic_only = 0; // nonholonomic rows take part
    DAL_TRY(factor(as, t, q));
    for (int k = 0; k < 4 && norm > 1e-3 * tol; ++k) {
        solve(as);
        for (int i = 0; i < as->nv; ++i) {
            as->v[i] += as->held[i] ? 0.0 : as->x[i];
        }
        DAL_TRY(velocity_residual(as, t, q, &norm));
    }
    *kept = norm <= tol ? ngiven : -ngiven;
    if (norm <= tol) {
        dal_copy(v, as->v, as->nv);
    }
    return DAL_OK;
}

dal_status dal_complete_velocities(dal_ctx *ctx, const dal_system *sys, double *v, int *kept, double t, const double *q,
                                   const int *given)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, q);
    DAL_NEED(ctx, v);
    DAL_TRY(dal_system_validate(ctx, sys));
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", t, q, NULL));
    DAL_TRY(dal_complete_velocities_with(ctx, sys, NULL, v, kept, t, q, given));
    if (kept && *kept < 0) {
        *kept = 0;
    }
    return DAL_OK;
}

dal_status dal_complete_velocities_with(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *v, int *kept,
                                        double t, const double *q, const int *given)
{
    assembly as = {.ctx = ctx};
    int own = 0;
    dal_status st = set_up(&as, sys, data, NULL, 0);
    if (st == DAL_OK && as.nc > 0) {
        st = complete(&as, t, q, v, &own, given);
    }
    tear_down(&as);
    if (kept) {
        *kept = own;
    }
    return st;
}
