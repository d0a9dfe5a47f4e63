/* What slides along a beam: beads on rods, arcs and ropes, a trolley that is driven. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beam_cases.h"

static const double pi = 3.14159265358979323846;

#define BEAD(mass, more) "'bodies': [{'name': 'bead', 'type': 'point', 'mass': " mass ", " more "}], "
#define STIFF "'section': {'EA': 1e8, 'GA': 1e8, 'GJ': 1e6, 'EI': 1e6, 'rhoA': 1, 'rhoI': 0.01}"
#define ROPE "'section': {'EA': 2e4, 'GA': 8e3, 'GJ': 0.05, 'EI': 0.05, 'rhoA': 0.1, 'rhoI': 1e-4}"

/* s = g sin(a) t^2/2, on elements of both kinds and over their ends, with every way to step */
static void a_bead_slides_down_a_straight_rod(void **state)
{
    (void)state;
    static const char *const how[][3] = {{"p=1", "h=0.002", NULL},
                                         {"p=4", "h=0.002", NULL},
                                         {"p=1", "h=0.002", "formulation=index3"},
                                         {"p=1", "h=0.002", "integrator=bdf"}};
    for (size_t k = 0; k < sizeof how / sizeof *how; ++k) {
        check_model m = check_model_start(
            "{'dalembert': 1, 'variables': {'a': 0.5, 'p': 4}, 'gravity': [0, 0, -9.81], " BEAD(
                "0.2", "'position': ['0.5*cos(a)', 0, '-0.5*sin(a)']") "'beams': [{'name': 'rod', 'to': ['4*cos(a)', "
                                                                       "0, '-4*sin(a)'], 'start': 'ground', 'end': "
                                                                       "'ground', 'elements': 8, 'order': 'p', " STIFF
                                                                       ", 'slides': [{'body': 'bead'}]}], 'outputs': "
                                                                       "['bead.position', 'energy']}",
            how[k], 3);
        check_model_run(&m, 0.0);
        const double energy = m.y[3];
        for (int i = 1; i <= 5; ++i) {
            const double t = 0.2 * i, s = 0.5 + 0.5 * 9.81 * sin(0.5) * t * t;
            check_model_run(&m, t);
            assert_all_near(m.y, ((double[]){s * cos(0.5), 0.0, -s * sin(0.5)}), 3, 3e-5);
        }
        assert_near(m.y[3], energy, 1e-3);
        check_model_free(&m);
    }
}

/* r = r0 cosh(w t) on a rod that turns at the rate w: forces of Coriolis and centrifugal ones, nodes that move */
static void a_bead_flies_out_on_a_turning_rod(void **state)
{
    (void)state;
    for (int order = 1; order <= 3; order += 2) {
        char set[32];
        snprintf(set, sizeof set, "p=%d", order);
        check_model m = check_model_start(
            "{'dalembert': 1, 'variables': {'p': 1}, 'bodies': [{'name': 'hub', 'mass': 1e9, 'inertia': [1e9, 1e9, "
            "1e9], 'angular_velocity': [0, 0, 2]}, {'name': 'bead', 'type': 'point', 'mass': 0.1, 'position': [0.3, 0, "
            "0], 'velocity': [0, 0.6, 0]}], 'beams': [{'name': 'rod', 'to': [2, 0, 0], 'start': 'hub', "
            "'angular_velocity': [0, 0, 2], 'elements': 10, 'order': 'p', 'section': {'EA': 1e8, 'GA': 1e8, 'GJ': 1e6, "
            "'EI': 1e6, 'rhoA': 1, 'rhoI': 0.01, 'damping': 1e-3}, 'slides': [{'body': 'bead'}]}], 'outputs': "
            "['bead.position'], 'simulation': {'h': 0.001}}",
            (const char *[]){set}, 1);
        for (int k = 1; k <= 4; ++k) {
            const double t = 0.2 * k, r = 0.3 * cosh(2.0 * t);
            check_model_run(&m, t);
            assert_all_near(m.y, ((double[]){r * cos(2.0 * t), r * sin(2.0 * t), 0.0}), 3, 1e-4);
        }
        check_model_free(&m);
    }
}

/* Period of a pendulum of length 1 let go at 1.2 rad: 4 K(sin 0.6)/sqrt(g), by the arithmetic-geometric mean. */
static double pendulum_period(void)
{
    double a = 1.0, b = cos(0.6);
    for (int k = 0; k < 8; ++k) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * pi / sqrt(9.81) / a;
}

/* On an arc a bead is a pendulum. The cubics between the nodes are off by the fourth power of their distance. */
static void a_bead_on_an_arc_is_a_pendulum(void **state)
{
    (void)state;
    double off[2];
    for (int k = 0; k < 2; ++k) {
        char set[32];
        snprintf(set, sizeof set, "n=%d", 6 << k);
        check_model m = check_model_start(
            "{'dalembert': 1, 'variables': {'n': 8}, 'gravity': [0, 0, -9.81], " BEAD(
                "0.1", "'position': ['sin(1.2)', 0, '-cos(1.2)']") "'beams': [{'name': 'rail', 'from': ['sin(-1.6)', "
                                                                   "0, '-cos(1.6)'], 'arc': {'radius': 1, 'angle': "
                                                                   "3.2}, 'tangent': ['cos(1.6)', 0, 'sin(-1.6)'], "
                                                                   "'axis_2': ['sin(1.6)', 0, 'cos(1.6)'], 'start': "
                                                                   "'ground', 'end': 'ground', 'elements': 'n', "
                                                                   "'order': 1, " STIFF
                                                                   ", 'slides': [{'body': 'bead'}]}], 'outputs': "
                                                                   "['bead.position'], 'simulation': {'h': 0.0005}}",
            (const char *[]){set}, 1);
        check_model_run(&m, 0.25 * pendulum_period());
        off[k] = fabs(atan2(m.y[0], -m.y[2]));
        assert_near(hypot(m.y[0], m.y[2]), 1.0, 1e-3);
        print_message("%d elements: %.3e rad off after a quarter of the period\n", 6 << k, off[k]);
        check_model_free(&m);
    }
    assert_true(off[1] < 5e-5 && off[1] < 0.1 * off[0]);
}

/* ---- the same motion with the place as a coordinate ------------------------------------------- */

/* A bead of mass m on a rope of N elements between fixed ends, whose coordinates are those of the rope and the place s of the bead, in
 * elements: (M + m J^T J) a = -g - m J^T (convective terms - gravity), J = [X_q, X_s]. Only the forces g of the rope are the library's;
 * place, rates and equations are written down here. Runge-Kutta, order four. */
enum { N = 10, NV = 6 * (N - 1), NQ = 7 * (N - 1), NY = NQ + NV + 2, NA = NV + 1 };
static const double span = 2.0, bead_mass = 0.2;

typedef struct coordinates {
    check_model m;
    double M[NV][6]; /* row i of the block of its node */
} coordinates;

static void rope_forces(double *r, const coordinates *c, const double *q, const double *v, const double *vd)
{
    static const double none[1];
    const dal_point at = {0.0, q, v, vd, none};
    const dal_residual out = {.r = r};
    check_ok(c->m.ctx, dal_data_residual(dal_sim_data(c->m.sim), &out, &at));
}

static void rotated(double y[3], const double p[4], const double x[3])
{
    dal_quat_rotate(y, p, x);
}

/* Of node i: place, direction, their first derivatives, and w x (w x e); all of a fixed end is zero but these. */
static void node_of(double x[3], double e[3], double xd[3], double ed[3], double edd[3], const double *y, int i)
{
    static const double axis[3] = {1.0, 0.0, 0.0};
    const double *q = y + 7 * (i - 1), *v = y + NQ + 6 * (i - 1);
    double own[3], turn[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = k == 0 ? span * i / N : 0.0;
        e[k] = axis[k];
        xd[k] = ed[k] = edd[k] = 0.0;
    }
    if (i == 0 || i == N) {
        return;
    }
    memcpy(x, q, 3 * sizeof *x);
    memcpy(xd, v, 3 * sizeof *xd);
    rotated(e, q + 3, axis);
    // R (W x e1), R (W x (W x e1))
    const double *w = v + 3;
    own[0] = 0.0, own[1] = w[2], own[2] = -w[1];
    rotated(ed, q + 3, own);
    turn[0] = w[1] * own[2] - w[2] * own[1], turn[1] = w[2] * own[0] - w[0] * own[2],
    turn[2] = w[0] * own[1] - w[1] * own[0];
    rotated(edd, q + 3, turn);
}

static void solve(double A[NA][NA], double b[NA])
{
    for (int k = 0; k < NA; ++k) { // positive definite
        for (int i = k + 1; i < NA; ++i) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j < NA && f != 0.0; ++j) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int i = NA - 1; i >= 0; --i) {
        for (int j = i + 1; j < NA; ++j) {
            b[i] -= A[i][j] * b[j];
        }
        b[i] /= A[i][i];
    }
}

/* y = (q, v, s, s') */
static void motion(double yd[NY], double bead[3], const coordinates *c, const double y[NY])
{
    static double A[NA][NA];
    static const double zero[NV];
    double b[NA], J[3][NA] = {{0.0}}, convective[3] = {0.0, 0.0, 9.81};
    const double s = y[NY - 2], sd = y[NY - 1];
    const int first = (int)fmin(N - 1, fmax(0, floor(s)));
    const double u = s - first, L = span / N,
                 w[3][4] = {
                     {1 - 3 * u * u + 2 * u * u * u, L * (u - 2 * u * u + u * u * u), 3 * u * u - 2 * u * u * u,
                      L * (u * u * u - u * u)},
                     {6 * u * u - 6 * u, L * (1 - 4 * u + 3 * u * u), 6 * u - 6 * u * u, L * (3 * u * u - 2 * u)},
                     {12 * u - 6, L * (6 * u - 4), 6 - 12 * u, L * (6 * u - 2)}};
    memset(bead, 0, 3 * sizeof *bead);
    for (int i = 0; i < 2; ++i) {
        double x[3], e[3], xd[3], ed[3], edd[3];
        const int node = first + i, column = 6 * (node - 1);
        node_of(x, e, xd, ed, edd, y, node);
        for (int k = 0; k < 3; ++k) {
            bead[k] += w[0][2 * i] * x[k] + w[0][2 * i + 1] * e[k];
            J[k][NV] += w[1][2 * i] * x[k] + w[1][2 * i + 1] * e[k];
            convective[k] += w[0][2 * i + 1] * edd[k] + 2.0 * sd * (w[1][2 * i] * xd[k] + w[1][2 * i + 1] * ed[k]) +
                             sd * sd * (w[2][2 * i] * x[k] + w[2][2 * i + 1] * e[k]);
        }
        for (int k = 0; k < 3 && node > 0 && node < N; ++k) { // e' = R (W x e1)
            static const double unit[2][3] = {{0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}};
            J[k][column + k] += w[0][2 * i];
            for (int axis = 0; axis < 2; ++axis) {
                double d[3];
                rotated(d, y + 7 * (node - 1) + 3, unit[axis]);
                J[k][column + 4 + axis] += w[0][2 * i + 1] * d[k];
            }
        }
    }
    rope_forces(b, c, y, y + NQ, zero);
    b[NV] = 0.0;
    for (int i = 0; i < NA; ++i) {
        for (int j = 0; j < NA; ++j) {
            A[i][j] = i < NV && i / 6 == j / 6 ? c->M[i][j % 6] : 0.0;
            for (int k = 0; k < 3; ++k) {
                A[i][j] += bead_mass * J[k][i] * J[k][j];
            }
        }
        b[i] = -b[i];
        for (int k = 0; k < 3; ++k) {
            b[i] -= bead_mass * J[k][i] * convective[k];
        }
    }
    solve(A, b);
    for (int i = 0; i < N - 1; ++i) {
        const double *v = y + NQ + 6 * i, half[4] = {0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
        memcpy(yd + 7 * i, v, 3 * sizeof *yd);
        dal_quat_mul(yd + 7 * i + 3, y + 7 * i + 3, half);
    }
    memcpy(yd + NQ, b, NV * sizeof *yd);
    yd[NY - 2] = sd;
    yd[NY - 1] = b[NV];
}

static void runge_kutta(double y[NY], const coordinates *c, double h)
{
    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double k[4][NY] = {{0.0}}, at[NY], bead[3];
    for (int stage = 0; stage < 4; ++stage) {
        for (int i = 0; i < NY; ++i) {
            at[i] = y[i] + (stage > 0 ? h * part[stage] * k[stage - 1][i] : 0.0);
        }
        motion(k[stage], bead, c, at);
    }
    for (int i = 0; i < NY; ++i) {
        for (int stage = 0; stage < 4; ++stage) {
            y[i] += h * weight[stage] * k[stage][i];
        }
    }
    for (int i = 0; i < N - 1; ++i) {
        double *p = y + 7 * i + 3, size = 0.0;
        for (int j = 0; j < 4; ++j) {
            size += p[j] * p[j];
        }
        for (int j = 0; j < 4; ++j) {
            p[j] /= sqrt(size);
        }
    }
}

#define STRING(bodies, slides)                                                                                      \
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], " bodies "'beams': [{'name': 'rope', 'to': [2, 0, 0], 'start': "    \
    "'ground', 'end': 'ground', 'elements': 10, 'order': 1, 'section': {'EA': 60, 'GA': 40, 'GJ': 0.3, 'EI': 0.3, " \
    "'rhoA': 0.1, 'rhoI': 2e-3}" slides "}]"

static void rows_agree_with_the_place_as_a_coordinate(void **state)
{
    (void)state;
    coordinates c = {.m = check_model_start(STRING("", "") "}", NULL, 0)};
    static double y[NY], r[2][NV], vd[NV], yd[NY];
    double bead[3];
    const dal_point at = dal_sim_point(c.m.sim);
    memcpy(y, at.q, NQ * sizeof *y);
    y[NY - 2] = 0.45 * N / span;
    y[NY - 1] = 1.5 * N / span;
    rope_forces(r[0], &c, y, y + NQ, vd);
    for (int k = 0; k < 6; ++k) { // lumped mass: blocks of the nodes
        for (int i = 0; i < NV; ++i) {
            vd[i] = i % 6 == k;
        }
        rope_forces(r[1], &c, y, y + NQ, vd);
        for (int i = 0; i < NV; ++i) {
            c.M[i][k] = r[1][i] - r[0][i];
        }
    }
    static const char text[] = STRING(BEAD("0.2", "'position': [0.45, 0, 0], 'velocity': [1.5, 0, 0]"),
                                      ", 'slides': [{'body': 'bead'}]") ", 'outputs': ['bead.position', 'energy']}";
    check_model m = check_model_start(text, (const char *[]){"h=1e-4", "rho_inf=1"}, 2),
                lobatto = check_model_start(text, (const char *[]){"h=1e-3", "integrator=lobatto"}, 2);
    check_model_run(&m, 0.0);
    const double energy = m.y[3];
    const dal_point start = dal_sim_point(m.sim);
    dal_tangent_report report; // of rows and forces of all three levels
    check_ok(m.ctx, dal_system_check(m.ctx, m.sys, &report, &start, 1e-6));
    for (int k = 1; k <= 3; ++k) {
        for (int i = 0; i < 2000; ++i) {
            runge_kutta(y, &c, 5e-5);
        }
        motion(yd, bead, &c, y);
        check_model_run(&m, 0.1 * k);
        print_message("t = %.1f: (%.7f, %.7f), as a coordinate (%.7f, %.7f), element %.2f\n", 0.1 * k, m.y[0], m.y[2],
                      bead[0], bead[2], y[NY - 2]);
        assert_all_near(m.y, bead, 3, 5e-6); // of the explicit steps over the ends of elements
        check_model_run(&lobatto, 0.1 * k);
        assert_all_near(lobatto.y, bead, 3, 1e-5);
    }
    assert_true(y[NY - 2] > 4.0 && bead[2] < -0.1);
    assert_near(m.y[3], energy, 1e-4);
    check_model_free(&m);
    check_model_free(&lobatto);
    check_model_free(&c.m);
}

/* A rope that turns, without ends held, and a bead that runs along it: momentum, angular momentum and energy stay. */
static void a_bead_and_its_rope_keep_momentum_and_energy(void **state)
{
    (void)state;
    static const char text[] =
        "{'dalembert': 1, 'bodies': [{'name': 'bead', 'type': 'point', 'mass': 0.5, 'position': [1, 0, 0], 'velocity': "
        "[1, 1, 0.2]}], 'beams': [{'name': 'rope', 'to': [4, 0, 0], 'angular_velocity': [0, -0.2, 1], 'elements': 40, "
        "'order': 1, 'section': {'EA': 200, 'GA': 80, 'GJ': 0.05, 'EI': 0.05, 'rhoA': 0.1, 'rhoI': 1e-3}, 'slides': "
        "[{'body': 'bead'}]}], 'outputs': ['momentum', 'angular_momentum', 'energy', 'bead.position'], 'simulation': "
        "{'rho_inf': 1}}";
    double energy[2], turning[2];
    for (int k = 0; k < 2; ++k) {
        check_model m = check_model_start(text, (const char *[]){k == 0 ? "h=0.001" : "h=0.0005"}, 1);
        double before[7];
        check_model_run(&m, 0.0);
        memcpy(before, m.y, sizeof before);
        check_model_run(&m, 0.6);
        assert_all_near(m.y, before, 3, 1e-9);
        energy[k] = fabs(m.y[6] - before[6]) / before[6];
        turning[k] = hypot(m.y[4] - before[4], m.y[5] - before[5]) / hypot(before[4], before[5]);
        print_message("bead at %.4f, energy off by %.1e, angular momentum by %.1e\n", hypot(m.y[7], m.y[8]), energy[k],
                      turning[k]);
        check_model_free(&m);
    }
    assert_true(energy[1] < 1e-4 && energy[1] < 0.4 * energy[0]);
    assert_true(turning[1] < 1e-5 && turning[1] < 0.4 * turning[0]);
}

/* It swings with the rope; elements of both kinds agree, and energy is kept. */
static void a_trolley_runs_on_a_swinging_rope(void **state)
{
    (void)state;
    double place[2][3];
    for (int k = 0; k < 2; ++k) {
        check_model m = check_model_start(
            "{'dalembert': 1, 'variables': {'p': 4, 'n': 10}, 'gravity': [0, 0, -9.81], " BEAD(
                "0.5", "'position': [1, 0, -0.38]") "'beams': [{'name': 'rope', 'points': [[0, 0, 0], [1, 0, -0.38], "
                                                    "[2, 0, -0.5], [3, 0, -0.38], [4, 0, 0]], 'elements': 'n', "
                                                    "'order': 'p', " ROPE
                                                    ", 'slides': [{'body': 'bead'}]}], 'joints': [{'name': 'left', "
                                                    "'type': 'spherical', 'body_b': 'rope@0', 'point': [0, 0, 0]}, "
                                                    "{'name': 'right', 'type': 'spherical', 'body_b': 'rope@1', "
                                                    "'point': [4, 0, 0]}], 'outputs': ['bead.position', 'energy'], "
                                                    "'simulation': {'h': 0.001}}",
            k == 0 ? (const char *[]){"p=4", "n=20"} : (const char *[]){"p=1", "n=160"}, 2);
        check_model_run(&m, 0.0);
        const double energy = m.y[3];
        check_model_run(&m, 0.8);
        memcpy(place[k], m.y, sizeof place[k]);
        print_message("at (%.5f, %.5f), energy off by %.2e\n", m.y[0], m.y[2], m.y[3] - energy);
        assert_near(m.y[3], energy, 5e-3);
        check_model_free(&m);
    }
    assert_true(place[0][0] > 1.2 && place[0][2] < -0.4);
    assert_all_near(place[0], place[1], 3, 3e-3);
}

/* A trolley that is driven along a rod at the place 1 + t/2: its force along it is that of its acceleration and weight. */
static void a_driven_trolley_follows_its_feed(void **state)
{
    (void)state;
    check_model m = check_model_start(
        "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'functions': {'place': {'type': 'polynomial', 'coefficients': [1, "
        "0, 0.5]}}, " BEAD("0.2",
                           "'position': [0, 0, 1]") "'beams': [{'name': 'mast', 'to': [0, 0, 4], 'start': "
                                                    "'ground', 'end': 'ground', 'elements': 4, 'order': 3, " STIFF
                                                    ", 'slides': [{'body': 'bead', 'feed': 'place'}]}], "
                                                    "'outputs': ['bead.position', 'drive_work', 'energy'], "
                                                    "'simulation': {'h': 0.002}}",
        NULL, 0);
    check_model_run(&m, 0.0);
    const double before = m.y[4];
    check_model_run(&m, 1.5);
    assert_near(m.y[2], 1.0 + 0.5 * 1.5 * 1.5, 1e-5);
    // what the drive has done is what the trolley has got
    assert_near(m.y[3], 0.2 * (0.5 * 1.5 * 1.5 + 9.81 * 0.5 * 1.5 * 1.5), 2e-3);
    assert_near(m.y[4] - before, m.y[3], 1e-4);
    check_model_free(&m);
}

/* Messages for what cannot be. */
static void what_cannot_slide_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *says;
    } bad[] = {{"'order': 2, 'slides': [{'body': 'bead', 'guide': true, 'feed': 'place'}]", "order 1"},
               {"'order': 1, 'slides': [{'body': 'bead', 'guide': true}]", "two slides"},
               {"'order': 1, 'slides': [{'body': 'nobody'}]", "nobody"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char text[1024];
        dal_ctx *ctx = check_ctx();
        dal_document *doc = NULL;
        snprintf(text, sizeof text,
                 "{'dalembert': 1, 'functions': {'place': {'type': 'polynomial', 'coefficients': [0.5]}}, " BEAD(
                     "1", "'position': [0.5, 0, 0]") "'beams': [{'name': 'b', 'to': [1, 0, 0], %s, " STIFF "}]}",
                 bad[k].keys);
        for (char *p = text; *p; ++p) {
            *p = *p == '\'' ? '"' : *p;
        }
        assert_int_equal(dal_document_parse(&doc, ctx, text, strlen(text), "model", NULL, 0), DAL_EINVAL);
        assert_non_null(strstr(dal_ctx_message(ctx), bad[k].says));
        dal_document_destroy(doc);
        dal_ctx_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_slides_down_a_straight_rod),
        cmocka_unit_test(a_bead_flies_out_on_a_turning_rod),
        cmocka_unit_test(a_bead_on_an_arc_is_a_pendulum),
        cmocka_unit_test(rows_agree_with_the_place_as_a_coordinate),
        cmocka_unit_test(a_bead_and_its_rope_keep_momentum_and_energy),
        cmocka_unit_test(a_trolley_runs_on_a_swinging_rope),
        cmocka_unit_test(a_driven_trolley_follows_its_feed),
        cmocka_unit_test(what_cannot_slide_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
