/* Tyres, wheels on rails and teeth against closed forms. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* The tangents at the present state. */
static void check_tangents(text_sim *o, double tol)
{
    dal_tangent_report report;
    const dal_point at = dal_sim_point(o->sim);
    check_ok(o->ctx, dal_system_check(o->ctx, o->sys, &report, &at, tol));
}

/* ---- tyres ------------------------------------------------------------------------------------ */

/* A wheel, its axle along y, pressed 10 mm into the ground: F_z = 2000 N. It moves along x and y and turns. */
#define WHEEL                                                                                                          \
    "{'dalembert': 1, 'variables': {'vx': 10, 'vy': 0, 'w': 33.3, 'mu': 0.9, 'E': 0.3, 'angle': 0, 'a': 0, 'V0': "     \
    "0.01},"                                                                                                           \
    " 'words': {'law': 'brush'}, 'bodies': [{'name': 'wheel', 'mass': 20, 'inertia': [1, 2, 1], 'position': [0, 0, "   \
    "0.29],"                                                                                                           \
    "  'velocity': ['vx', 'vy', 0], 'angular_velocity': [0, 'w', 0]}],"                                                \
    " 'forces': [{'name': 'tyre', 'type': 'tyre', 'body_b': 'wheel', 'frame_a': [0, 0, 0], 'frame_b': {'position': "   \
    "[0, 0, 0],"                                                                                                       \
    "  'axis': [0, 1, 0]}, 'radius': 0.3, 'stiffness': 2e5, 'slip_stiffness': [30000, 25000], 'law': '{law}', 'mu': "  \
    "'mu',"                                                                                                            \
    "  'shape_factor': 1.6, 'curvature': 'E', 'half_length': 'a', 'rollers': %s, 'roller_angle': 'angle',"             \
    "  'least_speed': 'V0'}],"                                                                                         \
    " 'outputs': ['tyre.force_value', {'name': 'ax', 'quantity': 'acceleration', 'body': 'wheel', 'component': 'x'},"  \
    "  {'name': 'ay', 'quantity': 'acceleration', 'body': 'wheel', 'component': 'y'},"                                 \
    "  {'name': 'alpha', 'quantity': 'angular_acceleration', 'body': 'wheel', 'component': 'y'},"                      \
    "  {'name': 'beta', 'quantity': 'angular_acceleration', 'body': 'wheel', 'component': 'z'}], 'simulation': {'h': " \
    "0.001}}"

static double brush(double s, double limit)
{
    const double g = s / (3.0 * limit);
    return g < 1.0 ? limit * (3.0 * g - 3.0 * g * g + g * g * g) : limit;
}

static double magic(double s, double limit, double E)
{
    const double x = s / (1.6 * limit);
    return limit * sin(1.6 * atan(x - E * (x - atan(x))));
}

/* Forces at once, from accelerations: along, across, combined; adhesion and sliding. */
static void laws_of_tyres(void **state)
{
    static const struct {
        double vy, slip;
    } at[] = {{0.0, 0.0}, {-0.1, 0.0}, {-0.5, 0.0}, {-3.0, 0.0}, {0.0, 0.02}, {0.0, -0.2}, {0.3, 0.03}, {-1.0, 0.1}};
    static const char *const laws[] = {"law=linear", "law=brush", "law=magic"};
    (void)state;
    for (size_t k = 0; k < LEN(at) * LEN(laws); ++k) {
        const size_t law = k / LEN(at), i = k % LEN(at);
        char text[2048], vy[32], w[32];
        snprintf(text, sizeof text, WHEEL, "false");
        snprintf(vy, sizeof vy, "vy=%.17g", at[i].vy);
        snprintf(w, sizeof w, "w=%.17g", 10.0 * (1.0 + at[i].slip) / 0.3);
        const char *const set[] = {laws[law], vy, w, "a=0.06"};
        text_sim o;
        text_sim_open(&o, text, set, 4);
        const double V = sqrt(100.0 + 1e-4), s[2] = {30000.0 * 10.0 * at[i].slip / V, -25000.0 * at[i].vy / V};
        const double size = hypot(s[0], s[1]), limit = 0.9 * 2000.0;
        const double F = law == 0 ? size : law == 1 ? brush(size, limit) : magic(size, limit, 0.3);
        const double part = size > 0.0 ? F / size : 1.0;
        assert_near(text_sim_output(&o, "tyre.force_value", 0.0), 2000.0, 1e-9);
        assert_near(text_sim_output(&o, "ax", 0.0), part * s[0] / 20.0, 1e-8 * (1.0 + fabs(s[0])));
        assert_near(text_sim_output(&o, "ay", 0.0), part * s[1] / 20.0, 1e-8 * (1.0 + fabs(s[1])));
        assert_near(text_sim_output(&o, "alpha", 0.0), -0.3 * part * s[0] / 2.0, 1e-8 * (1.0 + fabs(s[0])));
        if (law == 1) { // the moment of the brushes
            const double g = fmin(size / (3.0 * limit), 1.0), u = 1.0 - g;
            const double trail = 0.06 / 3.0 * u * u * u / (1.0 - g + g * g / 3.0);
            assert_near(text_sim_output(&o, "beta", 0.0), -trail * part * s[1] / 1.0, 1e-6);
        }
        check_tangents(&o, 1e-5);
        text_sim_close(&o);
    }
}

/* At rest slip is taken of 0.03 of the radius per second, in metres and in millimetres. */
static void slip_at_rest(void **state)
{
    static const char *const set[] = {"law=linear", "vx=0", "vy=1e-4", "w=0", "V0=0"};
    char text[2048];
    text_sim o;
    (void)state;
    snprintf(text, sizeof text, WHEEL, "false");
    text_sim_open(&o, text, set, 5);
    assert_near_rel(text_sim_output(&o, "ay", 0.0), -25000.0 * 1e-4 / (0.03 * 0.3) / 20.0, 1e-12);
    text_sim_close(&o);
    text_sim_open(
        &o,
        "{'dalembert': 1, 'bodies': [{'name': 'wheel', 'mass': 20e3, 'inertia': [1e9, 2e9, 1e9],"
        "  'position': [0, 0, 290], 'velocity': [0, 0.1, 0]}],"
        " 'forces': [{'name': 'tyre', 'type': 'tyre', 'body_b': 'wheel', 'frame_a': [0, 0, 0],"
        "  'frame_b': {'axis': [0, 1, 0]}, 'radius': 300, 'stiffness': 2e8, 'slip_stiffness': [3e10, 2.5e10]}],"
        " 'outputs': [{'name': 'ay', 'quantity': 'acceleration', 'body': 'wheel', 'component': 'y'}],"
        " 'simulation': {'h': 0.001}}",
        NULL, 0);
    assert_near_rel(text_sim_output(&o, "ay", 0.0), -2.5e10 * 0.1 / (0.03 * 300.0) / 20e3, 1e-12);
    text_sim_close(&o);
}

/* Forces of a mecanum wheel act along the rollers only; across them it is free. */
static void rollers_are_free_across(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, WHEEL, "true");
    for (int k = 0; k < 2; ++k) {
        // moves across the rollers, at 45 degrees: free; along them: the linear force
        const char *const set[] = {"law=linear", "angle=pi/4", k == 0 ? "vy=-10" : "vy=10", "w=0", "V0=1e-6"};
        text_sim o;
        text_sim_open(&o, text, set, 5);
        const double F = k == 0 ? 0.0 : -30000.0 * (cos(pi / 4.0) + sin(pi / 4.0));
        assert_near(text_sim_output(&o, "ax", 0.0), F * cos(pi / 4.0) / 20.0, 1e-6);
        assert_near(text_sim_output(&o, "ay", 0.0), F * sin(pi / 4.0) / 20.0, 1e-6);
        check_tangents(&o, 1e-5);
        text_sim_close(&o);
    }
}

/* Steady cornering: r = V delta/(L + m V^2 (b C_r - a C_f)/(L C_f C_r)) with linear tyres. */
#define CAR                                                                                                          \
    "{'dalembert': 1, 'variables': {'m': 1500, 'a': 1.2, 'b': 1.5, 'Cf': 80000, 'Cr': 110000, 'delta': 0.005, 'V': " \
    "20},"                                                                                                           \
    " 'bodies': [{'name': 'car', 'mass': 'm', 'inertia': [500, 2500, 2500], 'position': [0, 0, 0.29], 'velocity': "  \
    "['V', 0, 0]}],"                                                                                                 \
    " 'joints': [{'name': 'plane', 'type': 'planar', 'body_b': 'car'}],"                                             \
    " 'forces': [{'name': 'front', 'type': 'tyre', 'body_b': 'car', 'frame_b': {'position': ['a', 0, 0],"            \
    "   'axis': ['-sin(delta)', 'cos(delta)', 0]}, 'frame_a': [0, 0, 0], 'radius': 0.3, 'stiffness': 2e5,"           \
    "   'slip_stiffness': [1e-6, 'Cf'], 'law': 'linear'},"                                                           \
    "  {'name': 'rear', 'type': 'tyre', 'body_b': 'car', 'frame_b': {'position': ['-b', 0, 0], 'axis': [0, 1, 0]},"  \
    "   'frame_a': [0, 0, 0], 'radius': 0.3, 'stiffness': 2e5, 'slip_stiffness': [1e-6, 'Cr'], 'law': 'linear'}],"   \
    " 'outputs': [{'name': 'r', 'quantity': 'angular_velocity', 'body': 'car', 'component': 'z'},"                   \
    "  {'name': 'v', 'quantity': 'velocity', 'body': 'car', 'component': 'x', 'axes': 'body'}],"                     \
    " 'simulation': {'h': 0.005}}"

static void steady_cornering(void **state)
{
    (void)state;
    text_sim o;
    text_sim_open(&o, CAR, NULL, 0);
    const double r = text_sim_output(&o, "r", 4.0), V = text_sim_output(&o, "v", 0.0);
    const double L = 2.7, K = 1500.0 / L * (1.5 * 110000.0 - 1.2 * 80000.0) / (80000.0 * 110000.0);
    assert_near_rel(r, V * 0.005 / (L + K * V * V), 1e-3);
    check_tangents(&o, 1e-4);
    text_sim_close(&o);
}

/* A tyre with relaxation that is switched on later does then what another does from the start: its state waits. */
static void a_state_waits_for_its_tyre(void **state)
{
    static const char *const later[] = {"from=0.05"};
    double vy[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        text_sim o;
        text_sim_open(
            &o,
            "{'dalembert': 1, 'variables': {'from': 0},"
            " 'bodies': [{'name': 'wheel', 'mass': 20, 'inertia': [1, 2, 1], 'position': [0, 0, 0.29],"
            "  'velocity': [10, 0.5, 0], 'angular_velocity': [0, 33.3, 0]}],"
            " 'joints': [{'name': 'fork', 'type': 'generic', 'body_b': 'wheel', 'locked': ['rx', 'rz', 'z']}],"
            " 'forces': [{'name': 'tyre', 'type': 'tyre', 'body_b': 'wheel', 'frame_a': [0, 0, 0],"
            "  'frame_b': {'axis': [0, 1, 0]}, 'radius': 0.3, 'stiffness': 2e5, 'slip_stiffness': [30000, 25000],"
            "  'relaxation_length': 0.4, 'active': {'from': 'from', 'to': 10}}],"
            " 'outputs': [{'name': 'vy', 'quantity': 'velocity', 'body': 'wheel', 'component': 'y'}],"
            " 'simulation': {'integrator': 'lobatto', 'stages': 4, 'h': 0.001}}",
            later, k);
        if (k == 1) {
            assert_near(text_sim_output(&o, "vy", 0.05), 0.5, 1e-12);
        }
        check_tangents(&o, 1e-4);
        vy[k] = text_sim_output(&o, "vy", k == 0 ? 0.1 : 0.15);
        text_sim_close(&o);
    }
    assert_true(vy[0] < 0.4);
    assert_near(vy[1], vy[0], 1e-9);
}

/* ---- wheels on rails -------------------------------------------------------------------------- */

#define WHEELSET                                                                                                       \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'variables': {'r0': 0.46, 'b': 0.75, 'c': 0.05, 'V': 5, 'k': 2e7, "    \
    "'y0': 0.001,"                                                                                                     \
    "  'm': 1800, 'f': 1e7, 'spin': 0},"                                                                               \
    " 'bodies': [{'name': 'set', 'mass': 'm', 'inertia': [800, 100, 800], 'position': [0, 'y0', 'r0 - m*9.81/2/k'],"   \
    "  'velocity': ['V', 0, 0], 'angular_velocity': [0, 'V/r0', 0]}],"                                                 \
    " 'forces': [{'name': 'left', 'type': 'rail', 'body_b': 'set', 'frame_a': [0, 'b', 0], 'frame_b': {'position': "   \
    "[0, 'b', 0],"                                                                                                     \
    "   'axis': [0, 1, 0]}, 'radius': 'r0', 'cone': 'atan(c)', 'radius_a': 0.3, 'stiffness': 'k', 'damping': 2e5,"     \
    "   'creep': ['f', 'f', 'spin', 0]},"                                                                              \
    "  {'name': 'right', 'type': 'rail', 'body_b': 'set', 'frame_a': [0, '-b', 0], 'frame_b': {'position': [0, '-b', " \
    "0],"                                                                                                              \
    "   'axis': [0, -1, 0]}, 'radius': 'r0', 'cone': 'atan(c)', 'radius_a': 0.3, 'stiffness': 'k', 'damping': 2e5,"    \
    "   'creep': ['f', 'f', 'spin', 0]}],"                                                                             \
    " 'outputs': [{'name': 'y', 'quantity': 'position', 'body': 'set', 'component': 'y'}, 'left.force_value',"         \
    "  {'name': 'x', 'quantity': 'position', 'body': 'set', 'component': 'x'}], 'simulation': {'h': 0.001}}"

/* Klingel: a free wheelset that hardly slips runs along a sine of the wavelength 2 pi sqrt(r_0 b/conicity). */
static void a_wheelset_runs_along_a_sine(void **state)
{
    (void)state;
    text_sim o;
    text_sim_open(&o, WHEELSET, NULL, 0);
    const double length = 2.0 * pi * sqrt(0.46 * 0.75 / 0.05), V = 5.0;
    check_tangents(&o, 1e-4);
    double zero = 0.0, before = 0.001;
    for (double t = 0.01; t < 0.8 * length / V; t += 0.01) {
        const double y = text_sim_output(&o, "y", t);
        if (before > 0.0 && y <= 0.0) {
            zero = t - 0.01 * y / (y - before);
        }
        before = y;
    }
    assert_near_rel(V * zero, 0.25 * length, 0.03);
    assert_near_rel(text_sim_output(&o, "left.force_value", 0.0), 0.5 * 1800.0 * 9.81, 0.02);
    text_sim_close(&o);
}

/* Slow runs are stable, fast ones hunt: with the same creep coefficients the amplitude shrinks or grows. */
static void wheelsets_hunt_where_they_are_fast(void **state)
{
    static const char *const set[][3] = {{"V=2", "f=1e6", "y0=0.001"}, {"V=60", "f=1e6", "y0=0.001"}};
    double most[2] = {0.0, 0.0};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        text_sim o;
        text_sim_open(&o, WHEELSET, set[k], 3);
        const double V = k == 0 ? 2.0 : 60.0, length = 2.0 * pi * sqrt(0.46 * 0.75 / 0.05);
        for (int i = 0; i <= 50; ++i) {
            most[k] = fmax(most[k], fabs(text_sim_output(&o, "y", (1.0 + i / 50.0) * length / V)));
        }
        text_sim_close(&o);
    }
    assert_true(most[0] < 0.00102 && most[1] > 0.0011);
}

/* ---- teeth ------------------------------------------------------------------------------------ */

#define GEARS                                                                                                         \
    "{'dalembert': 1, 'variables': {'T': 3, 'j': 0, 'ra': 0.02, 'rb': 0.05, 'kt': 40},"                               \
    " 'bodies': [{'name': 'A', 'mass': 1, 'inertia': 1e-3}, {'name': 'B', 'mass': 1, 'inertia': 2e-3, 'position': "   \
    "['ra + rb', 0, 0], 'rotation': {'axis': [0, 0, 1], 'angle': 0.7}}],"                                             \
    " 'joints': [{'name': 'a', 'type': 'revolute', 'body_b': 'A', 'axis': [0, 0, 1]}, {'name': 'b', 'type': "         \
    "'revolute', 'body_b': 'B',"                                                                                      \
    "   'axis': [0, 0, 1]}],"                                                                                         \
    " 'forces': [{'name': 'teeth', 'type': 'mesh', 'body_a': 'A', 'body_b': 'B', 'frame_a': [0, 0, 0], 'frame_b': "   \
    "[0, 0, 0],"                                                                                                      \
    "   'radius_a': 'ra', 'radius': 'rb', 'teeth': 50, 'stiffness': 1e6, 'damping': 300, 'backlash': 'j', "           \
    "'pressure_angle': '20 deg'},"                                                                                    \
    "  {'name': 'drive', 'type': 'law', 'joint': 'a', 'value': 'T'},"                                                 \
    "  {'name': 'load', 'type': 'spring', 'joint': 'b', 'stiffness': 'kt', 'damping': 2}],"                           \
    " 'outputs': ['a.coordinate', 'b.coordinate', 'teeth.force_value', {'name': 'bx', 'quantity': 'force', 'joint': " \
    "'b', 'component': 'x'},"                                                                                         \
    "  {'name': 'by', 'quantity': 'force', 'joint': 'b', 'component': 'y'}, {'name': 'ay', 'quantity': 'force', "     \
    "'joint': 'a', 'component': 'y'}],"                                                                               \
    " 'simulation': {'h': 0.0005}}"

/* A torque against a spring: the tooth force is T/r_a, and bearings carry it and what pushes apart, F tan(20 deg), whichever flank works. */
static void bearings_carry_tooth_forces(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const char *const set[] = {k == 0 ? "T=3" : "T=-3", "j=1e-4"};
        const double sign = k == 0 ? 1.0 : -1.0, F = 3.0 / 0.02, tan20 = tan(20.0 * pi / 180.0);
        text_sim o;
        text_sim_open(&o, GEARS, set, 2);
        check_tangents(&o, 1e-4);
        assert_near(text_sim_output(&o, "teeth.force_value", 2.0), sign * F, 1e-4 * F);
        check_tangents(&o, 1e-3);
        assert_near(text_sim_output(&o, "by", 0.0), -sign * F, 1e-4 * F);
        assert_near(text_sim_output(&o, "ay", 0.0), sign * F, 1e-4 * F);
        assert_near(text_sim_output(&o, "bx", 0.0), -F * tan20, 1e-4 * F);
        const double b = -sign * F * 0.05 / 40.0;
        assert_near(text_sim_output(&o, "b.coordinate", 0.0), b, 1e-5);
        // half the play and the deflection of the teeth
        assert_near(text_sim_output(&o, "a.coordinate", 0.0), (sign * (0.5e-4 + F / 1e6) - 0.05 * b) / 0.02, 1e-4);
        text_sim_close(&o);
    }
}

/* Sun, planet on a carrier, ring that stands still: the carrier turns with z_s/(z_s + z_r) of the sun, over many turns. */
#define PLANETARY                                                                                                      \
    "{'dalembert': 1, 'variables': {'rs': 0.02, 'rp': 0.025, 'rr': 0.07, 'up': 5, 'w': 0},"                            \
    " 'bodies': [{'name': 'sun', 'mass': 1, 'inertia': 1e-3}, {'name': 'carrier', 'mass': 1, 'inertia': 1e-3},"        \
    "  {'name': 'planet', 'mass': 0.2, 'inertia': 1e-4, 'position': ['rs + rp', 0, 0]}, {'name': 'ring', 'mass': 1, "  \
    "'inertia': 1e-2}],"                                                                                               \
    " 'joints': [{'name': 's', 'type': 'revolute', 'body_b': 'sun', 'axis': [0, 0, 1]}, {'name': 'c', 'type': "        \
    "'revolute', 'body_b':"                                                                                            \
    "   'carrier', 'axis': [0, 0, 1]}, {'name': 'p', 'type': 'revolute', 'body_a': 'carrier', 'body_b': 'planet', "    \
    "'axis': [0, 0, 1]},"                                                                                              \
    "  {'name': 'r', 'type': 'fixed', 'body_b': 'ring'}, {'name': 'drive', 'type': 'motion', 'joint': 's', "           \
    "'function': 'up*t^2 + w*t'}],"                                                                                    \
    " 'forces': [{'name': 'sp', 'type': 'mesh', 'body_a': 'sun', 'body_b': 'planet', 'frame_a': [0, 0, 0], "           \
    "'frame_b': [0, 0, 0],"                                                                                            \
    "   'radius_a': 'rs', 'radius': 'rp', 'teeth': 25, 'pressure_angle': '20 deg', 'stiffness': 1e6, 'damping': 200}," \
    "  {'name': 'rp', 'type': 'mesh', 'body_a': 'ring', 'body_b': 'planet', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, "  \
    "0], 'internal': true,"                                                                                            \
    "   'radius_a': 'rr', 'radius': 'rp', 'teeth': 25, 'pressure_angle': '20 deg', 'stiffness': 1e6, 'damping': 200}," \
    "  {'name': 'load', 'type': 'law', 'joint': 'c', 'value': '-20'}],"                                                \
    " 'outputs': ['s.coordinate', 'c.coordinate', 'sp.force_value', 'rp.force_value', 'drive.force_value', "           \
    "'p.force.x', 'p.force.y', 'c.force.x', 'c.force.y', 's.force.x', 's.force.y', 'r.force.x', 'r.force.y', "         \
    "'r.torque.z'], "                                                                                                  \
    "'simulation': {'h': 0.0005}}"

static void a_planetary_gear_turns(void **state)
{
    (void)state;
    text_sim o;
    text_sim_open(&o, PLANETARY, NULL, 0);
    (void)text_sim_output(&o, "c.coordinate", 0.05);
    check_tangents(&o, 1e-3);
    const double c = text_sim_output(&o, "c.coordinate", 2.0), s = text_sim_output(&o, "s.coordinate", 0.0);
    assert_near(s, 20.0, 1e-6);
    assert_near(c, s * 20.0 / (20.0 + 70.0), 2e-3 * s);
    // slow: the load of the carrier is shared by both meshes, F (r_s + r_r) = 20 N m with what accelerates it beside
    const double F = text_sim_output(&o, "sp.force_value", 0.0), G = text_sim_output(&o, "rp.force_value", 0.0);
    const double alpha = 10.0 * 20.0 / 90.0, J = 1e-3 + 0.2 * 0.045 * 0.045;
    assert_near_rel(F * 0.02 + G * 0.07, 20.0 + J * alpha + 1e-4 * alpha * (1.0 - 0.07 / 0.025), 2e-2);
    text_sim_close(&o);
}

/* The force of a joint along the arm of the carrier and across it, (sin, cos) turned to (along, across). */
static void on_arm(double f[2], text_sim *o, const char *joint)
{
    char x[32], y[32];
    snprintf(x, sizeof x, "%s.force.x", joint);
    snprintf(y, sizeof y, "%s.force.y", joint);
    const double a = text_sim_output(o, "c.coordinate", 0.0), X = text_sim_output(o, x, 0.0),
                 Y = text_sim_output(o, y, 0.0);
    f[0] = X * cos(a) + Y * sin(a);
    f[1] = Y * cos(a) - X * sin(a);
}

/* Steady turning against 20 N m. Both teeth of the planet carry F = 20/(r_s + r_r), so the pin carries 2 F across the arm, and along it what
 * keeps the planet on its circle; sun and ring are pushed apart by F tan(20 deg), which their bearings carry. */
static void bearings_of_a_planetary_gear(void **state)
{
    static const char *const set[] = {"up=0", "w=60"};
    const double F = 20.0 / 0.09, push = F * tan(20.0 * pi / 180.0), w = 60.0 * 20.0 / 90.0;
    double pin[2], carrier[2], sun[2], ring[2];
    text_sim o;
    (void)state;
    text_sim_open(&o, PLANETARY, set, 2);
    assert_near(text_sim_output(&o, "sp.force_value", 3.0), F, 1e-4 * F);
    assert_near(fabs(text_sim_output(&o, "rp.force_value", 0.0)), F, 1e-4 * F);
    on_arm(pin, &o, "p");
    on_arm(carrier, &o, "c");
    on_arm(sun, &o, "s");
    on_arm(ring, &o, "r");
    assert_near(pin[0], -0.2 * w * w * 0.045, 2e-4 * F);
    assert_near(pin[1], -2.0 * F, 2e-4 * F);
    assert_near(carrier[0], pin[0], 1e-6 * F);
    assert_near(carrier[1], pin[1], 1e-6 * F);
    assert_near(sun[0], push, 2e-4 * F);
    assert_near(sun[1], F, 2e-4 * F);
    assert_near(ring[0], -push, 2e-4 * F);
    assert_near(ring[1], F, 2e-4 * F);
    // torques of drive, ring and load add up to nothing
    const double T = text_sim_output(&o, "drive.force_value", 0.0), R = text_sim_output(&o, "r.torque.z", 0.0);
    assert_near(T, F * 0.02, 1e-3);
    assert_near(T + R, 20.0, 2e-3);
    text_sim_close(&o);
}

#define BELT                                                                                                           \
    "{'dalembert': 1, 'bodies': [{'name': 'A', 'mass': 1, 'inertia': 1e-3}, {'name': 'B', 'mass': 1, 'inertia': "      \
    "2e-3, 'position': [0.3, 0, 0]}],"                                                                                 \
    " 'joints': [{'name': 'a', 'type': 'revolute', 'body_b': 'A', 'axis': [0, 0, 1]}, {'name': 'b', 'type': "          \
    "'revolute', 'body_b': 'B',"                                                                                       \
    "   'axis': [0, 0, 1]}], 'forces': [{'name': 'belt', 'type': 'belt', 'body_a': 'A', 'body_b': 'B', 'frame_a': "    \
    "[0, 0, 0],"                                                                                                       \
    "   'frame_b': [0, 0, 0], 'radius_a': 0.02, 'radius': 0.08, 'teeth': 80, 'stiffness': 2e5, 'damping': 50, "        \
    "'tension': 100},"                                                                                                 \
    "  {'name': 'drive', 'type': 'law', 'joint': 'a', 'value': '1 - 0.05*w', 'inputs': {'w': "                         \
    "'a.coordinate_velocity'}},"                                                                                       \
    "  {'name': 'load', 'type': 'law', 'joint': 'b', 'value': '-0.4*w', 'inputs': {'w': 'b.coordinate_velocity'}}],"   \
    " 'outputs': ['a.coordinate_velocity', 'b.coordinate_velocity', 'belt.force_value', {'name': 'bx', 'quantity': "   \
    "'force', 'joint': 'b',"                                                                                           \
    "   'component': 'x'}, {'name': 'by', 'quantity': 'force', 'joint': 'b', 'component': 'y'}], 'simulation': {'h': " \
    "0.0005}}"

/* Steady running over many turns: the ratio of the radii, the difference of tensions from the torque, and what bearings carry of both spans. */
static void a_belt_drives_and_pulls(void **state)
{
    (void)state;
    text_sim o;
    text_sim_open(&o, BELT, NULL, 0);
    check_tangents(&o, 1e-4);
    const double w = text_sim_output(&o, "b.coordinate_velocity", 4.0), F = 0.4 * w / 0.08;
    check_tangents(&o, 1e-3);
    // 1 - 0.05 w_a = F 0.02, w_a = 4 w
    assert_near_rel(w, 1.0 / (0.2 + 0.4 * 0.02 / 0.08), 1e-4);
    assert_near_rel(text_sim_output(&o, "a.coordinate_velocity", 0.0), 4.0 * w, 1e-4);
    assert_near_rel(text_sim_output(&o, "belt.force_value", 0.0), F, 1e-3);
    // spans are inclined by asin((r_b - r_a)/d); both pull B towards A with 200 N, the bearing holds against it
    const double sine = 0.06 / 0.3, cosine = sqrt(1.0 - sine * sine);
    assert_near_rel(text_sim_output(&o, "bx", 0.0), 200.0 * cosine, 1e-3);
    assert_near(text_sim_output(&o, "by", 0.0), F * sine, 1e-3 * F);
    text_sim_close(&o);
}

#define RACK                                                                                                           \
    "{'dalembert': 1, 'variables': {'T': 3, 'j': '100 um', 'up': 1, 'v': 0},"                                          \
    " 'bodies': [{'name': 'pinion', 'mass': 1, 'inertia': 1e-3, 'position': [0, 0.02, 0], 'rotation': {'axis': [0, "   \
    "0, "                                                                                                              \
    "1], 'angle': 0.7}},"                                                                                              \
    "  {'name': 'rack', 'mass': 2, 'inertia': 0.01, 'position': [0.1, -0.03, 0]}],"                                    \
    " 'joints': [{'name': 'a', 'type': 'revolute', 'body_b': 'pinion', 'axis': [0, 0, 'up']},"                         \
    "  {'name': 's', 'type': 'prismatic', 'body_b': 'rack', 'axis': [1, 0, 0]}],"                                      \
    " 'forces': [{'name': 'teeth', 'type': 'rack', 'body_a': 'rack', 'body_b': 'pinion', 'frame_a': [0, 0.03, 0],"     \
    "   'frame_b': {'axis': [0, 0, 'up']}, 'radius': 0.02, 'teeth': 20, 'pressure_angle': '20 deg', 'stiffness': 1e6," \
    "   'damping': 300, 'backlash': 'j'}, {'name': 'drive', 'type': 'law', 'joint': 'a', 'value': 'up*T'},"            \
    "  {'name': 'load', 'type': 'spring', 'joint': 's', 'stiffness': 1e5, 'damping': 500}],"                           \
    " 'outputs': ['a.coordinate', 's.coordinate', 'teeth.force_value', 'a.force.x', 'a.force.y', 's.torque.z', "       \
    "'energy', 'dissipated_energy', 'drive_work'], 'simulation': {'h': 0.0005}}"

/* A torque on the pinion pushes the rack against a spring: force T/r at the pitch point, apart F tan(20 deg), whichever flank works and
 * whichever way the axis of the pinion points. The guide of the rack carries their moment. */
static void a_rack_is_pushed_at_the_pitch_point(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const char *const set[] = {k % 2 == 0 ? "T=3" : "T=-3", k / 2 == 0 ? "up=1" : "up=-1"};
        const double sign = k % 2 == 0 ? 1.0 : -1.0, up = k / 2 == 0 ? 1.0 : -1.0, F = 150.0;
        const double apart = F * tan(20.0 * pi / 180.0), s = sign * F / 1e5;
        text_sim o;
        text_sim_open(&o, RACK, set, 2);
        const double before = text_sim_output(&o, "energy", 0.0);
        (void)text_sim_output(&o, "energy", 0.01);
        check_tangents(&o, 1e-3);
        assert_near(text_sim_output(&o, "teeth.force_value", 2.0), -sign * F, 1e-6 * F);
        assert_near(text_sim_output(&o, "s.coordinate", 0.0), s, 1e-9);
        assert_near(text_sim_output(&o, "a.coordinate", 0.0), up * (s + sign * (0.5e-4 + F / 1e6)) / 0.02, 1e-7);
        assert_near(text_sim_output(&o, "a.force.x", 0.0), sign * F, 1e-6 * F);
        assert_near(text_sim_output(&o, "a.force.y", 0.0), -apart, 1e-6 * F);
        // about the origin of the rack: the pitch point is at (-0.1 - s, 0.03)
        assert_near(text_sim_output(&o, "s.torque.z", 0.0), -((0.1 + s) * apart - 0.03 * sign * F), 1e-6);
        assert_near(text_sim_output(&o, "energy", 0.0) + text_sim_output(&o, "dissipated_energy", 0.0) -
                        text_sim_output(&o, "drive_work", 0.0) - before,
                    0.0, 1e-4);
        text_sim_close(&o);
    }
}

/* A wheel that turns round on its rail is at a place that the element does not know. */
static void wheels_do_not_lie_across_rails(void **state)
{
    (void)state;
    text_sim o;
    dal_stop reason;
    text_sim_open(&o,
                  "{'dalembert': 1, 'name': 'turner', 'bodies': [{'name': 'w', 'mass': 1, 'inertia': 0.1,"
                  " 'position': [0, 0, 0.31], 'angular_velocity': [0, 0, 5]}],"
                  " 'forces': [{'name': 'tread', 'type': 'rail', 'body_b': 'w', 'frame_a': [0, 0, 0],"
                  "  'frame_b': {'axis': [0, 1, 0]}, 'radius': 0.3, 'cone': 0.05, 'radius_a': 0.3, 'stiffness': 1e6,"
                  "  'creep': [1, 1, 0, 0]}], 'simulation': {'h': 0.01}}",
                  NULL, 0);
    check_ok(o.ctx, dal_sim_run(o.sim, &reason, 0.2)); // 57 degrees
    const dal_status st = dal_sim_run(o.sim, &reason, 0.3);
    assert_true(st != DAL_OK);
    check_fails(o.ctx, st, st, "force 'tread': the axle of the wheel");
    text_sim_close(&o);
}

/* Wheels that mesh have parallel axes, and are about as far apart as their pitch circles ask for. */
static void wheels_that_cannot_mesh_are_named(void **state)
{
    static const char *const wrong[][2] = {
        {"[0.35, 0, 0], 'rotation': 0.1",
         "the axes of the wheels are 0.35 apart, and their pitch circles touch at 0.15"},
        {"[0, 0, 0.2], 'rotation': 0.1", "apart, and their pitch circles touch at 0.15"},
        {"[0.15, 0, 0], 'rotation': {'axis': [1, 0, 0], 'angle': '80 deg'}", "must be parallel"}};
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[600];
        dal_document *doc;
        const dal_system *sys;
        dal_sim *sim;
        snprintf(text, sizeof text,
                 "'bodies': [{'name': 'w', 'mass': 1, 'inertia': 1, 'position': %s}], 'forces': [{'name': 'm', 'type': "
                 "'mesh', 'body_b': 'w', 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'radius_a': 0.1, 'radius': 0.05,"
                 " 'teeth': 25, 'pressure_angle': '20 deg', 'stiffness': 1e6}]",
                 wrong[k][0]);
        check_ok(ctx, text_body(&doc, ctx, text));
        check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
        const dal_model *m = dal_document_model(doc);
        const dal_status st = dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m));
        check_fails(ctx, st, st, wrong[k][1]);
        assert_int_not_equal(st, DAL_OK);
        dal_sim_destroy(sim);
        dal_document_destroy(doc);
    }
    check_ctx_free(ctx);
}

static void bad_numbers_are_named(void **state)
{
    static const char *const set[] = {"j=1"};
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_document *doc = NULL;
    check_fails(ctx, text_load_set(&doc, ctx, GEARS, set, 1), DAL_EINVAL, "from 0 to half a pitch");
    const char *const flat[] = {"ra=-1"};
    check_fails(ctx, text_load_set(&doc, ctx, GEARS, flat, 1), DAL_EINVAL, "must be positive");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_waits_for_its_tyre),

        cmocka_unit_test(laws_of_tyres),
        cmocka_unit_test(slip_at_rest),
        cmocka_unit_test(rollers_are_free_across),
        cmocka_unit_test(steady_cornering),
        cmocka_unit_test(a_wheelset_runs_along_a_sine),
        cmocka_unit_test(wheelsets_hunt_where_they_are_fast),
        cmocka_unit_test(bearings_carry_tooth_forces),
        cmocka_unit_test(a_planetary_gear_turns),
        cmocka_unit_test(bearings_of_a_planetary_gear),
        cmocka_unit_test(a_belt_drives_and_pulls),
        cmocka_unit_test(a_rack_is_pushed_at_the_pitch_point),
        cmocka_unit_test(wheels_do_not_lie_across_rails),
        cmocka_unit_test(wheels_that_cannot_mesh_are_named),
        cmocka_unit_test(bad_numbers_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
