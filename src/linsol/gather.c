#include "linsol/gather_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"

/* Fewer values than this between two gaps are cleared along with them: they are written afterwards. */
enum { SHORT = 8 };

static void carve(dal_gather *g)
{
    g->run = dal_arena_take(&g->arena, (size_t)g->nruns, sizeof *g->run);
    g->gap = dal_arena_take(&g->arena, (size_t)g->ngaps, sizeof *g->gap);
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
                g->run[n++] = (dal_run){to[k], 0};
            }
            g->run[n - 1].length++;
        }
    }
}

/* Gaps of the places marked as used; with g->gap = NULL they are only counted. */
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
        if (g->gap != NULL) {
            g->gap[n - 1].at = joined ? g->gap[n - 1].at : start;
            g->gap[n - 1].length = i - g->gap[n - 1].at;
        }
        last = i;
    }
    return n;
}

dal_status dal_gather_plan(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, const char *settled, int nx)
{
    char *used = dal_alloc_zero(ctx, (size_t)nx);
    *g = (dal_gather){.arena = dal_arena_new(ctx)};
    if (used == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "places of the entries of a matrix");
    }
    if (settled != NULL) {
        memcpy(used, settled, (size_t)nx);
    }
    for (int k = 0; k < A->nnz; ++k) {
        used[to[k]] = 1;
    }
    g->nruns = count_runs(A, to);
    g->ngaps = find_gaps(g, used, nx);
    carve(g);
    const dal_status st = dal_arena_reserve(&g->arena);
    if (st == DAL_OK) {
        carve(g);
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

/* Are all values finite, and their sum too? */
static int all_finite(const double *restrict x, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        for (int r = 0; r < 4; ++r) {
            sum[r] += fabs(x[i + r]);
        }
    }
    for (; i < n; ++i) {
        sum[0] += fabs(x[i]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) <= DBL_MAX;
}

int dal_gather_load(const dal_gather *g, const dal_matrix *A, double *x)
{
    const double *from = A->x;
    for (int k = 0; k < g->ngaps; ++k) {
        dal_zero(x + g->gap[k].at, g->gap[k].length);
    }
    for (const dal_run *run = g->run, *end = g->run + g->nruns; run < end; from += run->length, ++run) {
        double *to = x + run->at;
        // the usual lengths are unrolled
        if (run->length == 6) {
            dal_copy(to, from, 6);
        } else if (run->length == 3) {
            dal_copy(to, from, 3);
        } else {
            const int n = run->length;
            for (int i = 0; i < n; ++i) {
                to[i] = from[i];
            }
        }
    }
    return all_finite(A->x, A->nnz);
}
