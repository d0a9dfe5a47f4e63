/* Inputs: numbers of the system that are set from outside while a simulation runs. A value that differs is a jump of what acts
 * on the system: the run starts anew from the present state, as after an event. */
#include <string.h>

#include "base/message.h"
#include "sim/sim_impl.h"
#include "system/data.h"

dal_status dal_sim_set_inputs(dal_sim *sim, const double *u)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, u);
    DAL_TRY(dal_sim_between_steps(sim, __func__));
    const size_t size = (size_t)sim->sys->ninputs * sizeof *u;
    double *before = sim->data->input + 2 * (size_t)sim->sys->ninputs;
    if (memcmp(sim->data->input, u, size) == 0) {
        return DAL_OK;
    }
    memcpy(before, sim->data->input, size);
    DAL_TRY(dal_data_set_inputs(sim->data, u));
    const dal_status st = dal_sim_data_changed(sim);
    if (st != DAL_OK) { // the values cannot be run with: as before
        DAL_TRY(dal_data_set_inputs(sim->data, before));
        DAL_TRY(dal_sim_data_changed(sim));
    }
    return st;
}

dal_status dal_sim_set_input(dal_sim *sim, int k, double value)
{
    DAL_NEED(NULL, sim);
    const int n = sim->sys->ninputs;
    if (k < 0 || k >= n) {
        return dal_fail(sim->ctx, DAL_EINVAL, "input %d: the system has %d inputs, counted from 0", k, n);
    }
    double *u = sim->data->input + n;
    memcpy(u, sim->data->input, (size_t)n * sizeof *u);
    u[k] = value;
    return dal_sim_set_inputs(sim, u);
}
