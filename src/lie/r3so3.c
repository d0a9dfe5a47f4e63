/* R^3 x SO(3): q = (x, p), v = (x' in world axes, Omega in body axes). The direct product: positions are added,
 * rotations are those of SO(3). Structured matrices are X = blkdiag(s I, X33), 6x6. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "lie/so3_impl.h"

/* Where the rotation starts in q, in v, and its block in a 6x6 matrix. */
enum { P = 3, W = 3, LD = 6, WW = 3 + 3 * LD };

/* X = blkdiag(s I, *): everything but the rotation block. */
static inline void frame(double *X, double s)
{
    dal_zero(X, LD * LD);
    X[0] = X[1 + LD] = X[2 + 2 * LD] = s;
}

void dal_pose_identity(double *q, int n)
{
    (void)n;
    memset(q, 0, 7 * sizeof *q);
    q[P] = 1.0;
}

static void prepare(double coef[DAL_NCOEF], const double *theta, int n)
{
    (void)n;
    dal_angle_first(coef, theta + W);
}

static void retract(double *q1, const double *q0, const double *theta, const double *coef, int n)
{
    (void)n;
    for (int i = 0; i < 3; ++i) {
        q1[i] = q0[i] + theta[i];
    }
    so3_retract(q1 + P, q0 + P, theta + W, coef);
}

static void difference(double *theta, const double *qa, const double *qb, int n)
{
    double p[4];
    (void)n;
    for (int i = 0; i < 3; ++i) {
        theta[i] = qb[i] - qa[i];
    }
    quat_between(p, qa + P, qb + P);
    dal_quat_to_vector(theta + W, p);
}

static void compose(double *qc, const double *qa, const double *qb, int n)
{
    (void)n;
    for (int i = 0; i < 3; ++i) {
        qc[i] = qa[i] + qb[i];
    }
    quat_mul(qc + P, qa + P, qb + P);
    quat_pull(qc + P);
}

static void inverse(double *qi, const double *q, int n)
{
    (void)n;
    for (int i = 0; i < 7; ++i) {
        qi[i] = i == P ? q[i] : -q[i];
    }
}

static void tangent(double *T, const double *theta, const double *coef, int n)
{
    (void)n;
    frame(T, 1.0);
    so3_tangent(T + WW, LD, theta + W, coef);
}

static void inv_tangent(double *Ti, const double *theta, const double *coef, int n)
{
    (void)n;
    frame(Ti, 1.0);
    so3_inv_tangent(Ti + WW, LD, theta + W, coef);
}

static void dtangent(double *D, const double *theta, const double *c, const double *coef, int n)
{
    double r[3];
    (void)n;
    frame(D, 0.0);
    so3_dtangent(D + WW, LD, r, theta + W, c + W, coef);
}

/* hat(v) = blkdiag(0, Omega~) (LG.2) */
static void hat(double *H, const double *v, int n)
{
    (void)n;
    frame(H, 0.0);
    mat3_scalar_tilde(H + WW, LD, 0.0, v + W);
}

static void bracket(double *w, const double *a, const double *b, int n)
{
    (void)n;
    w[0] = w[1] = w[2] = 0.0;
    cross3(w + W, a + W, b + W);
}

static void invert(double *Xi, const double *X, int n)
{
    (void)n;
    frame(Xi, 1.0 / X[0]);
    mat3_invert(Xi + WW, LD, X + WW, LD);
}

static void apply(double *w, const double *X, const double *c, int n)
{
    (void)n;
    for (int i = 0; i < 3; ++i) {
        w[i] = X[0] * c[i];
    }
    mat3_mul_vec(w + W, X + WW, LD, c + W);
}

static inline void product(double *restrict Y, const double *restrict A, int m, const double *restrict X)
{
    const double s = X[0];
    for (int i = 0; i < 3 * m; ++i) {
        Y[i] = s * A[i];
    }
    block_mul(Y + W * m, A + W * m, m, X + WW, LD);
}

static inline void add_product(double *restrict Y, const double *restrict A, int m, const double *restrict X)
{
    const double s = X[0];
    for (int i = 0; i < 3 * m; ++i) {
        Y[i] += s * A[i];
    }
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

double dal_pose_distance(const double *qa, const double *qb, int n)
{
    const double d[3] = {qb[0] - qa[0], qb[1] - qa[1], qb[2] - qa[2]}, phi = dal_quat_angle(qa + P, qb + P);
    (void)n;
    return sqrt(dot3(d, d) + phi * phi);
}

double dal_pose_defect(const double *q, int n)
{
    (void)n;
    return dal_quat_defect(q + P);
}

void dal_pose_normalise(double *q, int n)
{
    (void)n;
    dal_quat_normalise(q + P);
}

const dal_factor_type dal_type_r3so3 = {
    .name = "R^3 x SO(3)",
    .kind = DAL_FACTOR_R3SO3,
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
