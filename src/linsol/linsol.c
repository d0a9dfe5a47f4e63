/* Solvers: choice of the backend, dispatch, and what all backends share. */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "linsol/cost.h"
#include "linsol/frontal_impl.h"
#include "linsol/in_place.h"
#include "linsol/many.h"
#include "linsol/pass.h"

/* ---- matrix ----------------------------------------------------------------------------------- */

void dal_matrix_zero(dal_matrix *A)
{
    dal_zero(A->x, A->nnz);
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

void dal_matrix_mul(const dal_matrix *A, double *restrict y, const double *restrict x)
{
    const int n = A->n;
    const int *restrict row = A->row, *restrict colptr = A->colptr;
    const double *restrict a = A->x;
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
    }
    for (int j = 0; j < n; ++j) {
        const double xj = x[j];
        if (A->dense) {
            for (int i = 0; i < n; ++i) {
                y[i] += a[i + j * n] * xj;
            }
        } else {
            for (int k = colptr[j], end = colptr[j + 1]; k < end; ++k) {
                y[row[k]] += a[k] * xj;
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
    ls->balance = dal_arena_reals(arena, n);
    ls->refine = ls->type->guard != NULL ? dal_arena_take(arena, 2 * (size_t)n, sizeof(double)) : NULL;
    ls->type->carve(ls, arena);
}

static dal_status build(dal_linsol *ls, const dal_pattern *p, block_order *order)
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
    return ls->type->analyse != NULL ? ls->type->analyse(ls, p, order) : DAL_OK;
}

/* Measured with gcc 12, code of ours against OpenBLAS 0.3.21 on one thread. Up to NO_SPARSE nothing sparse without blocks
 * beats the small solver. A dense LU has COLUMN operations more for each column (pivots, norms; one body on a joint, n = 9:
 * 2080 instructions for factors and a solve by `block`, 3120 by `small`). An operation of block elimination costs
 * block_operation of one of fronts or of a dense LU (block and fronts are equally fast on nets of 10 x 10 points and on
 * plates of 20 x 20, which have 2.1 and 1.5 times the operations in blocks), one of `sparse` 20 to 40 times that (n = 36 to
 * 420). Full matrices: small 56.1 us, LAPACK 56.9 us at n = 100; 179 and 142 us at n = 150. Beyond DENSE_MAX the memory
 * decides. */
enum { NO_SPARSE = 12, COLUMN = 35, SMALL_MAX = 120, DENSE_MAX = 4000 };
/* A block that block elimination changes costs as much as so many operations; dal_front_tree_init counts for fronts. */
static const double block_pair = 20.0, block_operation = 0.55;

static double dense_cost(double n)
{
    return 2.0 / 3.0 * n * n * n + COLUMN * n;
}

static double block_cost(const block_order *order, int n)
{
    // nodes without kernels of their own are no faster than a small dense LU, unless there are many: joints at two levels (ggl)
    const int few = n <= SMALL_MAX && order->largest > (n <= 40 ? 6 : 12);
    const double weight = few ? 1.0 : block_operation;
    return weight * (order->operations + block_pair * order->pairs);
}

/* What a factorisation and a solve are expected to cost. order: of solvers that eliminate nodes; fronts know better after
 * their analysis. */
static void expect(dal_linsol *ls, const block_order *order)
{
    const double n = ls->A.n;
    ls->operations = dense_cost(n);
    ls->entries = n * n;
    if (ls->type->nodes && order != NULL) {
        ls->operations = block_cost(order, ls->A.n);
        ls->entries = order->entries;
    }
}

/* order: of the nodes, for the solvers that need one. */
static dal_status create(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *p, const linsol_type *type,
                         block_order *order)
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
    s->arena = dal_arena_init(ctx);
    s->A.n = p->n;
    s->A.nnz = (int)nnz;
    s->A.dense = type->dense;
    s->A.nslots = p->nblocks;
    s->singular_row = -1;
    expect(s, order);
    const dal_status st = build(s, p, order);
    if (st != DAL_OK) {
        dal_linsol_destroy(s);
        return st;
    }
    *ls = s;
    return DAL_OK;
}

/* ---- choice ----------------------------------------------------------------------------------- */

/* What each solver is expected to cost, in operations of a dense LU; infinite where it cannot be used. */
typedef struct prediction {
    double dense, block, frontal, sparse;
    int at_least; /* `sparse` costs more than is said: its order was not looked for */
} prediction;

static dal_status predict(prediction *c, dal_ctx *ctx, const dal_pattern *p, block_order *order)
{
    *c = (prediction){p->n > DENSE_MAX ? HUGE_VAL : dense_cost(p->n), HUGE_VAL, HUGE_VAL, HUGE_VAL, 0};
    if (!dal_pattern_has_nodes(p)) {
        return DAL_OK;
    }
    front_tree tree;
    DAL_TRY(dal_block_order_init(order, ctx, p));
    DAL_TRY(dal_front_tree_init(&tree, ctx, order));
    c->frontal = tree.cost;
    // small systems that are not bodies in space on joints may need pivots from other nodes, and `sparse` is slow for them
    if (dal_block_possible(order) && (p->n > NO_SPARSE || (order->largest == 6 && order->nnodes > 1))) {
        c->block = block_cost(order, p->n);
    }
    dal_front_tree_release(&tree);
    return DAL_OK;
}

static const linsol_type *cheapest(const prediction *c, int n)
{
    const linsol_type *type = n <= SMALL_MAX ? &dal_linsol_small : &dal_linsol_dense;
    double cost = c->dense;
    if (c->sparse < cost) {
        type = &dal_linsol_sparse;
        cost = c->sparse;
    }
    if (c->frontal < cost) {
        type = &dal_linsol_frontal;
        cost = c->frontal;
    }
    return c->block <= cost ? &dal_linsol_block : type;
}

static void explain(dal_linsol *ls, const prediction *c)
{
    const struct {
        const char *name;
        double cost;
    } row[] = {{"dense", c->dense},
               {"block", c->block},
               {"frontal", c->frontal},
               {c->at_least ? "sparse over" : "sparse", c->sparse}};
    int at = snprintf(ls->choice, sizeof ls->choice, "cheapest by predicted cost (operations):");
    for (size_t k = 0; k < sizeof row / sizeof row[0]; ++k) {
        if (row[k].cost < HUGE_VAL && at > 0 && (size_t)at < sizeof ls->choice) {
            at += snprintf(ls->choice + at, sizeof ls->choice - (size_t)at, " %s %.2g", row[k].name, row[k].cost);
        }
    }
}

/* What `sparse` would cost, with the solver if that may be the cheapest: each entry of the matrix takes an operation at least. */
static dal_status predict_sparse(prediction *c, dal_linsol **sparse, dal_ctx *ctx, const dal_pattern *p)
{
    size_t nnz = 0;
    if (p->n <= NO_SPARSE) {
        return DAL_OK;
    }
    DAL_TRY(dal_pattern_count(p, &nnz));
    c->sparse = DAL_SPARSE_WEIGHT * (double)nnz;
    c->at_least = fmin(fmin(c->dense, c->block), c->frontal) <= c->sparse;
    if (!c->at_least) {
        DAL_TRY(create(sparse, ctx, p, &dal_linsol_sparse, NULL));
        c->sparse = *sparse != NULL ? (*sparse)->operations : c->sparse;
    }
    return DAL_OK;
}

static dal_status choose(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *p)
{
    block_order order = {0};
    prediction c;
    dal_linsol *sparse = NULL;
    dal_status st = predict(&c, ctx, p, &order);
    st = st != DAL_OK ? st : predict_sparse(&c, &sparse, ctx, p);
    if (st == DAL_OK) {
        const linsol_type *type = cheapest(&c, p->n);
        if (sparse != NULL && sparse->type == type) {
            *ls = sparse;
            sparse = NULL;
        } else {
            dal_linsol_destroy(sparse);
            sparse = NULL;
            st = create(ls, ctx, p, type, &order);
        }
    }
    if (st == DAL_OK) {
        explain(*ls, &c);
    }
    dal_linsol_destroy(sparse);
    dal_block_order_release(&order);
    return st;
}

/* A solver that eliminates nodes, named by the caller. */
static dal_status create_with_nodes(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *p, const linsol_type *type)
{
    block_order order;
    DAL_TRY(dal_block_order_init(&order, ctx, p));
    const dal_status st = create(ls, ctx, p, type, &order);
    dal_block_order_release(&order);
    return st;
}

dal_status dal_linsol_create(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *pattern, dal_linsol_kind kind)
{
    DAL_NEED(ctx, ls);
    *ls = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, pattern);
    switch (kind) {
    case DAL_LINSOL_AUTO:
        return choose(ls, ctx, pattern);
    case DAL_LINSOL_SMALL:
        return create(ls, ctx, pattern, &dal_linsol_small, NULL);
    case DAL_LINSOL_SPARSE:
        return create(ls, ctx, pattern, &dal_linsol_sparse, NULL);
    case DAL_LINSOL_BLOCK:
        return create_with_nodes(ls, ctx, pattern, &dal_linsol_block);
    case DAL_LINSOL_DENSE:
        return create(ls, ctx, pattern, &dal_linsol_dense, NULL);
    case DAL_LINSOL_FRONTAL:
        return create_with_nodes(ls, ctx, pattern, &dal_linsol_frontal);
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
    return ls != NULL ? &ls->A : NULL;
}

const char *dal_linsol_name(const dal_linsol *ls)
{
    return ls != NULL ? ls->type->name : "";
}

const char *dal_linsol_choice(const dal_linsol *ls)
{
    return ls != NULL ? ls->choice : "";
}

void dal_linsol_cost(const dal_linsol *ls, double *factor, double *solve)
{
    *factor = ls->operations;
    *solve = 2.0 * ls->entries + 8.0 * ls->A.n;
}

long dal_linsol_fallbacks(const dal_linsol *ls)
{
    return ls != NULL && ls->type->guard != NULL ? ls->type->guard(ls)->fallbacks : 0;
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

double dal_norm1(const dal_linsol *ls)
{
    const dal_matrix *A = &ls->A;
    double max = 0.0;
    if (ls->norm1 != DAL_NORM_LATER) {
        return ls->norm1;
    }
    if (ls->replaced) {
        return ls->type->norm1(ls);
    }
    for (int j = 0; j < A->n; ++j) {
        double sum = 0.0;
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            sum += fabs(A->x[k]);
        }
        max = sum > max ? sum : max;
    }
    return max;
}

dal_status dal_linsol_factor(dal_linsol *ls)
{
    DAL_NEED(NULL, ls);
    ls->factored = ls->replaced = ls->balanced = ls->doubtful = 0;
    ls->singular_row = -1;
    ls->norm1 = ls->type->load(ls);
    dal_status st = !(ls->norm1 <= DBL_MAX) ? DAL_SINGULAR
                    : ls->scales            ? dal_linsol_factor_balanced(ls, 1)
                                            : ls->type->factor(ls);
    if ((st == DAL_SINGULAR || (ls->doubtful && !ls->balanced)) && ls->norm1 <= DBL_MAX) {
        const dal_status balanced = dal_linsol_factor_balanced(ls, 0);
        if (balanced != DAL_OK && (st == DAL_OK || ls->scales)) { // small for another reason than their units
            ls->singular_row = -1;
            ls->norm1 = ls->type->load(ls);
            st = ls->type->factor(ls);
        } else {
            st = balanced;
        }
    }
    if (!(ls->norm1 <= DBL_MAX)) { // before or while it was factored
        ls->singular_row = infinite_row(&ls->A);
        return dal_fail(ls->ctx, DAL_SINGULAR, "equation %d of %d has an entry that is not finite or too large",
                        ls->singular_row, ls->A.n);
    }
    if (st == DAL_SINGULAR) {
        return dal_fail(ls->ctx, DAL_SINGULAR, "no pivot for equation %d of %d", ls->singular_row, ls->A.n);
    }
    ls->factored = st == DAL_OK;
    return st;
}

dal_matrix *dal_linsol_in_place(dal_linsol *ls)
{
    const dal_guard *guard = ls->in_place.slot != NULL ? ls->type->guard(ls) : NULL;
    if (guard == NULL || guard->away || guard->checked == 0.0 || ls->scales != NULL) {
        return NULL;
    }
    ls->factored = 0;
    return &ls->in_place;
}

int dal_linsol_factor_in_place(dal_linsol *ls)
{
    ls->singular_row = -1;
    ls->norm1 = DAL_NORM_LATER;
    ls->balanced = 0;
    ls->factored = ls->replaced = ls->type->factor_in_place(ls);
    return ls->factored;
}

int dal_linsol_singular_row(const dal_linsol *ls)
{
    return ls != NULL ? ls->singular_row : -1;
}

void dal_linsol_solve(const dal_linsol *ls, double *b)
{
    assert(ls->factored);
    dal_linsol_back_solve(ls, b, 0);
}

void dal_linsol_solve_many(const dal_linsol *ls, double *b, int count)
{
    const dal_guard *guard = ls->type->guard != NULL ? ls->type->guard(ls) : NULL;
    assert(ls->factored);
    if (count > 1 && ls->type->solve_many != NULL && !ls->balanced && !(guard != NULL && guard->away)) {
        ls->type->solve_many(ls, b, count);
        return;
    }
    for (int c = 0; c < count; ++c) {
        dal_linsol_back_solve(ls, b + c * ls->A.n, 0);
    }
}

void dal_linsol_solve_transposed_many(const dal_linsol *ls, double *b, int count)
{
    assert(ls->factored);
    for (int c = 0; c < count; ++c) {
        dal_linsol_back_solve(ls, b + c * ls->A.n, 1);
    }
}

double dal_linsol_rcond(dal_linsol *ls)
{
    if (!dal_linsol_factored(ls)) {
        return 0.0;
    }
    return 1.0 / dal_inverse_norm1(ls) / dal_norm1(ls);
}

/* ---- snapshots -------------------------------------------------------------------------------- */

void dal_factors_pass(dal_cursor *k, double *x, int n, int used)
{
    (used ? dal_pass : dal_pass_any)(k, x, n);
}

/* n, nnz, storage; factored (2, 3: balanced), singular row, norm (DAL_NORM_LATER: the factors have replaced the matrix); values; then what the
 * backend adds. `factored` is set before the backend passes its part: what it checks depends on whether the factors will be used. */
void dal_linsol_pass(dal_linsol *ls, dal_cursor *k)
{
    if (ls == NULL) {
        return;
    }
    int n = ls->A.n, nnz = ls->A.nnz, dense = ls->A.dense, state = ls->factored ? 1 + ls->balanced : 0;
    double norm = !k->out || ls->replaced ? DAL_NORM_LATER : dal_norm1(ls);
    dal_pass_range(k, &n, n, n);
    dal_pass_range(k, &nnz, nnz, nnz);
    dal_pass_range(k, &dense, dense, dense);
    dal_pass_range(k, &state, 0, ls->scales != NULL ? 3 : 2);
    dal_pass_range(k, &ls->singular_row, -1, n - 1);
    dal_pass_any(k, &norm, 1);
    dal_pass_any(k, ls->A.x, nnz);
    const int replaced = state == 1 && norm == DAL_NORM_LATER && ls->in_place.slot != NULL;
    if (k->in) {
        ls->factored = state > 0;
        ls->balanced = ls->factored ? state - 1 : 0;
        if (ls->factored && !replaced && !(norm >= 0.0 && norm <= DBL_MAX)) {
            dal_pass_wrong(k, "a norm");
        }
        dal_linsol_rebalance(ls);
    }
    ls->type->pass(ls, k);
    if (k->in) {
        ls->factored = ls->factored && dal_pass_good(k);
        ls->replaced = ls->factored && replaced;
        ls->norm1 = norm;
    }
}

size_t dal_linsol_snapshot_size(const dal_linsol *ls)
{
    dal_cursor k = {0};
    dal_linsol_pass((dal_linsol *)ls, &k);
    return k.count;
}

void dal_linsol_save(const dal_linsol *ls, double *snapshot)
{
    dal_linsol_pass((dal_linsol *)ls, &(dal_cursor){.out = snapshot});
}

dal_status dal_linsol_restore(dal_linsol *ls, const double *snapshot)
{
    DAL_NEED(NULL, ls);
    DAL_NEED(ls->ctx, snapshot);
    if (!(snapshot[0] == ls->A.n && snapshot[1] == ls->A.nnz && snapshot[2] == ls->A.dense)) {
        return dal_fail(ls->ctx, DAL_ESNAPSHOT, "saved from a matrix with %.0f rows and %.0f entries, not %d and %d",
                        snapshot[0], snapshot[1], ls->A.n, ls->A.nnz);
    }
    dal_cursor k = {.in = snapshot};
    dal_linsol_pass(ls, &k);
    return k.wrong == NULL
               ? k.status
               : dal_fail(ls->ctx, DAL_ESNAPSHOT, "linear solver %s: the snapshot is damaged, %s is missing",
                          ls->type->name, k.wrong);
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
