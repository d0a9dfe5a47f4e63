/* Which mode became which, from one set of modes to another: assignment of least cost. */
#include <math.h>

#include "analysis/modal_impl.h"
#include "base/message.h"
#include "base/vector.h"

/* Shapes count as 1 - MAC, eigenvalues by half their relative distance; pairs that cost more than this are none. */
static const double too_different = 1.2;

static double cost(const dal_modal *a, int i, const dal_modal *b, int j, double *assurance)
{
    const dal_mode p = a->mode[i], q = b->mode[j];
    if (p.rigid != q.rigid) {
        *assurance = 0.0;
        return 2.0;
    }
    const double size = fmax(hypot(p.re, p.im), hypot(q.re, q.im));
    const double apart = size > 0.0 ? hypot(p.re - q.re, p.im - q.im) / size : 0.0;
    *assurance = dal_modal_assurance(dal_modal_shape(a, i), dal_modal_shape(b, j), a->info.nv);
    return 1.0 - *assurance + 0.5 * apart;
}

/* Memory of the assignment: rows and columns are numbered from 1, 0 stands for none. */
typedef struct assignment {
    int n;          /* both sides are filled up to the same number */
    double *c;      /* n x n */
    double *u, *v;  /* potentials */
    double *least;  /* least reduced cost of each column */
    int *row, *way; /* row of a column; column before it on the path */
    int *used;
    dal_arena arena;
} assignment;

static void carve(assignment *s)
{
    s->c = dal_arena_take(&s->arena, (size_t)s->n * (size_t)s->n, sizeof(double));
    s->u = dal_arena_reals(&s->arena, s->n + 1);
    s->v = dal_arena_reals(&s->arena, s->n + 1);
    s->least = dal_arena_reals(&s->arena, s->n + 1);
    s->row = dal_arena_ints(&s->arena, s->n + 1);
    s->way = dal_arena_ints(&s->arena, s->n + 1);
    s->used = dal_arena_ints(&s->arena, s->n + 1);
}

/* Extend the matching by the row that stands in column 0: shortest path with potentials. */
static void extend(assignment *s)
{
    int column = 0;
    for (int j = 0; j <= s->n; ++j) {
        s->least[j] = INFINITY;
        s->used[j] = 0;
    }
    do {
        s->used[column] = 1;
        const int i = s->row[column];
        double delta = INFINITY;
        int next = 0;
        for (int j = 1; j <= s->n; ++j) {
            if (!s->used[j]) {
                const double reduced = s->c[dal_entry(i - 1, j - 1, s->n)] - s->u[i] - s->v[j];
                if (reduced < s->least[j]) {
                    s->least[j] = reduced;
                    s->way[j] = column;
                }
                if (s->least[j] < delta) {
                    delta = s->least[j];
                    next = j;
                }
            }
        }
        for (int j = 0; j <= s->n; ++j) {
            if (s->used[j]) {
                s->u[s->row[j]] += delta;
                s->v[j] -= delta;
            } else {
                s->least[j] -= delta;
            }
        }
        column = next;
    } while (s->row[column] != 0);
    while (column != 0) {
        s->row[column] = s->row[s->way[column]];
        column = s->way[column];
    }
}

dal_status dal_modal_match(int *match, double *assurance, const dal_modal *a, const dal_modal *b)
{
    DAL_NEED(NULL, a);
    DAL_NEED(a->ctx, b);
    DAL_NEED(a->ctx, match);
    if (a->info.nv != b->info.nv) {
        return dal_fail(a->ctx, DAL_EINVAL, "modes of %d and of %d velocities cannot be compared", a->info.nv,
                        b->info.nv);
    }
    const int na = a->info.n, nb = b->info.n;
    assignment s = {.n = na > nb ? na : nb, .arena = dal_arena_init(a->ctx)};
    carve(&s);
    DAL_TRY(dal_arena_reserve(&s.arena));
    carve(&s);
    for (int j = 0; j < s.n; ++j) {
        for (int i = 0; i < s.n; ++i) {
            double mac;
            s.c[dal_entry(i, j, s.n)] = i < na && j < nb ? cost(a, i, b, j, &mac) : too_different;
        }
    }
    for (int i = 1; i <= s.n; ++i) {
        s.row[0] = i;
        extend(&s);
    }
    for (int j = 0; j < nb; ++j) {
        const int i = s.row[j + 1] - 1;
        double mac = 0.0;
        match[j] = i < na && cost(a, i, b, j, &mac) < too_different ? i : -1;
        if (assurance) {
            assurance[j] = match[j] >= 0 ? mac : 0.0;
        }
    }
    dal_arena_release(&s.arena);
    return DAL_OK;
}
