/* A pool of threads. Members are taken a few at a time: whoever is ready takes the next ones. */
#define _POSIX_C_SOURCE 200809L

#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core.h"

enum { MOST_THREADS = 256, PIECES = 8 /* of the work of each thread */ };
static const double signal_period = 0.05; // s, between two looks for signals

struct core_pool {
    int threads, started; /* wanted, with the caller's; running beside it */
    pid_t owner;          /* the process that they run in */
    pthread_t id[MOST_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake, ended;
    unsigned long round; /* which work: threads wait for the next one */
    int working, leave;
    core_pool_work work;
    void *user;
    int n, piece;
    atomic_int next, cancel;
};

/* What a thread gets: where it is in the pool. */
typedef struct seat {
    core_pool *pool;
    int thread;
} seat;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look_for_signals(core_pool *p, PyThreadState **saved)
{
    PyEval_RestoreThread(*saved);
    if (PyErr_CheckSignals() < 0) {
        atomic_store(&p->cancel, 1);
    }
    *saved = PyEval_SaveThread();
}

/* saved: of the caller of the pool, which looks for signals now and then. */
static void take_pieces(core_pool *p, int thread, PyThreadState **saved)
{
    double looked = saved != NULL ? now() : 0.0;
    while (!core_pool_cancelled(p)) {
        const int first = atomic_fetch_add(&p->next, p->piece);
        for (int i = first; i < p->n && i < first + p->piece && !core_pool_cancelled(p); ++i) {
            p->work(p->user, i, thread);
            if (saved != NULL && now() > looked + signal_period) {
                look_for_signals(p, saved);
                looked = now();
            }
        }
        if (first >= p->n - p->piece) {
            break;
        }
    }
}

static void *attend(void *user)
{
    const seat at = *(const seat *)user;
    core_pool *p = at.pool;
    unsigned long round = 0;
    free(user);
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        while (p->round == round && !p->leave) {
            pthread_cond_wait(&p->wake, &p->mutex);
        }
        if (p->leave) {
            break;
        }
        round = p->round;
        pthread_mutex_unlock(&p->mutex);
        take_pieces(p, at.thread, NULL);
        pthread_mutex_lock(&p->mutex);
        if (--p->working == 0) {
            pthread_cond_signal(&p->ended);
        }
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* Threads of this process; as many as can be had. Called between two rounds. */
static void gather(core_pool *p)
{
    if (p->owner != getpid()) { // after a fork there is only the caller
        pthread_mutex_init(&p->mutex, NULL);
        pthread_cond_init(&p->wake, NULL);
        pthread_cond_init(&p->ended, NULL);
        p->owner = getpid();
        p->started = 0;
        p->round = 0;
    }
    while (p->started < p->threads - 1 && p->round == 0) {
        seat *at = malloc(sizeof *at);
        if (at == NULL) {
            return;
        }
        *at = (seat){p, p->started + 1};
        if (pthread_create(&p->id[p->started], NULL, attend, at) != 0) {
            free(at);
            return;
        }
        ++p->started;
    }
}

core_pool *core_pool_create(int threads)
{
    core_pool *p = calloc(1, sizeof *p);
    if (p != NULL) {
        p->threads = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
    }
    return p;
}

int core_pool_size(const core_pool *pool)
{
    return pool->threads;
}

int core_pool_cancelled(core_pool *pool)
{
    return atomic_load_explicit(&pool->cancel, memory_order_relaxed);
}

void core_pool_destroy(core_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->mutex);
        pool->leave = 1;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
        for (int i = 0; i < pool->started; ++i) {
            pthread_join(pool->id[i], NULL);
        }
        pthread_cond_destroy(&pool->ended);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->mutex);
    }
    free(pool);
}

int core_pool_run(core_pool *pool, int n, core_pool_work work, void *user)
{
    PyThreadState *saved = PyEval_SaveThread();
    gather(pool);
    pthread_mutex_lock(&pool->mutex);
    pool->n = n;
    pool->piece = 1 + n / (PIECES * pool->threads);
    pool->work = work;
    pool->user = user;
    pool->working = pool->started;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->cancel, 0);
    ++pool->round;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    take_pieces(pool, 0, &saved);
    pthread_mutex_lock(&pool->mutex);
    while (pool->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(1e9 * signal_period);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&pool->ended, &pool->mutex, &until) != 0 && !core_pool_cancelled(pool)) {
            pthread_mutex_unlock(&pool->mutex);
            look_for_signals(pool, &saved);
            pthread_mutex_lock(&pool->mutex);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    PyEval_RestoreThread(saved);
    return PyErr_Occurred() == NULL ? 0 : -1;
}
