/* Backward differences: orders on mechanisms, the published sum of increments, damping, adaptive steps. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/run.h"
#include "support/check.h"
#include "support/check_model.h"

static void order_is_that_of_the_option_on_mechanisms(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int which = 0; which < 2; ++which) {
        problem p;
        check_ok(ctx, which ? problem_spatial_slider_crank(&p, ctx, 1) : problem_slider_crank(&p, ctx));
        exact e = exact_grid(&p, which ? 0.2 : 0.02, 800);
        for (int order = 1; order <= 4; ++order) {
            char options[96];
            snprintf(options, sizeof options, "integrator=bdf order=%d formulation=ggl rtol=1e-12", order);
            const study st = run_study(&p, &e, 200, 3, 0, options);
            check_study(&st, ORDER_Q | ORDER_V, order, 0.25, p.name);
        }
        exact_free(&e);
        problem_free(&p);
    }
    check_ctx_free(ctx);
}

/* Without brackets the sum of increments is of order 2 from k = 3 on. */
static void the_published_sum_of_increments_stays_at_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    exact e = exact_grid(&p, 0.1, 800);
    const study two = run_study(&p, &e, 200, 3, 0, "integrator=bdf order=2 formulation=ggl kinematics=printed");
    check_study(&two, ORDER_ALL, 2.0, 0.1, "k = 2, printed");
    for (int k = 3; k <= 5; ++k) {
        char options[96];
        snprintf(options, sizeof options, "integrator=bdf order=%d formulation=ggl kinematics=printed", k);
        const study st = run_study(&p, &e, 200, 3, 0, options);
        check_study(&st, ORDER_ALL, 2.0, 0.2, options);
    }
    exact_free(&e);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A tighter tolerance gives a better result, with few more steps where the order may rise. */
static void adaptive_steps_follow_the_tolerance(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    double last = INFINITY;
    for (int k = 4; k <= 8; k += 2) {
        char options[160];
        snprintf(options, sizeof options, "integrator=bdf order=5 step=adaptive formulation=ggl step_rtol=1e-%d", k);
        run r = run_good(&p, 0.2, options);
        const run_error m = run_errors(&r, &p, NULL, 0.0, 1.0, 0);
        print_message("step_rtol 1e-%d: %ld steps, v %.2e of 150\n", k, r.stats.steps, m.max[ERROR_V]);
        assert_true(m.max[ERROR_V] < 150.0 * pow(10.0, -k) * 10.0 && m.max[ERROR_V] < 0.1 * last);
        assert_true(r.stats.steps < (k == 8 ? 1500 : 700) && r.position < 1e-12);
        last = m.max[ERROR_V];
        run_free(&r);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* The error of tiny steps is rounding of positions over h: it must not make them tinier. */
static void tight_tolerances_do_not_run_into_rounding(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_andrews(&p, ctx));
    long last = 0;
    for (int k = 6; k <= 9; ++k) {
        char options[160];
        snprintf(options, sizeof options,
                 "integrator=bdf order=5 step=adaptive formulation=ggl step_rtol=1e-%d step_atol=1e-15 max_steps=8000",
                 k);
        run r = run_good(&p, 0.005, options);
        print_message("step_rtol 1e-%d: %ld steps\n", k, r.stats.steps);
        assert_true(r.stats.steps < 3 * last || last == 0 || k == 9); // the last is near rounding, but ends
        last = r.stats.steps;
        run_free(&r);
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* Let go from rest: the first steps are short, and positions alone have too few digits to tell their error. */
static void a_start_from_rest_does_not_run_into_rounding(void **state)
{
    static const char model[] = PROBLEM_DATA_DIR "/beam_at_rest.json";
    static const char *const set[2][4] = {{"integrator=bdf", "order=5", "step=adaptive", "step_rtol=1e-6"},
                                          {"integrator=rk", "step_rtol=1e-9"}};
    double y[2][9];
    for (int k = 0; k < 2; ++k) {
        check_model m = check_model_start(model, set[k], k == 0 ? 4 : 2);
        check_model_run(&m, 0.005);
        memcpy(y[k], m.y, sizeof y[k]);
        check_model_free(&m);
    }
    for (int i = 0; i < 9; ++i) {
        assert_near(y[0][i], y[1][i], 1e-6);
    }
}

/* Modes of a rod at rest beside a crank that turns at 150 rad/s: what joints pass on of its last bit is more than their tolerance. */
static void a_fast_body_does_not_pass_on_its_rounding(void **state)
{
    static const char *const set[2][5] = {
        {"integrator=bdf", "order=5", "step=adaptive", "step_rtol=1e-5", "step_atol=1e-15"},
        {"integrator=rk", "step_rtol=1e-9"}};
    double q[2][64];
    int n = 0;
    for (int k = 0; k < 2; ++k) {
        check_model m = check_model_start("flexible_slider_crank", set[k], k == 0 ? 5 : 2);
        check_model_run(&m, 0.002);
        n = m.sys->group->nq;
        assert_true(n <= 64 && dal_sim_stats(m.sim).steps < 1000);
        memcpy(q[k], dal_sim_state(m.sim).q, (size_t)n * sizeof(double));
        check_model_free(&m);
    }
    for (int i = 0; i < n; ++i) {
        assert_near(q[0][i], q[1][i], 1e-6);
    }
}

/* A chain of short links far from the origin: the last bits of its positions are many of an angle. Neither order 1, whose steps
 * from rest are tiny, nor a tight tolerance takes them for an error. */
static void rounding_far_from_the_origin_is_no_error(void **state)
{
    static const struct {
        const char *set[4];
        double t, tol;
        int goal, most; /* what it is compared with; steps */
    } list[] = {
        {{"integrator=rk", "step_rtol=1e-8", "h=0.01", "order=8"}, 0.01, 0.0, 0, 100},
        {{"integrator=bdf", "order=3", "step=adaptive", "formulation=ggl"}, 0.01, 1e-7, 0, 400},
        {{"integrator=bdf", "order=5", "step_rtol=1e-6", "formulation=ggl"}, 0.01, 1e-8, 0, 400},
        {{"integrator=bdf", "order=5", "step_rtol=1e-6", "formulation=index3"}, 0.01, 1e-8, 0, 2000},
        {{"integrator=rk", "step_rtol=1e-8", "h=0.01", "order=8"}, 1e-3, 0.0, 4, 100},
        {{"integrator=bdf", "order=1", "step_rtol=0.01", "formulation=ggl"}, 1e-3, 1e-7, 4, 8000},
    };
    double sag[LEN(list)];
    for (size_t k = 0; k < LEN(list); ++k) {
        check_model m = {.ctx = check_ctx()};
        check_ok(m.ctx, dal_document_open(&m.doc, m.ctx, "catenary", list[k].set, 4));
        m.model = dal_document_model(m.doc);
        check_ok(m.ctx, dal_model_compile(m.model, &m.sys));
        check_ok(m.ctx, dal_document_assemble(m.doc, NULL, m.sys));
        dal_options opt = *dal_document_options(m.doc);
        opt.step = DAL_STEP_ADAPTIVE;
        opt.max_steps = list[k].most;
        check_ok(m.ctx, dal_sim_create(&m.sim, m.ctx, m.sys, &opt));
        check_ok(m.ctx, dal_sim_start(m.sim, NULL, 0.0, dal_model_q0(m.model), dal_model_v0(m.model)));
        check_model_run(&m, list[k].t);
        const dal_state s = dal_sim_state(m.sim);
        sag[k] = s.q[m.sys->group->factor[m.sys->group->nfactors / 4 * 2].q + 1];
        print_message("%s %s: %.9f, %ld steps\n", list[k].set[0], list[k].set[1], sag[k], dal_sim_stats(m.sim).steps);
        check_model_free(&m);
        assert_near(sag[k], sag[list[k].goal], list[k].tol);
    }
}

/* Beams that Lobatto's method cannot start: order 2 begins with a step of order 1, which costs it nothing, and stays near generalized-alpha. */
static void stiff_beams_start(void **state)
{
    static const char *const method[] = {"integrator=genalpha", "integrator=bdf"};
    double tip[2];
    for (int k = 0; k < 2; ++k) {
        const char *const set[] = {method[k], "h=0.001"};
        check_model m = check_model_start("rotating_blade", set, 2);
        check_model_run(&m, 0.02);
        const dal_state s = dal_sim_state(m.sim);
        tip[k] = hypot(s.q[m.sys->group->nq - 7], s.q[m.sys->group->nq - 6]);
        print_message("%s: tip at %.6f\n", method[k], tip[k]);
        check_model_free(&m);
    }
    assert_near(tip[1], tip[0], 1e-4 * tip[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_that_of_the_option_on_mechanisms),
        cmocka_unit_test(the_published_sum_of_increments_stays_at_order_two),
        cmocka_unit_test(adaptive_steps_follow_the_tolerance),
        cmocka_unit_test(tight_tolerances_do_not_run_into_rounding),
        cmocka_unit_test(a_start_from_rest_does_not_run_into_rounding),
        cmocka_unit_test(a_fast_body_does_not_pass_on_its_rounding),
        cmocka_unit_test(rounding_far_from_the_origin_is_no_error),
        cmocka_unit_test(stiff_beams_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
