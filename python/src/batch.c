/* Many simulations of one model that are stepped together, on threads, without the interpreter. States, inputs and outputs of all
 * members are arrays that stay where they are. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* ---- members ------------------------------------------------------------------------------------ */

const double *core_batch_bound(const core_batch *b, double *room, int i)
{
    memcpy(room, b->params + (size_t)i * (size_t)b->nparams, (size_t)b->nparams * sizeof *room);
    memcpy(room + b->nparams, b->u + (size_t)i * (size_t)b->ninputs, (size_t)b->ninputs * sizeof *room);
    return room;
}

/* Inputs that have changed are told. */
static dal_status tell(const core_batch *b, int i)
{
    const size_t size = (size_t)b->ninputs * sizeof *b->u, at = (size_t)i * (size_t)b->ninputs;
    double room[CORE_INPUTS + CORE_INPUTS];
    if (b->ninputs == 0 || memcmp(b->told + at, b->u + at, size) == 0) {
        return DAL_OK;
    }
    DAL_TRY(b->binding != NULL ? dal_binding_change(b->binding, b->member[i].sim, core_batch_bound(b, room, i))
                               : dal_sim_set_inputs(b->member[i].sim, b->u + at));
    memcpy(b->told + at, b->u + at, size);
    return DAL_OK;
}

dal_status core_batch_begin(const core_task *job, int i, dal_sim *sim)
{
    core_batch *b = job->batch;
    const int nq = b->system->sys->group->nq, nv = b->system->sys->group->nv;
    const double *q = job->q != NULL ? job->q + (size_t)i * (size_t)nq : dal_model_q0(b->system->model);
    const double *v = job->v != NULL ? job->v + (size_t)i * (size_t)nv : dal_model_v0(b->system->model);
    double room[CORE_INPUTS + CORE_INPUTS];
    const size_t at = (size_t)i * (size_t)b->ninputs;
    if (b->binding != NULL && job->q == NULL && job->v == NULL) {
        DAL_TRY(dal_binding_start(b->binding, sim, NULL, core_batch_bound(b, room, i)));
    } else {
        if (b->binding != NULL) {
            DAL_TRY(dal_binding_set(b->binding, dal_sim_data(sim), core_batch_bound(b, room, i)));
        } else if (b->ninputs > 0) {
            DAL_TRY(dal_sim_set_inputs(sim, b->u + at));
        }
        DAL_TRY(dal_sim_start(sim, NULL, 0.0, q, v));
    }
    memcpy(b->told + at, b->u + at, (size_t)b->ninputs * sizeof *b->u);
    return DAL_OK;
}

static dal_status go(const core_task *job, int i)
{
    const core_batch *b = job->batch;
    dal_sim *sim = b->member[i].sim;
    DAL_TRY(tell(b, i));
    if (job->dt > 0.0) {
        return dal_sim_run(sim, NULL, b->t[i] + job->dt);
    }
    for (long k = 0; k < job->steps && !core_pool_cancelled(b->pool); ++k) {
        DAL_TRY(dal_sim_step(sim));
    }
    return DAL_OK;
}

static dal_status watch(dal_sim *sim, const dal_state *state, void *user)
{
    const core_batch *b = user;
    (void)sim;
    (void)state;
    return core_pool_cancelled(b->pool) ? DAL_RETRY : DAL_OK;
}

dal_status core_batch_show(core_batch *b, int i, int thread, dal_sim *sim)
{
    const dal_group *group = b->system->sys->group;
    const size_t nq = (size_t)group->nq, nv = (size_t)group->nv, nc = (size_t)b->nstate - nq - 2 * nv;
    const dal_state s = dal_sim_shown_state(sim);
    double *row = b->state + (size_t)i * (size_t)b->nstate;
    b->t[i] = s.t;
    memcpy(row, s.q, nq * sizeof *row);
    memcpy(row + nq, s.v, nv * sizeof *row);
    memcpy(row + nq + nv, s.vd, nv * sizeof *row);
    if (nc > 0) {
        memcpy(row + nq + 2 * nv, s.la, nc * sizeof *row);
    }
    if (b->width > 0) {
        double *x = b->outputs + (size_t)thread * (size_t)b->noutputs, *y = b->y + (size_t)i * (size_t)b->width;
        const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
        DAL_TRY(dal_model_outputs(b->system->model, dal_sim_data(sim), x, &at));
        for (int k = 0; k < b->width; ++k) {
            y[k] = x[b->column[k]];
        }
    }
    return DAL_OK;
}

static void work(void *user, int i, int thread)
{
    const core_task *job = user;
    core_batch *b = job->batch;
    core_member *m = &b->member[i];
    if (job->starting ? job->mask != NULL && !job->mask[i] : m->status != DAL_OK) {
        return;
    }
    m->status = job->starting ? core_batch_begin(job, i, m->sim) : go(job, i);
    if (m->status == DAL_OK || !job->starting) { // one that could not be started has no state
        const dal_status st = core_batch_show(b, i, thread, m->sim);
        m->status = m->status == DAL_OK ? st : m->status;
    }
    b->status[i] = m->status;
}

/* All members, with the interpreter let go. 0, or -1 and the exception of a signal. */
static int do_all(core_batch *b, core_task *job)
{
    if (b->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the batch is running in another thread");
        return -1;
    }
    b->busy = 1;
    job->batch = b;
    const int code = b->lanes != NULL ? core_pool_run(b->pool, core_lanes_blocks(b), core_lanes_work, job)
                                      : core_pool_run(b->pool, b->n, work, job);
    b->busy = 0;
    return code;
}

/* ---- creation ----------------------------------------------------------------------------------- */

/* A simulation for each member; for each thread if a program steps the members. */
static dal_status create_members(core_batch *b)
{
    for (int i = 0; i < b->nsims; ++i) {
        core_member *m = &b->member[i];
        DAL_TRY(dal_ctx_create(&m->ctx, NULL));
        dal_status st = dal_sim_create(&m->sim, m->ctx, b->system->sys, &b->options);
        st = st == DAL_OK ? dal_sim_observe(m->sim, watch, b) : st;
        if (st != DAL_OK) { // the reason is the same for all
            return dal_fail(b->ctx, st, "%s", dal_ctx_message(m->ctx));
        }
    }
    return DAL_OK;
}

/* Arrays one behind the other, each on a cache line of its own. */
static int lay_out(core_batch *b)
{
    const struct {
        double **array;
        int width;
    } part[] = {{&b->t, 1},          {&b->status, 1},        {&b->state, b->nstate},
                {&b->u, b->ninputs}, {&b->told, b->ninputs}, {&b->params, b->nparams},
                {&b->y, b->width}};
    enum { LINE = 8 };
    size_t size = LINE;
    for (int pass = 0; pass < 2; ++pass) {
        size_t at = 0;
        for (int k = 0; k < CORE_LEN(part); ++k) {
            if (pass == 1) {
                *part[k].array = b->x + at;
            }
            at += ((size_t)b->n * (size_t)part[k].width + LINE - 1) / LINE * LINE;
        }
        size += at;
        if (pass == 0) {
            b->x = calloc(size, sizeof *b->x);
            b->memory = b->x != NULL ? core_array_own(b->x, (Py_ssize_t)size, -1) : NULL;
            if (b->memory == NULL) {
                PyErr_NoMemory();
                return -1;
            }
        }
    }
    return 0;
}

static int read_columns(core_batch *b, PyObject *object)
{
    Py_ssize_t n = 0;
    double *x = core_read_any(object, &n, "columns");
    b->column = x != NULL ? malloc(((size_t)n + 1) * sizeof *b->column) : NULL;
    for (Py_ssize_t i = 0; b->column != NULL && i < n; ++i) {
        if (!(x[i] >= 0.0 && x[i] < b->noutputs)) {
            PyErr_SetString(PyExc_ValueError, "columns: there is no such output");
            break;
        }
        b->column[i] = (int)x[i];
    }
    free(x);
    b->width = (int)n;
    return PyErr_Occurred() == NULL && b->column != NULL ? 0 : -1;
}

/* Numbers that differ between members: their names, and n rows of values. All inputs follow, so that what depends on both is right. */
static int read_params(core_batch *b, PyObject *names, PyObject *values, core_texts *texts)
{
    Py_buffer buffer;
    if (core_texts_get(texts, names, "params") < 0) {
        return -1;
    }
    b->nparams = texts->n;
    if (b->nparams == 0) {
        return lay_out(b);
    }
    if (b->nparams > CORE_INPUTS) {
        PyErr_Format(PyExc_ValueError, "params: at most %d names", CORE_INPUTS);
        return -1;
    }
    if (lay_out(b) < 0 || PyObject_GetBuffer(values, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
        return -1;
    }
    const int fits =
        buffer.ndim == 2 && strcmp(buffer.format, "d") == 0 && buffer.shape[0] == b->n && buffer.shape[1] == b->nparams;
    if (fits) {
        memcpy(b->params, buffer.buf, (size_t)b->n * (size_t)b->nparams * sizeof *b->params);
    } else {
        PyErr_SetString(PyExc_ValueError, "params: a value for each member");
    }
    PyBuffer_Release(&buffer);
    return fits ? 0 : -1;
}

/* And what steps the members, if that is a program: its parameters are what is bound. */
static dal_status bind(core_batch *b, const core_texts *texts, dal_sweep_backend backend)
{
    const char *name[CORE_INPUTS + CORE_INPUTS];
    if (b->nparams == 0 && backend == DAL_SWEEP_INTERPRETED) {
        return DAL_OK;
    }
    for (int k = 0; k < b->nparams; ++k) {
        name[k] = texts->text[k];
    }
    for (int k = 0; k < b->ninputs; ++k) {
        name[b->nparams + k] = b->system->sys->input[k].name;
    }
    DAL_TRY(dal_binding_create(&b->binding, b->ctx, b->system->doc, name, b->nparams + b->ninputs));
    return backend == DAL_SWEEP_INTERPRETED ? DAL_OK : core_lanes_create(b, backend, name);
}

static dal_status choose_options(core_batch *b, const char *method, const core_texts *set)
{
    b->options = b->system->options;
    DAL_TRY(method != NULL ? dal_options_method(b->ctx, &b->options, method) : DAL_OK);
    for (int i = 0; i < set->n; ++i) {
        DAL_TRY(dal_options_parse(b->ctx, dal_options_table(), &b->options, set->text[i]));
    }
    return DAL_OK;
}

static int set_up(core_batch *b, const char *method, PyObject *const *given, int threads, dal_sweep_backend backend)
{
    core_texts set = {0}, names = {0};
    const dal_system *sys = b->system->sys;
    b->nstate = sys->group->nq + 2 * sys->group->nv + dal_system_rows(sys);
    b->ninputs = sys->ninputs;
    b->noutputs = dal_model_output_size(b->system->model);
    b->pool = core_pool_create(threads);
    b->outputs =
        b->pool != NULL ? calloc((size_t)core_pool_size(b->pool) * (size_t)b->noutputs + 1, sizeof(double)) : NULL;
    b->nsims = backend == DAL_SWEEP_INTERPRETED || b->pool == NULL ? b->n : core_pool_size(b->pool);
    b->member = calloc((size_t)b->nsims, sizeof *b->member);
    dal_status st = b->outputs != NULL && b->member != NULL ? dal_ctx_create(&b->ctx, NULL) : DAL_ENOMEM;
    int code = st == DAL_OK ? core_texts_get(&set, given[0], "options") : -1;
    code = code == 0 ? read_columns(b, given[1]) : code;
    code = code == 0 ? read_params(b, given[2], given[3], &names) : code;
    if (code == 0) {
        for (int i = 0; i < b->n * b->ninputs; ++i) {
            b->u[i] = b->told[i] = sys->input[i % b->ninputs].value;
        }
        st = choose_options(b, method, &set);
        st = st == DAL_OK ? bind(b, &names, backend) : st;
        st = st == DAL_OK ? create_members(b) : st;
    }
    core_texts_free(&set);
    core_texts_free(&names);
    if (st != DAL_OK) {
        core_raise(b->ctx, st, 0);
    }
    return st == DAL_OK && code == 0 ? 0 : -1;
}

/* Batch(system, n, method or None, options, columns of outputs, names and values of params, threads, backend: 0 the library, 1 lanes, 2 cuda) */
static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    core_system *system;
    PyObject *given[4];
    const char *method;
    int n, threads, backend;
    if (keywords != NULL && PyDict_Size(keywords) > 0) {
        PyErr_SetString(PyExc_TypeError, "Batch takes no keywords");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "O!izOOOOii:Batch", core_system_type, &system, &n, &method, &given[0], &given[1],
                          &given[2], &given[3], &threads, &backend)) {
        return NULL;
    }
    if (system->model == NULL || n < 1 || n > 100000000 || system->sys->ninputs > CORE_INPUTS) {
        PyErr_SetString(PyExc_ValueError,
                        n < 1 ? "a batch has one member at least" : "a batch needs a model with at most 256 inputs");
        return NULL;
    }
    core_batch *self = (core_batch *)PyType_GenericAlloc(type, 0);
    if (self != NULL) {
        self->system = (core_system *)Py_NewRef((PyObject *)system);
        self->n = n;
        if (set_up(self, method, given, threads, (dal_sweep_backend)backend) < 0) {
            Py_CLEAR(self);
        }
    }
    return (PyObject *)self;
}

static int batch_traverse(core_batch *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->system);
    Py_VISIT(self->memory);
    return 0;
}

static void batch_dealloc(core_batch *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    core_pool_destroy(self->pool);
    core_lanes_destroy(self);
    for (int i = 0; self->member != NULL && i < self->nsims; ++i) {
        dal_sim_destroy(self->member[i].sim);
        dal_ctx_destroy(self->member[i].ctx);
    }
    dal_binding_destroy(self->binding);
    dal_ctx_destroy(self->ctx);
    free(self->member);
    free(self->column);
    free(self->outputs);
    Py_CLEAR(self->memory);
    Py_CLEAR(self->system);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* ---- the course --------------------------------------------------------------------------------- */

/* No member is stepped with an input outside of its limits. */
static int check_inputs(const core_batch *b)
{
    for (int i = 0; i < b->n * b->ninputs; ++i) {
        const dal_system_input *input = &b->system->sys->input[i % b->ninputs];
        if (!(b->u[i] >= input->min && b->u[i] <= input->max) || !isfinite(b->u[i])) {
            char text[400];
            snprintf(text, sizeof text, "input '%s' of member %d: %g is not within %g and %g", input->name,
                     i / b->ninputs, b->u[i], input->min, input->max);
            core_raise_text(DAL_EINVAL, text, 0);
            return -1;
        }
    }
    return 0;
}

static PyObject *finish(core_batch *self, core_task *job)
{
    return check_inputs(self) < 0 || do_all(self, job) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *step(core_batch *self, PyObject *args)
{
    long steps;
    if (!PyArg_ParseTuple(args, "l:step", &steps)) {
        return NULL;
    }
    if (steps < 1) {
        PyErr_SetString(PyExc_ValueError, "one step at least");
        return NULL;
    }
    return finish(self, &(core_task){.steps = steps});
}

static PyObject *advance(core_batch *self, PyObject *args)
{
    double dt;
    if (!PyArg_ParseTuple(args, "d:advance", &dt)) {
        return NULL;
    }
    if (!(dt > 0.0) || !isfinite(dt)) {
        PyErr_SetString(PyExc_ValueError, "dt must be positive");
        return NULL;
    }
    const double steps = dt / dal_sim_options(self->member[0].sim)->h;
    if (self->lanes != NULL && !(fabs(steps - rint(steps)) <= 1e-6 && steps < 1e15)) {
        PyErr_SetString(
            PyExc_ValueError,
            "dt must be a whole number of steps: programs have steps of one size, the backend threads takes any");
        return NULL;
    }
    return finish(self, &(core_task){.dt = dt});
}

/* n rows of numbers, or None. */
static int read_rows(const core_batch *b, double **x, PyObject *object, int width, const char *what)
{
    const Py_ssize_t size = (Py_ssize_t)b->n * width;
    *x = NULL;
    if (object == Py_None) {
        return 0;
    }
    *x = malloc(((size_t)size + 1) * sizeof **x);
    return *x != NULL ? core_read_vector(*x, size, object, what) : -1;
}

/* start(mask as bytes or None, q or None, v or None) */
static PyObject *start(core_batch *self, PyObject *args)
{
    const char *mask;
    Py_ssize_t size;
    PyObject *q_object, *v_object;
    double *q = NULL, *v = NULL;
    if (!PyArg_ParseTuple(args, "z#OO:start", &mask, &size, &q_object, &v_object)) {
        return NULL;
    }
    if (mask != NULL && size != self->n) {
        PyErr_SetString(PyExc_ValueError, "mask: a value for each member");
        return NULL;
    }
    PyObject *result = NULL;
    if (read_rows(self, &q, q_object, self->system->sys->group->nq, "q") == 0 &&
        read_rows(self, &v, v_object, self->system->sys->group->nv, "v") == 0) {
        result = finish(self, &(core_task){.mask = mask, .q = q, .v = v, .starting = 1});
    }
    free(q);
    free(v);
    return result;
}

/* message(i) -> why a member stands still, or None */
static PyObject *message(core_batch *self, PyObject *args)
{
    int i;
    if (!PyArg_ParseTuple(args, "i:message", &i)) {
        return NULL;
    }
    if (i < 0 || i >= self->n || self->status[i] == 0.0) {
        return Py_NewRef(Py_None);
    }
    const char *text = self->lanes != NULL ? core_lanes_message(self, i) : dal_ctx_message(self->member[i].ctx);
    text = text[0] != '\0' ? text : dal_status_text((dal_status)self->status[i]);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* arrays() -> {name: Array}: views of the memory of the batch */
static PyObject *arrays(core_batch *self, PyObject *args)
{
    const dal_group *group = self->system->sys->group;
    const int nq = group->nq, nv = group->nv, n = self->nstate;
    const struct {
        const char *name;
        double *x;
        int width, stride, writable;
    } part[] = {{"t", self->t, -1, 1, 0},
                {"status", self->status, -1, 1, 0},
                {"q", self->state, nq, n, 0},
                {"v", self->state + nq, nv, n, 0},
                {"vd", self->state + nq + nv, nv, n, 0},
                {"la", self->state + nq + 2 * nv, n - nq - 2 * nv, n, 0},
                {"inputs", self->u, self->ninputs, self->ninputs, 1},
                {"y", self->y, self->width, self->width, 0}};
    PyObject *dict = PyDict_New();
    (void)args;
    for (int k = 0; dict != NULL && k < CORE_LEN(part); ++k) {
        PyObject *view =
            core_array_view(self->memory, part[k].x, self->n, part[k].width, part[k].stride, part[k].writable);
        if (view == NULL || PyDict_SetItemString(dict, part[k].name, view) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(view);
    }
    return dict;
}

static PyMethodDef batch_methods[] = {
    {"_step", (PyCFunction)step, METH_VARARGS, NULL},    {"_advance", (PyCFunction)advance, METH_VARARGS, NULL},
    {"_start", (PyCFunction)start, METH_VARARGS, NULL},  {"_message", (PyCFunction)message, METH_VARARGS, NULL},
    {"_arrays", (PyCFunction)arrays, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL},
};

static PyType_Slot batch_slots[] = {
    {Py_tp_doc, "Many simulations of one model; dalembert.Batch is what users see."},
    {Py_tp_new, batch_new},
    {Py_tp_dealloc, batch_dealloc},
    {Py_tp_traverse, batch_traverse},
    {Py_tp_methods, batch_methods},
    {0, NULL},
};

static PyType_Spec batch_spec = {
    .name = "dalembert._core.Batch",
    .basicsize = sizeof(core_batch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = batch_slots,
};

int core_batch_add(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&batch_spec);
    const int code = type != NULL ? PyModule_AddObjectRef(module, "Batch", type) : -1;
    Py_XDECREF(type);
    return code;
}
