/* The data of one simulation, for the parts that evaluate a system. */
#ifndef DAL_SYSTEM_DATA_H
#define DAL_SYSTEM_DATA_H

#include "dalembert/system.h"

struct dal_data {
    dal_ctx *ctx;
    const dal_system *sys;
    void *work;
    double *memory; /* sys->nmemory */
    int borrowed;   /* the memory belongs to the data of another system, which this one wraps */
};

/* Begin anew: memory zero, nothing kept. */
void dal_data_reset(dal_data *data);

/* Data of a system that wraps another one and shares its work and memory: `work` is what the wrapper made. It is
 * released by sys->destroy, the memory is not. */
dal_status dal_data_wrap(dal_data **out, dal_ctx *ctx, const dal_system *sys, void *work, double *memory) DAL_NODISCARD;

#endif
