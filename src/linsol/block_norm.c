/* The 1-norm of a matrix of which only the factors are left: column by column it is multiplied together again. */
#include <math.h>

#include "base/vector.h"
#include "linsol/block_impl.h"
#include "linsol/block_kernels.h"

/* w_i += A_ik z for the later neighbours i of k, A_kk z for k itself; z: size of node k. */
static void add_column(const block_solver *s, int k, const double *z)
{
    const block_order *o = &s->order;
    const int size = o->size[k];
    double inverse[DAL_MAX_NODE * DAL_MAX_NODE];
    dal_copy(inverse, s->x + s->diag[k], size * size);
    (void)invert(inverse, size, HUGE_VAL, 0);
    for (int c = 0; c < size; ++c) {
        const double *lower = s->x + s->lower[k] + c * s->rows[k];
        for (int i = 0; i < size; ++i) {
            s->w[o->first[k] + i] += inverse[i + c * size] * z[c];
        }
        for (int e = o->adj0[k]; e < o->adj0[k + 1]; ++e) {
            for (int i = 0; i < o->size[o->adj[e]]; ++i) {
                s->w[o->first[o->adj[e]] + i] += lower[s->part[e] + i] * z[c];
            }
        }
    }
}

/* Column c of node j: A = L U with L_ik = A_ik, L_kk = A_kk, U_kj = A_kk^-1 A_kj and U_kk = 1, all as they were when k was
 * eliminated (LS.8). */
static double column_norm(const block_solver *s, int j, int c)
{
    const block_order *o = &s->order;
    double unit[DAL_MAX_NODE] = {0.0}, sum = 0.0;
    unit[c] = 1.0;
    dal_zero(s->w, s->base.A.n);
    add_column(s, j, unit);
    for (int k = 0; k < j; ++k) {
        for (int e = o->adj0[k]; e < o->adj0[k + 1] && o->adj[e] <= j; ++e) {
            if (o->adj[e] == j) {
                add_column(s, k, s->x + s->upper[k] + (s->part[e] + c) * o->size[k]);
            }
        }
    }
    for (int i = 0; i < s->base.A.n; ++i) {
        sum += fabs(s->w[i]);
    }
    return sum;
}

double dal_block_norm1(const block_solver *s)
{
    double norm = 0.0;
    for (int j = 0; j < s->order.nnodes; ++j) {
        for (int c = 0; c < s->order.size[j]; ++c) {
            norm = fmax(norm, column_norm(s, j, c));
        }
    }
    return norm;
}
