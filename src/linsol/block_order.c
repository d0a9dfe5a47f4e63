/* From the announced nodes of a pattern to an order of elimination: numbers, graph, minimum degree, and the neighbours
 * of each node in that order. */
#include <assert.h>
#include <string.h>

#include "linsol/block_impl.h"
#include "linsol/order_impl.h"

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

/* ---- graph ------------------------------------------------------------------------------------ */

/* First unknown after i that belongs to another node. */
static int next_node(const int *number, int i, int end)
{
    const int node = number[i];
    while (i < end && number[i] == node) {
        ++i;
    }
    return i;
}

/* For each pair of different nodes that meet in a block: one more neighbour of both. With adj, it is written too. */
static void connect_block(int *count, int *adj, const dal_block *B, const int *number)
{
    const int i_end = B->i + B->ni, j_end = B->j + B->nj;
    for (int i = B->i; i < i_end; i = next_node(number, i, i_end)) {
        for (int j = B->j; j < j_end; j = next_node(number, j, j_end)) {
            const int a = number[i], b = number[j];
            if (a == b) {
                continue;
            }
            if (adj != NULL) {
                adj[count[a]] = b;
                adj[count[b]] = a;
            }
            count[a]++;
            count[b]++;
        }
    }
}

/* Write each neighbour once. mark: n. */
static void remove_repetitions(dal_graph *g, int *mark)
{
    int n = 0, from = 0;
    for (int k = 0; k < g->n; ++k) {
        mark[k] = -1;
    }
    for (int k = 0; k < g->n; ++k) {
        const int end = g->adj0[k + 1];
        for (; from < end; ++from) {
            if (mark[g->adj[from]] != k) {
                mark[g->adj[from]] = k;
                g->adj[n++] = g->adj[from];
            }
        }
        g->adj0[k + 1] = n;
    }
}

static void carve_graph(dal_graph *g, dal_arena *arena, int nadj)
{
    g->size = dal_arena_ints(arena, g->n);
    g->level = dal_arena_ints(arena, g->n);
    g->adj0 = dal_arena_ints(arena, g->n + 1);
    g->adj = dal_arena_ints(arena, nadj);
}

/* The graph of the nodes with `number` for each unknown; count: n + 1, scratch. */
static dal_status build_graph(dal_graph *g, dal_arena *arena, const dal_pattern *p, const int *number, int *count)
{
    memset(count, 0, ((size_t)g->n + 1) * sizeof *count);
    for (int b = 0; b < p->nblocks; ++b) {
        connect_block(count, NULL, &p->block[b], number);
    }
    int nadj = 0;
    for (int k = 0; k < g->n; ++k) {
        nadj += count[k];
    }
    *arena = dal_arena_init(p->ctx);
    carve_graph(g, arena, nadj);
    DAL_TRY(dal_arena_reserve(arena));
    carve_graph(g, arena, nadj);
    for (int k = 0; k < g->n; ++k) {
        g->adj0[k + 1] = g->adj0[k] + count[k];
        count[k] = g->adj0[k];
    }
    for (int b = 0; b < p->nblocks; ++b) {
        connect_block(count, g->adj, &p->block[b], number);
    }
    remove_repetitions(g, count);
    for (int i = 0; i < p->n; ++i) {
        g->size[number[i]]++;
        g->level[number[i]] = p->level[i] > 0 && g->level[number[i]] >= 0 ? 1 : -1; // mixed: a body with its own rows
    }
    for (int k = 0; k < g->n; ++k) {
        g->level[k] = g->level[k] > 0;
    }
    return DAL_OK;
}

/* body[k]: the one body in whose columns the rows of constraint k have entries; -1: none, or k is a body; -2: several.
 * Multipliers may enter the equations of other bodies, too: friction, eta of ggl through a spring. */
static void find_bodies(const dal_graph *g, int *body, const dal_pattern *p, const int *number)
{
    for (int k = 0; k < g->n; ++k) {
        body[k] = -1;
    }
    for (int b = 0; b < p->nblocks; ++b) {
        const dal_block *B = &p->block[b];
        const int i_end = B->i + B->ni, j_end = B->j + B->nj;
        for (int i = B->i; i < i_end; i = next_node(number, i, i_end)) {
            for (int j = B->j; j < j_end; j = next_node(number, j, j_end)) {
                const int k = number[i], of = number[j];
                if (g->level[k] > 0 && g->level[of] == 0) {
                    body[k] = body[k] == -1 || body[k] == of ? of : -2;
                }
            }
        }
    }
}

/* A constraint of a single body with few rows, such as the norm of Euler parameters, goes with its body: the mass of
 * the body alone may be singular. to[k]: node that k becomes part of, or k itself. Returns how many do. */
static int find_companions(const dal_graph *g, int *to, const dal_pattern *p, const int *number)
{
    int n = 0;
    find_bodies(g, to, p, number);
    for (int k = 0; k < g->n; ++k) {
        const int body = to[k];
        to[k] = body >= 0 && (g->size[body] <= 3 || 3 * g->size[k] <= g->size[body]) ? body : k;
        n += to[k] != k;
    }
    return n;
}

/* Graph with companions united; `number` is changed. scratch: n + 1 */
static dal_status node_graph(dal_graph *g, dal_arena *arena, const dal_pattern *p, int *number, int *scratch)
{
    DAL_TRY(number_nodes(p, number, &g->n));
    DAL_TRY(build_graph(g, arena, p, number, scratch));
    if (find_companions(g, scratch, p, number) == 0) {
        return DAL_OK;
    }
    int n = 0;
    for (int k = 0; k < g->n; ++k) {
        if (scratch[k] == k) {
            g->size[k] = n++; // new number
        }
    }
    for (int i = 0; i < p->n; ++i) {
        number[i] = g->size[scratch[number[i]]];
    }
    g->n = n;
    dal_arena_release(arena);
    return build_graph(g, arena, p, number, scratch);
}

/* ---- result ----------------------------------------------------------------------------------- */

static void carve_order(block_order *o, int n, int nadj)
{
    o->size = dal_arena_ints(&o->arena, o->nnodes);
    o->first = dal_arena_ints(&o->arena, o->nnodes + 1);
    o->index = dal_arena_ints(&o->arena, n);
    o->adj0 = dal_arena_ints(&o->arena, o->nnodes + 1);
    o->adj = dal_arena_ints(&o->arena, nadj);
    o->width = dal_arena_ints(&o->arena, o->nnodes);
}

/* Later neighbours of each node in ascending order: node after node is entered into the lists of its earlier
 * neighbours. before: these, one list after the other; start: nnodes + 2, where they begin. */
static void sort_neighbours(block_order *o, const dal_elimination *el, const int *place, int *before, int *start)
{
    const int n = o->nnodes;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    for (int e = 0; e < el->later.n; ++e) {
        start[place[el->later.x[e]] + 2]++;
    }
    for (int k = 0; k < n; ++k) {
        start[k + 2] += start[k + 1];
    }
    for (int k = 0; k < n; ++k) {
        o->adj0[k + 1] = el->later0.x[k + 1];
        for (int e = el->later0.x[k]; e < el->later0.x[k + 1]; ++e) {
            before[start[place[el->later.x[e]] + 1]++] = k;
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int e = start[j]; e < start[j + 1]; ++e) {
            const int k = before[e];
            o->adj[o->adj0[k] + o->width[k]++] = j;
        }
    }
    for (int k = 0; k < n; ++k) {
        o->width[k] = 0;
        for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
            o->width[k] += o->size[o->adj[e]];
        }
    }
}

static dal_status take_result(block_order *o, const dal_graph *g, const dal_elimination *el, const dal_pattern *p,
                              const int *number)
{
    const int n = g->n, nadj = el->later.n;
    o->nnodes = n;
    o->arena = dal_arena_init(p->ctx);
    carve_order(o, p->n, nadj);
    DAL_TRY(dal_arena_reserve(&o->arena));
    carve_order(o, p->n, nadj);
    int *place = dal_alloc(p->ctx, (3 * (size_t)n + 2 + (size_t)nadj) * sizeof *place);
    if (place == NULL) {
        return dal_fail(p->ctx, DAL_ENOMEM, "order of elimination");
    }
    int *start = place + n, *before = start + n + 2;
    for (int k = 0; k < n; ++k) {
        place[el->order.x[k]] = k;
        o->size[k] = g->size[el->order.x[k]];
        o->first[k + 1] = o->first[k] + o->size[k];
    }
    sort_neighbours(o, el, place, before, start);
    for (int k = 0; k < n; ++k) {
        const double front = o->size[k] + o->width[k];
        o->operations += 2.0 * o->size[k] * front * front;
        o->entries += o->size[k] * (front + dal_block_rows(o->width[k]));
        o->largest = o->size[k] > o->largest ? o->size[k] : o->largest;
        o->pairs += (double)(o->adj0[k + 1] - o->adj0[k]) * (double)(o->adj0[k + 1] - o->adj0[k]);
    }
    int *next = start; // free place of each node
    for (int k = 0; k < n; ++k) {
        next[k] = o->first[place[k]];
    }
    for (int i = 0; i < p->n; ++i) {
        o->index[next[number[i]]++] = i;
    }
    dal_free(p->ctx, place);
    return DAL_OK;
}

dal_status dal_block_order_init(block_order *order, dal_ctx *ctx, const dal_pattern *p)
{
    dal_graph g = {0};
    dal_arena arena = dal_arena_init(ctx);
    dal_elimination el = {0};
    *order = (block_order){0};
    if (p->node == NULL) {
        return dal_fail(ctx, DAL_EINVAL, "block elimination needs the nodes of the pattern (dal_pattern_node)");
    }
    int *number = dal_alloc(ctx, (2 * (size_t)p->n + 1) * sizeof *number);
    if (number == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "nodes of the pattern");
    }
    dal_status st = node_graph(&g, &arena, p, number, number + p->n);
    if (st == DAL_OK) {
        st = dal_minimum_degree(&el, ctx, &g);
    }
    assert(st != DAL_OK || el.order.n == g.n); // bodies never wait
    if (st == DAL_OK) {
        st = take_result(order, &g, &el, p, number);
    }
    if (st != DAL_OK) {
        dal_block_order_release(order);
        *order = (block_order){0};
    }
    dal_elimination_release(&el, ctx);
    dal_arena_release(&arena);
    dal_free(ctx, number);
    return st;
}

void dal_block_order_release(block_order *order)
{
    dal_arena_release(&order->arena);
}
