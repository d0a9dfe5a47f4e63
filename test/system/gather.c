#include "gather.h"

#include "support/check.h"
#include "system/eval.h"

static void put(double *A, int ld, int i0, int j0, const double *block, int ni, int nj)
{
    for (int j = 0; block && j < nj; ++j) {
        for (int i = 0; i < ni; ++i) {
            A[i0 + i + (j0 + j) * ld] += block[i + j * ni];
        }
    }
}

static void pair(dal_sink *sink, int p, const double *M, const double *C, const double *K)
{
    gather *g = (gather *)sink;
    const dal_factor *fi = &g->sys->group->factor[g->sys->pair[p].i], *fj = &g->sys->group->factor[g->sys->pair[p].j];
    put(g->M, g->nv, fi->v, fj->v, M, fi->nv, fj->nv);
    put(g->C, g->nv, fi->v, fj->v, C, fi->nv, fj->nv);
    put(g->K, g->nv, fi->v, fj->v, K, fi->nv, fj->nv);
}

static int first_row(const dal_system *sys, int c)
{
    int row = 0;
    for (int k = 0; k < c; ++k) {
        row += sys->constraint[k].nrows;
    }
    return row;
}

static void rows(gather *g, double *A, int l, const double *block)
{
    const dal_link link = g->sys->link[l];
    const dal_factor *fj = &g->sys->group->factor[link.j];
    put(A, g->nc, first_row(g->sys, link.c), fj->v, block, g->sys->constraint[link.c].nrows, fj->nv);
}

static void link_rows(dal_sink *sink, int l, const double *B, const double *Z)
{
    gather *g = (gather *)sink;
    rows(g, g->B, l, B);
    rows(g, g->Z, l, Z);
}

static void link_acc(dal_sink *sink, int l, const double *Aq, const double *Av)
{
    gather *g = (gather *)sink;
    rows(g, g->Aq, l, Aq);
    rows(g, g->Av, l, Av);
}

static void link_force(dal_sink *sink, int l, const double *G)
{
    gather *g = (gather *)sink;
    const dal_link link = g->sys->link[l];
    const dal_factor *fj = &g->sys->group->factor[link.j];
    put(g->G, g->nv, fj->v, first_row(g->sys, link.c), G, fj->nv, g->sys->constraint[link.c].nrows);
}

void gather_tangents(gather *to, dal_ctx *ctx, const dal_system *sys, const dal_point *at)
{
    dal_eval *ev;
    *to = (gather){.sys = sys, .nv = sys->group->nv, .nc = dal_system_rows(sys)};
    to->sink =
        (dal_sink){.wants = 127U, .pair = pair, .link = link_rows, .link_acc = link_acc, .link_force = link_force};
    assert_true(to->nv <= GATHER_MAX && to->nc <= GATHER_MAX);
    check_ok(ctx, dal_eval_create(&ev, ctx, sys, NULL));
    check_ok(ctx, dal_eval_tangent(ev, &to->sink, at));
    dal_eval_destroy(ev);
}
