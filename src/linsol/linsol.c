/* Solvers: choice of the backend, dispatch, and what all backends share. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "linsol/linsol_impl.h"

/* ---- matrix ----------------------------------------------------------------------------------- */

void dal_matrix_zero(dal_matrix *A)
{
    memset(A->x, 0, (size_t)A->nnz * sizeof *A->x);
}

void dal_matrix_add(dal_matrix *A, int slot, const double *block, int ld, int ni, int nj)
{
    for (int j = 0; j < nj; ++j) {
        double *restrict x = A->x + A->slot[slot][j];
        const double *restrict b = block + (size_t)j * (size_t)ld;
        for (int i = 0; i < ni; ++i) {
            x[i] += b[i];
        }
    }
}

void dal_matrix_mul(const dal_matrix *A, double *y, const double *x)
{
    const int n = A->n;
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
    }
    for (int j = 0; j < n; ++j) {
        if (A->dense) {
            for (int i = 0; i < n; ++i) {
                y[i] += A->x[i + j * n] * x[j];
            }
        } else {
            for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
                y[A->row[k]] += A->x[k] * x[j];
            }
        }
    }
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Arrays of the matrix, of the common part and of the backend. */
static void carve(dal_linsol *ls, const dal_pattern *p)
{
    dal_arena *arena = &ls->arena;
    const int n = ls->A.n;
    ls->A.x = dal_arena_reals(arena, ls->A.nnz);
    ls->colptr = ls->type->dense ? NULL : dal_arena_ints(arena, n + 1);
    ls->row = ls->type->dense ? NULL : dal_arena_ints(arena, ls->A.nnz);
    ls->slot = dal_arena_take(arena, (size_t)p->nblocks, sizeof *ls->slot);
    int *slots = dal_arena_ints(arena, (int)p->ncolumns);
    if (slots != NULL) {
        for (int k = 0; k < p->nblocks; ++k) {
            ls->slot[k] = slots;
            slots += p->block[k].nj;
        }
    }
    ls->probe = dal_arena_reals(arena, n);
    ls->sign = dal_arena_reals(arena, n);
    ls->type->carve(ls, arena);
}

static dal_status build(dal_linsol *ls, const dal_pattern *p)
{
    carve(ls, p);
    DAL_TRY(dal_arena_reserve(&ls->arena));
    carve(ls, p);
    if (ls->type->dense) {
        dal_pattern_dense_slots(p, ls->slot);
    } else {
        DAL_TRY(dal_pattern_compress(p, ls->colptr, ls->row, ls->slot));
    }
    ls->A.colptr = ls->colptr;
    ls->A.row = ls->row;
    ls->A.slot = (const int *const *)ls->slot;
    return ls->type->analyse != NULL ? ls->type->analyse(ls, p) : DAL_OK;
}

static dal_status create(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *p, const linsol_type *type)
{
    size_t nnz = (size_t)p->n * (size_t)p->n;
    *ls = NULL;
    if (!type->dense) {
        DAL_TRY(dal_pattern_count(p, &nnz));
    }
    if (nnz > INT_MAX) {
        return dal_fail(ctx, DAL_EINVAL, "%s: a matrix with %d rows and %zu entries is too large", type->name, p->n,
                        nnz);
    }
    dal_linsol *s = dal_alloc_zero(ctx, type->size);
    if (s == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "linear solver %s", type->name);
    }
    s->type = type;
    s->ctx = ctx;
    s->arena = dal_arena_new(ctx);
    s->A.n = p->n;
    s->A.nnz = (int)nnz;
    s->A.dense = type->dense;
    s->A.nslots = p->nblocks;
    s->singular_row = -1;
    const dal_status st = build(s, p);
    if (st != DAL_OK) {
        dal_linsol_destroy(s);
        return st;
    }
    *ls = s;
    return DAL_OK;
}

/* ---- choice ----------------------------------------------------------------------------------- */

/* Measured with gcc 12, SSE2 code of ours against OpenBLAS 0.3.21 on one thread. Up to ALWAYS nothing beats the small
 * solver. Above, an operation of block elimination costs about as much as one of a dense LU, one of KLU 20 to 40 times
 * that (n = 36 to 420). Full matrices: small 56.1 us, LAPACK 56.9 us at n = 100; 179 and 142 us at n = 150. Beyond
 * DENSE_MAX the memory decides. Chains of links with spherical joints, us per step and link, small / block / KLU:
 * 1.09 / 1.16 / 1.45 (1 link), 1.07 / 1.00 / 1.55 (2), 1.43 / 0.97 / 1.59 (5), - / 1.00 / 1.71 (100). */
enum { ALWAYS = 12, KLU_WEIGHT = 25, SMALL_MAX = 120, DENSE_MAX = 4000 };

/* A sparse solver if it promises to be cheaper than `cost`, which it then lowers; *ls may hold another one already. */
static dal_status try_sparse(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *p, const linsol_type *type, double *cost)
{
    dal_linsol *s;
    DAL_TRY(create(&s, ctx, p, type));
    const double mine = type == &dal_linsol_klu ? KLU_WEIGHT * dal_klu_operations(s) : dal_block_operations(s);
    if (mine >= *cost) {
        dal_linsol_destroy(s);
        return DAL_OK;
    }
    dal_linsol_destroy(*ls);
    *ls = s;
    *cost = mine;
    return DAL_OK;
}

static dal_status choose(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *p)
{
    const double n = p->n;
    double cost = p->n > DENSE_MAX ? HUGE_VAL : 2.0 / 3.0 * n * n * n;
    int nodes;
    dal_status st = dal_pattern_has_nodes(p, &nodes);
    if (st == DAL_OK && p->n > ALWAYS && nodes) {
        st = try_sparse(ls, ctx, p, &dal_linsol_block, &cost);
    }
    if (st == DAL_OK && p->n > ALWAYS) {
        st = try_sparse(ls, ctx, p, &dal_linsol_klu, &cost);
    }
    if (st != DAL_OK) {
        dal_linsol_destroy(*ls);
        *ls = NULL;
        return st;
    }
    return *ls != NULL ? DAL_OK : create(ls, ctx, p, p->n <= SMALL_MAX ? &dal_linsol_small : &dal_linsol_lapack);
}

dal_status dal_linsol_create(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *pattern, dal_linsol_kind kind)
{
    *ls = NULL;
    switch (kind) {
    case DAL_LINSOL_AUTO:
        return choose(ls, ctx, pattern);
    case DAL_LINSOL_SMALL:
        return create(ls, ctx, pattern, &dal_linsol_small);
    case DAL_LINSOL_LAPACK:
        return create(ls, ctx, pattern, &dal_linsol_lapack);
    case DAL_LINSOL_KLU:
        return create(ls, ctx, pattern, &dal_linsol_klu);
    case DAL_LINSOL_BLOCK:
        return create(ls, ctx, pattern, &dal_linsol_block);
    }
    return dal_fail(ctx, DAL_EINVAL, "there is no linear solver of kind %d", (int)kind);
}

void dal_linsol_destroy(dal_linsol *ls)
{
    if (ls != NULL) {
        dal_ctx *ctx = ls->ctx;
        if (ls->type->release != NULL) {
            ls->type->release(ls);
        }
        dal_arena_release(&ls->arena);
        dal_free(ctx, ls);
    }
}

dal_matrix *dal_linsol_matrix(dal_linsol *ls)
{
    return &ls->A;
}

const char *dal_linsol_name(const dal_linsol *ls)
{
    return ls->type->name;
}

/* ---- factor and solve ------------------------------------------------------------------------- */

/* Row of the first entry that is not finite or so large that sums overflow. */
static int infinite_row(const dal_matrix *A)
{
    for (int k = 0; k < A->nnz; ++k) {
        if (!(fabs(A->x[k]) <= DBL_MAX / A->nnz)) {
            return A->dense ? k % A->n : A->row[k];
        }
    }
    return 0;
}

dal_status dal_linsol_factor(dal_linsol *ls)
{
    ls->factored = 0;
    ls->singular_row = -1;
    ls->norm1 = ls->type->load(ls);
    if (!(ls->norm1 <= DBL_MAX)) {
        ls->singular_row = infinite_row(&ls->A);
        return dal_fail(ls->ctx, DAL_SINGULAR, "equation %d of %d has an entry that is not finite or too large",
                        ls->singular_row, ls->A.n);
    }
    const dal_status st = ls->type->factor(ls);
    if (st == DAL_SINGULAR) {
        return dal_fail(ls->ctx, DAL_SINGULAR, "no pivot for equation %d of %d", ls->singular_row, ls->A.n);
    }
    ls->factored = st == DAL_OK;
    return st;
}

int dal_linsol_singular_row(const dal_linsol *ls)
{
    return ls->singular_row;
}

void dal_linsol_solve(const dal_linsol *ls, double *b)
{
    assert(ls->factored);
    ls->type->solve(ls, b);
}

double dal_linsol_rcond(dal_linsol *ls)
{
    if (!ls->factored) {
        return 0.0;
    }
    return 1.0 / dal_inverse_norm1(ls) / ls->norm1;
}

/* ---- snapshots -------------------------------------------------------------------------------- */

/* n, nnz, storage; factored, singular row, norm; values; then what the backend adds. */
enum { HEAD = 6 };

size_t dal_klu_snapshot_size(const dal_linsol *ls)
{
    return HEAD + (size_t)ls->A.nnz + dal_linsol_klu.snapshot_size(ls);
}

size_t dal_linsol_snapshot_size(const dal_linsol *ls)
{
    return HEAD + (size_t)ls->A.nnz + ls->type->snapshot_size(ls);
}

void dal_linsol_save(const dal_linsol *ls, double *snapshot)
{
    const size_t nnz = (size_t)ls->A.nnz;
    const double head[HEAD] = {ls->A.n, ls->A.nnz, ls->A.dense, ls->factored, ls->singular_row, ls->norm1};
    memcpy(snapshot, head, sizeof head);
    memcpy(snapshot + HEAD, ls->A.x, nnz * sizeof *snapshot);
    ls->type->save(ls, snapshot + HEAD + nnz);
}

int dal_snapshot_whole(double x, double min, double max)
{
    return x >= min && x <= max && x == floor(x);
}

int dal_snapshot_finite(const double *x, size_t n)
{
    size_t i = 0;
    while (i < n && isfinite(x[i])) {
        ++i;
    }
    return i == n;
}

dal_status dal_snapshot_damaged(const dal_linsol *ls, const char *what)
{
    return dal_fail(ls->ctx, DAL_ESNAPSHOT, "linear solver %s: the snapshot is damaged, %s", ls->type->name, what);
}

/* A bad number is refused before it is used. `factored` is set before the backend looks at its part: what it checks
 * depends on whether the factors will be used. */
dal_status dal_linsol_restore(dal_linsol *ls, const double *snapshot)
{
    DAL_NEED(NULL, ls);
    DAL_NEED(ls->ctx, snapshot);
    const size_t nnz = (size_t)ls->A.nnz;
    if (!(snapshot[0] == ls->A.n && snapshot[1] == ls->A.nnz && snapshot[2] == ls->A.dense)) {
        return dal_fail(ls->ctx, DAL_ESNAPSHOT, "saved from a matrix with %.0f rows and %.0f entries, not %d and %d",
                        snapshot[0], snapshot[1], ls->A.n, ls->A.nnz);
    }
    const int whole = dal_snapshot_whole(snapshot[3], 0, 1) && dal_snapshot_whole(snapshot[4], -1, ls->A.n - 1);
    if (!whole || (snapshot[3] == 1.0 && !(snapshot[5] >= 0.0 && snapshot[5] <= DBL_MAX))) {
        return dal_snapshot_damaged(ls, "its head makes no sense");
    }
    ls->factored = snapshot[3] == 1.0;
    memcpy(ls->A.x, snapshot + HEAD, nnz * sizeof *snapshot);
    const dal_status st = ls->type->restore(ls, snapshot + HEAD + nnz);
    ls->factored = st == DAL_OK && ls->factored;
    ls->singular_row = (int)snapshot[4];
    ls->norm1 = snapshot[5];
    return st;
}

int dal_linsol_factored(const dal_linsol *ls)
{
    return ls != NULL && ls->factored;
}

void dal_linsol_forget(dal_linsol *ls)
{
    if (ls != NULL) {
        ls->factored = 0;
        ls->singular_row = -1;
        if (ls->type->forget != NULL) {
            ls->type->forget(ls);
        }
    }
}
