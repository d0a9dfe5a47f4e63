/* Unit quaternions: conversions, logarithm, normalisation. */
#include <math.h>
#include <string.h>

#include "dalembert/lie.h"
#include "support/check.h"

enum { TRIALS = 200 };

static double norm3(const double w[3])
{
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

/* Relative accuracy for tiny angles: the quaternion carries them in its vector part. */
static void log_inverts_exp_for_tiny_angles_and_near_pi(void **state)
{
    static const double angle[] = {1e-300, 1e-170, 1e-100,  1e-20,        1e-12,
                                   1e-8,   1e-4,   0.1,     0.5,          1.0,
                                   3.0,    3.1,    3.14159, 3.1415926535, 3.141592653589793};
    (void)state;
    check_rng rng = check_rng_seed(21);
    for (size_t k = 0; k < LEN(angle) * 20; ++k) {
        double w[3], p[4], back[3];
        const double phi = angle[k % LEN(angle)];
        check_direction(&rng, w, phi);
        dal_quat_from_vector(p, w);
        dal_quat_to_vector(back, p);
        // at pi itself the sign of p[0] may tip over in the last bit, and w with it
        const double sign = phi > 3.1415926535 && w[0] * back[0] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 3; ++i) {
            assert_near(sign * back[i], w[i], 8e-16 * phi);
        }
    }
    const double one[4] = {1.0, 0.0, 0.0, 0.0}, minus[4] = {-1.0, 0.0, 0.0, 0.0};
    double w[3];
    dal_quat_to_vector(w, one);
    assert_near(norm3(w), 0.0, 0.0);
    dal_quat_to_vector(w, minus);
    assert_near(norm3(w), 0.0, 0.0);
}

static void log_is_the_shortest_rotation_for_either_sign(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(22);
    for (int k = 0; k < TRIALS; ++k) {
        double p[4], m[4], w[3], wm[3];
        check_quaternion(&rng, p);
        for (int i = 0; i < 4; ++i) {
            m[i] = -p[i];
        }
        dal_quat_to_vector(w, p);
        dal_quat_to_vector(wm, m);
        assert_true(norm3(w) <= 3.141592653589794);
        assert_all_near(w, wm, 3, 0.0);
    }
}

static void matrix_and_quaternion_rotate_alike(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(23);
    for (int k = 0; k < TRIALS; ++k) {
        double p[4], r[4], pr[4], R[9], x[3], y[3], z[3];
        check_quaternion(&rng, p), check_quaternion(&rng, r), check_normals(&rng, x, 3);
        dal_quat_to_matrix(R, p);
        dal_quat_rotate(y, p, x);
        for (int i = 0; i < 3; ++i) {
            assert_near(y[i], R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2], 4e-15);
        }
        dal_quat_mul(pr, p, r);
        dal_quat_rotate(y, r, x), dal_quat_rotate(z, p, y), dal_quat_rotate(y, pr, x);
        assert_all_near(y, z, 3, 1e-14);
    }
}

static void rotation_about_z_turns_x_to_y(void **state)
{
    const double w[3] = {0.0, 0.0, 1.5707963267948966}, x[3] = {1.0, 0.0, 0.0}, want[3] = {0.0, 1.0, 0.0};
    double p[4], y[3];
    (void)state;
    dal_quat_from_vector(p, w);
    dal_quat_rotate(y, p, x);
    assert_all_near(y, want, 3, 4e-16);
}

static void quaternion_comes_back_from_its_matrix(void **state)
{
    static const double angle[] = {0.0, 1e-9, 0.1, 1.0, 2.0, 3.0, 3.14159, 3.141592653589793};
    (void)state;
    check_rng rng = check_rng_seed(24);
    for (size_t k = 0; k < LEN(angle) * 20; ++k) {
        double w[3], p[4], r[4], R[9];
        check_direction(&rng, w, angle[k % LEN(angle)]);
        dal_quat_from_vector(p, w);
        dal_quat_to_matrix(R, p);
        dal_quat_from_matrix(r, R);
        assert_true(r[0] >= 0.0);
        const double sign = p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 4; ++i) {
            assert_near(sign * r[i], p[i], 1e-15);
        }
    }
}

/* tr(R(p)^T A), largest for the rotation nearest to A. */
static double closeness(const double p[4], const double A[9])
{
    double R[9], sum = 0.0;
    dal_quat_to_matrix(R, p);
    for (int i = 0; i < 9; ++i) {
        sum += R[i] * A[i];
    }
    return sum;
}

static void quaternion_of_a_disturbed_matrix_is_the_nearest(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(25);
    for (int k = 0; k < TRIALS; ++k) {
        double A[9], p[4], other[4], d[3], e[4];
        check_normals(&rng, A, 9); // any matrix, improper ones too
        dal_quat_from_matrix(p, A);
        assert_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), 1.0, 4e-16);
        const double best = closeness(p, A);
        for (int i = 0; i < 10; ++i) {
            check_direction(&rng, d, i < 5 ? 1e-3 : 2.0);
            dal_quat_from_vector(e, d);
            dal_quat_mul(other, p, e);
            assert_true(closeness(other, A) <= best + 1e-12);
        }
    }
}

static void quaternion_stays_normalised_over_a_million_retractions(void **state)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    const double theta[3] = {0.011, -0.007, 0.005};
    double p[2][4] = {{1.0, 0.0, 0.0, 0.0}}, coef[DAL_NCOEF];
    (void)state;
    so3->prepare(coef, theta, 3);
    for (int k = 0; k < 1000000; ++k) {
        so3->retract(p[(k + 1) % 2], p[k % 2], theta, coef, 3);
    }
    assert_near(so3->defect(p[0], 3), 0.0, 4e-16);

    // the angle after a million steps: rounding alone
    const double phi = norm3(theta), half = fmod(0.5e6 * phi, 6.283185307179586);
    assert_near(p[0][0], cos(half), 1e-9);
    assert_near(p[0][1], sin(half) * theta[0] / phi, 1e-9);
}

static void retraction_pulls_a_disturbed_quaternion_back(void **state)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    const double theta[3] = {0.1, 0.2, 0.3}, p0[4] = {1.0 + 1e-5, 0.0, 0.0, 0.0};
    double p1[4], coef[DAL_NCOEF];
    (void)state;
    so3->prepare(coef, theta, 3);
    so3->retract(p1, p0, theta, coef, 3);
    assert_near(so3->defect(p1, 3), 1.5e-10, 1e-14); // 3 d^2/2
}

static void normalise_removes_the_defect(void **state)
{
    static const double scale[] = {1e-300, 0.5, 1.0, 1.0 + 1e-9, 7.0, 1e200};
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    (void)state;
    check_rng rng = check_rng_seed(26);
    for (size_t k = 0; k < LEN(scale); ++k) {
        double p[4], r[4];
        check_quaternion(&rng, p);
        for (int i = 0; i < 4; ++i) {
            r[i] = scale[k] * p[i];
        }
        if (scale[k] < 1e100) {
            assert_near(so3->defect(r, 3), fabs(scale[k] - 1.0), 1e-15 * fmax(1.0, scale[k]));
        }
        so3->normalise(r, 3);
        assert_all_near(r, p, 4, 4e-16);
        assert_near(so3->defect(r, 3), 0.0, 4e-16);
    }
    double zero[4] = {0.0, 0.0, 0.0, 0.0};
    so3->normalise(zero, 3);
    assert_near(zero[0], 1.0, 0.0);
    assert_near(norm3(zero + 1), 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_inverts_exp_for_tiny_angles_and_near_pi),
        cmocka_unit_test(log_is_the_shortest_rotation_for_either_sign),
        cmocka_unit_test(matrix_and_quaternion_rotate_alike),
        cmocka_unit_test(rotation_about_z_turns_x_to_y),
        cmocka_unit_test(quaternion_comes_back_from_its_matrix),
        cmocka_unit_test(quaternion_of_a_disturbed_matrix_is_the_nearest),
        cmocka_unit_test(quaternion_stays_normalised_over_a_million_retractions),
        cmocka_unit_test(retraction_pulls_a_disturbed_quaternion_back),
        cmocka_unit_test(normalise_removes_the_defect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
