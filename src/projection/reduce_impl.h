/* A reduction, shared by reduce.c (the reduced system) and least_norm.c (multipliers of the whole one). */
#ifndef DAL_PROJECTION_REDUCE_IMPL_H
#define DAL_PROJECTION_REDUCE_IMPL_H

#include "linearize/linearization.h"
#include "projection/reduce.h"

struct dal_reduction {
    dal_system sys; /* the reduced system */
    const dal_system *full;
    dal_ctx *ctx;
    int *row0;    /* of the whole system: first row of each constraint block */
    int nc_whole; /* its rows */
    int nc;       /* rows kept */
    int ndropped;
    int *dropped;  /* rows left out */
    int *kept;     /* nc: rows kept */
    int *number;   /* of each row of the whole system among those kept, or -1 */
    int *block_to; /* of each constraint block of the whole system, its number in the reduced one, or -1 */
    int *link_to;  /* of each link of the whole system, its number in the reduced one, or -1 */
    dal_constraint *constraint;
    dal_link *link;
    int max_rows; /* of a constraint block of the whole system */
    /* Not part of the description: to find the rows, and to share multipliers out among them */
    dal_eval *ev; /* of the whole system */
    dal_linearization *lin;
    const dal_sparse *B; /* its B by rows (columns of B^T) */
    /* least norm: [[I, B^T], [B, 0]] of the kept rows, and the combinations N with B^T N = 0 */
    dal_linsol *ls;
    double *rhs; /* nv + nc */
    double *N;   /* nc of the whole system x ndropped */
    double *gram, *coef;
    dal_arena arena;
};

dal_status dal_reduction_solver(dal_reduction *red) DAL_NODISCARD; /* least_norm.c */

#endif
