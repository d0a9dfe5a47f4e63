/* Arithmetic in model files. */
#include "io/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

typedef struct names {
    dal_ctx *ctx;
} names;

static int find(double *x, const char *name, int depth, const dal_lookup *from)
{
    if (strcmp(name, "L") == 0) {
        *x = 0.3;
        return 1;
    }
    if (strcmp(name, "bad") == 0) {
        dal_fail(((const names *)from->user)->ctx, DAL_EINVAL, "bad is bad");
        return -1;
    }
    return 0;
}

static const char *nearest(const char *name, const dal_lookup *from)
{
    static const char *const words[] = {"L", "Length"};
    return dal_nearest(name, words, 2);
}

static double value_of(const char *text)
{
    dal_ctx *ctx = check_ctx();
    const names user = {ctx};
    const dal_lookup lookup = {.find = find, .nearest = nearest, .user = &user};
    double x = (double)NAN;
    check_ok(ctx, dal_expression_value(&x, ctx, text, &lookup, 0));
    check_ctx_free(ctx);
    return x;
}

static void operators_bind_as_in_mathematics(void **state)
{
    assert_near(value_of("1 + 2*3"), 7.0, 0.0);
    assert_near(value_of("(1 + 2)*3"), 9.0, 0.0);
    assert_near(value_of("8/4/2"), 1.0, 0.0);
    assert_near(value_of("8 - 4 - 2"), 2.0, 0.0);
    assert_near(value_of("2^3^2"), 512.0, 0.0);
    assert_near(value_of("-2^2"), -4.0, 0.0);
    assert_near(value_of("2^-2"), 0.25, 0.0);
    assert_near(value_of("2*-3"), -6.0, 0.0);
    assert_near(value_of("--3"), 3.0, 0.0);
    assert_near(value_of("+3 - +2"), 1.0, 0.0);
}

static void numbers_are_read_in_all_spellings(void **state)
{
    assert_near(value_of("1.5e3"), 1500.0, 0.0);
    assert_near(value_of("1E-2"), 0.01, 0.0);
    assert_near(value_of(".5"), 0.5, 0.0);
    assert_near(value_of(" 2. "), 2.0, 0.0);
    assert_near(value_of("\t7\n"), 7.0, 0.0);
}

static void functions_have_their_values(void **state)
{
    assert_near(value_of("sin(pi/6)"), 0.5, 1e-15);
    assert_near(value_of("cos(0)"), 1.0, 0.0);
    assert_near(value_of("tan(pi/4)"), 1.0, 1e-15);
    assert_near(value_of("asin(1)"), acos(0.0), 1e-15);
    assert_near(value_of("acos(1)"), 0.0, 0.0);
    assert_near(value_of("4*atan(1)"), acos(-1.0), 1e-15);
    assert_near(value_of("atan2(1, -1)"), 0.75 * acos(-1.0), 1e-15);
    assert_near(value_of("sqrt(2)^2"), 2.0, 1e-15);
    assert_near(value_of("abs(-3)"), 3.0, 0.0);
    assert_near(value_of("log(exp(2))"), 2.0, 1e-15);
    assert_near(value_of("pow(2, 10)"), 1024.0, 0.0);
    assert_near(value_of("floor(2.7)"), 2.0, 0.0);
    assert_near(value_of("min(3, 1, 2)"), 1.0, 0.0);
    assert_near(value_of("max(3, 1, 2)"), 3.0, 0.0);
    assert_near(value_of("deg(180)"), acos(-1.0), 1e-15);
    assert_near(value_of("rad(1.25)"), 1.25, 0.0);
}

static void names_are_looked_up(void **state)
{
    assert_near(value_of("L/2"), 0.15, 1e-17);
    assert_near(value_of("2*pi*L"), 0.6 * acos(-1.0), 1e-15);
}

static void conditions_choose(void **state)
{
    assert_near(value_of("if(1 < 2, 3, 4)"), 3.0, 0.0);
    assert_near(value_of("if(2 < 2, 3, 4)"), 4.0, 0.0);
    assert_near(value_of("if(2 <= 2, 3, 4)"), 3.0, 0.0);
    assert_near(value_of("if(L > 0.2, L, -L)"), 0.3, 0.0);
    assert_near(value_of("if(2 >= 3, 3, 4)"), 4.0, 0.0);
    assert_near(value_of("if(1 < 2 and 3 < 2, 5, 6)"), 6.0, 0.0);
    assert_near(value_of("if(1 < 2 or 3 < 2, 5, 6)"), 5.0, 0.0);
    assert_near(value_of("if(1 > 2 or 3 < 2, 5, if(L > 0, 7, 8))"), 7.0, 0.0);
    assert_near(value_of("if(L > 1, sqrt(-1), 2)"), 2.0, 0.0); // what is not chosen does not matter
    assert_near(value_of("if(1 < 2, [1, 2, 3], [4, 5, 6]).y"), 2.0, 0.0);
}

static void units_stand_behind_numbers(void **state)
{
    assert_near(value_of("12 mm"), 0.012, 0.0);
    assert_near(value_of("12mm + 3 cm"), 0.042, 1e-17);
    assert_near(value_of("1500 rpm"), 50.0 * acos(-1.0), 1e-13);
    assert_near(value_of("30 deg"), acos(-1.0) / 6.0, 1e-16);
    assert_near(value_of("20 N/mm"), 2e4, 0.0);
    assert_near(value_of("2.5 kN m"), 2500.0, 0.0);
    assert_near(value_of("7.85 g/cm^3"), 7850.0, 1e-12);
    assert_near(value_of("210 GPa"), 2.1e11, 0.0);
    assert_near(value_of("9.81 m/s^2"), 9.81, 0.0);
    assert_near(value_of("36 km/h"), 10.0, 1e-15);
    assert_near(value_of("-4 ms^2"), -1.6e-5 / 4.0, 1e-20);
    assert_near(value_of("10 mm/L"), 0.01 / 0.3, 1e-17); // L is no unit
    assert_near(value_of("2*(3 in)^2"), 2.0 * 0.0762 * 0.0762, 1e-17);
    assert_near(value_of("sqrt((3 m)^2 + (4 m)^2) + 1 mm"), 5.001, 1e-15);
}

/* What rolls, swings and is driven has angular velocities from lengths and masses; times alone make frequencies. */
static void rates_follow_from_lengths_and_masses(void **state)
{
    assert_near(value_of("(3 m/s)/(300 mm) + 60 rpm"), 10.0 + 2.0 * acos(-1.0), 1e-14);
    assert_near(value_of("sqrt((200 N/m)/(2 kg)) - 1 rad/s"), 9.0, 1e-14);
    assert_near(value_of("(3 N*m)/(2 kg*m^2) + 1 rad/s^2"), 2.5, 0.0);
    assert_near(value_of("1 Hz + 1/(2 s)"), 1.5, 0.0);
}

static void vectors_are_computed_with(void **state)
{
    assert_near(value_of("norm([3, 4])"), 5.0, 0.0);
    assert_near(value_of("([1, 2, 3] + 2*[1, 0, -1]).z"), 1.0, 0.0);
    assert_near(value_of("dot([1, 2, 3], [4, 5, 6])"), 32.0, 0.0);
    assert_near(value_of("cross([1, 0, 0], [0, 1, 0]).z"), 1.0, 0.0);
    assert_near(value_of("(-[1, 2, 3]/2).y"), -1.0, 0.0);
    assert_near(value_of("unit([0, 3, 4]).y"), 0.6, 1e-16);
    assert_near(value_of("rotate([1, 0, 0], [0, 0, 2], 90 deg).y"), 1.0, 1e-16);
    // about its own axis nothing turns, and lengths are kept
    assert_near(value_of("norm(rotate([1, 2, 3], [1, 2, 3], 1.3) - [1, 2, 3])"), 0.0, 1e-15);
    assert_near(value_of("norm(rotate([1, 2, 3], [3, -1, 2], 0.7))"), sqrt(14.0), 1e-15);
}

static void vectors_and_units_are_checked(void **state)
{
    static const char *const cases[][2] = {
        {"2 m + 3 kg", "m and kg cannot be added"},
        {"max(1 s, 2 mm)", "s and m cannot be added or compared"},
        {"60 rpm - 1 Hz", "s^-1 rad and s^-1 cannot be added"},
        {"(3 m/s)/(2 m) + 1 kg", "s^-1 and kg cannot be added"},
        {"(3 m)/(2 m/s) + 1 mm", "s and m cannot be added"},
        {"[1, 2, 3]", "this is a vector where a number is expected"},
        {"[1, 2] + 1", "vectors are added to vectors"},
        {"[1, 2]*[3, 4]", "the product of two vectors is dot(a, b) or cross(a, b)"},
        {"2/[3, 4]", "a vector near here does not fit"},
        {"sin([1, 2])", "a vector near here does not fit"},
        {"norm(3)", "argument 1 of norm is a vector"},
        {"rotate([1, 0], 2, 3)", "argument 2 of rotate is a vector"},
        {"dot([1, 2])", "dot takes two arguments"},
        {"[1]", "a vector has two or three numbers"},
        {"(1).x", "this is a number, and has no components"},
        {"[1, 2", "expected ']'"},
        {"if(1, 2, 3)", "expected a comparison"},
        {"if(1 < 2, 3)", "expected ',': if(condition, value, other value)"},
        {"if(1 m < 2 s, 3, 4)", "cannot be added or compared"},
        {"if([1, 2] < 2, 3, 4)", "numbers are compared, not vectors"},
        {"3 furlongs", "units stand behind numbers"},
        {"-- [0, 4]", "this is a vector where a number is expected"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        double x = 42.0;
        check_fails(ctx, dal_expression_value(&x, ctx, cases[k][0], NULL, 0), DAL_EINVAL, cases[k][1]);
        assert_near(x, 42.0, 0.0);
    }
    check_ctx_free(ctx);
}

static void mistakes_are_explained_with_their_column(void **state)
{
    static const char *const cases[][2] = {
        {"", "column 1: a value is missing at the end"},
        {"2*", "\"2*\", column 3: a value is missing at the end"},
        {"2*/3", "column 3: expected a number, a name or '('"},
        {"(1 + 2", "column 7: expected ')'"},
        {"1 2", "column 3: expected an operator or the end"},
        {"sin 2", "column 1: no variable 'sin'"},
        {"sni(2)", "column 1: no function 'sni' (did you mean 'sin'?)"},
        {"1 + Lenght", "column 5: no variable 'Lenght' (did you mean 'Length'?)"},
        {"sin(1, 2)", "column 1: sin takes one argument"},
        {"atan2(1)", "column 1: atan2 takes two arguments"},
        {"max(1)", "max takes two arguments"},
        {"max(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", "too many arguments"},
        {"1.2.3", "column 1: this is not a number"},
        {"1e999", "column 1: this is not a number, or it is too large"},
        {"1/0", "the value is not finite"},
        {"sqrt(-1)", "the value is not finite"},
        {"0^-1", "the value is not finite"},
        {"2 $ 3", "column 3: expected an operator"},
        {"bad + 1", "bad is bad"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "this name is too long"},
    };
    dal_ctx *ctx = check_ctx();
    const names user = {ctx};
    const dal_lookup lookup = {.find = find, .nearest = nearest, .user = &user};
    for (size_t k = 0; k < LEN(cases); ++k) {
        double x = 42.0;
        check_fails(ctx, dal_expression_value(&x, ctx, cases[k][0], &lookup, 0), DAL_EINVAL, cases[k][1]);
        assert_near(x, 42.0, 0.0);
    }
    check_ctx_free(ctx);
}

static void depth_is_limited(void **state)
{
    dal_ctx *ctx = check_ctx();
    char text[4096];
    double x;
    for (int c = 0; c < 3; ++c) {
        memset(text, "(-2"[c], sizeof(text));
        for (size_t k = 1; c == 2 && k < sizeof(text); k += 2) {
            text[k] = '^';
        }
        text[sizeof(text) - 1] = '\0';
        check_fails(ctx, dal_expression_value(&x, ctx, text, NULL, 0), DAL_EINVAL, "nested too deeply");
    }
    // a long sum is not deep
    for (size_t k = 0; k + 1 < sizeof(text); ++k) {
        text[k] = k % 2 ? '+' : '1';
    }
    check_ok(ctx, dal_expression_value(&x, ctx, text, NULL, 0));
    assert_near(x, 2048.0, 0.0);
    check_ctx_free(ctx);
}

static void names_of_functions_cannot_be_taken(void **state)
{
    assert_true(dal_expression_name("L_1"));
    assert_true(dal_expression_name("_x"));
    assert_false(dal_expression_name("1x"));
    assert_false(dal_expression_name("a b"));
    assert_false(dal_expression_name(""));
    assert_false(dal_expression_name("pi"));
    assert_false(dal_expression_name("deg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(numbers_are_read_in_all_spellings),
        cmocka_unit_test(functions_have_their_values),
        cmocka_unit_test(names_are_looked_up),
        cmocka_unit_test(conditions_choose),
        cmocka_unit_test(units_stand_behind_numbers),
        cmocka_unit_test(rates_follow_from_lengths_and_masses),
        cmocka_unit_test(vectors_are_computed_with),
        cmocka_unit_test(vectors_and_units_are_checked),
        cmocka_unit_test(mistakes_are_explained_with_their_column),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(names_of_functions_cannot_be_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
