/* dalembert/partitioned.h - partitioned differential-algebraic systems of index 2 in R^n (docs/theory/lobatto.md):
 *
 *     q' = f(q, p),   p' = g(q, p, lambda),   0 = phi(q, p),   phi_p g_lambda regular             (LB.11)
 *
 * by Lobatto IIIA-IIIB as published: order 2s-2 in q and p; lambda is carried from step to step, with order s (s even)
 * or s-1 (s odd); phi is kept to rounding. Hamiltonian systems with nonholonomic constraints are of this form.
 * Mechanical systems in general, on Lie groups, with holonomic constraints, dense output and step size control are
 * better served by dal_sim with integrator = lobatto (sim.h).
 *
 *     dal_partitioned_create -> dal_partitioned_start -> dal_partitioned_step ... -> dal_partitioned_destroy */
#ifndef DALEMBERT_PARTITIONED_H
#define DALEMBERT_PARTITIONED_H

#include "dalembert/integrate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The system. Callbacks return DAL_OK, DAL_RETRY (out of range, a smaller step may help) or a negative status. Matrices
 * are column-major. */
typedef struct dal_partitioned {
    int nq, np, nl; /* of q, p, lambda; nl = 0: no constraint */
    void *user;     /* handed back as the last argument */
    dal_status (*f)(double *f, const double *q, const double *p, void *user);
    dal_status (*g)(double *g, const double *q, const double *p, const double *la, void *user);
    dal_status (*phi)(double *phi, const double *q, const double *p, void *user);
    /* derivatives; NULL: by differences */
    dal_status (*df)(double *fq, double *fp, const double *q, const double *p, void *user); /* nq x nq, nq x np */
    dal_status (*dg)(double *gq, double *gp, double *gl, const double *q, const double *p, const double *la,
                     void *user);                                                                 /* np x ... */
    dal_status (*dphi)(double *phiq, double *phip, const double *q, const double *p, void *user); /* nl x ... */
} dal_partitioned;

typedef struct dal_partitioned_solver dal_partitioned_solver;

/* The description is copied. 2 <= stages <= DAL_STAGES_MAX. */
DAL_API dal_status dal_partitioned_create(dal_partitioned_solver **solver, dal_ctx *ctx, const dal_partitioned *sys,
                                          int stages) DAL_NODISCARD;
DAL_API void dal_partitioned_destroy(dal_partitioned_solver *solver);

/* Initial values with phi(q, p) = 0. la NULL: the consistent value, phi_q f + phi_p g(q, p, lambda) = 0. Another one is
 * taken as it is: its error never dies out and costs q and p their order. (LB.12) */
DAL_API dal_status dal_partitioned_start(dal_partitioned_solver *solver, double t, const double *q, const double *p,
                                         const double *la) DAL_NODISCARD;

/* One step; on failure the state stays as it was. Allocates nothing. */
DAL_API dal_status dal_partitioned_step(dal_partitioned_solver *solver, double h) DAL_NODISCARD;

/* Pointers into the solver, valid until the next step. */
typedef struct dal_partitioned_state {
    double t;
    const double *q, *p, *la;
    long iterations, factorisations; /* of Newton's method, since creation */
} dal_partitioned_state;
DAL_API dal_partitioned_state dal_partitioned_get(const dal_partitioned_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
