#include <math.h>
#include <string.h>

#include "problems/gbs.h"
#include "problems/problem_impl.h"
#include "problems/vec3.h"

/* ---- free asymmetric top: M = J, g = Omega x J Omega ---------------------------------------------- */

static const double FREE_J[3] = {1.0, 2.0, 3.0};

static dal_status free_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 9);
    for (int i = 0; i < 3; ++i) {
        M[4 * i] = FREE_J[i];
    }
    return DAL_OK;
}

/* out += d(w x J w)/dw at (i, i) of a matrix with leading dimension ld */
static void gyroscopic(double *out, int ld, int i, const double J[3], const double w[3])
{
    const double L[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
    double H[9];
    vhat(H, w);
    for (int k = 0; k < 9; ++k) {
        H[k] *= J[k / 3];
    }
    mput(out, ld, i, i, 1.0, H);
    mput_hat(out, ld, i, i, -1.0, L);
}

static dal_status free_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la, (void)user;
    const double L[3] = {FREE_J[0] * v[0], FREE_J[1] * v[1], FREE_J[2] * v[2]};
    vcross(g, v, L);
    return DAL_OK;
}

static dal_status free_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)la, (void)user;
    vzero(C, 9);
    gyroscopic(C, 3, 0, FREE_J, v);
    return DAL_OK;
}

static dal_status free_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                         void *user)
{
    (void)t, (void)q, (void)v, (void)vd, (void)la, (void)user;
    vzero(K, 9);
    return DAL_OK;
}

static double free_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    return 0.5 * (FREE_J[0] * v[0] * v[0] + FREE_J[1] * v[1] * v[1] + FREE_J[2] * v[2] * v[2]);
}

/* y = (p, Omega) in long double: rounding errors grow by 1e7 until t = 20. */
static void free_motion(long double *f, long double t, const long double *y, const void *p)
{
    (void)t, (void)p;
    const long double *w = y + 4;
    f[0] = -0.5L * (y[1] * w[0] + y[2] * w[1] + y[3] * w[2]);
    f[1] = 0.5L * (y[0] * w[0] + y[2] * w[2] - y[3] * w[1]);
    f[2] = 0.5L * (y[0] * w[1] + y[3] * w[0] - y[1] * w[2]);
    f[3] = 0.5L * (y[0] * w[2] + y[1] * w[1] - y[2] * w[0]);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        f[4 + i] = (long double)(FREE_J[j] - FREE_J[k]) / (long double)FREE_J[i] * w[j] * w[k];
    }
}

static void free_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                       const problem *p)
{
    (void)la;
    long double f[7];
    free_motion(f, t, y, p);
    for (int i = 0; i < 4; ++i) {
        q[i] = (double)y[i];
    }
    for (int i = 0; i < 3; ++i) {
        v[i] = (double)y[4 + i];
        vd[i] = (double)f[4 + i];
    }
}

dal_status problem_free_top(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "free_top", &(dal_factor_spec){DAL_FACTOR_SO3, 0}, 1));
    p->dense =
        (dal_dense){.group = p->group, .M = free_M, .g = free_g, .C = free_C, .K = free_K, .energy = free_energy};
    p->t_end = 20.0;
    p->motion = (problem_motion){.ny = 7,
                                 .y0 = {1.0L, 0.0L, 0.0L, 0.0L, 0.01L, 5.0L, 0.02L},
                                 .h = 0.05L,
                                 .tol = 1e-20L,
                                 .f = free_motion,
                                 .state = free_state};
    double vd[3];
    free_state(p->q0, p->v0, vd, vd, 0.0L, p->motion.y0, p);
    p->table = (problem_table){"free_asymmetric_top", "reference/columns", "reference/rows",
                               "q0=q0 q1=q1 q2=q2 q3=q3 v0=Om1 v1=Om2 v2=Om3"};
    return problem_finish(p);
}

/* ---- high-speed rotor ----------------------------------------------------------------------------- */

enum { R_MASS, R_JX, R_JP, R_DAMPING, R_TORQUE }; // parameters that the two data sets do not share

static const double STIFFNESS = 4000.0, ARM[2] = {-0.11, 0.09}, SPIN = 20943.951023931953;
static const double HOLDS[2][3] = {{1.0, 1.0, 1.0}, {0.0, 1.0, 1.0}}; // directions in which a bearing acts

static dal_status rotor_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q;
    const double *par = user;
    vzero(M, 36);
    mput_unit(M, 6, 0, 0, par[R_MASS]);
    M[21] = par[R_JX];
    M[28] = M[35] = par[R_JP];
    return DAL_OK;
}

/* f = -force of bearing s (world axes). */
static void bearing_force(double f[3], int s, const double R[9], const double *q, const double *v, const double *par)
{
    const double b[3] = {ARM[s], 0.0, 0.0};
    double Rb[3], w[3];
    mvec(Rb, R, b);
    vcross(w, v + 3, b);
    mvec(w, R, w);
    for (int i = 0; i < 3; ++i) {
        f[i] = HOLDS[s][i] * (STIFFNESS * (q[i] + Rb[i] - b[i]) + par[R_DAMPING] * (v[i] + w[i]));
    }
}

static dal_status rotor_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la;
    const double *par = user, torque[3] = {0.0, 0.0, par[R_TORQUE]};
    const double L[3] = {par[R_JX] * v[3], par[R_JP] * v[4], par[R_JP] * v[5]};
    double R[9], f[3], m[3];
    qmatrix(R, q + 3);
    mtvec(m, R, torque);
    vcross(g + 3, v + 3, L);
    for (int i = 0; i < 3; ++i) {
        g[i] = 0.0;
        g[3 + i] -= m[i];
    }
    for (int s = 0; s < 2; ++s) {
        const double b[3] = {ARM[s], 0.0, 0.0};
        bearing_force(f, s, R, q, v, par);
        mtvec(m, R, f);
        vcross(m, b, m);
        for (int i = 0; i < 3; ++i) {
            g[i] += f[i];
            g[3 + i] += m[i];
        }
    }
    return DAL_OK;
}

/* A += [I; hat(b) R^T] diag(holds) (Fx, Fr): how a change (Fx dx + Fr dr) of the bearing force enters g. */
static void bearing_tangent(double *A, int s, const double R[9], double Fx, const double Fr[9])
{
    const double b[3] = {ARM[s], 0.0, 0.0};
    double X[9] = {0.0}, Y[9], H[9];
    vhat(H, b);
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < 9; ++i) {
            const double e = i % 4 == 0 ? Fx : 0.0;
            X[i] = HOLDS[s][i % 3] * (part == 0 ? e : Fr[i]);
        }
        mput(A, 6, 0, 3 * part, 1.0, X);
        mtmul(Y, R, X);
        mmul(Y, H, Y);
        mput(A, 6, 3, 3 * part, 1.0, Y);
    }
}

static dal_status rotor_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la;
    const double *par = user, d = par[R_DAMPING], J[3] = {par[R_JX], par[R_JP], par[R_JP]};
    double R[9], Fr[9];
    qmatrix(R, q + 3);
    vzero(C, 36);
    gyroscopic(C, 6, 3, J, v + 3);
    for (int s = 0; s < 2; ++s) {
        // d(x' + R (Omega x b)) = -R hat(b) dOmega
        const double b[3] = {-d * ARM[s], 0.0, 0.0};
        vhat(Fr, b);
        mmul(Fr, R, Fr);
        bearing_tangent(C, s, R, d, Fr);
    }
    return DAL_OK;
}

static dal_status rotor_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    (void)t, (void)vd, (void)la;
    const double *par = user, torque[3] = {0.0, 0.0, par[R_TORQUE]};
    double R[9], Fr[9], H[9], f[3], m[3], w[3];
    qmatrix(R, q + 3);
    vzero(K, 36);
    mtvec(m, R, torque);
    mput_hat(K, 6, 3, 3, -1.0, m);
    for (int s = 0; s < 2; ++s) {
        // d(k R b + d R (Omega x b)) = -R hat(k b + d Omega x b) dtheta
        const double b[3] = {ARM[s], 0.0, 0.0};
        vcross(w, v + 3, b);
        for (int i = 0; i < 3; ++i) {
            w[i] = -STIFFNESS * b[i] - par[R_DAMPING] * w[i];
        }
        vhat(Fr, w);
        mmul(Fr, R, Fr);
        bearing_tangent(K, s, R, STIFFNESS, Fr);
        // b x d(R^T) f = hat(b) hat(R^T f) dtheta
        bearing_force(f, s, R, q, v, par);
        mtvec(m, R, f);
        vhat(H, b);
        vhat(Fr, m);
        mmul(H, H, Fr);
        mput(K, 6, 3, 3, 1.0, H);
    }
    return DAL_OK;
}

dal_status problem_rotor(problem *p, dal_ctx *ctx, int steel)
{
    static const double data[2][5] = {
        {1.223, 0.001541, 0.000812, 5.165093, 0.11997629999999995},
        {1.2330751165339942, 0.001541343895667493, 0.000811774451718213, 5.165092969903432, 0.12096466893198478}};
    DAL_TRY(problem_start(p, ctx, steel ? "rotor_steel" : "rotor", &(dal_factor_spec){DAL_FACTOR_R3SO3, 0}, 1));
    memcpy(p->par, data[steel != 0], sizeof data[0]);
    p->dense = (dal_dense){.group = p->group, .user = p->par, .M = rotor_M, .g = rotor_g, .C = rotor_C, .K = rotor_K};
    p->t_end = 0.1;
    p->q0[3] = 1.0;
    p->v0[3] = SPIN;
    index1_motion(p, 5e-5);
    p->motion.tol = 1e-17L;
    p->table =
        (problem_table){"high_speed_rotor", steel ? "variants/consistent_steel_disc/columns" : "reference/columns",
                        steel ? "variants/consistent_steel_disc/rows" : "reference/rows",
                        "q0=x q1=y q2=z q3=q0 q4=q1 q5=q2 q6=q3 v0=vx v1=vy v2=vz v3=Om1 v4=Om2 v5=Om3"};
    return problem_finish(p);
}

void rotor_bearings(double p1[3], double p2[3], const double *q)
{
    double R[9];
    qmatrix(R, q + 3);
    for (int i = 0; i < 3; ++i) {
        p1[i] = q[i] + ARM[0] * R[i];
        p2[i] = q[i] + ARM[1] * R[i];
    }
}

/* y = (x, u, e, H): centre, its velocity, axis and angular momentum in world axes. The spin angle does not enter. */
static void axis_motion(long double *f, long double t, const long double *y, const void *user)
{
    (void)t;
    const double *par = ((const problem *)user)->par;
    const long double *x = y, *u = y + 3, *e = y + 6, *H = y + 9;
    const long double Jx = par[R_JX], Jp = par[R_JP];
    const long double eH = e[0] * H[0] + e[1] * H[1] + e[2] * H[2];
    long double w[3], F[2][3];
    for (int i = 0; i < 3; ++i) {
        w[i] = H[i] / Jp + (1.0L / Jx - 1.0L / Jp) * eH * e[i];
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        f[6 + i] = w[j] * e[k] - w[k] * e[j]; // e' = w x e
    }
    for (int i = 0; i < 3; ++i) {
        for (int s = 0; s < 2; ++s) {
            const long double a = ARM[s], gap = x[i] + a * (e[i] - (i == 0 ? 1.0L : 0.0L));
            F[s][i] = -HOLDS[s][i] * (STIFFNESS * gap + par[R_DAMPING] * (u[i] + a * f[6 + i]));
        }
        f[i] = u[i];
        f[3 + i] = (F[0][i] + F[1][i]) / par[R_MASS];
        F[0][i] = ARM[0] * F[0][i] + ARM[1] * F[1][i];
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        f[9 + i] = e[j] * F[0][k] - e[k] * F[0][j] + (i == 2 ? par[R_TORQUE] : 0.0L);
    }
}

void rotor_bearings_exact(const problem *p, double *p1, double *p2, const double *t, int n)
{
    long double y[12] = {0.0L};
    y[6] = 1.0L;
    y[9] = (long double)p->par[R_JX] * (long double)SPIN;
    for (int k = 0; k < n; ++k) {
        gbs_advance(y, 12, k > 0 ? t[k - 1] : 0.0, t[k], 5e-5L, 1e-18L, axis_motion, p);
        for (int i = 0; i < 3; ++i) {
            if (p1 != NULL) {
                p1[3 * k + i] = (double)(y[i] + (long double)ARM[0] * y[6 + i]);
            }
            if (p2 != NULL) {
                p2[3 * k + i] = (double)(y[i] + (long double)ARM[1] * y[6 + i]);
            }
        }
    }
}
