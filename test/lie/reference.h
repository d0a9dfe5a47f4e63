/* What the tests compare with: the defining series of matrices, summed in long double (64 bits of mantissa).
 * Only SE(3) is known here, theta = (u, w); SO(3) and SE(2) are read off as subgroups. 6x6 column-major. */
#ifndef LIE_REFERENCE_H
#define LIE_REFERENCE_H

#include "dalembert/lie.h"
#include "support/check.h"

typedef long double wide;

/* Translation and quaternion of exp(theta), by the series of 4x4 matrices and of quaternions. */
void ref_exp(wide x[3], wide p[4], const double theta[6]);
/* T = sum_i (-1)^i/(i+1)! hat(theta)^i (LG.1), and its derivative applied to c, term by term. */
void ref_tangent(wide T[36], const double theta[6]);
void ref_dtangent(wide D[36], const double theta[6], const double c[6]);
/* T^-1: closed form for the rotation, -T33^-1 Q T33^-1 with Q from the series for the rest. */
void ref_inv_tangent(wide Ti[36], const double theta[6]);

/* c_k(x) = sum_i (-x)^i/(k+2i)! (LG.4) and its derivatives by 2 d/dx: n = 0, 1, 2 give c_k, d_k, e_k. */
wide ref_stumpff(int k, int n, wide x);

/* A factor as a subgroup of SE(3): component k of its theta is component at[k] there. */
typedef struct subgroup {
    dal_factor_kind kind;
    int nv, at[6];
} subgroup;
extern const subgroup subgroups[3]; /* SO(3), SE(3), SE(2) */

/* theta of the factor, from theta of SE(3); the components outside the subgroup become zero there. */
void subgroup_restrict(const subgroup *g, double *theta, double theta6[6]);

/* Random theta6 = (u, w) with |u| = length and |w| = phi in the subgroup. */
void subgroup_theta(const subgroup *g, check_rng *rng, double theta6[6], double length, double phi);

/* Largest error of X (nv x nv) against the reference in units of 2^-53: entries of the block that maps rotations
 * to translations relative to scale[1], all others relative to scale[0]. */
double subgroup_error(const subgroup *g, const double *X, const wide ref[36], const wide scale[2]);

/* Angles that straddle every branch of the angle functions, and then some. */
extern const double angles[];
extern const int nangles;

#endif
