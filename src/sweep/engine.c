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

dal_status dal_sweep_work(dal_sweep *s, int jobs, const dal_sweep_engine *engine)
{
    DAL_NEED_AS(NULL, s, "sweep");
    DAL_NEED(s->ctx, engine);
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
    crew *c = make_crew(s, &engine);
    if (c == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    dal_status st = dal_sweep_pool_start(&c->pool, s->ctx, l->options->jobs), stopped = DAL_OK;
    while (st == DAL_OK && dal_sweep_pool_rest(&c->pool) > 0) {
        stopped = stopped == DAL_OK ? report(l) : stopped;
        if (stopped != DAL_OK) {
            atomic_store(&c->pool.stop, 1);
        }
    }
    const dal_status end = dal_sweep_pool_end(&c->pool, s->ctx);
    st = st == DAL_OK ? end : st;
    dal_free(s->ctx, c);
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
