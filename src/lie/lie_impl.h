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

extern const dal_factor_type dal_type_rn, dal_type_so3, dal_type_r3so3, dal_type_se3, dal_type_se2, dal_type_r2s1;

#endif
