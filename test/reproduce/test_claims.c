/* Claims that are quick to measure, and the charts behind the comparisons. */
#include <math.h>
#include <string.h>

#include "reproduce/charts.h"
#include "reproduce/claim.h"
#include "support/check.h"

/* The slow ones: long runs of the rotor and the slider crank. test_all_claims has them all. */
static int is_slow(const char *id)
{
    static const char *const slow[] = {"rotor-",           "slider-",        "lobatto-slider", "top-modified",
                                       "top-tolerance",    "top-iterations", "top-simplified", "top-cardan",
                                       "top-euler",        "top-order",      "top-reference",  "top-diverges",
                                       "projection-index", "flexible-"};
    for (size_t i = 0; i < LEN(slow); ++i) {
        if (strncmp(id, slow[i], strlen(slow[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static void quick_claims_are_reproduced(void **state)
{
    int bad = 0;
    for (int k = 0; k < claim_count(); ++k) {
        const claim *c = claim_at(k);
        // every fourth is enough here
        if (is_slow(c->id) || k % 4 != 0) {
            continue;
        }
        dal_ctx *ctx = check_ctx();
        const double measured = c->measure(c, ctx);
        const claim_verdict verdict = claim_judge(c, measured);
        print_message("%-32s %12.6g %12.6g %s\n", c->id, c->expected, measured, claim_verdict_name(verdict));
        bad += verdict == CLAIM_FAILED;
        check_ctx_free(ctx);
    }
    assert_int_equal(bad, 0);
}

/* Tangents of the charts against differences, away from the manifold of unit Euler parameters too. */
static void charts_have_correct_tangents(void **state)
{
    static const int chart[] = {CHART_EULER, CHART_XYZ, CHART_XZY};
    dal_ctx *ctx = check_ctx();
    problem base[3];
    check_ok(ctx, problem_heavy_top(&base[0], ctx, HEAVY_TOP_R3SO3));
    check_ok(ctx, problem_rotor(&base[1], ctx, 0));
    check_ok(ctx, problem_spatial_slider_crank(&base[2], ctx, 0));
    for (int b = 0; b < 3; ++b) {
        for (size_t k = 0; k < LEN(chart); ++k) {
            problem p;
            check_ok(ctx, chart_problem(&p, &base[b], chart[k]));
            double v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX];
            for (int i = 0; i < PROBLEM_MAX; ++i) {
                v[i] = (b == 1 ? 1e-3 : 1.0) * p.v0[i] + 0.1 * cos(i);
                vd[i] = 0.3 * sin(i);
                la[i] = cos(3.0 * i);
            }
            dal_tangent_report report;
            check_ok(ctx, dal_system_check(ctx, p.sys, &(dal_point){0.3, p.q0, v, vd, la}, 1e-6, &report));
            print_message("%s, chart %d: %.1e in %s\n", p.name, chart[k], report.error, report.what);
            problem_free(&p);
        }
        problem_free(&base[b]);
    }
    check_ctx_free(ctx);
}

/* Back and forth between a chart and R^3 x SO(3). */
static void charts_keep_the_configuration(void **state)
{
    static const int chart[] = {CHART_EULER, CHART_XYZ, CHART_XZY, CHART_YZX};
    dal_ctx *ctx = check_ctx();
    problem base;
    check_ok(ctx, problem_spatial_slider_crank(&base, ctx, 0));
    for (size_t k = 0; k < LEN(chart); ++k) {
        problem p;
        double q[21];
        check_ok(ctx, chart_problem(&p, &base, chart[k]));
        chart_to_base(q, &p, p.q0);
        for (int b = 0; b < 3; ++b) {
            // p and -p are the same rotation
            const double sign = q[7 * b + 3] * base.q0[7 * b + 3] < 0.0 ? -1.0 : 1.0;
            for (int i = 0; i < 7; ++i) {
                assert_near((i < 3 ? 1.0 : sign) * q[7 * b + i], base.q0[7 * b + i], 1e-14);
            }
        }
        problem_free(&p);
    }
    problem_free(&base);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_claims_are_reproduced),
        cmocka_unit_test(charts_have_correct_tangents),
        cmocka_unit_test(charts_keep_the_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
