/* Geometrically exact beams in a model: nodes are bodies, an element acts on the frames of any number of them. */
#ifndef DAL_MBS_BEAM_IMPL_H
#define DAL_MBS_BEAM_IMPL_H

#include "beam/beam.h"
#include "mbs/mbs_impl.h"

/* A node: a section frame in a body. plain: it is the frame of the body. */
typedef struct mb_node {
    int body, plain;
    double a[3], A[9], c[4]; /* origin, axes, the same rotation as a quaternion */
    double s, length;        /* place, as a part of the whole; arc length that it stands for */
} mb_node;

/* An element. */
typedef struct mb_span {
    beam_element e;
    const mb_node *node; /* e.n */
    int *pair;           /* e.n x e.n, row after row */
} mb_span;

/* A load per length on all nodes of a beam. */
typedef struct mb_line_load {
    int beam, follower, function;
    double *vector; /* 3 per node */
} mb_line_load;

struct mb_beam {
    int order, nnodes;
    double length;
    mb_node *node;
    int first, count; /* elements */
    beam_table *table;
};

extern const mb_element_type mb_element_span, mb_element_line;

/* Number of the beam and the place that "blade@0.7" means; -1: there is no such beam, or no such place. */
int mb_beam_place(const dal_model *m, double *s, const char *text);
/* The body that is the node there; -1: there is none. */
int mb_beam_node(const dal_model *m, const char *text);
/* Place, quaternion, strain, section forces at s of a beam; each may be NULL. */
void mb_beam_at(double *x, double *p, double *strain, double *forces, const mb_instance *m, int beam, double s);

#endif
