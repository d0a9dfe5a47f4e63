/* Where two shapes touch: the narrow interface between those who know shapes (touch.c) and those who list what may touch
 * (crowd.c). A pair of kinds is one function in the table mb_touches. */
#ifndef DAL_MBS_TOUCH_IMPL_H
#define DAL_MBS_TOUCH_IMPL_H

/* In the order of the table: the first of two shapes has the smaller number. */
typedef enum mb_shape_kind { MB_PLANE, MB_SPHERE, MB_CAPSULE, MB_BOX, MB_CYLINDER, MB_SHAPE_KINDS } mb_shape_kind;

/* A shape in its place. */
typedef struct mb_placed {
    mb_shape_kind kind;
    double x[3],
        R[9];       /* centre and axes, world; the z axis is the normal of a plane, the axis of a capsule or cylinder */
    double half[3]; /* edges of a box */
    double radius, axis; /* the radius; half the length along z, of a capsule between the centres of its ends */
} mb_placed;

/* A point of contact, or one that may become it. */
typedef struct mb_touch {
    int id; /* which point of the pair: the same as long as it is the same pair of features, so that its force is found again */
    double gap;        /* negative where they overlap */
    double n[3];       /* unit vector from A to B along which the gap is measured */
    double a[3], b[3]; /* the points of A and of B, world: b - a = gap n */
} mb_touch;

enum { MB_TOUCHES = 16 }; /* at most, of a pair */

/* Points with a gap below the margin; returns how many. */
typedef int mb_touch_finder(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin);

/* [kind of A][kind of B] with kind of A <= kind of B; NULL: there is no such pair. */
extern mb_touch_finder *const mb_touches[MB_SHAPE_KINDS][MB_SHAPE_KINDS];
extern const char *const mb_shape_names[MB_SHAPE_KINDS];

#endif
