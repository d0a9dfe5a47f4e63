/* Solves of block elimination with QUAD right-hand sides, side by side: w has so many numbers for each unknown. Each sum has the
 * order of the solve with one right-hand side, hence the same bits. Inlined into callers for several processors (block.c). */
#ifndef DAL_LINSOL_BLOCK_MANY_H
#define DAL_LINSOL_BLOCK_MANY_H

#include "linsol/block_kernels.h"

/* *sum = sum_j a_j x_j, n numbers a, ld apart */
DAL_INLINE void row_times(four *sum, const double *a, int ld, int n, const four *x)
{
    four total = a[0] * x[0];
    for (int j = 1; j < n; ++j) {
        total += a[j * ld] * x[j];
    }
    *sum = total;
}

/* w_k := A_kk^-1 w_k, w_i -= A_ik w_k */
DAL_INLINE void many_lower(const block_solver *s, int k, int size)
{
    const block_order *o = &s->order;
    const double *diag = s->x + s->diag[k], *lower = s->x + s->lower[k];
    const int rows = s->rows[k];
    four *w = (four *)s->four, *own = w + o->first[k], x[DAL_MAX_NODE], y;
    for (int i = 0; i < size; ++i) {
        row_times(&x[i], diag + i, size, size, own);
    }
    for (int i = 0; i < size; ++i) {
        own[i] = x[i];
    }
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        four *to = w + o->first[o->adj[e]], *end = to + o->size[o->adj[e]];
        for (const double *a = lower + s->part[e]; to < end; ++a, ++to) {
            row_times(&y, a, rows, size, x);
            *to -= y;
        }
    }
}

/* w_k -= (A_kk^-1 A_kj) w_j */
DAL_INLINE void many_upper(const block_solver *s, int k, int size)
{
    const block_order *o = &s->order;
    four *w = (four *)s->four, *own = w + o->first[k], sum[DAL_MAX_NODE];
    const double *u = s->x + s->upper[k];
    for (int i = 0; i < size; ++i) {
        sum[i] = own[i];
    }
    for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
        const four *x = w + o->first[o->adj[e]], *end = x + o->size[o->adj[e]];
        for (; x < end; ++x, u += size) {
            for (int i = 0; i < size; ++i) {
                sum[i] -= u[i] * *x;
            }
        }
    }
    for (int i = 0; i < size; ++i) {
        own[i] = sum[i];
    }
}

#endif
