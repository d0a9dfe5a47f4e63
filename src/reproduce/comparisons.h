/* Errors of several methods on the same model, for claims and figures. */
#ifndef REPRODUCE_COMPARISONS_H
#define REPRODUCE_COMPARISONS_H

#include "reproduce/measure.h"

/* Coordinates of the bodies. Angles: R = R_i(a1) R_j(a2) R_k(a3). */
enum { CHART_NONE, CHART_EULER, CHART_XYZ, CHART_XZY, CHART_YZX };

/* A built-in model that has the words `coordinates` and `sequence`, in these coordinates; set: further assignments. */
const subject *in_chart(lab *L, const char *model, int chart, const char *set);

/* ---- heavy top -------------------------------------------------------------------------------- */

enum { METRIC_Q, METRIC_V, METRIC_LA, METRICS };

/* Largest errors on [0, 1]: absolute coordinates (x, Euler parameters), velocity of the centre of mass, multipliers.
 * Naive starting values. NAN if the run fails. */
void top_errors(double err[METRICS], lab *L, int chart, double h, const char *options);

/* How many of n step sizes, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5 or from 2e-3 on (coarse), do not lead to t = 1. */
int top_failures(lab *L, int chart, int n, int coarse, const char *options);

/* ---- rotor ------------------------------------------------------------------------------------ */

/* Distance of the right bearing from its exact position at t = T, rho 0.9, tight tolerances, and error of the velocity of
 * the left one (in CHART_NONE); velocity may be NULL. */
double rotor_error(lab *L, double *velocity, int chart, double T, double h, const char *options);

/* A run to t = 1 with rho 0.9: Newton iterations per step and Jacobians. NAN if it fails. */
void rotor_effort(double *iterations, double *jacobians, lab *L, int chart, double h, const char *options);

/* The point (x, 0, 0) of the body at a pose. */
void axis_point(double p[3], const double pose[7], double x);

/* ---- spatial slider crank --------------------------------------------------------------------- */

/* A run to t = 2 with rho 0.875, rtol 1e-9; centre of mass of the crank in its middle, or at A. */
typedef struct crank_run {
    double position, velocity; /* errors of the slider at the end */
    double iterations, jacobians;
} crank_run;
const subject *crank_in_chart(lab *L, int chart, int com_at_A);
crank_run crank_errors(lab *L, int chart, int com_at_A, double h, const char *options);

/* ---- nonholonomic particle, Lobatto IIIA-IIIB as published: particle.c --------------------------- */

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
