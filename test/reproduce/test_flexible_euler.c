/* Flexible bodies in Euler parameters, by the second implementation of the methods (oracle.h): [HAG] says that they are as
 * accurate as on the group; the charts of src/reproduce describe rigid bodies only. */
#include <math.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "oracle.h"
#include "support/check.h"

static double distance(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

/* M, g, Phi, B of a compiled model from its residual. */
typedef struct flexible {
    dal_data *data;
    int nv, nc;
} flexible;

static void flexible_residual(const flexible *f, double *r, double *Phi, double *vel, double t, const double *q,
                              const double *v, const double *vd)
{
    static const double zero[ORACLE_NV];
    const dal_residual out = {.r = r, .Phi = Phi, .vel = vel};
    assert_int_equal(dal_data_residual(f->data, &out, &(dal_point){t, q, v ? v : zero, vd ? vd : zero, zero}), DAL_OK);
}

static dal_status flexible_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)la;
    flexible_residual(user, g, NULL, NULL, t, q, v, NULL);
    return DAL_OK;
}

static dal_status flexible_M(double *M, double t, const double *q, void *user)
{
    const flexible *f = user;
    double rest[ORACLE_NV];
    flexible_residual(f, rest, NULL, NULL, t, q, NULL, NULL);
    for (int j = 0; j < f->nv; ++j) {
        double vd[ORACLE_NV] = {0.0};
        vd[j] = 1.0;
        flexible_residual(f, M + (size_t)j * (size_t)f->nv, NULL, NULL, t, q, NULL, vd);
        for (int i = 0; i < f->nv; ++i) {
            M[i + j * f->nv] -= rest[i];
        }
    }
    return DAL_OK;
}

static dal_status flexible_Phi(double *Phi, double t, const double *q, void *user)
{
    flexible_residual(user, NULL, Phi, NULL, t, q, NULL, NULL);
    return DAL_OK;
}

static dal_status flexible_B(double *B, double t, const double *q, void *user)
{
    const flexible *f = user;
    for (int j = 0; j < f->nv; ++j) {
        double v[ORACLE_NV] = {0.0};
        v[j] = 1.0;
        flexible_residual(f, NULL, NULL, B + (size_t)j * (size_t)f->nc, t, q, v, NULL);
    }
    return DAL_OK;
}

typedef struct soft_pendulum {
    dal_document *doc;
    dal_sim *sim;
} soft_pendulum;

static soft_pendulum soft_pendulum_new(dal_ctx *ctx, const char *const *set, int n)
{
    soft_pendulum s;
    const dal_system *sys;
    check_ok(ctx, dal_document_open(&s.doc, ctx, "flexible_pendulum", set, n));
    dal_model *m = dal_document_model(s.doc);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&s.sim, ctx, sys, dal_document_options(s.doc)));
    check_ok(ctx, dal_sim_start(s.sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    return s;
}

static void soft_pendulum_free(soft_pendulum *s)
{
    dal_sim_destroy(s->sim);
    dal_document_destroy(s->doc);
}

/* The soft flexible pendulum in Euler parameters and on the group, sigma = 1 and geom1: errors of the modes and of the
 * frame at t = 0.125 are comparable. */
static void flexible_bodies_are_comparable_in_euler_parameters(void **state)
{
    static const char *const fine[] = {"E=3e7",      "t_end=0.125", "integrator=lobatto",
                                       "rtol=1e-13", "atol=1e-14",  "h=1e-3"};
    static const char *const plain[] = {"E=3e7"};
    static const oracle_method methods[] = {{.chart = ORACLE_EULER, .rho = 0.8},
                                            {.chart = ORACLE_GROUP, .rho = 0.8, .sigma = 1.0},
                                            {.chart = ORACLE_GROUP, .rho = 0.8}};
    static oracle o;
    dal_ctx *ctx = check_ctx();
    soft_pendulum exact = soft_pendulum_new(ctx, fine, LEN(fine)), start = soft_pendulum_new(ctx, plain, LEN(plain));
    check_ok(ctx, dal_sim_run(exact.sim, NULL, 0.125));
    const dal_state want = dal_sim_state(exact.sim), s = dal_sim_shown_state(start.sim);
    const dal_group *G = dal_sim_system(start.sim)->group;
    flexible f = {dal_sim_data(start.sim), G->nv, dal_system_rows(dal_sim_system(start.sim))};
    const problem p = {.nq = G->nq,
                       .nv = f.nv,
                       .nc = f.nc,
                       .dense = {.M = flexible_M, .g = flexible_g, .Phi = flexible_Phi, .B = flexible_B, .user = &f}};
    double err[3][2];
    for (int k = 0; k < 3; ++k) {
        double q[ORACLE_NV], v[ORACLE_NV];
        oracle_begin(&o, &p, &methods[k], 1.25e-4, s.q, s.v, s.vd, s.la);
        while (o.steps < 1000) {
            assert_true(oracle_step(&o));
        }
        oracle_base(q, v, &o);
        err[k][0] = distance(q, want.q, 7);
        err[k][1] = distance(q + 7, want.q + 7, o.modes);
        print_message("%s: frame %.3e, modes %.3e\n",
                      k == 0   ? "Euler parameters"
                      : k == 1 ? "sigma = 1"
                               : "geom1",
                      err[k][0], err[k][1]);
    }
    for (int k = 1; k < 3; ++k) {
        assert_true(err[k][0] < 1.1 * err[0][0] && err[k][0] > 0.9 * err[0][0]);
        assert_true(err[k][1] < 1.1 * err[0][1] && err[k][1] > 0.9 * err[0][1]);
    }
    soft_pendulum_free(&exact);
    soft_pendulum_free(&start);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flexible_bodies_are_comparable_in_euler_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
