/* Private to the part: the angle functions and the table of factor types (docs/theory/lie.md). */
#ifndef DAL_LIE_IMPL_H
#define DAL_LIE_IMPL_H

#include "dalembert/lie.h"

/* What prepare stores in coef for a rotation vector w, phi = |w|. */
enum {
    COEF_X,      /* phi^2                                                     */
    COEF_COS,    /* cos(phi/2)                                                */
    COEF_SIN,    /* sin(phi/2)/phi                                            */
    COEF_C1,     /* c1 = sin(phi)/phi                                  (LG.5) */
    COEF_C2,     /* c2 = (1 - cos(phi))/phi^2                                 */
    COEF_C3,     /* c3 = (phi - sin(phi))/phi^3                               */
    COEF_D2,     /* d2 = 2 dc2/d(phi^2)                                (LG.6) */
    COEF_D3,     /* d3 = 2 dc3/d(phi^2)                                       */
    COEF_KAPPA,  /* kappa = (phi/2) cot(phi/2)                         (LG.7) */
    COEF_GAMMA,  /* gamma = (1 - kappa)/phi^2                                 */
    COEF_DGAMMA, /* 2 dgamma/d(phi^2); from here on dal_angle_second only     */
    COEF_E2,     /* e2 = 2 dd2/d(phi^2)                                       */
    COEF_E3,     /* e3 = 2 dd3/d(phi^2)                                       */
    COEF_USED
};

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
