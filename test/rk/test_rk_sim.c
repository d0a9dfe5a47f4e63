/* The Runge-Kutta integrator within a simulation: dense output, events, snapshots, memory, messages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/ends.h"
#include "support/check.h"

static dal_sim *started(const problem *p, const dal_options *opt)
{
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    return sim;
}

/* ---- dense output ----------------------------------------------------------------------------- */

/* Largest error of q, v and lambda at five places in the middle step of three of size h. */
static void dense_error(double error[3], const problem *p, int order, double h)
{
    char options[96];
    snprintf(options, sizeof options, "integrator=rk order=%d step=fixed h=%.17g", order, h);
    const dal_options opt = ends_options(p->ctx, options);
    dal_sim *sim = started(p, &opt);
    check_ok(p->ctx, dal_sim_step(sim));
    check_ok(p->ctx, dal_sim_step(sim));
    error[0] = error[1] = error[2] = 0.0;
    for (int i = 1; i < 6; ++i) {
        const double t = h * (1.0 + i / 6.0);
        double q[2][PROBLEM_MAX], v[2][PROBLEM_MAX], la[2][PROBLEM_MAX];
        check_ok(p->ctx, dal_sim_interpolate(sim, q[0], v[0], la[0], t));
        problem_exact(p, q[1], v[1], NULL, la[1], &t, 1);
        error[0] = fmax(error[0], dal_distance(p->group, q[0], q[1]));
        error[1] = fmax(error[1], check_max_abs_diff(v[0], v[1], p->nv));
        error[2] = fmax(error[2], check_max_abs_diff(la[0], la[1], p->nc));
    }
    dal_sim_destroy(sim);
}

/* Local errors h^5 and h^8: orders 4 and 7 over a run, in lambda too. */
static void dense_output_has_orders_4_and_7(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int order = 5; order <= 8; order += 3) {
        double last[3], error[3];
        const double h = order == 5 ? 1e-3 : 4e-3;
        dense_error(last, &p, order, h);
        for (int k = 1; k < 3; ++k) {
            dense_error(error, &p, order, h / (1 << k));
            print_message("order %d, h %.3g: q %.2e (%.2f) v %.2e (%.2f) lambda %.2e (%.2f)\n", order, h / (1 << k),
                          error[0], log2(last[0] / error[0]), error[1], log2(last[1] / error[1]), error[2],
                          log2(last[2] / error[2]));
            for (int i = 0; i < 3; ++i) {
                assert_true(log2(last[i] / error[i]) > order - 0.3);
                last[i] = error[i];
            }
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- snapshots and memory --------------------------------------------------------------------- */

static void assert_same_bits(const problem *p, const dal_sim *a, const dal_sim *b)
{
    const dal_state sa = dal_sim_state(a), sb = dal_sim_state(b);
    const dal_stats ta = dal_sim_stats(a), tb = dal_sim_stats(b);
    assert_true(sa.t == sb.t && sa.h == sb.h);
    assert_memory_equal(sa.q, sb.q, (size_t)p->nq * sizeof(double));
    assert_memory_equal(sa.v, sb.v, (size_t)p->nv * sizeof(double));
    assert_memory_equal(sa.vd, sb.vd, (size_t)p->nv * sizeof(double));
    assert_memory_equal(sa.la, sb.la, (size_t)p->nc * sizeof(double));
    assert_int_equal(ta.newton_iterations, tb.newton_iterations);
    assert_int_equal(ta.jacobians, tb.jacobians);
    assert_int_equal(ta.rejected, tb.rejected);
    assert_int_equal(dal_sim_event_index(a), dal_sim_event_index(b));
}

/* Crosses zero every few steps of the runs below. */
static double now_and_then(double t, const double *q, const double *v, void *user)
{
    return sin(130.0 * t + 0.1 * q[0] + 0.5);
}

static dal_status nudge(double t, double *q, double *v, void *user)
{
    v[0] += 0.01;
    return DAL_OK;
}

static const dal_event event = {now_and_then, nudge, 0, DAL_EVENT_RESTART, NULL};

/* Saved after the first steps; some of all these end at the event. */
static void continued_bit_for_bit(problem *p, const char *options, int with_event)
{
    dal_ctx *ctx = p->ctx;
    const dal_options opt = ends_options(ctx, options);
    for (int steps = 2; steps < 10; steps += 5) {
        dal_sim *a = started(p, &opt), *b;
        check_ok(ctx, dal_sim_create(&b, ctx, p->sys, &opt));
        if (with_event) {
            check_ok(ctx, dal_sim_event(a, &event));
            check_ok(ctx, dal_sim_event(b, &event));
        }
        for (int i = 0; i < steps; ++i) {
            check_ok(ctx, dal_sim_step(a));
        }
        const size_t size = dal_sim_snapshot_size(a);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        check_ok(ctx, dal_sim_save(a, buffer, size));
        check_ok(ctx, dal_sim_restore(b, buffer, size));
        for (int i = 0; i < 8; ++i) {
            const dal_state s = dal_sim_state(a);
            if (dal_sim_event_index(a) < 0) { // else the part of a step before the event is not saved
                double x[3][PROBLEM_MAX], y[3][PROBLEM_MAX];
                check_ok(ctx, dal_sim_interpolate(a, x[0], x[1], x[2], s.t - 0.3 * s.h));
                check_ok(ctx, dal_sim_interpolate(b, y[0], y[1], y[2], s.t - 0.3 * s.h));
                assert_memory_equal(x[0], y[0], (size_t)p->nq * sizeof(double));
                assert_memory_equal(x[1], y[1], (size_t)p->nv * sizeof(double));
                assert_memory_equal(x[2], y[2], (size_t)p->nc * sizeof(double));
            }
            assert_same_bits(p, a, b);
            check_ok(ctx, dal_sim_step(a));
            check_ok(ctx, dal_sim_step(b));
        }
        free(buffer);
        dal_sim_destroy(a);
        dal_sim_destroy(b);
    }
}

static void a_restored_run_goes_on_bit_for_bit(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    for (int with_event = 0; with_event < 2; ++with_event) {
        continued_bit_for_bit(&p, "integrator=rk order=5 step=fixed h=0.005", with_event);
        continued_bit_for_bit(&p, "integrator=rk order=8 step=fixed h=0.005 linear_solver=klu", with_event);
        continued_bit_for_bit(&p, "integrator=rk order=5 step_rtol=1e-7", with_event);
        continued_bit_for_bit(&p, "integrator=rk order=8", with_event);
    }
    problem_free(&p);
    check_ok(ctx, problem_andrews(&p, ctx));
    continued_bit_for_bit(&p, "integrator=rk h=0.0001", 0);
    problem_free(&p);
    check_ctx_free(ctx);
}

static dal_status look(dal_sim *sim, const dal_state *state, void *user)
{
    double q[7], v[6], la[3], position, velocity;
    DAL_TRY(dal_sim_residuals(sim, &position, &velocity));
    return state->h > 0.0 && dal_sim_event_index(sim) < 0 ? dal_sim_interpolate(sim, q, v, la, state->t - 1e-4)
                                                          : DAL_OK;
}

typedef struct scenario_data {
    const char *options;
    check_alloc *alloc; /* counts that steps take nothing, if not NULL */
    int fired;
} scenario_data;

/* Steps with an event, an observer and interpolation. */
static dal_status scenario(dal_ctx *ctx, void *user)
{
    scenario_data *d = user;
    problem p;
    dal_sim *sim = NULL;
    DAL_TRY(problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    const dal_options opt = ends_options(ctx, d->options);
    dal_status st = dal_sim_create(&sim, ctx, p.sys, &opt);
    if (st == DAL_OK) {
        st = dal_sim_observe(sim, look, NULL);
    }
    if (st == DAL_OK) {
        st = dal_sim_event(sim, &event);
    }
    if (st == DAL_OK) {
        st = dal_sim_start(sim, NULL, 0.0, p.q0, p.v0);
    }
    const long before = d->alloc ? d->alloc->total : 0;
    for (int i = 0; i < 10 && st == DAL_OK; ++i) {
        st = dal_sim_step(sim);
        d->fired += dal_sim_event_index(sim) >= 0;
    }
    assert_true(!d->alloc || d->alloc->total == before);
    dal_sim_destroy(sim);
    problem_free(&p);
    return st;
}

static void steps_allocate_nothing_and_all_memory_is_given_back(void **state)
{
    const char *const options[] = {"integrator=rk order=5 step=fixed h=0.005",
                                   "integrator=rk order=8 step=fixed h=0.005", "integrator=rk order=5 h=0.005",
                                   "integrator=rk order=8 h=0.005", "integrator=rk linear_solver=lapack h=0.005"};
    for (size_t k = 0; k < LEN(options); ++k) {
        check_alloc alloc = {0};
        dal_ctx *ctx = check_ctx_with(&alloc);
        scenario_data data = {options[k], &alloc, 0};
        check_ok(ctx, scenario(ctx, &data));
        assert_true(data.fired > 0);
        check_ctx_free(ctx);
        assert_int_equal(alloc.live, 0);
    }
    scenario_data data = {options[3], NULL, 0};
    assert_true(check_every_allocation(scenario, &data) > 5);
}

/* ---- messages --------------------------------------------------------------------------------- */

static void misuse_is_explained(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    dal_sim *sim;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_options opt = ends_options(ctx, "integrator=rk order=6");
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "order 5, 8");
    opt = ends_options(ctx, "integrator=rk formulation=ggl");
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "leave formulation");
    opt = ends_options(ctx, "integrator=rk linear_solver=block");
    check_fails(ctx, dal_sim_create(&sim, ctx, p.sys, &opt), DAL_EOPTION, "genalpha only");
    // a step that turns the top too far
    opt = ends_options(ctx, "integrator=rk step=fixed h=0.2");
    sim = started(&p, &opt);
    check_fails(ctx, dal_sim_step(sim), DAL_RETRY, "smaller h");
    dal_sim_destroy(sim);
    problem_free(&p);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_output_has_orders_4_and_7),
        cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
        cmocka_unit_test(steps_allocate_nothing_and_all_memory_is_given_back),
        cmocka_unit_test(misuse_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
