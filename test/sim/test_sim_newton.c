/* newton = auto in simulations: it changes the cost and not the results, and a restored run decides as the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static dal_ctx *ctx;
static problem crank;

/* Dense rows and columns: a Jacobian is worth more than three iterations. */
static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_slider_crank(&crank, ctx));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&crank);
    check_ctx_free(ctx);
    return 0;
}

static dal_sim *after(int steps, const char *options)
{
    dal_sim *sim = runs_start(ctx, &crank, options);
    for (int i = 0; i < steps; ++i) {
        check_ok(ctx, dal_sim_step(sim));
    }
    return sim;
}

static void auto_keeps_jacobians_and_the_motion(void **state)
{
    dal_sim *chosen = after(400, "h=2e-4"), *full = after(400, "h=2e-4 newton=full");
    dal_sim *tight = after(400, "h=2e-4 newton=full atol=1e-15 rtol=1e-13");
    const dal_stats a = dal_sim_stats(chosen), b = dal_sim_stats(full);
    print_message("auto: %ld Jacobians, %ld iterations, kept in %ld of %ld steps; full: %ld and %ld\n", a.jacobians,
                  a.newton_iterations, a.newton_modified, a.steps, b.jacobians, b.newton_iterations);
    assert_true(a.jacobian_cost >= 3.0);
    assert_true(a.newton_modified > 300 && 4 * a.jacobians < b.jacobians);
    assert_int_equal(b.newton_modified, 0);
    const dal_state x = dal_sim_state(chosen), y = dal_sim_state(full), z = dal_sim_state(tight);
    const double off = check_max_abs_diff(x.v, z.v, crank.nv), usual = check_max_abs_diff(y.v, z.v, crank.nv);
    print_message("off by %.1e in v, full Newton by %.1e\n", off, usual);
    assert_true(off <= 1e-8);
    dal_sim_destroy(chosen);
    dal_sim_destroy(full);
    dal_sim_destroy(tight);
}

/* Before, in and after the trial. */
static void a_restored_run_decides_alike(void **state)
{
    static const int steps[] = {5, 8, 11, 16, 40};
    for (size_t k = 0; k < LEN(steps); ++k) {
        dal_sim *sim = after(steps[k], "h=2e-4"), *twin = after(1, "h=2e-4");
        const size_t size = dal_sim_snapshot_size(sim);
        void *buffer = malloc(size);
        check_ok(ctx, dal_sim_save(sim, buffer, size));
        check_ok(ctx, dal_sim_restore(twin, buffer, size));
        for (int i = 0; i < 60; ++i) {
            check_ok(ctx, dal_sim_step(sim));
            check_ok(ctx, dal_sim_step(twin));
        }
        const dal_stats a = dal_sim_stats(sim), b = dal_sim_stats(twin);
        assert_int_equal(a.newton_modified, b.newton_modified);
        assert_true(a.newton_modified > 0);
        assert_int_equal(a.newton_iterations, b.newton_iterations);
        assert_memory_equal(dal_sim_state(sim).q, dal_sim_state(twin).q, (size_t)crank.nq * sizeof(double));
        assert_memory_equal(dal_sim_state(sim).la, dal_sim_state(twin).la, (size_t)crank.nc * sizeof(double));
        free(buffer);
        dal_sim_destroy(sim);
        dal_sim_destroy(twin);
    }
}

/* What one run has learnt is forgotten by the next. */
static void a_second_start_gives_the_bits_of_the_first(void **state)
{
    dal_sim *sim = after(50, "h=2e-4"), *again = after(50, "h=2e-4");
    check_ok(ctx, dal_sim_reset(again, NULL));
    for (int i = 0; i < 50; ++i) {
        check_ok(ctx, dal_sim_step(again));
    }
    assert_int_equal(dal_sim_stats(sim).newton_modified, dal_sim_stats(again).newton_modified);
    assert_memory_equal(dal_sim_state(sim).q, dal_sim_state(again).q, (size_t)crank.nq * sizeof(double));
    dal_sim_destroy(sim);
    dal_sim_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_keeps_jacobians_and_the_motion),
        cmocka_unit_test(a_restored_run_decides_alike),
        cmocka_unit_test(a_second_start_gives_the_bits_of_the_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
