/* Files that ask for assembly. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_closes_with_its_crank_held),
        cmocka_unit_test(joints_that_stay_open_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
