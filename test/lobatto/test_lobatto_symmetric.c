/* The symmetric and the variational method (LJ.1), (LJ.5): orders 2s-2 in q, v and lambda, how many iterations they take, what they refuse. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"

typedef struct row {
    const char *lambda;
    int problem; /* of `make` */
    int stages;
    double T, h, tol;
} row;

enum { TOP, TOP_SE3, PENDULUM, DISK, DISK_NONHOLONOMIC, CRANK, PLANAR_CRANK, FRAME };

static dal_status make(problem *p, dal_ctx *ctx, int k)
{
    switch (k) {
    case TOP:
        return problem_heavy_top(p, ctx, HEAVY_TOP_R3SO3);
    case TOP_SE3:
        return problem_heavy_top(p, ctx, HEAVY_TOP_SE3);
    case PENDULUM:
        return problem_pendulum(p, ctx, 0.2);
    case DISK:
        return problem_rolling_disk(p, ctx, 1);
    case DISK_NONHOLONOMIC:
        return problem_rolling_disk(p, ctx, 0);
    case CRANK:
        return problem_spatial_slider_crank(p, ctx, 0);
    case PLANAR_CRANK:
        return problem_slider_crank(p, ctx);
    default:
        return problem_massless_frame(p, ctx);
    }
}

static void check_rows(const row *rows, size_t n)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < n; ++k) {
        problem p;
        char options[64];
        snprintf(options, sizeof options, "stages=%d lambda=%s", rows[k].stages, rows[k].lambda);
        check_ok(ctx, make(&p, ctx, rows[k].problem));
        ends_order(&p, rows[k].T, rows[k].h, 2, options, 2.0 * rows[k].stages - 2.0, rows[k].tol);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

static void symmetric_has_its_orders_on_all_problems(void **state)
{
    static const row rows[] = {
        {"symmetric", TOP, 2, 0.2, 1e-3, 0.1},           {"symmetric", TOP, 3, 0.2, 2.5e-3, 0.1},
        {"symmetric", TOP, 4, 0.2, 5e-3, 0.1},           {"symmetric", TOP_SE3, 3, 0.2, 1.25e-3, 0.1},
        {"symmetric", TOP_SE3, 4, 0.2, 2.5e-3, 0.1},     {"symmetric", PENDULUM, 2, 1.0, 0.02, 0.1},
        {"symmetric", PENDULUM, 3, 1.0, 0.1, 0.1},       {"symmetric", PENDULUM, 4, 1.0, 0.2, 0.1},
        {"symmetric", DISK, 2, 0.2, 5e-3, 0.1},          {"symmetric", DISK, 3, 0.2, 1e-2, 0.1},
        {"symmetric", DISK, 4, 0.2, 2e-2, 0.15},         {"symmetric", DISK_NONHOLONOMIC, 3, 0.2, 1e-2, 0.1},
        {"symmetric", CRANK, 3, 0.2, 2.5e-3, 0.1},       {"symmetric", PLANAR_CRANK, 3, 0.1, 1e-3, 0.1},
        {"symmetric", PLANAR_CRANK, 4, 0.1, 1e-2, 0.15}, {"symmetric", FRAME, 3, 1.0, 0.05, 0.1},
    };
    check_rows(rows, LEN(rows));
}

static void variational_has_its_orders(void **state)
{
    static const row rows[] = {
        {"variational", TOP, 2, 0.2, 1e-3, 0.1},     {"variational", TOP, 3, 0.2, 2.5e-3, 0.1},
        {"variational", TOP, 4, 0.2, 2.5e-3, 0.1},   {"variational", TOP_SE3, 3, 0.2, 1.25e-3, 0.1},
        {"variational", PENDULUM, 3, 1.0, 0.1, 0.1}, {"variational", CRANK, 3, 0.2, 2.5e-3, 0.1},
    };
    check_rows(rows, LEN(rows));
}

/* With two stages the discrete action is that of RATTLie. */
static void two_variational_stages_are_rattlie(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int chart = TOP; chart <= TOP_SE3; ++chart) {
        problem p;
        check_ok(ctx, make(&p, ctx, chart));
        dal_state end[2];
        dal_sim *sim[2];
        static const char *const options[] = {"stages=2 lambda=variational h=1e-3",
                                              "integrator=rattlie order=2 h=1e-3"};
        for (int k = 0; k < 2; ++k) {
            const dal_options opt = ends_options(ctx, options[k]);
            check_ok(ctx, dal_sim_create(&sim[k], ctx, p.sys, &opt));
            check_ok(ctx, dal_sim_start(sim[k], NULL, 0.0, p.q0, p.v0));
            check_ok(ctx, dal_sim_run(sim[k], NULL, 0.1));
            end[k] = dal_sim_state(sim[k]);
        }
        assert_true(dal_distance(p.group, end[0].q, end[1].q) < 1e-12);
        for (int i = 0; i < 6; ++i) {
            assert_near(end[0].v[i], end[1].v[i], 1e-10);
        }
        dal_sim_destroy(sim[0]);
        dal_sim_destroy(sim[1]);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* 0.75 rad a step: the tangents are those of its chart, and the iteration knows rounding. */
static void long_steps_take_few_iterations_and_one_matrix(void **state)
{
    static const double most[] = {4.2, 4.4, 3.3}; // 4.03, 4.25, 3.05 for s = 3, 4, 5
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, make(&p, ctx, TOP));
    for (int s = 3; s <= 5; ++s) {
        char options[64];
        snprintf(options, sizeof options, "stages=%d lambda=symmetric", s);
        const ends e = ends_run(&p, 0.4, 5e-3, options);
        print_message("s %d: %ld iterations, %ld matrices in %ld steps\n", s, e.stats.newton_iterations,
                      e.stats.jacobians, e.stats.steps);
        assert_true((double)e.stats.newton_iterations <= most[s - 3] * (double)e.stats.steps);
        assert_true((double)e.stats.jacobians <= 1.1 * (double)e.stats.steps);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

static void what_it_cannot_do_is_refused_by_name(void **state)
{
    static const struct {
        int problem;
        const char *says;
    } list[] = {{DISK, "nonholonomic rows, and row 1 is one"},
                {DISK_NONHOLONOMIC, "nonholonomic rows, and row 0 is one"}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(list); ++k) {
        problem p;
        dal_sim *sim = NULL;
        const dal_options opt = ends_options(ctx, "stages=3 lambda=variational");
        check_ok(ctx, make(&p, ctx, list[k].problem));
        assert_int_equal(dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION);
        assert_non_null(strstr(dal_ctx_message(ctx), list[k].says));
        dal_sim_destroy(sim);
        problem_free(&p);
    }
    // angles: the mass matrix depends on them
    problem p;
    dal_sim *sim = NULL;
    const dal_options opt = ends_options(ctx, "stages=3 lambda=variational");
    check_ok(ctx, problem_andrews_angles(&p, ctx));
    check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
    assert_int_equal(dal_sim_start(sim, NULL, 0.0, p.q0, p.v0), DAL_EOPTION);
    assert_non_null(strstr(dal_ctx_message(ctx), "and that of v["));
    dal_sim_destroy(sim);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_has_its_orders_on_all_problems),
        cmocka_unit_test(variational_has_its_orders),
        cmocka_unit_test(two_variational_stages_are_rattlie),
        cmocka_unit_test(long_steps_take_few_iterations_and_one_matrix),
        cmocka_unit_test(what_it_cannot_do_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
