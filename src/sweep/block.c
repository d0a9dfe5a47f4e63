/* Members side by side in a generated program. A block is started by the program, or by the library, member by member, if the
 * program cannot; it goes through the program, and gives its outputs after every step to the same reductions as a run of the library. What the program cannot do
 * goes back to the library as a whole.
 *
 * Members do not know of each other: what comes out does not depend on the neighbours in a block. */
#include <math.h>
#include <string.h>

#include "sweep/sweep_impl.h"

/* Times this close to the end of a step, in units of it, are the end of the step: as in a simulation. */
static const double snap = 1e-9;

/* One member of a block. */
typedef struct place {
    long member, steps;
    double t_end;
    double *x; /* parameters */
    sweep_tally *tally;
    double *value, *trajectory;
    int sampled;
    int failed; /* the program did not get to the end */
} place;

typedef struct block {
    dal_ctx *ctx;
    dal_pool pool;
    dal_sweep *sweep;
    const sweep_code *code;
    const dal_sweep_engine *engine;
    int (*stop)(void *user);
    void *user;
    sweep_worker *library;
    void *device;
    int n, width;
    place *place;
    sweep_tally *tally;
    double *x;       /* members in the program, number k of member m at k * n + m; not of a device that starts them */
    double *started; /* the same, one member after the other; or parameters, of a program that starts them */
    double *y, *in, *r;
    int *failed;
    unsigned char *record;
} block;

/* ---- a block ---------------------------------------------------------------------------------- */

/* A run of the library, from the start to the record. */
static dal_status by_library(block *b, long member, int handed)
{
    const void *record;
    size_t bytes;
    DAL_TRY(dal_sweep_worker_run(b->library, &record, &bytes, member, handed));
    return b->engine->deliver(record, bytes, b->engine->user);
}

/* Trajectories at the times up to t; h: of the step before, 0 at the start. */
static void take_samples(block *b, place *p, double t, double h)
{
    const dal_sweep *s = b->sweep;
    for (; p->sampled < s->ntimes; ++p->sampled) {
        const double time = s->times[p->sampled];
        if (!(time <= t + snap * h + 4.0 * 2.2e-16 * fabs(t))) {
            break;
        }
        for (int k = 0; k < s->plan.ninputs; ++k) {
            b->in[k] = b->code->at[k] < 0 ? time : b->in[k];
        }
        dal_sweep_course_sample(s, p->trajectory, p->sampled, b->in);
    }
}

/* The norm of a vector, or a component. */
static void read_inputs(block *b, const place *p, int step, int m, double t)
{
    const dal_sweep *s = b->sweep;
    const size_t n = (size_t)b->n;
    const double *y = b->y + (size_t)step * (size_t)b->code->noutputs * n + (size_t)m;
    for (int k = 0; k < s->plan.ninputs; ++k) {
        const int at = b->code->at[k];
        const double *v = y + (at > 0 ? (size_t)at * n : 0);
        b->in[k] = at < 0 ? t : s->input[k].n == 1 ? v[0] : sqrt(v[0] * v[0] + v[n] * v[n] + v[2 * n] * v[2 * n]);
    }
    memcpy(b->in + SWEEP_COLUMNS, p->x, (size_t)s->np * sizeof *p->x);
}

/* What is collected at the start. */
static dal_status begin_place(block *b, place *p)
{
    const dal_sweep *s = b->sweep;
    dal_sweep_course_begin(s, p->tally, p->value, p->trajectory, p->x);
    const dal_status st =
        s->plan.path || s->plan.start ? dal_sweep_course_add(s, p->tally, b->ctx, 0.0, b->in) : DAL_OK;
    take_samples(b, p, 0.0, 0.0);
    return st;
}

/* How many steps a member takes; 0: it ends within a step, or takes too many. */
static long steps_of(const dal_sweep *s, double t_end)
{
    const long steps = dal_sweep_steps(t_end, s->code.h);
    const int most = dal_document_options(s->doc)->max_steps;
    return most > 0 && steps > most ? 0 : steps;
}

/* A member that the program is to start: its parameters, which the library has accepted, since programs do not look at what
 * they mean. 1: it is one for the program. */
static int place_parameters(block *b, place *p, long member, dal_status *st)
{
    p->member = member;
    p->sampled = p->failed = 0;
    *st = dal_sweep_worker_check(b->library, p->x, &p->t_end, member);
    p->steps = *st == DAL_OK ? steps_of(b->sweep, p->t_end) : 0;
    return p->steps > 0;
}

/* A member that is started: into the program, with what is collected at the start. 1: the program can take it. */
static int place_member(block *b, place *p, long member, dal_status *st)
{
    const dal_sweep *s = b->sweep;
    sweep_start start;
    *st = dal_sweep_worker_start(b->library, b->in, &start, member);
    if (*st != DAL_OK) {
        return 0;
    }
    p->member = member;
    p->t_end = start.t_end;
    p->steps = steps_of(s, start.t_end);
    p->sampled = p->failed = 0;
    double *numbers = b->started + (size_t)b->n * (size_t)b->code->size;
    if (p->steps == 0 || dal_program_member_of(b->code->program, numbers, start.sim) != DAL_OK) {
        return 0;
    }
    memcpy(p->x, start.x, (size_t)s->np * sizeof *p->x);
    *st = begin_place(b, p);
    return *st == DAL_OK;
}

static dal_status on_device(block *b, const char *wrong)
{
    return wrong == NULL ? DAL_OK : dal_fail(b->ctx, DAL_EOPTION, "backend cuda: %s", wrong);
}

/* All members that were placed, by the program. One that does not start has no steps and goes to the library. */
static dal_status start_block(block *b)
{
    const dal_sweep *s = b->sweep;
    const size_t n = (size_t)b->n;
    for (size_t m = 0; m < n; ++m) {
        for (size_t k = 0; k < (size_t)s->np; ++k) {
            b->started[k * n + m] = b->place[m].x[k];
        }
    }
    if (b->device == NULL) {
        b->code->start(b->started, b->x, b->failed, b->y, b->n);
    } else {
        DAL_TRY(on_device(b, b->code->device_start(b->device, b->started, b->failed, b->y, b->n)));
    }
    for (int m = 0; m < b->n; ++m) {
        place *p = &b->place[m];
        p->failed = b->failed[m] != 0;
        if (p->failed) {
            p->steps = 0;
            continue;
        }
        read_inputs(b, p, 0, m, 0.0);
        DAL_TRY(begin_place(b, p));
    }
    return DAL_OK;
}

/* All members that were started by the library, into the program. */
static dal_status put_block(block *b)
{
    for (int m = 0; m < b->n; ++m) {
        for (int k = 0; k < b->code->size; ++k) {
            b->x[(size_t)k * (size_t)b->n + (size_t)m] = b->started[(size_t)m * (size_t)b->code->size + (size_t)k];
        }
        b->failed[m] = 0;
    }
    return b->device != NULL && b->n > 0 ? on_device(b, b->code->device_put(b->device, b->x, b->failed, b->n)) : DAL_OK;
}

/* Fill the block. A member that does not start has its record at once; one that the program cannot take as well. */
static dal_status fill(block *b, int *more)
{
    b->n = 0;
    while (b->n < b->width && *more) {
        const long member = b->stop(b->user) ? -1 : b->engine->next(b->engine->user);
        dal_status st;
        if (member < 0) {
            *more = 0;
        } else if ((b->code->starts ? place_parameters : place_member)(b, &b->place[b->n], member, &st)) {
            ++b->n;
        } else if (st == DAL_ENOMEM) {
            return st;
        } else {
            dal_ctx_clear(b->ctx);
            DAL_TRY(by_library(b, member, st == DAL_OK));
        }
    }
    return b->n == 0 ? DAL_OK : b->code->starts ? start_block(b) : put_block(b);
}

static dal_status advance(block *b, double *y, int steps)
{
    if (b->device == NULL) {
        b->code->trace(b->x, b->failed, y, b->n, steps);
        return DAL_OK;
    }
    return on_device(b, b->code->device_trace(b->device, b->failed, y, b->n, steps));
}

/* Step k of member m, which is number i in y. */
static dal_status collect_step(block *b, int m, int i, long k)
{
    const dal_sweep *s = b->sweep;
    place *p = &b->place[m];
    const double t = k == p->steps ? p->t_end : (double)k * b->code->h;
    read_inputs(b, p, i, m, t);
    if (s->plan.path || k == p->steps) {
        DAL_TRY(dal_sweep_course_add(s, p->tally, b->ctx, t, b->in));
    }
    if (s->ncurves > 0) {
        take_samples(b, p, t, b->code->h);
    }
    return DAL_OK;
}

/* What the steps from `done` on gave, for members that are still under way. */
static dal_status collect(block *b, long done, int steps)
{
    for (int m = 0; m < b->n; ++m) {
        const long left = b->place[m].steps - done;
        for (int i = 0; i < steps && i < left; ++i) {
            DAL_TRY(collect_step(b, m, i, done + i + 1));
        }
    }
    return DAL_OK;
}

/* The next end of a member. */
static long next_end(const block *b, long done)
{
    long end = 0;
    for (int m = 0; m < b->n; ++m) {
        const long steps = b->place[m].steps;
        end = steps > done && (end == 0 || steps < end) ? steps : end;
    }
    return end;
}

/* All steps. Pieces end where a member does, since what happens to it afterwards does not count. DAL_RETRY: stopped. */
static dal_status run(block *b)
{
    const dal_sweep *s = b->sweep;
    const int watched = s->plan.path || s->ncurves > 0;
    long end;
    for (long done = 0; (end = next_end(b, done)) > 0;) {
        // the last step of a member is looked at in any case
        const int blind = !watched && end - done > 1;
        const long most = blind     ? SWEEP_CHUNK_BLIND
                          : watched ? SWEEP_CHUNK
                                    : 1,
                   left = blind ? end - 1 - done : end - done;
        const int steps = (int)(left < most ? left : most);
        if (b->stop(b->user)) {
            return DAL_RETRY;
        }
        DAL_TRY(advance(b, blind ? NULL : b->y, steps));
        if (!blind) {
            DAL_TRY(collect(b, done, steps));
        }
        done += steps;
        for (int m = 0; m < b->n; ++m) {
            b->place[m].failed |= b->place[m].steps >= done && b->failed[m] != 0;
        }
    }
    return DAL_OK;
}

static dal_status deliver(block *b)
{
    const dal_sweep *s = b->sweep;
    for (int m = 0; m < b->n; ++m) {
        place *p = &b->place[m];
        if (p->failed) {
            DAL_TRY(by_library(b, p->member, 1));
            continue;
        }
        memcpy(b->r + SWEEP_COLUMNS, p->x, (size_t)s->np * sizeof *p->x);
        dal_sweep_course_end(s, b->r, p->value, p->tally);
        const size_t bytes = dal_sweep_record_write(s, b->record, p->member, DAL_OK, 0, p->value, p->trajectory, "");
        DAL_TRY(b->engine->deliver(b->record, bytes, b->engine->user));
    }
    return DAL_OK;
}

/* ---- a thread --------------------------------------------------------------------------------- */

static dal_status allocate(block *b)
{
    const dal_sweep *s = b->sweep;
    const int n = b->width, nr = s->plan.nreductions + 1;
    const size_t each = (size_t)(b->code->size > s->np ? b->code->size : s->np), size = each * (size_t)n + 1;
    DAL_TAKE(&b->pool, b->place, n);
    DAL_TAKE(&b->pool, b->tally, n * nr);
    DAL_TAKE(&b->pool, b->x, size);
    DAL_TAKE(&b->pool, b->started, size);
    DAL_TAKE(&b->pool, b->y, SWEEP_CHUNK * (size_t)b->code->noutputs * (size_t)n + 1);
    DAL_TAKE(&b->pool, b->in, SWEEP_COLUMNS + s->np);
    DAL_TAKE(&b->pool, b->r, SWEEP_COLUMNS + s->np);
    DAL_TAKE(&b->pool, b->failed, n);
    DAL_TAKE(&b->pool, b->record, dal_sweep_record_size(s, 0));
    for (int m = 0; m < n; ++m) {
        place *p = &b->place[m];
        p->tally = b->tally + m * nr;
        DAL_TAKE(&b->pool, p->x, s->np + 1);
        DAL_TAKE(&b->pool, p->value, s->ncollect + 1);
        DAL_TAKE(&b->pool, p->trajectory, (size_t)s->ncurves * (size_t)s->ntimes + 1);
    }
    return DAL_OK;
}

static dal_status open_device(block *b)
{
    if (b->code->device_open == NULL) {
        return DAL_OK;
    }
    const char *wrong = b->code->device_open(&b->device, b->width, SWEEP_CHUNK);
    return wrong == NULL ? DAL_OK : dal_fail(b->ctx, DAL_EOPTION, "backend cuda: %s", wrong);
}

static void release(block *b)
{
    if (b->device != NULL) {
        b->code->device_close(b->device);
    }
    for (int k = 0; b->tally != NULL && k < b->width * (b->sweep->plan.nreductions + 1); ++k) {
        dal_free(b->ctx, b->tally[k].history);
    }
    dal_sweep_worker_destroy(b->library);
    dal_pool_release(&b->pool);
}

dal_status dal_sweep_work_in_blocks(dal_ctx *ctx, dal_sweep *s, const dal_sweep_engine *engine, int (*stop)(void *user),
                                    void *user)
{
    block b = {.ctx = ctx,
               .pool = {.ctx = ctx, .what = "members side by side"},
               .sweep = s,
               .code = &s->code,
               .engine = engine,
               .stop = stop,
               .user = user,
               .width = s->code.width,
               .library = dal_sweep_worker_create(ctx, s, stop, user)};
    int more = 1;
    dal_status st = b.library != NULL ? allocate(&b) : DAL_ENOMEM;
    st = st == DAL_OK ? open_device(&b) : st;
    while (st == DAL_OK && more) {
        st = fill(&b, &more);
        st = st == DAL_OK ? run(&b) : st;
        st = st == DAL_OK ? deliver(&b) : st;
    }
    release(&b);
    return st;
}

/* ---- one member ------------------------------------------------------------------------------- */

typedef struct single {
    const dal_sweep *sweep;
    double *value;
    int given; /* it was asked for */
    int16_t status;
} single;

static long give_first(void *user)
{
    single *one = user;
    return one->given++ == 0 ? 0 : -1;
}

static dal_status take_first(const void *record, size_t bytes, void *user)
{
    single *one = user;
    (void)bytes;
    dal_sweep_record_read(one->sweep, &one->status, one->value, record);
    return DAL_OK;
}

static int never(void *user)
{
    (void)user;
    return 0;
}

dal_status dal_sweep_evaluate_first(dal_sweep *s, double *value, const double *x)
{
    if (s->backend == DAL_SWEEP_INTERPRETED) {
        return dal_sweep_evaluate(s, value, NULL, x);
    }
    single one = {.sweep = s, .value = value};
    const dal_sweep_engine engine = {.next = give_first, .deliver = take_first, .user = &one};
    DAL_TRY(dal_sweep_work_in_blocks(s->ctx, s, &engine, never, NULL));
    return (dal_status)one.status;
}
