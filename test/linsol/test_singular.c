/* What cannot be solved is refused, with the equation to blame; what changes is followed by the pivots. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/systems.h"

enum { N = 12 };

/* Factor the full matrix A with every solver: singular, and the row is one of the two given. */
static void expect_singular(dal_ctx *ctx, const double *A, int n, int row, int other)
{
    for (size_t k = 0; k < LEN(all_kinds); ++k) {
        dal_linsol *ls = full_solver(ctx, n, all_kinds[k]);
        set_full(ls, A);
        check_fails(ctx, dal_linsol_factor(ls), DAL_SINGULAR, "equation");
        const int found = dal_linsol_singular_row(ls);
        assert_true(found == row || found == other);
        assert_near(dal_linsol_rcond(ls), 0.0, 0.0);
        dal_linsol_destroy(ls);
    }
}

/* Small integers: elimination leaves rounding errors of the multipliers only. */
static void integers(check_rng *rng, double *A, int n)
{
    for (int k = 0; k < n * n; ++k) {
        A[k] = floor(check_uniform(rng, -9.0, 10.0));
    }
}

static void equal_and_zero_rows_are_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(1);
    for (int trial = 0; trial < 30; ++trial) {
        double A[N * N];
        const int row = trial % N, other = trial % 3 == 0 ? row : (trial * 5 + 3) % N;
        integers(&rng, A, N);
        for (int j = 0; j < N; ++j) {
            A[row + j * N] = row == other ? 0.0 : A[other + j * N];
        }
        expect_singular(ctx, A, N, row, other);
    }
    check_ctx_free(ctx);
}

static void matrices_without_any_pivot_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    double A[N * N] = {0};
    expect_singular(ctx, A, 1, 0, 0);
    A[1 + 3 * 0] = 2.0;
    A[2 + 3 * 1] = 3.0; // row 0 of 3 is zero
    expect_singular(ctx, A, 3, 0, 0);
    check_ctx_free(ctx);
}

static void redundant_constraints_of_a_saddle_matrix_are_named(void **state)
{
    enum { NV = 8, NC = 4 };
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(2);
    double A[N * N];
    saddle_matrix(&rng, A, NV, NC);
    for (int j = 0; j < NV; ++j) { // the last constraint repeats the second, in other units
        A[NV + 3 + j * N] = A[j + (NV + 3) * N] = 1024.0 * A[NV + 1 + j * N];
    }
    expect_singular(ctx, A, N, NV + 1, NV + 3);
    check_ctx_free(ctx);
}

/* Rank n - 1 up to rounding: nearly always refused, otherwise the condition estimate tells. */
static void singular_up_to_rounding_shows(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    int refused = 0;
    for (int trial = 0; trial < 100; ++trial) {
        double A[N * N], F[N * N];
        random_matrix(&rng, A, N);
        random_matrix(&rng, F, N);
        for (int j = 0; j < N; ++j) { // the last column is a combination of the others
            A[j + (N - 1) * N] = 0.0;
            for (int k = 0; k < N - 1; ++k) {
                A[j + (N - 1) * N] += F[k] * A[j + k * N];
            }
        }
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            dal_linsol *ls = full_solver(ctx, N, all_kinds[k]);
            set_full(ls, A);
            const dal_status st = dal_linsol_factor(ls);
            refused += st == DAL_SINGULAR;
            assert_true(st == DAL_SINGULAR || (st == DAL_OK && dal_linsol_rcond(ls) < 1e-14));
            dal_linsol_destroy(ls);
        }
    }
    assert_true(refused >= 285);
    check_ctx_free(ctx);
}

static void entries_that_are_not_finite_are_refused(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, DBL_MAX};
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(4);
    for (size_t b = 0; b < LEN(bad); ++b) {
        for (int trial = 0; trial < N * N; trial += 7) {
            double A[N * N];
            random_matrix(&rng, A, N);
            A[trial] = bad[b];
            A[(trial / N * N) + (trial + 1) % N] = bad[b] == DBL_MAX ? DBL_MAX : A[0];
            expect_singular(ctx, A, N, trial % N, (trial + 1) % N);
        }
    }
    check_ctx_free(ctx);
}

static void a_solver_recovers_from_a_singular_matrix(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(5);
    double A[N * N], zero[N * N] = {0};
    random_matrix(&rng, A, N);
    for (size_t k = 0; k < LEN(all_kinds); ++k) {
        dal_linsol *ls = full_solver(ctx, N, all_kinds[k]);
        for (int trial = 0; trial < 3; ++trial) {
            set_full(ls, zero);
            check_fails(ctx, dal_linsol_factor(ls), DAL_SINGULAR, "no pivot");
            set_full(ls, A);
            check_ok(ctx, dal_linsol_factor(ls));
            assert_int_equal(dal_linsol_singular_row(ls), -1);
            assert_near(backward_error(ls, &rng), 0.0, 1e-13);
        }
        dal_linsol_destroy(ls);
    }
    check_ctx_free(ctx);
}

/* A chain whose bodies change from heavy to nearly massless and back. */
static void a_changing_matrix_is_followed(void **state)
{
    static const int bodies[] = {3, 30};
    dal_ctx *ctx = check_ctx();
    for (size_t c = 0; c < LEN(bodies); ++c) {
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            check_rng rng = check_rng_seed(6);
            dal_linsol *ls = chain_solver(ctx, bodies[c], all_kinds[k]);
            for (int step = 0; step < (all_kinds[k] == DAL_LINSOL_SPARSE ? 40 : 4); ++step) {
                set_chain(ls, &rng, bodies[c], step % 4 == 0 ? 1e-8 : step % 4 == 1 ? 1.0 : 0.1);
                check_ok(ctx, dal_linsol_factor(ls));
                assert_near(backward_error(ls, &rng), 0.0, 1e-11);
            }
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

/* Diagonal pivots that were right for d = 1 fade away in small steps: [[d, 1], [1, 1]] along the diagonal, coupled. */
static void pivots_that_fade_are_replaced(void **state)
{
    enum { M = 40 };
    static double A[M * M];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(7);
    dal_linsol *ls = full_solver(ctx, M, DAL_LINSOL_SPARSE);
    for (double d = 4.0; d > 1e-20; d *= 0.2) {
        for (int j = 0; j < M; ++j) {
            for (int i = 0; i < M; ++i) {
                A[i + j * M] = i / 2 == j / 2 ? (i == j && i % 2 == 0 ? d : 1.0) : 0.01 * sin(i + 3 * j) * d;
            }
        }
        set_full(ls, A);
        check_ok(ctx, dal_linsol_factor(ls));
        assert_near(backward_error(ls, &rng), 0.0, 1e-13);
    }
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_and_zero_rows_are_named),
        cmocka_unit_test(matrices_without_any_pivot_are_refused),
        cmocka_unit_test(redundant_constraints_of_a_saddle_matrix_are_named),
        cmocka_unit_test(singular_up_to_rounding_shows),
        cmocka_unit_test(entries_that_are_not_finite_are_refused),
        cmocka_unit_test(a_solver_recovers_from_a_singular_matrix),
        cmocka_unit_test(a_changing_matrix_is_followed),
        cmocka_unit_test(pivots_that_fade_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
