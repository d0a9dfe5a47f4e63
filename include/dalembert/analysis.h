/* dalembert/analysis.h - errors of a simulation: sampled trajectories, their distance, observed orders, and reference
 * solutions to measure them against. */
#ifndef DALEMBERT_ANALYSIS_H
#define DALEMBERT_ANALYSIS_H

#include "dalembert/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* States at given times. */
typedef struct dal_samples {
    int n; /* number of times */
    int nq, nv, nc;
    double *t;          /* n, increasing */
    double *q, *v, *la; /* nq x n, nv x n, nc x n, column-major */
    dal_ctx *ctx;
} dal_samples;

DAL_API dal_status dal_samples_init(dal_samples *samples, dal_ctx *ctx, const dal_system *sys, const double *t,
                                    int n) DAL_NODISCARD;
DAL_API void dal_samples_release(dal_samples *samples);

/* Run a simulation that has been started from sample to sample and record its states. Where the step size does not
 * divide the distance of two samples, a step is shortened. *done (may be NULL) receives the number of samples reached,
 * also on failure. Samples before the current time are refused. */
DAL_API dal_status dal_samples_run(dal_samples *samples, dal_sim *sim, int *done) DAL_NODISCARD;

/* Distances of two trajectories: on the group in q, Euclidean in v and lambda. */
typedef struct dal_error {
    double q, v, lambda;
} dal_error;

/* Largest over the first n samples; NaN as soon as one number is. */
DAL_API dal_error dal_samples_error(const dal_group *group, const dal_samples *a, const dal_samples *b, int n);
/* The same for zero instead of b: how large v and lambda get. q: distance from the first sample. */
DAL_API dal_error dal_samples_size(const dal_group *group, const dal_samples *a);

/* log(e0/e1) / log(h0/h1); NaN where it makes no sense. */
DAL_API double dal_observed_order(double h0, double e0, double h1, double e1);

/* A reference solution for the times of `samples` from consistent or nearly consistent initial values at t0: Lobatto
 * IIIA-IIIB of order 10 with steps halved until two runs agree to tol (relative to the size of each quantity) or
 * rounding shows. like (may be NULL): options whose `redundant` and `initial` are taken over. error: the difference of the last two runs, an upper estimate for the better one of them, which is
 * returned. */
DAL_API dal_status dal_reference(dal_samples *samples, dal_error *error, dal_ctx *ctx, const dal_system *sys, double t0,
                                 const double *q0, const double *v0, const dal_options *like, double tol) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
