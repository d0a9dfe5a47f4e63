/* The plan of multifrontal elimination: places of unknowns and fronts, and how entries of the matrix and remainders of
 * fronts get to where they are added. */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>

#include "linsol/dense_kernels.h"
#include "linsol/frontal_impl.h"

/* Scratch of the plan. */
typedef struct places {
    int *front; /* nnodes: number of the front that eliminates a node */
    int *first; /* nnodes: place of its first unknown */
    int *place; /* n: of each unknown */
    int *at;    /* n: number of the front at each place */
    int *sums;  /* nfronts + 1: next free place of each front */
    dal_arena arena;
} places;

static void carve_places(places *p, int n, int nnodes, int nfronts)
{
    p->front = dal_arena_ints(&p->arena, nnodes);
    p->first = dal_arena_ints(&p->arena, nnodes);
    p->place = dal_arena_ints(&p->arena, n);
    p->at = dal_arena_ints(&p->arena, n);
    p->sums = dal_arena_ints(&p->arena, nfronts + 1);
}

/* Unknowns of a front follow each other, node after node. */
static void find_places(places *p, const front_tree *t, int *index)
{
    const block_order *o = t->order;
    for (int k = 0; k < t->nfronts; ++k) {
        p->front[t->front[k]] = k;
        p->sums[k + 1] = p->sums[k] + t->np[t->front[k]];
    }
    for (int i = o->nnodes - 1; i >= 0; --i) {
        p->front[i] = p->front[t->into[i]]; // into[i] >= i
    }
    for (int i = 0; i < o->nnodes; ++i) {
        p->first[i] = p->sums[p->front[i]];
        p->sums[p->front[i]] += o->size[i];
        for (int k = 0; k < o->size[i]; ++k) {
            const int unknown = o->index[o->first[i] + k], place = p->first[i] + k;
            index[place] = unknown;
            p->place[unknown] = place;
            p->at[place] = p->front[i];
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Sizes, borders, parents and offsets of the factors. */
static void place_fronts(frontal_solver *s, const front_tree *t, const places *p)
{
    const block_order *o = t->order;
    int nborder = 0, nx = 0, first = 0;
    for (int k = 0; k < s->nfronts; ++k) {
        const int node = t->front[k];
        front *f = &s->front[k];
        *f = (front){.first = first, .np = t->np[node], .nb = o->width[node], .parent = -1, .border = nborder};
        for (int e = o->adj0[node]; e < o->adj0[node + 1]; ++e) {
            for (int i = 0; i < o->size[o->adj[e]]; ++i) {
                s->border[nborder++] = p->first[o->adj[e]] + i;
            }
        }
        qsort(s->border + f->border, (size_t)f->nb, sizeof(int), ascending);
        if (f->nb > 0) {
            f->parent = p->at[s->border[f->border]];
        }
        first += f->np;
        f->panel = nx;
        f->upper = nx + (f->np + f->nb) * f->np;
        nx = f->upper + f->np * f->nb;
    }
    for (int k = 0; k < s->nfronts; ++k) {
        if (s->front[k].parent >= 0) {
            s->front[s->front[k].parent].nchildren++;
        }
    }
    assert(first == s->base.A.n && nx == s->nx);
}

/* Row of a place in a front: eliminated ones first, then the border. */
static int local_row(const frontal_solver *s, const front *f, int place)
{
    if (place < f->first + f->np) {
        return place - f->first;
    }
    const int *border = s->border + f->border;
    int lo = 0, hi = f->nb;
    while (hi - lo > 1) {
        const int mid = lo + (hi - lo) / 2;
        if (border[mid] <= place) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    assert(lo < f->nb && border[lo] == place);
    return f->np + lo;
}

/* Runs of rows from remainders to parents. With map = NULL they are only counted. */
static int map_remainders(frontal_solver *s, front_run *map)
{
    int n = 0;
    for (int k = 0; k < s->nfronts; ++k) {
        front *f = &s->front[k];
        f->map0 = n;
        int last = -2, np = f->parent >= 0 ? s->front[f->parent].np : 0;
        for (int i = 0; i < f->nb; ++i) {
            const int row = local_row(s, &s->front[f->parent], s->border[f->border + i]);
            if (row != last + 1 || row == np) {
                if (map != NULL) {
                    map[n] = (front_run){i, row, 0};
                }
                ++n;
            }
            if (map != NULL) {
                map[n - 1].length++;
            }
            last = row;
        }
        f->map1 = n;
    }
    return n;
}

/* Place of each entry of the matrix in x. */
static dal_status place_entries(frontal_solver *s, const places *p)
{
    const dal_matrix *A = &s->base.A;
    int *to = dal_alloc(s->base.ctx, (size_t)A->nnz * sizeof *to);
    if (to == NULL) {
        return dal_fail(s->base.ctx, DAL_ENOMEM, "linear solver frontal");
    }
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            const int i = p->place[A->row[k]], c = p->place[j];
            const front *f = &s->front[p->at[i < c ? i : c]];
            const int row = local_row(s, f, i), column = local_row(s, f, c);
            to[k] =
                column < f->np ? f->panel + row + column * (f->np + f->nb) : f->upper + row + (column - f->np) * f->np;
        }
    }
    const dal_status st = dal_gather_init(&s->gather, s->base.ctx, A, to, s->nx);
    dal_free(s->base.ctx, to);
    return st;
}

/* ---- memory ----------------------------------------------------------------------------------- */

typedef struct sizes {
    int nborder, largest;
    size_t room, stack;
    int nmaps;
} sizes;

/* Fronts, borders, permutation; then what is counted with these at hand. */
static void carve_fronts(frontal_solver *s, const sizes *z)
{
    s->front = dal_arena_take(&s->plan, (size_t)s->nfronts, sizeof *s->front);
    s->border = dal_arena_ints(&s->plan, z->nborder);
    s->index = dal_arena_ints(&s->plan, s->base.A.n);
}

static void carve_rest(frontal_solver *s, const sizes *z)
{
    dal_arena *arena = &s->values;
    const int n = s->base.A.n;
    s->map = dal_arena_take(arena, (size_t)z->nmaps, sizeof *s->map);
    s->swap = dal_arena_ints(arena, n);
    s->waiting = dal_arena_ints(arena, s->nfronts);
    s->x = dal_arena_reals(arena, s->nx);
    s->stack = dal_arena_take(arena, z->stack, sizeof(double));
    s->room = dal_arena_take(arena, z->room, sizeof(double));
    s->w = dal_arena_reals(arena, n);
    s->y = dal_arena_reals(arena, z->largest);
}

static dal_status measure(frontal_solver *s, const front_tree *t, sizes *z)
{
    double nborder = 0.0;
    for (int k = 0; k < t->nfronts; ++k) {
        const int node = t->front[k], np = t->np[node], nb = t->order->width[node];
        const size_t room = dal_dense_room(np + nb, np);
        nborder += nb;
        z->largest = np + nb > z->largest ? np + nb : z->largest;
        z->room = room > z->room ? room : z->room;
    }
    if (t->entries > INT_MAX || nborder > INT_MAX) {
        return dal_fail(s->base.ctx, DAL_ENOMEM, "linear solver frontal: %.2g entries in the factors are too many",
                        t->entries);
    }
    z->nborder = (int)nborder;
    z->stack = (size_t)t->stack;
    s->nx = (int)t->entries;
    s->nfronts = t->nfronts;
    return DAL_OK;
}

static dal_status plan(frontal_solver *s, const front_tree *t, places *p)
{
    sizes z = {0};
    DAL_TRY(measure(s, t, &z));
    carve_places(p, s->base.A.n, t->order->nnodes, t->nfronts);
    DAL_TRY(dal_arena_reserve(&p->arena));
    carve_places(p, s->base.A.n, t->order->nnodes, t->nfronts);
    s->plan = dal_arena_init(s->base.ctx);
    carve_fronts(s, &z);
    DAL_TRY(dal_arena_reserve(&s->plan));
    carve_fronts(s, &z);
    find_places(p, t, s->index);
    place_fronts(s, t, p);
    z.nmaps = map_remainders(s, NULL);
    s->values = dal_arena_init(s->base.ctx);
    carve_rest(s, &z);
    DAL_TRY(dal_arena_reserve(&s->values));
    carve_rest(s, &z);
    map_remainders(s, s->map);
    return place_entries(s, p);
}

dal_status dal_frontal_plan(frontal_solver *s, const front_tree *t)
{
    places p = {.arena = dal_arena_init(s->base.ctx)};
    const dal_status st = plan(s, t, &p);
    dal_arena_release(&p.arena);
    return st;
}
