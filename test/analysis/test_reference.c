/* Sampled trajectories, observed orders, and reference solutions against the exact motion of the test problems. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/analysis.h"
#include "problems/problems.h"
#include "support/check.h"

static void order_of_a_power_law_is_its_exponent(void **state)
{
    assert_near(dal_observed_order(0.1, 3e-2, 0.05, 7.5e-3), 2.0, 1e-12);
    assert_near(dal_observed_order(0.05, 7.5e-3, 0.1, 3e-2), 2.0, 1e-12);
    assert_true(isnan(dal_observed_order(0.1, 0.0, 0.05, 1.0)));
    assert_true(isnan(dal_observed_order(0.1, 1.0, 0.1, 1.0)));
    assert_true(isnan(dal_observed_order(0.1, INFINITY, 0.05, 1.0)));
}

enum { N = 5 };

/* The reference of a problem against its exact motion at N times. */
static dal_error reference_error(dal_ctx *ctx, problem *p, double t_end, dal_error *estimate)
{
    double t[N];
    dal_samples ref, exact;
    for (int i = 0; i < N; ++i) {
        t[i] = t_end * (i + 1) / N;
    }
    check_ok(ctx, dal_samples_init(&ref, ctx, p->sys, t, N));
    check_ok(ctx, dal_samples_init(&exact, ctx, p->sys, t, N));
    problem_exact(p, exact.q, exact.v, NULL, exact.la, t, N);
    check_ok(ctx, dal_reference(&ref, estimate, ctx, p->sys, 0.0, p->q0, p->v0, NULL, 1e-9));
    const dal_error e = dal_samples_error(p->group, &ref, &exact, N);
    const dal_error size = dal_samples_size(p->group, &exact);
    dal_samples_release(&ref);
    dal_samples_release(&exact);
    return (dal_error){e.q, e.v / (1.0 + size.v), e.lambda / (1.0 + size.lambda)};
}

static void reference_is_the_exact_motion(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_error estimate;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_error e = reference_error(ctx, &p, 0.2, &estimate);
    problem_free(&p);
    assert_near(e.q, 0.0, 1e-10);
    assert_near(e.v, 0.0, 1e-10);
    assert_near(e.lambda, 0.0, 1e-9);
    check_ok(ctx, problem_rolling_disk(&p, ctx, 1));
    e = reference_error(ctx, &p, 0.5, &estimate);
    problem_free(&p);
    assert_near(e.q, 0.0, 1e-10);
    assert_near(e.v, 0.0, 1e-10);
    assert_near(e.lambda, 0.0, 1e-9);
    check_ctx_free(ctx);
}

static void samples_show_the_order_of_the_method(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    const double t[] = {0.0, 0.1, 0.2}, h[] = {2e-3, 1e-3, 5e-4};
    double eq[3], ev[3], el[3];
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_samples s, exact;
    check_ok(ctx, dal_samples_init(&s, ctx, p.sys, t, 3));
    check_ok(ctx, dal_samples_init(&exact, ctx, p.sys, t, 3));
    problem_exact(&p, exact.q, exact.v, NULL, exact.la, t, 3);
    for (int k = 0; k < 3; ++k) {
        dal_options opt = dal_options_init();
        dal_sim *sim;
        int done;
        opt.h = h[k];
        check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
        check_ok(ctx, dal_samples_run(&s, sim, &done));
        assert_int_equal(done, 3);
        const dal_error e = dal_samples_error(p.group, &s, &exact, 3);
        eq[k] = e.q, ev[k] = e.v, el[k] = e.lambda;
        check_fails(ctx, dal_samples_run(&s, sim, &done), DAL_EINVAL, "before the state");
        assert_int_equal(done, 0);
        dal_sim_destroy(sim);
    }
    check_slopes(h, eq, 3, 2.0, 0.1);
    check_slopes(h, ev, 3, 2.0, 0.1);
    check_slopes(h, el, 3, 2.0, 0.15);
    dal_samples_release(&s);
    dal_samples_release(&exact);
    problem_free(&p);
    check_ctx_free(ctx);
}

static void bad_times_are_refused(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_samples s;
    dal_error e;
    const double back[] = {0.2, 0.1}, nan[] = {NAN}, zero[] = {0.0};
    check_ok(ctx, problem_pendulum(&p, ctx, 0.0));
    check_fails(ctx, dal_samples_init(&s, ctx, p.sys, back, 2), DAL_EINVAL, "increase");
    dal_samples_release(&s);
    check_fails(ctx, dal_samples_init(&s, ctx, p.sys, nan, 1), DAL_EINVAL, "finite");
    dal_samples_release(&s);
    check_ok(ctx, dal_samples_init(&s, ctx, p.sys, zero, 1));
    check_fails(ctx, dal_reference(&s, &e, ctx, p.sys, 0.0, p.q0, p.v0, NULL, 1e-9), DAL_EINVAL, "after t0");
    dal_samples_release(&s);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_a_power_law_is_its_exponent),
        cmocka_unit_test(reference_is_the_exact_motion),
        cmocka_unit_test(samples_show_the_order_of_the_method),
        cmocka_unit_test(bad_times_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
