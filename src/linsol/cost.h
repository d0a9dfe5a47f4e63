/* What a solver is expected to cost, known from its plan: for decisions that must not depend on clocks. */
#ifndef DAL_LINSOL_COST_H
#define DAL_LINSOL_COST_H

#include "dalembert/linsol.h"

/* Of a factorisation and of a solve, in operations of a dense LU. */
void dal_linsol_cost(const dal_linsol *ls, double *factor, double *solve);

#endif
