/* What the kernels of both beam elements share: frames of nodes, sections, small matrices. (docs/theory/beams.md, labels BM.*)
 *
 * An element sees its nodes as section frames: origin x and a quaternion p that takes section axes to world axes; axis 1 is
 * the tangent. Velocities are x' in world axes and Omega in section axes; forces on a node are in world axes, torques in
 * section axes, and derivatives are taken along (dx, dtheta), dtheta in section axes. Strains (u, w) and section forces (n, m)
 * are in section axes. Matrices are column-major. */
#ifndef DAL_BEAM_BEAM_KERNEL_H
#define DAL_BEAM_BEAM_KERNEL_H

#include "lie/so3_kernel.h"

enum { BEAM_ORDER_MAX = 8, BEAM_NODES_MAX = BEAM_ORDER_MAX + 1, BEAM_SIZE_MAX = 6 * BEAM_NODES_MAX };

typedef struct beam_frame {
    real x[3], p[4];
    real xd[3], Om[3];
} beam_frame;

/* Per length, 6x6, in section axes. */
typedef struct beam_section {
    real K[36], D[36];
    int damped; /* D is not zero */
} beam_section;

/* A point of integration. weight: arc length that it stands for; slope: ds/dxi; f0: (u, w) of the reference. */
typedef struct beam_point {
    const beam_section *section;
    real weight, slope, f0[6];
    /* order four at two nodes (BM.18): flexibility, and the matrix at which the iteration starts (BM.21) */
    const real *F, *start;
} beam_point;

/* Lagrange polynomials at the nodes of Gauss, Lobatto nodes. */
typedef struct beam_table {
    int p;
    real node[BEAM_NODES_MAX], node_weight[BEAM_NODES_MAX]; /* Lobatto, on [-1, 1] */
    real point[BEAM_ORDER_MAX], point_weight[BEAM_ORDER_MAX];
    real l[BEAM_ORDER_MAX][BEAM_NODES_MAX], dl[BEAM_ORDER_MAX][BEAM_NODES_MAX];
    real dl_node[BEAM_NODES_MAX][BEAM_NODES_MAX]; /* slopes at the nodes: [at][of] */
} beam_table;

/* y = A x, 6x6 */
static inline void mul6(real y[6], const real *A, const real x[6])
{
    for (int i = 0; i < 6; ++i) {
        y[i] = A[i] * x[0];
    }
    for (int j = 1; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            y[i] += A[i + 6 * j] * x[j];
        }
    }
}

/* y = A^T x */
static inline void tmul6(real y[6], const real *A, const real x[6])
{
    for (int j = 0; j < 6; ++j) {
        const real *a = A + 6 * j;
        y[j] = a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3] + a[4] * x[4] + a[5] * x[5];
    }
}

static inline real dot6(const real a[6], const real b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* Y (6 x n) = A X */
static inline void mul6n(real *restrict Y, const real *restrict A, const real *restrict X, int n)
{
    for (int j = 0; j < n; ++j) {
        mul6(Y + 6 * j, A, X + 6 * j);
    }
}

#endif
