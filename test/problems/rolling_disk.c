#include <math.h>

#include "problems/problem_impl.h"
#include "problems/vec3.h"

/* Velocity of the contact point: x' + R (Omega x rho), rho in body axes. The three rows are its world components, in
 * the order z, x, y if the first is holonomic and x, y, z otherwise. user[0] = 1: holonomic. */

static const double MASS = 15.0, RADIUS = 1.0, G = 9.81, J[3] = {3.75, 3.75, 7.5};

/* World component of row i. */
static int component(int i, const double *par)
{
    return par[0] != 0.0 ? (i + 2) % 3 : i;
}

/* Attitude, k = R^T e3, rho = -r (k1, k2, 0)/s with s = |(k1, k2)|, and P = d rho/d theta = -(r/s) Q hat(k), where Q
 * projects on the tangent of the rim. */
typedef struct contact {
    double R[9], k[3], s, rho[3], P[9];
} contact;

static contact contact_at(const double *q)
{
    contact c;
    qmatrix(c.R, q + 3);
    for (int i = 0; i < 3; ++i) {
        c.k[i] = c.R[2 + 3 * i];
    }
    c.s = hypot(c.k[0], c.k[1]);
    c.rho[0] = -RADIUS * c.k[0] / c.s;
    c.rho[1] = -RADIUS * c.k[1] / c.s;
    c.rho[2] = 0.0;
    const double e[3] = {-c.k[1] / c.s, c.k[0] / c.s, 0.0};
    double H[9];
    vhat(H, c.k);
    for (int j = 0; j < 3; ++j) {
        const double eH = vdot(e, H + 3 * j);
        for (int i = 0; i < 3; ++i) {
            c.P[i + 3 * j] = -RADIUS / c.s * e[i] * eH;
        }
    }
    return c;
}

static dal_status disk_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 36);
    mput_unit(M, 6, 0, 0, MASS);
    for (int i = 0; i < 3; ++i) {
        M[7 * (3 + i)] = J[i];
    }
    return DAL_OK;
}

static dal_status disk_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la, (void)user;
    const double L[3] = {J[0] * v[3], J[1] * v[4], J[2] * v[5]};
    g[0] = g[1] = 0.0;
    g[2] = MASS * G;
    vcross(g + 3, v + 3, L);
    return DAL_OK;
}

static dal_status disk_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la, (void)user;
    const double L[3] = {J[0] * v[3], J[1] * v[4], J[2] * v[5]};
    double H[9];
    vhat(H, v + 3);
    for (int i = 0; i < 9; ++i) {
        H[i] *= J[i / 3];
    }
    vzero(C, 36);
    mput(C, 6, 3, 3, 1.0, H);
    mput_hat(C, 6, 3, 3, -1.0, L);
    return DAL_OK;
}

static dal_status disk_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    const contact c = contact_at(q);
    Phi[0] = q[2] - RADIUS * c.s;
    return DAL_OK;
}

/* Rows of W (3x6, world components in order) as rows of A, for the wanted order. */
static void disk_rows(double *A, const double *W, const double *par)
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 3; ++i) {
            A[i + 3 * j] = W[component(i, par) + 3 * j];
        }
    }
}

static dal_status disk_B(double *B, double t, const double *q, void *user)
{
    (void)t;
    const contact c = contact_at(q);
    double W[18], H[9];
    vhat(H, c.rho);
    mmul(H, c.R, H);
    vzero(W, 18);
    mput_unit(W, 3, 0, 0, 1.0);
    mput(W, 3, 0, 3, -1.0, H);
    disk_rows(B, W, user);
    return DAL_OK;
}

/* d(R (Omega x rho)) = R (-hat(Omega x rho) + hat(Omega) P) dtheta */
static void disk_velocity_tangent(double *W, const double *q, const double *v)
{
    const contact c = contact_at(q);
    double H[9], X[9], w[3];
    vhat(X, v + 3);
    mmul(X, X, c.P);
    vcross(w, v + 3, c.rho);
    vhat(H, w);
    for (int i = 0; i < 9; ++i) {
        X[i] -= H[i];
    }
    mmul(X, c.R, X);
    vzero(W, 18);
    mput(W, 3, 0, 3, 1.0, X);
}

static dal_status disk_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t;
    double W[18];
    disk_velocity_tangent(W, q, v);
    disk_rows(Z, W, user);
    return DAL_OK;
}

static dal_status disk_acc(double *a, double t, const double *q, const double *v, void *user)
{
    (void)t;
    double W[18], w[3];
    disk_velocity_tangent(W, q, v);
    mvec(w, W + 9, v + 3);
    for (int i = 0; i < 3; ++i) {
        a[i] = w[component(i, user)];
    }
    return DAL_OK;
}

static dal_status disk_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                         void *user)
{
    (void)t, (void)v, (void)vd;
    const contact c = contact_at(q);
    double f[3] = {0.0, 0.0, 0.0}, H[9], F[9];
    for (int i = 0; i < 3; ++i) {
        f[component(i, user)] = la[i];
    }
    // d(rho x R^T f) = (hat(rho) hat(R^T f) - hat(R^T f) P) dtheta
    mtvec(f, c.R, f);
    vhat(F, f);
    vhat(H, c.rho);
    mmul(H, H, F);
    vzero(K, 36);
    mput(K, 6, 3, 3, 1.0, H);
    mmul(F, F, c.P);
    mput(K, 6, 3, 3, -1.0, F);
    return DAL_OK;
}

static double disk_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    double T = MASS * vdot(v, v);
    for (int i = 0; i < 3; ++i) {
        T += J[i] * v[3 + i] * v[3 + i];
    }
    return 0.5 * T + MASS * G * q[2];
}

dal_status problem_rolling_disk(problem *p, dal_ctx *ctx, int holonomic)
{
    static const double start[7] = {0.0, 0.0, 0.9659258262890683, 0.0, 0.0, 0.6087614290087207, 0.7933533402912352};
    DAL_TRY(problem_start(p, ctx, holonomic ? "rolling_disk" : "rolling_disk_velocity",
                          &(dal_factor_spec){DAL_FACTOR_R3SO3, 0}, 1));
    p->par[0] = holonomic ? 1.0 : 0.0;
    p->dense = (dal_dense){.group = p->group,
                           .nc = holonomic ? 1 : 0,
                           .nn = holonomic ? 2 : 3,
                           .user = p->par,
                           .M = disk_M,
                           .g = disk_g,
                           .Phi = holonomic ? disk_Phi : NULL,
                           .B = disk_B,
                           .Z = disk_Z,
                           .acc = disk_acc,
                           .C = disk_C,
                           .K = disk_K,
                           .energy = disk_energy};
    p->t_end = 2.0;
    for (int i = 0; i < 7; ++i) {
        p->q0[i] = start[i];
    }
    p->v0[0] = 5.0;
    p->v0[4] = 15.0;
    p->v0[5] = 5.0;
    index1_motion(p, 0.0025);
    p->table =
        (problem_table){"rolling_disk", "reference/columns", "reference/rows",
                        holonomic ? "q0=x q1=y q2=z q3=q0 q4=q1 q5=q2 q6=q3 v0=vx v1=vy v2=vz v3=Om1 v4=Om2 v5=Om3 "
                                    "a0=ax a1=ay a2=az a3=Omd1 a4=Omd2 a5=Omd3 l0=-Fcz l1=-Fcx l2=-Fcy"
                                  : "q0=x q1=y q2=z q3=q0 q4=q1 q5=q2 q6=q3 v0=vx v1=vy v2=vz v3=Om1 v4=Om2 v5=Om3 "
                                    "a0=ax a1=ay a2=az a3=Omd1 a4=Omd2 a5=Omd3 l0=-Fcx l1=-Fcy l2=-Fcz"};
    return problem_finish(p);
}
