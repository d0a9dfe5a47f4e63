/* The module: what there is without a model. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

static PyObject *version(PyObject *module, PyObject *args)
{
    (void)module;
    (void)args;
    return PyUnicode_FromString(dal_version_string());
}

static PyObject *schema(PyObject *module, PyObject *args)
{
    (void)module;
    (void)args;
    const size_t n = dal_model_schema(NULL, 0);
    char *text = malloc(n + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    dal_model_schema(text, n + 1);
    PyObject *result = PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
    free(text);
    return result;
}

/* Append and give the reference away; a list that could not grow is given up. */
static void append(PyObject **list, PyObject *item)
{
    if (item == NULL || PyList_Append(*list, item) < 0) {
        Py_CLEAR(*list);
    }
    Py_XDECREF(item);
}

/* (name, title, text) of the built-in models */
static PyObject *builtins(PyObject *module, PyObject *args)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)args;
    for (int k = 0; list != NULL && k < dal_builtin_count(); ++k) {
        const dal_builtin b = dal_builtin_model(k);
        append(&list, Py_BuildValue("(sss#)", b.name, b.title, b.text, (Py_ssize_t)b.n));
    }
    return list;
}

/* (name, assignments, order, text) of the methods */
static PyObject *methods(PyObject *module, PyObject *args)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)args;
    for (int k = 0; list != NULL && k < dal_method_count(); ++k) {
        const dal_method m = dal_method_get(k);
        append(&list, Py_BuildValue("(ssis)", m.name, m.set, m.order, m.text));
    }
    return list;
}

static PyObject *words_of(const dal_option *option)
{
    PyObject *list = PyList_New(0);
    for (const dal_word *w = option->words; list != NULL && w != NULL && w->name != NULL; ++w) {
        append(&list, PyUnicode_FromString(w->name));
    }
    return list;
}

/* (name, kind, default, words, text) of the options of a simulation */
static PyObject *options(PyObject *module, PyObject *args)
{
    static const char *const kinds[] = {
        [DAL_OPTION_INT] = "int",       [DAL_OPTION_REAL] = "real",   [DAL_OPTION_FLAG] = "flag",
        [DAL_OPTION_CHOICE] = "choice", [DAL_OPTION_REALS] = "reals", [DAL_OPTION_RULED] = "real"};
    const dal_option_table *table = dal_options_table();
    const dal_options standard = dal_options_init();
    PyObject *list = PyList_New(0);
    (void)module;
    (void)args;
    for (int k = 0; list != NULL && k < table->n; ++k) {
        const dal_option *o = &table->option[k];
        char buffer[1024];
        dal_options_format(buffer, sizeof buffer, o, &standard);
        append(&list, Py_BuildValue("(sssNs)", o->name, kinds[o->kind], buffer, words_of(o), o->text));
    }
    return list;
}

/* nearest(text, words) -> the word nearest to it, or None */
static PyObject *nearest(PyObject *module, PyObject *args)
{
    const char *text;
    PyObject *words;
    core_texts texts;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO:nearest", &text, &words) || core_texts_get(&texts, words, "words") < 0) {
        return NULL;
    }
    const char *near = dal_nearest(text, texts.text, texts.n);
    PyObject *result = near != NULL ? PyUnicode_FromString(near) : Py_NewRef(Py_None);
    core_texts_free(&texts);
    return result;
}

static PyMethodDef module_methods[] = {
    {"version", version, METH_NOARGS, "Version of the library, \"0.2.0\" for instance."},
    {"schema", schema, METH_NOARGS, NULL},
    {"builtins", builtins, METH_NOARGS, NULL},
    {"methods", methods, METH_NOARGS, NULL},
    {"options", options, METH_NOARGS, NULL},
    {"nearest", nearest, METH_VARARGS, NULL},
    {"open", core_open, METH_VARARGS, NULL},
    {"parse", core_parse, METH_VARARGS, NULL},
    {"dense", core_dense_new, METH_VARARGS, NULL},
    {"save", core_save, METH_VARARGS, NULL},
    {"page", core_page, METH_VARARGS, NULL},
    {"read_table", core_read_table, METH_VARARGS, NULL},
    {"ensemble", core_ensemble, METH_VARARGS, NULL},
    {"static", core_static, METH_VARARGS, NULL},
    {"reference", core_reference, METH_VARARGS, NULL},
    {"distance", core_distance, METH_VARARGS, NULL},
    {"gradient", core_gradient_new, METH_VARARGS, NULL},
    {"gradient_run", core_gradient_run, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "dalembert._core", .m_doc = "The library behind dalembert.",
    .m_size = -1,          .m_methods = module_methods,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && (core_errors_add(module) < 0 || core_array_add(module) < 0 || core_system_add(module) < 0 ||
                           core_simulation_add(module) < 0 || core_batch_add(module) < 0)) {
        Py_CLEAR(module);
    }
    return module;
}
