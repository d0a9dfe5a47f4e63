/* How accurate results are: reference solutions, and distances on the group. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* q, v, la of samples as arrays with a row for each time. */
static PyObject *arrays(const dal_samples *s)
{
    const double *x[3] = {s->q, s->v, s->la};
    const int width[3] = {s->nq, s->nv, s->nc};
    PyObject *array[3] = {NULL};
    for (int k = 0; k < 3; ++k) {
        const size_t n = (size_t)s->n * (size_t)width[k];
        double *copy = malloc((n + 1) * sizeof *copy);
        if (copy != NULL && n > 0) {
            memcpy(copy, x[k], n * sizeof *copy);
        }
        array[k] = copy != NULL ? core_array_own(copy, s->n, width[k]) : PyErr_NoMemory();
    }
    return Py_BuildValue("(NNN)", array[0], array[1], array[2]);
}

/* The initial values: those given, or of the model. */
static int initial(const core_system *self, double *x, PyObject *q, PyObject *v)
{
    const int nq = self->sys->group->nq, nv = self->sys->group->nv;
    if (self->model != NULL) {
        memcpy(x, dal_model_q0(self->model), (size_t)nq * sizeof *x);
        memcpy(x + nq, dal_model_v0(self->model), (size_t)nv * sizeof *x);
    } else if (q == Py_None) {
        PyErr_SetString(PyExc_TypeError, "a system of your own needs initial values q");
        return -1;
    }
    return (q == Py_None || core_read_vector(x, nq, q, "q") == 0) &&
                   (v == Py_None || core_read_vector(x + nq, nv, v, "v") == 0)
               ? 0
               : -1;
}

/* Systems without a model call Python: the interpreter is kept then. */
static PyObject *refer(const core_system *self, const double *times, int n, const double *x, double tol)
{
    dal_ctx *ctx = NULL;
    dal_samples samples = {0};
    dal_error error = {0};
    PyThreadState *saved = self->model != NULL ? PyEval_SaveThread() : NULL;
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK ? dal_samples_init(&samples, ctx, self->sys, times, n) : st;
    st = st == DAL_OK
             ? dal_reference(&samples, &error, ctx, self->sys, 0.0, x, x + self->sys->group->nq, &self->options, tol)
             : st;
    if (saved != NULL) {
        PyEval_RestoreThread(saved);
    }
    PyObject *result = NULL;
    if (st != DAL_OK || PyErr_Occurred() != NULL) {
        core_raise(ctx, st, 0);
    } else {
        result = Py_BuildValue("(N(ddd))", arrays(&samples), error.q, error.v, error.lambda);
    }
    dal_samples_release(&samples);
    dal_ctx_destroy(ctx);
    return result;
}

/* reference(system, times, q, v, tol) -> ((q, v, la), (errors of q, v, la)): a solution by small steps of high order */
PyObject *core_reference(PyObject *module, PyObject *args)
{
    core_system *self;
    PyObject *object, *q, *v, *result = NULL;
    double tol;
    Py_ssize_t n = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OOOd:reference", core_system_type, &self, &object, &q, &v, &tol)) {
        return NULL;
    }
    double *times = core_read_any(object, &n, "times");
    double *x = calloc((size_t)self->sys->group->nq + (size_t)self->sys->group->nv, sizeof *x);
    if (x == NULL) {
        PyErr_NoMemory();
    } else if (times != NULL && initial(self, x, q, v) == 0) {
        result = refer(self, times, (int)n, x, tol);
    }
    free(times);
    free(x);
    return result;
}

/* distance(system, qa, qb): on the group, Euclidean in positions, angles in rotations */
PyObject *core_distance(PyObject *module, PyObject *args)
{
    core_system *self;
    PyObject *a, *b, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!OO:distance", core_system_type, &self, &a, &b)) {
        return NULL;
    }
    const int nq = self->sys->group->nq;
    double *x = calloc(2 * (size_t)nq, sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    if (core_read_vector(x, nq, a, "q") == 0 && core_read_vector(x + nq, nq, b, "q") == 0) {
        result = PyFloat_FromDouble(dal_distance(self->sys->group, x, x + nq));
    }
    free(x);
    return result;
}
