/* The plan of block elimination, made once from the order of the nodes.
 *
 * Eliminating node k takes A_ik A_kk^-1 A_kj away from every block (i, j) of two later neighbours i, j of k. So x holds for
 * each node its diagonal block and two panels: A_ik of all later neighbours one below the other, A_kj side by side. All these
 * products together are one: lower panel times upper panel. Its columns of neighbour j belong to blocks (i, j) in panels of
 * other nodes; the plan says where, and how the entries of the matrix get to their blocks. */
#include <assert.h>
#include <limits.h>

#include "linsol/block_impl.h"

/* Room for a diagonal block, its inverse and the ratio of its pivots, of all nodes. */
static int known_size(const block_order *o)
{
    int n = 0;
    for (int k = 0; k < o->nnodes; ++k) {
        n += 2 * o->size[k] * o->size[k] + 1;
    }
    return n;
}

static void carve(block_solver *s, const dal_pattern *p, size_t nruns, int largest)
{
    const block_order *o = &s->order;
    dal_arena *arena = &s->plan;
    s->part = dal_arena_ints(arena, o->adj0[o->nnodes]);
    s->diag = dal_arena_ints(arena, o->nnodes);
    s->lower = dal_arena_ints(arena, o->nnodes);
    s->upper = dal_arena_ints(arena, o->nnodes);
    s->rows = dal_arena_ints(arena, o->nnodes);
    s->run0 = dal_arena_ints(arena, o->adj0[o->nnodes] + 1);
    s->run = dal_arena_take(arena, nruns, sizeof *s->run);
    s->x = dal_arena_reals(arena, s->nx);
    s->w = dal_arena_reals(arena, s->base.A.n);
    s->y = dal_arena_reals(arena, largest);
    s->four = dal_arena_reals(arena, 4 * s->base.A.n);
    if (s->steady) {
        s->patience = dal_arena_ints(arena, o->nnodes);
        s->past = dal_arena_ints(arena, o->nnodes);
        s->known = dal_arena_reals(arena, known_size(o));
    }
    s->slot = dal_arena_take(arena, (size_t)p->nblocks, sizeof *s->slot);
    int *slots = dal_arena_take(arena, p->ncolumns, sizeof *slots);
    for (int k = 0; slots != NULL && k < p->nblocks; ++k) {
        s->slot[k] = slots;
        slots += p->block[k].nj;
    }
}

/* Offset and leading dimension of block (i, j); both nodes in elimination order. The block exists: it is in a panel of the
 * earlier of the two, k, at the place that the later one has among the neighbours of k, which are in ascending order. */
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
    *ld = i > j ? s->rows[k] : o->size[k];
    return i > j ? s->lower[k] + s->part[lo] : s->upper[k] + s->part[lo] * o->size[k];
}

/* x: A_kk, the lower panel, the upper panel of the first node, then those of the second, and so on. */
static void place_panels(block_solver *s)
{
    const block_order *o = &s->order;
    int at = 0;
    for (int k = 0; k < o->nnodes; ++k) {
        for (int e = o->adj0[k], part = 0; e < o->adj0[k + 1]; ++e) {
            s->part[e] = part;
            part += o->size[o->adj[e]];
        }
        s->rows[k] = dal_block_rows(o->width[k]);
        s->diag[k] = at;
        at += o->size[k] * o->size[k];
        s->lower[k] = at;
        at += o->size[k] * s->rows[k];
        s->upper[k] = at;
        at += o->size[k] * o->width[k];
    }
}

/* Below this a node is inverted as fast as it is compared. */
enum { WORTH = 5 };

/* Nodes that are nobody's later neighbour enter the elimination as they were assembled. */
static void place_known(block_solver *s)
{
    const block_order *o = &s->order;
    for (int k = 0, at = 0; k < o->nnodes; ++k) {
        s->patience[k] = o->size[k] >= WORTH ? DAL_PATIENCE : 0;
        s->past[k] = at;
        at += 2 * o->size[k] * o->size[k] + 1;
    }
    for (int e = 0; e < o->adj0[o->nnodes]; ++e) {
        s->patience[o->adj[e]] = 0;
    }
}

/* For each neighbour j of a node, where its columns of the product are taken away: from the blocks (i, j), i running down the
 * product. Blocks that also follow each other in the panel where they are stored form one run, so that the inner loop is as
 * long as possible. */
static void find_runs(block_solver *s)
{
    const block_order *o = &s->order;
    int n = 0;
    for (int k = 0; k < o->nnodes && s->run != NULL; ++k) {
        for (int b = o->adj0[k]; b < o->adj0[k + 1]; ++b) {
            s->run0[b] = n;
            for (int a = o->adj0[k]; a < o->adj0[k + 1]; ++a) {
                block_run r = {.from = s->part[a], .length = o->size[o->adj[a]]};
                r.at = block_at(s, o->adj[a], o->adj[b], &r.ld);
                const int follows =
                    n > s->run0[b] && s->run[n - 1].at + s->run[n - 1].length == r.at && s->run[n - 1].ld == r.ld;
                if (follows) {
                    s->run[n - 1].length += r.length;
                } else {
                    s->run[n++] = r;
                }
            }
        }
    }
    s->run0[o->adj0[o->nnodes]] = n;
}

/* Place of each entry of the matrix in x; place, node: of each unknown. */
static void find_places(const block_solver *s, int *to, const int *place, const int *node)
{
    const block_order *o = &s->order;
    const dal_matrix *A = &s->base.A;
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            const int i = A->row[k];
            int ld;
            const int at = block_at(s, node[i], node[j], &ld);
            to[k] = at + place[i] - o->first[node[i]] + (place[j] - o->first[node[j]]) * ld;
        }
    }
}

/* Slots in x, if the rows of each block follow each other there: they do where no block belongs to several nodes. */
static void place_slots(block_solver *s, const dal_pattern *p, const int *to)
{
    int whole = 1;
    for (int k = 0; k < p->nblocks; ++k) {
        for (int j = 0; j < p->block[k].nj; ++j) {
            const int *rows = to + s->base.A.slot[k][j];
            s->slot[k][j] = rows[0];
            for (int i = 1; i < p->block[k].ni; ++i) {
                whole &= rows[i] == rows[0] + i;
            }
        }
    }
    s->base.in_place = (dal_matrix){.n = s->base.A.n,
                                    .nnz = s->nx,
                                    .x = s->x,
                                    .nslots = p->nblocks,
                                    .slot = whole ? (const int *const *)s->slot : NULL};
}

static dal_status place_entries(block_solver *s, const dal_pattern *p, const int *place, const int *node)
{
    dal_ctx *ctx = s->base.ctx;
    int *to = dal_alloc(ctx, (size_t)s->base.A.nnz * sizeof *to);
    if (to == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "block elimination");
    }
    find_places(s, to, place, node);
    place_slots(s, p, to);
    const dal_status st = dal_gather_init(&s->gather, ctx, &s->base.A, to, s->nx);
    dal_free(ctx, to);
    return st;
}

int dal_block_possible(const block_order *o)
{
    return o->largest <= DAL_MAX_NODE && o->entries <= INT_MAX && o->pairs <= INT_MAX;
}

dal_status dal_block_plan(block_solver *s, const dal_pattern *pattern)
{
    const block_order *o = &s->order;
    const int n = s->base.A.n;
    int largest = o->largest;
    if (!dal_block_possible(o)) {
        return dal_fail(s->base.ctx, DAL_EINVAL,
                        "block elimination: a node has %d unknowns (at most %d are possible), or the factors are too "
                        "large (%.2g entries): use the solver frontal",
                        o->largest, DAL_MAX_NODE, o->entries);
    }
    s->nx = (int)o->entries;
    s->steady = pattern->steady && 2.0 * o->entries + o->nnodes <= INT_MAX;
    // y has room for the columns of one neighbour of the product with the longest lower panel
    for (int k = 0; k < o->nnodes; ++k) {
        const int rows = dal_block_rows(o->width[k]);
        largest = rows * o->largest > largest ? rows * o->largest : largest;
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
    s->plan = dal_arena_init(s->base.ctx);
    carve(s, pattern, (size_t)o->pairs, largest);
    dal_status st = dal_arena_reserve(&s->plan);
    if (st == DAL_OK) {
        carve(s, pattern, (size_t)o->pairs, largest);
        place_panels(s);
        find_runs(s);
        if (s->steady) {
            place_known(s);
        }
        st = place_entries(s, pattern, place, node);
    }
    dal_free(s->base.ctx, place);
    return st;
}
