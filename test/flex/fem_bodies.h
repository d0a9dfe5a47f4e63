/* Finite element bodies for tests: bricks, and frames of beams. */
#ifndef FEM_BODIES_H
#define FEM_BODIES_H

#include "dalembert/fem.h"

/* Elements add their entries one after the other; nothing is assembled. */
typedef struct fem_mesh {
    int nnodes, each; /* rows for each node: 3 or 6 */
    double *node;     /* 3 per node */
    int n, capacity;  /* entries */
    int *row, *col;
    double *K, *M;
    int ntriangles, *triangle;
} fem_mesh;

void fem_mesh_release(fem_mesh *m);
/* The description of the whole: matrices, nodes, surface. */
dal_fem fem_mesh_describe(const fem_mesh *m);

typedef struct fem_material {
    double E, nu, density;
} fem_material;

/* A box from (0, -b/2, -c/2) to (a, b/2, c/2) in bricks of eight nodes with incompatible modes; consistent mass. `hole`, unless NULL,
 * tells by the centre of a brick whether it is left out. */
void fem_mesh_box(fem_mesh *m, const int n[3], const double size[3], const fem_material *material,
                  int (*hole)(const double centre[3]));
/* Node i of n[0] + 1 in x, and so on, in a box without holes. */
int fem_box_node(const int n[3], int i, int j, int k);
/* Nodes whose place in x is that of a face; returns how many. */
int fem_mesh_face(const fem_mesh *m, int *list, double x);

/* Beams with circular sections between nodes, cubic shapes, consistent mass with rotary inertia. */
void fem_mesh_frame(fem_mesh *m, const double *node, int nnodes, const int *edge, int nedges, double diameter,
                    const fem_material *p);

/* m.mtx, k.mtx (lower triangles), nodes.csv and, if there are triangles, surface.csv. */
void fem_mesh_write(const fem_mesh *m, const char *folder);

#endif
