/* Steady motion of point bodies about an axis: a conical pendulum, and two masses on a spring. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/modes.h"
#include "dalembert/sim.h"
#include "support/check.h"

static dal_modal *modes_of(dal_ctx *ctx, const char *text, dal_document **doc)
{
    const dal_system *sys;
    dal_sim *sim;
    dal_modal *modal;
    check_ok(ctx, dal_document_parse(doc, ctx, text, strlen(text), "steady", NULL, 0));
    dal_model *model = dal_document_model(*doc);
    check_ok(ctx, dal_model_compile(model, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, dal_document_options(*doc)));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model)));
    const dal_state s = dal_sim_shown_state(sim);
    const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    check_ok(ctx, dal_modal_create(&modal, ctx, sys, dal_sim_data(sim), &at, NULL));
    dal_sim_destroy(sim);
    return modal;
}

/* The frequency of the only mode that swings. */
static double frequency_of(const dal_modal *modal)
{
    double found = NAN;
    for (int k = 0; k < dal_modal_about(modal).n; ++k) {
        const dal_mode m = dal_modal_mode(modal, k);
        if (m.im > 1e-3) {
            assert_true(isnan(found));
            assert_near(m.re, 0.0, 1e-7);
            found = m.im;
        }
    }
    return found;
}

/* W^2 = g/(L cos a); small changes of the cone swing with w^2 = W^2 (1 + 3 cos^2 a). */
static void a_conical_pendulum_is_steady(void **state)
{
    static const double angle[] = {0.3, 0.8, 1.2};
    for (size_t k = 0; k < LEN(angle); ++k) {
        char text[700];
        const double a = angle[k], W = sqrt(9.81 / (2.0 * cos(a)));
        dal_ctx *ctx = check_ctx();
        dal_document *doc;
        snprintf(text, sizeof text,
                 "{\"dalembert\": 1, \"name\": \"cone\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"bob\", "
                 "\"type\": \"point\", \"mass\": 3, \"position\": [%.17g, 0, %.17g], \"velocity\": [0, %.17g, 0]}], "
                 "\"joints\": [{\"name\": \"string\", \"type\": \"distance\", \"body_b\": \"bob\", \"point_a\": [0, 0, "
                 "0], \"point_b\": [%.17g, 0, %.17g]}]}",
                 2.0 * sin(a), -2.0 * cos(a), W * 2.0 * sin(a), 2.0 * sin(a), -2.0 * cos(a));
        dal_modal *modal = modes_of(ctx, text, &doc);
        const dal_modal_info info = dal_modal_about(modal);
        assert_int_equal(info.steady, DAL_STEADINESS_STEADY);
        assert_int_equal(info.axes, DAL_AXES_TURNING);
        assert_near(info.turning[2], W, 1e-9);
        assert_near(frequency_of(modal), W * sqrt(1.0 + 3.0 * cos(a) * cos(a)), 1e-6);
        dal_modal_destroy(modal);
        dal_document_destroy(doc);
        check_ctx_free(ctx);
    }
}

/* Two masses m on a spring k of length L0 turn about each other: k (r - L0) = m W^2 r/2, and with the reduced mass m/2 the length
 * swings with w^2 = 2 k/m + 3 W^2. */
static void two_masses_on_a_spring_are_steady(void **state)
{
    const double m = 2.0, k = 50.0, L0 = 1.0, W = 3.0, r = k * L0 / (k - 0.5 * m * W * W);
    char text[900];
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    snprintf(text, sizeof text,
             "{\"dalembert\": 1, \"name\": \"pair\", \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 2, "
             "\"position\": [%.17g, 0, 0], \"velocity\": [0, %.17g, 0]}, {\"name\": \"b\", \"type\": \"point\", "
             "\"mass\": 2, \"position\": [%.17g, 0, 0], \"velocity\": [0, %.17g, 0]}], \"forces\": [{\"name\": "
             "\"spring\", \"type\": \"spring\", \"body_a\": \"a\", \"body_b\": \"b\", \"stiffness\": 50, "
             "\"reference\": 1}]}",
             0.5 * r, 0.5 * r * W, -0.5 * r, -0.5 * r * W);
    dal_modal *modal = modes_of(ctx, text, &doc);
    const dal_modal_info info = dal_modal_about(modal);
    assert_int_equal(info.steady, DAL_STEADINESS_STEADY);
    assert_int_equal(info.axes, DAL_AXES_TURNING);
    double best = INFINITY;
    for (int i = 0; i < info.n; ++i) {
        best = fmin(best, fabs(dal_modal_mode(modal, i).im - sqrt(2.0 * k / m + 3.0 * W * W)));
    }
    assert_near(best, 0.0, 1e-6);
    dal_modal_destroy(modal);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conical_pendulum_is_steady),
        cmocka_unit_test(two_masses_on_a_spring_are_steady),
    };
    return cmocka_run_group_tests_name("models_steady", tests, NULL, NULL);
}
