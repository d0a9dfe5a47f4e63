/* Bars of finite elements with an interface at each end. */
#ifndef FEM_BARS_H
#define FEM_BARS_H

#include "fem_bodies.h"
#include "support/check.h"

enum { NODES = 2000 };

extern const fem_material fem_steel;

/* A bar with its ends as interfaces A and B. */
typedef struct bar {
    fem_mesh mesh;
    int list[2][NODES];
    dal_fem_interface face[2];
    dal_fem fem;
} bar;

/* Bricks; the interfaces are the end faces. */
void make_bar(bar *b, const int n[3], const double size[3], int average);
/* A straight frame of n beams along x; the interfaces are the end nodes. */
void make_beam(bar *b, int n, double length, double diameter);
/* Nodes first and last of a mesh that is there as interfaces. */
void hold_ends(bar *b, int first, int last);
/* Reduced, or the test fails. */
dal_fem_result *reduce(dal_ctx *ctx, const dal_fem *fem);

#endif
