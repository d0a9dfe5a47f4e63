/* The kernels by which generated programs find the numbers of elements, each in all its branches, against formulas that are
 * written down here. */
#include <math.h>
#include <string.h>

#include "mbs/number_kernel.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* R of a rotation by `angle` about the unit axis e, column-major: Rodrigues. */
static void rodrigues(double R[9], const double e[3], double angle)
{
    const double c = cos(angle), s = sin(angle);
    const double E[9] = {0.0, e[2], -e[1], -e[2], 0.0, e[0], e[1], -e[0], 0.0};
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            R[i + 3 * j] = (i == j ? c : 0.0) + (1.0 - c) * e[i] * e[j] + s * E[i + 3 * j];
        }
    }
}

static void times(double y[3], const double R[9], const double x[3], int transposed)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < 3; ++j) {
            y[i] += (transposed ? R[j + 3 * i] : R[i + 3 * j]) * x[j];
        }
    }
}

static void assert_same(const double *a, const double *b, int n, double tol)
{
    for (int i = 0; i < n; ++i) {
        assert_near(a[i], b[i], tol);
    }
}

/* Axes near each of the directions, turned by little, by half a turn and by nearly a whole one: each component of the quaternion
 * is the largest in some of them, and its scalar part has both signs. */
static void quaternions_of_matrices_are_right_in_every_branch(void **state)
{
    static const double axis[][3] = {
        {0.8, 0.48, 0.36}, {0.48, 0.8, -0.36}, {0.36, 0.48, 0.8}, {-0.8, -0.48, 0.36}, {0, 1, 0}};
    static const double angle[] = {0.0, 1e-9, 0.3, 2.0, 3.1, 3.14159265358979, 3.3, 5.0, 6.2};
    int largest[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < LEN(axis); ++k) {
        for (size_t i = 0; i < LEN(angle); ++i) {
            const double h = 0.5 * angle[i], sign = cos(h) < 0.0 ? -1.0 : 1.0, *e = axis[k];
            const double want[4] = {sign * cos(h), sign * sin(h) * e[0], sign * sin(h) * e[1], sign * sin(h) * e[2]};
            const double w[3] = {angle[i] * e[0], angle[i] * e[1], angle[i] * e[2]},
                         four[4] = {e[0], e[1], e[2], angle[i]};
            double R[9], p[4], Q[9], vector[3], turned[4];
            int most = 0;
            for (int c = 1; c < 4; ++c) {
                most = fabs(want[c]) > fabs(want[most]) ? c : most;
            }
            ++largest[most];
            rodrigues(R, e, angle[i]);
            number_quaternion(p, R);
            const double close = fabs(cos(h)) < 1e-12 ? p[most] / want[most] : 1.0; // half a turn: either sign
            for (int c = 0; c < 4; ++c) {
                assert_near(p[c] * (close < 0.0 ? -1.0 : 1.0), want[c], 3e-15);
            }
            number_matrix(Q, p);
            assert_same(Q, R, 9, 3e-15);
            number_turned(vector, four);
            assert_same(vector, w, 3, 0.0);
            number_turn(turned, vector);
            const double whole[4] = {cos(h), sin(h) * e[0], sin(h) * e[1], sin(h) * e[2]};
            assert_same(turned, whole, 4, 3e-15);
        }
    }
    for (int c = 0; c < 4; ++c) {
        assert_true(largest[c] > 0);
    }
}

static void frames_from_axes_are_right_in_every_branch(void **state)
{
    // the smallest component is the first, second, third; alike ones
    static const double axis[][3] = {{0.1, 2.0, -3.0}, {2.0, -0.1, 3.0}, {-2.0, 3.0, 0.1}, {0, 0, 5},
                                     {0, -2, 0},       {3, 0, 0},        {1, 1, 1},        {1, 1, -2}};
    for (size_t k = 0; k < LEN(axis); ++k) {
        const double *x = axis[k], size = sqrt(dot3(x, x));
        int least = 0;
        for (int i = 1; i < 3; ++i) {
            least = fabs(x[i]) < fabs(x[least]) ? i : least;
        }
        const double e[3] = {least == 0, least == 1, least == 2};
        double n[3], want[3], p[4], R[9], given[6], q[4];
        number_normal(n, x);
        cross3(want, x, e);
        assert_same(n, want, 3, 0.0);
        number_axis(p, x);
        quat_matrix(R, p);
        for (int i = 0; i < 3; ++i) {
            assert_near(R[6 + i], x[i] / size, 2e-15); // z along the axis
        }
        // x is e without its part along z, y follows
        const double part = x[least] / (size * size), length = sqrt(1.0 - part * x[least]);
        for (int i = 0; i < 3; ++i) {
            assert_near(R[i], (e[i] - part * x[i]) / length, 2e-15);
        }
        cross3(want, R + 6, R);
        assert_same(R + 3, want, 3, 2e-15);
        copy3(given, x);
        given[3] = 0.7;
        given[4] = -0.2;
        given[5] = 0.4;
        number_axes(q, given);
        quat_matrix(R, q);
        assert_near(dot3(R + 3, given + 3), 0.0, 2e-15); // the second vector lies in the x-z plane, on the side of x
        assert_true(dot3(R, given + 3) > 0.0);
        assert_near(dot3(R + 6, x), size, 1e-14);
    }
}

static void places_and_distances_are_closed_forms(void **state)
{
    const double e1[3] = {0.6, 0.0, 0.8}, e2[3] = {0.0, 0.6, -0.8}, a1 = 0.7, a2 = 4.4;
    const double x1[3] = {1.0, 2.0, -0.5}, x2[3] = {-0.3, 0.4, 0.9}, s1[3] = {0.1, 0.2, 0.3}, s2[3] = {-0.4, 0.5, 0.6};
    double R1[9], R2[9], in[20], y[12], want[9], d[3], u[3], Q[9];
    const double p1[4] = {cos(0.5 * a1), 0.6 * sin(0.5 * a1), 0.0, 0.8 * sin(0.5 * a1)};
    const double p2[4] = {cos(0.5 * a2), 0.0, 0.6 * sin(0.5 * a2), -0.8 * sin(0.5 * a2)};
    rodrigues(R1, e1, a1);
    rodrigues(R2, e2, a2);
    // R1^T (x2 - x1), R1^T R2
    memcpy(in, x1, sizeof x1), memcpy(in + 3, p1, sizeof p1), memcpy(in + 7, x2, sizeof x2),
        memcpy(in + 10, p2, sizeof p2);
    number_frame(y, in);
    sub3(d, x2, x1);
    times(u, R1, d, 1);
    assert_same(y, u, 3, 1e-15);
    quat_matrix(Q, y + 3);
    for (int j = 0; j < 3; ++j) {
        times(want + 3 * j, R1, R2 + 3 * j, 1);
    }
    assert_same(Q, want, 9, 2e-15);
    memcpy(in + 7, s1, sizeof s1), memcpy(in + 10, x2, sizeof x2), memcpy(in + 13, p2, sizeof p2),
        memcpy(in + 17, s2, sizeof s2);
    number_distance(y, in);
    times(u, R2, s2, 0);
    add3(d, d, u);
    times(u, R1, s1, 0);
    sub3(d, d, u);
    assert_near(y[0], sqrt(dot3(d, d)), 1e-15);
    const double seven[7] = {p1[0], p1[1], p1[2], p1[3], s2[0], s2[1], s2[2]};
    number_back(y, seven);
    times(u, R1, s2, 1);
    assert_same(y, u, 3, 1e-15);
    number_rates(y, seven); // p' with 2 p^-1 p' = (0, Omega)
    const double inverse[4] = {p1[0], -p1[1], -p1[2], -p1[3]};
    quat_mul(want, inverse, y);
    assert_near(want[0], 0.0, 1e-15);
    for (int i = 0; i < 3; ++i) {
        assert_near(2.0 * want[1 + i], s2[i], 1e-15);
    }
}

static void inertias_and_lengths_are_closed_forms(void **state)
{
    double y[12];
    number_box(y, (double[]){12.0, 1.0, 2.0, 3.0});
    assert_same(y, (double[]){13.0, 10.0, 5.0}, 3, 1e-14);
    number_rod(y, (double[]){12.0, 3.0});
    assert_near(y[0], 9.0, 1e-15);
    number_cylinder(y, (double[]){12.0, 2.0, 3.0});
    assert_same(y, (double[]){24.0, 21.0}, 2, 1e-14);
    number_disk(y, (double[]){12.0, 2.0});
    assert_same(y, (double[]){24.0, 12.0}, 2, 1e-14);
    number_sphere(y, (double[]){5.0, 3.0});
    assert_near(y[0], 18.0, 1e-14);
    // Steiner: J + m (c.c I - c c^T)
    number_moment(y, (double[]){2.0, 1.0, -2.0, 3.0});
    assert_near(y[0], 27.0, 1e-14);
    number_deviation(y, (double[]){2.0, 0.1, 1.0, -2.0});
    assert_near(y[0], 4.1, 1e-15);
    number_times(y, (double[]){2.0, -2.0});
    assert_near(y[0], -4.0, 0.0);
    number_pitch(y, (double[]){pi});
    assert_near(y[0], 0.5, 1e-15);
    number_period(y, (double[]){-0.3});
    assert_near(y[0], 0.3, 0.0);
    number_unit3(y, (double[]){3.0, 0.0, -4.0});
    assert_same(y, (double[]){0.6, 0.0, -0.8}, 3, 1e-16);
    number_unit4(y, (double[]){2.0, -4.0, 5.0, 6.0});
    assert_same(y, (double[]){2.0 / 9.0, -4.0 / 9.0, 5.0 / 9.0, 6.0 / 9.0}, 4, 1e-15);
}

/* Angles in the plane over two turns, and all sequences of three axes. */
static void initial_values_of_angles_are_right_for_every_sequence(void **state)
{
    for (double a = -6.0; a < 6.2; a += 0.5) {
        double y[2];
        number_angle(y, (double[]){cos(0.5 * a), 0.0, 0.0, sin(0.5 * a)});
        assert_near(y[0], a, 2e-15);
        number_se2(y, (double[]){a, 1.5, -0.7});
        assert_near(y[0], 1.5 * cos(a) - 0.7 * sin(a), 1e-15);
        assert_near(y[1], -0.7 * cos(a) - 1.5 * sin(a), 1e-15);
    }
    for (int n = 0; n < 27; ++n) {
        const int i = n / 9, j = n / 3 % 3, k = n % 3;
        if (i == j || j == k) {
            continue;
        }
        const double a[3] = {0.4, k == i ? 1.1 : -0.9, 2.7}, rate[3] = {0.3, -0.5, 0.8}, h = 1e-6;
        double p[3][4], y[6], x[7];
        for (int m = 0; m < 3; ++m) { // before, now, afterwards
            double q[3][4], two[4];
            const int axis[3] = {i, j, k};
            for (int l = 0; l < 3; ++l) {
                const double half = 0.5 * (a[l] + (m - 1) * h * rate[l]);
                memset(q[l], 0, sizeof q[l]);
                q[l][0] = cos(half);
                q[l][1 + axis[l]] = sin(half);
            }
            quat_mul(two, q[0], q[1]);
            quat_mul(p[m], two, q[2]);
        }
        // (0, Omega) = 2 p^-1 p'
        double dp[4], w[4];
        const double inverse[4] = {p[1][0], -p[1][1], -p[1][2], -p[1][3]};
        for (int c = 0; c < 4; ++c) {
            dp[c] = (p[2][c] - p[0][c]) / h; // twice the rate
        }
        quat_mul(w, inverse, dp);
        memcpy(x, p[1], sizeof p[1]);
        memcpy(x + 4, w + 1, 3 * sizeof *w);
        number_cardan(y, x, i, j, k);
        assert_same(y, a, 3, 1e-14);
        assert_same(y + 3, rate, 3, 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternions_of_matrices_are_right_in_every_branch),
        cmocka_unit_test(frames_from_axes_are_right_in_every_branch),
        cmocka_unit_test(places_and_distances_are_closed_forms),
        cmocka_unit_test(inertias_and_lengths_are_closed_forms),
        cmocka_unit_test(initial_values_of_angles_are_right_for_every_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
