/* What the creators share. */
#ifndef PROBLEMS_PROBLEM_IMPL_H
#define PROBLEMS_PROBLEM_IMPL_H

#include "problems/problems.h"

/* Zero the problem and build its group: sizes are known afterwards. */
dal_status problem_start(problem *p, dal_ctx *ctx, const char *name, const dal_factor_spec *spec, int n) DAL_NODISCARD;
/* Wrap the dense description. Without a motion of its own the problem gets index1_motion. Frees p on failure. */
dal_status problem_finish(problem *p) DAL_NODISCARD;

/* The exact motion by extrapolation of q' = q v~, v' from the linear system of kkt.h, all in the problem's own
 * coordinates and its double precision matrices: good to about 1e-12. */
void index1_motion(problem *p, double h);

#endif
