/* Statuses as exceptions. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

PyObject *core_error;

/* Classes beside the base: which builtin one they are as well, and which statuses they stand for. */
typedef enum error_kind {
    KIND_MODEL,
    KIND_OPTION,
    KIND_ARGUMENT,
    KIND_CONVERGENCE,
    KIND_INITIAL,
    KIND_REDUNDANT,
    KIND_CALLBACK,
    KIND_SNAPSHOT,
    KIND_CHECK,
    KIND_FILE,
    KIND_COUNT
} error_kind;

static PyObject *classes[KIND_COUNT];

static const struct {
    const char *name, *doc;
} described[KIND_COUNT] = {
    [KIND_MODEL] = {"ModelError", "The description of a model is wrong; the message says where."},
    [KIND_OPTION] = {"OptionError", "An option of the simulation is unknown or out of range."},
    [KIND_ARGUMENT] = {"ArgumentError", "An argument makes no sense here."},
    [KIND_CONVERGENCE] = {"ConvergenceError", "Newton's method, a factorisation or the step size control gave up."},
    [KIND_INITIAL] = {"InitialError", "The initial values do not satisfy the constraints and cannot be made to."},
    [KIND_REDUNDANT] = {"RedundantError", "Constraints are redundant or contradict each other."},
    [KIND_CALLBACK] = {"CallbackError", "A callback failed or gave a value that is not finite."},
    [KIND_SNAPSHOT] = {"SnapshotError", "A saved state does not belong to this simulation."},
    [KIND_CHECK] = {"CheckError", "A check failed: a tangent is not the derivative it should be."},
    [KIND_FILE] = {"FileError", "A file could not be read or written."},
};

static PyObject *parent_of(error_kind kind)
{
    switch (kind) {
    case KIND_MODEL:
    case KIND_OPTION:
    case KIND_ARGUMENT:
    case KIND_INITIAL:
    case KIND_REDUNDANT:
    case KIND_SNAPSHOT:
        return PyExc_ValueError;
    case KIND_CONVERGENCE:
        return PyExc_ArithmeticError;
    case KIND_FILE:
        return PyExc_OSError;
    default:
        return PyExc_RuntimeError;
    }
}

static int add_class(PyObject *module, error_kind kind)
{
    char name[64];
    PyObject *bases = PyTuple_Pack(2, core_error, parent_of(kind));
    if (bases == NULL) {
        return -1;
    }
    PyOS_snprintf(name, sizeof name, "dalembert.%s", described[kind].name);
    classes[kind] = PyErr_NewExceptionWithDoc(name, described[kind].doc, bases, NULL);
    Py_DECREF(bases);
    return classes[kind] != NULL ? PyModule_AddObjectRef(module, described[kind].name, classes[kind]) : -1;
}

int core_errors_add(PyObject *module)
{
    core_error = PyErr_NewExceptionWithDoc("dalembert.Error",
                                           "Something the library refuses or cannot do. `status` is the name of its "
                                           "status, \"DAL_NOCONV\" for instance.",
                                           NULL, NULL);
    if (core_error == NULL || PyModule_AddObjectRef(module, "Error", core_error) < 0) {
        return -1;
    }
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        if (add_class(module, (error_kind)kind) < 0) {
            return -1;
        }
    }
    return 0;
}

static error_kind kind_of(dal_status st, int model)
{
    switch (st) {
    case DAL_EOPTION:
        return KIND_OPTION;
    case DAL_EIO:
        return KIND_FILE;
    case DAL_ECALLBACK:
        return KIND_CALLBACK;
    case DAL_ESNAPSHOT:
        return KIND_SNAPSHOT;
    case DAL_ECHECK:
        return KIND_CHECK;
    case DAL_RETRY:
    case DAL_NOCONV:
    case DAL_SINGULAR:
    case DAL_ESTEP:
        return model ? KIND_MODEL : KIND_CONVERGENCE;
    case DAL_EREDUNDANT:
        return KIND_REDUNDANT;
    case DAL_EINITIAL:
        return KIND_INITIAL;
    default:
        return model ? KIND_MODEL : KIND_ARGUMENT;
    }
}

PyObject *core_raise_text(dal_status st, const char *text, int model)
{
    if (PyErr_Occurred() != NULL) { // of a callback
        return NULL;
    }
    if (st == DAL_ENOMEM) {
        return PyErr_NoMemory();
    }
    PyObject *class = classes[kind_of(st, model)];
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error = message != NULL ? PyObject_CallFunctionObjArgs(class, message, NULL) : NULL;
    PyObject *name = error != NULL ? PyUnicode_FromString(dal_status_name(st)) : NULL;
    if (name != NULL && PyObject_SetAttrString(error, "status", name) == 0) {
        PyErr_SetObject(class, error);
    }
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_XDECREF(message);
    return NULL;
}

PyObject *core_raise(const dal_ctx *ctx, dal_status st, int model)
{
    const char *text = ctx != NULL ? dal_ctx_message(ctx) : "";
    return core_raise_text(st, text[0] != '\0' ? text : dal_status_text(st), model);
}

/* ---- warnings --------------------------------------------------------------------------------- */

void core_log_add(dal_log_level level, const char *text, void *user)
{
    core_log *log = user;
    if (level < DAL_LOG_WARNING) {
        return;
    }
    const size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy == NULL) {
        return; // a warning is not worth failing for
    }
    memcpy(copy, text, n);
    const int i = log->n < CORE_WARNINGS ? log->n++ : CORE_WARNINGS - 1;
    free(log->text[i]);
    log->text[i] = copy;
}

PyObject *core_log_list(const core_log *log)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < log->n; ++i) {
        PyObject *text = PyUnicode_DecodeUTF8(log->text[i], (Py_ssize_t)strlen(log->text[i]), "replace");
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

void core_log_release(core_log *log)
{
    for (int i = 0; i < log->n; ++i) {
        free(log->text[i]);
        log->text[i] = NULL;
    }
    log->n = 0;
}
