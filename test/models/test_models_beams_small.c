/* Beams of all kinds in what looks at a model from one state: snapshots, linear models, modes; against Timoshenko's beam. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beam_cases.h"
#include "dalembert/linear.h"
#include "dalembert/modes.h"

/* ---- snapshots -------------------------------------------------------------------------------- */

static const char swinging[] =
    "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'bead', 'mass': 0.2, 'inertia': [1e-3, 1e-3, "
    "1e-3], "
    "'position': [0.66, 0, 0]}], 'beams': [{'name': 'b', 'to': [1, 0, 0], 'start': {'body': 'ground', 'kind': "
    "'hinged', "
    "'axis': [0, 1, 0]}, %s, 'section': {'EA': 1e3, 'GA': 1e3, 'GJ': 1, 'EI': 1, 'rhoA': 1, 'rhoI': 1e-2, 'damping': "
    "1e-4}, 'loads': [{'vector': [0, 1, 0.5], 'follower': true, 'function': {'type': 'polynomial', 'coefficients': [0, "
    "1]}}]}], 'outputs': ['energy']}";

/* What goes on from a snapshot has the same bits, with beads and guides that pass nodes, by fixed and by adaptive steps. */
static void a_snapshot_of_beams_goes_on_bit_for_bit(void **state)
{
    (void)state;
#define FEED "'feed': {'type': 'polynomial', 'coefficients': [0.66, 0.6]}"
    static const char *const kinds[] = {"'order': 1, 'elements': 6, 'fourth_order': true, 'consistent': true",
                                        "'order': 4, 'elements': 2",
                                        "'order': 3, 'elements': 2, 'consistent': true",
                                        "'order': 1, 'elements': 6, 'slides': [{'body': 'bead'}]",
                                        "'order': 3, 'elements': 2, 'slides': [{'body': 'bead', " FEED "}]",
                                        "'order': 1, 'elements': 6, 'slides': [{'body': 'bead', 'guide': true, " FEED
                                        "}]"};
    static const char *const methods[][2] = {{"formulation=index3", "h=5e-4"},    {"formulation=ggl", "h=5e-4"},
                                             {"step=adaptive", "step_rtol=1e-4"}, {"integrator=lobatto", "h=5e-4"},
                                             {"integrator=rattlie", "h=5e-4"},    {"integrator=rk", "step_rtol=1e-5"},
                                             {"integrator=bdf", "h=5e-4"},        {"integrator=auto", NULL}};
    for (size_t k = 0; k < LEN(kinds) * LEN(methods); ++k) {
        char text[1500];
        snprintf(text, sizeof text, swinging, kinds[k / LEN(methods)]);
        check_model a = check_model_start(text, methods[k % LEN(methods)], 2),
                    b = check_model_start(text, methods[k % LEN(methods)], 2);
        check_model_run(&a, 0.009);
        check_model_hand_over(&a, &b);
        check_model_run(&a, 0.018);
        check_model_run(&b, 0.018);
        const dal_state x = dal_sim_state(a.sim), y = dal_sim_state(b.sim);
        int same = 1;
        for (int i = 0; i < a.sys->group->nq; ++i) {
            same &= x.q[i] == y.q[i];
        }
        for (int i = 0; i < a.sys->group->nv; ++i) {
            same &= x.v[i] == y.v[i];
        }
        if (!same) {
            print_message("%s, %s\n", kinds[k / LEN(methods)], methods[k % LEN(methods)][0]);
        }
        assert_true(same && check_max_abs(x.v, a.sys->group->nv) > 0.0);
        check_model_free(&a);
        check_model_free(&b);
    }
}

/* ---- Timoshenko's beam ------------------------------------------------------------------------ */

static const double EI = 1.0, GA = 1e4, rhoA = 0.5, rhoI = 1e-3;

/* exp of the equations of (w, psi, M, V), w' = psi + V/GA, psi' = M/EI, M' = -V + rhoI s^2 psi, V' = rhoA s^2 w, over a length */
static void carry(double complex T[4][4], double complex s, double length)
{
    const double complex S[4][4] = {{0.0, 1.0, 0.0, 1.0 / GA},
                                    {0.0, 0.0, 1.0 / EI, 0.0},
                                    {0.0, rhoI * s * s, 0.0, -1.0},
                                    {rhoA * s * s, 0.0, 0.0, 0.0}};
    double complex P[4][4] = {{0.0}};
    memset(T, 0, 16 * sizeof T[0][0]);
    for (int i = 0; i < 4; ++i) {
        P[i][i] = T[i][i] = 1.0;
    }
    for (int k = 1; k < 100; ++k) {
        double complex Q[4][4] = {{0.0}};
        for (int i = 0; i < 64; ++i) {
            Q[i / 16][i % 4] += P[i / 16][i / 4 % 4] * S[i / 4 % 4][i % 4] * length / k;
        }
        for (int i = 0; i < 16; ++i) {
            P[i / 4][i % 4] = Q[i / 4][i % 4];
            T[i / 4][i % 4] += P[i / 4][i % 4];
        }
    }
}

/* Displacement of the free end of a cantilever per force there. */
static double complex receptance(double complex s, double length)
{
    double complex T[4][4];
    carry(T, s, length);
    const double complex det = T[2][2] * T[3][3] - T[2][3] * T[3][2];
    return (-T[0][2] * T[2][3] + T[0][3] * T[2][2]) / det;
}

/* ---- linear models ---------------------------------------------------------------------------- */

#define CANTILEVER(keys, more)                                                                                   \
    "{'dalembert': 1, 'bodies': [" more "], 'beams': [{'name': 'b', 'to': [1, 0, 0], " keys                      \
    ", 'section': {'EA': 1e4, 'GA': 1e4, 'GJ': 1, "                                                              \
    "'EI': 1, 'rhoA': 0.5, 'rhoI': 1e-3}}], 'forces': [{'name': 'f', 'type': 'force', 'body': 'b@1', 'vector': " \
    "[0, 0, 1], 'function': {'type': 'constant', 'value': 0}}], 'outputs': ['b@1.position']}"

static void a_linear_model_has_the_receptance_of_the_beam(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double length, tol;
    } list[] = {
        {CANTILEVER("'start': 'ground', 'elements': 3, 'order': 4", ""), 1.0, 1e-6},
        {CANTILEVER("'start': 'ground', 'elements': 3, 'order': 4, 'consistent': true", ""), 1.0, 1e-6},
        {CANTILEVER("'start': 'ground', 'elements': 24, 'order': 1", ""), 1.0, 1e-2},
        {CANTILEVER("'start': 'ground', 'elements': 12, 'order': 1, 'fourth_order': true, 'consistent': true", ""), 1.0,
         1e-3},
        {CANTILEVER("'elements': 40, 'order': 1, 'slides': [{'body': 'ground', 'point': [0.4, 0, "
                    "0], 'guide': true, 'feed': "
                    "{'type': 'constant', 'value': 0.4}}]",
                    ""),
         0.6, 1e-3}};
    static const double frequency[] = {0.0, 2.0, 7.0};
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_ctx *ctx = check_ctx();
        dal_document *doc;
        const dal_system *sys;
        dal_sim *sim;
        dal_ports *ports;
        dal_linear *linear;
        dal_linear_spec spec = {0};
        char text[1500];
        const size_t n = strlen(list[k].text);
        for (size_t i = 0; i <= n; ++i) {
            text[i] = (char)(list[k].text[i] == '\'' ? '"' : list[k].text[i]);
        }
        check_ok(ctx, dal_document_parse(&doc, ctx, text, n, "test", NULL, 0));
        dal_model *m = dal_document_model(doc);
        check_ok(ctx, dal_ports_create(&ports, ctx, m, "f", "b@1.position.z"));
        check_ok(ctx, dal_model_compile(m, &sys));
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
        check_ok(ctx, dal_ports_bind(ports, &spec, dal_sim_data(sim)));
        const dal_point at = dal_sim_point(sim);
        check_ok(ctx, dal_linear_create(&linear, ctx, sys, dal_sim_data(sim), &at, &spec));
        for (size_t i = 0; i < LEN(frequency); ++i) {
            const double complex s = 0.2 * frequency[i] + I * frequency[i], want = receptance(s, list[k].length);
            double G[2];
            check_ok(ctx, dal_linear_transfer(linear, G, creal(s), cimag(s)));
            const double off = cabs((G[0] + I * G[1]) / want - 1.0);
            print_message("%.1e ", off);
            assert_true(off < list[k].tol);
        }
        print_message("\n");
        dal_linear_destroy(linear);
        dal_ports_destroy(ports);
        dal_sim_destroy(sim);
        dal_document_destroy(doc);
        check_ctx_free(ctx);
    }
}

/* ---- modes ------------------------------------------------------------------------------------ */

/* What is left of moment and shear at the free end of a cantilever with a point mass in its middle, at the frequency f */
static double left(double f, double mass)
{
    double complex T[4][4], A[4][4];
    const double w2 = pow(2.0 * acos(-1.0) * f, 2.0);
    double complex y[2][4];
    carry(T, I * sqrt(w2), 0.5);
    memcpy(A, T, sizeof A);
    for (int k = 0; k < 2; ++k) {
        const double complex at[4] = {T[0][2 + k], T[1][2 + k], T[2][2 + k], T[3][2 + k] - mass * w2 * T[0][2 + k]};
        for (int i = 0; i < 4; ++i) {
            y[k][i] = A[i][0] * at[0] + A[i][1] * at[1] + A[i][2] * at[2] + A[i][3] * at[3];
        }
    }
    return creal(y[0][2] * y[1][3] - y[0][3] * y[1][2]);
}

/* A bead in the middle of a cantilever loads it across, but not along: it is free there, and all else has its frequencies. */
static void a_bead_loads_the_modes_of_a_beam(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double tol;
    } list[] = {{"'elements': 4, 'order': 4", 1e-5},
                {"'elements': 24, 'order': 1, 'fourth_order': true, 'consistent': true", 2e-3}};
    for (size_t k = 0; k < LEN(list); ++k) {
        char text[1000];
        dal_modal *modal;
        snprintf(
            text, sizeof text,
            "{'dalembert': 1, 'bodies': [{'name': 'bead', 'type': 'point', 'mass': 0.3, 'position': [0.5, 0, 0]}], "
            "'beams': [{'name': 'b', "
            "'to': [1, 0, 0], 'start': 'ground', %s, 'section': {'EA': 1e4, 'GA': 1e4, 'GJ': 1, 'EI': 1, 'rhoA': 0.5, "
            "'rhoI': 1e-3}, 'slides': [{'body': 'bead'}]}]}",
            list[k].keys);
        check_model m = check_model_start(text, NULL, 0);
        const dal_point at = dal_sim_point(m.sim);
        check_ok(m.ctx, dal_modal_create(&modal, m.ctx, m.sys, dal_sim_data(m.sim), &at, &(dal_modal_options){.n = 8}));
        const dal_modal_info info = dal_modal_about(modal);
        int found = 0;
        for (int i = 0; i < info.n; ++i) {
            const double f = dal_modal_mode(modal, i).frequency;
            print_message("%.6f ", f);
            found += f > 0.1 && left((1.0 - list[k].tol) * f, 0.3) * left((1.0 + list[k].tol) * f, 0.3) < 0.0;
        }
        print_message("rigid %d, found %d\n", info.rigid, found);
        assert_int_equal(info.rigid, 1);
        assert_true(found >= 6); // three in each plane
        dal_modal_destroy(modal);
        check_model_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_of_beams_goes_on_bit_for_bit),
        cmocka_unit_test(a_linear_model_has_the_receptance_of_the_beam),
        cmocka_unit_test(a_bead_loads_the_modes_of_a_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
