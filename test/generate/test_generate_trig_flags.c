/* Sines of generated programs where the compiler may rearrange sums (-funsafe-math-optimizations). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/check.h"

/* the text that programs consist of */
#include "generate/scalar.txt" // NOLINT(bugprone-suspicious-include)

#include "generate/functions.txt" // NOLINT(bugprone-suspicious-include)

#include "generate/trig.txt" // NOLINT(bugprone-suspicious-include)

static void sines_and_cosines_keep_their_digits_where_sums_are_rearranged(void **state)
{
    double worst = 0.0;
    for (int k = -20000; k <= 20000; ++k) {
        const double x = 4.9 * k, y = 1e-4 * k;
        worst = fmax(worst, fmax(fabs(real_sin(x) - sin(x)), fabs(real_cos(x) - cos(x))));
        worst = fmax(worst, fmax(fabs(real_sin(y) - sin(y)), fabs(real_cos(y) - cos(y))));
    }
    assert_near(worst, 0.0, 2.0 * DBL_EPSILON);
}

/* To far less than the last digit of x changes them by. */
static void so_they_do_next_to_the_zeros_of_sine(void **state)
{
    double worst = 0.0;
    for (int k = 2; k < 60000; k += 2) {
        const double x = k * 1.57079632679489661923;
        worst = fmax(worst, fabs(real_sin(x) - sin(x)));
    }
    assert_near(worst, 0.0, 1e-20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_and_cosines_keep_their_digits_where_sums_are_rearranged),
        cmocka_unit_test(so_they_do_next_to_the_zeros_of_sine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
