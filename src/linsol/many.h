/* Several right-hand sides at once, for other parts. */
#ifndef DAL_LINSOL_MANY_H
#define DAL_LINSOL_MANY_H

#include "dalembert/linsol.h"

/* b := A^-1 b, n x count, after a successful factor. Each column gets the bits of dal_linsol_solve; four together take little more
 * than one where nodes are eliminated. */
void dal_linsol_solve_many(const dal_linsol *ls, double *b, int count);
/* b := A^-T b likewise, without the refinement of dal_linsol_solve_transposed: the matrix may have been factored in place. */
void dal_linsol_solve_transposed_many(const dal_linsol *ls, double *b, int count);

#endif
