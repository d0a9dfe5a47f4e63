/* Patterns, slots and matrices: adding blocks gives the sum of the blocks in either storage. */
#include <math.h>
#include <string.h>

#include "linsol/systems.h"

enum { N = 13, NB = 17 };

typedef struct placed {
    int i, j, ni, nj;
} placed;

/* Overlapping, nested, identical, empty and touching blocks. */
static const placed block[NB] = {
    {0, 0, 3, 3}, {2, 2, 4, 4},   {3, 3, 2, 2},   {0, 0, 3, 3},   {5, 0, 3, 2},  {8, 0, 2, 2},
    {1, 0, 6, 1}, {12, 12, 1, 1}, {0, 12, 13, 1}, {12, 0, 1, 13}, {7, 7, 5, 5},  {6, 6, 4, 3},
    {4, 9, 0, 2}, {4, 9, 2, 0},   {13, 3, 0, 1},  {9, 4, 1, 2},   {11, 4, 1, 2},
};

static dal_linsol *solver(dal_ctx *ctx, dal_linsol_kind kind)
{
    dal_pattern *pattern = NULL;
    dal_linsol *ls = NULL;
    check_ok(ctx, dal_pattern_create(&pattern, ctx, N));
    for (int k = 0; k < NB; ++k) {
        check_ok(ctx, dal_pattern_block(pattern, block[k].i, block[k].j, block[k].ni, block[k].nj));
    }
    check_ok(ctx, dal_linsol_create(&ls, ctx, pattern, kind));
    dal_pattern_destroy(pattern);
    return ls;
}

static double at(const dal_matrix *A, int i, int j)
{
    if (A->dense) {
        return A->x[i + j * A->n];
    }
    for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
        if (A->row[k] == i) {
            return A->x[k];
        }
    }
    return 0.0;
}

static void slots_add_overlapping_blocks_in_either_storage(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t kind = 0; kind < LEN(all_kinds); ++kind) {
        check_rng rng = check_rng_seed(1);
        double sum[N * N] = {0}, values[15 * N];
        dal_linsol *ls = solver(ctx, all_kinds[kind]);
        dal_matrix *A = dal_linsol_matrix(ls);
        assert_int_equal(A->nslots, NB);
        memset(A->x, 0xff, (size_t)A->nnz * sizeof *A->x);
        dal_matrix_zero(A);
        for (int k = 0; k < NB; ++k) {
            const int ld = 15;
            check_normals(&rng, values, (int)LEN(values));
            for (int j = 0; j < block[k].nj; ++j) {
                for (int i = 0; i < block[k].ni; ++i) {
                    sum[block[k].i + i + (block[k].j + j) * N] += values[i + j * ld];
                }
            }
            dal_matrix_add(A, k, values, ld, block[k].ni, block[k].nj);
        }
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i) {
                assert_near(at(A, i, j), sum[i + j * N], 0.0);
            }
        }
        dal_linsol_destroy(ls);
    }
    check_ctx_free(ctx);
}

static void compressed_columns_ascend_and_hold_no_entry_outside_the_blocks(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_linsol *ls = solver(ctx, DAL_LINSOL_SPARSE);
    const dal_matrix *A = dal_linsol_matrix(ls);
    int inside[N * N] = {0}, count = 0;
    for (int k = 0; k < NB; ++k) {
        for (int e = 0; e < block[k].ni * block[k].nj; ++e) {
            const int i = block[k].i + e % block[k].ni, j = block[k].j + e / block[k].ni;
            count += inside[i + j * N] == 0;
            inside[i + j * N] = 1;
        }
    }
    assert_int_equal(A->nnz, count);
    assert_int_equal(A->colptr[0], 0);
    assert_int_equal(A->colptr[N], count);
    for (int j = 0; j < N; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; ++k) {
            assert_true(inside[A->row[k] + j * N]);
            assert_true(k == A->colptr[j] || A->row[k] > A->row[k - 1]);
        }
    }
    dal_linsol_destroy(ls);
    check_ctx_free(ctx);
}

static void product_is_the_same_in_either_storage(void **state)
{
    enum { BODIES = 4 };
    dal_ctx *ctx = check_ctx();
    double y[LEN(all_kinds)][9 * BODIES], x[9 * BODIES];
    check_rng rng = check_rng_seed(2);
    check_normals(&rng, x, 9 * BODIES);
    for (size_t kind = 0; kind < LEN(all_kinds); ++kind) {
        check_rng same = check_rng_seed(3);
        dal_linsol *ls = chain_solver(ctx, BODIES, all_kinds[kind]);
        set_chain(ls, &same, BODIES, 0.1);
        dal_matrix_mul(dal_linsol_matrix(ls), y[kind], x);
        dal_linsol_destroy(ls);
    }
    assert_all_near(y[1], y[0], 9 * BODIES, 0.0);
    assert_all_near(y[2], y[0], 9 * BODIES, 1e-14);
    check_ctx_free(ctx);
}

static void bad_blocks_and_sizes_are_refused(void **state)
{
    static const placed bad[] = {{-1, 0, 1, 1},         {0, -1, 1, 1},        {0, 0, -1, 1}, {0, 0, 1, -1},
                                 {4, 0, 2, 1},          {0, 4, 1, 2},         {6, 0, 0, 1},  {0, 0, 6, 1},
                                 {1, 0, 2147483647, 1}, {0, 1, 1, 2147483647}};
    dal_ctx *ctx = check_ctx();
    dal_pattern *pattern = NULL;
    dal_linsol *ls = NULL;
    check_fails(ctx, dal_pattern_create(&pattern, ctx, 0), DAL_EINVAL, "0 rows");
    assert_null(pattern);
    check_ok(ctx, dal_pattern_create(&pattern, ctx, 5));
    for (size_t k = 0; k < LEN(bad); ++k) {
        check_fails(ctx, dal_pattern_block(pattern, bad[k].i, bad[k].j, bad[k].ni, bad[k].nj), DAL_EINVAL, "block 0");
    }
    check_fails(ctx, dal_linsol_create(&ls, ctx, pattern, (dal_linsol_kind)77), DAL_EINVAL, "kind 77");
    check_fails(ctx, dal_linsol_create(&ls, ctx, pattern, (dal_linsol_kind)2), DAL_EINVAL, "kind 2");
    assert_null(ls);
    dal_pattern_destroy(pattern);
    check_ok(ctx, dal_pattern_create(&pattern, ctx, 50000));
    check_fails(ctx, dal_linsol_create(&ls, ctx, pattern, DAL_LINSOL_DENSE), DAL_EINVAL, "too large");
    dal_pattern_destroy(pattern);
    dal_pattern_destroy(NULL);
    dal_linsol_destroy(NULL);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_add_overlapping_blocks_in_either_storage),
        cmocka_unit_test(compressed_columns_ascend_and_hold_no_entry_outside_the_blocks),
        cmocka_unit_test(product_is_the_same_in_either_storage),
        cmocka_unit_test(bad_blocks_and_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
