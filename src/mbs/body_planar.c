/* Points, and bodies in the x-y plane. */
#include <math.h>

#include "mbs/body_kernel.h"
#include "mbs/mbs_impl.h"

/* ---- point ------------------------------------------------------------------------------------ */

static void point_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    (void)b;
    copy3(q, d->position);
    copy3(v, d->velocity);
}

MB_STATE_OF(body_point)

static void point_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    (void)b, (void)q, (void)v, (void)vd, (void)all;
    L->S[0] = L->S[7] = L->S[14] = 1.0;
}

const mb_body_type mb_body_point = {.name = "point",
                                    .chart = MB_CHART_POINT,
                                    .about = {.text = "A point mass.", .keys = mb_point_keys, .nkeys = MB_NPOINT_KEYS},
                                    .element = &mb_element_lifted,
                                    .kind = DAL_FACTOR_RN,
                                    .n = 3,
                                    .nq = 3,
                                    .nv = 3,
                                    .constant = 1,
                                    .velocity = {"x", "y", "z"},
                                    .initial = point_initial,
                                    .state = body_point_of,
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

MB_STATE_OF(body_planar)

static void planar_quaternion(double p[4], const mb_body *b, const double *q)
{
    (void)b;
    p[0] = cos(0.5 * q[2]);
    p[1] = p[2] = 0.0;
    p[3] = sin(0.5 * q[2]);
}

static void planar_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    (void)b, (void)q, (void)v, (void)vd, (void)all;
    L->S[0] = L->S[7] = L->S[17] = 1.0;
}

const mb_body_type mb_body_planar = {.name = "planar",
                                     .chart = MB_CHART_PLANAR,
                                     .about = MB_ABOUT_RIGID("Moves in the x-y plane: position and angle."),
                                     .element = &mb_element_lifted,
                                     .kind = DAL_FACTOR_R2S1,
                                     .nq = 3,
                                     .nv = 3,
                                     .constant = 1,
                                     .rotates = 1,
                                     .planar = 1,
                                     .velocity = {"x", "y", "phi"},
                                     .initial = planar_initial,
                                     .state = body_planar_of,
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

MB_STATE_OF(body_se2)

static void se2_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    const double *R = b->state->R;
    (void)q;
    lift_se2_map(L->S, R);
    if (all) {
        mb_lift_clear(L, b->nv);
        lift_se2_rates(L->V, L->Aq, L->Av, R, v, vd);
    }
}

/* d(R^T f) = -e_z x R^T f dphi */
MB_CURVATURE_OF(curvature_se2)

const mb_body_type mb_body_planar_se2 = {.name = "planar_se2",
                                         .chart = MB_CHART_PLANAR_SE2,
                                         .about = MB_ABOUT_RIGID("Moves in the x-y plane, on SE(2)."),
                                         .element = &mb_element_lifted,
                                         .kind = DAL_FACTOR_SE2,
                                         .nq = 3,
                                         .nv = 3,
                                         .rotates = 1,
                                         .planar = 1,
                                         .velocity = {"U_x", "U_y", "phi"},
                                         .initial = se2_initial,
                                         .state = body_se2_of,
                                         .lift = se2_lift,
                                         .curvature = curvature_se2_of,
                                         .quaternion = planar_quaternion};
