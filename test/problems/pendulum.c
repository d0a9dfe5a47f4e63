#include <math.h>

#include "problems/problem_impl.h"

static const double G = 9.81;

/* ---- pendulum: M = I, g = (0, G), B = (x, y) --------------------------------------------------- */

static dal_status pendulum_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1.0;
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status pendulum_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    g[0] = 0.0;
    g[1] = G;
    return DAL_OK;
}

static dal_status pendulum_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t, (void)user;
    Phi[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return DAL_OK;
}

static dal_status pendulum_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    B[0] = q[0];
    B[1] = q[1];
    return DAL_OK;
}

static dal_status pendulum_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    Z[0] = v[0];
    Z[1] = v[1];
    return DAL_OK;
}

static dal_status pendulum_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    w[0] = v[0] * v[0] + v[1] * v[1];
    return DAL_OK;
}

static dal_status pendulum_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    C[0] = C[1] = C[2] = C[3] = 0.0;
    return DAL_OK;
}

static dal_status pendulum_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                             void *user)
{
    (void)t, (void)q, (void)v, (void)vd, (void)user;
    K[0] = K[3] = la[0];
    K[1] = K[2] = 0.0;
    return DAL_OK;
}

static double pendulum_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + G * q[1];
}

/* y = (theta, theta'), theta from the downward vertical. */
static void pendulum_motion(long double *f, long double t, const long double *y, const void *p)
{
    (void)t, (void)p;
    f[0] = y[1];
    f[1] = -(long double)G * sinl(y[0]);
}

static void pendulum_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                           const problem *p)
{
    (void)t, (void)p;
    const long double s = sinl(y[0]), c = cosl(y[0]), w = y[1], wd = -(long double)G * s;
    q[0] = (double)s;
    q[1] = (double)-c;
    v[0] = (double)(c * w);
    v[1] = (double)(s * w);
    vd[0] = (double)(c * wd - s * w * w);
    vd[1] = (double)(s * wd + c * w * w);
    la[0] = (double)(w * w + (long double)G * c);
}

dal_status problem_pendulum(problem *p, dal_ctx *ctx, double x0)
{
    DAL_TRY(problem_start(p, ctx, "pendulum", &(dal_factor_spec){DAL_FACTOR_RN, 2}, 1));
    dal_dense *d = &p->dense;
    d->nc = 1;
    d->M = pendulum_M;
    d->g = pendulum_g;
    d->Phi = pendulum_Phi;
    d->B = pendulum_B;
    d->Z = pendulum_Z;
    d->acc = pendulum_acc;
    d->C = pendulum_C;
    d->K = pendulum_K;
    d->energy = pendulum_energy;
    p->t_end = 1.0;
    // energy 1/2 - G, moving to the right
    const long double theta = asinl(x0), w = sqrtl(1.0L - 2.0L * (long double)G * (1.0L - cosl(theta)));
    p->motion = (problem_motion){
        .ny = 2, .y0 = {theta, w}, .h = 0.05L, .tol = 1e-19L, .f = pendulum_motion, .state = pendulum_state};
    double vd[2], la[1];
    pendulum_state(p->q0, p->v0, vd, la, 0.0L, p->motion.y0, p);
    p->table =
        (problem_table){"pendulum", "reference/columns", x0 == 0.0 ? "reference/rows_x0_0" : "reference/rows_x0_02",
                        "q0=x q1=y v0=xd v1=yd a0=xdd a1=ydd l0=lambda"};
    return problem_finish(p);
}

/* ---- driven particle: M = 1, q = t^3 ------------------------------------------------------------ */

static dal_status one(double *x, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    x[0] = 1.0;
    return DAL_OK;
}

static dal_status drive_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    g[0] = 0.0;
    return DAL_OK;
}

static dal_status drive_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)user;
    Phi[0] = q[0] - t * t * t;
    return DAL_OK;
}

static dal_status drive_b(double *b, double t, const double *q, void *user)
{
    (void)q, (void)user;
    b[0] = -3.0 * t * t;
    return DAL_OK;
}

static dal_status drive_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)q, (void)v, (void)user;
    w[0] = -6.0 * t;
    return DAL_OK;
}

static dal_status drive_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)v, (void)user;
    Z[0] = 0.0;
    return DAL_OK;
}

static dal_status drive_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    (void)vd;
    return drive_g(K, t, q, v, la, user);
}

static void drive_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                        const problem *p)
{
    (void)y, (void)p;
    q[0] = (double)(t * t * t);
    v[0] = (double)(3.0L * t * t);
    vd[0] = (double)(6.0L * t);
    la[0] = -vd[0];
}

dal_status problem_cubic_drive(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "cubic_drive", &(dal_factor_spec){DAL_FACTOR_RN, 1}, 1));
    dal_dense *d = &p->dense;
    d->nc = 1;
    d->time_dependent = 1;
    d->M = one;
    d->g = drive_g;
    d->Phi = drive_Phi;
    d->B = one;
    d->b = drive_b;
    d->Z = drive_Z;
    d->acc = drive_acc;
    d->C = drive_g;
    d->K = drive_K;
    p->t_end = 1.0;
    p->motion.state = drive_state;
    return problem_finish(p);
}
