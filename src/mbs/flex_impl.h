/* Flexible bodies: a frame and modal coordinates z (docs/theory/flexible.md).
 *
 * A point of the body at a in its frame moves to s = a + psi z (+ half of a quadratic field g(z, z) where stiffening is
 * wanted). Sums over all nodes are computed once, when the body is added; a step uses only these sums. */
#ifndef DAL_MBS_FLEX_IMPL_H
#define DAL_MBS_FLEX_IMPL_H

#include "mbs/flex_node_kernel.h"
#include "mbs/mbs_impl.h"

/* n modes; the sums over the nodes as flex_sums has them. */
struct mb_flex {
    int n;
    flex_sums sums; /* refers to what follows */
    double c0[3], P0[9], Jr[9], *C1, *Hr, *P1, *P2, *W, *G, *M, *K, *D;
    double *z0, *zd0; /* initial values */
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

/* Part of an instance. */
struct mb_flex_state {
    double *z0, *zd0; /* initial values */
    double *z, *zd;   /* those of the state */
    flex_state now;
    double *turned; /* FLEX_NODE_ROOM n numbers */
};

void mb_flex_state_carve(mb_flex_state *bent, dal_arena *arena, int n);

void mb_flex_destroy(mb_flex *f, dal_ctx *ctx); /* NULL is fine */

/* Sums at the state (z, z'), and with them the centre of mass and inertia of the body. */
void mb_flex_update(mb_body *b, const double *z, const double *zd);

/* Interface node k for the kernels. */
static inline flex_node mb_flex_node(const mb_flex *f, int k)
{
    const size_t n = (size_t)f->n, first = 3 * n * (size_t)k;
    return (flex_node){f->n, f->a + 3 * (size_t)k, f->psi + first, f->theta + first, f->g ? f->g + first * n : NULL};
}

/* The initial pose of interface node k, of a body whose frame is at `frame`, with modal coordinates z. turned: room for
 * FLEX_NODE_ROOM n numbers. */
dal_body mb_node_pose(const dal_body *frame, const mb_flex *flex, double *turned, int k, const double *z);
/* Place, shapes (3 x nmodes), rotations and, unless NULL, second-order displacements of a mean of nodes; all zero before. */
void mb_flex_average(double *a, double *psi, double *theta, double *g, const dal_modes *d, const dal_average *by);
dal_status mb_check_average(dal_model *m, const char *name, const dal_modes *d, int number) DAL_NODISCARD;

#endif
