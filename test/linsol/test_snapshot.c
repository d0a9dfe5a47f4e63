/* A solver restored from a snapshot goes on exactly as the saved one would have. */
#include <string.h>

#include "linsol/systems.h"

enum { BODIES = 7, N = 9 * BODIES };

static dal_linsol *solver(dal_ctx *ctx, size_t kind)
{
    return chain_solver(ctx, BODIES, all_kinds[kind]);
}

/* Set new values, factor, solve: x is all there is to see. */
static void step(dal_ctx *ctx, dal_linsol *ls, check_rng *rng, double light, double *x)
{
    set_chain(ls, rng, BODIES, light);
    check_ok(ctx, dal_linsol_factor(ls));
    check_normals(rng, x, N);
    dal_linsol_solve(ls, x);
}

static double *saved(const dal_linsol *ls)
{
    double *s = malloc(dal_linsol_snapshot_size(ls) * sizeof *s);
    assert_non_null(s);
    dal_linsol_save(ls, s);
    return s;
}

static void restored_solvers_give_the_same_bits(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(all_kinds); ++k) {
        for (int before = 1; before < 6; ++before) { // 1: pivots just chosen, then refactored, then renewed
            check_rng rng = check_rng_seed(1);
            double x[N], y[N];
            dal_linsol *ls = solver(ctx, k), *other = solver(ctx, k);
            for (int i = 0; i < before; ++i) {
                step(ctx, ls, &rng, i == 3 ? 1e-6 : 0.5, x);
            }
            double *snapshot = saved(ls);
            step(ctx, other, &rng, 1e-4, y); // another history
            check_ok(ctx, dal_linsol_restore(other, snapshot));
            free(snapshot);

            assert_memory_equal(dal_linsol_matrix(ls)->x, dal_linsol_matrix(other)->x,
                                (size_t)dal_linsol_matrix(ls)->nnz * sizeof(double));
            for (int i = 0; i < 4; ++i) {
                check_normals(&rng, x, N);
                memcpy(y, x, sizeof y);
                dal_linsol_solve(ls, x);
                dal_linsol_solve(other, y);
                assert_memory_equal(x, y, sizeof x);
                assert_true(dal_linsol_rcond(ls) == dal_linsol_rcond(other));
                check_rng twin = rng;
                step(ctx, ls, &rng, i == 2 ? 1e-3 : 0.5, x);
                step(ctx, other, &twin, i == 2 ? 1e-3 : 0.5, y);
                assert_memory_equal(x, y, sizeof x);
            }
            dal_linsol_destroy(ls);
            dal_linsol_destroy(other);
        }
    }
    check_ctx_free(ctx);
}

static void factors_are_restored_even_if_the_matrix_has_moved_on(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(all_kinds); ++k) {
        check_rng rng = check_rng_seed(2);
        double x[N], y[N];
        dal_linsol *ls = solver(ctx, k), *other = solver(ctx, k);
        step(ctx, ls, &rng, 0.5, x);
        step(ctx, ls, &rng, 0.5, x);
        dal_matrix_zero(dal_linsol_matrix(ls));
        double *snapshot = saved(ls);
        check_ok(ctx, dal_linsol_restore(other, snapshot));
        free(snapshot);
        check_normals(&rng, x, N);
        memcpy(y, x, sizeof y);
        dal_linsol_solve(ls, x);
        dal_linsol_solve(other, y);
        assert_memory_equal(x, y, sizeof x);
        assert_near(check_max_abs(dal_linsol_matrix(other)->x, dal_linsol_matrix(other)->nnz), 0.0, 0.0);
        dal_linsol_destroy(ls);
        dal_linsol_destroy(other);
    }
    check_ctx_free(ctx);
}

static void unfactored_and_singular_states_are_restored(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(all_kinds); ++k) {
        check_rng rng = check_rng_seed(3);
        double x[N];
        dal_linsol *ls = solver(ctx, k), *other = solver(ctx, k);
        double *fresh = saved(ls);
        dal_matrix_zero(dal_linsol_matrix(ls));
        check_fails(ctx, dal_linsol_factor(ls), DAL_SINGULAR, "");
        double *singular = saved(ls);
        step(ctx, other, &rng, 0.5, x);
        check_ok(ctx, dal_linsol_restore(other, singular));
        assert_int_equal(dal_linsol_singular_row(other), dal_linsol_singular_row(ls));
        assert_near(dal_linsol_rcond(other), 0.0, 0.0);
        check_ok(ctx, dal_linsol_restore(other, fresh));
        assert_int_equal(dal_linsol_singular_row(other), -1);
        assert_near(dal_linsol_rcond(other), 0.0, 0.0);
        step(ctx, other, &rng, 0.5, x);
        free(fresh);
        free(singular);
        dal_linsol_destroy(ls);
        dal_linsol_destroy(other);
    }
    check_ctx_free(ctx);
}

static void snapshots_of_other_matrices_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_linsol *dense = solver(ctx, 0), *sparse = solver(ctx, 2), *full = full_solver(ctx, N + 1, DAL_LINSOL_DENSE);
    double *snapshot = saved(dense);
    check_fails(ctx, dal_linsol_restore(sparse, snapshot), DAL_ESNAPSHOT, "rows");
    check_fails(ctx, dal_linsol_restore(full, snapshot), DAL_ESNAPSHOT, "63 rows");
    free(snapshot);
    dal_linsol_destroy(dense);
    dal_linsol_destroy(sparse);
    dal_linsol_destroy(full);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_solvers_give_the_same_bits),
        cmocka_unit_test(factors_are_restored_even_if_the_matrix_has_moved_on),
        cmocka_unit_test(unfactored_and_singular_states_are_restored),
        cmocka_unit_test(snapshots_of_other_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
