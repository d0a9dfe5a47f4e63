/* Threads, each with a context of its own. */
#ifndef DAL_SWEEP_POOL_H
#define DAL_SWEEP_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "dalembert/base.h"

enum { POOL_JOBS = 1000, POOL_MESSAGE = 1024 };

typedef struct sweep_pool {
    const dal_config *config; /* of the contexts; may be NULL */
    /* What a thread does. DAL_RETRY: it was asked to stop; any other failure stops the others. */
    dal_status (*main)(dal_ctx *ctx, void *user);
    void *user;
    atomic_int stop; /* the threads look at it */
    /* inside */
    pthread_t thread[POOL_JOBS];
    int started;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t ended;
    int running;
    dal_status failure;
    char message[POOL_MESSAGE];
} sweep_pool;

int dal_sweep_cores(void);
/* jobs 0: one for each core. Fewer threads than that do the work if no more can be started; DAL_ENOMEM: none could. */
dal_status dal_sweep_pool_start(sweep_pool *pool, dal_ctx *ctx, int jobs) DAL_NODISCARD;
int dal_sweep_pool_rest(sweep_pool *pool); /* wait a while; threads that are at work */
/* Wait for all of them; the first failure, with its message in ctx unless it was empty. */
dal_status dal_sweep_pool_end(sweep_pool *pool, dal_ctx *ctx) DAL_NODISCARD;

#endif
