/* Geometrically exact beams: orders, locking, frequencies, a coil spring, a thin blade. */
#include <math.h>
#include <stdio.h>

#include "beam_cases.h"
#include "dalembert/modes.h"

static const double pi = 3.14159265358979323846;
/* Displacements of order h^2 with two nodes, h^4 with the law of order four, h^2p with order p. */
static void errors_fall_with_the_order_of_the_element(void **state)
{
    (void)state;
    static const struct {
        int order, fourth, elements[2];
        double expected;
    } list[] = {{1, 0, {16, 32}, 2.0}, {1, 1, {16, 32}, 4.0}, {2, 0, {8, 16}, 4.0},
                {3, 0, {8, 16}, 6.0},  {4, 0, {6, 12}, 8.0},  {5, 0, {4, 6}, 10.0}};
    for (size_t k = 0; k < LEN(list); ++k) {
        double error[2];
        for (int i = 0; i < 2; ++i) {
            char keys[500];
            double y[13];
            snprintf(keys, sizeof keys,
                     "'fourth_order': %s, 'to': [1, 0, 0], 'section': {'EA': 1e4, 'GA': 1e4, 'GJ': 1, 'EI': 1, "
                     "'rhoA': 1, 'rhoI': 1}",
                     list[k].fourth ? "true" : "false");
            beam_equilibrium(y, &(beam_case){list[k].elements[i], list[k].order, keys, .force = {0.0, 5.0, 0.0}});
            error[i] = hypot(y[0] - 0.6123716392755701, y[1] - 0.7137915236119128 - 5e-4);
        }
        const double order = log(error[0] / error[1]) / log((double)list[k].elements[1] / list[k].elements[0]);
        print_message("order %d%s: %.1e %.1e, observed %.2f\n", list[k].order, list[k].fourth ? " (four)" : "",
                      error[0], error[1], order);
        assert_near(order, list[k].expected, 0.08 * list[k].expected);
    }
}

static void bent_arc(char *keys, size_t size, double slender, int fourth)
{
    const double A = pow(100.0 / slender, 2.0), I = A * A / 12.0;
    snprintf(keys, size,
             "'fourth_order': %s, 'arc': {'radius': 100, 'angle': 'pi/4'}, 'section': {'EA': %.17g, 'GA': %.17g, 'GJ': "
             "%.17g, 'EI': %.17g, 'rhoA': 1, 'rhoI': 1}",
             fourth ? "true" : "false", 1e7 * A, 5e6 * A, 1e7 * I, 1e7 * I);
}

/* An arc of 45 degrees, bent by as much at every slenderness: the error of a mesh does not grow with it. Against order 8. */
static void nothing_locks(void **state)
{
    (void)state;
    static const struct {
        int order, fourth, elements;
        double bound; // of the radius
    } list[] = {{1, 0, 8, 3e-3}, {1, 1, 8, 1e-5}, {2, 0, 4, 5e-4}, {3, 0, 2, 3e-4}, {4, 0, 2, 5e-6}, {6, 0, 1, 2e-5}};
    static const double slender[4] = {10.0, 100.0, 1e3, 1e4};
    for (size_t k = 0; k < LEN(list); ++k) {
        double error[4];
        for (int i = 0; i < 4; ++i) {
            const double load = 7200.0 * pow(100.0 / slender[i], 4.0) / 12.0;
            char keys[800];
            double y[13], fine[13];
            bent_arc(keys, sizeof keys, slender[i], list[k].fourth);
            beam_equilibrium(y, &(beam_case){list[k].elements, list[k].order, keys, .force = {0.0, 0.0, load}});
            bent_arc(keys, sizeof keys, slender[i], 0);
            beam_equilibrium(fine, &(beam_case){6, 8, keys, .force = {0.0, 0.0, load}});
            error[i] = hypot(hypot(y[0] - fine[0], y[1] - fine[1]), y[2] - fine[2]) / 70.0;
        }
        print_message("order %d%s: %.2e %.2e %.2e %.2e\n", list[k].order, list[k].fourth ? " (four)" : "", error[0],
                      error[1], error[2], error[3]);
        for (int i = 0; i < 4; ++i) {
            assert_true(error[i] <= list[k].bound);
            assert_near_rel(error[i], error[1], 0.1);
        }
    }
}

/* Flexibility of the coil at the middle of the plate, int S^T F S ds of the straight theory along the wire, F = 1/(EA, kGA, kGA, GJ, EI, EI): what
 * moves along the axis while all else is held takes the inverse of it. */
static double stiffness_of_the_coil(void)
{
    enum { N = 3000 };
    const double d = 0.004, R = 0.02, turns = 6.0, rise = 0.008 / (2.0 * pi), E = 2.06e11, G = 7.94e10,
                 A = pi * d * d / 4.0, I = pi * pow(d, 4) / 64.0, ds = 2.0 * pi * turns * hypot(R, rise) / N,
                 F[6] = {1.0 / (E * A), 1.0 / (0.9 * G * A), 1.0 / (0.9 * G * A),
                         0.5 / (G * I), 1.0 / (E * I),       1.0 / (E * I)};
    double C[6][6] = {{0.0}};
    for (int k = 0; k <= N; ++k) { // Simpson
        const double a = 2.0 * pi * turns * k / N, c = cos(a), s = sin(a), h = hypot(R, rise),
                     weight = ds / 3.0 *
                              (k % N == 0 ? 1.0
                               : k % 2    ? 4.0
                                          : 2.0),
                     r[3] = {-R * c, -R * s, rise * (2.0 * pi * turns - a)};
        const double axes[3][3] = {
            {-R * s / h, R * c / h, rise / h}, {-c, -s, 0.0}, {rise * s / h, -rise * c / h, R / h}};
        double S[6][6] = {{0.0}}; // force and moment in the section from those at the plate
        for (int i = 0; i < 3; ++i) {
            const double *e = axes[i],
                         arm[3] = {e[1] * r[2] - e[2] * r[1], e[2] * r[0] - e[0] * r[2], e[0] * r[1] - e[1] * r[0]};
            for (int j = 0; j < 3; ++j) {
                S[i][j] = S[3 + i][3 + j] = e[j];
                S[3 + i][j] = arm[j];
            }
        }
        for (int i = 0; i < 216; ++i) {
            C[i / 36][i / 6 % 6] += weight * S[i % 6][i / 36] * F[i % 6] * S[i % 6][i / 6 % 6];
        }
    }
    // (C^-1)_33 by elimination of the others
    static const int order[6] = {0, 1, 3, 4, 5, 2};
    for (int k = 0; k < 5; ++k) {
        const int p = order[k];
        for (int i = k + 1; i < 6; ++i) {
            const double factor = C[order[i]][p] / C[p][p];
            for (int j = 0; j < 6; ++j) {
                C[order[i]][j] -= factor * C[p][j];
            }
        }
    }
    return 1.0 / C[2][2];
}

/* The coil spring has the stiffness of the whole wire for small loads (its own weight is in the difference), and that of the closed form
 * but for what its pitch and curvature change. */
static void a_coil_spring_has_its_stiffness(void **state)
{
    (void)state;
    double y[16], held[16];
    model_equilibrium(y, "helical_spring", NULL, 0);
    model_equilibrium(held, "helical_spring", (const char *[]){"m=1"}, 1);
    const double k = 9.81 / (held[2] - y[2]), closed = 7.94e10 * pow(0.004, 4) / (8.0 * pow(0.04, 3) * 6.0);
    model_equilibrium(y, "helical_spring", (const char *[]){"m=2e-3"}, 1);
    model_equilibrium(held, "helical_spring", (const char *[]){"m=1e-3"}, 1);
    const double small = 9.81e-3 / (held[2] - y[2]), whole = stiffness_of_the_coil();
    print_message("k = %.1f N/m, for small loads %.3f, by the flexibility %.3f, closed form %.1f\n", k, small, whole,
                  closed);
    assert_near_rel(small, whole, 5e-5);
    assert_near_rel(k, closed, 0.003);
}

/* A clamped blade of 37.5 inches whose frequencies of stretching are 1e6 times the lowest of bending. */
static void a_thin_blade_keeps_its_low_frequencies(void **state)
{
    static const char *const set[] = {"rpm=0"};
    static const double roots[2] = {1.8751040687119611, 4.6940911329741746};
    const double L = 37.5 * 0.0254, rate = 0.063 * 0.0254 * sqrt(7.308e10 / (12.0 * 2682.0));
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_modal *modal;
    const dal_system *sys;
    dal_sim *sim;
    (void)state;
    check_ok(ctx, dal_document_open(&doc, ctx, "rotating_blade", set, 1));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    const dal_point at = dal_sim_point(sim);
    check_ok(ctx, dal_modal_create(&modal, ctx, sys, dal_sim_data(sim), &at, NULL));
    assert_int_equal(dal_modal_about(modal).rigid, 0);
    for (int k = 0; k < 2; ++k) { // Euler-Bernoulli
        assert_near_rel(dal_modal_mode(modal, k).frequency, roots[k] * roots[k] * rate / (L * L) / (2.0 * pi), 2e-4);
    }
    dal_modal_destroy(modal);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* Pairs of frequencies of bending of a square cantilever: roots of Timoshenko's frequency equation. */
static const double square[4] = {16.35458039364866, 102.2976964547874, 285.5633507453915, 557.1221824189179};

/* det of the block (M, V) of exp(S) over the length 1: zero where the free end has neither moment nor force. State: (w, psi, M/EI, V/EI) of
 * Timoshenko's beam, w' = psi + V/kGA, psi' = M/EI, M' = -V - rho I om^2 psi, V' = -rho A om^2 w. */
static long double end_determinant(long double f)
{
    const long double w = 0.02L, E = 2e11L, rho = 7800.0L, om2 = 4.0L * acosl(-1.0L) * acosl(-1.0L) * f * f;
    const long double I = w * w * w * w / 12.0L, EI = E * I, kGA = 5.0L / 6.0L * E / 2.6L * w * w;
    const long double S[4][4] = {{0.0L, 1.0L, 0.0L, EI / kGA},
                                 {0.0L, 0.0L, 1.0L, 0.0L},
                                 {0.0L, -rho * I * om2 / EI, 0.0L, -1.0L},
                                 {-rho * w * w * om2 / EI, 0.0L, 0.0L, 0.0L}};
    long double T[4][4] = {{0.0L}}, P[4][4] = {{0.0L}};
    for (int i = 0; i < 4; ++i) {
        P[i][i] = T[i][i] = 1.0L;
    }
    for (int k = 1; k < 120; ++k) { // the series of exp
        long double Q[4][4] = {{0.0L}};
        for (int i = 0; i < 64; ++i) {
            Q[i / 16][i % 4] += P[i / 16][i / 4 % 4] * S[i / 4 % 4][i % 4] / k;
        }
        for (int i = 0; i < 16; ++i) {
            P[i / 4][i % 4] = Q[i / 4][i % 4];
            T[i / 4][i % 4] += P[i / 4][i % 4];
        }
    }
    return T[2][2] * T[3][3] - T[2][3] * T[3][2];
}

/* To 12 digits. A table in which the first of them is 16.354580411 is off by 1.1e-9: there is no root as near to that. */
static void these_frequencies_are_the_roots(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const long double f = square[k], by = 1e-12L * f;
        assert_true(end_determinant(f - by) * end_determinant(f + by) < 0.0L);
    }
    const long double other = 16.354580411L, by = 5e-10L * other;
    assert_true(end_determinant(other - by) * end_determinant(other + by) > 0.0L);
}

/* Their relative errors with other keys of the beam; in pairs, so the mean of both. */
static void errors_of_frequencies(double error[4], const char *keys)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "{'dalembert': 1, 'variables': {'w': 0.02}, 'beams': [{'name': 'b', 'to': [1, 0, 0], 'start': 'ground', %s, "
        "'section': {'area': 'w^2', 'Iy': 'w^4/12', 'Iz': 'w^4/12', 'It': '0.1406*w^4', 'E': 2e11, 'G': '2e11/2.6', "
        "'density': 7800}}]}",
        keys);
    check_model m = check_model_start(text, NULL, 0);
    const dal_point at = dal_sim_point(m.sim);
    dal_modal *modal;
    check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &at, &(dal_modal_options){.n = 8}));
    for (int k = 0; k < 4; ++k) {
        error[k] = dal_modal_mode(modal, 2 * k).frequency / square[k] - 1.0;
    }
    print_message("%s: off by %.1e %.1e %.1e %.1e\n", keys, error[0], error[1], error[2], error[3]);
    dal_modal_destroy(modal);
    check_model_free(&m);
}

static void a_cantilever_has_its_frequencies_to_nine_digits(void **state)
{
    (void)state;
    double error[4];
    errors_of_frequencies(error, "'elements': 5, 'order': 8");
    for (int k = 0; k < 4; ++k) {
        assert_near(error[k], 0.0, 1e-9);
    }
}

/* As in section 3 of the theory; and it spins as it did. */
static void consistent_mass_gives_frequencies(void **state)
{
    static const double bound[3] = {1.5e-5, 4e-4, 3e-3};
    (void)state;
    double error[4];
    errors_of_frequencies(error, "'elements': 8, 'order': 1, 'fourth_order': true, 'consistent': true");
    for (int k = 0; k < 3; ++k) {
        assert_near(error[k], 0.0, bound[k]);
    }
    // of higher order, from above and falling with the order; all 9 points of order 8
    static const struct {
        const char *keys;
        double bound[4];
    } list[] = {{"'elements': 4, 'order': 2, 'consistent': true", {1.5e-4, 5e-3, 4e-2, 1.5e-1}},
                {"'elements': 2, 'order': 4, 'consistent': true", {1e-7, 1e-4, 2.5e-3, 2.5e-2}},
                {"'elements': 2, 'order': 8, 'consistent': true", {1e-9, 1e-9, 1e-8, 1e-5}}};
    for (size_t i = 0; i < LEN(list); ++i) {
        errors_of_frequencies(error, list[i].keys);
        for (int k = 0; k < 4; ++k) {
            assert_near(error[k], 0.0, list[i].bound[k]);
        }
    }
    // energy and momentum of a free one
    for (int order = 1; order <= 3; order += 2) {
        char degree[16];
        snprintf(degree, sizeof degree, "p=%d", order);
        check_model a = check_model_start(
            "{'dalembert': 1, 'variables': {'p': 1}, 'beams': [{'name': 'b', 'from': [-1, 0, 0], 'to': [1, 0, 0], "
            "'elements': '6/p', 'order': 'p', "
            "'consistent': true, 'velocity': [0.3, 0.2, -0.1], 'angular_velocity': [0.2, 0.1, 1], 'section': {'EA': "
            "1e3, "
            "'GA': 1e3, 'GJ': 10, 'EI': 10, 'rhoA': 1, 'rhoI': 0.1}}], 'outputs': ['energy', 'momentum']}",
            (const char *[]){"integrator=lobatto", "h=0.01", degree}, 3);
        check_model_run(&a, 0.0);
        const double energy = a.y[0], p = a.y[1];
        check_model_run(&a, 1.0);
        assert_near_rel(a.y[0], energy, 1e-7);
        assert_near(a.y[1], p, 1e-3);
        check_model_free(&a);
    }
}

/* Hinged about y at one end, a ball at the other: pinned at both in one plane, clamped and pinned in the other. */
static void ends_are_hinged_or_balls(void **state)
{
    (void)state;
    check_model m = check_model_start(
        "{'dalembert': 1, 'beams': [{'name': 'b', 'to': [2, 0, 0], 'start': {'body': 'ground', 'kind': 'hinged', "
        "'axis': "
        "[0, 3, 0]}, 'end': {'body': 'ground', 'kind': 'ball'}, 'section': {'EA': 1e6, 'GA': 4e5, 'GJ': 10, 'EI': 10, "
        "'rhoA': 0.5, 'rhoI': 5e-6}}], 'outputs': ['b@0.coordinate']}",
        NULL, 0);
    const dal_point at = dal_sim_point(m.sim);
    dal_modal *modal;
    check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &at, &(dal_modal_options){.n = 2}));
    const double unit = sqrt(10.0 / 0.5) / 4.0 / (2.0 * pi);
    assert_near_rel(dal_modal_mode(modal, 0).frequency, pi * pi * unit, 2e-4);
    assert_near_rel(dal_modal_mode(modal, 1).frequency, 3.926602312 * 3.926602312 * unit, 4e-4);
    dal_modal_destroy(modal);
    check_model_free(&m);
}

/* A beam that starts 0.3 m beside the end of another, at a right angle: a rigid arm is between. Small displacements add up. */
static void a_join_may_be_turned_and_off_the_axis(void **state)
{
    (void)state;
#define BAR "'elements': 4, 'section': {'EA': 1e6, 'GA': 1e5, 'GJ': 80, 'EI': 100, 'rhoA': 1, 'rhoI': 1e-4}}"
    double y[3];
    model_equilibrium(
        y,
        "{'dalembert': 1, 'beams': [{'name': 'a', 'to': [1, 0, 0], 'start': 'ground', " BAR
        ", {'name': 'b', 'from': [1, 0.3, 0], 'to': [1, 1.3, 0], 'start': 'a@1', " BAR
        "], 'forces': [{'name': 'f', 'type': 'force', 'body': 'b@1', 'vector': [0, 0, 1e-4]}], 'outputs': "
        "['b@1.position']}",
        NULL, 0);
    assert_near_rel(y[2], 1e-4 * (2.0 / 300.0 + 2.0 / 1e5 + 1.3 * 1.3 / 80.0), 1e-8);
}

/* Three pieces of a cantilever, each joined to the one before, listed from the first to the last and from the last to the first. */
static void beams_are_joined_in_any_order(void **state)
{
    (void)state;
#define PIECES(k, before)                                                                                              \
    "{'dalembert': 1, 'beams': [{'repeat': 'i', 'to': 3, 'items': [{'name': 'p{" k "}', 'from': ['" k " - 1', 0, 0], " \
    "'to': ['" k "', 0, 0], 'start': '" before "', " BAR "]}], 'bodies': [{'name': 'p0@1', 'mass': 1, 'inertia': [1, " \
    "1, 1]}], 'joints': [{'name': 'wall', 'type': 'fixed', "                                                           \
    "'body_b': 'p0@1'}], 'forces': [{'name': 'f', 'type': 'force', 'body': 'p3@1', 'vector': [0, 0, 1e-4]}], "         \
    "'outputs': ['p3@1.position', 'p1@1.position']}"
    double y[6], other[6];
    model_equilibrium(y, PIECES("i", "p{i - 1}@1"), NULL, 0);
    model_equilibrium(other, PIECES("4 - i", "p{3 - i}@1"), NULL, 0);
    assert_near_rel(y[2], 1e-4 * (27.0 / 300.0 + 3.0 / 1e5), 1e-8);
    assert_all_near(other, y, 6, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(these_frequencies_are_the_roots),
        cmocka_unit_test(a_cantilever_has_its_frequencies_to_nine_digits),
        cmocka_unit_test(consistent_mass_gives_frequencies),
        cmocka_unit_test(errors_fall_with_the_order_of_the_element),
        cmocka_unit_test(nothing_locks),
        cmocka_unit_test(ends_are_hinged_or_balls),
        cmocka_unit_test(a_join_may_be_turned_and_off_the_axis),
        cmocka_unit_test(beams_are_joined_in_any_order),
        cmocka_unit_test(a_coil_spring_has_its_stiffness),
        cmocka_unit_test(a_thin_blade_keeps_its_low_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
