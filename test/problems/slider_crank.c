#include <math.h>
#include <stdlib.h>

#include "problems/planar.h"
#include "problems/problem_impl.h"
#include "problems/trig.h"
#include "problems/vec3.h"

static const double L1 = 0.3, L2 = 0.6, STIFFNESS = 1000.0, TORQUE = 1.0, REST = 0.2;
static const double M_DIAGONAL[10] = {0.36, 0.36, 0.0027, 0.15, 0.15, 0.0045, 0.1, 0.7, 0.0, 0.0};

static dal_status crank_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 100);
    for (int i = 0; i < 10; ++i) {
        M[11 * i] = M_DIAGONAL[i];
    }
    return DAL_OK;
}

static dal_status crank_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)v, (void)la, (void)user;
    const double F = STIFFNESS * (q[7] - q[6] - REST);
    vzero(g, 10);
    g[2] = -TORQUE;
    g[6] = -F;
    g[7] = F;
    return DAL_OK;
}

static dal_status crank_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    (void)t, (void)v, (void)vd;
    vzero(K, 100);
    K[66] = K[77] = STIFFNESS;
    K[67] = K[76] = -STIFFNESS;
    trig_add_K(user, K, q, la);
    return DAL_OK;
}

/* The torque counts as a potential -T th1. */
static double crank_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    const double s = q[7] - q[6] - REST;
    double E = 0.5 * STIFFNESS * s * s - TORQUE * q[2];
    for (int i = 0; i < 10; ++i) {
        E += 0.5 * M_DIAGONAL[i] * v[i] * v[i];
    }
    return E;
}

/* The eight rows: pin at O, node (x5, y5) on crank and rod, rod end at (x3, 0). */
static void crank_rows(trig_rows *R)
{
    R->nrows = 8;
    R->nv = 10;
    trig_point(R, 0, 1.0, 0, -L1 / 2, 0.0);
    for (int i = 0; i < 2; ++i) {
        trig_linear(R, 2 + i, 8 + i, 1.0);
        trig_linear(R, 4 + i, 8 + i, 1.0);
    }
    trig_point(R, 2, -1.0, 0, L1 / 2, 0.0);
    trig_point(R, 4, -1.0, 3, -L2 / 2, 0.0);
    trig_linear(R, 6, 6, 1.0);
    trig_linear(R, 6, 3, -1.0);
    trig_linear(R, 7, 4, 1.0);
    // x3 - x2 - (l2/2) cos th2 and y2 + (l2/2) sin th2 take one component each of the rod's end
    R->term[R->nterms++] = (trig_term){.row = 6, .k = 5, .k2 = -1, .C = -L2 / 2};
    R->term[R->nterms++] = (trig_term){.row = 7, .k = 5, .k2 = -1, .S = L2 / 2};
}

/* The ten coordinates as functions of th1 (x4 apart): q, tangent dq/dth1, and the acceleration for th1'' = 0. */
typedef struct crank_curve {
    long double q[10], tangent[10], bias[10];
} crank_curve;

static crank_curve crank_at(long double th1, long double w1)
{
    const long double l1 = L1, l2 = L2, s1 = sinl(th1), c1 = cosl(th1);
    const long double s2 = -l1 * s1 / l2, c2 = sqrtl(1.0L - s2 * s2);
    // l1 sin th1 + l2 sin th2 = 0, differentiated twice
    const long double r = -l1 * c1 / (l2 * c2), w2 = r * w1, b2 = (l1 * s1 * w1 * w1 + l2 * s2 * w2 * w2) / (l2 * c2);
    const long double a1 = l1 / 2, a2 = l2 / 2;
    // B = l1 (c1, s1), rod centre = B + a2 (c2, s2), C = B + l2 (c2, s2)
    const long double ax1 = -c1 * w1 * w1, ay1 = -s1 * w1 * w1;
    const long double ax2 = -c2 * w2 * w2 - s2 * b2, ay2 = -s2 * w2 * w2 + c2 * b2;
    return (crank_curve){.q = {a1 * c1, a1 * s1, th1, l1 * c1 + a2 * c2, l1 * s1 + a2 * s2, atan2l(s2, c2),
                               l1 * c1 + l2 * c2, 0.0L, l1 * c1, l1 * s1},
                         .tangent = {-a1 * s1, a1 * c1, 1.0L, -l1 * s1 - a2 * s2 * r, l1 * c1 + a2 * c2 * r, r,
                                     -l1 * s1 - l2 * s2 * r, 0.0L, -l1 * s1, l1 * c1},
                         .bias = {a1 * ax1, a1 * ay1, 0.0L, l1 * ax1 + a2 * ax2, l1 * ay1 + a2 * ay2, b2,
                                  l1 * ax1 + l2 * ax2, 0.0L, l1 * ax1, l1 * ay1}};
}

/* y = (th1, th1', x4, x4'): tangent . (M (tangent th1'' + bias) + g) = 0 */
static void crank_motion(long double *f, long double t, const long double *y, const void *p)
{
    (void)t, (void)p;
    const crank_curve k = crank_at(y[0], y[1]);
    const long double F = (long double)STIFFNESS * (y[2] - k.q[6] - (long double)REST);
    long double mass = 0.0L, force = (long double)TORQUE + F * k.tangent[6];
    for (int i = 0; i < 7; ++i) {
        const long double m = M_DIAGONAL[i];
        mass += m * k.tangent[i] * k.tangent[i];
        force -= m * k.tangent[i] * k.bias[i];
    }
    f[0] = y[1];
    f[1] = force / mass;
    f[2] = y[3];
    f[3] = -F / (long double)M_DIAGONAL[7];
}

static void crank_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                        const problem *p)
{
    const crank_curve k = crank_at(y[0], y[1]);
    long double f[4], a[10], l[8];
    crank_motion(f, t, y, p);
    for (int i = 0; i < 10; ++i) {
        a[i] = k.tangent[i] * f[1] + k.bias[i];
        q[i] = (double)k.q[i];
        v[i] = (double)(k.tangent[i] * y[1]);
        vd[i] = (double)a[i];
    }
    q[7] = (double)y[2];
    v[7] = (double)y[3];
    vd[7] = (double)f[3];
    // equilibrium of slider, rod and crank, in this order
    const long double m1 = M_DIAGONAL[0], m2 = M_DIAGONAL[3], J2 = M_DIAGONAL[5], m3 = M_DIAGONAL[6];
    const long double b = (long double)L2 / 2, s2 = sinl(k.q[5]), c2 = cosl(k.q[5]);
    l[6] = (long double)STIFFNESS * (y[2] - k.q[6] - (long double)REST) - m3 * a[6];
    l[4] = m2 * a[3] - l[6];
    l[7] = (-J2 * a[5] + b * s2 * (l[4] - l[6]) - b * c2 * m2 * a[4]) / (2.0L * b * c2);
    l[5] = m2 * a[4] + l[7];
    l[2] = -l[4];
    l[3] = -l[5];
    l[0] = l[2] - m1 * a[0];
    l[1] = l[3] - m1 * a[1];
    for (int i = 0; i < 8; ++i) {
        la[i] = (double)l[i];
    }
}

dal_status problem_slider_crank(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "slider_crank", &(dal_factor_spec){DAL_FACTOR_RN, 10}, 1));
    trig_rows *R = p->data = calloc(1, sizeof *R);
    if (R == NULL) {
        problem_free(p);
        return dal_fail(ctx, DAL_ENOMEM, "constraint rows");
    }
    crank_rows(R);
    p->dense = (dal_dense){.group = p->group,
                           .nc = 8,
                           .user = R,
                           .M = crank_M,
                           .g = crank_g,
                           .Phi = planar_Phi,
                           .B = planar_B,
                           .Z = planar_Z,
                           .acc = planar_acc,
                           .C = planar_zero_C,
                           .K = crank_K,
                           .energy = crank_energy};
    p->t_end = 1.0;
    const long double th1 = acosl(-1.0L) / 2;
    p->motion = (problem_motion){.ny = 4,
                                 .y0 = {th1, 0.0L, crank_at(th1, 0.0L).q[6] + (long double)REST},
                                 .h = 0.004L,
                                 .tol = 1e-18L,
                                 .f = crank_motion,
                                 .state = crank_state};
    double vd[10], la[8];
    crank_state(p->q0, p->v0, vd, la, 0.0L, p->motion.y0, p);
    p->table = (problem_table){"planar_slider_crank_spring", "reference/columns", "reference/rows",
                               "q2=theta1 v2=theta1_d a2=theta1_dd q6=x3 v6=x3_d a6=x3_dd q7=x4 v7=x4_d a7=x4_dd "
                               "q5=theta2 v5=theta2_d l0=-FOx l1=-FOy l2=-FBx l3=-FBy l4=FBx l5=FBy l6=FCx l7=-FCy"};
    return problem_finish(p);
}
