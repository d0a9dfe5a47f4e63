/* Contact with a compliant law: restitution and duration of impacts against closed forms, rest, friction, balance of energy. */
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "support/check_model.h"

static check_model start(const char *source, const char *a, const char *b, const char *c, const char *d)
{
    const char *const set[] = {a, b, c, d};
    return check_model_start(source, set, 4);
}

/* A ball comes with v, without gravity; the gap is z - r. */
static const char ball[] = "{'dalembert': 1, 'name': 'b', 'variables': {'e': 1, 'n': 1.5, 'v': 2, 'k': 1e5, 'm': 0.7},"
                           "'bodies': [{'name': 'b', 'mass': 'm', 'inertia': [0.004, 0.004, 0.004], 'position': [0, 0, "
                           "0.11], 'velocity': [0, 0, '-v']}],"
                           "'forces': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], "
                           "'frame_b': [0, 0, 0], 'radius': 0.1,"
                           "'stiffness': 'k', 'exponent': 'n', 'restitution': 'e'}],"
                           "'outputs': ['b.position', 'b.velocity', 'c.force_value', 'energy', 'dissipated_energy'],"
                           "'simulation': {'t_end': 0.1, 'h': 1e-4, 'integrator': 'rk', 'step': 'adaptive', "
                           "'step_rtol': 1e-12, 'step_atol': 1e-14}}";

/* Exact for every exponent, stiffness, mass and speed. */
static void restitution_is_what_it_says(void **state)
{
    static const char *const e[] = {"e=0.7", "e=0.5", "e=0.1", "e=1"}, *const n[] = {"n=1.5", "n=1", "n=2"},
                             *const v[] = {"v=2", "v=0.1", "v=20"};
    static const double value[] = {0.7, 0.5, 0.1, 1.0}, speed[] = {2.0, 0.1, 20.0};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 3; ++j) {
            check_model r = start(ball, e[i], n[j], v[j], j == 1 ? "k=300" : NULL);
            check_model_run(&r, j == 1 ? 1.0 : 0.1);
            assert_near(r.y[5] / speed[j], value[i], 1e-8);
            assert_near((r.y[7] + r.y[8]) / (0.35 * speed[j] * speed[j]), 1.0, 1e-8);
            check_model_free(&r);
        }
    }
}

/* Hertz: deepest delta = (5 m v^2/(4 k))^(2/5), duration 2.943275 delta/v = 2 delta/v times the integral of 1/sqrt(1 - x^(5/2)). */
static void an_impact_takes_as_long_as_hertz_says(void **state)
{
    const double m = 0.7, v = 2.0, k = 1e5, deep = pow(5.0 * m * v * v / (4.0 * k), 0.4);
    const double lasts = 2.0 * sqrt(acos(-1.0)) * tgamma(1.4) / tgamma(0.9) * deep / v, touch = 0.01 / v;
    check_model r = start(ball, NULL, NULL, NULL, NULL);
    check_model_run(&r, touch + 0.5 * lasts);
    assert_near(r.y[2], 0.1 - deep, 1e-10);
    assert_near(r.y[5], 0.0, 1e-7);
    assert_near(r.y[6], k * pow(deep, 1.5), 1e-4);
    check_model_run(&r, touch + lasts);
    assert_near(r.y[2], 0.1, 1e-9);
    check_model_free(&r);
}

/* With every integrator, with steps of a fortieth of the contact. */
static void every_integrator_takes_it(void **state)
{
    static const char *const method[] = {"integrator=genalpha", "integrator=lobatto", "integrator=rattlie",
                                         "integrator=bdf", "integrator=auto"};
    for (size_t k = 0; k < LEN(method); ++k) {
        check_model r = start(ball, method[k], k == 4 ? NULL : "step=fixed", "e=0.7", k == 4 ? NULL : "h=1e-4");
        check_model_run(&r, 0.05);
        print_message("%s %.2e\n", method[k], r.y[5] / 2.0 - 0.7);
        assert_near(r.y[5] / 2.0, 0.7, k == 4 ? 1e-9 : 1e-4);
        check_model_free(&r);
    }
}

/* A box rests on a floor: each of four corners carries a quarter of its weight, k delta^n = m g/4; on a slope it creeps with
 * v = s f/sqrt(1 - f^2), f = tan/mu. */
static const char box[] =
    "{'dalembert': 1, 'name': 'box', 'gravity': ['slope', 0, -9], 'variables': {'mu': 0.5, 'slope': 1},"
    "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [0.01, 0.01, 0.01], 'position': [0, 0, 0.1]}],"
    "'forces': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'shape': "
    "'box',"
    "'size': [0.6, 0.6, 0.2], 'stiffness': 1e5, 'exponent': 1, 'restitution': 0.3, 'mu': 'mu', 'slip': 1e-3}],"
    "'outputs': ['b.position', 'b.velocity', 'c.force_value'], 'simulation': {'t_end': 3, 'h': 1e-3}}";

static void a_box_creeps_as_told(void **state)
{
    check_model r = start(box, NULL, NULL, NULL, NULL);
    check_model_run(&r, 3.0);
    const double f = 1.0 / 9.0 / 0.5;
    assert_near(r.y[3], 1e-3 * f / sqrt(1.0 - f * f), 1e-9);
    assert_near(r.y[6], 9.0, 1e-6);
    assert_near(r.y[2], 0.1 - 9.0 / 4e5, 1e-8);
    check_model_free(&r);
}

/* Bristles hold a point like a spring: it swings about f/k, and does not creep; beyond mu N it slides with f - mu N. */
static void bristles_hold_and_slide(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'b', 'variables': {'f': 1, 'c': 0}, 'gravity': ['f', 0, -9],"
        "'bodies': [{'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'position': [0, 0, '0.1 - 9/1e5']}],"
        "'joints': [{'name': 'j', 'type': 'generic', 'body_b': 'b', 'locked': ['rx', 'ry', 'rz']}],"
        "'forces': [{'name': 'c', 'type': 'contact', 'body_b': 'b', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0],"
        "'radius': 0.1, 'stiffness': 1e5, 'exponent': 1, 'mu': 0.5, 'bristle': 400, 'bristle_damping': 'c'}],"
        "'outputs': ['b.position.x', 'b.velocity.x', 'energy', 'dissipated_energy'],"
        "'simulation': {'t_end': 3, 'h': 1e-3}}";
    double error[2];
    check_model r;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        r = start(text, i == 0 ? "h=1e-3" : "h=5e-4", NULL, NULL, NULL);
        check_model_run(&r, 1.0);
        error[i] = fabs(r.y[0] - (1.0 - cos(20.0)) / 400.0);
        assert_near(r.y[2] + r.y[3], 9.0 * (0.1 - 9e-5) + 0.5 * 1e5 * 9e-5 * 9e-5, 1e-6);
        check_model_free(&r);
    }
    assert_near(log2(error[0] / error[1]), 2.0, 0.1);
    r = start(text, "c=20", NULL, NULL, NULL); // it comes to rest, and stays
    check_model_run(&r, 2.0);
    const double x = r.y[0];
    check_model_run(&r, 3.0);
    assert_near(x, 1.0 / 400.0, 1e-9);
    assert_near(r.y[0], x, 1e-10);
    check_model_free(&r);
    r = start(text, "f=6", NULL, NULL, NULL); // k x = mu N = 4.5 at cos w t = 1 - 4.5/6
    const double t = acos(1.0 - 4.5 / 6.0) / 20.0, v = 6.0 / 20.0 * sin(20.0 * t);
    check_model_run(&r, 1.0);
    assert_near(r.y[1], v + 1.5 * (1.0 - t), 1e-4);
    assert_near(r.y[0], 4.5 / 400.0 + v * (1.0 - t) + 0.75 * (1.0 - t) * (1.0 - t), 1e-4);
    check_model_free(&r);
}

/* Equilibrium by statics, without friction and slope. */
static void static_finds_rest(void **state)
{
    check_model r = start(box, "mu=0", "initial=static", "slope=0", NULL);
    check_model_run(&r, 0.01);
    assert_near(r.y[2], 0.1 - 9.0 / 4e5, 1e-9);
    assert_near(check_max_abs(r.y + 3, 3), 0.0, 1e-9);
    check_model_free(&r);
}

/* A rope, as a beam, lies on a pulley that turns with it: an Atwood machine, a = (m_2 - m_1) g/(m_1 + m_2 + m + J/R^2). */
static void a_rope_turns_a_pulley(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'belt', 'gravity': [0, 0, -9.81],"
        "'variables': {'R': 0.1, 'd': 0.004, 'J': 0.005, 'mu': 0.5, 'light': 1, 'heavy': 1.2, 'k': 1e6},"
        "'beams': [{'name': 'rope', 'from': ['-R - d/2', 0, 0], 'tangent': [0, 0, 1], 'axis_2': [1, 0, 0], 'arc': "
        "{'radius': 'R + d/2', 'angle': 'pi'},"
        "'elements': 10, 'order': 1, 'section': {'circle': 'd', 'E': 1e10, 'nu': 0.3, 'density': 1500, 'damping': "
        "1e-5}}],"
        "'bodies': ["
        "{'name': 'drum', 'mass': 1, 'inertia': ['J', 'J', 'J'], 'shape': {'cylinder': ['R', 0.05], 'along': 'y'}},"
        "{'name': 'left', 'mass': 'light', 'inertia': [1e-3, 1e-3, 1e-3], 'position': ['-R - d/2', 0, 0]},"
        "{'name': 'right', 'mass': 'heavy', 'inertia': [1e-3, 1e-3, 1e-3], 'position': ['R + d/2', 0, 0]}],"
        "'joints': ["
        "{'name': 'axle', 'type': 'revolute', 'body_b': 'drum', 'point': [0, 0, 0], 'axis': [0, 1, 0]},"
        "{'name': 'hook_left', 'type': 'spherical', 'body_a': 'left', 'body_b': 'rope@0', 'point': ['-R - d/2', 0, 0]},"
        "{'name': 'hook_right', 'type': 'spherical', 'body_a': 'right', 'body_b': 'rope@1', 'point': ['R + d/2', 0, "
        "0]}],"
        "'forces': [{'repeat': 'i', 'from': 1, 'to': 9, 'items': ["
        "{'name': 'touch{i}', 'type': 'contact', 'body_a': 'drum', 'body_b': 'rope@{i}/10', 'frame_a': {'position': "
        "[0, "
        "0, 0], 'axis': [0, 1, 0]}, 'frame_b': [0, 0, 0],"
        "'shape_a': 'cylinder', 'radius_a': 'R', 'length_a': 0.05, 'radius': 'd/2', 'stiffness': 'k', 'exponent': 1, "
        "'restitution': 0.3, 'mu': 'mu', 'slip': 0.001}]}],"
        "'outputs': ['left.position.z', 'right.position.z', 'axle.coordinate', 'hook_left.force.z', "
        "'hook_right.force.z', 'energy'],"
        "'simulation': {'t_end': 0.1, 'h': 0.0005, 'step': 'fixed_or_cut'}}";
    const double pi = acos(-1.0), R = 0.102, rope = 1500.0 * pi * 4e-6 * pi * R;
    const double x = 0.5 * 0.2 * 9.81 / (2.2 + rope + 0.005 / (R * R)) * 0.01;
    check_model r = check_model_start(text, NULL, 0);
    check_model_run(&r, 0.1);
    assert_near(0.5 * (r.y[0] - r.y[1]), x, 2e-3 * x);
    assert_near(fabs(r.y[2]) * R, x, 2e-3 * x);
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution_is_what_it_says), cmocka_unit_test(an_impact_takes_as_long_as_hertz_says),
        cmocka_unit_test(every_integrator_takes_it),   cmocka_unit_test(a_box_creeps_as_told),
        cmocka_unit_test(static_finds_rest),           cmocka_unit_test(bristles_hold_and_slide),
        cmocka_unit_test(a_rope_turns_a_pulley),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
