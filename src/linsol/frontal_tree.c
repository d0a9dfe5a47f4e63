/* Fronts from an order of elimination. A node is eliminated after those it is a later neighbour of; its first later
 * neighbour is its parent, and the later neighbours of a node are, but for the parent, neighbours of the parent as well.
 * So a node can share the front of its parent at the price of some zeros: fewer and larger fronts. (LS.9) */
#include <string.h>

#include "linsol/frontal_impl.h"

/* Joining is worth it up to these shares of zeros, for fronts that eliminate up to so many unknowns. */
static const struct {
    int np;
    double zeros;
} relaxed[] = {{8, 0.5}, {24, 0.3}, {64, 0.12}, {1 << 30, 0.04}};

/* What a front costs, in operations of a small dense LU: once, for each entry of its matrix, for each operation of the
 * product that changes the remainder; those of the panels count once. Measured with fronts of 6 to 240 unknowns. */
static const double cost_front = 400.0, cost_entry = 6.0, cost_product = 0.12;

/* Lists of children. */
typedef struct family {
    int *head, *next;
} family;

static void carve(front_tree *t)
{
    const int n = t->order->nnodes;
    t->into = dal_arena_ints(&t->arena, n);
    t->np = dal_arena_ints(&t->arena, n);
    t->front = dal_arena_ints(&t->arena, n);
}

static double front_entries(double np, double nb)
{
    return np * (np + 2.0 * nb);
}

static int worth_joining(int np, double zeros)
{
    int k = 0;
    while (np > relaxed[k].np) {
        ++k;
    }
    return zeros <= relaxed[k].zeros;
}

/* Join children to p where that is worth it; the others, and the children of those joined, remain children of p.
 * entries: of each front without the zeros that joining has brought. */
static void join_children(front_tree *t, const family *f, double *entries, int p)
{
    const int *width = t->order->width;
    int child = f->head[p], remaining = -1;
    while (child >= 0) {
        const int next = f->next[child], np = t->np[p] + t->np[child];
        const double full = front_entries(np, width[p]), filled = entries[p] + entries[child];
        if (worth_joining(np, 1.0 - filled / full)) {
            t->into[child] = p;
            t->np[p] = np;
            entries[p] = filled;
            for (int c = f->head[child]; c >= 0;) {
                const int after = f->next[c];
                f->next[c] = remaining;
                remaining = c;
                c = after;
            }
        } else {
            f->next[child] = remaining;
            remaining = child;
        }
        child = next;
    }
    f->head[p] = remaining;
}

/* Fronts in an order in which those of a subtree follow each other; root: head of the list of roots. */
static void number_fronts(front_tree *t, const family *f, int root)
{
    int *path = t->front + t->order->nnodes; // the way down grows from the end, the result from the start
    int k = root, n = 0;
    while (k >= 0 || path < t->front + t->order->nnodes) {
        if (k >= 0) {
            *--path = k;
            k = f->head[k];
        } else {
            const int done = *path++;
            t->front[n++] = done;
            k = f->next[done];
        }
    }
    t->nfronts = n;
}

static void add_up(front_tree *t, const family *f)
{
    double waiting = 0.0;
    for (int k = 0; k < t->nfronts; ++k) {
        const int p = t->front[k];
        const double np = t->np[p], nb = t->order->width[p];
        t->operations += np * (2.0 / 3.0 * np * np + 2.0 * np * nb + 2.0 * nb * nb);
        t->cost += cost_front + cost_entry * (np + nb) * (np + nb) + cost_product * 2.0 * np * nb * nb;
        t->cost += np * np * (2.0 / 3.0 * np + 2.0 * nb);
        t->entries += front_entries(np, nb);
        t->stack = waiting + nb * nb > t->stack ? waiting + nb * nb : t->stack;
        for (int c = f->head[p]; c >= 0; c = f->next[c]) {
            const double border = t->order->width[c];
            waiting -= border * border;
        }
        waiting += nb * nb;
    }
}

dal_status dal_front_tree_init(front_tree *t, dal_ctx *ctx, const block_order *o)
{
    const int n = o->nnodes;
    *t = (front_tree){.order = o, .arena = dal_arena_init(ctx)};
    carve(t);
    DAL_TRY(dal_arena_reserve(&t->arena));
    carve(t);
    double *entries = dal_alloc(ctx, (size_t)n * (sizeof(double) + 2 * sizeof(int)));
    if (entries == NULL) {
        dal_front_tree_release(t);
        return dal_fail(ctx, DAL_ENOMEM, "fronts");
    }
    family f = {.head = (int *)(entries + n), .next = (int *)(entries + n) + n};
    int roots = -1;
    memset(f.head, -1, (size_t)n * sizeof *f.head); // all bits set: -1
    for (int p = 0; p < n; ++p) {
        t->into[p] = p;
        t->np[p] = o->size[p];
        entries[p] = front_entries(o->size[p], o->width[p]);
        join_children(t, &f, entries, p);
        int *list = o->adj0[p] < o->adj0[p + 1] ? &f.head[o->adj[o->adj0[p]]] : &roots;
        f.next[p] = *list;
        *list = p;
    }
    number_fronts(t, &f, roots);
    add_up(t, &f);
    dal_free(ctx, entries);
    return DAL_OK;
}

void dal_front_tree_release(front_tree *t)
{
    dal_arena_release(&t->arena);
}
