/* Scales of the equations of a system at a point: what makes residuals of forces and of constraints comparable with
 * displacements, whatever the units (docs/theory/scales.md). */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "linsol/balance.h"
#include "projection/saddle.h"
#include "system/sink.h"

typedef struct measuring_sink {
    dal_sink base;
    dal_saddle *s;
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
    const dal_saddle *s = ((measuring_sink *)sink)->s;
    const dal_block_at at = dal_pair_at(s->ev, pair);
    (void)C, (void)K;
    if (M) {
        measure_rows(s->inertia + at.i, M, s->ev->unit + at.j, at.ni, at.nj);
    }
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_saddle *s = ((measuring_sink *)sink)->s;
    const dal_block_at at = dal_link_at(s->ev, link);
    (void)Z;
    if (B) {
        measure_rows(s->reach + at.i, B, s->ev->unit + at.j, at.ni, at.nj);
    }
}

/* A body counts as a whole: rounding of forces at its levers shows in the rows of the smallest inertia, too. What has none is
 * measured by what has most, rows without entries by one. (SX.2) */
static void complete(dal_saddle *s)
{
    const dal_group *G = s->ev->G;
    const double *unit = s->ev->unit;
    const double most = dal_max_product(s->inertia, unit, s->nv);
    s->work = most > 0.0 && isfinite(most) ? most : 1.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const int v = G->factor[f].v, n = G->factor[f].nv;
        const double whole = dal_max_product(s->inertia + v, unit + v, n);
        for (int i = v; i < v + n; ++i) {
            s->inertia[i] = (whole > 0.0 && isfinite(whole) ? whole : s->work) / unit[i];
        }
    }
    for (int i = 0; i < s->nc; ++i) {
        s->reach[i] = s->reach[i] > 0.0 && isfinite(s->reach[i]) ? s->reach[i] : 1.0;
        s->per_reach[i] = 1.0 / s->reach[i];
    }
}

/* Do masses and rows differ by so much that pivots and their errors depend on units? */
int dal_saddle_uneven(const dal_saddle *s)
{
    static const double most = 1e7;
    double low = INFINITY, high = 0.0, unit[2] = {INFINITY, 0.0};
    for (int i = 0; i < s->nv; ++i) {
        const double m = s->inertia[i] * s->ev->per_unit[i];
        low = fmin(low, m);
        high = fmax(high, m);
        unit[0] = fmin(unit[0], s->ev->unit[i]);
        unit[1] = fmax(unit[1], s->ev->unit[i]);
    }
    for (int i = 0; i < s->nc; ++i) {
        low = fmin(low, s->reach[i] / unit[1]);
        high = fmax(high, s->reach[i] / unit[0]);
    }
    return high > most * low;
}

/* M to unit masses, B to unit rows. */
void dal_saddle_balance(dal_saddle *s)
{
    for (int i = 0; i < s->nv; ++i) {
        s->balance[i] = sqrt(s->ev->unit[i] / s->inertia[i]);
    }
    for (int i = 0; i < s->nc; ++i) {
        s->balance[s->nv + i] = sqrt(s->work) / s->reach[i];
    }
    dal_linsol_balance(s->ls, s->work > 0.0 && dal_saddle_uneven(s) ? s->balance : NULL);
}

int dal_saddle_sound(const dal_saddle *s)
{
    int good = s->work >= 0.0 && s->ev->length > 0.0;
    for (int i = 0; i < s->nv; ++i) {
        good &= s->ev->unit[i] > 0.0 && s->ev->per_unit[i] > 0.0 && (s->work == 0.0 || s->inertia[i] > 0.0);
    }
    for (int i = 0; i < s->nc && s->work > 0.0; ++i) {
        good &= s->reach[i] > 0.0 && s->per_reach[i] > 0.0;
    }
    return good;
}

dal_status dal_saddle_measure(dal_saddle *s, const dal_point *at)
{
    if (s->work > 0.0) {
        return DAL_OK;
    }
    measuring_sink sink = {dal_sink_ignoring(DAL_WANT_M | (s->nc > 0 ? (unsigned)DAL_WANT_B : 0U)), s};
    dal_eval_units(s->ev);
    sink.base.pair = push_pair;
    sink.base.link = push_link;
    dal_zero(s->inertia, s->nv);
    dal_zero(s->reach, s->nc);
    DAL_TRY(dal_eval_tangent(s->ev, &sink.base, at));
    complete(s);
    dal_saddle_balance(s);
    return DAL_OK;
}

double dal_saddle_gap(const dal_saddle *s, const double *x)
{
    return dal_max_product(x, s->per_reach, s->nc);
}

double dal_saddle_displacement(const dal_saddle *s, const double *x)
{
    return dal_max_product(x, s->ev->per_unit, s->nv);
}

double dal_saddle_rounding(const dal_saddle *s, const double *q)
{
    return 4.0 * DBL_EPSILON * fmax(1.0, dal_max_abs(q, s->ev->nq) / s->ev->length);
}
