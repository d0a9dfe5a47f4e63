/* Derivatives of a start, shared by its files. */
#ifndef DAL_INIT_VARIATION_IMPL_H
#define DAL_INIT_VARIATION_IMPL_H

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "init/terms.h"

enum { SQUARE = 36 }; /* of a factor that is not flat */

/* variation_project.c: (PR.1), (PR.2), (IN.4) */
dal_status dal_close_positions(dal_variation *x) DAL_NODISCARD;
dal_status dal_positions_forward(dal_variation *x, double *Y, const double *dp, int count) DAL_NODISCARD;
dal_status dal_positions_adjoint(dal_variation *x, double *Y, double *pbar, int count) DAL_NODISCARD;
dal_status dal_close_velocities(dal_variation *x) DAL_NODISCARD;
dal_status dal_velocities_forward(dal_variation *x, double *Y, const double *dp, int count) DAL_NODISCARD;
dal_status dal_velocities_adjoint(dal_variation *x, double *Y, double *pbar, int count) DAL_NODISCARD;
dal_status dal_accelerations_forward(dal_variation *x, double *Y, const double *dp, int count) DAL_NODISCARD;
dal_status dal_accelerations_adjoint(dal_variation *x, double *Y, double *pbar, int count) DAL_NODISCARD;

/* variation_values.c: v'' (IN.6), J: its changes, ny apart; velocities off the constraints (IN.3) */
dal_status dal_find_jerk(dal_variation *x) DAL_NODISCARD;
dal_status dal_jerk_forward(dal_variation *x, double *J, double *Y, const double *dp, int count) DAL_NODISCARD;
dal_status dal_jerk_adjoint(dal_variation *x, double *Y, double *pbar, const double *J, int count) DAL_NODISCARD;
int dal_perturbs(const dal_variation *x);
dal_status dal_find_perturbation(dal_variation *x) DAL_NODISCARD;
dal_status dal_perturbation_forward(dal_variation *x, double *Y, const double *J, const double *dp,
                                    int count) DAL_NODISCARD;
dal_status dal_perturbation_adjoint(dal_variation *x, double *Y, double *J, double *pbar, int count) DAL_NODISCARD;

#endif
