/* Save and restore: a header of numbers that must fit, then everything that decides later results. */
#include <stddef.h>
#include <string.h>

#include "sim/sim_impl.h"

static const char magic[8] = {'D', 'A', 'L', 'S', 'N', 'A', 'P', '1'};

enum { HEADER = 6, FIXED = 16 };

/* Number of doubles that hold the values of all options. */
static size_t option_count(void)
{
    return sizeof(dal_options) / sizeof(double) + 1;
}

static size_t count(const dal_sim *sim)
{
    return HEADER + option_count() + FIXED + 2 * (size_t)MAX_EVENTS + dal_linsol_snapshot_size(sim->saddle->ls) +
           sim->method->type->snapshot_size(sim->method);
}

size_t dal_sim_snapshot_size(const dal_sim *sim)
{
    return count(sim) * sizeof(double);
}

static void write_header(const dal_sim *sim, double *x)
{
    memcpy(x, magic, sizeof magic);
    x[1] = DAL_VERSION;
    x[2] = sim->ev->nq;
    x[3] = sim->ev->nv;
    x[4] = sim->ev->nc;
    x[5] = (double)count(sim);
}

/* The values only: what the compiler puts between them must not decide the bytes of a snapshot. */
static void copy_options(dal_options *to, const dal_options *from)
{
    const dal_option_table *table = dal_options_table();
    memset(to, 0, sizeof *to);
    for (int i = 0; i < table->n; ++i) {
        const dal_option *o = &table->option[i];
        const char *x = (const char *)from + o->offset;
        char *y = (char *)to + o->offset;
        if (o->kind == DAL_OPTION_REALS) {
            const dal_reals *list = (const dal_reals *)x;
            ((dal_reals *)y)->n = list->n;
            memcpy(((dal_reals *)y)->x, list->x, (size_t)list->n * sizeof(double));
        } else {
            memcpy(y, x, o->kind == DAL_OPTION_REAL ? sizeof(double) : sizeof(int));
        }
    }
}

/* Scalars of the simulation, in one order for both directions. */
static void pass_scalars(dal_sim *sim, double *x, int restoring)
{
    dal_stats *st = &sim->stats;
    double *real[] = {&sim->t_anchor,           &sim->k,        &sim->h_next,    &sim->last_error,
                      &st->max_newton_residual, &st->condition, &st->h_smallest, &st->h_largest};
    long *whole[] = {&st->steps, &st->rejected, &st->projections, &sim->ev->nresiduals, &sim->ev->ntangents};
    int n = 0;
    for (size_t i = 0; i < sizeof real / sizeof real[0]; ++i, ++n) {
        if (restoring) {
            *real[i] = x[n];
        } else {
            x[n] = *real[i];
        }
    }
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i, ++n) {
        if (restoring) {
            *whole[i] = (long)x[n];
        } else {
            x[n] = (double)*whole[i];
        }
    }
    if (restoring) {
        sim->next_projection = (int)x[n];
        sim->fired = (int)x[n + 1];
        sim->output = x[n + 2] != 0.0;
    } else {
        x[n] = sim->next_projection;
        x[n + 1] = sim->fired;
        x[n + 2] = sim->output && sim->method->end == sim->method->current; // an event's step is not saved
    }
    for (int e = 0; e < MAX_EVENTS; ++e) {
        double *pair = x + FIXED + 2 * e;
        if (restoring) {
            sim->event[e].last = pair[0];
            sim->event[e].armed = pair[1] != 0.0;
        } else {
            pair[0] = sim->event[e].last;
            pair[1] = sim->event[e].armed;
        }
    }
}

dal_status dal_sim_save(const dal_sim *sim, void *buffer, size_t size)
{
    if (!sim->started) {
        return dal_fail(sim->ctx, DAL_EINVAL, "nothing to save: call dal_sim_start first");
    }
    if (size < dal_sim_snapshot_size(sim)) {
        return dal_fail(sim->ctx, DAL_EINVAL, "a snapshot takes %zu bytes, the buffer has %zu",
                        dal_sim_snapshot_size(sim), size);
    }
    double *x = buffer;
    memset(x, 0, dal_sim_snapshot_size(sim));
    write_header(sim, x);
    dal_options opt;
    copy_options(&opt, &sim->opt);
    memcpy(x + HEADER, &opt, sizeof opt);
    double *scalars = x + HEADER + option_count();
    pass_scalars((dal_sim *)sim, scalars, 0);
    // the saddle matrix too: its pivot order is kept from one projection to the next
    double *saddle = scalars + FIXED + 2 * MAX_EVENTS;
    dal_linsol_save(sim->saddle->ls, saddle);
    sim->method->type->save(sim->method, saddle + dal_linsol_snapshot_size(sim->saddle->ls));
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

dal_status dal_sim_restore(dal_sim *sim, const void *buffer, size_t size)
{
    double header[HEADER], *x = (double *)buffer;
    if (size != dal_sim_snapshot_size(sim)) {
        return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot has %zu bytes, this simulation needs %zu", size,
                        dal_sim_snapshot_size(sim));
    }
    write_header(sim, header);
    for (int i = 0; i < HEADER; ++i) { // the magic word, too, is compared as a number
        if (header[i] != x[i]) {
            return dal_fail(sim->ctx, DAL_ESNAPSHOT, "the snapshot belongs to another version, system or formulation");
        }
    }
    dal_options saved;
    memcpy(&saved, x + HEADER, sizeof saved);
    if (dal_options_check(sim->ctx, dal_options_table(), &saved) != DAL_OK) {
        return dal_fail_in(sim->ctx, DAL_ESNAPSHOT, "the snapshot is damaged");
    }
    DAL_TRY(compare_options(sim, &saved));
    double *scalars = x + HEADER + option_count();
    const double *saddle = scalars + FIXED + 2 * MAX_EVENTS;
    DAL_TRY(dal_linsol_restore(sim->saddle->ls, saddle));
    DAL_TRY(sim->method->type->restore(sim->method, saddle + dal_linsol_snapshot_size(sim->saddle->ls)));
    pass_scalars(sim, scalars, 1);
    sim->opt.h = saved.h;
    sim->started = 1;
    return DAL_OK;
}
