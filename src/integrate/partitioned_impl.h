/* Partitioned systems in plain form, shared by
 *     partitioned.c        creation, start, step
 *     partitioned_newton.c stage equations and their Jacobian */
#ifndef DAL_INTEGRATE_PARTITIONED_IMPL_H
#define DAL_INTEGRATE_PARTITIONED_IMPL_H

#include "dalembert/partitioned.h"
#include "newton/newton.h"

struct dal_partitioned_solver {
    dal_ctx *ctx;
    dal_partitioned sys;
    int s, nq, np, nl, n;
    double c[DAL_STAGES_MAX], b[DAL_STAGES_MAX], bary[DAL_STAGES_MAX];
    double A[DAL_STAGES_MAX * DAL_STAGES_MAX], Ahat[DAL_STAGES_MAX * DAL_STAGES_MAX];

    int started;
    double t, h;           /* h: of the step that is being solved */
    double *q, *p, *la;    /* state */
    double t_poly, h_poly; /* the last step, for the predictor; h_poly = 0: none */
    double *g_poly, *la_poly;

    double *x;                                    /* unknowns: Q_i - q (i >= 2), h g_i, h Lambda_i (i >= 2) */
    double *Q;                                    /* nq x s */
    double *P, *L;                                /* np x s */
    double *Lambda;                               /* nl x s */
    double *fs;                                   /* nq x s: f at the stages */
    double *fq, *fp, *gq, *gp, *gl, *phiq, *phip; /* derivatives at one stage */
    double *y, *up, *down;                        /* scratch of the differences */

    dal_linsol *matrix; /* of the stages */
    dal_linsol *index;  /* phi_p g_lambda, NULL if nl = 0 */
    dal_newton newton;
    dal_arena arena;
};

/* partitioned_newton.c */
dal_newton_problem dal_partitioned_problem(dal_partitioned_solver *s);
void dal_partitioned_predict(dal_partitioned_solver *s);
/* Derivatives at a point, into fq .. phip; differences where the system gives none. la NULL: not those of g. */
dal_status dal_partitioned_tangents(dal_partitioned_solver *s, const double *q, const double *p,
                                    const double *la) DAL_NODISCARD;
/* The callbacks with checks: finite values, messages. */
dal_status dal_partitioned_f(dal_partitioned_solver *s, double *f, const double *q, const double *p) DAL_NODISCARD;
dal_status dal_partitioned_g(dal_partitioned_solver *s, double *g, const double *q, const double *p,
                             const double *la) DAL_NODISCARD;
dal_status dal_partitioned_phi(dal_partitioned_solver *s, double *phi, const double *q, const double *p) DAL_NODISCARD;

#endif
