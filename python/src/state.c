/* What a simulation knows of itself: state, outputs, statistics; and saving it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* ---- state ------------------------------------------------------------------------------------ */

/* q, v, vd, la: NumPy arrays that always show the present state. They are made once. */
static PyObject *get_view(core_sim *self, void *closure)
{
    const int k = *(const int *)closure;
    const dal_group *group = self->system->sys->group;
    const int n[4] = {group->nq, group->nv, group->nv, dal_system_rows(self->system->sys)};
    int first = 0;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    if (self->views[k] == NULL) {
        for (int i = 0; i < k; ++i) {
            first += n[i];
        }
        self->views[k] = core_numpy(core_array_view(self->memory, self->state + first, n[k], -1, 1, 0));
    }
    return Py_XNewRef(self->views[k]);
}

static PyObject *get_time(core_sim *self, void *closure)
{
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const dal_state s = dal_sim_state(self->sim);
    return PyFloat_FromDouble(closure != NULL ? s.h : s.t);
}

static PyObject *get_energy(core_sim *self, void *closure)
{
    double energy;
    (void)closure;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const dal_status st = dal_sim_energy(self->sim, &energy);
    return core_sim_settle(self, st) == 0 ? PyFloat_FromDouble(energy) : NULL;
}

static PyObject *get_options(core_sim *self, void *closure)
{
    const dal_option_table *table = dal_options_table();
    (void)closure;
    if (core_sim_ready(self, 0) < 0) {
        return NULL;
    }
    PyObject *dict = PyDict_New();
    for (int k = 0; dict != NULL && k < table->n; ++k) {
        char buffer[1024];
        dal_options_format(buffer, sizeof buffer, &table->option[k], dal_sim_options(self->sim));
        PyObject *value = PyUnicode_FromString(buffer);
        if (value == NULL || PyDict_SetItemString(dict, table->option[k].name, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *get_warnings(core_sim *self, void *closure)
{
    (void)closure;
    return core_sim_ready(self, 0) < 0 ? NULL : core_log_list(&self->log);
}

/* How far the initial values were moved: position, velocity. */
static PyObject *get_moved(core_sim *self, void *closure)
{
    (void)closure;
    return Py_BuildValue("(dd)", self->moved.position_moved, self->moved.velocity_moved);
}

static PyObject *get_event_index(core_sim *self, void *closure)
{
    (void)closure;
    return core_sim_ready(self, 1) < 0 ? NULL : PyLong_FromLong(dal_sim_event_index(self->sim));
}

/* (t, name, what, P_n, P_t, lost) of what happened to contacts, and of events of the model. */
static PyObject *get_happenings(core_sim *self, void *closure)
{
    (void)closure;
    int n = 0;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const dal_contact_event *event = dal_sim_contact_events(self->sim, &n);
    PyObject *list = PyList_New(0);
    for (int k = 0; list != NULL && k < n; ++k) {
        char name[96];
        (void)dal_sim_happening(self->sim, name, sizeof name, &event[k]);
        PyObject *item = Py_BuildValue("(dssddd)", event[k].t, name, dal_contact_happening_name(event[k].what),
                                       event[k].P_n, event[k].P_t, event[k].lost);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *get_started(core_sim *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(self->started);
}

static PyObject *get_system(core_sim *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)self->system);
}

static int view_number[4] = {0, 1, 2, 3};

PyGetSetDef core_sim_getset[] = {
    {"q", (getter)get_view, NULL, "Coordinates, a view of the present state.", &view_number[0]},
    {"v", (getter)get_view, NULL, "Velocities, a view of the present state.", &view_number[1]},
    {"vd", (getter)get_view, NULL, "Accelerations, a view of the present state.", &view_number[2]},
    {"la", (getter)get_view, NULL, "Multipliers, a view of the present state.", &view_number[3]},
    {"t", (getter)get_time, NULL, "Time in seconds.", NULL},
    {"h", (getter)get_time, NULL, "Size of the last step; 0 before the first.", "h"},
    {"energy", (getter)get_energy, NULL, "Total energy in joules.", NULL},
    {"_options", (getter)get_options, NULL, NULL, NULL},
    {"warnings", (getter)get_warnings, NULL, "What the library warned of.", NULL},
    {"moved", (getter)get_moved, NULL, "How far the initial values were moved onto the constraints.", NULL},
    {"event_index", (getter)get_event_index, NULL, "Event that ended the last run, -1: none.", NULL},
    {"happenings", (getter)get_happenings, NULL,
     "What happened to contacts, and events of the model: (t, name, what, P_n, P_t, lost).", NULL},
    {"started", (getter)get_started, NULL, NULL, NULL},
    {"_system", (getter)get_system, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- questions -------------------------------------------------------------------------------- */

/* output(first, n): n values of the outputs of the model, from the first on, as an Array */
PyObject *core_sim_output(core_sim *self, PyObject *args)
{
    int first, n;
    if (!PyArg_ParseTuple(args, "ii:output", &first, &n) || core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const int size = self->system->model != NULL ? dal_model_output_size(self->system->model) : 0;
    if (first < 0 || n < 0 || first > size || n > size - first) {
        PyErr_SetString(PyExc_IndexError, "no such output");
        return NULL;
    }
    const dal_state s = dal_sim_shown_state(self->sim);
    const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    const dal_status st = dal_model_outputs(self->system->model, dal_sim_data(self->sim), self->outputs, &at);
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    return core_array_copy(self->outputs + first, n);
}

PyObject *core_sim_stats(core_sim *self, PyObject *args)
{
    (void)args;
    if (core_sim_ready(self, 0) < 0) {
        return NULL;
    }
    const dal_stats s = dal_sim_stats(self->sim);
    return Py_BuildValue("{s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:d,s:d,s:d,s:d,s:z,s:l,s:l,s:l}", "steps", s.steps, "rejected",
                         s.rejected, "newton_iterations", s.newton_iterations, "jacobians", s.jacobians,
                         "factorisations", s.factorisations, "residuals", s.residuals, "projections", s.projections,
                         "max_newton_residual", s.max_newton_residual, "h_smallest", s.h_smallest, "h_largest",
                         s.h_largest, "lambda_rounding", s.lambda_rounding, "linear_solver", s.linear_solver,
                         "solver_fallbacks", s.solver_fallbacks, "newton_modified", s.newton_modified, "explicit_steps",
                         s.explicit_steps);
}

/* interpolate(t) -> (q, v, la) within the last step */
PyObject *core_sim_interpolate(core_sim *self, PyObject *args)
{
    double t;
    if (!PyArg_ParseTuple(args, "d:interpolate", &t) || core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const int nq = self->system->sys->group->nq, nv = self->system->sys->group->nv;
    const int nc = dal_system_rows(self->system->sys);
    double *x = calloc((size_t)nq + (size_t)nv + (size_t)nc + 1, sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    const dal_status st = dal_sim_interpolate(self->sim, x, x + nq, x + nq + nv, t);
    PyObject *result = NULL;
    if (core_sim_settle(self, st) == 0) {
        result = Py_BuildValue("(NNN)", core_array_copy(x, nq), core_array_copy(x + nq, nv),
                               core_array_copy(x + nq + nv, nc));
    }
    free(x);
    return result;
}

PyObject *core_sim_reaction(core_sim *self, PyObject *args)
{
    (void)args;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const int nv = self->system->sys->group->nv;
    double *force = calloc((size_t)nv + 1, sizeof *force);
    if (force == NULL) {
        return PyErr_NoMemory();
    }
    const dal_status st = dal_sim_reaction(self->sim, force);
    if (core_sim_settle(self, st) < 0) {
        free(force);
        return NULL;
    }
    return core_array_own(force, nv, -1);
}

PyObject *core_sim_residuals(core_sim *self, PyObject *args)
{
    double position, velocity;
    (void)args;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const dal_status st = dal_sim_residuals(self->sim, &position, &velocity);
    return core_sim_settle(self, st) == 0 ? Py_BuildValue("(dd)", position, velocity) : NULL;
}

PyObject *core_sim_condition(core_sim *self, PyObject *args)
{
    (void)args;
    return core_sim_idle(self, 1) < 0 ? NULL : PyFloat_FromDouble(dal_sim_condition(self->sim));
}

/* ---- changes ---------------------------------------------------------------------------------- */

PyObject *core_sim_project(core_sim *self, PyObject *args)
{
    int compensated;
    if (!PyArg_ParseTuple(args, "p:project", &compensated) || core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const dal_status st = dal_sim_project(self->sim, compensated ? DAL_PROJECTION_COMPENSATED : DAL_PROJECTION_PLAIN);
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    core_sim_refresh(self);
    return Py_NewRef(Py_None);
}

PyObject *core_sim_set_step(core_sim *self, PyObject *args)
{
    double h;
    if (!PyArg_ParseTuple(args, "d:set_step", &h) || core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const dal_status st = dal_sim_set_step(self->sim, h);
    return core_sim_settle(self, st) == 0 ? Py_NewRef(Py_None) : NULL;
}

int core_sim_keep(core_sim *self, dal_binding *binding)
{
    dal_binding **larger =
        binding != NULL ? realloc(self->binding, ((size_t)self->nbindings + 1) * sizeof(void *)) : self->binding;
    if (binding == NULL) {
        return 0;
    }
    if (larger == NULL) {
        dal_binding_destroy(binding);
        PyErr_NoMemory();
        return -1;
    }
    self->binding = larger;
    self->binding[self->nbindings++] = binding;
    return 0;
}

/* names: all that have been set so far, in the order of their first time; a new binding where there are more than before. */
static dal_status set(core_sim *self, const core_texts *names, const double *value)
{
    if (names->n != self->nset) {
        dal_binding *binding;
        DAL_TRY(dal_binding_create(&binding, self->ctx, self->system->doc, names->text, names->n));
        if (core_sim_keep(self, binding) < 0) {
            return DAL_ENOMEM;
        }
        self->set_by = binding;
    }
    const dal_status st = dal_binding_change(self->set_by, self->sim, value);
    self->nset = st == DAL_OK ? names->n : 0; // names of values that were refused do not stay
    return st;
}

/* _set(names, values) */
PyObject *core_sim_set(core_sim *self, PyObject *args)
{
    PyObject *texts, *values;
    core_texts names;
    if (!PyArg_ParseTuple(args, "OO:set", &texts, &values) || core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    if (self->system->doc == NULL) {
        PyErr_SetString(PyExc_ValueError, "set: a system has no variables; change what its functions use");
        return NULL;
    }
    if (core_texts_get(&names, texts, "names") < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    double *value = calloc((size_t)names.n + 1, sizeof *value);
    if (value == NULL) {
        PyErr_NoMemory();
    } else if (core_read_vector(value, names.n, values, "values") == 0) {
        self->busy = PyThread_get_thread_ident();
        const dal_status st = set(self, &names, value);
        self->busy = 0;
        result = core_sim_settle(self, st) == 0 ? Py_NewRef(Py_None) : NULL;
        core_sim_refresh(self);
    }
    free(value);
    core_texts_free(&names);
    return result;
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* Values into u, all of whose names are inputs: 1; 0: one is not; -1: a value is no number. */
static int read_inputs(const core_sim *self, double *u, PyObject *dict)
{
    const dal_data *data = dal_sim_data(self->sim);
    PyObject *name, *value;
    Py_ssize_t at = 0;
    int n = 0;
    for (dal_system_input input = dal_data_input(data, 0); input.name != NULL; input = dal_data_input(data, ++n)) {
        u[n] = input.value;
    }
    while (PyDict_Next(dict, &at, &name, &value)) {
        int k = 0;
        while (k < n &&
               !(PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, dal_data_input(data, k).name) == 0)) {
            ++k;
        }
        if (k == n) {
            return 0;
        }
        u[k] = PyFloat_AsDouble(value);
        if (u[k] == -1.0 && PyErr_Occurred()) {
            return -1;
        }
    }
    return 1;
}

/* _set_inputs({name: value}) -> True; False: one of the names is no input, and nothing was set */
PyObject *core_sim_set_inputs(core_sim *self, PyObject *dict)
{
    double u[CORE_INPUTS];
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "inputs: expected a dict");
        return NULL;
    }
    if (core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    const int known = self->system->sys->ninputs <= CORE_INPUTS ? read_inputs(self, u, dict) : 0;
    if (known <= 0) {
        return known < 0 ? NULL : Py_NewRef(Py_False);
    }
    self->busy = PyThread_get_thread_ident();
    const dal_status st = dal_sim_set_inputs(self->sim, u);
    self->busy = 0;
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    core_sim_refresh(self);
    return Py_NewRef(Py_True);
}

/* _inputs() -> {name: (value, first value, unit, min, max)} */
PyObject *core_sim_inputs(core_sim *self, PyObject *args)
{
    PyObject *dict = PyDict_New();
    (void)args;
    for (int k = 0; dict != NULL && k < self->system->sys->ninputs; ++k) {
        const dal_system_input *at_first = &self->system->sys->input[k];
        PyObject *item = Py_BuildValue("(ddsdd)", dal_data_input(dal_sim_data(self->sim), k).value, at_first->value,
                                       at_first->unit, at_first->min, at_first->max);
        if (item == NULL || PyDict_SetItemString(dict, at_first->name, item) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(item);
    }
    return dict;
}

/* save() -> bytes; of a simulation of the same system and options, restore(bytes) goes on bit for bit */
PyObject *core_sim_save(core_sim *self, PyObject *args)
{
    (void)args;
    if (core_sim_ready(self, 1) < 0) {
        return NULL;
    }
    const size_t size = dal_sim_snapshot_size(self->sim);
    void *buffer = malloc(size > 0 ? size : 1);
    if (buffer == NULL) {
        return PyErr_NoMemory();
    }
    const dal_status st = dal_sim_save(self->sim, buffer, size);
    PyObject *bytes = core_sim_settle(self, st) == 0 ? PyBytes_FromStringAndSize(buffer, (Py_ssize_t)size) : NULL;
    free(buffer);
    return bytes;
}

PyObject *core_sim_restore(core_sim *self, PyObject *args)
{
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#:restore", &bytes, &size) || core_sim_idle(self, 0) < 0) {
        return NULL;
    }
    void *buffer = malloc(size > 0 ? (size_t)size : 1); // aligned as the library wants it
    if (buffer == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(buffer, bytes, (size_t)size);
    const dal_status st = dal_sim_restore(self->sim, buffer, (size_t)size);
    free(buffer);
    if (core_sim_settle(self, st) < 0) {
        return NULL;
    }
    self->started = 1;
    core_sim_refresh(self);
    return Py_NewRef(Py_None);
}
