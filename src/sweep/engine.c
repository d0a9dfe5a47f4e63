/* Members in threads. Each thread has a context and a simulation of its own; members are handed out one by one. */

#include "sweep/pool.h"
#include "sweep/sweep_impl.h"

/* Members of an engine, in a thread of a pool. */
typedef struct crew {
    sweep_pool pool;
    dal_sweep *sweep;
    const dal_sweep_engine *engine;
} crew;

static int asked_to_stop(void *user)
{
    crew *c = user;
    return atomic_load_explicit(&c->pool.stop, memory_order_relaxed) ||
           (c->engine->stop != NULL && c->engine->stop(c->engine->user));
}

static dal_status work(dal_ctx *ctx, void *user)
{
    crew *c = user;
    if (c->sweep->backend != DAL_SWEEP_INTERPRETED) {
        return dal_sweep_work_in_blocks(ctx, c->sweep, c->engine, asked_to_stop, c);
    }
    sweep_worker *worker = dal_sweep_worker_create(ctx, c->sweep, asked_to_stop, c);
    dal_status st = worker != NULL ? DAL_OK : DAL_ENOMEM;
    while (st == DAL_OK && !asked_to_stop(c)) {
        const void *record;
        size_t bytes;
        const long member = c->engine->next(c->engine->user);
        if (member < 0) {
            break;
        }
        st = dal_sweep_worker_run(worker, &record, &bytes, member, 0);
        st = st == DAL_OK ? c->engine->deliver(record, bytes, c->engine->user) : st;
    }
    dal_sweep_worker_destroy(worker);
    return st;
}

static crew *make_crew(dal_sweep *s, const dal_sweep_engine *engine)
{
    crew *c = dal_alloc_zero(s->ctx, sizeof *c);
    if (c != NULL) {
        c->sweep = s;
        c->engine = engine;
        c->pool.main = work;
        c->pool.user = c;
    }
    return c;
}

static dal_status can_run(const dal_sweep *s)
{
    return s->planned ? DAL_OK : dal_fail(s->ctx, DAL_EINVAL, "a sweep that was opened from journals cannot be run");
}

dal_status dal_sweep_work_(dal_sweep *s, int jobs, const dal_sweep_engine *engine, size_t size)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, engine);
    DAL_OWN(s->ctx, dal_sweep_engine, engine);
    DAL_TRY(can_run(s));
    crew *c = make_crew(s, engine);
    if (c == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    dal_status st = dal_sweep_pool_start(&c->pool, s->ctx, jobs);
    const dal_status end = dal_sweep_pool_end(&c->pool, s->ctx);
    st = st == DAL_OK ? end : st;
    dal_free(s->ctx, c);
    return st;
}

/* ---- members are handed out and taken back ---------------------------------------------------- */

dal_status dal_sweep_begin_(dal_sweep *s, const dal_sweep_run_options *options, size_t size)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, options);
    DAL_OWN(s->ctx, dal_sweep_run_options, options);
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
    if (options->journal != NULL) {
        DAL_TRY(dal_sweep_journal_open(s, options->journal, options->resume));
    }
    s->step = n > 0 ? n : 1;
    s->next = n > 0 ? options->shard - 1 : 0;
    s->todo = s->next < s->n ? (s->n - s->next + s->step - 1) / s->step : 0;
    s->before = s->done;
    s->fail_fast = options->fail_fast;
    s->failing = 0;
    return DAL_OK;
}

long dal_sweep_next(dal_sweep *s)
{
    long member = -1;
    if (s == NULL) {
        return member;
    }
    pthread_mutex_lock(&s->handing);
    while (s->next < s->n && s->status[s->next] != DAL_SWEEP_MISSING) {
        s->next += s->step;
    }
    if (s->next < s->n && !s->failing) {
        member = s->next;
        s->next += s->step;
    }
    pthread_mutex_unlock(&s->handing);
    return member;
}

static dal_status take(dal_sweep *s, const void *record, size_t bytes)
{
    if (dal_sweep_record_check(s, record, bytes) != bytes) {
        return dal_fail(s->ctx, DAL_EINVAL, "the record of a member is damaged");
    }
    const int64_t at = s->njournals > 0 ? s->journal[s->njournals - 1].size : 0;
    if (s->njournals > 0) {
        DAL_TRY(dal_sweep_journal_append(s, record, bytes));
    }
    return dal_sweep_record_take(s, record, s->njournals - 1, at);
}

dal_status dal_sweep_accept(dal_sweep *s, const void *record, size_t bytes)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, record);
    pthread_mutex_lock(&s->handing);
    const long failed = s->failed;
    const dal_status st = take(s, record, bytes);
    s->failing |= s->fail_fast && s->failed > failed;
    pthread_mutex_unlock(&s->handing);
    return st;
}

dal_sweep_progress dal_sweep_under_way(dal_sweep *s)
{
    if (s == NULL) {
        return (dal_sweep_progress){0};
    }
    pthread_mutex_lock(&s->handing);
    const dal_sweep_progress now = {
        .done = s->done, .failed = s->failed, .todo = s->todo, .before = s->before, .failing = s->failing};
    pthread_mutex_unlock(&s->handing);
    return now;
}

/* ---- a run in this process -------------------------------------------------------------------- */

static long next_member(void *user)
{
    return dal_sweep_next(user);
}

static dal_status deliver(const void *record, size_t bytes, void *user)
{
    return dal_sweep_accept(user, record, bytes);
}

/* DAL_OK, or the wish to stop. */
static dal_status report(dal_sweep *s, const dal_sweep_run_options *options)
{
    const dal_sweep_progress now = dal_sweep_under_way(s);
    const dal_status st = options->progress != NULL ? options->progress(&now, options->user) : DAL_OK;
    return st == DAL_OK && now.failing ? DAL_RETRY : st;
}

dal_status dal_sweep_run_(dal_sweep *s, const dal_sweep_run_options *options, size_t size)
{
    static const dal_sweep_run_options plain = {0};
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_OWN(s->ctx, dal_sweep_run_options, options);
    options = options != NULL ? options : &plain;
    DAL_TRY(dal_sweep_begin(s, options));
    const dal_sweep_engine engine = {.next = next_member, .deliver = deliver, .user = s};
    crew *c = make_crew(s, &engine);
    if (c == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    dal_status st = dal_sweep_pool_start(&c->pool, s->ctx, options->jobs), stopped = DAL_OK;
    while (st == DAL_OK && dal_sweep_pool_rest(&c->pool) > 0) {
        stopped = stopped == DAL_OK ? report(s, options) : stopped;
        if (stopped != DAL_OK) {
            atomic_store(&c->pool.stop, 1);
        }
    }
    const dal_status end = dal_sweep_pool_end(&c->pool, s->ctx);
    st = st == DAL_OK ? end : st;
    dal_free(s->ctx, c);
    if (st == DAL_OK) {
        const dal_status last = report(s, options);
        stopped = stopped == DAL_OK && s->done < s->todo ? last : stopped;
    }
    return st != DAL_OK ? st : s->done < s->todo && (stopped != DAL_OK || s->failing) ? DAL_RETRY : DAL_OK;
}
