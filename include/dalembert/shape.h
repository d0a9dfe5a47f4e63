/* dalembert/shape.h - shapes of bodies: what they look like, and the mass they have (docs/theory/shapes.md, labels SH.*).
 *
 *     dal_shape ... -> dal_shape_mass_add -> dal_shape_mass_finish -> mass, com, inertia of a dal_body
 *
 * Lengths in metres, angles in radians. A shape sits in the frame of a body by its own frame. */
#ifndef DALEMBERT_SHAPE_H
#define DALEMBERT_SHAPE_H

#include "dalembert/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A surface of triangles; owns its arrays. */
typedef struct dal_mesh {
    int nvertices, ntriangles;
    double *x;  /* 3 per vertex */
    int *index; /* 3 per triangle, counter-clockwise as seen from outside */
} dal_mesh;

/* A mesh from the bytes of an STL file (binary or ASCII) or an OBJ file (faces of any number of corners; only v and f
 * are read). `name` is for messages and, by its ending, tells the format. Vertices at the same place become one. */
DAL_API dal_status dal_mesh_create(dal_mesh **mesh, dal_ctx *ctx, const void *bytes, size_t size,
                                   const char *name) DAL_NODISCARD;
/* Join vertices at the same place, drop triangles that have lost a corner. */
DAL_API dal_status dal_mesh_join(dal_mesh *mesh, dal_ctx *ctx) DAL_NODISCARD;
DAL_API dal_status dal_mesh_copy(dal_mesh **copy, dal_ctx *ctx, const dal_mesh *mesh) DAL_NODISCARD;
/* Multiply the coordinates by a factor each; an odd number of negative ones mirrors it. */
DAL_API void dal_mesh_stretch(dal_mesh *mesh, const double factor[3]);
DAL_API void dal_mesh_destroy(dal_mesh *mesh, dal_ctx *ctx); /* NULL is fine */

/* Does the surface bound a volume? Every edge must belong to two triangles that run through it in opposite directions.
 * DAL_EINVAL with the number of edges that do not, and where the first one is. */
DAL_API dal_status dal_mesh_closed(dal_ctx *ctx, const dal_mesh *mesh) DAL_NODISCARD;

typedef enum dal_shape_kind {
    DAL_SHAPE_BOX,       /* size: edges along x, y, z */
    DAL_SHAPE_SPHERE,    /* radius */
    DAL_SHAPE_ELLIPSOID, /* size: semi-axes */
    DAL_SHAPE_CYLINDER,  /* radius, length along z */
    DAL_SHAPE_CONE,      /* radius at z = -length/2, tip at z = length/2 */
    DAL_SHAPE_CAPSULE,   /* radius, length of its cylinder along z: half spheres at both ends */
    DAL_SHAPE_TUBE,      /* radius, along points: cylinders from one to the next, with balls where they meet */
    DAL_SHAPE_MESH       /* mesh, scale */
} dal_shape_kind;

typedef struct dal_shape {
    dal_shape_kind kind;
    int npoints;        /* of a tube */
    double position[3]; /* of the frame of the shape in the frame of the body; all but the tube are centred in it */
    double rotation[4]; /* shape to body, scalar first; all zero means the identity */
    double size[3];
    double radius, length;
    const double *points; /* 3 per point */
    const dal_mesh *mesh;
    double scale;     /* of a mesh; 0 means 1 */
    double colour[3]; /* red, green, blue in [0, 1] */
    double opacity;   /* in (0, 1]; 0 means 1 */
    int coloured;     /* 0: colour is left to whoever draws */
    int spokes;       /* cylinder: draw spokes, so that its rotation is seen */
    int swept;        /* a piece of a beam, which pages draw as a whole: for contact only */
} dal_shape;

/* Sizes are positive and finite, colours within range. The message names what is wrong. */
DAL_API dal_status dal_shape_check_(dal_ctx *ctx, const dal_shape *shape, size_t size) DAL_NODISCARD;

/* Mass properties being summed up over shapes; zero-initialise. */
typedef struct dal_shape_mass {
    double m, mc[3]; /* mass, mass times centre of mass, body frame */
    double J[9];     /* about the origin of the body frame */
} dal_shape_mass;

/* Add a shape filled with material of a density (kg/m^3). A mesh must be closed. What a tube counts are its cylinders.
 * Shapes that overlap are counted twice. */
DAL_API dal_status dal_shape_mass_add_(dal_shape_mass *sum, dal_ctx *ctx, const dal_shape *shape, double density,
                                       size_t size) DAL_NODISCARD;
/* The same of a mesh that need not be closed: its openings are closed by cones to the mean of its vertices. */
DAL_API dal_status dal_shape_mass_add_open_(dal_shape_mass *sum, dal_ctx *ctx, const dal_shape *shape, double density,
                                            size_t size) DAL_NODISCARD;
/* Centre of mass, and inertia about it: xx, yy, zz, xy, xz, yz (as in dal_body). */
DAL_API void dal_shape_mass_finish(const dal_shape_mass *sum, double com[3], double inertia[6]);

#ifdef __cplusplus
}
#endif
#endif
