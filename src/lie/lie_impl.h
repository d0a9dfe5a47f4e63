/* Private to the part: the angle functions and the table of factor types (docs/theory/lie.md). */
#ifndef DAL_LIE_IMPL_H
#define DAL_LIE_IMPL_H

#include "dalembert/lie.h"
#include "lie/angle_kernel.h"

/* The angle functions of w up to first derivatives (COEF_X .. COEF_GAMMA), and all of them. */
void dal_angle_first(double coef[DAL_NCOEF], const double w[3]);
void dal_angle_second(double coef[DAL_NCOEF], const double w[3]);

/* Rotation angle between two unit quaternions, in [0, pi]. */
double dal_quat_angle(const double pa[4], const double pb[4]);
/* | |p| - 1 |, and p / |p| (the identity for p = 0). */
double dal_quat_defect(const double p[4]);
void dal_quat_normalise(double p[4]);

/* Operations that types share: no unit quaternion; matrices 3x3; a place and a unit quaternion. */
double dal_no_defect(const double *q, int n);
void dal_keep(double *q, int n);
void dal_full3_invert(double *Xi, const double *X, int n);
void dal_full3_apply(double *w, const double *X, const double *c, int n);
void dal_full3_mul(double *Y, const double *A, int m, const double *X, int n);
void dal_full3_addmul(double *Y, const double *A, int m, const double *X, int n);
void dal_pose_identity(double *q, int n);
double dal_pose_distance(const double *qa, const double *qb, int n);
double dal_pose_defect(const double *q, int n);
void dal_pose_normalise(double *q, int n);

extern const dal_factor_type dal_type_rn, dal_type_so3, dal_type_r3so3, dal_type_se3, dal_type_se2, dal_type_r2s1;

#endif
