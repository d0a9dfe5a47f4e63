/* Programs of RATTLie: against the library, in lanes, members with parameters; what they do not take. */
#include <math.h>
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
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        const double off = program_against_library(list[k].model, list[k].set, list[k].nset, list[k].n, "-O1");
        print_message("%s %s: %.1e\n", list[k].model, list[k].nset > 2 ? list[k].set[2] : "", off);
        assert_near(off, 0.0, 2e-11);
    }
}

static void lanes_are_bit_equal_to_the_scalar_program(void **state)
{
    static const char *const set[] = {"integrator=rattlie", "step=fixed"};
    const dal_generate_options lanes = {.scalar = DAL_GENERATE_LANES, .lanes = 4};
    const dal_generate_options cuda = {.scalar = DAL_GENERATE_CUDA};
    program a, b, c;
    program_open(&a, "slider_crank", set, 2, NULL, "-O1");
    program_open(&b, "slider_crank", set, 2, &lanes, "-O1 -Wno-psabi");
    program_open(&c, "slider_crank", set, 2, &cuda, "-O1");
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
    } list[] = {
        {"double_pendulum", "body 'upper'"}, {"rolling_disk", "joint 'contact'"}, {"bricard", "no redundant rows"}};
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
        cmocka_unit_test(programs_agree_with_the_library),
        cmocka_unit_test(lanes_are_bit_equal_to_the_scalar_program),
        cmocka_unit_test(steps_that_are_too_long_fail),
        cmocka_unit_test(what_they_do_not_take_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
