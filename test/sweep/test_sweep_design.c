/* Members of designs. */
#include <math.h>
#include <string.h>

#include "dalembert/sweep.h"
#include "support/check.h"

static const char *const nothing[] = {"final(energy)"};

static dal_sweep *make(dal_ctx *ctx, dal_sweep_design design, long samples, unsigned long long seed,
                       const char *const *parameter, int n)
{
    const dal_sweep_spec spec = {.source = "heavy_top",
                                 .parameter = parameter,
                                 .nparameters = n,
                                 .design = design,
                                 .samples = samples,
                                 .seed = seed,
                                 .collect = nothing,
                                 .ncollect = 1};
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    return s;
}

static void a_grid_has_every_combination_in_order(void **state)
{
    static const char *const p[] = {"m=1:2:3", "spin=list:7,5", "J1=log:0.1:10:3"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, DAL_SWEEP_AUTO, 0, 0, p, 3);
    assert_int_equal(dal_sweep_members(s), 18);
    assert_int_equal(dal_sweep_design_of(s), DAL_SWEEP_GRID);
    for (int k = 0; k < 18; ++k) {
        double x[3];
        dal_sweep_point(s, x, k);
        const int level = k / 6;
        assert_near(x[0], 1.0 + 0.5 * level, 0.0);
        assert_near(x[1], k / 3 % 2 ? 5.0 : 7.0, 0.0);
        assert_near_rel(x[2], pow(10.0, k % 3 - 1), 1e-15);
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Random parameters are drawn anew for every member of a grid. */
static void a_grid_with_random_parameters_repeats_its_points(void **state)
{
    static const char *const p[] = {"m=1:2:2", "spin=uniform(0,1)"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, DAL_SWEEP_GRID, 50, 3, p, 2);
    double before = -1.0;
    assert_int_equal(dal_sweep_members(s), 100);
    for (int k = 0; k < 100; ++k) {
        double x[2];
        dal_sweep_point(s, x, k);
        assert_near(x[0], k < 50 ? 1.0 : 2.0, 0.0);
        assert_true(x[1] > 0.0 && x[1] < 1.0 && x[1] != before);
        before = x[1];
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* One member in each of the intervals of equal probability, in each parameter; and not along the diagonal. */
static void a_latin_hypercube_has_one_member_per_interval(void **state)
{
    enum { N = 300 };
    static const char *const p[] = {"m=uniform(2,5)", "spin=exponential(3)"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, DAL_SWEEP_LHS, N, 11, p, 2);
    int hit[2][N] = {{0}};
    double correlation = 0.0;
    for (int k = 0; k < N; ++k) {
        double x[2];
        dal_sweep_point(s, x, k);
        const double u[2] = {(x[0] - 2.0) / 3.0, -expm1(-x[1] / 3.0)};
        ++hit[0][(int)(u[0] * N)];
        ++hit[1][(int)(u[1] * N)];
        correlation += 12.0 * (u[0] - 0.5) * (u[1] - 0.5) / N;
    }
    for (int k = 0; k < N; ++k) {
        assert_int_equal(hit[0][k], 1);
        assert_int_equal(hit[1][k], 1);
    }
    assert_near(correlation, 0.0, 4.0 / sqrt(N));
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* A parameter and the probability that it lies below x. */
typedef struct law {
    const char *text;
    double (*below)(double x);
} law;

static double normal_law(double x)
{
    return 0.5 * erfc(-(x - 1.0) / 0.5 / sqrt(2.0));
}

static double cut_law(double x)
{
    return (normal_law(x) - normal_law(0.5)) / (normal_law(2.0) - normal_law(0.5));
}

static double lognormal_law(double x)
{
    return 0.5 * erfc(-(log(x) - 0.2) / 0.4 / sqrt(2.0));
}

static double triangular_law(double x)
{
    return x < 2.0 ? (x - 1.0) * (x - 1.0) / 3.0 : 1.0 - (4.0 - x) * (4.0 - x) / 6.0;
}

static double weibull_law(double x)
{
    return -expm1(-pow(x / 2.0, 1.5));
}

static double exponential_law(double x)
{
    return -expm1(-x / 3.0);
}

/* Kolmogorov and Smirnov: the largest distance of the distribution of N members from the law. */
static void members_follow_their_distribution(void **state)
{
    static const law laws[] = {{"m=normal(1,0.5)", normal_law},         {"m=normal(1,0.5,0.5,2)", cut_law},
                               {"m=lognormal(0.2,0.4)", lognormal_law}, {"m=triangular(1,2,4)", triangular_law},
                               {"m=weibull(2,1.5)", weibull_law},       {"m=exponential(3)", exponential_law}};
    enum { N = 4000, CELLS = 50 };
    static const dal_sweep_design designs[] = {DAL_SWEEP_RANDOM, DAL_SWEEP_SOBOL};
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < 2 * LEN(laws); ++i) {
        dal_sweep *s = make(ctx, designs[i % 2], N, 5, &laws[i / 2].text, 1);
        int below[CELLS + 1] = {0};
        for (int k = 0; k < N; ++k) {
            double x;
            dal_sweep_point(s, &x, k);
            const double u = laws[i / 2].below(x);
            assert_true(u >= 0.0 && u <= 1.0 + 1e-14);
            ++below[(int)(u * CELLS)];
        }
        double sum = 0.0, most = 0.0;
        for (int c = 0; c < CELLS; ++c) {
            sum += below[c];
            most = fmax(most, fabs(sum / N - (c + 1.0) / CELLS));
        }
        assert_true(most < (i % 2 ? 0.002 : 1.63 / sqrt(N))); // 1 % level for random points
        dal_sweep_destroy(s);
    }
    check_ctx_free(ctx);
}

static void discrete_parameters_take_their_values_equally_often(void **state)
{
    static const char *const p[] = {"m=choice(1,2,4)", "spin=integer(5,8)", "J1=1:2:5"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, DAL_SWEEP_LHS, 60, 1, p, 3);
    int count[3] = {0}, whole[4] = {0}, level[5] = {0};
    for (int k = 0; k < 60; ++k) {
        double x[3];
        dal_sweep_point(s, x, k);
        ++count[x[0] == 4.0 ? 2 : (int)x[0] - 1];
        ++whole[(int)x[1] - 5];
        ++level[(int)lround((x[2] - 1.0) * 4.0)];
    }
    for (int k = 0; k < 5; ++k) {
        assert_true(k > 2 || count[k] == 20);
        assert_true(k > 3 || whole[k] == 15);
        assert_int_equal(level[k], 12);
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* A, B, and A with one coordinate of B. */
static void saltelli_blocks_differ_in_one_coordinate(void **state)
{
    static const char *const p[] = {"m=uniform(0,1)", "spin=uniform(0,1)", "J1=uniform(0,1)"};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = make(ctx, DAL_SWEEP_SALTELLI, 10, 2, p, 3);
    assert_int_equal(dal_sweep_members(s), 50);
    for (int block = 0; block < 10; ++block) {
        double x[5][3];
        for (int k = 0; k < 5; ++k) {
            dal_sweep_point(s, x[k], 5 * block + k);
        }
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                assert_true(x[2 + i][k] == x[i == k ? 1 : 0][k]);
                assert_true(x[0][k] != x[1][k]);
            }
        }
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* Rows, combined with a random parameter. */
static void rows_are_taken_as_they_stand(void **state)
{
    static const char *const p[] = {"spin=rows", "m=rows", "J1=uniform(1,2)"};
    static const double rows[] = {10.0, 1.0, 20.0, 2.0, 30.0, 3.0};
    const dal_sweep_spec spec = {.source = "heavy_top",
                                 .parameter = p,
                                 .nparameters = 3,
                                 .rows = rows,
                                 .nrows = 3,
                                 .samples = 2,
                                 .collect = nothing,
                                 .ncollect = 1};
    dal_ctx *ctx = check_ctx();
    dal_sweep *s = NULL;
    check_ok(ctx, dal_sweep_create(&s, ctx, &spec));
    assert_int_equal(dal_sweep_members(s), 6);
    for (int k = 0; k < 6; ++k) {
        double x[3];
        dal_sweep_point(s, x, k);
        assert_near(x[0], rows[2 * (k / 2)], 0.0);
        assert_near(x[1], rows[2 * (k / 2) + 1], 0.0);
        assert_true(x[2] > 1.0 && x[2] < 2.0);
    }
    dal_sweep_destroy(s);
    check_ctx_free(ctx);
}

/* The first numbers of two seeds, once and for all: a change of the generator would change every sweep. */
static void draws_are_the_same_on_every_machine(void **state)
{
    static const char *const p[] = {"m=normal(0,1)", "spin=uniform(0,1)"};
    dal_ctx *ctx = check_ctx();
    static const struct {
        dal_sweep_design design;
        double want[2];
    } known[] = {{DAL_SWEEP_RANDOM, {0x1.e43d61452286fp-1, 0x1.969304031ee3fp-1}},
                 {DAL_SWEEP_LHS, {0x1.67408bb02fe3bp-1, 0x1.ec78f9e016256p-2}},
                 {DAL_SWEEP_SOBOL, {0x1.5c5bee33ee913p-3, 0x1.ea2932edp-1}}};
    for (size_t i = 0; i < LEN(known); ++i) {
        double x[2];
        dal_sweep *s = make(ctx, known[i].design, 1000, 7, p, 2);
        dal_sweep_point(s, x, 123);
        assert_true(x[0] == known[i].want[0] && x[1] == known[i].want[1]);
        dal_sweep_destroy(s);
    }
    check_ctx_free(ctx);
}

static void refuse(dal_ctx *ctx, const char *parameter, const char *collect, const char *fragment)
{
    const dal_sweep_spec spec = {
        .source = "heavy_top", .parameter = &parameter, .nparameters = 1, .collect = &collect, .ncollect = 1};
    dal_sweep *s = NULL;
    check_fails(ctx, dal_sweep_create(&s, ctx, &spec), DAL_EOPTION, fragment);
    assert_null(s);
}

static void nonsense_is_refused_by_name(void **state)
{
    dal_ctx *ctx = check_ctx();
    refuse(ctx, "spin", "final(energy)", "NAME=WHAT");
    refuse(ctx, "spni=1:2:3", "final(energy)", "did you mean 'spin'");
    refuse(ctx, "spin=1:2", "final(energy)", "FROM:TO:NUMBER");
    refuse(ctx, "spin=1:2:2.5", "final(energy)", "number of levels");
    refuse(ctx, "spin=log:-1:2:3", "final(energy)", "positive");
    refuse(ctx, "spin=normal(1)", "final(energy)", "normal(MEAN,DEVIATION");
    refuse(ctx, "spin=normal(1,-1)", "final(energy)", "DEVIATION > 0");
    refuse(ctx, "spin=uniform(2,1)", "final(energy)", "MIN < MAX");
    refuse(ctx, "spin=normall(1,2)", "final(energy)", "did you mean 'normal'");
    refuse(ctx, "spin=list:1,x", "final(energy)", "x");
    refuse(ctx, "spin=1:2:3", "energy", "final(energy)");
    refuse(ctx, "spin=1:2:3", "max(tip.froce)", "did you mean 'tip.force'");
    refuse(ctx, "spin=1:2:3", "max(tip.force", "parenthesis");
    refuse(ctx, "spin=1:2:3", "final(top.quaternion)", "4 components");
    refuse(ctx, "spin=1:2:3", "finla(energy)", "finla");
    refuse(ctx, "integrator=1:2:3", "final(energy)", "integrator");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_every_combination_in_order),
        cmocka_unit_test(a_grid_with_random_parameters_repeats_its_points),
        cmocka_unit_test(a_latin_hypercube_has_one_member_per_interval),
        cmocka_unit_test(members_follow_their_distribution),
        cmocka_unit_test(discrete_parameters_take_their_values_equally_often),
        cmocka_unit_test(saltelli_blocks_differ_in_one_coordinate),
        cmocka_unit_test(rows_are_taken_as_they_stand),
        cmocka_unit_test(draws_are_the_same_on_every_machine),
        cmocka_unit_test(nonsense_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
