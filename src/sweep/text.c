/* The description of a sweep as JSON: in the head of journals and in the files of results. Two sweeps are the same if the
 * texts are; how the model was named on the command line is not in it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_impl.h"

static json_t *texts(char *const *text, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; ++k) {
        json_array_append_new(list, json_string(text[k]));
    }
    return list;
}

static json_t *describe(const dal_sweep *s)
{
    char seed[24];
    json_t *o = json_object(), *parameters = json_array(), *times = json_array();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
    for (int k = 0; k < s->np; ++k) {
        json_array_append_new(parameters, json_string(s->parameter[k].text));
    }
    for (int k = 0; k < s->ntimes; ++k) {
        json_array_append_new(times, json_real(s->times[k]));
    }
    json_object_set_new(o, "dalembert", json_string(dal_version_string()));
    json_object_set_new(o, "model", json_string(s->model_name));
    json_object_set_new(o, "set", texts(s->set, s->nset));
    json_object_set_new(o, "parameters", parameters);
    json_object_set_new(o, "rows", json_integer(s->nrows));
    json_object_set_new(o, "design", json_string(dal_sweep_design_name(s->design)));
    json_object_set_new(o, "samples", json_integer(s->samples));
    json_object_set_new(o, "seed", json_string(seed));
    json_object_set_new(o, "collect", texts(s->collect, s->ncollect));
    json_object_set_new(o, "trajectories", texts(s->curve, s->ncurves));
    json_object_set_new(o, "times", times);
    json_object_set_new(o, "backend", json_string(dal_sweep_backend_name(s->backend)));
    json_object_set_new(o, "model_text", json_string(s->model_text));
    return o;
}

dal_status dal_sweep_text_write(dal_sweep *s)
{
    json_t *o = describe(s);
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    json_decref(o);
    s->text = text != NULL ? dal_sweep_copy(s->ctx, text, strlen(text)) : NULL;
    free(text);
    if (s->text == NULL) {
        return dal_fail(s->ctx, DAL_ENOMEM,
                        "the description of the sweep cannot be written: no memory, or a text that is not UTF-8");
    }
    return DAL_OK;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static const char **list_of(dal_ctx *ctx, const json_t *o, const char *key, int *n)
{
    const json_t *list = json_object_get(o, key);
    const char **text = dal_alloc_zero(ctx, (json_array_size(list) + 1) * sizeof *text);
    for (*n = 0; text != NULL && *n < (int)json_array_size(list); ++*n) {
        const char *one = json_string_value(json_array_get(list, (size_t)*n));
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

static dal_status read_object(dal_sweep *s, const json_t *o, dal_sweep_spec *spec, long nnumbers, lists *l)
{
    const char *name = json_string_value(json_object_get(o, "model"));
    const char *text = json_string_value(json_object_get(o, "model_text"));
    const char *seed = json_string_value(json_object_get(o, "seed"));
    const json_t *list = json_object_get(o, "times");
    double *times = l->times = dal_alloc_zero(s->ctx, (json_array_size(list) + 1) * sizeof *times);
    spec->set = l->set = list_of(s->ctx, o, "set", &spec->nset);
    spec->parameter = l->parameter = list_of(s->ctx, o, "parameters", &spec->nparameters);
    spec->collect = l->collect = list_of(s->ctx, o, "collect", &spec->ncollect);
    spec->trajectory = l->curve = list_of(s->ctx, o, "trajectories", &spec->ntrajectories);
    spec->design = design_of(json_string_value(json_object_get(o, "design")));
    spec->backend = backend_of(json_string_value(json_object_get(o, "backend")));
    spec->samples = (long)json_integer_value(json_object_get(o, "samples"));
    spec->nrows = (long)json_integer_value(json_object_get(o, "rows"));
    spec->seed = seed != NULL ? strtoull(seed, NULL, 10) : 0;
    for (spec->ntimes = 0; times != NULL && spec->ntimes < (int)json_array_size(list); ++spec->ntimes) {
        times[spec->ntimes] = json_number_value(json_array_get(list, (size_t)spec->ntimes));
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
    json_t *o = json_loads(text, 0, NULL);
    dal_sweep_spec spec = {.source = source, .rows = rows};
    lists l = {0};
    if (o == NULL) {
        return dal_fail(s->ctx, DAL_EIO, "the description of the sweep in the journal is damaged");
    }
    dal_status st = read_object(s, o, &spec, nnumbers, &l);
    st = st != DAL_OK ? st : dal_sweep_text_write(s);
    void *const blocks[] = {(void *)l.set, (void *)l.parameter, (void *)l.collect, (void *)l.curve, l.times};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k) {
        dal_free(s->ctx, blocks[k]);
    }
    json_decref(o);
    return st;
}
