/* Flexible bodies: a frame and modal coordinates z (docs/theory/flexible.md).
 *
 * A point of the body at a in its frame moves to s = a + psi z (+ half of a quadratic field g(z, z) where stiffening is
 * wanted). Sums over all nodes are computed once, when the body is added; a step uses only these sums. */
#ifndef DAL_MBS_FLEX_IMPL_H
#define DAL_MBS_FLEX_IMPL_H

#include "mbs/mbs_impl.h"

/* n modes. 3 x 3 sums over the nodes are column-major; "per mode" arrays hold one after the other. (FX.4) */
struct mb_flex {
    int n;
    double c0[3], P0[9], Jr[9]; /* sum m a; sum m a a^T; sum of nodal inertias */
    double *C1, *Hr, *P1;       /* per mode: sum m psi (3), sum J theta (3), sum m a psi^T (9) */
    double *P2;                 /* sum m psi_l psi_k^T (9) at 9 (l + n k) */
    double *W, *G;              /* sum m a g_lk^T (9) and sum m g_lk (3), likewise; NULL: no stiffening */
    double *M, *K, *D;          /* n x n: modal mass and stiffness; n: modal damping */
    double *z0, *zd0;           /* initial values */
    /* interface nodes */
    int nnodes;
    double *a, *psi, *theta; /* per node: 3, 3 x n, 3 x n */
    double *g;               /* per node: 3 x n x n; NULL: no stiffening */
    /* all nodes, for pictures */
    int ndrawn;
    double *drawn, *drawn_shape; /* per node: 3, 3 x n */
    int ntriangles, *triangle;   /* 3 nodes each */
    int nrecovery;
    double *recovery; /* nrecovery x n */
    dal_arena arena;
};

/* At a state, (FX.5): part of an instance. */
struct mb_flex_state {
    double *z0, *zd0; /* initial values */
    double *z, *zd;
    double *C, *Q, *Y, *U; /* per mode: sum m d_k s (3); sum m s (d_k s)^T, sum m u' psi_k^T, sum z'_l W_lk (9 each) */
    double Qv[9];          /* sum m s s'^T */
    double p[3], L[3];     /* sum m s', sum m s x s' + J theta': momentum in the frame */
    double e[3], w[3];     /* sum m g(z', z'), sum m a x g(z', z') */
    double *turned;        /* scratch: three times 3 x n */
};

void mb_flex_state_carve(mb_flex_state *bent, dal_arena *arena, int n);

void mb_flex_destroy(mb_flex *f, dal_ctx *ctx); /* NULL is fine */

/* Sums at the state (z, z'), and with them the centre of mass and inertia of the body. */
void mb_flex_update(mb_body *b, const double *z, const double *zd);

/* Matrices of 6 + n rows, ld of them. */
typedef struct mb_flex_block {
    double *M, *C, *K;
    int ld;
} mb_flex_block;

/* The initial pose of interface node k, of a body whose frame is at `frame`, with modal coordinates z. */
dal_body mb_node_pose(const dal_body *frame, const mb_flex *flex, double *turned, int k, const double *z);
/* Pose of an interface node in the frame: position (3), rotation matrix (9). turned: room for 9 n numbers. */
void mb_flex_node(double s[3], double E[9], const mb_flex *f, double *turned, int node, const double *z);

/* y (m) = A (m x n) x, or += */
static inline void mb_gemv(double *y, const double *A, int m, const double *x, int n, int add)
{
    for (int i = 0; i < m && !add; ++i) {
        y[i] = 0.0;
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            y[i] += A[i + j * m] * x[j];
        }
    }
}

/* Place, shapes (3 x nmodes), rotations and, unless NULL, second-order displacements of a mean of nodes; all zero before. */
void mb_flex_average(double *a, double *psi, double *theta, double *g, const dal_modes *d, const dal_average *by);
dal_status mb_check_average(dal_model *m, const char *name, const dal_modes *d, int number) DAL_NODISCARD;

#endif
