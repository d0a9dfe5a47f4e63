/* Minimum degree on the quotient graph, under the rule that a node of level 1 (a constraint) waits until its neighbours
 * of level 0 (its bodies) are gone. (LS.7)
 *
 * An eliminated node becomes an element: the clique of the neighbours it had. A node that remains knows the elements it
 * belongs to and those of its original neighbours that no element covers, and this takes no more room than its original
 * neighbours did. Elements that lie within the new one are absorbed by it. Degrees are bounds that are exact as long as
 * a node belongs to two elements at most (Amestoy, Davis, Duff 1996). Time and memory are proportional to the result. */
#include <limits.h>
#include <string.h>

#include "linsol/order_impl.h"

static dal_status push(dal_ctx *ctx, dal_list *l, int value)
{
    if (l->n == l->capacity) {
        const int capacity = l->capacity > 0 ? 2 * l->capacity : 64;
        int *x = l->capacity > INT_MAX / 4 ? NULL : dal_alloc(ctx, (size_t)capacity * sizeof *x);
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

/* A node that may be eliminated next. Entries of the heap whose stamp is old are skipped. */
typedef struct candidate {
    double cost;
    int node, stamp;
} candidate;

/* What has become of a node. */
enum { REMAINS, ELEMENT, ABSORBED };

typedef struct quotient {
    dal_ctx *ctx;
    const dal_graph *graph;
    int *state;        /* of each node */
    int *known;        /* like graph->adj: elements of a node first, then uncovered neighbours */
    int *nelements;    /* of each node */
    int *nknown;       /* elements and neighbours together */
    int *first;        /* of each element: its members are later[first] .. later[first + nmembers - 1] */
    int *nmembers;     /* of each element */
    int *degree;       /* unknowns of all neighbours; for an element: of its members */
    int *outside;      /* for an element: unknowns of its members that are not in the new element ... */
    int *outside_mark; /* ... when this is the current mark */
    int *mark, nmarks;
    int *waiting; /* bodies that a constraint waits for */
    int *stamp;
    int *kept; /* scratch */
    candidate *heap;
    int nheap, heap_capacity;
    dal_arena arena;
} quotient;

static void carve(quotient *g)
{
    const int n = g->graph->n;
    int **arrays[] = {&g->state,   &g->nelements,    &g->nknown, &g->first,   &g->nmembers, &g->degree,
                      &g->outside, &g->outside_mark, &g->mark,   &g->waiting, &g->stamp,    &g->kept};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = dal_arena_ints(&g->arena, n);
    }
    g->known = dal_arena_ints(&g->arena, g->graph->adj0[n]);
}

/* ---- heap ------------------------------------------------------------------------------------- */

static int before(candidate a, candidate b)
{
    return a.cost < b.cost || (a.cost == b.cost && a.node < b.node);
}

static dal_status heap_add(quotient *g, candidate c)
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

static candidate heap_take(quotient *g)
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

/* Put node k among the candidates if it waits for nothing. */
static dal_status offer(quotient *g, int k)
{
    if (g->waiting[k] > 0) {
        return DAL_OK;
    }
    const double size = g->graph->size[k], front = size + g->degree[k];
    const double cost = g->graph->by_degree ? (size > 0.0 ? front - size : -1.0) : size * front * front;
    return heap_add(g, (candidate){cost, k, ++g->stamp[k]});
}

/* ---- elimination ------------------------------------------------------------------------------ */

/* Node i becomes a member of the new element p, unless it is one already or gone. */
static dal_status add_member(quotient *g, dal_elimination *el, int p, int i)
{
    if (g->state[i] != REMAINS || g->mark[i] == g->nmarks) {
        return DAL_OK;
    }
    g->mark[i] = g->nmarks;
    g->degree[p] += g->graph->size[i];
    return push(g->ctx, &el->later, i);
}

/* Members of the new element p: all nodes that p shares an element or an edge with. */
static dal_status collect(quotient *g, dal_elimination *el, int p)
{
    const int *known = g->known + g->graph->adj0[p];
    g->mark[p] = ++g->nmarks;
    g->state[p] = ELEMENT;
    g->first[p] = el->later.n;
    g->degree[p] = 0;
    for (int k = 0; k < g->nelements[p]; ++k) {
        const int e = known[k], n = g->state[e] == ABSORBED ? 0 : g->nmembers[e];
        for (int m = 0; m < n; ++m) {
            DAL_TRY(add_member(g, el, p, el->later.x[g->first[e] + m]));
        }
        g->state[e] = ABSORBED;
    }
    for (int k = g->nelements[p]; k < g->nknown[p]; ++k) {
        DAL_TRY(add_member(g, el, p, known[k]));
    }
    g->nmembers[p] = el->later.n - g->first[p];
    return DAL_OK;
}

/* For all elements that meet the new one: how much of them lies outside of it? */
static void measure_outside(quotient *g, const int *member, int n)
{
    for (int m = 0; m < n; ++m) {
        const int i = member[m], *known = g->known + g->graph->adj0[i];
        for (int k = 0; k < g->nelements[i]; ++k) {
            const int e = known[k];
            if (g->outside_mark[e] != g->nmarks) {
                g->outside_mark[e] = g->nmarks;
                g->outside[e] = g->degree[e];
            }
            g->outside[e] -= g->graph->size[i];
        }
    }
}

/* What node i, a member of the new element p, knows now, and its degree. */
static void renew(quotient *g, int i, int p)
{
    int *known = g->known + g->graph->adj0[i], n = 0, degree = 0;
    for (int k = 0; k < g->nelements[i]; ++k) {
        const int e = known[k];
        if (g->state[e] == ELEMENT && g->outside[e] == 0) {
            g->state[e] = ABSORBED; // it lies within p
        }
        if (g->state[e] == ELEMENT) {
            g->kept[n++] = e;
            degree += g->outside[e];
        }
    }
    g->kept[n++] = p;
    const int nelements = n;
    for (int k = g->nelements[i]; k < g->nknown[i]; ++k) {
        const int j = known[k];
        if (g->state[j] == REMAINS && g->mark[j] != g->nmarks) {
            g->kept[n++] = j;
            degree += g->graph->size[j];
        }
    }
    memcpy(known, g->kept, (size_t)n * sizeof *known); // p replaces itself or an element it absorbed: there is room
    g->nelements[i] = nelements;
    g->nknown[i] = n;
    const int others = g->degree[p] - g->graph->size[i], bound = g->degree[i] + others;
    g->degree[i] = degree + others < bound ? degree + others : bound;
}

static dal_status eliminate(quotient *g, dal_elimination *el, int p)
{
    const dal_graph *graph = g->graph;
    DAL_TRY(push(g->ctx, &el->order, p));
    DAL_TRY(push(g->ctx, &el->later0, el->later.n));
    DAL_TRY(collect(g, el, p));
    const int n = g->nmembers[p], *member = n > 0 ? el->later.x + g->first[p] : NULL;
    measure_outside(g, member, n);
    for (int m = 0; m < n; ++m) {
        renew(g, member[m], p);
        DAL_TRY(offer(g, member[m]));
    }
    for (int k = graph->adj0[p]; graph->level[p] == 0 && k < graph->adj0[p + 1]; ++k) {
        const int c = graph->adj[k];
        if (graph->level[c] > 0 && --g->waiting[c] == 0) {
            DAL_TRY(offer(g, c));
        }
    }
    return DAL_OK;
}

static void start(quotient *g)
{
    const dal_graph *graph = g->graph;
    memcpy(g->known, graph->adj, (size_t)graph->adj0[graph->n] * sizeof *g->known);
    for (int k = 0; k < graph->n; ++k) {
        g->nknown[k] = graph->adj0[k + 1] - graph->adj0[k];
        for (int a = graph->adj0[k]; a < graph->adj0[k + 1]; ++a) {
            g->degree[k] += graph->size[graph->adj[a]];
            g->waiting[k] += graph->level[k] > 0 && graph->level[graph->adj[a]] == 0;
        }
    }
}

static dal_status find_order(quotient *g, dal_elimination *el)
{
    for (int k = 0; k < g->graph->n; ++k) {
        DAL_TRY(offer(g, k));
    }
    while (g->nheap > 0) {
        const candidate c = heap_take(g);
        if (g->state[c.node] == REMAINS && c.stamp == g->stamp[c.node]) {
            DAL_TRY(eliminate(g, el, c.node));
        }
    }
    return push(g->ctx, &el->later0, el->later.n);
}

dal_status dal_minimum_degree(dal_elimination *el, dal_ctx *ctx, const dal_graph *graph)
{
    quotient g = {.ctx = ctx, .graph = graph, .arena = dal_arena_init(ctx)};
    *el = (dal_elimination){0};
    carve(&g);
    dal_status st = dal_arena_reserve(&g.arena);
    if (st == DAL_OK) {
        carve(&g);
        start(&g);
        st = find_order(&g, el);
    }
    dal_free(ctx, g.heap);
    dal_arena_release(&g.arena);
    return st;
}

void dal_elimination_release(dal_elimination *el, dal_ctx *ctx)
{
    dal_free(ctx, el->order.x);
    dal_free(ctx, el->later.x);
    dal_free(ctx, el->later0.x);
    *el = (dal_elimination){0};
}
