/* The plan of block elimination: offsets of all blocks, the blocks that each elimination changes, and how the entries
 * of the matrix get to their blocks. */
#include <assert.h>
#include <limits.h>

#include "linsol/block_impl.h"

static void carve(block_solver *s, size_t ntargets, int largest)
{
    const block_order *o = &s->order;
    dal_arena *arena = &s->plan;
    s->part = dal_arena_ints(arena, o->adj0[o->nnodes]);
    s->diag = dal_arena_ints(arena, o->nnodes);
    s->lower = dal_arena_ints(arena, o->nnodes);
    s->upper = dal_arena_ints(arena, o->nnodes);
    s->target0 = dal_arena_ints(arena, o->nnodes + 1);
    s->target = dal_arena_take(arena, ntargets, sizeof *s->target);
    s->x = dal_arena_reals(arena, s->nx);
    s->w = dal_arena_reals(arena, s->base.A.n);
    s->y = dal_arena_reals(arena, largest);
}

/* Offset and leading dimension of block (i, j); both nodes in elimination order. The block exists. */
static int block_at(const block_solver *s, int i, int j, int *ld)
{
    const block_order *o = &s->order;
    const int k = i < j ? i : j, other = i < j ? j : i;
    if (i == j) {
        *ld = o->size[i];
        return s->diag[i];
    }
    int lo = o->adj0[k], hi = o->adj0[k + 1];
    while (hi - lo > 1) {
        const int mid = lo + (hi - lo) / 2;
        if (o->adj[mid] <= other) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    assert(lo < o->adj0[k + 1] && o->adj[lo] == other);
    *ld = i > j ? o->width[k] : o->size[k];
    return i > j ? s->lower[k] + s->part[lo] : s->upper[k] + s->part[lo] * o->size[k];
}

static void place_panels(block_solver *s)
{
    const block_order *o = &s->order;
    int at = 0;
    for (int k = 0; k < o->nnodes; ++k) {
        for (int e = o->adj0[k], part = 0; e < o->adj0[k + 1]; ++e) {
            s->part[e] = part;
            part += o->size[o->adj[e]];
        }
        s->diag[k] = at;
        at += o->size[k] * o->size[k];
        s->lower[k] = at;
        at += o->size[k] * o->width[k];
        s->upper[k] = at;
        at += o->size[k] * o->width[k];
    }
}

static void find_targets(block_solver *s)
{
    const block_order *o = &s->order;
    int n = 0;
    for (int k = 0; k < o->nnodes; ++k) {
        s->target0[k] = n;
        for (int b = o->adj0[k]; b < o->adj0[k + 1]; ++b) {
            for (int a = o->adj0[k]; a < o->adj0[k + 1]; ++a, ++n) {
                s->target[n].at = block_at(s, o->adj[a], o->adj[b], &s->target[n].ld);
            }
        }
    }
    s->target0[o->nnodes] = n;
}

/* Place of each entry of the matrix in x; place, node: of each unknown. */
static dal_status place_entries(block_solver *s, const int *place, const int *node)
{
    const block_order *o = &s->order;
    const dal_matrix *A = &s->base.A;
    int *to = dal_alloc(s->base.ctx, (size_t)A->nnz * sizeof *to);
    if (to == NULL) {
        return dal_fail(s->base.ctx, DAL_ENOMEM, "block elimination");
    }
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            const int i = A->row[k];
            int ld;
            const int at = block_at(s, node[i], node[j], &ld);
            to[k] = at + place[i] - o->first[node[i]] + (place[j] - o->first[node[j]]) * ld;
        }
    }
    const dal_status st = dal_gather_plan(&s->gather, s->base.ctx, A, to, s->nx);
    dal_free(s->base.ctx, to);
    return st;
}

int dal_block_possible(const block_order *o)
{
    return o->largest <= DAL_MAX_NODE && o->entries <= INT_MAX && o->pairs <= INT_MAX;
}

dal_status dal_block_plan(block_solver *s)
{
    const block_order *o = &s->order;
    const int n = s->base.A.n;
    const size_t ntargets = (size_t)o->pairs;
    int largest = o->largest;
    if (!dal_block_possible(o)) {
        return dal_fail(s->base.ctx, DAL_EINVAL,
                        "block elimination: a node has %d unknowns (at most %d are possible), or the factors are too "
                        "large (%.2g entries): use the solver frontal",
                        o->largest, DAL_MAX_NODE, o->entries);
    }
    s->nx = (int)o->entries;
    for (int k = 0; k < o->nnodes; ++k) {
        largest = o->width[k] > largest ? o->width[k] : largest;
    }
    int *place = dal_alloc(s->base.ctx, 2 * (size_t)n * sizeof *place), *node = place + n;
    if (place == NULL) {
        return dal_fail(s->base.ctx, DAL_ENOMEM, "block elimination");
    }
    for (int k = 0; k < o->nnodes; ++k) {
        for (int p = o->first[k]; p < o->first[k + 1]; ++p) {
            place[o->index[p]] = p;
            node[o->index[p]] = k;
        }
    }
    s->plan = dal_arena_new(s->base.ctx);
    carve(s, ntargets, largest);
    dal_status st = dal_arena_reserve(&s->plan);
    if (st == DAL_OK) {
        carve(s, ntargets, largest);
        place_panels(s);
        find_targets(s);
        st = place_entries(s, place, node);
    }
    dal_free(s->base.ctx, place);
    return st;
}
