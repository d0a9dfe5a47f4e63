/* Constraints that depend on time, in every formulation. */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static const char *const formulations[] = {"formulation=index3", "formulation=index2", "formulation=index1",
                                           "formulation=ggl"};

/* q = t^3: constant jerk. lambda = -6 t has no error but that of the velocities, which (IN.3) perturbs. */
static void a_cubic_drive_is_followed(void **state)
{
    dal_ctx *ctx = check_ctx();
    problem p;
    check_ok(ctx, problem_cubic_drive(&p, ctx));
    for (size_t k = 0; k < LEN(formulations); ++k) {
        double h[3], eq[3], ev[3], el[3];
        for (int i = 0; i < 3; ++i) {
            dal_options opt = runs_options(ctx, formulations[k]);
            dal_sim *sim;
            h[i] = opt.h = 0.02 / (1 << i);
            check_ok(ctx, dal_sim_create(&sim, ctx, p.sys, &opt));
            check_ok(ctx, dal_sim_start(sim, NULL, 0.0, p.q0, p.v0));
            check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
            const dal_state s = dal_sim_state(sim);
            eq[i] = fabs(s.q[0] - 1.0);
            ev[i] = fabs(s.v[0] - 3.0);
            el[i] = fabs(s.la[0] + 6.0);
            // what the formulation holds, it holds exactly; the rest is of order h^2
            const int position = k == 0 || k == 3, velocity = k == 1 || k == 3;
            assert_true(eq[i] <= (position ? 1e-9 : h[i] * h[i]));
            assert_true(ev[i] <= (velocity ? 1e-9 : 2.0 * h[i] * h[i]));
            // lambda = -v' is exact: a is linear in t, and so is what (IN.1) starts with
            assert_true(el[i] <= 1e-5);
            dal_sim_destroy(sim);
        }
    }
    problem_free(&p);
    check_ctx_free(ctx);
}

/* ---- pendulum on a pivot that moves by p(t) = 0.1 sin 5 t -------------------------------------- */

enum { NDERIVATIVES = 3 };

static void pivot(double p[NDERIVATIVES], double t)
{
    p[0] = 0.1 * sin(5.0 * t);
    p[1] = 0.5 * cos(5.0 * t);
    p[2] = -2.5 * sin(5.0 * t);
}

static dal_status driven_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status driven_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = 0.0;
    g[1] = 9.81;
    return DAL_OK;
}

static dal_status driven_Phi(double *Phi, double t, const double *q, void *user)
{
    double p[NDERIVATIVES];
    pivot(p, t);
    Phi[0] = 0.5 * ((q[0] - p[0]) * (q[0] - p[0]) + q[1] * q[1] - 1.0);
    return DAL_OK;
}

static dal_status driven_B(double *B, double t, const double *q, void *user)
{
    double p[NDERIVATIVES];
    pivot(p, t);
    B[0] = q[0] - p[0];
    B[1] = q[1];
    return DAL_OK;
}

static dal_status driven_b(double *b, double t, const double *q, void *user)
{
    double p[NDERIVATIVES];
    pivot(p, t);
    b[0] = -(q[0] - p[0]) * p[1];
    return DAL_OK;
}

static dal_status driven_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    double p[NDERIVATIVES];
    pivot(p, t);
    Z[0] = v[0] - p[1];
    Z[1] = v[1];
    return DAL_OK;
}

static dal_status driven_acc(double *w, double t, const double *q, const double *v, void *user)
{
    double p[NDERIVATIVES];
    pivot(p, t);
    w[0] = (v[0] - p[1]) * (v[0] - p[1]) + v[1] * v[1] - (q[0] - p[0]) * p[2];
    return DAL_OK;
}

/* theta'' = -g sin theta - p'' cos theta by the classical Runge-Kutta method; then x, v and lambda. */
static void reference(double q[2], double v[2], double *la, double theta, double omega, double t_end)
{
    enum { N = 20000 };
    const double h = t_end / N;
    double p[NDERIVATIVES], y[2] = {theta, omega};
    for (int n = 0; n < N; ++n) {
        double k[4][2];
        for (int s = 0; s < 4; ++s) {
            const double c = s == 0 ? 0.0 : s == 3 ? 1.0 : 0.5;
            const double th = y[0] + (s ? c * h * k[s - 1][0] : 0.0), om = y[1] + (s ? c * h * k[s - 1][1] : 0.0);
            pivot(p, (n + c) * h);
            k[s][0] = om;
            k[s][1] = -9.81 * sin(th) - p[2] * cos(th);
        }
        for (int i = 0; i < 2; ++i) {
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
    pivot(p, t_end);
    q[0] = p[0] + sin(y[0]);
    q[1] = -cos(y[0]);
    v[0] = p[1] + cos(y[0]) * y[1];
    v[1] = sin(y[0]) * y[1];
    *la = y[1] * y[1] + 9.81 * cos(y[0]) - p[2] * sin(y[0]);
}

static void a_driven_pendulum_converges_with_order_two_in_every_formulation(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    dal_group *group;
    dal_system *sys;
    double q[2], v[2], la;
    check_ok(ctx, dal_group_create(&group, ctx, &spec, 1));
    const dal_dense d = {.group = group,
                         .nc = 1,
                         .time_dependent = 1,
                         .M = driven_M,
                         .g = driven_g,
                         .Phi = driven_Phi,
                         .B = driven_B,
                         .b = driven_b,
                         .Z = driven_Z,
                         .acc = driven_acc};
    check_ok(ctx, dal_dense_create(&sys, ctx, &d));
    reference(q, v, &la, 0.3, 1.0, 1.0);
    // theta = 0.3, theta' = 1; p(0) = 0, p'(0) = 0.5
    const double q0[2] = {sin(0.3), -cos(0.3)}, v0[2] = {0.5 + cos(0.3), sin(0.3)};
    for (size_t k = 0; k < LEN(formulations); ++k) {
        double h[3], eq[3], ev[3], el[3];
        for (int i = 0; i < 3; ++i) {
            dal_options opt = runs_options(ctx, formulations[k]);
            dal_initial_report report;
            dal_sim *sim;
            h[i] = opt.h = 0.005 / (1 << i);
            check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
            check_ok(ctx, dal_sim_start(sim, &report, 0.0, q0, v0));
            assert_true(report.position_residual < 1e-15 && report.velocity_residual < 1e-15);
            check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
            const dal_state s = dal_sim_state(sim);
            eq[i] = check_max_abs_diff(s.q, q, 2);
            ev[i] = check_max_abs_diff(s.v, v, 2);
            el[i] = fabs(s.la[0] - la);
            dal_sim_destroy(sim);
        }
        check_slopes(h, eq, 3, 2.0, 0.1);
        check_slopes(h, ev, 3, 2.0, 0.1);
        check_slopes(h, el, 3, 2.0, 0.2);
    }
    dal_dense_destroy(sys);
    dal_group_destroy(group);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cubic_drive_is_followed),
        cmocka_unit_test(a_driven_pendulum_converges_with_order_two_in_every_formulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
