/* A linear solver within the snapshot of something larger. */
#ifndef DAL_LINSOL_PASS_H
#define DAL_LINSOL_PASS_H

#include "base/cursor.h"
#include "dalembert/linsol.h"

/* The matrix, its factors and the pivots they were made with. The scales of dal_linsol_balance must be those of the time it was
 * saved. ls NULL: nothing. */
void dal_linsol_pass(dal_linsol *ls, dal_cursor *k);

#endif
