/* Forces that depend on the reactions: regularised Coulomb friction mu |lambda| tanh(|v|/eps) along the motion. */
#include <math.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

/* A particle of mass 1 in the plane, on the line y = 0 or in a ring of radius 1 about the origin. */
typedef struct slider {
    dal_ctx *ctx;
    dal_group *group;
    dal_system *sys;
    int ring;
    double mu, eps, gravity[2];
} slider;

static dal_status slider_M(double *M, double t, const double *q, void *user)
{
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

/* tanh(|v|/eps) v/|v| */
static void direction(double d[2], const double *v, double eps)
{
    const double speed = hypot(v[0], v[1]), f = speed > 1e-9 * eps ? tanh(speed / eps) / speed : 1.0 / eps;
    d[0] = f * v[0];
    d[1] = f * v[1];
}

static dal_status slider_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const slider *s = user;
    double d[2];
    direction(d, v, s->eps);
    for (int i = 0; i < 2; ++i) {
        g[i] = -s->gravity[i] + s->mu * fabs(la[0]) * d[i];
    }
    return DAL_OK;
}

static dal_status slider_G(double *G, double t, const double *q, const double *v, const double *la, void *user)
{
    const slider *s = user;
    direction(G, v, s->eps);
    for (int i = 0; i < 2; ++i) {
        G[i] *= la[0] < 0.0 ? -s->mu : s->mu;
    }
    return DAL_OK;
}

static dal_status slider_Phi(double *Phi, double t, const double *q, void *user)
{
    const slider *s = user;
    Phi[0] = s->ring ? 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0) : q[1];
    return DAL_OK;
}

static dal_status slider_B(double *B, double t, const double *q, void *user)
{
    const slider *s = user;
    B[0] = s->ring ? q[0] : 0.0;
    B[1] = s->ring ? q[1] : 1.0;
    return DAL_OK;
}

static void slider_create(slider *s, dal_ctx *ctx, int with_G)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    s->ctx = ctx;
    check_ok(ctx, dal_group_create(&s->group, ctx, &spec, 1));
    const dal_dense d = {.group = s->group,
                         .nc = 1,
                         .lambda_in_g = 1,
                         .user = s,
                         .M = slider_M,
                         .g = slider_g,
                         .Phi = slider_Phi,
                         .B = slider_B,
                         .G = with_G ? slider_G : NULL};
    check_ok(ctx, dal_dense_create(&s->sys, ctx, &d));
}

static void slider_free(slider *s)
{
    dal_dense_destroy(s->sys);
    dal_group_destroy(s->group);
}

typedef struct outcome {
    double q[2], v[2], la;
} outcome;

static outcome run(slider *s, const char *options, double h, const double *q, const double *v, double t_end)
{
    dal_options opt = runs_options(s->ctx, options);
    opt.h = h;
    dal_sim *sim;
    check_ok(s->ctx, dal_sim_create(&sim, s->ctx, s->sys, &opt));
    check_ok(s->ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    check_ok(s->ctx, dal_sim_run(sim, NULL, t_end));
    const dal_state x = dal_sim_state(sim);
    const outcome out = {{x.q[0], x.q[1]}, {x.v[0], x.v[1]}, x.la[0]};
    dal_sim_destroy(sim);
    return out;
}

static const char *const formulations[] = {"formulation=index3", "formulation=index2", "formulation=index1",
                                           "formulation=ggl"};

/* Down an incline of 45 degrees, mu = 0.3: constant acceleration, which the method reproduces. */
static void a_block_slides_down_an_incline(void **state)
{
    dal_ctx *ctx = check_ctx();
    slider s = {.mu = 0.3, .eps = 1e-3, .gravity = {5.0, -5.0}};
    slider_create(&s, ctx, 1);
    const double q[2] = {0.0, 0.0}, v[2] = {1.0, 0.0};
    for (size_t k = 0; k < LEN(formulations); ++k) {
        const outcome x = run(&s, formulations[k], 0.01, q, v, 1.0);
        assert_near(x.q[0], 1.0 + 0.5 * 3.5, 1e-9);
        assert_near(x.v[0], 4.5, 1e-9);
        assert_near(x.la, -5.0, 1e-8);
    }
    slider_free(&s);
    check_ctx_free(ctx);
}

/* mu = 1.5 holds it, but for a creep at eps artanh(tan 45/mu). */
static void strong_friction_brings_a_block_to_a_creep(void **state)
{
    dal_ctx *ctx = check_ctx();
    slider s = {.mu = 1.5, .eps = 1e-3, .gravity = {5.0, -5.0}};
    slider_create(&s, ctx, 1);
    const double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0};
    const outcome x = run(&s, "rho_inf=0.5", 1e-3, q, v, 0.1);
    assert_near(x.v[0], 1e-3 * atanh(1.0 / 1.5), 1e-9);
    assert_near(x.la, -5.0, 1e-8);
    slider_free(&s);
    check_ctx_free(ctx);
}

/* Ring without gravity: v' = -mu v^2, so v = v0/(1 + mu v0 t), angle ln(1 + mu v0 t)/mu, lambda = v^2. */
static void sliding_in_a_ring_converges_with_order_two(void **state)
{
    dal_ctx *ctx = check_ctx();
    slider s = {.ring = 1, .mu = 0.4, .eps = 1e-3};
    slider_create(&s, ctx, 1);
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 2.0}, t_end = 1.0;
    const double growth = 1.0 + 0.4 * 2.0 * t_end, angle = log(growth) / 0.4, speed = 2.0 / growth;
    for (size_t k = 0; k < LEN(formulations); ++k) {
        double h[4], eq[4], ev[4], el[4];
        for (int i = 0; i < 4; ++i) {
            h[i] = 0.01 / (1 << i);
            const outcome x = run(&s, formulations[k], h[i], q, v, t_end);
            eq[i] = hypot(x.q[0] - cos(angle), x.q[1] - sin(angle));
            ev[i] = hypot(x.v[0] + speed * sin(angle), x.v[1] - speed * cos(angle));
            el[i] = fabs(x.la - speed * speed);
        }
        check_slopes(h, eq, 4, 2.0, 0.05);
        check_slopes(h, ev, 4, 2.0, 0.05);
        check_slopes(h, el, 4, 2.0, 0.1);
    }
    slider_free(&s);
    check_ctx_free(ctx);
}

static void a_differenced_dependence_on_lambda_gives_the_same_motion(void **state)
{
    dal_ctx *ctx = check_ctx();
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 2.0};
    for (size_t k = 0; k < LEN(formulations); ++k) {
        outcome x[2];
        for (int with_G = 0; with_G < 2; ++with_G) {
            slider s = {.ring = 1, .mu = 0.4, .eps = 1e-3, .gravity = {0.0, -1.0}};
            slider_create(&s, ctx, with_G);
            x[with_G] = run(&s, formulations[k], 0.01, q, v, 0.5);
            slider_free(&s);
        }
        assert_all_near(x[0].q, x[1].q, 2, 1e-9);
        assert_all_near(x[0].v, x[1].v, 2, 1e-8);
        assert_near(x[0].la, x[1].la, 1e-6);
    }
    check_ctx_free(ctx);
}

/* Tangents by differences and kept factors: fewer Jacobians, the same motion. */
static void modified_newton_and_adaptive_steps_work_with_friction(void **state)
{
    dal_ctx *ctx = check_ctx();
    slider s = {.ring = 1, .mu = 0.4, .eps = 1e-3};
    slider_create(&s, ctx, 1);
    const double q[2] = {1.0, 0.0}, v[2] = {0.0, 2.0};
    const double growth = 1.8, angle = log(growth) / 0.4;
    const outcome a = run(&s, "newton=modified", 0.005, q, v, 1.0), b = run(&s, "step=adaptive", 0.005, q, v, 1.0);
    assert_near(atan2(a.q[1], a.q[0]), angle, 1e-4);
    assert_near(atan2(b.q[1], b.q[0]), angle, 1e-3);
    slider_free(&s);
    check_ctx_free(ctx);
}

/* Initial values: lambda and v' solve a nonlinear system when g depends on lambda. */
static void initial_reactions_account_for_friction(void **state)
{
    dal_ctx *ctx = check_ctx();
    slider s = {.mu = 0.3, .eps = 1e-3, .gravity = {5.0, -5.0}};
    slider_create(&s, ctx, 0);
    const double q[2] = {0.0, 0.0}, v[2] = {1.0, 0.0};
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, s.sys, NULL));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    assert_near(dal_sim_state(sim).la[0], -5.0, 1e-12);
    assert_near(dal_sim_state(sim).vd[0], 3.5, 1e-12);
    assert_near(dal_sim_state(sim).vd[1], 0.0, 1e-12);
    dal_sim_destroy(sim);
    slider_free(&s);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_down_an_incline),
        cmocka_unit_test(strong_friction_brings_a_block_to_a_creep),
        cmocka_unit_test(sliding_in_a_ring_converges_with_order_two),
        cmocka_unit_test(a_differenced_dependence_on_lambda_gives_the_same_motion),
        cmocka_unit_test(modified_newton_and_adaptive_steps_work_with_friction),
        cmocka_unit_test(initial_reactions_account_for_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
