/* The commutative factors R^n and R^2 x S^1 (its angle an unwrapped real number): T = I, hat = 0, and structured
 * matrices are X = s I. R^2 x S^1 is R^3 for every operation. */
#include <math.h>
#include <string.h>

#include "lie/lie_impl.h"

/* X = s I, n x n */
static void scalar(double *X, double s, int n)
{
    memset(X, 0, (size_t)n * (size_t)n * sizeof *X);
    for (int i = 0; i < n; ++i) {
        X[i + i * n] = s;
    }
}

static void identity(double *q, int n)
{
    memset(q, 0, (size_t)n * sizeof *q);
}

static void prepare(double coef[DAL_NCOEF], const double *theta, int n)
{
    (void)coef, (void)theta, (void)n;
}

static void retract(double *q1, const double *q0, const double *theta, const double *coef, int n)
{
    (void)coef;
    for (int i = 0; i < n; ++i) {
        q1[i] = q0[i] + theta[i];
    }
}

static void difference(double *theta, const double *qa, const double *qb, int n)
{
    for (int i = 0; i < n; ++i) {
        theta[i] = qb[i] - qa[i];
    }
}

static void compose(double *qc, const double *qa, const double *qb, int n)
{
    for (int i = 0; i < n; ++i) {
        qc[i] = qa[i] + qb[i];
    }
}

static void inverse(double *qi, const double *q, int n)
{
    for (int i = 0; i < n; ++i) {
        qi[i] = -q[i];
    }
}

static void tangent(double *T, const double *theta, const double *coef, int n)
{
    (void)theta, (void)coef;
    scalar(T, 1.0, n);
}

static void dtangent(double *D, const double *theta, const double *c, const double *coef, int n)
{
    (void)theta, (void)c, (void)coef;
    scalar(D, 0.0, n);
}

static void hat(double *H, const double *v, int n)
{
    (void)v;
    scalar(H, 0.0, n);
}

static void bracket(double *w, const double *a, const double *b, int n)
{
    (void)a, (void)b;
    memset(w, 0, (size_t)n * sizeof *w);
}

static void invert(double *Xi, const double *X, int n)
{
    scalar(Xi, 1.0 / X[0], n);
}

static void apply(double *w, const double *X, const double *c, int n)
{
    const double s = X[0];
    for (int i = 0; i < n; ++i) {
        w[i] = s * c[i];
    }
}

static void mul(double *restrict Y, const double *restrict A, int m, const double *restrict X, int n)
{
    const double s = X[0];
    for (int i = 0; i < m * n; ++i) {
        Y[i] = s * A[i];
    }
}

static void addmul(double *restrict Y, const double *restrict A, int m, const double *restrict X, int n)
{
    const double s = X[0];
    for (int i = 0; i < m * n; ++i) {
        Y[i] += s * A[i];
    }
}

static double distance(const double *qa, const double *qb, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (qb[i] - qa[i]) * (qb[i] - qa[i]);
    }
    return sqrt(sum);
}

double dal_no_defect(const double *q, int n)
{
    (void)q, (void)n;
    return 0.0;
}

void dal_keep(double *q, int n)
{
    (void)q, (void)n;
}

#define FLAT_OPERATIONS                                                                                       \
    .flat = 1, .identity = identity, .prepare = prepare, .retract = retract, .difference = difference,        \
    .compose = compose, .inverse = inverse, .tangent = tangent, .inv_tangent = tangent, .dtangent = dtangent, \
    .hat = hat, .bracket = bracket, .invert = invert, .apply = apply, .mul = mul, .addmul = addmul,           \
    .distance = distance, .defect = dal_no_defect, .normalise = dal_keep

const dal_factor_type dal_type_rn = {.name = "R^n", .kind = DAL_FACTOR_RN, FLAT_OPERATIONS};
const dal_factor_type dal_type_r2s1 = {.name = "R^2 x S^1", .kind = DAL_FACTOR_R2S1, .nq = 3, .nv = 3, FLAT_OPERATIONS};
