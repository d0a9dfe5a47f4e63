/* A bushing holds each direction with its own stiffness. */
#include <math.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "support/check.h"
#include "system/eval.h"

/* r (6) = what the springs ask for, of a body moved by x and turned by angle about an axis of the ground. */
static void pull(double r[6], int direction, const double x[3], int axis, double angle)
{
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    const dal_system *sys;
    dal_eval *ev;
    const double zero[6] = {0.0};
    dal_body b = {.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}, .position = {x[0], x[1], x[2]}};
    dal_force f = {.name = "bushing", .type = "bushing", .body_b = 1};
    f.stiffness6[direction] = 10.0 + direction;
    b.rotation[0] = cos(0.5 * angle);
    b.rotation[1 + axis] = sin(0.5 * angle);
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, NULL, &b));
    check_ok(ctx, dal_model_add_force(m, NULL, &f));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_eval_create(&ev, ctx, sys, NULL));
    const dal_point at = {0.0, dal_model_q0(m), zero, zero, zero};
    check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.r = r}, &at));
    dal_eval_destroy(ev);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void each_direction_of_a_bushing_has_its_own_stiffness(void **state)
{
    const double x[3] = {0.01, -0.02, 0.03}, origin[3] = {0.0};
    for (int direction = 0; direction < 6; ++direction) {
        for (int axis = 0; axis < 3; ++axis) {
            double r[6], want[6] = {0.0};
            const int turns = direction == 3 + axis;
            pull(r, direction, origin, axis, 0.1);
            want[3 + axis] = turns ? 0.1 * (10.0 + direction) : 0.0;
            assert_all_near(r, want, 6, 1e-13);
        }
        double r[6], want[6] = {0.0};
        pull(r, direction, x, 0, 0.0);
        if (direction < 3) {
            want[direction] = (10.0 + direction) * x[direction];
        }
        assert_all_near(r, want, 3, 1e-14); // torques: those of the force about the centre
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_direction_of_a_bushing_has_its_own_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
