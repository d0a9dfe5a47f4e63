#include <math.h>
#include <string.h>

#include "problems/heavy_top_impl.h"
#include "problems/vec3.h"

/* The heavy top in Euler parameters and in Cardan angles: the classical competitors, in linear coordinates. */

static const double J1 = HEAVY_TOP_J1, J2 = HEAVY_TOP_J2, MASS = HEAVY_TOP_MASS;
static const double J[3] = {HEAVY_TOP_J1, HEAVY_TOP_J2, HEAVY_TOP_J1}, X[3] = {0.0, 1.0, 0.0};

/* ---- Euler parameters: q = (x, p), Omega = 2 G(p) p', M_p = 4 G^T J G, g_p = 8 G(p')^T J G(p) p' ---- */

/* G(p) = (-e, p0 I - hat(e)), 3x4, so that G(p) w = -G(w) p and G(p) p = 0. */
static void euler_G(double G[12], const double p[4])
{
    const double g[12] = {-p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0]};
    memcpy(G, g, sizeof g);
}

/* y = J G w */
static void euler_JGw(double y[3], const double G[12], const double w[4])
{
    for (int i = 0; i < 3; ++i) {
        y[i] = J[i] * (G[i] * w[0] + G[i + 3] * w[1] + G[i + 6] * w[2] + G[i + 9] * w[3]);
    }
}

/* A (4x4 block at (3, 3) of a 7x7 matrix) += s Ga^T J Gb */
static void euler_add_GJG(double *A, double s, const double Ga[12], const double Gb[12])
{
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 3; ++k) {
                A[(3 + i) + (3 + j) * 7] += s * Ga[k + 3 * i] * J[k] * Gb[k + 3 * j];
            }
        }
    }
}

/* A += s N(y), where G(w)^T y = N(y) w, N = [[0, -y^T], [y, -hat(y)]] */
static void euler_add_N(double *A, double s, const double y[3])
{
    for (int i = 0; i < 3; ++i) {
        A[3 + (4 + i) * 7] -= s * y[i];
        A[(4 + i) + 3 * 7] += s * y[i];
    }
    mput_hat(A, 7, 4, 4, -s, y);
}

/* D(p) = d(R(p) X)/dp, 3x4, for the homogeneous R(p): linear in p and D(p) w = D(w) p. */
static void euler_D(double *D, int ld, const double p[4])
{
    const double *e = p + 1;
    double c[3];
    vcross(c, e, X);
    for (int i = 0; i < 3; ++i) {
        D[i] = 2.0 * (p[0] * X[i] + c[i]);
        for (int j = 0; j < 3; ++j) {
            D[i + (1 + j) * ld] = 2.0 * (e[i] * X[j] - X[i] * e[j] + (i == j ? vdot(e, X) : 0.0));
        }
    }
    mput_hat(D, ld, 0, 1, -2.0 * p[0], X);
}

static dal_status euler_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)user;
    double G[12];
    euler_G(G, q + 3);
    vzero(M, 49);
    mput_unit(M, 7, 0, 0, MASS);
    euler_add_GJG(M, 4.0, G, G);
    return DAL_OK;
}

static dal_status euler_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    double G[12], Gw[12], y[3];
    euler_G(G, q + 3);
    euler_G(Gw, v + 3);
    euler_JGw(y, G, v + 3);
    g[0] = g[1] = 0.0;
    g[2] = MASS * HEAVY_TOP_G;
    for (int i = 0; i < 4; ++i) {
        g[3 + i] = 8.0 * vdot(Gw + 3 * i, y);
    }
    return DAL_OK;
}

static dal_status euler_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    double R[9];
    qmatrix(R, q + 3);
    Phi[3] = 0.5 * (q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] - 1.0);
    for (int i = 0; i < 3; ++i) {
        Phi[i] = -q[i] + R[i + 3] + (i == 1 ? 2.0 * Phi[3] : 0.0); // |p|^2 R(p)
    }
    return DAL_OK;
}

/* Both B(p) and Z = d(B v)/dq = B'(p') have rows (D, p^T) in p. */
static void euler_rows(double *B, double unit, const double p[4])
{
    vzero(B, 28);
    mput_unit(B, 4, 0, 0, unit);
    euler_D(B + 12, 4, p);
    for (int i = 0; i < 4; ++i) {
        B[3 + (3 + i) * 4] = p[i];
    }
}

static dal_status euler_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    euler_rows(B, -1.0, q + 3);
    return DAL_OK;
}

static dal_status euler_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    euler_rows(Z, 0.0, v + 3);
    return DAL_OK;
}

static dal_status euler_acc(double *w, double t, const double *q, const double *v, void *user)
{
    double Z[28];
    DAL_TRY(euler_Z(Z, t, q, v, user));
    vzero(w, 4);
    for (int i = 0; i < 28; ++i) {
        w[i % 4] += Z[i] * v[i / 4];
    }
    return DAL_OK;
}

static dal_status euler_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    double G[12], Gw[12], y[3];
    euler_G(G, q + 3);
    euler_G(Gw, v + 3);
    euler_JGw(y, G, v + 3);
    vzero(C, 49);
    euler_add_N(C, 8.0, y);
    euler_add_GJG(C, 8.0, Gw, G);
    return DAL_OK;
}

static dal_status euler_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    (void)t, (void)user;
    double G[12], Gw[12], Ga[12], y[3], c[3];
    euler_G(G, q + 3);
    euler_G(Gw, v + 3);
    euler_G(Ga, vd + 3);
    vzero(K, 49);
    // d(4 G^T J G p'') = 4 (N(J G p'') - G^T J G(p'')),  d(8 G(p')^T J G p') = -8 G(p')^T J G(p')
    euler_JGw(y, G, vd + 3);
    euler_add_N(K, 4.0, y);
    euler_add_GJG(K, -4.0, G, Ga);
    euler_add_GJG(K, -8.0, Gw, Gw);
    // second derivative of lambda . R(p) X, and of the fourth row
    vcross(c, X, la);
    K[3 + 3 * 7] += 2.0 * vdot(la, X);
    for (int i = 0; i < 3; ++i) {
        K[3 + (4 + i) * 7] += 2.0 * c[i];
        K[(4 + i) + 3 * 7] += 2.0 * c[i];
        for (int j = 0; j < 3; ++j) {
            K[(4 + i) + (4 + j) * 7] += 2.0 * (la[i] * X[j] + X[i] * la[j]);
        }
    }
    mput_unit(K, 7, 4, 4, -2.0 * vdot(la, X));
    for (int i = 0; i < 4; ++i) {
        K[(3 + i) * 8] += la[3];
    }
    return DAL_OK;
}

static double euler_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    double G[12], y[3], T = 0.5 * MASS * vdot(v, v);
    euler_G(G, q + 3);
    euler_JGw(y, G, v + 3);
    for (int i = 0; i < 3; ++i) {
        T += 2.0 * y[i] * y[i] / J[i];
    }
    return T + MASS * HEAVY_TOP_G * q[2];
}

static void euler_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                        const problem *p)
{
    (void)t, (void)p;
    const heavy_top_state s = heavy_top_at(y);
    const double w[4] = {0.0, s.Om[0], s.Om[1], s.Om[2]}, wd[4] = {0.0, s.Omd[0], s.Omd[1], s.Omd[2]};
    double a[4], b[4];
    memcpy(q, s.x, sizeof s.x);
    memcpy(v, s.u, sizeof s.u);
    memcpy(vd, s.xdd, sizeof s.xdd);
    memcpy(la, s.la, sizeof s.la);
    // p' = p o Omega / 2, p'' = (p' o Omega + p o Omega') / 2
    qmul(v + 3, s.p, w);
    for (int i = 0; i < 4; ++i) {
        q[3 + i] = s.p[i];
        v[3 + i] *= 0.5;
    }
    qmul(a, v + 3, w);
    qmul(b, s.p, wd);
    for (int i = 0; i < 4; ++i) {
        vd[3 + i] = 0.5 * (a[i] + b[i]);
    }
    la[3] = 2.0 * (J[0] * w[1] * w[1] + J[1] * w[2] * w[2] + J[2] * w[3] * w[3]) - 2.0 * vdot(s.la, s.x);
}

void heavy_top_euler(problem *p)
{
    p->dense = (dal_dense){.group = p->group,
                           .nc = 4,
                           .M = euler_M,
                           .g = euler_g,
                           .Phi = euler_Phi,
                           .B = euler_B,
                           .Z = euler_Z,
                           .acc = euler_acc,
                           .C = euler_C,
                           .K = euler_K,
                           .energy = euler_energy};
    heavy_top_set_motion(p, euler_state);
    p->table.map = "q0=x1 q1=x2 q2=x3 q3=q0 q4=q1 q5=q2 q6=q3 v0=u1 v1=u2 v2=u3 a0=xdd1 a1=xdd2 a2=xdd3 "
                   "l0=lam1 l1=lam2 l2=lam3";
}

/* ---- Cardan angles: q = (x, a), R = Rx(a1) Rz(a2) Ry(a3) ------------------------------------------ */

/* T = J1 (cos^2 a2 a1'^2 + a2'^2)/2 + J2 (a3' - sin a2 a1')^2/2,  R X = (-sin a2, cos a1 cos a2, sin a1 cos a2) */

static dal_status cardan_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)user;
    const double s = sin(q[4]), c = cos(q[4]);
    vzero(M, 36);
    mput_unit(M, 6, 0, 0, MASS);
    M[3 + 3 * 6] = J1 * c * c + J2 * s * s;
    M[4 + 4 * 6] = J1;
    M[5 + 5 * 6] = J2;
    M[3 + 5 * 6] = M[5 + 3 * 6] = -J2 * s;
    return DAL_OK;
}

static dal_status cardan_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    const double s = sin(q[4]), c = cos(q[4]), a = v[3], b = v[4], w = v[5];
    g[0] = g[1] = 0.0;
    g[2] = MASS * HEAVY_TOP_G;
    g[3] = 2.0 * (J2 - J1) * s * c * a * b - J2 * c * b * w;
    g[4] = (J1 - J2) * s * c * a * a + J2 * c * a * w;
    g[5] = -J2 * c * a * b;
    return DAL_OK;
}

static dal_status cardan_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    Phi[0] = -q[0] - sin(q[4]);
    Phi[1] = -q[1] + cos(q[3]) * cos(q[4]);
    Phi[2] = -q[2] + sin(q[3]) * cos(q[4]);
    return DAL_OK;
}

static dal_status cardan_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    const double s1 = sin(q[3]), c1 = cos(q[3]), s2 = sin(q[4]), c2 = cos(q[4]);
    const double b[9] = {0.0, -s1 * c2, c1 * c2, -c2, -c1 * s2, -s1 * s2, 0.0, 0.0, 0.0};
    vzero(B, 18);
    mput_unit(B, 3, 0, 0, -1.0);
    mput(B, 3, 0, 3, 1.0, b);
    return DAL_OK;
}

static dal_status cardan_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    const double s1 = sin(q[3]), c1 = cos(q[3]), s2 = sin(q[4]), c2 = cos(q[4]), a = v[3], b = v[4];
    const double z[9] = {0.0,
                         -c1 * c2 * a + s1 * s2 * b,
                         -s1 * c2 * a - c1 * s2 * b,
                         s2 * b,
                         s1 * s2 * a - c1 * c2 * b,
                         -c1 * s2 * a - s1 * c2 * b,
                         0.0,
                         0.0,
                         0.0};
    vzero(Z, 18);
    mput(Z, 3, 0, 3, 1.0, z);
    return DAL_OK;
}

static dal_status cardan_acc(double *w, double t, const double *q, const double *v, void *user)
{
    double Z[18];
    DAL_TRY(cardan_Z(Z, t, q, v, user));
    mvec(w, Z + 9, v + 3);
    return DAL_OK;
}

static dal_status cardan_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    const double s = sin(q[4]), c = cos(q[4]), a = v[3], b = v[4], w = v[5], D = 2.0 * (J2 - J1) * s * c;
    const double k[9] = {D * b,       -D * a + J2 * c * w, -J2 * c * b, D * a - J2 * c * w, 0.0, -J2 * c * a,
                         -J2 * c * b, J2 * c * a,          0.0};
    vzero(C, 36);
    mput(C, 6, 3, 3, 1.0, k);
    return DAL_OK;
}

static dal_status cardan_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                           void *user)
{
    (void)t, (void)user;
    const double s1 = sin(q[3]), c1 = cos(q[3]), s = sin(q[4]), c = cos(q[4]), a = v[3], b = v[4], w = v[5];
    const double D = J2 - J1, c2 = c * c - s * s; // c2 = cos(2 a2)
    vzero(K, 36);
    // d(M v' + g)/da2
    K[3 + 4 * 6] = 2.0 * D * s * c * vd[3] - J2 * c * vd[5] + 2.0 * D * c2 * a * b + J2 * s * b * w;
    K[4 + 4 * 6] = -D * c2 * a * a - J2 * s * a * w;
    K[5 + 4 * 6] = -J2 * c * vd[3] + J2 * s * a * b;
    // d(B^T lambda): rows cos a2 Q and -cos a2 la1 - sin a2 P
    const double P = c1 * la[1] + s1 * la[2], Q = -s1 * la[1] + c1 * la[2];
    K[3 + 3 * 6] -= c * P;
    K[3 + 4 * 6] -= s * Q;
    K[4 + 3 * 6] -= s * Q;
    K[4 + 4 * 6] += s * la[0] - c * P;
    return DAL_OK;
}

static double cardan_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    const double s = sin(q[4]), c = cos(q[4]), w = v[5] - s * v[3];
    return 0.5 * (MASS * vdot(v, v) + J1 * (c * c * v[3] * v[3] + v[4] * v[4]) + J2 * w * w) +
           MASS * HEAVY_TOP_G * q[2];
}

static void cardan_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                         const problem *p)
{
    (void)t, (void)p;
    const heavy_top_state s = heavy_top_at(y);
    const double *x = s.x, *u = s.u, *a = s.xdd, r2 = x[1] * x[1] + x[2] * x[2], c = sqrt(r2);
    memcpy(q, s.x, sizeof s.x);
    memcpy(v, s.u, sizeof s.u);
    memcpy(vd, s.xdd, sizeof s.xdd);
    memcpy(la, s.la, sizeof s.la);
    // a1 from (x2, x3), sin a2 = -x1, a3' = Omega_2 - x1 a1'
    q[3] = s.alpha;
    q[4] = -atan2(x[0], c);
    q[5] = s.gamma;
    v[3] = (x[1] * u[2] - x[2] * u[1]) / r2;
    v[4] = -u[0] / c;
    v[5] = s.Om[1] - x[0] * v[3];
    vd[3] = (x[1] * a[2] - x[2] * a[1] - 2.0 * v[3] * (x[1] * u[1] + x[2] * u[2])) / r2;
    vd[4] = (-a[0] - x[0] * v[4] * v[4]) / c;
    vd[5] = s.Omd[1] - u[0] * v[3] - x[0] * vd[3];
}

void heavy_top_cardan(problem *p)
{
    p->dense = (dal_dense){.group = p->group,
                           .nc = 3,
                           .M = cardan_M,
                           .g = cardan_g,
                           .Phi = cardan_Phi,
                           .B = cardan_B,
                           .Z = cardan_Z,
                           .acc = cardan_acc,
                           .C = cardan_C,
                           .K = cardan_K,
                           .energy = cardan_energy};
    heavy_top_set_motion(p, cardan_state);
    p->table.map = "q0=x1 q1=x2 q2=x3 v0=u1 v1=u2 v2=u3 a0=xdd1 a1=xdd2 a2=xdd3 l0=lam1 l1=lam2 l2=lam3";
}
