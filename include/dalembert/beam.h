/* dalembert/beam.h - sections and reference curves of geometrically exact beams (docs/theory/beams.md, labels BM.*).
 *
 * Axis 1 of a section is the tangent, axes 2 and 3 lie in it. Strains and section forces have the order (extension, shear along
 * 2, shear along 3, torsion, bending about 2, bending about 3). Matrices are 6 x 6, column-major, per length. */
#ifndef DALEMBERT_BEAM_H
#define DALEMBERT_BEAM_H

#include "dalembert/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_section {
    double stiffness[36]; /* symmetric, positive definite */
    double mass[36];      /* [m I, -m c~; m c~, J]: mass, its centre c in the section, rotary inertia */
    double damping[36];   /* of Kelvin and Voigt; all zero: none */
} dal_section;

/* What a section of one material is made of. */
typedef struct dal_profile {
    double E, G, density;
    double area, I2, I3;     /* second moments of area about axes 2 and 3 */
    double torsion;          /* constant J; 0: I2 + I3 */
    double shear_2, shear_3; /* factors along axes 2 and 3; 0: 5/6 */
    double damping;          /* s: damping is this times stiffness */
    double centre[2];        /* of stiffness, of shear and of mass, along axes 2 and 3 from the axis of the beam */
} dal_profile;

DAL_API dal_section dal_section_of(const dal_profile *profile);

/* The axis of a beam and its section frames, as it is without load. Zero-initialise. */
typedef struct dal_curve {
    double position[3]; /* of its start */
    double rotation[4]; /* section axes to world axes there; all zero: the identity */
    double length;
    double curvature
        [3]; /* constant, in section axes: torsion, bending about 2 and 3. Zero: straight; (0, 0, 1/R): an arc */
    const double
        *point; /* or npoints >= 2 points (3 numbers each) of a cubic spline; then the four above have no meaning */
    int npoints;
    double axis_2
        [3]; /* spline: direction of section axis 2 at the start, as near as possible; zero: so that axis 3 is near z */
    double twist; /* rad, from the start to the end, about axis 1: added to what the frames do otherwise */
} dal_curve;

/* Frames at n ascending places s, parts of the length from 0 to 1: pose receives position and quaternion, 7 numbers each. length
 * (may be NULL) is that of the curve. Frames of a spline turn as little as possible. */
DAL_API dal_status dal_curve_frames(dal_ctx *ctx, double *length, double *pose, const dal_curve *curve, const double *s,
                                    int n) DAL_NODISCARD;

/* A load per length, in world axes, or in section axes if it follows. */
typedef struct dal_beam_load {
    const double *vector; /* 3 n numbers, N/m: at n places at equal distances, linear between */
    int n;
    int follower, function; /* factor over time, or DAL_NO_FUNCTION */
} dal_beam_load;

/* A point of a body that slides along a beam without friction, as a bead, is driven along it, or is a guide that feeds it. */
typedef struct dal_beam_slide {
    int body;
    double point[3]; /* in the frame of the body */
    int guide;       /* it holds the section in its direction at the start, too; of beams of order 1, with a function */
    int function;    /* which place is held: arc length from the start, m, over time; DAL_NO_FUNCTION: the nearest */
} dal_beam_slide;

#ifdef __cplusplus
}
#endif
#endif
