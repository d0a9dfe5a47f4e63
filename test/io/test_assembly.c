/* Files that ask for assembly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

/* Four bars 1, 2, 1.5 on the ground of length 2, drawn by eye: the loop is open at both ends of the rocker. */
#define FOUR_BAR                                                                                                     \
    "'bodies': [{'name': 'crank', 'type': 'planar', 'mass': 1, 'inertia': 1, 'rotation': 1.2}, "                     \
    "{'name': 'coupler', 'type': 'planar', 'mass': 1, 'inertia': 1, 'position': [0.3, 1], 'rotation': 0.1}, "        \
    "{'name': 'rocker', 'type': 'planar', 'mass': 1, 'inertia': 1, 'position': [2.2, 0.1], 'rotation': 1.4}], "      \
    "'joints': [{'name': 'A', 'type': 'planar_revolute', 'body_b': 'crank', 'frame_a': [0, 0], 'frame_b': [0, 0]}, " \
    "{'name': 'B', 'type': 'planar_revolute', 'body_a': 'crank', 'body_b': 'coupler', 'frame_a': [1, 0], "           \
    "'frame_b': [0, 0]}, "                                                                                           \
    "{'name': 'C', 'type': 'planar_revolute', 'body_a': 'coupler', 'body_b': 'rocker', 'frame_a': [2, 0], "          \
    "'frame_b': [1.5, 0]}, "                                                                                         \
    "{'name': 'D', 'type': 'planar_revolute', 'body_b': 'rocker', 'frame_a': [2, 0], 'frame_b': [0, 0]}]"

static dal_status assemble(dal_ctx *ctx, const char *text, dal_document **doc, dal_assembly_report *rep)
{
    const dal_system *sys;
    check_ok(ctx, text_body(doc, ctx, text));
    check_ok(ctx, dal_model_compile(dal_document_model(*doc), &sys));
    return dal_document_assemble(*doc, rep, sys);
}

static int open_joints(dal_ctx *ctx, const dal_document *doc)
{
    dal_model *m = dal_document_model(doc);
    char names[200];
    int count;
    check_ok(ctx, dal_model_open_joints(m, NULL, &count, names, sizeof names, 0.0, dal_model_q0(m), 1e-9));
    return count;
}

static void a_four_bar_closes_with_its_crank_held(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    dal_assembly_report rep;
    check_ok(ctx, assemble(ctx, FOUR_BAR ", 'assembly': {'hold': ['crank']}", &doc, &rep));
    assert_int_equal(open_joints(ctx, doc), 0);
    const double *q = dal_model_q0(dal_document_model(doc));
    assert_near(q[2], 1.2, 0.0); // planar: x, y, angle
    assert_true(rep.before > 0.05 && rep.after <= 1e-10 && rep.moved > 0.05);
    dal_document_destroy(doc);
    // free to move, it moves less
    dal_assembly_report least;
    check_ok(ctx, assemble(ctx, FOUR_BAR ", 'assembly': {}", &doc, &least));
    assert_int_equal(open_joints(ctx, doc), 0);
    assert_true(least.moved < rep.moved);
    dal_document_destroy(doc);
    // not asked for
    check_ok(ctx, assemble(ctx, FOUR_BAR, &doc, &rep));
    assert_true(open_joints(ctx, doc) > 0 && rep.iterations == 0);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void joints_that_stay_open_are_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const dal_status st = assemble(ctx, FOUR_BAR ", 'assembly': {'hold': ['crank', 'rocker']}", &doc, NULL);
    assert_int_equal(st, DAL_NOCONV);
    assert_non_null(strstr(dal_ctx_message(ctx), "joint 'D'"));
    assert_true(open_joints(ctx, doc) > 0); // the guess is kept
    dal_document_destroy(doc);
    assert_true(text_body(&doc, ctx, FOUR_BAR ", 'assembly': {'hold': ['crnk']}") != DAL_OK);
    assert_non_null(strstr(dal_ctx_message(ctx), "/assembly/hold/0: no body 'crnk' (did you mean 'crank'?)"));
    assert_true(text_body(&doc, ctx, FOUR_BAR ", 'assembly': {'hold': ['ground']}") != DAL_OK);
    assert_non_null(strstr(dal_ctx_message(ctx), "does not move"));
    assert_true(text_body(&doc, ctx, FOUR_BAR ", 'assembly': {'held': []}") != DAL_OK);
    assert_non_null(strstr(dal_ctx_message(ctx), "held"));
    check_ctx_free(ctx);
}

/* Frames that assembly has put together but for rounding: tangents of all levels are right there, too. */
static void tangents_of_frames_that_are_nearly_together(void **state)
{
    static const double apart[] = {0.0, 1e-17, -3e-13, 1e-9};
    (void)state;
    for (size_t k = 0; k < LEN(apart); ++k) {
        char text[1024];
        double v[18], vd[18], la[20];
        text_sim o;
        dal_tangent_report report;
        snprintf(
            text, sizeof text,
            "{'dalembert': 1, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'position': [%g, 0, %g]}, {'name': "
            "'b', 'mass': 1, 'inertia': 2, 'position': [0, %g, 0]}, {'name': 'c', 'mass': 1, 'inertia': 3}],"
            " 'joints': [{'name': 'x', 'type': 'prismatic', 'body_b': 'a', 'axis': [1, 0, 0]}, {'name': 'y', "
            "'type': 'prismatic', 'body_a': 'a', 'body_b': 'b', 'axis': [0, 1, 0]}, {'name': 'z', 'type': "
            "'revolute', 'body_a': 'b', 'body_b': 'c', 'axis': [0, 0, 1]}]}",
            apart[k], -apart[k], apart[k]);
        text_sim_open(&o, text, NULL, 0);
        for (int i = 0; i < 18; ++i) {
            v[i] = sin(3.0 * i + 1.0);
            vd[i] = cos(5.0 * i + 2.0);
        }
        for (int i = 0; i < 20; ++i) {
            la[i] = sin(7.0 * i);
        }
        const dal_point at = {0.0, dal_sim_point(o.sim).q, v, vd, la};
        check_ok(o.ctx, dal_system_check(o.ctx, o.sys, &report, &at, 1e-6));
        text_sim_close(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_frames_that_are_nearly_together),
        cmocka_unit_test(a_four_bar_closes_with_its_crank_held),
        cmocka_unit_test(joints_that_stay_open_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
