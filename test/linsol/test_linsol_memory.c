/* Memory: who allocates when, and what happens when there is none left. */
#include <SuiteSparse_config.h>

#include "linsol/systems.h"

enum { BODIES = 5, N = 9 * BODIES };

/* ---- SuiteSparse's allocator, counting -------------------------------------------------------- */

static long sparse_live, sparse_total;

static void *count_block(void *block)
{
    sparse_live += block != NULL;
    sparse_total += block != NULL;
    return block;
}

static void *sparse_malloc(size_t bytes)
{
    return count_block(malloc(bytes));
}

static void *sparse_calloc(size_t count, size_t bytes)
{
    return count_block(calloc(count, bytes));
}

static void *sparse_realloc(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

static void sparse_free(void *block)
{
    sparse_live -= block != NULL;
    free(block);
}

static int use_counting_allocator(void **state)
{
    SuiteSparse_config.malloc_func = sparse_malloc;
    SuiteSparse_config.calloc_func = sparse_calloc;
    SuiteSparse_config.realloc_func = sparse_realloc;
    SuiteSparse_config.free_func = sparse_free;
    return 0;
}

/* ---- scenarios -------------------------------------------------------------------------------- */

static dal_status announce(dal_pattern *pattern)
{
    for (int i = 0; i < N; ++i) {
        DAL_TRY(dal_pattern_block(pattern, i, i, 1, 1));
        DAL_TRY(dal_pattern_block(pattern, i > 0 ? i - 1 : 0, i, 1, 1));
    }
    return DAL_OK;
}

/* A bidiagonal matrix, factored; then made singular and found so. */
static dal_status use(dal_linsol *ls)
{
    double b[N] = {1.0}, one = 1.0;
    dal_matrix *A = dal_linsol_matrix(ls);
    dal_matrix_zero(A);
    for (int k = 0; k < 2 * N; ++k) {
        dal_matrix_add(A, k, &one, 1, 1, 1);
    }
    DAL_TRY(dal_linsol_factor(ls));
    dal_linsol_solve(ls, b);
    dal_matrix_zero(A);
    for (int k = 2; k < 2 * N; ++k) {
        dal_matrix_add(A, k, &one, 1, 1, 1);
    }
    const dal_status st = dal_linsol_factor(ls);
    assert_true(st != DAL_OK);
    return st == DAL_SINGULAR ? DAL_OK : st;
}

static dal_status create_and_use(dal_ctx *ctx, void *user)
{
    const dal_linsol_kind *kind = user;
    dal_pattern *pattern = NULL;
    dal_linsol *ls = NULL;
    DAL_TRY(dal_pattern_create(&pattern, ctx, N));
    dal_status st = announce(pattern);
    if (st == DAL_OK) {
        st = dal_linsol_create(&ls, ctx, pattern, *kind);
    }
    dal_pattern_destroy(pattern);
    if (st == DAL_OK) {
        st = use(ls);
    }
    dal_linsol_destroy(ls);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    static const dal_linsol_kind kinds[] = {DAL_LINSOL_AUTO, DAL_LINSOL_SMALL, DAL_LINSOL_LAPACK, DAL_LINSOL_KLU};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        dal_linsol_kind kind = kinds[k];
        assert_true(check_every_allocation(create_and_use, &kind) > 5);
        assert_int_equal(sparse_live, 0);
    }
}

/* SuiteSparse has one table of functions for all its memory: ours pass on what is not KLU's. */
static void klu_takes_its_memory_from_the_context(void **state)
{
    dal_linsol_kind kind = DAL_LINSOL_KLU;
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    const long before = sparse_total, own = alloc.live, total = alloc.total;
    check_ok(ctx, create_and_use(ctx, &kind));
    assert_int_equal(sparse_total, before);
    assert_int_equal(alloc.live, own);
    assert_true(alloc.total > total + 15);
    void *block = SuiteSparse_malloc(10, 8);
    assert_int_equal(sparse_total, before + 1);
    block = SuiteSparse_free(block);
    assert_null(block);
    assert_int_equal(sparse_live, 0);
    check_ctx_free(ctx);
}

/* Values that differ so much that pivots are chosen anew each time. */
static void pivots_are_renewed_in_memory_that_is_kept(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_linsol *ls = chain_solver(ctx, BODIES, DAL_LINSOL_KLU);
    long before = 0;
    for (int i = 0; i < 40; ++i) {
        check_rng rng = check_rng_seed(100UL + (unsigned long)i);
        double b[N] = {1.0};
        set_chain(ls, &rng, BODIES, i % 2 == 0 ? 1e-6 : 0.9);
        check_ok(ctx, dal_linsol_factor(ls));
        dal_linsol_solve(ls, b);
        before = i == 20 ? alloc.total : before;
    }
    assert_int_equal(alloc.total, before);
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

static void steps_allocate_nothing(void **state)
{
    for (size_t k = 0; k < LEN(all_kinds); ++k) {
        check_alloc alloc = {0};
        dal_ctx *ctx = check_ctx_with(&alloc);
        check_rng rng = check_rng_seed(1);
        double b[N] = {1.0};
        dal_linsol *ls = chain_solver(ctx, BODIES, all_kinds[k]);
        set_chain(ls, &rng, BODIES, 0.9);
        check_ok(ctx, dal_linsol_factor(ls));
        const long before = alloc.total, sparse_before = sparse_total;
        for (int i = 0; i < 5; ++i) {
            check_rng near = check_rng_seed(1); // the same values: the pivots stay
            set_chain(ls, &near, BODIES, 0.8);
            check_ok(ctx, dal_linsol_factor(ls));
            dal_linsol_solve(ls, b);
            assert_true(dal_linsol_rcond(ls) > 0.0);
        }
        assert_int_equal(alloc.total, before);
        assert_int_equal(sparse_total, sparse_before);
        dal_linsol_destroy(ls);
        check_ctx_free(ctx);
        assert_int_equal(alloc.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(klu_takes_its_memory_from_the_context),
        cmocka_unit_test(pivots_are_renewed_in_memory_that_is_kept),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, use_counting_allocator, NULL);
}
