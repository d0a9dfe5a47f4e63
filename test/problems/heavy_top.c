#include <string.h>

#include "problems/heavy_top_impl.h"
#include "problems/vec3.h"

/* The Lie group charts. user[0] = 1 in SE(3), where all velocities are in body axes; X = e2 is the centre of mass seen
 * from the fixed point. */

static const double J[3] = {HEAVY_TOP_J1, HEAVY_TOP_J2, HEAVY_TOP_J1}, X[3] = {0.0, 1.0, 0.0};

static int is_se3(const double *par)
{
    return par[0] != 0.0;
}

/* R(p); with user[1] = 1 that of textbooks, which is another one for |p| != 1. */
static void rotation(double R[9], const double *q, const double *par)
{
    if (par[1] != 0.0) {
        qmatrix(R, q + 3);
    } else {
        qmatrix_even(R, q + 3);
    }
}

static dal_status top_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 36);
    mput_unit(M, 6, 0, 0, HEAVY_TOP_MASS);
    for (int i = 0; i < 3; ++i) {
        M[7 * (3 + i)] = J[i];
    }
    return DAL_OK;
}

static dal_status top_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la;
    const double up[3] = {0.0, 0.0, 1.0}, L[3] = {J[0] * v[3], J[1] * v[4], J[2] * v[5]};
    double R[9], w[3], k[3] = {0.0, 0.0, 1.0};
    vzero(w, 3);
    if (is_se3(user)) {
        // m Omega x U + m G R^T e3
        rotation(R, q, user);
        mtvec(k, R, up);
        vcross(w, v + 3, v);
    }
    for (int i = 0; i < 3; ++i) {
        g[i] = HEAVY_TOP_MASS * (w[i] + HEAVY_TOP_G * k[i]);
    }
    vcross(g + 3, v + 3, L);
    return DAL_OK;
}

static dal_status top_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t;
    double R[9];
    rotation(R, q, user);
    mvec(Phi, R, X);
    for (int i = 0; i < 3; ++i) {
        Phi[i] -= q[i];
    }
    return DAL_OK;
}

static dal_status top_B(double *B, double t, const double *q, void *user)
{
    (void)t;
    double R[9], H[9];
    rotation(R, q, user);
    vhat(H, X);
    mmul(H, R, H);
    vzero(B, 18);
    if (is_se3(user)) {
        mput(B, 3, 0, 0, -1.0, R);
    } else {
        mput_unit(B, 3, 0, 0, -1.0);
    }
    mput(B, 3, 0, 3, -1.0, H);
    return DAL_OK;
}

/* The turning part of B v is -R w with w = X x Omega in R^3 x SO(3), w = U + X x Omega in SE(3): Z = (0, R hat(w)). */
static void top_arm(double w[3], const double *v, const double *par)
{
    vcross(w, X, v + 3);
    for (int i = 0; i < 3 && is_se3(par); ++i) {
        w[i] += v[i];
    }
}

static dal_status top_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t;
    double R[9], H[9], w[3];
    rotation(R, q, user);
    top_arm(w, v, user);
    vhat(H, w);
    mmul(H, R, H);
    vzero(Z, 18);
    mput(Z, 3, 0, 3, 1.0, H);
    return DAL_OK;
}

static dal_status top_acc(double *a, double t, const double *q, const double *v, void *user)
{
    (void)t;
    double R[9], w[3];
    rotation(R, q, user);
    top_arm(w, v, user);
    vcross(w, w, v + 3);
    mvec(a, R, w);
    return DAL_OK;
}

static dal_status top_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la;
    const double L[3] = {J[0] * v[3], J[1] * v[4], J[2] * v[5]};
    double H[9];
    vzero(C, 36);
    if (is_se3(user)) {
        mput_hat(C, 6, 0, 0, HEAVY_TOP_MASS, v + 3);
        mput_hat(C, 6, 0, 3, -HEAVY_TOP_MASS, v);
    }
    // d(Omega x J Omega) = hat(Omega) J - hat(J Omega)
    vhat(H, v + 3);
    for (int i = 0; i < 9; ++i) {
        H[i] *= J[i / 3];
    }
    mput(C, 6, 3, 3, 1.0, H);
    mput_hat(C, 6, 3, 3, -1.0, L);
    return DAL_OK;
}

static dal_status top_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                        void *user)
{
    (void)t, (void)v, (void)vd;
    const double up[3] = {0.0, 0.0, 1.0};
    double R[9], H[9], F[9], f[3], k[3];
    rotation(R, q, user);
    mtvec(f, R, la);
    mtvec(k, R, up);
    vzero(K, 36);
    if (is_se3(user)) {
        // d(m G R^T e3 - R^T lambda)
        mput_hat(K, 6, 0, 3, HEAVY_TOP_MASS * HEAVY_TOP_G, k);
        mput_hat(K, 6, 0, 3, -1.0, f);
    }
    // d(X x R^T lambda) = hat(X) hat(R^T lambda)
    vhat(H, X);
    vhat(F, f);
    mmul(H, H, F);
    mput(K, 6, 3, 3, 1.0, H);
    return DAL_OK;
}

static double top_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    double T = HEAVY_TOP_MASS * vdot(v, v);
    for (int i = 0; i < 3; ++i) {
        T += J[i] * v[3 + i] * v[3 + i];
    }
    return 0.5 * T + HEAVY_TOP_MASS * HEAVY_TOP_G * q[2];
}

static void top_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                      const problem *p)
{
    (void)t;
    const heavy_top_state s = heavy_top_at(y);
    double R[9], c[3];
    memcpy(q, s.x, sizeof s.x);
    memcpy(q + 3, s.p, sizeof s.p);
    memcpy(v, s.u, sizeof s.u);
    memcpy(v + 3, s.Om, sizeof s.Om);
    memcpy(vd, s.xdd, sizeof s.xdd);
    memcpy(vd + 3, s.Omd, sizeof s.Omd);
    memcpy(la, s.la, sizeof s.la);
    if (is_se3(p->par)) {
        // U = R^T x', U' = R^T x'' - Omega x U
        qmatrix_even(R, s.p);
        mtvec(v, R, s.u);
        mtvec(vd, R, s.xdd);
        vcross(c, s.Om, v);
        for (int i = 0; i < 3; ++i) {
            vd[i] -= c[i];
        }
    }
}

static void heavy_top_group(problem *p, int se3)
{
    p->par[0] = se3 ? 1.0 : 0.0;
    p->dense = (dal_dense){.group = p->group,
                           .nc = 3,
                           .user = p->par,
                           .M = top_M,
                           .g = top_g,
                           .Phi = top_Phi,
                           .B = top_B,
                           .Z = top_Z,
                           .acc = top_acc,
                           .C = top_C,
                           .K = top_K,
                           .energy = top_energy};
    heavy_top_set_motion(p, top_state);
    p->table.map = se3 ? "q0=x1 q1=x2 q2=x3 q3=q0 q4=q1 q5=q2 q6=q3 v3=Om1 v4=Om2 v5=Om3 a3=Omd1 a4=Omd2 a5=Omd3 "
                         "l0=lam1 l1=lam2 l2=lam3"
                       : "q0=x1 q1=x2 q2=x3 q3=q0 q4=q1 q5=q2 q6=q3 v0=u1 v1=u2 v2=u3 v3=Om1 v4=Om2 v5=Om3 "
                         "a0=xdd1 a1=xdd2 a2=xdd3 a3=Omd1 a4=Omd2 a5=Omd3 l0=lam1 l1=lam2 l2=lam3";
}

dal_status problem_heavy_top(problem *p, dal_ctx *ctx, heavy_top_chart chart)
{
    static const struct {
        const char *name;
        dal_factor_spec spec;
    } type[] = {{"heavy_top_r3so3", {DAL_FACTOR_R3SO3, 0}},
                {"heavy_top_se3", {DAL_FACTOR_SE3, 0}},
                {"heavy_top_euler", {DAL_FACTOR_RN, 7}},
                {"heavy_top_cardan", {DAL_FACTOR_RN, 6}}};
    DAL_TRY(problem_start(p, ctx, type[chart].name, &type[chart].spec, 1));
    p->t_end = 1.0;
    p->table = (problem_table){.file = "heavy_top", .columns = "reference/columns", .rows = "reference/rows"};
    switch (chart) {
    case HEAVY_TOP_EULER:
        heavy_top_euler(p);
        break;
    case HEAVY_TOP_CARDAN:
        heavy_top_cardan(p);
        break;
    default:
        heavy_top_group(p, chart == HEAVY_TOP_SE3);
    }
    return problem_finish(p);
}
