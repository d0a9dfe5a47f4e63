/* A sink that adds up all blocks in plain matrices, for systems of at most GATHER_MAX velocities and rows. */
#ifndef TEST_GATHER_H
#define TEST_GATHER_H

#include "dalembert/system.h"

enum { GATHER_MAX = 12 };

typedef struct gather {
    dal_sink sink; /* first */
    const dal_system *sys;
    int nv, nc;
    double M[GATHER_MAX * GATHER_MAX], C[GATHER_MAX * GATHER_MAX], K[GATHER_MAX * GATHER_MAX]; /* nv x nv */
    double B[GATHER_MAX * GATHER_MAX], Z[GATHER_MAX * GATHER_MAX];                             /* nc x nv */
    double Aq[GATHER_MAX * GATHER_MAX], Av[GATHER_MAX * GATHER_MAX];                           /* nc x nv */
    double G[GATHER_MAX * GATHER_MAX];                                                         /* nv x nc */
} gather;

/* Evaluate all tangents at a point, what is missing by differences. */
void gather_tangents(gather *to, dal_ctx *ctx, const dal_system *sys, const dal_point *at);

#endif
