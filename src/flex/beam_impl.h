/* The beam generator. A straight beam has four families of shapes that do not couple. */
#ifndef DAL_FLEX_BEAM_IMPL_H
#define DAL_FLEX_BEAM_IMPL_H

#include "base/memory.h"
#include "dalembert/flex.h"

enum { BEAM_FAMILIES = 4, BEAM_GAUSS = 4 };

extern const double beam_gauss_point[BEAM_GAUSS], beam_gauss_weight[BEAM_GAUSS]; /* on [0, 1] */

typedef enum beam_reference { BEAM_CLAMPED, BEAM_PINNED, BEAM_FREE } beam_reference;

/* One kind of deformation. nd = 1: one displacement (or twist) per node, linear. nd = 2: deflection and slope. */
typedef struct beam_family {
    unsigned kind;
    int nd;
    int axis;          /* of the displacement, -1: none */
    int turn;          /* axis of the rotation, -1: none */
    double sign;       /* rotation = sign slope */
    double stiffness;  /* EA, EI or G It */
    double phi;        /* shear parameter of an element */
    double mass, spin; /* per length: of the displacement, of the rotation */
} beam_family;

typedef struct beam_mesh {
    int ne;
    double l; /* of an element */
    beam_reference reference;
} beam_mesh;

/* N displacement (or twist), T rotation of the section, dN derivative of N along x: nd values of the left and of the
 * right node at xi in [0, 1]. */
typedef struct beam_shape {
    double N[4], T[4], dN[4];
} beam_shape;

void beam_shape_at(beam_shape *s, const beam_family *f, double l, double xi);
/* Stiffness of an element of length l, 2 nd x 2 nd. */
void beam_stiffness(double K[16], const beam_family *f, double l);
/* M of all nodes, n x n, n = nd (ne + 1), column-major, summed up from zero. */
void beam_mass(double *M, const beam_family *f, const beam_mesh *mesh);
int beam_fixed(const beam_family *f, const beam_mesh *mesh, int dof);
int beam_rigid(const beam_family *f, const beam_mesh *mesh); /* number of rigid shapes */

/* A shape: nodal values of one family. */
typedef struct beam_mode {
    int family;
    double square; /* of the angular frequency */
    double *x;     /* nd (ne + 1) */
} beam_mode;

/* The lowest nmodes shapes of the families that are wanted; mode and the vectors it points to belong to the arena. */
dal_status beam_eigenmodes(beam_mode **mode, int *n, dal_arena *arena, dal_ctx *ctx, const beam_family *f,
                           const beam_mesh *mesh, const dal_beam *beam) DAL_NODISCARD;

#endif
