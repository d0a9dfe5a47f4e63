/* SE(3): q = (x, p), v = (R^T x', Omega), theta = (u, w), all in body axes. Structured matrices are
 * X = [[X11, X12], [0, X22]], 6x6. The blocks X12 are derivatives of the SO(3) blocks in direction u. */

#include "lie/se3_kernel.h"
#include "lie/so3_impl.h"

enum { P = SE3_P, W = SE3_W, LD = SE3_LD, UW = SE3_UW, WW = SE3_WW };

static void prepare(double coef[DAL_NCOEF], const double *theta, int n)
{
    (void)n;
    dal_angle_second(coef, theta + W);
}

/* x1 = x0 + R0 V(w) u, V u = u + w x (c2 u + c3 w x u) (LG.13) */
static void retract(double *q1, const double *q0, const double *theta, const double *coef, int n)
{
    (void)n;
    se3_retract(q1, q0, theta, coef);
}

/* w = log(pa* pb), u = V^-1(w) Ra^T (xb - xa), V^-1 u = u - w x (u/2 - gamma w x u) (LG.13) */
static void difference(double *theta, const double *qa, const double *qb, int n)
{
    const double d[3] = {qb[0] - qa[0], qb[1] - qa[1], qb[2] - qa[2]};
    const double pi[4] = {qa[P], -qa[P + 1], -qa[P + 2], -qa[P + 3]};
    double p[4], r[3], wr[3], a[3], b[3], coef[DAL_NCOEF];
    double *u = theta, *w = theta + W;
    (void)n;
    quat_mul(p, pi, qb + P);
    dal_quat_to_vector(w, p);
    dal_angle_first(coef, w);
    quat_rotate(r, pi, d);
    cross3(wr, w, r);
    for (int i = 0; i < 3; ++i) {
        a[i] = 0.5 * r[i] - coef[COEF_GAMMA] * wr[i];
    }
    cross3(b, w, a);
    for (int i = 0; i < 3; ++i) {
        u[i] = r[i] - b[i];
    }
}

/* (xa, pa)(xb, pb) = (xa + Ra xb, pa pb) */
static void compose(double *qc, const double *qa, const double *qb, int n)
{
    double r[3];
    (void)n;
    quat_rotate(r, qa + P, qb);
    for (int i = 0; i < 3; ++i) {
        qc[i] = qa[i] + r[i];
    }
    quat_mul(qc + P, qa + P, qb + P);
    quat_pull(qc + P);
}

/* (-R^T x, p*) */
static void inverse(double *qi, const double *q, int n)
{
    const double x[3] = {-q[0], -q[1], -q[2]};
    (void)n;
    qi[P] = q[P];
    qi[P + 1] = -q[P + 1];
    qi[P + 2] = -q[P + 2];
    qi[P + 3] = -q[P + 3];
    quat_rotate(qi, qi + P, x);
}

/* T = [[T33, Q], [0, T33]] (LG.14) */
static void tangent(double *T, const double *theta, const double *coef, int n)
{
    (void)n;
    se3_tangent(T, theta, coef);
}

/* T^-1 = [[T33^-1, Qi], [0, T33^-1]] (LG.15) */
static void inv_tangent(double *Ti, const double *theta, const double *coef, int n)
{
    const double *u = theta, *w = theta + W;
    const double g = coef[COEF_GAMMA], wu = dot3(w, u), dg = coef[COEF_DGAMMA] * wu;
    double a[3], b[3], c[3];
    (void)n;
    so3_inv_tangent(Ti, LD, w, coef);
    se3_repeat_block(Ti);

    // Qi = u~/2 + (gamma u + dgamma (w.u) w) w^T + gamma w u^T - (w.u)(2 gamma + phi^2 dgamma) I
    for (int i = 0; i < 3; ++i) {
        a[i] = 0.5 * u[i];
        b[i] = g * u[i] + dg * w[i];
        c[i] = g * w[i];
    }
    mat3_tilde_outer2(Ti + UW, LD, -2.0 * g * wu - coef[COEF_X] * dg, a, b, w, c, u);
}

/* D = [[D33(cw), D33(cu) + H], [0, D33(cw)]], H the second derivative of T33 cw in directions u and . (LG.16) */
static void dtangent(double *D, const double *theta, const double *c, const double *coef, int n)
{
    (void)n;
    se3_dtangent(D, theta, c, coef);
}

/* hat((u, w)) = [[w~, u~], [0, w~]] (LG.2) */
static void hat(double *H, const double *v, int n)
{
    (void)n;
    mat3_scalar_tilde(H, LD, 0.0, v + W);
    se3_repeat_block(H);
    mat3_scalar_tilde(H + UW, LD, 0.0, v);
}

static void bracket(double *w, const double *a, const double *b, int n)
{
    (void)n;
    se3_bracket(w, a, b);
}

/* X^-1 = [[X11^-1, -X11^-1 X12 X22^-1], [0, X22^-1]] */
static void invert(double *Xi, const double *X, int n)
{
    (void)n;
    se3_invert(Xi, X);
}

static void apply(double *w, const double *X, const double *c, int n)
{
    (void)n;
    se3_apply(w, X, c);
}

static inline void product(double *restrict Y, const double *restrict A, int m, const double *restrict X)
{
    block_mul(Y, A, m, X, LD);
    block_mul(Y + W * m, A, m, X + UW, LD);
    block_addmul(Y + W * m, A + W * m, m, X + WW, LD);
}

static inline void add_product(double *restrict Y, const double *restrict A, int m, const double *restrict X)
{
    block_addmul(Y, A, m, X, LD);
    block_addmul(Y + W * m, A, m, X + UW, LD);
    block_addmul(Y + W * m, A + W * m, m, X + WW, LD);
}

static void mul(double *Y, const double *A, int m, const double *X, int n)
{
    (void)n;
    BY_ROWS(product, Y, A, m, X);
}

static void addmul(double *Y, const double *A, int m, const double *X, int n)
{
    (void)n;
    BY_ROWS(add_product, Y, A, m, X);
}

const dal_factor_type dal_type_se3 = {
    .name = "SE(3)",
    .kind = DAL_FACTOR_SE3,
    .nq = 7,
    .nv = 6,
    .identity = dal_pose_identity,
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
    .invert = invert,
    .apply = apply,
    .mul = mul,
    .addmul = addmul,
    .distance = dal_pose_distance,
    .defect = dal_pose_defect,
    .normalise = dal_pose_normalise,
};
