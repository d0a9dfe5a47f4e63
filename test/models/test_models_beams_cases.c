/* The other reference cases of beams: the Princeton beam, locking, a helix, and motions. */
#include <math.h>
#include <stdio.h>

#include "beam_cases.h"

static const double pi = 3.14159265358979323846;
#define UNIT_MASS "'mass': [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]"

static void keys_of(char *keys, size_t size, const char *curve, const double K[6])
{
    snprintf(keys, size,
             "%s, 'section': {'stiffness': [[%.17g,0,0,0,0,0],[0,%.17g,0,0,0,0],[0,0,%.17g,0,0,0],[0,0,0,%.17g,0,0],"
             "[0,0,0,0,%.17g,0],[0,0,0,0,0,%.17g]], " UNIT_MASS "}",
             curve, K[0], K[1], K[2], K[3], K[4], K[5]);
}

static void the_princeton_beam_bends_and_twists(void **state)
{
    (void)state;
    static const double K[6] = {2842069.4426160003, 903966.1077022902,  903966.1077022902,
                                2.9257440677494264, 2.4288718041122013, 36.285519395400414};
    static const double u[7][3] = {{-0.0001355343391948871, -0.010713597117348473, 0.0},
                                   {-0.0022484980186882053, -0.010644384449613332, -0.0421926571990218},
                                   {-0.007681047345777903, -0.010208331138572325, -0.07954776393735258},
                                   {-0.014411947881053933, -0.008979779162222052, -0.10911363656416635},
                                   {-0.02048688137569382, -0.006742453535436972, -0.1299584715094462},
                                   {-0.024586255297678383, -0.003622189667043113, -0.14221883513594313},
                                   {-0.026021681474436953, 0.0, -0.1462530396245231}};
    for (int k = 0; k < 7; ++k) {
        char keys[800];
        double y[13];
        const double angle = k * pi / 12.0;
        keys_of(keys, sizeof keys, "'to': [0.508, 0, 0]", K);
        beam_equilibrium(y, &(beam_case){6, 6, keys, .force = {0.0, -8.896 * cos(angle), -8.896 * sin(angle)}});
        assert_all_near(y, ((double[]){0.508 + u[k][0], u[k][1], u[k][2]}), 3, 2e-12);
    }
}

static void nothing_locks(void **state)
{
    (void)state;
    static const double slender[2] = {10.0, 1000.0}, P[2] = {6e6, 0.06},
                        u[2][3] = {{-23.64501247646848, -13.632073912207902, 54.095027011161314},
                                   {-23.559392276570136, -13.604246495401258, 53.46866104542598}};
    double error[2];
    for (int k = 0; k < 2; ++k) {
        const double w = 100.0 / slender[k], A = w * w, I = A * A / 12.0,
                     K[6] = {1e7 * A, 5e6 * A, 5e6 * A, 1e7 * I, 1e7 * I, 1e7 * I}, half = sqrt(0.5);
        char keys[800];
        double y[13];
        keys_of(keys, sizeof keys, "'arc': {'radius': 100, 'angle': 'pi/4'}", K);
        beam_equilibrium(y, &(beam_case){6, 6, keys, .force = {0.0, 0.0, P[k]}});
        assert_all_near(y, ((double[]){100.0 * half + u[k][0], 100.0 * (1.0 - half) + u[k][1], u[k][2]}), 3, 1e-9);
        // coarse elements with two nodes have the same error at any slenderness
        beam_equilibrium(y, &(beam_case){8, 1, keys, .force = {0.0, 0.0, P[k]}});
        error[k] = hypot(hypot(y[0] - 100.0 * half - u[k][0], y[1] - 100.0 * (1.0 - half) - u[k][1]), y[2] - u[k][2]);
    }
    assert_near_rel(error[1], error[0], 0.03);
    assert_true(error[0] < 2.5e-3 * 70.0);
}

static void a_helix_is_exact_with_two_nodes(void **state)
{
    (void)state;
    static const double K[6] = {1e6, 1e6, 1e6, 1e4, 1e4, 1e4};
    char keys[800];
    double y[13];
    keys_of(keys, sizeof keys, "'to': [135.24558048876486, 0, 0]", K);
    beam_equilibrium(y, &(beam_case){12, 1, keys, .torque = {343.50550687877217, 0.0, 863.3235015023909}});
    assert_all_near(y, ((double[]){18.48489237848097, 0.0, 46.45760167890694}), 3, 1e-11);
}

/* Semi-discrete values, exact in time: two-node elements, lumped mass. */
static void the_right_angle_cantilever_moves_as_it_should(void **state)
{
    (void)state;
    static const double t[4] = {1.0, 2.0, 4.0, 6.0};
    static const double want[4][6] = {{9.946806726624322, 0.02207780722814748, 0.9432538803291374, 9.997050207382877,
                                       9.976885161765791, 0.05394815604951623},
                                      {8.993986182098896, 0.2641568503962999, 4.102061110232611, 10.101630715647564,
                                       9.320441313729358, 0.08569748006323925},
                                      {8.438801825974476, -0.4191899353732292, 4.64034917342089, 10.439465683434953,
                                       9.302699294674808, 3.49655422364626},
                                      {9.415648395867247, -0.7756247569891972, 2.5676724734278418, 8.797196752377888,
                                       8.215027961212407, 6.87650163795018}};
    check_model m =
        check_model_start("right_angle_cantilever", (const char *[]){"integrator=rk", "rtol=1e-9", "atol=1e-11"}, 3);
    for (int k = 0; k < 4; ++k) {
        check_model_run(&m, t[k]);
        assert_all_near(m.y, want[k], 6, 1e-7);
    }
    check_model_free(&m);
}

/* In the limit of space: order 8, both ends at 7.5, and the energy after the loads. */
static void the_flying_spaghetti_flies(void **state)
{
    (void)state;
    check_model m = check_model_start(
        "flying_spaghetti", (const char *[]){"integrator=rk", "rtol=1e-9", "atol=1e-11", "elements=16", "degree=4"}, 5);
    check_model_run(&m, 7.5);
    assert_all_near(m.y,
                    ((double[]){31.958914030689474, 1.6220738374928652, -1.9170399272969902, 24.096195288520065,
                                6.719466320112207, 1.536324096736243}),
                    6, 1e-5);
    assert_near_rel(m.y[6], 884.1268565763862, 1e-7);
    check_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_princeton_beam_bends_and_twists),
        cmocka_unit_test(nothing_locks),
        cmocka_unit_test(a_helix_is_exact_with_two_nodes),
        cmocka_unit_test(the_right_angle_cantilever_moves_as_it_should),
        cmocka_unit_test(the_flying_spaghetti_flies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
