/* Functions from tables. */
#include <math.h>

#include "dalembert/mbs.h"
#include "support/check.h"

enum { POINTS = 41 };

static const double pi = 3.14159265358979323846;

static int add_table(dal_model *m, dal_ctx *ctx, const char *name, const double *x, const double *y, int n,
                     dal_interpolation interpolation)
{
    const dal_function f = {.name = name, .type = "table", .x = x, .y = y, .n = n, .interpolation = interpolation};
    int number;
    check_ok(ctx, dal_model_add_function(m, &number, &f));
    return number;
}

/* sin over one period, points crowded to one side. */
static void sine(double x[POINTS], double y[POINTS])
{
    for (int i = 0; i < POINTS; ++i) {
        const double s = i / (POINTS - 1.0);
        x[i] = 0.3 + 2.0 * pi * (0.7 * s + 0.3 * s * s);
        y[i] = sin(x[i]);
    }
}

static void every_interpolation_meets_its_points(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    double x[POINTS], y[POINTS], f[3];
    sine(x, y);
    check_ok(ctx, dal_model_create(&m, ctx));
    const int number[] = {add_table(m, ctx, "c", x, y, POINTS, DAL_INTERPOLATION_CUBIC),
                          add_table(m, ctx, "l", x, y, POINTS, DAL_INTERPOLATION_LINEAR),
                          add_table(m, ctx, "p", x, y, POINTS, DAL_INTERPOLATION_PERIODIC)};
    for (size_t k = 0; k < LEN(number); ++k) {
        for (int i = 0; i < POINTS; ++i) {
            dal_model_function_value(m, f, number[k], x[i]);
            assert_near(f[0], y[i], 1e-14);
        }
    }
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void periodic_tables_repeat_smoothly(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    double x[POINTS], y[POINTS];
    sine(x, y);
    check_ok(ctx, dal_model_create(&m, ctx));
    const int p = add_table(m, ctx, "p", x, y, POINTS, DAL_INTERPOLATION_PERIODIC);
    for (double t = -20.0; t < 30.0; t += 0.173) {
        double f[3];
        dal_model_function_value(m, f, p, t);
        assert_near(f[0], sin(t), 3e-5);
        assert_near(f[1], cos(t), 6e-4);
        assert_near(f[2], -sin(t), 2e-2);
    }
    // two derivatives agree where one period ends and the next begins
    double before[3], after[3];
    dal_model_function_value(m, before, p, x[0] + 2.0 * pi - 1e-9);
    dal_model_function_value(m, after, p, x[0] + 2.0 * pi + 1e-9);
    assert_all_near(before, after, 3, 1e-8);
    // the shortest ones
    static const double x3[3] = {0.0, 1.0, 3.0}, y3[3] = {1.0, 2.0, 1.0}, y2[2] = {4.0, 4.0};
    const int three = add_table(m, ctx, "3", x3, y3, 3, DAL_INTERPOLATION_PERIODIC),
              two = add_table(m, ctx, "2", x3, y2, 2, DAL_INTERPOLATION_PERIODIC);
    dal_model_function_value(m, before, three, 3.0 - 1e-9);
    dal_model_function_value(m, after, three, 3.0 + 1e-9);
    assert_all_near(before, after, 3, 1e-7);
    dal_model_function_value(m, before, three, 1.0 - 1e-9);
    dal_model_function_value(m, after, three, 1.0 + 1e-9);
    assert_all_near(before, after, 3, 1e-7);
    dal_model_function_value(m, after, two, 17.3);
    assert_near(after[0], 4.0, 0.0);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void linear_tables_are_straight_and_continued(void **state)
{
    static const double x[3] = {0.0, 1.0, 3.0}, y[3] = {1.0, 2.0, -2.0};
    static const double at[] = {-1.0, 0.25, 1.5, 4.0}, want[] = {0.0, 1.25, 1.0, -4.0},
                        slope[] = {1.0, 1.0, -2.0, -2.0};
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    const int l = add_table(m, ctx, "l", x, y, 3, DAL_INTERPOLATION_LINEAR);
    for (size_t k = 0; k < LEN(at); ++k) {
        double f[3];
        dal_model_function_value(m, f, l, at[k]);
        assert_near(f[0], want[k], 1e-15);
        assert_near(f[1], slope[k], 1e-15);
        assert_near(f[2], 0.0, 0.0);
    }
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void periodic_tables_must_close(void **state)
{
    static const double x[3] = {0.0, 1.0, 3.0}, y[3] = {1.0, 2.0, 1.01};
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    const dal_function f = {
        .name = "f", .type = "table", .x = x, .y = y, .n = 3, .interpolation = DAL_INTERPOLATION_PERIODIC};
    check_fails(ctx, dal_model_add_function(m, NULL, &f), DAL_EINVAL, "must end with the value it begins with");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_interpolation_meets_its_points),
        cmocka_unit_test(periodic_tables_repeat_smoothly),
        cmocka_unit_test(linear_tables_are_straight_and_continued),
        cmocka_unit_test(periodic_tables_must_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
