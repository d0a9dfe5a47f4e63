/* Equilibria, modes, linear models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

static PyObject *copy_matrix(const double *x, int rows, int cols)
{
    const size_t n = (size_t)rows * (size_t)cols;
    double *copy = malloc((n + 1) * sizeof *copy);
    if (copy == NULL) {
        return PyErr_NoMemory();
    }
    for (int i = 0; i < rows; ++i) { // rows one after the other, as Python has them
        for (int j = 0; j < cols; ++j) {
            copy[(size_t)i * (size_t)cols + (size_t)j] = x != NULL ? x[(size_t)i + (size_t)j * (size_t)rows] : 0.0;
        }
    }
    return core_array_own(copy, rows, cols);
}

/* ---- equilibrium ------------------------------------------------------------------------------ */

static PyObject *directions(const dal_static_direction *d, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < n && i < DAL_STATIC_DIRECTIONS; ++i) {
        PyObject *item = Py_BuildValue("(sd)", d[i].name, d[i].stiffness);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *rest_report(const core_system *self, const double *x, const dal_static_report *r)
{
    const int nq = self->sys->group->nq, nv = self->sys->group->nv, nc = dal_system_rows(self->sys);
    return Py_BuildValue("{s:N,s:N,s:N,s:s,s:i,s:d,s:d,s:d,s:i,s:O,s:N,s:N,s:(sd)}", "q", core_array_copy(x, nq), "v",
                         core_array_copy(x + nq, nv), "la", core_array_copy(x + nq + nv, nc), "method",
                         dal_static_method_name(r->method), "iterations", r->iterations, "residual", r->residual,
                         "position_residual", r->position_residual, "moved", r->moved, "redundant", r->redundant,
                         "stable", r->stable ? Py_True : Py_False, "negative", directions(r->negative, r->nnegative),
                         "indifferent", directions(r->indifferent, r->nindifferent), "softest", r->lowest.name,
                         r->lowest.stiffness);
}

/* static(system, t, q, v, nearest, steady) -> what was found; ConvergenceError: there is none */
PyObject *core_static(PyObject *module, PyObject *args)
{
    core_system *self;
    PyObject *q, *v, *result = NULL;
    double t;
    int nearest, steady;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!dOOpp:static", core_system_type, &self, &t, &q, &v, &nearest, &steady)) {
        return NULL;
    }
    const int nq = self->sys->group->nq, nv = self->sys->group->nv, nc = dal_system_rows(self->sys);
    double *x = calloc((size_t)nq + (size_t)nv + (size_t)nc + 1, sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    if (core_read_vector(x, nq, q, "q") == 0 && core_read_vector(x + nq, nv, v, "v") == 0) {
        dal_ctx *ctx = NULL;
        dal_static_options options = {.nearest = nearest};
        if (steady) {
            (void)dal_static_turning(options.turning, options.centre, self->sys, x, x + nq);
        }
        dal_static_report report;
        PyThreadState *saved = PyEval_SaveThread();
        dal_status st = dal_ctx_create(&ctx, NULL);
        st = st == DAL_OK ? dal_static_solve(ctx, self->sys, NULL, x, x + nq, x + nq + nv, &report, t, &options) : st;
        PyEval_RestoreThread(saved);
        if (st != DAL_OK || PyErr_Occurred() != NULL) {
            core_raise(ctx, st, 0);
        } else {
            result = rest_report(self, x, &report);
        }
        dal_ctx_destroy(ctx);
    }
    free(x);
    return result;
}

/* ---- modes ------------------------------------------------------------------------------------ */

static dal_point present(const core_sim *self)
{
    const dal_state s = dal_sim_shown_state(self->sim);
    return (dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
}

static PyObject *modes_report(const dal_modal *modal)
{
    static const char *const steady[] = {"at rest", "steady", "frozen"};
    static const char *const axes[] = {"auto", "world", "turning", "body"};
    const dal_modal_info info = dal_modal_about(modal);
    const size_t nv = (size_t)info.nv, n = (size_t)info.n;
    double *s = calloc(2 * n + 1, sizeof *s), *shape = calloc(2 * n * nv + 1, sizeof *shape);
    double *shares = calloc(n * nv + 1, sizeof *shares);
    if (s == NULL || shape == NULL || shares == NULL) {
        free(s);
        free(shape);
        free(shares);
        return PyErr_NoMemory();
    }
    for (int k = 0; k < info.n; ++k) {
        const dal_mode mode = dal_modal_mode(modal, k);
        s[2 * k] = mode.re;
        s[2 * k + 1] = mode.im;
        memcpy(shape + 2 * nv * (size_t)k, dal_modal_shape(modal, k), 2 * nv * sizeof *shape);
        memcpy(shares + nv * (size_t)k, dal_modal_shares(modal, k), nv * sizeof *shares);
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:i,s:i,s:i,s:i,s:s,s:s,s:d}", "s", core_array_own(s, info.n, 2), "shapes",
                         core_array_own(shape, info.n, 2 * info.nv), "shares", core_array_own(shares, info.n, info.nv),
                         "rigid", info.rigid, "zeros", info.zeros, "unstable", info.unstable, "redundant",
                         info.redundant, "steady", steady[info.steady], "axes", axes[info.axes], "highest",
                         info.highest);
}

/* modes(n, axes, solver): small motions about the present state */
PyObject *core_sim_modes(core_sim *self, PyObject *args)
{
    int n, axes, solver;
    if (!PyArg_ParseTuple(args, "iii:modes", &n, &axes, &solver) || core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    if (n < 0 || axes < 0 || axes > DAL_AXES_BODY || solver < 0 || solver > DAL_MODAL_SPARSE) {
        PyErr_SetString(PyExc_ValueError, "modes: no such number, axes or solver");
        return NULL;
    }
    dal_modal *modal = NULL;
    const dal_modal_options options = {.n = n, .axes = (dal_axes)axes, .solver = (dal_modal_solver)solver};
    const dal_point at = present(self);
    self->busy = PyThread_get_thread_ident();
    PyThreadState *saved = PyEval_SaveThread();
    const dal_status st =
        dal_modal_create(&modal, self->ctx, self->system->sys, dal_sim_data(self->sim), &at, &options);
    PyEval_RestoreThread(saved);
    self->busy = 0;
    PyObject *result = core_sim_settle(self, st) == 0 ? modes_report(modal) : NULL;
    dal_modal_destroy(modal);
    return result;
}

/* ---- matrices --------------------------------------------------------------------------------- */

static PyObject *dense(const dal_sparse *s)
{
    const size_t n = s != NULL ? (size_t)s->nrows * (size_t)s->ncols : 0;
    double *x = calloc(n + 1, sizeof *x);
    if (x == NULL) {
        return PyErr_NoMemory();
    }
    for (int j = 0; s != NULL && j < s->ncols; ++j) {
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; ++k) {
            x[(size_t)s->row[k] * (size_t)s->ncols + (size_t)j] += s->x[k];
        }
    }
    return core_array_own(x, s != NULL ? s->nrows : 0, s != NULL ? s->ncols : 0);
}

static PyObject *names(const dal_linearization *lin, unsigned matrix, int n)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < n; ++i) {
        char name[256];
        dal_linearize_row_name(lin, name, sizeof name, matrix, i);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

/* matrices() -> M, C, K, B, Z, G at the present state, and the names of velocities and rows */
PyObject *core_sim_matrices(core_sim *self, PyObject *args)
{
    static const unsigned all = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_G;
    dal_linearization *lin = NULL;
    (void)args;
    if (core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    const dal_system *sys = self->system->sys;
    const dal_point at = present(self);
    self->busy = PyThread_get_thread_ident();
    dal_status st = dal_linearize_create(&lin, self->ctx, sys, dal_sim_data(self->sim), all);
    st = st == DAL_OK ? dal_linearize_at(lin, &at) : st;
    self->busy = 0;
    PyObject *result = NULL;
    if (core_sim_settle(self, st) == 0) {
        result = Py_BuildValue(
            "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "M", dense(dal_linearize_matrix(lin, DAL_WANT_M)), "C",
            dense(dal_linearize_matrix(lin, DAL_WANT_C)), "K", dense(dal_linearize_matrix(lin, DAL_WANT_K)), "B",
            dense(dal_linearize_matrix(lin, DAL_WANT_B)), "Z", dense(dal_linearize_matrix(lin, DAL_WANT_Z)), "G",
            dense(dal_linearize_matrix(lin, DAL_WANT_G)), "velocities", names(lin, DAL_WANT_M, sys->group->nv), "rows",
            names(lin, DAL_WANT_B, dal_system_rows(sys)));
    }
    dal_linearize_destroy(lin);
    return result;
}

/* ---- linear models ---------------------------------------------------------------------------- */

/* Inputs are variables or numbers of elements, outputs those of the model. */
typedef struct ports {
    core_sim *sim;
    dal_binding *binding;
    double *value, *changed; /* of the inputs */
    int ninputs, noutputs;
    const double *column; /* numbers of outputs */
} ports;

static dal_status set_input(int k, double offset, void *user)
{
    const ports *p = user;
    memcpy(p->changed, p->value, (size_t)p->ninputs * sizeof *p->changed);
    p->changed[k] += offset;
    return dal_binding_set(p->binding, dal_sim_data(p->sim->sim), p->changed);
}

static dal_status read_outputs(double *y, const dal_point *at, void *user)
{
    const ports *p = user;
    core_sim *sim = p->sim;
    DAL_TRY(dal_model_outputs(sim->system->model, dal_sim_data(sim->sim), sim->outputs, at));
    for (int k = 0; k < p->noutputs; ++k) {
        y[k] = sim->outputs[(int)p->column[k]];
    }
    return DAL_OK;
}

static PyObject *linear_report(const dal_linear *linear)
{
    static const char *const steady[] = {"at rest", "steady", "frozen"};
    const dal_linear_info i = dal_linear_about(linear);
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:O,s:s,s:i,s:i,s:i}", "A", copy_matrix(i.A, i.n, i.n),
                         "B", copy_matrix(i.B[0], i.n, i.ninputs), "C", copy_matrix(i.C, i.noutputs, i.n), "D",
                         copy_matrix(i.D[0], i.noutputs, i.ninputs), "B1", copy_matrix(i.B[1], i.n, i.ninputs), "B2",
                         copy_matrix(i.B[2], i.n, i.ninputs), "D1", copy_matrix(i.D[1], i.noutputs, i.ninputs), "D2",
                         copy_matrix(i.D[2], i.noutputs, i.ninputs), "states", copy_matrix(i.states, 2 * i.nv, i.n),
                         "rates", i.rates ? Py_True : Py_False, "steady", steady[i.steady], "positions", i.positions,
                         "velocities", i.velocities, "redundant", i.redundant);
}

static dal_status linear_create(dal_linear **linear, core_sim *self, ports *p, const core_texts *names_, int axes)
{
    const dal_linear_spec spec = {.ninputs = p->ninputs,
                                  .noutputs = p->noutputs,
                                  .set_input = p->ninputs > 0 ? set_input : NULL,
                                  .outputs = p->noutputs > 0 ? read_outputs : NULL,
                                  .user = p,
                                  .axes = (dal_axes)axes};
    const dal_point at = present(self);
    if (p->ninputs > 0) {
        DAL_TRY(dal_binding_create(&p->binding, self->ctx, self->system->doc, names_->text, names_->n));
    }
    return dal_linear_create(linear, self->ctx, self->system->sys, dal_sim_data(self->sim), &at, &spec);
}

static int check_columns(const core_sim *self, const double *column, Py_ssize_t n)
{
    const int size = dal_model_output_size(self->system->model);
    for (Py_ssize_t k = 0; k < n; ++k) {
        if (!(column[k] >= 0.0 && column[k] < size)) {
            PyErr_SetString(PyExc_ValueError, "linearize: no such output");
            return -1;
        }
    }
    return 0;
}

static PyObject *linear(core_sim *self, const core_texts *inputs, PyObject *values, PyObject *columns, int axes)
{
    Py_ssize_t n = 0;
    dal_linear *lin = NULL;
    PyObject *result = NULL;
    double *column = core_read_any(columns, &n, "outputs");
    double *value = calloc(2 * (size_t)inputs->n + 1, sizeof *value);
    if (column != NULL && value != NULL && check_columns(self, column, n) == 0 &&
        (inputs->n == 0 || core_read_vector(value, inputs->n, values, "values of the inputs") == 0)) {
        ports p = {.sim = self,
                   .value = value,
                   .changed = value + inputs->n,
                   .ninputs = inputs->n,
                   .noutputs = (int)n,
                   .column = column};
        self->busy = PyThread_get_thread_ident();
        const dal_status st = linear_create(&lin, self, &p, inputs, axes);
        self->busy = 0;
        const int kept = core_sim_keep(self, p.binding);
        result = core_sim_settle(self, st) == 0 && kept == 0 ? linear_report(lin) : NULL;
        dal_linear_destroy(lin);
    } else if (PyErr_Occurred() == NULL) {
        PyErr_NoMemory();
    }
    free(column);
    free(value);
    return result;
}

/* linearize(inputs, their values, numbers of outputs, axes): a linear model about the present state */
PyObject *core_sim_linearize(core_sim *self, PyObject *args)
{
    PyObject *inputs, *values, *columns;
    core_texts texts;
    int axes;
    if (!PyArg_ParseTuple(args, "OOOi:linearize", &inputs, &values, &columns, &axes) || core_sim_idle(self, 1) < 0) {
        return NULL;
    }
    if (axes < 0 || axes > DAL_AXES_BODY || self->system->model == NULL) {
        PyErr_SetString(PyExc_ValueError, "linearize: no such axes, or no model");
        return NULL;
    }
    if (core_texts_get(&texts, inputs, "inputs") < 0) {
        return NULL;
    }
    PyObject *result = linear(self, &texts, values, columns, axes);
    core_texts_free(&texts);
    return result;
}
