/* Rows of joints as outputs and from callbacks, at states where they do not vanish. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "mechanisms.h"
#include "support/check.h"
#include "system/eval.h"

enum { ROWS = 32, MAX = 64 };

typedef struct point {
    double q[MAX], v[MAX], vd[MAX], la[ROWS];
} point;

/* A state near the initial one that no constraint likes. */
static dal_point off(point *p, const dal_model *m, const dal_eval *ev, check_rng *rng)
{
    double theta[MAX];
    for (int i = 0; i < ev->nv; ++i) {
        theta[i] = check_uniform(rng, -0.1, 0.1);
    }
    check_normals(rng, p->v, ev->nv);
    check_normals(rng, p->vd, ev->nv);
    check_normals(rng, p->la, ev->nc);
    dal_retract(ev->G, p->q, dal_model_q0(m), theta);
    return (dal_point){0.3, p->q, p->v, p->vd, p->la};
}

static void residual_outputs_are_the_rows_of_their_joint(void **state)
{
    static const char *const quantity[3] = {"residual", "residual_velocity", "residual_acceleration"};
    dal_ctx *ctx = check_ctx();
    dal_model *m = slider_crank_model(ctx, "r3so3");
    check_rng rng = check_rng_seed(3);
    const dal_system *sys;
    dal_eval *ev;
    point p;
    double Phi[ROWS], vel[ROWS], acc[ROWS], y[MAX];
    const double *rows[3] = {Phi, vel, acc};
    for (int k = 0; k < 6; ++k) {
        const dal_output o = {.name = (const char *const[]){"a", "b", "c", "d", "e", "f"}[k],
                              .quantity = quantity[k % 3],
                              .joint = k < 3 ? "A" : "D"};
        check_ok(ctx, dal_model_add_output(m, NULL, &o));
    }
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_eval_create(&ev, ctx, sys, NULL));
    const dal_point at = off(&p, m, ev, &rng);
    check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.Phi = Phi, .vel = vel, .acc = acc}, &at));
    check_ok(ctx, dal_model_outputs(m, ev->data, y, &at));
    for (int k = 0; k < 6; ++k) { // joint A comes first and joint D last, with five rows each
        const double *want = rows[k % 3] + (k < 3 ? 0 : ev->nc - 5);
        assert_true(check_max_abs(want, 5) > 1e-3);
        assert_all_near(y + 5 * k, want, 5, 1e-14);
    }
    dal_eval_destroy(ev);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* ---- rows from callbacks ---------------------------------------------------------------------- */

/* A knife edge of the first body, and a driven relation between both. */
static dal_status rows(double *A, double *b, double t, const double *x, const double *R, const dal_functions *functions,
                       void *user)
{
    (void)functions;
    memset(A, 0, 24 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        A[2 * i] = R[3 + i];
        A[1 + 2 * i] = x[i];
        A[1 + 2 * (6 + i)] = -x[3 + i];
        A[1 + 2 * (9 + i)] = R[9 + i];
    }
    b[0] = cos(2.0 * t);
    b[1] = sin(t) * x[0];
    return DAL_OK;
}

/* R' = R hat(Omega): of its columns x' = Omega_z y - Omega_y z, y' = Omega_x z - Omega_z x. */
static dal_status rows_along(double *A, double *b, double t, const double *x, const double *R, const double *d,
                             const dal_functions *functions, void *user)
{
    (void)functions;
    const double *x0 = d + 1, *Om0 = d + 4, *x1 = d + 7, *Om1 = d + 10, *S = R + 9;
    memset(A, 0, 24 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        A[2 * i] = Om0[0] * R[6 + i] - Om0[2] * R[i];
        A[1 + 2 * i] = x0[i];
        A[1 + 2 * (6 + i)] = -x1[i];
        A[1 + 2 * (9 + i)] = Om1[2] * S[3 + i] - Om1[1] * S[6 + i];
    }
    b[0] = -2.0 * sin(2.0 * t) * d[0];
    b[1] = cos(t) * d[0] * x[0] + sin(t) * x0[0];
    return DAL_OK;
}

static void differences_of_rows_agree_with_their_derivatives(void **state)
{
    static const int bodies[2] = {1, 2};
    dal_ctx *ctx = check_ctx();
    double acc[2][2];
    for (int exact = 0; exact < 2; ++exact) {
        check_rng rng = check_rng_seed(8);
        dal_model *m;
        const dal_system *sys;
        dal_eval *ev;
        point p;
        const dal_body a = {.name = "a", .mass = 1.0, .inertia = {1.0, 2.0, 2.5}, .position = {0.3, -0.2, 0.5}};
        const dal_body b = {.name = "b", .mass = 2.0, .inertia = {1.0, 2.0, 2.5}, .position = {-0.4, 0.8, 0.1}};
        const dal_joint j = {.name = "j",
                             .type = "pfaffian",
                             .rows = rows,
                             .rows_along = exact ? rows_along : NULL,
                             .bodies = bodies,
                             .nbodies = 2,
                             .nrows = 2};
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_body(m, NULL, &a));
        check_ok(ctx, dal_model_add_body(m, NULL, &b));
        check_ok(ctx, dal_model_add_joint(m, NULL, &j));
        check_ok(ctx, dal_model_compile(m, &sys));
        check_ok(ctx, dal_eval_create(&ev, ctx, sys, NULL));
        const dal_point at = off(&p, m, ev, &rng);
        check_ok(ctx, dal_eval_residual(ev, &(dal_residual){.acc = acc[exact]}, &at));
        check_ok(ctx, dal_system_check(ctx, sys, NULL, &at, exact ? 1e-7 : 1e-4));
        dal_eval_destroy(ev);
        dal_model_destroy(m);
    }
    print_message("acceleration level: differences %.1e\n", check_max_abs_diff(acc[0], acc[1], 2));
    assert_true(check_max_abs(acc[1], 2) > 0.1);
    assert_all_near(acc[0], acc[1], 2, 1e-8);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_outputs_are_the_rows_of_their_joint),
        cmocka_unit_test(differences_of_rows_agree_with_their_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
