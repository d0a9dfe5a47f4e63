/* Callbacks of Python during a run: observers, events, signals. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core.h"

/* Signals are looked for so often, and the clock is read once in so many steps of small systems. */
#define SIGNAL_SECONDS 0.05
enum { CLOCK_STEPS = 16 };

/* ---- signals and observers -------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What was raised waits until the library has returned: what is recorded of this step may need other callbacks. */
static void put_aside(core_sim *self)
{
    if (self->raised[0] == NULL) {
        PyErr_Fetch(&self->raised[0], &self->raised[1], &self->raised[2]);
    } else {
        PyErr_Clear();
    }
}

/* Handlers of signals run in the main thread, when the interpreter is asked: Ctrl-C stops the run after this step. */
static dal_status look_for_signals(core_sim *self)
{
    if (--self->countdown > 0) {
        return DAL_OK;
    }
    self->countdown = self->releases ? 1 : CLOCK_STEPS;
    const double now = seconds();
    if (now - self->checked < SIGNAL_SECONDS) {
        return DAL_OK;
    }
    self->checked = now;
    const PyGILState_STATE gil = PyGILState_Ensure();
    const int raised = PyErr_CheckSignals() < 0;
    if (raised) {
        put_aside(self);
    }
    PyGILState_Release(gil);
    return raised ? DAL_RETRY : DAL_OK;
}

/* Each observer gets the simulation; one that returns something true ends the run. */
static dal_status call_observers(core_sim *self)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    dal_status st = DAL_OK;
    core_sim_refresh(self);
    for (Py_ssize_t i = 0; st == DAL_OK && i < PyList_Size(self->observers); ++i) {
        PyObject *observer = Py_NewRef(PyList_GetItem(self->observers, i));
        PyObject *stop = PyObject_CallFunctionObjArgs(observer, (PyObject *)self, NULL);
        const int truth = stop != NULL ? PyObject_IsTrue(stop) : -1;
        st = truth != 0 ? DAL_RETRY : DAL_OK;
        if (truth < 0) {
            put_aside(self);
        }
        Py_XDECREF(stop);
        Py_DECREF(observer);
    }
    PyGILState_Release(gil);
    return st;
}

dal_status core_observe(dal_sim *sim, const dal_state *state, void *user)
{
    core_sim *self = user;
    (void)sim;
    (void)state;
    if (self->running) {
        DAL_TRY(look_for_signals(self));
    }
    return self->watched ? call_observers(self) : DAL_OK;
}

PyObject *core_sim_add_observer(core_sim *self, PyObject *args)
{
    PyObject *observer;
    if (!PyArg_ParseTuple(args, "O:add_observer", &observer) || core_sim_ready(self, 0) < 0) {
        return NULL;
    }
    if (!PyCallable_Check(observer)) {
        PyErr_SetString(PyExc_TypeError, "an observer is a function of the simulation");
        return NULL;
    }
    if (PyList_Append(self->observers, observer) < 0) {
        return NULL;
    }
    self->watched = 1;
    return Py_NewRef(Py_None);
}

/* ---- events ----------------------------------------------------------------------------------- */

/* A function of (t, q, v). The arrays are the same in each call: only their contents change. The objects are kept by a
 * tuple beside the capsule, where the collector of garbage sees them. */
typedef struct event {
    PyObject *value, *change; /* change: NULL if there is none */
    PyObject *q, *v;          /* NumPy arrays of `x` */
    double *x;
    size_t nq, nv;
} event;

static void event_free(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, NULL));
}

/* function(t, q, v); NULL and the error of the interpreter if it fails, or if one is set already */
static PyObject *call(event *e, PyObject *function, double t, const double *q, const double *v)
{
    if (PyErr_Occurred() != NULL) {
        return NULL;
    }
    memcpy(e->x, q, e->nq * sizeof(double));
    memcpy(e->x + e->nq, v, e->nv * sizeof(double));
    PyObject *time = PyFloat_FromDouble(t);
    PyObject *result = time != NULL ? PyObject_CallFunctionObjArgs(function, time, e->q, e->v, NULL) : NULL;
    Py_XDECREF(time);
    return result;
}

static double event_value(double t, const double *q, const double *v, void *user)
{
    event *e = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = call(e, e->value, t, q, v);
    double x = result != NULL ? PyFloat_AsDouble(result) : NAN;
    if (PyErr_Occurred() != NULL) {
        x = NAN;
    }
    Py_XDECREF(result);
    PyGILState_Release(gil);
    return x;
}

/* The function changes q and v in place. */
static dal_status event_change(double t, double *q, double *v, void *user)
{
    event *e = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = call(e, e->change, t, q, v);
    const dal_status st = result != NULL ? DAL_OK : DAL_ECALLBACK;
    Py_XDECREF(result);
    PyGILState_Release(gil);
    if (st == DAL_OK) {
        memcpy(q, e->x, e->nq * sizeof(double));
        memcpy(v, e->x + e->nq, e->nv * sizeof(double));
    }
    return st;
}

/* (capsule, value, change, q, v) */
static PyObject *event_new(core_sim *self, PyObject *value, PyObject *change)
{
    const dal_group *group = self->system->sys->group;
    double *x = calloc((size_t)group->nq + (size_t)group->nv + 1, sizeof *x);
    PyObject *owner = x != NULL ? core_array_own(x, group->nq + group->nv, -1) : PyErr_NoMemory();
    if (owner == NULL) {
        return NULL;
    }
    PyObject *q = core_numpy(core_array_view(owner, x, group->nq, -1, 1, 1));
    PyObject *v = core_numpy(core_array_view(owner, x + group->nq, group->nv, -1, 1, 1));
    event *e = calloc(1, sizeof *e);
    PyObject *capsule = e != NULL ? PyCapsule_New(e, NULL, event_free) : PyErr_NoMemory();
    Py_DECREF(owner); // the views keep it
    if (q == NULL || v == NULL || capsule == NULL) {
        Py_XDECREF(q);
        Py_XDECREF(v);
        if (capsule == NULL) {
            free(e);
        }
        Py_XDECREF(capsule);
        return NULL;
    }
    *e = (event){.value = value,
                 .change = change != Py_None ? change : NULL,
                 .q = q,
                 .v = v,
                 .x = x,
                 .nq = (size_t)group->nq,
                 .nv = (size_t)group->nv};
    return Py_BuildValue("(NOONN)", capsule, value, change, q, v);
}

/* add_event(value, change or None, direction, stop) */
PyObject *core_sim_add_event(core_sim *self, PyObject *args)
{
    PyObject *value, *change;
    int direction, stop;
    if (!PyArg_ParseTuple(args, "OOip:add_event", &value, &change, &direction, &stop) || core_sim_idle(self, 0) < 0) {
        return NULL;
    }
    if (!PyCallable_Check(value) || (change != Py_None && !PyCallable_Check(change))) {
        PyErr_SetString(PyExc_TypeError, "an event needs a function of (t, q, v), and so does its change");
        return NULL;
    }
    PyObject *kept = event_new(self, value, change);
    if (kept == NULL || PyList_Append(self->events, kept) < 0) {
        Py_XDECREF(kept);
        return NULL;
    }
    const Py_ssize_t number = PyList_Size(self->events) - 1;
    const dal_event spec = {.value = event_value,
                            .change = change != Py_None ? event_change : NULL,
                            .direction = direction,
                            .action = stop ? DAL_EVENT_STOP : DAL_EVENT_RESTART,
                            .user = PyCapsule_GetPointer(PyTuple_GetItem(kept, 0), NULL)};
    Py_DECREF(kept);
    self->busy = PyThread_get_thread_ident();
    const dal_status st = dal_sim_event(self->sim, &spec);
    self->busy = 0;
    if (st != DAL_OK) { // it does not refer to it then
        core_sim_settle(self, st);
        PyObject *type, *error, *trace;
        PyErr_Fetch(&type, &error, &trace);
        PySequence_DelItem(self->events, number);
        PyErr_Restore(type, error, trace);
        return NULL;
    }
    return core_sim_settle(self, st) == 0 ? PyLong_FromSsize_t(number) : NULL;
}

PyObject *core_sim_remove_event(core_sim *self, PyObject *args)
{
    int index;
    if (!PyArg_ParseTuple(args, "i:remove_event", &index) || core_sim_idle(self, 0) < 0) {
        return NULL;
    }
    const dal_status st = dal_sim_remove_event(self->sim, index);
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    return PySequence_DelItem(self->events, index) == 0 ? Py_NewRef(Py_None) : NULL;
}
