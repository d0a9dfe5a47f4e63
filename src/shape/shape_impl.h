/* Meshes while they are read: vertices and corners are collected, then vertices at one place are joined. */
#ifndef DAL_SHAPE_IMPL_H
#define DAL_SHAPE_IMPL_H

#include "base/memory.h"
#include "dalembert/shape.h"

/* The most triangles a mesh may have. */
enum { MESH_MAX = 5000000 };

/* (SH.3): volume, first and second moments about the origin for density 1, of a closed mesh. */
void dal_mesh_moments(const dal_mesh *mesh, double *volume, double first[3], double second[9]);

#endif
