/* Geometrically exact beam elements: a list of points of integration between section frames. Two nodes are a helicoid on SE(3),
 * p + 1 nodes the element of order p (docs/theory/beams.md). Nothing here allocates or knows of bodies. */
#ifndef DAL_BEAM_BEAM_H
#define DAL_BEAM_BEAM_H

#include "beam/beam_kernel.h"

typedef struct beam_element {
    int n;                   /* nodes */
    const beam_table *table; /* NULL: two nodes, helicoid */
    beam_point *point;       /* one, or n - 1 */
} beam_element;

/* p = 2 .. 8 */
void beam_table_make(beam_table *t, int p);
/* Lengths, slopes and strains of the reference; sections and, for order four, room for F and start (36 numbers each, or NULL)
 * are there. Returns 0 if the reference is no beam: two frames in one place, or turned by half a turn. */
int beam_reference(beam_element *e, double *F, double *start, const beam_frame *f);
/* Which arc length a node stands for (n numbers), and where it is on [0, 1]. */
void beam_node_lengths(double *w, const beam_element *e, const beam_frame *f);

/* Forces on the nodes (6 n numbers), their derivatives K and C (6n x 6n; C only if it is damped), energy, power lost. */
void beam_force(double *r, const beam_element *e, const beam_frame *f);
void beam_tangent(double *K, double *C, const beam_element *e, const beam_frame *f);
double beam_energy(const beam_element *e, const beam_frame *f);
double beam_loss(const beam_element *e, const beam_frame *f);
/* At xi in [0, 1] of the element: place, strain, section forces (each may be NULL). */
void beam_at(double x[3], double p[4], double strain[6], double s[6], const beam_element *e, const beam_frame *f,
             double xi);

/* What the sections at xi of an element follow from: xi itself, or the polynomials through its points (BEAM_NODES_MAX numbers). */
void beam_section_place(double *l, const beam_element *e, double xi);

static inline int beam_damped(const beam_element *e)
{
    return e->point->section->damped;
}

#endif
