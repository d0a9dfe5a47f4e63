/* A sweep over the ranks of MPI. Rank 0 hands out members as the others ask for them, takes their records and writes the
 * journal; it works, too. Each rank has threads of its own (--jobs, one by default); the main thread of a rank does all
 * that concerns MPI. What rank 0 has received is on the disk: when a rank dies, and MPI ends the others, the same command with --resume continues. */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/signals.h"
#include "cli/sweep.h"

int sweep_begun;

enum { TAG_ASK, TAG_WORK, TAG_RECORD, TAG_BYE, WORK = 64 };

/* Records on their way to rank 0. */
typedef struct parcel {
    struct parcel *next;
    size_t bytes;
    unsigned char data[];
} parcel;

/* What the threads of a rank share with its main thread. */
typedef struct rank {
    sweep_job *job;
    int number, size, jobs;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    long queue[WORK]; /* members to do, not on rank 0 */
    int nqueue;
    int closed; /* there will be no more */
    int ended;  /* the threads have */
    atomic_int stop;
    dal_status status;
    parcel *first, *last;
} rank;

static void nap(rank *r, long microseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000 * microseconds;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&r->mutex);
    if (r->first == NULL && !r->ended) {
        pthread_cond_timedwait(&r->changed, &r->mutex, &until);
    }
    pthread_mutex_unlock(&r->mutex);
}

/* ---- threads ---------------------------------------------------------------------------------- */

static long next_member(void *user)
{
    rank *r = user;
    long member = -1;
    if (r->number == 0) {
        return r->stop ? -1 : dal_sweep_next(r->job->sweep);
    }
    pthread_mutex_lock(&r->mutex);
    while (r->nqueue == 0 && !r->closed) {
        pthread_cond_wait(&r->changed, &r->mutex);
    }
    if (r->nqueue > 0 && !r->stop) {
        member = r->queue[0];
        memmove(r->queue, r->queue + 1, (size_t)--r->nqueue * sizeof *r->queue);
    }
    pthread_mutex_unlock(&r->mutex);
    return member;
}

static dal_status deliver(const void *record, size_t bytes, void *user)
{
    rank *r = user;
    if (r->number == 0) {
        return dal_sweep_accept(r->job->sweep, record, bytes);
    }
    parcel *p = malloc(sizeof *p + bytes);
    if (p == NULL) {
        return DAL_ENOMEM;
    }
    p->next = NULL;
    p->bytes = bytes;
    memcpy(p->data, record, bytes);
    pthread_mutex_lock(&r->mutex);
    if (r->last != NULL) {
        r->last->next = p;
    } else {
        r->first = p;
    }
    r->last = p;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    return DAL_OK;
}

static int asked_to_stop(void *user)
{
    rank *r = user;
    return r->stop;
}

static void *work(void *user)
{
    rank *r = user;
    const dal_sweep_engine engine = {.next = next_member, .deliver = deliver, .stop = asked_to_stop, .user = r};
    const dal_status st = dal_sweep_work(r->job->sweep, r->jobs, &engine);
    pthread_mutex_lock(&r->mutex);
    r->status = st;
    r->ended = 1;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

/* ---- other ranks ------------------------------------------------------------------------------ */

static void send_records(rank *r)
{
    for (;;) {
        pthread_mutex_lock(&r->mutex);
        parcel *p = r->first;
        if (p != NULL) {
            r->first = p->next;
            r->last = r->first == NULL ? NULL : r->last;
        }
        pthread_mutex_unlock(&r->mutex);
        if (p == NULL) {
            return;
        }
        MPI_Send(p->data, (int)p->bytes, MPI_BYTE, 0, TAG_RECORD, MPI_COMM_WORLD);
        free(p);
    }
}

/* Members from rank 0; none: that was all. A first number below zero: stop at once. */
static void receive_work(rank *r, int *waiting)
{
    int there = 0, n = 0;
    long member[WORK];
    MPI_Status status;
    MPI_Iprobe(0, TAG_WORK, MPI_COMM_WORLD, &there, &status);
    if (!there) {
        return;
    }
    MPI_Recv(member, WORK, MPI_LONG, 0, TAG_WORK, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_LONG, &n);
    *waiting = 0;
    pthread_mutex_lock(&r->mutex);
    r->stop |= n > 0 && member[0] < 0;
    r->closed |= n == 0 || r->stop;
    for (int k = 0; k < n && !r->stop && r->nqueue < WORK; ++k) {
        r->queue[r->nqueue++] = member[k];
    }
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

static dal_status serve(rank *r)
{
    int waiting = 0;
    for (;;) {
        pthread_mutex_lock(&r->mutex);
        const int hungry = !r->closed && r->nqueue < r->jobs, ended = r->ended && r->first == NULL;
        pthread_mutex_unlock(&r->mutex);
        if (ended) {
            break;
        }
        if (hungry && !waiting) {
            const int each = 2 * r->jobs * dal_sweep_block(r->job->sweep);
            int want = each < WORK / 2 ? each : WORK / 2;
            MPI_Send(&want, 1, MPI_INT, 0, TAG_ASK, MPI_COMM_WORLD);
            waiting = 1;
        }
        receive_work(r, &waiting);
        send_records(r);
        nap(r, waiting ? 50 : 500);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, TAG_BYE, MPI_COMM_WORLD);
    return r->status;
}

/* ---- rank 0 ----------------------------------------------------------------------------------- */

static void answer(rank *r, int to, int want)
{
    long member[WORK];
    int n = 0;
    const int stop = r->stop || dal_sweep_under_way(r->job->sweep).failing;
    while (!stop && n < want && (member[n] = dal_sweep_next(r->job->sweep)) >= 0) {
        ++n;
    }
    if (stop) {
        member[n++] = -1;
    }
    MPI_Send(member, n, MPI_LONG, to, TAG_WORK, MPI_COMM_WORLD);
}

/* One message, if there is one: 1. *left: ranks that have not said goodbye. */
static int receive(rank *r, int *left, unsigned char **buffer, int *room, dal_status *st)
{
    int there = 0, n = 0, want = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) {
        return 0;
    }
    if (status.MPI_TAG == TAG_RECORD) {
        MPI_Get_count(&status, MPI_BYTE, &n);
        if (n > *room) {
            *buffer = cli_alloc((size_t)n, 1);
            *room = n;
        }
        MPI_Recv(*buffer, n, MPI_BYTE, status.MPI_SOURCE, TAG_RECORD, MPI_COMM_WORLD, &status);
        const dal_status taken = dal_sweep_accept(r->job->sweep, *buffer, (size_t)n);
        *st = *st == DAL_OK ? taken : *st;
        r->stop |= *st != DAL_OK;
        return 1;
    }
    MPI_Recv(&want, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == TAG_ASK) {
        answer(r, status.MPI_SOURCE, want);
    } else {
        --*left;
    }
    return 1;
}

static void report(rank *r)
{
    const dal_sweep_progress p = dal_sweep_under_way(r->job->sweep);
    if (r->job->options.progress(&p, r->job) != DAL_OK) {
        r->stop = 1;
    }
}

static dal_status lead(rank *r)
{
    int left = r->size - 1, room = 0, ended = 0;
    unsigned char *buffer = NULL;
    dal_status st = DAL_OK;
    double told = cli_seconds();
    while (left > 0 || !ended) {
        if (!receive(r, &left, &buffer, &room, &st)) {
            nap(r, 100);
        }
        if (cli_seconds() - told > 0.1) {
            told = cli_seconds();
            report(r);
        }
        pthread_mutex_lock(&r->mutex);
        ended = r->ended;
        pthread_mutex_unlock(&r->mutex);
    }
    const dal_sweep_progress p = dal_sweep_under_way(r->job->sweep);
    st = st == DAL_OK ? r->status : st;
    return st != DAL_OK ? st : p.done < p.todo ? DAL_RETRY : DAL_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

dal_status sweep_mpi_run(sweep_job *job)
{
    rank r = {.job = job, .jobs = job->options.jobs > 0 ? job->options.jobs : 1};
    MPI_Comm_rank(MPI_COMM_WORLD, &r.number);
    MPI_Comm_size(MPI_COMM_WORLD, &r.size);
    // results depend on the backend: all ranks must have come to the same
    const int own = (int)dal_sweep_backend_of(job->sweep), backend[2] = {own, -own};
    int most[2] = {0, 0};
    MPI_Allreduce(backend, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (most[0] != -most[1]) {
        sweep_begun = 1;
        return dal_fail(
            job->ctx, DAL_EOPTION,
            "the ranks do not have the same backend, perhaps because only some find a compiler: name one with "
            "--backend");
    }
    int begun = r.number != 0 ? DAL_OK : (int)dal_sweep_begin(job->sweep, &job->options);
    sweep_begun = 1;
    MPI_Bcast(&begun, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (begun != DAL_OK) {
        return (dal_status)begun;
    }
    pthread_mutex_init(&r.mutex, NULL);
    pthread_cond_init(&r.changed, NULL);
    if (pthread_create(&r.thread, NULL, work, &r) != 0) {
        MPI_Abort(MPI_COMM_WORLD, CLI_INTEGRATION);
    }
    const dal_status st = r.number == 0 ? lead(&r) : serve(&r);
    pthread_join(r.thread, NULL);
    pthread_mutex_destroy(&r.mutex);
    pthread_cond_destroy(&r.changed);
    return st;
}
