/* Where the blocks of a system go in the matrix of a linear solver: patterns are announced here, and the kernels that add
 * blocks through their slots. What each method multiplies the blocks by is its own affair. */
#ifndef DAL_LINEARIZE_LAYOUT_H
#define DAL_LINEARIZE_LAYOUT_H

#include "base/vector.h"
#include "dalembert/linsol.h"
#include "system/eval.h"

/* Sizes of the blocks of a pair (M, C, K) and of a link (B, Z: ni x nj; G, B^T: nj x ni), and their first row and
 * column among the velocities or constraint rows. */
typedef struct dal_block_at {
    int i, ni, j, nj;
} dal_block_at;

static inline dal_block_at dal_pair_at(const dal_eval *ev, int pair)
{
    const dal_pair p = ev->sys->pair[pair];
    const dal_factor *fi = &ev->G->factor[p.i], *fj = &ev->G->factor[p.j];
    return (dal_block_at){fi->v, fi->nv, fj->v, fj->nv};
}

static inline dal_block_at dal_link_at(const dal_eval *ev, int link)
{
    const dal_link l = ev->sys->link[link];
    const dal_factor *fj = &ev->G->factor[l.j];
    return (dal_block_at){ev->row0[l.c], ev->sys->constraint[l.c].nrows, fj->v, fj->nv};
}

/* Where F of a couple stands among the constraint rows. */
static inline dal_block_at dal_couple_at(const dal_eval *ev, int couple)
{
    const dal_couple k = ev->sys->couple[couple];
    return (dal_block_at){ev->row0[k.c], ev->sys->constraint[k.c].nrows, ev->row0[k.d], ev->sys->constraint[k.d].nrows};
}

/* Does the link belong to laws? */
static inline int dal_link_of_law(const dal_eval *ev, int link)
{
    return ev->sys->constraint[ev->sys->link[link].c].kind == DAL_ROWS_LAW;
}

/* ---- announcing ------------------------------------------------------------------------------- */

/* Nodes: factor f becomes node f, constraint block c node nfactors + c. v0 and c0: where the velocities and the
 * multipliers begin; dal_layout_factors leaves the latter out. May be called several times, for unknowns that are eliminated together. */
dal_status dal_layout_factors(dal_pattern *pattern, const dal_eval *ev, int v0) DAL_NODISCARD;
dal_status dal_layout_nodes(dal_pattern *pattern, const dal_eval *ev, int v0, int c0) DAL_NODISCARD;
/* A slot for each pair, rows and columns from i0 and j0 on. */
dal_status dal_layout_pairs(dal_pattern *pattern, const dal_eval *ev, int i0, int j0) DAL_NODISCARD;
/* Two slots for each link: B at (c0, v0), then its transpose. */
dal_status dal_layout_links(dal_pattern *pattern, const dal_eval *ev, int c0, int v0) DAL_NODISCARD;
/* A slot for each couple, rows and columns from c0 on. */
dal_status dal_layout_couples(dal_pattern *pattern, const dal_eval *ev, int c0) DAL_NODISCARD;
/* A slot for each of n entries of the diagonal, from `first` on. */
dal_status dal_layout_diagonal(dal_pattern *pattern, int first, int n) DAL_NODISCARD;

/* A solver for n unknowns whose pattern `announce` describes. */
dal_status dal_layout_solver(dal_linsol **ls, dal_ctx *ctx, int n, dal_linsol_kind kind,
                             dal_status (*announce)(dal_pattern *pattern, const void *self),
                             const void *self) DAL_NODISCARD;

/* ---- adding ----------------------------------------------------------------------------------- */

/* With the usual numbers of rows, 6 of a body and 3 of a joint, as constants the compiler unrolls the loops. */
DAL_INLINE void dal_scatter_rows(double *restrict x, const int *column, const double *restrict X, int ld, int ni,
                                 int nj, double scale)
{
    for (int j = 0; j < nj; ++j) {
        double *to = x + column[j];
        const double *from = X + j * ld;
        int i = 0;
        for (; i + DAL_PAIR <= ni; i += DAL_PAIR) {
            *(dal_two *)(to + i) += *(const dal_two *)(from + i) * scale;
        }
        if (i < ni) {
            to[i] += scale * from[i];
        }
    }
}

/* A[slot] += scale X, ni x nj with leading dimension ld */
static inline void dal_scatter(const dal_matrix *A, int slot, const double *X, int ld, int ni, int nj, double scale)
{
    const int *column = A->slot[slot];
    if (ni == 6) {
        dal_scatter_rows(A->x, column, X, ld, 6, nj, scale);
    } else if (ni == 3) {
        dal_scatter_rows(A->x, column, X, ld, 3, nj, scale);
    } else {
        dal_scatter_rows(A->x, column, X, ld, ni, nj, scale);
    }
}

DAL_INLINE void dal_scatter_columns(double *restrict x, const int *column, const double *restrict X, int ld, int ni,
                                    int nj)
{
    for (int i = 0; i < ni; ++i) {
        double *restrict to = x + column[i];
        for (int j = 0; j < nj; ++j) {
            to[j] += X[i + j * ld];
        }
    }
}

/* A[slot] += X^T, X ni x nj with leading dimension ld */
static inline void dal_scatter_transposed(const dal_matrix *A, int slot, const double *X, int ld, int ni, int nj)
{
    const int *column = A->slot[slot];
    if (ld == 3 && nj == 6) {
        dal_scatter_columns(A->x, column, X, 3, ni, 6);
    } else if (nj == 6) {
        dal_scatter_columns(A->x, column, X, ld, ni, 6);
    } else {
        dal_scatter_columns(A->x, column, X, ld, ni, nj);
    }
}

#endif
