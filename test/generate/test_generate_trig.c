/* Sines of generated programs: without branches, so that lanes compute them side by side, and exact to a last bit. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

/* the text that programs consist of */
#include "generate/scalar.txt" // NOLINT(bugprone-suspicious-include)

#include "generate/functions.txt" // NOLINT(bugprone-suspicious-include)

#include "generate/trig.txt" // NOLINT(bugprone-suspicious-include)

/* Distance to a value that is known better, in last bits of it. */
static double last_bits(double y, long double exact)
{
    int e;
    (void)frexp((double)exact, &e);
    return (double)(fabsl((long double)y - exact) / ldexpl(1.0L, e - DBL_MANT_DIG));
}

static double worst_at(double x)
{
    return fmax(last_bits(real_sin(x), sinl((long double)x)), last_bits(real_cos(x), cosl((long double)x)));
}

/* Numbers in (-1, 1). */
static double next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static void sines_and_cosines_are_exact_to_a_last_bit(void **state)
{
    uint64_t seed = 1;
    double worst = 0.0;
    for (int k = 0; k < 100000; ++k) {
        worst = fmax(worst, worst_at(1.6 * next(&seed)));
        worst = fmax(worst, worst_at(1e5 * next(&seed)));
    }
    assert_near(worst, 0.0, 0.85);
}

/* Where most digits are lost. */
static void so_they_are_next_to_their_zeros(void **state)
{
    double worst = 0.0;
    for (int k = 1; k < 60000; ++k) {
        const double x = k * 1.57079632679489661923;
        worst = fmax(worst, fmax(worst_at(x), worst_at(-x)));
        worst = fmax(worst, fmax(worst_at(nextafter(x, 0.0)), worst_at(nextafter(x, 1e9))));
    }
    for (int k = 1; k < 300; ++k) {
        worst = fmax(worst, worst_at(ldexp(1.37, -k)));
    }
    assert_near(worst, 0.0, 0.85);
}

static void large_arguments_are_those_of_the_system(void **state)
{
    assert_true(real_sin(3e6) == sin(3e6) && real_cos(-1e12) == cos(-1e12));
    assert_true(real_sin(0.0) == 0.0 && real_cos(0.0) == 1.0);
    assert_true(isnan(real_sin(NAN)) && isnan(real_cos(INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_and_cosines_are_exact_to_a_last_bit),
        cmocka_unit_test(so_they_are_next_to_their_zeros),
        cmocka_unit_test(large_arguments_are_those_of_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
