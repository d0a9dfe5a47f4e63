/* What the files of linear models share. */
#ifndef DAL_ANALYSIS_LINEAR_IMPL_H
#define DAL_ANALYSIS_LINEAR_IMPL_H

#include "analysis/modal_impl.h"
#include "dalembert/linear.h"

/* A sparse matrix that grows. */
typedef struct dal_growing {
    int *row, *col;
    double *x;
    int n, capacity;
} dal_growing;

enum { DAL_LINEAR_FORMS = 6 }; /* E, A, B, C, C1, D */

struct dal_linear {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_data *data, *own;
    dal_linear_spec spec;
    dal_linear_info info;
    int nc;                   /* all rows */
    int dense;                /* there is a minimal form */
    double *ru, *Phiu, *velu; /* nv, nc, nc x ninputs: derivatives with respect to the inputs */
    double *Y[3], *Yl, *Yu;   /* of the outputs: with respect to q, v, v'; lambda; inputs */
    double *A, *B[3], *C, *D[3], *states;
    int *row, *place;                        /* independent rows; place of each row among them, -1: dependent */
    double *q, *v, *vd, *la, *theta, *r, *y; /* scratch */
    dal_growing form[DAL_LINEAR_FORMS];
    dal_status filled; /* of the forms, so far */
    dal_arena arena;
};

dal_status dal_linear_descriptor(dal_linear *m, const dal_point *at, const dal_axes_choice *axes) DAL_NODISCARD;
void dal_linear_release_descriptor(dal_linear *m);

#endif
