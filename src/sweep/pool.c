#define _POSIX_C_SOURCE 200809L

#include "sweep/pool.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "dalembert/sweep.h"
#include "sweep/sweep_impl.h"

enum { REST_MS = 50 };

static void *thread(void *user)
{
    sweep_pool *p = user;
    dal_ctx *ctx = NULL;
    dal_status st = dal_ctx_create(&ctx, p->config);
    st = st == DAL_OK ? p->main(ctx, p->user) : st;
    pthread_mutex_lock(&p->mutex);
    if (st != DAL_OK && st != DAL_RETRY && p->failure == DAL_OK) {
        p->failure = st;
        snprintf(p->message, sizeof p->message, "%s",
                 ctx != NULL ? dal_ctx_message(ctx) : "out of memory for a thread");
        atomic_store(&p->stop, 1);
    }
    --p->running;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->mutex);
    dal_ctx_destroy(ctx);
    return NULL;
}

int dal_sweep_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

dal_status dal_sweep_pool_start(sweep_pool *p, dal_ctx *ctx, int jobs)
{
    jobs = jobs > 0 ? jobs : dal_sweep_cores();
    jobs = jobs < POOL_JOBS ? jobs : POOL_JOBS;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->ended, NULL);
    for (; p->started < jobs; ++p->started) {
        pthread_mutex_lock(&p->mutex);
        ++p->running;
        pthread_mutex_unlock(&p->mutex);
        if (pthread_create(&p->thread[p->started], NULL, thread, p) != 0) {
            pthread_mutex_lock(&p->mutex);
            --p->running;
            pthread_mutex_unlock(&p->mutex);
            break;
        }
    }
    return p->started > 0 ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "no thread can be started");
}

int dal_sweep_pool_rest(sweep_pool *p)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += REST_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&p->mutex);
    if (p->running > 0) {
        pthread_cond_timedwait(&p->ended, &p->mutex, &until);
    }
    const int left = p->running;
    pthread_mutex_unlock(&p->mutex);
    return left;
}

dal_status dal_sweep_pool_end(sweep_pool *p, dal_ctx *ctx)
{
    for (int k = 0; k < p->started; ++k) {
        pthread_join(p->thread[k], NULL);
    }
    pthread_mutex_destroy(&p->mutex);
    pthread_cond_destroy(&p->ended);
    return p->message[0] == '\0' ? p->failure : dal_fail(ctx, p->failure, "%s", p->message);
}

/* ---- one call after the other ----------------------------------------------------------------- */

typedef struct each {
    atomic_long next;
    long n;
    void (*work)(dal_ctx *ctx, long k, void *user);
    void *user;
} each;

static dal_status work_on(dal_ctx *ctx, void *user)
{
    each *e = user;
    for (long k; (k = atomic_fetch_add(&e->next, 1)) < e->n;) {
        e->work(ctx, k, e->user);
    }
    return DAL_OK;
}

dal_status dal_sweep_each(dal_ctx *ctx, const dal_config *config, int jobs, long n,
                          void (*work)(dal_ctx *ctx, long k, void *user), void *user)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, work);
    each e = {.n = n, .work = work, .user = user};
    sweep_pool *p = dal_alloc_zero(ctx, sizeof *p);
    if (p == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    p->config = config;
    p->main = work_on;
    p->user = &e;
    dal_status st = dal_sweep_pool_start(p, ctx, jobs < n || jobs == 0 ? jobs : n > 0 ? (int)n : 1);
    const dal_status end = dal_sweep_pool_end(p, ctx);
    dal_free(ctx, p);
    return st == DAL_OK ? end : st;
}
