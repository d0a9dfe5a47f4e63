/* Structured matrices: mul, addmul and invert against dense arithmetic, and the zero patterns. */
#include <math.h>
#include <string.h>

#include "dalembert/lie.h"
#include "support/check.h"

enum { MAX_NV = 7, MAX_M = 9 };

static int dimension(dal_factor_kind kind)
{
    const dal_factor_type *type = dal_factor_type_of(kind);
    return kind == DAL_FACTOR_RN ? MAX_NV : type->nv;
}

/* A random matrix with the pattern of the factor, well away from singular. */
static void random_structured(check_rng *rng, dal_factor_kind kind, double *X)
{
    const int n = dimension(kind);
    const double s = check_uniform(rng, 1.0, 2.0);
    memset(X, 0, (size_t)(n * n) * sizeof *X);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int rotation = kind == DAL_FACTOR_SO3 || kind == DAL_FACTOR_SE2 ||
                                 (kind == DAL_FACTOR_R3SO3 && i >= 3 && j >= 3) ||
                                 (kind == DAL_FACTOR_SE3 && (i < 3 || j >= 3));
            if (rotation) {
                X[i + j * n] = (i == j ? 3.0 : 0.0) + check_uniform(rng, -1.0, 1.0);
            } else if (i == j) {
                X[i + j * n] = s;
            }
        }
    }
}

/* Y = A X + beta Y, A m x n */
static void dense_mul(double *Y, double beta, const double *A, int m, const double *X, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += A[i + k * m] * X[k + j * n];
            }
            Y[i + j * m] = beta == 0.0 ? sum : sum + beta * Y[i + j * m];
        }
    }
}

static void products_equal_dense_products(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(31);
    for (int kind = 0; kind < DAL_FACTOR_KINDS; ++kind) {
        const dal_factor_type *type = dal_factor_type_of((dal_factor_kind)kind);
        const int n = dimension((dal_factor_kind)kind);
        for (int m = 0; m <= MAX_M; ++m) {
            double A[MAX_M * MAX_NV], X[MAX_NV * MAX_NV], Y[MAX_M * MAX_NV], want[MAX_M * MAX_NV];
            random_structured(&rng, (dal_factor_kind)kind, X);
            check_normals(&rng, A, m * n), check_normals(&rng, Y, m * n);
            memcpy(want, Y, (size_t)(m * n) * sizeof *Y);
            dense_mul(want, 1.0, A, m, X, n);
            type->addmul(Y, A, m, X, n);
            assert_all_near(Y, want, m * n, 2e-14);
            dense_mul(want, 0.0, A, m, X, n);
            type->mul(Y, A, m, X, n);
            assert_all_near(Y, want, m * n, 2e-14);
        }
        double X[MAX_NV * MAX_NV], c[MAX_NV], w[MAX_NV], want[MAX_NV] = {0};
        random_structured(&rng, (dal_factor_kind)kind, X);
        check_normals(&rng, c, n);
        for (int i = 0; i < n * n; ++i) {
            want[i % n] += X[i] * c[i / n];
        }
        type->apply(w, X, c, n);
        assert_all_near(w, want, n, 2e-14);
    }
}

static void invert_is_the_inverse_and_keeps_the_pattern(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(32);
    for (int kind = 0; kind < DAL_FACTOR_KINDS; ++kind) {
        const dal_factor_type *type = dal_factor_type_of((dal_factor_kind)kind);
        const int n = dimension((dal_factor_kind)kind);
        for (int trial = 0; trial < 20; ++trial) {
            double X[MAX_NV * MAX_NV], Xi[MAX_NV * MAX_NV], I[MAX_NV * MAX_NV];
            random_structured(&rng, (dal_factor_kind)kind, X);
            type->invert(Xi, X, n);
            dense_mul(I, 0.0, Xi, n, X, n);
            for (int i = 0; i < n * n; ++i) {
                assert_near(I[i], i % (n + 1) == 0 ? 1.0 : 0.0, 2e-14);
                if (X[i] == 0.0 && kind != DAL_FACTOR_SO3 && kind != DAL_FACTOR_SE2) {
                    assert_near(Xi[i], 0.0, 0.0);
                }
            }
        }
    }
}

/* T, T^-1, d(T c)/dtheta and hat have the pattern that mul and invert assume: T T^-1 = I by either. */
static void tangents_have_the_pattern_of_their_factor(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(33);
    for (int kind = 0; kind < DAL_FACTOR_KINDS; ++kind) {
        const dal_factor_type *type = dal_factor_type_of((dal_factor_kind)kind);
        const int n = dimension((dal_factor_kind)kind);
        double theta[MAX_NV], c[MAX_NV], coef[DAL_NCOEF], X[4][MAX_NV * MAX_NV], I[MAX_NV * MAX_NV];
        check_normals(&rng, theta, n), check_normals(&rng, c, n);
        memset(X, 0xff, sizeof X); // every entry must be written
        type->prepare(coef, theta, n);
        type->tangent(X[0], theta, coef, n);
        type->inv_tangent(X[1], theta, coef, n);
        type->dtangent(X[2], theta, c, coef, n);
        type->hat(X[3], theta, n);
        for (int k = 0; k < 4; ++k) {
            double A[MAX_NV * MAX_NV], Y[MAX_NV * MAX_NV], want[MAX_NV * MAX_NV];
            check_normals(&rng, A, n * n);
            type->mul(Y, A, n, X[k], n);
            dense_mul(want, 0.0, A, n, X[k], n);
            assert_all_near(Y, want, n * n, 2e-14);
        }
        type->mul(I, X[1], n, X[0], n);
        type->invert(X[2], X[0], n);
        assert_all_near(X[2], X[1], n * n, 1e-13);
        for (int i = 0; i < n * n; ++i) {
            assert_near(I[i], i % (n + 1) == 0 ? 1.0 : 0.0, 1e-13);
        }
    }
}

static void flat_factors_are_vector_spaces(void **state)
{
    static const dal_factor_kind flat[] = {DAL_FACTOR_RN, DAL_FACTOR_R2S1};
    (void)state;
    for (size_t k = 0; k < LEN(flat); ++k) {
        const dal_factor_type *type = dal_factor_type_of(flat[k]);
        const double a[3] = {1.0, 2.0, 3.0}, b[3] = {0.5, -1.0, 10.0}, sum[3] = {1.5, 1.0, 13.0};
        double q[3], back[3], coef[DAL_NCOEF], w[3];
        assert_true(type->flat);
        type->prepare(coef, b, 3);
        type->retract(q, a, b, coef, 3);
        assert_all_near(q, sum, 3, 0.0);
        type->difference(back, a, q, 3); // unwrapped: ten radians stay ten
        assert_all_near(back, b, 3, 0.0);
        type->bracket(w, a, b, 3);
        assert_near(check_max_abs(w, 3), 0.0, 0.0);
        assert_near(type->distance(a, q, 3), sqrt(0.25 + 1.0 + 100.0), 1e-15);
        assert_near(type->defect(q, 3), 0.0, 0.0);
        type->normalise(q, 3);
        assert_all_near(q, sum, 3, 0.0);
    }
}

/* The planar angle is unwrapped: two turns in two steps, and back, on a circle. */
static void planar_rigid_motion_counts_its_turns(void **state)
{
    const dal_factor_type *se2 = dal_factor_type_of(DAL_FACTOR_SE2);
    const double theta[3] = {1.0, 0.0, 4.0};
    double q0[3], q1[3], q2[3], back[3], coef[DAL_NCOEF];
    (void)state;
    se2->identity(q0, 3);
    se2->prepare(coef, theta, 3);
    se2->retract(q1, q0, theta, coef, 3);
    se2->retract(q2, q1, theta, coef, 3);
    assert_near(q2[2], 8.0, 0.0);
    // constant body velocity: a circle of radius 1/4
    assert_near(q2[0], 0.25 * sin(8.0), 1e-15);
    assert_near(q2[1], 0.25 * (1.0 - cos(8.0)), 1e-15);
    se2->difference(back, q0, q2, 3);
    assert_near(back[0], 2.0, 1e-14);
    assert_near(back[1], 0.0, 1e-14);
    assert_near(back[2], 8.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_dense_products),
        cmocka_unit_test(invert_is_the_inverse_and_keeps_the_pattern),
        cmocka_unit_test(tangents_have_the_pattern_of_their_factor),
        cmocka_unit_test(flat_factors_are_vector_spaces),
        cmocka_unit_test(planar_rigid_motion_counts_its_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
