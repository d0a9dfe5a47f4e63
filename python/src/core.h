/* The extension dalembert._core: systems, simulations and arrays for Python, on the stable ABI. The typed layer that
 * users see is in python/dalembert.
 *
 * A thread that computes for long lets the interpreter go; callbacks take it back. What a Python
 * callback raises stays set as the error of its thread until the library has returned: then it travels on. */
#ifndef CORE_H
#define CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <dalembert/dalembert.h>

#define CORE_LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- errors: error.c -------------------------------------------------------------------------- */

extern PyObject *core_error; /* dalembert.Error, the base of the others */

int core_errors_add(PyObject *module);
/* Raise what belongs to a status, with the message of the context; keeps an exception of a callback that is set already.
 * `model`: the failure is one of the model (ModelError) unless it is one of an option, a file or memory. Returns NULL. */
PyObject *core_raise(const dal_ctx *ctx, dal_status st, int model);
PyObject *core_raise_text(dal_status st, const char *text, int model);

/* What the library warned of. Filled without the interpreter; the last ones are kept. */
enum { CORE_WARNINGS = 20 };
typedef struct core_log {
    int n;
    char *text[CORE_WARNINGS];
} core_log;

void core_log_add(dal_log_level level, const char *text, void *user); /* user: a core_log */
PyObject *core_log_list(const core_log *log);
void core_log_release(core_log *log);

/* ---- arrays: array.c -------------------------------------------------------------------------- */

int core_array_add(PyObject *module);
/* A view of doubles that belong to `owner` (kept alive). rows x cols, columns at a distance of `stride` numbers each row;
 * cols < 0: one dimension. */
PyObject *core_array_view(PyObject *owner, double *x, Py_ssize_t rows, Py_ssize_t cols, Py_ssize_t stride,
                          int writable);
/* The same with memory of its own (from malloc; released in any case), one row after the other. */
PyObject *core_array_own(double *memory, Py_ssize_t rows, Py_ssize_t cols);
PyObject *core_array_copy(const double *x, Py_ssize_t n);
/* numpy.asarray(array); steals the reference. */
PyObject *core_numpy(PyObject *array);
/* n numbers of an object into x. -1 and TypeError or ValueError, naming `what`. */
int core_read_vector(double *x, Py_ssize_t n, PyObject *object, const char *what);
/* rows x cols numbers, written column-major. */
int core_read_matrix(double *x, Py_ssize_t rows, Py_ssize_t cols, PyObject *object, const char *what);
/* Numbers of any length into new memory (from malloc). */
double *core_read_any(PyObject *object, Py_ssize_t *n, const char *what);

/* Texts of a sequence: pointers into `keep`, a new tuple. core_texts_free releases both. */
typedef struct core_texts {
    PyObject *keep;
    const char **text;
    int n;
} core_texts;
int core_texts_get(core_texts *texts, PyObject *sequence, const char *what);
void core_texts_free(core_texts *texts);

/* ---- systems: system.c, dense.c, attach.c ------------------------------------------------------ */

typedef struct core_dense core_dense;
typedef struct core_law core_law;

typedef struct core_system {
    PyObject_HEAD dal_ctx *ctx;
    core_log log;
    dal_document *doc; /* NULL: equations of the user */
    dal_model *model;
    dal_channels *channels;
    const dal_system *sys;
    dal_options options;
    dal_assembly_report assembly;
    core_dense *dense;
    core_law *laws; /* callables that the model refers to */
} core_system;

extern PyTypeObject *core_system_type;
int core_system_add(PyObject *module);
core_system *core_system_new(void);
PyObject *core_open(PyObject *module, PyObject *args);
PyObject *core_parse(PyObject *module, PyObject *args);
PyObject *core_dense_new(PyObject *module, PyObject *args);
PyObject *core_system_info(core_system *self, PyObject *args);     /* info.c */
PyObject *core_system_channels(core_system *self, PyObject *args); /* info.c */
/* Elements that files cannot say, because they call Python: a list of tuples, see attach.c. */
int core_attach(core_system *self, PyObject *list);
void core_laws_free(core_law *laws);
int core_laws_traverse(const core_law *laws, visitproc visit, void *arg);
void core_laws_clear(core_law *laws);
void core_dense_free(core_dense *dense);
int core_dense_traverse(core_dense *dense, visitproc visit, void *arg);
void core_dense_clear(core_dense *dense);

/* ---- simulations: simulation.c, state.c, watch.c, rows.c ---------------------------------------- */

/* Rows kept in memory: `width` numbers each, the time and then the tables asked for. */
typedef struct core_rows {
    double *x;
    size_t n, room, width;
    int first[DAL_RECORD_TABLES], count[DAL_RECORD_TABLES]; /* channels of the tables that are kept */
    int every;                                              /* 0: only at the times asked for */
} core_rows;

typedef struct core_sim {
    PyObject_HEAD core_system *system;
    dal_ctx *ctx;
    core_log log;
    dal_sim *sim;
    dal_initial_report moved;
    int started;
    int releases;        /* a step takes long enough to let the interpreter go meanwhile */
    unsigned long busy;  /* thread that computes; 0: none */
    int running;         /* in dal_sim_run: look for signals */
    int countdown;       /* steps until the clock is read */
    double checked;      /* when signals were looked for */
    PyObject *raised[3]; /* by a handler of a signal or an observer: the run stops in good order, then it travels on */
    PyObject *memory;    /* Array: owner of `state`, so that views of it do not hold the simulation */
    double *state;       /* q, v, vd, la: copies that stay where they are */
    double *outputs;     /* outputs of the model, when asked for by name */
    PyObject *views[4];  /* NumPy arrays of `state` */
    PyObject *observers; /* list of callables */
    PyObject *events;    /* list of tuples: a capsule, and what it refers to */
    dal_recorder *recorder;
    core_rows rows;
    int recording;
    int watched; /* there are observers */
    double *sample_times;
    dal_binding **binding; /* what values were set with: the simulation refers to their expressions to the end */
    int nbindings;
    dal_binding *set_by; /* the one of `set`, with so many names */
    int nset;
} core_sim;

int core_simulation_add(PyObject *module);
/* 0 if the simulation may be used by this thread now; otherwise an exception and -1. */
int core_sim_ready(core_sim *self, int started);
/* The same for what may not be done in the midst of a step, by a callback. */
int core_sim_idle(core_sim *self, int started);
/* The copies of the state brought up to date. */
void core_sim_refresh(core_sim *self);
/* After a call of the library: 0, or -1 and the exception that belongs to the status or that a callback raised. */
int core_sim_settle(core_sim *self, dal_status st);

extern PyGetSetDef core_sim_getset[]; /* state.c */
PyObject *core_sim_output(core_sim *self, PyObject *args);
PyObject *core_sim_stats(core_sim *self, PyObject *args);
PyObject *core_sim_interpolate(core_sim *self, PyObject *args);
PyObject *core_sim_reaction(core_sim *self, PyObject *args);
PyObject *core_sim_residuals(core_sim *self, PyObject *args);
PyObject *core_sim_save(core_sim *self, PyObject *args);
PyObject *core_sim_restore(core_sim *self, PyObject *args);
PyObject *core_sim_project(core_sim *self, PyObject *args);
PyObject *core_sim_set_step(core_sim *self, PyObject *args);
PyObject *core_sim_set(core_sim *self, PyObject *args);
enum { CORE_INPUTS = 256 }; // of a model; beyond that they are set as variables
PyObject *core_sim_set_inputs(core_sim *self, PyObject *dict);
PyObject *core_sim_inputs(core_sim *self, PyObject *args);
/* The simulation has been set with a binding: it is kept as long as it. -1: no memory, and the binding is gone. */
int core_sim_keep(core_sim *self, dal_binding *binding);
PyObject *core_sim_condition(core_sim *self, PyObject *args);

dal_status core_observe(dal_sim *sim, const dal_state *state, void *user); /* watch.c: user is the core_sim */
PyObject *core_sim_add_event(core_sim *self, PyObject *args);
PyObject *core_sim_remove_event(core_sim *self, PyObject *args);
PyObject *core_sim_add_observer(core_sim *self, PyObject *args);

PyObject *core_sim_record(core_sim *self, PyObject *args); /* rows.c */
PyObject *core_sim_take(core_sim *self, PyObject *args);
PyObject *core_sim_monitor(core_sim *self, PyObject *args);
void core_rows_release(core_sim *self);

PyObject *core_sim_modes(core_sim *self, PyObject *args); /* analysis.c */
PyObject *core_sim_matrices(core_sim *self, PyObject *args);
PyObject *core_sim_linearize(core_sim *self, PyObject *args);
PyObject *core_static(PyObject *module, PyObject *args);

/* ---- files of results: files.c ---------------------------------------------------------------- */

PyObject *core_save(PyObject *module, PyObject *args);
PyObject *core_page(PyObject *module, PyObject *args);
PyObject *core_read_table(PyObject *module, PyObject *args);

/* ---- many runs: ensemble.c; accuracy: study.c -------------------------------------------------- */

int core_batch_add(PyObject *module); /* batch.c */
PyObject *core_ensemble(PyObject *module, PyObject *args);
PyObject *core_reference(PyObject *module, PyObject *args);
PyObject *core_distance(PyObject *module, PyObject *args);
PyObject *core_gradient_new(PyObject *module, PyObject *args); /* gradient.c */
PyObject *core_gradient_run(PyObject *module, PyObject *args);

#endif
