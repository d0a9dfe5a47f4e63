/* Rigid bodies on Lie groups: R^3 x SO(3), in which the elements are written, and SE(3). */
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

static void rotation_state(mb_state *s, const double *Om, const double *Omd)
{
    copy3(s->Om, Om);
    copy3(s->Omd, Omd);
    mat3_mul_vec(s->om, s->R, 3, Om);
    mat3_mul_vec(s->al, s->R, 3, Omd);
}

static void r3so3_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    copy3(s->x, q);
    dal_quat_to_matrix(s->R, q + 3);
    copy3(s->xd, v);
    copy3(s->xdd, vd);
    rotation_state(s, v + 3, vd + 3);
}

const mb_body_type mb_body_r3so3 = {.name = "r3so3",
                                    .kind = DAL_R3SO3,
                                    .nq = 7,
                                    .nv = 6,
                                    .identity = 1,
                                    .constant = 1,
                                    .rotates = 1,
                                    .velocity = {"x", "y", "z", "Om_x", "Om_y", "Om_z"},
                                    .initial = r3so3_initial,
                                    .state = r3so3_state,
                                    .quaternion = mb_quaternion_in_q};

/* ---- SE(3): v = (U, Omega), x' = R U, S = diag(R, I) ---------------------------------------------- */

static void se3_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    double R[9];
    r3so3_initial(q, v, b, d);
    dal_quat_to_matrix(R, d->rotation);
    tmul3(v, R, d->velocity);
}

static void se3_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    (void)b;
    double w[3];
    copy3(s->x, q);
    dal_quat_to_matrix(s->R, q + 3);
    rotation_state(s, v + 3, vd + 3);
    // x' = R U, x'' = R (U' + Omega x U)
    mat3_mul_vec(s->xd, s->R, 3, v);
    cross3(w, v + 3, v);
    add3(w, w, vd);
    mat3_mul_vec(s->xdd, s->R, 3, w);
}

static void se3_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd)
{
    double R[9], X[9], w[3], minus[3];
    dal_quat_to_matrix(R, q + 3);
    mb_lift_clear(L, b->nv);
    add_block(L->S, 6, 0, 0, R);
    L->S[21] = L->S[28] = L->S[35] = 1.0;
    // d(R U) = -R U~ dtheta
    scale3(minus, -1.0, v);
    mul_tilde(X, 3, R, minus);
    add_block(L->V, 6, 0, 3, X);
    add_block(L->Av, 6, 0, 3, X);
    // d(R (U' + Omega x U))
    mul_tilde(X, 3, R, v + 3);
    add_block(L->Av, 6, 0, 0, X);
    cross3(w, v, v + 3);
    sub3(w, w, vd);
    mul_tilde(X, 3, R, w);
    add_block(L->Aq, 6, 0, 3, X);
}

/* d(R^T f) = (R^T f)~ dtheta */
static void se3_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    (void)b;
    double R[9], fb[3], X[9] = {0.0};
    dal_quat_to_matrix(R, q + 3);
    tmul3(fb, R, f);
    add_tilde(X, 1.0, fb);
    memset(N, 0, 36 * sizeof(double));
    add_block(N, 6, 0, 3, X);
}

const mb_body_type mb_body_se3 = {.name = "se3",
                                  .kind = DAL_SE3,
                                  .nq = 7,
                                  .nv = 6,
                                  .rotates = 1,
                                  .velocity = {"U_x", "U_y", "U_z", "Om_x", "Om_y", "Om_z"},
                                  .initial = se3_initial,
                                  .state = se3_state,
                                  .lift = se3_lift,
                                  .curvature = se3_curvature,
                                  .quaternion = mb_quaternion_in_q};
