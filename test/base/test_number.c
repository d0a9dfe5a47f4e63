#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "support/check.h"

static int parse(double *x, const char *text)
{
    return dal_number_parse(x, text, strlen(text));
}

static void decimal_numbers_are_read(void **state)
{
    static const struct {
        const char *text;
        double x;
    } good[] = {{"0", 0},
                {"-0", -0.0},
                {"+1.5", 1.5},
                {".5", 0.5},
                {"5.", 5},
                {"1e3", 1000},
                {"1E+3", 1000},
                {"2.5e-3", 2.5e-3},
                {"007", 7},
                {"1e-400", 0},
                {"1.7976931348623157e308", DBL_MAX}};
    for (size_t k = 0; k < LEN(good); ++k) {
        double x = NAN;
        assert_true(parse(&x, good[k].text));
        assert_true(x == good[k].x);
    }
}

static void anything_else_is_refused(void **state)
{
    static const char *const bad[] = {"",    " 1",   "1 ",       "1x",  "x1",    ".",    "+",
                                      "-.",  "e5",   "1e",       "1e+", "1.2.3", "0x10", "nan",
                                      "inf", "-inf", "infinity", "1,5", "1e999", "--1",  "1d3"};
    for (size_t k = 0; k < LEN(bad); ++k) {
        double x = 42.0;
        assert_false(parse(&x, bad[k]));
        assert_true(x == 42.0);
    }
}

static void only_the_given_length_is_read(void **state)
{
    double x = 0.0;
    assert_true(dal_number_parse(&x, "12345", 3));
    assert_true(x == 123.0);
    assert_false(dal_number_parse(&x, "1e5", 2));
}

static void endless_numbers_are_refused(void **state)
{
    char text[400];
    double x = 0.0;
    memset(text, '1', sizeof text);
    assert_true(dal_number_parse(&x, text, 300));
    assert_false(dal_number_parse(&x, text, 301));
}

static void written_numbers_read_back_to_the_bit(void **state)
{
    static const double special[] = {0.0, -0.0, 0.1, 1.0 / 3.0, DBL_MAX, -DBL_MAX, DBL_MIN, 0x1p-1074, 1e22, 123456789};
    check_rng rng = check_rng_seed(1);
    for (int k = 0; k < 20000; ++k) {
        const double x =
            k < (int)LEN(special) ? special[k] : ldexp(check_normal(&rng), (int)check_uniform(&rng, -1000.0, 1000.0));
        char text[DAL_NUMBER_SIZE];
        double back = NAN;
        dal_number_format(text, x);
        assert_true(parse(&back, text));
        assert_memory_equal(&x, &back, sizeof x);
    }
}

static void short_numbers_stay_short(void **state)
{
    char text[DAL_NUMBER_SIZE];
    dal_number_format(text, 0.1);
    assert_string_equal(text, "0.1");
    dal_number_format(text, 1e-10);
    assert_string_equal(text, "1e-10");
    dal_number_format(text, 1000);
    assert_string_equal(text, "1000");
    dal_number_format(text, NAN);
    assert_string_equal(text, "nan");
    dal_number_format(text, -INFINITY);
    assert_string_equal(text, "-inf");
    dal_number_format(text, INFINITY);
    assert_string_equal(text, "inf");
}

/* Where the system knows such a locale, printf and strtod use a comma (or a longer sign): we do not. */
static void the_decimal_point_is_a_point_in_every_locale(void **state)
{
    static const char *const name[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "de_DE", "C.UTF-8"};
    for (size_t k = 0; k < LEN(name); ++k) {
        if (setlocale(LC_NUMERIC, name[k]) != NULL) {
            char text[DAL_NUMBER_SIZE];
            double x = NAN;
            dal_number_format(text, -1.5e-7);
            assert_string_equal(text, "-1.5e-07");
            assert_true(parse(&x, "2.25e1"));
            assert_true(x == 22.5);
            assert_false(parse(&x, "2,25"));
        }
    }
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_numbers_are_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(only_the_given_length_is_read),
        cmocka_unit_test(endless_numbers_are_refused),
        cmocka_unit_test(written_numbers_read_back_to_the_bit),
        cmocka_unit_test(short_numbers_stay_short),
        cmocka_unit_test(the_decimal_point_is_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
