/* A matrix assembled where it is factored: nothing is copied, and its values are gone afterwards. For who assembles it
 * anew for each factorisation and solves without refinement. */
#ifndef DAL_LINSOL_IN_PLACE_H
#define DAL_LINSOL_IN_PLACE_H

#include "dalembert/linsol.h"

/* The matrix with its slots, values and `nnz` those of the factors; it has no columns to read. The factors that are there
 * are lost when it is filled. NULL where the solver has no such storage (only `block` has), or would want to see the values
 * after the factorisation: the first time, and when it has handed over to `sparse`. Then dal_linsol_matrix is to be filled. */
dal_matrix *dal_linsol_in_place(dal_linsol *ls);

/* Factor it. 0: the pivots differ more than has been checked, so fill dal_linsol_matrix and call dal_linsol_factor, which
 * checks the factors, finds another way or the reason why there is none. */
int dal_linsol_factor_in_place(dal_linsol *ls) DAL_NODISCARD;

#endif
