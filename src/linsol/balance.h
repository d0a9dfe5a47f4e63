/* Matrices whose entries are known to differ by many orders of magnitude, for other parts. */
#ifndef DAL_LINSOL_BALANCE_H
#define DAL_LINSOL_BALANCE_H

#include "dalembert/linsol.h"

/* From now on rows and columns are multiplied by d (n, rounded to powers of two) before a matrix is factored; NULL: they are scaled only
 * where it seems singular. d must outlive the solver. (LS.10) */
void dal_linsol_balance(dal_linsol *ls, const double *d);

#endif
