/* Many runs of one model with other values of its variables, on all cores, without the interpreter. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core.h"

enum { MOST_THREADS = 1024 };

/* What all members share. */
typedef struct job {
    const core_system *system;
    const char *source; /* text of the model */
    size_t source_size;
    const char *path; /* or where it is read; NULL: the text */
    int outside;
    core_texts set, names; /* assignments for all; names of what varies */
    dal_binding *binding; /* sets the values on a simulation; NULL: they change the structure, the model is read anew */
    const double *values; /* n rows of names.n numbers */
    int n;
    dal_options options;
    double t_end;
    const double *times; /* ntimes of them; NULL: the end alone */
    int ntimes;
    const int *column; /* width outputs that are kept */
    int width;
    double *out;    /* n x ntimes x width */
    char **message; /* n: why a member failed; NULL: it did not */
    atomic_int next, cancel;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    int running;
} job;

/* One member on its way, or several in turn where the binding sets their values. */
typedef struct member {
    job *job;
    dal_ctx *ctx;
    dal_document *doc; /* of its own, where there is no binding */
    dal_channels *channels;
    const dal_model *model;
    dal_sim *sim;
    int *column; /* where the outputs that are kept are in this model */
    double *x;   /* all outputs */
    double *row; /* where the next values go */
} member;

static dal_status keep(dal_sim *sim, const dal_point *at, void *user);
static dal_status observe(dal_sim *sim, const dal_state *state, void *user);

/* ---- one member ------------------------------------------------------------------------------- */

static dal_status no_memory(const member *m)
{
    return dal_fail(m->ctx, DAL_ENOMEM, "out of memory");
}

/* The output that a value belongs to. */
static dal_output_info output_of(const dal_model *model, int value)
{
    for (int k = 0; k < dal_model_output_count(model); ++k) {
        const dal_output_info info = dal_model_output_info(model, k);
        if (value >= info.first && value < info.first + info.n) {
            return info;
        }
    }
    return (dal_output_info){.name = ""};
}

/* Another structure may have its outputs elsewhere: they are found by name. */
static dal_status find_columns(member *m, const dal_model *model)
{
    const job *j = m->job;
    m->column = malloc(((size_t)j->width + 1) * sizeof *m->column);
    DAL_TRY(m->column != NULL ? DAL_OK : no_memory(m));
    for (int k = 0; k < j->width; ++k) {
        const dal_output_info wanted = output_of(j->system->model, j->column[k]);
        m->column[k] = j->column[k];
        if (model == j->system->model) {
            continue;
        }
        dal_output_info found = {0};
        for (int o = 0; o < dal_model_output_count(model); ++o) {
            const dal_output_info info = dal_model_output_info(model, o);
            found = strcmp(info.name, wanted.name) == 0 ? info : found;
        }
        if (found.n != wanted.n) {
            return dal_fail(m->ctx, DAL_EINVAL, "this member has no output '%s' as the model has it", wanted.name);
        }
        m->column[k] += found.first - wanted.first;
    }
    return DAL_OK;
}

/* A simulation that is watched and sampled. */
static dal_status create(member *m, const dal_model *model, const dal_system *sys)
{
    const job *j = m->job;
    m->model = model;
    m->x = calloc((size_t)dal_model_output_size(model) + 1, sizeof *m->x);
    DAL_TRY(m->x != NULL ? DAL_OK : no_memory(m));
    DAL_TRY(find_columns(m, model));
    DAL_TRY(dal_sim_create(&m->sim, m->ctx, sys, &j->options));
    DAL_TRY(dal_sim_observe(m->sim, observe, m));
    const dal_sampling when = {.times = j->times, .n = j->ntimes};
    return j->times != NULL ? dal_sim_sample(m->sim, &when, keep, m) : DAL_OK;
}

/* The document with the values of member i. */
static dal_status open_anew(member *m, int i)
{
    const job *j = m->job;
    const int k = j->names.n, n = j->set.n + k;
    const char **set = malloc(((size_t)n + 1) * sizeof *set);
    char(*text)[300] = malloc(((size_t)k + 1) * sizeof *text);
    dal_status st = set != NULL && text != NULL ? DAL_OK : no_memory(m);
    for (int a = 0; set != NULL && text != NULL && a < n; ++a) {
        const int b = a - j->set.n;
        if (b >= 0) {
            snprintf(text[b], sizeof text[b], "%.200s=%.17g", j->names.text[b],
                     j->values[(size_t)i * (size_t)k + (size_t)b]);
        }
        set[a] = b < 0 ? j->set.text[a] : text[b];
    }
    const dal_load_options how = {.set = set, .nset = n, .files_outside = j->outside};
    if (st == DAL_OK) {
        st = j->path != NULL ? dal_document_open_with(&m->doc, m->ctx, j->path, &how)
                             : dal_document_parse(&m->doc, m->ctx, j->source, j->source_size, "model", set, n);
    }
    free((void *)set);
    free(text);
    return st;
}

/* A simulation with the values of member i, started. */
static dal_status prepare(member *m, int i)
{
    const job *j = m->job;
    if (j->binding != NULL) {
        if (m->sim == NULL) {
            DAL_TRY(create(m, j->system->model, j->system->sys));
        }
        return dal_binding_start(j->binding, m->sim, NULL, j->values + (size_t)i * (size_t)j->names.n);
    }
    DAL_TRY(open_anew(m, i));
    const dal_system *sys;
    dal_model *model = dal_document_model(m->doc);
    DAL_TRY(dal_channels_create(&m->channels, m->ctx, model));
    DAL_TRY(dal_model_compile(model, &sys));
    DAL_TRY(dal_document_assemble(m->doc, NULL, sys));
    DAL_TRY(create(m, model, sys));
    return dal_sim_start(m->sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model));
}

static void release(member *m)
{
    dal_sim_destroy(m->sim);
    dal_channels_destroy(m->channels);
    dal_document_destroy(m->doc);
    free(m->x);
    free(m->column);
    m->column = NULL;
    m->sim = NULL;
    m->channels = NULL;
    m->doc = NULL;
    m->x = NULL;
}

static dal_status keep(dal_sim *sim, const dal_point *at, void *user)
{
    member *m = user;
    const job *j = m->job;
    DAL_TRY(dal_model_outputs(m->model, dal_sim_data(sim), m->x, at));
    for (int k = 0; k < j->width; ++k) {
        m->row[k] = m->x[m->column[k]];
    }
    m->row += j->width;
    return DAL_OK;
}

static dal_status observe(dal_sim *sim, const dal_state *state, void *user)
{
    const member *m = user;
    (void)sim;
    (void)state;
    return atomic_load_explicit(&m->job->cancel, memory_order_relaxed) ? DAL_RETRY : DAL_OK;
}

static dal_status simulate(member *m, int i)
{
    const job *j = m->job;
    DAL_TRY(prepare(m, i));
    DAL_TRY(dal_sim_run(m->sim, NULL, j->t_end));
    if (j->times != NULL) {
        return DAL_OK;
    }
    const dal_state s = dal_sim_shown_state(m->sim);
    return keep(m->sim, &(dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la}, m);
}

static char *copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

/* ---- threads ---------------------------------------------------------------------------------- */

static void *work(void *user)
{
    member m = {.job = user};
    job *j = m.job;
    const size_t size = (size_t)j->ntimes * (size_t)j->width;
    const dal_status created = dal_ctx_create(&m.ctx, NULL);
    for (int i; !atomic_load(&j->cancel) && (i = atomic_fetch_add(&j->next, 1)) < j->n;) {
        m.row = j->out + (size_t)i * size;
        const dal_status st = created == DAL_OK ? simulate(&m, i) : created;
        if (st != DAL_OK) {
            const char *text = dal_ctx_message(m.ctx);
            j->message[i] = copy_text(text[0] != '\0' ? text : dal_status_text(st));
        }
        for (double *end = j->out + ((size_t)i + 1) * size; m.row < end; ++m.row) {
            *m.row = NAN; // what was not reached
        }
        if (st != DAL_OK || j->binding == NULL) { // after a failure some numbers may be those of this member
            release(&m);
        }
    }
    release(&m);
    dal_ctx_destroy(m.ctx);
    pthread_mutex_lock(&j->mutex);
    --j->running;
    pthread_cond_signal(&j->ended);
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

/* Wait until all are done; now and then ask whether Ctrl-C was pressed. */
static void wait_for_all(job *j, PyThreadState **saved)
{
    pthread_mutex_lock(&j->mutex);
    while (j->running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&j->ended, &j->mutex, &until);
        if (j->running > 0 && !atomic_load(&j->cancel)) {
            pthread_mutex_unlock(&j->mutex);
            PyEval_RestoreThread(*saved);
            if (PyErr_CheckSignals() < 0) {
                atomic_store(&j->cancel, 1);
            }
            *saved = PyEval_SaveThread();
            pthread_mutex_lock(&j->mutex);
        }
    }
    pthread_mutex_unlock(&j->mutex);
}

static void run(job *j, int threads)
{
    pthread_t id[MOST_THREADS];
    int n = 0;
    PyThreadState *saved = PyEval_SaveThread();
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->ended, NULL);
    pthread_mutex_lock(&j->mutex);
    while (n < threads && n < j->n && pthread_create(&id[n], NULL, work, j) == 0) {
        ++n;
    }
    j->running += n;
    pthread_mutex_unlock(&j->mutex);
    if (n == 0) { // no thread to be had
        j->running = 1;
        work(j);
    }
    wait_for_all(j, &saved);
    for (int i = 0; i < n; ++i) {
        pthread_join(id[i], NULL);
    }
    pthread_cond_destroy(&j->ended);
    pthread_mutex_destroy(&j->mutex);
    PyEval_RestoreThread(saved);
}

/* ---- the call --------------------------------------------------------------------------------- */

static PyObject *messages(const job *j)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < j->n; ++i) {
        PyObject *item = j->message[i] != NULL
                             ? PyUnicode_DecodeUTF8(j->message[i], (Py_ssize_t)strlen(j->message[i]), "replace")
                             : Py_NewRef(Py_None);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

/* The options of all members. */
static int read_options(job *j, const char *method, PyObject *assignments)
{
    core_texts set;
    dal_ctx *ctx = NULL;
    if (core_texts_get(&set, assignments, "options") < 0) {
        return -1;
    }
    j->options = j->system->options;
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK && method != NULL ? dal_options_method(ctx, &j->options, method) : st;
    for (int i = 0; st == DAL_OK && i < set.n; ++i) {
        st = dal_options_parse(ctx, dal_options_table(), &j->options, set.text[i]);
    }
    if (st != DAL_OK) {
        core_raise(ctx, st, 0);
    }
    dal_ctx_destroy(ctx);
    core_texts_free(&set);
    return st == DAL_OK ? 0 : -1;
}

static int read_columns(job *j, PyObject *object, int **column)
{
    Py_ssize_t n = 0;
    double *x = core_read_any(object, &n, "columns");
    const int most = dal_model_output_size(j->system->model);
    *column = x != NULL ? malloc(((size_t)n + 1) * sizeof **column) : NULL;
    int code = *column != NULL ? 0 : -1;
    for (Py_ssize_t i = 0; code == 0 && i < n; ++i) {
        code = x[i] >= 0.0 && x[i] < most ? 0 : -1;
        (*column)[i] = code == 0 ? (int)x[i] : 0;
    }
    if (code < 0 && PyErr_Occurred() == NULL) {
        PyErr_SetString(PyExc_ValueError, "columns: there is no such output");
    }
    free(x);
    j->column = *column;
    j->width = (int)n;
    return code;
}

static int read_times(job *j, PyObject *object, double **times)
{
    Py_ssize_t n = 1;
    *times = NULL;
    if (object != Py_None && (*times = core_read_any(object, &n, "times")) == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; *times != NULL && i < n; ++i) {
        if (!(i == 0 ? (*times)[0] >= 0.0 : (*times)[i] > (*times)[i - 1]) || !((*times)[i] <= j->t_end)) {
            PyErr_SetString(PyExc_ValueError, "times: they must increase from 0 on and not exceed t_end");
            return -1;
        }
    }
    j->times = *times;
    j->ntimes = (int)n;
    return 0;
}

static int read_values(job *j, PyObject *object, Py_buffer *buffer)
{
    if (PyObject_GetBuffer(object, buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
        return -1;
    }
    if (buffer->ndim != 2 || strcmp(buffer->format, "d") != 0 || buffer->shape[1] != j->names.n ||
        buffer->shape[0] > 100000000) {
        PyErr_SetString(PyExc_ValueError, "values: a row of numbers for each member, one for each name");
        PyBuffer_Release(buffer);
        return -1;
    }
    j->values = buffer->buf;
    j->n = (int)buffer->shape[0];
    return 0;
}

/* What cannot be set on a simulation is told by the reason there; then the model is read anew for each member, and what is
 * wrong with it shows there. */
static void bind(job *j, dal_ctx *ctx)
{
    if (j->names.n > 0 && dal_binding_create(&j->binding, ctx, j->system->doc, j->names.text, j->names.n) != DAL_OK) {
        j->binding = NULL;
    }
}

static PyObject *run_all(job *j, int threads)
{
    dal_ctx *ctx = NULL;
    const size_t size = (size_t)j->n * (size_t)j->ntimes * (size_t)j->width;
    j->out = calloc(size + 1, sizeof *j->out);
    j->message = calloc((size_t)j->n + 1, sizeof *j->message);
    PyObject *result = NULL;
    if (j->out == NULL || j->message == NULL || dal_ctx_create(&ctx, NULL) != DAL_OK) {
        PyErr_NoMemory();
    } else {
        bind(j, ctx);
        run(j, threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads);
        if (PyErr_Occurred() == NULL) {
            PyObject *array = core_array_own(j->out, (Py_ssize_t)size, -1);
            j->out = NULL;
            result = Py_BuildValue("(NN)", array, messages(j));
        }
    }
    for (int i = 0; j->message != NULL && i < j->n; ++i) {
        free(j->message[i]);
    }
    free(j->message);
    free(j->out);
    dal_binding_destroy(j->binding);
    dal_ctx_destroy(ctx);
    return result;
}

/* ensemble(system, path or None, outside, set, names, values, method, options, t_end, times or None, columns, threads)
 * -> (values of the outputs, messages). An interruption is raised. */
PyObject *core_ensemble(PyObject *module, PyObject *args)
{
    job j = {0};
    core_system *system;
    const char *method;
    PyObject *set, *names, *values, *options, *times_object, *columns, *result = NULL;
    int threads, *column = NULL;
    double *times = NULL;
    Py_buffer buffer;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!zpOOOzOdOOi:ensemble", core_system_type, &system, &j.path, &j.outside, &set, &names,
                          &values, &method, &options, &j.t_end, &times_object, &columns, &threads)) {
        return NULL;
    }
    if (system->model == NULL) {
        PyErr_SetString(PyExc_TypeError, "an ensemble needs a model");
        return NULL;
    }
    j.system = system;
    j.source = dal_document_text(system->doc);
    j.source_size = strlen(j.source);
    if (core_texts_get(&j.set, set, "assignments") == 0 && core_texts_get(&j.names, names, "names") == 0 &&
        read_values(&j, values, &buffer) == 0) {
        if (read_options(&j, method, options) == 0 && read_columns(&j, columns, &column) == 0 &&
            read_times(&j, times_object, &times) == 0) {
            result = run_all(&j, threads);
        }
        PyBuffer_Release(&buffer);
    }
    core_texts_free(&j.set);
    core_texts_free(&j.names);
    free(column);
    free(times);
    return result;
}
