/* Order of block elimination: minimum degree on the graph of the nodes, under the rule that a node of level 1 (a
 * constraint) waits until all its neighbours of level 0 (bodies) are gone. Its pivot block is then minus a Schur
 * complement of a positive definite matrix, so no exchange between nodes is needed. (LS.7) */
#include <assert.h>
#include <string.h>

#include "linsol/block_impl.h"

/* A list of ints that grows. */
typedef struct list {
    int *x;
    int n, capacity;
} list;

static dal_status push(dal_ctx *ctx, list *l, int value)
{
    if (l->n == l->capacity) {
        const int capacity = l->capacity > 0 ? 2 * l->capacity : 8;
        int *x = dal_alloc(ctx, (size_t)capacity * sizeof *x);
        if (x == NULL) {
            return dal_fail(ctx, DAL_ENOMEM, "order of elimination");
        }
        if (l->n > 0) {
            memcpy(x, l->x, (size_t)l->n * sizeof *x);
        }
        dal_free(ctx, l->x);
        l->x = x;
        l->capacity = capacity;
    }
    l->x[l->n++] = value;
    return DAL_OK;
}

/* Candidates for elimination: a heap of (cost, node); entries whose stamp is old are skipped. */
typedef struct candidate {
    double cost;
    int node, stamp;
} candidate;

typedef struct graph {
    dal_ctx *ctx;
    int n;
    int *size, *level, *stamp, *gone, *mark;
    list *adj;
    candidate *heap;
    int nheap, heap_capacity;
    int nmarks;
    list order;  /* nodes as they are eliminated */
    list later;  /* their neighbours at that time, one after the other */
    list later0; /* where those of each begin */
    dal_arena arena;
} graph;

static void carve(graph *g)
{
    g->size = dal_arena_ints(&g->arena, g->n);
    g->level = dal_arena_ints(&g->arena, g->n);
    g->stamp = dal_arena_ints(&g->arena, g->n);
    g->gone = dal_arena_ints(&g->arena, g->n);
    g->mark = dal_arena_ints(&g->arena, g->n);
    g->adj = dal_arena_take(&g->arena, (size_t)g->n, sizeof *g->adj);
}

static void free_graph(graph *g)
{
    for (int k = 0; g->adj != NULL && k < g->n; ++k) {
        dal_free(g->ctx, g->adj[k].x);
    }
    dal_free(g->ctx, g->heap);
    dal_free(g->ctx, g->order.x);
    dal_free(g->ctx, g->later.x);
    dal_free(g->ctx, g->later0.x);
    dal_arena_release(&g->arena);
}

static int before(candidate a, candidate b)
{
    return a.cost < b.cost || (a.cost == b.cost && a.node < b.node);
}

static dal_status heap_add(graph *g, candidate c)
{
    if (g->nheap == g->heap_capacity) {
        const int capacity = g->heap_capacity > 0 ? 2 * g->heap_capacity : 64;
        candidate *heap = dal_alloc(g->ctx, (size_t)capacity * sizeof *heap);
        if (heap == NULL) {
            return dal_fail(g->ctx, DAL_ENOMEM, "order of elimination");
        }
        if (g->nheap > 0) {
            memcpy(heap, g->heap, (size_t)g->nheap * sizeof *heap);
        }
        dal_free(g->ctx, g->heap);
        g->heap = heap;
        g->heap_capacity = capacity;
    }
    int i = g->nheap++;
    for (; i > 0 && before(c, g->heap[(i - 1) / 2]); i = (i - 1) / 2) {
        g->heap[i] = g->heap[(i - 1) / 2];
    }
    g->heap[i] = c;
    return DAL_OK;
}

static candidate heap_take(graph *g)
{
    const candidate top = g->heap[0], last = g->heap[--g->nheap];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= g->nheap) {
            break;
        }
        if (child + 1 < g->nheap && before(g->heap[child + 1], g->heap[child])) {
            ++child;
        }
        if (!before(g->heap[child], last)) {
            break;
        }
        g->heap[i] = g->heap[child];
        i = child;
    }
    g->heap[i] = last;
    return top;
}

/* Put node k among the candidates if the rule allows it. */
static dal_status offer(graph *g, int k)
{
    double degree = 0.0;
    for (int a = 0; a < g->adj[k].n; ++a) {
        const int i = g->adj[k].x[a];
        if (g->level[k] > 0 && g->level[i] == 0) {
            return DAL_OK;
        }
        degree += g->size[i];
    }
    return heap_add(g, (candidate){g->size[k] * (g->size[k] + degree) * (g->size[k] + degree), k, g->stamp[k]});
}

/* Replace the neighbours of i by themselves and the other neighbours of k, without k. */
static dal_status merge(graph *g, int i, int k)
{
    list *a = &g->adj[i];
    const int mark = ++g->nmarks;
    int n = 0;
    g->mark[i] = mark;
    for (int e = 0; e < a->n; ++e) {
        if (a->x[e] != k) {
            a->x[n++] = a->x[e];
            g->mark[a->x[e]] = mark;
        }
    }
    a->n = n;
    for (int e = 0; e < g->adj[k].n; ++e) {
        if (g->mark[g->adj[k].x[e]] != mark) {
            DAL_TRY(push(g->ctx, a, g->adj[k].x[e]));
        }
    }
    return DAL_OK;
}

static dal_status eliminate(graph *g, int k)
{
    g->gone[k] = 1;
    DAL_TRY(push(g->ctx, &g->order, k));
    DAL_TRY(push(g->ctx, &g->later0, g->later.n));
    for (int e = 0; e < g->adj[k].n; ++e) {
        DAL_TRY(push(g->ctx, &g->later, g->adj[k].x[e]));
    }
    for (int e = 0; e < g->adj[k].n; ++e) {
        DAL_TRY(merge(g, g->adj[k].x[e], k));
    }
    for (int e = 0; e < g->adj[k].n; ++e) {
        g->stamp[g->adj[k].x[e]]++;
        DAL_TRY(offer(g, g->adj[k].x[e]));
    }
    return DAL_OK;
}

static dal_status find_order(graph *g)
{
    for (int k = 0; k < g->n; ++k) {
        DAL_TRY(offer(g, k));
    }
    while (g->nheap > 0) {
        const candidate c = heap_take(g);
        if (!g->gone[c.node] && c.stamp == g->stamp[c.node]) {
            DAL_TRY(eliminate(g, c.node));
        }
    }
    return push(g->ctx, &g->later0, g->later.n);
}

/* ---- from the pattern ------------------------------------------------------------------------- */

/* Numbers 0, 1, ... for the nodes in the order of their first unknown: number[i] for unknown i. */
static dal_status number_nodes(const dal_pattern *p, int *number, int *count)
{
    int *of = dal_alloc(p->ctx, (size_t)p->n * sizeof *of); // announced number -> ours
    if (of == NULL) {
        return dal_fail(p->ctx, DAL_ENOMEM, "nodes of the pattern");
    }
    for (int i = 0; i < p->n; ++i) {
        of[i] = -1;
    }
    *count = 0;
    for (int i = 0; i < p->n; ++i) {
        if (p->node[i] < 0) {
            dal_free(p->ctx, of);
            return dal_fail(p->ctx, DAL_EINVAL, "block elimination: unknown %d belongs to no node", i);
        }
        if (of[p->node[i]] < 0) {
            of[p->node[i]] = (*count)++;
        }
        number[i] = of[p->node[i]];
    }
    dal_free(p->ctx, of);
    return DAL_OK;
}

/* a and b are neighbours, once in each list. */
static dal_status connect(graph *g, int a, int b)
{
    for (int e = 0; e < g->adj[a].n; ++e) {
        if (g->adj[a].x[e] == b) {
            return DAL_OK;
        }
    }
    DAL_TRY(push(g->ctx, &g->adj[a], b));
    return push(g->ctx, &g->adj[b], a);
}

/* First unknown after i that belongs to another node. */
static int next_node(const int *number, int i, int end)
{
    const int node = number[i];
    while (i < end && number[i] == node) {
        ++i;
    }
    return i;
}

/* Nodes that meet in a block of the pattern. */
static dal_status connect_block(graph *g, const dal_block *B, const int *number)
{
    const int i_end = B->i + B->ni, j_end = B->j + B->nj;
    for (int i = B->i; i < i_end; i = next_node(number, i, i_end)) {
        for (int j = B->j; j < j_end; j = next_node(number, j, j_end)) {
            const dal_status st = number[i] != number[j] ? connect(g, number[i], number[j]) : DAL_OK;
            if (st != DAL_OK) {
                return st;
            }
        }
    }
    return DAL_OK;
}

static dal_status build_graph(graph *g, const dal_pattern *p, const int *number)
{
    for (int i = 0; i < p->n; ++i) {
        g->size[number[i]]++;
        g->level[number[i]] = p->level[i];
    }
    for (int b = 0; b < p->nblocks; ++b) {
        DAL_TRY(connect_block(g, &p->block[b], number));
    }
    return DAL_OK;
}

/* ---- result ----------------------------------------------------------------------------------- */

static void carve_order(block_order *o, int n, int nadj)
{
    o->size = dal_arena_ints(&o->arena, o->nnodes);
    o->first = dal_arena_ints(&o->arena, o->nnodes + 1);
    o->index = dal_arena_ints(&o->arena, n);
    o->adj0 = dal_arena_ints(&o->arena, o->nnodes + 1);
    o->adj = dal_arena_ints(&o->arena, nadj);
}

/* Insertion sort: neighbourhoods are small. */
static void sort(int *x, int n)
{
    for (int i = 1; i < n; ++i) {
        const int a = x[i];
        int j = i;
        for (; j > 0 && x[j - 1] > a; --j) {
            x[j] = x[j - 1];
        }
        x[j] = a;
    }
}

static dal_status take_result(block_order *o, graph *g, const dal_pattern *p, const int *number)
{
    int *place = g->mark; // of each node in the order
    o->nnodes = g->n;
    o->arena = dal_arena_new(g->ctx);
    carve_order(o, p->n, g->later.n);
    DAL_TRY(dal_arena_reserve(&o->arena));
    carve_order(o, p->n, g->later.n);
    for (int k = 0; k < g->n; ++k) {
        place[g->order.x[k]] = k;
        o->size[k] = g->size[g->order.x[k]];
        o->first[k + 1] = o->first[k] + o->size[k];
    }
    for (int k = 0; k < g->n; ++k) {
        double degree = o->size[k];
        o->adj0[k] = g->later0.x[k];
        o->adj0[k + 1] = g->later0.x[k + 1];
        for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
            o->adj[e] = place[g->later.x[e]];
            degree += g->size[g->later.x[e]];
        }
        sort(o->adj + o->adj0[k], o->adj0[k + 1] - o->adj0[k]);
        o->operations += 2.0 * o->size[k] * degree * degree;
    }
    int *next = g->stamp; // free place of each node
    for (int k = 0; k < g->n; ++k) {
        next[k] = o->first[place[k]];
    }
    for (int i = 0; i < p->n; ++i) {
        o->index[next[number[i]]++] = i;
    }
    return DAL_OK;
}

dal_status dal_block_order(block_order *order, dal_ctx *ctx, const dal_pattern *p)
{
    graph g = {.ctx = ctx, .arena = dal_arena_new(ctx)};
    *order = (block_order){0};
    if (p->node == NULL) {
        return dal_fail(ctx, DAL_EINVAL, "block elimination needs the nodes of the pattern (dal_pattern_node)");
    }
    int *number = dal_alloc(ctx, (size_t)p->n * sizeof *number);
    if (number == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "nodes of the pattern");
    }
    dal_status st = number_nodes(p, number, &g.n);
    if (st == DAL_OK) {
        carve(&g);
        st = dal_arena_reserve(&g.arena);
    }
    if (st == DAL_OK) {
        carve(&g);
        st = build_graph(&g, p, number);
    }
    if (st == DAL_OK) {
        st = find_order(&g);
    }
    assert(st != DAL_OK || g.order.n == g.n); // nodes of level 0 never wait
    if (st == DAL_OK) {
        st = take_result(order, &g, p, number);
    }
    free_graph(&g);
    dal_free(ctx, number);
    return st;
}

void dal_block_order_release(block_order *order)
{
    dal_arena_release(&order->arena);
}
