/* The solvers solve: small backward errors, forward errors as the condition allows, the same answers from all. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/systems.h"

enum { NMAX = 130 };

static const int size[] = {1, 2, 3, 4, 5, 6, 9, 12, 17, 24, 36, 48, 61, 130};

/* With nothing known about the errors of pivoting but that they grow slowly: n times the rounding unit. */
static void residuals_are_rounding_errors(void **state)
{
    static double A[NMAX * NMAX];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(1);
    for (size_t s = 0; s < LEN(size); ++s) {
        const int n = size[s];
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            dal_linsol *ls = full_solver(ctx, n, all_kinds[k]);
            for (int trial = 0; trial < (n < 40 ? 10 : 1); ++trial) {
                random_matrix(&rng, A, n);
                set_full(ls, A);
                check_ok(ctx, dal_linsol_factor(ls));
                assert_int_equal(dal_linsol_singular_row(ls), -1);
                assert_near(backward_error(ls, &rng), 0.0, 20 * n * DBL_EPSILON);
                // the matrix is as it was
                assert_memory_equal(dal_linsol_matrix(ls)->x, A, (size_t)(n * n) * sizeof *A);
            }
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

static void forward_errors_stay_below_the_condition_number(void **state)
{
    enum { N = 30 };
    static double A[N * N];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(2);
    for (double cond = 1.0; cond < 2e12; cond *= 1e3) {
        conditioned_matrix(&rng, A, N, cond);
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            double x[N], y[N];
            dal_linsol *ls = full_solver(ctx, N, all_kinds[k]);
            set_full(ls, A);
            check_ok(ctx, dal_linsol_factor(ls));
            check_normals(&rng, x, N);
            dal_matrix_mul(dal_linsol_matrix(ls), y, x);
            dal_linsol_solve(ls, y);
            assert_near(check_max_abs_diff(x, y, N), 0.0, 100 * cond * DBL_EPSILON);
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

static void saddle_matrices_with_semidefinite_mass_are_solved(void **state)
{
    static const int shape[][2] = {{1, 1}, {2, 1}, {6, 3}, {6, 5}, {7, 6}, {12, 6}, {30, 12}, {40, 39}};
    static double A[79 * 79];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    for (size_t s = 0; s < LEN(shape); ++s) {
        const int n = shape[s][0] + shape[s][1];
        saddle_matrix(&rng, A, shape[s][0], shape[s][1]);
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            dal_linsol *ls = full_solver(ctx, n, all_kinds[k]);
            set_full(ls, A);
            check_ok(ctx, dal_linsol_factor(ls));
            assert_near(backward_error(ls, &rng), 0.0, 20 * n * DBL_EPSILON);
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

/* The same system in other units, masses by 2^-20 and inertias by 2^-38, has the same solution in these units: pivots are chosen by
 * what they are worth, not by their size. */
static void units_do_not_cost_digits(void **state)
{
    enum { NV = 12, N = NV + 6 };
    static double A[N * N], scaled[N * N];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(31);
    for (int trial = 0; trial < 20; ++trial) {
        double d[N], x[N];
        saddle_matrix(&rng, A, NV, N - NV);
        check_normals(&rng, x, N);
        for (int i = 0; i < N; ++i) {
            A[i + N * i] += i < NV ? 1.0 : 0.0; // positive definite
            d[i] = i >= NV ? 1.0 : i % 6 < 3 ? ldexp(1.0, -10) : ldexp(1.0, -19);
        }
        for (int i = 0; i < N * N; ++i) {
            scaled[i] = A[i] * d[i % N] * d[i / N];
        }
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            double y[N];
            dal_linsol *ls = full_solver(ctx, N, all_kinds[k]);
            set_full(ls, A);
            dal_matrix_mul(dal_linsol_matrix(ls), y, x);
            for (int i = 0; i < N; ++i) {
                y[i] *= d[i];
            }
            set_full(ls, scaled);
            check_ok(ctx, dal_linsol_factor(ls));
            dal_linsol_solve(ls, y);
            for (int i = 0; i < N; ++i) {
                assert_near(y[i] * d[i], x[i], 1e-9);
            }
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

static void transposed_solves_use_the_transpose(void **state)
{
    static double A[61 * 61], Ainv[61 * 61];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(9);
    for (size_t s = 0; s < LEN(size) - 1; ++s) {
        const int n = size[s];
        conditioned_matrix(&rng, A, n, n > 1 ? 1e3 : 1.0);
        inverse(Ainv, A, n);
        for (size_t k = 0; k <= LEN(all_kinds); ++k) { // those that need nodes: test_block.c
            double b[61], x[61], want[61] = {0.0};
            dal_linsol *ls = full_solver(ctx, n, k < LEN(all_kinds) ? all_kinds[k] : DAL_LINSOL_AUTO);
            set_full(ls, A);
            check_ok(ctx, dal_linsol_factor(ls));
            check_normals(&rng, b, n);
            for (int i = 0; i < n * n; ++i) {
                want[i / n] += Ainv[i] * b[i % n];
            }
            memcpy(x, b, sizeof x);
            dal_linsol_solve_transposed(ls, x);
            assert_all_near(x, want, n, 1e5 * DBL_EPSILON * check_max_abs(want, n));
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

static void all_solvers_agree_on_chains(void **state)
{
    enum { MAX = 20 };
    static const int bodies[] = {1, 2, 5, MAX};
    dal_ctx *ctx = check_ctx();
    for (size_t c = 0; c < LEN(bodies); ++c) {
        const int n = 9 * bodies[c];
        double x[LEN(all_kinds)][9 * MAX], rcond = 0.0;
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            check_rng rng = check_rng_seed(4);
            dal_linsol *ls = chain_solver(ctx, bodies[c], all_kinds[k]);
            set_chain(ls, &rng, bodies[c], 0.01);
            check_ok(ctx, dal_linsol_factor(ls));
            check_normals(&rng, x[k], n);
            dal_linsol_solve(ls, x[k]);
            rcond = dal_linsol_rcond(ls);
            dal_linsol_destroy(ls);
        }
        const double tol = 10 * DBL_EPSILON / rcond * check_max_abs(x[0], n);
        assert_all_near(x[1], x[0], n, tol);
        assert_all_near(x[2], x[0], n, tol);
    }
    check_ctx_free(ctx);
}

/* rcond against the norms of the inverse. */
static void condition_estimate_is_within_a_factor_of_ten(void **state)
{
    static double A[61 * 61], Ainv[61 * 61];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(5);
    for (size_t s = 0; s < LEN(size) - 1; ++s) {
        const int n = size[s];
        for (int trial = 0; trial < 6; ++trial) {
            if (trial % 3 == 0) {
                random_matrix(&rng, A, n);
            } else {
                conditioned_matrix(&rng, A, n, trial % 3 == 1 ? 1e4 : 1e10);
            }
            inverse(Ainv, A, n);
            const double exact = 1.0 / norm1(A, n) / norm1(Ainv, n);
            for (size_t k = 0; k < LEN(all_kinds); ++k) {
                dal_linsol *ls = full_solver(ctx, n, all_kinds[k]);
                assert_near(dal_linsol_rcond(ls), 0.0, 0.0);
                set_full(ls, A);
                check_ok(ctx, dal_linsol_factor(ls));
                const double rcond = dal_linsol_rcond(ls);
                assert_true(rcond >= 0.999 * exact && rcond <= 10.0 * exact);
                dal_linsol_destroy(ls);
            }
        }
    }
    check_ctx_free(ctx);
}

/* Scale of the rows and columns: nothing that is regular is called singular, and in what the scale does not touch,
 * the errors stay small. */
static void bad_scaling_is_not_singular(void **state)
{
    enum { N = 24 };
    static double A[N * N];
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(6);
    for (int trial = 0; trial < 60; ++trial) {
        const double rows = trial % 3 == 0 ? 0.0 : 10.0, columns = trial % 3 == 1 ? 0.0 : 10.0;
        double r[N], c[N];
        for (int i = 0; i < N; ++i) {
            r[i] = pow(10.0, check_uniform(&rng, -rows, rows));
            c[i] = pow(10.0, check_uniform(&rng, -columns, columns));
        }
        random_matrix(&rng, A, N);
        for (int k = 0; k < N * N; ++k) {
            A[k] *= r[k % N] * c[k / N];
        }
        for (size_t k = 0; k < LEN(all_kinds); ++k) {
            dal_linsol *ls = full_solver(ctx, N, all_kinds[k]);
            set_full(ls, A);
            check_ok(ctx, dal_linsol_factor(ls));
            assert_near(backward_error(ls, &rng), 0.0, 1e-11);
            dal_linsol_destroy(ls);
        }
    }
    check_ctx_free(ctx);
}

static void automatic_choice_goes_by_size_and_fill(void **state)
{
    static const struct {
        int n;
        const char *name;
    } full[] = {{1, "small"}, {30, "small"}, {60, "small"}, {120, "small"}, {121, "dense"}},
      chain[] = {{3, "small"}, {10, "sparse"}, {40, "sparse"}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(full); ++k) {
        dal_linsol *ls = full_solver(ctx, full[k].n, DAL_LINSOL_AUTO);
        assert_string_equal(dal_linsol_name(ls), full[k].name);
        dal_linsol_destroy(ls);
    }
    for (size_t k = 0; k < LEN(chain); ++k) {
        dal_linsol *ls = chain_solver(ctx, chain[k].n, DAL_LINSOL_AUTO);
        assert_string_equal(dal_linsol_name(ls), chain[k].name);
        dal_linsol_destroy(ls);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_are_rounding_errors),
        cmocka_unit_test(forward_errors_stay_below_the_condition_number),
        cmocka_unit_test(saddle_matrices_with_semidefinite_mass_are_solved),
        cmocka_unit_test(units_do_not_cost_digits),
        cmocka_unit_test(transposed_solves_use_the_transpose),
        cmocka_unit_test(all_solvers_agree_on_chains),
        cmocka_unit_test(condition_estimate_is_within_a_factor_of_ten),
        cmocka_unit_test(bad_scaling_is_not_singular),
        cmocka_unit_test(automatic_choice_goes_by_size_and_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
