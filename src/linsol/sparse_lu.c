#include "linsol/sparse_lu_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void dal_sparse_lu_carve(sparse_lu *f, dal_arena *arena, int nrows, int ncols)
{
    int **of_rows[] = {&f->place, &f->reached, &f->rest, &f->path, &f->next, &f->mark};
    f->ctx = arena->ctx;
    f->nrows = nrows;
    f->ncols = ncols;
    for (size_t k = 0; k < sizeof of_rows / sizeof of_rows[0]; ++k) {
        *of_rows[k] = dal_arena_ints(arena, nrows);
    }
    f->w = dal_arena_reals(arena, nrows);
    f->row = dal_arena_ints(arena, ncols);
    f->pivot = dal_arena_reals(arena, ncols);
    f->L.p = dal_arena_ints(arena, ncols + 1);
    f->U.p = dal_arena_ints(arena, ncols + 1);
}

static void release_triangle(sparse_triangle *t, dal_ctx *ctx)
{
    dal_free(ctx, t->i);
    dal_free(ctx, t->x);
    t->i = NULL;
    t->x = NULL;
    t->capacity = 0;
}

void dal_sparse_lu_release(sparse_lu *f)
{
    release_triangle(&f->L, f->ctx);
    release_triangle(&f->U, f->ctx);
}

void dal_sparse_lu_begin(sparse_lu *f)
{
    f->rank = 0;
    f->stamp = 0;
    for (int r = 0; r < f->nrows; ++r) {
        f->place[r] = -1;
        f->mark[r] = 0;
    }
}

/* Room for `more` entries behind the first n. */
static dal_status grow(sparse_triangle *t, dal_ctx *ctx, int n, int more)
{
    if (more <= t->capacity - n) {
        return DAL_OK;
    }
    sparse_triangle larger = {.p = t->p};
    if (n <= INT_MAX / 2 - more) {
        larger.capacity = 2 * (n + more);
        larger.i = dal_alloc(ctx, (size_t)larger.capacity * sizeof(int));
        larger.x = dal_alloc(ctx, (size_t)larger.capacity * sizeof(double));
    }
    if (larger.i == NULL || larger.x == NULL) {
        release_triangle(&larger, ctx);
        return dal_fail(ctx, DAL_ENOMEM, "no memory for sparse factors with more than %d entries", n);
    }
    if (n > 0) {
        memcpy(larger.i, t->i, (size_t)n * sizeof(int));
        memcpy(larger.x, t->x, (size_t)n * sizeof(double));
    }
    release_triangle(t, ctx);
    *t = larger;
    return DAL_OK;
}

/* ---- pattern of a column ---------------------------------------------------------------------- */

/* Row r is reached for the first time: where it leads to begins at place `depth` of the path, unless it has no pivot. Returns the
 * depth of the path. */
static int enter(sparse_lu *f, int depth, int r)
{
    f->mark[r] = f->stamp;
    if (f->place[r] < 0) {
        f->rest[f->nrest++] = r;
        return depth;
    }
    f->path[depth] = f->place[r];
    f->next[depth] = f->L.p[f->place[r]];
    return depth + 1;
}

/* Depth first: a pivot is left, and noted in front of those noted so far, when all that it leads to has been. */
static void reach(sparse_lu *f, int start)
{
    const int *li = f->L.i, *mark = f->mark;
    int depth = mark[start] == f->stamp ? 0 : enter(f, 0, start);
    while (depth > 0) {
        const int j = f->path[depth - 1], end = f->L.p[j + 1];
        int l = f->next[depth - 1];
        while (l < end && mark[li[l]] == f->stamp) {
            ++l;
        }
        f->next[depth - 1] = l;
        if (l < end) {
            depth = enter(f, depth, li[l]);
        } else {
            f->reached[--f->top] = j;
            --depth;
        }
    }
}

dal_status dal_sparse_lu_column(sparse_lu *f, int count, const int *i, const double *x, const double *scale)
{
    double *restrict w = f->w;
    f->top = f->nrows;
    f->nrest = 0;
    f->stamp++;
    for (int l = 0; l < count; ++l) {
        reach(f, i[l]);
    }
    DAL_TRY(grow(&f->L, f->ctx, f->L.p[f->rank], f->nrest));
    DAL_TRY(grow(&f->U, f->ctx, f->U.p[f->rank], f->nrows - f->top));
    for (int l = 0; l < count; ++l) {
        w[i[l]] += scale != NULL ? x[l] * scale[i[l]] : x[l];
    }
    for (int k = f->top; k < f->nrows; ++k) {
        const int j = f->reached[k], end = f->L.p[j + 1];
        const int *restrict li = f->L.i;
        const double *restrict lx = f->L.x, u = w[f->row[j]];
        for (int l = f->L.p[j]; l < end; ++l) {
            w[li[l]] -= lx[l] * u;
        }
    }
    return DAL_OK;
}

/* ---- pivots ----------------------------------------------------------------------------------- */

int dal_sparse_lu_largest(const sparse_lu *f)
{
    int row = -1;
    double max = -1.0;
    for (int k = 0; k < f->nrest; ++k) {
        const double a = fabs(f->w[f->rest[k]]);
        if (a > max) {
            max = a;
            row = f->rest[k];
        }
    }
    return row;
}

void dal_sparse_lu_leave(sparse_lu *f)
{
    for (int k = f->top; k < f->nrows; ++k) {
        f->w[f->row[f->reached[k]]] = 0.0;
    }
    for (int k = 0; k < f->nrest; ++k) {
        f->w[f->rest[k]] = 0.0;
    }
}

void dal_sparse_lu_take(sparse_lu *f, int row)
{
    const int c = f->rank++;
    int l = f->L.p[c], u = f->U.p[c];
    for (int k = f->top; k < f->nrows; ++k) {
        f->U.i[u] = f->reached[k];
        f->U.x[u++] = f->w[f->row[f->reached[k]]];
    }
    f->row[c] = row;
    f->place[row] = c;
    f->pivot[c] = f->w[row];
    for (int k = 0; k < f->nrest; ++k) {
        const int r = f->rest[k];
        if (r != row) {
            f->L.i[l] = r;
            f->L.x[l++] = f->w[r] / f->pivot[c];
        }
    }
    f->L.p[c + 1] = l;
    f->U.p[c + 1] = u;
    dal_sparse_lu_leave(f);
}

void dal_sparse_lu_finish(sparse_lu *f)
{
    for (int l = 0; l < f->L.p[f->rank]; ++l) {
        f->L.i[l] = f->place[f->L.i[l]];
    }
}
