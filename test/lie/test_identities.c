/* What must hold in every factor, checked through the product of all of them: R^2, SO(3), R^3 x SO(3), SE(3),
 * SE(2), R^2 x S^1. */
#include <math.h>
#include <string.h>

#include "dalembert/lie.h"
#include "support/check.h"

enum { NQ = 2 + 4 + 7 + 7 + 3 + 3, NV = 2 + 3 + 6 + 6 + 3 + 3, TRIALS = 50 };

typedef struct fixture {
    dal_ctx *ctx;
    dal_group *G;
    check_rng rng;
} fixture;

static int setup(void **state)
{
    static const dal_factor_spec spec[] = {{DAL_FACTOR_RN, 2},  {DAL_FACTOR_SO3, 0}, {DAL_FACTOR_R3SO3, 0},
                                           {DAL_FACTOR_SE3, 0}, {DAL_FACTOR_SE2, 0}, {DAL_FACTOR_R2S1, 0}};
    fixture *f = malloc(sizeof *f);
    f->ctx = check_ctx();
    f->rng = check_rng_seed(11);
    check_ok(f->ctx, dal_group_create(&f->G, f->ctx, spec, (int)LEN(spec)));
    assert_int_equal(f->G->nq, NQ);
    assert_int_equal(f->G->nv, NV);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    dal_group_destroy(f->G);
    check_ctx_free(f->ctx);
    free(f);
    return 0;
}

/* Random theta; rotation vectors have length phi. */
static void random_theta(fixture *f, double theta[NV], double phi)
{
    static const int rotation[] = {2, 8, 14};
    check_normals(&f->rng, theta, NV);
    for (size_t k = 0; k < LEN(rotation); ++k) {
        check_direction(&f->rng, theta + rotation[k], phi);
    }
    theta[19] = phi;
}

static void random_q(fixture *f, double q[NQ])
{
    double theta[NV], e[NQ];
    random_theta(f, theta, check_uniform(&f->rng, 0.0, 6.0));
    dal_identity(f->G, e);
    dal_retract(f->G, q, e, theta);
}

/* y = A x */
static void apply(double y[NV], const double *A, const double *x)
{
    for (int i = 0; i < NV; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < NV; ++j) {
            y[i] += A[i + j * NV] * x[j];
        }
    }
}

/* The elements are the same; quaternions may differ in sign. */
static void assert_same(const dal_group *G, const double *qa, const double *qb, double tol)
{
    assert_near(dal_distance(G, qa, qb), 0.0, tol);
}

static void exp_and_log_undo_each_other(void **state)
{
    static const double angle[] = {0.0, 1e-12, 1e-8, 1e-4, 0.1, 0.5, 1.0, 2.0, 3.0, 3.1, 3.14159};
    fixture *f = *state;
    for (int k = 0; k < TRIALS * (int)LEN(angle); ++k) {
        double theta[NV], back[NV], q0[NQ], q1[NQ], q2[NQ];
        random_theta(f, theta, angle[(size_t)k % LEN(angle)]);
        random_q(f, q0);
        dal_retract(f->G, q1, q0, theta);
        dal_difference(f->G, back, q0, q1);
        assert_all_near(back, theta, NV, 2e-14);
        dal_retract(f->G, q2, q0, back);
        assert_same(f->G, q1, q2, 1e-14);
    }
}

static void composition_is_associative_with_identity_and_inverse(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < TRIALS; ++k) {
        double a[NQ], b[NQ], c[NQ], ab[NQ], bc[NQ], l[NQ], r[NQ], e[NQ], ai[NQ];
        random_q(f, a), random_q(f, b), random_q(f, c);
        dal_compose(f->G, ab, a, b), dal_compose(f->G, l, ab, c);
        dal_compose(f->G, bc, b, c), dal_compose(f->G, r, a, bc);
        assert_same(f->G, l, r, 1e-14);
        dal_identity(f->G, e), dal_compose(f->G, l, e, a), dal_compose(f->G, r, a, e);
        assert_same(f->G, l, a, 1e-14);
        assert_same(f->G, r, a, 1e-14);
        dal_inverse(f->G, ai, a), dal_compose(f->G, l, ai, a), dal_compose(f->G, r, a, ai);
        assert_same(f->G, l, e, 1e-14);
        assert_same(f->G, r, e, 1e-14);
    }
}

/* exp(s theta) exp(t theta) = exp((s + t) theta), and q o exp(theta) is composition with exp(theta). */
static void exp_is_a_homomorphism_along_a_line(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < TRIALS; ++k) {
        double theta[NV], part[NV], e[NQ], q[NQ], a[NQ], b[NQ], ab[NQ], whole[NQ];
        const double s = check_uniform(&f->rng, -1.0, 1.0);
        random_theta(f, theta, check_uniform(&f->rng, 0.0, 6.0));
        dal_identity(f->G, e);
        for (int i = 0; i < NV; ++i) {
            part[i] = s * theta[i];
        }
        dal_retract(f->G, a, e, part);
        for (int i = 0; i < NV; ++i) {
            part[i] = (1.0 - s) * theta[i];
        }
        dal_retract(f->G, b, e, part);
        dal_compose(f->G, ab, a, b);
        dal_retract(f->G, whole, e, theta);
        assert_same(f->G, ab, whole, 1e-13);
        random_q(f, q);
        dal_retract(f->G, a, q, theta);
        dal_compose(f->G, b, q, whole);
        assert_same(f->G, a, b, 1e-14);
    }
}

/* log(exp(theta)^-1 exp(theta + eps d)) = eps T d + O(eps^2). */
static void tangent_is_the_derivative_of_exp(void **state)
{
    static const double angle[] = {0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 3.1, 3.2, 5.0, 6.2};
    const double eps = 1e-5;
    fixture *f = *state;
    for (size_t k = 0; k < LEN(angle); ++k) {
        double theta[NV], d[NV], Td[NV], T[NV * NV], up[NV], um[NV], plus[NV], minus[NV];
        double e[NQ], q[NQ], qp[NQ], qm[NQ];
        random_theta(f, theta, angle[k]);
        check_normals(&f->rng, d, NV);
        for (int i = 0; i < NV; ++i) {
            plus[i] = theta[i] + eps * d[i];
            minus[i] = theta[i] - eps * d[i];
        }
        dal_identity(f->G, e);
        dal_retract(f->G, q, e, theta), dal_retract(f->G, qp, e, plus), dal_retract(f->G, qm, e, minus);
        dal_difference(f->G, up, q, qp), dal_difference(f->G, um, q, qm);
        dal_tangent(f->G, T, theta);
        apply(Td, T, d);
        for (int i = 0; i < NV; ++i) {
            assert_near((up[i] - um[i]) / (2.0 * eps), Td[i], 2e-9);
        }
    }
}

static void dtangent_is_the_derivative_of_the_tangent(void **state)
{
    static const double angle[] = {0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 3.1, 3.5, 5.0, 6.2};
    const double eps = 1e-5;
    fixture *f = *state;
    for (size_t k = 0; k < LEN(angle); ++k) {
        double theta[NV], c[NV], d[NV], D[NV * NV], Dd[NV], plus[NV], minus[NV], wp[NV], wm[NV];
        random_theta(f, theta, angle[k]);
        check_normals(&f->rng, c, NV), check_normals(&f->rng, d, NV);
        for (int i = 0; i < NV; ++i) {
            plus[i] = theta[i] + eps * d[i];
            minus[i] = theta[i] - eps * d[i];
        }
        dal_tangent_apply(f->G, wp, plus, c), dal_tangent_apply(f->G, wm, minus, c);
        dal_dtangent(f->G, D, theta, c);
        apply(Dd, D, d);
        for (int i = 0; i < NV; ++i) {
            assert_near((wp[i] - wm[i]) / (2.0 * eps), Dd[i], 2e-9);
        }
    }
}

static void inverse_tangent_undoes_the_tangent_and_both_keep_theta(void **state)
{
    static const double angle[] = {0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 3.1, 3.5, 5.0, 6.2};
    fixture *f = *state;
    for (size_t k = 0; k < LEN(angle); ++k) {
        double theta[NV], c[NV], w[NV], T[NV * NV], Ti[NV * NV], Tc[NV], TiTc[NV];
        random_theta(f, theta, angle[k]);
        check_normals(&f->rng, c, NV);
        dal_tangent(f->G, T, theta), dal_inv_tangent(f->G, Ti, theta);
        apply(Tc, T, c), apply(TiTc, Ti, Tc);
        assert_all_near(TiTc, c, NV, 1e-11);
        apply(w, T, theta);
        assert_all_near(w, theta, NV, 4e-14);
        apply(w, Ti, theta);
        assert_all_near(w, theta, NV, 1e-11); // T^-1 is of size 1e3 in the mixed block
        dal_tangent_apply(f->G, w, theta, c);
        assert_all_near(w, Tc, NV, 1e-15);
        dal_inv_tangent_apply(f->G, w, theta, Tc);
        assert_all_near(w, TiTc, NV, 1e-11);
    }
}

static void hat_is_the_bracket_and_obeys_jacobi(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < TRIALS; ++k) {
        double a[NV], b[NV], c[NV], H[NV * NV], w[NV], ab[NV], ba[NV], bc[NV], ca[NV], x[NV], y[NV], z[NV];
        check_normals(&f->rng, a, NV), check_normals(&f->rng, b, NV), check_normals(&f->rng, c, NV);
        dal_bracket(f->G, ab, a, b), dal_bracket(f->G, ba, b, a);
        dal_hat(f->G, H, a);
        apply(w, H, b);
        dal_bracket(f->G, bc, b, c), dal_bracket(f->G, ca, c, a);
        dal_bracket(f->G, x, a, bc), dal_bracket(f->G, y, b, ca), dal_bracket(f->G, z, c, ab);
        for (int i = 0; i < NV; ++i) {
            assert_near(w[i], ab[i], 1e-15);
            assert_near(ab[i], -ba[i], 1e-15);
            assert_near(x[i] + y[i] + z[i], 0.0, 4e-14);
        }
    }
}

/* q exp(d) q^-1 = exp(Ad(q) d) and T(theta) = Ad(exp(-theta)) T(-theta). */
static void tangent_and_adjoint_belong_together(void **state)
{
    static const double angle[] = {1e-6, 0.1, 0.5, 1.0, 2.0, 3.1, 3.5, 5.0, 6.2};
    fixture *f = *state;
    for (size_t k = 0; k < LEN(angle); ++k) {
        double theta[NV], minus[NV], c[NV], small[NV], w[NV], l[NV], r[NV];
        double e[NQ], q[NQ], qi[NQ], x[NQ], y[NQ];
        random_theta(f, theta, angle[k]), random_theta(f, c, 1.0);
        for (int i = 0; i < NV; ++i) {
            minus[i] = -theta[i];
        }
        dal_tangent_apply(f->G, l, theta, c), dal_tangent_apply(f->G, r, minus, c);
        // Ad is linear: Ad d = Ad(s d)/s with s d small enough for a principal logarithm
        const double s = 0.25;
        for (int i = 0; i < NV; ++i) {
            small[i] = s * r[i];
        }
        dal_identity(f->G, e);
        dal_retract(f->G, q, e, minus), dal_inverse(f->G, qi, q);
        dal_retract(f->G, x, q, small), dal_compose(f->G, y, x, qi);
        dal_difference(f->G, w, e, y);
        for (int i = 0; i < NV; ++i) {
            assert_near(w[i] / s, l[i], 1e-13);
        }
    }
}

static void distance_is_a_metric(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < TRIALS; ++k) {
        double a[NQ], b[NQ], c[NQ], flipped[NQ];
        random_q(f, a), random_q(f, b), random_q(f, c);
        const double ab = dal_distance(f->G, a, b), bc = dal_distance(f->G, b, c), ac = dal_distance(f->G, a, c);
        assert_near(dal_distance(f->G, a, a), 0.0, 1e-14);
        assert_near(dal_distance(f->G, b, a), ab, 1e-14);
        assert_true(ab > 0.0 && ac <= ab + bc + 1e-14);
        memcpy(flipped, a, sizeof a);
        for (int i = 2; i < 6; ++i) {
            flipped[i] = -a[i];
        }
        assert_near(dal_distance(f->G, flipped, b), ab, 1e-14); // p and -p are one rotation
    }
}

/* The distance of rotations is left-invariant and equals the length of the difference. */
static void distance_of_rotations_is_left_invariant(void **state)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    fixture *f = *state;
    for (int k = 0; k < TRIALS; ++k) {
        double a[4], b[4], c[4], ca[4], cb[4], w[3];
        check_quaternion(&f->rng, a), check_quaternion(&f->rng, b), check_quaternion(&f->rng, c);
        so3->compose(ca, c, a, 3), so3->compose(cb, c, b, 3), so3->difference(w, a, b, 3);
        assert_near(so3->distance(ca, cb, 3), so3->distance(a, b, 3), 4e-15);
        assert_near(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), so3->distance(a, b, 3), 4e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_undo_each_other),
        cmocka_unit_test(composition_is_associative_with_identity_and_inverse),
        cmocka_unit_test(exp_is_a_homomorphism_along_a_line),
        cmocka_unit_test(tangent_is_the_derivative_of_exp),
        cmocka_unit_test(dtangent_is_the_derivative_of_the_tangent),
        cmocka_unit_test(inverse_tangent_undoes_the_tangent_and_both_keep_theta),
        cmocka_unit_test(hat_is_the_bracket_and_obeys_jacobi),
        cmocka_unit_test(tangent_and_adjoint_belong_together),
        cmocka_unit_test(distance_is_a_metric),
        cmocka_unit_test(distance_of_rotations_is_left_invariant),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
