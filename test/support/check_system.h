/* A system evaluated once, with data of its own. */
#ifndef CHECK_SYSTEM_H
#define CHECK_SYSTEM_H

#include "dalembert/system.h"

dal_status check_residual(dal_ctx *ctx, const dal_system *sys, const dal_residual *out, const dal_point *at);
double check_energy(dal_ctx *ctx, const dal_system *sys, const dal_point *at); /* NaN if it cannot be evaluated */

#endif
