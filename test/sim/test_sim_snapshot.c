/* A run that is saved and restored elsewhere goes on bit for bit; what does not fit is refused. */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "sim/snapshot.h"
#include "support/check.h"
#include "support/check_model.h"

static dal_ctx *ctx;
static problem top, crank;

static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_SE3));
    check_ok(ctx, problem_spatial_slider_crank(&crank, ctx, 1));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&top);
    problem_free(&crank);
    check_ctx_free(ctx);
    return 0;
}

static void assert_same_bits(const problem *p, const dal_sim *a, const dal_sim *b)
{
    const dal_state x = dal_sim_state(a), y = dal_sim_state(b);
    const size_t nv = (size_t)p->nv * sizeof(double);
    assert_true(x.t == y.t && x.h == y.h);
    assert_memory_equal(x.q, y.q, (size_t)p->nq * sizeof(double));
    assert_memory_equal(x.v, y.v, nv);
    assert_memory_equal(x.vd, y.vd, nv);
    assert_memory_equal(x.a, y.a, nv);
    assert_memory_equal(x.la, y.la, (size_t)p->nc * sizeof(double));
    const dal_stats s = dal_sim_stats(a), t = dal_sim_stats(b);
    assert_int_equal(s.steps, t.steps);
    assert_int_equal(s.rejected, t.rejected);
    assert_int_equal(s.newton_iterations, t.newton_iterations);
    assert_int_equal(s.jacobians, t.jacobians);
    assert_int_equal(s.residuals, t.residuals);
    assert_int_equal(s.projections, t.projections);
    assert_true(s.h_smallest == t.h_smallest && s.h_largest == t.h_largest);
}

/* Crosses zero every few steps of the runs below. */
static double now_and_then(double t, const double *q, const double *v, void *user)
{
    return sin(130.0 * t + 0.1 * q[0] + 0.5);
}

static dal_status nudge(double t, double *q, double *v, void *user)
{
    v[3] += 0.1;
    return DAL_OK;
}

static void add_event(dal_sim *sim)
{
    check_ok(ctx, dal_sim_event(sim, &(dal_event){now_and_then, nudge, 0, DAL_EVENT_RESTART, NULL}));
}

/* The dense output of the last step; the part of a step before an event is not saved. */
static void assert_same_dense_output(const problem *p, dal_sim *a, dal_sim *b)
{
    const dal_state s = dal_sim_state(a);
    double x[3][PROBLEM_MAX], y[3][PROBLEM_MAX];
    if (dal_sim_event_index(a) < 0) {
        check_ok(ctx, dal_sim_interpolate(a, x[0], x[1], x[2], s.t - 0.3 * s.h));
        check_ok(ctx, dal_sim_interpolate(b, y[0], y[1], y[2], s.t - 0.3 * s.h));
        assert_memory_equal(x[0], y[0], (size_t)p->nq * sizeof(double));
        assert_memory_equal(x[1], y[1], (size_t)p->nv * sizeof(double));
        assert_memory_equal(x[2], y[2], (size_t)p->nc * sizeof(double));
    }
}

/* Two systems of the same description, so that not even their caches are shared. */
static void goes_on_bit_for_bit(dal_status (*make)(problem *p, dal_ctx *c), const char *options, int event, int steps)
{
    problem p, other;
    check_ok(ctx, make(&p, ctx));
    check_ok(ctx, make(&other, ctx));
    const dal_options opt = runs_options(ctx, options);
    dal_sim *sim = runs_start(ctx, &p, options), *twin;
    check_ok(ctx, dal_sim_create(&twin, ctx, other.sys, &opt));
    if (event) {
        add_event(sim);
        add_event(twin);
    }
    for (int i = 0; i < steps; ++i) {
        check_ok(ctx, dal_sim_step(sim));
    }
    const size_t size = dal_sim_snapshot_size(sim);
    void *buffer = malloc(size), *again = malloc(size);
    check_ok(ctx, dal_sim_save(sim, buffer, size));
    check_ok(ctx, dal_sim_restore(twin, buffer, size));
    assert_same_bits(&p, sim, twin);
    check_ok(ctx, dal_sim_save(twin, again, size));
    assert_memory_equal(buffer, again, size);
    assert_same_dense_output(&p, sim, twin);
    int fired = 0;
    for (int i = 0; i < (steps < 8 ? 16 : 2 * steps); ++i) {
        check_ok(ctx, dal_sim_step(sim));
        check_ok(ctx, dal_sim_step(twin));
        assert_same_bits(&p, sim, twin);
        assert_int_equal(dal_sim_event_index(sim), dal_sim_event_index(twin));
        assert_same_dense_output(&p, sim, twin);
        fired += dal_sim_event_index(sim) >= 0;
    }
    assert_true(!event || fired > 0);
    free(buffer);
    free(again);
    dal_sim_destroy(sim);
    dal_sim_destroy(twin);
    problem_free(&p);
    problem_free(&other);
}

static dal_status make_top(problem *p, dal_ctx *c)
{
    return problem_heavy_top(p, c, HEAVY_TOP_SE3);
}

static dal_status make_top_r3so3(problem *p, dal_ctx *c)
{
    return problem_heavy_top(p, c, HEAVY_TOP_R3SO3);
}

static dal_status make_disk(problem *p, dal_ctx *c)
{
    return problem_rolling_disk(p, c, 1);
}

static dal_status make_crank(problem *p, dal_ctx *c)
{
    return problem_spatial_slider_crank(p, c, 1);
}

static void fixed_steps_go_on_bit_for_bit(void **state)
{
    static const char *const options[] = {
        "",
        "newton=modified",
        "formulation=ggl",
        "formulation=ggl newton=modified",
        "formulation=index2",
        "formulation=index1",
        "kinematics=printed",
        "predictor=hold",
        "projection=compensated projection_every=3",
        "projection=plain projection_times=0.005,0.0255,0.04",
        "linear_solver=dense newton=modified",
        "linear_solver=sparse",
        "linear_solver=sparse newton=modified",
        "linear_solver=sparse projection=compensated projection_every=3",
    };
    for (size_t k = 0; k < LEN(options); ++k) {
        goes_on_bit_for_bit(make_top, options[k], 0, 17);
    }
}

static void larger_systems_go_on_bit_for_bit(void **state)
{
    static const char *const options[] = {"h=0.002 newton=modified", "h=0.002 linear_solver=sparse newton=modified",
                                          "h=0.002 linear_solver=sparse formulation=ggl",
                                          "h=0.002 linear_solver=sparse projection=plain projection_every=2"};
    for (size_t k = 0; k < LEN(options); ++k) {
        goes_on_bit_for_bit(make_crank, options[k], 0, 7);
    }
    // long enough for `sparse`'s pivot order to depend on the past, in the matrix of the projections too
    goes_on_bit_for_bit(make_crank, "h=0.002 linear_solver=sparse step=adaptive", 0, 100);
    goes_on_bit_for_bit(make_disk, "h=0.01 linear_solver=sparse projection=plain projection_every=1", 0, 100);
}

static void adaptive_steps_go_on_bit_for_bit(void **state)
{
    static const char *const options[] = {"step=adaptive", "step=adaptive newton=modified step_rtol=1e-5",
                                          "step=adaptive formulation=ggl", "step=adaptive linear_solver=sparse",
                                          "step=adaptive linear_solver=sparse newton=modified"};
    for (size_t k = 0; k < LEN(options); ++k) {
        goes_on_bit_for_bit(make_top, options[k], 0, 17);
    }
}

static void runs_with_events_go_on_bit_for_bit(void **state)
{
    static const char *const options[] = {"h=0.002", "h=0.002 newton=modified", "step=adaptive step_rtol=1e-3",
                                          "h=0.002 linear_solver=sparse"};
    for (size_t k = 0; k < LEN(options); ++k) {
        goes_on_bit_for_bit(make_top, options[k], 1, 40);
    }
}

/* Saved after two and seven steps: methods that look back have fewer steps to look at than they would like, then enough. */
static void every_integrator_goes_on_bit_for_bit(void **state)
{
    static const char *const options[] = {
        "h=0.005",
        "h=0.005 formulation=ggl",
        "h=0.005 formulation=index2",
        "h=0.005 step=adaptive step_rtol=1e-3",
        "integrator=lobatto stages=4 h=0.005",
        "integrator=lobatto stages=3 h=0.004 newton=modified lambda=carried",
        "integrator=lobatto stages=4 h=0.005 lambda=symmetric step=adaptive step_rtol=1e-7",
        "integrator=rk order=5 step=fixed h=0.005",
        "integrator=rk order=8 step=fixed h=0.005 linear_solver=sparse",
        "integrator=rk order=5 step_rtol=1e-7",
        "integrator=rk order=8",
        "integrator=auto",
        "integrator=bdf h=0.005",
        "integrator=rattlie h=0.005",
        "integrator=rattlie h=0.005 order=4",
        "integrator=rattlie step=adaptive step_rtol=1e-3",
        "integrator=lobatto stages=3 h=0.005 lambda=symmetric",
        "integrator=lobatto stages=3 h=0.005 lambda=variational",
        "integrator=bdf order=5 h=0.003 formulation=index2 projection=plain projection_every=2 project_position=yes",
        "integrator=bdf order=5 step=adaptive step_rtol=1e-2 formulation=ggl",
    };
    for (size_t k = 0; k < LEN(options); ++k) {
        for (int event = 0; event < 2; ++event) {
            goes_on_bit_for_bit(make_top_r3so3, options[k], event, 2);
            goes_on_bit_for_bit(make_top_r3so3, options[k], event, 7);
        }
    }
    // many bodies, a singular mass matrix
    static const char *const large[] = {"h=0.0001", "integrator=lobatto stages=3 h=0.0001", "integrator=rk h=0.0001"};
    for (size_t k = 0; k < LEN(large); ++k) {
        goes_on_bit_for_bit(problem_andrews, large[k], 0, 2);
        goes_on_bit_for_bit(problem_andrews, large[k], 0, 7);
    }
}

/* Masses that change with the position and dampers (RATTLie keeps factors of two kinds), a mass matrix that is constant but
 * for rounding. */
static void models_go_on_bit_for_bit(void **state)
{
    static const char *const model[] = {
        "{'dalembert': 1, 'bodies': [{'name': 'a', 'position': [-0.4, 0.5, -0.3], 'mass': 0.5, 'com': [0.02, 0, -0.06],"
        " 'inertia': {'disk': 0.24, 'axis': 'z'}, 'angular_velocity': [2, 2.2, -0.6]},"
        " {'name': 'b', 'type': 'rotation_vector', 'position': [-0.7, 0, -0.1], 'mass': 0.4,"
        "  'inertia': {'rod': 0.16, 'axis': 'z'}, 'velocity': [0.4, 0.3, -0.4]}],"
        " 'joints': [{'name': 'line', 'type': 'point_on_line', 'body_b': 'a', 'point': [-0.4, 0.5, -0.3]},"
        " {'name': 'screw', 'type': 'screw', 'body_b': 'b', 'axis': [0.3, -0.2, -0.9], 'pitch': 0.3}],"
        " 'forces': [{'name': 's', 'type': 'spring', 'joint': 'screw', 'coordinate': 'rotation_z', 'stiffness': 15,"
        "  'damping': 0.2}]}",
        "{'dalembert': 1, 'gravity': [0, 0], 'bodies': [{'name': 'a', 'type': 'planar_se2', 'position': [-0.5, -0.6],"
        " 'mass': 2.5, 'inertia': 0.012, 'com': [0.09, 0.1], 'rotation': 0.5, 'angular_velocity': 1.5}]}"};
    static const struct {
        int model;
        const char *set[4];
    } list[] = {{0, {"integrator=rattlie", "h=0.001"}},
                {0, {"integrator=rattlie", "h=0.001", "order=6"}},
                {0, {"integrator=bdf", "h=0.001", "order=4"}},
                {0, {"integrator=lobatto", "h=0.001", "lambda=symmetric"}},
                {1, {"integrator=lobatto", "h=0.001", "lambda=variational", "stages=3"}},
                {1, {"integrator=rattlie", "h=0.001", "order=4"}}};
    for (size_t k = 0; k < LEN(list); ++k) {
        check_model a = check_model_start(model[list[k].model], list[k].set, 4), b = a;
        const size_t size = dal_sim_snapshot_size(a.sim);
        void *buffer = malloc(size);
        check_model_run(&a, 0.02);
        check_ok(a.ctx, dal_sim_save(a.sim, buffer, size));
        check_ok(a.ctx, dal_sim_create(&b.sim, a.ctx, a.sys, dal_document_options(a.doc)));
        check_ok(a.ctx, dal_sim_restore(b.sim, buffer, size));
        check_ok(a.ctx, dal_sim_run(a.sim, NULL, 0.06));
        check_ok(a.ctx, dal_sim_run(b.sim, NULL, 0.06));
        const dal_state x = dal_sim_state(a.sim), y = dal_sim_state(b.sim);
        assert_memory_equal(x.q, y.q, (size_t)a.sys->group->nq * sizeof(double));
        assert_memory_equal(x.v, y.v, (size_t)a.sys->group->nv * sizeof(double));
        dal_sim_destroy(b.sim);
        free(buffer);
        check_model_free(&a);
    }
}

static void a_run_to_a_time_is_continued_on_its_grid(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.003");
    dal_sim *twin = runs_start(ctx, &top, "h=0.003");
    const size_t size = dal_sim_snapshot_size(sim);
    void *buffer = malloc(size);
    check_ok(ctx, dal_sim_run(sim, NULL, 0.02)); // off the grid
    check_ok(ctx, dal_sim_save(sim, buffer, size));
    check_ok(ctx, dal_sim_restore(twin, buffer, size));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.05));
    check_ok(ctx, dal_sim_run(twin, NULL, 0.05));
    assert_same_bits(&top, sim, twin);
    // the interpolant comes along
    double q[7], w[7];
    check_ok(ctx, dal_sim_save(sim, buffer, size));
    dal_sim_destroy(twin);
    const dal_options opt = runs_options(ctx, "h=0.003");
    check_ok(ctx, dal_sim_create(&twin, ctx, top.sys, &opt));
    check_ok(ctx, dal_sim_restore(twin, buffer, size));
    check_ok(ctx, dal_sim_interpolate(sim, q, NULL, NULL, 0.0495));
    check_ok(ctx, dal_sim_interpolate(twin, w, NULL, NULL, 0.0495));
    assert_memory_equal(q, w, sizeof q);
    free(buffer);
    dal_sim_destroy(sim);
    dal_sim_destroy(twin);
}

/* The step size belongs to the state: it may have been changed after creation. */
static void a_changed_step_size_is_restored(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "h=0.002");
    const dal_options opt = runs_options(ctx, "h=0.002");
    dal_sim *twin;
    check_ok(ctx, dal_sim_create(&twin, ctx, top.sys, &opt));
    const size_t size = dal_sim_snapshot_size(sim);
    void *buffer = malloc(size);
    check_ok(ctx, dal_sim_run(sim, NULL, 0.01));
    check_ok(ctx, dal_sim_set_step(sim, 0.001));
    check_ok(ctx, dal_sim_save(sim, buffer, size));
    check_ok(ctx, dal_sim_restore(twin, buffer, size));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.02));
    check_ok(ctx, dal_sim_run(twin, NULL, 0.02));
    assert_same_bits(&top, sim, twin);
    free(buffer);
    dal_sim_destroy(sim);
    dal_sim_destroy(twin);
}

/* ---- refusals --------------------------------------------------------------------------------- */

static void buffers_that_are_too_small_are_refused(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "");
    const size_t size = dal_sim_snapshot_size(sim);
    char *buffer = malloc(size + 8);
    memset(buffer, 0x11, size + 8);
    check_fails(ctx, dal_sim_save(sim, buffer, size - 1), DAL_EINVAL, "the buffer has");
    assert_int_equal(buffer[0], 0x11);
    check_ok(ctx, dal_sim_save(sim, buffer, size + 8));
    assert_int_equal(buffer[size], 0x11); // writes no more than its size
    check_fails(ctx, dal_sim_restore(sim, buffer, size - 8), DAL_ESNAPSHOT, "bytes, this simulation needs");
    check_fails(ctx, dal_sim_restore(sim, buffer, size + 8), DAL_ESNAPSHOT, "bytes, this simulation needs");
    check_ok(ctx, dal_sim_restore(sim, buffer, size));
    free(buffer);
    dal_sim_destroy(sim);
}

static void snapshots_of_other_systems_or_formulations_are_refused(void **state)
{
    problem heavy;
    check_ok(ctx, problem_heavy_top(&heavy, ctx, HEAVY_TOP_EULER));
    dal_sim *sim = runs_start(ctx, &top, ""), *ggl = runs_start(ctx, &top, "formulation=ggl"),
            *other = runs_start(ctx, &heavy, "");
    const size_t size = dal_sim_snapshot_size(sim);
    void *buffer = malloc(size);
    check_ok(ctx, dal_sim_save(sim, buffer, size));
    assert_int_equal(dal_sim_restore(ggl, buffer, size), DAL_ESNAPSHOT);
    assert_int_equal(dal_sim_restore(other, buffer, size), DAL_ESNAPSHOT);
    free(buffer);
    dal_sim_destroy(sim);
    dal_sim_destroy(ggl);
    dal_sim_destroy(other);
    problem_free(&heavy);
}

static void other_options_are_refused_by_name(void **state)
{
    static const char *const options[][2] = {{"rho_inf=0.8", "rho_inf = 0.9, this simulation has 0.8"},
                                             {"newton=modified", "newton = auto"},
                                             {"rtol=1e-9", "rtol = 1e-08"},
                                             {"sigma=opt", "sigma = 1"},
                                             {"projection=plain", "projection = none"}};
    dal_sim *sim = runs_start(ctx, &top, "");
    const size_t size = dal_sim_snapshot_size(sim);
    void *buffer = malloc(size);
    check_ok(ctx, dal_sim_save(sim, buffer, size));
    for (size_t k = 0; k < LEN(options); ++k) {
        dal_sim *other = runs_start(ctx, &top, options[k][0]);
        check_fails(ctx, dal_sim_restore(other, buffer, size), DAL_ESNAPSHOT, options[k][1]);
        assert_true(dal_sim_state(other).t == 0.0);
        check_ok(ctx, dal_sim_step(other));
        dal_sim_destroy(other);
    }
    free(buffer);
    dal_sim_destroy(sim);
}

/* A simulation some way along, and its snapshot. */
static dal_sim *saved_run(const problem *p, const char *options, char **buffer, size_t *size)
{
    dal_sim *sim = runs_start(ctx, p, options);
    *size = dal_sim_snapshot_size(sim);
    *buffer = malloc(*size);
    assert_non_null(*buffer);
    for (int i = 0; i < 5; ++i) {
        check_ok(ctx, dal_sim_step(sim));
    }
    check_ok(ctx, dal_sim_save(sim, *buffer, *size));
    for (int i = 0; i < 5; ++i) {
        check_ok(ctx, dal_sim_step(sim));
    }
    return sim;
}

static void every_flipped_bit_is_refused_and_changes_nothing(void **state)
{
    char *buffer;
    size_t size;
    dal_sim *sim = saved_run(&top, "", &buffer, &size);
    const double t = dal_sim_state(sim).t;
    for (size_t bit = 0; bit < 8 * size; ++bit) {
        buffer[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(dal_sim_restore(sim, buffer, size), DAL_ESNAPSHOT);
        assert_true(dal_sim_state(sim).t == t);
        buffer[bit / 8] ^= (char)(1 << bit % 8);
    }
    check_ok(ctx, dal_sim_restore(sim, buffer, size));
    assert_true(dal_sim_state(sim).t < t);
    free(buffer);
    dal_sim_destroy(sim);
}

/* A snapshot with a valid checksum and any number in any place is refused, or gives a simulation that can be asked to
 * step. What is refused leaves the simulation as it was, to the bit. */
static void forge_every_number(const problem *p, const char *options)
{
    static const double forged[] = {NAN, INFINITY, -1.0, 0.0, 0.5, 1.0, 2.0, 1e9, 1e300, -2147483649.0, 9.3e18, 1e-310};
    char *buffer;
    size_t size;
    dal_sim *twin = saved_run(p, options, &buffer, &size);
    free(buffer);
    dal_sim *sim = saved_run(p, options, &buffer, &size);
    double *word = (double *)buffer;
    int refused = 0;
    const size_t n = size / sizeof *word, stride = 1 + n / 200;
    for (size_t i = 0; i < n; i += i < 150 ? 1 : stride) {
        const double kept = word[i], x = forged[i % LEN(forged)];
        for (int k = 0; k < 2; ++k) {
            word[i] = k == 0 ? x : forged[(i / LEN(forged) + i) % LEN(forged)];
            dal_snapshot_seal(buffer, size);
            const dal_status st = dal_sim_restore(sim, buffer, size);
            if (st == DAL_OK) {
                assert_true(dal_sim_step(sim) != DAL_EINVAL);
                word[i] = kept;
                dal_snapshot_seal(buffer, size);
                check_ok(ctx, dal_sim_restore(sim, buffer, size));
                check_ok(ctx, dal_sim_restore(twin, buffer, size));
            } else {
                assert_int_equal(st, DAL_ESNAPSHOT);
                assert_same_bits(p, sim, twin);
                ++refused;
            }
        }
        word[i] = kept;
    }
    assert_true(refused > 20);
    check_ok(ctx, dal_sim_step(sim));
    check_ok(ctx, dal_sim_step(twin));
    assert_same_bits(p, sim, twin);
    free(buffer);
    dal_sim_destroy(sim);
    dal_sim_destroy(twin);
}

static void forged_numbers_are_refused_or_harmless(void **state)
{
    static const char *const options[] = {"",
                                          "newton=modified",
                                          "formulation=ggl linear_solver=dense newton=modified",
                                          "linear_solver=sparse newton=modified",
                                          "step=adaptive projection=plain projection_times=0.001,0.2",
                                          "integrator=lobatto newton=modified",
                                          "integrator=lobatto linear_solver=sparse",
                                          "integrator=rk",
                                          "integrator=auto",
                                          "integrator=bdf order=3",
                                          "integrator=rattlie",
                                          "integrator=lobatto lambda=symmetric"};
    for (size_t k = 0; k < LEN(options); ++k) {
        forge_every_number(&top, options[k]);
    }
    forge_every_number(&top, "linear_solver=block newton=modified");
}

static void snapshots_made_with_other_events_are_refused(void **state)
{
    dal_sim *with = runs_start(ctx, &top, ""), *without = runs_start(ctx, &top, "");
    add_event(with);
    const size_t size = dal_sim_snapshot_size(with);
    void *buffer = malloc(size);
    check_ok(ctx, dal_sim_save(with, buffer, size));
    check_fails(ctx, dal_sim_restore(without, buffer, size), DAL_ESNAPSHOT, "other events: this simulation has 0");
    check_ok(ctx, dal_sim_event(without, &(dal_event){now_and_then, nudge, 1, DAL_EVENT_RESTART, NULL}));
    check_fails(ctx, dal_sim_restore(without, buffer, size), DAL_ESNAPSHOT, "other events");
    check_ok(ctx, dal_sim_remove_event(without, 0));
    add_event(without);
    check_ok(ctx, dal_sim_restore(without, buffer, size));
    free(buffer);
    dal_sim_destroy(with);
    dal_sim_destroy(without);
}

/* The same sizes everywhere, another structure: the two factors of the group have changed places. */
static void systems_of_the_same_size_are_told_apart(void **state)
{
    static const dal_factor_spec one[] = {{DAL_FACTOR_RN, 3}, {DAL_FACTOR_SE2, 0}},
                                 other[] = {{DAL_FACTOR_SE2, 0}, {DAL_FACTOR_RN, 3}};
    const dal_factor_spec *const spec[] = {one, other};
    dal_group *group[2];
    dal_system *sys[2];
    dal_sim *sim[2];
    const double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    for (int k = 0; k < 2; ++k) {
        check_ok(ctx, dal_group_create(&group[k], ctx, spec[k], 2));
        runs_free_motion(&sys[k], ctx, group[k]);
        check_ok(ctx, dal_sim_create(&sim[k], ctx, sys[k], NULL));
        check_ok(ctx, dal_sim_start(sim[k], NULL, 0.0, q, NULL));
    }
    const size_t size = dal_sim_snapshot_size(sim[0]);
    void *buffer = malloc(size);
    assert_true(dal_sim_snapshot_size(sim[1]) == size);
    check_ok(ctx, dal_sim_save(sim[0], buffer, size));
    check_fails(ctx, dal_sim_restore(sim[1], buffer, size), DAL_ESNAPSHOT, "belongs to another system");
    check_ok(ctx, dal_sim_restore(sim[0], buffer, size));
    free(buffer);
    for (int k = 0; k < 2; ++k) {
        dal_sim_destroy(sim[k]);
        dal_dense_destroy(sys[k]);
        dal_group_destroy(group[k]);
    }
}

static void buffers_must_be_there_and_aligned(void **state)
{
    dal_sim *sim = runs_start(ctx, &top, "");
    const size_t size = dal_sim_snapshot_size(sim);
    char *buffer = malloc(size + 8);
    check_fails(ctx, dal_sim_save(sim, NULL, size), DAL_EINVAL, "buffer is NULL");
    check_fails(ctx, dal_sim_restore(sim, NULL, size), DAL_EINVAL, "buffer is NULL");
    check_fails(ctx, dal_sim_save(sim, buffer + 1, size), DAL_EINVAL, "aligned");
    check_fails(ctx, dal_sim_restore(sim, buffer + 1, size), DAL_EINVAL, "aligned");
    memset(buffer, 0, size);
    check_fails(ctx, dal_sim_restore(sim, buffer, size), DAL_ESNAPSHOT, "not a snapshot");
    check_fails(ctx, dal_sim_restore(sim, buffer, 0), DAL_ESNAPSHOT, "not a snapshot");
    free(buffer);
    dal_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_go_on_bit_for_bit),
        cmocka_unit_test(larger_systems_go_on_bit_for_bit),
        cmocka_unit_test(adaptive_steps_go_on_bit_for_bit),
        cmocka_unit_test(runs_with_events_go_on_bit_for_bit),
        cmocka_unit_test(every_integrator_goes_on_bit_for_bit),
        cmocka_unit_test(models_go_on_bit_for_bit),
        cmocka_unit_test(a_run_to_a_time_is_continued_on_its_grid),
        cmocka_unit_test(a_changed_step_size_is_restored),
        cmocka_unit_test(buffers_that_are_too_small_are_refused),
        cmocka_unit_test(snapshots_of_other_systems_or_formulations_are_refused),
        cmocka_unit_test(other_options_are_refused_by_name),
        cmocka_unit_test(every_flipped_bit_is_refused_and_changes_nothing),
        cmocka_unit_test(forged_numbers_are_refused_or_harmless),
        cmocka_unit_test(snapshots_made_with_other_events_are_refused),
        cmocka_unit_test(systems_of_the_same_size_are_told_apart),
        cmocka_unit_test(buffers_must_be_there_and_aligned),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
