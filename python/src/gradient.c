/* Exact gradients of runs (dalembert/gradient.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "dalembert/gradient.h"

static const char capsule_name[] = "dalembert.gradient";

typedef struct core_gradient {
    dal_ctx *ctx;
    dal_gradient *gradient;
    int nof;
    int busy; /* another thread is in a run */
} core_gradient;

static void destroy(core_gradient *g)
{
    if (g != NULL) {
        dal_gradient_destroy(g->gradient);
        dal_ctx_destroy(g->ctx);
        free(g);
    }
}

static void capsule_destroy(PyObject *capsule)
{
    destroy(PyCapsule_GetPointer(capsule, capsule_name));
}

/* Curves: (expression, times, values, weights). Numbers are copied into memory that `keep` holds. */
static int read_data(dal_gradient_data *data, double **keep, PyObject *curve)
{
    PyObject *t, *y, *w;
    Py_ssize_t n = 0;
    if (!PyArg_ParseTuple(curve, "sOOO:data", &data->expression, &t, &y, &w)) {
        return -1;
    }
    double *times = core_read_any(t, &n, "times");
    if (times == NULL) {
        return -1;
    }
    double *all = realloc(times, 3 * ((size_t)n + 1) * sizeof *all);
    if (all == NULL) {
        free(times);
        PyErr_NoMemory();
        return -1;
    }
    *keep = all;
    data->t = all;
    data->y = all + n;
    data->weight = w != Py_None ? all + 2 * n : NULL;
    data->n = (int)n;
    return core_read_vector(all + n, n, y, "values") == 0 &&
                   (w == Py_None || core_read_vector(all + 2 * n, n, w, "weights") == 0)
               ? 0
               : -1;
}

static PyObject *create(const dal_gradient_spec *spec)
{
    core_gradient *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return PyErr_NoMemory();
    }
    g->nof = spec->nof;
    PyThreadState *saved = PyEval_SaveThread();
    dal_status st = dal_ctx_create(&g->ctx, NULL);
    st = st == DAL_OK ? dal_gradient_create(&g->gradient, g->ctx, spec) : st;
    PyEval_RestoreThread(saved);
    if (st != DAL_OK) {
        core_raise(g->ctx, st, 1);
        destroy(g);
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(g, capsule_name, capsule_destroy);
    if (capsule == NULL) {
        destroy(g);
        return NULL;
    }
    const int n = dal_gradient_count(g->gradient);
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    for (int k = 0; k < n && x != NULL; ++k) {
        x[k] = dal_gradient_number(g->gradient, k);
    }
    PyObject *numbers = x != NULL ? core_array_own(x, n, -1) : PyErr_NoMemory();
    return Py_BuildValue("(NN)", capsule, numbers);
}

/* gradient(source, text, set, outside, of, by, data, memory) -> (object, numbers of the model) */
PyObject *core_gradient_new(PyObject *module, PyObject *args)
{
    dal_gradient_spec spec = {0};
    PyObject *set, *of, *by, *data, *result = NULL;
    double memory;
    (void)module;
    if (!PyArg_ParseTuple(args, "szOpOOOd:gradient", &spec.source, &spec.text, &set, &spec.files_outside, &of, &by,
                          &data, &memory)) {
        return NULL;
    }
    core_texts sets = {0}, ofs = {0}, bys = {0};
    const Py_ssize_t ncurves = PySequence_Size(data);
    dal_gradient_data *curve = calloc((size_t)(ncurves < 0 ? 0 : ncurves) + 1, sizeof *curve);
    double **keep = calloc((size_t)(ncurves < 0 ? 0 : ncurves) + 1, sizeof *keep);
    int ok = ncurves >= 0 && curve != NULL && keep != NULL && core_texts_get(&sets, set, "set") == 0 &&
             core_texts_get(&ofs, of, "of") == 0 && core_texts_get(&bys, by, "by") == 0;
    for (Py_ssize_t k = 0; k < ncurves && ok; ++k) {
        PyObject *item = PySequence_GetItem(data, k); // `data` keeps its text
        ok = item != NULL && read_data(&curve[k], &keep[k], item) == 0;
        Py_XDECREF(item);
    }
    if (ok) {
        spec.set = sets.text;
        spec.nset = sets.n;
        spec.of = ofs.text;
        spec.nof = ofs.n;
        spec.by = bys.text;
        spec.nby = bys.n;
        spec.data = curve;
        spec.ndata = (int)ncurves;
        spec.memory = memory > 0.0 ? (size_t)memory : 0;
        result = create(&spec);
    } else if (PyErr_Occurred() == NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t k = 0; k < ncurves && keep != NULL; ++k) {
        free(keep[k]);
    }
    free(keep);
    free(curve);
    core_texts_free(&sets);
    core_texts_free(&ofs);
    core_texts_free(&bys);
    return result;
}

/* The values, and rows of derivatives, of values first .. first + n - 1. */
static PyObject *rows_of(const core_gradient *g, int first, int n)
{
    const int count = dal_gradient_count(g->gradient);
    double *x = malloc(((size_t)n * (size_t)count + 1) * sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    for (int i = 0; i < n; ++i) {
        const double *row = dal_gradient_row(g->gradient, first + i);
        if (row == NULL) {
            free(x);
            Py_RETURN_NONE;
        }
        memcpy(x + (size_t)i * (size_t)count, row, (size_t)count * sizeof *x);
    }
    return core_array_own(x, n, count);
}

static PyObject *answer(const core_gradient *g)
{
    const dal_gradient *d = g->gradient;
    const int all = dal_gradient_values(d), n = dal_gradient_count(d);
    const dal_gradient_info about = dal_gradient_about(d);
    const double *of_squares = dal_gradient_of_squares(d);
    double *values = malloc(((size_t)all + 1) * sizeof *values);
    if (values == NULL) {
        return PyErr_NoMemory();
    }
    for (int i = 0; i < all; ++i) {
        values[i] = dal_gradient_value(d, i);
    }
    return Py_BuildValue("(NNNdNsldi)", core_array_own(values, all, -1), rows_of(g, 0, g->nof),
                         rows_of(g, g->nof, all - g->nof), dal_gradient_squares(d),
                         of_squares != NULL ? core_array_copy(of_squares, n) : Py_NewRef(Py_None),
                         about.mode == DAL_GRADIENT_FORWARD   ? "forward"
                         : about.mode == DAL_GRADIENT_ADJOINT ? "adjoint"
                                                              : "values",
                         about.steps, about.newton_error, about.segments);
}

/* gradient_run(object, numbers or None, mode, freeze) -> values, rows, rows of residuals, squares, their gradient, mode, steps, newton_error,
 * segments */
PyObject *core_gradient_run(PyObject *module, PyObject *args)
{
    PyObject *capsule, *numbers;
    int mode, freeze;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOip:gradient_run", &capsule, &numbers, &mode, &freeze)) {
        return NULL;
    }
    core_gradient *g = PyCapsule_GetPointer(capsule, capsule_name);
    if (g == NULL) {
        return NULL;
    }
    if (g->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread computes with this gradient: make one for each thread");
        return NULL;
    }
    const int n = dal_gradient_count(g->gradient);
    double *x = malloc(((size_t)n + 1) * sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    if (numbers != Py_None && core_read_vector(x, n, numbers, "numbers") < 0) {
        free(x);
        return NULL;
    }
    g->busy = 1;
    PyThreadState *saved = PyEval_SaveThread();
    dal_gradient_freeze(g->gradient, freeze);
    const dal_status st = dal_gradient_run(g->gradient, numbers != Py_None ? x : NULL, (dal_gradient_mode)mode);
    PyEval_RestoreThread(saved);
    g->busy = 0;
    free(x);
    return st == DAL_OK ? answer(g) : core_raise(g->ctx, st, 0);
}
