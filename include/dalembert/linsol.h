/* dalembert/linsol.h - linear systems with a fixed pattern (docs/theory/linsol.md).
 *
 * A matrix is announced once as a list of dense blocks (the pattern). Each block is a slot: a list of
 * offsets, one per column, into the value array, so that adding a block to the matrix is
 *
 *     for each column j:  for each row i:  A->x[slot[j] + i] += block[i + j*ld]
 *
 * whatever the storage (dense column-major or compressed columns). No search, no allocation. */
#ifndef DALEMBERT_LINSOL_H
#define DALEMBERT_LINSOL_H

#include "dalembert/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pattern ---------------------------------------------------------------------------------- */

typedef struct dal_pattern dal_pattern;

DAL_API dal_status dal_pattern_create(dal_pattern **pattern, dal_ctx *ctx, int n) DAL_NODISCARD;
DAL_API void dal_pattern_destroy(dal_pattern *pattern);
/* Announce a block of ni x nj entries with its first entry at (i, j); blocks may overlap. Slots are
 * numbered 0, 1, ... in the order of the calls. */
DAL_API dal_status dal_pattern_block(dal_pattern *pattern, int i, int j, int ni, int nj) DAL_NODISCARD;

/* Say which unknowns belong together: `first` .. first + n - 1 to node number `node` (0 .. size of the matrix - 1; a
 * node may have several such ranges). Level 0: a body, whose diagonal block is regular by itself; level 1: a
 * constraint, to be eliminated after the bodies it connects. With nodes for all unknowns the solvers `block` and
 * `frontal` can be used, and DAL_LINSOL_AUTO considers them. */
DAL_API dal_status dal_pattern_node(dal_pattern *pattern, int first, int n, int node, int level) DAL_NODISCARD;

/* ---- matrix ----------------------------------------------------------------------------------- */

typedef struct dal_matrix {
    int n, nnz; /* dense storage: nnz = n^2 */
    int dense;
    const int *colptr, *row; /* compressed columns, rows ascending; NULL when dense */
    double *x;               /* values: fill through slots */
    int nslots;
    const int *const *slot; /* slot[k][j]: offset in x of the first row of column j of block k */
} dal_matrix;

DAL_API void dal_matrix_zero(dal_matrix *A);
DAL_API void dal_matrix_add(dal_matrix *A, int slot, const double *block, int ld, int ni, int nj);
DAL_API void dal_matrix_mul(const dal_matrix *A, double *y, const double *x); /* y = A x */

/* ---- solver ----------------------------------------------------------------------------------- */

typedef struct dal_linsol dal_linsol;

typedef enum dal_linsol_kind {
    DAL_LINSOL_AUTO = 0,    /* by size and fill: the fastest as measured, see the theory page */
    DAL_LINSOL_SMALL = 1,   /* dense LU for small n */
    DAL_LINSOL_SPARSE = 3,  /* sparse LU, pivots anywhere */
    DAL_LINSOL_BLOCK = 4,   /* block elimination over nodes, for chains, trees and loops of bodies */
    DAL_LINSOL_FRONTAL = 5, /* nodes joined to dense fronts, for nets of bodies and large nodes */
    DAL_LINSOL_DENSE = 6    /* dense LU in panels, for larger n */
} dal_linsol_kind;

/* Create a solver with its matrix from a pattern (which may be destroyed afterwards). */
DAL_API dal_status dal_linsol_create(dal_linsol **ls, dal_ctx *ctx, const dal_pattern *pattern,
                                     dal_linsol_kind kind) DAL_NODISCARD;
DAL_API void dal_linsol_destroy(dal_linsol *ls);
DAL_API dal_matrix *dal_linsol_matrix(dal_linsol *ls);
DAL_API const char *dal_linsol_name(const dal_linsol *ls); /* "small", "dense", "sparse", ... */
/* Why DAL_LINSOL_AUTO took this solver: what each was expected to cost. Empty if the caller named it. */
DAL_API const char *dal_linsol_choice(const dal_linsol *ls);
/* `block` and `frontal` choose pivots within nodes only. Where these are not good enough, `sparse` takes over: number of
 * factorisations it has made. */
DAL_API long dal_linsol_fallbacks(const dal_linsol *ls);

/* Factor the matrix as it stands. The values are kept: the matrix may be read afterwards. A sparse solver
 * keeps its pivot order from one call to the next and renews it when the pivots have grown or shrunk too
 * much. DAL_SINGULAR if no pivot can be found or entries are not finite; dal_linsol_singular_row then tells
 * which equation. After the first success no call allocates, but for two cases: `sparse`, itself or when it takes over
 * from another solver, allocates (through the context) when new pivots need more memory than all before, and when the
 * matrix is singular, to name the equation. */
DAL_API dal_status dal_linsol_factor(dal_linsol *ls) DAL_NODISCARD;
DAL_API int dal_linsol_singular_row(const dal_linsol *ls);      /* from 0; -1 if none */
DAL_API void dal_linsol_solve(const dal_linsol *ls, double *b); /* b := A^-1 b, after a successful factor */
/* The same, refined where the solver does not search the whole matrix for pivots (block, frontal); the values of the
 * matrix must still be those that were factored. For systems whose solution nothing corrects afterwards. */
DAL_API void dal_linsol_solve_refined(const dal_linsol *ls, double *b);
/* b := A^-T b, refined likewise. */
DAL_API void dal_linsol_solve_transposed(const dal_linsol *ls, double *b);
/* Estimate of 1/cond_1(A); 0 if not factored. Costs a few solves; allocates nothing. */
DAL_API double dal_linsol_rcond(dal_linsol *ls);

DAL_API int dal_linsol_factored(const dal_linsol *ls); /* 1 if there are factors to solve with */
/* Forget pivots and factors: the next factorisation is that of a new solver, bit for bit. */
DAL_API void dal_linsol_forget(dal_linsol *ls);

/* Save all that decides the bits of later results, and restore it into a solver created from the same
 * pattern and kind. Sizes in doubles. Restoring into `sparse` factors twice and allocates. Numbers that cannot have been
 * saved are refused (DAL_ESNAPSHOT); the solver then has no factors. */
DAL_API size_t dal_linsol_snapshot_size(const dal_linsol *ls);
DAL_API void dal_linsol_save(const dal_linsol *ls, double *snapshot);
DAL_API dal_status dal_linsol_restore(dal_linsol *ls, const double *snapshot) DAL_NODISCARD;

/* ---- rank ------------------------------------------------------------------------------------- */

/* Which rows of the m x n matrix B depend on the others? B in compressed rows (rowptr[m+1], col, x).
 * dependent[0 .. m-rank-1] receives the rows left out of a maximal independent set, ascending. Rows are
 * equilibrated first; a row counts as dependent when what is left of it after the others is below tol
 * (tol <= 0: 1e-10) of its length. Zero rows are dependent. Columns need not ascend within a row. Small cases by
 * column-pivoted QR, large ones by sparse LU. */
DAL_API dal_status dal_rank_rows(dal_ctx *ctx, int *rank, int *dependent, int m, int n, const int *rowptr,
                                 const int *col, const double *x, double tol) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
