/* Matrices assembled where they are factored: the same bits as by way of the matrix, and a way back where its values are
 * wanted after all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linsol/in_place.h"
#include "support/check.h"

enum { BODIES = 12, ROWS = 3, N = (6 + ROWS) * BODIES };

/* A chain of bodies with joints, closed to a loop; `between`: blocks that belong to two nodes. */
static dal_linsol *make_solver(dal_ctx *ctx, dal_linsol_kind kind, int between)
{
    dal_pattern *p;
    dal_linsol *ls;
    check_ok(ctx, dal_pattern_create(&p, ctx, N));
    for (int i = 0; i < BODIES; ++i) {
        check_ok(ctx, dal_pattern_node(p, 6 * i, 6, i, 0));
        check_ok(ctx, dal_pattern_node(p, 6 * BODIES + ROWS * i, ROWS, BODIES + i, 1));
        check_ok(ctx, dal_pattern_block(p, 6 * i, 6 * i, 6, 6));
    }
    for (int i = 0; i < BODIES; ++i) {
        const int row = 6 * BODIES + ROWS * i, next = (i + 1) % BODIES;
        check_ok(ctx, dal_pattern_block(p, row, 6 * i, ROWS, 6));
        check_ok(ctx, dal_pattern_block(p, 6 * i, row, 6, ROWS));
        check_ok(ctx, dal_pattern_block(p, row, 6 * next, ROWS, 6));
        check_ok(ctx, dal_pattern_block(p, 6 * next, row, 6, ROWS));
    }
    if (between) {
        check_ok(ctx, dal_pattern_block(p, 3, 0, 6, 1));
    }
    check_ok(ctx, dal_linsol_create(&ls, ctx, p, kind));
    dal_pattern_destroy(p);
    return ls;
}

/* Bodies of mass 1 to 2, the last one of mass `light`; joints with random rows. Blocks are added twice, by halves. */
static void fill(dal_matrix *A, unsigned long seed, double light)
{
    check_rng rng = check_rng_seed(seed);
    dal_matrix_zero(A);
    for (int i = 0; i < BODIES; ++i) {
        double M[36];
        for (int k = 0; k < 36; ++k) {
            M[k] = k % 7 == 0 ? check_uniform(&rng, 0.5, 1.0) : 0.02 * check_normal(&rng);
            M[k] *= i == BODIES - 1 && k > 0 ? light : 1.0;
        }
        dal_matrix_add(A, i, M, 6, 6, 6);
        dal_matrix_add(A, i, M, 6, 6, 6);
    }
    for (int side = 0; side < 2 * BODIES; ++side) {
        double B[6 * ROWS], Bt[6 * ROWS];
        for (int k = 0; k < 6 * ROWS; ++k) {
            B[k] = Bt[k / ROWS + 6 * (k % ROWS)] = check_normal(&rng);
        }
        dal_matrix_add(A, BODIES + 2 * side, B, ROWS, ROWS, 6);
        dal_matrix_add(A, BODIES + 2 * side + 1, Bt, 6, 6, ROWS);
    }
}

static void set_right_side(double b[N])
{
    check_rng rng = check_rng_seed(99);
    for (int i = 0; i < N; ++i) {
        b[i] = check_normal(&rng);
    }
}

/* Factor by way of the matrix, as it must be the first time. */
static void factor_first(dal_ctx *ctx, dal_linsol *ls)
{
    assert_null(dal_linsol_in_place(ls));
    fill(dal_linsol_matrix(ls), 1, 1.0);
    check_ok(ctx, dal_linsol_factor(ls));
}

static void factor_in_place(dal_linsol *ls, unsigned long seed)
{
    dal_matrix *A = dal_linsol_in_place(ls);
    assert_non_null(A);
    fill(A, seed, 1.0);
    assert_true(dal_linsol_factor_in_place(ls));
    assert_true(dal_linsol_factored(ls));
}

static void solutions_have_the_same_bits(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_linsol *one = make_solver(ctx, DAL_LINSOL_BLOCK, 0), *other = make_solver(ctx, DAL_LINSOL_BLOCK, 0);
    factor_first(ctx, one);
    factor_first(ctx, other);
    for (unsigned long seed = 2; seed < 6; ++seed) {
        double x[N], y[N];
        factor_in_place(one, seed);
        fill(dal_linsol_matrix(other), seed, 1.0);
        check_ok(ctx, dal_linsol_factor(other));
        set_right_side(x);
        set_right_side(y);
        dal_linsol_solve(one, x);
        dal_linsol_solve(other, y);
        assert_memory_equal(x, y, sizeof x);
    }
    dal_linsol_destroy(one);
    dal_linsol_destroy(other);
    check_ctx_free(ctx);
}

static void the_condition_is_found_from_the_factors(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_linsol *one = make_solver(ctx, DAL_LINSOL_BLOCK, 0), *other = make_solver(ctx, DAL_LINSOL_SPARSE, 0);
    factor_first(ctx, one);
    factor_in_place(one, 7);
    fill(dal_linsol_matrix(other), 7, 1.0);
    check_ok(ctx, dal_linsol_factor(other));
    assert_near_rel(dal_linsol_rcond(one), dal_linsol_rcond(other), 1e-10);
    dal_linsol_destroy(one);
    dal_linsol_destroy(other);
    check_ctx_free(ctx);
}

/* A pivot that is 1e-9 of the others has not been checked: the values are wanted again, and then all is well. */
static void unknown_pivots_ask_for_the_matrix(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_linsol *ls = make_solver(ctx, DAL_LINSOL_BLOCK, 0);
    factor_first(ctx, ls);
    fill(dal_linsol_in_place(ls), 3, 1e-9);
    assert_false(dal_linsol_factor_in_place(ls));
    assert_false(dal_linsol_factored(ls));
    fill(dal_linsol_matrix(ls), 3, 1e-9);
    check_ok(ctx, dal_linsol_factor(ls));
    assert_true(dal_linsol_fallbacks(ls) > 0 || dal_linsol_in_place(ls) != NULL);
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
}

static void what_is_not_finite_is_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    const double bad[] = {NAN, INFINITY};
    for (int k = 0; k < 2; ++k) {
        dal_linsol *ls = make_solver(ctx, DAL_LINSOL_BLOCK, 0);
        factor_first(ctx, ls);
        dal_matrix *A = dal_linsol_in_place(ls);
        fill(A, 3, 1.0);
        A->x[A->slot[4][2] + 1] = bad[k];
        assert_false(dal_linsol_factor_in_place(ls));
        dal_linsol_destroy(ls);
    }
    check_ctx_free(ctx);
}

static void other_solvers_and_blocks_over_two_nodes_have_no_place(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_linsol_kind kind[] = {DAL_LINSOL_SMALL, DAL_LINSOL_DENSE, DAL_LINSOL_SPARSE, DAL_LINSOL_FRONTAL,
                                    DAL_LINSOL_BLOCK};
    for (size_t k = 0; k < LEN(kind); ++k) {
        dal_linsol *ls = make_solver(ctx, kind[k], kind[k] == DAL_LINSOL_BLOCK);
        factor_first(ctx, ls);
        assert_null(dal_linsol_in_place(ls));
        dal_linsol_destroy(ls);
    }
    check_ctx_free(ctx);
}

static void restored_factors_go_on_with_the_same_bits(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_linsol *one = make_solver(ctx, DAL_LINSOL_BLOCK, 0), *other = make_solver(ctx, DAL_LINSOL_BLOCK, 0);
    double x[N], y[N];
    factor_first(ctx, one);
    factor_in_place(one, 4);
    double *snapshot = malloc(dal_linsol_snapshot_size(one) * sizeof *snapshot);
    dal_linsol_save(one, snapshot);
    check_ok(ctx, dal_linsol_restore(other, snapshot));
    set_right_side(x);
    set_right_side(y);
    dal_linsol_solve(one, x);
    dal_linsol_solve(other, y);
    assert_memory_equal(x, y, sizeof x);
    assert_true(dal_linsol_rcond(one) == dal_linsol_rcond(other));
    factor_in_place(one, 5);
    factor_in_place(other, 5);
    dal_linsol_solve(one, x);
    dal_linsol_solve(other, y);
    assert_memory_equal(x, y, sizeof x);
    // a norm to be found later is none where nothing was replaced
    dal_linsol *sparse = make_solver(ctx, DAL_LINSOL_SPARSE, 0);
    factor_first(ctx, sparse);
    snapshot = realloc(snapshot, dal_linsol_snapshot_size(sparse) * sizeof *snapshot);
    dal_linsol_save(sparse, snapshot);
    snapshot[5] = -1.0;
    assert_int_equal(dal_linsol_restore(sparse, snapshot), DAL_ESNAPSHOT);
    free(snapshot);
    dal_linsol_destroy(one);
    dal_linsol_destroy(other);
    dal_linsol_destroy(sparse);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_have_the_same_bits),
        cmocka_unit_test(the_condition_is_found_from_the_factors),
        cmocka_unit_test(unknown_pivots_ask_for_the_matrix),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(other_solvers_and_blocks_over_two_nodes_have_no_place),
        cmocka_unit_test(restored_factors_go_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
