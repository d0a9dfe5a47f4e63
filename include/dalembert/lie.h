/* dalembert/lie.h - Lie groups: the configuration spaces (docs/theory/lie.md, labels LG.*).
 *
 * A group is a product of factors. A factor stores nq numbers (a rotation is a unit quaternion, scalar
 * first, mapping body to world) and has dimension nv. Velocities are left-trivialised: q' = q v~.
 * Matrices are column-major, nv x nv, without padding.
 *
 *     T(theta) = sum_i (-1)^i/(i+1)! hat(theta)^i,    exp(theta + d) = exp(theta) exp(T d + O(d^2))   (LG.1)
 *
 * Kernels write their first argument, allocate nothing and cannot fail. Outputs never overlap inputs. */
#ifndef DALEMBERT_LIE_H
#define DALEMBERT_LIE_H

#include "dalembert/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dal_factor_kind {
    DAL_FACTOR_RN,  /* R^n                      q = x                      v = x'                                    */
    DAL_FACTOR_SO3, /* SO(3)                    q = p (unit quaternion)    v = Omega, body axes                      */
    DAL_FACTOR_R3SO3, /* R^3 x SO(3)              q = (x, p)                 v = (x' in world axes, Omega in body axes) */
    DAL_FACTOR_SE3, /* SE(3)                    q = (x, p)                 v = (R^T x', Omega), both in body axes     */
    DAL_FACTOR_SE2, /* SE(2)                    q = (x, y, phi)            v = (body-axis velocity, phi')             */
    DAL_FACTOR_R2S1, /* R^2 x S^1                q = (x, y, phi)            v = (x', y', phi')                         */
    DAL_FACTOR_KINDS
} dal_factor_kind;

enum { DAL_NCOEF = 16 }; /* room for the angle functions that `prepare` evaluates once for the others */

/* The operations of a factor. n is the dimension for R^n and ignored by the others. coef comes from
 * prepare(theta) and saves evaluating the trigonometric functions again for each of the others.
 * Matrices T, T^-1, P = sigma I + (1-sigma) T, dv/dtheta of one factor share a pattern; invert, apply, mul
 * and addmul know it and read nothing else (invert writes every entry):
 *     R^n, R^2 x S^1   X = s I, s read from X[0]
 *     R^3 x SO(3)      X = blkdiag(s I, X33), s read from X[0]; it need not be 1
 *     SE(3)            X = [[X11, X12], [0, X22]]
 *     SO(3), SE(2)     full 3x3
 * Planar angles are unwrapped real numbers: difference and distance count whole turns. */
typedef struct dal_factor_type {
    const char *name;
    dal_factor_kind kind;
    int nq, nv; /* 0 for R^n */
    int flat;   /* commutative: T = I for every theta, hat = 0 */
    void (*identity)(double *q, int n);
    void (*prepare)(double coef[DAL_NCOEF], const double *theta, int n);
    void (*retract)(double *q1, const double *q0, const double *theta, const double *coef, int n); /* q0 o exp(theta) */
    void (*difference)(double *theta, const double *qa, const double *qb, int n);                  /* log(qa^-1 o qb) */
    void (*compose)(double *qc, const double *qa, const double *qb, int n);
    void (*inverse)(double *qi, const double *q, int n);
    void (*tangent)(double *T, const double *theta, const double *coef, int n);
    void (*inv_tangent)(double *Ti, const double *theta, const double *coef, int n);
    void (*dtangent)(double *D, const double *theta, const double *c, const double *coef, int n); /* d(T c)/dtheta */
    void (*hat)(double *H, const double *v, int n);
    void (*bracket)(double *w, const double *a, const double *b, int n);       /* hat(a) b */
    void (*invert)(double *Xi, const double *X, int n);                        /* structured inverse */
    void (*apply)(double *w, const double *X, const double *c, int n);         /* w  = X c */
    void (*mul)(double *Y, const double *A, int m, const double *X, int n);    /* Y  = A X, A m x nv */
    void (*addmul)(double *Y, const double *A, int m, const double *X, int n); /* Y += A X */
    double (*distance)(const double *qa, const double *qb, int n); /* Euclidean in positions, angle in rotations */
    double (*defect)(const double *q, int n);                      /* 0 if q is an element: | |p| - 1 | */
    void (*normalise)(double *q, int n);                           /* nearest element */
} dal_factor_type;

DAL_API const dal_factor_type *dal_factor_type_of(dal_factor_kind kind); /* NULL if there is no such kind */

/* One factor of a group: where its numbers start in q and in v. */
typedef struct dal_factor {
    const dal_factor_type *type;
    int nq, nv;
    int q, v;
} dal_factor;

typedef struct dal_group {
    int nfactors;
    int nq, nv; /* sums over the factors */
    int max_nv; /* largest factor */
    int flat;   /* every factor is */
    const dal_factor *factor;
    dal_ctx *ctx;
} dal_group;

typedef struct dal_factor_spec {
    dal_factor_kind kind;
    int n; /* for DAL_FACTOR_RN */
} dal_factor_spec;

/* Build a product group. Errors: n < 1, unknown kind, R^n with n < 1. */
DAL_API dal_status dal_group_create(dal_group **group, dal_ctx *ctx, const dal_factor_spec *spec, int n) DAL_NODISCARD;
DAL_API void dal_group_destroy(dal_group *group);

/* Product versions of the factor operations. Tangent matrices are nv x nv with zeros between factors. */
DAL_API void dal_identity(const dal_group *G, double *q);
DAL_API void dal_retract(const dal_group *G, double *q1, const double *q0, const double *theta);
DAL_API void dal_difference(const dal_group *G, double *theta, const double *qa, const double *qb);
DAL_API void dal_compose(const dal_group *G, double *qc, const double *qa, const double *qb);
DAL_API void dal_inverse(const dal_group *G, double *qi, const double *q);
DAL_API void dal_tangent(const dal_group *G, double *T, const double *theta);
DAL_API void dal_inv_tangent(const dal_group *G, double *Ti, const double *theta);
DAL_API void dal_dtangent(const dal_group *G, double *D, const double *theta, const double *c);
DAL_API void dal_hat(const dal_group *G, double *H, const double *v);
DAL_API void dal_bracket(const dal_group *G, double *w, const double *a, const double *b);
/* T(theta) c and T^-1(theta) c without forming the matrix of the whole group. */
DAL_API void dal_tangent_apply(const dal_group *G, double *w, const double *theta, const double *c);
DAL_API void dal_inv_tangent_apply(const dal_group *G, double *w, const double *theta, const double *c);
DAL_API double dal_distance(const dal_group *G, const double *qa, const double *qb); /* root of the sum of squares */
DAL_API double dal_defect(const dal_group *G, const double *q);                      /* largest of the factors' */
DAL_API void dal_normalise(const dal_group *G, double *q);

/* Rotation helpers. R is 3x3 column-major. */
DAL_API void dal_quat_to_matrix(double R[9], const double p[4]);
DAL_API void dal_quat_from_matrix(double p[4], const double R[9]); /* nearest unit quaternion, p[0] >= 0 */
DAL_API void dal_quat_from_vector(double p[4], const double w[3]); /* exp */
DAL_API void dal_quat_to_vector(double w[3], const double p[4]);   /* log, |w| <= pi */
DAL_API void dal_quat_mul(double c[4], const double a[4], const double b[4]);
DAL_API void dal_quat_rotate(double y[3], const double p[4], const double x[3]); /* R(p) x */

#ifdef __cplusplus
}
#endif
#endif
