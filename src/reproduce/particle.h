/* The nonholonomic particle by Lobatto IIIA-IIIB as published in [SM21]. */
#ifndef REPRODUCE_PARTICLE_H
#define REPRODUCE_PARTICLE_H

#include "reproduce/lab.h"

typedef struct particle_method {
    int s;
    double A[DAL_STAGES_MAX * DAL_STAGES_MAX], Ahat[DAL_STAGES_MAX * DAL_STAGES_MAX];
} particle_method;

/* Stage values: W = h g; the constraint holds for Q and L. */
typedef struct particle_stages {
    double Q[DAL_STAGES_MAX][3], P[DAL_STAGES_MAX][3], L[DAL_STAGES_MAX][3], W[DAL_STAGES_MAX][3];
    double la[DAL_STAGES_MAX];
} particle_stages;

dal_status particle_method_init(particle_method *m, dal_ctx *ctx, int stages) DAL_NODISCARD;
/* One step of size h of y = (q, p, lambda). */
dal_status particle_step(double y[7], const particle_method *m, double h) DAL_NODISCARD;
double particle_phi(const double y[7]);
double particle_multiplier(const double y[7]); /* that belongs to q and p */

typedef struct particle_run {
    double q, p, la; /* errors at T */
    double phi;      /* largest residual of the constraint on the way */
} particle_run;
particle_run particle_errors(lab *L, int stages, double T, int n);

/* One step of size h from the exact state at t = 0.3, lambda_0 off by dla: what is added to the errors of the step by dla,
 * or with dla = 0 the local errors. phi is not used. */
particle_run particle_local(lab *L, int stages, double h, double dla);

#endif
