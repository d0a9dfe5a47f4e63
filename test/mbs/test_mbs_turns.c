/* Outputs of rotations over several turns: they go on without jumps. Accelerations of coordinates against differences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

static check_model start(const char *text, double h)
{
    char step[32];
    snprintf(step, sizeof step, "h=%.17g", h);
    return check_model_start(text, (const char *const[]){step}, 1);
}

/* A wheel that turns freely at 5 rad/s about an axis of the world; its outputs: rotation vector, angles z-x-y of a frame that is
 * the body's. */
static const char wheel[] =
    "{\"dalembert\": 1, \"name\": \"wheel\", \"bodies\": [{\"name\": \"w\", \"mass\": 1, \"inertia\": [1, 1, 1], "
    "\"angular_velocity\": [3, 0, 4]}], \"outputs\": [\"w.rotation_vector\"]}";

static void a_rotation_vector_counts_its_turns(void **state)
{
    for (int k = 0; k < 2; ++k) {
        check_model m = start(wheel, k == 0 ? 0.01 : 0.9); // the latter turns by 4.5 rad a step
        for (int i = 1; i <= 20; ++i) {
            check_model_run(&m, 0.9 * i);
            assert_near(m.y[0], 3.0 * 0.9 * i, 1e-9);
            assert_near(m.y[1], 0.0, 1e-9);
            assert_near(m.y[2], 4.0 * 0.9 * i, 1e-9);
        }
        check_model_free(&m);
    }
}

/* Pitching over and over: the second angle passes a right angle, where the first and the third would jump by pi. */
static const char tumbler[] =
    "{\"dalembert\": 1, \"name\": \"tumbler\", \"bodies\": [{\"name\": \"w\", \"mass\": 1, \"inertia\": [1, 1, 1], "
    "\"angular_velocity\": [0, 2, 0]}, {\"name\": \"u\", \"mass\": 1, \"inertia\": [1, 1, 1], \"angular_velocity\": "
    "[0, 0, 3]}], \"outputs\": ["
    "{\"name\": \"pitch\", \"quantity\": \"euler_angles\", \"body\": \"w\", \"sequence\": \"zyx\"},"
    "{\"name\": \"yaw\", \"quantity\": \"euler_angles\", \"body\": \"u\", \"sequence\": \"zyx\"}]}";

static void angles_go_on_through_a_right_angle_and_over_turns(void **state)
{
    check_model m = start(tumbler, 0.013);
    for (int i = 1; i <= 100; ++i) {
        check_model_run(&m, 0.1 * i);
        const double expected[6] = {0.0, 2.0 * 0.1 * i, 0.0, 3.0 * 0.1 * i, 0.0, 0.0};
        assert_near(check_max_abs_diff(m.y, expected, 6), 0.0, 1e-7);
    }
    check_model_free(&m);
}

static void turns_are_part_of_snapshots(void **state)
{
    check_model m = start(wheel, 0.01), other = start(wheel, 0.01);
    check_model_run(&m, 3.0);
    const size_t size = dal_sim_snapshot_size(m.sim);
    void *bytes = malloc(size);
    check_ok(m.ctx, dal_sim_save(m.sim, bytes, size));
    check_ok(other.ctx, dal_sim_restore(other.sim, bytes, size));
    free(bytes);
    check_model_run(&m, 4.0);
    check_model_run(&other, 4.0);
    assert_near(other.y[2], 16.0, 1e-9);
    assert_memory_equal(m.y, other.y, 3 * sizeof(double));
    check_model_free(&m);
    check_model_free(&other);
}

/* Accelerations of coordinates are the slopes of their velocities; of a pendulum -g/l sin(angle). */
static const char swing[] =
    "{\"dalembert\": 1, \"name\": \"swing\", \"gravity\": [0, 0, -10], \"bodies\": ["
    "{\"name\": \"rod\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [5, 0, -1], \"angular_velocity\": "
    "[0, -1, 0], "
    "\"velocity\": [1, 0, 0]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [5, 0, 0], \"axis\": "
    "[0, -1, 0]}],"
    "\"outputs\": [\"hinge.coordinate\", \"hinge.coordinate_velocity\", \"hinge.coordinate_acceleration\"]}";

static void accelerations_of_coordinates_are_the_slopes_of_their_velocities(void **state)
{
    check_model m = start(swing, 1e-3);
    for (int i = 0; i < 50; ++i) {
        check_model_run(&m, 0.1 * i + 0.05);
        assert_near(m.y[2], -10.0 / 1.1 * sin(m.y[0]), 1e-4); // of the method; exactly below
        const double before = m.y[1], a = m.y[2];
        check_model_run(&m, 0.1 * i + 0.06);
        assert_near((m.y[1] - before) / 0.01, 0.5 * (a + m.y[2]), 1e-3);
    }
    check_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotation_vector_counts_its_turns),
        cmocka_unit_test(angles_go_on_through_a_right_angle_and_over_turns),
        cmocka_unit_test(turns_are_part_of_snapshots),
        cmocka_unit_test(accelerations_of_coordinates_are_the_slopes_of_their_velocities),
    };
    return cmocka_run_group_tests_name("mbs_turns", tests, NULL, NULL);
}
