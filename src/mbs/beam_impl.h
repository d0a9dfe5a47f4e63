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
    double *dM;          /* 6 n x 6 n: consistent mass beyond that of its nodes; NULL: none */
} mb_span;

/* A load per length on all nodes of a beam. */
typedef struct mb_line_load {
    int beam, follower, function;
    double *vector; /* 3 per node */
} mb_line_load;

/* What slides along it. */
typedef struct mb_slide {
    int beam, body, function, guide;
    mb_node hold;         /* in the frame of the body: the point, and the axes that a guide turns a section to */
    int *in, *out, *link; /* of all nodes: pairs (node, body) and (body, node), links of the rows */
} mb_slide;

struct mb_beam {
    mb_slide *slide;
    int nslides, nguides;
    int order, nnodes;
    double length;
    mb_node *node;
    int first, count; /* elements */
    double *outline;  /* noutline corners, of nsections sections at equal distances; NULL: none */
    int noutline, noutlines;
    beam_table *table;
};

extern const mb_element_type mb_element_span, mb_element_line, mb_element_guide, mb_element_weight;

/* Places, parts of an element, and weights at which its mass is summed up; how many. */
enum { MB_MASS_POINTS = 2 * BEAM_ORDER_MAX };
int mb_beam_mass_points(double place[MB_MASS_POINTS], double weight[MB_MASS_POINTS], int order);
/* dM of an element: section masses at these points and at its nodes, 36 numbers each, and the lengths that the nodes stand for. */
void mb_beam_mass(double *dM, const beam_element *e, const beam_frame *f, const double *section, const double *own,
                  const double *length);

/* Add the slides of a description; poses: of its nodes at the start. */
dal_status mb_beam_add_slides(dal_model *m, mb_beam *b, int number, const dal_exact_beam *beam,
                              const double *poses) DAL_NODISCARD;
/* Pairs of its body with all nodes. */
void mb_slide_connect(mb_plan *plan, const mb_slide *s);
/* Of what is fed: the interval between two nodes that it is in, the place in it, and the first two derivatives of that. */
int mb_slide_fed(double xi[3], const mb_slide *s, mb_instance *m, double t);
/* Tangents of an element between nodes, times a sign. pair: n x n, row after row. */
void mb_push_beam(mb_instance *m, dal_sink *sink, const beam_element *e, const mb_node *const *node, const int *pair,
                  double sign);

/* The section frame of a node and its motion; what acts on it, torque in section axes. */
void mb_node_frame(beam_frame *f, const mb_node *n, const mb_instance *m);
void mb_node_force(mb_instance *m, const mb_node *n, const double r[6]);

/* Number of the beam and the place that "blade@0.7" means; -1: there is no such beam, or no such place. */
int mb_beam_place(const dal_model *m, double *s, const char *text);
/* The body that is the node there; -1: there is none. */
int mb_beam_node(const dal_model *m, const char *text);
/* Place, quaternion, strain, section forces at s of a beam at time t, in one of its elements or in the one there; each may be NULL. */
void mb_beam_in(double *x, double *p, double *strain, double *forces, mb_instance *m, int beam, int element, double s,
                double t);
void mb_beam_at(double *x, double *p, double *strain, double *forces, mb_instance *m, int beam, double s, double t);
/* The same at xi of an element if the mouth of a guide is in it; 0: none is. */
int mb_guide_at(double *x, double *p, double *strain, double *forces, mb_instance *m, int beam, const mb_span *span,
                double xi, double t);

#endif
