/* Methods that the library does not have, in their plainest form: matrices by differences, iterated to rounding. */
#ifndef TEST_FIGURES_FORMS_H
#define TEST_FIGURES_FORMS_H

#include "dalembert/lie.h"

/* F(z) = 0 of n <= FORM_MOST equations, from z, with the matrix of the start by differences; to rounding. */
enum { FORM_MOST = 32 };
typedef void form_equations(double *F, const double *z, void *user);
void form_iterate(double *z, int n, form_equations *F, void *user);

/* Errors of energy over a run: largest of all and of its first and last tenth, mean of the last tenth, sums for the straight line. */
typedef struct trend {
    int steps, n;
    double most, first, last, mean, t, tt, E, tE, position, velocity;
} trend;

void trend_add(trend *k, double t, double E);
double trend_slope(const trend *k);

/* RATTLie with M(q0) and M(q1) in its two halves, from the start of the top by a point half-way up its axis. */
void form_offset_top(double *q, double *v, dal_ctx *ctx, double h, int steps);

#endif
