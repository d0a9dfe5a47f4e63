/* The recorder: one observer that watches every step, writes the rows and saves the checkpoints. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/vector.h"
#include "io/record_impl.h"
#include "io/results_impl.h"
#include "sim/look.h"
#include "system/data.h"

struct dal_recorder {
    dal_ctx *ctx;
    dal_pool pool; /* has this and all its texts and arrays */
    dal_channels *channels;
    dal_sim *sim;   /* NULL: states come from elsewhere */
    dal_data *data; /* what they are evaluated with */
    int every, unwatched;
    dal_status (*row)(const dal_record_row *row, void *user);
    void *user;

    dal_results *results; /* NULL: none */
    int table[DAL_RECORD_TABLES], ntables;
    const dal_table *own; /* NULL: none */
    const double *own_values, *later;
    double *values;     /* of a row of the files */
    record_place place; /* of the last row that a run which goes on finds as well */
    double last_t;      /* of the last row */

    char *checkpoint; /* path */
    double checkpoint_seconds;
    char *belongs, **set;
    int nset;

    dal_monitor monitor;       /* wall: before `started` */
    double now[MONITOR_COUNT]; /* columns at the present state */
    long newton_before;
    double *x;         /* all channels */
    double *Phi, *vel; /* rows of the system */
    struct timespec started, saved;
    int failed;
    int lost;    /* looks in a row at steps that cannot be right */
    double seen; /* time of the last look */
};

static dal_point present(const dal_recorder *r)
{
    const dal_state s = dal_sim_shown_state(r->sim);
    return (dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
}

/* ---- the model -------------------------------------------------------------------------------- */

/* Outputs of the model at a point: the first channels. */
static dal_status evaluate_outputs(dal_recorder *r, const dal_point *at)
{
    return r->channels->first[DAL_RECORD_STATE] > 0 ? dal_model_outputs(r->channels->model, r->data, r->x, at) : DAL_OK;
}

/* Residuals of all rows, those left out as redundant too, at a point. */
static dal_status measure_rows(dal_recorder *r, const dal_point *at, double now[MONITOR_COUNT])
{
    const int nc = dal_system_rows(r->channels->sys);
    if (nc > 0) {
        memset(r->Phi, 0, (size_t)nc * sizeof *r->Phi);
        const dal_status st = dal_data_residual(r->data, &(dal_residual){.Phi = r->Phi, .vel = r->vel}, at);
        if (st != DAL_OK) {
            return dal_fail_in(r->ctx, st < 0 ? st : DAL_ECALLBACK, "residuals of the constraints at t = %.9g", at->t);
        }
    }
    now[MONITOR_POSITION] = dal_max_abs(r->Phi, nc);
    now[MONITOR_VELOCITY] = dal_max_abs(r->vel, nc);
    return DAL_OK;
}

static dal_status measure(dal_recorder *r, const dal_point *at, double now[MONITOR_COUNT])
{
    now[MONITOR_ENERGY] = dal_data_energy(r->data, at);
    return r->sim != NULL ? measure_rows(r, at, now) : DAL_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static dal_status fill(dal_recorder *r, const dal_point *at, const double now[MONITOR_COUNT])
{
    const dal_channels *c = r->channels;
    const int nq = c->sys->group->nq, nv = c->sys->group->nv, nc = dal_system_rows(c->sys);
    double *state = r->x + c->first[DAL_RECORD_STATE];
    DAL_TRY(evaluate_outputs(r, at));
    memcpy(state, at->q, (size_t)nq * sizeof *state);
    memcpy(state + nq, at->v, (size_t)nv * sizeof *state);
    if (nc > 0) {
        memcpy(state + nq + nv, at->la, (size_t)nc * sizeof *state);
    }
    memcpy(r->x + c->first[DAL_RECORD_MONITOR], now, MONITOR_COUNT * sizeof *now);
    return DAL_OK;
}

/* counts: a run that goes on from here has this row, too. */
static dal_status write_row(dal_recorder *r, const dal_point *at, const double now[MONITOR_COUNT], int counts)
{
    const dal_channels *c = r->channels;
    if (r->results == NULL && r->row == NULL && r->sim != NULL) {
        return DAL_OK;
    }
    DAL_TRY(fill(r, at, now));
    const double t = at->t + (r->later != NULL ? *r->later : 0.0);
    if (r->row != NULL) {
        DAL_TRY(r->row(&(dal_record_row){t, r->x}, r->user));
    }
    r->last_t = t;
    if (r->results == NULL) {
        return DAL_OK;
    }
    double *to = r->values;
    if (r->own != NULL) {
        memcpy(to, r->own_values, (size_t)r->own->n * sizeof *to);
        to += r->own->n;
    }
    for (int k = 0; k < r->ntables; ++k) {
        const int first = c->first[r->table[k]], n = c->first[r->table[k] + 1] - first;
        memcpy(to, r->x + first, (size_t)n * sizeof *to);
        to += n;
    }
    const dal_status st = dal_results_row(r->results, t, r->values);
    r->failed |= st != DAL_OK;
    if (st == DAL_OK && counts && r->sim != NULL) {
        r->place.rows = dal_results_rows(r->results);
        r->place.t = at->t;
        for (int k = 0; k < r->ntables; ++k) {
            r->place.mark[k] = dal_results_last(r->results, k);
        }
    }
    return st;
}

dal_status dal_recorder_row(dal_recorder *r, const dal_point *at, double h)
{
    DAL_NEED_AS(NULL, r, "recorder");
    DAL_NEED_POINT(r->ctx, at, r->channels->sys);
    double now[MONITOR_COUNT];
    memcpy(now, r->now, sizeof now);
    DAL_TRY(measure(r, at, now));
    now[MONITOR_H] = h;
    return write_row(r, at, now, 1);
}

dal_status dal_recorder_evaluate(dal_recorder *r, const double **x)
{
    DAL_NEED_AS(NULL, r, "recorder");
    DAL_NEED(r->ctx, x);
    *x = r->x;
    if (r->sim == NULL) {
        return DAL_OK;
    }
    const dal_point at = present(r);
    return fill(r, &at, r->now);
}

/* ---- a run watches itself --------------------------------------------------------------------- */

enum { TEXT = 400 };
static const double told = 0.01; /* of the energy turned over, of the largest velocity */
static const double at_rest = 1e-11;

double dal_monitor_turned_over(const dal_monitor *monitor)
{
    return monitor != NULL && !isnan(monitor->balance.energy) ? monitor->balance.kinetic + monitor->balance.work
                                                              : (double)NAN;
}

/* Is the balance off by more than a part of the energy turned over? */
static int off(const dal_monitor *m, double part, double residual)
{
    return dal_balance_off(&m->balance, residual, part) && m->max_way > at_rest;
}

/* Do velocities violate the constraints by more than a part of the largest? */
static int slips(const dal_monitor *m, double part, double velocity)
{
    return velocity > part * m->max_speed && m->max_way > at_rest;
}

int dal_monitor_lost(const dal_monitor *m)
{
    return m != NULL && (off(m, 1.0, m->balance.residual) || slips(m, 1.0, m->max_velocity));
}

static const char *remedy(const dal_options *o)
{
    return o->step == DAL_STEP_ADAPTIVE ? "use a smaller step_rtol"
           : o->integrator == DAL_INTEGRATOR_RATTLIE
               ? "use a smaller h, for integrator = rattlie is stable below h omega = 2 only, or integrator = genalpha"
           : (o->integrator == DAL_INTEGRATOR_GENALPHA || o->integrator == DAL_INTEGRATOR_BDF) &&
                   o->formulation == DAL_FORMULATION_INDEX3
               ? "use a smaller h, formulation = ggl, or leave out method and h, so that a tolerance controls the steps"
               : "use a smaller h, or leave out method and h, so that a tolerance controls the steps";
}

size_t dal_monitor_warning(const dal_monitor *m, char *buffer, size_t size, const dal_options *options)
{
    if (m == NULL || options == NULL || (buffer == NULL && size > 0)) {
        return 0;
    }
    int n = 0;
    if (off(m, told, m->balance.residual)) {
        const double all = dal_monitor_turned_over(m);
        if (all > 1e-6 * m->balance.residual) {
            n = snprintf(buffer, size, "the energy balance is off by %.3g J, %.2g %% of the %.3g J turned over: %s",
                         m->balance.residual, 100.0 * m->balance.residual / all, all, remedy(options));
        } else {
            n = snprintf(buffer, size,
                         "the energy balance is off by %.3g J, though hardly any energy is turned over: %s",
                         m->balance.residual, remedy(options));
        }
    } else if (slips(m, told, m->max_velocity)) {
        n = snprintf(buffer, size,
                     "velocities violate the constraints by up to %.2g, %.2g %% of the largest velocity: %s",
                     m->max_velocity, 100.0 * m->max_velocity / m->max_speed, remedy(options));
    }
    return n > 0 ? (size_t)n : 0;
}

/* ---- every step ------------------------------------------------------------------------------- */

static int has_rows(const dal_recorder *r)
{
    return r->results != NULL || r->row != NULL;
}

/* A motion that is made by the method fails, once that has lasted: at the first steps from rest little is turned over. */
static dal_status judge(dal_recorder *r, double t)
{
    enum { LASTED = 10 };
    const dal_monitor *m = &r->monitor;
    char text[TEXT];
    // errors that come and go may last a step: a run that has been half as far off as is told is looked at after every step
    if (off(m, 0.5 * told, m->balance.residual) || slips(m, 0.5 * told, m->max_velocity)) {
        dal_sim_look_closely(r->sim);
    }
    const int lost = off(m, 1.0, m->balance.offset) || slips(m, 1.0, r->now[MONITOR_VELOCITY]);
    r->lost = lost ? r->lost + 1 : 0;
    if (r->lost < LASTED) {
        return DAL_OK;
    }
    (void)dal_monitor_warning(m, text, sizeof text, dal_sim_options(r->sim));
    return dal_fail(r->ctx, DAL_ESTEP, "the motion is no longer that of the model at t = %.6g: %s", t, text);
}

static dal_status watch(dal_recorder *r, const dal_point *at, double h)
{
    dal_monitor *m = &r->monitor;
    double *now = r->now;
    r->seen = at->t;
    m->balance = dal_sim_balance(r->sim);
    now[MONITOR_ENERGY] = isnan(m->balance.energy) ? dal_data_energy(dal_sim_data(r->sim), at) : m->balance.energy;
    DAL_TRY(measure_rows(r, at, now));
    now[MONITOR_H] = h;
    m->energy = now[MONITOR_ENERGY];
    m->max_drift = fmax(m->max_drift, fabs(m->energy - m->energy0));
    m->max_position = fmax(m->max_position, now[MONITOR_POSITION]);
    m->max_velocity = fmax(m->max_velocity, now[MONITOR_VELOCITY]);
    const double speed = dal_max_abs(at->v, r->channels->sys->group->nv);
    m->max_speed = fmax(m->max_speed, speed);
    // what adaptive steps do not resolve is no motion: a robot that is held at rest
    const dal_options *o = dal_sim_options(r->sim);
    if (o->step != DAL_STEP_ADAPTIVE || speed > 100.0 * o->step_atol) {
        m->max_way = fmax(m->max_way, h * speed / fmax(dal_max_abs(at->q, r->channels->sys->group->nq), 1e-9));
    }
    return judge(r, at->t);
}

/* Look at the present state, if that has not been done. */
static dal_status look(dal_recorder *r)
{
    if (r->sim == NULL) {
        return DAL_OK;
    }
    const dal_point at = present(r);
    if (at.t == r->seen || (r->unwatched && !has_rows(r))) {
        return DAL_OK;
    }
    DAL_TRY(dal_sim_look(r->sim));
    return watch(r, &at, dal_sim_state(r->sim).h);
}

static dal_status observe(dal_sim *sim, const dal_state *s, void *user)
{
    dal_recorder *r = user;
    const dal_point at = {.t = s->t, .q = s->q, .v = s->v, .vd = s->vd, .la = s->la};
    if (has_rows(r) || r->checkpoint != NULL) {
        const long newton = dal_sim_stats(sim).newton_iterations;
        r->now[MONITOR_NEWTON] = (double)(newton - r->newton_before);
        r->newton_before = newton;
    }
    const int row = has_rows(r) && r->every > 0 && dal_sim_stats(sim).steps % r->every == 0;
    if (row) {
        DAL_TRY(dal_sim_look(sim));
    }
    if ((!r->unwatched || has_rows(r)) && dal_sim_looked(sim)) {
        DAL_TRY(watch(r, &at, s->h));
    }
    if (row) {
        DAL_TRY(write_row(r, &at, r->now, 1));
    }
    if (r->checkpoint != NULL && dal_results_seconds_since(&r->saved) >= r->checkpoint_seconds) {
        DAL_TRY(dal_recorder_checkpoint(r, NULL));
    }
    return DAL_OK;
}

dal_monitor dal_recorder_monitor(dal_recorder *r)
{
    if (r == NULL) {
        return (dal_monitor){0};
    }
    if (dal_ctx_status(r->ctx) == DAL_OK) {
        (void)!look(r); // a motion that is lost shows in the monitor
    }
    dal_monitor m = r->monitor;
    m.wall += dal_results_seconds_since(&r->started);
    return m;
}

/* Rows first: a checkpoint never knows of a row that the disk does not. */
dal_status dal_recorder_checkpoint(dal_recorder *r, const char *path)
{
    DAL_NEED_AS(NULL, r, "recorder");
    DAL_TRY(look(r));
    const dal_monitor monitor = dal_recorder_monitor(r);
    path = path != NULL ? path : r->checkpoint;
    if (path == NULL || r->sim == NULL) {
        return dal_fail(r->ctx, DAL_EINVAL,
                        r->sim != NULL ? "no file for the checkpoint" : "a checkpoint is one of a simulation");
    }
    const checkpoint_source from = {.belongs = r->belongs,
                                    .nset = r->nset,
                                    .set = r->set,
                                    .monitor = &monitor,
                                    .newton = r->now[MONITOR_NEWTON],
                                    .place = &r->place,
                                    .sim = r->sim};
    dal_status st = r->results != NULL ? dal_results_sync(r->results) : DAL_OK;
    st = st != DAL_OK ? st : dal_checkpoint_write(r->ctx, path, &from);
    r->failed |= st != DAL_OK;
    clock_gettime(CLOCK_MONOTONIC, &r->saved);
    return st;
}

int dal_recorder_failed(const dal_recorder *r)
{
    return r != NULL && r->failed;
}

/* ---- creation --------------------------------------------------------------------------------- */

static dal_status copy_texts(dal_recorder *r, const dal_recorder_spec *spec)
{
    DAL_NEED_TEXTS(r->ctx, spec->set, spec->nset);
    DAL_TAKE(&r->pool, r->set, spec->nset);
    DAL_TAKE_TEXT(&r->pool, r->belongs, spec->belongs != NULL ? spec->belongs : "");
    if (spec->checkpoint != NULL) {
        DAL_TAKE_TEXT(&r->pool, r->checkpoint, spec->checkpoint);
    }
    for (; r->nset < spec->nset; ++r->nset) {
        if (strchr(spec->set[r->nset], '\n') != NULL) {
            return dal_fail(r->ctx, DAL_EINVAL, "an assignment has one line, not '%s'", spec->set[r->nset]);
        }
        DAL_TAKE_TEXT(&r->pool, r->set[r->nset], spec->set[r->nset]);
    }
    return DAL_OK;
}

static dal_status copy_spec(dal_recorder *r, const dal_recorder_spec *spec)
{
    const dal_channels *c = spec->channels;
    const int nc = dal_system_rows(c->sys);
    r->channels = spec->channels;
    r->sim = spec->sim;
    r->data = spec->sim != NULL ? dal_sim_data(spec->sim) : spec->data;
    r->own = spec->own;
    r->own_values = spec->own_values;
    r->later = spec->later;
    r->every = spec->every == 0 ? 1 : spec->every;
    r->unwatched = spec->unwatched;
    r->row = spec->row;
    r->user = spec->user;
    r->checkpoint_seconds = spec->checkpoint_seconds;
    DAL_TAKE(&r->pool, r->x, c->n);
    DAL_TAKE(&r->pool, r->values, c->n + (r->own != NULL ? r->own->n : 0));
    DAL_TAKE(&r->pool, r->Phi, nc);
    DAL_TAKE(&r->pool, r->vel, nc);
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        if (c->first[k + 1] > c->first[k] && (spec->tables == 0 || (spec->tables >> k & 1u) != 0)) {
            r->table[r->ntables++] = k;
        }
    }
    return copy_texts(r, spec);
}

/* Names and units of the columns of the tables, as results.h wants them. */
static dal_status create_results(dal_recorder *r, const dal_recorder_spec *spec)
{
    const char *const *all = dal_record_tables, **text;
    const dal_channels *c = r->channels;
    const record_place *place = spec->resume != NULL ? &spec->resume->place : NULL;
    const int append = place != NULL && place->rows > 0;
    dal_table table[DAL_RECORD_TABLES + 1];
    int n = 0;
    if (append && place->ntables != r->ntables) {
        return dal_fail(r->ctx, DAL_EINVAL, "the checkpoint was made with %d tables, now there are %d: choose the same",
                        place->ntables, r->ntables);
    }
    DAL_TAKE(&r->pool, text, 2 * c->n);
    for (int i = 0; i < c->n; ++i) {
        text[i] = c->channel[i].name;
        text[c->n + i] = c->channel[i].unit;
    }
    if (r->own != NULL) {
        table[n++] = *r->own;
    }
    for (int k = 0; k < r->ntables; ++k) {
        const int first = c->first[r->table[k]];
        table[n++] =
            (dal_table){all[r->table[k]], c->first[r->table[k] + 1] - first, text + first, text + c->n + first};
    }
    const dal_results_spec files = {.format = spec->format,
                                    .path = spec->path,
                                    .ntables = n,
                                    .table = table,
                                    .nnotes = spec->nnotes,
                                    .note = spec->note,
                                    .flush_seconds = spec->flush_seconds,
                                    .nobsolete = r->sim != NULL ? DAL_RECORD_TABLES : 0,
                                    .obsolete = all,
                                    .append = append,
                                    .append_rows = append ? place->rows : 0,
                                    .append_mark = append ? place->mark : NULL};
    const dal_status st = dal_results_create(&r->results, r->ctx, &files);
    if (st == DAL_OK && append && dal_results_rows(r->results) == 0) {
        dal_log(r->ctx, DAL_LOG_WARNING,
                "'%s' has no results of the run before the checkpoint: its tables begin at t = %.9g", spec->path,
                dal_sim_state(r->sim).t);
    }
    r->failed |= st != DAL_OK;
    return st;
}

static dal_status open_results(dal_recorder *r, const dal_recorder_spec *spec)
{
    if (spec->path == NULL) {
        return DAL_OK;
    }
    if (r->ntables == 0 && r->own == NULL) {
        return dal_fail(r->ctx, DAL_EINVAL, "the model has none of these tables");
    }
    r->place.ntables = r->ntables;
    return create_results(r, spec);
}

static dal_status begin(dal_recorder *r, const dal_recorder_spec *spec)
{
    const dal_point at = present(r);
    r->newton_before = dal_sim_stats(r->sim).newton_iterations;
    if (!r->unwatched || has_rows(r)) {
        DAL_TRY(dal_sim_watch(r->sim, spec->resume != NULL ? &spec->resume->monitor.balance : NULL));
    }
    DAL_TRY(measure(r, &at, r->now));
    if (spec->resume != NULL) {
        r->monitor = spec->resume->monitor;
        r->last_t = spec->resume->place.t;
        if (r->results != NULL && dal_results_rows(r->results) > 0) {
            r->place = spec->resume->place;
        }
        r->now[MONITOR_H] = dal_sim_state(r->sim).h;
        r->now[MONITOR_NEWTON] = spec->resume->newton;
        r->seen = at.t;
        return DAL_OK;
    }
    r->monitor.t0 = at.t;
    r->monitor.energy0 = r->now[MONITOR_ENERGY];
    r->last_t = -INFINITY;
    const dal_state s = dal_sim_state(r->sim);
    r->saved = r->started; // the checkpoint of the start is written below
    DAL_TRY(watch(r, &at, s.h));
    return r->every > 0 ? write_row(r, &at, r->now, 1) : DAL_OK;
}

dal_status dal_recorder_create_(dal_recorder **recorder, dal_ctx *ctx, const dal_recorder_spec *spec, size_t size)
{
    DAL_NEED(ctx, recorder);
    *recorder = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_recorder_spec, spec);
    if (spec->channels == NULL || (spec->sim == NULL && spec->data == NULL) || spec->channels->sys == NULL) {
        return dal_fail(ctx, DAL_EINVAL, "a recorder needs a simulation and channels that are bound to its system");
    }
    dal_pool pool = {.ctx = ctx, .what = "the recorder"};
    dal_recorder *r;
    DAL_TAKE(&pool, r, 1);
    r->pool = pool;
    r->ctx = ctx;
    clock_gettime(CLOCK_MONOTONIC, &r->started);
    r->saved = r->started;
    dal_status st = copy_spec(r, spec);
    st = st != DAL_OK ? st : open_results(r, spec);
    if (st == DAL_OK && r->sim != NULL) {
        st = begin(r, spec);
    }
    if (st == DAL_OK && r->checkpoint != NULL && r->sim != NULL) {
        st = dal_recorder_checkpoint(r, NULL); // a bad place is found now, not at the end
    }
    const int observes = r->sim != NULL && (!r->unwatched || has_rows(r) || r->checkpoint != NULL);
    st = st != DAL_OK || !observes ? st : dal_sim_observe(r->sim, observe, r);
    if (st != DAL_OK) {
        dal_recorder_destroy(r);
        return st;
    }
    *recorder = r;
    return DAL_OK;
}

/* ---- the end ---------------------------------------------------------------------------------- */

dal_status dal_recorder_close(dal_recorder *r, int interrupted, const dal_note *note, int n)
{
    DAL_NEED_AS(NULL, r, "recorder");
    if (n > 0) {
        DAL_NEED(r->ctx, note);
    }
    if (r->results == NULL) {
        return DAL_OK;
    }
    DAL_TRY(look(r));
    if (r->sim != NULL) {
        const dal_point at = present(r);
        // the end is always there; a run that will go on writes the rows of one that was not interrupted
        if (at.t > r->last_t && !interrupted && r->every > 1) {
            DAL_TRY(write_row(r, &at, r->now, 0));
        }
    }
    const dal_status st = dal_results_close(r->results, note, n);
    r->failed |= st != DAL_OK;
    if (st == DAL_OK) {
        dal_results_destroy(r->results);
        r->results = NULL;
    }
    return st;
}

void dal_recorder_destroy(dal_recorder *r)
{
    if (r == NULL) {
        return;
    }
    dal_results_destroy(r->results);
    dal_pool pool = r->pool; // it is in it
    dal_pool_release(&pool);
}
