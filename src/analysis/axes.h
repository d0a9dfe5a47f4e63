/* Axes in which perturbations of a motion are taken (docs/theory/modes.md, section 2). */
#ifndef DAL_ANALYSIS_AXES_H
#define DAL_ANALYSIS_AXES_H

#include "dalembert/modes.h"

typedef struct dal_axes_choice {
    int body;              /* axes of each body; otherwise axes that turn with the angular velocity below */
    double turning[3];     /* world; zero: axes that do not turn */
    const dal_system *sys; /* tells which factors are places of points; NULL: none is */
} dal_axes_choice;

/* A state with its accelerations and their rates. */
typedef struct dal_axes_state {
    const double *q, *v, *vd, *vdd;
} dal_axes_state;

/* Is factor f nothing but numbers, which have nothing to do with axes? */
int dal_axes_flat(const dal_group *G, int f, const dal_axes_choice *axes);
/* D of (MO.3) for factor f: nv x nv of the factor. */
void dal_axes_rate(double *D, const dal_group *G, int f, const dal_axes_choice *axes, const double *q, const double *v);
/* T of (MO.2) for factor f from the configuration q0 to q1, a time dt later. */
void dal_axes_carry(double *T, const dal_group *G, int f, const dal_axes_choice *axes, const double *q0,
                    const double *q1, double dt);
/* The angular velocity, of least size, of axes in which velocities and accelerations are as constant as possible. */
dal_status dal_axes_fit(double turning[3], dal_ctx *ctx, const dal_system *sys, const dal_axes_state *s) DAL_NODISCARD;
/* Largest |v' - D v|: accelerations that these axes do not explain. work: nv */
double dal_axes_unsteady(const dal_group *G, double *work, const dal_axes_choice *axes, const dal_axes_state *s);
/* Where a steady motion is a time dt later: q1, v1, vd1. */
void dal_axes_advance(double *q1, double *v1, double *vd1, const dal_group *G, const dal_axes_choice *axes,
                      const dal_axes_state *s, double dt);
/* Angular velocity of factor f in world axes; 0 if it has none. */
int dal_axes_spin(double w[3], const dal_group *G, int f, const double *q, const double *v);

#endif
