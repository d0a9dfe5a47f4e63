/* Runs of the benchmark problems, their errors against the exact motions, and observed orders. */
#ifndef INTEGRATE_RUN_H
#define INTEGRATE_RUN_H

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "problems/problems.h"

/* All states of a run: columns of q (nq x n), v, vd, a (nv x n), la (nc x n), the initial state first. */
typedef struct run {
    dal_status status; /* of creation, start or the step that failed; n states were reached */
    int n, capacity, nq, nv, nc;
    double *t, *q, *v, *vd, *a, *la;
    double position, velocity; /* largest |Phi| and |B v + Phi_t| after the start */
    double condition;          /* of the last iteration matrix */
    dal_stats stats;
} run;

/* Options from "key=value key=value ...", later ones win. Fails the test if they are not understood. */
dal_options run_options(dal_ctx *ctx, const char *text);

/* Run to t_end with options "key=value ...". A failure of the run is kept in status. */
run run_problem(const problem *p, double t_end, const char *options);
/* The same; fails the test unless the run succeeds. */
run run_good(const problem *p, double t_end, const char *options);
/* The same with a step size that changes: h[i] from t[i-1] to t[i] (t[-1] = 0), by dal_sim_set_step. */
run run_steps(const problem *p, const double *t, const double *h, int n, const char *options);
/* A run whose states go on with those of the simulation, for tests that step themselves. */
run run_new(const problem *p);
dal_status run_record(dal_sim *sim, const dal_state *state, void *self); /* an observer, self a run */
void run_free(run *r);
/* Keep about n states, first and last among them: enough to judge a smooth error. */
void run_thin(run *r, int n);

/* The exact motion on a grid 0 = t_0 < t_1 < ... < t_n = T. */
typedef struct exact {
    int n, nq, nv, nc;
    double T;
    double *q, *v, *la;
} exact;

exact exact_grid(const problem *p, double T, int n);      /* t_i = i T/n */
exact exact_at(const problem *p, const double *t, int n); /* t: n + 1 times */
void exact_free(exact *e);

/* What is measured: positions (and all coordinates of flat factors), angles between rotations, the two together as
 * distance on the group, velocities, the first nla multipliers. Euclidean norms. */
enum { ERROR_X, ERROR_R, ERROR_Q, ERROR_V, ERROR_LA, ERROR_KINDS };

typedef struct run_error {
    double max[ERROR_KINDS]; /* over the steps */
    int at[ERROR_KINDS];     /* the step where it is attained */
} run_error;

/* Errors at every step after the initial state, from <= t <= to. With a grid e (that of the run, or one with a
 * whole number of intervals for each step) the exact motion is taken from there, with e = NULL it is computed. nla: see
 * above, 0 stands for all. */
run_error run_errors(const run *r, const problem *p, const exact *e, double from, double to, int nla);

/* Errors of runs to T with n, 2 n, 4 n ... steps. order: log2 of the last two errors' ratio. */
enum { STUDY_MAX = 6 };
typedef struct study {
    int levels;
    double err[ERROR_KINDS][STUDY_MAX];
    double order[ERROR_KINDS];
    double iterations; /* per step, on the finest level */
} study;

/* e: exact motion on the finest grid (n 2^(levels-1) steps) or a refinement. */
study run_study(const problem *p, const exact *e, int n, int levels, int nla, const char *options);

/* The last observed orders of the kinds in `kinds` (bits 1 << ERROR_X ...) are within tol of order. Prints all. */
enum {
    ORDER_Q = 1 << ERROR_Q,
    ORDER_V = 1 << ERROR_V,
    ORDER_LA = 1 << ERROR_LA,
    ORDER_ALL = ORDER_Q | ORDER_V | ORDER_LA
};
void check_study(const study *s, unsigned kinds, double order, double tol, const char *what);

/* n steps: largest |dE| in the first and in the last tenth, |Phi| and |B v + Phi_t| at the end. */
void run_energies(double most[2], double *position, double *velocity, const problem *p, int n, const char *options);
/* n steps, velocities turned round, n steps: back at the start, within these. */
void run_reversed(const problem *p, int n, const char *options, double tol_q, double tol_v);

/* The model of a file as a problem; doc owns it. */
problem run_file(dal_ctx *ctx, dal_document **doc, const char *path);

#endif
