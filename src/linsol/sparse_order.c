/* Order of the columns for a sparse LU, by minimum degree. Neighbours with one pattern, as the unknowns of a body have, are one node. */
#include "linsol/sparse_order_impl.h"

#include <string.h>

#include "linsol/order_impl.h"

/* Lists of numbers, and the runs of equal lists among them: `first` has the first list of each run. */
typedef struct lists {
    int n, nruns;
    const int *ptr, *x;
    int *run, *first; /* n; n + 1 */
} lists;

typedef struct graph {
    dal_graph g;
    lists cols, rows;
    int *rowptr, *col; /* the pattern by rows */
    int *mark;
    dal_arena arena;
} graph;

static void carve(graph *t, int nnz)
{
    const int nodes = t->rows.n + t->cols.n;
    t->rowptr = dal_arena_ints(&t->arena, t->rows.n + 1);
    t->col = dal_arena_ints(&t->arena, nnz);
    t->rows.run = dal_arena_ints(&t->arena, t->rows.n);
    t->rows.first = dal_arena_ints(&t->arena, t->rows.n + 1);
    t->cols.run = dal_arena_ints(&t->arena, t->cols.n);
    t->cols.first = dal_arena_ints(&t->arena, t->cols.n + 1);
    t->mark = dal_arena_ints(&t->arena, nodes);
    t->g.size = dal_arena_ints(&t->arena, nodes);
    t->g.level = dal_arena_ints(&t->arena, nodes);
    t->g.adj0 = dal_arena_ints(&t->arena, nodes + 1);
    t->g.adj = dal_arena_take(&t->arena, 2 * (size_t)nnz, sizeof(int));
}

static int same_list(const lists *s, int a, int b)
{
    const int n = s->ptr[a + 1] - s->ptr[a];
    return s->ptr[b + 1] - s->ptr[b] == n && memcmp(s->x + s->ptr[a], s->x + s->ptr[b], (size_t)n * sizeof(int)) == 0;
}

/* other: lists that have to be equal too, or NULL. */
static void find_runs(lists *s, const lists *other)
{
    for (int k = 0; k < s->n; ++k) {
        if (k == 0 || !same_list(s, k - 1, k) || (other != NULL && !same_list(other, k - 1, k))) {
            s->first[s->nruns++] = k;
        }
        s->run[k] = s->nruns - 1;
    }
    s->first[s->nruns] = s->n;
}

/* The pattern by rows. */
static void transpose(graph *t)
{
    const int nrows = t->rows.n, nnz = t->cols.ptr[t->cols.n];
    for (int l = 0; l < nnz; ++l) {
        t->rowptr[t->cols.x[l] + 1]++;
    }
    for (int r = 0; r < nrows; ++r) {
        t->rowptr[r + 1] += t->rowptr[r];
    }
    for (int j = t->cols.n - 1; j >= 0; --j) { // from the ends of the rows, rowptr[r + 1], to their beginnings
        for (int l = t->cols.ptr[j]; l < t->cols.ptr[j + 1]; ++l) {
            t->col[--t->rowptr[t->cols.x[l] + 1]] = j;
        }
    }
    memmove(t->rowptr, t->rowptr + 1, (size_t)nrows * sizeof *t->rowptr);
    t->rowptr[nrows] = nnz;
    t->rows.ptr = t->rowptr;
    t->rows.x = t->col;
}

static dal_status begin(graph *t, dal_ctx *ctx, int nrows, int ncols, const int *colptr, const int *row)
{
    *t = (graph){.arena = dal_arena_init(ctx), .cols = {.n = ncols, .ptr = colptr, .x = row}, .rows.n = nrows};
    carve(t, colptr[ncols]);
    DAL_TRY(dal_arena_reserve(&t->arena));
    carve(t, colptr[ncols]);
    transpose(t);
    return DAL_OK;
}

/* Append the runs of list k of s as neighbours of node j, unless it has them; their nodes are numbered from `first` on. */
static int append(graph *t, int end, int j, const lists *s, int k, const lists *runs, int first)
{
    for (int l = s->ptr[k]; l < s->ptr[k + 1]; ++l) {
        const int node = first + runs->run[s->x[l]];
        if (t->mark[node] != j + 1) {
            t->mark[node] = j + 1;
            t->g.adj[end++] = node;
        }
    }
    return end;
}

/* A node of `size` columns whose factors have `later` others. */
static void add_cost(dal_column_cost *cost, int size, double later)
{
    for (int k = 0; k < size; ++k) {
        const double n = later + k;
        cost->entries += 2.0 * n + 1.0;
        cost->operations += n + 2.0 * n * n;
    }
}

/* The columns in the order in which their nodes are eliminated. */
static void expand(const graph *t, const dal_elimination *el, int *order, dal_column_cost *cost)
{
    int n = 0;
    for (int k = 0; k < t->g.n; ++k) {
        const int node = el->order.x[k];
        double later = 0.0;
        if (node >= t->cols.nruns) {
            continue;
        }
        for (int l = el->later0.x[k]; l < el->later0.x[k + 1]; ++l) {
            later += t->g.size[el->later.x[l]];
        }
        add_cost(cost, t->g.size[node], later);
        for (int j = t->cols.first[node]; j < t->cols.first[node + 1]; ++j) {
            order[n++] = j;
        }
    }
}

static dal_status finish(graph *t, dal_ctx *ctx, int *order, dal_column_cost *cost)
{
    dal_elimination el;
    t->g.by_degree = 1;
    const dal_status st = dal_minimum_degree(&el, ctx, &t->g);
    *cost = (dal_column_cost){0};
    if (st == DAL_OK) {
        expand(t, &el, order, cost);
    }
    dal_elimination_release(&el, ctx);
    dal_arena_release(&t->arena);
    return st;
}

dal_status dal_diagonal_order(int *order, dal_column_cost *cost, dal_ctx *ctx, int n, const int *colptr, const int *row)
{
    graph t;
    int end = 0;
    DAL_TRY(begin(&t, ctx, n, n, colptr, row));
    find_runs(&t.cols, &t.rows);
    t.g.n = t.cols.nruns;
    for (int j = 0; j < t.g.n; ++j) {
        const int k = t.cols.first[j];
        t.mark[j] = j + 1;
        t.g.size[j] = t.cols.first[j + 1] - k;
        end = append(&t, end, j, &t.cols, k, &t.cols, 0);
        end = append(&t, end, j, &t.rows, k, &t.cols, 0);
        t.g.adj0[j + 1] = end;
    }
    return finish(&t, ctx, order, cost);
}

dal_status dal_column_order(int *order, dal_column_cost *cost, dal_ctx *ctx, int nrows, int ncols, const int *colptr,
                            const int *row)
{
    graph t;
    int end = 0;
    DAL_TRY(begin(&t, ctx, nrows, ncols, colptr, row));
    find_runs(&t.cols, NULL);
    find_runs(&t.rows, NULL);
    t.g.n = t.cols.nruns + t.rows.nruns;
    for (int j = 0; j < t.cols.nruns; ++j) {
        t.g.level[j] = 1;
        t.g.size[j] = t.cols.first[j + 1] - t.cols.first[j];
        end = append(&t, end, j, &t.cols, t.cols.first[j], &t.rows, t.cols.nruns);
        t.g.adj0[j + 1] = end;
    }
    for (int r = 0; r < t.rows.nruns; ++r) { // size 0, level 0: rows come first
        end = append(&t, end, t.cols.nruns + r, &t.rows, t.rows.first[r], &t.cols, 0);
        t.g.adj0[t.cols.nruns + r + 1] = end;
    }
    return finish(&t, ctx, order, cost);
}
