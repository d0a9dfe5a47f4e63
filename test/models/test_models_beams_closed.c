/* What a model file may say of a beam, against closed forms: profiles, sections that vary, are twisted, off the axis or full, damping, and
 * loads that follow, change along the beam and over time. */
#include <math.h>
#include <stdio.h>

#include "beam_cases.h"
#include "dalembert/modes.h"

static const double pi = 3.14159265358979323846;

/* Displacement of the end of a cantilever of 1 m along x for small loads: half the difference of both signs. keys: of the beam. */
static void small(double u[3], const char *keys, const double force[3], const double torque[3], double size)
{
    double y[2][13];
    for (int k = 0; k < 2; ++k) {
        beam_case c = {.elements = 4, .order = 4, .keys = keys};
        for (int i = 0; i < 3; ++i) {
            c.force[i] = (k ? -size : size) * force[i];
            c.torque[i] = (k ? -size : size) * torque[i];
        }
        beam_equilibrium(y[k], &c);
    }
    for (int i = 0; i < 3; ++i) {
        u[i] = 0.5 * (y[0][i] - y[1][i]) / size;
    }
}

#define MASS "'rhoA': 1, 'rhoI': 1"
#define UNIT_MASS "[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]"
#define ONE_METRE "'to': [1, 0, 0], "

/* Stiffness that falls to half: int x^2/((1 + x)/2) = 2 ln 2 - 1 from bending, int 2/(1 + x) = 2 ln 2 from shear and stretching. */
static void a_tapered_cantilever_bends(void **state)
{
    (void)state;
    double u[3];
    small(u,
          ONE_METRE "'section': [{'EA': 50, 'GA': 20, 'GJ': 1, 'EI': [1, 2], " MASS
                    "}, {'EA': 25, 'GA': 10, 'GJ': 0.5, 'EI': [0.5, "
                    "1], " MASS "}]",
          (double[3]){1.0, 1.0, 1.0}, (double[3]){0.0, 0.0, 0.0}, 1e-5);
    assert_near_rel(2.0 * log(2.0) - 1.0, 0.386294361, 1e-9);
    assert_near_rel(u[0], 2.0 * log(2.0) / 50.0, 1e-8);
    assert_near_rel(u[1], (log(2.0) - 0.5) + 2.0 * log(2.0) / 20.0, 1e-8);
    assert_near_rel(u[2], (2.0 * log(2.0) - 1.0) + 2.0 * log(2.0) / 20.0, 1e-8);
}

/* Twisted by a quarter turn: int x^2 cos^2, sin^2 of pi x/2 = 1/6 -+ 1/pi^2, and what is pressed down goes aside. */
static void a_twisted_cantilever_bends_aside(void **state)
{
    (void)state;
    double u[3];
    small(u,
          ONE_METRE
          "'twist': 'pi/2', 'axis_2': [0, 1, 0], 'section': {'EA': 1e3, 'GA': 1e3, 'GJ': 1, 'EI': [1, 4], " MASS "}",
          (double[3]){0.0, 0.0, 1.0}, (double[3]){0.0, 0.0, 0.0}, 1e-5);
    const double even = 1.0 / 6.0, odd = 1.0 / (pi * pi);
    assert_near_rel(u[2], even + odd + (even - odd) / 4.0 + 1e-3, 1e-8);
    assert_near_rel(u[1], -0.75 * (pi * pi - 4.0) / (2.0 * pi * pi * pi), 1e-8);
}

/* A moment rolls a straight cantilever up, once and twice round, in one search: steps of Newton's method are limited in rotation, and turns of
 * nodes are composed, not added. */
static void a_moment_rolls_it_up(void **state)
{
    (void)state;
    static const double turns[] = {0.5, 1.0, 2.0}, tolerance[] = {1e-10, 1e-8, 1e-6};
    for (int k = 0; k < 3; ++k) {
        double y[13];
        beam_case c = {.elements = 8,
                       .order = 4,
                       .keys = ONE_METRE "'section': {'EA': 1e4, 'GA': 1e4, 'GJ': 1, 'EI': 1, " MASS "}"};
        const double angle = c.torque[2] = 2.0 * pi * turns[k];
        beam_equilibrium(y, &c);
        assert_near(y[0], sin(angle) / angle, tolerance[k]);
        assert_near(y[1], (1.0 - cos(angle)) / angle, tolerance[k]);
        assert_near(y[2], 0.0, tolerance[k]);
        assert_near_rel(y[12], angle, 1.2e-7 * pow(turns[k], 6)); // the error of eight elements that span so much
    }
}

/* Section constants by hand: bending along y and z with shear, stretching, torsion. */
static void profiles_have_their_constants(void **state)
{
    (void)state;
    static const double E = 7e10, G = 2.6e10;
    const double tube = pi / 64.0 * (pow(0.05, 4) - pow(0.04, 4)), ring = pi / 4.0 * (0.0025 - 0.0016);
    // flanges 60 x 5, web 90 x 4 between them
    const double area = 2.0 * 0.06 * 0.005 + 0.09 * 0.004,
                 high =
                     2.0 * (0.06 * pow(0.005, 3) / 12.0 + 0.06 * 0.005 * 0.0475 * 0.0475) + 0.004 * pow(0.09, 3) / 12.0,
                 wide = 2.0 * 0.005 * pow(0.06, 3) / 12.0 + 0.09 * pow(0.004, 3) / 12.0,
                 thin = (2.0 * 0.06 * pow(0.005, 3) + 0.09 * pow(0.004, 3)) / 3.0;
    const struct {
        const char *profile;
        double A, Iy, Iz, J, shear[2];
    } list[] = {
        {"'tube': [0.05, 0.04]", ring, tube, tube, 2.0 * tube, {0.5 * ring, 0.5 * ring}},
        {"'i': [0.06, 0.1, 0.005, 0.004]", area, high, wide, thin, {5.0 / 6.0 * 2.0 * 0.06 * 0.005, 0.1 * 0.004}},
        {"'rectangle': [0.03, 0.06]",
         0.0018,
         0.03 * pow(0.06, 3) / 12.0,
         0.06 * pow(0.03, 3) / 12.0,
         0.06 * pow(0.03, 3) * (1.0 / 3.0 - 0.105 * (1.0 - 1.0 / 192.0)),
         {0.0015, 0.0015}}};
    for (size_t k = 0; k < LEN(list); ++k) {
        char keys[300];
        double u[3], y[13];
        snprintf(keys, sizeof keys,
                 ONE_METRE "'axis_2': [0, 1, 0], 'section': {%s, 'E': 7e10, 'G': 2.6e10, 'density': 1}",
                 list[k].profile);
        small(u, keys, (double[3]){1.0, 1.0, 1.0}, (double[3]){0.0, 0.0, 0.0}, 1.0);
        assert_near_rel(u[0], 1.0 / (E * list[k].A), 1e-5); // 2e-8 of 1 m: rounding
        assert_near_rel(u[1], 1.0 / (3.0 * E * list[k].Iz) + 1.0 / (G * list[k].shear[0]), 1e-6);
        assert_near_rel(u[2], 1.0 / (3.0 * E * list[k].Iy) + 1.0 / (G * list[k].shear[1]), 1e-6);
        beam_equilibrium(y, &(beam_case){4, 4, keys, .torque = {10.0, 0.0, 0.0}});
        assert_near_rel(2.0 * atan2(y[4], y[3]), 10.0 / (G * list[k].J), 1e-9);
    }
}

/* Section centre at (y, z): a force along the axis bends, gravity twists the root but not the beam, and the mass is where it is. */
static void a_centre_off_the_axis(void **state)
{
    (void)state;
#define OFF                                                                                                   \
    ONE_METRE                                                                                                 \
    "'axis_2': [0, 1, 0], 'section': {'area': 0.01, 'Iy': 1e-5, 'Iz': 2e-5, 'It': 3e-5, 'E': 1e9, 'G': 4e8, " \
    "'density': 2000, 'centre': [0.03, -0.02]}"
    double u[3], y[9];
    small(u, OFF, (double[3]){1.0, 0.0, 0.0}, (double[3]){0.0, 0.0, 0.0}, 1e-2);
    // strains of the centre: N/EA; curvatures: moments of N about it
    assert_near_rel(u[1], 0.03 / (2.0 * 1e9 * 2e-5), 1e-6);
    assert_near_rel(u[2], -0.02 / (2.0 * 1e9 * 1e-5), 1e-6);
    assert_near_rel(u[0], 1e-7 + 0.03 * 0.03 / 2e4 + 0.02 * 0.02 / 1e4, 1e-6);
    model_equilibrium(y,
                      "{'dalembert': 1, 'gravity': [0, 0, -0.01], 'beams': [{'name': 'b', 'start': 'ground', " OFF
                      "}], 'outputs': ['b@0.section_moment', 'b@1.rotation_vector']}",
                      NULL, 0);
    assert_near_rel(y[0], -0.03 * 0.2, 1e-4);
    assert_near_rel(y[1], 0.5 * 0.2, 1e-4);
    assert_near(y[3], 0.0, 1e-9);
    assert_near_rel(y[4], 0.2 / (6.0 * 1e4), 1e-4); // w L^3/(6 EI)
    check_model m = check_model_start("{'dalembert': 1, 'beams': [{'name': 'b', " OFF
                                      "}], 'outputs': ['centre_of_mass', 'angular_momentum']}",
                                      NULL, 0);
    check_model_run(&m, 0.0);
    assert_all_near(m.y, ((double[]){0.5, 0.03, -0.02}), 3, 1e-14);
    check_model_free(&m);
}

/* Any stiffness: the strain is F (n, m + x e_1 x n), x from the end, and its integrals are polynomials. */
static void a_full_stiffness_couples_everything(void **state)
{
    (void)state;
    static const double n[3] = {0.7, -0.4, 1.0}, m[3] = {0.3, 0.5, -0.2}, c[3] = {0.0, -1.0, -0.4}; // c = e_1 x n
    double K[6][12], u[3], y[2][13];
    char keys[1200];
    int at =
        snprintf(keys, sizeof keys, ONE_METRE "'axis_2': [0, 1, 0], 'section': {'mass': " UNIT_MASS ", 'stiffness': [");
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            K[i][j] = (i == j ? 10.0 + i : sin(1.0 + i * j + i + j));
            at += snprintf(keys + at, sizeof keys - (size_t)at, "%s%.17g", j == 0 ? (i == 0 ? "[" : ", [") : ", ",
                           K[i][j]);
        }
        at += snprintf(keys + at, sizeof keys - (size_t)at, "]");
        K[i][6] = i < 3 ? n[i] : m[i - 3]; // constant, and linear in x
        K[i][7] = i < 3 ? 0.0 : c[i - 3];
    }
    assert_true(snprintf(keys + at, sizeof keys - (size_t)at, "]}") == 2);
    for (int k = 0; k < 6; ++k) { // Gauss and Jordan
        for (int i = 0; i < 6; ++i) {
            const double factor = K[i][k] / K[k][k];
            for (int j = k; j < 8 && i != k; ++j) {
                K[i][j] -= factor * K[k][j];
            }
        }
    }
    double a[6], b[6];
    for (int i = 0; i < 6; ++i) {
        a[i] = K[i][6] / K[i][i];
        b[i] = K[i][7] / K[i][i];
    }
    small(u, keys, n, m, 1e-5);
    // int gamma + kappa x (x e_1)
    assert_near_rel(u[0], a[0] + b[0] / 2.0, 1e-7);
    assert_near_rel(u[1], a[1] + b[1] / 2.0 + a[5] / 2.0 + b[5] / 3.0, 1e-7);
    assert_near_rel(u[2], a[2] + b[2] / 2.0 - a[4] / 2.0 - b[4] / 3.0, 1e-7);
    for (int k = 0; k < 2; ++k) {
        const double s = k ? -1e-5 : 1e-5;
        beam_equilibrium(y[k], &(beam_case){4, 4, keys, .force = {s * n[0], s * n[1], s * n[2]},
                                            .torque = {s * m[0], s * m[1], s * m[2]}});
    }
    for (int i = 0; i < 3; ++i) {
        assert_near_rel((y[0][4 + i] - y[1][4 + i]) / 1e-5, a[3 + i] + b[3 + i] / 2.0, 1e-7);
    }
}

/* Damping tau times the stiffness: s = -tau w^2/2 +- i w sqrt(1 - (tau w/2)^2), both elements, both masses; w of bending: closed form. */
static void damping_has_its_rate(void **state)
{
    (void)state;
    static const char *const kinds[] = {"'order': 4", "'order': 1, 'elements': 24", "'order': 4, 'consistent': true",
                                        "'order': 1, 'elements': 24, 'consistent': true"};
    static const double tau = 1e-3;
    for (size_t k = 0; k < LEN(kinds); ++k) {
        char text[600];
        dal_modal *modal;
        snprintf(text, sizeof text,
                 "{'dalembert': 1, 'beams': [{'name': 'b', 'to': [1, 0, 0], 'start': 'ground', %s, 'section': {'EA': "
                 "1e6, 'GA': 1e6, 'GJ': 10, 'EI': [10, 40], 'rhoA': 0.5, 'rhoI': 1e-5, 'damping': %g}}]}",
                 kinds[k], tau);
        check_model m = check_model_start(text, NULL, 0);
        const dal_point at = dal_sim_point(m.sim);
        check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &at, &(dal_modal_options){.n = 4}));
        const double w = 1.8751040687119611 * 1.8751040687119611 * sqrt(10.0 / 0.5);
        for (int i = 0; i < 4; ++i) {
            const dal_mode mode = dal_modal_mode(modal, i);
            const double square = mode.re * mode.re + mode.im * mode.im;
            assert_near_rel(mode.re, -0.5 * tau * square, 1e-6);
            assert_near_rel(mode.damping, 0.5 * tau * sqrt(square), 1e-6);
            if (i < 2) {
                assert_near_rel(sqrt(square), (i + 1.0) * w, 2e-3);
            }
        }
        dal_modal_destroy(modal);
        check_model_free(&m);
    }
}

/* A force that is across the end where it acts and turns with it is the dead one of the elastica once it is bent: both have the same
 * equilibrium, here of P L^2/EI = 5 (elliptic integrals), with P/EA more along the force. */
static void a_force_that_follows_bends_as_the_elastica(void **state)
{
    (void)state;
    static const double angle = 1.215368117611681;
    double y[3];
    char text[600];
    snprintf(text, sizeof text,
             "{'dalembert': 1, 'beams': [{'name': 'b', " ONE_METRE
             "'axis_2': [0, 1, 0], 'start': 'ground', 'order': 8, 'section': {'EA': "
             "1e6, 'GA': 1e6, 'GJ': 1, 'EI': 1, " MASS "}}], 'forces': [{'name': 'f', 'type': 'force', 'body': 'b@1', "
             "'follower': true, 'vector': [%.17g, %.17g, 0]}], 'outputs': ['b@1.position']}",
             5.0 * sin(angle), 5.0 * cos(angle));
    model_equilibrium(y, text, NULL, 0);
    assert_near(y[0], 0.6123716392755701, 1e-11);
    assert_near(y[1], 0.7137915236119128 + 5e-6, 1e-11);
}

/* Pressure in a quarter of a ring, p per length along its axes: N = p R, so that it grows by p R/EA in all, without a moment. */
static void a_load_that_follows_blows_up_a_ring(void **state)
{
    (void)state;
    static const char *const order[] = {"p=1", "p=4"};
    static const double bound[] = {1e-2, 1e-8};
    for (int k = 0; k < 2; ++k) {
        double y[9];
        model_equilibrium(
            y,
            "{'dalembert': 1, 'variables': {'p': 4}, 'beams': [{'name': 'b', 'arc': {'radius': 2, 'angle': 'pi/2'}, "
            "'order': 'p', 'section': {'EA': 100, 'GA': 100, 'GJ': 5, 'EI': 5, " MASS
            "}, 'loads': [{'vector': [0, -10, 0], "
            "'follower': true}]}], 'joints': [{'name': 'a', 'type': 'generic', 'body_b': 'b@0', 'locked': ['x', 'z', "
            "'rx', 'ry', 'rz']}, {'name': 'e', 'type': 'generic', 'body_b': 'b@1', 'locked': ['y', 'z', 'rx', 'ry', "
            "'rz']}], 'outputs': ['b@1.position', 'b@0.5.section_force', 'b@0.5.section_moment']}",
            (const char *[]){order[k]}, 1);
        assert_near(y[0], 2.0 * 1.2, bound[k]);
        assert_near(y[3], 20.0, 20.0 * bound[k]);
        assert_near(y[8], 0.0, k ? 1e-7 : 0.2); // loads at nodes bend the chords between them: q l^2/12
    }
}

/* A load that grows towards the end, q x/L: 11 q L^4/(120 EI) and q L^2/(3 GA) at the end, shear q L/2 and moment q L^2/3 at the root. */
static void a_load_may_change_along_the_beam(void **state)
{
    (void)state;
    double y[2][9];
    for (int k = 0; k < 2; ++k) {
        char load[40];
        snprintf(load, sizeof load, "q=%g", k ? -1e-5 : 1e-5);
        model_equilibrium(y[k],
                          "{'dalembert': 1, 'variables': {'q': 0}, 'beams': [{'name': 'b', " ONE_METRE
                          "'start': 'ground', 'elements': 4, "
                          "'section': {'EA': 1e3, 'GA': 50, 'GJ': 1, 'EI': 1, " MASS
                          "}, 'loads': [{'vector': [[0, 0, 0], [0, 0, 'q']]}]}], "
                          "'outputs': ['b@1.position', 'b@0.section_force', 'b@0.section_moment']}",
                          (const char *[]){load}, 1);
    }
    for (int i = 0; i < 9; ++i) {
        y[0][i] = 0.5 * (y[0][i] - y[1][i]) / 1e-5;
    }
    assert_near_rel(y[0][2], 11.0 / 120.0 + 1.0 / 150.0, 1e-6);
    assert_near_rel(fabs(y[0][5]), 0.5, 1e-4);
    assert_near_rel(fabs(y[0][7]), 1.0 / 3.0, 1e-4);
}

/* A free beam under a load that grows with time and follows nothing: x = f t^3/(6 rhoA) everywhere. One along its axis that follows
 * it while it turns at a constant rate: the centre moves on the curve of x'' = f (cos w t, sin w t)/rhoA. */
static void a_load_may_change_over_time(void **state)
{
    (void)state;
    static const double w = 0.8, t = 1.5;
    check_model m = check_model_start("{'dalembert': 1, 'functions': {'f': '3*t'}, 'beams': [{'name': 'b', " ONE_METRE
                                      "'section': {'EA': 1e3, 'GA': 1e3, 'GJ': 1, 'EI': 1, 'rhoA': 2, 'rhoI': 1e-2}, "
                                      "'loads': [{'vector': [0, 0.5, 1], 'function': "
                                      "'f'}]}], 'outputs': ['b@0.position', 'b@1.position']}",
                                      (const char *[]){"integrator=rk", "step_rtol=1e-10"}, 2);
    check_model_run(&m, t);
    const double z = 3.0 * t * t * t / 12.0, want[6] = {0.0, 0.5 * z, z, 1.0, 0.5 * z, z};
    assert_all_near(m.y, want, 6, 1e-10);
    check_model_free(&m);
    m = check_model_start("{'dalembert': 1, 'beams': [{'name': 'b', 'from': [-0.5, 0, 0], 'to': [0.5, 0, 0], "
                          "'velocity': [0, -0.4, 0], 'angular_velocity': [0, 0, 0.8], "
                          "'section': {'EA': 1e7, 'GA': 1e7, 'GJ': 1e5, 'EI': 1e5, 'rhoA': 2, 'rhoI': 1e-2}, 'loads': "
                          "[{'vector': [1, 0, 0], 'follower': true}]}], "
                          "'outputs': ['centre_of_mass']}",
                          (const char *[]){"integrator=genalpha", "h=0.002"}, 2);
    check_model_run(&m, t);
    assert_near(m.y[0], 0.5 * (1.0 - cos(w * t)) / (w * w), 1e-5);
    assert_near(m.y[1], 0.5 * (t / w - sin(w * t) / (w * w)), 1e-5);
    check_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tapered_cantilever_bends),
        cmocka_unit_test(a_twisted_cantilever_bends_aside),
        cmocka_unit_test(a_moment_rolls_it_up),
        cmocka_unit_test(profiles_have_their_constants),
        cmocka_unit_test(a_centre_off_the_axis),
        cmocka_unit_test(a_full_stiffness_couples_everything),
        cmocka_unit_test(damping_has_its_rate),
        cmocka_unit_test(a_force_that_follows_bends_as_the_elastica),
        cmocka_unit_test(a_load_that_follows_blows_up_a_ring),
        cmocka_unit_test(a_load_may_change_along_the_beam),
        cmocka_unit_test(a_load_may_change_over_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
