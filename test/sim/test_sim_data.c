/* What a simulation keeps from one evaluation to the next, and that it lets go of it in time. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "runs.h"
#include "support/check.h"

/* A bead on a unit circle under a given force; mass, and how often M was asked for. */
typedef struct bead {
    double mass;
    int bad; /* 0: sound, 1: M is NaN, 2: M fails, 3: M asks for a smaller step, from t = 0.1 on */
    int calls;
} bead;

static const double q0[2] = {1.0, 0.0}, v0[2] = {0.0, 0.0};

static dal_status bead_M(double *M, double t, const double *q, void *user)
{
    bead *b = user;
    const int bad = t > 0.1 ? b->bad : 0;
    b->calls++;
    M[0] = M[3] = b->mass;
    M[1] = M[2] = 0.0;
    if (bad == 1) {
        M[0] = NAN;
    }
    return bad == 2 ? DAL_ECALLBACK : bad == 3 ? DAL_RETRY : DAL_OK;
}

static dal_status bead_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = 3.0;
    g[1] = 9.81;
    return DAL_OK;
}

static dal_status bead_Phi(double *Phi, double t, const double *q, void *user)
{
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return DAL_OK;
}

static dal_status bead_B(double *B, double t, const double *q, void *user)
{
    B[0] = q[0];
    B[1] = q[1];
    return DAL_OK;
}

typedef struct fixture {
    dal_ctx *ctx;
    dal_group *group;
    dal_system *sys;
    bead bead;
} fixture;

static void set_up(fixture *f)
{
    *f = (fixture){.ctx = check_ctx(), .bead = {.mass = 1.0}};
    check_ok(f->ctx, dal_group_create(&f->group, f->ctx, &(dal_factor_spec){DAL_FACTOR_RN, 2}, 1));
    const dal_dense d = {
        .group = f->group, .nc = 1, .user = &f->bead, .M = bead_M, .g = bead_g, .Phi = bead_Phi, .B = bead_B};
    check_ok(f->ctx, dal_dense_create(&f->sys, f->ctx, &d));
}

static void tear_down(fixture *f)
{
    dal_dense_destroy(f->sys);
    dal_group_destroy(f->group);
    check_ctx_free(f->ctx);
}

static dal_sim *start(fixture *f, const char *options, double t, const double *q, const double *v)
{
    const dal_options opt = runs_options(f->ctx, options);
    dal_sim *sim;
    check_ok(f->ctx, dal_sim_create(&sim, f->ctx, f->sys, &opt));
    check_ok(f->ctx, dal_sim_start(sim, NULL, t, q, v));
    return sim;
}

/* The same state started anew with the present mass. */
static void check_consistent(fixture *f, dal_sim *sim, const char *options)
{
    const dal_state s = dal_sim_state(sim);
    dal_sim *fresh = start(f, options, s.t, s.q, s.v);
    const dal_state x = dal_sim_state(fresh);
    assert_all_near(s.vd, x.vd, 2, 1e-9);
    assert_near(s.la[0], x.la[0], 1e-9);
    dal_sim_destroy(fresh);
}

static const char *const methods[] = {"starting=naive", "starting=naive formulation=index1", "integrator=lobatto",
                                      "starting=naive newton=modified"};

static void a_start_sees_data_that_changed_since_the_last(void **state)
{
    for (size_t k = 0; k < LEN(methods); ++k) {
        fixture f;
        set_up(&f);
        dal_sim *sim = start(&f, methods[k], 0.0, q0, v0);
        assert_near(dal_sim_state(sim).vd[1], -9.81, 1e-9);
        f.bead.mass = 10.0;
        check_ok(f.ctx, dal_sim_start(sim, NULL, 0.0, q0, v0));
        assert_near(dal_sim_state(sim).vd[1], -0.981, 1e-9);
        dal_sim_destroy(sim);
        tear_down(&f);
    }
}

static double at_three_tenths(double t, const double *q, const double *v, void *user)
{
    return t - 0.3004;
}

static dal_status gain_mass(double t, double *q, double *v, void *user)
{
    ((bead *)user)->mass = 10.0;
    return DAL_OK;
}

static void an_event_may_change_data(void **state)
{
    for (size_t k = 0; k < LEN(methods); ++k) {
        fixture f;
        set_up(&f);
        dal_sim *sim = start(&f, methods[k], 0.0, q0, v0);
        const dal_event event = {
            .value = at_three_tenths, .change = gain_mass, .action = DAL_EVENT_STOP, .user = &f.bead};
        check_ok(f.ctx, dal_sim_event(sim, &event));
        check_ok(f.ctx, dal_sim_run(sim, NULL, 1.0));
        assert_near(dal_sim_state(sim).t, 0.3004, 1e-9);
        check_consistent(&f, sim, methods[k]);
        dal_sim_destroy(sim);
        tear_down(&f);
    }
}

static void a_simulation_can_be_told_that_data_changed(void **state)
{
    for (size_t k = 0; k < LEN(methods); ++k) {
        fixture f;
        set_up(&f);
        dal_sim *sim = start(&f, methods[k], 0.0, q0, v0);
        check_ok(f.ctx, dal_sim_run(sim, NULL, 0.25));
        f.bead.mass = 10.0;
        check_ok(f.ctx, dal_sim_data_changed(sim));
        assert_near(dal_sim_state(sim).t, 0.25, 0.0);
        check_consistent(&f, sim, methods[k]);
        // and goes on as a simulation that was started there
        const dal_state s = dal_sim_state(sim);
        dal_sim *fresh = start(&f, methods[k], s.t, s.q, s.v);
        check_ok(f.ctx, dal_sim_run(sim, NULL, 0.5));
        check_ok(f.ctx, dal_sim_run(fresh, NULL, 0.5));
        assert_all_near(dal_sim_state(sim).q, dal_sim_state(fresh).q, 2, 1e-9);
        dal_sim_destroy(fresh);
        dal_sim_destroy(sim);
        tear_down(&f);
    }
}

/* Masses that changed without a word are seen from the next step on. */
static void steps_do_not_remember_the_matrices_of_the_step_before(void **state)
{
    fixture f;
    set_up(&f);
    dal_sim *sim = start(&f, "starting=naive", 0.0, q0, v0);
    check_ok(f.ctx, dal_sim_step(sim));
    f.bead.calls = 0;
    check_ok(f.ctx, dal_sim_step(sim));
    assert_true(f.bead.calls > 0);
    dal_sim_destroy(sim);
    tear_down(&f);
}

static void a_restored_simulation_asks_for_its_matrices_again(void **state)
{
    fixture f;
    static double snapshot[4096];
    set_up(&f);
    dal_sim *sim = start(&f, "starting=naive", 0.0, q0, v0);
    const size_t size = dal_sim_snapshot_size(sim);
    assert_true(size <= sizeof snapshot);
    check_ok(f.ctx, dal_sim_save(sim, snapshot, size));
    f.bead.mass = 10.0;
    check_ok(f.ctx, dal_sim_restore(sim, snapshot, size));
    double vel;
    f.bead.calls = 0;
    check_ok(f.ctx, dal_sim_residuals(sim, NULL, &vel));
    assert_true(f.bead.calls > 0);
    dal_sim_destroy(sim);
    tear_down(&f);
}

static void a_callback_that_failed_once_is_called_again(void **state)
{
    for (int bad = 1; bad <= 3; ++bad) {
        fixture f;
        set_up(&f);
        dal_sim *sim = start(&f, "h=1e-2", 0.0, q0, v0);
        f.bead.bad = bad;
        assert_true(dal_sim_run(sim, NULL, 1.0) != DAL_OK);
        f.bead.bad = f.bead.calls = 0;
        check_ok(f.ctx, dal_sim_step(sim));
        assert_true(f.bead.calls > 0);
        check_ok(f.ctx, dal_sim_run(sim, NULL, 1.0));
        dal_sim_destroy(sim);
        tear_down(&f);
    }
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* A free particle that counts, in its memory, the states that became final, and sums up their times. Its work is the
 * memory. */
enum { STARTS, STEPS, RESTARTS, SUM, NMEMORY };

static double *counts; /* of the simulation created last */

static dal_status count_create(void **work, dal_ctx *ctx, double *memory, const void *user)
{
    *work = counts = memory;
    return DAL_OK;
}

static dal_status count_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    if (out->r) {
        out->r[0] = at->vd[0];
    }
    return DAL_OK;
}

static dal_status count_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    static const double one = 1.0;
    sink->pair(sink, 0, &one, NULL, NULL);
    return DAL_OK;
}

static dal_status count_accept(const dal_point *at, dal_moment moment, const void *user, void *work)
{
    double *m = work;
    m[moment == DAL_MOMENT_START ? STARTS : moment == DAL_MOMENT_STEP ? STEPS : RESTARTS] += 1.0;
    m[SUM] += at->t;
    return at->t > 0.95 ? DAL_EINVAL : DAL_OK;
}

static void memory_changes_at_final_states_and_is_saved(void **state)
{
    static const dal_pair pair = {0, 0, 0};
    static double snapshot[4096];
    dal_ctx *ctx = check_ctx();
    dal_group *group;
    dal_sim *sim;
    dal_options opt = dal_options_init();
    const double q = 0.0, v = 1.0;
    opt.h = 0.1;
    check_ok(ctx, dal_group_create(&group, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 1}, 1));
    const dal_system sys = {.group = group,
                            .npairs = 1,
                            .pair = &pair,
                            .provides = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K,
                            .nmemory = NMEMORY,
                            .equations = {.residual = count_residual, .tangent = count_tangent},
                            .life = {.create = count_create, .accept = count_accept}};
    const dal_event event = {.value = at_three_tenths, .action = DAL_EVENT_RESTART};
    double last[NMEMORY];
    size_t size = 0;
    for (int part = 0; part < 2; ++part) {
        check_ok(ctx, dal_sim_create(&sim, ctx, &sys, &opt));
        check_ok(ctx, dal_sim_event(sim, &event));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, &q, &v)); // begins anew
        assert_true(counts[STARTS] == 1.0 && counts[STEPS] == 0.0 && counts[SUM] == 0.0);
        if (part == 0) {
            check_ok(ctx, dal_sim_run(sim, NULL, 0.35));
            // 0.1, 0.2, 0.3, the event at 0.3004, 0.35
            assert_true(counts[STEPS] == 4.0 && counts[RESTARTS] == 1.0);
            assert_near(counts[SUM], 0.6 + 0.3004 + 0.35, 1e-9);
            size = dal_sim_snapshot_size(sim);
            assert_true(size <= sizeof snapshot);
            check_ok(ctx, dal_sim_save(sim, snapshot, size));
        } else {
            check_ok(ctx, dal_sim_restore(sim, snapshot, size));
        }
        check_ok(ctx, dal_sim_run(sim, NULL, 0.9));
        if (part == 0) {
            memcpy(last, counts, sizeof last);
        } else {
            assert_memory_equal(counts, last, sizeof last);
        }
        check_fails(ctx, dal_sim_run(sim, NULL, 1.0), DAL_EINVAL, "at t = 1");
        dal_sim_destroy(sim);
    }
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_sees_data_that_changed_since_the_last),
        cmocka_unit_test(an_event_may_change_data),
        cmocka_unit_test(a_simulation_can_be_told_that_data_changed),
        cmocka_unit_test(steps_do_not_remember_the_matrices_of_the_step_before),
        cmocka_unit_test(a_restored_simulation_asks_for_its_matrices_again),
        cmocka_unit_test(a_callback_that_failed_once_is_called_again),
        cmocka_unit_test(memory_changes_at_final_states_and_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
