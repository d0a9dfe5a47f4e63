/* A reduction, shared by reduce.c (the reduced system) and least_norm.c (multipliers of the whole one). */
#ifndef DAL_PROJECTION_REDUCE_IMPL_H
#define DAL_PROJECTION_REDUCE_IMPL_H

#include "linearize/linearization.h"
#include "projection/reduce.h"
#include "system/mask.h"

struct dal_reduction {
    dal_system sys;         /* the reduced system: that given, with a mask */
    dal_mask mask;          /* on the whole system, which is the one given unless that is reduced itself */
    const dal_system *full; /* as given; rows have their numbers there: */
    dal_ctx *ctx;
    int nc; /* rows kept */
    int ndropped;
    int *dropped; /* rows left out */
    int *kept;    /* nc: rows kept */
    dal_constraint *constraint;
    dal_link *link;
    dal_couple *couple;
    /* Not part of the description: to find the rows, and to share multipliers out among them */
    dal_eval *ev; /* of the system as given */
    dal_linearization *lin;
    const dal_sparse *B; /* its B by rows (columns of B^T) */
    /* least norm: [[I, B^T], [B, 0]] of the kept rows, and the combinations N with B^T N = 0 */
    dal_linsol *ls;
    double *rhs; /* nv + nc */
    double *N;   /* nc of that system x ndropped */
    double *gram, *coef, *square;
    int shared; /* columns of N of the last multipliers of least norm */
    dal_arena arena;
};

/* least_norm.c */
dal_status dal_reduction_solver(dal_reduction *red) DAL_NODISCARD;
/* Leave out rows of velocities, velocity[r] != 0, in place of others that they depend on with these. B is that of the point. */
dal_status dal_reduction_exchange(dal_reduction *red, int *changed, const dal_point *at,
                                  const char *velocity) DAL_NODISCARD;

#endif
