/* dalembert/flexible.h - descriptions of flexible bodies (docs/theory/flexible.md): shapes, inertia, initial motion. */
#ifndef DALEMBERT_FLEXIBLE_H
#define DALEMBERT_FLEXIBLE_H

#include "dalembert/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A weighted mean of nodes of a flexible body: an interface that many nodes carry, like the rim of a bore. It moves with the mean
 * of their displacements and turns as fits these best (FX.12). */
typedef struct dal_average {
    int n;
    const int *node;      /* n, each once */
    const double *weight; /* [n, positive, 1e-30 to 1e30; equal if not given] */
} dal_average;

/* Inertia of a flexible body, integrals over its mass, (FX.4): n modes psi, places a. Matrices column-major. */
typedef struct dal_flexible_sums {
    double mass, first[3];    /* sum m, sum m a */
    double inertia[6];        /* about the origin of the frame: xx, yy, zz, xy, xz, yz */
    const double *shape;      /* 3 per mode: sum m psi_k */
    const double *place;      /* 9 per mode: sum m a psi_k^T */
    const double *product;    /* 9 at 9 (l + n k): sum m psi_l psi_k^T */
    const double *modal_mass; /* n x n */
} dal_flexible_sums;

/* Shapes of a flexible body from a finite element program, or from dal_beam_modes_create (dalembert/flex.h). All places are in
 * the axes of the body frame, matrices column-major, [ ]: may be NULL. A node with mass that is no interface may be any
 * point at which the mass is lumped. */
typedef struct dal_modes {
    int nnodes, nmodes;
    const double *node;             /* 3 per node: place in the undeformed body */
    const double *mass;             /* per node; NULL: sums */
    const double *inertia;          /* [6 per node: xx, yy, zz, xy, xz, yz about the node] */
    const double *shape;            /* 3 x nmodes per node: displacement per unit of each modal coordinate */
    const double *rotation;         /* [3 x nmodes per node: (small) rotation; zero if not given] */
    const double *foreshortening;   /* [3 x nmodes x nmodes per node: g_kl of the second-order displacement
                                       1/2 sum g_kl z_k z_l, symmetric in k, l: geometric stiffening, (FX.1)] */
    const double *stiffness;        /* nmodes: modal stiffness, diagonal */
    const double *stiffness_matrix; /* [nmodes x nmodes instead of it] */
    const double *damping;          /* [nmodes: damping ratios] */
    int ninterfaces;
    const int *interfaces;             /* nodes where elements may be attached; nnodes + k: mean number k */
    const char *const *interface_name; /* [their names; otherwise "1", "2", ...] */
    int naverages;
    const dal_average *average;    /* naverages */
    const dal_flexible_sums *sums; /* [instead of masses and inertias at nodes] */
    int ntriangles;
    const int *triangle; /* [3 nodes each: its surface, for pictures] */
    int nrecovery;
    const double
        *recovery; /* [nrecovery x nmodes: what else follows from the modal coordinates, stresses for instance] */
} dal_modes;

/* A flexible body: a frame of type r3so3 and modal coordinates, each a body as far as elements are concerned. The frame
 * has the name of the body, interface node "tip" of "arm" is body "arm/tip", with axes along those of the frame when
 * undeformed. *number is the frame's; the interface nodes have the numbers that follow, in their order. Everything
 * is copied. */
typedef struct dal_flexible {
    const char *name;
    const dal_modes *modes;
    double position[3]; /* initial: as in dal_body, of the frame */
    double rotation[4];
    double velocity[3];
    double angular_velocity[3];
    const double *modal;          /* [nmodes: initial modal coordinates] */
    const double *modal_velocity; /* [nmodes] */
    int given;                    /* as in dal_body */
} dal_flexible;

#ifdef __cplusplus
}
#endif
#endif
