/* A simulation: create, start, step, run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* From so many velocities on a step takes many microseconds: other threads may have the interpreter meanwhile. */
enum { LONG_STEP = 64 };

int core_sim_ready(core_sim *self, int started)
{
    if (self->sim == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the simulation is gone");
        return -1;
    }
    if (self->busy != 0 && self->busy != PyThread_get_thread_ident()) {
        PyErr_SetString(PyExc_RuntimeError, "the simulation is running in another thread");
        return -1;
    }
    if (started && !self->started) {
        PyErr_SetString(PyExc_RuntimeError, "the simulation has not been started: call start() first");
        return -1;
    }
    return 0;
}

int core_sim_idle(core_sim *self, int started)
{
    if (self->busy != 0) {
        PyErr_SetString(PyExc_RuntimeError, "the simulation is in the midst of a step");
        return -1;
    }
    return core_sim_ready(self, started);
}

void core_sim_refresh(core_sim *self)
{
    const dal_state s = dal_sim_shown_state(self->sim);
    const dal_group *group = self->system->sys->group;
    const size_t nq = (size_t)group->nq, nv = (size_t)group->nv, nc = (size_t)dal_system_rows(self->system->sys);
    memcpy(self->state, s.q, nq * sizeof(double));
    memcpy(self->state + nq, s.v, nv * sizeof(double));
    memcpy(self->state + nq + nv, s.vd, nv * sizeof(double));
    if (nc > 0) {
        memcpy(self->state + nq + 2 * nv, s.la, nc * sizeof(double));
    }
}

int core_sim_settle(core_sim *self, dal_status st)
{
    if (self->raised[0] != NULL) {
        PyErr_Restore(self->raised[0], self->raised[1], self->raised[2]);
        memset(self->raised, 0, sizeof self->raised);
        return -1;
    }
    if (st == DAL_OK && PyErr_Occurred() == NULL) {
        return 0;
    }
    core_raise(self->ctx, st, 0);
    return -1;
}

/* ---- creation --------------------------------------------------------------------------------- */

/* The options of the model, a method by name, then assignments. */
static dal_status choose_options(core_sim *self, dal_options *options, const char *method, const core_texts *set)
{
    *options = self->system->options;
    if (method != NULL) {
        DAL_TRY(dal_options_method(self->ctx, options, method));
    }
    for (int i = 0; i < set->n; ++i) {
        DAL_TRY(dal_options_parse(self->ctx, dal_options_table(), options, set->text[i]));
    }
    return DAL_OK;
}

static dal_status create(core_sim *self, const char *method, const core_texts *set)
{
    dal_options options;
    const dal_config config = {.log = core_log_add, .user = &self->log};
    const dal_system *sys = self->system->sys;
    const size_t n = (size_t)sys->group->nq + 2 * (size_t)sys->group->nv + (size_t)dal_system_rows(sys);
    const size_t outputs = self->system->model != NULL ? (size_t)dal_model_output_size(self->system->model) : 0;
    DAL_TRY(dal_ctx_create(&self->ctx, &config));
    DAL_TRY(choose_options(self, &options, method, set));
    self->state = calloc(n + 1, sizeof *self->state);
    self->memory = self->state != NULL ? core_array_own(self->state, (Py_ssize_t)n, -1) : NULL;
    self->outputs = calloc(outputs + 1, sizeof *self->outputs);
    self->observers = PyList_New(0);
    self->events = PyList_New(0);
    if (self->memory == NULL || self->outputs == NULL || self->observers == NULL || self->events == NULL) {
        return DAL_ENOMEM;
    }
    self->releases = sys->group->nv >= LONG_STEP;
    DAL_TRY(dal_sim_create(&self->sim, self->ctx, sys, &options));
    return dal_sim_observe(self->sim, core_observe, self);
}

/* Simulation(system, method or None, assignments) */
static PyObject *sim_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *system, *assignments;
    const char *method;
    core_texts set;
    if (keywords != NULL && PyDict_Size(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "Simulation takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O!zO:Simulation", core_system_type, &system, &method, &assignments) ||
        core_texts_get(&set, assignments, "options") < 0) {
        return NULL;
    }
    core_sim *self = (core_sim *)PyType_GenericAlloc(type, 0);
    if (self != NULL) {
        self->system = (core_system *)Py_NewRef(system);
        const dal_status st = create(self, method, &set);
        if (st != DAL_OK || PyErr_Occurred() != NULL) {
            core_raise(self->ctx, st, 0);
            Py_CLEAR(self);
        }
    }
    core_texts_free(&set);
    return (PyObject *)self;
}

static int sim_traverse(core_sim *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->system);
    Py_VISIT(self->observers);
    Py_VISIT(self->events);
    Py_VISIT(self->memory);
    for (int k = 0; k < CORE_LEN(self->raised); ++k) {
        Py_VISIT(self->raised[k]);
    }
    for (int k = 0; k < CORE_LEN(self->views); ++k) {
        Py_VISIT(self->views[k]);
    }
    return 0;
}

static int sim_clear(core_sim *self)
{
    // the library refers to the events: they go with it
    dal_sim_destroy(self->sim);
    self->sim = NULL;
    for (int k = 0; k < self->nbindings; ++k) {
        dal_binding_destroy(self->binding[k]);
    }
    free(self->binding);
    self->binding = NULL;
    self->nbindings = self->nset = 0;
    self->started = 0;
    Py_CLEAR(self->observers);
    Py_CLEAR(self->events);
    for (int k = 0; k < CORE_LEN(self->raised); ++k) {
        Py_CLEAR(self->raised[k]);
    }
    for (int k = 0; k < CORE_LEN(self->views); ++k) {
        Py_CLEAR(self->views[k]);
    }
    return 0;
}

static void sim_dealloc(core_sim *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    sim_clear(self);
    core_rows_release(self);
    free(self->outputs);
    Py_CLEAR(self->memory);
    dal_ctx_destroy(self->ctx);
    core_log_release(&self->log);
    Py_CLEAR(self->system);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* ---- the course ------------------------------------------------------------------------------- */

/* start(t, q or None, v or None): from the initial values of the model, or from these */
static PyObject *start(core_sim *self, PyObject *args)
{
    double t;
    PyObject *q_object, *v_object;
    if (!PyArg_ParseTuple(args, "dOO:start", &t, &q_object, &v_object) || core_sim_ready(self, 0) < 0) {
        return NULL;
    }
    const int nq = self->system->sys->group->nq, nv = self->system->sys->group->nv;
    const dal_model *model = self->system->model;
    if (model == NULL && q_object == Py_None) {
        PyErr_SetString(PyExc_TypeError, "a system of your own needs initial values q");
        return NULL;
    }
    double *memory = calloc((size_t)nq + (size_t)nv, sizeof *memory);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    if (model != NULL) {
        memcpy(memory, dal_model_q0(model), (size_t)nq * sizeof *memory);
        memcpy(memory + nq, dal_model_v0(model), (size_t)nv * sizeof *memory);
    }
    if ((q_object != Py_None && core_read_vector(memory, nq, q_object, "q") < 0) ||
        (v_object != Py_None && core_read_vector(memory + nq, nv, v_object, "v") < 0)) {
        free(memory);
        return NULL;
    }
    const unsigned long before = self->busy;
    const int was = self->started;
    self->busy = PyThread_get_thread_ident();
    self->started = 1; // as far as observers are concerned
    const dal_status st = dal_sim_start(self->sim, &self->moved, t, memory, memory + nq);
    self->busy = before;
    free(memory);
    if (core_sim_settle(self, st) < 0) {
        self->started = was;
        return NULL;
    }
    core_sim_refresh(self);
    return Py_NewRef(Py_None);
}

/* From the initial values of the last start. */
static PyObject *reset(core_sim *self, PyObject *args)
{
    (void)args;
    if (core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    self->busy = PyThread_get_thread_ident();
    const dal_status st = dal_sim_reset(self->sim, &self->moved);
    self->busy = 0;
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    core_sim_refresh(self);
    return Py_NewRef(Py_None);
}

static PyObject *step(core_sim *self, PyObject *args)
{
    (void)args;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const unsigned long before = self->busy;
    dal_status st;
    self->busy = PyThread_get_thread_ident();
    if (self->releases) {
        PyThreadState *saved = PyEval_SaveThread();
        st = dal_sim_step(self->sim);
        PyEval_RestoreThread(saved);
    } else {
        st = dal_sim_step(self->sim);
    }
    self->busy = before;
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    core_sim_refresh(self);
    return Py_NewRef(Py_None);
}

/* run(t_end) -> "time", "event" or "observer". What a signal raised comes after the step during which it arrived. */
static PyObject *run(core_sim *self, PyObject *args)
{
    static const char *const reasons[] = {"time", "event", "observer"};
    double t_end;
    dal_stop reason = DAL_STOP_TIME;
    if (!PyArg_ParseTuple(args, "d:run", &t_end) || core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const unsigned long before = self->busy;
    const int running = self->running;
    self->busy = PyThread_get_thread_ident();
    self->running = 1;
    PyThreadState *saved = PyEval_SaveThread();
    const dal_status st = dal_sim_run(self->sim, &reason, t_end);
    PyEval_RestoreThread(saved);
    self->busy = before;
    self->running = running;
    core_sim_refresh(self);
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    return PyUnicode_FromString(reasons[reason]);
}

/* ---- type ------------------------------------------------------------------------------------- */

static PyMethodDef sim_methods[] = {
    {"_start", (PyCFunction)start, METH_VARARGS, NULL},
    {"reset", (PyCFunction)reset, METH_NOARGS, "Start again from the initial values of the last start."},
    {"step", (PyCFunction)step, METH_NOARGS, "Do one accepted step."},
    {"_run", (PyCFunction)run, METH_VARARGS, NULL},
    {"_output", (PyCFunction)core_sim_output, METH_VARARGS, NULL},
    {"_stats", (PyCFunction)core_sim_stats, METH_NOARGS, NULL},
    {"_interpolate", (PyCFunction)core_sim_interpolate, METH_VARARGS, NULL},
    {"_reaction", (PyCFunction)core_sim_reaction, METH_NOARGS, NULL},
    {"residuals", (PyCFunction)core_sim_residuals, METH_NOARGS, NULL},
    {"save", (PyCFunction)core_sim_save, METH_NOARGS, NULL},
    {"restore", (PyCFunction)core_sim_restore, METH_VARARGS, NULL},
    {"_project", (PyCFunction)core_sim_project, METH_VARARGS, NULL},
    {"set_step", (PyCFunction)core_sim_set_step, METH_VARARGS, NULL},
    {"_set", (PyCFunction)core_sim_set, METH_VARARGS, NULL},
    {"_set_inputs", (PyCFunction)core_sim_set_inputs, METH_O, NULL},
    {"_inputs", (PyCFunction)core_sim_inputs, METH_NOARGS, NULL},
    {"condition", (PyCFunction)core_sim_condition, METH_NOARGS, NULL},
    {"_add_event", (PyCFunction)core_sim_add_event, METH_VARARGS, NULL},
    {"remove_event", (PyCFunction)core_sim_remove_event, METH_VARARGS, NULL},
    {"_add_observer", (PyCFunction)core_sim_add_observer, METH_VARARGS, NULL},
    {"_record", (PyCFunction)core_sim_record, METH_VARARGS, NULL},
    {"_take", (PyCFunction)core_sim_take, METH_NOARGS, NULL},
    {"_modes", (PyCFunction)core_sim_modes, METH_VARARGS, NULL},
    {"_matrices", (PyCFunction)core_sim_matrices, METH_NOARGS, NULL},
    {"_linearize", (PyCFunction)core_sim_linearize, METH_VARARGS, NULL},
    {"_monitor", (PyCFunction)core_sim_monitor, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot sim_slots[] = {
    {Py_tp_doc, "One run of a system; dalembert.Simulation is what users see."},
    {Py_tp_new, sim_new},
    {Py_tp_dealloc, sim_dealloc},
    {Py_tp_traverse, sim_traverse},
    {Py_tp_clear, sim_clear},
    {Py_tp_getset, core_sim_getset},
    {Py_tp_methods, sim_methods},
    {0, NULL},
};

static PyType_Spec sim_spec = {
    .name = "dalembert._core.Simulation",
    .basicsize = sizeof(core_sim),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = sim_slots,
};

int core_simulation_add(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&sim_spec);
    const int code = type != NULL ? PyModule_AddObjectRef(module, "Simulation", type) : -1;
    Py_XDECREF(type);
    return code;
}
