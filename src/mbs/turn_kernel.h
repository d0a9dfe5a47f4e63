/* Rotation vectors, angles and quaternions of a frame as outputs: of all that describe a rotation, those that continue the motion (MB.16). */
#ifndef DAL_MBS_TURN_KERNEL_H
#define DAL_MBS_TURN_KERNEL_H

#include "mbs/body_kernel.h"
#include "mbs/pairing_kernel.h"

/* Axes with a determinant below this give no rates of angles. */
#define TURN_LOCKED 1e-6
/* Rotations by less have no axis. */
#define TURN_SMALL 1e-9

/* Angles from R for a sequence of three different axes (Cardan) or with the first axis repeated (Euler). */
static inline void turn_angles(real a[3], const real R[9], const int axis[3])
{
    const int i = axis[0], j = axis[1], k = 3 - i - j;
    const double e = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
    // R[r + 3 c] is row r, column c
    if (axis[2] != i) {
        a[1] = real_asin(real_max(REAL(-1.0), real_min(REAL(1.0), e * R[i + 3 * k])));
        a[0] = real_atan2(-e * R[j + 3 * k], R[k + 3 * k]);
        a[2] = real_atan2(-e * R[i + 3 * j], R[i + 3 * i]);
    } else {
        a[1] = real_acos(real_max(REAL(-1.0), real_min(REAL(1.0), R[i + 3 * i])));
        a[0] = real_atan2(R[j + 3 * i], -e * R[k + 3 * i]);
        a[2] = real_atan2(R[i + 3 * j], e * R[i + 3 * k]);
    }
}

/* The quaternion of R with p_0 >= 0: the largest column of 4 p p^T. */
static inline void turn_quaternion(real p[4], const real R[9])
{
    const real x = R[5] - R[7], y = R[6] - R[2], z = R[1] - R[3];
    const real xy = R[3] + R[1], xz = R[6] + R[2], yz = R[7] + R[5];
    const real N[4][4] = {{1.0 + R[0] + R[4] + R[8], x, y, z},
                          {x, 1.0 + R[0] - R[4] - R[8], xy, xz},
                          {y, xy, 1.0 - R[0] + R[4] - R[8], yz},
                          {z, xz, yz, 1.0 - R[0] - R[4] + R[8]}};
    real largest = N[0][0];
    for (int i = 0; i < 4; ++i) {
        p[i] = N[0][i];
    }
    for (int k = 1; k < 4; ++k) {
        const real_mask more = real_less(largest, N[k][k]);
        largest = real_select(more, N[k][k], largest);
        for (int i = 0; i < 4; ++i) {
            p[i] = real_select(more, N[k][i], p[i]);
        }
    }
    const real n = real_sqrt(p[0] * p[0] + dot3(p + 1, p + 1));
    const real scale = real_select(real_less(p[0], REAL(0.0)), -1.0 / n, 1.0 / n);
    for (int i = 0; i < 4; ++i) {
        p[i] = scale * p[i];
    }
}

/* The rotation vector of R, up to half a turn. */
static inline void turn_vector(real y[3], const real R[9])
{
    real p[4];
    turn_quaternion(p, R);
    const real n = real_sqrt(dot3(p + 1, p + 1));
    const real_mask none = real_at_most(n, REAL(1e-150));
    scale3(y, real_select(none, 2.0 / p[0], 2.0 * real_atan2(n, p[0]) / real_select(none, REAL(1.0), n)), p + 1);
}

/* The quaternion of the rotation vector w, which goes on beyond half a turn. */
static inline void turn_of_vector(real p[4], const real w[3])
{
    const real n = real_sqrt(dot3(w, w));
    const real_mask none = real_at_most(n, REAL(1e-150));
    p[0] = real_cos(0.5 * n);
    scale3(p + 1, real_select(none, REAL(0.5), real_sin(0.5 * n) / real_select(none, REAL(1.0), n)), w);
}

/* The quaternion of R whose sign is that of p. */
static inline void turn_signed(real y[4], const real R[9], const real p[4])
{
    turn_quaternion(y, R);
    const real sign = real_select(real_less(p[0] * y[0] + dot3(p + 1, y + 1), REAL(0.0)), REAL(-1.0), REAL(1.0));
    for (int i = 0; i < 4; ++i) {
        y[i] = sign * y[i];
    }
}

/* y + 2 pi k n, n the axis of the rotation, next to `near`. */
static inline void turn_nearest_vector(real y[3], const real near[3])
{
    const real size = real_sqrt(dot3(y, y)), expected = real_sqrt(dot3(near, near));
    const real_mask turned = real_less(REAL(TURN_SMALL), size);
    const real length = real_max(real_select(turned, size, expected), REAL(TURN_SMALL));
    const real n[3] = {real_select(turned, y[0], near[0]), real_select(turned, y[1], near[1]),
                       real_select(turned, y[2], near[2])};
    const real turns = real_rint((dot3(near, n) - dot3(y, n)) / (length * MB_TURN));
    axpy3(y, turns * MB_TURN / length, n);
}

static inline real turn_distance(const real y[3], const real near[3])
{
    const real d[3] = {y[0] - near[0], y[1] - near[1], y[2] - near[2]};
    return dot3(d, d);
}

/* The two triples of angles of a rotation, each up to whole turns: the one next to `near`. */
static inline void turn_nearest_angles(real y[3], const real near[3], const int axis[3])
{
    real other[3] = {y[0] + 0.5 * MB_TURN, axis[2] != axis[0] ? 0.5 * MB_TURN - y[1] : -y[1], y[2] + 0.5 * MB_TURN};
    for (int i = 0; i < 3; ++i) {
        y[i] = mb_nearest_turn(y[i], near[i]);
        other[i] = mb_nearest_turn(other[i], near[i]);
    }
    const real_mask nearer = real_less(turn_distance(other, near), turn_distance(y, near));
    for (int i = 0; i < 3; ++i) {
        y[i] = real_select(nearer, other[i], y[i]);
    }
}

/* Rates of angles y, Om in the axes of the frame; none where the axes lie in a plane. */
static inline void turn_rates(real yd[3], const real y[3], const int axis[3], const real Om[3])
{
    real S[9], Si[9], c[3], rate[3];
    body_angle_axes(S, axis, y);
    cross3(c, S + 3, S + 6);
    const real_mask regular = real_less(REAL(TURN_LOCKED), real_abs(dot3(S, c)));
    mat3_invert(Si, 3, S, 3);
    mat3_mul_vec(rate, Si, 3, Om);
    for (int i = 0; i < 3; ++i) {
        yd[i] = real_select(regular, rate[i], REAL(0.0));
    }
}

#endif
