/* SO(3): q = p, a unit quaternion; v = Omega in body axes. */
#include "lie/so3_impl.h"

static void identity(double *q, int n)
{
    (void)n;
    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
}

static void prepare(double coef[DAL_NCOEF], const double *theta, int n)
{
    (void)n;
    dal_angle_first(coef, theta);
}

static void retract(double *q1, const double *q0, const double *theta, const double *coef, int n)
{
    (void)n;
    so3_retract(q1, q0, theta, coef);
}

static void difference(double *theta, const double *qa, const double *qb, int n)
{
    double p[4];
    (void)n;
    quat_between(p, qa, qb);
    dal_quat_to_vector(theta, p);
}

static void compose(double *qc, const double *qa, const double *qb, int n)
{
    (void)n;
    quat_mul(qc, qa, qb);
    quat_pull(qc);
}

static void inverse(double *qi, const double *q, int n)
{
    (void)n;
    qi[0] = q[0];
    qi[1] = -q[1];
    qi[2] = -q[2];
    qi[3] = -q[3];
}

static void tangent(double *T, const double *theta, const double *coef, int n)
{
    (void)n;
    so3_tangent(T, 3, theta, coef);
}

static void inv_tangent(double *Ti, const double *theta, const double *coef, int n)
{
    (void)n;
    so3_inv_tangent(Ti, 3, theta, coef);
}

static void dtangent(double *D, const double *theta, const double *c, const double *coef, int n)
{
    double r[3];
    (void)n;
    so3_dtangent(D, 3, r, theta, c, coef);
}

/* hat(v) = v~ (LG.2) */
static void hat(double *H, const double *v, int n)
{
    (void)n;
    mat3_scalar_tilde(H, 3, 0.0, v);
}

static void bracket(double *w, const double *a, const double *b, int n)
{
    (void)n;
    cross3(w, a, b);
}

/* Structured matrices of SO(3) and SE(2) are full. */
void dal_full3_invert(double *Xi, const double *X, int n)
{
    (void)n;
    mat3_invert(Xi, 3, X, 3);
}

void dal_full3_apply(double *w, const double *X, const double *c, int n)
{
    (void)n;
    mat3_mul_vec(w, X, 3, c);
}

void dal_full3_mul(double *restrict Y, const double *restrict A, int m, const double *restrict X, int n)
{
    (void)n;
    block_mul(Y, A, m, X, 3);
}

void dal_full3_addmul(double *restrict Y, const double *restrict A, int m, const double *restrict X, int n)
{
    (void)n;
    block_addmul(Y, A, m, X, 3);
}

static double distance(const double *qa, const double *qb, int n)
{
    (void)n;
    return dal_quat_angle(qa, qb);
}

static double defect(const double *q, int n)
{
    (void)n;
    return dal_quat_defect(q);
}

static void normalise(double *q, int n)
{
    (void)n;
    dal_quat_normalise(q);
}

const dal_factor_type dal_type_so3 = {
    .name = "SO(3)",
    .kind = DAL_FACTOR_SO3,
    .nq = 4,
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
    .defect = defect,
    .normalise = normalise,
};
