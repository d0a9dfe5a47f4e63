#include <math.h>

#include "problems/heavy_top_impl.h"

static const long double MASS = 15.0L, G = 9.81L;
static const long double JO[3] = {15.234375L, 0.46875L, 15.234375L}; // about the fixed point

static void cross(long double c[3], const long double a[3], const long double b[3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* y = R(p) w = w + 2 p0 (e x w) + 2 e x (e x w); inverse: R^T w. */
static void rotate(long double y[3], const long double p[4], const long double w[3], int inverse)
{
    long double c[3], cc[3];
    cross(c, p + 1, w);
    cross(cc, p + 1, c);
    for (int i = 0; i < 3; ++i) {
        y[i] = w[i] + 2.0L * ((inverse ? -p[0] : p[0]) * c[i] + cc[i]);
    }
}

/* JO Omega' = -Omega x JO Omega - m G X x R^T e3, X = e2 */
static void omega_dot(long double wd[3], const long double *y)
{
    const long double up[3] = {0.0L, 0.0L, 1.0L}, *w = y + 4, L[3] = {JO[0] * w[0], JO[1] * w[1], JO[2] * w[2]};
    long double k[3], c[3];
    rotate(k, y, up, 1);
    cross(c, w, L);
    wd[0] = (-c[0] - MASS * G * k[2]) / JO[0];
    wd[1] = -c[1] / JO[1];
    wd[2] = (-c[2] + MASS * G * k[0]) / JO[2];
}

/* x = R X and its rates. */
static void arm(long double x[3], long double u[3], const long double *y)
{
    const long double X[3] = {0.0L, 1.0L, 0.0L};
    long double wX[3];
    rotate(x, y, X, 0);
    cross(wX, y + 4, X);
    rotate(u, y, wX, 0);
}

void heavy_top_motion(long double *f, long double t, const long double *y, const void *p)
{
    (void)t, (void)p;
    const long double *w = y + 4;
    f[0] = -0.5L * (y[1] * w[0] + y[2] * w[1] + y[3] * w[2]);
    f[1] = 0.5L * (y[0] * w[0] + y[2] * w[2] - y[3] * w[1]);
    f[2] = 0.5L * (y[0] * w[1] + y[3] * w[0] - y[1] * w[2]);
    f[3] = 0.5L * (y[0] * w[2] + y[1] * w[1] - y[2] * w[0]);
    omega_dot(f + 4, y);
    // x = (-sin a2, cos a1 cos a2, sin a1 cos a2), Omega_2 = a3' - sin a2 a1'
    long double x[3], u[3];
    arm(x, u, y);
    f[7] = (x[1] * u[2] - x[2] * u[1]) / (x[1] * x[1] + x[2] * x[2]);
    f[8] = w[1] - x[0] * f[7];
}

heavy_top_state heavy_top_at(const long double *y)
{
    const long double X[3] = {0.0L, 1.0L, 0.0L}, *w = y + 4;
    long double x[3], u[3], wd[3], a[3], b[3], c[3];
    arm(x, u, y);
    omega_dot(wd, y);
    // x'' = R (Omega' x X + Omega x (Omega x X)), lambda = m (x'' + G e3)
    cross(a, wd, X);
    cross(b, w, X);
    cross(c, w, b);
    for (int i = 0; i < 3; ++i) {
        a[i] += c[i];
    }
    rotate(b, y, a, 0);
    heavy_top_state s = {.alpha = (double)y[7], .gamma = (double)y[8]};
    for (int i = 0; i < 3; ++i) {
        s.x[i] = (double)x[i];
        s.u[i] = (double)u[i];
        s.xdd[i] = (double)b[i];
        s.Om[i] = (double)w[i];
        s.Omd[i] = (double)wd[i];
        s.la[i] = (double)(MASS * (b[i] + (i == 2 ? G : 0.0L)));
    }
    for (int i = 0; i < 4; ++i) {
        s.p[i] = (double)y[i];
    }
    return s;
}

void heavy_top_set_motion(problem *p, void (*state)(double *q, double *v, double *vd, double *la, long double t,
                                                    const long double *y, const problem *p))
{
    p->motion = (problem_motion){.ny = 9,
                                 .y0 = {1.0L, 0.0L, 0.0L, 0.0L, 0.0L, 150.0L, -4.61538L},
                                 .h = 0.004L,
                                 .tol = 1e-18L,
                                 .f = heavy_top_motion,
                                 .state = state};
    double vd[PROBLEM_MAX], la[PROBLEM_MAX];
    state(p->q0, p->v0, vd, la, 0.0L, p->motion.y0, p);
}
