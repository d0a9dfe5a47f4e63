#include "linsol/gather_impl.h"

#include "base/vector.h"

/* With g->run = NULL they are only counted. */
static int find_runs(const dal_gather *g, const dal_matrix *A, const int *to)
{
    int n = 0;
    for (int k = 0; k < A->nnz; ++k) {
        const int starts = k == 0 || to[k] != to[k - 1] + 1;
        n += starts;
        if (g->run != NULL && starts) {
            g->run[n - 1] = (dal_run){k, to[k], 0};
        }
        if (g->run != NULL) {
            g->run[n - 1].n++;
        }
    }
    return n;
}

dal_status dal_gather_init(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, int nx)
{
    *g = (dal_gather){.nx = nx, .arena = dal_arena_init(ctx)};
    g->nruns = find_runs(g, A, to);
    (void)dal_arena_take(&g->arena, (size_t)g->nruns, sizeof *g->run);
    DAL_TRY(dal_arena_reserve(&g->arena));
    g->run = dal_arena_take(&g->arena, (size_t)g->nruns, sizeof *g->run);
    (void)find_runs(g, A, to);
    return DAL_OK;
}

void dal_gather_release(dal_gather *g)
{
    dal_arena_release(&g->arena);
}

DAL_INLINE void copy_run(double *restrict to, const double *restrict from, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        *(dal_two *)(to + i) = *(const dal_two *)(from + i);
    }
    if (i < n) {
        to[i] = from[i];
    }
}

void dal_gather_load(const dal_gather *g, double *x, const dal_matrix *A)
{
    dal_zero(x, g->nx);
    for (const dal_run *r = g->run, *end = g->run + g->nruns; r < end; ++r) {
        double *to = x + r->to;
        const double *from = A->x + r->from;
        if (r->n == 6) { // as bodies have, unrolled
            copy_run(to, from, 6);
        } else {
            copy_run(to, from, r->n);
        }
    }
}
