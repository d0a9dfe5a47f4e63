/* Arrays of doubles by the buffer protocol, and numbers out of whatever Python hands over. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

typedef struct core_array {
    PyObject_HEAD PyObject *owner; /* of x; NULL: x is from malloc */
    double *x;
    int ndim, writable;
    Py_ssize_t shape[2], strides[2];
} core_array;

static PyTypeObject *array_type;

static int get_buffer(core_array *self, Py_buffer *view, int flags)
{
    const int contiguous = self->ndim == 1 || self->strides[0] == self->shape[1] * (Py_ssize_t)sizeof(double);
    view->obj = NULL;
    if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && !self->writable) {
        PyErr_SetString(PyExc_BufferError, "the array is read-only");
        return -1;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !contiguous) {
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
        return -1;
    }
    view->buf = self->x;
    view->obj = Py_NewRef((PyObject *)self);
    view->itemsize = (Py_ssize_t)sizeof(double);
    view->len = self->shape[0] * (self->ndim == 2 ? self->shape[1] : 1) * view->itemsize;
    view->readonly = !self->writable;
    view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? "d" : NULL;
    view->ndim = self->ndim;
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? self->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static void array_dealloc(core_array *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    if (self->owner == NULL) {
        free(self->x);
    }
    Py_CLEAR(self->owner);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static int array_traverse(core_array *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->owner);
    return 0;
}

static Py_ssize_t array_length(core_array *self)
{
    return self->shape[0];
}

static PyType_Slot array_slots[] = {
    {Py_tp_doc, "Doubles in memory of the library, by the buffer protocol."},
    {Py_tp_dealloc, array_dealloc},
    {Py_tp_traverse, array_traverse},
    {Py_sq_length, array_length},
    {Py_bf_getbuffer, get_buffer},
    {0, NULL},
};

static PyType_Spec array_spec = {
    .name = "dalembert._core.Array",
    .basicsize = sizeof(core_array),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = array_slots,
};

int core_array_add(PyObject *module)
{
    array_type = (PyTypeObject *)PyType_FromSpec(&array_spec);
    return array_type != NULL ? PyModule_AddObjectRef(module, "Array", (PyObject *)array_type) : -1;
}

static PyObject *array_new(PyObject *owner, double *x, Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t stride,
                           int writable)
{
    core_array *self = PyObject_GC_New(core_array, array_type);
    if (self == NULL) {
        return NULL;
    }
    self->owner = Py_XNewRef(owner);
    self->x = x;
    self->ndim = cols < 0 ? 1 : 2;
    self->writable = writable;
    self->shape[0] = rows;
    self->shape[1] = cols < 0 ? 1 : cols;
    self->strides[0] = (cols < 0 ? 1 : stride) * (Py_ssize_t)sizeof(double);
    self->strides[1] = (Py_ssize_t)sizeof(double);
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

PyObject *core_array_view(PyObject *owner, double *x, Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t stride, int writable)
{
    return array_new(owner, x, rows, cols, stride, writable);
}

PyObject *core_array_own(double *memory, Py_ssize_t rows, Py_ssize_t cols)
{
    PyObject *array = array_new(NULL, memory, rows, cols, cols, 1);
    if (array == NULL) {
        free(memory);
    }
    return array;
}

PyObject *core_array_copy(const double *x, Py_ssize_t n)
{
    double *memory = malloc((size_t)(n > 0 ? n : 1) * sizeof *memory);
    if (memory == NULL) {
        return PyErr_NoMemory();
    }
    if (n > 0) {
        memcpy(memory, x, (size_t)n * sizeof *memory);
    }
    return core_array_own(memory, n, -1);
}

/* numpy.asarray, imported at the first need. */
static PyObject *asarray(void)
{
    static PyObject *function;
    if (function == NULL) {
        PyObject *numpy = PyImport_ImportModule("numpy");
        function = numpy != NULL ? PyObject_GetAttrString(numpy, "asarray") : NULL;
        Py_XDECREF(numpy);
    }
    return function;
}

PyObject *core_numpy(PyObject *array)
{
    PyObject *function = array != NULL ? asarray() : NULL;
    PyObject *result = function != NULL ? PyObject_CallFunctionObjArgs(function, array, NULL) : NULL;
    Py_XDECREF(array);
    return result;
}

/* ---- numbers in ------------------------------------------------------------------------------- */

static int is_doubles(const Py_buffer *b)
{
    return b->itemsize == (Py_ssize_t)sizeof(double) && b->format != NULL &&
           (strcmp(b->format, "d") == 0 || strcmp(b->format, "=d") == 0 || strcmp(b->format, "<d") == 0 ||
            strcmp(b->format, "@d") == 0);
}

/* A buffer of doubles: that of the object itself, or of an array that NumPy makes of it. */
static int get_doubles(Py_buffer *b, PyObject *object)
{
    if (PyObject_CheckBuffer(object)) {
        if (PyObject_GetBuffer(object, b, PyBUF_FORMAT | PyBUF_STRIDES) == 0) {
            if (is_doubles(b)) {
                return 0;
            }
            PyBuffer_Release(b);
        } else {
            PyErr_Clear();
        }
    }
    PyObject *function = asarray();
    PyObject *array = function != NULL ? PyObject_CallFunction(function, "(Os)", object, "float64") : NULL;
    if (array == NULL) {
        return -1;
    }
    const int code = PyObject_GetBuffer(array, b, PyBUF_FORMAT | PyBUF_STRIDES);
    Py_DECREF(array); // the buffer keeps it
    return code;
}

static int wrong_shape(const Py_buffer *b, const char *what, const char *wanted)
{
    char shape[100] = "a number";
    if (b->ndim == 1) {
        PyOS_snprintf(shape, sizeof shape, "%zd", b->shape[0]);
    } else if (b->ndim == 2) {
        PyOS_snprintf(shape, sizeof shape, "%zd x %zd", b->shape[0], b->shape[1]);
    } else if (b->ndim > 2) {
        PyOS_snprintf(shape, sizeof shape, "an array of %d dimensions", b->ndim);
    }
    PyErr_Format(PyExc_ValueError, "%s: %s expected, not %s", what, wanted, shape);
    return -1;
}

static double entry(const Py_buffer *b, Py_ssize_t i, Py_ssize_t j)
{
    double x;
    const char *at =
        (const char *)b->buf + (b->ndim > 0 ? i * b->strides[0] : 0) + (b->ndim > 1 ? j * b->strides[1] : 0);
    memcpy(&x, at, sizeof x);
    return x;
}

int core_read_vector(double *x, Py_ssize_t n, PyObject *object, const char *what)
{
    Py_buffer b;
    char wanted[40];
    if (n == 1 && (PyFloat_Check(object) || PyLong_Check(object))) {
        x[0] = PyFloat_AsDouble(object);
        return x[0] == -1.0 && PyErr_Occurred() != NULL ? -1 : 0;
    }
    if (get_doubles(&b, object) < 0) {
        return -1;
    }
    int code = 0;
    if ((b.ndim != 1 || b.shape[0] != n) && !(b.ndim == 0 && n == 1)) {
        PyOS_snprintf(wanted, sizeof wanted, "%zd numbers", n);
        code = wrong_shape(&b, what, wanted);
    }
    for (Py_ssize_t i = 0; code == 0 && i < n; ++i) {
        x[i] = entry(&b, i, 0);
    }
    PyBuffer_Release(&b);
    return code;
}

int core_read_matrix(double *x, Py_ssize_t rows, Py_ssize_t cols, PyObject *object, const char *what)
{
    Py_buffer b;
    char wanted[60];
    if (get_doubles(&b, object) < 0) {
        return -1;
    }
    int code = 0;
    const int one = b.ndim == 0 && rows == 1 && cols == 1, row = b.ndim == 1 && rows == 1 && b.shape[0] == cols;
    if (!one && !row && (b.ndim != 2 || b.shape[0] != rows || b.shape[1] != cols)) {
        PyOS_snprintf(wanted, sizeof wanted, "%zd x %zd numbers", rows, cols);
        code = wrong_shape(&b, what, wanted);
    }
    for (Py_ssize_t j = 0; code == 0 && j < cols; ++j) {
        for (Py_ssize_t i = 0; i < rows; ++i) {
            x[i + j * rows] = row ? entry(&b, j, 0) : entry(&b, i, j);
        }
    }
    PyBuffer_Release(&b);
    return code;
}

double *core_read_any(PyObject *object, Py_ssize_t *n, const char *what)
{
    Py_buffer b;
    double *x = NULL;
    if (get_doubles(&b, object) < 0) {
        return NULL;
    }
    if (b.ndim != 1) {
        wrong_shape(&b, what, "a list of numbers");
    } else {
        *n = b.shape[0];
        x = malloc((size_t)(*n > 0 ? *n : 1) * sizeof *x);
        for (Py_ssize_t i = 0; x != NULL && i < *n; ++i) {
            x[i] = entry(&b, i, 0);
        }
        if (x == NULL) {
            PyErr_NoMemory();
        }
    }
    PyBuffer_Release(&b);
    return x;
}

/* ---- texts in --------------------------------------------------------------------------------- */

int core_texts_get(core_texts *texts, PyObject *sequence, const char *what)
{
    *texts = (core_texts){0};
    if (PyUnicode_Check(sequence) || PyBytes_Check(sequence)) {
        PyErr_Format(PyExc_TypeError, "%s: a list of texts expected", what);
        return -1;
    }
    texts->keep = PySequence_Tuple(sequence);
    const Py_ssize_t n = texts->keep != NULL ? PyTuple_Size(texts->keep) : -1;
    if (n < 0 || n > 100000) {
        if (n >= 0) {
            PyErr_Format(PyExc_ValueError, "%s: too many", what);
        }
        core_texts_free(texts);
        return -1;
    }
    texts->text = malloc((size_t)(n + 1) * sizeof *texts->text);
    if (texts->text == NULL) {
        PyErr_NoMemory();
        core_texts_free(texts);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject *item = PyTuple_GetItem(texts->keep, i);
        Py_ssize_t length = 0;
        texts->text[i] = PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &length) : NULL;
        if (texts->text[i] == NULL || strlen(texts->text[i]) != (size_t)length) {
            if (PyErr_Occurred() == NULL) {
                PyErr_Format(PyExc_TypeError, "%s: a text expected, without zeros in it", what);
            }
            core_texts_free(texts);
            return -1;
        }
    }
    texts->n = (int)n;
    return 0;
}

void core_texts_free(core_texts *texts)
{
    Py_CLEAR(texts->keep);
    free((void *)texts->text);
    texts->text = NULL;
}
