/* Machines written as model files, each against a computation of its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

static const double g = 9.81;

/* ---- a small integrator ----------------------------------------------------------------------- */

enum { STATES = 16 };
typedef void rate(double *yd, double t, const double *y);

/* Runge and Kutta, n steps. */
static void integrate(double *y, int size, rate *f, double t0, double t1, int n)
{
    const double h = (t1 - t0) / n, c[4] = {0.0, 0.5, 0.5, 1.0}, w[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    for (int step = 0; step < n; ++step) {
        double k[4][STATES], at[STATES], sum[STATES] = {0.0};
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < size; ++i) {
                at[i] = y[i] + (s > 0 ? c[s] * h * k[s - 1][i] : 0.0);
            }
            f(k[s], t0 + h * (step + c[s]), at);
            for (int i = 0; i < size; ++i) {
                sum[i] += h * w[s] * k[s][i];
            }
        }
        for (int i = 0; i < size; ++i) {
            y[i] += sum[i];
        }
    }
}

/* ---- a half car with bump stops --------------------------------------------------------------- */

/* Chassis with heave and pitch, two wheels on vertical guides, springs with bump stops, tyres that only push; a bump of 80 mm. */
#define HALF_CAR                                                                                                       \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'variables': {'a': 1.1, 'b': 1.4, 'V': 10, 'k': 20000, 'c': 1500, "    \
    "'kt': 180000},"                                                                                                   \
    " 'functions': {'road': 'if(x > 2 and x < 3, 0.04*(1 - cos(2*pi*(x - 2))), 0)',"                                   \
    "  'stop': '3e5*max(0, x - 0.05)', 'push': 'max(0, x)'},"                                                          \
    " 'bodies': [{'name': 'chassis', 'mass': 600, 'inertia': [100, 800, 800], 'position': [0, 0, 0.5]},"               \
    "  {'name': 'front', 'mass': 40, 'inertia': 1, 'position': ['a', 0, 0.3]},"                                        \
    "  {'name': 'rear', 'mass': 40, 'inertia': 1, 'position': ['-b', 0, 0.3]}],"                                       \
    " 'joints': [{'name': 'body', 'type': 'generic', 'body_b': 'chassis', 'locked': ['x', 'y', 'rx', 'rz'], "          \
    "'frame_a': [0, 0, 0],"                                                                                            \
    "   'frame_b': [0, 0, 0]},"                                                                                        \
    "  {'name': 'gf', 'type': 'generic', 'body_b': 'front', 'locked': ['x', 'y', 'rx', 'ry', 'rz'], 'frame_a': ['a', " \
    "0, 0], 'frame_b': "                                                                                               \
    "[0, 0, 0]},"                                                                                                      \
    "  {'name': 'gr', 'type': 'generic', 'body_b': 'rear', 'locked': ['x', 'y', 'rx', 'ry', 'rz'], 'frame_a': ['-b', " \
    "0, 0], 'frame_b': "                                                                                               \
    "[0, 0, 0]}],"                                                                                                     \
    " 'forces': [" SUSPENSION("front", "'a'", "t") ", " SUSPENSION(                                                    \
        "rear", "'-b'",                                                                                                \
        "(t - 0.25)") "],"                                                                                             \
                      " 'outputs': [{'name': 'z', 'quantity': 'position', 'body': 'chassis', 'component': 'z'},"       \
                      "  {'name': 'wheel', 'quantity': 'position', 'body': 'front', 'component': 'z'}, "               \
                      "'tyre_front.force_value'],"                                                                     \
                      " 'simulation': {'integrator': 'rk', 'step_rtol': 1e-8}}"
#define SUSPENSION(name, at, time)                                                                           \
    "{'name': 'strut_" name "', 'type': 'law', 'body_a': '" name                                             \
    "', 'body_b': 'chassis', 'coordinate': 'translation_z',"                                                 \
    " 'frame_a': [0, 0, 0], 'frame_b': [" at ", 0, 0], 'value': '1500 + k*(0.2 - s) - c*v + stop(0.2 - s)'," \
    " 'inputs': {'s': {'body_a': '" name                                                                     \
    "', 'body_b': 'chassis', 'coordinate': 'translation_z', 'frame_a': [0, 0, 0], 'frame_b': [" at           \
    ", 0, 0]}, 'v': {'body_a': '" name                                                                       \
    "', 'body_b': 'chassis', 'coordinate': 'translation_z', 'rate': true, 'frame_a': [0, 0, 0],"             \
    " 'frame_b': [" at ", 0, 0]}}}, {'name': 'tyre_" name "', 'type': 'law', 'body_b': '" name               \
    "', 'coordinate': 'translation_z',"                                                                      \
    " 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'value': 'kt*push(0.32 + road(V*" time                     \
    ") - z)', 'inputs': {'z': '" name ".position.z'}}"

static double road(double x)
{
    return x > 2.0 && x < 3.0 ? 0.04 * (1.0 - cos(2.0 * 3.14159265358979323846 * (x - 2.0))) : 0.0;
}

/* z, pitch, front, rear and their rates; the model turns about y, down at the front. */
static void half_car(double *yd, double t, const double *y)
{
    const double arm[2] = {1.1, -1.4}, s = sin(y[1]), c = cos(y[1]);
    double up = -600.0 * g, turn = 0.0;
    for (int i = 0; i < 2; ++i) {
        const double e = y[0] - arm[i] * s - y[2 + i], ed = y[4] - arm[i] * c * y[5] - y[6 + i];
        const double F = 1500.0 + 20000.0 * (0.2 - e) - 1500.0 * ed + 3e5 * fmax(0.0, 0.2 - e - 0.05);
        const double tyre = 180000.0 * fmax(0.0, 0.32 + road(10.0 * (t - 0.25 * i)) - y[2 + i]);
        up += F;
        turn -= arm[i] * c * F;
        yd[6 + i] = (tyre - F) / 40.0 - g;
        yd[2 + i] = y[6 + i];
    }
    yd[0] = y[4];
    yd[1] = y[5];
    yd[4] = up / 600.0;
    yd[5] = turn / 800.0;
}

static void a_half_car_on_a_bump(void **state)
{
    double y[8] = {0.5, 0.0, 0.3, 0.3};
    (void)state;
    text_sim o;
    text_sim_open(&o, HALF_CAR, NULL, 0);
    double before = 0.0;
    for (int k = 1; k <= 12; ++k) {
        const double t = 0.05 * k;
        integrate(y, 8, half_car, before, t, 2000);
        assert_near(text_sim_output(&o, "z", t), y[0], 2e-6);
        assert_near(text_sim_output(&o, "wheel", 0.0), y[2], 2e-6);
        before = t;
    }
    text_sim_close(&o);
}

/* ---- a cam with a table ----------------------------------------------------------------------- */

/* The follower is pressed on the cam by a stiff law; the torque of the drive is what the follower asks for, F dy/dphi. */
#define CAM                                                                                                           \
    "{'dalembert': 1, 'functions': {'lift': {'type': 'table', 'interpolation': 'periodic', 'x': [0, 'pi/2', 'pi', "   \
    "'3*pi/2', '2*pi'],"                                                                                              \
    "  'y': [0, 0.01, 0.03, 0.01, 0]}},"                                                                              \
    " 'bodies': [{'name': 'cam', 'mass': 1, 'inertia': 0.01}, {'name': 'follower', 'type': 'point', 'mass': 0.5}],"   \
    " 'joints': [{'name': 'shaft', 'type': 'revolute', 'body_b': 'cam', 'axis': [0, 0, 1]}, {'name': 'guide', "       \
    "'type': 'generic', 'body_b':"                                                                                    \
    "   'follower', 'locked': ['x', 'z'], 'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0]},"                               \
    "  {'name': 'drive', 'type': 'motion', 'joint': 'shaft', 'function': '20*t'}],"                                   \
    " 'forces': [{'name': 'spring', 'type': 'law', 'body_b': 'follower', 'coordinate': 'translation_y', 'value': "    \
    "'-200 - 2000*y',"                                                                                                \
    "   'inputs': {'y': 'follower.position.y'}},"                                                                     \
    "  {'name': 'press', 'type': 'law', 'body_b': 'follower', 'coordinate': 'translation_y', 'value': '1e6*(lift(a) " \
    "- y) - 300*v',"                                                                                                  \
    "   'inputs': {'a': 'shaft.coordinate', 'y': 'follower.position.y', 'v': 'follower.velocity.y'}},"                \
    "  {'name': 'back', 'type': 'law', 'joint': 'shaft', 'value': '-(1e6*(lift(a) - y) - 300*v)*(lift(a + 1e-4) - "   \
    "lift(a - 1e-4))/2e-4',"                                                                                          \
    "   'inputs': {'a': 'shaft.coordinate', 'y': 'follower.position.y', 'v': 'follower.velocity.y'}}],"               \
    " 'outputs': [{'name': 'y', 'quantity': 'position', 'body': 'follower', 'component': 'y'}, 'press.force_value', " \
    "'drive.force_value'],"                                                                                           \
    " 'simulation': {'h': 0.0001}}"

/* The periodic spline through 0, 1, 3, 1 cm at quarter turns, by its moments; value, slope, curvature. */
static void spline(double s[3], double phi)
{
    const double h = 1.57079632679489661923, y[5] = {0.0, 0.01, 0.03, 0.01, 0.0};
    double M[5] = {0.0};
    for (int it = 0; it < 200; ++it) { // M_(i-1) + 4 M_i + M_(i+1) = 6 (second difference)/h^2
        for (int i = 0; i < 4; ++i) {
            const double d = y[(i + 1) % 4] - 2.0 * y[i] + y[(i + 3) % 4];
            M[i] = 0.25 * (6.0 * d / (h * h) - M[(i + 3) % 4] - M[(i + 1) % 4]);
        }
    }
    M[4] = M[0];
    const double x = fmod(phi, 4.0 * h);
    const int i = (int)fmin(3.0, floor(x / h));
    const double b = x / h - i, a = 1.0 - b;
    s[0] = a * y[i] + b * y[i + 1] + ((a * a * a - a) * M[i] + (b * b * b - b) * M[i + 1]) * h * h / 6.0;
    s[1] = (y[i + 1] - y[i]) / h + ((1.0 - 3.0 * a * a) * M[i] + (3.0 * b * b - 1.0) * M[i + 1]) * h / 6.0;
    s[2] = a * M[i] + b * M[i + 1];
}

static void a_cam_lifts_its_follower(void **state)
{
    (void)state;
    text_sim o;
    text_sim_open(&o, CAM, NULL, 0);
    for (int k = 0; k < 8; ++k) {
        const double t = 0.314 + 0.037 * k;
        double s[3];
        spline(s, 20.0 * t);
        // kinetostatics of a follower that keeps to the cam
        const double F = 0.5 * 400.0 * s[2] + 200.0 + 2000.0 * s[0];
        assert_near(text_sim_output(&o, "y", t), s[0] - (F + 300.0 * 20.0 * s[1]) / 1e6, 3e-6);
        assert_near(text_sim_output(&o, "press.force_value", 0.0), F, 0.02 * F);
        assert_near(text_sim_output(&o, "drive.force_value", 0.0), F * s[1], 0.03 * F * 0.02);
    }
    text_sim_close(&o);
}

/* ---- a crane of parts ------------------------------------------------------------------------- */

#define CRANE                                                                                                        \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'variables': {'L': 6},"                                              \
    " 'bodies': [{'name': 'trolley', 'mass': 500, 'inertia': 10, 'position': [0, 0, 10]}],"                          \
    " 'joints': [{'name': 'rail', 'type': 'prismatic', 'body_b': 'trolley', 'axis': [1, 0, 0]},"                     \
    "  {'name': 'drive', 'type': 'motion', 'joint': 'rail', 'function': '2*t - 2*sin(pi*t)/pi'}],"                   \
    " 'parts': [{'name': 'load', 'on': 'trolley', 'in': 'trolley', 'set': {'L': 'L'}, 'model': {'dalembert': 1, "    \
    "'variables': {'L': 1},"                                                                                         \
    "  'bodies': [{'name': 'box', 'type': 'point', 'mass': 2000, 'position': [0, 0, '-L']}],"                        \
    "  'joints': [{'name': 'rope', 'type': 'rope', 'body_b': 'box', 'point_a': [0, 0, 0], 'point_b': [0, 0, '-L'], " \
    "'length': 'L'}]}}],"                                                                                            \
    " 'outputs': [{'name': 'x', 'quantity': 'position', 'body': 'load.box', 'component': 'x'}, {'name': 'lift', "    \
    "'quantity': 'position',"                                                                                        \
    "   'body': 'load.box', 'component': 'z'}, 'drive.force_value'], 'simulation': {'h': 0.002}}"

static void crane(double *yd, double t, const double *y)
{
    const double acc = 2.0 * 3.14159265358979323846 * sin(3.14159265358979323846 * t);
    yd[0] = y[1];
    yd[1] = -(g * sin(y[0]) + acc * cos(y[0])) / 6.0;
}

static void a_load_swings_on_its_rope(void **state)
{
    const double pi = 3.14159265358979323846;
    double y[2] = {0.0, 0.0};
    (void)state;
    text_sim o;
    text_sim_open(&o, CRANE, NULL, 0);
    for (int k = 1; k <= 6; ++k) {
        const double t = 0.4 * k;
        integrate(y, 2, crane, t - 0.4, t, 2000);
        const double place = 2.0 * t - 2.0 * sin(pi * t) / pi, acc = 2.0 * pi * sin(pi * t);
        const double S = 2000.0 * (g * cos(y[0]) - acc * sin(y[0]) + 6.0 * y[1] * y[1]); // tension
        assert_near(text_sim_output(&o, "x", t), place + 6.0 * sin(y[0]), 2e-4);
        assert_near(text_sim_output(&o, "lift", 0.0), 10.0 - 6.0 * cos(y[0]), 2e-4);
        assert_near(text_sim_output(&o, "drive.force_value", 0.0), 500.0 * acc - S * sin(y[0]), 40.0);
    }
    text_sim_close(&o);
}

/* ---- a rope over sheaves ---------------------------------------------------------------------- */

/* Three parts of a rope from above to a block, with one tension. */
#define PART(name, x) \
    "'" name "': {'body_b': 'hook', 'coordinate': 'length', 'frame_a': [" x ", 0, 0], 'frame_b': [" x ", 0, 0]}"
#define BLOCK                                                                                                         \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'hook', 'mass': 800, 'inertia': 20, 'position': " \
    "[0, 0, -5], 'velocity': [0, 0, 0.1]}], 'forces': [{'repeat': 'i', 'from': -1, 'to': 1, 'items': [{'name': "      \
    "'part{i + 1}', 'type': 'law', 'body_b': 'hook', 'coordinate': 'length', 'frame_a': ['0.1*i', 0, 0], 'frame_b': " \
    "['0.1*i', 0, 0], 'value': '-2e5*max(0, a + b + c - 14.99)', 'inputs': {" PART("a", "-0.1") ", " PART(            \
        "b",                                                                                                          \
        "0") ", " PART("c",                                                                                           \
                       "0.1") "}}]}], 'outputs': ['hook.position.z', 'part0.force_value'], 'simulation': {'h': 1e-4}}"

/* Up and down with the stiffness 9 k about the place where 3 k (3 d - 14.99) is the weight. */
static void a_rope_over_sheaves_has_one_tension(void **state)
{
    const double k = 2e5, m = 800.0, w = 3.0 * sqrt(k / m), rest = (m * g / (3.0 * k) + 14.99) / 3.0;
    (void)state;
    text_sim o;
    text_sim_open(&o, BLOCK, NULL, 0);
    for (int i = 1; i <= 10; ++i) {
        const double t = 0.02 * i, d = rest + (5.0 - rest) * cos(w * t) - 0.1 / w * sin(w * t);
        assert_near(text_sim_output(&o, "hook.position.z", t), -d, 2e-6);
        assert_near(text_sim_output(&o, "part0.force_value", 0.0), -k * (3.0 * d - 14.99), 2.0);
    }
    text_sim_close(&o);
}

/* ---- a washing machine ------------------------------------------------------------------------ */

#define WASHER                                                                                                         \
    "{'dalembert': 1, 'variables': {'w': 60, 'e': 0}, 'bodies': [{'name': 'tub', 'mass': 30, 'inertia': 1}, {'name': " \
    "'drum', "                                                                                                         \
    "'mass': 8,"                                                                                                       \
    "  'inertia': 0.3}, {'name': 'laundry', 'type': 'point', 'mass': 1, 'position': [0.2, 0, 0]}],"                    \
    " 'joints': [{'name': 'tub', 'type': 'generic', 'body_b': 'tub', 'locked': ['z', 'rx', 'ry', 'rz']}, {'name': "    \
    "'bearing', 'type': 'revolute',"                                                                                   \
    "   'body_a': 'tub', 'body_b': 'drum', 'axis': [0, 0, 1]}, {'name': 'spin', 'type': 'motion', 'joint': "           \
    "'bearing', 'function': 'w*t + e*t^2/2'},"                                                                         \
    "  {'name': 'wet', 'type': 'spherical', 'body_a': 'drum', 'body_b': 'laundry', 'point': [0.2, 0, 0]}],"            \
    " 'forces': [{'name': 'springs', 'type': 'cartesian', 'body_b': 'tub', 'stiffness': [9000, 9000, 0], 'damping': "  \
    "[400, 400, 0]}],"                                                                                                 \
    " 'outputs': [{'name': 'x', 'quantity': 'position', 'body': 'tub', 'component': 'x'}, {'name': 'y', 'quantity': "  \
    "'position',"                                                                                                      \
    "   'body': 'tub', 'component': 'y'}, 'spin.force_value'], 'simulation': {'h': 0.0005}}"

/* x, y and their rates while the drum spins up with 20 rad/s^2: M x'' + c x' + k x = m r (p'^2 cos p + p'' sin p), likewise y. */
static void washer(double *yd, double t, const double *y)
{
    const double p = 10.0 * t * t, w = 20.0 * t, F[2] = {cos(p), sin(p)}, G[2] = {sin(p), -cos(p)};
    for (int i = 0; i < 2; ++i) {
        yd[i] = y[2 + i];
        yd[2 + i] = (0.2 * (w * w * F[i] + 20.0 * G[i]) - 400.0 * y[2 + i] - 9000.0 * y[i]) / 39.0;
    }
}

/* Through the resonance at 15 rad/s: place of the tub, and the torque (J + m r^2) p'' + m r (y'' cos p - x'' sin p). */
static void a_washing_machine_spins_up(void **state)
{
    static const char *const set[] = {"w=0", "e=20", "h=0.0001"};
    double y[4] = {0.0}, yd[4];
    (void)state;
    text_sim o;
    text_sim_open(&o, WASHER, set, 3);
    for (int k = 1; k <= 8; ++k) {
        const double t = 0.25 * k, p = 10.0 * t * t;
        integrate(y, 4, washer, 0.25 * (k - 1), t, 1000);
        washer(yd, t, y);
        assert_near(text_sim_output(&o, "x", t), y[0], 2e-7);
        assert_near(text_sim_output(&o, "y", 0.0), y[1], 2e-7);
        const double torque = (0.3 + 0.04) * 20.0 + 0.2 * (yd[3] * cos(p) - yd[2] * sin(p));
        assert_near(text_sim_output(&o, "spin.force_value", 0.0), torque, 2e-4);
    }
    text_sim_close(&o);
}

/* ---- a backhoe -------------------------------------------------------------------------------- */

/* Boom and stick moved by two cylinders, whose forces follow from virtual work. */
#define BACKHOE                                                                                                      \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': ["                                                         \
    "  {'name': 'boom', 'mass': 800, 'inertia': 400, 'position': ['1.5*cos(0.5)', 0, '1.5*sin(0.5)'], 'rotation': "  \
    "{'axis': [0, -1, 0],"                                                                                           \
    "   'angle': 0.5}}, {'name': 'stick', 'mass': 400, 'inertia': 200, 'position': ['3*cos(0.5) + cos(-0.9)', 0, "   \
    "'3*sin(0.5) + sin(-0.9)'],"                                                                                     \
    "   'rotation': {'axis': [0, -1, 0], 'angle': -0.9}}],"                                                          \
    " 'joints': [{'name': 'base', 'type': 'revolute', 'body_b': 'boom', 'point': [0, 0, 0], 'axis': [0, 1, 0]},"     \
    "  {'name': 'elbow', 'type': 'revolute', 'body_a': 'boom', 'body_b': 'stick', 'frame_a': {'position': [1.5, 0, " \
    "0], 'axis': [0, 1, 0]},"                                                                                        \
    "   'frame_b': {'position': [-1, 0, 0], 'axis': [0, 1, 0]}},"                                                    \
    "  {'name': 'lift', 'type': 'motion', 'coordinate': 'length', 'body_b': 'boom', 'frame_a': [0.6, 0, -0.4], "     \
    "'frame_b': [0, 0, 0.1], 'function': 'norm([1.5*cos(0.5) - 0.1*sin(0.5) - 0.6, 1.5*sin(0.5) + 0.1*cos(0.5) + "   \
    "0.4, 0]) + 0.15*(1 - cos(3*t))'},"                                                                              \
    "  {'name': 'crowd', 'type': 'motion', 'coordinate': 'length', 'body_a': 'boom', 'body_b': 'stick', 'frame_a': " \
    "[0.2, 0, 0.4], 'frame_b': [-1.4, 0, 0.1], 'function': 'norm([1.3*cos(0.5) - 0.4*cos(-0.9) - 0.1*sin(-0.9) + "   \
    "0.4*sin(0.5), 1.3*sin(0.5) - 0.4*sin(-0.9) + 0.1*cos(-0.9) - 0.4*cos(0.5), 0]) - 0.1*(1 - cos(3*t))'}],"        \
    " 'forces': [{'name': 'soil', 'type': 'force', 'body': 'stick', 'frame': [1, 0, 0], 'vector': [0, 0, -3000]}],"  \
    " 'outputs': ['lift.force_value', 'crowd.force_value'], 'simulation': {'h': 0.001}}"

/* Lengths of the cylinders and the potential for angles of boom and stick. */
static void backhoe(double l[2], double *V, double a, double b)
{
    const double lift[2] = {1.5 * cos(a) - 0.1 * sin(a) - 0.6, 1.5 * sin(a) + 0.1 * cos(a) + 0.4};
    const double boom[2] = {1.7 * cos(a) - 0.4 * sin(a), 1.7 * sin(a) + 0.4 * cos(a)};
    const double stick[2] = {3.0 * cos(a) - 0.4 * cos(b) - 0.1 * sin(b), 3.0 * sin(a) - 0.4 * sin(b) + 0.1 * cos(b)};
    l[0] = hypot(lift[0], lift[1]);
    l[1] = hypot(stick[0] - boom[0], stick[1] - boom[1]);
    *V = 800.0 * g * 1.5 * sin(a) + 400.0 * g * (3.0 * sin(a) + sin(b)) + 3000.0 * (3.0 * sin(a) + 2.0 * sin(b));
}

/* J[k][i] = dl_i/dq_k, F[k] = dV/dq_k */
static void slopes(double J[2][2], double F[2], const double q[2])
{
    const double d = 1e-5;
    for (int k = 0; k < 2; ++k) {
        double l[2][2], V[2];
        for (int s = 0; s < 2; ++s) {
            const double by = s == 0 ? -d : d;
            backhoe(l[s], &V[s], q[0] + (k == 0 ? by : 0.0), q[1] + (k == 1 ? by : 0.0));
        }
        J[k][0] = (l[1][0] - l[0][0]) / (2.0 * d);
        J[k][1] = (l[1][1] - l[0][1]) / (2.0 * d);
        F[k] = (V[1] - V[0]) / (2.0 * d);
    }
}

/* Angles at which the cylinders are as long as they are driven, by Newton's method. */
static void angles(double q[2], double t)
{
    double l0[2], l[2], V, J[2][2], F[2];
    q[0] = 0.5;
    q[1] = -0.9;
    backhoe(l0, &V, q[0], q[1]);
    for (int it = 0; it < 20; ++it) {
        backhoe(l, &V, q[0], q[1]);
        slopes(J, F, q);
        const double r[2] = {l0[0] + 0.15 * (1.0 - cos(3.0 * t)) - l[0], l0[1] - 0.1 * (1.0 - cos(3.0 * t)) - l[1]};
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        q[0] += (r[0] * J[1][1] - r[1] * J[1][0]) / det;
        q[1] += (r[1] * J[0][0] - r[0] * J[0][1]) / det;
    }
}

static void cylinders_of_a_backhoe(void **state)
{
    const double d = 1e-3;
    (void)state;
    text_sim o;
    text_sim_open(&o, BACKHOE, NULL, 0);
    for (int k = 0; k < 6; ++k) {
        double q[3][2], J[2][2], F[2], v[2], a[2];
        const double t = 0.2 * k;
        for (int s = 0; s < 3; ++s) {
            angles(q[s], t + (s - 1) * d);
        }
        for (int i = 0; i < 2; ++i) {
            v[i] = (q[2][i] - q[0][i]) / (2.0 * d);
            a[i] = (q[2][i] - 2.0 * q[1][i] + q[0][i]) / (d * d);
        }
        slopes(J, F, q[1]);
        const double c = 1200.0 * cos(q[1][0] - q[1][1]), s = 1200.0 * sin(q[1][0] - q[1][1]);
        F[0] += (400.0 + 800.0 * 2.25 + 400.0 * 9.0) * a[0] + c * a[1] + s * v[1] * v[1];
        F[1] += (200.0 + 400.0) * a[1] + c * a[0] - s * v[0] * v[0];
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0]; // J F_l = F
        assert_near_rel(text_sim_output(&o, "lift.force_value", t), (F[0] * J[1][1] - F[1] * J[0][1]) / det, 2e-5);
        assert_near_rel(text_sim_output(&o, "crowd.force_value", t), (F[1] * J[0][0] - F[0] * J[1][0]) / det, 2e-5);
    }
    text_sim_close(&o);
}

/* ---- an arm with six hinges from a URDF, under a sampled controller ------------------------------ */

enum { HINGES = 6 };
static const int turns_about[HINGES] = {2, 1, 1, 0, 1, 0};
static const double length_of[HINGES] = {0.0, 0.3, 0.4, 0.35, 0.1, 0.08}, mass_of[HINGES] = {6, 5, 4, 2, 1, 0.5};
static const double gain[HINGES] = {80, 120, 80, 2, 1, 0.2}, damping[HINGES] = {8, 12, 8, 0.2, 0.1, 0.02};
static double torque[HINGES]; /* that is held */

static void cross(double *c, const double *a, const double *b)
{
    for (int i = 0; i < 3; ++i) {
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

/* A vector turned by q about an axis, or back. */
static void turned(double *y, const double *x, int axis, double q)
{
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double c = cos(q), sn = sin(q), xj = x[j], xk = x[k];
    y[axis] = x[axis];
    y[j] = c * xj - sn * xk;
    y[k] = sn * xj + c * xk;
}

/* a + b x p + w x (w x p) */
static void moved(double *y, const double *a, const double *wd, const double *w, const double *p)
{
    double u[3], v[3], x[3];
    cross(u, wd, p);
    cross(v, w, p);
    cross(x, w, v);
    for (int i = 0; i < 3; ++i) {
        y[i] = a[i] + u[i] + x[i];
    }
}

/* Torques for accelerations, by Newton and Euler from the base to the hand and back. */
static void inverse(double *tau, const double *q, const double *v, const double *a, double gravity)
{
    double w[3] = {0}, wd[3] = {0}, acc[3] = {0, 0, gravity}, F[HINGES][3], N[HINGES][3];
    for (int k = 0; k < HINGES; ++k) {
        const double p[3] = {0, 0, length_of[k]}, com[3] = {0.01 * k, 0.02, 0.1}, J = 0.01 * mass_of[k];
        const int x = turns_about[k];
        double at[3], spin[3] = {0}, u[3], ac[3];
        moved(at, acc, wd, w, p);
        turned(acc, at, x, -q[k]);
        turned(w, w, x, -q[k]);
        turned(wd, wd, x, -q[k]);
        spin[x] = v[k];
        cross(u, w, spin);
        for (int i = 0; i < 3; ++i) {
            wd[i] += u[i];
        }
        w[x] += v[k];
        wd[x] += a[k];
        moved(ac, acc, wd, w, com);
        for (int i = 0; i < 3; ++i) {
            F[k][i] = mass_of[k] * ac[i];
        }
        cross(u, com, F[k]);
        for (int i = 0; i < 3; ++i) {
            N[k][i] = J * wd[i] + u[i]; // a sphere: no gyroscopic part
        }
    }
    for (int k = HINGES - 1; k >= 0; --k) {
        tau[k] = N[k][turns_about[k]];
        if (k > 0) {
            const double p[3] = {0, 0, length_of[k]};
            double f[3], n[3], u[3];
            turned(f, F[k], turns_about[k], q[k]);
            turned(n, N[k], turns_about[k], q[k]);
            cross(u, p, f);
            for (int i = 0; i < 3; ++i) {
                F[k - 1][i] += f[i];
                N[k - 1][i] += n[i] + u[i];
            }
        }
    }
}

static void arm(double *yd, double t, const double *y)
{
    double A[HINGES][HINGES + 1], zero[HINGES] = {0.0}, h[HINGES];
    (void)t;
    inverse(h, y, y + HINGES, zero, g);
    for (int k = 0; k < HINGES; ++k) {
        double unit[HINGES] = {0.0}, column[HINGES];
        unit[k] = 1.0;
        inverse(column, y, zero, unit, 0.0);
        for (int i = 0; i < HINGES; ++i) {
            A[i][k] = column[i];
        }
        A[k][HINGES] = torque[k] - h[k];
        yd[k] = y[HINGES + k];
    }
    for (int k = 0; k < HINGES; ++k) { // positive definite: no pivots
        for (int i = 0; i < HINGES; ++i) {
            const double f = i != k ? A[i][k] / A[k][k] : 0.0;
            for (int j = k; j <= HINGES; ++j) {
                A[i][j] -= f * A[k][j];
            }
        }
    }
    for (int k = 0; k < HINGES; ++k) {
        yd[HINGES + k] = A[k][HINGES] / A[k][k];
    }
}

static void write_arm(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "<robot name=\"arm\"><link name=\"base\"/>\n");
    for (int k = 0; k < HINGES; ++k) {
        const int x = turns_about[k];
        const double J = 0.01 * mass_of[k];
        fprintf(
            file,
            "<joint name=\"j%d\" type=\"continuous\"><parent link=\"%s%.0d\"/><child link=\"l%d\"/><origin xyz=\"0 0 "
            "%.17g\"/>"
            "<axis xyz=\"%d %d %d\"/></joint>\n<link name=\"l%d\"><inertial><origin xyz=\"%.17g 0.02 0.1\"/><mass "
            "value=\"%.17g\"/>"
            "<inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n",
            k + 1, k == 0 ? "base" : "l", k, k + 1, length_of[k], x == 0, x == 1, x == 2, k + 1, 0.01 * k, mass_of[k],
            J, J, J);
    }
    fprintf(file, "</robot>\n");
    fclose(file);
}

static void an_arm_under_a_sampled_controller(void **state)
{
    char text[4096], set[2048] = "";
    double y[2 * HINGES] = {0.0};
    (void)state;
    write_arm("machines_arm.urdf");
    for (int k = 1; k <= HINGES; ++k) {
        const size_t n = strlen(set);
        snprintf(set + n, sizeof set - n,
                 "%s'arm.tau_j%d': '-%.17g*(arm.j%d.coordinate - 0.3) - %.17g*arm.j%d.coordinate_velocity'",
                 k > 1 ? ", " : "", k, gain[k - 1], k, damping[k - 1], k);
    }
    snprintf(text, sizeof text,
             "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'parts': [{'use': 'machines_arm.urdf', 'name': 'arm'}],"
             " 'events': [{'name': 'servo', 'every': 0.01, 'set': {%s}}], 'outputs': ['energy'], 'simulation': "
             "{'integrator': 'rk', 'step_rtol': 1e-9}}",
             set);
    text_sim o;
    text_sim_open(&o, text, NULL, 0);
    for (int sample = 0; sample < 40; ++sample) {
        for (int k = 0; k < HINGES; ++k) {
            torque[k] = -gain[k] * (y[k] - 0.3) - damping[k] * y[HINGES + k];
        }
        integrate(y, 2 * HINGES, arm, 0.0, 0.01, 20);
    }
    for (int k = 0; k < HINGES; ++k) {
        char name[32];
        snprintf(name, sizeof name, "arm.j%d.coordinate", k + 1);
        assert_near(text_sim_output(&o, name, 0.4), y[k], 1e-6);
    }
    assert_true(fabs(y[0]) > 0.1);
    text_sim_close(&o);
    remove("machines_arm.urdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_under_a_sampled_controller),
        cmocka_unit_test(a_half_car_on_a_bump),
        cmocka_unit_test(a_cam_lifts_its_follower),
        cmocka_unit_test(a_load_swings_on_its_rope),
        cmocka_unit_test(a_washing_machine_spins_up),
        cmocka_unit_test(cylinders_of_a_backhoe),
        cmocka_unit_test(a_rope_over_sheaves_has_one_tension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
