/* Loops that take several numbers at a time, against plain ones, for all short lengths. */
#include "base/vector.h"

#include <float.h>

#include "support/check.h"

enum { MOST = 40, ROOM = MOST + 2 };

static void draw(check_rng *rng, double x[ROOM])
{
    check_normals(rng, x, ROOM);
}

static void every_length_is_met_and_nothing_beside_it(void **state)
{
    check_rng rng = check_rng_seed(1);
    for (int n = 0; n <= MOST; ++n) {
        double x[ROOM], y[ROOM], got[6][ROOM];
        const double s = 0.7;
        draw(&rng, x);
        draw(&rng, y);
        for (int k = 0; k < 6; ++k) {
            memcpy(got[k], y, sizeof y);
        }
        // from the second number on: nothing is aligned
        dal_add(got[0] + 1, x + 1, n);
        dal_negative(got[1] + 1, x + 1, n);
        dal_scale(got[2] + 1, s, n);
        dal_zero(got[3] + 1, n);
        dal_divide(got[4] + 1, x + 1, s, n);
        dal_add_multiple(got[5] + 1, x + 1, s, n);
        for (int i = 0; i < ROOM; ++i) {
            const int in = i >= 1 && i <= n;
            const double want[6] = {y[i] + x[i], -x[i], y[i] * s, 0.0, x[i] / s, y[i] + x[i] * s};
            for (int k = 0; k < 6; ++k) {
                assert_true(got[k][i] == (in ? want[k] : y[i]));
            }
        }
    }
}

static void the_largest_magnitude_is_found_wherever_it_is(void **state)
{
    check_rng rng = check_rng_seed(2);
    const double special[] = {-3.0, 3.0, DBL_MAX, -DBL_MAX, 1e300};
    for (int n = 1; n <= MOST; ++n) {
        double x[ROOM];
        for (int at = 0; at < n; ++at) {
            for (int k = 0; k < 5; ++k) {
                for (int i = 0; i < n; ++i) {
                    x[i] = check_uniform(&rng, -2.0, 2.0);
                }
                x[at] = special[k];
                assert_true(dal_max_abs(x, n) == fabs(special[k]));
            }
            const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
            for (int k = 0; k < 4; ++k) {
                x[at] = bad[k];
                assert_true(isnan(dal_max_abs(x, n)));
                assert_true(isnan(dal_not_finite(x, n)));
            }
        }
    }
    const double small[] = {-0.0, 5e-324, -1e-320};
    assert_true(dal_max_abs(small, 0) == 0.0);
    assert_true(dal_max_abs(small, 1) == 0.0 && !signbit(dal_max_abs(small, 1)));
    assert_true(dal_max_abs(small, 2) == 5e-324);
    assert_true(dal_max_abs(small, 3) == 1e-320);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_length_is_met_and_nothing_beside_it),
                                       cmocka_unit_test(the_largest_magnitude_is_found_wherever_it_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
