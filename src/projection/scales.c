/* Scales of the equations of a system at a point: what makes residuals of forces and of constraints comparable with
 * displacements, whatever the units (docs/theory/scales.md). */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "linearize/layout.h"
#include "projection/scales.h"
#include "system/sink.h"

void dal_scales_carve(dal_scales *sc, dal_arena *arena, dal_eval *ev)
{
    sc->ev = ev;
    sc->inertia = dal_arena_reals(arena, ev->nv);
    sc->reach = dal_arena_reals(arena, ev->nc);
    sc->per_reach = dal_arena_reals(arena, ev->nc);
}

typedef struct measuring_sink {
    dal_sink base;
    dal_scales *sc;
} measuring_sink;

/* to[i] := max(to[i], |X_ij| unit_j), X ni x nj */
static void measure_rows(double *to, const double *X, const double *unit, int ni, int nj)
{
    for (int j = 0; j < nj; ++j) {
        for (int i = 0; i < ni; ++i) {
            to[i] = fmax(to[i], fabs(X[i + j * ni]) * unit[j]);
        }
    }
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    const dal_scales *sc = ((measuring_sink *)sink)->sc;
    const dal_block_at at = dal_pair_at(sc->ev, pair);
    (void)C, (void)K;
    if (M) {
        measure_rows(sc->inertia + at.i, M, sc->ev->unit + at.j, at.ni, at.nj);
    }
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_scales *sc = ((measuring_sink *)sink)->sc;
    const dal_block_at at = dal_link_at(sc->ev, link);
    (void)Z;
    if (B) {
        measure_rows(sc->reach + at.i, B, sc->ev->unit + at.j, at.ni, at.nj);
    }
}

/* A body counts as a whole: rounding of forces at its levers shows in the rows of the smallest inertia, too. What has none is
 * measured by what has most, rows without entries by one. (SX.2) */
static void complete(dal_scales *sc)
{
    const dal_group *G = sc->ev->G;
    const double *unit = sc->ev->unit;
    const double most = dal_max_product(sc->inertia, unit, sc->ev->nv);
    sc->work = most > 0.0 && isfinite(most) ? most : 1.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const int v = G->factor[f].v, n = G->factor[f].nv;
        const double whole = dal_max_product(sc->inertia + v, unit + v, n);
        for (int i = v; i < v + n; ++i) {
            sc->inertia[i] = (whole > 0.0 && isfinite(whole) ? whole : sc->work) / unit[i];
        }
    }
    for (int i = 0; i < sc->ev->nc; ++i) {
        sc->reach[i] = sc->reach[i] > 0.0 && isfinite(sc->reach[i]) ? sc->reach[i] : 1.0;
        sc->per_reach[i] = 1.0 / sc->reach[i];
    }
}

/* Do masses and rows differ by so much that pivots and their errors depend on units? */
int dal_scales_uneven(const dal_scales *sc)
{
    static const double most = 1e7;
    double low = INFINITY, high = 0.0, unit[2] = {INFINITY, 0.0};
    for (int i = 0; i < sc->ev->nv; ++i) {
        const double m = sc->inertia[i] * sc->ev->per_unit[i];
        low = fmin(low, m);
        high = fmax(high, m);
        unit[0] = fmin(unit[0], sc->ev->unit[i]);
        unit[1] = fmax(unit[1], sc->ev->unit[i]);
    }
    for (int i = 0; i < sc->ev->nc; ++i) {
        low = fmin(low, sc->reach[i] / unit[1]);
        high = fmax(high, sc->reach[i] / unit[0]);
    }
    return high > most * low;
}

int dal_scales_sound(const dal_scales *sc)
{
    int good = sc->work >= 0.0 && sc->ev->length > 0.0;
    for (int i = 0; i < sc->ev->nv; ++i) {
        good &= sc->ev->unit[i] > 0.0 && sc->ev->per_unit[i] > 0.0 && (sc->work == 0.0 || sc->inertia[i] > 0.0);
    }
    for (int i = 0; i < sc->ev->nc && sc->work > 0.0; ++i) {
        good &= sc->reach[i] > 0.0 && sc->per_reach[i] > 0.0;
    }
    return good;
}

dal_status dal_scales_measure(dal_scales *sc, const dal_point *at)
{
    if (sc->work > 0.0) {
        return DAL_OK;
    }
    measuring_sink sink = {dal_sink_ignoring(DAL_WANT_M | (sc->ev->nc > 0 ? (unsigned)DAL_WANT_B : 0U)), sc};
    dal_eval_units(sc->ev);
    sink.base.pair = push_pair;
    sink.base.link = push_link;
    dal_zero(sc->inertia, sc->ev->nv);
    dal_zero(sc->reach, sc->ev->nc);
    DAL_TRY(dal_eval_tangent(sc->ev, &sink.base, at));
    complete(sc);
    return DAL_OK;
}

double dal_scales_gap(const dal_scales *sc, const double *x)
{
    return dal_max_product(x, sc->per_reach, sc->ev->nc);
}

double dal_scales_displacement(const dal_scales *sc, const double *x)
{
    return dal_max_product(x, sc->ev->per_unit, sc->ev->nv);
}

double dal_scales_rounding(const dal_scales *sc, const double *q)
{
    return 4.0 * DBL_EPSILON * fmax(1.0, dal_max_abs(q, sc->ev->nq) / sc->ev->length);
}

double dal_largest_turn(const dal_group *G, const double *d)
{
    double most = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const dal_factor_kind kind = F->type->kind;
        const int first = kind == DAL_FACTOR_SO3                              ? 0
                          : kind == DAL_FACTOR_SE2 || kind == DAL_FACTOR_R2S1 ? 2
                          : kind == DAL_FACTOR_RN                             ? F->nv
                                                                              : 3;
        for (int i = first; i < F->nv; ++i) {
            most = fmax(most, fabs(d[F->v + i]));
        }
    }
    return most;
}
