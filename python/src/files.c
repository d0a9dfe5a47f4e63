/* Results that are in memory as files: tables, and the page with the moving mechanism. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Rows as Simulation.take gives them: the time, then the tables of `mask`. */
typedef struct rows {
    Py_buffer buffer;
    const double *x;
    Py_ssize_t n, width;
} rows;

static int rows_get(rows *r, PyObject *object)
{
    if (PyObject_GetBuffer(object, &r->buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0) {
        return -1;
    }
    if (r->buffer.ndim != 2 || r->buffer.itemsize != (Py_ssize_t)sizeof(double) || strcmp(r->buffer.format, "d") != 0 ||
        r->buffer.shape[1] < 1) {
        PyErr_SetString(PyExc_ValueError, "rows: a matrix of numbers expected");
        PyBuffer_Release(&r->buffer);
        return -1;
    }
    r->x = r->buffer.buf;
    r->n = r->buffer.shape[0];
    r->width = r->buffer.shape[1];
    return 0;
}

/* Where the tables of `mask` begin in a row, behind the time; -1: not there. The width of a row. */
static Py_ssize_t layout(const core_system *self, unsigned mask, int first[DAL_RECORD_TABLES])
{
    Py_ssize_t width = 1;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        int channel;
        const int n = (mask >> k & 1u) != 0 ? dal_channels_table(self->channels, &channel, k) : 0;
        first[k] = n > 0 ? (int)width : -1;
        width += n;
    }
    return width;
}

/* ---- tables ----------------------------------------------------------------------------------- */

typedef struct notes {
    PyObject *keep;
    dal_note *note;
    int n;
} notes;

static void notes_free(notes *list)
{
    Py_CLEAR(list->keep);
    free(list->note);
}

/* From pairs of texts. */
static int notes_get(notes *list, PyObject *pairs)
{
    list->keep = PySequence_Tuple(pairs);
    list->n = list->keep != NULL ? (int)PyTuple_Size(list->keep) : 0;
    list->note = calloc((size_t)list->n + 1, sizeof *list->note);
    for (int i = 0; list->keep != NULL && list->note != NULL && i < list->n; ++i) {
        PyObject *item = PyTuple_GetItem(list->keep, i);
        if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "ss", &list->note[i].name, &list->note[i].text)) {
            if (PyErr_Occurred() == NULL) {
                PyErr_SetString(PyExc_TypeError, "notes: pairs of texts expected");
            }
            notes_free(list);
            return -1;
        }
    }
    if (list->keep == NULL || list->note == NULL) {
        if (PyErr_Occurred() == NULL) {
            PyErr_NoMemory();
        }
        notes_free(list);
        return -1;
    }
    return 0;
}

static dal_status write_rows(dal_ctx *ctx, const dal_results_spec *spec, const rows *r)
{
    dal_results *results = NULL;
    dal_status st = dal_results_create(&results, ctx, spec);
    for (Py_ssize_t i = 0; st == DAL_OK && i < r->n; ++i) {
        st = dal_results_row(results, r->x[i * r->width], r->x + i * r->width + 1);
    }
    st = st == DAL_OK ? dal_results_close(results, NULL, 0) : st;
    dal_results_destroy(results);
    return st;
}

/* The tables of the rows with their columns. text has room for two texts a channel. */
static int describe_tables(const core_system *self, unsigned mask, dal_table table[DAL_RECORD_TABLES],
                           const char **text)
{
    const int n = dal_channels_count(self->channels);
    int ntables = 0;
    for (int i = 0; i < n; ++i) {
        const dal_channel c = dal_channels_get(self->channels, i);
        text[i] = c.name;
        text[n + i] = c.unit;
    }
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        int first;
        const int count = dal_channels_table(self->channels, &first, k);
        if ((mask >> k & 1u) != 0 && count > 0) {
            table[ntables++] = (dal_table){dal_record_table_name(k), count, text + first, text + n + first};
        }
    }
    return ntables;
}

static dal_status save(core_system *self, dal_ctx *ctx, const char *path, int format, unsigned mask, const rows *r,
                       const notes *list)
{
    static const char *const all[] = {"outputs", "bodies", "state", "monitor"};
    dal_table table[DAL_RECORD_TABLES];
    const char **text = malloc(2 * (size_t)(dal_channels_count(self->channels) + 1) * sizeof *text);
    if (text == NULL) {
        return DAL_ENOMEM;
    }
    const int ntables = describe_tables(self, mask, table, text);
    const dal_results_spec spec = {.format = (dal_results_format)format,
                                   .path = path,
                                   .ntables = ntables,
                                   .table = table,
                                   .nnotes = format == DAL_RESULTS_CSV_FILE ? 0 : list->n,
                                   .note = list->note,
                                   .nobsolete = CORE_LEN(all),
                                   .obsolete = all};
    const dal_status st = ntables > 0 ? write_rows(ctx, &spec, r) : dal_fail(ctx, DAL_EINVAL, "there is no table");
    free((void *)text);
    return st;
}

static PyObject *conclude(dal_ctx *ctx, dal_status st)
{
    PyObject *result = st == DAL_OK ? Py_NewRef(Py_None) : core_raise(ctx, st, 0);
    dal_ctx_destroy(ctx);
    return result;
}

static int needs_model(const core_system *self)
{
    if (self->channels == NULL) {
        PyErr_SetString(PyExc_TypeError, "this needs a model: equations of your own have no tables and no picture");
        return -1;
    }
    return 0;
}

/* save(system, path, format, mask, rows, notes) */
PyObject *core_save(PyObject *module, PyObject *args)
{
    core_system *self;
    const char *path;
    int format, first[DAL_RECORD_TABLES];
    unsigned mask;
    PyObject *object, *pairs;
    rows r;
    notes list;
    dal_ctx *ctx = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!siIOO:save", core_system_type, &self, &path, &format, &mask, &object, &pairs) ||
        needs_model(self) < 0 || rows_get(&r, object) < 0) {
        return NULL;
    }
    if (format < 0 || format > DAL_RESULTS_CSV_FILE || layout(self, mask, first) != r.width) {
        PyErr_SetString(PyExc_ValueError, "rows: they do not belong to these tables");
        PyBuffer_Release(&r.buffer);
        return NULL;
    }
    if (notes_get(&list, pairs) < 0) {
        PyBuffer_Release(&r.buffer);
        return NULL;
    }
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK ? save(self, ctx, path, format, mask, &r, &list) : st;
    notes_free(&list);
    PyBuffer_Release(&r.buffer);
    return conclude(ctx, st);
}

/* read_table(path, name) -> (names of the columns, rows) */
PyObject *core_read_table(PyObject *module, PyObject *args)
{
    const char *path, *name;
    dal_ctx *ctx = NULL;
    dal_table_data data;
    (void)module;
    if (!PyArg_ParseTuple(args, "ss:read_table", &path, &name)) {
        return NULL;
    }
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK ? dal_table_read(&data, ctx, path, name) : st;
    if (st != DAL_OK) {
        return conclude(ctx, st);
    }
    const size_t n = (size_t)data.rows, width = (size_t)data.n;
    double *x = malloc((n * width + 1) * sizeof *x);
    PyObject *columns = PyList_New(0), *array = NULL;
    for (size_t j = 0; columns != NULL && j < width; ++j) {
        PyObject *text = PyUnicode_FromString(data.column[j]);
        if (text == NULL || PyList_Append(columns, text) < 0) {
            Py_CLEAR(columns);
        }
        Py_XDECREF(text);
        for (size_t i = 0; x != NULL && i < n; ++i) {
            x[i * width + j] = data.x[i + j * n];
        }
    }
    array = x != NULL ? core_array_own(x, (Py_ssize_t)n, (Py_ssize_t)width) : PyErr_NoMemory();
    dal_table_release(&data);
    dal_ctx_destroy(ctx);
    if (columns == NULL || array == NULL) {
        Py_XDECREF(columns);
        Py_XDECREF(array);
        return NULL;
    }
    return Py_BuildValue("(NN)", columns, array);
}

/* ---- pages ------------------------------------------------------------------------------------ */

enum { CURVES = 100 };

/* Which column of a row a curve shows. */
typedef struct curves {
    int n, column[CURVES];
    dal_page_curve curve[CURVES];
} curves;

static void add_curve(curves *c, const core_system *self, int channel, int column, const char *panel, int log)
{
    const dal_channel info = dal_channels_get(self->channels, channel);
    for (int k = 0; k < c->n; ++k) {
        if (strcmp(c->curve[k].name, info.name) == 0) {
            return; // the energy is an output and a channel of the monitor
        }
    }
    if (c->n < CURVES) {
        c->column[c->n] = column;
        c->curve[c->n++] = (dal_page_curve){info.name, info.unit, panel, log};
    }
}

/* Outputs, each under its name, then energy, residuals, step size and iterations. */
static void choose_curves(curves *c, const core_system *self, const int first[DAL_RECORD_TABLES])
{
    static const struct {
        const char *name, *panel;
        int log;
    } quality[] = {{"energy", "energy balance", 0},
                   {"position_residual", "constraint residuals", 1},
                   {"velocity_residual", "constraint residuals", 1},
                   {"h", "step size", 0},
                   {"newton_iterations", "Newton iterations", 0}};
    int channel;
    c->n = 0;
    for (int i = 0; first[DAL_RECORD_OUTPUTS] >= 0 && i < dal_channels_output_count(self->channels); ++i) {
        const dal_output_info info = dal_model_output_info(self->model, i);
        for (int k = 0; k < info.n; ++k) {
            add_curve(c, self, info.first + k, first[DAL_RECORD_OUTPUTS] + info.first + k, info.name, 0);
        }
    }
    const int n = dal_channels_table(self->channels, &channel, DAL_RECORD_MONITOR);
    for (int q = 0; q < CORE_LEN(quality); ++q) {
        for (int k = 0; first[DAL_RECORD_MONITOR] >= 0 && k < n; ++k) {
            if (strcmp(dal_channels_get(self->channels, channel + k).name, quality[q].name) == 0) {
                add_curve(c, self, channel + k, first[DAL_RECORD_MONITOR] + k, quality[q].panel, quality[q].log);
            }
        }
    }
}

static dal_status film(dal_page *page, const core_system *self, const rows *r, const curves *c, int state)
{
    const int nq = self->sys->group->nq, nv = self->sys->group->nv;
    double x[CURVES];
    if (c->n > 0) {
        DAL_TRY(dal_page_curves(page, c->curve, c->n));
    }
    for (Py_ssize_t i = 0; i < r->n; ++i) {
        const double *row = r->x + i * r->width, *q = row + state;
        const dal_point at = {.t = row[0], .q = q, .v = q + nq, .vd = q + nq, .la = q + nq + nv};
        DAL_TRY(state >= 0 ? dal_page_frame(page, &at) : DAL_OK); // neither poses nor reactions ask for v'
        for (int k = 0; k < c->n; ++k) {
            x[k] = row[c->column[k]];
        }
        DAL_TRY(c->n > 0 ? dal_page_row(page, row[0], x) : DAL_OK);
    }
    return DAL_OK;
}

static dal_status write_page(core_system *self, dal_ctx *ctx, const char *path, unsigned mask, const rows *r,
                             const notes *list)
{
    int first[DAL_RECORD_TABLES];
    curves c;
    dal_page *page = NULL;
    layout(self, mask, first);
    const int state = first[DAL_RECORD_STATE], nq = self->sys->group->nq, nv = self->sys->group->nv;
    const double *q = r->n > 0 && state >= 0 ? r->x + state : NULL;
    const dal_point start = {.t = r->n > 0 ? r->x[0] : 0.0,
                             .q = q,
                             .v = q != NULL ? q + nq : NULL,
                             .vd = q != NULL ? q + nq : NULL,
                             .la = q != NULL ? q + nq + nv : NULL};
    const dal_page_spec spec = {.name = dal_document_name(self->doc),
                                .title = dal_document_title(self->doc),
                                .source = dal_document_text(self->doc),
                                .model = self->model,
                                .initial = q != NULL ? &start : NULL};
    choose_curves(&c, self, first);
    dal_status st = dal_page_create(&page, ctx, &spec);
    for (int i = 0; st == DAL_OK && i < list->n; ++i) { // "option:h", "summary:steps", "warning:"
        const char *name = strchr(list->note[i].name, ':');
        const char kind = list->note[i].name[0];
        st = dal_page_text(page,
                           kind == 'o'   ? DAL_PAGE_OPTIONS
                           : kind == 's' ? DAL_PAGE_SUMMARY
                                         : DAL_PAGE_WARNINGS,
                           name != NULL ? name + 1 : "", list->note[i].text, 0);
    }
    st = st == DAL_OK ? film(page, self, r, &c, state) : st;
    st = st == DAL_OK ? dal_page_write(page, path) : st;
    dal_page_destroy(page);
    return st;
}

/* page(system, path, mask, rows, texts) */
PyObject *core_page(PyObject *module, PyObject *args)
{
    core_system *self;
    const char *path;
    int first[DAL_RECORD_TABLES];
    unsigned mask;
    PyObject *object, *pairs;
    rows r;
    notes list;
    dal_ctx *ctx = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!sIOO:page", core_system_type, &self, &path, &mask, &object, &pairs) ||
        needs_model(self) < 0 || rows_get(&r, object) < 0) {
        return NULL;
    }
    if (layout(self, mask, first) != r.width) {
        PyErr_SetString(PyExc_ValueError, "rows: they do not belong to these tables");
        PyBuffer_Release(&r.buffer);
        return NULL;
    }
    if (notes_get(&list, pairs) < 0) {
        PyBuffer_Release(&r.buffer);
        return NULL;
    }
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st == DAL_OK ? write_page(self, ctx, path, mask, &r, &list) : st;
    notes_free(&list);
    PyBuffer_Release(&r.buffer);
    if (st == DAL_OK && PyErr_Occurred() != NULL) { // of a law that the reactions asked for
        dal_ctx_destroy(ctx);
        return NULL;
    }
    return conclude(ctx, st);
}
