/* Programs of RATTLie: against the library, in lanes, members with parameters; what they do not take. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

static void programs_agree_with_the_library(void **state)
{
    static const struct {
        const char *model, *set[4];
        int nset, n;
    } list[] = {
        {"heavy_top", {"integrator=rattlie", "step=fixed"}, 2, 500},
        {"heavy_top", {"integrator=rattlie", "step=fixed", "order=4", "h=0.005"}, 4, 100},
        {"heavy_top", {"integrator=rattlie", "step=fixed", "order=8", "h=0.01"}, 4, 20},
        {"pendulum", {"integrator=rattlie", "step=fixed"}, 2, 500},
        {"slider_crank", {"integrator=rattlie", "step=fixed"}, 2, 300},
        {"planar_slider_crank", {"integrator=rattlie", "step=fixed"}, 2, 300},
        {"chain", {"integrator=rattlie", "step=fixed", "N=4"}, 3, 300},
        {"high_speed_rotor", {"integrator=rattlie", "step=fixed"}, 2, 500}, // no constraints, dampers
        // rows of velocities: their multipliers carried on, or a way that they hold
        {"rolling_disk", {"integrator=rattlie", "step=fixed"}, 2, 500},
        {"rolling_disk", {"integrator=rattlie", "step=fixed", "order=4", "h=0.005"}, 4, 100},
        {"rolling_disk", {"integrator=rattlie", "step=fixed", "order=6", "h=0.01"}, 4, 50},
        {"rolling_disk", {"integrator=rattlie", "step=fixed", "order=8", "h=0.01"}, 4, 20},
        {"bicycle", {"integrator=rattlie", "step=fixed"}, 2, 100},
        {"bicycle", {"integrator=rattlie", "step=fixed", "order=6", "h=0.01"}, 4, 20},
        {"right_angle_cantilever", {"integrator=rattlie", "step=fixed", "h=0.0005"}, 3, 100},
        // M(q): frames away from the centre of mass
        {"double_pendulum", {"integrator=rattlie", "step=fixed", "h=0.001"}, 3, 300},
        {"double_pendulum", {"integrator=rattlie", "step=fixed", "h=0.002", "order=4"}, 4, 100},
        {"double_pendulum", {"integrator=rattlie", "step=fixed", "h=0.005", "order=6"}, 4, 40},
        {"double_pendulum", {"integrator=rattlie", "step=fixed", "h=0.005", "order=8"}, 4, 20},
        {"spatial_slider_crank", {"integrator=rattlie", "step=fixed", "h=0.001"}, 3, 300},
        {"spatial_slider_crank", {"integrator=rattlie", "step=fixed", "h=0.002", "order=4"}, 4, 50},
        {"spatial_slider_crank", {"integrator=rattlie", "step=fixed", "h=0.002", "order=8"}, 4, 20},
        {"andrews_squeezer", {"integrator=rattlie", "step=fixed", "h=1e-5"}, 3, 300},
        {"andrews_squeezer", {"integrator=rattlie", "step=fixed", "h=1e-5", "order=4"}, 4, 50},
        {"andrews_squeezer", {"integrator=rattlie", "step=fixed", "h=1e-5", "nodes=1"}, 4, 100}, // points without mass
        {"flyball_governor", {"integrator=rattlie", "step=fixed", "h=0.001"}, 3, 300}, // stiff damper, h c/m = 8
        {"flyball_governor", {"integrator=rattlie", "step=fixed", "h=0.001", "order=4"}, 4, 100},
        {"n_four_bar", {"integrator=rattlie", "step=fixed", "h=0.001"}, 3, 200},
        {"n_four_bar", {"integrator=rattlie", "step=fixed", "h=0.001", "order=4"}, 4, 40},
        {"chaplygin_sleigh", {"integrator=rattlie", "step=fixed", "h=0.001"}, 3, 300},
        {"chaplygin_sleigh", {"integrator=rattlie", "step=fixed", "h=0.002", "order=4"}, 4, 100},
        {"chaplygin_sleigh", {"integrator=rattlie", "step=fixed", "h=0.005", "order=6"}, 4, 40},
        {"chaplygin_sleigh", {"integrator=rattlie", "step=fixed", "h=0.005", "order=8"}, 4, 20},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        const double off = program_against_library(list[k].model, list[k].set, list[k].nset, list[k].n, "-O1");
        print_message("%s %s: %.1e\n", list[k].model, list[k].nset > 2 ? list[k].set[2] : "", off);
        assert_near(off, 0.0, 2e-11);
    }
}

static void lanes_are_bit_equal_to_the_scalar_program(void **state)
{
    static const struct {
        const char *model, *order;
    } list[] = {{"slider_crank", "order=2"},
                {"rolling_disk", "order=2"},
                {"rolling_disk", "order=6"},
                {"spatial_slider_crank", "order=4"},
                {"n_four_bar", "order=2"}};
    const dal_generate_options lanes = {.scalar = DAL_GENERATE_LANES, .lanes = 4};
    const dal_generate_options cuda = {.scalar = DAL_GENERATE_CUDA};
    for (size_t m = 0; m < LEN(list); ++m) {
        const char *const set[] = {"integrator=rattlie", "step=fixed", list[m].order};
        program a, b, c;
        program_open(&a, list[m].model, set, 3, NULL, "-O1");
        program_open(&b, list[m].model, set, 3, &lanes, "-O1 -Wno-psabi");
        program_open(&c, list[m].model, set, 3, &cuda, "-O1");
        for (int k = 0; k < 100; ++k) {
            assert_int_equal(a.step(a.state), 0);
            assert_int_equal(b.step(b.state), 0);
            assert_int_equal(c.step(c.state), 0);
        }
        for (int i = 0; i < 7; ++i) {
            assert_true(a.q(a.state)[i] == c.q(c.state)[i]);
            for (int l = 0; l < 4; ++l) {
                assert_true(a.q(a.state)[i] == b.q(b.state)[4 * i + l]);
            }
        }
        program_close(&a);
        program_close(&b);
        program_close(&c);
    }
}

/* Frames away from the centre of mass, for all coordinates of rigid bodies; a spring with damper between the bodies. */
static void all_coordinates_of_rigid_bodies(void **state)
{
    static const char pendulum[] =
        "{\"dalembert\": 1, \"words\": {\"coordinates\": \"r3so3\"}, \"gravity\": [0.3, -0.2, -9.81],"
        " \"bodies\": [{\"name\": \"a\", \"type\": \"{coordinates}\", \"mass\": 1.7, \"inertia\": [0.04, 0.05, 0.06],"
        " \"com\": [0.1, -0.2, 0.3], \"angular_velocity\": [1, 0.5, -2]},"
        " {\"name\": \"b\", \"type\": \"{coordinates}\", \"mass\": 0.9, \"inertia\": [0.02, 0.03, 0.04],"
        " \"com\": [0.15, 0.1, 0.05], \"position\": [0.2, -0.4, 0.6], \"velocity\": [-0.5, -1, -0.5],"
        " \"angular_velocity\": [0.4, -1, 0.8]}],"
        " \"joints\": [{\"name\": \"s\", \"type\": \"spherical\", \"body_b\": \"a\", \"point\": [0, 0, 0]},"
        " {\"name\": \"t\", \"type\": \"spherical\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [0.2, -0.4, "
        "0.6]}],"
        " \"forces\": [{\"name\": \"f\", \"type\": \"spring\", \"body_b\": \"b\", \"frame_a\": [1, 0, 1],"
        " \"frame_b\": [0.3, 0.2, 0.1], \"stiffness\": 20, \"damping\": 0.4}]}";
    static const char plane[] =
        "{\"dalembert\": 1, \"words\": {\"coordinates\": \"planar\"}, \"gravity\": [0.3, -9.81],"
        " \"bodies\": [{\"name\": \"a\", \"type\": \"{coordinates}\", \"mass\": 1.7, \"inertia\": 0.06, \"com\": [0.1, "
        "-0.2],"
        " \"angular_velocity\": 2}],"
        " \"joints\": [{\"name\": \"r\", \"type\": \"planar_revolute\", \"body_b\": \"a\", \"point\": [0, 0]}]}";
    static const struct {
        const char *text, *type;
    } list[] = {{pendulum, "r3so3"},
                {pendulum, "se3"},
                {pendulum, "cardan"},
                {pendulum, "rotation_vector"},
                {pendulum, "euler_parameters"},
                {pendulum, "euler_parameters_textbook"},
                {plane, "planar"},
                {plane, "planar_se2"}};
    static const char *const order[] = {"order=2", "order=4", "order=8"};
    char folder[32], path[64], word[64];
    program_folder(folder);
    snprintf(path, sizeof path, "%s/two.json", folder);
    for (size_t k = 0; k < LEN(list) * LEN(order); ++k) {
        const char *const set[] = {"integrator=rattlie", "h=0.002", order[k % LEN(order)], word};
        const char *text = list[k / LEN(order)].text;
        program_write(folder, "two.json", text, strlen(text));
        snprintf(word, sizeof word, "coordinates=%s", list[k / LEN(order)].type);
        const double off = program_against_library(path, set, 4, 50, "-O1");
        print_message("%s %s: %.1e\n", word, set[2], off);
        assert_near(off, 0.0, 2e-11);
    }
    program_remove(folder);
}

/* The axis of a thin rod that rolls has no mass: rows hold its way, or the program is refused. */
static void what_rows_of_velocities_hold_needs_no_mass(void **state)
{
    static const char rod[] =
        "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81],"
        " \"bodies\": [{\"name\": \"d\", \"mass\": 1.7, \"inertia\": {\"rod\": 0.3, \"axis\": \"z\"},"
        " \"position\": [0, 0, 0.3], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 1.570796326794897},"
        " \"angular_velocity\": [0, 0, -4]}],"
        " \"joints\": [{\"name\": \"r\", \"type\": \"rolling_disk\", \"body_b\": \"d\", \"radius\": 0.3,"
        " \"frame_a\": [0, 0, 0], \"frame_b\": [0, 0, 0]}],"
        " \"forces\": [{\"name\": \"m\", \"type\": \"torque\", \"body\": \"d\", \"vector\": [-0.5, 1.6, 1], "
        "\"follower\": true}]}";
    static const char *const set[] = {"integrator=rattlie", "h=0.002", "order=6"};
    char folder[32], path[64];
    program_folder(folder);
    program_write(folder, "rod.json", rod, sizeof rod - 1);
    snprintf(path, sizeof path, "%s/rod.json", folder);
    assert_non_null(strstr(program_refusal(path, set, 2), "order 6 and 8 only"));
    const double off = program_against_library(path, set, 3, 100, "-O1");
    print_message("a rod that rolls: %.1e\n", off);
    assert_near(off, 0.0, 2e-11);
    program_remove(folder);
}

/* A step that does not converge leaves the state where it was. */
static void steps_that_are_too_long_fail(void **state)
{
    static const char *const set[] = {"integrator=rattlie", "step=fixed", "h=0.2"};
    program p;
    program_open(&p, "heavy_top", set, 3, NULL, "-O1");
    double q[7];
    memcpy(q, p.q(p.state), sizeof q);
    assert_int_equal(p.step(p.state), 1);
    assert_memory_equal(q, p.q(p.state), sizeof q);
    program_close(&p);
}

static void what_they_do_not_take_is_named(void **state)
{
    static const struct {
        const char *model, *word;
    } list[] = {{"flexible_pendulum", "body 'beam' is flexible"},
                {"nonholonomic_particle", "type pfaffian"},
                {"bricard", "no redundant rows"}};
    static const char *const set[] = {"integrator=rattlie", "step=fixed"}, *const bdf[] = {"integrator=bdf"};
    for (size_t k = 0; k < LEN(list); ++k) {
        const char *text = program_refusal(list[k].model, set, 2);
        assert_non_null(strstr(text, "integrator = rattlie"));
        assert_non_null(strstr(text, list[k].word));
    }
    assert_non_null(strstr(program_refusal("heavy_top", bdf, 1), "integrator = bdf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_agree_with_the_library), cmocka_unit_test(lanes_are_bit_equal_to_the_scalar_program),
        cmocka_unit_test(all_coordinates_of_rigid_bodies), cmocka_unit_test(what_rows_of_velocities_hold_needs_no_mass),
        cmocka_unit_test(steps_that_are_too_long_fail),    cmocka_unit_test(what_they_do_not_take_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
