/* Threads. Each has a context, a model and a simulation of its own; members are handed out one by one. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep/sweep_impl.h"

enum { JOBS_MAX = 1000, REST_MS = 50 };

typedef struct pool {
    dal_sweep *sweep;
    const dal_sweep_engine *engine;
    pthread_t thread[JOBS_MAX];
    int started;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t ended;
    int running;
    dal_status failure;
    char message[SWEEP_TEXT];
    atomic_int stop;
} pool;

static int asked_to_stop(void *user)
{
    pool *p = user;
    return atomic_load_explicit(&p->stop, memory_order_relaxed) ||
           (p->engine->stop != NULL && p->engine->stop(p->engine->user));
}

static void give_up(pool *p, dal_status st, const char *message)
{
    pthread_mutex_lock(&p->mutex);
    if (p->failure == DAL_OK) {
        p->failure = st;
        snprintf(p->message, sizeof p->message, "%s", message);
    }
    pthread_mutex_unlock(&p->mutex);
    atomic_store(&p->stop, 1);
}

static dal_status work(pool *p, dal_ctx *ctx)
{
    sweep_worker *worker = dal_sweep_worker_create(ctx, p->sweep, asked_to_stop, p);
    dal_status st = worker != NULL ? DAL_OK : DAL_ENOMEM;
    while (st == DAL_OK && !asked_to_stop(p)) {
        const void *record;
        size_t bytes;
        const long member = p->engine->next(p->engine->user);
        if (member < 0) {
            break;
        }
        st = dal_sweep_worker_run(worker, member, &record, &bytes);
        st = st == DAL_OK ? p->engine->deliver(record, bytes, p->engine->user) : st;
    }
    dal_sweep_worker_destroy(worker);
    return st;
}

static void *thread(void *user)
{
    pool *p = user;
    dal_ctx *ctx = NULL;
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK ? work(p, ctx) : st;
    if (st != DAL_OK && st != DAL_RETRY) {
        give_up(p, st, ctx != NULL ? dal_ctx_message(ctx) : "out of memory for a thread");
    }
    dal_ctx_destroy(ctx);
    pthread_mutex_lock(&p->mutex);
    --p->running;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static dal_status pool_start(pool *p, int jobs)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    jobs = jobs > 0 ? jobs : cores > 0 ? (int)cores : 1;
    jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX;
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
            break; // those that are there do the work
        }
    }
    return p->started > 0 ? DAL_OK : dal_fail(p->sweep->ctx, DAL_ENOMEM, "no thread can be started");
}

/* Wait for the end, or a while. Are any threads left? */
static int pool_rest(pool *p)
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

static dal_status pool_end(pool *p)
{
    for (int k = 0; k < p->started; ++k) {
        pthread_join(p->thread[k], NULL);
    }
    pthread_mutex_destroy(&p->mutex);
    pthread_cond_destroy(&p->ended);
    if (p->message[0] == '\0') {
        return p->failure; // the message is in the context already
    }
    return dal_fail(p->sweep->ctx, p->failure, "%s", p->message);
}

static dal_status can_run(const dal_sweep *s)
{
    return s->planned ? DAL_OK : dal_fail(s->ctx, DAL_EINVAL, "a sweep that was opened from journals cannot be run");
}

dal_status dal_sweep_work(dal_sweep *s, int jobs, const dal_sweep_engine *engine)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, engine);
    DAL_TRY(can_run(s));
    pool *p = dal_alloc_zero(s->ctx, sizeof *p);
    if (p == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    p->sweep = s;
    p->engine = engine;
    dal_status st = pool_start(p, jobs);
    const dal_status end = pool_end(p);
    st = st == DAL_OK ? end : st;
    dal_free(s->ctx, p);
    return st;
}

/* ---- a run in this process -------------------------------------------------------------------- */

typedef struct local {
    dal_sweep *sweep;
    const dal_sweep_run_options *options;
    long first, step;
    pthread_mutex_t mutex; /* of the results and of `next` */
    long next;
    long before, todo;
    int failing; /* fail_fast */
} local;

static long next_member(void *user)
{
    local *l = user;
    long member = -1;
    pthread_mutex_lock(&l->mutex);
    while (l->next < l->sweep->n && l->sweep->status[l->next] != DAL_SWEEP_MISSING) {
        l->next += l->step;
    }
    if (l->next < l->sweep->n && !l->failing) {
        member = l->next;
        l->next += l->step;
    }
    pthread_mutex_unlock(&l->mutex);
    return member;
}

static dal_status deliver(const void *record, size_t bytes, void *user)
{
    local *l = user;
    pthread_mutex_lock(&l->mutex);
    const long failed = l->sweep->failed;
    const dal_status st = dal_sweep_accept(l->sweep, record, bytes);
    l->failing |= l->options->fail_fast && l->sweep->failed > failed;
    pthread_mutex_unlock(&l->mutex);
    return st;
}

/* DAL_OK, or the wish to stop. */
static dal_status report(local *l)
{
    pthread_mutex_lock(&l->mutex);
    const int failing = l->failing;
    const dal_sweep_progress progress = {
        .done = l->sweep->done, .failed = l->sweep->failed, .todo = l->todo, .before = l->before};
    pthread_mutex_unlock(&l->mutex);
    const dal_status st = l->options->progress != NULL ? l->options->progress(&progress, l->options->user) : DAL_OK;
    return st == DAL_OK && failing ? DAL_RETRY : st;
}

static dal_status run(local *l)
{
    const dal_sweep_engine engine = {.next = next_member, .deliver = deliver, .user = l};
    dal_sweep *s = l->sweep;
    pool *p = dal_alloc_zero(s->ctx, sizeof *p);
    if (p == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    p->sweep = s;
    p->engine = &engine;
    dal_status st = pool_start(p, l->options->jobs), stopped = DAL_OK;
    while (st == DAL_OK && pool_rest(p) > 0) {
        stopped = stopped == DAL_OK ? report(l) : stopped;
        if (stopped != DAL_OK) {
            atomic_store(&p->stop, 1);
        }
    }
    const dal_status end = pool_end(p);
    st = st == DAL_OK ? end : st;
    dal_free(s->ctx, p);
    if (st == DAL_OK) {
        const dal_status last = report(l);
        stopped = stopped == DAL_OK && s->done < l->todo ? last : stopped;
    }
    return st != DAL_OK ? st : s->done < l->todo && (stopped != DAL_OK || l->failing) ? DAL_RETRY : DAL_OK;
}

/* ---- from outside ----------------------------------------------------------------------------- */

dal_status dal_sweep_begin(dal_sweep *s, const dal_sweep_run_options *options)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, options);
    DAL_TRY(can_run(s));
    const int n = options->nshards;
    if (n < 0 || (n > 0 && (options->shard < 1 || options->shard > n))) {
        return dal_fail(s->ctx, DAL_EOPTION, "shard %d of %d: there are shards 1 to %d", options->shard, n, n);
    }
    if (s->ncurves > 0 && options->journal == NULL) {
        return dal_fail(s->ctx, DAL_EOPTION, "trajectories are kept in files only");
    }
    if (options->finished != NULL) {
        DAL_TRY(dal_sweep_file_read(s, options->finished));
    }
    return options->journal != NULL ? dal_sweep_journal_open(s, options->journal, options->resume) : DAL_OK;
}

dal_status dal_sweep_accept(dal_sweep *s, const void *record, size_t bytes)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, record);
    if (dal_sweep_record_check(s, record, bytes) != bytes) {
        return dal_fail(s->ctx, DAL_EINVAL, "the record of a member is damaged");
    }
    const int64_t at = s->njournals > 0 ? s->journal[s->njournals - 1].size : 0;
    if (s->njournals > 0) {
        DAL_TRY(dal_sweep_journal_append(s, record, bytes));
    }
    return dal_sweep_record_take(s, record, s->njournals - 1, at);
}

dal_status dal_sweep_run(dal_sweep *s, const dal_sweep_run_options *options)
{
    static const dal_sweep_run_options plain = {0};
    options = options != NULL ? options : &plain;
    DAL_TRY(dal_sweep_begin(s, options));
    const long step = options->nshards > 0 ? options->nshards : 1,
               first = options->nshards > 0 ? options->shard - 1 : 0;
    local l = {.sweep = s,
               .options = options,
               .step = step,
               .first = first,
               .next = first,
               .before = s->done,
               .todo = first < s->n ? (s->n - first + step - 1) / step : 0};
    pthread_mutex_init(&l.mutex, NULL);
    const dal_status st = run(&l);
    pthread_mutex_destroy(&l.mutex);
    return st;
}
