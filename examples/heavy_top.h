/* The heavy top: a body that spins about a fixed point, the origin. SI units.
 *
 *     q = (x, p)        centre of mass in world axes, attitude as a unit quaternion (R turns body into world axes)
 *     v = (x', Omega)   velocity in world axes, angular velocity in body axes
 *
 *     M v' + g + B^T lambda = 0,   Phi = R arm - x = 0
 *
 * Four callbacks are all a system needs; every other derivative is taken by differences. Matrices are stored by
 * columns. lambda is the force of the ground on the top. */
#ifndef HEAVY_TOP_H
#define HEAVY_TOP_H

#include <dalembert/dalembert.h>
#include <string.h>

static const double m = 15.0, J[3] = {0.234375, 0.46875, 0.234375};    // kg, kg m^2 about the centre of mass
static const double gravity = 9.81, arm[3] = {0.0, 1.0, 0.0};          // m/s^2, m: centre of mass in body axes
static const double q0[7] = {0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0};       // horizontal
static const double v0[6] = {4.61538, 0.0, 0.0, 0.0, 150.0, -4.61538}; // m/s, rad/s: fast spin about the arm

static dal_status top_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    const double value[36] = {[0] = m, [7] = m, [14] = m, [21] = J[0], [28] = J[1], [35] = J[2]};
    memcpy(M, value, sizeof value);
    return DAL_OK;
}

static dal_status top_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la, (void)user;
    // weight; Omega x J Omega with Omega = v[3..5] and J[0] = J[2]
    const double value[6] = {[2] = m * gravity, [3] = (J[2] - J[1]) * v[4] * v[5], [5] = (J[1] - J[0]) * v[3] * v[4]};
    memcpy(g, value, sizeof value);
    return DAL_OK;
}

static dal_status top_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    dal_quat_rotate(Phi, q + 3, arm);
    for (int i = 0; i < 3; ++i) {
        Phi[i] -= q[i];
    }
    return DAL_OK;
}

/* Phi' = B v with B = (-I, -R hat(arm)) = (-I, R e3, 0, -R e1). */
static dal_status top_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    double R[9];
    dal_quat_to_matrix(R, q + 3);
    const double value[18] = {-1, 0, 0, 0, -1, 0, 0, 0, -1, R[6], R[7], R[8], 0, 0, 0, -R[0], -R[1], -R[2]};
    memcpy(B, value, sizeof value);
    return DAL_OK;
}

/* The caller destroys the system first, then the group. */
static dal_status heavy_top_create(dal_system **top, dal_group **group, dal_ctx *ctx)
{
    const dal_factor_spec body = {DAL_FACTOR_R3SO3, 0};
    DAL_TRY(dal_group_create(group, ctx, &body, 1));
    const dal_dense dense = {.group = *group, .nc = 3, .M = top_M, .g = top_g, .Phi = top_Phi, .B = top_B};
    return dal_dense_create(top, ctx, &dense);
}

#endif
