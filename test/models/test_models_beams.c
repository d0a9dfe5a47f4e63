/* Geometrically exact beams against exact solutions and against the strong form integrated by shooting, 12 digits. */
#include <math.h>
#include <stdio.h>

#include "beam_cases.h"
#include "dalembert/modes.h"

static const double pi = 3.14159265358979323846;
#define STIFFNESS(a, b, c, d, e, f)                                                                                   \
    "'section': {'stiffness': [[" #a ",0,0,0,0,0],[0," #b ",0,0,0,0],[0,0," #c ",0,0,0],[0,0,0," #d                   \
    ",0,0],[0,0,0,0," #e ",0],[0,0,0,0,0," #f "]], 'mass': [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0]," \
    "[0,0,0,0,1,0],[0,0,0,0,0,1]]}"

/* Two-node elements are exact under constant strain. */
static void rolling_up_and_unrolling_are_exact(void **state)
{
    (void)state;
    double y[13];
    const beam_case up = {8, 1, "'to': [10, 0, 0], " STIFFNESS(1e4, 1e4, 1e4, 500, 500, 500),
                          .torque = {0.0, 0.0, 100.0 * pi}};
    beam_equilibrium(y, &up);
    assert_all_near(y, ((double[]){0.0, 0.0, 0.0}), 3, 1e-13);
    const beam_case open = {8, 1,
                            "'arc': {'radius': '5/pi', 'angle': '2*pi'}, " STIFFNESS(1200, 600, 600, 100, 100, 100),
                            .torque = {0.0, 0.0, -10.0 * pi}};
    beam_equilibrium(y, &open);
    assert_all_near(y, ((double[]){0.0, 6.366197723675814, 0.0}), 3, 1e-12);
    const beam_case smooth = {6, 6, open.keys, .torque = {0.0, 0.0, -10.0 * pi}};
    beam_equilibrium(y, &smooth);
    assert_all_near(y, ((double[]){0.0, 6.366197723675814, 0.0}), 3, 1e-11);
}

/* Elliptic integrals; with EA = GA the end moves by P L/EA more along the force. */
static void the_elastica_is_that_of_elliptic_integrals(void **state)
{
    (void)state;
    static const double P[3] = {1.0, 5.0, 16.0},
                        tip[3][3] = {{0.9435667637166231, 0.30172077379981355, 0.461351949711879},
                                     {0.6123716392755701, 0.7137915236119128, 1.215368117611681},
                                     {0.35322741488310044, 0.8527469783480887, 1.5100721392425172}};
    for (int k = 0; k < 3; ++k) {
        double y[13];
        const beam_case c = {
            8, 6, "'to': [1, 0, 0], 'section': {'EA': 1e6, 'GA': 1e6, 'GJ': 1, 'EI': 1, 'rhoA': 1, 'rhoI': 1}",
            .force = {0.0, P[k], 0.0}};
        beam_equilibrium(y, &c);
        assert_all_near(y, ((double[]){tip[k][0], tip[k][1] + P[k] / 1e6, 0.0}), 3, 1e-11);
        assert_near(2.0 * atan2(y[6], y[3]), tip[k][2], 1e-11);
        assert_near_rel(y[12], P[k] * tip[k][0], 1e-6); // the moment at the clamp
    }
}

/* Bathe and Bolourchi's bend as a circle; what is often published belongs to a parabola. */
static void the_45_degree_bend_has_its_place_and_its_moment(void **state)
{
    (void)state;
    double y[13];
    const char *keys =
        "'arc': {'radius': 100, 'angle': 'pi/4'}, " STIFFNESS(1e7, 4166670, 4166670, 833300, 833300, 833300);
    const beam_case c = {4, 6, keys, .force = {0.0, 0.0, 600.0}};
    beam_equilibrium(y, &c);
    assert_all_near(y, ((double[]){47.14938133294007, 15.684298871700557, 53.47610814028067}), 3, 2e-9);
    assert_all_near(y + 3,
                    ((double[]){0.7833921165227246, 0.06176458675121422, -0.5441939641175925, 0.2938279377654176}), 4,
                    1e-10);
    assert_all_near(y + 7, ((double[]){0.0, 0.0, 600.0}), 3, 0.01);
    assert_all_near(y + 10, ((double[]){9410.579323020309, -28289.628799764054, 0.0}), 3, 0.1);
    const beam_case less = {4, 6, keys, .force = {0.0, 0.0, 300.0}};
    beam_equilibrium(y, &less);
    assert_all_near(y, ((double[]){58.77831386146253, 22.24434154586783, 40.1932664427025}), 3, 2e-9);
}

/* Displacements of order h^2 with two nodes, h^4 with the law of order four, h^2p with order p. */
static void errors_fall_with_the_order_of_the_element(void **state)
{
    (void)state;
    static const struct {
        int order, fourth, elements[3];
        double expected;
    } list[] = {{1, 0, {8, 16, 32}, 2.0}, {1, 1, {8, 16, 32}, 4.0}, {2, 0, {4, 8, 16}, 4.0}, {3, 0, {2, 4, 8}, 6.0}};
    for (size_t k = 0; k < LEN(list); ++k) {
        double error[3];
        for (int i = 0; i < 3; ++i) {
            char keys[500];
            double y[13];
            snprintf(keys, sizeof keys,
                     "'fourth_order': %s, 'to': [1, 0, 0], 'section': {'EA': 1e4, 'GA': 1e4, 'GJ': 1, 'EI': 1, "
                     "'rhoA': 1, 'rhoI': 1}",
                     list[k].fourth ? "true" : "false");
            beam_equilibrium(y, &(beam_case){list[k].elements[i], list[k].order, keys, .force = {0.0, 5.0, 0.0}});
            error[i] = hypot(y[0] - 0.6123716392755701, y[1] - 0.7137915236119128 - 5e-4);
        }
        print_message("order %d%s: %.1e %.1e %.1e\n", list[k].order, list[k].fourth ? " (four)" : "", error[0],
                      error[1], error[2]);
        assert_near(check_slope(error, 3), list[k].expected, 0.3 * list[k].expected / 2.0);
    }
}

/* A coupled section, a thick one, a load per length. */
static void sections_and_loads_give_the_values_of_shooting(void **state)
{
    (void)state;
    double y[13];
    const beam_case composite = {3, 6,
                                 "'to': [10, 0, 0], 'section': {'stiffness': "
                                 "[[1368170,0,0,0,0,0],[0,88560,0,0,0,0],[0,0,38780,0,0,0],[0,0,0,16960,17610,-351],"
                                 "[0,0,0,17610,59120,-370],[0,0,0,-351,-370,141470]], 'mass': "
                                 "[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],"
                                 "[0,0,0,0,1,0],[0,0,0,0,0,1]]}",
                                 .force = {0.0, 0.0, 150.0}};
    beam_equilibrium(y, &composite);
    assert_all_near(y, ((double[]){9.909727337243362, -0.06474884862595547, 1.2297364829236288}), 3, 1e-11);
    const beam_case thick = {
        3, 6,
        "'to': [2, 0, 0], " STIFFNESS(10350000000.0, 3382352941.1764708, 3382352941.1764708, 1e7, 1e7, 215625000.0),
        .force = {0.0, -62500000.0, 0.0}};
    beam_equilibrium(y, &thick);
    assert_all_near(y, ((double[]){1.8490288557607069, -0.7105685978536168, 0.0}), 3, 1e-11);
    const beam_case load = {
        8, 6, "'to': [10, 0, 0], 'loads': [{'vector': [0, -2, 0.5]}], " STIFFNESS(1e4, 1e4, 1e4, 100, 100, 100),
        .force = {0.0, 0.0, 0.0}};
    beam_equilibrium(y, &load);
    assert_all_near(y, ((double[]){4.3684572004135225, -8.098905096396148, 2.0247262740990304}), 3, 1e-10);
    assert_all_near(y + 7, ((double[]){0.0, -20.0, 5.0}), 3, 1e-3);
}

/* The coil spring has the stiffness of the closed form, but for what its pitch and curvature change. */
static void a_coil_spring_has_its_stiffness(void **state)
{
    (void)state;
    double y[16], held[16];
    model_equilibrium(y, "helical_spring", NULL, 0);
    model_equilibrium(held, "helical_spring", (const char *[]){"m=1"}, 1);
    const double k = 9.81 / (held[2] - y[2]), closed = 7.94e10 * pow(0.004, 4) / (8.0 * pow(0.04, 3) * 6.0);
    print_message("k = %.1f N/m, closed form %.1f\n", k, closed);
    assert_near_rel(k, closed, 0.03);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rolling_up_and_unrolling_are_exact),
        cmocka_unit_test(the_elastica_is_that_of_elliptic_integrals),
        cmocka_unit_test(the_45_degree_bend_has_its_place_and_its_moment),
        cmocka_unit_test(errors_fall_with_the_order_of_the_element),
        cmocka_unit_test(sections_and_loads_give_the_values_of_shooting),
        cmocka_unit_test(a_coil_spring_has_its_stiffness),
        cmocka_unit_test(a_thin_blade_keeps_its_low_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
