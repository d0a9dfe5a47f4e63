/* Save and restore: a header that says what the snapshot belongs to, a checksum of all of it, then everything that
 * decides later results. Nothing that is read is trusted: the checksum finds damage, and since a checksum can be forged
 * every number is checked again where it is used. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/message.h"
#include "linsol/pass.h"
#include "projection/reduce.h"
#include "sim/sim_impl.h"
#include "sim/snapshot.h"

/* Words of 8 bytes at the beginning. */
enum { MAGIC, CHECKSUM, VERSION, WORDS, SYSTEM, EVENTS, HEAD };

static const char magic[8] = {'D', 'A', 'L', 'S', 'N', 'A', 'P', '5'};

/* ---- fingerprints ----------------------------------------------------------------------------- */

/* A step that can be undone (given the word), so that two texts which differ in one word never have the same sum. */
static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum ^= word;
    sum = sum << 29 | sum >> 35;
    return sum * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

static uint64_t add_text(uint64_t sum, const char *text)
{
    for (; *text != '\0'; ++text) {
        sum = add_word(sum, (unsigned char)*text);
    }
    return add_word(sum, 256);
}

static uint64_t add_int(uint64_t sum, int x)
{
    return add_word(sum, (uint64_t)(int64_t)x);
}

/* The structure of the system as given, for which a simulation is built first: factors, constraints, couplings, names. */
uint64_t dal_sim_fingerprint(const dal_sim *sim)
{
    const dal_system *sys = sim->ev->sys;
    char name[128];
    uint64_t sum = add_int(0, sys->group->nfactors);
    for (int f = 0; f < sys->group->nfactors; ++f) {
        sum = add_int(add_int(sum, (int)sys->group->factor[f].type->kind), sys->group->factor[f].nv);
    }
    sum = add_int(sum, sys->nconstraints);
    for (int c = 0; c < sys->nconstraints; ++c) {
        sum = add_int(add_int(sum, sys->constraint[c].nrows), (int)sys->constraint[c].kind);
    }
    sum = add_int(sum, sys->npairs);
    for (int p = 0; p < sys->npairs; ++p) {
        sum = add_int(add_int(sum, sys->pair[p].i), sys->pair[p].j);
    }
    sum = add_int(sum, sys->nlinks);
    for (int l = 0; l < sys->nlinks; ++l) {
        sum = add_int(add_int(sum, sys->link[l].c), sys->link[l].j);
    }
    for (int k = 0; k < sys->ncouples; ++k) {
        sum = add_int(add_int(sum, sys->couple[k].c), sys->couple[k].d);
    }
    sum = add_int(add_int(add_int(sum, (int)sys->provides), sys->lambda_in_g), sys->nmemory);
    sum = add_int(sum, sys->nmemory);
    for (int i = 0; i < sim->ev->nc; ++i) {
        dal_eval_row_name(sim->ev, name, sizeof name, i);
        sum = add_text(sum, name);
    }
    for (int i = 0; i < sim->ev->nv; ++i) {
        dal_eval_velocity_name(sim->ev, name, sizeof name, i);
        sum = add_text(sum, name);
    }
    return sum;
}

/* What can be told of events without calling them. */
static uint64_t event_fingerprint(const dal_sim *sim)
{
    uint64_t sum = add_int(0, sim->nevents);
    for (int e = 0; e < sim->nevents; ++e) {
        const dal_event *event = &sim->event[e].event;
        sum = add_int(sum, event->direction > 0 ? 1 : event->direction < 0 ? -1 : 0);
        sum = add_int(add_int(sum, (int)event->action), event->change != NULL);
    }
    return sum;
}

static uint64_t word_of(const double *x)
{
    uint64_t word;
    memcpy(&word, x, sizeof word);
    return word;
}

/* Of all words but its own. */
static uint64_t checksum(const double *x, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum = i == CHECKSUM ? sum : add_word(sum, word_of(x + i));
    }
    return sum;
}

void dal_snapshot_seal(void *buffer, size_t size)
{
    double *x = buffer;
    const uint64_t sum = checksum(x, size / sizeof *x);
    memcpy(x + CHECKSUM, &sum, sizeof sum);
}

/* ---- what is passed --------------------------------------------------------------------------- */

/* The values of all options, in the order of their table. */
static void pass_options(dal_cursor *k, dal_options *opt)
{
    const dal_option_table *table = dal_options_table();
    for (int i = 0; i < table->n; ++i) {
        const dal_option *o = &table->option[i];
        char *at = (char *)opt + o->offset;
        if (o->kind == DAL_OPTION_REAL) {
            dal_pass(k, (double *)at, 1);
        } else if (o->kind == DAL_OPTION_RULED) {
            dal_pass(k, (double *)at, 1);
            dal_pass_int(k, (int *)(at + sizeof(double)));
        } else if (o->kind == DAL_OPTION_REALS) {
            dal_reals *list = (dal_reals *)at;
            dal_reals all = {0}; // what stands behind the list must not decide the bytes of a snapshot
            memcpy(all.x, list->x, (size_t)list->n * sizeof(double));
            all.n = list->n;
            dal_pass_range(k, &all.n, 0, DAL_REALS_MAX);
            dal_pass(k, all.x, DAL_REALS_MAX);
            *list = k->in ? all : *list;
        } else {
            dal_pass_int(k, (int *)at);
        }
    }
}

/* How many numbers of the system were changed for this simulation. */
static int count_numbers(const dal_sim *sim)
{
    return sim->sys->life.numbers ? sim->sys->life.numbers(NULL, sim->sys->user, sim->data->work) : 0;
}

/* These numbers. Restoring, they are already those of the snapshot. */
static void pass_numbers(dal_cursor *k, const dal_sim *sim)
{
    int n = count_numbers(sim);
    dal_pass_range(k, &n, 0, INT_MAX);
    if (k->out && n > 0) {
        (void)sim->sys->life.numbers(k->out + k->count, sim->sys->user, sim->data->work);
    }
    k->count += (size_t)n;
}

/* Which rows are left out, the multipliers of all, and what was told of them. Restoring, the rows are already those of the snapshot. */
static void pass_rows(dal_cursor *k, dal_sim *sim)
{
    if (!dal_sim_looks_for_redundant(sim)) {
        return;
    }
    const int rows = dal_system_rows(sim->sys), ndropped = dal_reduction_count(sim->reduction);
    const int *dropped = dal_reduction_rows(sim->reduction);
    for (int r = 0, d = 0; r < rows; ++r) {
        int gone = d < ndropped && dropped[d] == r;
        d += gone;
        dal_pass_flag(k, &gone);
    }
    dal_pass(k, sim->la, rows);
    dal_pass_flag(k, &sim->singular);
}

static void pass_scalars(dal_cursor *k, dal_sim *sim)
{
    dal_stats *st = &sim->stats;
    double *real[] = {&sim->t_anchor,           &sim->k,        &sim->h_next,    &sim->last_error,
                      &st->max_newton_residual, &st->h_largest, &sim->initial_t, &sim->saddle->scales.work,
                      &sim->ev->length};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; ++i) {
        dal_pass(k, real[i], 1);
    }
    dal_pass(k, sim->data->input, sim->sys->ninputs);
    dal_pass_any(k, &st->h_smallest, 1); // infinite before the first step
    dal_pass_any(k, &st->condition, 1);  // of a singular matrix it is infinite
    long *count[] = {&st->steps, &st->rejected, &st->projections, &st->explicit_steps, &sim->ev->nresiduals};
    for (size_t i = 0; i < sizeof count / sizeof count[0]; ++i) {
        dal_pass_count(k, count[i]);
    }
    int output = sim->output && sim->method->end == sim->method->current; // an event's step is not saved
    dal_pass_range(k, &sim->next_projection, 0, DAL_REALS_MAX);
    dal_pass_range(k, &sim->fired, -1, sim->nevents - 1);
    dal_pass_flag(k, &output);
    sim->output = k->in ? output : sim->output;
    sim->fresh = k->in ? sim->stats.steps == 0 : sim->fresh;
    for (int e = 0; e < sim->nevents; ++e) {
        dal_pass_any(k, &sim->event[e].last, 1); // NaN where an event could not be evaluated at the start
        dal_pass_flag(k, &sim->event[e].armed);
    }
    dal_pass_any(k, sim->data->memory, sim->sys->nmemory); // what a system remembers need not be finite
    dal_pass(k, sim->initial_q, sim->sys->group->nq);
    dal_pass(k, sim->initial_v, sim->sys->group->nv);
    dal_pass(k, sim->saddle->scales.inertia, sim->ev->nv);
    dal_pass(k, sim->saddle->scales.reach, sim->ev->nc);
    dal_pass(k, sim->saddle->scales.per_reach, sim->ev->nc);
    dal_pass(k, sim->ev->unit, sim->ev->nv);
    dal_pass(k, sim->ev->per_unit, sim->ev->nv);
    if (k->in && !(sim->k >= 0.0 && sim->h_next > 0.0 && sim->last_error > 0.0)) {
        dal_pass_wrong(k, "a positive number");
        sim->k = 0.0;
    }
}

/* Beside the solver of the method two keep an order of pivots from one use to the next: projections, and multipliers of least
 * norm. Their scales must be there first. */
static void pass_solvers(dal_cursor *k, dal_sim *sim)
{
    if (k->in && !dal_scales_sound(&sim->saddle->scales)) {
        dal_pass_wrong(k, "a scale");
    }
    if (k->in && k->wrong) {
        return;
    }
    if (k->in) {
        dal_saddle_balance(sim->saddle);
    }
    dal_linsol_pass(sim->saddle->ls, k);
    dal_linsol_pass(dal_reduction_linsol(sim->reduction), k);
    sim->method->type->pass(sim->method, k);
}

static void pass_all(dal_cursor *k, dal_sim *sim, dal_options *opt)
{
    k->count = HEAD;
    pass_options(k, opt);
    pass_numbers(k, sim);
    pass_rows(k, sim);
    pass_scalars(k, sim);
    pass_solvers(k, sim);
}

/* Number of words. */
static size_t count(const dal_sim *sim)
{
    dal_cursor k = {0};
    dal_options opt = sim->opt;
    pass_all(&k, (dal_sim *)sim, &opt);
    return k.count;
}

static void write_head(const dal_sim *sim, double *x)
{
    const uint64_t word[HEAD] = {
        [VERSION] = DAL_VERSION, [WORDS] = count(sim), [SYSTEM] = sim->fingerprint, [EVENTS] = event_fingerprint(sim)};
    memcpy(x, word, sizeof word);
    memcpy(x + MAGIC, magic, sizeof magic);
}

/* ---- save ------------------------------------------------------------------------------------- */

size_t dal_sim_snapshot_size(const dal_sim *sim)
{
    return sim && sim->method ? count(sim) * sizeof(double) : 0;
}

static dal_status check_buffer(const dal_sim *sim, const void *buffer)
{
    if ((uintptr_t)buffer % _Alignof(double) != 0) {
        return dal_fail(sim->ctx, DAL_EINVAL,
                        "the buffer of a snapshot must be aligned for numbers, as memory from malloc is");
    }
    return DAL_OK;
}

static void write_snapshot(const dal_sim *sim, double *x)
{
    dal_cursor k = {.out = x};
    dal_options opt = sim->opt;
    write_head(sim, x);
    pass_all(&k, (dal_sim *)sim, &opt);
    dal_snapshot_seal(x, dal_sim_snapshot_size(sim));
}

dal_status dal_sim_save(const dal_sim *sim, void *buffer, size_t size)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, buffer);
    if (!sim->started) {
        return dal_fail(sim->ctx, DAL_EINVAL, "nothing to save: call dal_sim_start first");
    }
    if (size < dal_sim_snapshot_size(sim)) {
        return dal_fail(sim->ctx, DAL_EINVAL, "a snapshot takes %zu bytes, the buffer has %zu",
                        dal_sim_snapshot_size(sim), size);
    }
    DAL_TRY(check_buffer(sim, buffer));
    write_snapshot(sim, buffer);
    return DAL_OK;
}

/* ---- restore ---------------------------------------------------------------------------------- */

static dal_status wrong_size(const dal_sim *sim, size_t size)
{
    return dal_fail(sim->ctx, DAL_ESNAPSHOT,
                    "the snapshot has %zu bytes, this simulation needs %zu: it is cut off, or belongs to another "
                    "system or formulation",
                    size, dal_sim_snapshot_size(sim));
}

/* Whole, and made by this version with this system and these events. */
static dal_status check_head(const dal_sim *sim, const double *x, size_t size)
{
    double head[HEAD];
    const size_t needed = dal_sim_snapshot_size(sim);
    if (size < HEAD * sizeof *x || memcmp((const char *)x, magic, sizeof magic) != 0) {
        return size != needed ? dal_fail(sim->ctx, DAL_ESNAPSHOT,
                                         "%zu bytes that are not a snapshot, this simulation "
                                         "needs one of %zu bytes",
                                         size, needed)
                              : dal_fail(sim->ctx, DAL_ESNAPSHOT, "this is not a snapshot of this version");
    }
    write_head(sim, head);
    if (word_of(x + VERSION) != word_of(head + VERSION)) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot belongs to another version of the library");
    }
    if (size % sizeof *x != 0 || word_of(x + WORDS) != size / sizeof *x) {
        return wrong_size(sim, size);
    }
    if (word_of(x + CHECKSUM) != checksum(x, size / sizeof *x)) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot is damaged: its checksum is wrong");
    }
    if (word_of(x + SYSTEM) != word_of(head + SYSTEM)) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT,
                        "the snapshot belongs to another system: bodies, constraints, couplings or names differ");
    }
    if (word_of(x + EVENTS) != word_of(head + EVENTS)) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT,
                        "the snapshot was made with other events: this simulation has %d. Add the same events in the "
                        "same order before restoring",
                        sim->nevents);
    }
    return DAL_OK;
}

/* The saved options must be those of this simulation, but for h: dal_sim_set_step makes it part of the state. */
static dal_status compare_options(dal_sim *sim, const dal_options *saved)
{
    const dal_option_table *table = dal_options_table();
    for (int i = 0; i < table->n; ++i) {
        char a[512], b[512];
        if (table->option[i].offset == offsetof(dal_options, h)) {
            continue;
        }
        dal_options_format(a, sizeof a, &table->option[i], saved);
        dal_options_format(b, sizeof b, &table->option[i], &sim->opt);
        if (strcmp(a, b) != 0) {
            return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot was made with %s = %s, this simulation has %s",
                            table->option[i].name, a, b);
        }
    }
    return DAL_OK;
}

/* Where they end. */
static size_t end_of_options(const dal_sim *sim)
{
    dal_cursor k = {.count = HEAD};
    dal_options opt = sim->opt;
    pass_options(&k, &opt);
    return k.count;
}

/* They come first, so that they can be compared before anything else is known of the snapshot. */
static dal_status check_options(dal_sim *sim, const double *x, size_t size)
{
    dal_cursor k = {.in = x, .count = HEAD};
    dal_options saved = sim->opt;
    if (size / sizeof *x < end_of_options(sim)) {
        return wrong_size(sim, size);
    }
    pass_options(&k, &saved);
    if (k.wrong != NULL || dal_options_check(sim->ctx, dal_options_table(), &saved) != DAL_OK) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot is damaged: its options make no sense");
    }
    return compare_options(sim, &saved);
}

/* States that numbers of the right kind cannot rule out. */
static dal_status check_state(const dal_sim *sim)
{
    const dal_state_buffer *s = sim->method->current, *before = sim->method->previous;
    const char *wrong = !(s->h > 0.0)                                        ? "a step size that is not positive"
                        : sim->output && !(before->t < s->t)                 ? "a last step that goes backwards"
                        : !(dal_defect(sim->ev->G, s->q) <= 1e-3)            ? "a rotation that is none"
                        : sim->next_projection > sim->opt.projection_times.n ? "too many projections"
                                                                             : NULL;
    return wrong ? dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot is damaged: %s", wrong) : DAL_OK;
}

/* Take over what was saved. On failure the state is anything, and there may be no factors. */
static dal_status take(dal_sim *sim, const double *x)
{
    dal_cursor k = {.in = x};
    pass_all(&k, sim, &sim->opt);
    dal_data_forget(sim->data);
    if (k.wrong != NULL) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot is damaged: %s is missing", k.wrong);
    }
    DAL_TRY(k.status);
    DAL_TRY(check_state(sim));
    dal_sim_rewind_samplers(sim, sim->stats.steps > 0);
    return DAL_OK;
}

/* Where the numbers of the system are in a snapshot, and how many. */
static dal_status find_numbers(dal_sim *sim, const double *x, size_t size, size_t *first, int *n)
{
    dal_cursor k = {.in = x, .count = end_of_options(sim)};
    const size_t words = size / sizeof *x;
    if (words <= k.count) {
        return wrong_size(sim, size);
    }
    dal_pass_range(&k, n, 0, INT_MAX);
    *first = k.count;
    return k.wrong != NULL || (size_t)*n > words - k.count ? wrong_size(sim, size) : DAL_OK;
}

static dal_status take_numbers(dal_sim *sim, const double *x, int n)
{
    const dal_system *sys = sim->sys;
    if (!sys->life.set_numbers) {
        return n == 0 ? DAL_OK
                      : dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot has numbers that this system does not have");
    }
    sim->data->nbound = 0;
    return sys->life.set_numbers(x, n, sys->user, sim->data->work) == DAL_OK
               ? DAL_OK
               : dal_fail_in(sim->ctx, DAL_ESNAPSHOT, "the numbers of the snapshot");
}

/* Where the rows that are left out are in a snapshot: behind the numbers, which were taken. */
static size_t end_of_numbers(const dal_sim *sim)
{
    dal_cursor k = {.count = end_of_options(sim)};
    pass_numbers(&k, sim);
    return k.count;
}

/* Without the rows that the snapshot leaves out. The simulation has no machinery yet. */
static dal_status leave_out_saved(dal_sim *sim, const double *x, size_t size)
{
    const int rows = dal_system_rows(sim->sys);
    dal_cursor k = {.in = x, .count = end_of_numbers(sim)};
    if (size / sizeof *x < k.count + (size_t)rows) {
        return wrong_size(sim, size);
    }
    int *gone = dal_alloc(sim->ctx, (size_t)rows * sizeof *gone);
    if (!gone) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory to restore a snapshot");
    }
    for (int r = 0; r < rows; ++r) {
        gone[r] = 0;
        dal_pass_flag(&k, &gone[r]);
    }
    const dal_status st = k.wrong != NULL
                              ? dal_fail(sim->ctx, DAL_ESNAPSHOT,
                                         "the snapshot is damaged: it does not say which constraints are left out")
                              : dal_sim_leave_out(sim, gone);
    dal_free(sim->ctx, gone);
    return st;
}

/* 1 if the simulation leaves out the rows that the snapshot leaves out. */
static int same_rows(const dal_sim *sim, const double *x, size_t size)
{
    const size_t first = end_of_numbers(sim);
    int same = sim->reduction != NULL && size / sizeof *x >= first + (size_t)dal_system_rows(sim->sys);
    const int ndropped = dal_reduction_count(sim->reduction), *dropped = dal_reduction_rows(sim->reduction);
    for (int r = 0, d = 0; same && r < dal_system_rows(sim->sys); ++r) {
        const int gone = d < ndropped && dropped[d] == r;
        d += gone;
        same = x[first + (size_t)r] == gone;
    }
    return same;
}

/* Machinery is all that depends on which rows are left out. */
static void clear_machinery(dal_sim *sim)
{
    sim->reduction = NULL;
    sim->whole = NULL;
    sim->la = sim->rows = sim->rows2 = NULL;
    sim->ev = NULL;
    sim->saddle = NULL;
    sim->method = NULL;
    sim->arena = dal_arena_init(sim->ctx);
}

static void free_machinery(dal_sim *sim)
{
    dal_sim_unbuild(sim);
    dal_sim_forget_reduction(sim);
}

/* Restore into this machinery, or into one built for the rows that the snapshot leaves out. A snapshot that turns out
 * to be bad halfway gives the old one back, but for the numbers that `take` has written. */
static dal_status take_with_rows(dal_sim *sim, const double *x, size_t size)
{
    dal_sim before = *sim;
    const int rebuild = dal_sim_looks_for_redundant(sim) && !(sim->started && same_rows(sim, x, size));
    dal_status st = DAL_OK;
    if (rebuild) {
        clear_machinery(sim);
        st = leave_out_saved(sim, x, size);
    }
    if (st == DAL_OK) {
        st = size == dal_sim_snapshot_size(sim) ? take(sim, x) : wrong_size(sim, size);
    }
    if (rebuild && st == DAL_OK) {
        free_machinery(&before);
    } else if (rebuild) {
        free_machinery(sim);
        *sim = before;
    }
    return st;
}

/* A simulation as it was: its numbers, then, if it was started, a snapshot. */
typedef struct backup {
    double *x;
    int n;
    size_t first; /* of the snapshot */
} backup;

static dal_status keep_own(backup *own, const dal_sim *sim)
{
    own->n = count_numbers(sim);
    own->first = (size_t)own->n;
    own->x = dal_alloc(sim->ctx, own->first * sizeof *own->x + (sim->started ? dal_sim_snapshot_size(sim) : 0));
    if (!own->x) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory to restore a snapshot");
    }
    if (own->n > 0) {
        (void)sim->sys->life.numbers(own->x, sim->sys->user, sim->data->work);
    }
    if (sim->started) {
        write_snapshot(sim, own->x + own->first);
    }
    return DAL_OK;
}

static dal_status take_own(dal_sim *sim, const backup *own, int started)
{
    DAL_TRY(take_numbers(sim, own->x, own->n));
    return started ? take(sim, own->x + own->first) : DAL_OK;
}

/* A snapshot that turns out to be bad halfway leaves the simulation as it was: its own state is kept aside. */
static dal_status take_or_leave(dal_sim *sim, const double *x, size_t size)
{
    const int started = sim->started;
    backup own;
    size_t first = 0;
    int n = 0;
    DAL_TRY(find_numbers(sim, x, size, &first, &n));
    DAL_TRY(keep_own(&own, sim));
    dal_status st = take_numbers(sim, x + first, n);
    st = st == DAL_OK ? take_with_rows(sim, x, size) : st;
    sim->started = st == DAL_OK;
    if (st != DAL_OK) {
        dal_message kept;
        dal_message_keep(&kept, sim->ctx);
        sim->started = dal_message_settle(&kept, sim->ctx, take_own(sim, &own, started)) == DAL_OK && started;
    }
    dal_free(sim->ctx, own.x);
    return st;
}

dal_status dal_sim_restore(dal_sim *sim, const void *buffer, size_t size)
{
    DAL_NEED(NULL, sim);
    DAL_NEED(sim->ctx, buffer);
    DAL_TRY(dal_sim_idle(sim, __func__));
    DAL_TRY(check_buffer(sim, buffer));
    if (!sim->method) {
        DAL_TRY(dal_sim_build(sim, sim->sys));
    }
    DAL_TRY(check_head(sim, buffer, size));
    DAL_TRY(check_options(sim, buffer, size));
    DAL_TRY(take_or_leave(sim, buffer, size));
    dal_sim_contacts_built(sim); // the rows left out came with the snapshot
    return sim->started ? dal_sim_balance_anew(sim) : DAL_OK;
}
