/* The state of the dense solvers: they differ only in who computes the factors. */
#ifndef DAL_DENSE_IMPL_H
#define DAL_DENSE_IMPL_H

#include "linsol/linsol_impl.h"
#include "linsol/lu_impl.h"

typedef struct dense_solver {
    dal_linsol base;
    dal_lu lu;
    int *swap;    /* n: row exchanges of the factors P A = L U */
    int own;      /* the factors are those of dal_lu_factor */
    double *room; /* work of the panels */
} dense_solver;

void dal_dense_carve(dal_linsol *ls, dal_arena *arena);
/* Load for either, factor with our own LU, solve with its factors. */
double dal_dense_load(dal_linsol *ls);
dal_status dal_dense_factor(dal_linsol *ls) DAL_NODISCARD;
void dal_dense_solve(const dal_linsol *ls, double *b);
void dal_dense_solve_transposed(const dal_linsol *ls, double *b);
/* The factors themselves are saved: nothing is computed again. */
void dal_dense_pass(dal_linsol *ls, dal_cursor *k);

#endif
