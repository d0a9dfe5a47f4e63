#include "projection/rows.h"

#include "base/vector.h"
#include "system/sink.h"

static void take_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const dal_rows *rows = (dal_rows *)sink;
    const dal_link l = rows->ev->sys->link[link];
    const int nr = rows->ev->sys->constraint[l.c].nrows, nj = rows->ev->G->factor[l.j].nv;
    (void)Z;
    for (int r = 0; B && r < nr; ++r) {
        double *x = rows->x + rows->rowptr[rows->ev->row0[l.c] + r] + rows->start[link];
        for (int j = 0; j < nj; ++j) {
            x[j] += B[r + j * nr];
        }
    }
}

static void carve(dal_rows *rows, dal_arena *arena)
{
    const dal_system *sys = rows->ev->sys;
    int nnz = 0;
    for (int l = 0; l < sys->nlinks; ++l) {
        nnz += sys->constraint[sys->link[l].c].nrows * rows->ev->G->factor[sys->link[l].j].nv;
    }
    rows->rowptr = dal_arena_ints(arena, rows->ev->nc + 1);
    rows->col = dal_arena_ints(arena, nnz);
    rows->x = dal_arena_reals(arena, nnz);
    rows->start = dal_arena_ints(arena, sys->nlinks);
}

/* Row lengths from the links, then the columns. */
static void set_pattern(dal_rows *rows)
{
    const dal_eval *ev = rows->ev;
    const dal_system *sys = ev->sys;
    for (int l = 0; l < sys->nlinks; ++l) {
        const int c = sys->link[l].c, nj = ev->G->factor[sys->link[l].j].nv;
        rows->start[l] = rows->rowptr[ev->row0[c] + 1];
        for (int r = ev->row0[c]; r < ev->row0[c + 1]; ++r) {
            rows->rowptr[r + 1] += nj;
        }
    }
    for (int r = 0; r < ev->nc; ++r) {
        rows->rowptr[r + 1] += rows->rowptr[r];
    }
    for (int l = 0; l < sys->nlinks; ++l) {
        const dal_factor *fj = &ev->G->factor[sys->link[l].j];
        for (int r = ev->row0[sys->link[l].c]; r < ev->row0[sys->link[l].c + 1]; ++r) {
            for (int j = 0; j < fj->nv; ++j) {
                rows->col[rows->rowptr[r] + rows->start[l] + j] = fj->v + j;
            }
        }
    }
}

dal_status dal_rows_init(dal_rows *rows, dal_ctx *ctx, dal_eval *ev)
{
    *rows = (dal_rows){.sink = dal_sink_ignoring(DAL_WANT_B), .ev = ev, .arena = dal_arena_new(ctx)};
    rows->sink.link = take_link;
    carve(rows, &rows->arena);
    DAL_TRY(dal_arena_reserve(&rows->arena));
    carve(rows, &rows->arena);
    set_pattern(rows);
    return DAL_OK;
}

void dal_rows_release(dal_rows *rows)
{
    dal_arena_release(&rows->arena);
}

dal_status dal_rows_fill(dal_rows *rows, const dal_point *at)
{
    dal_zero(rows->x, rows->rowptr[rows->ev->nc]);
    return dal_eval_tangent(rows->ev, &rows->sink, at);
}
