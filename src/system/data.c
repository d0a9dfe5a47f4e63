/* The data of one simulation: work memory and memory of a system. */
#include "system/data.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "system/mask.h"

static dal_status no_memory(dal_ctx *ctx)
{
    return dal_fail(ctx, DAL_ENOMEM, "no memory for the data of a simulation");
}

dal_status dal_data_create(dal_data **out, dal_ctx *ctx, const dal_system *sys)
{
    DAL_NEED_AS(ctx, out, "data");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_TRY(dal_system_validate(ctx, sys));
    dal_data *data = dal_alloc_zero(ctx, sizeof *data);
    if (!data) {
        return no_memory(ctx);
    }
    data->ctx = ctx;
    data->sys = sys;
    const size_t memory = (size_t)sys->nmemory, inputs = (size_t)sys->ninputs;
    data->memory = dal_alloc_zero(ctx, (memory + 3 * inputs + dal_mask_room(sys)) * sizeof(double));
    dal_status st = data->memory ? DAL_OK : no_memory(ctx);
    if (data->memory) {
        data->input = data->memory + memory;
        data->scratch = data->input + 3 * inputs;
        for (int k = 0; k < sys->ninputs; ++k) {
            data->input[k] = sys->input[k].value;
        }
    }
    if (st == DAL_OK && sys->life.create) {
        st = sys->life.create(&data->work, ctx, data->memory, sys->user);
    }
    if (st == DAL_OK && sys->ninputs > 0) { // as many numbers from the beginning as later: snapshots have them
        st = sys->life.set_inputs(data, data->input, sys->user);
    }
    if (st != DAL_OK) {
        dal_data_destroy(data);
        return st;
    }
    *out = data;
    return DAL_OK;
}

void dal_data_destroy(dal_data *data)
{
    if (data) {
        if (data->sys->life.destroy && data->work) {
            data->sys->life.destroy(data->work, data->sys->user);
        }
        dal_free(data->ctx, data->bound_value);
        dal_free(data->ctx, data->memory);
        dal_free(data->ctx, data);
    }
}

void dal_data_reset(dal_data *data)
{
    memset(data->memory, 0, (size_t)data->sys->nmemory * sizeof(double));
    dal_data_forget(data);
}

/* ---- inputs ----------------------------------------------------------------------------------- */

dal_system_input dal_data_input(const dal_data *data, int k)
{
    if (data == NULL || k < 0 || k >= data->sys->ninputs) {
        return (dal_system_input){.name = NULL};
    }
    dal_system_input input = data->sys->input[k];
    input.value = data->input[k];
    return input;
}

dal_status dal_data_apply_inputs(dal_data *data)
{
    const dal_system *sys = data->sys;
    int changed = 0;
    for (int k = 0; k < sys->ninputs; ++k) {
        changed |= data->input[k] != sys->input[k].value;
    }
    return changed ? sys->life.set_inputs(data, data->input, sys->user) : DAL_OK;
}

dal_status dal_input_check(dal_ctx *ctx, const dal_system_input *input, double value)
{
    return isfinite(value) && input->min <= value && value <= input->max
               ? DAL_OK
               : dal_fail(ctx, DAL_EINVAL, "input '%s' = %g%s%s is outside of its limits, %g to %g", input->name, value,
                          input->unit[0] != '\0' ? " " : "", input->unit, input->min, input->max);
}

dal_status dal_data_set_inputs(dal_data *data, const double *u)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, u);
    const dal_system *sys = data->sys;
    for (int k = 0; k < sys->ninputs; ++k) {
        DAL_TRY(dal_input_check(data->ctx, &sys->input[k], u[k]));
    }
    const dal_status st = sys->ninputs > 0 ? sys->life.set_inputs(data, u, sys->user) : DAL_OK;
    if (st != DAL_OK) {
        DAL_TRY(sys->life.set_inputs(data, data->input, sys->user)); // as before
        return st;
    }
    memmove(data->input, u, (size_t)sys->ninputs * sizeof *u);
    return DAL_OK;
}

const dal_system *dal_data_system(const dal_data *data)
{
    return data ? data->sys : NULL;
}

dal_status dal_point_check(dal_ctx *ctx, const char *function, const dal_point *at, const dal_system *sys)
{
    const char *absent = at == NULL                                   ? "at"
                         : at->q == NULL                              ? "at->q"
                         : at->v == NULL                              ? "at->v"
                         : at->vd == NULL                             ? "at->vd"
                         : at->la == NULL && dal_system_rows(sys) > 0 ? "at->la"
                                                                      : NULL;
    return absent ? dal_null_argument(ctx, function, absent) : DAL_OK;
}

dal_status dal_data_residual(dal_data *data, const dal_residual *out, const dal_point *at)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, out);
    DAL_NEED_POINT(data->ctx, at, data->sys);
    return dal_mask_residual(data->sys, data, out, at);
}

dal_status dal_data_tangent(dal_data *data, dal_sink *sink, const dal_point *at)
{
    DAL_NEED(NULL, data);
    DAL_NEED(data->ctx, sink);
    DAL_NEED_POINT(data->ctx, at, data->sys);
    DAL_NEED(data->ctx, sink->pair);
    DAL_NEED(data->ctx, sink->link);
    DAL_NEED(data->ctx, sink->link_acc);
    DAL_NEED(data->ctx, sink->link_force);
    if (sink->wants & DAL_WANT_L) {
        DAL_NEED(data->ctx, sink->link_law);
        DAL_NEED(data->ctx, sink->couple);
    }
    return dal_mask_tangent(data->sys, data, sink, at);
}

double dal_data_energy(dal_data *data, const dal_point *at)
{
    if (!data || !at || dal_point_check(NULL, __func__, at, data->sys) != DAL_OK || !data->sys->equations.energy) {
        return (double)NAN;
    }
    dal_point room;
    return data->sys->equations.energy(dal_mask_point(data->sys, data, &room, at), data->sys->user, data->work);
}

dal_status dal_system_energies(const dal_system *sys, const dal_data *data, double E[2], const dal_point *at)
{
    dal_point room;
    E[0] = E[1] = (double)NAN;
    return sys->equations.energies
               ? sys->equations.energies(E, dal_mask_point(sys, data, &room, at), sys->user, data->work)
               : DAL_OK;
}

dal_status dal_system_exchange(const dal_system *sys, const dal_data *data, double P[2], const dal_point *at)
{
    dal_point room;
    P[0] = P[1] = 0.0;
    return sys->equations.exchange
               ? sys->equations.exchange(P, dal_mask_point(sys, data, &room, at), sys->user, data->work)
               : DAL_OK;
}

dal_status dal_data_accept(dal_data *data, const dal_point *at, dal_moment moment)
{
    DAL_NEED(NULL, data);
    DAL_NEED_POINT(data->ctx, at, data->sys);
    dal_point room;
    return data->sys->life.accept
               ? data->sys->life.accept(dal_mask_point(data->sys, data, &room, at), moment, data->sys->user, data->work)
               : DAL_OK;
}

dal_status dal_data_integrate(dal_data *data, const dal_point *at, double weight)
{
    DAL_NEED(NULL, data);
    DAL_NEED_POINT(data->ctx, at, data->sys);
    dal_point room;
    return data->sys->life.integrate ? data->sys->life.integrate(dal_mask_point(data->sys, data, &room, at), weight,
                                                                 data->sys->user, data->work)
                                     : DAL_OK;
}

int dal_data_released(const dal_data *data, int row, double t)
{
    const dal_system *sys = data->sys;
    return sys->life.released && sys->life.released(dal_mask_row(sys, row), t, sys->user, data->work);
}

void dal_data_forget(dal_data *data)
{
    if (data && data->sys->life.forget) {
        data->sys->life.forget(data->sys->user, data->work);
    }
}
