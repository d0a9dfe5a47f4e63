/* Wheels that lose their stability: shimmy with a relaxation length, hunting of wheelsets; and what the side force of a tyre is made of. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "dalembert/modes.h"
#include "io/text.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* The eigenvalue with im > least that grows most. */
static double complex most_growing(const char *text, const char *const *set, int nset, double least)
{
    text_sim o;
    dal_modal *modal;
    double complex most = -1e300;
    text_sim_open(&o, text, set, nset);
    const dal_point at = dal_sim_point(o.sim);
    check_ok(o.ctx, dal_modal_create(&modal, o.ctx, o.sys, dal_sim_data(o.sim), &at, NULL));
    for (int k = 0; k < dal_modal_about(modal).n; ++k) {
        const dal_mode mode = dal_modal_mode(modal, k);
        if (mode.im > least && mode.re > creal(most)) {
            most = mode.re + mode.im * I;
        }
    }
    dal_modal_destroy(modal);
    text_sim_close(&o);
    return most;
}

/* ---- a trailing wheel ------------------------------------------------------------------------- */

/* It swivels about a king pin that moves straight on with V; the tyre touches the ground e behind it. */
#define TRAILING                                                                                                      \
    "{'dalembert': 1, 'variables': {'V': 20, 'e': 0.1, 'sigma': 0.25, 'a': 0.06, 'lean': 0, 'turned': 0, 'Cg': 0},"   \
    " 'bodies': [{'name': 'carriage', 'mass': 100, 'inertia': 1, 'position': [0, 0, 0.3], 'velocity': ['V', 0, 0]},"  \
    "  {'name': 'fork', 'mass': 1e-3, 'inertia': [2, 2, 1.5], 'position': [0, 0, 0.29], 'velocity': ['V', 0, 0],"     \
    "   'rotation': {'axis': [0, 0, 1], 'angle': 'turned'}}],"                                                        \
    " 'joints': [{'name': 'track', 'type': 'prismatic', 'body_b': 'carriage', 'axis': [1, 0, 0]},"                    \
    "  {'name': 'pin', 'type': '{pin}', 'body_a': 'carriage', 'body_b': 'fork', 'axis': [0, 0, 1], 'point': [0, 0, "  \
    "0.3]}],"                                                                                                         \
    " 'words': {'pin': 'revolute'}, 'forces': [{'name': 'tyre', 'type': 'tyre', 'body_b': 'fork', 'frame_a': [0, 0, " \
    "0],"                                                                                                             \
    "   'frame_b': {'position': ['-e', 0, 0], 'axis': [0, 'cos(lean)', 'sin(lean)']}, 'radius': 0.3, 'stiffness': "   \
    "2e5,"                                                                                                            \
    "   'slip_stiffness': [1e-9, 30000], 'law': 'linear', 'half_length': 'a', 'relaxation_length': 'sigma',"          \
    "   'camber_stiffness': 'Cg'}%s],"                                                                                \
    " 'outputs': ['pin.force.y', 'pin.torque.z', 'tyre.force_value', 'energy', 'dissipated_energy', 'drive_work',"    \
    "  {'name': 'x', 'quantity': 'position', 'body': 'carriage', 'component': 'x'}], 'simulation': {'h': 0.001}}"
#define STEERING ", {'name': 'steer', 'type': 'spring', 'joint': 'pin', 'stiffness': 2000, 'damping': 2}"

/* (J s^2 + d s + k)(sigma s + V) + C (e + a/3)(e s + V) = 0: unstable at this speed, and stable with a longer trail. */
static void a_trailing_wheel_shimmies(void **state)
{
    static const char *const set[][3] = {
        {"V=20", "e=0.1", "sigma=0.25"}, {"V=60", "e=0.05", "sigma=0.4"}, {"V=20", "e=0.5", "sigma=0.25"}};
    static const double V[] = {20.0, 60.0, 20.0}, e[] = {0.1, 0.05, 0.5}, sigma[] = {0.25, 0.4, 0.25};
    char text[4096];
    (void)state;
    snprintf(text, sizeof text, TRAILING, STEERING);
    for (int k = 0; k < 3; ++k) {
        const double complex s = most_growing(text, set[k], 3, 1.0);
        const double complex moves = (1.5 * s * s + 2.0 * s + 2000.0) * (sigma[k] * s + V[k]),
                             pushed = 30000.0 * (e[k] + 0.02) * (e[k] * s + V[k]);
        assert_near(cabs(moves + pushed), 0.0, 1e-6 * cabs(moves));
        assert_int_equal(creal(s) > 0.0, k < 2);
    }
}

/* A wheel that is held at a slip angle from the start on: its side force grows as 1 - exp(-x/sigma) of the way. */
static void the_side_force_follows_over_the_relaxation_length(void **state)
{
    static const char *const set[] = {"pin=fixed", "turned=0.02", "e=0"};
    char text[4096];
    text_sim o;
    (void)state;
    snprintf(text, sizeof text, TRAILING, "");
    text_sim_open(&o, text, set, 3);
    const double before = text_sim_output(&o, "energy", 0.0);
    for (int k = 1; k <= 5; ++k) {
        const double F = text_sim_output(&o, "pin.force.y", 0.01 * k), x = text_sim_output(&o, "x", 0.0);
        // the speed of rolling is V cos(0.02), the slip V sin(0.02); the carriage hardly slows down
        const double full = 30000.0 * tan(0.02), grown = 1.0 - exp(-x * cos(0.02) / 0.25);
        assert_near_rel(-F, full * grown * cos(0.02), 2e-3);
        assert_near_rel(text_sim_output(&o, "pin.torque.z", 0.0), full * grown * 0.02, 2e-3);
    }
    dal_tangent_report report;
    const dal_point at = dal_sim_point(o.sim);
    check_ok(o.ctx, dal_system_check(o.ctx, o.sys, &report, &at, 1e-4));
    assert_near(text_sim_output(&o, "energy", 0.0) + text_sim_output(&o, "dissipated_energy", 0.0) - before, 0.0, 1e-3);
    text_sim_close(&o);
}

/* A wheel that leans by gamma and runs straight on is pushed to where it leans, with C_gamma gamma. */
static void a_leaning_wheel_is_pushed_to_its_side(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof text, TRAILING, "");
    for (int k = 0; k < 4; ++k) {
        char lean[32];
        snprintf(lean, sizeof lean, "lean=%g deg", 5.0 * (k % 2 == 0 ? 1.0 : -1.0));
        const char *const set[] = {"pin=fixed", "e=0", "Cg=1500", lean, k / 2 == 0 ? "sigma=0" : "sigma=0.3"};
        text_sim o;
        text_sim_open(&o, text, set, 5);
        // leaning by a positive angle turns the top to -y
        const double gamma = 5.0 * pi / 180.0 * (k % 2 == 0 ? 1.0 : -1.0);
        assert_near(text_sim_output(&o, "pin.force.y", 0.05), 1500.0 * gamma, 1e-6);
        text_sim_close(&o);
    }
}

static void what_rollers_lack_is_named(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_document *doc = NULL;
    check_fails(ctx,
                text_body(&doc, ctx,
                          "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 1}], 'forces': [{'name': 'f', 'type': "
                          "'tyre', 'body_b': 'b', 'frame_b': [0, 0, 0], 'radius': 1, 'stiffness': 1, "
                          "'slip_stiffness': [1, 1], 'rollers': true, 'relaxation_length': 1}]"),
                DAL_EINVAL, "no relaxation_length");
    check_ctx_free(ctx);
}

/* ---- wheelsets -------------------------------------------------------------------------------- */

/* Springs to a carriage that moves straight on hold the axle, along and across, at y = +-1 m. The rails lie so that wheels touch at y = +-b with
 * the radius r_0. */
#define WHEELSET                                                                                                     \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'variables': {'r0': 0.46, 'b': 0.75, 'c': 0.05, 'V': 30, 'k': 1e9, " \
    "'m': 1800, 'Iy': 0.001, 'g': 'atan(c)', 'R': 0.3, 'z0': 'r0 - m*9.81/(2*k*cos(g)^2)', 'yr': 'b + R*sin(g)', "   \
    "'zr': 'R*(1 - cos(g))'},"                                                                                       \
    " 'bodies': [{'name': 'carriage', 'mass': 1e4, 'inertia': 1e4, 'position': [0, 0, 'z0'], 'velocity': ['V', 0, "  \
    "0]},"                                                                                                           \
    "  {'name': 'set', 'mass': 'm', 'inertia': [900, 'Iy', 900], 'position': [0, 0, 'z0'], 'velocity': ['V', 0, 0]," \
    "   'angular_velocity': [0, 'V/r0', 0]}],"                                                                       \
    " 'joints': [{'name': 'track', 'type': 'prismatic', 'body_b': 'carriage', 'axis': [1, 0, 0]}],"                  \
    " 'forces': [{'repeat': 'i', 'to': 2, 'with': {'s': '3 - 2*i'}, 'items': ["                                      \
    "  {'name': 'wheel{i}', 'type': 'rail', 'body_b': 'set', 'frame_a': [0, 's*yr', 'zr'], 'frame_b': {'position': " \
    "[0, 's*b', 0], 'axis': [0, 's', 0]}, 'radius': 'r0', 'cone': 'g', 'radius_a': 'R', 'stiffness': 'k',"           \
    "   'damping': 2e6, 'creep': [1e7, 8e6, 0, 0]},"                                                                 \
    "  {'name': 'spring{i}', 'type': 'cartesian', 'body_a': 'carriage', 'body_b': 'set', 'point': [0, 's', 'z0'],"   \
    "   'stiffness': [5e5, 2e5, 0]}]}],"                                                                             \
    " 'simulation': {'h': 0.001}}"

/* Two freedoms y and psi: m y'' + E (y'/V - psi) + K y = 0, I psi'' + D psi'/V + (D c/(b r_0)) y + L psi = 0 with D = 2 f_11 b^2, E = 2 f_22,
 * lose their stability at D E/V^2 = (a (m D + I E)^2 + m I N^2)/(N (m D + I E)) - (m L + I K), N = D K + E L, a = K L + E D c/(b r_0). */
static double critical_speed(double c)
{
    const double m = 1800.0, J = 900.0, D = 2.0 * 1e7 * 0.75 * 0.75, E = 2.0 * 8e6, K = 2.0 * 2e5, L = 2.0 * 5e5;
    const double N = D * K + E * L, S = m * D + J * E, a = K * L + E * D * c / (0.75 * 0.46);
    return sqrt(D * E / ((a * S * S + m * J * N * N) / (N * S) - (m * L + J * K)));
}

/* What the two freedoms leave out, the roll of the set and its weight, is of the order of the conicity. */
static void wheelsets_have_a_critical_speed(void **state)
{
    static const double conicity[] = {0.05, 0.0125};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        double low = 20.0, high = 200.0;
        char c[32], V[32];
        snprintf(c, sizeof c, "c=%g", conicity[k]);
        const char *const set[] = {c, V};
        while (high - low > 1e-4) {
            const double mid = 0.5 * (low + high);
            snprintf(V, sizeof V, "V=%.17g", mid);
            *(creal(most_growing(WHEELSET, set, 2, 1.0)) > 0.0 ? &high : &low) = mid;
        }
        assert_near_rel(low, critical_speed(conicity[k]), k == 0 ? 1e-3 : 3e-4);
    }
}

/* The spin of the wheels couples roll and yaw: G = I_y (V/r_0)(c/b) enters both equations. At 66 m/s it takes away a growth of 0.18 1/s. */
static double complex polynomial(double complex s, double Iy)
{
    const double c = 0.05, V = 66.0, G = Iy * V / 0.46 * c / 0.75, D = 2.0 * 1e7 * 0.75 * 0.75, E = 2.0 * 8e6;
    const double complex yy = 1800.0 * s * s + E / V * s + 4e5, pp = 900.0 * s * s + D / V * s + 1e6;
    return yy * pp + (E + G * s) * (D * c / (0.75 * 0.46) + G * s);
}

static void spin_of_the_wheels_counts(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const char *const set[] = {k == 0 ? "Iy=0.001" : "Iy=100", "V=66"};
        const double Iy = k == 0 ? 0.0 : 100.0;
        double complex s = 25.0 * I;
        for (int i = 0; i < 20; ++i) {
            s -= polynomial(s, Iy) * 2e-5 / (polynomial(s + 1e-5, Iy) - polynomial(s - 1e-5, Iy));
        }
        const double complex found = most_growing(WHEELSET, set, 2, 24.0);
        assert_near(creal(found), creal(s), 0.01);
        assert_near_rel(cimag(found), cimag(s), 0.012);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trailing_wheel_shimmies),
        cmocka_unit_test(the_side_force_follows_over_the_relaxation_length),
        cmocka_unit_test(a_leaning_wheel_is_pushed_to_its_side),
        cmocka_unit_test(what_rollers_lack_is_named),
        cmocka_unit_test(wheelsets_have_a_critical_speed),
        cmocka_unit_test(spin_of_the_wheels_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
