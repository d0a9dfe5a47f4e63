/* Creation of a sweep, and questions to it. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "dalembert/events.h"
#include "io/follow.h"
#include "sweep/sweep_impl.h"

/* ---- small things ----------------------------------------------------------------------------- */

char *dal_sweep_copy(dal_pool *pool, const char *text, size_t n)
{
    char *copy = dal_pool_take(pool, n + 1, 1);
    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

dal_status dal_sweep_no_memory(dal_ctx *ctx)
{
    return dal_fail(ctx, DAL_ENOMEM, "no memory for the sweep");
}

static dal_status copy_texts(dal_pool *pool, char ***to, const char *const *from, int n)
{
    DAL_TAKE(pool, *to, n + 1);
    for (int k = 0; k < n; ++k) {
        DAL_TAKE_TEXT(pool, (*to)[k], from[k]);
    }
    return DAL_OK;
}

static dal_status copy_numbers(dal_pool *pool, double **to, const double *from, size_t n)
{
    DAL_TAKE(pool, *to, n + 1);
    if (n > 0) {
        memcpy(*to, from, n * sizeof **to);
    }
    return DAL_OK;
}

/* ---- description ------------------------------------------------------------------------------ */

static dal_status check_numbers(const dal_sweep *s, const dal_sweep_spec *spec)
{
    if (spec->ncollect + spec->ntrajectories <= 0) {
        return dal_fail(s->ctx, DAL_EOPTION, "nothing is collected: say what, as 'max(A.force)' or 'final(energy)'");
    }
    if (spec->samples < 0) {
        return dal_fail(s->ctx, DAL_EOPTION, "%ld samples: a positive number is expected", spec->samples);
    }
    if (spec->nparameters > SWEEP_PARAMETERS) {
        return dal_fail(s->ctx, DAL_EOPTION, "a sweep has at most %d parameters", SWEEP_PARAMETERS);
    }
    if ((spec->ntrajectories > 0) != (spec->ntimes > 0)) {
        return dal_fail(s->ctx, DAL_EOPTION, "trajectories and their times belong together");
    }
    for (int k = 0; k < spec->ntimes; ++k) {
        if (!(spec->times[k] >= (k > 0 ? spec->times[k - 1] : 0.0)) ||
            (k > 0 && spec->times[k] == spec->times[k - 1])) {
            return dal_fail(s->ctx, DAL_EOPTION, "times of trajectories must increase, starting from 0");
        }
    }
    for (long k = 0; k < spec->nrows * (long)s->nrowcolumns; ++k) {
        if (!isfinite(spec->rows[k])) {
            return dal_fail(s->ctx, DAL_EOPTION, "row %ld has a value that is not finite", k / s->nrowcolumns + 1);
        }
    }
    return DAL_OK;
}

static dal_status read_parameters(dal_sweep *s, const dal_sweep_spec *spec)
{
    DAL_TAKE(&s->pool, s->parameter, spec->nparameters + 1);
    for (int k = 0; k < spec->nparameters; ++k) {
        s->np = k + 1;
        DAL_TRY(dal_sweep_parameter_read(&s->parameter[k], &s->pool, spec->parameter[k]));
        for (int i = 0; i < k; ++i) {
            if (strcmp(s->parameter[i].name, s->parameter[k].name) == 0) {
                return dal_fail(s->ctx, DAL_EOPTION, "parameter '%s' is given twice", s->parameter[k].name);
            }
        }
        s->nrowcolumns += s->parameter[k].kind == KIND_ROWS;
    }
    return DAL_OK;
}

dal_status dal_sweep_describe(dal_sweep *s, const dal_sweep_spec *spec, const char *model_name, const char *model_text)
{
    DAL_TAKE_TEXT(&s->pool, s->source, spec->source);
    DAL_TAKE_TEXT(&s->pool, s->model_name, model_name);
    DAL_TAKE_TEXT(&s->pool, s->model_text, model_text);
    s->files_outside = spec->files_outside;
    s->foreign_files = strstr(model_text, "file\"") != NULL;
    s->design = spec->design;
    s->backend = spec->backend;
    s->samples = spec->samples > 0 ? spec->samples : 1;
    s->seed = spec->seed;
    s->nrows = spec->nrows;
    DAL_TRY(read_parameters(s, spec));
    DAL_TRY(check_numbers(s, spec));
    s->nset = spec->nset;
    s->ncollect = spec->ncollect;
    s->ncurves = spec->ntrajectories;
    s->ntimes = spec->ntimes;
    DAL_TRY(copy_texts(&s->pool, &s->set, spec->set, s->nset));
    DAL_TRY(copy_texts(&s->pool, &s->collect, spec->collect, s->ncollect));
    DAL_TRY(copy_texts(&s->pool, &s->curve, spec->trajectory, s->ncurves));
    DAL_TRY(copy_numbers(&s->pool, &s->rows, spec->rows, (size_t)s->nrows * (size_t)s->nrowcolumns));
    DAL_TRY(copy_numbers(&s->pool, &s->times, spec->times, (size_t)s->ntimes));
    return dal_sweep_layout(s);
}

/* Memory that is promised and not there ends the program when it is used: ask before. */
static dal_status check_memory(const dal_sweep *s)
{
    const double need = (double)s->n * (8.0 * s->ncollect + 5.0 + (s->ncurves > 0 ? sizeof *s->place : 0));
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return there > 0.0 && need > 0.8 * there ? dal_fail(s->ctx, DAL_ENOMEM,
                                                        "the results of %ld members take %.3g GB, and this machine has "
                                                        "%.3g GB: take several sweeps with other seeds",
                                                        s->n, 1e-9 * need, 1e-9 * there)
                                             : DAL_OK;
}

static dal_status reserve(dal_sweep *s)
{
    const size_t n = (size_t)s->n;
    DAL_TRY(check_memory(s));
    DAL_TAKE(&s->pool, s->value, n * (size_t)s->ncollect + 1);
    DAL_TAKE(&s->pool, s->status, n + 1);
    DAL_TAKE(&s->pool, s->message, n + 1);
    if (s->ncurves > 0) {
        DAL_TAKE(&s->pool, s->place, n + 1);
    }
    if (s->backend != DAL_SWEEP_INTERPRETED) {
        DAL_TAKE(&s->pool, s->by_library, n + 1);
    }
    for (size_t k = 0; k < n * (size_t)s->ncollect; ++k) {
        s->value[k] = NAN;
    }
    memset(s->status, DAL_SWEEP_MISSING, n + 1);
    memset(s->message, 0xff, (n + 1) * sizeof *s->message); // -1
    return DAL_OK;
}

/* ---- the model -------------------------------------------------------------------------------- */

/* Is there a number of that name that can be set? */
static dal_status check_name(const dal_sweep *s, const dal_document *doc, const char *name)
{
    const dal_option_table *table = dal_options_table();
    const int nv = dal_document_variable_count(doc), most = nv + table->n + 1;
    const char **word = dal_alloc_zero(s->ctx, (size_t)most * sizeof *word);
    int n = 0, known = 0;
    if (word == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    word[n++] = "t_end";
    for (int k = 0; k < nv; ++k) {
        word[n++] = dal_document_variable(doc, k).name;
    }
    for (int k = 0; k < table->n; ++k) {
        const dal_option_kind kind = table->option[k].kind;
        if (kind == DAL_OPTION_INT || kind == DAL_OPTION_REAL || kind == DAL_OPTION_RULED) {
            word[n++] = table->option[k].name;
        }
    }
    for (int k = 0; k < n; ++k) {
        known |= strcmp(word[k], name) == 0;
    }
    char hint[DAL_HINT_SIZE];
    dal_hint(hint, known ? NULL : dal_nearest(name, word, n));
    dal_free(s->ctx, word);
    return known ? DAL_OK : dal_fail(s->ctx, DAL_EOPTION, "there is no variable or numeric option '%s'%s", name, hint);
}

int dal_sweep_is_address(const dal_document *doc, const char *name)
{
    int address = strchr(name, '.') != NULL;
    for (int k = 0; address && k < dal_document_variable_count(doc); ++k) {
        address = strcmp(dal_document_variable(doc, k).name, name) != 0;
    }
    return address;
}

dal_status dal_sweep_bind_elements(const dal_sweep *s, dal_ctx *ctx, dal_binding **binding, const dal_document *doc)
{
    const char *name[SWEEP_PARAMETERS];
    int n = 0;
    for (int k = 0; k < s->np; ++k) {
        if (s->parameter[k].element && !s->parameter[k].made) {
            name[n++] = s->parameter[k].name;
        }
    }
    return n > 0 ? dal_binding_create(binding, ctx, doc, name, n) : DAL_OK;
}

/* Compile the model once and bind the parameters to it. That may be impossible, and the message says why. */
static dal_status bind(dal_sweep *s)
{
    const char *name[SWEEP_PARAMETERS];
    for (int k = 0; k < s->np; ++k) {
        name[k] = s->parameter[k].name;
    }
    DAL_TRY(dal_binding_create(&s->binding, s->ctx, s->doc, name, s->np));
    const char *shared = dal_binding_beside_inputs(s->binding);
    if (shared != NULL && dal_model_event_count(dal_document_model(s->doc)) > 0) {
        return dal_fail(s->ctx, DAL_EINVAL, "%s depends on parameters and on inputs, which events may set", shared);
    }
    DAL_TRY(dal_model_compile(dal_document_model(s->doc), &s->system));
    dal_sweep_inputs_bind(s->input, &s->plan, dal_document_model(s->doc));
    s->noutputs = dal_model_output_size(dal_document_model(s->doc));
    return DAL_OK;
}

static void unbind(dal_sweep *s)
{
    dal_binding_destroy(s->binding);
    dal_document_destroy(s->doc);
    s->binding = NULL;
    s->doc = NULL;
}

/* Sections and meshes of beams, and shapes, are made from numbers that no binding can set, but that are in the file. */
static dal_status find_made(dal_sweep *s)
{
    for (int k = 0; k < s->np; ++k) {
        sweep_parameter *p = &s->parameter[k];
        dal_binding *alone;
        double x;
        if (!p->element) {
            continue;
        }
        const dal_status st = dal_binding_create(&alone, s->ctx, s->doc, (const char *const *)&p->name, 1);
        dal_binding_destroy(alone);
        DAL_TRY(st == DAL_ENOMEM ? st : DAL_OK);
        p->made = st != DAL_OK && dal_document_number(s->doc, &x, p->name) == DAL_OK;
    }
    return DAL_OK;
}

/* Names of parameters and outputs are those of the model. */
static dal_status check_model(dal_sweep *s)
{
    if (!(dal_document_t_end(s->doc) > 0.0)) {
        return dal_fail(s->ctx, DAL_EOPTION, "the model gives no end time: set t_end");
    }
    DAL_TAKE(&s->pool, s->input, s->plan.ninputs + 1);
    DAL_TRY(dal_sweep_inputs_add(s->input, &s->plan, s->ctx, dal_document_model(s->doc)));
    for (int k = 0; k < s->np; ++k) {
        s->parameter[k].element = dal_sweep_is_address(s->doc, s->parameter[k].name);
    }
    const dal_status st = bind(s);
    if (st == DAL_OK || st == DAL_ENOMEM) {
        return st;
    }
    // variables, options and t_end can be given to a model that is opened anew, to which numbers of elements are bound
    dal_binding_destroy(s->binding);
    s->binding = NULL;
    DAL_TRY(find_made(s));
    if (dal_sweep_bind_elements(s, s->ctx, &s->binding, s->doc) != DAL_OK) {
        return dal_fail_in(s->ctx, DAL_EOPTION, "parameters of the sweep");
    }
    for (int k = 0; k < s->np; ++k) {
        if (!s->parameter[k].element) {
            DAL_TRY(check_name(s, s->doc, s->parameter[k].name));
        }
    }
    unbind(s);
    dal_ctx_clear(s->ctx);
    return DAL_OK;
}

static dal_status prepare(dal_sweep *s, const dal_sweep_spec *spec)
{
    const dal_load_options how = {.set = spec->set, .nset = spec->nset, .files_outside = spec->files_outside};
    DAL_TRY(dal_document_open_with(&s->doc, s->ctx, spec->source, &how));
    DAL_TRY(dal_sweep_describe(s, spec, dal_document_name(s->doc), dal_document_text(s->doc)));
    DAL_TRY(dal_sweep_plan_init(&s->plan, &s->pool, spec, s->parameter));
    for (int k = 0; k < s->plan.nreductions; ++k) {
        if (s->plan.reduction[k].kind == REDUCE_SMOOTH_MAX) {
            return dal_fail(s->ctx, DAL_EOPTION, "smooth_max(...) is for gradients; a sweep has max(...)");
        }
    }
    DAL_TRY(check_model(s));
    s->planned = 1;
    DAL_TRY(dal_sweep_backend_prepare(s));
    DAL_TRY(dal_sweep_text_write(s));
    return reserve(s);
}

static dal_sweep *make(dal_ctx *ctx)
{
    dal_sweep *s = dal_alloc_zero(ctx, sizeof *s);
    if (s != NULL) {
        s->ctx = ctx;
        s->pool = (dal_pool){.ctx = ctx, .what = "the sweep"};
        s->has_mutex = pthread_mutex_init(&s->opening, NULL) == 0 && pthread_mutex_init(&s->handing, NULL) == 0;
    }
    return s;
}

dal_status dal_sweep_create_(dal_sweep **sweep, dal_ctx *ctx, const dal_sweep_spec *spec, size_t size)
{
    DAL_NEED(ctx, sweep);
    *sweep = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_sweep_spec, spec);
    DAL_NEED_AS(ctx, spec->source, "spec.source");
    DAL_NEED_TEXTS(ctx, spec->set, spec->nset);
    DAL_NEED_TEXTS(ctx, spec->parameter, spec->nparameters);
    DAL_NEED_TEXTS(ctx, spec->collect, spec->ncollect);
    DAL_NEED_TEXTS(ctx, spec->trajectory, spec->ntrajectories);
    if (spec->ntimes > 0) {
        DAL_NEED(ctx, spec->times);
    }
    if (spec->nrows > 0) {
        DAL_NEED(ctx, spec->rows);
    }
    dal_sweep *s = make(ctx);
    if (s == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    const dal_status st = prepare(s, spec);
    if (st != DAL_OK) {
        dal_sweep_destroy(s);
        return st;
    }
    *sweep = s;
    return DAL_OK;
}

static dal_status read_journals(dal_sweep *s, const char *const *journal, int n)
{
    sweep_head h;
    DAL_TRY(dal_sweep_journal_head(s, &h, journal[0]));
    DAL_TRY(dal_sweep_text_read(s, &h));
    if (strcmp(s->text, h.text) != 0) {
        return dal_fail(s->ctx, DAL_EIO, "the journal '%s' was written by another version of the program", journal[0]);
    }
    DAL_TRY(reserve(s));
    for (int k = 0; k < n; ++k) {
        DAL_TRY(dal_sweep_journal_read(s, journal[k]));
    }
    return DAL_OK;
}

dal_status dal_sweep_open(dal_sweep **sweep, dal_ctx *ctx, const char *const *journal, int n)
{
    DAL_NEED(ctx, sweep);
    *sweep = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED_TEXTS(ctx, journal, n);
    if (n < 1) {
        return dal_fail(ctx, DAL_EINVAL, "at least one journal is needed");
    }
    dal_sweep *s = make(ctx);
    if (s == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    const dal_status st = read_journals(s, journal, n);
    if (st != DAL_OK) {
        dal_sweep_destroy(s);
        return st;
    }
    *sweep = s;
    return DAL_OK;
}

void dal_sweep_destroy(dal_sweep *s)
{
    if (s == NULL) {
        return;
    }
    dal_ctx *ctx = s->ctx;
    dal_sweep_journals_close(s, 0);
    dal_sweep_worker_destroy(s->own);
    dal_sweep_code_release(&s->code);
    unbind(s);
    dal_sweep_plan_release(&s->plan);
    dal_pool_release(&s->pool);
    if (s->has_mutex) {
        pthread_mutex_destroy(&s->opening);
        pthread_mutex_destroy(&s->handing);
    }
    dal_free(ctx, s);
}

/* ---- questions -------------------------------------------------------------------------------- */

long dal_sweep_members(const dal_sweep *s)
{
    return s != NULL ? s->n : 0;
}

int dal_sweep_parameter_count(const dal_sweep *s)
{
    return s != NULL ? s->np : 0;
}

const char *dal_sweep_parameter_name(const dal_sweep *s, int k)
{
    return s != NULL && k >= 0 && k < s->np ? s->parameter[k].name : NULL;
}

int dal_sweep_collect_count(const dal_sweep *s)
{
    return s != NULL ? s->ncollect : 0;
}

const char *dal_sweep_collect_name(const dal_sweep *s, int k)
{
    return s != NULL && k >= 0 && k < s->ncollect ? s->collect[k] : NULL;
}

const char *dal_sweep_model_name(const dal_sweep *s)
{
    return s != NULL ? s->model_name : NULL;
}

const char *dal_sweep_source(const dal_sweep *s)
{
    return s != NULL ? s->source : NULL;
}

const char *dal_sweep_setting(const dal_sweep *s, int k)
{
    return s != NULL && k >= 0 && k < s->nset ? s->set[k] : NULL;
}

dal_sweep_design dal_sweep_design_of(const dal_sweep *s)
{
    return s != NULL ? s->design : DAL_SWEEP_AUTO;
}

dal_sweep_member dal_sweep_result(const dal_sweep *s, long member)
{
    if (s == NULL || member < 0 || member >= s->n) {
        return (dal_sweep_member){DAL_SWEEP_MISSING, "", NULL};
    }
    const int number = s->message[member];
    return (dal_sweep_member){s->status[member], number >= 0 ? s->messages.text[number] : "",
                              s->value + member * s->ncollect};
}

long dal_sweep_count(const dal_sweep *s, int failed)
{
    return s == NULL ? 0 : failed ? s->failed : s->done - s->failed;
}
