/* What can be simulated: a compiled model, or equations of the user. Constant once it is there. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

PyTypeObject *core_system_type;

core_system *core_system_new(void)
{
    core_system *self = PyObject_GC_New(core_system, core_system_type);
    if (self == NULL) {
        return NULL;
    }
    memset((char *)self + offsetof(core_system, ctx), 0, sizeof *self - offsetof(core_system, ctx));
    self->options = dal_options_init();
    PyObject_GC_Track((PyObject *)self);
    const dal_config config = {.log = core_log_add, .user = &self->log};
    const dal_status st = dal_ctx_create(&self->ctx, &config);
    if (st != DAL_OK) {
        core_raise(NULL, st, 0);
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

static int system_traverse(core_system *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    const int code = core_laws_traverse(self->laws, visit, arg);
    return code == 0 && self->dense != NULL ? core_dense_traverse(self->dense, visit, arg) : code;
}

/* The callables may refer to what refers to this system. Without them evaluating it fails, nothing worse. */
static int system_clear(core_system *self)
{
    core_laws_clear(self->laws);
    if (self->dense != NULL) {
        core_dense_clear(self->dense);
    }
    return 0;
}

static void system_dealloc(core_system *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    dal_channels_destroy(self->channels);
    dal_document_destroy(self->doc);
    if (self->dense != NULL) {
        core_dense_free(self->dense);
    }
    core_laws_free(self->laws);
    dal_ctx_destroy(self->ctx);
    core_log_release(&self->log);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* ---- from documents --------------------------------------------------------------------------- */

/* From a document that was read to a system that can be simulated, as the tool does. */
static dal_status compile(core_system *self)
{
    self->options = *dal_document_options(self->doc);
    DAL_TRY(dal_channels_create(&self->channels, self->ctx, self->model));
    DAL_TRY(dal_model_compile(self->model, &self->sys));
    DAL_TRY(dal_channels_bind(self->channels, self->sys));
    return dal_document_assemble(self->doc, &self->assembly, self->sys);
}

static PyObject *finish(core_system *self, dal_status st, PyObject *attach)
{
    if (st == DAL_OK) {
        self->model = dal_document_model(self->doc);
        if (attach != Py_None && core_attach(self, attach) < 0) {
            Py_DECREF(self);
            return NULL;
        }
        st = compile(self);
    }
    if (st != DAL_OK || PyErr_Occurred() != NULL) {
        core_raise(self->ctx, st, 1);
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* open(source, set, outside, attach): a built-in model or a file */
PyObject *core_open(PyObject *module, PyObject *args)
{
    const char *source, *text;
    PyObject *set, *attach;
    int outside;
    core_texts texts;
    (void)module;
    if (!PyArg_ParseTuple(args, "sOpOz:open", &source, &set, &outside, &attach, &text) ||
        core_texts_get(&texts, set, "assignments") < 0) {
        return NULL;
    }
    core_system *self = core_system_new();
    PyObject *result = NULL;
    if (self != NULL) {
        const dal_load_options how = {.set = texts.text, .nset = texts.n, .files_outside = outside, .text = text};
        result = finish(self, dal_document_open_with(&self->doc, self->ctx, source, &how), attach);
    }
    core_texts_free(&texts);
    return result;
}

/* parse(text, name, set, attach): a model file in memory */
PyObject *core_parse(PyObject *module, PyObject *args)
{
    const char *text, *name;
    Py_ssize_t n;
    PyObject *set, *attach;
    core_texts texts;
    (void)module;
    if (!PyArg_ParseTuple(args, "s#sOO:parse", &text, &n, &name, &set, &attach) ||
        core_texts_get(&texts, set, "assignments") < 0) {
        return NULL;
    }
    core_system *self = core_system_new();
    PyObject *result = NULL;
    if (self != NULL) {
        result =
            finish(self, dal_document_parse(&self->doc, self->ctx, text, (size_t)n, name, texts.text, texts.n), attach);
    }
    core_texts_free(&texts);
    return result;
}

/* ---- what there is to know -------------------------------------------------------------------- */

static PyObject *text_or_none(const char *text)
{
    return text != NULL ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static PyObject *get_name(core_system *self, void *closure)
{
    (void)closure;
    return text_or_none(self->doc != NULL ? dal_document_name(self->doc) : NULL);
}

static PyObject *get_title(core_system *self, void *closure)
{
    (void)closure;
    return text_or_none(self->doc != NULL ? dal_document_title(self->doc) : NULL);
}

static PyObject *get_text(core_system *self, void *closure)
{
    (void)closure;
    return text_or_none(self->doc != NULL ? dal_document_text(self->doc) : NULL);
}

static PyObject *get_t_end(core_system *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(self->doc != NULL ? dal_document_t_end(self->doc) : 0.0);
}

static PyObject *get_warnings(core_system *self, void *closure)
{
    (void)closure;
    return core_log_list(&self->log);
}

/* nq, nv, nc */
static PyObject *get_sizes(core_system *self, void *closure)
{
    (void)closure;
    return Py_BuildValue("(iii)", self->sys->group->nq, self->sys->group->nv, dal_system_rows(self->sys));
}

static PyObject *get_initial(core_system *self, void *closure)
{
    const int v = closure != NULL;
    const double *x = self->model == NULL ? NULL : v ? dal_model_v0(self->model) : dal_model_q0(self->model);
    if (x == NULL) {
        return Py_NewRef(Py_None);
    }
    return core_array_copy(x, v ? self->sys->group->nv : self->sys->group->nq);
}

static PyObject *get_variables(core_system *self, void *closure)
{
    PyObject *dict = PyDict_New();
    (void)closure;
    for (int k = 0; dict != NULL && self->doc != NULL && k < dal_document_variable_count(self->doc); ++k) {
        const dal_variable variable = dal_document_variable(self->doc, k);
        PyObject *value = PyFloat_FromDouble(variable.value);
        if (value == NULL || PyDict_SetItemString(dict, variable.name, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

/* Options by name, as texts that set them. */
static PyObject *get_options(core_system *self, void *closure)
{
    const dal_option_table *table = dal_options_table();
    PyObject *dict = PyDict_New();
    (void)closure;
    for (int k = 0; dict != NULL && k < table->n; ++k) {
        char buffer[1024];
        dal_options_format(buffer, sizeof buffer, &table->option[k], &self->options);
        PyObject *value = PyUnicode_FromString(buffer);
        if (value == NULL || PyDict_SetItemString(dict, table->option[k].name, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

/* check(t, q, v, vd, la, tol): tangents against differences; (error, what, row, column) of the worst entry */
static PyObject *check(core_system *self, PyObject *args)
{
    PyObject *object[4];
    double t, tol;
    dal_tangent_report report;
    if (!PyArg_ParseTuple(args, "dOOOOd:check", &t, &object[0], &object[1], &object[2], &object[3], &tol)) {
        return NULL;
    }
    const int nv = self->sys->group->nv;
    const int n[4] = {self->sys->group->nq, nv, nv, dal_system_rows(self->sys)};
    static const char *const what[4] = {"q", "v", "vd", "la"};
    double *x[4] = {NULL}, *memory = calloc((size_t)n[0] + 2 * (size_t)nv + (size_t)n[3] + 1, sizeof *memory);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    double *next = memory;
    for (int i = 0; i < 4; ++i) {
        x[i] = next;
        next += n[i];
        if (object[i] != Py_None && core_read_vector(x[i], n[i], object[i], what[i]) < 0) {
            free(memory);
            return NULL;
        }
    }
    const dal_point at = {t, x[0], x[1], x[2], x[3]};
    dal_ctx *ctx = NULL; // of this call: callbacks may let other threads come here
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK ? dal_system_check(ctx, self->sys, &report, &at, tol) : st;
    free(memory);
    PyObject *result = NULL;
    if (st != DAL_OK || PyErr_Occurred() != NULL) {
        core_raise(ctx, st, 0);
    } else {
        result = Py_BuildValue("(dsss)", report.error, report.what, report.row, report.column);
    }
    dal_ctx_destroy(ctx);
    return result;
}

/* ---- type ------------------------------------------------------------------------------------- */

static PyGetSetDef system_getset[] = {
    {"name", (getter)get_name, NULL, NULL, NULL},
    {"title", (getter)get_title, NULL, NULL, NULL},
    {"text", (getter)get_text, NULL, NULL, NULL},
    {"t_end", (getter)get_t_end, NULL, NULL, NULL},
    {"warnings", (getter)get_warnings, NULL, NULL, NULL},
    {"sizes", (getter)get_sizes, NULL, NULL, NULL},
    {"q0", (getter)get_initial, NULL, NULL, NULL},
    {"v0", (getter)get_initial, NULL, NULL, "v"},
    {"variables", (getter)get_variables, NULL, NULL, NULL},
    {"options", (getter)get_options, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef system_methods[] = {
    {"info", (PyCFunction)core_system_info, METH_NOARGS, NULL},
    {"channels", (PyCFunction)core_system_channels, METH_NOARGS, NULL},
    {"check", (PyCFunction)check, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot system_slots[] = {
    {Py_tp_doc, "A compiled model, or equations of the user: what a Simulation is made of."},
    {Py_tp_dealloc, system_dealloc},
    {Py_tp_traverse, system_traverse},
    {Py_tp_clear, system_clear},
    {Py_tp_getset, system_getset},
    {Py_tp_methods, system_methods},
    {0, NULL},
};

static PyType_Spec system_spec = {
    .name = "dalembert._core.System",
    .basicsize = sizeof(core_system),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = system_slots,
};

int core_system_add(PyObject *module)
{
    core_system_type = (PyTypeObject *)PyType_FromSpec(&system_spec);
    return core_system_type != NULL ? PyModule_AddObjectRef(module, "System", (PyObject *)core_system_type) : -1;
}
