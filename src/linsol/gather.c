#include "linsol/gather_impl.h"

#include <string.h>

#include "base/vector.h"

/* Fewer values than this between two gaps are cleared along with them: they are written afterwards. */
enum { SHORT = 8 };

static void carve(dal_gather *g)
{
    g->patch = dal_arena_take(&g->arena, (size_t)g->npatches, sizeof *g->patch);
    g->gap = dal_arena_take(&g->arena, (size_t)g->ngaps, sizeof *g->gap);
}

/* Does entry k not follow the one before it? */
static int starts_run(const dal_matrix *A, const int *to, int j, int k)
{
    return k == A->colptr[j] || to[k] != to[k - 1] + 1;
}

/* Do the entries of column j continue those of the columns first .. j - 1, all at the same distances? */
static int continues(const dal_matrix *A, const int *to, int first, int j)
{
    const int *p = A->colptr, n = p[j + 1] - p[j];
    int yes = n == p[first + 1] - p[first];
    for (int i = 0; i < n && yes; ++i) {
        const int a = p[first] + i, b = p[first + 1] + i, last = p[j - 1] + i, k = p[j] + i;
        yes = starts_run(A, to, first, a) == starts_run(A, to, j, k) &&
              (j == first + 1 || to[k] - to[last] == to[b] - to[a]);
    }
    return yes;
}

/* Patches of the columns first .. end - 1; with g->patch = NULL they are only counted. n: how many there are before. */
static int add_patches(const dal_gather *g, const dal_matrix *A, const int *to, int first, int end, int n)
{
    const int *p = A->colptr, step = p[first + 1] - p[first];
    for (int k = p[first]; k < p[first + 1]; ++k) {
        const int starts = starts_run(A, to, first, k);
        n += starts;
        if (g->patch != NULL && starts) {
            const int step_to = end - first > 1 ? to[k + step] - to[k] : 0;
            g->patch[n - 1] = (dal_patch){k, step, to[k], step_to, 0, end - first};
        }
        if (g->patch != NULL) {
            g->patch[n - 1].ni++;
        }
    }
    return n;
}

static int find_patches(const dal_gather *g, const dal_matrix *A, const int *to)
{
    int n = 0;
    for (int first = 0, end; first < A->n; first = end) {
        for (end = first + 1; end < A->n && continues(A, to, first, end);) {
            ++end;
        }
        n = add_patches(g, A, to, first, end, n);
    }
    return n;
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

dal_status dal_gather_init(dal_gather *g, dal_ctx *ctx, const dal_matrix *A, const int *to, const char *settled, int nx)
{
    char *used = dal_alloc_zero(ctx, (size_t)nx);
    *g = (dal_gather){.arena = dal_arena_init(ctx)};
    if (used == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "places of the entries of a matrix");
    }
    if (settled != NULL) {
        memcpy(used, settled, (size_t)nx);
    }
    for (int k = 0; k < A->nnz; ++k) {
        used[to[k]] = 1;
    }
    g->npatches = find_patches(g, A, to);
    g->ngaps = find_gaps(g, used, nx);
    carve(g);
    const dal_status st = dal_arena_reserve(&g->arena);
    if (st == DAL_OK) {
        carve(g);
        find_patches(g, A, to);
        find_gaps(g, used, nx);
    }
    dal_free(ctx, used);
    return st;
}

void dal_gather_release(dal_gather *g)
{
    dal_arena_release(&g->arena);
}

/* Copy a patch of n rows. */
static inline __attribute__((always_inline)) void copy_patch(double *to, const double *from, const dal_patch *p, int n)
{
    const ptrdiff_t step_to = p->step_to, step_from = p->step_from;
    for (int j = p->nj; j > 0; --j, to += step_to, from += step_from) {
        int i = 0;
        for (; i + 1 < n; i += 2) {
            *(dal_two *)(to + i) = *(const dal_two *)(from + i);
        }
        if (i < n) {
            to[i] = from[i];
        }
    }
}

void dal_gather_load(const dal_gather *g, double *x, const dal_matrix *A)
{
    for (int k = 0; k < g->ngaps; ++k) {
        dal_zero(x + g->gap[k].at, g->gap[k].length);
    }
    for (const dal_patch *p = g->patch, *end = g->patch + g->npatches; p < end; ++p) {
        double *to = x + p->to;
        const double *from = A->x + p->from;
        // the usual lengths are unrolled
        if (p->ni == 6) {
            copy_patch(to, from, p, 6);
        } else if (p->ni == 3) {
            copy_patch(to, from, p, 3);
        } else {
            copy_patch(to, from, p, p->ni);
        }
    }
}
