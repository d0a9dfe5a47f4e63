/* Searches against closed forms: a body that moves on a straight line, x(1) = v. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dalembert/sweep.h"
#include "support/check.h"

static const char model[] = "{\"dalembert\": 1, \"variables\": {\"v\": 0, \"w\": 0, \"idle\": 0},"
                            " \"bodies\": [{\"name\": \"body\", \"mass\": 1, \"inertia\": [1, 1, 1],"
                            "   \"velocity\": [\"v\", \"w\", 0]}],"
                            " \"outputs\": [\"body.position\"], \"simulation\": {\"t_end\": 1, \"h\": 0.125}}";
static char path[] = "/tmp/test_sweep_search_XXXXXX.json";

static dal_sweep *create(dal_ctx *ctx, dal_sweep_spec spec)
{
    dal_sweep *s = NULL;
    spec.source = path;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    return s;
}

/* x = v t and y = w t with measured slopes 2 and 9, where w may be 4 at most. */
static void a_fit_finds_slopes_their_errors_and_what_is_held(void **state)
{
    static const char *const parameter[] = {"v=0:10:2", "w=0:4:2", "idle=0:1:2"}, *const curve[] = {"body.position.x",
                                                                                                    "body.position.y"};
    const double times[] = {0.25, 0.5, 0.75, 1.0}, start[] = {7.0, 1.0, 0.5}, noise[] = {0.01, -0.02, 0.02, -0.01};
    double measured[8], deviation = 0.0, rms = 0.0, tt = 0.0, slope = 0.0;
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < 4; ++i) {
        measured[i] = 2.0 * times[i] + noise[i];
        measured[4 + i] = 9.0 * times[i];
        tt += times[i] * times[i];
        slope += times[i] * measured[i];
    }
    slope /= tt; // least squares by hand
    dal_sweep *s = create(ctx, (dal_sweep_spec){.parameter = parameter,
                                                .nparameters = 3,
                                                .trajectory = curve,
                                                .ntrajectories = 2,
                                                .times = times,
                                                .ntimes = 4});
    const dal_sweep_search spec = {.start = start, .evaluations = 1000, .tolerance = 1e-6, .measured = measured};
    dal_sweep_found f;
    check_ok(ctx, dal_sweep_fit(s, &f, &spec));
    assert_true(f.converged && f.gradients);
    assert_int_equal(f.failed, 0);
    assert_int_equal(f.values, 8);
    assert_near(f.x[0], slope, 1e-8);
    assert_near(f.x[1], 4.0, 0.0);
    assert_true(f.at_bound[1] && !f.at_bound[0] && f.undetermined[2]);
    assert_true(isnan(f.error[1]) && isnan(f.error[2]));
    // residuals relative to the deviation of each curve; 8 values, 1 parameter is free
    double sum = 0.0, variance[2] = {0.0};
    for (int k = 0; k < 2; ++k) {
        double mean = 0.0;
        for (int i = 0; i < 4; ++i) {
            mean += measured[4 * k + i] / 4.0;
        }
        for (int i = 0; i < 4; ++i) {
            variance[k] += pow(measured[4 * k + i] - mean, 2) / 4.0;
        }
        for (int i = 0; i < 4; ++i) {
            sum += pow(measured[4 * k + i] - (k == 0 ? slope : 4.0) * times[i], 2) / variance[k];
        }
    }
    rms = sqrt(sum / 8.0);
    deviation = sqrt(sum / 7.0 * variance[0] / tt);
    assert_near(f.rms, rms, 1e-9 * rms);
    assert_near(f.error[0], deviation, 1e-6 * deviation);
    dal_sweep_destroy(s);
    dal_ctx_destroy(ctx);
}

static void the_best_value_is_at_the_limit(void **state)
{
    static const char *const parameter[] = {"v=0:3:2"}, *const collect[] = {"final(body.position.x)", "v^2"};
    const double start[] = {1.0}, limit[] = {4.0};
    const int above[] = {0};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s =
        create(ctx, (dal_sweep_spec){.parameter = parameter, .nparameters = 1, .collect = collect, .ncollect = 2});
    const dal_sweep_search spec = {
        .start = start, .evaluations = 200, .tolerance = 1e-8, .largest = 1, .limit = limit, .above = above};
    dal_sweep_found f;
    const dal_status st = dal_sweep_optimize(s, &f, &spec);
    if (st == DAL_EOPTION) {
        assert_non_null(strstr(dal_ctx_message(ctx), "NLopt"));
    } else {
        check_ok(ctx, st);
        assert_true(f.converged && f.gradients && f.feasible && !f.at_bound[0]);
        assert_near(f.x[0], 2.0, 1e-6);
        assert_near(f.value[0], f.x[0], 1e-12);
        assert_near(f.value[1], 4.0, 1e-5);
    }
    dal_sweep_destroy(s);
    dal_ctx_destroy(ctx);
}

/* sin(3 v) + (v - 4)^2/10 has three valleys between 0 and 6: that of the start is not the deepest. */
static void many_starts_find_the_deepest_of_several_valleys(void **state)
{
    static const char *const parameter[] = {"v=0:6:2"}, *const collect[] = {
                                                            "sin(3*final(body.position.x)) + (v - 4)^2/10"};
    static const struct {
        dal_sweep_method method;
        double x;
    } cases[] = {{DAL_SWEEP_LOCAL, 1.6238}, {DAL_SWEEP_MULTISTART, 3.6725}};
    const double start[] = {1.6};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s =
        create(ctx, (dal_sweep_spec){.parameter = parameter, .nparameters = 1, .collect = collect, .ncollect = 1});
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const dal_sweep_search spec = {
            .start = start, .evaluations = 400, .tolerance = 1e-9, .method = cases[k].method};
        dal_sweep_found f;
        const dal_status st = dal_sweep_optimize(s, &f, &spec);
        if (st != DAL_EOPTION) {
            check_ok(ctx, st);
            assert_true(f.converged && f.gradients);
            assert_near(f.x[0], cases[k].x, 5e-4);
            assert_near(3.0 * cos(3.0 * f.x[0]) + (f.x[0] - 4.0) / 5.0, 0.0, 1e-5);
        }
    }
    dal_sweep_destroy(s);
    dal_ctx_destroy(ctx);
}

/* BDF has no gradients: the same numbers by differences. */
static void a_fit_without_gradients_finds_the_same(void **state)
{
    static const char *const parameter[] = {"v=0:10:2"}, *const curve[] = {"body.position.x"},
                             *const set[] = {"integrator=bdf"};
    const double times[] = {0.5, 1.0}, start[] = {7.0}, measured[] = {1.0, 2.0};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = create(ctx, (dal_sweep_spec){.set = set,
                                                .nset = 1,
                                                .parameter = parameter,
                                                .nparameters = 1,
                                                .trajectory = curve,
                                                .ntrajectories = 1,
                                                .times = times,
                                                .ntimes = 2});
    dal_sweep_found f;
    check_ok(ctx, dal_sweep_fit(s, &f,
                                &(dal_sweep_search){
                                    .start = start, .evaluations = 100, .tolerance = 1e-6, .measured = measured}));
    assert_true(f.converged && !f.gradients);
    assert_near(f.x[0], 2.0, 1e-8);
    dal_sweep_destroy(s);
    dal_ctx_destroy(ctx);
}

static void what_has_no_bounds_is_refused(void **state)
{
    static const char *const parameter[] = {"v=uniform(0,1)"}, *const collect[] = {"final(body.position.x)"};
    const double start[] = {0.5};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s =
        create(ctx, (dal_sweep_spec){.parameter = parameter, .nparameters = 1, .collect = collect, .ncollect = 1});
    const dal_sweep_search spec = {.start = start, .evaluations = 10, .tolerance = 1e-6};
    dal_sweep_found f;
    assert_int_equal(dal_sweep_optimize(s, &f, &spec), DAL_EOPTION);
    assert_non_null(strstr(dal_ctx_message(ctx), "bounds are levels"));
    dal_sweep_destroy(s);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const int fd = mkstemps(path, 5);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL || fputs(model, out) < 0 || fclose(out) != 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fit_finds_slopes_their_errors_and_what_is_held),
        cmocka_unit_test(the_best_value_is_at_the_limit),
        cmocka_unit_test(many_starts_find_the_deepest_of_several_valleys),
        cmocka_unit_test(a_fit_without_gradients_finds_the_same),
        cmocka_unit_test(what_has_no_bounds_is_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
