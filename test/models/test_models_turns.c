/* Angles go on past half a turn: springs, control and outputs count turns, which are part of the memory of a run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

/* Its outputs where it stands. */
static const double *outputs(check_model *M)
{
    check_model_run(M, dal_sim_state(M->sim).t);
    return M->y;
}

static const char *const torsion =
    "{'dalembert': 1, 'name': 'torsion', 'words': {'type': 'r3so3', 'joint': 'revolute'}, 'variables': {'start': 0},"
    " 'bodies': [{'name': 'r', 'type': '{type}', 'mass': 1, 'inertia': [1, 1, 1], 'angular_velocity': [0, 0, 4],"
    "   'rotation': {'axis': [0, 0, 1], 'angle': 'start'}}],"
    " 'joints': [{'name': 'J', 'type': '{joint}', 'body_b': 'r', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]}],"
    " 'forces': [{'name': 'coil', 'type': 'spring', 'joint': 'J', 'coordinate': 'rotation_z', 'stiffness': 1,"
    "   'reference': 'start'}],"
    " 'outputs': ['J.coordinate', 'coil.force_value', 'energy', 'r.quaternion'],"
    " 'simulation': {'t_end': 3, 'h': 0.001}}";

/* theta = 4 sin t goes to 4 rad, past half a turn and back, by every method and in all coordinates. */
static void a_torsion_spring_winds_up_past_half_a_turn(void **state)
{
    static const struct {
        const char *set[3];
        int n;
        double tol;
    } list[] = {
        {{"h=1e-3"}, 1, 1e-5},
        {{"type=se3"}, 1, 1e-5},
        {{"type=euler_parameters"}, 1, 1e-5},
        {{"type=cardan"}, 1, 1e-5},
        {{"type=planar", "joint=planar_revolute"}, 2, 1e-5},
        {{"type=planar_se2", "joint=planar_revolute"}, 2, 1e-5},
        {{"integrator=lobatto", "h=0.05"}, 2, 1e-8},
        {{"formulation=index2"}, 1, 1e-5},
        {{"formulation=index1"}, 1, 1e-5},
        {{"step=adaptive", "step_rtol=1e-6"}, 2, 1e-3},
        {{"start=4"}, 1, 1e-5}, // the spring is at rest at 4 rad, not at 4 - 2 pi
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        check_model M = check_model_start(torsion, list[k].set, list[k].n);
        for (int i = 1; i <= 6; ++i) {
            const double t = 0.5 * i, *y;
            check_ok(M.ctx, dal_sim_run(M.sim, NULL, t));
            y = outputs(&M);
            assert_near(y[1], 4.0 * sin(t), list[k].tol);
            assert_near(y[2], 8.0, 10.0 * list[k].tol);
            if (strcmp(list[k].set[0], "start=4") != 0) {
                assert_near(y[0], 4.0 * sin(t), list[k].tol);
            }
        }
        check_model_free(&M);
    }
}

/* Restored in another simulation, on the far side of half a turn, the run goes on bit for bit. */
static void turns_are_part_of_snapshots(void **state)
{
    check_model M = check_model_start(torsion, NULL, 0), N = check_model_start(torsion, NULL, 0);
    const size_t size = dal_sim_snapshot_size(M.sim);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 1.3));
    assert_true(outputs(&M)[0] > 3.5);
    check_ok(M.ctx, dal_sim_save(M.sim, snapshot, size));
    check_ok(N.ctx, dal_sim_restore(N.sim, snapshot, size));
    assert_true(outputs(&N)[0] > 3.5);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 3.0));
    check_ok(N.ctx, dal_sim_run(N.sim, NULL, 3.0));
    assert_memory_equal(outputs(&N), outputs(&M), 7 * sizeof(double));
    // a new start begins within half a turn
    check_ok(M.ctx, dal_sim_start(M.sim, NULL, 0.0, dal_sim_state(M.sim).q, NULL));
    assert_true(fabs(outputs(&M)[0]) < 3.2);
    free(snapshot);
    check_model_free(&M);
    check_model_free(&N);
}

static const char *const drives =
    "{'dalembert': 1, 'name': 'drives',"
    " 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [0.1, 0.1, 0.1]},"
    "   {'name': 'b', 'mass': 1, 'inertia': [0.1, 0.1, 0.1]}, {'name': 'c', 'mass': 1, 'inertia': [0.1, 0.1, 0.1]}],"
    " 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'a', 'axis': [0, 0, 1]},"
    "   {'name': 'B', 'type': 'revolute', 'body_b': 'b', 'axis': [0, 0, 1]},"
    "   {'name': 'C', 'type': 'revolute', 'body_b': 'c', 'axis': [0, 0, 1]},"
    "   {'name': 'drive', 'type': 'motion', 'joint': 'C', 'function': {'type': 'polynomial', 'coefficients': [20, "
    "5]}}],"
    " 'forces': [{'name': 'pd', 'type': 'pd', 'joint': 'A', 'stiffness': 50, 'damping': 5,"
    "     'function': {'type': 'step', 'from': 0, 'to': 10, 'start': 0, 'end': 2}},"
    "   {'name': 'pid', 'type': 'pid', 'joint': 'B', 'stiffness': 50, 'damping': 5, 'integral': 20,"
    "     'function': {'type': 'step', 'from': 0, 'to': -12, 'start': 0, 'end': 2}}],"
    " 'outputs': ['A.coordinate', 'B.coordinate', 'drive.coordinate', 'C.coordinate'],"
    " 'simulation': {'t_end': 4, 'h': 0.002}}";

static void control_goes_to_angles_beyond_a_turn(void **state)
{
    check_model M = check_model_start(drives, NULL, 0);
    double last = outputs(&M)[3];
    while (dal_sim_state(M.sim).t < 3.9999) {
        check_ok(M.ctx, dal_sim_step(M.sim));
        const double now = outputs(&M)[3];
        assert_true(fabs(now - last - 0.01) < 1e-6); // no jump anywhere
        last = now;
    }
    const double *y = outputs(&M);
    assert_near(y[0], 10.0, 1e-4);
    assert_near(y[1], -12.0, 2e-2);
    assert_near(y[2], 40.0, 1e-9); // begins with the turn of its function
    assert_near(remainder(y[3] - 40.0, 2.0 * acos(-1.0)), 0.0, 1e-9);
    // within the last step, too
    double q[64], v[64];
    const dal_state s = dal_sim_state(M.sim);
    check_ok(M.ctx, dal_sim_interpolate(M.sim, q, v, NULL, s.t - 0.001));
    check_ok(M.ctx, dal_model_outputs(M.model, dal_sim_data(M.sim), M.y, &(dal_point){s.t - 0.001, q, v, s.vd, s.la}));
    assert_near(M.y[2], 40.0 - 0.005, 1e-6);
    check_model_free(&M);
}

/* Ten radians a step, three turns in two steps: known from the rate. */
static void outputs_follow_fast_rotations(void **state)
{
    static const char *const set[] = {"h=0.01"};
    check_model M =
        check_model_start("{'dalembert': 1, 'name': 'spin', 'bodies': [{'name': 'r', 'mass': 1, 'inertia': [1, 1, 1],"
                          "   'angular_velocity': [0, 0, 1000]}],"
                          " 'joints': [{'name': 'J', 'type': 'revolute', 'body_b': 'r', 'axis': [0, 0, 1]}],"
                          " 'outputs': ['J.coordinate'], 'simulation': {'t_end': 1, 'h': 0.01}}",
                          set, 1);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 1.0));
    assert_near_rel(outputs(&M)[0], 1000.0, 1e-9);
    check_model_free(&M);
}

/* A body that tumbles for several turns, in all coordinates: neighbours are close, with their signs. */
static void quaternions_do_not_change_their_sign(void **state)
{
    static const char *const type[] = {"type=r3so3", "type=se3", "type=euler_parameters", "type=cardan"};
    for (size_t k = 0; k < LEN(type); ++k) {
        check_model M = check_model_start(
            "{'dalembert': 1, 'name': 'tumble', 'words': {'type': 'r3so3'}, 'bodies': [{'name': 'r',"
            "  'type': '{type}', 'mass': 1, 'inertia': [1, 1, 2], 'angular_velocity': [0.2, 0.1, 9]}],"
            " 'outputs': [{'name': 'p', 'quantity': 'quaternion', 'body': 'r',"
            "   'frame': {'position': [0, 0, 0], 'rotation': {'axis': [1, 0, 0], 'angle': 1}}}],"
            " 'simulation': {'t_end': 3, 'h': 0.01}}",
            &type[k], 1);
        double last[4];
        int negative = 0;
        memcpy(last, outputs(&M), sizeof last);
        while (dal_sim_state(M.sim).t < 2.9999) {
            check_ok(M.ctx, dal_sim_step(M.sim));
            const double *p = outputs(&M);
            assert_true(p[0] * last[0] + p[1] * last[1] + p[2] * last[2] + p[3] * last[3] > 0.99);
            negative += p[0] < 0.0;
            memcpy(last, p, sizeof last);
        }
        assert_true(negative > 50);
        check_model_free(&M);
    }
}

static const char *const bushing =
    "{'dalembert': 1, 'name': 'jump', 'variables': {'k': 100}, 'bodies': [{'name': 'b', 'mass': 1,"
    "   'inertia': [1, 1.2, 1.4], 'angular_velocity': [0.1, 10, 0.2]}],"
    " 'forces': [{'name': 'f', 'type': 'bushing', 'body_b': 'b', 'stiffness': [100, 100, 100, 0, 0, 'k']}],"
    " 'outputs': ['energy'], 'simulation': {'t_end': 0.5, 'h': 0.001}}";

static void a_bushing_stops_where_its_angle_has_no_meaning(void **state)
{
    static const char *const set[][3] = {{"h=1e-3"}, {"integrator=lobatto"}, {"step=adaptive"}, {"h=0.02"}};
    for (size_t k = 0; k < LEN(set); ++k) {
        check_model M = check_model_start(bushing, set[k], 1);
        const dal_status st = dal_sim_run(M.sim, NULL, 0.5);
        assert_true(st != DAL_OK);
        assert_non_null(strstr(dal_ctx_message(M.ctx), "force 'f': its angle about the z axis of frame A"));
        assert_true(dal_sim_state(M.sim).t < 0.2);
        check_model_free(&M);
    }
    // translations alone do not care
    static const char *const none[] = {"k=0"};
    check_model M = check_model_start(bushing, none, 1);
    check_ok(M.ctx, dal_sim_run(M.sim, NULL, 0.5));
    check_model_free(&M);
}

/* A jolt so strong that the rate at the beginning of the step says nothing about its end. */
static void turns_that_cannot_be_counted_are_an_error(void **state)
{
    check_model M = check_model_start(
        "{'dalembert': 1, 'name': 'jolt', 'bodies': [{'name': 'r', 'mass': 1, 'inertia': [1, 1, 1]}],"
        " 'joints': [{'name': 'J', 'type': 'revolute', 'body_b': 'r', 'axis': [0, 0, 1]}],"
        " 'forces': [{'name': 'coil', 'type': 'spring', 'joint': 'J', 'stiffness': 1e-3},"
        "   {'name': 'motor', 'type': 'actuator', 'joint': 'J', 'function': {'type': 'constant', 'value': 1e3}}],"
        " 'simulation': {'t_end': 1, 'h': 0.1}}",
        NULL, 0);
    check_fails(M.ctx, dal_sim_run(M.sim, NULL, 1.0), DAL_ESTEP, "force 'coil': its angle changed so fast");
    check_model_free(&M);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torsion_spring_winds_up_past_half_a_turn),
        cmocka_unit_test(turns_are_part_of_snapshots),
        cmocka_unit_test(control_goes_to_angles_beyond_a_turn),
        cmocka_unit_test(outputs_follow_fast_rotations),
        cmocka_unit_test(quaternions_do_not_change_their_sign),
        cmocka_unit_test(a_bushing_stops_where_its_angle_has_no_meaning),
        cmocka_unit_test(turns_that_cannot_be_counted_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
