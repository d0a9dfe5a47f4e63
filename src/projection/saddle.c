/* Assembly of the saddle matrix, and the search for the cause when it is singular. */
#include "projection/saddle.h"

#include <stdio.h>
#include <string.h>

#include "projection/rows.h"
#include "system/sink.h"

static int slot_B(const dal_saddle *s, int link)
{
    return s->ev->sys->npairs + 2 * link;
}

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_saddle *s = (dal_saddle *)sink;
    (void)C, (void)K;
    if (M) {
        const dal_pair p = s->ev->sys->pair[pair];
        const int ni = s->ev->G->factor[p.i].nv;
        dal_matrix_add(s->A, pair, M, ni, ni, s->ev->G->factor[p.j].nv);
    }
}

static void push_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    dal_saddle *s = (dal_saddle *)sink;
    (void)Z;
    if (!B) {
        return;
    }
    const dal_link l = s->ev->sys->link[link];
    const int nr = s->ev->sys->constraint[l.c].nrows, nj = s->ev->G->factor[l.j].nv;
    dal_matrix_add(s->A, slot_B(s, link), B, nr, nr, nj);
    const int *column = s->A->slot[slot_B(s, link) + 1];
    for (int r = 0; r < nr; ++r) {
        double *x = s->A->x + column[r];
        for (int i = 0; i < nj; ++i) {
            x[i] += B[r + i * nr];
        }
    }
}

static void push_force(dal_sink *sink, int link, const double *G)
{
    dal_saddle *s = (dal_saddle *)sink;
    const dal_link l = s->ev->sys->link[link];
    const int nj = s->ev->G->factor[l.j].nv;
    dal_matrix_add(s->A, slot_B(s, link) + 1, G, nj, nj, s->ev->sys->constraint[l.c].nrows);
}

/* ---- creation --------------------------------------------------------------------------------- */

static dal_status announce(dal_pattern *pattern, const dal_eval *ev)
{
    const dal_system *sys = ev->sys;
    for (int f = 0; f < ev->G->nfactors; ++f) {
        DAL_TRY(dal_pattern_node(pattern, ev->G->factor[f].v, ev->G->factor[f].nv, f, 0));
    }
    for (int c = 0; c < sys->nconstraints; ++c) {
        DAL_TRY(dal_pattern_node(pattern, ev->nv + ev->row0[c], sys->constraint[c].nrows, ev->G->nfactors + c, 1));
    }
    for (int p = 0; p < sys->npairs; ++p) {
        const dal_factor *fi = &ev->G->factor[sys->pair[p].i], *fj = &ev->G->factor[sys->pair[p].j];
        DAL_TRY(dal_pattern_block(pattern, fi->v, fj->v, fi->nv, fj->nv));
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        const int c = sys->link[l].c, nr = sys->constraint[c].nrows;
        const dal_factor *fj = &ev->G->factor[sys->link[l].j];
        DAL_TRY(dal_pattern_block(pattern, ev->nv + ev->row0[c], fj->v, nr, fj->nv));
        DAL_TRY(dal_pattern_block(pattern, fj->v, ev->nv + ev->row0[c], fj->nv, nr));
    }
    return DAL_OK;
}

/* Up to so many unknowns the small dense solver takes no longer than one that eliminates nodes, and needs no refining:
 * it skips the zeros of saddle matrices, and there are several solves with each factorisation. */
enum { SMALL = 48 };

static dal_status make_solver(dal_saddle *s, dal_linsol_kind kind)
{
    dal_pattern *pattern;
    if (kind == DAL_LINSOL_AUTO && s->nv + s->nc <= SMALL) {
        kind = DAL_LINSOL_SMALL;
    }
    DAL_TRY(dal_pattern_create(&pattern, s->ctx, s->nv + s->nc));
    dal_status st = announce(pattern, s->ev);
    if (st == DAL_OK) {
        st = dal_linsol_create(&s->ls, s->ctx, pattern, kind);
    }
    dal_pattern_destroy(pattern);
    DAL_TRY(st);
    s->A = dal_linsol_matrix(s->ls);
    return DAL_OK;
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
}

dal_status dal_saddle_create(dal_saddle **out, dal_ctx *ctx, dal_eval *ev, dal_linsol_kind kind)
{
    *out = NULL;
    dal_saddle *s = dal_alloc_zero(ctx, sizeof *s);
    if (!s) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the saddle system");
    }
    s->sink = dal_sink_ignoring(0);
    s->sink.pair = push_pair;
    s->sink.link = push_link;
    s->sink.link_force = push_force;
    s->ctx = ctx;
    s->ev = ev;
    s->nv = ev->nv;
    s->nc = ev->nc;
    s->arena = dal_arena_new(ctx);
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

void dal_saddle_destroy(dal_saddle *s)
{
    if (s) {
        dal_linsol_destroy(s->ls);
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
static dal_status explain_with(dal_saddle *s, dal_rows *rows, const dal_point *at, int *dependent)
{
    char names[512];
    int rank = s->nc;
    const int row = dal_linsol_singular_row(s->ls);
    // rows and masses in singular coordinates are singular themselves
    if (dal_eval_coordinates_fail(s->ev, at->q, 1e-4, names, sizeof names)) {
        return dal_fail(s->ctx, DAL_EREDUNDANT, "%s", names);
    }
    DAL_TRY(dal_rows_fill(rows, at));
    if (s->nc > 0) {
        DAL_TRY(dal_rank_rows(s->ctx, s->nc, s->nv, rows->rowptr, rows->col, rows->x, 0.0, &rank, dependent));
    }
    if (rank < s->nc) {
        dal_eval_row_names(s->ev, names, sizeof names, dependent, s->nc - rank);
        const char *advice = s->instead   ? s->instead
                             : s->reduced ? "They did not at the start: here the mechanism locks or branches"
                                          : "Remove them, or set redundant = drop or least_norm";
        return dal_fail(s->ctx, DAL_EREDUNDANT, "%d of %d constraint rows depend on the others (B has rank %d): %s. %s",
                        s->nc - rank, s->nc, rank, names, advice);
    }
    name_of_equation(s, names, sizeof names, row);
    return dal_fail(s->ctx, DAL_EREDUNDANT,
                    "the mass matrix is not positive definite on the motions that the constraints allow%s: give "
                    "it mass or inertia, or constrain it",
                    names);
}

static dal_status explain(dal_saddle *s, const dal_point *at)
{
    dal_rows rows;
    dal_status st = dal_rows_init(&rows, s->ctx, s->ev);
    int *dependent = dal_alloc(s->ctx, (size_t)s->nc * sizeof(int));
    if (st == DAL_OK) {
        st = dependent ? explain_with(s, &rows, at, dependent)
                       : dal_fail(s->ctx, DAL_ENOMEM, "the saddle matrix is singular; no memory to find out why");
    }
    dal_free(s->ctx, dependent);
    dal_rows_release(&rows);
    return st;
}

dal_status dal_saddle_factor(dal_saddle *s, const dal_point *at, int with_force)
{
    s->count++;
    s->sink.wants = DAL_WANT_M | DAL_WANT_B | (with_force && s->ev->sys->lambda_in_g ? (unsigned)DAL_WANT_G : 0U);
    dal_matrix_zero(s->A);
    DAL_TRY(dal_eval_tangent(s->ev, &s->sink, at));
    const dal_status st = dal_linsol_factor(s->ls);
    return st == DAL_SINGULAR ? explain(s, at) : st;
}

void dal_saddle_solve(dal_saddle *s)
{
    dal_linsol_solve_refined(s->ls, s->x);
}

void dal_saddle_solve_roughly(dal_saddle *s)
{
    dal_linsol_solve(s->ls, s->x);
}
