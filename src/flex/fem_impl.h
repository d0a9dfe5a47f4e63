/* Reduction of finite element bodies (docs/theory/fem.md), shared by its files:
 *     fem.c          checks, the steps one after the other, the result
 *     fem_matrix.c   matrices from entries, products, the factored matrix
 *     fem_system.c   unknowns: interfaces, rigid motions
 *     fem_modes.c    static shapes, vibrations, their common space
 *     fem_inertia.c  integrals over the mass */
#ifndef DAL_FLEX_FEM_IMPL_H
#define DAL_FLEX_FEM_IMPL_H

#include "base/memory.h"
#include "dalembert/fem.h"
#include "dalembert/linsol.h"
#include "linsol/subspace.h"

/* Two symmetric matrices of one pattern, compressed columns with ascending rows, both triangles. */
typedef struct fem_pair {
    int n;
    int *colptr, *row;
    double *K, *M;
} fem_pair;

/* Rows of coefficients, few of them not zero: interface coordinates from unknowns. */
typedef struct fem_rows {
    int n;
    int *ptr, *index; /* n + 1 */
    double *x;
} fem_rows;

typedef struct fem_body {
    const dal_fem *d;
    dal_ctx *ctx;
    dal_pool pool; /* what lives until the reduction is done */
    double *node;  /* 3 per node, m */
    int *dof;      /* ndofs: 6 node + component */
    int *of_node;  /* 6 nnodes: row of a component, -1: there is none */
    fem_pair full; /* as given; its K is not kept if there are rigid interfaces */
    /* Unknowns: rows of nodes that are in no rigid interface, then six of each of these. */
    fem_pair sys;
    int *unknown;   /* 3 ndofs: row i is sum t_k unknown_k, (FE.1); -1: none */
    double *t;      /* 3 ndofs */
    int *group;     /* sys.n: what belongs together, for the solver */
    fem_rows B;     /* interface coordinates, (FE.2) */
    int *first;     /* ninterfaces + 1: rows of each in B, three or six */
    double *place;  /* 3 per interface */
    double *R, *MR; /* sys.n x 6: rigid motions with R^T M R = I */
    double *T;      /* sys.n x 6: displacements along and rotations about the axes at the origin */
    double shift;   /* s of S = K + s M */
    dal_linsol *S;
    double *G; /* sys.n x B.n: S^-1 B^T */
    double *Q; /* B.n x B.n: (B S^-1 B^T)^-1 */
} fem_body;

/* ---- matrices --------------------------------------------------------------------------------- */

/* Entries of two matrices; k, m are added. row, col, k, m: count. */
dal_status fem_compress(fem_pair *pair, dal_pool *pool, int n, size_t count, const int *row, const int *col,
                        const double *k, const double *m) DAL_NODISCARD;
/* The matrices as given, both triangles, in SI units; refused if they are not symmetric or not finite. */
dal_status fem_read(fem_body *b) DAL_NODISCARD;
dal_status fem_check_mass(fem_body *b) DAL_NODISCARD;
/* Y (n x ncols) = A X, with the values of K or M */
void fem_product(double *Y, const fem_pair *A, const double *x, const double *X, int ncols);
/* S = K + s M, factored. */
dal_status fem_factor(fem_body *b, double shift) DAL_NODISCARD;

/* ---- unknowns --------------------------------------------------------------------------------- */

dal_status fem_system(fem_body *b) DAL_NODISCARD;
dal_status fem_rigid(fem_body *b) DAL_NODISCARD;
/* Y (B.n x ncols) = B X */
void fem_interface(double *Y, const fem_body *b, const double *X, int ncols);
/* u (ndofs) from unknowns. */
void fem_expand(double *u, const fem_body *b, const double *x);
/* Unknowns that follow a field: displacement and rotation at a place. */
typedef void (*fem_field)(double u[6], const double a[3], const void *user);
void fem_sample(double *x, const fem_body *b, fem_field field, const void *user);
/* X (n x ncols) without rigid motions. */
void fem_remove_rigid(const fem_body *b, double *X, int ncols);

/* ---- shapes ----------------------------------------------------------------------------------- */

typedef struct fem_shapes {
    int n;          /* shapes */
    double *X;      /* sys.n x n, X^T M X = I, X^T K X diagonal */
    double *square; /* n: of angular frequencies */
    int nheld, nfull;
    double *held, *effective, *full; /* squares; 6 x nheld */
} fem_shapes;

dal_status fem_estimate(fem_body *b, double *square) DAL_NODISCARD; /* of the lowest angular frequency */
dal_status fem_reduce(fem_body *b, fem_shapes *s) DAL_NODISCARD;

/* ---- inertia ---------------------------------------------------------------------------------- */

/* Shapes X (sys.n x n) as they are in the frame; sums->shape and so on have memory for them. */
typedef struct fem_sums {
    double *shape, *place, *product, *modal_mass;
} fem_sums;
dal_status fem_inertia(fem_body *b, dal_flexible_sums *sums, const fem_sums *to, const double *X, int n) DAL_NODISCARD;

#endif
