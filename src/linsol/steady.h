/* Matrices whose blocks of bodies are often those of the time before, as M is where it does not depend on q. */
#ifndef DAL_LINSOL_STEADY_H
#define DAL_LINSOL_STEADY_H

#include "dalembert/linsol.h"

/* Say that it is so before a solver is made from the pattern: `block` then keeps the inverses of nodes that enter the elimination
 * unchanged, and takes them again while their entries are the same to the last bit. */
void dal_pattern_steady(dal_pattern *pattern);

#endif
