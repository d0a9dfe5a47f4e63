/* The saddle system, and the search for the cause when it is singular. */
#include "projection/saddle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "linearize/linearization.h"
#include "linsol/balance.h"
#include "linsol/many.h"
#include "system/sink.h"

/* Up to so many unknowns the small dense solver takes no longer than one that eliminates nodes, and needs no refining. */
enum { SMALL = 12 };

static dal_status make_solver(dal_saddle *s, dal_linsol_kind kind)
{
    if (kind == DAL_LINSOL_AUTO && s->nv + s->nc <= SMALL) {
        kind = DAL_LINSOL_SMALL;
    }
    const unsigned metric = s->unit ? DAL_BORDERED_DIAGONAL : DAL_BORDERED_PAIRS;
    DAL_TRY(dal_bordered_init(&s->matrix, s->ctx, s->ev, metric | DAL_BORDERED_LINKS, kind));
    s->matrix.diagonal[0] = 1.0;
    s->ls = s->matrix.ls;
    return s->unit ? DAL_OK : dal_schur_create(&s->schur, s->ctx, s->ev);
}

static void carve(dal_saddle *s, dal_arena *arena)
{
    s->x = dal_arena_reals(arena, s->nv + s->nc);
    s->zero = dal_arena_reals(arena, s->nv > s->nc ? s->nv : s->nc);
    s->q0 = dal_arena_reals(arena, s->ev->nq);
    s->q1 = dal_arena_reals(arena, s->ev->nq);
    s->v1 = dal_arena_reals(arena, s->nv);
    s->theta = dal_arena_reals(arena, s->nv);
    s->vd1 = dal_arena_reals(arena, s->nv);
    s->la1 = dal_arena_reals(arena, s->nc);
    s->la2 = dal_arena_reals(arena, s->nc);
    s->kept_q = dal_arena_reals(arena, s->ev->nq);
    dal_scales_carve(&s->scales, arena, s->ev);
    s->balance = dal_arena_reals(arena, s->nv + s->nc);
}

static dal_status create(dal_saddle **out, dal_ctx *ctx, dal_eval *ev, dal_linsol_kind kind, int unit)
{
    *out = NULL;
    dal_saddle *s = dal_alloc_zero(ctx, sizeof *s);
    if (!s) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the saddle system");
    }
    s->ctx = ctx;
    s->ev = ev;
    s->unit = unit;
    s->nv = ev->nv;
    s->nc = ev->nc;
    s->arena = dal_arena_init(ctx);
    carve(s, &s->arena);
    dal_status st = dal_arena_reserve(&s->arena);
    if (st == DAL_OK) {
        carve(s, &s->arena);
        st = make_solver(s, kind);
    }
    if (st != DAL_OK) {
        dal_saddle_destroy(s);
        return st;
    }
    *out = s;
    return DAL_OK;
}

dal_status dal_saddle_create(dal_saddle **out, dal_ctx *ctx, dal_eval *ev, dal_linsol_kind kind)
{
    return create(out, ctx, ev, kind, 0);
}

dal_status dal_saddle_create_unit(dal_saddle **out, dal_ctx *ctx, dal_eval *ev)
{
    return create(out, ctx, ev, DAL_LINSOL_AUTO, 1);
}

void dal_saddle_destroy(dal_saddle *s)
{
    if (s) {
        dal_schur_destroy(s->schur);
        dal_bordered_release(&s->matrix);
        dal_arena_release(&s->arena);
        dal_free(s->ctx, s);
    }
}

/* ---- why singular? ---------------------------------------------------------------------------- */

/* " (near NAME)": velocity or row at which the elimination broke down, nothing if that is not known. */
static void name_of_equation(const dal_saddle *s, char *text, size_t size, int row)
{
    char name[96];
    text[0] = '\0';
    if (row >= 0 && row < s->nv) {
        dal_eval_velocity_name(s->ev, name, sizeof name, row);
    } else if (row >= s->nv) {
        dal_eval_row_name(s->ev, name, sizeof name, row - s->nv);
    }
    if (row >= 0) {
        snprintf(text, size, " (near %s)", name);
    }
}

/* Either rows of B depend on each other, or M is not positive definite on ker B. */
static dal_status explain_with(dal_saddle *s, dal_linearization *lin, const dal_point *at, int *dependent)
{
    char names[512];
    const int nheld = s->nc - s->ev->nlaws;
    int rank = nheld;
    const int row = dal_linsol_singular_row(s->ls);
    // rows and masses in singular coordinates are singular themselves
    if (dal_eval_coordinates_fail(s->ev, names, sizeof names, at->q, 1e-4)) {
        return dal_fail(s->ctx, DAL_EREDUNDANT, "%s", names);
    }
    DAL_TRY(dal_linearize_at(lin, at));
    if (nheld > 0) {
        const dal_sparse *rows = dal_linearize_matrix(lin, DAL_WANT_BT);
        DAL_TRY(dal_rank_rows(s->ctx, &rank, dependent, nheld, s->nv, rows->colptr, rows->row, rows->x, 0.0));
    }
    if (rank < nheld) {
        dal_eval_row_names(s->ev, names, sizeof names, dependent, nheld - rank);
        const char *advice = s->instead   ? s->instead
                             : s->reduced ? "They did not at the start: here the mechanism locks or branches"
                                          : "Remove them, or set redundant = drop or least_norm";
        return dal_fail(s->ctx, DAL_EREDUNDANT, "%d of %d constraint rows depend on the others (B has rank %d): %s. %s",
                        nheld - rank, nheld, rank, names, advice);
    }
    name_of_equation(s, names, sizeof names, row);
    return dal_fail(s->ctx, DAL_EREDUNDANT,
                    "the mass matrix is not positive definite on the motions that the constraints allow%s: give it "
                    "mass or inertia, or constrain it; a joint "
                    "may have that of a rotor (a force of type armature); a flexible body with stiffening must deform "
                    "less or have fewer modes",
                    names);
}

dal_status dal_saddle_explain(dal_saddle *s, const dal_point *at)
{
    dal_linearization *lin;
    dal_status st = dal_linearize_create_with(&lin, s->ctx, s->ev, DAL_WANT_BT);
    int *dependent = dal_alloc(s->ctx, (size_t)s->nc * sizeof(int));
    if (st == DAL_OK) {
        st = dependent ? explain_with(s, lin, at, dependent)
                       : dal_fail(s->ctx, DAL_ENOMEM, "the saddle matrix is singular; no memory to find out why");
    }
    dal_free(s->ctx, dependent);
    dal_linearize_destroy(lin);
    return st;
}

/* u^T M u and the same of absolute values: what is left of the first beside the second may be rounding. */
typedef struct inertia_sink {
    dal_sink base;
    const dal_eval *ev;
    const double *u;
    double sum, absolute;
} inertia_sink;

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    inertia_sink *to = (inertia_sink *)sink;
    const dal_block_at at = dal_pair_at(to->ev, pair);
    (void)C, (void)K;
    for (int j = 0; M && j < at.nj; ++j) {
        for (int i = 0; i < at.ni; ++i) {
            const double part = to->u[at.i + i] * M[i + j * at.ni] * to->u[at.j + j];
            to->sum += part;
            to->absolute += fabs(part);
        }
    }
}

/* x := the solution of M x + B^T y = D x, B x = 0 with D of the scales, of size one. growth: by how much it was larger. */
static void towards_least_inertia(dal_saddle *s, double *growth)
{
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] *= s->scales.inertia[i] * s->ev->per_unit[i];
    }
    dal_zero(s->x + s->nv, s->nc);
    dal_saddle_solve_roughly(s);
    *growth = dal_scales_displacement(&s->scales, s->x);
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] /= *growth;
    }
}

dal_status dal_saddle_inertia(dal_saddle *s, const dal_point *at)
{
    static const double rounding = 1e-14, much = 1e10;
    double growth = 0.0;
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] = s->ev->unit[i] * (0.5 + fmod(0.618 * i, 1.0));
    }
    for (int k = 0; k < 3; ++k) {
        towards_least_inertia(s, &growth);
        if (!(growth > much && isfinite(growth))) {
            return DAL_OK;
        }
    }
    inertia_sink sink = {.base = dal_sink_ignoring(DAL_WANT_M), .ev = s->ev, .u = s->x};
    sink.base.pair = push_pair;
    DAL_TRY(dal_eval_tangent(s->ev, &sink.base, at));
    if (!(fabs(sink.sum) <= rounding * sink.absolute)) {
        return DAL_OK;
    }
    char names[400];
    dal_eval_direction_name(s->ev, names, sizeof names, s->x);
    return dal_fail(
        s->ctx, DAL_EREDUNDANT,
        "the constraints allow a motion without inertia (what there is of it is rounding): %s. Give these bodies "
        "inertia against it, or a joint between them that of a rotor (a force of type armature), or lock it",
        names);
}

void dal_saddle_keep(dal_saddle *s, int yes, int brief)
{
    s->keeps = yes;
    s->brief = brief;
    s->kept = 0;
}

dal_status dal_saddle_assemble(dal_saddle *s, const dal_point *at, int with_force)
{
    s->kept = s->by_mass = 0;
    return dal_bordered_fill(&s->matrix, at, with_force);
}

dal_status dal_saddle_factor_assembled(dal_saddle *s, const dal_point *at)
{
    s->count++;
    const dal_status st = dal_linsol_factor(s->ls);
    return st == DAL_SINGULAR ? dal_saddle_explain(s, at) : st;
}

dal_status dal_saddle_factor_briefly(dal_saddle *s, const dal_point *at)
{
    if (s->schur == NULL) {
        DAL_TRY(dal_saddle_assemble(s, at, 0));
        return dal_saddle_factor_assembled(s, at);
    }
    s->kept = 0;
    DAL_TRY(dal_schur_factor(s->schur, &s->by_mass, at));
    if (s->by_mass) {
        s->count++;
        return DAL_OK;
    }
    if (!dal_schur_pass(s->schur, &s->matrix)) {
        DAL_TRY(dal_saddle_assemble(s, at, 0));
    }
    return dal_saddle_factor_assembled(s, at);
}

static int has_kept(const dal_saddle *s, const dal_point *at)
{
    return s->kept && s->kept_t == at->t && memcmp(s->kept_q, at->q, (size_t)s->ev->nq * sizeof *at->q) == 0;
}

dal_status dal_saddle_factor(dal_saddle *s, const dal_point *at, int with_force)
{
    const int without_force = !with_force || !s->ev->iterates;
    if (without_force && (s->held || has_kept(s, at))) {
        return DAL_OK;
    }
    if (s->brief && without_force) {
        DAL_TRY(dal_saddle_factor_briefly(s, at));
    } else {
        DAL_TRY(dal_saddle_assemble(s, at, with_force));
        DAL_TRY(dal_saddle_factor_assembled(s, at));
    }
    if (s->keeps && without_force) {
        s->kept = 1;
        s->kept_t = at->t;
        memcpy(s->kept_q, at->q, (size_t)s->ev->nq * sizeof *at->q);
    }
    return DAL_OK;
}

/* M to unit masses, B to unit rows. */
void dal_saddle_balance(dal_saddle *s)
{
    const dal_scales *sc = &s->scales;
    for (int i = 0; i < s->nv; ++i) {
        s->balance[i] = sqrt(s->ev->unit[i] / sc->inertia[i]);
    }
    for (int i = 0; i < s->nc; ++i) {
        s->balance[s->nv + i] = sqrt(sc->work) / sc->reach[i];
    }
    dal_linsol_balance(s->ls, sc->work > 0.0 && !s->unit && dal_scales_uneven(sc) ? s->balance : NULL);
}

dal_status dal_saddle_measure(dal_saddle *s, const dal_point *at)
{
    if (s->scales.work == 0.0) {
        DAL_TRY(dal_scales_measure(&s->scales, at));
        dal_saddle_balance(s);
    }
    return DAL_OK;
}

dal_status dal_saddle_constrain(dal_saddle *s, double *y, const dal_point *at, const double *w)
{
    if (s->by_mass) {
        dal_schur_constrain(s->schur, y, w);
        return DAL_OK;
    }
    // the velocity level is affine in v
    double *still = s->la2;
    DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.vel = y}, &(dal_point){at->t, at->q, w, s->zero, s->zero}));
    DAL_TRY(
        dal_eval_residual(s->ev, &(dal_residual){.vel = still}, &(dal_point){at->t, at->q, s->zero, s->zero, s->zero}));
    for (int i = 0; i < s->nc; ++i) {
        y[i] -= still[i];
    }
    return DAL_OK;
}

void dal_saddle_solve(dal_saddle *s)
{
    if (s->by_mass) {
        dal_schur_solve(s->schur, s->x, 1);
    } else {
        dal_linsol_solve_refined(s->ls, s->x);
    }
}

void dal_saddle_solve_many(dal_saddle *s, double *b, int count)
{
    for (int c = 0; s->by_mass && c < count; ++c) {
        dal_schur_solve(s->schur, b + c * (s->nv + s->nc), 0);
    }
    if (!s->by_mass) {
        dal_linsol_solve_many(s->ls, b, count);
    }
}

void dal_saddle_solve_roughly(dal_saddle *s)
{
    if (s->by_mass) {
        dal_schur_solve(s->schur, s->x, 0);
    } else {
        dal_linsol_solve(s->ls, s->x);
    }
}

void dal_saddle_correct(dal_saddle *s, int first, int roughly)
{
    dal_zero(s->x, first);
    for (int i = first; i < s->nv + s->nc; ++i) {
        s->x[i] = -s->x[i];
    }
    (roughly ? dal_saddle_solve_roughly : dal_saddle_solve)(s);
}
