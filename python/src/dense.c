/* Equations of the user: callables for M, g, Phi, B ... */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* In the order in which they are handed over. */
typedef enum part {
    PART_M,
    PART_g,
    PART_Phi,
    PART_B,
    PART_b,
    PART_Z,
    PART_acc,
    PART_C,
    PART_K,
    PART_G,
    PART_energy,
    PARTS
} part;
static const char *const part_name[PARTS] = {"M", "g", "Phi", "B", "b", "Z", "acc", "C", "K", "G", "energy"};

struct core_dense {
    PyObject *call[PARTS]; /* NULL: not given */
    dal_group *group;
    dal_system *sys;
    int nq, nv, nc, rows; /* holonomic rows, all rows */
    int lambda_in_g;
};

/* ---- calls ------------------------------------------------------------------------------------ */

typedef struct arguments {
    double t;
    const double *q, *v, *vd, *la; /* NULL: not an argument */
} arguments;

/* call[part](t, q, v, vd, la), with those arguments that are given. Arrays are made for each call: other threads may use
 * the system at the same time, and the callee may keep them. */
static PyObject *call(const core_dense *d, part which, const arguments *a)
{
    const double *x[4] = {a->q, a->v, a->vd, a->la};
    const int n[4] = {d->nq, d->nv, d->nv, d->rows};
    int count = 1;
    if (PyErr_Occurred() != NULL || d->call[which] == NULL) {
        return NULL;
    }
    for (int i = 0; i < 4; ++i) {
        count += x[i] != NULL;
    }
    PyObject *args = PyTuple_New(count);
    PyObject *time = args != NULL ? PyFloat_FromDouble(a->t) : NULL;
    int ok = time != NULL && PyTuple_SetItem(args, 0, time) == 0;
    for (int i = 0, k = 1; ok && i < 4; ++i) {
        if (x[i] != NULL) {
            PyObject *array = core_numpy(core_array_copy(x[i], n[i]));
            ok = array != NULL && PyTuple_SetItem(args, k++, array) == 0;
        }
    }
    PyObject *result = ok ? PyObject_Call(d->call[which], args, NULL) : NULL;
    Py_XDECREF(args);
    return result;
}

/* rows x cols numbers of what the callable returns; cols < 0: a vector */
static dal_status evaluate(double *out, const core_dense *d, part which, int rows, int cols, const arguments *a)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = call(d, which, a);
    int code = -1;
    if (result != NULL) {
        code = cols < 0 ? core_read_vector(out, rows, result, part_name[which])
                        : core_read_matrix(out, rows, cols, result, part_name[which]);
        Py_DECREF(result);
    }
    PyGILState_Release(gil);
    return code == 0 ? DAL_OK : DAL_ECALLBACK;
}

static dal_status call_M(double *M, double t, const double *q, void *user)
{
    const core_dense *d = user;
    return evaluate(M, d, PART_M, d->nv, d->nv, &(arguments){.t = t, .q = q});
}

static dal_status call_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    const core_dense *d = user;
    return evaluate(g, d, PART_g, d->nv, -1, &(arguments){.t = t, .q = q, .v = v, .la = d->lambda_in_g ? la : NULL});
}

static dal_status call_Phi(double *Phi, double t, const double *q, void *user)
{
    const core_dense *d = user;
    return evaluate(Phi, d, PART_Phi, d->nc, -1, &(arguments){.t = t, .q = q});
}

static dal_status call_B(double *B, double t, const double *q, void *user)
{
    const core_dense *d = user;
    return evaluate(B, d, PART_B, d->rows, d->nv, &(arguments){.t = t, .q = q});
}

static dal_status call_b(double *b, double t, const double *q, void *user)
{
    const core_dense *d = user;
    return evaluate(b, d, PART_b, d->rows, -1, &(arguments){.t = t, .q = q});
}

static dal_status call_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    const core_dense *d = user;
    return evaluate(Z, d, PART_Z, d->rows, d->nv, &(arguments){.t = t, .q = q, .v = v});
}

static dal_status call_acc(double *w, double t, const double *q, const double *v, void *user)
{
    const core_dense *d = user;
    return evaluate(w, d, PART_acc, d->rows, -1, &(arguments){.t = t, .q = q, .v = v});
}

static dal_status call_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    const core_dense *d = user;
    return evaluate(C, d, PART_C, d->nv, d->nv, &(arguments){.t = t, .q = q, .v = v, .la = d->lambda_in_g ? la : NULL});
}

static dal_status call_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                         void *user)
{
    static const double none[1] = {0.0};
    const core_dense *d = user;
    return evaluate(K, d, PART_K, d->nv, d->nv,
                    &(arguments){.t = t, .q = q, .v = v, .vd = vd, .la = la != NULL ? la : none});
}

static dal_status call_G(double *G, double t, const double *q, const double *v, const double *la, void *user)
{
    const core_dense *d = user;
    return evaluate(G, d, PART_G, d->nv, d->rows, &(arguments){.t = t, .q = q, .v = v, .la = la});
}

static double call_energy(double t, const double *q, const double *v, void *user)
{
    double energy = NAN;
    const core_dense *d = user;
    return evaluate(&energy, d, PART_energy, 1, -1, &(arguments){.t = t, .q = q, .v = v}) == DAL_OK ? energy : NAN;
}

/* ---- memory ----------------------------------------------------------------------------------- */

void core_dense_clear(core_dense *d)
{
    for (int k = 0; k < PARTS; ++k) {
        Py_CLEAR(d->call[k]);
    }
}

int core_dense_traverse(core_dense *d, visitproc visit, void *arg)
{
    for (int k = 0; k < PARTS; ++k) {
        Py_VISIT(d->call[k]);
    }
    return 0;
}

void core_dense_free(core_dense *d)
{
    dal_dense_destroy(d->sys);
    dal_group_destroy(d->group);
    core_dense_clear(d);
    free(d);
}

/* ---- creation --------------------------------------------------------------------------------- */

/* A factor from (name, n). */
static int read_factor(dal_factor_spec *spec, PyObject *item)
{
    const char *name;
    int n;
    if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "si", &name, &n)) {
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_TypeError, "group: pairs of a name and a dimension expected");
        }
        return -1;
    }
    static const char *const names[DAL_FACTOR_KINDS] = {
        [DAL_FACTOR_RN] = "rn",   [DAL_FACTOR_SO3] = "so3", [DAL_FACTOR_R3SO3] = "r3so3",
        [DAL_FACTOR_SE3] = "se3", [DAL_FACTOR_SE2] = "se2", [DAL_FACTOR_R2S1] = "r2s1"};
    for (int k = 0; k < DAL_FACTOR_KINDS; ++k) {
        if (strcmp(name, names[k]) == 0) {
            *spec = (dal_factor_spec){.kind = (dal_factor_kind)k, .n = k == DAL_FACTOR_RN ? n : 0};
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "group: no factor '%s'; there are rn, so3, r3so3, se3, se2, r2s1", name);
    return -1;
}

static int read_group(core_system *self, PyObject *list)
{
    core_dense *d = self->dense;
    const Py_ssize_t n = PySequence_Size(list);
    if (n < 1 || n > 100000) {
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_ValueError, "group: at least one factor is needed");
        }
        return -1;
    }
    dal_factor_spec *spec = calloc((size_t)n, sizeof *spec);
    int code = spec != NULL ? 0 : -1;
    for (Py_ssize_t i = 0; code == 0 && i < n; ++i) {
        PyObject *item = PySequence_GetItem(list, i);
        code = item != NULL ? read_factor(&spec[i], item) : -1;
        Py_XDECREF(item);
    }
    if (code == 0) {
        const dal_status st = dal_group_create(&d->group, self->ctx, spec, (int)n);
        code = st == DAL_OK ? 0 : -1;
        if (code < 0) {
            core_raise(self->ctx, st, 1);
        }
    } else if (spec == NULL) {
        PyErr_NoMemory();
    }
    free(spec);
    return code;
}

static int read_parts(core_dense *d, PyObject *tuple)
{
    if (PyTuple_Size(tuple) != PARTS) {
        PyErr_SetString(PyExc_ValueError, "wrong number of callables");
        return -1;
    }
    for (int k = 0; k < PARTS; ++k) {
        PyObject *item = PyTuple_GetItem(tuple, k);
        if (item != Py_None && !PyCallable_Check(item)) {
            PyErr_Format(PyExc_TypeError, "%s: a function expected", part_name[k]);
            return -1;
        }
        d->call[k] = item != Py_None ? Py_NewRef(item) : NULL;
    }
    return 0;
}

#define GIVEN(name) (d->call[PART_##name] != NULL ? call_##name : NULL)

static dal_status create(core_system *self, int nc, int nn, int time_dependent, int lambda_in_g)
{
    core_dense *d = self->dense;
    d->nq = d->group->nq;
    d->nv = d->group->nv;
    d->nc = nc;
    d->rows = nc + nn;
    d->lambda_in_g = lambda_in_g;
    const dal_dense dense = {.group = d->group,
                             .nc = nc,
                             .nn = nn,
                             .time_dependent = time_dependent,
                             .lambda_in_g = lambda_in_g,
                             .user = d,
                             .M = GIVEN(M),
                             .g = GIVEN(g),
                             .Phi = GIVEN(Phi),
                             .B = GIVEN(B),
                             .b = GIVEN(b),
                             .Z = GIVEN(Z),
                             .acc = GIVEN(acc),
                             .C = GIVEN(C),
                             .K = GIVEN(K),
                             .G = GIVEN(G),
                             .energy = GIVEN(energy)};
    DAL_TRY(dal_dense_create(&d->sys, self->ctx, &dense));
    self->sys = d->sys;
    return DAL_OK;
}

/* dense(group, nc, nn, time_dependent, lambda_in_g, (M, g, Phi, B, b, Z, acc, C, K, G, energy)) */
PyObject *core_dense_new(PyObject *module, PyObject *args)
{
    PyObject *group, *parts;
    int nc, nn, time_dependent, lambda_in_g;
    (void)module;
    if (!PyArg_ParseTuple(args, "OiippO!:dense", &group, &nc, &nn, &time_dependent, &lambda_in_g, &PyTuple_Type,
                          &parts)) {
        return NULL;
    }
    if (nc < 0 || nn < 0 || nc > 100000 || nn > 100000) {
        PyErr_SetString(PyExc_ValueError, "nc and nn are numbers of rows, not negative");
        return NULL;
    }
    core_system *self = core_system_new();
    if (self == NULL) {
        return NULL;
    }
    self->dense = calloc(1, sizeof *self->dense);
    if (self->dense == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    if (read_parts(self->dense, parts) < 0 || read_group(self, group) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    const dal_status st = create(self, nc, nn, time_dependent, lambda_in_g);
    if (st != DAL_OK) {
        core_raise(self->ctx, st, 1);
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}
