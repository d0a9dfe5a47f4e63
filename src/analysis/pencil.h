/* The linearised system in minimal form, dense (docs/theory/modes.md, section 3). */
#ifndef DAL_ANALYSIS_PENCIL_H
#define DAL_ANALYSIS_PENCIL_H

#include "analysis/axes.h"
#include "base/memory.h"
#include "dalembert/linearize.h"
#include "linsol/subspace.h"

/* State z = (x, y): d = Nh x, w = N y + W x. All matrices column-major. */
typedef struct dal_pencil {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_linearization *lin;
    int nv, nc, nh;                      /* velocities, rows, holonomic rows and those of states of first order */
    int np, nf, n;                       /* degrees of freedom of positions and of velocities; np + nf */
    double *M, *C, *K;                   /* nv x nv */
    double *B, *Z;                       /* nc x nv */
    double *F;                           /* nv x nc: B^T + G */
    double *D, *H;                       /* nv x nv: rate of the axes, hat(v) + D; C is C + M D after dal_pencil_axes */
    double *Nh, *N, *L, *W;              /* nv x np, nv x nf, nv x nf, nv x np */
    double *P;                           /* nv x n: w of a state, [W N] */
    double *R;                           /* nv x n: M W x' + (C + M D) w + K d of a state */
    double *Mr;                          /* nf x nf: L^T M N */
    double *A;                           /* n x n */
    double *work, *work2, *right;        /* nv x n */
    dal_kernel *holonomic, *rows, *left; /* left: of F^T, NULL if F = B^T */
    dal_arena arena;
} dal_pencil;

/* Is this velocity a state of first order? It has no coordinate: its displacement is zero. */
int dal_is_state(const dal_system *sys, int index);

dal_status dal_pencil_create(dal_pencil **out, dal_ctx *ctx, const dal_system *sys, dal_data *data) DAL_NODISCARD;
void dal_pencil_destroy(dal_pencil *p); /* NULL is fine */
/* Matrices at a point, and those of the axes. */
dal_status dal_pencil_at(dal_pencil *p, const dal_point *at, const dal_axes_choice *axes) DAL_NODISCARD;
/* Bases of the perturbations that the constraints allow. */
dal_status dal_pencil_bases(dal_pencil *p) DAL_NODISCARD;
/* Those of another instant carried over instead. *defect: how far they are from being bases here. */
dal_status dal_pencil_carry(dal_pencil *p, double *defect, const dal_pencil *from, const dal_axes_choice *axes,
                            const double *q0, const double *q1, double dt) DAL_NODISCARD;
/* A of z' = A z. DAL_SINGULAR if the mass matrix is, on the motions that the constraints allow. */
dal_status dal_pencil_reduce(dal_pencil *p) DAL_NODISCARD;

#endif
