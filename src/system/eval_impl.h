/* Differences of the residual, shared by evaluation and checking. */
#ifndef DAL_SYSTEM_EVAL_IMPL_H
#define DAL_SYSTEM_EVAL_IMPL_H

#include "system/eval.h"

/* dal_eval_create, with the scratch for differences even if the system provides every tangent. */
dal_status dal_eval_create_with(dal_eval **out, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                int differences) DAL_NODISCARD;

/* Which part of the residual is differenced with respect to what. */
typedef enum diff_value { DIFF_R, DIFF_PHI, DIFF_VEL, DIFF_ACC, DIFF_LAW } diff_value;
typedef enum diff_wrt { DIFF_WRT_Q, DIFF_WRT_V, DIFF_WRT_VD, DIFF_WRT_LAMBDA } diff_wrt;

/* The value itself. */
dal_status dal_diff_value(dal_eval *ev, double *out, diff_value value, const dal_point *at) DAL_NODISCARD;
/* Central differences of a value (nv or nc entries) with respect to the components first .. first+n-1 of
 * q (as q o exp), v, v' or lambda, with steps scale * default; column after column into D (no padding).
 * Rows of Phi that belong to nonholonomic constraints are zero, and those of laws that are none. */
dal_status dal_diff_columns(dal_eval *ev, double *D, diff_value value, diff_wrt wrt, int first, int n, double scale,
                            const dal_point *at) DAL_NODISCARD;

/* mass.c: an entry of M that a mass matrix cannot have, and how far it is off in units of the masses beside it. */
typedef struct dal_mass_fault {
    int row, column; /* row -1: there is none */
    double given, other, error;
} dal_mass_fault;

/* M, pair after pair: pair0[p] .. pair0[p+1]. asymmetry: the worst M_ij - M_ji; negative: the first velocities in whose
 * direction v^T M v < 0 shows. */
dal_status dal_mass_check(dal_ctx *ctx, dal_mass_fault *asymmetry, dal_mass_fault *negative, const dal_eval *ev,
                          const int *pair0, const double *M) DAL_NODISCARD;

/* Copy nrows rows starting at row0 from D (ld rows, n columns) to a block without padding. */
void dal_diff_extract(double *block, const double *D, int ld, int row0, int nrows, int n);

#endif
