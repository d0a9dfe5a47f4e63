/* Compiled expressions: the same values as expressions read at once, and exact derivatives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/expression.h"
#include "support/check.h"

enum { NIN = 3 };

static const char *const inputs[NIN] = {"x", "y", "t"};

/* Every operation, at inputs where none of them has a kink. */
static const char *const samples[] = {
    "x + y - t",
    "-x*y/t",
    "x^2 + y^3 - t^-1",
    "x^y",
    "pow(t, x*y) + 2^t",
    "sin(x*y) + cos(t*x) - tan(x/3)",
    "asin(x/4) + acos(y/5) - atan(t*y)",
    "atan2(x - y, t*x)",
    "sqrt(x + y^2) * exp(-t*x) / log(3 + y)",
    "abs(-x)*x + abs(y - 10)",
    "floor(x)*y + sign(y - 10)*t",
    "min(x, 2*y, t) + max(x*t, y, 0)",
    "if(x > 10, x^3, x*y*t) + if(x < 10 and y > 0, t*y^2, sqrt(-t))",
    "sinh(x/2) - cosh(y*t/3) + tanh(x - t)",
    "deg(x)*rad(y) + pi",
    "(x + y)*(x + y)/(x + y)^0.5",
    "3.5",
    "y",
    "-0.4*(x*y)*abs(x*y) + (x*y)",
};

static dal_expression *compiled(dal_ctx *ctx, const char *text)
{
    dal_expression *e;
    check_ok(ctx, dal_expression_compile(&e, ctx, text, inputs, NIN, NULL));
    return e;
}

static int value_of(double *value, const char *name, int depth, const dal_lookup *from)
{
    const double *in = from->user;
    for (int k = 0; k < NIN; ++k) {
        if (strcmp(name, inputs[k]) == 0) {
            *value = in[k];
            return 1;
        }
    }
    return 0;
}

static void values_are_those_of_the_text(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    for (size_t k = 0; k < LEN(samples); ++k) {
        dal_expression *e = compiled(ctx, samples[k]);
        const double in[NIN] = {check_uniform(&rng, 0.5, 2.5), check_uniform(&rng, 0.5, 2.5),
                                check_uniform(&rng, 0.5, 2.5)};
        const double curve[3 * NIN] = {in[0], 1.0, 0.0, in[1], 2.0, 1.0, in[2], -1.0, 3.0};
        const dal_lookup lookup = {.find = value_of, .user = in};
        double want, g[NIN], y[3];
        check_ok(ctx, dal_expression_value(&want, ctx, samples[k], &lookup, 0));
        // bit for bit
        assert_near(dal_expression_at(e, in), want, 0.0);
        assert_near(dal_expression_gradient(g, e, in), want, 0.0);
        dal_expression_along(y, e, curve);
        assert_near(y[0], want, 0.0);
        dal_expression_destroy(e, ctx);
    }
    check_ctx_free(ctx);
}

/* Five points: the error is h^4. */
static double difference(double (*f)(const dal_expression *e, const double *in, int i), const dal_expression *e,
                         const double in[NIN], const double d[NIN], int i)
{
    static const double weight[] = {1.0 / 12.0, -2.0 / 3.0, 0.0, 2.0 / 3.0, -1.0 / 12.0};
    const double h = 1e-3;
    double sum = 0.0;
    for (int k = -2; k <= 2; ++k) {
        double at[NIN];
        for (int j = 0; j < NIN; ++j) {
            at[j] = in[j] + k * h * d[j];
        }
        sum += k != 0 ? weight[k + 2] * f(e, at, i) : 0.0;
    }
    return sum / h;
}

static double plain(const dal_expression *e, const double *in, int i)
{
    return dal_expression_at(e, in);
}

static double slope(const dal_expression *e, const double *in, int i)
{
    double g[NIN];
    dal_expression_gradient(g, e, in);
    return g[i];
}

static void derivatives_are_those_of_the_value(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(7);
    for (size_t k = 0; k < LEN(samples); ++k) {
        dal_expression *e = compiled(ctx, samples[k]);
        const double in[NIN] = {check_uniform(&rng, 1.1, 1.9), check_uniform(&rng, 2.1, 2.4),
                                check_uniform(&rng, 0.5, 0.9)};
        const double d[NIN] = {0.7, -0.4, 0.9};
        double g[NIN], y[3], along = 0.0, second = 0.0;
        const double curve[3 * NIN] = {in[0], d[0], 0.3, in[1], d[1], -0.2, in[2], d[2], 0.5};
        dal_expression_gradient(g, e, in);
        dal_expression_along(y, e, curve);
        for (int i = 0; i < NIN; ++i) {
            const double unit[NIN] = {i == 0, i == 1, i == 2};
            const double want = difference(plain, e, in, unit, i);
            assert_near(g[i], want, 1e-9 * (1.0 + fabs(want)));
            along += g[i] * d[i];
            second += g[i] * curve[3 * i + 2] + d[i] * difference(slope, e, in, d, i);
        }
        assert_near(y[1], along, 1e-12 * (1.0 + fabs(along)));
        assert_near(y[2], second, 1e-8 * (1.0 + fabs(second)));
        dal_expression_destroy(e, ctx);
    }
    check_ctx_free(ctx);
}

/* What a force may look like at rest. */
static void derivatives_at_kinks_are_finite_where_the_slope_is(void **state)
{
    static const struct {
        const char *text;
        double slope;
    } cases[] = {{"-2*x*abs(x)", 0.0}, {"x*sqrt(abs(x))", 0.0}, {"x^2", 0.0},           {"x^1", 1.0},
                 {"x^0", 0.0},         {"abs(x)", 0.0},         {"sign(x)*x^2", 0.0},   {"max(0, x)", 0.0},
                 {"min(x, 0)", 1.0},   {"abs(x)^1.5", 0.0},     {"tanh(x/0.01)", 100.0}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_expression *e = compiled(ctx, cases[k].text);
        const double in[NIN] = {0.0, 1.0, 1.0}, curve[3 * NIN] = {0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
        double g[NIN], y[3];
        dal_expression_gradient(g, e, in);
        dal_expression_along(y, e, curve);
        assert_near(g[0], cases[k].slope, 0.0);
        assert_near(y[1], cases[k].slope, 0.0);
        dal_expression_destroy(e, ctx);
    }
    check_ctx_free(ctx);
}

static void inputs_are_known_by_name(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_expression *e = compiled(ctx, "x*t"), *c = compiled(ctx, "2*pi - 1");
    assert_true(dal_expression_uses(e, 0));
    assert_false(dal_expression_uses(e, 1));
    assert_true(dal_expression_uses(e, 2));
    assert_false(dal_expression_is_constant(e));
    assert_true(dal_expression_is_constant(c));
    dal_expression_destroy(e, ctx);
    dal_expression_destroy(c, ctx);
    check_ctx_free(ctx);
}

static void mistakes_are_explained_with_their_column(void **state)
{
    static const char *const cases[][2] = {
        {"x +", "column 4: a value is missing at the end"},
        {"2*z", "column 3: no variable 'z'"},
        {"x*(1/0)", "column 1: a constant near here is not finite"},
        {"1 - sqrt(-1)*t", "a constant near here is not finite"},
        {"x(2)", "column 1: no function 'x'"},
        {"1/0", "the value is not finite"},
    };
    dal_ctx *ctx = check_ctx();
    dal_expression *e;
    for (size_t k = 0; k < LEN(cases); ++k) {
        check_fails(ctx, dal_expression_compile(&e, ctx, cases[k][0], inputs, NIN, NULL), DAL_EINVAL, cases[k][1]);
        assert_null(e);
    }
    check_ctx_free(ctx);
}

/* Equal parts count once, so a long text of them is short; a long text of different ones is refused. */
static void length_is_limited(void **state)
{
    static char text[40000];
    const double in[NIN] = {2.0, 0.0, 0.0};
    dal_ctx *ctx = check_ctx();
    size_t n = 0;
    for (int k = 0; k < 900; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%ssin(x*1)*2", k > 0 ? "+" : "");
    }
    dal_expression *e = compiled(ctx, text);
    assert_near(dal_expression_at(e, in), 1800.0 * sin(2.0), 1e-9);
    dal_expression_destroy(e, ctx);
    n = 0;
    for (int k = 0; k < 1000; ++k) {
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%sx^%d", k > 0 ? "+" : "", k);
    }
    check_fails(ctx, dal_expression_compile(&e, ctx, text, inputs, NIN, NULL), DAL_EINVAL,
                "the expression is too long");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_text),
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(derivatives_at_kinks_are_finite_where_the_slope_is),
        cmocka_unit_test(inputs_are_known_by_name),
        cmocka_unit_test(mistakes_are_explained_with_their_column),
        cmocka_unit_test(length_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
