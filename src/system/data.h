/* The data of one simulation, for the parts that evaluate a system. */
#ifndef DAL_SYSTEM_DATA_H
#define DAL_SYSTEM_DATA_H

#include "dalembert/system.h"

struct dal_data {
    dal_ctx *ctx;
    const dal_system *sys;
    void *work;
    double *memory;      /* sys->nmemory */
    double *input;       /* sys->ninputs, then twice as many for scratch */
    double *scratch;     /* of mask.h */
    const void *bound;   /* what set numbers of elements last, beside the inputs: a binding of a model file */
    double *bound_value; /* and by which values, bound_room of them at most; nbound = 0: numbers came otherwise since */
    int nbound, bound_room;
    const double
        *units; /* of velocities, then the length (SX.4), held whatever the numbers are; NULL: those of the system */
};

/* Members of a point that must not be NULL: "dal_data_residual: at->vd is NULL". la is needed where
 * sys has rows; sys NULL: it is not. */
dal_status dal_point_check(dal_ctx *ctx, const char *function, const dal_point *at, const dal_system *sys);
#define DAL_NEED_POINT(ctx, at, sys) DAL_TRY(dal_point_check(ctx, __func__, at, sys))

/* Are these a state: finite, rotations of unit length? v may be NULL. The message names what is not: "initial q[3] = nan is not
 * finite", with `whose` for the first word. */
dal_status dal_state_check(dal_ctx *ctx, const dal_system *sys, dal_status failure, const char *whose, double t,
                           const double *q, const double *v) DAL_NODISCARD;

/* Has each input a name, a unit, and a value within its limits? */
dal_status dal_inputs_check(dal_ctx *ctx, const dal_system_input *input, int n) DAL_NODISCARD;

/* Is the value finite and within the limits? */
dal_status dal_input_check(dal_ctx *ctx, const dal_system_input *input, double value) DAL_NODISCARD;
/* Give the system the inputs that are not as at first: at a start its numbers may be those of the description. */
dal_status dal_data_apply_inputs(dal_data *data) DAL_NODISCARD;

/* Begin anew: memory zero, nothing kept. */
void dal_data_reset(dal_data *data);

/* `energies` and `exchange` of a system, whose rows the point has; NaN and zeros where it does not give them. */
dal_status dal_system_energies(const dal_system *sys, const dal_data *data, double E[2],
                               const dal_point *at) DAL_NODISCARD;
dal_status dal_system_exchange(const dal_system *sys, const dal_data *data, double P[2],
                               const dal_point *at) DAL_NODISCARD;

/* Has this row ceased to exist? See dal_life.released. */
int dal_data_released(const dal_data *data, int row, double t);

#endif
