/* From what a description says to the numbers of elements: y follows from x. Generated programs start members with it, see
 * src/generate/nodes.c; the library has the same operations where it reads descriptions. */
#ifndef DAL_MBS_NUMBER_KERNEL_H
#define DAL_MBS_NUMBER_KERNEL_H

#include "lie/so3_kernel.h"
#include "mbs/body_kernel.h"
#include "mbs/vector_kernel.h"

/* ---- inertia of homogeneous bodies about their centres: x begins with the mass ---------------- */

/* edges */
static inline void number_box(real y[3], const real x[4])
{
    for (int k = 0; k < 3; ++k) {
        const real b = x[1 + (k + 1) % 3], c = x[1 + (k + 2) % 3];
        y[k] = x[0] * (b * b + c * c) / 12.0;
    }
}

/* length; across */
static inline void number_rod(real y[1], const real x[2])
{
    y[0] = x[0] * (x[1] * x[1]) / 12.0;
}

/* radius, length; along the axis, across */
static inline void number_cylinder(real y[2], const real x[3])
{
    y[0] = x[0] * (x[1] * x[1]) / 2.0;
    y[1] = x[0] * (3.0 * (x[1] * x[1]) + x[2] * x[2]) / 12.0;
}

/* radius; along the axis, across */
static inline void number_disk(real y[2], const real x[2])
{
    y[0] = x[0] * (x[1] * x[1]) / 2.0;
    y[1] = x[0] * (x[1] * x[1]) / 4.0;
}

static inline void number_sphere(real y[1], const real x[2])
{
    y[0] = 0.4 * x[0] * (x[1] * x[1]);
}

static inline void number_times(real y[1], const real x[2])
{
    y[0] = x[0] * x[1];
}

/* J + m (a^2 + b^2) and J - m a b, from m, J, a, b: inertia about another point */
static inline void number_moment(real y[1], const real x[4])
{
    y[0] = x[1] + x[0] * (x[2] * x[2] + x[3] * x[3]);
}

static inline void number_deviation(real y[1], const real x[4])
{
    y[0] = x[1] - x[0] * x[2] * x[3];
}

/* ---- rotations -------------------------------------------------------------------------------- */

static inline void number_unit3(real y[3], const real x[3])
{
    const real n = real_sqrt(dot3(x, x));
    for (int k = 0; k < 3; ++k) {
        y[k] = x[k] / n;
    }
}

/* A quaternion of length one. */
static inline void number_unit4(real y[4], const real x[4])
{
    const real n = real_sqrt(x[0] * x[0] + dot3(x + 1, x + 1));
    for (int k = 0; k < 4; ++k) {
        y[k] = x[k] / n;
    }
}

/* An axis and an angle as a vector. */
static inline void number_turned(real y[3], const real x[4])
{
    scale3(y, x[3], x);
}

/* The quaternion of a rotation vector. */
static inline void number_turn(real y[4], const real x[3])
{
    const real n = real_sqrt(dot3(x, x)), tiny = REAL(1e-150);
    const real s = real_select(real_less(tiny, n), real_sin(0.5 * n) / real_max(n, tiny), REAL(0.5));
    y[0] = real_cos(0.5 * n);
    scale3(y + 1, s, x);
}

static inline void number_product(real y[4], const real x[8])
{
    quat_mul(y, x, x + 4);
}

/* Of a matrix, column-major: 4 p p^T has the largest diagonal entry where p has its largest component. */
static inline void number_quaternion(real y[4], const real R[9])
{
    const real n01 = R[5] - R[7], n02 = R[6] - R[2], n03 = R[1] - R[3];
    const real n12 = R[3] + R[1], n13 = R[6] + R[2], n23 = R[7] + R[5];
    const real N[16] = {1.0 + R[0] + R[4] + R[8], n01, n02, n03, n01, 1.0 + R[0] - R[4] - R[8], n12, n13, n02, n12,
                        1.0 - R[0] + R[4] - R[8], n23, n03, n13, n23, 1.0 - R[0] - R[4] + R[8]};
    real p[4] = {N[0], N[1], N[2], N[3]}, most = N[0];
    for (int k = 1; k < 4; ++k) {
        const real_mask larger = real_less(most, N[5 * k]);
        most = real_select(larger, N[5 * k], most);
        for (int i = 0; i < 4; ++i) {
            p[i] = real_select(larger, N[4 * k + i], p[i]);
        }
    }
    const real_mask negative = real_less(p[0], REAL(0.0));
    for (int i = 0; i < 4; ++i) {
        p[i] = real_select(negative, -p[i], p[i]);
    }
    number_unit4(y, p);
}

static inline void number_matrix(real y[9], const real x[4])
{
    quat_matrix(y, x);
}

/* R(p)^T w */
static inline void number_back(real y[3], const real x[7])
{
    const real back[4] = {x[0], -x[1], -x[2], -x[3]};
    quat_rotate(y, back, x + 4);
}

/* R(p) w */
static inline void number_ahead(real y[3], const real x[7])
{
    const real w[3] = {x[4], x[5], x[6]};
    quat_rotate(y, x, w);
}

/* From the first point to the second. */
static inline void number_minus(real y[3], const real x[6])
{
    sub3(y, x + 3, x);
}

/* ---- axes ------------------------------------------------------------------------------------- */

static inline void number_cross(real y[3], const real x[6])
{
    cross3(y, x, x + 3);
}

/* Some direction normal to x: the unit vector of its smallest component, of several the first, and x make it. */
static inline void number_normal(real y[3], const real x[3])
{
    const real a[3] = {real_max(x[0], -x[0]), real_max(x[1], -x[1]), real_max(x[2], -x[2])};
    const real o = REAL(0.0), one = REAL(1.0);
    const real_mask second = real_less(a[1], a[0]);
    const real least = real_select(second, a[1], a[0]);
    const real_mask third = real_less(a[2], least);
    const real e[3] = {real_select(third, o, real_select(second, o, one)),
                       real_select(third, o, real_select(second, one, o)), real_select(third, one, o)};
    cross3(y, x, e);
}

/* The rotation of a frame whose z axis is the first vector, x as near as can be to the second. */
static inline void number_axes(real y[4], const real x[6])
{
    real R[9], z[3];
    number_unit3(R + 6, x);
    copy3(z, x + 3);
    axpy3(z, -dot3(z, R + 6), R + 6);
    number_unit3(R, z);
    cross3(R + 3, R + 6, R);
    number_quaternion(y, R);
}

/* The same without a second vector: the unit vector that is farthest from the axis; of two alike the first. */
static inline void number_axis(real y[4], const real x[3])
{
    real both[6], n[3];
    const real o = REAL(0.0), one = REAL(1.0);
    number_unit3(n, x);
    const real a[3] = {real_max(n[0], -n[0]), real_max(n[1], -n[1]), real_max(n[2], -n[2])};
    const real_mask second = real_less(a[1], a[0]), third = real_less(a[2], real_select(second, a[1], a[0]));
    copy3(both, n);
    both[3] = real_select(third, o, real_select(second, o, one));
    both[4] = real_select(third, o, real_select(second, one, o));
    both[5] = real_select(third, one, o);
    number_axes(y, both);
}

/* Where it was, but for rounding. */
static inline void number_same(real y[3], const real x[3])
{
    copy3(y, x);
}

/* ---- places ----------------------------------------------------------------------------------- */

/* A frame in the world as one of a body: both are position and quaternion; the body comes first, its quaternion of length one. */
static inline void number_frame(real y[7], const real x[14])
{
    real R[9], d[3], p[4];
    quat_matrix(R, x + 3);
    sub3(d, x + 7, x);
    tmul3(y, R, d);
    number_unit4(p, x + 10);
    quat_between(y + 3, x + 3, p);
}

/* A frame in another one, which comes first, as one in the world. */
static inline void number_placed(real y[7], const real x[14])
{
    quat_rotate(y, x + 3, x + 7);
    for (int k = 0; k < 3; ++k) {
        y[k] = x[k] + y[k];
    }
    quat_mul(y + 3, x + 3, x + 10);
}

/* Distance between a point of a body and one of another: position, quaternion, point of each. */
static inline void number_distance(real y[1], const real x[20])
{
    real a[3], b[3];
    quat_rotate(a, x + 3, x + 7);
    quat_rotate(b, x + 13, x + 17);
    for (int k = 0; k < 3; ++k) {
        b[k] += x[10 + k] - x[k] - a[k];
    }
    y[0] = real_sqrt(dot3(b, b));
}

/* Way per radian from the pitch. */
static inline void number_pitch(real y[1], const real x[1])
{
    y[0] = x[0] / 6.28318530717958647692;
}

/* Period of a screw from the pitch. */
static inline void number_period(real y[1], const real x[1])
{
    y[0] = real_abs(x[0]);
}

/* ---- initial values --------------------------------------------------------------------------- */

/* Angle of a quaternion about z. */
static inline void number_angle(real y[1], const real x[4])
{
    y[0] = 2.0 * real_atan2(x[3], x[0]);
}

/* R(phi)^T v in the plane */
static inline void number_se2(real y[2], const real x[3])
{
    const real c = real_cos(x[0]), s = real_sin(x[0]);
    y[0] = c * x[1] + s * x[2];
    y[1] = c * x[2] - s * x[1];
}

/* Rates of Euler parameters. */
static inline void number_rates(real y[4], const real x[7])
{
    const real rate[4] = {REAL(0.0), 0.5 * x[4], 0.5 * x[5], 0.5 * x[6]};
    quat_mul(y, x, rate);
}

/* Three angles about the axes i, j, k and their rates, from a quaternion and an angular velocity. */
static inline void number_cardan(real y[6], const real x[7], int i, int j, int k)
{
    const int axis[3] = {i, j, k}, third = 3 - i - j;
    const double e = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
    real R[9], s[9], Si[9];
    quat_matrix(R, x);
    const real c = k != i ? e * R[i + 3 * third] : R[i + 3 * i];
    const real rest = real_sqrt(real_max(1.0 - c * c, REAL(0.0)));
    if (k != i) {
        y[0] = real_atan2(-e * R[j + 3 * third], R[third + 3 * third]);
        y[1] = real_atan2(c, rest);
        y[2] = real_atan2(-e * R[i + 3 * j], R[i + 3 * i]);
    } else {
        y[0] = real_atan2(R[j + 3 * i], -e * R[third + 3 * i]);
        y[1] = real_atan2(rest, c);
        y[2] = real_atan2(R[i + 3 * j], e * R[i + 3 * third]);
    }
    body_angle_axes(s, axis, y);
    mat3_invert(Si, 3, s, 3);
    mat3_mul_vec(y + 3, Si, 3, x + 4);
}

/* A rotation vector and its rate, from a quaternion and an angular velocity. */
static inline void number_vector(real y[6], const real x[7])
{
    const real sine = real_sqrt(dot3(x + 1, x + 1)), cosine = real_abs(x[0]);
    const real_mask tiny = real_less(sine, REAL(1e-8));
    const real factor =
        real_select(tiny, 2.0 / cosine, 2.0 * real_atan2(sine, cosine) / real_select(tiny, REAL(1.0), sine));
    real T[9], Ti[9], d[3];
    scale3(y, real_select(real_less(x[0], REAL(0.0)), -factor, factor), x + 1);
    const vector_series t = vector_series_of(dot3(y, y));
    for (int k = 0; k < 3; ++k) {
        vector_unit(d, k);
        vector_T(T + 3 * k, &t, y, d, 1.0);
    }
    mat3_invert(Ti, 3, T, 3);
    mat3_mul_vec(y + 3, Ti, 3, x + 4);
}

/* ---- gears ------------------------------------------------------------------------------------ */

/* Tooth forces of wheels with the parallel axes a through x[0..2] and x[3..5]: factors of the displacements of both wheels at the
 * pitch point, and axes n = a x u, a x n, a of the carrier there, u from axis to axis. a: x[6..8]; ratios, signs as seen from the carrier. */
static inline void number_teeth(real y[11], const real x[11], int sign_1, int sign_2)
{
    const real *a = x + 6;
    real u[3];
    sub3(u, x + 3, x);
    axpy3(u, -dot3(u, a), a);
    const real distance = real_sqrt(dot3(u, u));
    y[0] = (sign_1 * x[9] + sign_2 * x[10]) / distance;
    y[1] = -y[0];
    scale3(u, 1.0 / distance, u);
    cross3(y + 2, a, u);
    cross3(y + 5, a, y + 2);
    copy3(y + 8, a);
}

#endif
