/* The saddle system at a state (docs/theory/initial.md):
 *
 *     [ M  B^T ] [ x ]   [ f ]
 *     [ B   0  ] [ y ] = [ c ]                                                                    (IN.4)
 *
 * regular when B has full rank and M is positive definite on ker B; M itself may be singular. It gives
 * consistent accelerations and multipliers, and mass-weighted projections. */
#ifndef DAL_PROJECTION_SADDLE_H
#define DAL_PROJECTION_SADDLE_H

#include "projection/scales.h"
#include "projection/schur.h"

typedef struct dal_saddle {
    dal_ctx *ctx;
    dal_eval *ev;
    dal_bordered matrix;
    dal_linsol *ls;   /* of the matrix */
    dal_schur *schur; /* the quick way, NULL: there is none */
    int by_mass;      /* the last factors are its own */
    int nv, nc;
    long count;      /* of factorisations: tells whether the last one is still there */
    int held;        /* the factors are those of the point: dal_saddle_factor leaves them as they are */
    int brief;       /* dal_saddle_factor takes the quick way */
    int keeps, kept; /* factors are kept, see dal_saddle_keep; there are some, of kept_t and kept_q */
    double kept_t;
    int unit;            /* M is the identity */
    int doubted;         /* dal_initial_acceleration asks dal_saddle_inertia */
    int reduced;         /* dependent rows have been left out already: others are those of a singular configuration */
    const char *instead; /* of the advice what to do with dependent rows; NULL: it is given */
    double *x;           /* nv + nc: right-hand side and solution */
    double *zero;        /* max(nv, nc) zeros */
    double *q0, *q1, *v1, *theta, *vd1, *la1; /* scratch of projections and initial values */
    double *la2;                              /* scratch of dal_saddle_constrain */
    double *kept_q;
    dal_scales scales;
    double *balance; /* nv + nc: of rows and columns, see dal_saddle_balance */
    dal_arena arena;
} dal_saddle;

dal_status dal_saddle_create(dal_saddle **out, dal_ctx *ctx, dal_eval *ev, dal_linsol_kind kind) DAL_NODISCARD;
/* With the identity in place of M: steps of least norm. */
dal_status dal_saddle_create_unit(dal_saddle **out, dal_ctx *ctx, dal_eval *ev) DAL_NODISCARD;
void dal_saddle_destroy(dal_saddle *saddle);

/* Factor in the quick way (PR.6) if that can be, else as dal_saddle_factor, without forces. For factors that are used up within
 * a step or a start: no snapshot has them. */
dal_status dal_saddle_factor_briefly(dal_saddle *s, const dal_point *at) DAL_NODISCARD;
/* From now on (yes), until this is called again, dal_saddle_factor does nothing where its t and q are those of the last time:
 * M and B depend on them alone. brief: it takes the quick way. Not to be left on where the data of the system, or what its callbacks refer to, may change. */
void dal_saddle_keep(dal_saddle *s, int yes, int brief);
/* Why is the matrix singular? A failure that names redundant rows, or says that mass is missing. */
dal_status dal_saddle_explain(dal_saddle *s, const dal_point *at) DAL_NODISCARD;
/* With the factors of a point: fails if what the mass matrix has on a motion that the constraints allow is its rounding, so that
 * accelerations along it would be, too. Uses x. */
dal_status dal_saddle_inertia(dal_saddle *s, const dal_point *at) DAL_NODISCARD;
/* Assemble and factor at a point; with_force adds dg/dlambda to B^T. If the matrix is singular the failure
 * DAL_EREDUNDANT names the dependent constraint rows, or the velocity that has neither mass nor constraint. */
dal_status dal_saddle_factor(dal_saddle *saddle, const dal_point *at, int with_force) DAL_NODISCARD;
/* The two parts of it. */
dal_status dal_saddle_assemble(dal_saddle *saddle, const dal_point *at, int with_force) DAL_NODISCARD;
dal_status dal_saddle_factor_assembled(dal_saddle *saddle, const dal_point *at) DAL_NODISCARD;
/* Find the scales at a point, unless they are known, and scale the matrix by them. */
dal_status dal_saddle_measure(dal_saddle *s, const dal_point *at) DAL_NODISCARD;
/* Scale the matrix by scales that are known, where masses and rows are uneven. */
void dal_saddle_balance(dal_saddle *s);
/* y (nc) := B w at the point that was factored last. */
dal_status dal_saddle_constrain(dal_saddle *saddle, double *y, const dal_point *at, const double *w) DAL_NODISCARD;
/* x := A^-1 x for saddle->x. Refined where the solver needs it: nothing here corrects the result. */
void dal_saddle_solve(dal_saddle *saddle);
/* The same within an iteration that corrects the result. */
void dal_saddle_solve_roughly(dal_saddle *saddle);
/* The same for b, (nv + nc) x count, with the bits of one at a time. */
void dal_saddle_solve_many(dal_saddle *saddle, double *b, int count);
/* x := -A^-1 x, where what comes before `first` counts as zero; roughly: as above. */
void dal_saddle_correct(dal_saddle *saddle, int first, int roughly);

#endif
