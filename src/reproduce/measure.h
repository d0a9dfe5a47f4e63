/* Runs of the benchmark problems and their errors against the exact motions. */
#ifndef REPRODUCE_MEASURE_H
#define REPRODUCE_MEASURE_H

#include "dalembert/sim.h"
#include "problems/problems.h"

/* All states of a run: columns of q (nq x n), v, vd, a (nv x n), la, eta (nc x n), the initial state first. */
typedef struct track {
    const problem *p;
    dal_status status; /* of creation, start or the step that failed; n states were reached */
    int n, capacity;
    double *t, *q, *v, *vd, *a, *la, *eta;
    double condition; /* of the last iteration matrix */
    dal_stats stats;
} track;

/* Run p from 0 to T with options "key=value key=value ...", a printf format. */
track track_run(const problem *p, double T, const char *format, ...) DAL_PRINTF(3, 4);
/* The same with a step size that changes: h[i] from t[i-1] to t[i] (t[-1] = 0). */
track track_steps(const problem *p, const double *t, const double *h, int n, const char *options);
void track_free(track *r);
double track_iterations(const track *r); /* Newton iterations per step, NAN for a run that failed */
/* Column k of one of the arrays: track_column(r->la, r->p->nc, k). */
const double *track_column(const double *x, int rows, int k);

/* What is measured: positions (and all coordinates of flat factors), angles between rotations, the two together as
 * distance on the group, velocities, the first nla multipliers. Euclidean norms. */
enum { ERROR_X, ERROR_R, ERROR_Q, ERROR_V, ERROR_LA, ERROR_KINDS };

typedef struct track_error {
    double max[ERROR_KINDS]; /* over the steps; NAN for a run that failed */
    int at[ERROR_KINDS];     /* the step where it is attained */
} track_error;

/* Largest errors over the steps after the initial state with from <= t <= to. nla = 0 stands for all. */
track_error track_errors(const track *r, double from, double to, int nla);
/* Errors of all kinds at every step: ERROR_KINDS x n, from malloc; column 0 is the initial state. NULL on failure. */
double *track_history(const track *r, int nla);

/* Observed order log2(e(h)/e(h/2)) of the largest errors in [from, T] with n and 2 n steps. */
typedef struct orders {
    double order[ERROR_KINDS], fine[ERROR_KINDS]; /* fine: errors with 2 n steps */
} orders;
orders observed_orders(const problem *p, double from, double T, int n, int nla, const char *options);
/* The one of the kinds (bits 1 << ERROR_X ...) whose order is farthest from want. */
double worst_order(const orders *o, unsigned kinds, double want);
enum {
    KIND_X = 1 << ERROR_X,
    KIND_R = 1 << ERROR_R,
    KIND_Q = 1 << ERROR_Q,
    KIND_V = 1 << ERROR_V,
    KIND_LA = 1 << ERROR_LA,
    KIND_ALL = KIND_Q | KIND_V | KIND_LA
};

/* Distance of n numbers. */
double distance(const double *x, const double *y, int n);

#endif
