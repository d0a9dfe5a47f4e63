/* A value that is not finite is found wherever it stands, and named. */
#include <math.h>
#include <stdio.h>

#include "support/check.h"
#include "system/eval.h"
#include "two_bodies.h"

enum { IN_R, IN_PHI, IN_VEL, IN_ACC, PLACES };

typedef struct poison {
    two_bodies two;
    int place, entry;
    double value;
} poison;

static dal_status residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    const poison *p = user;
    double *const list[PLACES] = {out->r, out->Phi, out->vel, out->acc};
    DAL_TRY(p->two.block.equations.residual(out, at, p->two.block.user, work));
    if (p->entry >= 0 && list[p->place]) {
        list[p->place][p->entry] = p->value;
    }
    return DAL_OK;
}

static void every_value_that_is_not_finite_is_named(void **state)
{
    static const double bad[3] = {NAN, INFINITY, -INFINITY};
    static const char *const what[PLACES] = {"M v' + g + B^T lambda", "Phi", "B v + Phi_t",
                                             "the acceleration-level constraint"};
    const int count[PLACES] = {TWO_NV, TWO_NC - 1, TWO_NC, TWO_NC};
    const double zero[TWO_NV] = {0.0};
    double r[TWO_NV], Phi[TWO_NC], vel[TWO_NC], acc[TWO_NC];
    poison p = {.entry = -1};
    dal_ctx *ctx = check_ctx();
    dal_eval *ev;
    two_bodies_create(&p.two, ctx);
    dal_system sys = p.two.block;
    sys.equations.residual = residual;
    sys.user = &p;
    sys.names.row = NULL;
    sys.names.velocity = NULL;
    check_ok(ctx, dal_eval_create(&ev, ctx, &sys, NULL));
    const dal_residual out = {.r = r, .Phi = Phi, .vel = vel, .acc = acc};
    const dal_point at = {0.25, p.two.q0, p.two.v0, zero, zero};
    check_ok(ctx, dal_eval_residual(ev, &out, &at));
    for (p.place = 0; p.place < PLACES; ++p.place) {
        for (p.entry = 0; p.entry < count[p.place]; ++p.entry) {
            char text[80], name[32];
            p.value = bad[p.entry % 3];
            snprintf(name, sizeof name, p.place == IN_R ? "v[%d]" : "row %d", p.entry);
            snprintf(text, sizeof text, "for %s, entry %d (%s), at t = 0.25", what[p.place], p.entry, name);
            check_fails(ctx, dal_eval_residual(ev, &out, &at), DAL_ECALLBACK, text);
        }
    }
    // large values are finite, and a row on velocities has no Phi
    p.place = IN_R;
    p.entry = TWO_NV - 1;
    p.value = 1e308;
    check_ok(ctx, dal_eval_residual(ev, &out, &at));
    p.place = IN_PHI;
    p.entry = TWO_NC - 1;
    p.value = NAN;
    check_ok(ctx, dal_eval_residual(ev, &out, &at));
    // what is not asked for is not looked at
    r[0] = vel[0] = acc[0] = NAN;
    p.entry = -1;
    check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.Phi = Phi}, &at));
    dal_eval_destroy(ev);
    two_bodies_free(&p.two);
    check_ctx_free(ctx);
}

/* A system that knows of one velocity only is asked twice. */
static void rows_can_have_velocities_of_their_own(void **state)
{
    const double zero[TWO_NV] = {0.0};
    double w[TWO_NV], r[2][TWO_NV], vel[2][TWO_NC];
    two_bodies two;
    dal_ctx *ctx = check_ctx();
    dal_eval *ev;
    two_bodies_create(&two, ctx);
    check_ok(ctx, dal_eval_create(&ev, ctx, &two.block, NULL));
    for (int i = 0; i < TWO_NV; ++i) {
        w[i] = 1.0 + 0.5 * i;
    }
    const dal_point at = {0.25, two.q0, two.v0, zero, zero}, apart = {0.25, two.q0, w, zero, zero};
    assert_false(two.block.vel_apart);
    check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.r = r[0], .vel = vel[0], .w = w}, &at));
    check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.r = r[1]}, &at));
    check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.vel = vel[1]}, &apart));
    assert_memory_equal(r[0], r[1], sizeof r[0]);
    assert_memory_equal(vel[0], vel[1], sizeof vel[0]);
    dal_eval_destroy(ev);
    two_bodies_free(&two);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_that_is_not_finite_is_named),
        cmocka_unit_test(rows_can_have_velocities_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
