/* v'' by differences, central and one-sided, against what it is. */
#include <math.h>

#include "init/initial.h"
#include "support/check.h"

/* A particle on a line in a force f(t) = sin(3 t) - q^2 v, with its coordinate a second time, held equal by a row. */
static dal_status M(double *m, double t, const double *q, void *user)
{
    m[0] = 1.5;
    m[3] = 0.5;
    m[1] = m[2] = 0.0;
    return DAL_OK;
}

static dal_status g(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    f[0] = -2.0 * (sin(3.0 * t) - q[0] * q[0] * v[0]);
    f[1] = 0.0;
    return DAL_OK;
}

static dal_status Phi(double *phi, double t, const double *q, void *user)
{
    phi[0] = q[0] - q[1];
    return DAL_OK;
}

static dal_status B(double *b, double t, const double *q, void *user)
{
    b[0] = 1.0;
    b[1] = -1.0;
    return DAL_OK;
}

static const double t0 = 0.2;

/* a = f, a' = 3 cos(3 t) - 2 q v^2 - q^2 a, a'' likewise. */
static void derivatives(double *a, double *jerk, double *snap, double q, double v)
{
    *a = sin(3.0 * t0) - q * q * v;
    *jerk = 3.0 * cos(3.0 * t0) - 2.0 * q * v * v - q * q * *a;
    *snap = -9.0 * sin(3.0 * t0) - 2.0 * v * v * v - 6.0 * q * v * *a - q * q * *jerk;
}

/* The motion nearby is known up to dt^2/2 v'': the one-sided difference is off by dt/2 times a number, here known, the
 * central one by dt^2. */
static void jerks_are_those_of_the_motion(void **state)
{
    const double q[2] = {0.7, 0.7}, v[2] = {1.2, 1.2};
    double vd[2], vdd[2], la, a, jerk, snap, error[2][4], dt[4];
    dal_ctx *ctx = check_ctx();
    dal_group *group;
    dal_system *sys;
    dal_eval *ev;
    dal_saddle *saddle;
    check_ok(ctx, dal_group_create(&group, ctx, (dal_factor_spec[]){{DAL_FACTOR_RN, 1}, {DAL_FACTOR_RN, 1}}, 2));
    const dal_dense dense = {.group = group, .nc = 1, .M = M, .g = g, .Phi = Phi, .B = B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    check_ok(ctx, dal_eval_create(&ev, ctx, sys, NULL));
    check_ok(ctx, dal_saddle_create(&saddle, ctx, ev, DAL_LINSOL_AUTO));
    check_ok(ctx, dal_initial_acceleration(saddle, vd, &la, t0, q, v));
    derivatives(&a, &jerk, &snap, q[0], v[0]);
    assert_near(vd[0], a, 1e-14);
    // along the predicted motion v + dt a the third derivative lacks the part of v that v'' makes
    const double slope = 0.5 * (snap + q[0] * q[0] * jerk);
    for (int k = 0; k < 4; ++k) {
        dt[k] = 0.02 / (1 << k);
        for (int one_sided = 0; one_sided < 2; ++one_sided) {
            const double h = one_sided ? 100.0 * dt[k] : dt[k]; // one-sided over a hundredth of a step
            check_ok(ctx, dal_initial_jerk(saddle, vdd, &(dal_point){t0, q, v, vd, &la}, h, one_sided));
            assert_near(vdd[1], vdd[0], 1e-10);
            error[one_sided][k] = fabs(vdd[0] - jerk - (one_sided ? slope * dt[k] : 0.0));
            assert_true(one_sided == 0 || fabs(vdd[0] - jerk) > 0.5 * fabs(slope) * dt[k]);
        }
    }
    check_slopes(dt, error[0], 4, 2.0, 0.1);
    check_slopes(dt, error[1], 4, 2.0, 0.1);
    dal_saddle_destroy(saddle);
    dal_eval_destroy(ev);
    dal_dense_destroy(sys);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

/* A point on a unit circle in the plane, under gravity and a force along the circle: the row turns as it moves. */
static dal_status disk_M(double *m, double t, const double *q, void *user)
{
    m[0] = m[3] = 2.0;
    m[1] = m[2] = 0.0;
    return DAL_OK;
}

static dal_status disk_g(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    f[0] = 2.0 * sin(3.0 * t) * q[1];
    f[1] = 2.0 * 9.81 - 2.0 * sin(3.0 * t) * q[0];
    return DAL_OK;
}

static dal_status circle(double *phi, double t, const double *q, void *user)
{
    phi[0] = hypot(q[0], q[1]) - 1.0;
    return DAL_OK;
}

static dal_status circle_B(double *b, double t, const double *q, void *user)
{
    b[0] = q[0] / hypot(q[0], q[1]);
    b[1] = q[1] / hypot(q[0], q[1]);
    return DAL_OK;
}

/* x = sin th, y = -cos th, th'' = -9.81 sin th + sin 3t. */
static void jerks_know_that_constraints_turn(void **state)
{
    const double th = 0.6, w = 1.7, c = cos(th), s = sin(th);
    const double a = -9.81 * s + sin(3.0 * t0), j = -9.81 * c * w + 3.0 * cos(3.0 * t0);
    const double q[2] = {s, -c}, v[2] = {w * c, w * s};
    const double jerk[2] = {j * c - 3.0 * w * a * s - w * w * w * c, j * s + 3.0 * w * a * c - w * w * w * s};
    double vd[2], vdd[2], la, error[4], h[4];
    dal_ctx *ctx = check_ctx();
    dal_group *group;
    dal_system *sys;
    dal_eval *ev;
    dal_saddle *saddle;
    check_ok(ctx, dal_group_create(&group, ctx, (dal_factor_spec[]){{DAL_FACTOR_RN, 2}}, 1));
    const dal_dense dense = {.group = group, .nc = 1, .M = disk_M, .g = disk_g, .Phi = circle, .B = circle_B};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    check_ok(ctx, dal_eval_create(&ev, ctx, sys, NULL));
    check_ok(ctx, dal_saddle_create(&saddle, ctx, ev, DAL_LINSOL_AUTO));
    dal_saddle_keep(saddle, 1, 1);
    check_ok(ctx, dal_initial_acceleration(saddle, vd, &la, t0, q, v));
    assert_near(vd[0], a * c - w * w * s, 1e-9);
    for (int k = 0; k < 4; ++k) {
        h[k] = 0.04 / (1 << k);
        check_ok(ctx, dal_initial_jerk(saddle, vdd, &(dal_point){t0, q, v, vd, &la}, h[k], 0));
        error[k] = fmax(fabs(vdd[0] - jerk[0]), fabs(vdd[1] - jerk[1]));
    }
    check_slopes(h, error, 4, 2.0, 0.1);
    assert_int_equal(saddle->count, 1); // one matrix for all of it
    dal_saddle_keep(saddle, 0, 0);
    check_ok(ctx, dal_saddle_factor(saddle, &(dal_point){t0, q, v, vd, &la}, 0));
    assert_int_equal(saddle->count, 2);
    dal_saddle_destroy(saddle);
    dal_eval_destroy(ev);
    dal_dense_destroy(sys);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jerks_are_those_of_the_motion),
        cmocka_unit_test(jerks_know_that_constraints_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
