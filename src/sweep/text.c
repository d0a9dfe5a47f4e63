/* The description of a sweep as JSON: in the head of journals and in the files of results. Two sweeps are the same if the
 * texts are; how the model was named on the command line is not in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
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

/* A list: item k by a function. */
static void put_list(writer *w, const char *key, const dal_sweep *s,
                     void (*put_item)(writer *w, const dal_sweep *s, int k), int n)
{
    put_key(w, key);
    put(w, "[");
    for (int k = 0; k < n; ++k) {
        put(w, k > 0 ? ",\n  " : "\n  ");
        put_item(w, s, k);
    }
    put(w, n > 0 ? "\n ]" : "]");
}

static void put_setting(writer *w, const dal_sweep *s, int k)
{
    put_quoted(w, s->set[k]);
}

static void put_parameter(writer *w, const dal_sweep *s, int k)
{
    put_quoted(w, s->parameter[k].text);
}

static void put_collect(writer *w, const dal_sweep *s, int k)
{
    put_quoted(w, s->collect[k]);
}

static void put_curve(writer *w, const dal_sweep *s, int k)
{
    put_quoted(w, s->curve[k]);
}

static void put_time(writer *w, const dal_sweep *s, int k)
{
    char number[DAL_NUMBER_SIZE];
    dal_number_format(number, s->times[k]);
    put(w, number);
}

static void describe(writer *w, const dal_sweep *s)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
    put(w, "{");
    put_member(w, "dalembert", dal_version_string());
    put_member(w, "model", s->model_name);
    put_list(w, "set", s, put_setting, s->nset);
    put_list(w, "parameters", s, put_parameter, s->np);
    put_count(w, "rows", s->nrows);
    put_member(w, "design", dal_sweep_design_name(s->design));
    put_count(w, "samples", s->samples);
    put_member(w, "seed", seed);
    put_list(w, "collect", s, put_collect, s->ncollect);
    put_list(w, "trajectories", s, put_curve, s->ncurves);
    put_list(w, "times", s, put_time, s->ntimes);
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
    DAL_TAKE(&s->pool, s->text, w.n + 1);
    w = (writer){.to = s->text};
    describe(&w, s);
    return DAL_OK;
}

/* ---- reading ---------------------------------------------------------------------------------- */

dal_status dal_sweep_json_texts(dal_pool *pool, int *n, const char *const **to, const dal_json *list)
{
    const char **text;
    *n = (int)dal_json_length(list);
    DAL_TAKE(pool, text, *n + 1);
    *to = text;
    for (int k = 0; k < *n; ++k) {
        text[k] = dal_json_text(dal_json_item(list, (size_t)k));
        if (text[k] == NULL) {
            return DAL_EINVAL;
        }
    }
    return list == NULL || dal_json_is(list, DAL_JSON_LIST) ? DAL_OK : DAL_EINVAL;
}

dal_status dal_sweep_json_numbers(dal_pool *pool, int *n, const double **to, const dal_json *list)
{
    double *x;
    *n = (int)dal_json_length(list);
    DAL_TAKE(pool, x, *n + 1);
    *to = x;
    for (int k = 0; k < *n; ++k) {
        const dal_json *one = dal_json_item(list, (size_t)k);
        if (!dal_json_is(one, DAL_JSON_NUMBER)) {
            return DAL_EINVAL;
        }
        x[k] = dal_json_number(one);
    }
    return DAL_OK;
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

static dal_status read_object(dal_sweep *s, const dal_json *o, const sweep_head *head)
{
    const char *name = dal_json_text(dal_json_member(o, "model"));
    const char *text = dal_json_text(dal_json_member(o, "model_text"));
    const char *seed = dal_json_text(dal_json_member(o, "seed"));
    dal_sweep_spec spec = {.source = head->source,
                           .rows = head->rows,
                           .design = dal_sweep_design_of_name(dal_json_text(dal_json_member(o, "design"))),
                           .backend = backend_of(dal_json_text(dal_json_member(o, "backend"))),
                           .samples = (long)dal_json_number(dal_json_member(o, "samples")),
                           .nrows = (long)dal_json_number(dal_json_member(o, "rows")),
                           .seed = seed != NULL ? strtoull(seed, NULL, 10) : 0};
    DAL_TRY(dal_sweep_json_texts(&s->pool, &spec.nset, &spec.set, dal_json_member(o, "set")));
    DAL_TRY(dal_sweep_json_texts(&s->pool, &spec.nparameters, &spec.parameter, dal_json_member(o, "parameters")));
    DAL_TRY(dal_sweep_json_texts(&s->pool, &spec.ncollect, &spec.collect, dal_json_member(o, "collect")));
    DAL_TRY(dal_sweep_json_texts(&s->pool, &spec.ntrajectories, &spec.trajectory, dal_json_member(o, "trajectories")));
    DAL_TRY(dal_sweep_json_numbers(&s->pool, &spec.ntimes, &spec.times, dal_json_member(o, "times")));
    if (spec.nrows < 0 || spec.nrows > head->nnumbers + 1 || spec.nrows * row_columns(&spec) != head->nnumbers) {
        return dal_fail(s->ctx, DAL_EIO, "the journal has %ld numbers for its rows", head->nnumbers);
    }
    if (name == NULL || text == NULL) {
        return dal_fail(s->ctx, DAL_EIO, "the description of the sweep has no model");
    }
    DAL_TRY(dal_sweep_describe(s, &spec, name, text));
    return dal_sweep_text_write(s);
}

dal_status dal_sweep_text_read(dal_sweep *s, const sweep_head *head)
{
    const dal_json *o;
    dal_status st = dal_json_parse(&o, s->ctx, head->text, strlen(head->text), "the description of the sweep");
    if (st != DAL_OK) {
        return st == DAL_EINVAL ? dal_fail(s->ctx, DAL_EIO, "the description of the sweep in the journal is damaged")
                                : st;
    }
    st = read_object(s, o, head);
    dal_json_destroy(o, s->ctx);
    return st;
}
