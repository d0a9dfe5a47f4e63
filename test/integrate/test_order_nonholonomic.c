/* Second order with nonholonomic rows, alone and together with holonomic ones. */
#include <stdio.h>

#include "integrate/run.h"
#include "support/check.h"

static const char *const formulation[] = {"index3", "index2", "ggl"};
static const char *const sigma[] = {"0", "1", "opt"};

static void particle_and_sleigh_are_of_order_two(void **state)
{
    static dal_status (*const create[])(problem *, dal_ctx *) = {problem_nonholonomic_particle,
                                                                 problem_chaplygin_sleigh};
    dal_ctx *ctx = check_ctx();
    for (size_t c = 0; c < LEN(create); ++c) {
        problem p;
        check_ok(ctx, create[c](&p, ctx));
        exact e = exact_grid(&p, 5.0, 2000);
        const study st = run_study(&p, &e, 500, 3, 0, "formulation=index2");
        check_study(&st, ORDER_ALL, 2.0, 0.1, p.name);
        exact_free(&e);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* lambda keeps the speed of the steadily turning skate from growing without bound, which determines it whatever the
 * step size is: all that is left is a starting error, one order smaller. */
static void knife_edge_is_of_order_two_and_three_in_lambda(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_knife_edge(&p, ctx));
    exact e = exact_grid(&p, 5.0, 2000);
    const study st = run_study(&p, &e, 500, 3, 0, "formulation=index2");
    check_study(&st, ORDER_Q | ORDER_V, 2.0, 0.1, p.name);
    check_study(&st, ORDER_LA, 3.0, 0.1, p.name);
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* With nonholonomic rows only, the formulations are one method. */
static void formulations_agree_without_holonomic_rows(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_chaplygin_sleigh(&p, ctx));
    run r[3];
    for (int f = 0; f < 3; ++f) {
        char options[64];
        snprintf(options, sizeof options, "formulation=%s h=0.01", formulation[f]);
        r[f] = run_good(&p, 5.0, options);
        assert_int_equal(r[f].n, r[0].n);
        assert_memory_equal(r[f].q, r[0].q, (size_t)(p.nq * r[0].n) * sizeof(double));
        assert_memory_equal(r[f].la, r[0].la, (size_t)(p.nc * r[0].n) * sizeof(double));
    }
    for (int f = 0; f < 3; ++f) {
        run_free(&r[f]);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Height as a holonomic row, rolling as two nonholonomic ones; or all three at velocity level. */
static void rolling_disk_is_of_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int holonomic = 0; holonomic < 2; ++holonomic) {
        problem p;
        check_ok(ctx, problem_rolling_disk(&p, ctx, holonomic));
        exact e = exact_grid(&p, 2.0, 3200);
        for (size_t f = holonomic ? 0 : 1; f < (holonomic ? 3 : 2); ++f) {
            for (size_t s = 0; s < LEN(sigma); ++s) {
                char options[128], what[192];
                snprintf(options, sizeof options, "formulation=%s sigma=%s", formulation[f], sigma[s]);
                snprintf(what, sizeof what, "%s, holonomic height %d, %s", p.name, holonomic, options);
                const study st = run_study(&p, &e, 1600, 2, 0, options);
                check_study(&st, ORDER_ALL, 2.0, 0.1, what);
            }
        }
        exact_free(&e);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particle_and_sleigh_are_of_order_two),
        cmocka_unit_test(knife_edge_is_of_order_two_and_three_in_lambda),
        cmocka_unit_test(formulations_agree_without_holonomic_rows),
        cmocka_unit_test(rolling_disk_is_of_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
