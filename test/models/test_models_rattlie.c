/* RATTLie through model files: masses that depend on the state, rest, the limit of stability. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"
#include "support/check_model.h"

typedef struct runner {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    char warned[512];
} runner;

static void hear(dal_log_level level, const char *text, void *user)
{
    runner *r = user;
    if (level == DAL_LOG_WARNING) {
        snprintf(r->warned, sizeof r->warned, "%s", text);
    }
}

static void open_run(runner *r, const char *source, double h, int order)
{
    memset(r, 0, sizeof *r);
    const dal_config config = {.log = hear, .user = r};
    check_ok(NULL, dal_ctx_create(&r->ctx, &config));
    check_ok(r->ctx, dal_document_open(&r->doc, r->ctx, source, NULL, 0));
    dal_model *model = dal_document_model(r->doc);
    check_ok(r->ctx, dal_model_compile(model, &r->sys));
    check_ok(r->ctx, dal_document_assemble(r->doc, NULL, r->sys));
    dal_options opt = *dal_document_options(r->doc);
    opt.integrator = DAL_INTEGRATOR_RATTLIE;
    opt.step = DAL_STEP_FIXED;
    opt.order = order;
    opt.h = h;
    check_ok(r->ctx, dal_sim_create(&r->sim, r->ctx, r->sys, &opt));
    check_ok(r->ctx, dal_sim_start(r->sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model)));
}

static void close_run(runner *r)
{
    dal_sim_destroy(r->sim);
    dal_document_destroy(r->doc);
    dal_ctx_destroy(r->ctx);
}

/* n steps: the largest change of energy. */
static double change_of_energy(runner *r, int n)
{
    double E0, E, most = 0.0;
    check_ok(r->ctx, dal_sim_energy(r->sim, &E0));
    for (int i = 0; i < n; ++i) {
        check_ok(r->ctx, dal_sim_step(r->sim));
        check_ok(r->ctx, dal_sim_energy(r->sim, &E));
        most = fmax(most, fabs(E - E0));
    }
    return most;
}

/* A flexible body: the error of energy is of the order of the method, and the way back leads to the start. */
static void flexible_bodies_keep_their_energy(void **state)
{
    double change[2];
    for (int k = 0; k < 2; ++k) {
        runner r;
        open_run(&r, "flexible_pendulum", k == 0 ? 2e-3 : 1e-3, 2);
        change[k] = change_of_energy(&r, 250 << k);
        if (k == 1) {
            const dal_state s = dal_sim_state(r.sim);
            double q[64], v[64];
            memcpy(q, s.q, (size_t)r.sys->group->nq * sizeof(double));
            for (int i = 0; i < r.sys->group->nv; ++i) {
                v[i] = -s.v[i];
            }
            check_ok(r.ctx, dal_sim_start(r.sim, NULL, 0.0, q, v));
            (void)change_of_energy(&r, 500);
            const double off =
                dal_distance(r.sys->group, dal_sim_state(r.sim).q, dal_model_q0(dal_document_model(r.doc)));
            print_message("there and back: %.1e\n", off);
            assert_true(off < 1e-9);
        }
        close_run(&r);
    }
    print_message("flexible pendulum: %.3e, %.3e J\n", change[0], change[1]);
    assert_true(change[1] < 1e-4);
    assert_near(change[0] / change[1], 4.0, 0.6);
}

static void a_chain_at_rest_stays_there(void **state)
{
    for (int order = 2; order <= 8; order += 2) {
        runner r;
        open_run(&r, "hanging_chain", 1e-3, order);
        const double change = change_of_energy(&r, 100);
        print_message("order %d: energy off by %.1e J\n", order, change);
        assert_true(change < 1e-11 && r.warned[0] == '\0');
        close_run(&r);
    }
}

/* A taut chain vibrates by its tension, a beam by its stiffness: both are told, before and after. */
static void steps_that_are_too_long_are_told_by_their_limit(void **state)
{
    static const struct {
        const char *model;
        double h, good;
    } list[] = {{"catenary", 1e-2, 6e-3}, {"spinning_beam", 5e-3, 1.8e-3}};
    for (size_t k = 0; k < LEN(list); ++k) {
        runner r;
        open_run(&r, list[k].model, list[k].h, 2);
        assert_non_null(strstr(r.warned, "stable below 2 only"));
        dal_status st = DAL_OK;
        for (int i = 0; i < 100 && st == DAL_OK; ++i) {
            st = dal_sim_step(r.sim);
        }
        print_message("%s: %s\n", list[k].model, dal_ctx_message(r.ctx));
        assert_true(st > 0);
        assert_non_null(strstr(dal_ctx_message(r.ctx), "integrator = rattlie is stable below 2 only. Use h < "));
        close_run(&r);
        open_run(&r, list[k].model, list[k].good, 2);
        assert_true(r.warned[0] == '\0');
        (void)change_of_energy(&r, 20);
        close_run(&r);
    }
}

/* Positions and velocities, six outputs, come to those of Lobatto's method, by the order. */
static void has_its_orders(const char *model)
{
    static const struct {
        const char *order;
        double h;
        int expected;
    } list[] = {{"order=2", 4e-3, 2}, {"order=4", 2e-2, 4}};
    const double T = 0.4;
    const char *const fine[] = {"integrator=lobatto", "stages=5", "h=0.002"};
    check_model ref = check_model_start(model, fine, 3);
    check_model_run(&ref, T);
    for (size_t k = 0; k < LEN(list); ++k) {
        double err[2];
        for (int j = 0; j < 2; ++j) {
            char h[32];
            snprintf(h, sizeof h, "h=%.17g", list[k].h / (1 << j));
            const char *const set[] = {"integrator=rattlie", list[k].order, h};
            check_model r = check_model_start(model, set, 3);
            check_model_run(&r, T);
            err[j] = 0.0;
            for (int i = 0; i < 6; ++i) {
                err[j] = fmax(err[j], fabs(r.y[i] - ref.y[i]));
            }
            check_model_free(&r);
        }
        print_message("%s: %.3e, %.3e, order %.2f\n", list[k].order, err[0], err[1], log2(err[0] / err[1]));
        assert_near(log2(err[0] / err[1]), list[k].expected, 0.25);
    }
    check_model_free(&ref);
}

/* The integral of a controller, and the axis of a thin rod that rolls, have no mass: rows of velocities hold them. (RT.9) */
static void what_velocity_rows_hold_needs_no_mass(void **state)
{
    static const char *const models[] = {
        "{'dalembert': 1, 'gravity': [0, 0, -9.81],"
        " 'bodies': [{'name': 'arm', 'mass': 1, 'inertia': {'box': [0.4, 0.1, 0.1]}, 'position': [0.3, 0, 0]}],"
        " 'joints': [{'name': 'hinge', 'type': 'revolute', 'body_b': 'arm', 'point': [0, 0, 0], 'axis': [0, 1, 0]}],"
        " 'forces': [{'name': 'c', 'type': 'pid', 'joint': 'hinge', 'coordinate': 'rotation_z', 'function': 0.5,"
        "             'stiffness': 20, 'damping': 1, 'integral': 40}],"
        " 'outputs': ['arm.position', 'arm.velocity']}",
        "{'dalembert': 1, 'gravity': [0, 0, -9.81],"
        " 'bodies': [{'name': 'd', 'mass': 1.7, 'inertia': {'rod': 0.3, 'axis': 'z'}, 'position': [0, 0, 0.3],"
        "             'rotation': {'axis': [1, 0, 0], 'angle': 1.570796326794897}, 'angular_velocity': [0, 0, -4]}],"
        " 'joints': [{'name': 'r', 'type': 'rolling_disk', 'body_b': 'd', 'radius': 0.3,"
        "             'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]}],"
        " 'forces': [{'name': 'm', 'type': 'torque', 'body': 'd', 'vector': [-0.5, 1.6, 1], 'follower': true}],"
        " 'outputs': ['d.position', 'd.velocity']}"};
    for (size_t m = 0; m < LEN(models); ++m) {
        has_its_orders(models[m]);
    }
}

/* A rotor on the distance of two bodies makes M depend on their places, and in the axes of bodies and in angles so do accelerations. */
static void rotors_between_bodies_of_all_types_have_their_order(void **state)
{
    static const char *const types[][2] = {{"r3so3", "r3so3"}, {"se3", "r3so3"}, {"se3", "se3"}, {"cardan", "se3"}};
    for (size_t k = 0; k < LEN(types); ++k) {
        char model[1024];
        snprintf(
            model, sizeof model,
            "{'dalembert': 1, 'bodies': [{'name': 'a', 'type': '%s', 'mass': 1, 'inertia': [0.3, 0.2, 0.4],"
            " 'velocity': [0.1, 0.4, -0.2], 'angular_velocity': [0.3, 0.5, -0.2]}, {'name': 'b', 'type': '%s', 'mass': "
            "2,"
            " 'inertia': [0.3, 0.2, 0.4], 'position': [1, 0.3, 0.2], 'velocity': [0.5, -0.3, 0.1]}],"
            " 'forces': [{'name': 's', 'type': 'armature', 'body_a': 'a', 'body_b': 'b', 'coordinate': 'length',"
            " 'frame_a': [0.1, 0.2, 0], 'frame_b': [0, -0.1, 0.2], 'inertia': 0.3}, {'name': 'k', 'type': 'spring',"
            " 'body_a': 'a', 'body_b': 'b', 'coordinate': 'length', 'stiffness': 40, 'reference': 1}],"
            " 'outputs': ['b.position', 'b.velocity']}",
            types[k][0], types[k][1]);
        has_its_orders(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_velocity_rows_hold_needs_no_mass),
        cmocka_unit_test(rotors_between_bodies_of_all_types_have_their_order),
        cmocka_unit_test(flexible_bodies_keep_their_energy),
        cmocka_unit_test(a_chain_at_rest_stays_there),
        cmocka_unit_test(steps_that_are_too_long_are_told_by_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
