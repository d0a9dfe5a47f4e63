/* Plane curves of bodies, as outlines of cams and sprockets: x(s), y(s) in the x-y plane of a frame, by functions of the model. The free side
 * is to the right of the way of s. A curve is cut into parts; those between two borders, where its direction or curvature jumps, are a piece. */
#ifndef DAL_MBS_CURVE_IMPL_H
#define DAL_MBS_CURVE_IMPL_H

#include "mbs/mbs_impl.h"

/* How two parts meet: smoothly; the curvature jumps; a corner to touch, the end of an open curve, too; a corner that only points reach. */
typedef enum mb_border { MB_BORDER_NONE, MB_BORDER_BEND, MB_BORDER_CORNER, MB_BORDER_NOTCH } mb_border;

/* Where part i begins. */
typedef struct mb_curve_node {
    double s, x[2], T[2][2]; /* place; unit tangents before and after it */
    mb_border border;
    double width;    /* from the node before it */
    double from, to; /* the piece that part i belongs to; infinite: it has no ends */
} mb_curve_node;

typedef struct mb_curve {
    const mb_function *all;
    int f[2];            /* x, y */
    int n, closed;       /* parts */
    double reach;        /* of a circle around the origin that has it inside */
    mb_curve_node *node; /* n + 1 */
} mb_curve;

/* A place of a curve: its normal on the free side, its tangent, the curvature, positive where it is convex. */
typedef struct mb_curve_foot {
    double s, gap, x[2], n[2], T[2], kappa;
    double inside; /* of its piece, as a length; negative: beyond an end */
} mb_curve_foot;

/* What a description says of a curve. */
typedef struct mb_curve_given {
    const char *what, *name; /* for messages: "joint", its name */
    int f[2];
    double range[2];
} mb_curve_given;
mb_curve_given mb_curve_of_joint(const dal_joint *d);
mb_curve_given mb_curve_of_force(const dal_force *d);
dal_status mb_curve_check(const mb_scope *s, const mb_curve_given *g) DAL_NODISCARD;
/* Room for the curves of a simulation, and their places and borders, once functions have their numbers. */
void mb_curves_carve(mb_instance *m, dal_arena *arena);
dal_status mb_curves_sample(mb_instance *m) DAL_NODISCARD;
/* The place near a part that is nearest to y, on its piece, which goes on beyond its ends with their curvature; gap: the distance of y, positive
 * on the free side. */
void mb_curve_nearest(mb_curve_foot *F, const mb_curve *c, int part, const double y[2]);
/* The place that is lowest along k; gap: how far along k it is. */
void mb_curve_lowest(mb_curve_foot *F, const mb_curve *c, int part, const double k[2]);
/* The part in which s is. */
int mb_curve_part(const mb_curve *c, double s);

#endif
