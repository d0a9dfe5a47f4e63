/* Runs of the benchmark problems and their errors at the end. */
#ifndef PROBLEMS_ENDS_H
#define PROBLEMS_ENDS_H

#include "dalembert/sim.h"
#include "problems/problems.h"

typedef struct ends {
    double x;        /* first factor: positions only, Euclidean */
    double q, v, la; /* distance on the group; Euclidean */
    double Phi, vel; /* largest residuals of the constraints over the run */
    dal_stats stats;
} ends;

/* Options "key=value key=value ..." on top of integrator = lobatto. */
dal_options ends_options(dal_ctx *ctx, const char *text);

/* The exact state at T. It is integrated with small steps: find it once for many runs. */
typedef struct ends_state {
    double T, q[PROBLEM_MAX], v[PROBLEM_MAX], la[PROBLEM_MAX];
} ends_state;

ends_state ends_exact(const problem *p, double T);

/* Run to T with steps of size h (0: as the options say); fails the test unless it succeeds. */
ends ends_run(const problem *p, double T, double h, const char *options);
ends ends_run_to(const problem *p, const ends_state *exact, double h, const char *options);

/* Orders in q, v and lambda between runs with h, h/2, h/4 ...: all are within tol of order (order_la: that of lambda).
 * Prints all. T and h are to be such that the errors are in the asymptotic range and above rounding. */
void ends_order(const problem *p, double T, double h, int levels, const char *options, double order, double tol);
void ends_orders(const problem *p, double T, double h, int levels, const char *options, double order, double order_la,
                 double tol);

#endif
