/* The constraint matrix B by rows, for decisions about its rank. */
#ifndef DAL_PROJECTION_ROWS_H
#define DAL_PROJECTION_ROWS_H

#include "system/eval.h"

typedef struct dal_rows {
    dal_sink sink; /* first: B is pushed here */
    dal_eval *ev;
    int *rowptr, *col; /* compressed rows; the pattern is that of the links */
    double *x;
    int *start; /* nlinks: offset within its rows of the first column of a link */
    dal_arena arena;
} dal_rows;

dal_status dal_rows_init(dal_rows *rows, dal_ctx *ctx, dal_eval *ev) DAL_NODISCARD;
void dal_rows_release(dal_rows *rows);

/* Evaluate B at a point. */
dal_status dal_rows_fill(dal_rows *rows, const dal_point *at) DAL_NODISCARD;

#endif
