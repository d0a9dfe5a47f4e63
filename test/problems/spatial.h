/* Rigid bodies in R^3 x SO(3) under gravity with joints made of two kinds of rows:
 *     points  x_i + R_i a - x_j - R_j b = 0   (world components from `from` to 2)
 *     angle   (R_i a) . (R_j b) = 0
 * j < 0 is the ground, where R = I and x = 0. Body i takes numbers 7i.. of q and 6i.. of v. */
#ifndef PROBLEMS_SPATIAL_H
#define PROBLEMS_SPATIAL_H

#include "dalembert/system.h"

enum { SPATIAL_BODIES = 4, SPATIAL_JOINTS = 16 };

typedef struct spatial_joint {
    int angle; /* 1: one row of the second kind */
    int row;   /* first row */
    int i, j;
    int from; /* first world component, points only */
    double a[3], b[3];
} spatial_joint;

typedef struct spatial {
    int nbodies, njoints, nrows;
    double gravity; /* along -z */
    double mass[SPATIAL_BODIES], J[SPATIAL_BODIES][3];
    spatial_joint joint[SPATIAL_JOINTS];
} spatial;

/* Append a joint; rows are numbered in the order of the calls. */
void spatial_add(spatial *s, spatial_joint joint);
/* All callbacks and the number of rows; s becomes the user pointer. */
void spatial_describe(dal_dense *dense, spatial *s);

#endif
