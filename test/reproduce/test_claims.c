/* Claims that are quick to measure, and the Euler parameters behind the comparisons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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
        const double measured = claim_measure(c, ctx);
        const claim_verdict verdict = claim_judge(c, measured);
        print_message("%-32s %12.6g %12.6g %s\n", c->id, c->expected, measured, claim_verdict_name(verdict));
        bad += verdict == CLAIM_FAILED;
        check_ctx_free(ctx);
    }
    assert_int_equal(bad, 0);
}

static const subject *subject_of(lab *L, const char *model, const char *chart)
{
    char text[128];
    snprintf(text, sizeof text, "model:%s %s", model, chart);
    const words w = words_of(text);
    return lab_subject(L, &w);
}

/* Tangents in Euler parameters against differences, at velocities that change their length too. */
static void euler_parameters_have_correct_tangents(void **state)
{
    static const char *const model[] = {"heavy_top", "high_speed_rotor", "spatial_slider_crank"};
    enum { N = 32 };
    dal_ctx *ctx = check_ctx();
    lab L = {.ctx = ctx};
    for (size_t b = 0; b < LEN(model); ++b) {
        const subject *s = subject_of(&L, model[b], "chart:euler");
        double v[N], vd[N], la[N];
        assert_non_null(s->sys);
        for (int i = 0; i < N; ++i) {
            v[i] = (b == 1 ? 1e-3 : 1.0) * (i < s->nv ? s->v0[i] : 0.0) + 0.1 * cos(i);
            vd[i] = 0.3 * sin(i);
            la[i] = cos(3.0 * i);
        }
        dal_tangent_report report;
        check_ok(ctx, dal_system_check(ctx, s->sys, &report, &(dal_point){0.3, s->q0, v, vd, la}, 1e-6));
        print_message("%s: %.1e in %s\n", model[b], report.error, report.what);
    }
    lab_close(&L);
    check_ctx_free(ctx);
}

/* The same motion as in R^3 x SO(3), by the reference of order 8: positions, rotations and forces in the joints. */
static void euler_parameters_describe_the_same_motion(void **state)
{
    static const char *const model[] = {"heavy_top", "spatial_slider_crank"};
    const double T = 0.2;
    dal_ctx *ctx = check_ctx();
    lab L = {.ctx = ctx};
    for (size_t b = 0; b < LEN(model); ++b) {
        const track *group = lab_exact(&L, subject_of(&L, model[b], ""), &T, 1);
        const track *euler = lab_exact(&L, subject_of(&L, model[b], "chart:euler"), &T, 1);
        for (int body = 0; body < group->s->nq / 7; ++body) {
            double p[7], q[7];
            at_pose(p, euler, 0, body, 0.0);
            at_pose(q, group, 0, body, 0.0);
            const double sign = p[3] * q[3] < 0.0 ? -1.0 : 1.0; // p and -p are the same rotation
            for (int i = 0; i < 7; ++i) {
                assert_near((i < 3 ? 1.0 : sign) * p[i], q[i], 1e-9);
            }
        }
        assert_near(distance(at_la(euler, 0), at_la(group, 0), group->s->nc), 0.0, 1e-6);
    }
    lab_close(&L);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_claims_are_reproduced),
        cmocka_unit_test(euler_parameters_have_correct_tangents),
        cmocka_unit_test(euler_parameters_describe_the_same_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
