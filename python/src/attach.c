/* Elements of a model that call Python: forces along a coordinate, states, prescribed motions; and outputs of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

struct core_law {
    core_law *next;
    PyObject *call, *gradient; /* gradient: NULL if it is to be found by differences */
    int n;                     /* inputs */
};

void core_laws_free(core_law *law)
{
    while (law != NULL) {
        core_law *next = law->next;
        Py_XDECREF(law->call);
        Py_XDECREF(law->gradient);
        free(law);
        law = next;
    }
}

int core_laws_traverse(const core_law *law, visitproc visit, void *arg)
{
    for (; law != NULL; law = law->next) {
        Py_VISIT(law->call);
        Py_VISIT(law->gradient);
    }
    return 0;
}

void core_laws_clear(core_law *law)
{
    for (; law != NULL; law = law->next) {
        Py_CLEAR(law->call);
        Py_CLEAR(law->gradient);
    }
}

static core_law *law_new(core_system *self, PyObject *call, PyObject *gradient, int n)
{
    if (!PyCallable_Check(call) || (gradient != Py_None && !PyCallable_Check(gradient))) {
        PyErr_SetString(PyExc_TypeError, "a law is a function of the time and of its inputs");
        return NULL;
    }
    core_law *law = calloc(1, sizeof *law);
    if (law == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *law = (core_law){self->laws, Py_NewRef(call), gradient != Py_None ? Py_NewRef(gradient) : NULL, n};
    self->laws = law;
    return law;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* function(t, x_1, ..., x_n) with numbers */
static PyObject *call(PyObject *function, double t, const double *x, int n)
{
    if (PyErr_Occurred() != NULL || function == NULL) {
        return NULL;
    }
    PyObject *args = PyTuple_New(1 + n);
    int ok = args != NULL;
    for (int i = 0; ok && i <= n; ++i) {
        PyObject *number = PyFloat_FromDouble(i == 0 ? t : x[i - 1]);
        ok = number != NULL && PyTuple_SetItem(args, i, number) == 0;
    }
    PyObject *result = ok ? PyObject_Call(function, args, NULL) : NULL;
    Py_XDECREF(args);
    return result;
}

static int value_at(double *F, const core_law *law, double t, const double *x)
{
    PyObject *result = call(law->call, t, x, law->n);
    if (result == NULL) {
        return -1;
    }
    *F = PyFloat_AsDouble(result);
    Py_DECREF(result);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

/* Derivatives with respect to the inputs: from the gradient, or by central differences. */
static int slopes_at(double *g, const core_law *law, double t, const double *x)
{
    if (law->gradient != NULL) {
        PyObject *result = call(law->gradient, t, x, law->n);
        const int code = result != NULL ? core_read_vector(g, law->n, result, "gradient of a law") : -1;
        Py_XDECREF(result);
        return code;
    }
    double y[DAL_INPUTS_MAX];
    memcpy(y, x, (size_t)law->n * sizeof *y);
    for (int i = 0; i < law->n; ++i) {
        const double d = 6e-6 * fmax(1.0, fabs(x[i])); // third root of the precision: error and rounding balance
        double plus, minus;
        y[i] = x[i] + d;
        if (value_at(&plus, law, t, y) < 0) {
            return -1;
        }
        y[i] = x[i] - d;
        if (value_at(&minus, law, t, y) < 0) {
            return -1;
        }
        y[i] = x[i];
        g[i] = (plus - minus) / (2.0 * d);
    }
    return 0;
}

static dal_status evaluate(double *F, double *g, double t, const double *x, void *user)
{
    const core_law *law = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    int code = value_at(F, law, t, x);
    if (code == 0 && g != NULL) {
        code = slopes_at(g, law, t, x);
    }
    PyGILState_Release(gil);
    return code == 0 ? DAL_OK : DAL_ECALLBACK;
}

/* A function of time with its first two derivatives: function(t) -> (y, y', y''). */
static dal_status evaluate_motion(double y[3], double t, void *user)
{
    const core_law *law = user;
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = call(law->call, t, NULL, 0);
    const int code =
        result != NULL ? core_read_vector(y, 3, result, "a motion gives its value and two derivatives") : -1;
    Py_XDECREF(result);
    PyGILState_Release(gil);
    return code == 0 ? DAL_OK : DAL_ECALLBACK;
}

/* ---- descriptions ----------------------------------------------------------------------------- */

static int body_number(const core_system *self, const char *name, int *number)
{
    *number = name == NULL || strcmp(name, "ground") == 0 ? DAL_GROUND : dal_model_find_body(self->model, name);
    if (*number < 0) {
        char text[300];
        PyOS_snprintf(text, sizeof text, "no body '%.200s'", name);
        core_raise_text(DAL_EINVAL, text, 1);
        return -1;
    }
    return 0;
}

/* ("joint", name, 0, rate, 0), ("body", name, axis, rate, spin) or ("state", name, 0, 0, 0) */
static int read_input(const core_system *self, dal_input *input, PyObject *item)
{
    const char *what, *name;
    if (!PyTuple_Check(item) ||
        !PyArg_ParseTuple(item, "ssiii", &what, &name, &input->axis, &input->rate, &input->spin)) {
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_TypeError, "an input is a tuple");
        }
        return -1;
    }
    if (strcmp(what, "joint") == 0) {
        input->joint = name;
        input->axis = 0;
        return 0;
    }
    if (strcmp(what, "state") == 0) {
        input->state = name;
        return 0;
    }
    input->coordinate = DAL_COORDINATE_TRANSLATION;
    return body_number(self, name, &input->body_b);
}

static int read_inputs(const core_system *self, dal_input input[DAL_INPUTS_MAX], PyObject *list, int *n)
{
    const Py_ssize_t size = PyTuple_Size(list);
    if (size < 0 || size > DAL_INPUTS_MAX) {
        if (PyErr_Occurred() == NULL) {
            PyErr_Format(PyExc_ValueError, "a law has at most %d inputs", DAL_INPUTS_MAX);
        }
        return -1;
    }
    *n = (int)size;
    for (int i = 0; i < *n; ++i) {
        if (read_input(self, &input[i], PyTuple_GetItem(list, i)) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Frames of both bodies at a point of the world with a z axis, at the initial poses. */
static int read_frames(core_system *self, dal_force *force, PyObject *point, PyObject *axis)
{
    double p[3] = {0.0}, z[3] = {0.0, 0.0, 1.0};
    if (point == Py_None && axis == Py_None) {
        return 0; // the frames of the bodies
    }
    if ((point != Py_None && core_read_vector(p, 3, point, "point") < 0) ||
        (axis != Py_None && core_read_vector(z, 3, axis, "axis") < 0)) {
        return -1;
    }
    const dal_frame world = axis != Py_None ? dal_frame_on_axis(p, z, NULL)
                                            : (dal_frame){.position = {p[0], p[1], p[2]}, .rotation = {1.0}};
    dal_status st = dal_model_frame_at(self->model, &force->frame_a, force->body_a, &world);
    st = st == DAL_OK ? dal_model_frame_at(self->model, &force->frame_b, force->body_b, &world) : st;
    if (st != DAL_OK) {
        core_raise(self->ctx, st, 1);
    }
    return st == DAL_OK ? 0 : -1;
}

static int settle(core_system *self, dal_status st)
{
    if (st != DAL_OK) {
        core_raise(self->ctx, st, 1);
    }
    return st == DAL_OK ? 0 : -1;
}

/* (name, type, call, gradient, joint, body_a, body_b, coordinate, axis number, point, axis, inputs, initial) */
static int attach_law(core_system *self, PyObject *item)
{
    dal_force force = {0};
    dal_input inputs[DAL_INPUTS_MAX] = {{0}};
    PyObject *function, *gradient, *point, *axis, *list;
    const char *body_a, *body_b;
    int coordinate;
    if (!PyArg_ParseTuple(item, "ssOOzzziiOOO!d:law", &force.name, &force.type, &function, &gradient, &force.joint,
                          &body_a, &body_b, &coordinate, &force.axis, &point, &axis, &PyTuple_Type, &list,
                          &force.initial)) {
        return -1;
    }
    if (coordinate < 0 || coordinate > DAL_COORDINATE_ROTATION || force.axis < 0 || force.axis > 2) {
        PyErr_SetString(PyExc_ValueError, "no such coordinate");
        return -1;
    }
    force.coordinate = (dal_coordinate)coordinate;
    if (body_number(self, body_a, &force.body_a) < 0 || body_number(self, body_b, &force.body_b) < 0 ||
        read_inputs(self, inputs, list, &force.ninputs) < 0 || read_frames(self, &force, point, axis) < 0) {
        return -1;
    }
    core_law *law = law_new(self, function, gradient, force.ninputs);
    if (law == NULL) {
        return -1;
    }
    force.law = evaluate;
    force.user = law;
    force.inputs = inputs;
    return settle(self, dal_model_add_force(self->model, NULL, &force));
}

/* (name, joint, coordinate, axis number, call) */
static int attach_motion(core_system *self, PyObject *item)
{
    dal_joint joint = {.type = "motion"};
    PyObject *function;
    int coordinate;
    char name[300];
    if (!PyArg_ParseTuple(item, "ssiiO:motion", &joint.name, &joint.joint, &coordinate, &joint.axis, &function)) {
        return -1;
    }
    if (coordinate < 0 || coordinate > DAL_COORDINATE_ROTATION || joint.axis < 0 || joint.axis > 2) {
        PyErr_SetString(PyExc_ValueError, "no such coordinate");
        return -1;
    }
    joint.coordinate = (dal_coordinate)coordinate;
    core_law *law = law_new(self, function, Py_None, 0);
    if (law == NULL) {
        return -1;
    }
    PyOS_snprintf(name, sizeof name, "%.200s.function", joint.name);
    const dal_function f = {.name = name, .type = "user", .call = evaluate_motion, .user = law};
    dal_status st = dal_model_add_function(self->model, &joint.function, &f);
    return settle(self, st == DAL_OK ? dal_model_add_joint(self->model, NULL, &joint) : st);
}

/* (name, quantity, joint or None, force or None) */
static int attach_output(core_system *self, PyObject *item)
{
    dal_output output = {.frame.rotation = {1.0, 0.0, 0.0, 0.0}};
    if (!PyArg_ParseTuple(item, "sszz:output", &output.name, &output.quantity, &output.joint, &output.force)) {
        return -1;
    }
    return settle(self, dal_model_add_output(self->model, NULL, &output));
}

int core_attach(core_system *self, PyObject *list)
{
    static const struct {
        const char *kind;
        int (*add)(core_system *self, PyObject *item);
    } kinds[] = {{"law", attach_law}, {"motion", attach_motion}, {"output", attach_output}};
    const Py_ssize_t n = PyList_Check(list) ? PyList_Size(list) : -1;
    if (n < 0) {
        PyErr_SetString(PyExc_TypeError, "elements to attach: a list expected");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; ++i) {
        const char *kind;
        PyObject *rest, *item = PyList_GetItem(list, i);
        if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "sO!:attach", &kind, &PyTuple_Type, &rest)) {
            if (PyErr_Occurred() == NULL) {
                PyErr_SetString(PyExc_TypeError, "elements to attach: (kind, description) expected");
            }
            return -1;
        }
        int code = 1;
        for (int k = 0; k < CORE_LEN(kinds); ++k) {
            code = strcmp(kind, kinds[k].kind) == 0 ? kinds[k].add(self, rest) : code;
        }
        if (code != 0) {
            if (code > 0) {
                PyErr_Format(PyExc_ValueError, "elements to attach: no kind '%s'", kind);
            }
            return -1;
        }
    }
    return 0;
}
