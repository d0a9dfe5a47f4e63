/* Modes of models against closed forms, published values and simulations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/at.h"

static const double pi = 3.14159265358979323846;

static dal_modal *modes(model_at *m, int n, dal_modal_solver solver)
{
    const dal_modal_options opt = {.n = n, .solver = solver};
    dal_modal *modal;
    check_ok(m->ctx, dal_modal_create(&modal, m->ctx, m->sys, dal_sim_data(m->sim), &m->at, &opt));
    return modal;
}

/* Distance of the nearest eigenvalue. */
static double nearest(const dal_modal *modal, double re, double im)
{
    double best = INFINITY;
    for (int k = 0; k < dal_modal_about(modal).n; ++k) {
        const dal_mode mode = dal_modal_mode(modal, k);
        best = mode.rigid ? best : fmin(best, hypot(mode.re - re, mode.im - im));
    }
    return best;
}

/* ---- bicycle ---------------------------------------------------------------------------------- */

/* Meijaard, Papadopoulos, Ruina, Schwab (2007): v, weave (re, im), capsize, castering */
static const double table[][5] = {
    {1, 3.52696170990070, 0.80774027519930, -3.13423125066578, -7.11008014637442},
    {2, 2.68234517512745, 1.68066296590675, -3.07158645641514, -8.67387984831735},
    {3, 1.70675605663975, 2.31582447384325, -2.63366137253667, -10.3510146724592},
    {4, 0.41325331521125, 3.07910818603206, -1.42944427361326, -12.15861426576447},
    {5, -0.77534188219585, 4.46486771378823, -0.32286642900409, -14.07838969279822},
    {10, -3.72016840437287, 10.90681139476287, 0.16105338653172, -24.62459635017404},
};

static void bicycle_has_the_published_eigenvalues(void **state)
{
    for (size_t k = 0; k < LEN(table); ++k) {
        char v[32];
        snprintf(v, sizeof v, "v=%g", table[k][0]);
        model_at m = model_open("bicycle", v, NULL);
        dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
        const dal_modal_info info = dal_modal_about(modal);
        assert_int_equal(info.steady, DAL_STEADINESS_STEADY);
        assert_int_equal(info.axes, DAL_AXES_WORLD);
        assert_int_equal(info.positions, 7);
        assert_int_equal(info.velocities, 3);
        assert_int_equal(info.zeros, 6);
        assert_near(nearest(modal, table[k][1], table[k][2]), 0.0, 1e-12);
        assert_near(nearest(modal, table[k][3], 0.0), 0.0, 1e-12);
        assert_near(nearest(modal, table[k][4], 0.0), 0.0, 1e-12);
        dal_modal_destroy(modal);
        model_close(&m);
    }
}

static void bicycle_at_rest_falls_and_steers(void **state)
{
    static const double want[] = {3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393};
    model_at m = model_open("bicycle", "v=0", NULL);
    dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
    assert_int_equal(dal_modal_about(modal).steady, DAL_STEADINESS_AT_REST);
    for (size_t k = 0; k < LEN(want); ++k) {
        assert_near(nearest(modal, want[k], 0.0), 0.0, 1e-12);
    }
    assert_int_equal(dal_modal_about(modal).unstable, 2);
    dal_modal_destroy(modal);
    model_close(&m);
}

/* Growth of weave (the pair) or of capsize (the slowest real one). */
static double growth(double v, int weave)
{
    char set[48];
    snprintf(set, sizeof set, "v=%.17g", v);
    model_at m = model_open("bicycle", set, NULL);
    dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
    double re = -INFINITY;
    for (int k = 0; k < dal_modal_about(modal).n; ++k) {
        const dal_mode mode = dal_modal_mode(modal, k);
        re = !mode.rigid && (mode.im > 0.0) == weave ? fmax(re, mode.re) : re;
    }
    dal_modal_destroy(modal);
    model_close(&m);
    return re;
}

static void bicycle_is_stable_between_weave_and_capsize_speed(void **state)
{
    static const double speed[] = {6.02426201538837, 4.29238253634111};
    for (int weave = 0; weave < 2; ++weave) {
        double a = speed[weave] - 1e-3, b = speed[weave] + 1e-3, fa = growth(a, weave), fb = growth(b, weave);
        assert_true(fa * fb < 0.0);
        for (int k = 0; k < 3; ++k) { // secant, stopped before rounding decides
            const double c = b - fb * (b - a) / (fb - fa);
            if (fabs(c - b) < 1e-8) {
                b = c;
                break;
            }
            a = b;
            fa = fb;
            b = c;
            fb = growth(c, weave);
        }
        assert_near(b, speed[weave], 1e-10);
    }
}

static dal_status bicycle_modes(dal_modal **modal, double v, int i, void *user)
{
    char set[48];
    snprintf(set, sizeof set, "v=%.17g", v);
    model_at m = model_open("bicycle", set, NULL);
    const dal_status st = dal_modal_create(modal, user, m.sys, dal_sim_data(m.sim), &m.at, NULL);
    model_close(&m);
    return st;
}

/* Weave and capsize speed as limits of stability, from values far apart; each belongs to the mode that loses its growth there. */
static void limits_of_stability_are_located_between_values(void **state)
{
    static const double v[] = {3.5, 5.0, 6.5}, order[] = {1.0}, want[] = {4.29238253634111, 6.02426201538837};
    dal_ctx *ctx;
    dal_campbell *c;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    const dal_campbell_spec spec = {
        .n = 3, .p = v, .norders = 1, .order = order, .unit = 1.0, .modes = bicycle_modes, .user = ctx};
    assert_int_equal(dal_campbell_create(&c, ctx, &spec), DAL_OK);
    const dal_campbell_info info = dal_campbell_about(c);
    int limits = 0;
    for (int k = 0; k < info.ncrossings; ++k) {
        const dal_crossing x = info.crossing[k];
        if (x.order > 0.0) { // the wheel line: the frequency there is the parameter
            assert_near_rel(6.283185307179586 * x.frequency, x.p, 1e-9);
            continue;
        }
        assert_true(limits < 2);
        assert_near(x.p, want[limits % 2], 1e-9);
        const int before = dal_campbell_mode(c, limits, x.track), after = dal_campbell_mode(c, limits + 1, x.track);
        assert_true(dal_modal_mode(dal_campbell_modal(c, limits), before).re *
                        dal_modal_mode(dal_campbell_modal(c, limits + 1), after).re <
                    0.0);
        ++limits;
    }
    assert_int_equal(limits, 2);
    assert_int_equal(dal_modal_growing(dal_campbell_modal(c, 0)), 2);
    assert_int_equal(dal_modal_growing(dal_campbell_modal(c, 1)), 0);
    assert_int_equal(dal_campbell_mode(c, 3, 0), -1);
    double growth[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int t = 0; t < info.ntracks; ++t) { // branches are the modes that are followed
        double x[DAL_BRANCH_NUMBERS][3];
        for (int what = 0; what < DAL_BRANCH_NUMBERS; ++what) {
            dal_campbell_branch(c, x[what], t, (dal_branch_number)what);
        }
        for (int i = 0; i < 3; ++i) {
            const int k = dal_campbell_mode(c, i, t);
            growth[i] = fmax(growth[i], x[DAL_BRANCH_GROWTH][i]);
            assert_int_equal(isnan(x[DAL_BRANCH_RE][i]), k < 0);
            assert_true(k < 0 || x[DAL_BRANCH_IM][i] == dal_modal_mode(dal_campbell_modal(c, i), k).im);
            assert_true(isnan(x[DAL_BRANCH_SWING][i]) || x[DAL_BRANCH_SWING][i] == x[DAL_BRANCH_FREQUENCY][i]);
            assert_true(t < info.ntracks - 1 || dal_campbell_growth(c, i) == growth[i]);
        }
    }
    dal_campbell_destroy(c);
    dal_ctx_destroy(ctx);
}

/* ---- chains and pendulums --------------------------------------------------------------------- */

static void sparse_and_dense_agree_on_a_chain(void **state)
{
    model_at m = model_open("hanging_chain", "N=60", NULL);
    dal_modal *dense = modes(&m, 15, DAL_MODAL_DENSE), *sparse = modes(&m, 15, DAL_MODAL_SPARSE);
    assert_int_equal(dal_modal_about(sparse).n, 15);
    assert_int_equal(dal_modal_about(sparse).sparse, 1);
    for (int k = 0; k < 15; ++k) {
        const dal_mode a = dal_modal_mode(dense, k), b = dal_modal_mode(sparse, k);
        assert_near_rel(b.im, a.im, 1e-9);
        assert_near(b.re / a.im, 0.0, 1e-9);
        assert_near(dal_modal_assurance(dal_modal_shape(dense, k), dal_modal_shape(sparse, k), m.sys->group->nv), 1.0,
                    1e-9);
    }
    assert_near_rel(dal_modal_about(sparse).highest, dal_modal_about(dense).highest, 0.02);
    dal_modal_destroy(dense);
    dal_modal_destroy(sparse);
    model_close(&m);
}

/* With spherical joints every link may turn about its axis: as many rigid modes as links, and two planes to swing in. */
static void rigid_modes_do_not_hide_the_others(void **state)
{
    model_at m = model_open("hanging_chain", "N=40", "joint=spherical");
    const dal_modal_options opt = {.n = 6, .solver = DAL_MODAL_SPARSE};
    dal_modal *sparse, *dense = modes(&m, 6, DAL_MODAL_DENSE);
    assert_int_equal(dal_modal_about(dense).rigid, 40);
    assert_int_equal(dal_modal_about(dense).n, 12);
    check_ok(m.ctx, dal_modal_create(&sparse, m.ctx, m.sys, NULL, &m.at, &opt));
    const int n = dal_modal_about(sparse).n;
    assert_true(n >= 7 && dal_modal_about(sparse).rigid == n - 6);
    for (int k = 0; k < 6; ++k) {
        assert_near_rel(dal_modal_mode(sparse, n - 6 + k).im, dal_modal_mode(dense, 6 + k).im, 1e-9);
    }
    dal_modal_destroy(sparse);
    dal_modal_destroy(dense);
    model_close(&m);
}

/* Six rigid modes, each with a displacement and a velocity; the others as the dense solver has them, none damped. */
static void a_free_beam_has_six_rigid_modes(void **state)
{
    model_at m = model_open("flying_spaghetti", NULL, NULL);
    dal_modal *dense = modes(&m, 8, DAL_MODAL_DENSE), *sparse = modes(&m, 8, DAL_MODAL_SPARSE);
    assert_int_equal(dal_modal_about(sparse).sparse, 1);
    assert_int_equal(dal_modal_about(sparse).rigid, 6);
    assert_int_equal(dal_modal_about(sparse).zeros, 12);
    for (int k = 6; k < 14; ++k) {
        const dal_mode b = dal_modal_mode(sparse, k);
        assert_near(nearest(dense, 0.0, b.im) / b.im, 0.0, 1e-9);
        assert_near(b.re / b.im, 0.0, 1e-9);
    }
    dal_modal_destroy(sparse);
    dal_modal_destroy(dense);
    model_close(&m);
}

/* A top that hangs swings in two planes with s^2 = -m g l/(J + m l^2) and may turn about its axis, in whatever coordinates and by
 * whatever solver. */
static void a_hanging_top_is_a_pendulum(void **state)
{
    static const char *const coordinates[] = {"coordinates=r3so3", "coordinates=se3", "coordinates=euler_parameters"};
    const double want = sqrt(15.0 * 9.81 / (15.0 + 0.234375));
    for (int c = 0; c < 3; ++c) {
        model_at m = model_open("heavy_top", coordinates[c], "initial=static");
        for (int solver = DAL_MODAL_AUTO; solver <= DAL_MODAL_SPARSE; ++solver) {
            dal_modal *modal = modes(&m, 0, (dal_modal_solver)solver);
            assert_int_equal(dal_modal_about(modal).n, 3);
            assert_int_equal(dal_modal_about(modal).rigid, 1);
            for (int k = 1; k < 3; ++k) {
                assert_near(dal_modal_mode(modal, k).re, 0.0, 1e-12);
                assert_near(dal_modal_mode(modal, k).im, want, 1e-12);
            }
            dal_modal_destroy(modal);
        }
        model_close(&m);
    }
}

/* Bricard's mechanism as it is released. */
static void dependent_rows_are_left_out_of_large_systems(void **state)
{
    model_at m = model_open("bricard", "redundant=drop", NULL);
    const dal_modal_options opt = {.n = 2, .solver = DAL_MODAL_SPARSE};
    dal_modal *sparse, *dense = modes(&m, 2, DAL_MODAL_DENSE);
    assert_int_equal(dal_modal_about(dense).redundant, 1);
    if (dal_modal_create(&sparse, m.ctx, m.sys, NULL, &m.at, &opt) == DAL_OK) {
        assert_int_equal(dal_modal_about(sparse).redundant, 1);
        assert_near(hypot(dal_modal_mode(sparse, 0).re - dal_modal_mode(dense, 0).re,
                          dal_modal_mode(sparse, 0).im - dal_modal_mode(dense, 0).im),
                    0.0, 1e-8);
        dal_modal_destroy(sparse);
    }
    dal_modal_destroy(dense);
    model_close(&m);
}

/* A free body about its axis of middle inertia: s = +- W sqrt((I2 - I1)(I3 - I2)/(I1 I3)), in axes that turn with it. */
static void spinning_about_the_middle_axis_is_unstable(void **state)
{
    static const char text[] = "{\"dalembert\": 1, \"name\": \"free\", \"bodies\": [{\"name\": \"body\", \"mass\": 1,"
                               "\"inertia\": [1, 2, 3], \"angular_velocity\": [0, 4, 0]}],"
                               "\"simulation\": {\"t_end\": 1, \"h\": 0.01}}";
    model_at m = model_open(text, NULL, NULL);
    dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
    assert_int_equal(dal_modal_about(modal).steady, DAL_STEADINESS_STEADY);
    assert_int_equal(dal_modal_about(modal).axes, DAL_AXES_TURNING);
    assert_int_equal(dal_modal_about(modal).unstable, 1);
    assert_near(nearest(modal, 4.0 * sqrt(1.0 / 3.0), 0.0), 0.0, 1e-12);
    assert_near(nearest(modal, -4.0 * sqrt(1.0 / 3.0), 0.0), 0.0, 1e-12);
    dal_modal_destroy(modal);
    model_close(&m);
}

/* The continuous chain: omega = j_k/2 sqrt(g/l), j_k zeros of J0. The error of N links falls like 1/N^2. */
static void frequencies_of_a_chain_approach_zeros_of_a_bessel_function(void **state)
{
    static const double zero[] = {2.404825557695773, 5.520078110286311, 8.653727912911012};
    static const char *const set[] = {"N=20", "N=40"};
    double error[2][3];
    for (int i = 0; i < 2; ++i) {
        model_at m = model_open("hanging_chain", set[i], NULL);
        dal_modal *modal = modes(&m, 3, DAL_MODAL_AUTO);
        for (int k = 0; k < 3; ++k) {
            error[i][k] = dal_modal_mode(modal, k).im / (0.5 * zero[k] * sqrt(9.81)) - 1.0;
        }
        dal_modal_destroy(modal);
        model_close(&m);
    }
    for (int k = 0; k < 3; ++k) {
        assert_near(log2(error[0][k] / error[1][k]), 2.0, 0.1);
    }
}

static void double_pendulum_at_rest_has_its_two_frequencies(void **state)
{
    // rods of length and mass 1: M = [4/3 1/2; 1/2 1/3], K = g diag(3/2, 1/2)
    model_at m = model_open("double_pendulum", "angle1=0", "angle2=0");
    dal_modal *modal = modes(&m, 5, DAL_MODAL_AUTO);
    const double a = 4.0 / 9.0 - 0.25, b = -9.81 * (4.0 / 6.0 + 0.5), c = 9.81 * 9.81 * 0.75;
    const double r = sqrt(b * b - 4.0 * a * c);
    assert_int_equal(dal_modal_about(modal).n, 2);
    assert_int_equal(dal_modal_about(modal).unstable, 0);
    assert_near_rel(dal_modal_mode(modal, 0).im, sqrt((-b - r) / (2.0 * a)), 1e-12);
    assert_near_rel(dal_modal_mode(modal, 1).im, sqrt((-b + r) / (2.0 * a)), 1e-12);
    dal_modal_destroy(modal);
    model_close(&m);
}

static void spring_chain_has_damped_sine_frequencies(void **state)
{
    static const char text[] =
        "{\"dalembert\": 1, \"name\": \"springs\", \"variables\": {\"N\": 8, \"k\": 50, \"m\": 2, \"lag\": 1e-3},"
        "\"bodies\": [{\"repeat\": \"i\", \"to\": \"N\", \"items\": [{\"name\": \"b{i}\", \"mass\": \"m\", "
        "\"inertia\": [1, 1, 1],"
        "\"position\": [\"i\", 0, 0]}]}],"
        "\"joints\": [{\"repeat\": \"i\", \"to\": \"N\", \"items\": [{\"name\": \"j{i}\", \"type\": \"prismatic\","
        "\"body_b\": \"b{i}\", \"point\": [\"i\", 0, 0], \"axis\": [1, 0, 0]}]}],"
        "\"forces\": [{\"name\": \"s0\", \"type\": \"spring\", \"body_b\": \"b1\", \"point_a\": [0, 0, 0], "
        "\"point_b\": [1, 0, 0],"
        "\"stiffness\": \"k\", \"damping\": \"lag*k\", \"reference\": 1},"
        "{\"repeat\": \"i\", \"from\": 2, \"to\": \"N\", \"items\": [{\"name\": \"s{i}\", \"type\": \"spring\","
        "\"body_a\": \"b{i-1}\", \"body_b\": \"b{i}\", \"point_a\": [\"i-1\", 0, 0], \"point_b\": [\"i\", 0, 0],"
        "\"stiffness\": \"k\", \"damping\": \"lag*k\", \"reference\": 1}]},"
        "{\"name\": \"end\", \"type\": \"spring\", \"body_b\": \"b{N}\", \"point_a\": [\"N+1\", 0, 0],"
        "\"point_b\": [\"N\", 0, 0], \"stiffness\": \"k\", \"damping\": \"lag*k\", \"reference\": 1}],"
        "\"simulation\": {\"t_end\": 1, \"h\": 0.01}}";
    model_at m = model_open(text, NULL, NULL);
    dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
    assert_int_equal(dal_modal_about(modal).n, 8);
    for (int k = 0; k < 8; ++k) {
        const double w = 2.0 * sqrt(25.0) * sin((k + 1) * pi / 18.0); // stiffness-proportional damping: ratio beta w/2
        const dal_mode mode = dal_modal_mode(modal, k);
        assert_near_rel(hypot(mode.re, mode.im), w, 1e-12);
        assert_near(mode.damping, 0.5e-3 * w, 1e-12);
    }
    dal_modal_destroy(modal);
    model_close(&m);
}

/* ---- spinning --------------------------------------------------------------------------------- */

/* Translations: sqrt(2 k/m). Tilting: (Jt s^2 + Ky)(Jt s^2 + Kz) + Jp^2 spin^2 s^2 = 0. */
static void rotor_has_gyroscopic_frequencies(void **state)
{
    static const double spins[] = {0.0, 150.0, 500.0};
    for (size_t i = 0; i < LEN(spins); ++i) {
        char set[32];
        snprintf(set, sizeof set, "spin=%g", spins[i]);
        model_at m = model_open("rotor", set, NULL);
        dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
        const double J = 0.4, P = 0.1, Ky = 2 * 2e5 * 0.0625, Kz = 2 * 3e5 * 0.0625;
        const double b = J * (Ky + Kz) + P * P * spins[i] * spins[i], r = sqrt(b * b - 4.0 * J * J * Ky * Kz);
        const double want[] = {sqrt(4e4), sqrt(6e4), sqrt(8e4), sqrt((b - r) / (2 * J * J)),
                               sqrt((b + r) / (2 * J * J))};
        for (size_t k = 0; k < LEN(want); ++k) {
            assert_near(nearest(modal, 0.0, want[k]) / want[k], 0.0, 1e-12);
        }
        assert_int_equal(dal_modal_about(modal).rigid, 1);
        assert_int_equal(dal_modal_about(modal).axes, DAL_AXES_WORLD);
        dal_modal_destroy(modal);
        model_close(&m);
    }
}

static const char precessing[] =
    "{\"dalembert\": 1, \"name\": \"precession\", \"words\": {\"type\": \"r3so3\"},"
    "\"variables\": {\"m\": 2, \"l\": 0.3, \"A\": 0.25, \"C\": 0.05, \"g\": 9.81, \"theta\": 0.6, \"W\": 3,"
    "\"spin3\": \"(A*W^2*cos(theta) + m*g*l)/(C*W)\"},"
    "\"gravity\": [0, 0, \"-g\"],"
    "\"bodies\": [{\"name\": \"top\", \"type\": \"{type}\", \"mass\": \"m\", \"inertia\": [\"A - m*l^2\", \"A - "
    "m*l^2\", \"C\"],"
    "\"com\": [0, 0, \"l\"], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": \"theta\"},"
    "\"angular_velocity\": [0, \"W*sin(theta)\", \"spin3\"]}],"
    "\"joints\": [{\"name\": \"tip\", \"type\": \"spherical\", \"body_b\": \"top\"}],"
    "\"simulation\": {\"t_end\": 1, \"h\": 0.001}}";

/* Nutation of the regular precession: n^2 = W^2 - 2 (m g l/A) cos(theta) + (m g l/(A W))^2 */
static void nutation_of_a_precessing_top_in_turning_axes(void **state)
{
    static const char *const types[] = {"type=r3so3", "type=se3"};
    for (size_t i = 0; i < LEN(types); ++i) {
        model_at m = model_open(precessing, types[i], NULL);
        dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
        const dal_modal_info info = dal_modal_about(modal);
        const double W = 3.0, s = 2.0 * 9.81 * 0.3 / 0.25;
        assert_int_equal(info.steady, DAL_STEADINESS_STEADY);
        assert_int_equal(info.axes, DAL_AXES_TURNING);
        assert_near(info.turning[2], W, 1e-9);
        assert_near(nearest(modal, 0.0, sqrt(W * W - 2.0 * s * cos(0.6) + s * s / (W * W))), 0.0, 1e-10);
        assert_int_equal(info.rigid, 2); // about the vertical and about its own axis
        dal_modal_destroy(modal);
        model_close(&m);
    }
}

/* ---- beams ------------------------------------------------------------------------------------ */

static void beams_have_the_frequencies_of_euler_and_bernoulli(void **state)
{
    static const struct {
        const char *boundary, *joint;
        int rigid;
        double beta[3];
    } cases[] = {{"free", "", 6, {4.730040744862704, 7.853204624095838, 10.995607838001671}},
                 {"clamped",
                  "{\"name\": \"wall\", \"type\": \"fixed\", \"body_b\": \"beam/A\"}",
                  0,
                  {1.875104068711961, 4.694091132974175, 7.854757438237613}}};
    for (size_t i = 0; i < LEN(cases); ++i) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "{\"dalembert\": 1, \"name\": \"beam\", \"bodies\": [{\"name\": \"beam\", \"type\": \"flexible\", "
            "\"beam\": {"
            "\"length\": 1, \"E\": 2.1e11, \"density\": 7800, \"area\": 1e-4, \"Iy\": 8e-10, \"Iz\": 8e-10, "
            "\"slender\": true,"
            "\"elements\": 40, \"kinds\": [\"bending_y\"], \"boundary\": \"%s\", \"modes\": 8}}], \"joints\": [%s],"
            "\"simulation\": {\"t_end\": 1, \"h\": 1e-4}}",
            cases[i].boundary, cases[i].joint);
        model_at m = model_open(text, NULL, NULL);
        dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
        const double unit = sqrt(2.1e11 * 8e-10 / (7800 * 1e-4));
        assert_int_equal(dal_modal_about(modal).rigid, cases[i].rigid);
        for (int k = 0; k < 3; ++k) {
            const double want = cases[i].beta[k] * cases[i].beta[k] * unit;
            assert_near(nearest(modal, 0.0, want) / want, 0.0, 1e-4);
        }
        dal_modal_destroy(modal);
        model_close(&m);
    }
}

/* The cantilever with ever shorter elements: the error falls like h^4 down to rounding, and stays there. */
static void short_elements_lose_no_digits(void **state)
{
    static const double beta[] = {1.875104068711961167, 4.694091132974174576, 7.854757438237612565};
    static const int elements[] = {10, 20, 40, 80, 320};
    const double unit = sqrt(2.1e11 * 8e-10 / (7800 * 1e-4));
    for (size_t i = 0; i < LEN(elements); ++i) {
        char set[32];
        snprintf(set, sizeof set, "n=%d", elements[i]);
        model_at m = model_open("{\"dalembert\": 1, \"variables\": {\"n\": 10}, \"bodies\": [{\"name\": \"beam\", "
                                "\"type\": \"flexible\", \"beam\": "
                                "{\"length\": 1, \"E\": 2.1e11, \"density\": 7800, \"area\": 1e-4, \"Iy\": 8e-10, "
                                "\"Iz\": 8e-10, \"slender\": "
                                "true, \"elements\": \"n\", \"kinds\": [\"bending_y\"], \"boundary\": \"clamped\", "
                                "\"modes\": 8}}], \"joints\": "
                                "[{\"name\": \"wall\", \"type\": \"fixed\", \"body_b\": \"beam/A\"}]}",
                                set, NULL);
        dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
        for (int k = 0; k < 3; ++k) {
            const double want = beta[k] * beta[k] * unit, h4 = pow(beta[k] / elements[i], 4.0);
            assert_near(nearest(modal, 0.0, want) / want, h4 / 1440.0, 0.1 * h4 / 1440.0 + 1e-12);
        }
        dal_modal_destroy(modal);
        model_close(&m);
    }
}

/* ---- linearised against simulated ------------------------------------------------------------- */

/* Perturb by eps times the real part of a shape, d and w, and let the nonlinear model run: how far is it from
 * Re(exp(s t) shape) after a time? In world axes w = s d about the straight motion of a bicycle. */
static double departure(model_at *m, const dal_modal *modal, int k, double eps, double t)
{
    const dal_group *G = m->sys->group;
    const dal_mode mode = dal_modal_mode(modal, k);
    const double *shape = dal_modal_shape(modal, k);
    double d[64], q[64], v[64], want[64], got[64] = {0.0}, q1[64], error = 0.0;
    for (int i = 0; i < G->nv; ++i) {
        d[i] = eps * shape[i];
        v[i] = m->at.v[i] + eps * (mode.re * shape[i] - mode.im * shape[G->nv + i]);
        want[i] = eps * exp(mode.re * t) * (cos(mode.im * t) * shape[i] - sin(mode.im * t) * shape[G->nv + i]);
    }
    dal_retract(G, q, m->at.q, d);
    dal_options opt = *dal_sim_options(m->sim);
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.formulation = DAL_FORMULATION_DEFAULT; // of generalized-alpha
    opt.h = t / 20;
    dal_sim *sim;
    check_ok(m->ctx, dal_sim_create(&sim, m->ctx, m->sys, &opt));
    check_ok(m->ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    check_ok(m->ctx, dal_sim_run(sim, NULL, t));
    for (int i = 0; i < G->nv;
         ++i) { // the straight motion after that time; about it perturbations are read in world axes
        d[i] = t * m->at.v[i];
    }
    dal_retract(G, q1, m->at.q, d);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *p = dal_sim_state(sim).q + F->q, *p0 = q1 + F->q, back[4] = {p0[3], -p0[4], -p0[5], -p0[6]};
        double turn[4];
        dal_quat_mul(turn, p + 3, back);
        dal_quat_to_vector(got + F->v + 3, turn);
        for (int i = 0; i < 3; ++i) {
            got[F->v + i] = p[i] - p0[i];
        }
    }
    // at the start body and world axes of all bodies coincide
    for (int i = 0; i < G->nv; ++i) {
        error = fmax(error, fabs(got[i] - want[i]));
    }
    dal_sim_destroy(sim);
    return error;
}

static void simulated_small_motion_of_the_bicycle_is_that_of_its_modes(void **state)
{
    model_at m = model_open("bicycle", "v=4.6", NULL);
    dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
    int weave = 0;
    while (dal_modal_mode(modal, weave).im == 0.0) {
        ++weave;
    }
    const double a = departure(&m, modal, weave, 4e-3, 0.5), b = departure(&m, modal, weave, 2e-3, 0.5);
    assert_near(log2(a / b), 2.0, 0.1);
    assert_true(b < 1e-4);
    dal_modal_destroy(modal);
    model_close(&m);
}

/* ---- messages --------------------------------------------------------------------------------- */

static void what_cannot_be_answered_is_told(void **state)
{
    model_at m = model_open("bicycle", "v=5", NULL);
    dal_modal *modal;
    const dal_modal_options sparse = {.solver = DAL_MODAL_SPARSE}, negative = {.n = -1};
    check_fails(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, NULL, &m.at, &sparse), DAL_EINVAL, "state of rest");
    check_fails(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, NULL, &m.at, &negative), DAL_EINVAL, "at least 1");
    check_fails(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, NULL, NULL, NULL), DAL_EINVAL, "at is NULL");
    model_close(&m);
}

static void a_motion_that_is_not_steady_is_called_so(void **state)
{
    model_at m = model_open("heavy_top", NULL, NULL);
    dal_modal *modal = modes(&m, 20, DAL_MODAL_AUTO);
    assert_int_equal(dal_modal_about(modal).steady, DAL_STEADINESS_FROZEN);
    dal_modal_destroy(modal);
    model_close(&m);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    const model_at *m = user;
    dal_modal *modal = NULL;
    const dal_status st = dal_modal_create(&modal, ctx, m->sys, NULL, &m->at, NULL);
    dal_modal_destroy(modal);
    return st;
}

static void no_memory_is_told_and_given_back(void **state)
{
    model_at m = model_open("bicycle", "v=5", NULL);
    check_every_allocation(scenario, &m);
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bicycle_has_the_published_eigenvalues),
        cmocka_unit_test(bicycle_at_rest_falls_and_steers),
        cmocka_unit_test(bicycle_is_stable_between_weave_and_capsize_speed),
        cmocka_unit_test(limits_of_stability_are_located_between_values),
        cmocka_unit_test(sparse_and_dense_agree_on_a_chain),
        cmocka_unit_test(rigid_modes_do_not_hide_the_others),
        cmocka_unit_test(a_free_beam_has_six_rigid_modes),
        cmocka_unit_test(a_hanging_top_is_a_pendulum),
        cmocka_unit_test(dependent_rows_are_left_out_of_large_systems),
        cmocka_unit_test(spinning_about_the_middle_axis_is_unstable),
        cmocka_unit_test(frequencies_of_a_chain_approach_zeros_of_a_bessel_function),
        cmocka_unit_test(double_pendulum_at_rest_has_its_two_frequencies),
        cmocka_unit_test(spring_chain_has_damped_sine_frequencies),
        cmocka_unit_test(rotor_has_gyroscopic_frequencies),
        cmocka_unit_test(nutation_of_a_precessing_top_in_turning_axes),
        cmocka_unit_test(beams_have_the_frequencies_of_euler_and_bernoulli),
        cmocka_unit_test(short_elements_lose_no_digits),
        cmocka_unit_test(simulated_small_motion_of_the_bicycle_is_that_of_its_modes),
        cmocka_unit_test(what_cannot_be_answered_is_told),
        cmocka_unit_test(a_motion_that_is_not_steady_is_called_so),
        cmocka_unit_test(no_memory_is_told_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
