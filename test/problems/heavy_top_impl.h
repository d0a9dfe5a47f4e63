/* The heavy top: data and exact motion shared by its charts. */
#ifndef PROBLEMS_HEAVY_TOP_IMPL_H
#define PROBLEMS_HEAVY_TOP_IMPL_H

#include "problems/problem_impl.h"

#define HEAVY_TOP_MASS 15.0
#define HEAVY_TOP_G 9.81
#define HEAVY_TOP_J1 0.234375 /* J = diag(J1, J2, J1) about the centre of mass */
#define HEAVY_TOP_J2 0.46875

/* Everything about the exact motion at one time. */
typedef struct heavy_top_state {
    double x[3], u[3], xdd[3];  /* centre of mass, world axes */
    double p[4], Om[3], Omd[3]; /* attitude, body axes */
    double alpha, gamma;        /* first and third angle of HEAVY_TOP_CARDAN, unwrapped */
    double la[3];
} heavy_top_state;

/* Right-hand side in y = (p, Omega, alpha, gamma): Euler's equations about the fixed point. */
void heavy_top_motion(long double *f, long double t, const long double *y, const void *p);
heavy_top_state heavy_top_at(const long double *y);
/* Motion of the problem with this map from the state to the chart, and initial values from it. */
void heavy_top_set_motion(problem *p, void (*state)(double *q, double *v, double *vd, double *la, long double t,
                                                    const long double *y, const problem *p));

/* Callbacks of the charts that are no Lie groups. */
void heavy_top_euler(problem *p);
void heavy_top_cardan(problem *p);

#endif
