/* Events of model files: located, in order, without chatter; on reactions too; what they do; snapshots and new starts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/events.h"
#include "dalembert/io.h"
#include "io/text.h"
#include "support/check.h"

typedef struct opened {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} opened;

static void start(opened *o)
{
    const dal_model *m = dal_document_model(o->doc);
    check_ok(o->ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
}

static opened open_text(const char *text, const char *const *set, int nset)
{
    opened o = {.ctx = check_ctx()};
    check_ok(o.ctx, text_load_set(&o.doc, o.ctx, text, set, nset));
    check_ok(o.ctx, dal_model_compile(dal_document_model(o.doc), &o.sys));
    check_ok(o.ctx, dal_sim_create(&o.sim, o.ctx, o.sys, dal_document_options(o.doc)));
    start(&o);
    return o;
}

static void release(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
    check_ctx_free(o->ctx);
}

static dal_stop run(opened *o, double t)
{
    dal_stop reason;
    check_ok(o->ctx, dal_sim_run(o->sim, &reason, t));
    return reason;
}

/* When event `name` happened for the n-th time, from 1 on; NaN: it did not. */
static double when(const opened *o, const char *name, int nth)
{
    int n, seen = 0;
    const dal_contact_event *event = dal_sim_contact_events(o->sim, &n);
    for (int k = 0; k < n; ++k) {
        if (event[k].what == DAL_CONTACT_EVENT && strcmp(o->sys->events.event[event[k].contact].name, name) == 0 &&
            ++seen == nth) {
            return event[k].t;
        }
    }
    return (double)NAN;
}

/* ---- what is exact ---------------------------------------------------------------------------- */

/* A point on a link that a force pulls with 1000 t: the fuse blows at 0.5 s. From there on it falls, is kicked where it has fallen by
 * 0.1 m, and a force across it is set to 100 t + its value; where it is as fast as 60 m/s, at 0.7 s, the run ends. */
#define FUSE                                                                                                           \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'inputs': {'push': {'value': 1, 'unit': 'N'}},"                        \
    " 'variables': {'limit': 500}, 'functions': {'rise': {'type': 'polynomial', 'coefficients': [0, 1000]}},"          \
    " 'bodies': [{'name': 'box', 'type': 'point', 'mass': 2}],"                                                        \
    " 'joints': [{'name': 'link', 'type': 'spherical', 'body_b': 'box', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]}]," \
    " 'forces': [{'name': 'pull', 'type': 'force', 'body': 'box', 'vector': [1, 0, 0], 'function': 'rise'},"           \
    "  {'name': 'side', 'type': 'force', 'body': 'box', 'vector': [0, 'push', 0]},"                                    \
    "  {'name': 'kick', 'type': 'force', 'body': 'box', 'vector': [0, 0, 20], 'active': false}],"                      \
    " 'events': [{'name': 'fuse', 'when': '-link.force.x > limit', 'off': 'link', 'note': 'it blows'},"                \
    "  {'name': 'down', 'when': 'z < -0.1', 'inputs': {'z': 'box.position.z'}, 'impulse': 'kick',"                     \
    "   'set': {'push': '100*t + push'}},"                                                                             \
    "  {'name': 'fast', 'when': 'box.velocity.x > 60', 'stop': true}],"                                                \
    " 'simulation': {'h': 0.01}}"

static void check_fuse(const opened *o, double tol)
{
    const double t1 = 0.5, t2 = t1 + sqrt(0.2 / 9.81), t3 = 0.7, a = 0.5 * (100.0 * t2 + 1.0), dt = t3 - t2;
    const double *q = dal_sim_state(o->sim).q;
    assert_near(when(o, "fuse", 1), t1, tol);
    assert_near(when(o, "down", 1), t2, tol);
    assert_near(when(o, "fast", 1), t3, tol);
    assert_true(isnan(when(o, "fuse", 2)) && isnan(when(o, "down", 2)));
    assert_near(q[0], 17.0 / 3.0, 100.0 * tol);
    assert_near(q[1], 0.25 * (t2 - t1) * (t2 - t1) + 0.5 * (t2 - t1) * dt + 0.5 * a * dt * dt, 10.0 * tol);
    assert_near(q[2], -0.1 + (10.0 - 9.81 * (t2 - t1)) * dt - 0.5 * 9.81 * dt * dt, 10.0 * tol);
}

static void a_fuse_blows_where_its_force_is_reached(void **state)
{
    static const struct {
        const char *set[2];
        double tol;
    } method[] = {{{"integrator=rk", "step=adaptive"}, 1e-13}, {{"integrator=lobatto", "step=fixed"}, 1e-10},
                  {{"integrator=genalpha", "h=0.001"}, 3e-6},  {{"integrator=genalpha", "step=adaptive"}, 5e-5},
                  {{"integrator=rattlie", "h=0.001"}, 3e-6},   {{"integrator=bdf", "h=0.001"}, 1e-5},
                  {{"integrator=auto", "step=adaptive"}, 5e-5}};
    (void)state;
    for (size_t k = 0; k < LEN(method); ++k) {
        opened o = open_text(FUSE, method[k].set, 2);
        assert_int_equal(run(&o, 2.0), DAL_STOP_EVENT);
        assert_string_equal(dal_sim_event_name(o.sim), "fast");
        assert_int_equal(dal_sim_event_index(o.sim), -1);
        check_fuse(&o, method[k].tol);
        release(&o);
    }
}

/* Whatever has happened, a new start is the first run again, and a snapshot goes on bit for bit, before and after each event. */
static void runs_are_repeated_to_the_bit(void **state)
{
    static const char *const methods[] = {"integrator=genalpha", "integrator=lobatto", "integrator=rk"};
    (void)state;
    for (size_t k = 0; k < LEN(methods); ++k) {
        opened o = open_text(FUSE, &methods[k], 1), other = open_text(FUSE, &methods[k], 1);
        double end[3];
        (void)run(&o, 2.0);
        memcpy(end, dal_sim_state(o.sim).q, sizeof end);
        assert_near(dal_data_input(dal_sim_data(o.sim), 0).value, 1.0 + 100.0 * when(&o, "down", 1), 1e-12);
        check_ok(o.ctx, dal_sim_reset(o.sim, NULL));
        assert_true(dal_data_input(dal_sim_data(o.sim), 0).value == 1.0);
        assert_null(dal_sim_event_name(o.sim));
        for (int step = 0; step < 200 && dal_sim_event_name(o.sim) == NULL; ++step) {
            const size_t size = dal_sim_snapshot_size(o.sim);
            void *buffer = malloc(size);
            assert_non_null(buffer);
            check_ok(o.ctx, dal_sim_save(o.sim, buffer, size));
            check_ok(other.ctx, dal_sim_restore(other.sim, buffer, size));
            free(buffer);
            check_ok(o.ctx, dal_sim_step(o.sim));
            check_ok(other.ctx, dal_sim_step(other.sim));
            assert_memory_equal(dal_sim_state(o.sim).q, dal_sim_state(other.sim).q, sizeof end);
        }
        assert_memory_equal(dal_sim_state(o.sim).q, end, sizeof end);
        release(&o);
        release(&other);
    }
}

/* Variables in conditions follow a binding, as in sweeps. */
static void conditions_follow_variables(void **state)
{
    static const char *const name[] = {"limit"};
    static const char *const set[] = {"integrator=rk"};
    (void)state;
    opened o = open_text(FUSE, set, 1);
    dal_binding *b;
    check_ok(o.ctx, dal_binding_create(&b, o.ctx, o.doc, name, 1));
    for (double limit = 100.0; limit < 400.0; limit += 50.0) {
        check_ok(o.ctx, dal_binding_set(b, dal_sim_data(o.sim), &limit));
        start(&o);
        (void)run(&o, limit / 1000.0 + 0.01);
        assert_near(when(&o, "fuse", 1), limit / 1000.0, 1e-14);
    }
    dal_binding_destroy(b);
    release(&o);
}

/* ---- closing joints --------------------------------------------------------------------------- */

/* Two bodies pass each other; where they are side by side they are joined as they are, and part at 1 s. */
#define GRAB                                                                                                           \
    "{'dalembert': 1, 'bodies': [{'name': 'a', 'type': '%s', 'mass': 1, 'inertia': 0.1, 'velocity': [3, 0, 0],"        \
    "   'angular_velocity': [0, 0, 1]}, {'name': 'b', 'mass': 2, 'inertia': 0.2, 'position': [1, 0.5, 0],"             \
    "   'angular_velocity': [0, 0, 2]}],"                                                                              \
    " 'joints': [{'name': 'hold', 'type': 'fixed', 'body_a': 'a', 'body_b': 'b', 'frame_a': [0.1, 0, 0],"              \
    "   'frame_b': {'position': [0, 0.2, 0], 'axis': [1, 1, 0]}, 'active': false}],"                                   \
    " 'outputs': ['a.position', 'b.position', 'momentum', 'angular_momentum', 'b.angular_velocity', 'hold.residual']," \
    " 'events': [{'name': 'meet', 'when': 'a.position.x > b.position.x', 'grab': 'hold', 'once': true},"               \
    "  {'name': 'part', 'when': 't > 1', 'off': 'hold'}],"                                                             \
    " 'simulation': {'h': 0.01, 'integrator': 'lobatto'}}"

/* As far apart as they were, turning about their centre, which is 1/3 m below b. */
static void check_held(const double *x)
{
    const double I = 0.3 + 2.0 / 3.0 * 0.25, L = 0.5 + 1.0;
    assert_near(hypot(x[0] - x[3], x[1] - x[4]), 0.5, 1e-12);
    assert_near(x[14], L / I, 1e-9);
    for (int i = 15; i < 21; ++i) {
        assert_near(x[i], 0.0, 1e-13);
    }
}

static void what_is_grabbed_stays_where_it_was(void **state)
{
    static const char *const types[] = {"r3so3", "se3", "euler_parameters", "planar"};
    (void)state;
    for (size_t k = 0; k < LEN(types); ++k) {
        char text[1400];
        double x[21];
        snprintf(text, sizeof text, GRAB, types[k]);
        opened o = open_text(text, NULL, 0);
        for (int look = 0; look < 4; ++look) { // while they are one, and after; and in a second run
            (void)run(&o, look % 2 == 0 ? 0.9 : 1.9);
            const dal_point at = dal_sim_point(o.sim);
            check_ok(o.ctx, dal_model_outputs(dal_document_model(o.doc), dal_sim_data(o.sim), x, &at));
            assert_near(x[6], 3.0, 1e-12);
            assert_near(x[11], 0.5, 1e-12); // spins of 0.1 and 0.4
            if (look % 2 == 0) {
                check_held(x);
                continue;
            }
            assert_near(when(&o, "meet", 1), 1.0 / 3.0, 1e-13);
            assert_near(when(&o, "part", 1), 1.0, 1e-15);
            check_ok(o.ctx, dal_sim_reset(o.sim, NULL));
        }
        release(&o);
    }
}

/* Two pendulums in a plane are a triangle from where they are latched on, which stands still. The loop holds more than it needs: what the
 * latch holds must be a pose in which the other joints are closed, whatever the method leaves of them within a step and at its end. */
static void a_loop_is_closed_where_it_is(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 0.01, 'position': "
        "[0.2, 0, -0.2]},"
        "  {'name': 'b', 'mass': 1, 'inertia': 0.01, 'position': [0.6, 0, -0.3]}],"
        " 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'a', 'point': [0, 0, 0], 'axis': [0, -1, 0]},"
        "  {'name': 'B', 'type': 'spherical', 'body_b': 'b', 'point': [0.6, 0, 0]},"
        "  {'name': 'latch', 'type': 'fixed', 'body_a': 'a', 'body_b': 'b', 'point': [0.4, 0, -0.25], 'active': "
        "false}],"
        " 'events': [{'name': 'catch', 'when': 'A.coordinate < -0.5', 'grab': 'latch', 'once': true}],"
        " 'outputs': ['A.coordinate', 'A.coordinate_velocity'], 'simulation': {'h': 0.001, 'redundant': 'drop'}}";
    static const char *const method[][2] = {{"formulation=index1", NULL},
                                            {"formulation=index2", NULL},
                                            {"formulation=ggl", "h=0.004"},
                                            {"integrator=rk", "step_rtol=1e-5"}};
    (void)state;
    for (size_t k = 0; k < LEN(method); ++k) {
        double x[2];
        opened o = open_text(text, method[k], method[k][1] ? 2 : 1);
        (void)run(&o, 0.6);
        const dal_point at = dal_sim_point(o.sim);
        check_ok(o.ctx, dal_model_outputs(dal_document_model(o.doc), dal_sim_data(o.sim), x, &at));
        assert_true(when(&o, "catch", 1) < 0.6);
        assert_near(x[0], -0.5, 1e-5);
        assert_near(x[1], 0.0, 1e-9);
        release(&o);
    }
}

/* A door swings shut: the latch closes where it is reached, and takes the rest of the speed; half a second later it opens again. */
static void a_latch_closes_where_it_fits(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'door', 'mass': 20, 'inertia': [1, 1, 1], 'position': ['0.4*cos(0.5)', "
        "'0.4*sin(0.5)', 0],"
        "   'rotation': {'axis': [0, 0, 1], 'angle': 0.5}, 'velocity': ['0.2*sin(0.5)', '-0.2*cos(0.5)', 0],"
        "   'angular_velocity': [0, 0, -0.5]}],"
        " 'joints': [{'name': 'hinge', 'type': 'revolute', 'body_b': 'door', 'frame_a': [0, 0, 0], 'frame_b': [-0.4, "
        "0, 0]},"
        "  {'name': 'latch', 'type': 'point_on_plane', 'body_b': 'door', 'frame_a': {'axis': [0, 1, 0]},"
        "   'frame_b': [0.4, 0, 0], 'active': false}],"
        " 'outputs': ['hinge.coordinate', 'hinge.coordinate_velocity', 'energy'],"
        " 'events': [{'name': 'snap', 'when': 'hinge.coordinate < %g', 'on': 'latch'}],"
        " 'simulation': {'h': 0.01, 'integrator': 'lobatto'}}";
    char full[sizeof text + 32];
    double x[3];
    (void)state;
    snprintf(full, sizeof full, text, 0.0);
    opened o = open_text(full, NULL, 0);
    (void)run(&o, 2.0);
    dal_point at = dal_sim_point(o.sim);
    check_ok(o.ctx, dal_model_outputs(dal_document_model(o.doc), dal_sim_data(o.sim), x, &at));
    assert_near(when(&o, "snap", 1), 1.0, 1e-9);
    assert_near(x[0], 0.0, 1e-12);
    assert_near(x[2], 0.0, 1e-12);
    release(&o);
    snprintf(full, sizeof full, text, 0.1); // not there yet: refused, and the state is that before the step
    o = open_text(full, NULL, 0);
    check_fails(o.ctx, dal_sim_run(o.sim, NULL, 2.0), DAL_EINVAL,
                "a joint that is switched on does not fit: joint 'latch'");
    assert_near(dal_sim_state(o.sim).t, 0.8, 0.02);
    check_fails(o.ctx, dal_sim_run(o.sim, NULL, 2.0), DAL_EINVAL, "close it where it is by 'grab'");
    release(&o);
}

/* ---- order and chatter ------------------------------------------------------------------------ */

/* A load hangs on three parallel links, of stiff springs with fuses: where the first blows the others are overloaded at once. */
static void a_failure_that_sets_off_others_does_so_at_once(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'functions': {'rise': {'type': 'polynomial', 'coefficients': [0, 100]}},"
        " 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, 'position': [1, 0, 0]}],"
        " 'joints': [{'name': 'rail', 'type': 'generic', 'body_b': 'm', 'frame_a': [1, 0, 0], 'frame_b': [0, 0, 0],"
        "   'locked': ['y', 'z']}, {'name': 'stay', 'type': 'distance', 'body_b': 'm', 'frame_a': [0, 0, 0], "
        "'frame_b': [0, 0, 0]},"
        "   {'name': 'twin', 'type': 'distance', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]}],"
        " 'forces': [{'name': 'pull', 'type': 'force', 'body': 'm', 'vector': [1, 0, 0], 'function': 'rise'}],"
        " 'events': [{'name': 'second', 'when': 'twin.force.x < -30', 'off': 'twin', 'note': 'with the first'},"
        "  {'name': 'first', 'when': 'stay.force.x < -25', 'off': 'stay'}],"
        " 'simulation': {'h': 0.01, 'redundant': 'least_norm'}}";
    int n;
    (void)state;
    opened o = open_text(text, NULL, 0);
    (void)run(&o, 1.0);
    const dal_contact_event *event = dal_sim_contact_events(o.sim, &n);
    assert_int_equal(n, 2); // 50 N, shared by both; then by the second alone
    assert_int_equal(event[0].contact, 1);
    assert_int_equal(event[1].contact, 0);
    assert_near(event[0].t, 0.5, 1e-9);
    assert_true(event[1].t == event[0].t);
    // free from 0.5 s on: x'' = 100 t
    assert_near(dal_sim_state(o.sim).q[0], 1.0 + 100.0 / 6.0 * (1.0 - 0.125) - 12.5 * 0.5, 1e-3);
    release(&o);
}

/* A value that touches its limit again and again, and one that rests on it. */
static void events_do_not_chatter(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, 'position': [1, 0, 0]}],"
        " 'forces': [{'name': 'k', 'type': 'cartesian', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "   'stiffness': ['(2*pi)^2', 0, 0]}],"
        " 'events': [{'name': 'up', 'when': 'm.position.x > 0'}, {'name': 'down', 'when': 'm.position.x < 0'},"
        "  {'name': 'both', 'when': 'm.position.x = 0'}, {'name': 'top', 'when': 'm.position.x > 0', 'once': true},"
        "  {'name': 'far', 'when': 'm.position.x > 0', 'band': 2}, {'name': 'still', 'when': 'm.position.y > 0'},"
        "  {'name': 'never', 'when': 'm.position.x > 1.0001'}],"
        " 'simulation': {'integrator': 'rk', 'step_rtol': 1e-10}}";
    (void)state;
    opened o = open_text(text, NULL, 0);
    (void)run(&o, 10.1);
    for (int k = 0; k < 10; ++k) {
        assert_near(when(&o, "down", 1 + k), 0.25 + k, 1e-7);
        assert_near(when(&o, "up", 1 + k), 0.75 + k, 1e-7);
        assert_near(when(&o, "both", 1 + 2 * k), 0.25 + k, 1e-7);
        assert_near(when(&o, "both", 2 + 2 * k), 0.75 + k, 1e-7);
    }
    assert_true(isnan(when(&o, "up", 11)) && isnan(when(&o, "both", 21)) && isnan(when(&o, "top", 2)));
    assert_true(isnan(when(&o, "far", 1)) && isnan(when(&o, "still", 1)) && isnan(when(&o, "never", 1)));
    release(&o);
    // a switch that undoes itself is told instead of going on for ever
    static const char loop[] =
        "{'dalembert': 1, 'inputs': {'u': 1}, 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1}],"
        " 'forces': [{'name': 'f', 'type': 'force', 'body': 'm', 'vector': ['u', 0, 0]}],"
        " 'events': [{'name': 'go', 'when': 't > 0.5', 'set': {'u': -1}},"
        "  {'name': 'ping', 'when': 'm.acceleration.x < 0', 'set': {'u': 2}},"
        "  {'name': 'pong', 'when': 'm.acceleration.x > 0', 'set': {'u': -2}}]}";
    o = open_text(loop, NULL, 0);
    check_fails(o.ctx, dal_sim_run(o.sim, NULL, 1.0), DAL_ESTEP, "events set off each other without end");
    assert_true(dal_data_input(dal_sim_data(o.sim), 0).value == 1.0);
    release(&o);
}

/* Height of the first body of a pendulum, and how often it was passed. */
static double sideways(double t, const double *q, const double *v, void *user)
{
    return q[0];
}

static dal_status count(double t, double *q, double *v, void *user)
{
    *(int *)user += 1;
    return DAL_OK;
}

/* Where an event happens the state goes back to the rows of the joints, by the error of the dense output and maybe across the condition: it has
 * happened all the same. A pendulum from the horizontal passes its lowest point each half period, 2 K(sin pi/4) (J/m g l)^(1/2). One that moves its own
 * threshold on happens again, however little that is. */
static void what_has_happened_does_not_happen_again(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, -9.81, 0],"
        " 'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.02, 0.03, 0.01], 'position': [1, 0, 0]}],"
        " 'joints': [{'name': 'j', 'type': 'revolute', 'body_b': 'b', 'point': [0, 0, 0], 'axis': [0, 0, 1]}],"
        " 'events': [{'name': 'low', 'when': 'b.position.x = 0'}, {'name': 'force', 'when': 'j.force.x = 0'},"
        "  {'name': 'half', 'when': 'b.position.y < -0.5'}],"
        " 'simulation': {}}";
    static const char *const methods[] = {"h=0.05", "h=0.02", "integrator=rk", "integrator=lobatto,h=0.1", "h=0.01"};
    const double half = 2.0 * 1.8540746773013719 * sqrt(1.01 / 9.81);
    (void)state;
    for (size_t i = 0; i < LEN(methods); ++i) {
        char given[64], *second;
        int counted = 0;
        snprintf(given, sizeof given, "%s", methods[i]);
        second = strchr(given, ',');
        const char *set[] = {given, second ? second + 1 : ""};
        if (second) {
            *second = '\0';
        }
        opened o = open_text(text, set, second ? 2 : 1);
        const dal_event event = {sideways, count, 0, DAL_EVENT_RESTART, &counted};
        check_ok(o.ctx, dal_sim_event(o.sim, &event));
        (void)run(&o, 5.0 * half);
        for (int k = 0; k < 5; ++k) { // to the error of the method over that time
            assert_near(when(&o, "low", 1 + k), (0.5 + k) * half, i == 2 ? 1e-4 : 0.1 * half);
            assert_true(fabs(when(&o, "half", 1 + k) - (0.5 + k) * half) < 0.5 * half);
        }
        assert_true(isnan(when(&o, "low", 6)) && isnan(when(&o, "half", 6)));
        assert_int_equal(counted, 5);
        // the force across is zero at the lowest point and at both ends
        assert_true(!isnan(when(&o, "force", 5)) && isnan(when(&o, "force", 11)));
        release(&o);
    }
    static const char moves[] =
        "{'dalembert': 1, 'inputs': {'u': 1}, 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1}],"
        " 'events': [{'name': 'on', 'when': 't > u', 'set': {'u': 'u + 0.002'}}], 'simulation': {'h': 0.05}}";
    opened o = open_text(moves, NULL, 0);
    (void)run(&o, 1.2);
    for (int k = 0; k < 100; ++k) {
        assert_near(when(&o, "on", 1 + k), 1.0 + 0.002 * k, 1e-9);
    }
    release(&o);
}

/* An impact makes a velocity jump, which counts as a crossing. */
static void conditions_that_jump_are_seen(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'gravity': [0, 0, -10], 'bodies': [{'name': 'b', 'type': 'point', 'mass': 1, 'position': [0, "
        "0, 0.2]}],"
        " 'joints': [{'name': 'floor', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "   'shape': 'sphere', 'radius': 0, 'restitution': 0.5}],"
        " 'forces': [{'name': 'kick', 'type': 'force', 'body': 'b', 'vector': [0, 0, 3], 'active': false}],"
        " 'events': [{'name': 'bounce', 'when': 'b.velocity.z > 0', 'once': true}, {'name': 'later', 'when': 't > 1',"
        "   'impulse': 'kick'}], 'simulation': {'integrator': 'rk'}}";
    (void)state;
    opened o = open_text(text, NULL, 0);
    (void)run(&o, 1.1);
    assert_near(when(&o, "bounce", 1), 0.2, 1e-12);
    assert_near(dal_sim_state(o.sim).q[2], 0.3 - 0.05, 1e-10); // it rested, and was kicked with 3 N s
    release(&o);
}

/* ---- more than 16, and what is refused -------------------------------------------------------- */

static void there_may_be_many(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, 'velocity': [1, 0, 0]}],"
        " 'events': [{'repeat': 'i', 'from': 1, 'to': 40, 'items': [{'name': 'post {i}', 'when': 'm.position.x > "
        "i/50'}]}]}";
    (void)state;
    opened o = open_text(text, NULL, 0);
    (void)run(&o, 1.0);
    assert_int_equal(dal_model_event_count(dal_document_model(o.doc)), 40);
    assert_near(when(&o, "post 40", 1), 0.8, 1e-10);
    release(&o);
}

static void bad_events_are_refused_by_name(void **state)
{
    static const char *const bad[][2] = {
        {"'when': 'm.position.x'", "expected a comparison"},
        {"'when': 'm.position.x > 1 > 2'", "expected a comparison"},
        {"'when': 'm.position > 1'", "position has 3 values; choose one"},
        {"'when': 'n.position.x > 1'", "no body 'n'"},
        {"'when': 'm.positon.x > 1'", "did you mean 'position'?"},
        {"'when': 'u > v'", "'v'"},
        {"'when': 't > 1', 'off': 'ff'", "no joint or force 'ff' (did you mean 'f'?)"},
        {"'when': 't > 1', 'grab': 'f'", "no joint 'f'"},
        {"'when': 't > 1', 'grab': 'gap'", "cannot be closed at the present pose"},
        {"'when': 't > 1', 'impulse': 'j'", "no force 'j'"},
        {"'when': 't > 1', 'impulse': 'x'", "cannot be switched or be an impulse"},
        {"'when': 't > 1', 'set': {'v': 1}", "no input 'v'"},
        {"'when': 't > 1', 'set': 3", "expected an object with a value for each input"},
        {"'when': 't > 1', 'inputs': {'z': 'm.position.x'}", "input 'z' is not used"},
        {"'when': 't > 1', 'band': -1", "band that is not negative"},
        {"'when': 't > 1', 'do': 'it'", "'do'"},
        {"'stop': true", "'when' is missing"}};
    (void)state;
    for (size_t k = 0; k < LEN(bad); ++k) {
        char text[900];
        dal_document *doc;
        const dal_system *sys;
        dal_ctx *ctx = check_ctx();
        snprintf(text, sizeof text,
                 "{'dalembert': 1, 'inputs': {'u': 1}, 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1}],"
                 " 'joints': [{'name': 'j', 'type': 'spherical', 'body_b': 'm', 'point': [0, 0, 0]},"
                 "  {'name': 'gap', 'type': 'rope', 'body_b': 'm', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], "
                 "'length': 1}],"
                 " 'forces': [{'name': 'f', 'type': 'force', 'body': 'm', 'vector': ['u', 0, 0]},"
                 "  {'name': 'x', 'type': 'state', 'value': '1'}], 'events': [{'name': 'e', %s}]}",
                 bad[k][0]);
        dal_status st = text_load_set(&doc, ctx, text, NULL, 0);
        st = st == DAL_OK ? dal_model_compile(dal_document_model(doc), &sys) : st;
        assert_int_not_equal(st, DAL_OK);
        if (strstr(dal_ctx_message(ctx), bad[k][1]) == NULL) {
            fail_msg("%s: %s", bad[k][0], dal_ctx_message(ctx));
        }
        dal_document_destroy(doc);
        check_ctx_free(ctx);
    }
}

/* ---- energy ----------------------------------------------------------------------------------- */

/* The outputs energy, dissipated_energy, drive_work: their balance. */
static double balance(const opened *o)
{
    double y[3];
    const dal_point at = dal_sim_point(o->sim);
    check_ok(o->ctx, dal_model_outputs(dal_document_model(o->doc), dal_sim_data(o->sim), y, &at));
    return y[0] + y[1] - y[2];
}

/* A spring that events switch off where it is stretched and on again, a rotor that is coupled for a while: what appears and disappears
 * with them is work, and a switch that never comes is none. */
static void what_is_switched_is_work(void **state)
{
    static const char model[] =
        "{'dalembert': 1, 'variables': {'t0': 0.31, 't1': 0.83}, 'inputs': {'go': 1},"
        " 'bodies': [{'name': 'cart', 'type': 'point', 'mass': 2, 'position': [1.5, 0, 0]},"
        "  {'name': 'disk', 'mass': 1, 'inertia': 0.1, 'angular_velocity': [0, 0, 4]}],"
        " 'joints': [{'name': 'axle', 'type': 'revolute', 'body_b': 'disk', 'axis': [0, 0, 1]}],"
        " 'forces': [{'name': 's', 'type': 'spring', 'body_b': 'cart', 'reference': 1, 'stiffness': 10},"
        "  {'name': 'coil', 'type': 'spring', 'joint': 'axle', 'stiffness': 3, 'damping': 0.02},"
        "  {'name': 'rotor', 'type': 'armature', 'joint': 'axle', 'inertia': 0.3, 'active': {'from': 0.2, 'to': 0.6}}],"
        " 'events': [{'name': 'off', 'when': 't > t0', 'off': 's'}, {'name': 'on', 'when': 't > t1', 'on': 's'}],"
        " 'outputs': ['energy', 'dissipated_energy', 'drive_work'],"
        " 'simulation': {'integrator': 'lobatto', 'stages': 4, 'h': 0.01}}";
    static const char *const never[] = {"t0=100", "t1=200"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        opened o = open_text(model, k == 0 ? never : NULL, k == 0 ? 2 : 0);
        const double E = balance(&o);
        for (double t = 0.1; t < 1.25; t += 0.1) {
            run(&o, t);
            assert_near(balance(&o), E, 1e-9);
        }
        release(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_fuse_blows_where_its_force_is_reached),
                                       cmocka_unit_test(runs_are_repeated_to_the_bit),
                                       cmocka_unit_test(conditions_follow_variables),
                                       cmocka_unit_test(what_is_grabbed_stays_where_it_was),
                                       cmocka_unit_test(a_loop_is_closed_where_it_is),
                                       cmocka_unit_test(a_latch_closes_where_it_fits),
                                       cmocka_unit_test(a_failure_that_sets_off_others_does_so_at_once),
                                       cmocka_unit_test(events_do_not_chatter),
                                       cmocka_unit_test(what_has_happened_does_not_happen_again),
                                       cmocka_unit_test(conditions_that_jump_are_seen),
                                       cmocka_unit_test(there_may_be_many),
                                       cmocka_unit_test(bad_events_are_refused_by_name),
                                       cmocka_unit_test(what_is_switched_is_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
