/* Descriptions that are not sound are refused with a message that says what is wrong. */
#include "support/check.h"
#include "two_bodies.h"

static two_bodies two;
static dal_ctx *ctx;

static int set_up(void **state)
{
    ctx = check_ctx();
    two_bodies_create(&two, ctx);
    return 0;
}

static int tear_down(void **state)
{
    two_bodies_free(&two);
    check_ctx_free(ctx);
    return 0;
}

static void sound_descriptions_pass(void **state)
{
    check_ok(ctx, dal_system_validate(ctx, &two.block));
    check_ok(ctx, dal_system_validate(ctx, two.wrapped));
    assert_int_equal(dal_system_rows(&two.block), TWO_NC);
    assert_int_equal(dal_system_rows(two.wrapped), TWO_NC);
}

static void a_system_without_group_or_callbacks_is_refused(void **state)
{
    dal_system sys = two.block;
    check_fails(ctx, dal_system_validate(ctx, NULL), DAL_EINVAL, "sys is NULL");
    sys.group = NULL;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "no group");
    sys = two.block;
    sys.equations.residual = NULL;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "residual and tangent are required");
    sys = two.block;
    sys.equations.tangent = NULL;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "residual and tangent are required");
}

static void announced_lists_must_be_there(void **state)
{
    dal_system sys = two.block;
    sys.constraint = NULL;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "nconstraints = 3 but no list");
    sys = two.block;
    sys.nconstraints = -1;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "nconstraints = -1");
    sys = two.block;
    sys.pair = NULL;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "4 pairs announced but no list");
    sys = two.block;
    sys.npairs = -2;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "-2 pairs");
    sys = two.block;
    sys.link = NULL;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "5 links announced but no list");
    sys = two.block;
    sys.nlinks = -1;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "-1 links");
}

static void empty_constraint_blocks_are_refused(void **state)
{
    for (int nrows = -1; nrows <= 0; ++nrows) {
        two.constraint[1].nrows = nrows;
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "constraint block 1 has");
    }
    two.constraint[1].nrows = 1;
}

static void indices_out_of_range_are_named(void **state)
{
    static const dal_pair bad_pair[] = {{2, 0, 0}, {-1, 0, 0}, {0, 2, 0}, {0, -1, 0}};
    static const dal_link bad_link[] = {{3, 0}, {-1, 0}, {0, 2}, {0, -1}};
    for (size_t k = 0; k < LEN(bad_pair); ++k) {
        const dal_pair good = two.pair[2];
        two.pair[2] = bad_pair[k];
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "pair 2 = (");
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "out of range (2, 2)");
        two.pair[2] = good;
    }
    for (size_t k = 0; k < LEN(bad_link); ++k) {
        const dal_link good = two.link[4];
        two.link[4] = bad_link[k];
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "link 4 = (");
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "out of range (3, 2)");
        two.link[4] = good;
    }
}

static void repetitions_are_named_wherever_they_stand(void **state)
{
    for (int from = 0; from < TWO_NPAIRS; ++from) {
        for (int to = 0; to < TWO_NPAIRS; ++to) {
            const dal_pair good = two.pair[to];
            two.pair[to] = two.pair[from];
            if (from == to) {
                check_ok(ctx, dal_system_validate(ctx, &two.block));
            } else {
                check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "is announced twice");
            }
            two.pair[to] = good;
        }
    }
    for (int from = 0; from < TWO_NLINKS - 1; ++from) {
        const dal_link good = two.link[TWO_NLINKS - 1];
        two.link[TWO_NLINKS - 1] = two.link[from];
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "link (");
        check_fails(ctx, dal_system_validate(ctx, &two.block), DAL_EINVAL, "is announced twice");
        two.link[TWO_NLINKS - 1] = good;
    }
}

static void mass_and_constraint_matrices_must_be_provided(void **state)
{
    dal_system sys = two.block;
    sys.provides &= ~(unsigned)DAL_WANT_M;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "DAL_WANT_M");
    sys = two.block;
    sys.provides &= ~(unsigned)DAL_WANT_B;
    check_fails(ctx, dal_system_validate(ctx, &sys), DAL_EINVAL, "DAL_WANT_B");
    sys.nconstraints = sys.nlinks = 0;
    check_ok(ctx, dal_system_validate(ctx, &sys));
}

static void dense_descriptions_that_are_incomplete_are_refused(void **state)
{
    dal_system *sys = two.wrapped;
    dal_dense d = two.dense;
    check_fails(ctx, dal_dense_create(&sys, ctx, NULL), DAL_EINVAL, "dense is NULL");
    assert_null(sys);
    d.group = NULL;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "no group");
    d = two.dense;
    d.nc = -1;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "nc = -1");
    d = two.dense;
    d.nn = -3;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "nn = -3");
    d = two.dense;
    d.M = NULL;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "M and g are required");
    d = two.dense;
    d.g = NULL;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "M and g are required");
    d = two.dense;
    d.Phi = NULL;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "Phi and B");
    d = two.dense;
    d.B = NULL;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EINVAL, "need the callbacks");
    d = two.dense;
    d.nn = 3;
    check_fails(ctx, dal_dense_create(&sys, ctx, &d), DAL_EREDUNDANT, "7 constraint rows for 6 velocities");
    dal_dense_destroy(NULL);
}

static void a_dense_description_needs_phi_and_b_only_for_its_rows(void **state)
{
    dal_system *sys;
    dal_dense d = two.dense;
    d.nc = 0;
    d.nn = 1;
    d.Phi = NULL;
    check_ok(ctx, dal_dense_create(&sys, ctx, &d));
    dal_dense_destroy(sys);
    d.nn = 0;
    d.B = NULL;
    check_ok(ctx, dal_dense_create(&sys, ctx, &d));
    assert_int_equal(dal_system_rows(sys), 0);
    check_ok(ctx, dal_system_validate(ctx, sys));
    dal_dense_destroy(sys);
}

static dal_status create_and_destroy(dal_ctx *failing, void *user)
{
    dal_system *sys;
    DAL_TRY(dal_system_validate(failing, &two.block));
    DAL_TRY(dal_dense_create(&sys, failing, &two.dense));
    dal_dense_destroy(sys);
    return DAL_OK;
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state)
{
    assert_true(check_every_allocation(create_and_destroy, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_descriptions_pass),
        cmocka_unit_test(a_system_without_group_or_callbacks_is_refused),
        cmocka_unit_test(announced_lists_must_be_there),
        cmocka_unit_test(empty_constraint_blocks_are_refused),
        cmocka_unit_test(indices_out_of_range_are_named),
        cmocka_unit_test(repetitions_are_named_wherever_they_stand),
        cmocka_unit_test(mass_and_constraint_matrices_must_be_provided),
        cmocka_unit_test(dense_descriptions_that_are_incomplete_are_refused),
        cmocka_unit_test(a_dense_description_needs_phi_and_b_only_for_its_rows),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
