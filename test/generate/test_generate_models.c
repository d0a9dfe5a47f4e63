/* Generated programs on all built-in models they take: against the library, in lanes, under sanitizers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

typedef struct trial {
    const char *model, *set[4];
    int n;
} trial;

/* With tight tolerances: otherwise rounding decides now and then whether Newton's method does one more iteration, and a decision
 * apart is a tolerance apart. */
static const trial trials[] = {
    {"heavy_top", {"coordinates=se3"}, 1000},
    {"heavy_top", {"coordinates=euler_parameters"}, 1000},
    {"heavy_top", {"coordinates=cardan"}, 1000},
    {"heavy_top", {"formulation=index2", "coordinates=euler_parameters"}, 1000},
    {"heavy_top", {"formulation=index3", "coordinates=euler_parameters"}, 1000},
    {"heavy_top", {"coordinates=euler_parameters_textbook"}, 1000},
    {"heavy_top", {"formulation=ggl"}, 1000},
    {"heavy_top", {"sigma=0.3", "formulation=ggl", "coordinates=se3"}, 1000},
    {"double_pendulum", {NULL}, 1000},
    {"pendulum", {"formulation=ggl"}, 1000},
    {"rolling_disk", {NULL}, 1000},
    {"chaplygin_sleigh", {NULL}, 1000},
    {"n_four_bar", {NULL}, 1000},
    {"spatial_slider_crank", {NULL}, 1000},
    {"andrews_squeezer", {NULL}, 1000},
    {"flyball_governor", {NULL}, 1000},
    {"high_speed_rotor", {NULL}, 1000},
    {"chain", {"N=4"}, 1000},
};

static void programs_agree_with_the_library_over_1000_steps(void **state)
{
    for (size_t k = 0; k < sizeof trials / sizeof trials[0]; ++k) {
        const trial *t = &trials[k];
        const char *set[5] = {"atol=1e-14", "rtol=1e-13"};
        int nset = 2;
        while (nset < 5 && t->set[nset - 2]) {
            set[nset] = t->set[nset - 2];
            ++nset;
        }
        print_message("%s %s\n", t->model, t->set[0] ? t->set[0] : "");
        assert_near(program_against_library(t->model, set, nset, t->n, "-O0"), 0.0, 1e-12);
    }
}

/* Sums may be rearranged there: the reduction of angles must not be. */
static void programs_agree_with_the_library_under_flags_that_rearrange_sums(void **state)
{
    static const char *const flags[] = {"-O2 -funsafe-math-optimizations", "-O2 -ffast-math -fno-finite-math-only"};
    for (size_t k = 0; k < LEN(flags); ++k) {
        assert_near(program_against_library("planar_slider_crank", NULL, 0, 200, flags[k]), 0.0, 1e-11);
    }
}

static void lanes_are_bit_equal_to_the_scalar_program(void **state)
{
    static const char *const models[] = {"spatial_slider_crank", "andrews_squeezer"}; // 21 coordinates each
    const dal_generate_options lanes = {.scalar = DAL_GENERATE_LANES, .lanes = 4};
    for (size_t m = 0; m < LEN(models); ++m) {
        program a, b;
        program_open(&a, models[m], NULL, 0, NULL, "-O1");
        program_open(&b, models[m], NULL, 0, &lanes, "-O1 -Wno-psabi");
        for (int k = 0; k < 200; ++k) {
            assert_int_equal(a.step(a.state), 0);
            assert_int_equal(b.step(b.state), 0);
        }
        for (int i = 0; i < 21; ++i) {
            for (int l = 0; l < 4; ++l) {
                assert_true(a.q(a.state)[i] == b.q(b.state)[4 * i + l]);
            }
        }
        program_close(&a);
        program_close(&b);
    }
}

static void device_code_on_the_host_is_bit_equal_to_the_scalar_program(void **state)
{
    const dal_generate_options cuda = {.scalar = DAL_GENERATE_CUDA};
    program a, b;
    program_open(&a, "double_pendulum", NULL, 0, NULL, "-O1");
    program_open(&b, "double_pendulum", NULL, 0, &cuda, "-O1");
    for (int k = 0; k < 200; ++k) {
        assert_int_equal(a.step(a.state), 0);
        assert_int_equal(b.step(b.state), 0);
    }
    for (int i = 0; i < 6; ++i) {
        assert_true(a.q(a.state)[i] == b.q(b.state)[i]);
    }
    program_close(&a);
    program_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_agree_with_the_library_over_1000_steps),
        cmocka_unit_test(programs_agree_with_the_library_under_flags_that_rearrange_sums),
        cmocka_unit_test(lanes_are_bit_equal_to_the_scalar_program),
        cmocka_unit_test(device_code_on_the_host_is_bit_equal_to_the_scalar_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
