#include "linearize/layout.h"

dal_status dal_layout_factors(dal_pattern *pattern, const dal_eval *ev, int v0)
{
    for (int f = 0; f < ev->G->nfactors; ++f) {
        DAL_TRY(dal_pattern_node(pattern, v0 + ev->G->factor[f].v, ev->G->factor[f].nv, f, 0));
    }
    return DAL_OK;
}

dal_status dal_layout_nodes(dal_pattern *pattern, const dal_eval *ev, int v0, int c0)
{
    DAL_TRY(dal_layout_factors(pattern, ev, v0));
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        DAL_TRY(dal_pattern_node(pattern, c0 + ev->row0[c], ev->sys->constraint[c].nrows, ev->G->nfactors + c, 1));
    }
    return DAL_OK;
}

dal_status dal_layout_pairs(dal_pattern *pattern, const dal_eval *ev, int i0, int j0)
{
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(ev, p);
        DAL_TRY(dal_pattern_block(pattern, i0 + b.i, j0 + b.j, b.ni, b.nj));
    }
    return DAL_OK;
}

dal_status dal_layout_links(dal_pattern *pattern, const dal_eval *ev, int c0, int v0)
{
    for (int l = 0; l < ev->sys->nlinks; ++l) {
        const dal_block_at b = dal_link_at(ev, l);
        DAL_TRY(dal_pattern_block(pattern, c0 + b.i, v0 + b.j, b.ni, b.nj));
        DAL_TRY(dal_pattern_block(pattern, v0 + b.j, c0 + b.i, b.nj, b.ni));
    }
    return DAL_OK;
}

dal_status dal_layout_couples(dal_pattern *pattern, const dal_eval *ev, int c0)
{
    for (int k = 0; k < ev->sys->ncouples; ++k) {
        const dal_block_at b = dal_couple_at(ev, k);
        DAL_TRY(dal_pattern_block(pattern, c0 + b.i, c0 + b.j, b.ni, b.nj));
    }
    return DAL_OK;
}

dal_status dal_layout_diagonal(dal_pattern *pattern, int first, int n)
{
    for (int i = first; i < first + n; ++i) {
        DAL_TRY(dal_pattern_block(pattern, i, i, 1, 1));
    }
    return DAL_OK;
}

dal_status dal_layout_solver(dal_linsol **ls, dal_ctx *ctx, int n, dal_linsol_kind kind,
                             dal_status (*announce)(dal_pattern *pattern, const void *self), const void *self)
{
    dal_pattern *pattern;
    *ls = NULL;
    DAL_TRY(dal_pattern_create(&pattern, ctx, n));
    dal_status st = announce(pattern, self);
    if (st == DAL_OK) {
        st = dal_linsol_create(ls, ctx, pattern, kind);
    }
    dal_pattern_destroy(pattern);
    return st;
}
