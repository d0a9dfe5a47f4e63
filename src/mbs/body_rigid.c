/* Rigid bodies on Lie groups: R^3 x SO(3), in which the elements are written, and SE(3). */
#include "mbs/body_kernel.h"
#include "mbs/mbs_impl.h"

static void r3so3_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    (void)b;
    copy3(q, d->position);
    memcpy(q + 3, d->rotation, 4 * sizeof(double));
    copy3(v, d->velocity);
    copy3(v + 3, d->angular_velocity);
}

void mb_quaternion_in_q(double p[4], const mb_body *b, const double *q)
{
    (void)b;
    memcpy(p, q + 3, 4 * sizeof(double));
}

MB_STATE_OF(body_r3so3)

const mb_body_type mb_body_r3so3 = {.name = "r3so3",
                                    .chart = MB_CHART_R3SO3,
                                    .about = MB_ABOUT_RIGID("Position and rotation on R^3 x SO(3), the default."),
                                    .element = &mb_element_rigid,
                                    .kind = DAL_FACTOR_R3SO3,
                                    .nq = 7,
                                    .nv = 6,
                                    .identity = 1,
                                    .constant = 1,
                                    .rotates = 1,
                                    .velocity = {"x", "y", "z", "Om_x", "Om_y", "Om_z"},
                                    .initial = r3so3_initial,
                                    .state = body_r3so3_of,
                                    .quaternion = mb_quaternion_in_q};

/* ---- SE(3): v = (U, Omega), x' = R U, S = diag(R, I) ---------------------------------------------- */

static void se3_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    double R[9];
    r3so3_initial(q, v, b, d);
    dal_quat_to_matrix(R, d->rotation);
    tmul3(v, R, d->velocity);
}

MB_STATE_OF(body_se3)

static void se3_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    const double *R = b->state->R;
    (void)q;
    for (int j = 0; j < 3; ++j) {
        copy3(L->S + 6 * j, R + 3 * j);
    }
    L->S[21] = L->S[28] = L->S[35] = 1.0;
    if (all) {
        mb_lift_clear(L, b->nv);
        lift_se3_rates(L->V, L->Aq, L->Av, R, v, vd);
    }
}

/* d(R^T f) = (R^T f)~ dtheta */
MB_CURVATURE_OF(curvature_se3)

const mb_body_type mb_body_se3 = {.name = "se3",
                                  .chart = MB_CHART_SE3,
                                  .about = MB_ABOUT_RIGID("Position and rotation together on SE(3)."),
                                  .element = &mb_element_lifted,
                                  .kind = DAL_FACTOR_SE3,
                                  .nq = 7,
                                  .nv = 6,
                                  .rotates = 1,
                                  .velocity = {"U_x", "U_y", "U_z", "Om_x", "Om_y", "Om_z"},
                                  .initial = se3_initial,
                                  .state = body_se3_of,
                                  .lift = se3_lift,
                                  .map = MB_MAP_TRANSLATION,
                                  .body_axes = 1,
                                  .curvature = curvature_se3_of,
                                  .quaternion = mb_quaternion_in_q};
