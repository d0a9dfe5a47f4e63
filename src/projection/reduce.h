/* Reduction within a simulation. */
#ifndef DAL_PROJECTION_REDUCE_H
#define DAL_PROJECTION_REDUCE_H

#include "dalembert/linsol.h"
#include "dalembert/reduce.h"

/* dal_reduction_create with the data of a simulation of sys, which must outlive the reduction; NULL: data of its own. */
dal_status dal_reduction_create_with(dal_reduction **out, dal_ctx *ctx, const dal_system *sys, dal_data *data, double t,
                                     const double *q, double tol) DAL_NODISCARD;
/* The reduction that leaves out the rows r with gone[r] != 0 (all rows of sys), whatever they depend on: to go on with
 * what was found before. */
dal_status dal_reduction_create_rows(dal_reduction **out, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                     const int *gone) DAL_NODISCARD;
/* How many rows at a point depend on others, but for those of contacts. */
dal_status dal_redundant_rows(int *n, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                              const dal_point *at) DAL_NODISCARD;
/* The multiplier of a row left out is known from now on: the others carry the rest. */
void dal_reduction_fix(dal_reduction *red, int row, double la);
/* The last multipliers of least norm get a value for e . la of n rows, and change as little as they can; 0: they have to carry what they do. */
int dal_reduction_relieve(const dal_reduction *red, double *la, int row, int n, const double *e, double value);
/* How many times the errors of the rows kept a row left out may be off at a point, in their reaches: the sum of its coefficients. */
dal_status dal_reduction_amplification(dal_reduction *red, double *sum, const dal_point *at, int row) DAL_NODISCARD;
/* Solver behind the multipliers of least norm, whose pivots are kept from one call to the next. NULL if no row is left
 * out. */
dal_linsol *dal_reduction_linsol(const dal_reduction *red);

#endif
