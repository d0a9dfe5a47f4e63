/* Two solids that may touch, by the features that are closest: which there are, where they are, and as long as what they are those.
 * A feature is a plane, a point, a line, a circle or a curve of a solid; two of them are one of the primitives (CT.7a)-(CT.7h). */
#ifndef DAL_MBS_MEETING_IMPL_H
#define DAL_MBS_MEETING_IMPL_H

#include "mbs/mbs_impl.h"

/* Keys of a curve, of a joint and of a force. */
#define MB_CURVE_KEYS(type)                                                                                          \
    MB_KEY(FUNCTION, "curve_x", type, curve_x, "m",                                                                  \
           "of a curve: x in frame B as a function of its parameter. What is to the right of its way is free: "      \
           "an outline goes counterclockwise",                                                                       \
           MB_OPTIONAL),                                                                                             \
        MB_KEY(FUNCTION, "curve_y", type, curve_y, "m", "y likewise", MB_OPTIONAL),                                  \
        MB_KEY(                                                                                                      \
            NUMBERS, "curve_range", type, curve_range, "",                                                           \
            "where its parameter begins and ends (default: 0 and 1); an outline that ends where it began is closed", \
            .n = 2, MB_OPTIONAL)

/* In the order of the words of `shape`; PLANE is only for A. */
typedef enum mb_solid_kind {
    MB_SOLID_SPHERE,
    MB_SOLID_DISK,
    MB_SOLID_CAPSULE,
    MB_SOLID_BOX,
    MB_SOLID_CYLINDER,
    MB_SOLID_MESH,
    MB_SOLID_CURVE, /* only for B */
    MB_SOLID_PLANE
} mb_solid_kind;

typedef struct mb_solid {
    mb_solid_kind kind;
    double radius; /* sphere, capsule, cylinder */
    double half[3];
    const dal_shape *mesh;
    const struct mb_curve *curve;
    double reach; /* radius of a sphere around it */
} mb_solid;

/* Most contacts between two solids; what a compliant contact remembers of them. */
enum { MB_MEETINGS = 8, MB_MEETING_MEMORY = 6 * MB_MEETINGS };

typedef struct mb_meeting {
    mb_solid solid[2];
    int n;      /* contacts at once */
    int hollow; /* two spheres, the second in the first */
    int flat;   /* in the x-y plane */
    int rigid;  /* nothing is below zero for long */
    double size;
} mb_meeting;

/* The solids of a joint, that of A of kind `a`; 0: they cannot meet, or there is no mesh. A curve is known for simulations alone. */
int mb_meeting_of(mb_meeting *X, const dal_model *m, const dal_joint *d, mb_solid_kind a, int planar,
                  const struct mb_curve *curve);

/* The frames of the solids, from those of the element: a mesh is in the axes of its body. */
void mb_meeting_frames(mb_marker frame[2], const mb_meeting *X, const mb_marker marker[2]);

/* A pair of features is a number > 0. Choose those of the n contacts whose number is <= 0; P: the frames of the solids. */
void mb_meeting_choose(int number[MB_MEETINGS], const mb_meeting *X, const mb_pairing *P);
/* How far two features are from not being those that touch, in parts of the size; not positive: they are no longer. */
double mb_meeting_reach(const mb_meeting *X, const mb_pairing *P, int number);
/* The number of the same features as it is from this final state on: the lowest point of a rim goes around. */
int mb_meeting_follow(const mb_meeting *X, const mb_pairing *P, int number);
/* Markers and numbers of a row between two features; frame: those of the solids. The row keeps its i. */
void mb_meeting_load(mb_marker marker[2], mb_row *row, const mb_meeting *X, const mb_marker frame[2], int number);

#endif
