/* Numbers of a model that were set on one simulation: they hold for the next run, stay through it, and are part of
 * snapshots. */
#include <math.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "runs.h"
#include "sim/snapshot.h"
#include "support/check.h"

enum { STEPS = 20 };

/* A pendulum on a slide that a spring holds and two functions shake: a formula and a table. */
typedef struct numbers {
    double mass, stiffness, amplitude, arm;
} numbers;

static const numbers small = {1.0, 30.0, 0.1, 0.5}, large = {2.5, 80.0, 0.3, 0.8};

typedef struct machine {
    dal_body slide, bob;
    dal_joint rail, pin;
    dal_force spring, shake, push;
    double c[4], x[3], y[3];
    dal_function wave, profile;
} machine;

static void describe(machine *m, const numbers *n)
{
    *m = (machine){.c = {0.0, n->amplitude, 20.0, 0.3},
                   .x = {0.0, 0.01 * n->arm, 1.0},
                   .y = {n->amplitude, 9.0 * n->mass, n->arm}};
    m->slide = (dal_body){.name = "slide", .mass = 1.0, .inertia = {0.1, 0.1, 0.1}};
    m->bob = (dal_body){.name = "bob",
                        .mass = n->mass,
                        .inertia = {0.2, 0.1, 0.1},
                        .position = {n->arm, 0.0, 0.0},
                        .velocity = {0.0, 0.0, 1.0}};
    m->rail = (dal_joint){.name = "rail", .type = "prismatic", .body_b = 1};
    m->pin = (dal_joint){
        .name = "pin", .type = "spherical", .body_a = 1, .body_b = 2, .frame_b = {.position = {-n->arm, 0.0, 0.0}}};
    m->spring = (dal_force){.name = "spring", .type = "spring", .joint = "rail", .stiffness = n->stiffness};
    m->shake = (dal_force){.name = "shake", .type = "actuator", .joint = "rail", .function = 1};
    m->push = (dal_force){.name = "push", .type = "actuator", .joint = "rail", .function = 2};
    m->wave = (dal_function){.name = "wave", .type = "harmonic", .c = m->c, .n = 4};
    m->profile = (dal_function){.name = "profile", .type = "table", .x = m->x, .y = m->y, .n = 3};
}

static dal_model *build(dal_ctx *ctx, const numbers *n, const dal_system **sys)
{
    machine x;
    dal_model *m;
    describe(&x, n);
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, (double[3]){0.0, -9.81, 0.0}));
    check_ok(ctx, dal_model_add_function(m, NULL, &x.wave));
    check_ok(ctx, dal_model_add_function(m, NULL, &x.profile));
    check_ok(ctx, dal_model_add_body(m, NULL, &x.slide));
    check_ok(ctx, dal_model_add_body(m, NULL, &x.bob));
    check_ok(ctx, dal_model_add_joint(m, NULL, &x.rail));
    check_ok(ctx, dal_model_add_joint(m, NULL, &x.pin));
    check_ok(ctx, dal_model_add_force(m, NULL, &x.spring));
    check_ok(ctx, dal_model_add_force(m, NULL, &x.shake));
    check_ok(ctx, dal_model_add_force(m, NULL, &x.push));
    check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "work", .quantity = "drive_work"}));
    check_ok(ctx, dal_model_compile(m, sys));
    return m;
}

static void set(dal_ctx *ctx, dal_sim *sim, const numbers *n)
{
    machine x;
    dal_data *data = dal_sim_data(sim);
    describe(&x, n);
    check_ok(ctx, dal_data_set_body(data, 2, &x.bob));
    check_ok(ctx, dal_data_set_joint(data, 1, &x.pin));
    check_ok(ctx, dal_data_set_force(data, 0, &x.spring));
    check_ok(ctx, dal_data_set_function(data, 1, &x.wave));
    check_ok(ctx, dal_data_set_function(data, 2, &x.profile));
}

static void begin(dal_ctx *ctx, dal_sim *sim)
{
    double q[32], v[32];
    check_ok(ctx, dal_data_initial(dal_sim_data(sim), q, v));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
}

static void go(dal_ctx *ctx, dal_sim *sim)
{
    for (int k = 0; k < STEPS; ++k) {
        check_ok(ctx, dal_sim_step(sim));
    }
}

static void assert_same_state(dal_sim *a, dal_sim *b, const dal_system *sys)
{
    const dal_state x = dal_sim_state(a), y = dal_sim_state(b);
    assert_true(x.t == y.t);
    assert_memory_equal(x.q, y.q, (size_t)sys->group->nq * sizeof(double));
    assert_memory_equal(x.v, y.v, (size_t)sys->group->nv * sizeof(double));
    assert_memory_equal(x.la, y.la, (size_t)dal_system_rows(sys) * sizeof(double));
}

static const char *const methods[] = {"h=1e-3", "h=1e-3 newton=modified", "h=1e-3 formulation=index1",
                                      "h=1e-3 integrator=lobatto", "h=1e-3 redundant=drop"};

typedef struct fixture {
    dal_ctx *ctx;
    dal_model *small, *large;
    const dal_system *sys, *other; /* of small and of large */
    dal_options opt;
} fixture;

static fixture set_up(const char *options)
{
    fixture f = {.ctx = check_ctx()};
    f.small = build(f.ctx, &small, &f.sys);
    f.large = build(f.ctx, &large, &f.other);
    f.opt = runs_options(f.ctx, options);
    return f;
}

static dal_sim *create(fixture *f, const dal_system *sys)
{
    dal_sim *sim;
    check_ok(f->ctx, dal_sim_create(&sim, f->ctx, sys, &f->opt));
    return sim;
}

static void tear_down(fixture *f)
{
    dal_model_destroy(f->small);
    dal_model_destroy(f->large);
    check_ctx_free(f->ctx);
}

static void numbers_change_between_two_runs(void **state)
{
    for (size_t k = 0; k < LEN(methods); ++k) {
        fixture f = set_up(methods[k]);
        dal_sim *sim = create(&f, f.sys), *compiled = create(&f, f.other), *before = create(&f, f.sys);
        begin(f.ctx, sim);
        go(f.ctx, sim);
        set(f.ctx, sim, &large);
        begin(f.ctx, sim);
        go(f.ctx, sim);
        begin(f.ctx, compiled);
        go(f.ctx, compiled);
        assert_same_state(sim, compiled, f.sys);
        set(f.ctx, sim, &small);
        begin(f.ctx, sim);
        go(f.ctx, sim);
        begin(f.ctx, before);
        go(f.ctx, before);
        assert_same_state(sim, before, f.sys);
        // a reset keeps the numbers
        check_ok(f.ctx, dal_sim_reset(sim, NULL));
        go(f.ctx, sim);
        assert_same_state(sim, before, f.sys);
        dal_sim_destroy(sim);
        dal_sim_destroy(compiled);
        dal_sim_destroy(before);
        tear_down(&f);
    }
}

static void numbers_are_part_of_snapshots(void **state)
{
    static double with[1 << 15], without[1 << 15];
    for (size_t k = 0; k < LEN(methods); ++k) {
        fixture f = set_up(methods[k]);
        dal_sim *sim = create(&f, f.sys), *fresh = create(&f, f.sys);
        begin(f.ctx, sim);
        const size_t less = dal_sim_snapshot_size(sim);
        check_ok(f.ctx, dal_sim_save(sim, without, sizeof without));
        set(f.ctx, sim, &large);
        begin(f.ctx, sim);
        go(f.ctx, sim);
        const size_t size = dal_sim_snapshot_size(sim);
        assert_true(size > less && size <= sizeof with);
        check_ok(f.ctx, dal_sim_save(sim, with, sizeof with));
        go(f.ctx, sim);
        // into a simulation that has not started and knows nothing of them
        check_ok(f.ctx, dal_sim_restore(fresh, with, size));
        dal_body bob;
        check_ok(f.ctx, dal_data_get_body(dal_sim_data(fresh), &bob, 2));
        assert_true(bob.mass == large.mass);
        go(f.ctx, fresh);
        assert_same_state(sim, fresh, f.sys);
        // and a snapshot without takes them away
        check_ok(f.ctx, dal_sim_restore(sim, without, less));
        check_ok(f.ctx, dal_data_get_body(dal_sim_data(sim), &bob, 2));
        assert_true(bob.mass == small.mass);
        go(f.ctx, sim);
        begin(f.ctx, fresh);
        set(f.ctx, fresh, &small);
        begin(f.ctx, fresh);
        go(f.ctx, fresh);
        assert_same_state(sim, fresh, f.sys);
        dal_sim_destroy(sim);
        dal_sim_destroy(fresh);
        tear_down(&f);
    }
}

/* When a joint opens is a number as well. */
static void times_of_release_are_part_of_snapshots(void **state)
{
    static double with[1 << 15];
    fixture f = set_up("h=1e-3");
    dal_model *m;
    const dal_system *sys;
    dal_joint pin;
    check_ok(f.ctx, dal_model_create(&m, f.ctx));
    check_ok(f.ctx, dal_model_add_body(m, NULL, &(dal_body){.name = "a", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
    check_ok(f.ctx, dal_model_add_joint(m, NULL,
                                        &(dal_joint){.name = "pin", .type = "spherical", .body_b = 1, .release = 0.5}));
    check_ok(f.ctx, dal_model_compile(m, &sys));
    dal_sim *sim = create(&f, sys), *fresh = create(&f, sys);
    check_ok(f.ctx, dal_data_get_joint(dal_sim_data(sim), &pin, 0));
    pin.release = 0.25;
    check_ok(f.ctx, dal_data_set_joint(dal_sim_data(sim), 0, &pin));
    check_ok(f.ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(f.ctx, dal_sim_save(sim, with, sizeof with));
    check_ok(f.ctx, dal_sim_restore(fresh, with, dal_sim_snapshot_size(sim)));
    check_ok(f.ctx, dal_data_get_joint(dal_sim_data(fresh), &pin, 0));
    assert_true(pin.release == 0.25);
    dal_sim_destroy(sim);
    dal_sim_destroy(fresh);
    dal_model_destroy(m);
    tear_down(&f);
}

/* A forged number is refused, and the simulation is as it was, its numbers included. */
static void forged_numbers_are_refused(void **state)
{
    static double snapshot[1 << 15], own[1 << 15], now[1 << 15];
    fixture f = set_up("h=1e-3");
    dal_sim *sim = create(&f, f.sys), *started = create(&f, f.sys);
    set(f.ctx, sim, &large);
    begin(f.ctx, sim);
    const size_t size = dal_sim_snapshot_size(sim);
    check_ok(f.ctx, dal_sim_save(sim, snapshot, sizeof snapshot));
    int forged = 0;
    for (size_t i = 6; i < size / sizeof(double); ++i) {
        if (snapshot[i] == large.mass && snapshot[i + 1] == large.arm) { // the bob, with its position
            snapshot[i] = -1.0;
            ++forged;
        }
    }
    assert_int_equal(forged, 1);
    dal_snapshot_seal(snapshot, size);
    check_fails(f.ctx, dal_sim_restore(sim, snapshot, size), DAL_ESNAPSHOT, "body 'bob': mass = -1");
    begin(f.ctx, started);
    set(f.ctx, started, &large);
    begin(f.ctx, started);
    check_ok(f.ctx, dal_sim_save(started, own, sizeof own));
    check_fails(f.ctx, dal_sim_restore(started, snapshot, size), DAL_ESNAPSHOT, "the numbers of the snapshot");
    check_ok(f.ctx, dal_sim_save(started, now, sizeof now));
    assert_memory_equal(own, now, size);
    go(f.ctx, sim);
    go(f.ctx, started);
    assert_same_state(sim, started, f.sys);
    dal_sim_destroy(sim);
    dal_sim_destroy(started);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_change_between_two_runs),
        cmocka_unit_test(numbers_are_part_of_snapshots),
        cmocka_unit_test(times_of_release_are_part_of_snapshots),
        cmocka_unit_test(forged_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
