/* The saddle system (IN.4) by mass first: with M block diagonal and positive definite
 *
 *     (B M^-1 B^T) y = B M^-1 f - c,   x = M^-1 (f - B^T y)                                         (PR.6)
 *
 * The inverse blocks of M are kept as long as M stays the same, and B M^-1 B^T, symmetric, has a narrow envelope in chains and
 * small loops. Without it a step of rk 5 takes 65 % more instructions on a chain of 10 links, 45 % on the heavy top (bench/table).
 * Nothing else is carried from one matrix to the next: the bits do not depend on what was factored before. */
#ifndef DAL_PROJECTION_SCHUR_H
#define DAL_PROJECTION_SCHUR_H

#include "linearize/bordered.h"

typedef struct dal_schur dal_schur;

/* *out = NULL where it would not pay: large blocks of M, a wide envelope, forces that depend on lambda. */
dal_status dal_schur_create(dal_schur **out, dal_ctx *ctx, dal_eval *ev) DAL_NODISCARD;
void dal_schur_destroy(dal_schur *s);

/* Take M and B at a point and factor. *done = 0: M couples factors or is not safely positive definite, or rows depend on each
 * other, nearly: pivots are needed, and M and B are there for dal_schur_pass. */
dal_status dal_schur_factor(dal_schur *s, int *done, const dal_point *at) DAL_NODISCARD;
/* Push what was taken to the matrix of a solver that is to do it instead; 0: it is not complete. */
int dal_schur_pass(const dal_schur *s, dal_bordered *matrix);

/* y := B x */
void dal_schur_constrain(const dal_schur *s, double *y, const double *x);
/* x (nv, then nc) := A^-1 x; refined: once more with what is left. */
void dal_schur_solve(dal_schur *s, double *x, int refined);

#endif
