/* Motions of beams: what is kept over a long time, a robot arm with flexible links, a rope that falls. */
#include <math.h>
#include <string.h>

#include "beam_cases.h"

/* 1e5 steps, stretched and bent by its own rotation, of two nodes and of order 4: a method of order 2 that keeps a structure, one of order 4,
 * and generalized-alpha without damping, which keeps momentum alone: what is off stays small. */
static void a_free_beam_keeps_momentum_and_energy(void **state)
{
    (void)state;
    static const struct {
        const char *elements, *order, *method;
        double momentum, turning, energy;
    } list[] = {{"n=8", "p=1", "integrator=rattlie", 1e-9, 1e-8, 2e-3},
                {"n=8", "p=1", "integrator=lobatto", 1e-11, 1e-8, 1e-9},
                {"n=2", "p=4", "integrator=rattlie", 1e-9, 1e-8, 2e-3},
                {"n=2", "p=4", "integrator=lobatto", 1e-11, 1e-8, 1e-9},
                {"n=2", "p=4", "rho_inf=1", 1e-9, 1e-2, 1e-2}};
    // lumped on nine nodes or exact, as the points of Lobatto are
    static const double momentum[2][6] = {{2.4, 40.0, -10.4, 1.6, 15.6, 62.4}, {2.4, 40.0, -10.4, 1.6, 15.2, 60.8}};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        check_model m = check_model_start(
            "{'dalembert': 1, 'variables': {'n': 8, 'p': 1}, 'beams': [{'name': 'beam', 'from': [-4, 0, 0], 'to': [4, "
            "0, 0], 'elements': 'n', 'order': 'p', 'velocity': [0.3, 0.2, -0.1], 'angular_velocity': [0.1, 0.3, 1.2], "
            "'section': {'EA': 1e3, 'GA': 1e3, 'GJ': 100, 'EI': 100, 'rhoA': 1, 'rhoI': 1}}], 'outputs': ['momentum', "
            "'angular_momentum', 'energy']}",
            (const char *[]){list[i].elements, list[i].order, list[i].method, "h=0.01"}, 4);
        check_model_run(&m, 0.0);
        const double energy = m.y[6], *kept = momentum[i > 1];
        double off[3] = {0.0};
        for (int k = 1; k <= 1000; ++k) {
            check_model_run(&m, (double)k);
            for (int j = 0; j < 7; ++j) {
                off[j / 3] = fmax(off[j / 3], fabs(m.y[j] - (j < 6 ? kept[j] : energy)));
            }
        }
        print_message("%s, %s: momentum off by %.1e, angular momentum %.1e, energy %.1e of %g\n", list[i].order,
                      list[i].method, off[0], off[1], off[2], energy);
        assert_true(off[0] < list[i].momentum && off[1] < list[i].turning && off[2] < list[i].energy);
        check_model_free(&m);
    }
}

/* Two links of 1 m and two drives: with stiff links the tip is where kinematics puts it, with flexible ones it swings, and two
 * elements a link are as good as six. */
static void a_robot_arm_has_two_flexible_links(void **state)
{
    (void)state;
    static const char text[] =
        "{'dalembert': 1, 'variables': {'E': 7e10, 'n': 2, 'p': 4}, 'gravity': [0, 0, -9.81], 'functions': {'up': "
        "'0.8*(1 - cos(2*t))', 'in': '-0.6*(1 - cos(3*t))'}, 'bodies': [{'name': 'base', 'mass': 1, 'inertia': [1, 1, "
        "1]}, {'name': 'elbow', 'mass': 0.5, 'inertia': [1e-3, 1e-3, 1e-3], 'position': [1, 0, 0]}], 'beams': "
        "[{'name': 'upper', 'to': [1, 0, 0], 'start': 'base', 'elements': 'n', 'order': 'p', 'section': {'tube': "
        "[0.03, 0.026], 'E': 'E', 'nu': 0.3, 'density': 2700}}, {'name': 'fore', 'from': [1, 0, 0], 'to': [2, 0, 0], "
        "'start': 'elbow', 'elements': 'n', 'order': 'p', 'section': {'tube': [0.02, 0.017], 'E': 'E', 'nu': 0.3, "
        "'density': 2700}}], 'joints': [{'name': 'S', 'type': 'revolute', 'body_b': 'base', 'axis': [0, -1, 0]}, "
        "{'name': 'drive_S', 'type': 'motion', 'joint': 'S', 'function': 'up'}, {'name': 'E', 'type': 'revolute', "
        "'body_a': 'upper@1', 'body_b': 'elbow', 'axis': [0, -1, 0], 'point': [1, 0, 0]}, {'name': 'drive_E', 'type': "
        "'motion', 'joint': 'E', 'function': 'in'}], 'outputs': ['fore@1.position', 'energy', 'drive_work'], "
        "'simulation': {'h': 0.002}}";
    check_model stiff = check_model_start(text, (const char *[]){"E=7e11"}, 1),
                arm = check_model_start(text, (const char *[]){"h=0.001"}, 1),
                fine = check_model_start(text, (const char *[]){"n=3", "p=6", "h=0.001"}, 3);
    double swing = 0.0;
    for (int k = 1; k <= 10; ++k) {
        const double t = 0.15 * k, a = 0.8 * (1.0 - cos(2.0 * t)), b = a - 0.6 * (1.0 - cos(3.0 * t));
        check_model_run(&stiff, t);
        check_model_run(&arm, t);
        check_model_run(&fine, t);
        const double tip[3] = {cos(a) + cos(b), 0.0, sin(a) + sin(b)};
        assert_all_near(stiff.y, tip, 3, 2e-3);
        assert_all_near(arm.y, fine.y, 3, 2e-6);
        swing = fmax(swing, fabs(arm.y[2] - tip[2]));
    }
    print_message("the tip is up to %.2g m off\n", swing);
    assert_true(swing > 1e-3 && swing < 0.05);
    check_model_free(&stiff);
    check_model_free(&arm);
    check_model_free(&fine);
}

/* Whatever a rope of 10 m that is let go as a bow does in itself, its centre falls as a stone, and its energy stays. */
static void a_stiff_rope_falls_freely(void **state)
{
    (void)state;
    check_model m = check_model_start(
        "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'beams': [{'name': 'rope', 'points': [[0, 0, 0], [2.5, 0.3, -1.5], "
        "[5, "
        "0, -2], [7.5, -0.3, -1.5], [10, 0, 0]], 'elements': 40, 'order': 1, 'angular_velocity': [0.1, 0.4, 0.3], "
        "'section': {'EA': 1e5, 'GA': 4e4, 'GJ': 0.5, 'EI': 0.5, 'rhoA': 0.2, 'rhoI': 1e-4}}], 'outputs': ['momentum', "
        "'energy', 'centre_of_mass']}",
        (const char *[]){"h=0.0005"}, 1);
    double start[CHECK_OUTPUTS];
    check_model_run(&m, 0.0);
    memcpy(start, m.y, sizeof start);
    check_model_run(&m, 1.0);
    assert_near(m.y[0], start[0], 1e-11);
    assert_near(m.y[1], start[1], 1e-11);
    const double mass = (start[2] - m.y[2]) / 9.81;
    assert_near(m.y[6], start[6] + start[2] / mass - 0.5 * 9.81, 1e-10);
    assert_near_rel(m.y[3], start[3], 1e-4);
    check_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_beam_keeps_momentum_and_energy),
        cmocka_unit_test(a_robot_arm_has_two_flexible_links),
        cmocka_unit_test(a_stiff_rope_falls_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
