/* What a compiled model consists of, for Python. */
#include "core.h"

typedef const char *(*name_of)(const dal_model *model, int number);

/* Names of elements, counted from `first` until there is none. */
static PyObject *names(const dal_model *model, name_of name, int first)
{
    PyObject *list = PyList_New(0);
    for (int i = first; list != NULL && name(model, i) != NULL; ++i) {
        PyObject *text = PyUnicode_FromString(name(model, i));
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

/* (name, unit, first channel, number of values) of the outputs the model itself has */
static PyObject *outputs(const core_system *self)
{
    PyObject *list = PyList_New(0);
    const int n = dal_channels_output_count(self->channels);
    for (int i = 0; list != NULL && i < n; ++i) {
        const dal_output_info info = dal_model_output_info(self->model, i);
        PyObject *item = Py_BuildValue("(ssii)", info.name, info.unit, info.first, info.n);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *inputs(const core_system *self)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < self->sys->ninputs; ++i) {
        PyObject *text = PyUnicode_FromString(self->sys->input[i].name);
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

PyObject *core_system_info(core_system *self, PyObject *args)
{
    (void)args;
    if (self->model == NULL) {
        return PyDict_New();
    }
    const dal_model_summary s = dal_model_report(self->model);
    const dal_assembly_report a = self->assembly;
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:i,s:{s:i,s:d,s:d,s:d,s:i}}", "bodies", names(self->model, dal_model_body_name, 1),
        "joints", names(self->model, dal_model_joint_name, 0), "forces", names(self->model, dal_model_force_name, 0),
        "functions", names(self->model, dal_model_function_name, 1), "outputs", outputs(self), "inputs", inputs(self),
        "freedoms", s.freedoms, "assembly", "iterations", a.iterations, "before", a.before, "after", a.after, "moved",
        a.moved, "velocities_kept", a.velocities_kept);
}

/* (name, unit, table) of all channels; of a system without a model, those of its state. */
PyObject *core_system_channels(core_system *self, PyObject *args)
{
    PyObject *list = PyList_New(0);
    const int nq = self->sys->group->nq, nv = self->sys->group->nv, nc = dal_system_rows(self->sys);
    const int n = self->channels != NULL ? dal_channels_count(self->channels) : nq + nv + nc;
    (void)args;
    for (int i = 0; list != NULL && i < n; ++i) {
        PyObject *item;
        if (self->channels != NULL) {
            const dal_channel c = dal_channels_get(self->channels, i);
            item = Py_BuildValue("(sss)", c.name, c.unit, dal_record_table_name(c.table));
        } else {
            const int of_q = i < nq, of_v = !of_q && i < nq + nv;
            char name[40];
            PyOS_snprintf(name, sizeof name, "%s%d",
                          of_q   ? "q"
                          : of_v ? "v"
                                 : "lambda",
                          i + 1 -
                              (of_q   ? 0
                               : of_v ? nq
                                      : nq + nv));
            item = Py_BuildValue("(sss)", name, "", "state");
        }
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}
