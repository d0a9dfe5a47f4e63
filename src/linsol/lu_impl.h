/* Dense LU of our own, A Q = L U, for matrices too small to pay for a library call. */
#ifndef DAL_LU_IMPL_H
#define DAL_LU_IMPL_H

#include "base/memory.h"

/* L (lower, with the pivots on its diagonal) and U (unit upper) in one array, by columns. A step picks its pivot along
 * a row and exchanges columns, which is done by exchanging two indices; and a row without pivot is an equation that
 * depends on those before it. ld is n or n + 1, whichever is even: the row n, if there is one, is zero, and inner
 * loops go by twos without a remainder. */
typedef struct dal_lu {
    int n, ld;
    double *lu;  /* ld x n */
    double *inv; /* n: reciprocals of the pivots */
    double *w;   /* ld: work of the solves; scales of the columns while factoring */
    int scaled;  /* the scales are there */
    int *q;      /* n: column k of L and U grew from column q[k] of A */
    double **c;  /* n: and is stored there, c[k] = lu + ld q[k] */
} dal_lu;

void dal_lu_carve(dal_lu *lu, dal_arena *arena, int n);

/* Copy A, n x n with leading dimension n, to lu. Returns its 1-norm, or infinity if an entry is not finite. */
double dal_lu_load(dal_lu *lu, const double *A);

/* Factor what was loaded from A. Returns -1, or the first row that depends, up to rounding, on the rows above it; the
 * factors are then unusable. */
int dal_lu_factor(dal_lu *lu, const double *A, double norm1);

/* b := A^-1 b, b := A^-T b. */
void dal_lu_solve(const dal_lu *lu, double *b);
void dal_lu_solve_transposed(const dal_lu *lu, double *b);

#endif
