/* Dependent columns of a large sparse matrix, by LU in two steps.
 *
 * LU takes the columns in an order that keeps the factors sparse, not in the order of what they have left. A column that is dependent
 * but for a little would bring a direction full of rounding errors, after which its partners look independent. So the first
 * step sets such columns aside: it gives a well-conditioned set S, and some candidates. Those of which S leaves nothing are
 * dependent; what is left of the others, few if any, goes through a pivoted QR. */
#include <math.h>

#include "linsol/rank_impl.h"
#include "linsol/sparse_lu_impl.h"
#include "linsol/sparse_order_impl.h"

/* A column, of length one, is set aside when no entry of what is left of it is above LOOSE; it is dependent when the length of that
 * is not above CERTAIN of the tolerance. */
#define LOOSE 1e-4
#define CERTAIN 0.1

/* What becomes of a column: c->dead. */
enum { INDEPENDENT, DEPENDENT, UNDECIDED };

typedef struct elimination {
    sparse_lu f;
    int *order; /* ncols */
    dal_arena arena;
} elimination;

static void carve(elimination *e, const rank_columns *c)
{
    e->order = dal_arena_ints(&e->arena, c->ncols);
    dal_sparse_lu_carve(&e->f, &e->arena, c->n, c->ncols);
}

static dal_status eliminate(sparse_lu *f, const rank_columns *c, int j)
{
    const int first = c->p[j];
    return dal_sparse_lu_column(f, c->p[j + 1] - first, c->i + first, c->x + first, NULL);
}

static int judge(const rank_columns *c, const sparse_lu *f, int row)
{
    double sum = 0.0;
    if (row >= 0 && fabs(f->w[row]) > fmax(c->tol, LOOSE)) {
        return INDEPENDENT;
    }
    for (int k = 0; k < f->nrest; ++k) {
        sum = hypot(sum, f->w[f->rest[k]]);
    }
    return sum <= CERTAIN * c->tol ? DEPENDENT : UNDECIDED;
}

static dal_status first_step(rank_columns *c, elimination *e, int *nundecided)
{
    sparse_lu *f = &e->f;
    dal_column_cost cost;
    DAL_TRY(dal_column_order(e->order, &cost, c->ctx, c->n, c->ncols, c->p, c->i));
    dal_sparse_lu_begin(f);
    for (int k = 0; k < c->ncols; ++k) {
        const int j = e->order[k];
        DAL_TRY(eliminate(f, c, j));
        const int row = dal_sparse_lu_largest(f);
        c->dead[j] = judge(c, f, row);
        *nundecided += c->dead[j] == UNDECIDED;
        if (c->dead[j] == INDEPENDENT) {
            dal_sparse_lu_take(f, row);
        } else {
            dal_sparse_lu_leave(f);
        }
    }
    return DAL_OK;
}

/* What is left of the undecided columns, as a dense matrix of the rows without pivot. */
typedef struct remainders {
    int nrows, ncols;
    int *number, *column, *dead; /* of the rows without pivot; of the columns; the verdict on these */
    double *X;
    dal_arena arena;
} remainders;

static void carve_remainders(remainders *r, const rank_columns *c)
{
    r->number = dal_arena_ints(&r->arena, c->n);
    r->column = dal_arena_ints(&r->arena, r->ncols);
    r->dead = dal_arena_ints(&r->arena, r->ncols);
    r->X = dal_arena_take(&r->arena, (size_t)r->nrows * (size_t)r->ncols, sizeof *r->X);
}

static dal_status gather(remainders *r, const rank_columns *c, sparse_lu *f)
{
    double *x = r->X;
    for (int i = 0, n = 0; i < c->n; ++i) {
        r->number[i] = f->place[i] < 0 ? n++ : -1;
    }
    for (int j = 0, n = 0; j < c->ncols; ++j) {
        if (c->dead[j] == UNDECIDED) {
            r->column[n++] = j;
            DAL_TRY(eliminate(f, c, j));
            for (int k = 0; k < f->nrest; ++k) {
                x[r->number[f->rest[k]]] = f->w[f->rest[k]];
            }
            dal_sparse_lu_leave(f);
            x += r->nrows;
        }
    }
    return DAL_OK;
}

static dal_status second_step(rank_columns *c, sparse_lu *f, int nundecided)
{
    remainders r = {.nrows = c->n - f->rank, .ncols = nundecided, .arena = dal_arena_init(c->ctx)};
    carve_remainders(&r, c);
    DAL_TRY(dal_arena_reserve(&r.arena));
    carve_remainders(&r, c);
    dal_status st = gather(&r, c, f);
    st = st != DAL_OK ? st : dal_rank_pivoted(c->ctx, r.X, r.dead, r.nrows, r.ncols, r.nrows, c->tol);
    for (int k = 0; st == DAL_OK && k < r.ncols; ++k) {
        c->dead[r.column[k]] = r.dead[k] ? DEPENDENT : INDEPENDENT;
    }
    dal_arena_release(&r.arena);
    return st;
}

dal_status dal_rank_sparse(rank_columns *c)
{
    elimination e = {.arena = dal_arena_init(c->ctx)};
    int nundecided = 0;
    carve(&e, c);
    DAL_TRY(dal_arena_reserve(&e.arena));
    carve(&e, c);
    dal_status st = first_step(c, &e, &nundecided);
    if (st == DAL_OK && nundecided > 0) {
        st = second_step(c, &e.f, nundecided);
    }
    dal_sparse_lu_release(&e.f);
    dal_arena_release(&e.arena);
    return st;
}
