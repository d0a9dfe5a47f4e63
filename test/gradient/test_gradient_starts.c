/* Starts in models with contacts: joints are closed first, with all contacts open, and those that touch are found afterwards. What sticks
 * from then on was left behind, be its rows redundant beside those of the joints (gripper) or not (carry.json). */
#include "methods.h"

static const char *const of_tray[] = {"final(tray.position.x)", "final(box.position.x)", "integral(floor.force^2)"};
static const char *const by_place[] = {"functions.place.value", "bodies.box.position.0", "forces.tie.stiffness"};

static void joints_that_move_at_the_start_leave_what_will_stick_behind(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    const dal_gradient_spec spec = {
        .source = DAL_MODELS "/carry.json", .of = of_tray, .nof = 2, .by = by_place, .nby = 1};
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    for (int mode = 0; mode < 2; ++mode) {
        check_ok(ctx, dal_gradient_run(g, NULL, mode == 0 ? DAL_GRADIENT_FORWARD : DAL_GRADIENT_ADJOINT));
        assert_int_equal(dal_gradient_events(g), 0);
        assert_near(dal_gradient_row(g, 0)[0], 1.0, 1e-10);
        assert_near(dal_gradient_row(g, 1)[0], 0.0, 1e-10);
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static void such_starts_agree_with_runs_from_moved_joints(void **state)
{
    (void)state;
    static const char *const of_jaws[] = {"final(hand.position.y)", "final(left.position.y)", "final(energy)"},
                             *const by_lift[] = {"functions.lift.from", "bodies.box.mass"};
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (int m = 0; m < METHODS; ++m) {
        const char *const set[] = {methods[m][0], methods[m][1], methods[m][2], "t_end=0.02"};
        const dal_gradient_spec carry = {.source = DAL_MODELS "/carry.json",
                                         .of = of_tray,
                                         .nof = 3,
                                         .by = by_place,
                                         .nby = 3,
                                         .set = set,
                                         .nset = 4};
        const dal_gradient_spec gripper = {
            .source = "gripper", .of = of_jaws, .nof = 3, .by = by_lift, .nby = 2, .set = set, .nset = 4};
        bad += compare(ctx, &carry, 1e-7) + compare(ctx, &gripper, 1e-7);
    }
    check_ctx_free(ctx);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_that_move_at_the_start_leave_what_will_stick_behind),
        cmocka_unit_test(such_starts_agree_with_runs_from_moved_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
