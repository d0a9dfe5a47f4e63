/* Rows of a run in memory. They are written by observers in C, without the interpreter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Room for one more row; NULL: there is none. */
static double *next_row(core_rows *r)
{
    if (r->n == r->room) {
        const size_t room = r->room > 0 ? 2 * r->room : 256;
        double *x = room <= SIZE_MAX / 16 / r->width ? realloc(r->x, room * r->width * sizeof *x) : NULL;
        if (x == NULL) {
            return NULL;
        }
        r->x = x;
        r->room = room;
    }
    return r->x + r->n++ * r->width;
}

static dal_status no_memory(core_sim *self)
{
    return dal_fail(self->ctx, DAL_ENOMEM, "out of memory for %zu rows of results", self->rows.n);
}

/* A row of the recorder: the tables that are kept. */
static dal_status add_row(const dal_record_row *row, void *user)
{
    core_sim *self = user;
    double *x = next_row(&self->rows);
    if (x == NULL) {
        return no_memory(self);
    }
    *x++ = row->t;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        memcpy(x, row->x + self->rows.first[k], (size_t)self->rows.count[k] * sizeof *x);
        x += self->rows.count[k];
    }
    return DAL_OK;
}

/* The state of a system without a model. */
static dal_status add_state(core_sim *self, const dal_point *at)
{
    const dal_group *group = self->system->sys->group;
    const size_t nq = (size_t)group->nq, nv = (size_t)group->nv, nc = (size_t)dal_system_rows(self->system->sys);
    double *x = next_row(&self->rows);
    if (x == NULL) {
        return no_memory(self);
    }
    *x = at->t;
    memcpy(x + 1, at->q, nq * sizeof *x);
    memcpy(x + 1 + nq, at->v, nv * sizeof *x);
    if (nc > 0) {
        memcpy(x + 1 + nq + nv, at->la, nc * sizeof *x);
    }
    return DAL_OK;
}

static dal_status observe_state(dal_sim *sim, const dal_state *s, void *user)
{
    core_sim *self = user;
    const dal_point at = {.t = s->t, .q = s->q, .v = s->v, .vd = s->vd, .la = s->la};
    return self->rows.every > 0 && dal_sim_stats(sim).steps % self->rows.every == 0 ? add_state(self, &at) : DAL_OK;
}

static dal_status sample(dal_sim *sim, const dal_point *at, void *user)
{
    core_sim *self = user;
    return self->recorder != NULL ? dal_recorder_row(self->recorder, at, dal_sim_state(sim).h) : add_state(self, at);
}

/* ---- beginning -------------------------------------------------------------------------------- */

static void choose_tables(core_sim *self, unsigned tables)
{
    core_rows *r = &self->rows;
    const dal_system *sys = self->system->sys;
    r->width = 1;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        const dal_channels *channels = self->system->channels;
        const int n = channels != NULL ? dal_channels_table(channels, &r->first[k], k) : 0;
        r->count[k] = (tables >> k & 1u) != 0 ? n : 0;
        r->width += (size_t)r->count[k];
    }
    if (self->system->channels == NULL) {
        r->width += (size_t)(sys->group->nq + sys->group->nv + dal_system_rows(sys));
    }
}

static dal_status begin(core_sim *self, const dal_sampling *when)
{
    const dal_recorder_spec spec = {.channels = self->system->channels,
                                    .sim = self->sim,
                                    .every = self->rows.every > 0 ? self->rows.every : -1,
                                    .row = add_row,
                                    .user = self};
    const dal_state s = dal_sim_shown_state(self->sim);
    const dal_point now = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    if (self->system->channels != NULL) {
        DAL_TRY(dal_recorder_create(&self->recorder, self->ctx, &spec));
    } else {
        DAL_TRY(self->rows.every > 0 ? add_state(self, &now) : DAL_OK);
        DAL_TRY(dal_sim_observe(self->sim, observe_state, self));
    }
    return when->every > 0.0 || when->times != NULL ? dal_sim_sample(self->sim, when, sample, self) : DAL_OK;
}

/* record(tables, every, dt, times or None): keep rows from now on: after every N-th step, every dt seconds, or at times.
 * tables: bits of the tables kept. Once for a simulation. */
PyObject *core_sim_record(core_sim *self, PyObject *args)
{
    unsigned tables;
    int every;
    double dt;
    PyObject *times;
    Py_ssize_t n = 0;
    if (!PyArg_ParseTuple(args, "IidO:record", &tables, &every, &dt, &times) || core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    if (self->recording) {
        PyErr_SetString(PyExc_RuntimeError, "the simulation is being recorded already");
        return NULL;
    }
    if (every < 0 || !(dt >= 0.0)) {
        PyErr_SetString(PyExc_ValueError, "rows are recorded after a positive number of steps or seconds");
        return NULL;
    }
    if (times != Py_None) {
        self->sample_times = core_read_any(times, &n, "times");
        if (self->sample_times == NULL) {
            return NULL;
        }
    }
    self->recording = 1;
    choose_tables(self, tables);
    self->rows.every = times != Py_None || dt > 0.0 ? 0 : every > 0 ? every : 1;
    const double from = dal_sim_state(self->sim).t;
    const dal_sampling when = {.every = dt, .from = from, .times = self->sample_times, .n = (int)n};
    self->busy = PyThread_get_thread_ident();
    const dal_status st = begin(self, &when);
    self->busy = 0;
    return core_sim_settle(self, st) == 0 ? Py_NewRef(Py_None) : NULL;
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* A row at the end, where only every N-th step has one. */
static dal_status complete(core_sim *self)
{
    const core_rows *r = &self->rows;
    const dal_state s = dal_sim_shown_state(self->sim);
    const dal_point now = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    if (r->every <= 1 || (r->n > 0 && r->x[(r->n - 1) * r->width] >= s.t)) {
        return DAL_OK;
    }
    return self->recorder != NULL ? dal_recorder_row(self->recorder, &now, s.h) : add_state(self, &now);
}

/* take() -> rows recorded so far, as an Array; the next ones begin a new block */
PyObject *core_sim_take(core_sim *self, PyObject *args)
{
    core_rows *r = &self->rows;
    (void)args;
    if (core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    if (!self->recording) {
        PyErr_SetString(PyExc_RuntimeError, "nothing is recorded: call record() before the run");
        return NULL;
    }
    self->busy = PyThread_get_thread_ident();
    const dal_status st = complete(self);
    self->busy = 0;
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    double *x = r->n > 0 ? realloc(r->x, r->n * r->width * sizeof *x) : NULL;
    x = x != NULL || r->n > 0 ? x : malloc(sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    const size_t n = r->n;
    if (n == 0) {
        free(r->x);
    }
    r->x = NULL;
    r->n = r->room = 0;
    return core_array_own(x, (Py_ssize_t)n, (Py_ssize_t)r->width);
}

/* Extremes over the run that the recorder kept. */
PyObject *core_sim_monitor(core_sim *self, PyObject *args)
{
    (void)args;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    if (self->recorder == NULL) {
        return PyDict_New();
    }
    const dal_monitor m = dal_recorder_monitor(self->recorder);
    char text[400];
    if (dal_monitor_warning(&m, text, sizeof text, dal_sim_options(self->sim)) > 0) {
        dal_log(self->ctx, DAL_LOG_WARNING, "%s", text);
    }
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "t0", m.t0, "energy0", m.energy0, "energy", m.energy,
                         "max_energy_change", m.max_drift, "max_position_residual", m.max_position,
                         "max_velocity_residual", m.max_velocity, "wall", m.wall, "balance_residual",
                         m.balance.residual, "turned_over", dal_monitor_turned_over(&m));
}

void core_rows_release(core_sim *self)
{
    dal_recorder_destroy(self->recorder);
    self->recorder = NULL;
    free(self->rows.x);
    self->rows.x = NULL;
    free(self->sample_times);
    self->sample_times = NULL;
}
