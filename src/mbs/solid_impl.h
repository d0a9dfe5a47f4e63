/* Features of solids and the numbers of pairs of them, shared by solid.c (where they are) and meeting.c (which ones meet). */
#ifndef DAL_MBS_SOLID_IMPL_H
#define DAL_MBS_SOLID_IMPL_H

#include "mbs/meeting_impl.h"

/* Features that are nearer to the border of their region than this part of the size count as inside: what is chosen anew at a border
 * does not end at once. */
#define BORDER 1e-13
/* A point this close to an edge has no direction from there: it is above a face. */
#define CLOSE 1e-8
/* Lines with 1 - (a.b)^2 below this are parallel; a cylinder with a sine below FLAT stands on its rim. */
#define PARALLEL 1e-9
#define FLAT 1e-6
enum { RIM_POINTS = 6 };

/* Numbers of features: sphere, plane 0; capsule 0 its axis, 1, 2 its ends; box 0-5 faces, 6-17 edges, 18-25 vertices; cylinder 0 its
 * side, 1, 2 faces, 3, 4 rims, then points of the rims; mesh its vertices; curve its parts, then where they begin. WHOLE: a sphere around
 * all, not of mesh and curve. */
enum { EDGES = 6, VERTICES = 18, RIMS = 3, POINTS_OF_RIMS = 5, WHOLE = 31, FEATURES = 32 };

typedef enum feature_kind { PLANE, POINT, LINE, RIM, CURVE, FEATURE_KINDS } feature_kind;
typedef struct solid_feature {
    feature_kind kind;
    double p[3]; /* in the frame of the solid */
    int axis, minus;
    double radius;
} solid_feature;

/* NONE is a pair that never touches. */
enum { NONE = 1 };
typedef struct pair_code {
    int a, b, turn;
    int minus; /* two lines: their normal is -a x b; else: B has the point, A the region */
} pair_code;

solid_feature mb_feature_of(const mb_meeting *X, int side, int f);
/* Place of a feature in the world. */
void mb_place_of(double x[3], const solid_feature *F, const mb_side *S);
int mb_encode(pair_code c);
pair_code mb_decode(int number);
/* A place in the world in the axes of a solid. */
void mb_in_solid(double y[3], const double x[3], const mb_side *S);
/* Candidates of a curve (solid 1), added by `add` with the place of the contact; how far a pair is from not being one, as a length; the number
 * from this state on; the place of one that is held. See meeting_curve.c. */
typedef void mb_curve_candidate(void *all, double gap, const double x[3], int feature);
void mb_meet_curve(void *all, mb_curve_candidate *add, const mb_meeting *X, const mb_pairing *P);
double mb_curve_reach(const mb_meeting *X, const mb_pairing *P, int feature);
int mb_curve_follow(const mb_meeting *X, const mb_pairing *P, int feature);
void mb_curve_touched(double x[3], const mb_meeting *X, const mb_pairing *P, int feature);
/* The feature of a solid that is closest to a point y in its frame; the distance from its surface. */
int mb_region(const mb_meeting *X, int side, const double y[3], double *distance);
/* How far inside the region of feature f a point is. */
double mb_inside_region(const mb_meeting *X, int side, int f, const double y[3]);

#endif
