/* Scales of the equations of a system (docs/theory/scales.md): what residuals of forces and of constraints are measured by. */
#ifndef DAL_PROJECTION_SCALES_H
#define DAL_PROJECTION_SCALES_H

#include "system/eval.h"

/* (SX.1): inertia, nv: largest |M_ij| unit_i unit_j of the factor over unit_i; reach, nc: largest |B_ij| unit_j; work: the largest
 * |M_ij| unit_i unit_j of all. work = 0: they are not known yet. */
typedef struct dal_scales {
    dal_eval *ev;
    double *inertia, *reach, *per_reach, work; /* per_reach: 1/reach */
} dal_scales;

void dal_scales_carve(dal_scales *sc, dal_arena *arena, dal_eval *ev);
/* Find the scales at a point, unless they are known; work = 0 has them found anew. A start does that, and snapshots have them. */
dal_status dal_scales_measure(dal_scales *sc, const dal_point *at) DAL_NODISCARD;
/* Are masses and rows so different that matrices are to be scaled? */
int dal_scales_uneven(const dal_scales *sc);
/* Are scales that were restored positive, or not known? */
int dal_scales_sound(const dal_scales *sc);
/* Residuals of constraints (nc) as displacements in units of dal_eval.unit, the largest; NaN if one is. */
double dal_scales_gap(const dal_scales *sc, const double *x);
/* Displacements (nv) in these units, the largest; NaN if one is. */
double dal_scales_displacement(const dal_scales *sc, const double *x);
/* What rounding of the coordinates makes of either. */
double dal_scales_rounding(const dal_scales *sc, const double *q);
/* The largest rotation of a displacement d (nv), rad. */
double dal_largest_turn(const dal_group *G, const double *d);

#endif
