#include "linsol/gather_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Fewer values than this between two gaps are cleared along with them: they are written afterwards. */
enum { SHORT = 8 };

static void carve(dal_gather *g, int n, int nruns, int ngaps)
{
    g->run0 = dal_arena_ints(&g->arena, n + 1);
    g->run_to = dal_arena_ints(&g->arena, nruns);
    g->run_length = dal_arena_ints(&g->arena, nruns);
    g->gap_at = dal_arena_ints(&g->arena, ngaps);
    g->gap_length = dal_arena_ints(&g->arena, ngaps);
}

static int starts_run(const dal_matrix *A, const int *to, int j, int k)
{
    return k == A->colptr[j] || to[k] != to[k - 1] + 1;
}

static int count_runs(const dal_matrix *A, const int *to)
{
    int n = 0;
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            n += starts_run(A, to, j, k);
        }
    }
    return n;
}

static void find_runs(dal_gather *g, const dal_matrix *A, const int *to)
{
    int n = 0;
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            if (starts_run(A, to, j, k)) {
                g->run_to[n] = to[k];
                g->run_length[n++] = 0;
            }
            g->run_length[n - 1]++;
        }
        g->run0[j + 1] = n;
    }
}

/* Gaps of the places marked as used; with g->gap_at = NULL they are only counted. */
static int find_gaps(const dal_gather *g, const char *used, int nx)
{
    int n = 0, last = -SHORT - 1; // end of the last gap
    for (int i = 0; i < nx;) {
        if (used[i]) {
            ++i;
            continue;
        }
        const int start = i;
        while (i < nx && !used[i]) {
            ++i;
        }
        const int joined = start - last < SHORT;
        n += !joined;
        if (g->gap_at != NULL) {
            g->gap_at[n - 1] = joined ? g->gap_at[n - 1] : start;
            g->gap_length[n - 1] = i - g->gap_at[n - 1];
        }
        last = i;
    }
    return n;
}

dal_status dal_gather_plan(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, int nx)
{
    char *used = dal_alloc_zero(ctx, (size_t)nx);
    *g = (dal_gather){.arena = dal_arena_new(ctx)};
    if (used == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "places of the entries of a matrix");
    }
    for (int k = 0; k < A->nnz; ++k) {
        used[to[k]] = 1;
    }
    const int nruns = count_runs(A, to);
    g->ngaps = find_gaps(g, used, nx);
    carve(g, A->n, nruns, g->ngaps);
    const dal_status st = dal_arena_reserve(&g->arena);
    if (st == DAL_OK) {
        carve(g, A->n, nruns, g->ngaps);
        find_runs(g, A, to);
        find_gaps(g, used, nx);
    }
    dal_free(ctx, used);
    return st;
}

void dal_gather_release(dal_gather *g)
{
    dal_arena_release(&g->arena);
}

double dal_gather_load(const dal_gather *g, const dal_matrix *A, double *x)
{
    const double *from = A->x;
    double max = 0.0, total = 0.0;
    for (int k = 0; k < g->ngaps; ++k) {
        memset(x + g->gap_at[k], 0, (size_t)g->gap_length[k] * sizeof *x);
    }
    for (int j = 0, r = 0; j < A->n; ++j) {
        double sum = 0.0;
        for (; r < g->run0[j + 1]; ++r) {
            double *restrict to = x + g->run_to[r];
            const int n = g->run_length[r];
            for (int i = 0; i < n; ++i) {
                to[i] = from[i];
                sum += fabs(from[i]);
            }
            from += n;
        }
        total += sum;
        max = sum > max ? sum : max;
    }
    return total <= DBL_MAX ? max : HUGE_VAL;
}
