/* Twenty numbers of the spatial slider crank from noisy curves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/gradient.h"
#include "dalembert/sweep.h"
#include "support/check.h"

enum { NUMBERS = 20, CURVES = 10, TIMES = 60, VALUES = CURVES * TIMES };
static const char model[] = DAL_MODELS "/fit.json";
static const char *const name[NUMBERS] = {
    "lAB", "lBC",    "yA",        "zA",         "mAB",   "mBC",        "mS",
    "g",   "theta0", "thetadot0", "I_crank_xx", "phase", "I_rod_perp", "crank_com_from_A",
    "k",   "c",      "rest",      "torque",     "omega", "drag"};
static const char *const curve[CURVES] = {"slider.position.x", "A.coordinate", "B.force.x", "B.force.y", "B.force.z",
                                          "C.force.y",         "C.force.z",    "A.force.y", "A.force.z", "D.force.z"};

/* Normal, by the sum of twelve. */
static double noise(unsigned *seed)
{
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) {
        *seed = *seed * 1664525U + 1013904223U;
        sum += (double)(*seed >> 8) / 16777216.0;
    }
    return sum;
}

/* The curves of the model, and its numbers. */
static void simulate(dal_ctx *ctx, double *y, double *x, const double *t)
{
    static const double zero[TIMES];
    dal_gradient_data data[CURVES];
    for (int c = 0; c < CURVES; ++c) {
        data[c] = (dal_gradient_data){.expression = curve[c], .t = t, .y = zero, .n = TIMES};
    }
    const dal_gradient_spec spec = {.source = model, .by = name, .nby = NUMBERS, .data = data, .ndata = CURVES};
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_ok(ctx, dal_gradient_run(g, NULL, DAL_GRADIENT_VALUES));
    for (int i = 0; i < VALUES; ++i) {
        y[i] = dal_gradient_value(g, i);
    }
    for (int k = 0; k < NUMBERS; ++k) {
        x[k] = dal_gradient_number(g, k);
    }
    dal_gradient_destroy(g);
}

static void twenty_numbers_are_found_within_three_standard_errors(void **state)
{
    static char bound[NUMBERS][64];
    const char *parameter[NUMBERS];
    double t[TIMES], y[VALUES], x[NUMBERS], start[NUMBERS];
    unsigned seed = 11;
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < TIMES; ++i) {
        t[i] = 0.016 * (i + 1);
    }
    simulate(ctx, y, x, t);
    for (int c = 0; c < CURVES; ++c) {
        double mean = 0.0, square = 0.0;
        for (int i = 0; i < TIMES; ++i) {
            mean += y[c * TIMES + i] / TIMES;
        }
        for (int i = 0; i < TIMES; ++i) {
            square += (y[c * TIMES + i] - mean) * (y[c * TIMES + i] - mean) / TIMES;
        }
        for (int i = 0; i < TIMES; ++i) { // 1 % of the deviation of the curve
            y[c * TIMES + i] += 0.01 * sqrt(square) * noise(&seed);
        }
    }
    for (int k = 0; k < NUMBERS; ++k) {
        snprintf(bound[k], sizeof bound[k], "%s=%.9g:%.9g:2", name[k], 0.5 * x[k], 1.5 * x[k]);
        parameter[k] = bound[k];
        start[k] = (k % 2 ? 1.03 : 0.97) * x[k];
    }
    const dal_sweep_spec spec = {.source = model,
                                 .parameter = parameter,
                                 .nparameters = NUMBERS,
                                 .trajectory = curve,
                                 .ntrajectories = CURVES,
                                 .times = t,
                                 .ntimes = TIMES,
                                 .design = DAL_SWEEP_RANDOM,
                                 .samples = 1};
    dal_sweep *s;
    dal_sweep_found found;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx,
             dal_sweep_fit(s, &found,
                           &(dal_sweep_search){.start = start, .evaluations = 200, .tolerance = 1e-6, .measured = y}));
    assert_true(found.converged && found.gradients);
    assert_true(found.iterations <= 40);
    assert_near(found.rms, 0.01, 0.001);
    for (int k = 0; k < NUMBERS; ++k) {
        const double off = fabs(found.x[k] - x[k]);
        if (!(off <= 3.0 * found.error[k])) {
            fprintf(stderr, "%s = %.6g, not %.6g: %.2f standard errors\n", name[k], found.x[k], x[k],
                    off / found.error[k]);
            fail();
        }
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Of x'' + (c/m) x' + (k/m) x = 0 only the ratios count: m, k and c can grow together. */
static void numbers_of_which_only_ratios_count_are_named(void **state)
{
    (void)state;
    enum { N = 5 };
    static const char source[] = DAL_MODELS "/ratio.json";
    static const char *const parameter[N] = {"m=1:4:2", "k=40:160:2", "v0=0.5:2:2", "c=0.2:0.8:2", "k2=20:40:2"},
                             *const measured[] = {"a.position.x", "b.position.z"};
    const double start[N] = {2.5, 90.0, 1.2, 0.5, 28.0};
    double t[TIMES], y[2 * TIMES];
    unsigned seed = 5;
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < TIMES; ++i) {
        t[i] = 0.016 * (i + 1);
        const double d = 0.1, w = sqrt(40.0 - d * d), w2 = sqrt(30.0);
        y[i] = exp(-d * t[i]) * sin(w * t[i]) / w + 1e-4 * noise(&seed);
        y[TIMES + i] = sin(w2 * t[i]) / w2 + 1e-4 * noise(&seed);
    }
    const dal_sweep_spec spec = {.source = source,
                                 .parameter = parameter,
                                 .nparameters = N,
                                 .trajectory = measured,
                                 .ntrajectories = 2,
                                 .times = t,
                                 .ntimes = TIMES,
                                 .design = DAL_SWEEP_RANDOM,
                                 .samples = 1};
    dal_sweep *s;
    dal_sweep_found found;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx,
             dal_sweep_fit(s, &found,
                           &(dal_sweep_search){.start = start, .evaluations = 200, .tolerance = 1e-6, .measured = y}));
    assert_true(found.converged && found.gradients);
    static const int tied[N] = {1, 1, 0, 1, 0};
    for (int k = 0; k < N; ++k) {
        assert_int_equal(found.tied[k], tied[k]);
        assert_int_equal(isnan(found.error[k]), tied[k]);
        if (tied[k]) {
            assert_near(found.together[k], found.together[0], 1e-5); // all by the same part
        }
    }
    assert_near(fabs(found.together[0]), 1.0, 1e-5);
    // the ratios themselves, and the others, within three errors
    assert_near(found.x[1] / found.x[0], 40.0, 0.1);
    assert_near(found.x[2], 1.0, 3.0 * found.error[2] + 1e-4); // second order: h = 2 ms
    assert_near(found.x[4], 30.0, 3.0 * found.error[4] + 1e-2);
    assert_true(found.error[2] > 1e-5 && found.error[2] < 1e-2);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(twenty_numbers_are_found_within_three_standard_errors),
                                       cmocka_unit_test(numbers_of_which_only_ratios_count_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
