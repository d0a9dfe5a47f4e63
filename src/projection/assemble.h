/* Assembly with the data of a simulation. */
#ifndef DAL_PROJECTION_ASSEMBLE_H
#define DAL_PROJECTION_ASSEMBLE_H

#include "dalembert/assemble.h"

/* dal_assemble; data NULL: data of its own. */
dal_status dal_assemble_with(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *q,
                             dal_assembly_report *report, double t, const int *held, int nheld,
                             double tol) DAL_NODISCARD;

/* Up to here velocities count as consistent, relative to the largest in its unit. */
#define DAL_VELOCITY_TOL 1e-9
/* dal_complete_velocities; likewise. *kept (may be NULL) is negative where those given contradict the constraints. */
dal_status dal_complete_velocities_with(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *v, int *kept,
                                        double t, const double *q, const int *given) DAL_NODISCARD;

#endif
