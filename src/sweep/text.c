/* The description of a sweep as JSON: in the head of journals and in the files of results. Two sweeps are the same if the
 * texts are; how the model was named on the command line is not in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "io/json.h"
#include "sweep/sweep_impl.h"

/* The text under way: counted while `to` is NULL, then written. */
typedef struct writer {
    char *to;
    size_t n;
    int bad; /* a text that is not UTF-8 */
} writer;

static void put(writer *w, const char *text)
{
    const size_t n = strlen(text);
    if (w->to != NULL) {
        memcpy(w->to + w->n, text, n);
    }
    w->n += n;
}

static void put_quoted(writer *w, const char *text)
{
    const size_t n = dal_json_quote(w->to != NULL ? w->to + w->n : NULL, text);
    w->bad |= n == 0;
    w->n += n;
}

/* The key of the next member. */
static void put_key(writer *w, const char *key)
{
    put(w, w->n > 1 ? ",\n " : "\n ");
    put_quoted(w, key);
    put(w, ": ");
}

static void put_member(writer *w, const char *key, const char *text)
{
    put_key(w, key);
    put_quoted(w, text);
}

static void put_count(writer *w, const char *key, long x)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", x);
    put_key(w, key);
    put(w, digits);
}

static void put_texts(writer *w, const char *key, char *const *text, int n)
{
    put_key(w, key);
    put(w, "[");
    for (int k = 0; k < n; ++k) {
        put(w, k > 0 ? ",\n  " : "\n  ");
        put_quoted(w, text[k]);
    }
    put(w, n > 0 ? "\n ]" : "]");
}

static void describe(writer *w, const dal_sweep *s)
{
    char number[DAL_NUMBER_SIZE];
    put(w, "{");
    put_member(w, "dalembert", dal_version_string());
    put_member(w, "model", s->model_name);
    put_texts(w, "set", s->set, s->nset);
    put_key(w, "parameters");
    put(w, "[");
    for (int k = 0; k < s->np; ++k) {
        put(w, k > 0 ? ",\n  " : "\n  ");
        put_quoted(w, s->parameter[k].text);
    }
    put(w, s->np > 0 ? "\n ]" : "]");
    put_count(w, "rows", s->nrows);
    put_member(w, "design", dal_sweep_design_name(s->design));
    put_count(w, "samples", s->samples);
    snprintf(number, sizeof number, "%llu", (unsigned long long)s->seed);
    put_member(w, "seed", number);
    put_texts(w, "collect", s->collect, s->ncollect);
    put_texts(w, "trajectories", s->curve, s->ncurves);
    put_key(w, "times");
    put(w, "[");
    for (int k = 0; k < s->ntimes; ++k) {
        dal_number_format(number, s->times[k]);
        put(w, k > 0 ? ",\n  " : "\n  ");
        put(w, number);
    }
    put(w, s->ntimes > 0 ? "\n ]" : "]");
    put_member(w, "backend", dal_sweep_backend_name(s->backend));
    put_member(w, "model_text", s->model_text);
    put(w, "\n}");
}

dal_status dal_sweep_text_write(dal_sweep *s)
{
    writer w = {0};
    describe(&w, s);
    if (w.bad) {
        return dal_fail(s->ctx, DAL_EINVAL, "the description of the sweep has a text that is not UTF-8");
    }
    s->text = dal_alloc_zero(s->ctx, w.n + 1);
    if (s->text == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    w = (writer){.to = s->text};
    describe(&w, s);
    return DAL_OK;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static const char **list_of(dal_ctx *ctx, const dal_json *o, const char *key, int *n)
{
    const dal_json *list = dal_json_member(o, key);
    const char **text = dal_alloc_zero(ctx, (dal_json_length(list) + 1) * sizeof *text);
    for (*n = 0; text != NULL && *n < (int)dal_json_length(list); ++*n) {
        const char *one = dal_json_text(dal_json_item(list, (size_t)*n));
        text[*n] = one != NULL ? one : "";
    }
    return text;
}

static dal_sweep_design design_of(const char *name)
{
    int k = DAL_SWEEP_SALTELLI;
    while (k > DAL_SWEEP_AUTO && (name == NULL || strcmp(dal_sweep_design_name((dal_sweep_design)k), name) != 0)) {
        --k;
    }
    return (dal_sweep_design)k;
}

static dal_sweep_backend backend_of(const char *name)
{
    int k = DAL_SWEEP_CUDA;
    while (k > DAL_SWEEP_INTERPRETED &&
           (name == NULL || strcmp(dal_sweep_backend_name((dal_sweep_backend)k), name) != 0)) {
        --k;
    }
    return (dal_sweep_backend)k;
}

/* How many parameters are columns of rows. */
static long row_columns(const dal_sweep_spec *spec)
{
    long n = 0;
    for (int k = 0; k < spec->nparameters; ++k) {
        const char *equals = strchr(spec->parameter[k], '=');
        n += equals != NULL && strcmp(equals + 1 + strspn(equals + 1, " "), "rows") == 0;
    }
    return n;
}

/* What the spec points to. */
typedef struct lists {
    const char **set, **parameter, **collect, **curve;
    double *times;
} lists;

static dal_status read_object(dal_sweep *s, const dal_json *o, dal_sweep_spec *spec, long nnumbers, lists *l)
{
    const char *name = dal_json_text(dal_json_member(o, "model"));
    const char *text = dal_json_text(dal_json_member(o, "model_text"));
    const char *seed = dal_json_text(dal_json_member(o, "seed"));
    const dal_json *list = dal_json_member(o, "times");
    double *times = l->times = dal_alloc_zero(s->ctx, (dal_json_length(list) + 1) * sizeof *times);
    spec->set = l->set = list_of(s->ctx, o, "set", &spec->nset);
    spec->parameter = l->parameter = list_of(s->ctx, o, "parameters", &spec->nparameters);
    spec->collect = l->collect = list_of(s->ctx, o, "collect", &spec->ncollect);
    spec->trajectory = l->curve = list_of(s->ctx, o, "trajectories", &spec->ntrajectories);
    spec->design = design_of(dal_json_text(dal_json_member(o, "design")));
    spec->backend = backend_of(dal_json_text(dal_json_member(o, "backend")));
    spec->samples = (long)dal_json_number(dal_json_member(o, "samples"));
    spec->nrows = (long)dal_json_number(dal_json_member(o, "rows"));
    spec->seed = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    for (spec->ntimes = 0; times != NULL && spec->ntimes < (int)dal_json_length(list); ++spec->ntimes) {
        times[spec->ntimes] = dal_json_number(dal_json_item(list, (size_t)spec->ntimes));
    }
    spec->times = times;
    if (!times || !spec->set || !spec->parameter || !spec->collect || !spec->trajectory) {
        return dal_sweep_no_memory(s->ctx);
    }
    if (spec->nrows < 0 || spec->nrows > nnumbers + 1 || spec->nrows * row_columns(spec) != nnumbers) {
        return dal_fail(s->ctx, DAL_EIO, "the journal has %ld numbers for its rows", nnumbers);
    }
    if (name == NULL || text == NULL) {
        return dal_fail(s->ctx, DAL_EIO, "the description of the sweep has no model");
    }
    return dal_sweep_describe(s, spec, name, text);
}

dal_status dal_sweep_text_read(dal_sweep *s, const char *text, const char *source, const double *rows, long nnumbers)
{
    const dal_json *o;
    dal_sweep_spec spec = {.source = source, .rows = rows};
    lists l = {0};
    dal_status st = dal_json_parse(&o, s->ctx, text, strlen(text), "the description of the sweep");
    if (st != DAL_OK) {
        return st == DAL_EINVAL ? dal_fail(s->ctx, DAL_EIO, "the description of the sweep in the journal is damaged")
                                : st;
    }
    st = read_object(s, o, &spec, nnumbers, &l);
    st = st != DAL_OK ? st : dal_sweep_text_write(s);
    void *const blocks[] = {(void *)l.set, (void *)l.parameter, (void *)l.collect, (void *)l.curve, l.times};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        dal_free(s->ctx, blocks[k]);
    }
    dal_json_destroy(o, s->ctx);
    return st;
}
