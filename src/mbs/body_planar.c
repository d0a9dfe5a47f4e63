/* Points, and bodies in the x-y plane. */
#include <math.h>

#include "mbs/mbs_impl.h"

static const mb_state at_rest = {.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};

/* ---- point ------------------------------------------------------------------------------------ */

static void point_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    (void)b;
    copy3(q, d->position);
    copy3(v, d->velocity);
}

static void point_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    *s = at_rest;
    copy3(s->x, q);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
}

static void point_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)q, (void)v, (void)vd;
    mb_lift_clear(L, b->nv);
    L->S[0] = L->S[7] = L->S[14] = 1.0;
}

const mb_body_type mb_body_point = {.name = "point",
                                    .kind = DAL_RN,
                                    .n = 3,
                                    .nq = 3,
                                    .nv = 3,
                                    .constant = 1,
                                    .velocity = {"x", "y", "z"},
                                    .initial = point_initial,
                                    .state = point_state,
                                    .lift = point_lift};

/* ---- R^2 x S^1: v = (x', y', phi') -------------------------------------------------------------- */

static void planar_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    (void)b;
    q[0] = d->position[0];
    q[1] = d->position[1];
    q[2] = 2.0 * atan2(d->rotation[3], d->rotation[0]);
    v[0] = d->velocity[0];
    v[1] = d->velocity[1];
    v[2] = d->angular_velocity[2];
}

/* Position, rotation and angular motion, the same in both descriptions. */
static void planar_pose(mb_state *s, const double *q, double omega, double alpha)
{
    const double c = cos(q[2]), d = sin(q[2]);
    *s = at_rest;
    s->x[0] = q[0];
    s->x[1] = q[1];
    s->R[0] = s->R[4] = c;
    s->R[1] = d;
    s->R[3] = -d;
    s->Om[2] = s->om[2] = omega;
    s->Omd[2] = s->al[2] = alpha;
}

static void planar_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    planar_pose(s, q, v[2], vd[2]);
    s->xd[0] = v[0];
    s->xd[1] = v[1];
    s->xdd[0] = vd[0];
    s->xdd[1] = vd[1];
}

static void planar_quaternion(double p[4], const mb_body *b, const double *q)
{
    (void)b;
    p[0] = cos(0.5 * q[2]);
    p[1] = p[2] = 0.0;
    p[3] = sin(0.5 * q[2]);
}

static void planar_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)q, (void)v, (void)vd;
    mb_lift_clear(L, b->nv);
    L->S[0] = L->S[7] = L->S[17] = 1.0;
}

const mb_body_type mb_body_planar = {.name = "planar",
                                     .kind = DAL_R2S1,
                                     .nq = 3,
                                     .nv = 3,
                                     .constant = 1,
                                     .rotates = 1,
                                     .planar = 1,
                                     .velocity = {"x", "y", "phi"},
                                     .initial = planar_initial,
                                     .state = planar_state,
                                     .lift = planar_lift,
                                     .quaternion = planar_quaternion};

/* ---- SE(2): v = (U, phi'), x' = R U --------------------------------------------------------------- */

static void se2_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    planar_initial(q, v, b, d);
    const double c = cos(q[2]), s = sin(q[2]), x = v[0], y = v[1];
    v[0] = c * x + s * y;
    v[1] = c * y - s * x;
}

static void se2_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    planar_pose(s, q, v[2], vd[2]);
    // x'' = R (U' + phi' e_z x U)
    const double U[3] = {v[0], v[1], 0.0}, W[3] = {vd[0] - v[2] * v[1], vd[1] + v[2] * v[0], 0.0};
    mat3_mul_vec(s->xd, s->R, 3, U);
    mat3_mul_vec(s->xdd, s->R, 3, W);
}

static void se2_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd)
{
    const double c = cos(q[2]), d = sin(q[2]), ex[3] = {c, d, 0.0}, ey[3] = {-d, c, 0.0}, om = v[2];
    mb_lift_clear(L, b->nv);
    copy3(L->S, ex);
    copy3(L->S + 6, ey);
    L->S[17] = 1.0;
    // turning by dphi: R e_z x U = -U_y e_x + U_x e_y
    axpy3(L->V + 12, -v[1], ex);
    axpy3(L->V + 12, v[0], ey);
    axpy3(L->Aq + 12, -(vd[1] + om * v[0]), ex);
    axpy3(L->Aq + 12, vd[0] - om * v[1], ey);
    axpy3(L->Av, om, ey);
    axpy3(L->Av + 6, -om, ex);
    copy3(L->Av + 12, L->V + 12);
}

/* d(R^T f) = -e_z x R^T f dphi */
static void se2_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    (void)b;
    const double c = cos(q[2]), d = sin(q[2]);
    memset(N, 0, 9 * sizeof(double));
    N[6] = -d * f[0] + c * f[1];
    N[7] = -c * f[0] - d * f[1];
}

const mb_body_type mb_body_planar_se2 = {.name = "planar_se2",
                                         .kind = DAL_SE2,
                                         .nq = 3,
                                         .nv = 3,
                                         .rotates = 1,
                                         .planar = 1,
                                         .velocity = {"U_x", "U_y", "phi"},
                                         .initial = se2_initial,
                                         .state = se2_state,
                                         .lift = se2_lift,
                                         .curvature = se2_curvature,
                                         .quaternion = planar_quaternion};
