/* Calls in the wrong order or at the wrong time are errors with a message; what a simulation was made from can be asked
 * for; the message of a failure stays until the next one. */
#include <math.h>
#include <string.h>

#include "faulty.h"
#include "support/check.h"

static dal_ctx *ctx;
static problem top, pendulum;

static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    check_ok(ctx, problem_pendulum(&pendulum, ctx, 0.2));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&top);
    problem_free(&pendulum);
    check_ctx_free(ctx);
    return 0;
}

/* ---- times ------------------------------------------------------------------------------------ */

static double at_a_fifth(double t, const double *q, const double *v, void *user)
{
    return t - 0.2;
}

static void a_run_that_ends_by_time_was_ended_by_no_event(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01");
    dal_stop reason;
    check_ok(ctx, dal_sim_event(sim, &(dal_event){at_a_fifth, NULL, 0, DAL_EVENT_RESTART, NULL}));
    check_ok(ctx, dal_sim_run(sim, &reason, 0.5));
    assert_int_equal(reason, DAL_STOP_TIME);
    assert_int_equal(dal_sim_event_index(sim), -1);
    dal_sim_destroy(sim);
}

static void a_run_to_the_past_is_refused(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01");
    dal_stop reason = DAL_STOP_EVENT;
    check_ok(ctx, dal_sim_run(sim, NULL, 0.3));
    check_fails(ctx, dal_sim_run(sim, &reason, 0.2), DAL_EINVAL, "t_end = 0.2 lies before the current time 0.3");
    assert_int_equal(reason, DAL_STOP_EVENT);
    assert_true(dal_sim_state(sim).t == 0.3);
    check_ok(ctx, dal_sim_run(sim, &reason, 0.3));
    assert_int_equal(reason, DAL_STOP_TIME);
    assert_int_equal(dal_sim_stats(sim).steps, 30);
    // an ulp is neither the past nor a step
    check_ok(ctx, dal_sim_run(sim, NULL, nextafter(0.3, 0.0)));
    check_ok(ctx, dal_sim_run(sim, NULL, nextafter(0.3, 1.0)));
    assert_int_equal(dal_sim_stats(sim).steps, 30);
    dal_sim_destroy(sim);
}

static void a_step_that_the_time_cannot_show_is_refused(void **state)
{
    const dal_options opt = runs_options(ctx, "h=1e-9");
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, pendulum.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 1e9, pendulum.q0, pendulum.v0));
    check_fails(ctx, dal_sim_step(sim), DAL_ESTEP, "h = 1.000e-09 is lost in the rounding of the time");
    check_fails(ctx, dal_sim_run(sim, NULL, 1e9 + 1.0), DAL_ESTEP, "lost in the rounding");
    assert_int_equal(dal_sim_stats(sim).steps, 0);
    check_ok(ctx, dal_sim_set_step(sim, 1e-3));
    check_ok(ctx, dal_sim_step(sim));
    assert_true(dal_sim_state(sim).t > 1e9);
    dal_sim_destroy(sim);
}

static void a_run_without_end_needs_something_to_end_it(void **state)
{
    static const char *const options[] = {"h=0.01", "step=adaptive"};
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = runs_start(ctx, &pendulum, options[k]);
        dal_stop reason;
        check_fails(ctx, dal_sim_run(sim, NULL, INFINITY), DAL_EINVAL, "nothing else can end the run");
        check_fails(ctx, dal_sim_run(sim, NULL, -INFINITY), DAL_EINVAL, "is not a time");
        check_ok(ctx, dal_sim_event(sim, &(dal_event){at_a_fifth, NULL, 0, DAL_EVENT_STOP, NULL}));
        check_ok(ctx, dal_sim_run(sim, &reason, INFINITY));
        assert_int_equal(reason, DAL_STOP_EVENT);
        assert_near(dal_sim_state(sim).t, 0.2, 1e-12);
        dal_sim_destroy(sim);
    }
}

/* ---- calls from callbacks --------------------------------------------------------------------- */

typedef struct meddler {
    dal_sim *sim;
    int what;
    dal_status got;
    char *snapshot;
    size_t size;
} meddler;

static dal_status meddle(meddler *m, dal_sim *sim)
{
    switch (m->what) {
    case 0:
        return dal_sim_step(sim);
    case 1:
        return dal_sim_run(sim, NULL, 10.0);
    case 2:
        return dal_sim_start(sim, NULL, 0.0, pendulum.q0, pendulum.v0);
    case 3:
        return dal_sim_reset(sim, NULL);
    case 4:
        return dal_sim_restore(sim, m->snapshot, m->size);
    default:
        return DAL_OK;
    }
}

static dal_status meddling_observer(dal_sim *sim, const dal_state *s, void *user)
{
    meddler *m = user;
    return m->got = meddle(m, sim);
}

static void observers_cannot_step_their_own_simulation(void **state)
{
    static const char *const name[] = {"dal_sim_step", "dal_sim_run", "dal_sim_start", "dal_sim_reset",
                                       "dal_sim_restore"};
    for (int what = 0; what < 5; ++what) {
        dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01");
        meddler m = {.what = what, .size = dal_sim_snapshot_size(sim)};
        m.snapshot = malloc(m.size);
        check_ok(ctx, dal_sim_save(sim, m.snapshot, m.size));
        check_ok(ctx, dal_sim_observe(sim, meddling_observer, &m));
        check_fails(ctx, dal_sim_step(sim), DAL_EINVAL, name[what]);
        check_fails(ctx, m.got, DAL_EINVAL, "called from an observer of the same simulation");
        // and the simulation can be used again
        m.what = -1;
        check_ok(ctx, dal_sim_step(sim));
        free(m.snapshot);
        dal_sim_destroy(sim);
    }
}

static double meddling_value(double t, const double *q, const double *v, void *user)
{
    meddler *m = user;
    double q_then[2];
    if (m->sim) {
        m->got = m->what == 5 ? dal_sim_interpolate(m->sim, q_then, NULL, NULL, t) : meddle(m, m->sim);
    }
    return 1.0;
}

static void events_cannot_use_their_own_simulation(void **state)
{
    for (int what = 0; what < 6; ++what) {
        dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01");
        meddler m = {.what = what, .snapshot = (char *)&m, .size = sizeof m};
        check_ok(ctx, dal_sim_event(sim, &(dal_event){meddling_value, NULL, 0, DAL_EVENT_STOP, &m}));
        m.sim = sim;
        check_ok(ctx, dal_sim_step(sim));
        assert_int_equal(m.got, DAL_EINVAL);
        dal_sim_destroy(sim);
    }
}

/* Saving, projecting, another step size, and one event for another. */
static dal_status busy_observer(dal_sim *sim, const dal_state *s, void *user)
{
    const meddler *m = user;
    double energy, residual;
    DAL_TRY(dal_sim_save(sim, m->snapshot, m->size));
    DAL_TRY(dal_sim_project(sim, DAL_PROJECTION_PLAIN));
    DAL_TRY(dal_sim_set_step(sim, 0.005));
    DAL_TRY(dal_sim_energy(sim, &energy));
    DAL_TRY(dal_sim_residuals(sim, &residual, NULL));
    DAL_TRY(dal_sim_event(sim, &(dal_event){at_a_fifth, NULL, 0, DAL_EVENT_STOP, NULL}));
    return dal_sim_remove_event(sim, 0);
}

static void observers_may_do_everything_else(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01");
    meddler m = {.size = dal_sim_snapshot_size(sim)};
    m.snapshot = malloc(m.size);
    check_ok(ctx, dal_sim_observe(sim, busy_observer, &m));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
    free(m.snapshot);
    dal_sim_destroy(sim);
}

/* ---- events can go ---------------------------------------------------------------------------- */

static double past(double t, const double *q, const double *v, void *user)
{
    return t - *(const double *)user;
}

static void events_can_be_removed(void **state)
{
    double time[3] = {0.1, 0.2, 0.3};
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.03");
    for (int i = 0; i < 3; ++i) {
        check_ok(ctx, dal_sim_event(sim, &(dal_event){past, NULL, 0, DAL_EVENT_STOP, &time[i]}));
    }
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    assert_int_equal(dal_sim_event_index(sim), 0);
    check_ok(ctx, dal_sim_remove_event(sim, 1));
    assert_int_equal(dal_sim_event_index(sim), 0);
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    assert_near(dal_sim_state(sim).t, 0.3, 1e-12);
    assert_int_equal(dal_sim_event_index(sim), 1); // the third has moved down
    check_fails(ctx, dal_sim_remove_event(sim, 2), DAL_EINVAL, "there is no event 2");
    check_fails(ctx, dal_sim_remove_event(sim, -1), DAL_EINVAL, "there is no event -1");
    check_ok(ctx, dal_sim_remove_event(sim, 1));
    assert_int_equal(dal_sim_event_index(sim), -1);
    check_ok(ctx, dal_sim_remove_event(sim, 0));
    check_fails(ctx, dal_sim_remove_event(sim, 0), DAL_EINVAL, "the simulation has 0");
    dal_sim_destroy(sim);
}

/* ---- what can be asked for -------------------------------------------------------------------- */

static void a_simulation_tells_what_it_was_made_from(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01 rho_inf=0.7");
    assert_ptr_equal(dal_sim_system(sim), pendulum.sys);
    assert_true(dal_sim_options(sim)->rho_inf == 0.7);
    assert_true(dal_sim_options(sim)->size == sizeof(dal_options));
    check_ok(ctx, dal_sim_set_step(sim, 0.02));
    assert_true(dal_sim_options(sim)->h == 0.02);
    check_ok(ctx, dal_sim_step(sim));
    const dal_state s = dal_sim_state(sim);
    const dal_point at = dal_sim_point(sim);
    assert_true(at.t == s.t);
    assert_true(at.q == s.q && at.v == s.v && at.vd == s.vd && at.la == s.la);
    dal_sim_destroy(sim);
}

static void without_velocities_a_run_starts_at_rest(void **state)
{
    const double zero[2] = {0.0};
    dal_sim *a = runs_start(ctx, &pendulum, "h=0.01"), *b = runs_start(ctx, &pendulum, "h=0.01");
    check_ok(ctx, dal_sim_start(a, NULL, 0.0, pendulum.q0, NULL));
    check_ok(ctx, dal_sim_start(b, NULL, 0.0, pendulum.q0, zero));
    check_ok(ctx, dal_sim_run(a, NULL, 0.1));
    check_ok(ctx, dal_sim_run(b, NULL, 0.1));
    assert_memory_equal(dal_sim_state(a).q, dal_sim_state(b).q, sizeof zero);
    dal_sim_destroy(a);
    dal_sim_destroy(b);
}

/* ---- the next run ----------------------------------------------------------------------------- */

/* A second run in the same simulation equals the first, and one in a new simulation, to the bit. */
static void reset_repeats_a_run_to_the_bit(void **state)
{
    static const char *const options[] = {"",
                                          "newton=modified",
                                          "step=adaptive",
                                          "formulation=ggl",
                                          "linear_solver=sparse",
                                          "linear_solver=sparse newton=modified step=adaptive",
                                          "linear_solver=sparse projection=plain projection_every=2",
                                          "integrator=lobatto",
                                          "integrator=lobatto linear_solver=sparse newton=modified"};
    problem crank;
    check_ok(ctx, problem_spatial_slider_crank(&crank, ctx, 1));
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *sim = runs_start(ctx, &crank, options[k]);
        double q[64], la[64];
        assert_true(crank.nq < 64 && crank.nc < 64);
        check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
        memcpy(q, dal_sim_state(sim).q, (size_t)crank.nq * sizeof *q);
        memcpy(la, dal_sim_state(sim).la, (size_t)crank.nc * sizeof *la);
        const long steps = dal_sim_stats(sim).steps;
        check_ok(ctx, dal_sim_run(sim, NULL, 0.4)); // somewhere else
        for (int again = 0; again < 2; ++again) {
            dal_initial_report report = {.position_moved = -1.0};
            check_ok(ctx, dal_sim_reset(sim, &report));
            assert_true(dal_sim_state(sim).t == 0.0 && report.position_moved >= 0.0);
            check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
            assert_memory_equal(dal_sim_state(sim).q, q, (size_t)crank.nq * sizeof *q);
            assert_memory_equal(dal_sim_state(sim).la, la, (size_t)crank.nc * sizeof *la);
            assert_int_equal(dal_sim_stats(sim).steps, steps);
        }
        dal_sim_destroy(sim);
    }
    problem_free(&crank);
}

static void reset_allocates_nothing(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *own = check_ctx_with(&alloc);
    problem p;
    check_ok(own, problem_heavy_top(&p, own, HEAVY_TOP_R3SO3));
    dal_sim *sim = runs_start(own, &p, ""), *fresh;
    check_ok(own, dal_sim_create(&fresh, own, p.sys, NULL));
    check_fails(own, dal_sim_reset(fresh, NULL), DAL_EINVAL, "call dal_sim_start first");
    check_ok(own, dal_sim_run(sim, NULL, 0.01));
    const long before = alloc.total;
    check_ok(own, dal_sim_reset(sim, NULL));
    check_ok(own, dal_sim_run(sim, NULL, 0.01));
    assert_int_equal(alloc.total, before);
    dal_sim_destroy(sim);
    dal_sim_destroy(fresh);
    problem_free(&p);
    check_ctx_free(own);
}

/* ---- options of other sizes ------------------------------------------------------------------- */

static void options_of_older_programs_are_taken(void **state)
{
    dal_options opt = dal_options_init();
    dal_sim *sim;
    assert_true(opt.size == sizeof opt);
    opt.linear_solver = 12345; // lies beyond what the program knew
    opt.stages = 5;
    opt.size = offsetof(dal_options, linear_solver);
    check_ok(ctx, dal_sim_create(&sim, ctx, pendulum.sys, &opt));
    assert_int_equal(dal_sim_options(sim)->stages, 5);
    assert_int_equal(dal_sim_options(sim)->linear_solver, DAL_LINSOL_AUTO);
    dal_sim_destroy(sim);
    // defaults reach as far as the caller's struct, not further
    memset(&opt, 0x55, sizeof opt);
    const int beyond = opt.linear_solver;
    dal_options_init_(&opt, offsetof(dal_options, linear_solver));
    assert_int_equal(opt.linear_solver, beyond);
    assert_true(opt.rho_inf == 0.9);
}

static void options_that_were_not_initialised_are_refused(void **state)
{
    dal_options opt = dal_options_init();
    dal_sim *sim;
    dal_ga_coef coef;
    const size_t wrong[] = {0, 1, sizeof opt + 8, (size_t)-1};
    for (size_t k = 0; k < LEN(wrong); ++k) {
        opt.size = wrong[k];
        check_fails(ctx, dal_sim_create(&sim, ctx, pendulum.sys, &opt), DAL_EOPTION, "begin with dal_options_init()");
        check_fails(ctx, dal_ga_coefficients(ctx, &coef, &opt), DAL_EOPTION, "begin with dal_options_init()");
    }
}

/* ---- messages --------------------------------------------------------------------------------- */

/* Steps that are rejected, Newton iterations that fail: all that goes wrong inside a call that succeeds. */
static void a_message_stays_until_the_next_call_that_fails(void **state)
{
    faulty f;
    faulty_create(&f, ctx);
    const dal_options opt = runs_options(ctx, "step=adaptive h=0.01 step_rtol=1e-3");
    dal_sim *sim;
    f.which = FAULTY_NONE;
    check_ok(ctx, dal_sim_create(&sim, ctx, f.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, f.p.q0, f.p.v0));
    check_fails(ctx, dal_sim_set_step(sim, -1.0), DAL_EINVAL, "h = -1");
    check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, f.p.q0, f.p.v0));
    dal_sim_destroy(sim);
    const dal_options rough = runs_options(ctx, "step=adaptive h=0.3 step_rtol=1e-6");
    check_ok(ctx, dal_sim_create(&sim, ctx, top.sys, &rough));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, top.q0, top.v0));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.02));
    assert_true(dal_sim_stats(sim).rejected > 0);
    assert_int_equal(dal_ctx_status(ctx), DAL_EINVAL);
    assert_string_equal(dal_ctx_message(ctx), "h = -1 is not a positive step size");
    dal_sim_destroy(sim);
    faulty_free(&f);
}

/* Without a message of its own a callback is not given one that was left by an earlier failure. */
static void an_old_message_is_not_taken_for_that_of_a_callback(void **state)
{
    faulty f;
    faulty_create(&f, ctx);
    const dal_options opt = runs_options(ctx, "h=0.01");
    dal_sim *sim;
    f.which = FAULTY_G;
    f.from = 0.055;
    f.status = DAL_EINVAL;
    f.reason = NULL;
    check_ok(ctx, dal_sim_create(&sim, ctx, f.sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, f.p.q0, f.p.v0));
    check_fails(ctx, dal_sim_set_step(sim, -1.0), DAL_EINVAL, "h = -1");
    check_fails(ctx, dal_sim_run(sim, NULL, 0.5), DAL_EINVAL, "callback g failed");
    assert_null(strstr(dal_ctx_message(ctx), "h = -1"));
    dal_sim_destroy(sim);
    faulty_free(&f);
}

static dal_status mute(dal_sim *sim, const dal_state *s, void *user)
{
    return DAL_EINVAL;
}

static void nor_for_that_of_an_observer(void **state)
{
    dal_sim *sim = runs_start(ctx, &pendulum, "h=0.01");
    check_ok(ctx, dal_sim_observe(sim, mute, NULL));
    check_fails(ctx, dal_sim_set_step(sim, -1.0), DAL_EINVAL, "h = -1");
    check_fails(ctx, dal_sim_step(sim), DAL_EINVAL, "observer 0 failed at t = 0.01");
    dal_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_ends_by_time_was_ended_by_no_event),
        cmocka_unit_test(a_run_to_the_past_is_refused),
        cmocka_unit_test(a_step_that_the_time_cannot_show_is_refused),
        cmocka_unit_test(a_run_without_end_needs_something_to_end_it),
        cmocka_unit_test(observers_cannot_step_their_own_simulation),
        cmocka_unit_test(events_cannot_use_their_own_simulation),
        cmocka_unit_test(observers_may_do_everything_else),
        cmocka_unit_test(events_can_be_removed),
        cmocka_unit_test(a_simulation_tells_what_it_was_made_from),
        cmocka_unit_test(without_velocities_a_run_starts_at_rest),
        cmocka_unit_test(reset_repeats_a_run_to_the_bit),
        cmocka_unit_test(reset_allocates_nothing),
        cmocka_unit_test(options_of_older_programs_are_taken),
        cmocka_unit_test(options_that_were_not_initialised_are_refused),
        cmocka_unit_test(a_message_stays_until_the_next_call_that_fails),
        cmocka_unit_test(an_old_message_is_not_taken_for_that_of_a_callback),
        cmocka_unit_test(nor_for_that_of_an_observer),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
