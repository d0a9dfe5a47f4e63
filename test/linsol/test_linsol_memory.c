/* Memory: who allocates when, and what happens when there is none left. */
#include "linsol/systems.h"

enum { BODIES = 5, N = 9 * BODIES };

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
    static const dal_linsol_kind kinds[] = {DAL_LINSOL_AUTO, DAL_LINSOL_SMALL, DAL_LINSOL_DENSE, DAL_LINSOL_SPARSE};
    for (size_t k = 0; k < LEN(kinds); ++k) {
        dal_linsol_kind kind = kinds[k];
        assert_true(check_every_allocation(create_and_use, &kind) > 5);
    }
}

/* Values that differ so much that pivots are chosen anew each time. */
static void pivots_are_renewed_in_memory_that_is_kept(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_linsol *ls = chain_solver(ctx, BODIES, DAL_LINSOL_SPARSE);
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
        const long before = alloc.total;
        for (int i = 0; i < 5; ++i) {
            check_rng near = check_rng_seed(1); // the same values: the pivots stay
            set_chain(ls, &near, BODIES, 0.8);
            check_ok(ctx, dal_linsol_factor(ls));
            dal_linsol_solve(ls, b);
            assert_true(dal_linsol_rcond(ls) > 0.0);
        }
        assert_int_equal(alloc.total, before);
        dal_linsol_destroy(ls);
        check_ctx_free(ctx);
        assert_int_equal(alloc.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(pivots_are_renewed_in_memory_that_is_kept),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
