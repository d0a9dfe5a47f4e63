/* Flexible bodies of model files: the same as through the calls, and what is wrong with them is said with its place. */
#include <math.h>
#include <stdio.h>

#include "dalembert/flex.h"
#include "io/text.h"
#include "support/check.h"

#define MATERIAL "'length': 2, 'E': 1e9, 'nu': 0.25, 'density': 1000"
#define ROD(beam) "'bodies': [{'name': 'rod', 'type': 'flexible', 'beam': {" MATERIAL ", 'modes': 4, " beam "}}]"
#define ROUND ROD("'circle': 0.1")
#define WITH(more) \
    "'bodies': [{'name': 'rod', 'type': 'flexible', 'beam': {" MATERIAL ", 'circle': 1, 'modes': 2}, " more "}]"

static double kinetic_energy(dal_ctx *ctx, dal_model *model)
{
    static const double zeros[64];
    const dal_system *sys;
    double T;
    check_ok(ctx, dal_model_compile(model, &sys));
    const dal_point at = {.q = dal_model_q0(model), .v = dal_model_v0(model), .vd = zeros, .la = zeros};
    check_ok(ctx, dal_model_outputs(model, NULL, &T, &at));
    return T;
}

/* Kinetic energy of a beam with the given initial velocities. */
static double energy_of(const char *beam, const char *motion)
{
    char text[1024];
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    snprintf(text, sizeof(text),
             "'bodies': [{'name': 'rod', 'type': 'flexible', 'beam': {" MATERIAL ", %s}, %s}], "
             "'outputs': ['kinetic_energy']",
             beam, motion);
    check_ok(ctx, text_body(&doc, ctx, text));
    const double T = kinetic_energy(ctx, dal_document_model(doc));
    dal_document_destroy(doc);
    check_ctx_free(ctx);
    return T;
}

static void sections_give_mass_and_moments(void **state)
{
    static const struct {
        const char *beam;
        double area, Iy, Iz;
    } cases[] = {
        {"'modes': 0, 'rectangle': [0.1, 0.2]", 0.02, 0.1 * 0.008 / 12.0, 0.2 * 0.001 / 12.0},
        {"'modes': 0, 'circle': 0.2", 0.01 * 3.14159265358979, 3.14159265358979 / 64 * 0.0016,
         3.14159265358979 / 64 * 0.0016},
        {"'modes': 0, 'tube': [0.2, 0.1]", 0.0075 * 3.14159265358979, 3.14159265358979 / 64 * 0.0015,
         3.14159265358979 / 64 * 0.0015},
        {"'modes': 0, 'area': 0.02, 'Iy': 1e-4, 'Iz': 2e-4", 0.02, 1e-4, 2e-4},
    };
    for (size_t k = 0; k < LEN(cases); ++k) {
        const double m = 2000.0 * cases[k].area, across = m * 4.0 / 3.0;
        assert_near_rel(energy_of(cases[k].beam, "'velocity': [0, 0, 2]"), 2.0 * m, 1e-12);
        // rho I L of the section about the lateral axis, m L^2/3 about the end
        assert_near_rel(energy_of(cases[k].beam, "'angular_velocity': [0, 1, 0]"),
                        0.5 * (across + 2000.0 * cases[k].Iy), 1e-9);
        assert_near_rel(energy_of(cases[k].beam, "'angular_velocity': 1"), 0.5 * (across + 2000.0 * cases[k].Iz), 1e-9);
    }
}

static void modal_velocities_carry_unit_modal_mass(void **state)
{
    assert_near_rel(energy_of("'modes': 3, 'circle': 0.1", "'modal': [0, 0, 0], 'modal_velocity': [0, 2, 1]"), 2.5,
                    1e-9);
}

/* The whole set of options against the calls: stiffness, initial place of a named station, names of the nodes. */
static void options_of_a_beam_reach_the_generator(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    static const double zeros[64], middle = 0.5;
    double y[10];
    check_ok(ctx,
             text_body(&doc, ctx,
                       "'bodies': [{'name': 'rod', 'type': 'flexible', 'position': [1, 2, 3], 'rotation': 'pi/2', "
                       "'modal': [0.01, 0.02, 0.03, 0.04, 0.05], 'beam': {" MATERIAL
                       ", 'rectangle': [0.1, 0.2], 'modes': 2, "
                       "'elements': 8, 'boundary': 'clamped', 'kinds': ['bending_y', 'extension'], 'shear_y': 0.8, "
                       "'craig_bampton': true, 'stiffening': true, 'damping': 0.01, 'stations': {'tip': 0.5}}}], "
                       "'outputs': ['rod/tip.position', 'potential_energy', 'rod/A.position', "
                       "{'quantity': 'modal_coordinates', 'body': 'rod'}]"));
    dal_model *m = dal_document_model(doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    const int n = dal_model_modes(m, NULL, NULL, dal_model_find_body(m, "rod"));
    assert_int_equal(n, 5);
    const dal_beam b = {.length = 2.0,
                        .E = 1e9,
                        .G = 4e8,
                        .density = 1000.0,
                        .area = 0.02,
                        .Iy = 0.1 * 0.008 / 12.0,
                        .Iz = 0.2 * 0.001 / 12.0,
                        .shear_y = 0.8,
                        .kinds = DAL_BEAM_BENDING_Y | DAL_BEAM_EXTENSION,
                        .elements = 8,
                        .craig_bampton = 1,
                        .stiffening = 1,
                        .nmodes = 2,
                        .stations = &middle,
                        .nstations = 1};
    dal_modes *modes;
    double U = 0.0;
    check_ok(ctx, dal_beam_modes_create(&modes, ctx, &b));
    assert_int_equal(modes->nmodes, n);
    for (int k = 0; k < n; ++k) {
        U += 0.5 * modes->stiffness[k] * 1e-4 * (k + 1) * (k + 1);
    }
    dal_beam_modes_destroy(modes);
    double values[16];
    const dal_point at = {.q = dal_model_q0(m), .v = dal_model_v0(m), .vd = zeros, .la = zeros};
    assert_true(dal_model_output_size(m) == 12);
    check_ok(ctx, dal_model_outputs(m, NULL, values, &at));
    assert_near_rel(values[3], U, 1e-9);
    const double place[3] = {1.0, 2.0, 3.0};
    assert_all_near(values + 4, place, 3, 1e-15);
    assert_near(values[2], 3.0, 1e-15);
    assert_near(values[1], 2.5, 0.05);
    for (int k = 0; k < n; ++k) {
        y[k] = 0.01 * (k + 1);
    }
    assert_all_near(values + 7, y, n, 0.0);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void nodes_are_bodies_for_joints_and_forces(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_system *sys;
    check_ok(ctx, text_body(&doc, ctx,
                            ROD("'circle': 0.1, 'stations': [0.5, 1]") ", 'joints': [{'name': 'j', 'type': "
                                                                       "'revolute', 'body_b': 'rod/A'}], 'forces': "
                                                                       "[{'name': 'f', 'type': 'force', 'body': "
                                                                       "'rod/2', 'vector': [0, 1, 0]}]"));
    check_ok(ctx, dal_model_compile(dal_document_model(doc), &sys));
    check_ok(ctx, dal_system_validate(ctx, sys));
    assert_true(dal_model_find_body(dal_document_model(doc), "rod/B") > 0);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void mistakes_are_told_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"'bodies': [{'name': 'a', 'type': 'flexibel', 'mass': 1}]", "(did you mean 'flexible'?)"},
        {"'bodies': [{'name': 'a', 'type': 'flexible'}]",
         "/bodies/0: a flexible body has one of beam, modes, modes_file"},
        {"'bodies': [{'name': 'a', 'type': 'flexible', 'baem': {}}]",
         "/bodies/0: a flexible body has no 'baem' (did you mean 'beam'?)"},
        {"'bodies': [{'name': 'a', 'type': 'flexible', 'beam': {}}]", "/bodies/0/beam: 'length' is missing"},
        {ROD("'circel': 1"), "/bodies/0/beam: a beam has no 'circel' (did you mean 'circle'?)"},
        {ROD("'area': 1, 'Iy': 1"), "/bodies/0/beam: 'Iz' is missing"},
        {ROD("'circle': 1, 'tube': [2, 1]"), "/bodies/0/beam: either circle or tube"},
        {ROD("'circle': 1, 'area': 1"), "/bodies/0/beam: either circle or area"},
        {ROD("'tube': [1, 2]"), "/bodies/0/beam/tube: these are not the dimensions of a section"},
        {ROD("'rectangle': [-1, -2]"), "/bodies/0/beam/rectangle: these are not"},
        {ROD("'circle': 1, 'G': 1"), "/bodies/0/beam: either G or nu"},
        {ROD("'circle': 1, 'boundary': 'clampd'"),
         "/bodies/0/beam/boundary: no boundary 'clampd' (did you mean 'clamped'?)"},
        {ROD("'circle': 1, 'kinds': ['bending']"), "/beam/kinds/0: no kind of deformation 'bending'"},
        {ROD("'circle': 1, 'elements': 1, 'kinds': ['torsion']"), "/bodies/0/beam: beam: 4 modes wanted"},
        {ROD("'circle': 1, 'stations': [1, 3]"), "/bodies/0/beam: beam: station 2 at 3"},
        {ROD("'circle': 1, 'stations': {'m': true}"), "/beam/stations/m: expected a number"},
        {ROD("'circle': 1, 'stations': {'A': 1}"), "/beam/stations/A: there is already an interface node 'A'"},
        {WITH("'modal': [1]"), "/bodies/0/modal: expected 2 elements, found 1"},
        {WITH("'mass': 1"), "/bodies/0: a flexible body has no 'mass'"},
        {ROUND ", 'outputs': ['rod/C.position']", "/outputs/0: no body 'rod/C' (did you mean 'rod/"},
        {ROUND ", 'outputs': [{'quantity': 'modal_coordinates', 'body': 'rod', 'point': [0, 0]}]",
         "/outputs/0: this output has no 'point'"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_body(&doc, ctx, cases[k].text), DAL_EINVAL, cases[k].message);
        assert_null(doc);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_give_mass_and_moments),
        cmocka_unit_test(modal_velocities_carry_unit_modal_mass),
        cmocka_unit_test(options_of_a_beam_reach_the_generator),
        cmocka_unit_test(nodes_are_bodies_for_joints_and_forces),
        cmocka_unit_test(mistakes_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
