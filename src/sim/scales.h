/* The scales that a simulation measures residuals and increments by: for parts that describe what it does. */
#ifndef DAL_SIM_SCALES_H
#define DAL_SIM_SCALES_H

#include "dalembert/sim.h"

/* After a start; valid until the next (docs/theory/scales.md). */
typedef struct dal_sim_scales {
    double length, work;
    const double *unit, *inertia; /* nv */
    const double *reach;          /* nc without the rows that are left out */
} dal_sim_scales;

dal_sim_scales dal_sim_scales_of(const dal_sim *sim);

#endif
