/* Assembly with the data of a simulation. */
#ifndef DAL_PROJECTION_ASSEMBLE_H
#define DAL_PROJECTION_ASSEMBLE_H

#include "dalembert/assemble.h"

/* dal_assemble; data NULL: data of its own. */
dal_status dal_assemble_with(dal_ctx *ctx, const dal_system *sys, dal_data *data, double t, double *q, const int *held,
                             int nheld, double tol, dal_assembly_report *report) DAL_NODISCARD;

#endif
