/* Projections bring the constraints to rounding and move the state as little as the mass matrix allows. */
#include <math.h>
#include <string.h>

#include "problems/problems.h"
#include "projection/projection.h"
#include "support/check.h"

typedef struct fixture {
    dal_ctx *ctx;
    problem p;
    dal_eval *ev;
    dal_saddle *s;
} fixture;

static void fixture_open(fixture *f)
{
    check_ok(f->ctx, dal_eval_create(&f->ev, f->ctx, f->p.sys, NULL));
    check_ok(f->ctx, dal_saddle_create(&f->s, f->ctx, f->ev, DAL_LINSOL_AUTO));
}

static void fixture_free(fixture *f)
{
    dal_saddle_destroy(f->s);
    dal_eval_destroy(f->ev);
    problem_free(&f->p);
    check_ctx_free(f->ctx);
}

static double position_norm(fixture *f, double t, const double *q)
{
    double Phi[PROBLEM_MAX] = {0};
    check_ok(f->ctx, dal_eval_residual(f->ev, &(dal_residual){.Phi = Phi},
                                       &(dal_point){t, q, f->s->zero, f->s->zero, f->s->zero}));
    return check_max_abs(Phi, f->p.nc);
}

static void velocity_level(fixture *f, double t, const double *q, const double *v, double *vel)
{
    check_ok(f->ctx,
             dal_eval_residual(f->ev, &(dal_residual){.vel = vel}, &(dal_point){t, q, v, f->s->zero, f->s->zero}));
}

static void random_nearby(fixture *f, double *q, double *v, double size, check_rng *rng)
{
    double theta[PROBLEM_MAX];
    for (int i = 0; i < f->p.nv; ++i) {
        theta[i] = size * check_uniform(rng, -1.0, 1.0);
        v[i] = f->p.v0[i] + size * check_uniform(rng, -1.0, 1.0);
    }
    dal_retract(f->p.group, q, f->p.q0, theta);
}

/* Over every problem: those with massless coordinates included. */
static void every_problem_returns_to_its_constraints(void **state)
{
    check_rng rng = check_rng_seed(1);
    for (int k = 0; k < PROBLEM_COUNT; ++k) {
        fixture f = {.ctx = check_ctx()};
        double q[PROBLEM_MAX], v[PROBLEM_MAX], vel[PROBLEM_MAX], moved, scale;
        check_ok(f.ctx, problem_nth(&f.p, f.ctx, k));
        fixture_open(&f);
        random_nearby(&f, q, v, 1e-3, &rng);
        double q_before[PROBLEM_MAX];
        memcpy(q_before, q, sizeof q);
        scale = 1.0 + check_max_abs(q, f.p.nq);
        check_ok(f.ctx, dal_project_position(f.s, q, &moved, 0.0, 1e-10));
        assert_true(position_norm(&f, 0.0, q) <= 1e-14 * scale);
        assert_near(moved, dal_distance(f.p.group, q_before, q), 1e-15);
        check_ok(f.ctx, dal_project_velocity(f.s, v, NULL, 0.0, q, NULL));
        velocity_level(&f, 0.0, q, v, vel);
        assert_true(check_max_abs(vel, f.p.nc) <= 1e-13 * (1.0 + check_max_abs(v, f.p.nv)));
        fixture_free(&f);
    }
}

static void a_projected_state_stays(void **state)
{
    fixture f = {.ctx = check_ctx()};
    check_ok(f.ctx, problem_heavy_top(&f.p, f.ctx, HEAVY_TOP_R3SO3));
    fixture_open(&f);
    check_rng rng = check_rng_seed(2);
    double q[7], v[6], again[7], w[6], moved;
    random_nearby(&f, q, v, 0.1, &rng);
    check_ok(f.ctx, dal_project_position(f.s, q, NULL, 0.0, 1e-10));
    check_ok(f.ctx, dal_project_velocity(f.s, v, NULL, 0.0, q, NULL));
    memcpy(again, q, sizeof q);
    memcpy(w, v, sizeof v);
    check_ok(f.ctx, dal_project_position(f.s, again, &moved, 0.0, 1e-10));
    assert_true(moved <= 1e-14);
    check_ok(f.ctx, dal_project_velocity(f.s, w, &moved, 0.0, q, NULL));
    assert_true(moved <= 1e-13);
    fixture_free(&f);
}

/* One row: d = -M^-1 B^T (B M^-1 B^T)^-1 vel, in closed form with M = diag(par). */
static void the_velocity_projection_is_weighted_with_the_mass_matrix(void **state)
{
    fixture f = {.ctx = check_ctx()};
    check_ok(f.ctx, problem_nonholonomic_particle(&f.p, f.ctx));
    fixture_open(&f);
    f.p.par[0] = 2.0;
    f.p.par[1] = 0.5;
    f.p.par[2] = 7.0;
    const double q[3] = {0.3, 0.8, -1.0};
    const double B[3] = {-q[1], 0.0, 1.0};
    double v[3] = {1.0, 2.0, 3.0}, want[3], moved, BMB = 0.0, Bv = 0.0;
    const double target = 0.25;
    for (int i = 0; i < 3; ++i) {
        BMB += B[i] * B[i] / f.p.par[i];
        Bv += B[i] * v[i];
    }
    double length = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double d = B[i] / f.p.par[i] * (target - Bv) / BMB;
        want[i] = v[i] + d;
        length += d * d;
    }
    check_ok(f.ctx, dal_project_velocity(f.s, v, &moved, 0.0, q, &target));
    assert_all_near(v, want, 3, 1e-15);
    assert_near(moved, sqrt(length), 1e-15);
    fixture_free(&f);
}

/* M d must be a combination of the rows of B: tested through the tangent space, w^T M d = 0 for all B w = 0. */
static void the_moved_part_is_orthogonal_to_free_motions(void **state)
{
    fixture f = {.ctx = check_ctx()};
    check_ok(f.ctx, problem_slider_crank(&f.p, f.ctx));
    fixture_open(&f);
    check_rng rng = check_rng_seed(3);
    double q[PROBLEM_MAX], v[PROBLEM_MAX], before[PROBLEM_MAX], M[100];
    random_nearby(&f, q, v, 0.05, &rng);
    check_ok(f.ctx, dal_project_position(f.s, q, NULL, 0.0, 1e-10));
    memcpy(before, v, sizeof v);
    check_ok(f.ctx, dal_project_velocity(f.s, v, NULL, 0.0, q, NULL));
    check_ok(f.ctx, f.p.dense.M(M, 0.0, q, f.p.dense.user));
    for (int k = 0; k < 5; ++k) {
        double w[PROBLEM_MAX], wMd = 0.0, size = 0.0;
        check_normals(&rng, w, f.p.nv);
        check_ok(f.ctx, dal_project_velocity(f.s, w, NULL, 0.0, q, NULL)); // scleronomic: now B w = 0
        for (int j = 0; j < f.p.nv; ++j) {
            for (int i = 0; i < f.p.nv; ++i) {
                const double term = w[i] * M[i + j * f.p.nv] * (v[j] - before[j]);
                wMd += term;
                size += fabs(term);
            }
        }
        assert_true(size > 0.0);
        assert_near(wMd, 0.0, 1e-13 * size);
    }
    fixture_free(&f);
}

/* First order: one small correction of the position equals the direct formula up to its square. */
static void the_position_projection_is_weighted_with_the_mass_matrix(void **state)
{
    double err[3], eps[3];
    for (int k = 0; k < 3; ++k) {
        fixture f = {.ctx = check_ctx()};
        check_ok(f.ctx, problem_heavy_top(&f.p, f.ctx, HEAVY_TOP_R3SO3));
        fixture_open(&f);
        eps[k] = 1e-2 / (1 << k);
        const double shift[6] = {eps[k], -2.0 * eps[k], 0.5 * eps[k], 0.0, eps[k], -eps[k]};
        double q[7], before[7], moved[6], d[6], Phi[3];
        dal_retract(f.p.group, q, f.p.q0, shift);
        memcpy(before, q, sizeof q);
        // d by the saddle matrix at the point given: M d + B^T mu = 0, B d = -Phi
        const dal_point at = {0.0, q, f.s->zero, f.s->zero, f.s->zero};
        check_ok(f.ctx, dal_eval_residual(f.ev, &(dal_residual){.Phi = Phi}, &at));
        check_ok(f.ctx, dal_saddle_factor(f.s, &at, 0));
        memset(f.s->x, 0, 9 * sizeof(double));
        for (int i = 0; i < 3; ++i) {
            f.s->x[6 + i] = -Phi[i];
        }
        dal_saddle_solve(f.s);
        memcpy(d, f.s->x, sizeof d);
        check_ok(f.ctx, dal_project_position(f.s, q, NULL, 0.0, 1e-10));
        dal_difference(f.p.group, moved, before, q);
        err[k] = check_max_abs_diff(moved, d, 6);
        assert_true(check_max_abs(d, 6) > 0.1 * eps[k]);
        fixture_free(&f);
    }
    check_slopes(eps, err, 3, 2.0, 0.1);
}

static void constraints_that_depend_on_time_are_met_at_that_time(void **state)
{
    fixture f = {.ctx = check_ctx()};
    check_ok(f.ctx, problem_cubic_drive(&f.p, f.ctx));
    fixture_open(&f);
    double q = 0.0, v = 0.0;
    check_ok(f.ctx, dal_project_position(f.s, &q, NULL, 2.0, 1e-10));
    check_ok(f.ctx, dal_project_velocity(f.s, &v, NULL, 2.0, &q, NULL));
    assert_near(q, 8.0, 1e-15);
    assert_near(v, 12.0, 1e-14);
    fixture_free(&f);
}

static void without_constraints_nothing_moves(void **state)
{
    fixture f = {.ctx = check_ctx()};
    check_ok(f.ctx, problem_free_top(&f.p, f.ctx));
    fixture_open(&f);
    double q[4], v[3] = {1.0, 2.0, 3.0}, moved = 7.0;
    check_rng rng = check_rng_seed(4);
    check_quaternion(&rng, q);
    double before[4];
    memcpy(before, q, sizeof q);
    check_ok(f.ctx, dal_project_position(f.s, q, &moved, 0.0, 1e-10));
    assert_near(moved, 0.0, 1e-16);
    assert_memory_equal(q, before, sizeof q);
    check_ok(f.ctx, dal_project_velocity(f.s, v, &moved, 0.0, q, NULL));
    assert_true(moved == 0.0 && v[0] == 1.0 && v[2] == 3.0);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_returns_to_its_constraints),
        cmocka_unit_test(a_projected_state_stays),
        cmocka_unit_test(the_velocity_projection_is_weighted_with_the_mass_matrix),
        cmocka_unit_test(the_moved_part_is_orthogonal_to_free_motions),
        cmocka_unit_test(the_position_projection_is_weighted_with_the_mass_matrix),
        cmocka_unit_test(constraints_that_depend_on_time_are_met_at_that_time),
        cmocka_unit_test(without_constraints_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
