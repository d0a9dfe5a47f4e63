/* integrator = auto: Runge-Kutta until stability limits its steps, then generalized-alpha; back to Runge-Kutta where that costs
 * more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problems/ends.h"
#include "runs.h"
#include "support/check.h"
#include "support/check_model.h"

/* A mass that follows another one by a spring and damper of rate 2000/s; the other one swings: q0 = cos t. */
static dal_status pair_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status pair_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const double rate = 2000.0;
    g[0] = q[0];
    g[1] = rate * rate * (q[1] - q[0]) + 1.6 * rate * (v[1] - v[0]);
    return DAL_OK;
}

/* A point that runs round the unit circle with speed 1, q0 = cos t and q1 = sin t, and a mass that follows q0 as above. */
static dal_status round_M(double *M, double t, const double *q, void *user)
{
    for (int i = 0; i < 9; ++i) {
        M[i] = i % 4 == 0;
    }
    return DAL_OK;
}

static dal_status round_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const double rate = 2000.0;
    g[0] = g[1] = 0.0;
    g[2] = rate * rate * (q[2] - q[0]) + 1.6 * rate * (v[2] - v[0]);
    return DAL_OK;
}

static dal_status round_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return DAL_OK;
}

static dal_status round_B(double *B, double t, const double *q, void *user)
{
    B[0] = q[0];
    B[1] = q[1];
    B[2] = 0.0;
    return DAL_OK;
}

typedef struct heard {
    int count, back; /* handed over, taken back */
    char text[256];
} heard;

static void listen(dal_log_level level, const char *text, void *user)
{
    heard *h = user;
    h->back += strstr(text, "Runge-Kutta goes on") != NULL;
    if (strstr(text, "limited by stability") != NULL) {
        h->count++;
        snprintf(h->text, sizeof h->text, "%.250s", text);
    }
}

typedef struct pair {
    dal_ctx *ctx;
    dal_group *G;
    dal_system *sys;
    dal_sim *sim;
    heard log;
} pair;

static void start_dense(pair *p, dal_dense dense, int n, const double *q, const double *v, const char *options)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, n};
    memset(p, 0, sizeof *p);
    const dal_config config = {.log = listen, .user = &p->log};
    assert_int_equal(dal_ctx_create(&p->ctx, &config), DAL_OK);
    check_ok(p->ctx, dal_group_create(&p->G, p->ctx, &spec, 1));
    dense.group = p->G;
    check_ok(p->ctx, dal_dense_create(&p->sys, p->ctx, &dense));
    const dal_options opt = runs_options(p->ctx, options);
    check_ok(p->ctx, dal_sim_create(&p->sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_start(p->sim, NULL, 0.0, q, v));
}

static void start_pair(pair *p, const char *options)
{
    const double q[2] = {1.0, 1.0}, v[2] = {0.0, 0.0};
    start_dense(p, (dal_dense){.M = pair_M, .g = pair_g}, 2, q, v, options);
}

static void start_round(pair *p, const char *options)
{
    const double q[3] = {1.0, 0.0, 1.0}, v[3] = {0.0, 1.0, 0.0};
    start_dense(p, (dal_dense){.nc = 1, .M = round_M, .g = round_g, .Phi = round_Phi, .B = round_B}, 3, q, v, options);
}

static void free_pair(pair *p)
{
    dal_sim_destroy(p->sim);
    dal_dense_destroy(p->sys);
    dal_group_destroy(p->G);
    dal_ctx_destroy(p->ctx);
}

static void assert_same_bits(dal_sim *a, dal_sim *b, int nq, int nv)
{
    const dal_state x = dal_sim_state(a), y = dal_sim_state(b);
    assert_true(x.t == y.t && x.h == y.h);
    assert_memory_equal(x.q, y.q, (size_t)nq * sizeof(double));
    assert_memory_equal(x.v, y.v, (size_t)nv * sizeof(double));
    assert_memory_equal(x.vd, y.vd, (size_t)nv * sizeof(double));
    const dal_stats s = dal_sim_stats(a), t = dal_sim_stats(b);
    assert_int_equal(s.steps, t.steps);
    assert_int_equal(s.explicit_steps, t.explicit_steps);
    assert_int_equal(s.newton_iterations, t.newton_iterations);
    assert_int_equal(s.jacobians, t.jacobians);
}

static void a_stiff_motion_is_handed_over_once_and_is_accurate(void **state)
{
    pair p, rk;
    start_pair(&p, "integrator=auto step_rtol=1e-5");
    start_pair(&rk, "integrator=rk step_rtol=1e-5");
    check_ok(p.ctx, dal_sim_run(p.sim, NULL, 5.0));
    check_ok(rk.ctx, dal_sim_run(rk.sim, NULL, 5.0));
    const dal_stats s = dal_sim_stats(p.sim), r = dal_sim_stats(rk.sim);
    print_message("auto: %ld steps, %ld explicit, error %.1e; rk: %ld steps; %s\n", s.steps, s.explicit_steps,
                  fabs(dal_sim_state(p.sim).q[0] - cos(5.0)), r.steps, p.log.text);
    assert_near(dal_sim_state(p.sim).q[0], cos(5.0), 2e-4);
    assert_near(dal_sim_state(p.sim).q[1], cos(5.0), 1e-3);
    assert_true(s.explicit_steps >= 15 && s.explicit_steps < 100 && s.steps < r.steps / 2);
    assert_int_equal(r.explicit_steps, r.steps);
    assert_int_equal(p.log.count, 1);
    assert_non_null(strstr(p.log.text, "generalized-alpha goes on"));
    // the same again, with the same bits
    check_ok(p.ctx, dal_sim_reset(p.sim, NULL));
    check_ok(p.ctx, dal_sim_run(p.sim, NULL, 5.0));
    pair q;
    start_pair(&q, "integrator=auto step_rtol=1e-5");
    check_ok(q.ctx, dal_sim_run(q.sim, NULL, 5.0));
    assert_same_bits(p.sim, q.sim, 2, 2);
    free_pair(&p);
    free_pair(&q);
    free_pair(&rk);
}

static void what_is_not_stiff_has_the_bits_of_runge_kutta(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3));
    dal_sim *a = runs_start(ctx, &p, "integrator=auto step_rtol=1e-7"),
            *b = runs_start(ctx, &p, "integrator=rk step_rtol=1e-7");
    check_ok(ctx, dal_sim_run(a, NULL, 1.0));
    check_ok(ctx, dal_sim_run(b, NULL, 1.0));
    assert_same_bits(a, b, p.nq, p.nv);
    assert_int_equal(dal_sim_stats(a).explicit_steps, dal_sim_stats(a).steps);
    dal_sim_destroy(a);
    dal_sim_destroy(b);
    problem_free(&p);
    check_ctx_free(ctx);
}

/* A tolerance that asks generalized-alpha for shorter steps than stability asks of Runge-Kutta. */
static void a_motion_that_costs_more_is_taken_back_onto_the_constraints(void **state)
{
    const double T = 1.5;
    pair p, rk;
    start_round(&p, "integrator=auto step_rtol=1e-8");
    start_round(&rk, "integrator=rk step_rtol=1e-8");
    check_ok(p.ctx, dal_sim_run(p.sim, NULL, T));
    check_ok(rk.ctx, dal_sim_run(rk.sim, NULL, T));
    const dal_stats s = dal_sim_stats(p.sim), r = dal_sim_stats(rk.sim);
    const dal_state x = dal_sim_state(p.sim), y = dal_sim_state(rk.sim);
    print_message("auto: %ld steps, %ld explicit, error %.1e; rk: %ld steps, error %.1e\n", s.steps, s.explicit_steps,
                  fabs(x.q[0] - cos(T)), r.steps, fabs(y.q[0] - cos(T)));
    assert_int_equal(p.log.count, 1);
    assert_int_equal(p.log.back, 1);
    assert_true(s.explicit_steps < s.steps && s.steps < r.steps + 100);
    for (int i = 0; i < 3; ++i) {
        assert_near(x.q[i], y.q[i], 1e-7);
    }
    assert_near(x.q[0], cos(T), 1e-7);
    assert_near(x.q[1], sin(T), 1e-7);
    assert_near(x.q[0] * x.q[0] + x.q[1] * x.q[1], 1.0, 1e-13);
    assert_near(x.q[0] * x.v[0] + x.q[1] * x.v[1], 0.0, 1e-13);
    assert_near(x.la[0], 1.0, 1e-7); // x'' + la x = 0 on the circle
    // started again, it is all done again
    check_ok(p.ctx, dal_sim_reset(p.sim, NULL));
    check_ok(p.ctx, dal_sim_run(p.sim, NULL, T));
    assert_int_equal(p.log.count, 2);
    assert_int_equal(p.log.back, 2);
    free_pair(&p);
    free_pair(&rk);
}

/* Saved before, between and after the two changes: each goes on to the end with the same bits. */
static void a_restored_run_is_taken_back_at_the_same_step(void **state)
{
    const char *const options = "integrator=auto step_rtol=1e-8";
    pair a;
    start_round(&a, options);
    int over = 0, back = 0, n = 0;
    for (; back == 0; ++n) {
        assert_true(n < 1000);
        check_ok(a.ctx, dal_sim_step(a.sim));
        over = over == 0 && a.log.count > 0 ? n : over;
        back = a.log.back > 0 ? n : 0;
    }
    free_pair(&a);
    const int saved[] = {over - 1, over, over + 1, over + 20, back - 1, back, back + 1, back + 2};
    for (size_t k = 0; k < sizeof saved / sizeof saved[0]; ++k) {
        pair b;
        start_round(&a, options);
        start_round(&b, options);
        for (int i = 0; i < saved[k]; ++i) {
            check_ok(a.ctx, dal_sim_step(a.sim));
        }
        const size_t size = dal_sim_snapshot_size(a.sim);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        check_ok(a.ctx, dal_sim_save(a.sim, bytes, size));
        check_ok(b.ctx, dal_sim_restore(b.sim, bytes, size));
        free(bytes);
        for (int i = saved[k]; i < back + 40; ++i) {
            check_ok(a.ctx, dal_sim_step(a.sim));
            check_ok(b.ctx, dal_sim_step(b.sim));
            assert_same_bits(a.sim, b.sim, 3, 3);
        }
        assert_int_equal(a.log.back, 1);
        assert_int_equal(b.log.back, saved[k] <= back);
        free_pair(&a);
        free_pair(&b);
    }
}

/* Saved before the change, in the step of it and after it. */
static void a_restored_run_changes_at_the_same_step(void **state)
{
    pair a;
    start_pair(&a, "integrator=auto");
    check_ok(a.ctx, dal_sim_run(a.sim, NULL, 1.0));
    const int change = (int)dal_sim_stats(a.sim).explicit_steps;
    free_pair(&a);
    for (int steps = change - 3; steps <= change + 3; ++steps) {
        pair b;
        double x[2], y[2];
        start_pair(&a, "integrator=auto");
        start_pair(&b, "integrator=auto");
        for (int i = 0; i < steps; ++i) {
            check_ok(a.ctx, dal_sim_step(a.sim));
        }
        const size_t size = dal_sim_snapshot_size(a.sim);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        check_ok(a.ctx, dal_sim_save(a.sim, bytes, size));
        check_ok(b.ctx, dal_sim_restore(b.sim, bytes, size));
        free(bytes);
        for (int i = 0; i < 10; ++i) {
            const dal_state s = dal_sim_state(a.sim);
            check_ok(a.ctx, dal_sim_interpolate(a.sim, x, NULL, NULL, s.t - 0.3 * s.h));
            check_ok(b.ctx, dal_sim_interpolate(b.sim, y, NULL, NULL, s.t - 0.3 * s.h));
            assert_memory_equal(x, y, sizeof x);
            check_ok(a.ctx, dal_sim_step(a.sim));
            check_ok(b.ctx, dal_sim_step(b.sim));
            assert_same_bits(a.sim, b.sim, 2, 2);
        }
        assert_true(dal_sim_stats(a.sim).explicit_steps == change);
        free_pair(&a);
        free_pair(&b);
    }
}

static double half_way(double t, const double *q, const double *v, void *user)
{
    return q[0] - 0.5;
}

/* After an event Runge-Kutta begins anew and hands over anew; counts go on. */
static void an_event_begins_with_runge_kutta_again(void **state)
{
    pair p;
    start_pair(&p, "integrator=auto");
    check_ok(p.ctx, dal_sim_event(p.sim, &(dal_event){half_way, NULL, 0, DAL_EVENT_RESTART, NULL}));
    check_ok(p.ctx, dal_sim_run(p.sim, NULL, 1.04)); // cos t = 0.5 at 1.0472
    const dal_stats before = dal_sim_stats(p.sim);
    check_ok(p.ctx, dal_sim_run(p.sim, NULL, 2.0));
    const dal_stats after = dal_sim_stats(p.sim);
    assert_near(dal_sim_state(p.sim).q[0], cos(2.0), 2e-3);
    assert_true(after.explicit_steps > before.explicit_steps && after.explicit_steps < after.steps);
    assert_true(after.newton_iterations > before.newton_iterations && before.newton_iterations > 0);
    assert_int_equal(p.log.count, 2);
    free_pair(&p);
}

/* The stiff springs of the governor: 750 steps of Runge-Kutta of order 8, whatever the tolerance. */
static void the_governor_runs_within_the_tolerance(void **state)
{
    const char *const rk[] = {"integrator=rk", "h=0.001", "step_rtol=1e-4"}, *const chosen[] = {"integrator=auto",
                                                                                                "h=0.001",
                                                                                                "step_rtol=1e-4"};
    check_model a = check_model_start("flyball_governor", chosen, 3), b = check_model_start("flyball_governor", rk, 3);
    check_model_run(&a, 1.0);
    check_model_run(&b, 1.0);
    const dal_stats s = dal_sim_stats(a.sim), r = dal_sim_stats(b.sim);
    const double off = dal_distance(a.sys->group, dal_sim_state(a.sim).q, dal_sim_state(b.sim).q);
    print_message("auto: %ld steps, %ld explicit; rk: %ld steps; they differ by %.1e\n", s.steps, s.explicit_steps,
                  r.steps, off);
    assert_true(off < 1e-3);
    assert_true(s.explicit_steps < 200 && s.explicit_steps < s.steps && s.steps < r.steps / 3 + 10);
    check_model_free(&a);
    check_model_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_motion_is_handed_over_once_and_is_accurate),
        cmocka_unit_test(what_is_not_stiff_has_the_bits_of_runge_kutta),
        cmocka_unit_test(a_motion_that_costs_more_is_taken_back_onto_the_constraints),
        cmocka_unit_test(a_restored_run_is_taken_back_at_the_same_step),
        cmocka_unit_test(a_restored_run_changes_at_the_same_step),
        cmocka_unit_test(an_event_begins_with_runge_kutta_again),
        cmocka_unit_test(the_governor_runs_within_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
