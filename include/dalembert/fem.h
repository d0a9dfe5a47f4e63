/* dalembert/fem.h - bodies from finite element programs, reduced to flexible bodies (docs/theory/fem.md).
 *
 *     dal_fem_reduce -> dal_model_add_flexible(&reduced->modes) -> dal_fem_destroy */
#ifndef DALEMBERT_FEM_H
#define DALEMBERT_FEM_H

#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entries of a matrix, counted from 0; those of the same place add up. A symmetric matrix may have both triangles or one. */
typedef struct dal_entries {
    int n;
    const int *row, *col; /* n */
    const double *x;      /* n */
} dal_entries;

/* A set of nodes where elements are attached: it moves as one piece (rigid), or its mean counts (FX.12). A single node stands for
 * itself; without rotations of its own it only moves. */
typedef struct dal_fem_interface {
    const char *name;
    int n;
    const int *node;      /* n, each once and in no other interface */
    const double *weight; /* [n, positive; of a mean, equal if not given] */
    int average;
} dal_fem_interface;

typedef enum dal_fem_method {
    DAL_FEM_CRAIG_BAMPTON = 0, /* static shapes of the interfaces, vibrations with these held */
    DAL_FEM_FREE = 1           /* vibrations of the free body, static shapes under forces at the interfaces */
} dal_fem_method;

/* Zero-initialise. [ ]: may be NULL. */
typedef struct dal_fem {
    int nnodes, ndofs;
    const double *node; /* 3 per node */
    const int
        *dof; /* [ndofs: 6 node + component (displacements 0, 1, 2; rotations 3, 4, 5) of each row; NULL: three or six
                              rows for each node in turn] */
    dal_entries M, K;    /* ndofs x ndofs; of a body that nothing holds */
    double length, mass; /* units of nodes and matrices in m and kg; 0: 1. With time in s, forces follow */
    double stiffness_factor, mass_factor; /* of K and M, for another material; 0: 1 */
    int ninterfaces;
    const dal_fem_interface *interfaces;
    dal_fem_method method;
    int nmodes;            /* vibrations, by number */
    double frequency;      /* or all below it, in Hz; 0: by number */
    double cutoff;         /* shapes of the result with a higher frequency are left out; 0: none */
    const char *reference; /* [interface that the frame is fixed to; NULL: mean axes, which see no relative momentum] */
    double damping;        /* damping ratio of all modes */
    int ntriangles;        /* of the surface, for pictures */
    const int *triangle;   /* [3 nodes each] */
    int nrecovery;         /* rows of the matrix that turns displacements into stresses, or into what else is wanted */
    dal_entries recovery;  /* nrecovery x ndofs */
} dal_fem;

/* Frequencies in Hz. */
typedef struct dal_fem_report {
    int ndofs, nmodes, nfull, nheld, ninterface; /* ninterface: coordinates of the interfaces */
    double mass, com[3], inertia[6];             /* of the body; about its centre of mass: xx, yy, zz, xy, xz, yz */
    double speed;            /* of longitudinal waves, m/s, from a uniform strain: tells units that do not fit */
    const double *frequency; /* nmodes: of the reduced body when it is free */
    const double *full;      /* nfull: the lowest ones of the whole body */
    const double *held;      /* nheld: with the interfaces held; Craig-Bampton */
    const double *effective; /* 6 x nheld: effective masses over mass: along and about x, y, z */
} dal_fem_report;

typedef struct dal_fem_result {
    dal_modes modes;
    dal_fem_report report;
} dal_fem_result;

/* Everything is copied. DAL_EINVAL: what is wrong with the matrices, in words. */
DAL_API dal_status dal_fem_reduce_(dal_fem_result **result, dal_ctx *ctx, const dal_fem *fem,
                                   size_t size) DAL_NODISCARD;
DAL_API void dal_fem_destroy(dal_fem_result *result); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
