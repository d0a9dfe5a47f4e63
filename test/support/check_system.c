#include "support/check_system.h"

#include <math.h>

dal_status check_residual(dal_ctx *ctx, const dal_system *sys, const dal_residual *out, const dal_point *at)
{
    dal_data *data;
    DAL_TRY(dal_data_create(&data, ctx, sys));
    const dal_status st = dal_data_residual(data, out, at);
    dal_data_destroy(data);
    return st;
}

double check_energy(dal_ctx *ctx, const dal_system *sys, const dal_point *at)
{
    dal_data *data;
    if (dal_data_create(&data, ctx, sys) != DAL_OK) {
        return (double)NAN;
    }
    const double energy = dal_data_energy(data, at);
    dal_data_destroy(data);
    return energy;
}
