/* SE(2): q = (x, y, phi), v = (body-axis velocity, phi'), theta = (u, om). The angle is an unwrapped real number,
 * so that the group is the universal cover and a whole turn is not the identity. J turns by +90 degrees. */
#include <math.h>

#include "lie/se2_kernel.h"
#include "lie/so3_impl.h"

static void identity(double *q, int n)
{
    (void)n;
    q[0] = q[1] = q[2] = 0.0;
}

static void prepare(double coef[DAL_NCOEF], const double *theta, int n)
{
    const double w[3] = {0.0, 0.0, theta[2]};
    (void)n;
    dal_angle_first(coef, w);
}

/* exp(theta) = (V u, om), V = c1 I + c2 om J (LG.17) */
static void retract(double *q1, const double *q0, const double *theta, const double *coef, int n)
{
    (void)n;
    se2_retract(q1, q0, theta, coef);
}

/* om = phib - phia, u = V^-1 R(phia)^T (xb - xa), V^-1 = kappa I - (om/2) J (LG.17) */
static void difference(double *theta, const double *qa, const double *qb, int n)
{
    const double c = cos(qa[2]), s = sin(qa[2]), d0 = qb[0] - qa[0], d1 = qb[1] - qa[1];
    const double r0 = c * d0 + s * d1, r1 = c * d1 - s * d0;
    double coef[DAL_NCOEF];
    theta[2] = qb[2] - qa[2];
    prepare(coef, theta, n);
    theta[0] = coef[COEF_KAPPA] * r0 + 0.5 * theta[2] * r1;
    theta[1] = coef[COEF_KAPPA] * r1 - 0.5 * theta[2] * r0;
}

static void compose(double *qc, const double *qa, const double *qb, int n)
{
    (void)n;
    se2_advance(qc, qa, qb[0], qb[1], qb[2]);
}

static void inverse(double *qi, const double *q, int n)
{
    const double c = cos(q[2]), s = sin(q[2]);
    (void)n;
    qi[0] = -c * q[0] - s * q[1];
    qi[1] = s * q[0] - c * q[1];
    qi[2] = -q[2];
}

/* T = [[c1 I - c2 om J, c3 om u + c2 J u], [0, 1]] (LG.17) */
static void tangent(double *T, const double *theta, const double *coef, int n)
{
    (void)n;
    se2_tangent(T, theta, coef);
}

/* T^-1 = [[kappa I + (om/2) J, gamma om u - J u/2], [0, 1]] (LG.17) */
static void inv_tangent(double *Ti, const double *theta, const double *coef, int n)
{
    const double om = theta[2], g = coef[COEF_GAMMA] * om;
    (void)n;
    se2_fill(Ti, coef[COEF_KAPPA], 0.5 * om, g * theta[0] + 0.5 * theta[1], g * theta[1] - 0.5 * theta[0], 1.0);
}

static void dtangent(double *D, const double *theta, const double *c, const double *coef, int n)
{
    (void)n;
    se2_dtangent(D, theta, c, coef);
}

/* hat((u, om)) = [[om J, -J u], [0, 0]] (LG.2) */
static void hat(double *H, const double *v, int n)
{
    (void)n;
    se2_fill(H, 0.0, v[2], v[1], -v[0], 0.0);
}

static void bracket(double *w, const double *a, const double *b, int n)
{
    (void)n;
    se2_bracket(w, a, b);
}

static double distance(const double *qa, const double *qb, int n)
{
    const double d[3] = {qb[0] - qa[0], qb[1] - qa[1], qb[2] - qa[2]};
    (void)n;
    return sqrt(dot3(d, d));
}

const dal_factor_type dal_type_se2 = {
    .name = "SE(2)",
    .kind = DAL_FACTOR_SE2,
    .nq = 3,
    .nv = 3,
    .identity = identity,
    .prepare = prepare,
    .retract = retract,
    .difference = difference,
    .compose = compose,
    .inverse = inverse,
    .tangent = tangent,
    .inv_tangent = inv_tangent,
    .dtangent = dtangent,
    .hat = hat,
    .bracket = bracket,
    .invert = dal_full3_invert,
    .apply = dal_full3_apply,
    .mul = dal_full3_mul,
    .addmul = dal_full3_addmul,
    .distance = distance,
    .defect = dal_no_defect,
    .normalise = dal_keep,
};
