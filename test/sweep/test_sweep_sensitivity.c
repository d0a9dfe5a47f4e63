/* Main effects and Sobol indices against closed forms: a body that moves on a straight line for a second, with the velocity
 * such that the sum of its coordinates is Ishigami's function sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>

#include "dalembert/sweep.h"
#include "support/check.h"

static const char model[] = "{\"dalembert\": 1, \"variables\": {\"x1\": 0, \"x2\": 0, \"x3\": 0},"
                            " \"bodies\": [{\"name\": \"body\", \"mass\": 1, \"inertia\": [1, 1, 1],"
                            "   \"velocity\": [\"sin(x1)\", \"7*sin(x2)^2\", \"0.1*x3^4*sin(x1)\"]}],"
                            " \"outputs\": [\"body.position\"], \"simulation\": {\"t_end\": 1, \"h\": 1}}";
static char path[] = "/tmp/test_sweep_sensitivity_XXXXXX.json";
static const char *const parameter[] = {"x1=uniform(-pi,pi)", "x2=uniform(-pi,pi)", "x3=uniform(-pi,pi)"};
static const char *const what[] = {"final(body.position.x + body.position.y + body.position.z)"};

static dal_sweep *run(dal_ctx *ctx, dal_sweep_design design, long samples)
{
    const dal_sweep_spec spec = {.source = path,
                                 .parameter = parameter,
                                 .nparameters = 3,
                                 .design = design,
                                 .samples = samples,
                                 .seed = 1,
                                 .collect = what,
                                 .ncollect = 1};
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    assert_int_equal(dal_sweep_count(s, 1), 0);
    return s;
}

/* Variances of the parts of the function. */
static void closed_form(double first[3], double total[3], double *variance)
{
    const double pi = 3.14159265358979323846, p4 = pi * pi * pi * pi, a = 7.0, b = 0.1;
    const double V1 = 0.5 * pow(1.0 + b * p4 / 5.0, 2), V2 = a * a / 8.0, V13 = b * b * p4 * p4 * 8.0 / 225.0;
    const double V = V1 + V2 + V13;
    const double S[3] = {V1 / V, V2 / V, 0.0}, T[3] = {(V1 + V13) / V, V2 / V, V13 / V};
    for (int i = 0; i < 3; ++i) {
        first[i] = S[i];
        total[i] = T[i];
    }
    *variance = V;
}

static void sobol_indices_of_ishigami_are_its_closed_form(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = run(ctx, DAL_SWEEP_SALTELLI, 1024);
    double first[3], total[3], V;
    closed_form(first, total, &V);
    assert_int_equal(dal_sweep_members(s), 5 * 1024);
    for (int i = 0; i < 3; ++i) {
        dal_sweep_effect e;
        check_ok(ctx, dal_sweep_sensitivity(s, &e, 0, i));
        assert_near(e.first, first[i], 0.03);
        assert_near(e.total, total[i], 0.03);
        assert_true(fabs(e.first - first[i]) < 3.0 * e.first_error + 1e-12 && e.first_error < 0.1);
        assert_true(fabs(e.total - total[i]) < 3.0 * e.total_error + 1e-12 && e.total_error < 0.1);
    }
    dal_sweep_summary m;
    check_ok(ctx, dal_sweep_statistics(s, &m, 0));
    assert_near(m.mean, 3.5, 0.05);
    assert_near_rel(m.deviation * m.deviation, V, 0.02);
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* From 2000 members of any random design, without extra runs; the curve of x1 is (1 + b pi^4/5) sin x1 + a/2. */
static void main_effects_of_random_designs_are_those_of_the_function(void **state)
{
    static const dal_sweep_design designs[] = {DAL_SWEEP_RANDOM, DAL_SWEEP_LHS, DAL_SWEEP_SOBOL};
    dal_ctx *ctx = check_ctx();
    double first[3], total[3], V;
    closed_form(first, total, &V);
    for (size_t d = 0; d < LEN(designs); ++d) {
        dal_sweep *s = run(ctx, designs[d], 2000);
        for (int i = 0; i < 3; ++i) {
            dal_sweep_effect e;
            check_ok(ctx, dal_sweep_sensitivity(s, &e, 0, i));
            assert_near(e.first, first[i], 0.05);
            assert_true(isnan(e.total));
            assert_int_equal(e.n, 32);
            double worst = 0.0;
            for (int k = 0; k < e.n && i == 0; ++k) {
                const double pi = 3.14159265358979323846, want = (1.0 + 0.02 * pi * pi * pi * pi) * sin(e.x[k]) + 3.5;
                worst = fmax(worst, fabs(e.y[k] - want));
            }
            assert_true(worst < 4.0 * sqrt(V / (2000.0 / 32.0)));
        }
        dal_sweep_destroy(s);
    }
    check_ctx_free(ctx);
}

/* On a grid the bins are the levels, and an additive function has all its variance in first-order indices. */
static void levels_are_bins_of_their_own(void **state)
{
    static const char *const p[] = {"x1=0:1:5", "x2=list:0,0.5"}, *const sum[] = {"final(t)*(3*x1 + 4*x2)"};
    const dal_sweep_spec spec = {
        .source = path, .parameter = p, .nparameters = 2, .samples = 4, .collect = sum, .ncollect = 1};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    dal_sweep_effect e[2];
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    check_ok(ctx, dal_sweep_sensitivity(s, &e[0], 0, 0));
    check_ok(ctx, dal_sweep_sensitivity(s, &e[1], 0, 1));
    assert_int_equal(e[0].n, 5);
    assert_int_equal(e[1].n, 2);
    for (int k = 0; k < 5; ++k) {
        assert_near(e[0].y[k], 3.0 * 0.25 * k + 1.0, 1e-12);
        assert_int_equal(e[0].count[k], 8);
    }
    assert_near(e[0].first, 9.0 / 17.0, 1e-12); // 9 var(x1) = 9/8, 16 var(x2) = 1
    assert_near(e[1].first, 8.0 / 17.0, 1e-12);
    check_fails(ctx, dal_sweep_sensitivity(s, &e[0], 0, 2), DAL_EINVAL, "no parameter 2");
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* First-order parts of one result for a sweep of these parameters. */
static void parts_of(const char *const *p, int np, dal_sweep_design design, long samples, const char *result,
                     double *part)
{
    const dal_sweep_spec spec = {.source = path,
                                 .parameter = p,
                                 .nparameters = np,
                                 .design = design,
                                 .samples = samples,
                                 .collect = &result,
                                 .ncollect = 1};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    check_ok(ctx, dal_sweep_run(s, NULL));
    for (int i = 0; i < np; ++i) {
        dal_sweep_effect e;
        check_ok(ctx, dal_sweep_sensitivity(s, &e, 0, i));
        part[i] = e.first;
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Balanced designs leave nothing to chance: a small grid is exact, however few members and however many levels there are. */
static void main_effects_of_grids_are_exact(void **state)
{
    static const char *const two[] = {"x1=0:1:4", "x2=0:1:5"}, *const one[] = {"x1=0:1:5"},
                             *const many[] = {"x1=0:1:50"};
    const double v1 = 9.0 * 5.0 / 36.0, v2 = 1.0 / 8.0; // (N + 1)/(12 (N - 1)) for N levels from 0 to 1
    double part[2];
    parts_of(two, 2, DAL_SWEEP_GRID, 1, "final(t)*(3*x1+x2)", part);
    assert_near(part[0], v1 / (v1 + v2), 1e-12);
    assert_near(part[1], v2 / (v1 + v2), 1e-12);
    parts_of(one, 1, DAL_SWEEP_GRID, 1, "final(t)*3*x1", part);
    assert_near(part[0], 1.0, 1e-12);
    parts_of(many, 1, DAL_SWEEP_GRID, 1, "final(t)*x1^2", part);
    assert_near(part[0], 1.0, 1e-12);
}

static void main_effects_of_a_sobol_design_have_no_chance_term(void **state)
{
    static const char *const p[] = {"x1=uniform(0,1)", "x2=uniform(0,1)", "x3=uniform(0,1)"};
    double part[3];
    parts_of(p, 3, DAL_SWEEP_SOBOL, 1024, "final(t)*(3*x1+x2+0.5*x3)", part);
    assert_near(part[0], 9.0 / 10.25, 0.01);
    assert_near(part[1], 1.0 / 10.25, 0.01);
    assert_near(part[2], 0.25 / 10.25, 0.01);
}

static int write_model(void **state)
{
    const int fd = mkstemps(path, 5);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    return out == NULL || fputs(model, out) < 0 || fclose(out) != 0;
}

static int remove_model(void **state)
{
    return remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sobol_indices_of_ishigami_are_its_closed_form),
        cmocka_unit_test(main_effects_of_random_designs_are_those_of_the_function),
        cmocka_unit_test(levels_are_bins_of_their_own),
        cmocka_unit_test(main_effects_of_grids_are_exact),
        cmocka_unit_test(main_effects_of_a_sobol_design_have_no_chance_term),
    };
    return cmocka_run_group_tests(tests, write_model, remove_model);
}
