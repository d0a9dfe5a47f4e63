/* Times at which an expression of time is not smooth. */
#include <math.h>

#include "io/expression.h"
#include "support/check.h"

/* The k-th break after t of an expression of t, of p = 3, a known number, and of q, which nobody knows. */
static double nth_break(const char *text, double t, int k)
{
    static const char *const inputs[] = {"t", "p", "q"};
    const double x[] = {0.0, 3.0, (double)NAN};
    dal_ctx *ctx = check_ctx();
    dal_expression *e;
    check_ok(ctx, dal_expression_compile(&e, ctx, text, inputs, 3, NULL));
    for (; k > 0; --k) {
        t = dal_expression_break(e, x, 1, t, NULL);
    }
    dal_expression_destroy(e, ctx);
    check_ctx_free(ctx);
    return t;
}

static void branches_are_found_where_they_change(void **state)
{
    static const double pi = 3.14159265358979323846;
    static const struct {
        const char *text;
        double t;
        int k;
        double want;
    } list[] = {
        {"max(0, t - 5)", 0.0, 1, 5.0},
        {"min(2, t)*q", 0.0, 1, 2.0},
        {"abs(t - p)", -1.0, 1, 3.0},
        {"abs(t - 1e6)", 0.0, 1, 1e6},
        {"sign(sin(7*t))", 0.1, 1, pi / 7.0},
        {"sign(sin(7*t))", 0.1, 10, 10.0 * pi / 7.0},
        {"sign(sin(2000*t))", 100.0, 1, 63662.0 * pi / 2000.0},
        {"floor(t/0.25)", 0.1, 1, 0.25},
        {"floor(t/0.25)", 1000.1, 3, 1000.75},
        {"floor(-t)", 2.5, 1, 3.0},
        {"if(t > 2, q, 1)", 0.0, 1, 2.0},
        {"if(t < 2 or t > 4, q, 1)", 0.0, 2, 4.0},
        {"if(q > 2, if(t >= 7, 1, 2), 3)", 0.0, 1, 7.0},
        {"max(0, sin(t))^2*q", 1.0, 1, pi},
        {"max(0, 1 - ((t - 5)/1e-4)^2)", 0.0, 1, 5.0 - 1e-4},
        {"max(0, 1 - ((t - 5)/1e-4)^2)", 0.0, 2, 5.0 + 1e-4},
        {"abs(exp(-t) - 0.5)", 0.0, 1, 0.69314718055994531},
        {"sign(t^3 - 8)", 0.0, 1, 2.0},
        {"abs(sqrt(t) - 2)", 0.0, 1, 4.0},
        {"sign(1/(t + 1) - 0.25)", 0.0, 1, 3.0},
        {"atan2(sin(t), cos(t))", 0.0, 1, pi},
        {"min(q, max(t, 4))", 0.0, 1, 4.0},
    };
    for (size_t i = 0; i < LEN(list); ++i) {
        const double got = nth_break(list[i].text, list[i].t, list[i].k);
        print_message("%s: %.17g\n", list[i].text, got);
        // sign, abs, min and max have a branch of their own where both sides are equal: one number further
        assert_near(got, list[i].want, 8e-16 * (list[i].want + 1.0));
    }
}

static void smooth_ones_have_none(void **state)
{
    static const char *const list[] = {
        "sin(t)",       "exp(-((t - 5)/0.01)^2)", "abs(q)*t",
        "max(q, t)",    "floor(p) + t",           "max(0.1, sin(t) + 2)",
        "abs(1 + t^2)", "sign(cosh(t))",          "min(3, 1 + tanh(t))",
    };
    for (size_t i = 0; i < LEN(list); ++i) {
        assert_true(nth_break(list[i], 0.0, 1) == INFINITY);
    }
    assert_true(nth_break("max(0, t - 5)", 5.1, 1) == INFINITY);
}

/* Touching is not crossing, and a search without result does not last for ever. */
static void searches_end(void **state)
{
    assert_true(nth_break("abs(sin(t)^2)", 0.5, 1) > 3.0);
    assert_true(nth_break("max(0, sin(t)*cos(t) - 0.6)", 0.5, 1) > 100.0);
    assert_true(nth_break("sign(sin(1/t))", 1.0, 1) == INFINITY);
    assert_true(nth_break("sign(t)", 0.0, 1) < 1e-29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_are_found_where_they_change),
        cmocka_unit_test(smooth_ones_have_none),
        cmocka_unit_test(searches_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
