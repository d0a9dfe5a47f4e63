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
    data->memory = dal_alloc_zero(ctx, ((size_t)sys->nmemory + dal_mask_room(sys)) * sizeof(double));
    dal_status st = data->memory ? DAL_OK : no_memory(ctx);
    data->scratch = data->memory ? data->memory + sys->nmemory : NULL;
    if (st == DAL_OK && sys->life.create) {
        st = sys->life.create(&data->work, ctx, data->memory, sys->user);
    }
    if (st != DAL_OK) {
        dal_free(ctx, data->memory);
        dal_free(ctx, data);
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
        dal_free(data->ctx, data->memory);
        dal_free(data->ctx, data);
    }
}

void dal_data_reset(dal_data *data)
{
    memset(data->memory, 0, (size_t)data->sys->nmemory * sizeof(double));
    dal_data_forget(data);
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
