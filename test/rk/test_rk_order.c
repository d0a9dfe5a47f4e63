/* Orders 5 and 8 in q, v and lambda with fixed steps; both levels of the constraints to rounding. */
#include <math.h>

#include "problems/ends.h"
#include "support/check.h"

#define RK5 "integrator=rk order=5 step=fixed"
#define RK8 "integrator=rk order=8 step=fixed"

static void heavy_top_as_a_constrained_body(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    for (int chart = HEAVY_TOP_R3SO3; chart <= HEAVY_TOP_EULER; ++chart) {
        check_ok(ctx, problem_heavy_top(&p, ctx, (heavy_top_chart)chart));
        ends_order(&p, 0.2, 1e-3, 3, RK5, 5.0, 0.1);
        if (chart != HEAVY_TOP_EULER) {
            ends_order(&p, 0.2, 8e-3, 3, RK8, 8.0, 0.25);
        }
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

static void nonholonomic_systems(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_nonholonomic_particle(&p, ctx));
    ends_order(&p, 5.0, 0.05, 3, RK5, 5.0, 0.15);
    ends_order(&p, 3.0, 0.25, 2, RK8, 8.0, 0.5);
    problem_free(&p);
    check_ok(ctx, problem_knife_edge(&p, ctx));
    ends_order(&p, 2.0, 0.025, 2, RK5, 5.0, 0.15);
    problem_free(&p);
    for (int holonomic = 0; holonomic < 2; ++holonomic) {
        check_ok(ctx, problem_rolling_disk(&p, ctx, holonomic));
        ends_order(&p, 0.2, 1.25e-3, 2, RK5, 5.0, 0.3);
        ends_order(&p, 0.2, 2e-2, 3, RK8, 8.0, 0.5);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

static void mechanisms(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_slider_crank(&p, ctx));
    ends_order(&p, 0.5, 2.5e-3, 3, RK5, 5.0, 0.25);
    ends_order(&p, 0.5, 1e-2, 2, RK8, 8.0, 0.3);
    problem_free(&p);
    check_ok(ctx, problem_spatial_slider_crank(&p, ctx, 1));
    ends_order(&p, 0.5, 1.25e-3, 2, RK5, 5.0, 0.3);
    problem_free(&p);
    for (int bodies = 0; bodies < 2; ++bodies) {
        check_ok(ctx, bodies ? problem_andrews(&p, ctx) : problem_andrews_angles(&p, ctx));
        ends_order(&p, 0.01, 2e-4, 3, RK5, 5.0, 0.15);
        ends_order(&p, 0.01, 4e-4, 2, RK8, 8.0, 1.1);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* M is singular, but positive definite on the kernel of B. */
static void massless_parts(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_massless_frame(&p, ctx));
    ends_order(&p, 1.5, 6.25e-3, 2, RK5, 5.0, 0.2);
    ends_order(&p, 1.5, 0.05, 2, RK8, 8.0, 0.75);
    problem_free(&p);
    check_ok(ctx, problem_massless_spring(&p, ctx));
    ends_order(&p, 1.5, 0.025, 3, RK5, 5.0, 0.1);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void driven_and_free_systems(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_cubic_drive(&p, ctx));
    const ends e = ends_run(&p, 1.0, 0.1, RK5);
    assert_true(e.q < 1e-15 && e.v < 4e-15 && e.la < 1e-13);
    problem_free(&p);
    check_ok(ctx, problem_free_top(&p, ctx));
    ends_order(&p, 1.0, 0.025, 3, RK5, 5.0, 0.2);
    ends_order(&p, 1.0, 0.2, 2, RK8, 8.0, 0.3);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void every_problem_stays_on_its_constraints_to_rounding(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        problem p;
        check_ok(ctx, problem_nth(&p, ctx, k));
        const ends e = ends_run(&p, 0.02 * p.t_end, 0.0, "integrator=rk h=1e-5");
        double speed = 1.0;
        for (int i = 0; i < p.nv; ++i) {
            speed = fmax(speed, fabs(p.v0[i]));
        }
        print_message("%-24s Phi %.1e  vel %.1e  q %.1e v %.1e la %.1e  %ld steps\n", p.name, e.Phi, e.vel, e.q, e.v,
                      e.la, e.stats.steps);
        assert_true(e.Phi < 2e-14 && e.vel < 1e-13 * speed);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_as_a_constrained_body),
        cmocka_unit_test(nonholonomic_systems),
        cmocka_unit_test(mechanisms),
        cmocka_unit_test(massless_parts),
        cmocka_unit_test(driven_and_free_systems),
        cmocka_unit_test(every_problem_stays_on_its_constraints_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
