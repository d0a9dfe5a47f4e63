#include <math.h>
#include <stdlib.h>

#include "problems/planar.h"
#include "problems/problem_impl.h"
#include "problems/trig.h"
#include "problems/vec3.h"

/* ---- point mass on a massless frame: q = (x, y, X, Y, phi) --------------------------------------- */

static const double MASS = 2.0, LENGTH = 0.8, G = 9.81;

static dal_status frame_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 25);
    M[0] = M[6] = MASS;
    return DAL_OK;
}

static dal_status frame_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    vzero(g, 5);
    g[1] = MASS * G;
    return DAL_OK;
}

static dal_status frame_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    (void)t, (void)v, (void)vd;
    vzero(K, 25);
    trig_add_K(user, K, q, la);
    return DAL_OK;
}

static double frame_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    return 0.5 * MASS * (v[0] * v[0] + v[1] * v[1]) + MASS * G * q[1];
}

static void frame_motion(long double *f, long double t, const long double *y, const void *p)
{
    (void)t, (void)p;
    f[0] = y[1];
    f[1] = -(long double)G / (long double)LENGTH * sinl(y[0]);
}

static void frame_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                        const problem *p)
{
    (void)t, (void)p;
    const long double l = LENGTH, m = MASS, s = sinl(y[0]), c = cosl(y[0]), w = y[1], wd = -(long double)G / l * s;
    vzero(q, 5);
    vzero(v, 5);
    vzero(vd, 5);
    q[0] = (double)(l * s);
    q[1] = (double)(-l * c);
    v[0] = (double)(l * c * w);
    v[1] = (double)(l * s * w);
    vd[0] = (double)(l * (c * wd - s * w * w));
    vd[1] = (double)(l * (s * wd + c * w * w));
    q[4] = (double)y[0];
    v[4] = (double)w;
    vd[4] = (double)wd;
    // tension of the rod, towards the pin; every force -lambda is this vector
    const long double tension = m * (l * w * w + (long double)G * c);
    la[0] = la[2] = (double)(tension * s);
    la[1] = la[3] = (double)(-tension * c);
}

dal_status problem_massless_frame(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "massless_frame", &(dal_factor_spec){DAL_FACTOR_RN, 5}, 1));
    trig_rows *R = p->data = calloc(1, sizeof *R);
    if (R == NULL) {
        problem_free(p);
        return dal_fail(ctx, DAL_ENOMEM, "constraint rows");
    }
    // X = 0, Y = 0, (x, y) - (X, Y) - R(phi) (0, -l) = 0
    R->nrows = 4;
    R->nv = 5;
    trig_linear(R, 0, 2, 1.0);
    trig_linear(R, 1, 3, 1.0);
    trig_linear(R, 2, 0, 1.0);
    trig_linear(R, 3, 1, 1.0);
    trig_point(R, 2, -1.0, 2, 0.0, -LENGTH);
    p->dense = (dal_dense){.group = p->group,
                           .nc = 4,
                           .user = R,
                           .M = frame_M,
                           .g = frame_g,
                           .Phi = planar_Phi,
                           .B = planar_B,
                           .Z = planar_Z,
                           .acc = planar_acc,
                           .C = planar_zero_C,
                           .K = frame_K,
                           .energy = frame_energy};
    p->t_end = 2.0;
    p->motion = (problem_motion){
        .ny = 2, .y0 = {1.2L, 0.7L}, .h = 0.05L, .tol = 1e-19L, .f = frame_motion, .state = frame_state};
    double vd[5], la[4];
    frame_state(p->q0, p->v0, vd, la, 0.0L, p->motion.y0, p);
    p->table = (problem_table){"rank_deficient", "reference/columns_a", "reference/rows_a",
                               "q0=x q1=y v0=xd v1=yd q4=phi v4=phi_d a4=phi_dd l0=-Rx l1=-Ry l2=-Fx l3=-Fy"};
    return problem_finish(p);
}

/* ---- pendulum with a massless z = x^2 + y/2 on a spring ------------------------------------------ */

static const double KAPPA = 20.0;

static dal_status spring_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 9);
    M[0] = M[4] = 1.0;
    return DAL_OK;
}

static dal_status spring_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)v, (void)la, (void)user;
    g[0] = 0.0;
    g[1] = G;
    g[2] = KAPPA * q[2];
    return DAL_OK;
}

static dal_status spring_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    Phi[1] = q[2] - q[0] * q[0] - 0.5 * q[1];
    return DAL_OK;
}

static dal_status spring_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    const double b[6] = {q[0], -2.0 * q[0], q[1], -0.5, 0.0, 1.0};
    for (int i = 0; i < 6; ++i) {
        B[i] = b[i];
    }
    return DAL_OK;
}

static dal_status spring_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    const double z[6] = {v[0], -2.0 * v[0], v[1], 0.0, 0.0, 0.0};
    for (int i = 0; i < 6; ++i) {
        Z[i] = z[i];
    }
    return DAL_OK;
}

static dal_status spring_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    w[0] = v[0] * v[0] + v[1] * v[1];
    w[1] = -2.0 * v[0] * v[0];
    return DAL_OK;
}

static dal_status spring_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    vzero(C, 9);
    return DAL_OK;
}

static dal_status spring_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                           void *user)
{
    (void)t, (void)q, (void)v, (void)vd, (void)user;
    vzero(K, 9);
    K[0] = la[0] - 2.0 * la[1];
    K[4] = la[0];
    K[8] = KAPPA;
    return DAL_OK;
}

static double spring_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + G * q[1] + 0.5 * KAPPA * q[2] * q[2];
}

/* y = (phi, phi'): phi'' = -G sin phi - kappa z dz/dphi. */
static void spring_motion(long double *f, long double t, const long double *y, const void *p)
{
    (void)t, (void)p;
    const long double s = sinl(y[0]), c = cosl(y[0]), z = s * s - 0.5L * c, dz = 2.0L * s * c + 0.5L * s;
    f[0] = y[1];
    f[1] = -(long double)G * s - (long double)KAPPA * z * dz;
}

static void spring_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                         const problem *p)
{
    long double f[2];
    spring_motion(f, t, y, p);
    const long double s = sinl(y[0]), c = cosl(y[0]), w = y[1], wd = f[1];
    const long double z = s * s - 0.5L * c, dz = 2.0L * s * c + 0.5L * s, ddz = 2.0L * (c * c - s * s) + 0.5L * c;
    const long double x = s, h = -c, xdd = c * wd - s * w * w, hdd = s * wd + c * w * w;
    q[0] = (double)x;
    q[1] = (double)h;
    q[2] = (double)z;
    v[0] = (double)(c * w);
    v[1] = (double)(s * w);
    v[2] = (double)(dz * w);
    vd[0] = (double)xdd;
    vd[1] = (double)hdd;
    vd[2] = (double)(dz * wd + ddz * w * w);
    // kappa z + la2 = 0; (x, y) . (equations of motion) gives la1
    const long double la2 = -(long double)KAPPA * z;
    la[1] = (double)la2;
    la[0] = (double)(-(x * xdd + h * (hdd + (long double)G) - la2 * (2.0L * x * x + 0.5L * h)));
}

dal_status problem_massless_spring(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "massless_spring", &(dal_factor_spec){DAL_FACTOR_RN, 3}, 1));
    p->dense = (dal_dense){.group = p->group,
                           .nc = 2,
                           .M = spring_M,
                           .g = spring_g,
                           .Phi = spring_Phi,
                           .B = spring_B,
                           .Z = spring_Z,
                           .acc = spring_acc,
                           .C = spring_C,
                           .K = spring_K,
                           .energy = spring_energy};
    p->t_end = 2.0;
    p->motion = (problem_motion){
        .ny = 2, .y0 = {0.6L, 2.0L}, .h = 0.02L, .tol = 1e-19L, .f = spring_motion, .state = spring_state};
    double vd[3], la[2];
    spring_state(p->q0, p->v0, vd, la, 0.0L, p->motion.y0, p);
    return problem_finish(p);
}
